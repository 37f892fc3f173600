"""Inspect logs: zip and JSON, samples as runs, attachments, the message pool, and archives that would not end."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from collections import Counter
from pathlib import Path

import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reader_checks import ABSENT, REAL, counted, damaged, golden, kinds, runs_in, runs_of

from tabcore.ingest import load
from tabcore.readers import inspect_log, zip_members
from tabcore.source import Source
from tabcore.store.store import Store
from tabcore.trajectory import Rubric, Verdict, without

HEADER = {
    "version": 2,
    "status": "success",
    "eval": {"run_id": "r1", "task": "sums", "model": "m/x", "config": {"epochs": 2}},
}
CALL = {"id": "c1", "function": "bash", "arguments": {"cmd": "ls"}, "type": "function"}


def message(role: str, content: object, **fields: object) -> dict[str, object]:
    return {"role": role, "content": content, **fields}


def model_event(
    answer: dict[str, object], seen: list[dict[str, object]] | None = None, **fields: object
) -> dict[str, object]:
    output = {"model": "x-1", "choices": [{"message": answer, "stop_reason": "stop"}],
              "usage": {"input_tokens": 5, "output_tokens": 7}}  # fmt: skip
    return {"event": "model", "timestamp": "2025-01-01T00:00:05Z", "input": seen or [], "output": output, **fields}


ASK = message("user", "Sum the files", source="input")
LOOK = message("assistant", "I look", tool_calls=[CALL])
SHOWN = message("tool", "a.txt", tool_call_id="c1", function="bash")
DONE = message("assistant", "42")
TALK = [message("system", "Be brief"), ASK, LOOK, SHOWN, message("user", "Go on"), DONE]


def sample(name: str = "s1", epoch: int = 1, messages: object = TALK, **fields: object) -> dict[str, object]:
    return {"id": name, "epoch": epoch, "input": "Sum the files", "target": "42", "messages": messages,
            "events": [model_event(LOOK), model_event(DONE)], "attachments": {}, **fields}  # fmt: skip


def document(*samples: dict[str, object], **fields: object) -> str:
    return json.dumps({**HEADER, "samples": list(samples), **fields})


def archive(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", method) as zipped:
        for name, data in members.items():
            zipped.writestr(name, data)
    return written.getvalue()


def zstd_archive(members: dict[str, bytes]) -> bytes:
    """A zip whose members are packed by method 93, which the standard library does not write."""
    body, directory = b"", b""
    for name, data in members.items():
        packed = pyarrow.compress(data, codec="zstd", asbytes=True)
        common = struct.pack("<5H3I2H", 20, 0, 93, 0, 33, zlib.crc32(data), len(packed), len(data), len(name), 0)
        directory += b"PK\1\2\x14\0" + common + struct.pack("<3H2I", 0, 0, 0, 0, len(body)) + name.encode()
        body += b"PK\3\4" + common + name.encode() + packed
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, len(members), len(members), len(directory), len(body), 0)
    return body + directory + end


MEMBERS = {
    "_journal/start.json": json.dumps({"eval": HEADER["eval"]}).encode(),
    "samples/s1_epoch_1.json": json.dumps(sample()).encode(),
    "samples/s1_epoch_2.json": json.dumps(sample(epoch=2)).encode(),
    "header.json": json.dumps(HEADER).encode(),
}
SAMPLE = document(sample())
EVAL = archive(MEMBERS)
ZSTD = zstd_archive(MEMBERS)


@pytest.mark.parametrize("data", [EVAL, ZSTD, archive(MEMBERS, zipfile.ZIP_STORED)], ids=["deflate", "zstd", "stored"])
def test_each_sample_of_an_archive_is_a_run_with_its_own_key(data: bytes) -> None:
    runs = runs_in(inspect_log, data)
    assert [run.run_id.partition(".")[2] for run in runs] == ["s1_epoch_1", "s1_epoch_2"]
    assert [(run.header.attempt, run.header.attempts, run.header.suite) for run in runs] == [
        (1, 2, "sums"),
        (2, 2, "sums"),
    ]
    assert [[turn.text for turn in run.turns] for run in runs] == [["I look", "42"]] * 2
    assert runs[0].problems == ()


def test_scores_are_the_verdicts_of_their_own_sample() -> None:
    right = {"match": {"value": "C", "answer": "42", "explanation": "It is 42"}}
    wrong = {"match": {"value": "I", "answer": "7"}, "style": {"value": {"tone": 1, "length": 310}}}
    one, two = runs_in(inspect_log, document(sample(scores=right), sample("s2", scores=wrong, target=["42", "43"])))
    assert one.rubrics == (Rubric("match", "match: the answer is 42"),)
    assert one.verdicts == (Verdict("match", True, "score: C\nanswer: 42\nexplanation: It is 42"),)
    assert [rubric.text for rubric in two.rubrics] == [
        "match: the answer is 42 or 43",
        "style/tone: the answer is 42 or 43",
        "style/length: the answer is 42 or 43",
    ]
    assert [(verdict.passed, verdict.evidence) for verdict in two.verdicts] == [
        (False, "score: I\nanswer: 7"),
        (True, "score: 1"),
        (None, "score: 310"),
    ]


@pytest.mark.parametrize("scores", [None, [], "C", {}, 7])
def test_a_sample_without_scores_has_no_verdict(scores: object) -> None:
    [run] = runs_in(inspect_log, document(sample(scores=scores)))
    assert (run.rubrics, run.verdicts, run.problems) == ((), (), ())


def test_an_explanation_that_is_an_attachment_is_shown_in_full() -> None:
    scores = {"match": {"value": "C", "explanation": "attachment://abc"}}
    [run] = runs_in(inspect_log, document(sample(scores=scores, attachments={"abc": "A long reason"})))
    assert run.verdicts[0].evidence == "score: C\nexplanation: A long reason"


def test_scores_reach_the_store_with_the_run_that_they_are_of(tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    log.write_text(
        document(sample(scores={"match": {"value": "C"}}), sample("s2", scores={"match": {"value": "\ud800"}}))
    )
    store = Store(tmp_path / "runs.duckdb")
    load([str(log)], store)
    with store.reading() as connection:
        found = connection.execute(
            "SELECT key, rubric_id, passed FROM verdicts JOIN runs ON runs.number = verdicts.run ORDER BY key"
        ).fetchall()
    assert found == [("s1_epoch_1", "match", True), ("s2_epoch_1", "match", None)]


@pytest.mark.skipif(not REAL.exists(), reason=ABSENT)
def test_the_scores_of_a_published_log_are_its_verdicts() -> None:
    """`unzip -p FILE "samples/*" | jq -r .scores.includes.value | sort | uniq -c`: 9 C, 6 I."""
    runs = runs_of(inspect_log, Source.of_path(REAL / "inspect" / "docent_intercode_ctf.eval"))
    assert Counter(verdict.passed for run in runs for verdict in run.verdicts) == {True: 9, False: 6}


def test_calls_results_prompts_and_notices_are_told_apart() -> None:
    [run] = runs_in(inspect_log, SAMPLE)
    first, last = run.turns
    assert (first.calls[0].name, first.calls[0].arguments) == ("bash", {"cmd": "ls"})
    assert (first.observations[0].call_id, first.observations[0].text) == ("c1", "a.txt")
    assert [(said.origin, said.kind) for said in first.before] == [("harness", "system"), ("person", "prompt")]
    assert [(said.origin, said.text) for said in last.before] == [("harness", "Go on")]
    assert run.header.task is not None
    assert run.header.task.text == "Sum the files"


def test_time_model_and_tokens_come_from_the_model_event_of_the_response() -> None:
    [run] = runs_in(inspect_log, SAMPLE)
    assert [turn.model for turn in run.turns] == ["x-1", "x-1"]
    assert run.turns[0].time == 1735689605.0
    assert run.turns[0].usage is not None
    assert (run.turns[0].usage.input, run.turns[0].usage.output) == (5, 7)


def test_attachments_stand_in_the_place_of_their_keys_and_a_missing_one_is_named() -> None:
    key, absent = "attachment://abc", "attachment://nope"
    talk = [ASK, message("assistant", [{"type": "text", "text": key}]), message("user", absent)]
    [run] = runs_in(inspect_log, document(sample(messages=talk, events=[], attachments={"abc": "A long text"})))
    assert run.turns[0].text == "A long text"
    assert run.after[0].text == absent
    assert kinds(run) == {"no attachment": 1}


def test_a_log_that_kept_one_message_is_read_from_its_last_model_event_by_the_message_pool() -> None:
    pooled = model_event(DONE, input_refs=[[0, 2], [2, 3]])
    [run] = runs_in(inspect_log, document(sample(messages=[ASK], events=[pooled], message_pool=[ASK, LOOK, SHOWN])))
    assert [turn.text for turn in run.turns] == ["I look", "42"]
    assert run.turns[0].observations[0].text == "a.txt"
    assert kinds(run) == {"short messages": 1}


def test_a_response_that_compaction_took_from_the_messages_is_a_turn_from_its_event() -> None:
    tool = {"event": "tool", "id": "c1", "function": "bash", "result": "a.txt", "timestamp": "2025-01-01T00:00:06Z"}
    events = [model_event(LOOK), tool, model_event(DONE)]
    [run] = runs_in(inspect_log, document(sample(messages=[ASK, DONE], events=events)))
    assert [turn.text for turn in run.turns] == ["I look", "42"]
    assert run.turns[0].observations[0].text == "a.txt"
    assert kinds(run) == {"response left out": 1}


def test_the_judges_model_event_is_no_turn() -> None:
    events = [model_event(LOOK), model_event(DONE), {"event": "step", "action": "begin", "type": "scorer"},
              model_event(message("assistant", "GRADE: C"))]  # fmt: skip
    [run] = runs_in(inspect_log, document(sample(events=events)))
    assert [turn.text for turn in run.turns] == ["I look", "42"]


def test_an_errored_log_without_samples_is_one_run_that_says_why() -> None:
    text = json.dumps({**HEADER, "status": "error", "error": {"message": "no sandbox"}})
    [run] = runs_in(inspect_log, archive({"header.json": text.encode()}))
    assert run.turns == ()
    assert kinds(run) == {"failed run": 1, "no turns": 1}
    assert "no sandbox" in run.problems[0].what


def test_a_tools_error_is_its_text_where_it_has_no_other() -> None:
    failed = message("tool", "", tool_call_id="c1", error={"type": "timeout", "message": "Command timed out"})
    [run] = runs_in(inspect_log, document(sample(messages=[ASK, LOOK, failed])))
    assert (run.turns[0].observations[0].text, run.turns[0].observations[0].is_error) == ("Command timed out", True)


def test_the_frame_around_a_cut_output_is_the_harnesss() -> None:
    text = "\nThe output of your call to bash was too long to be displayed.\nHere is a truncated version:\n"
    text += "<START_TOOL_OUTPUT>\nabc\n<END_TOOL_OUTPUT>\n"
    talk = [ASK, LOOK, message("tool", text, tool_call_id="c1")]
    [run] = runs_in(inspect_log, document(sample(messages=talk)))
    result = run.turns[0].observations[0]
    assert without(result.text, result.spans, {"harness"}) == "abc"


def test_reasoning_and_pictures_are_no_text() -> None:
    said = [{"type": "reasoning", "reasoning": "Hm"}, {"type": "text", "text": "I look"}]
    shot = [{"type": "image", "image": "data:image/png;base64," + "A" * 500}, {"type": "text", "text": "a plot"}]
    talk = [ASK, message("assistant", said, tool_calls=[CALL]), message("tool", shot, tool_call_id="c1")]
    [run] = runs_in(inspect_log, document(sample(messages=talk, events=[])))
    assert (run.turns[0].reasoning, run.turns[0].text) == ("Hm", "I look")
    assert (run.turns[0].observations[0].images, run.turns[0].observations[0].text) == (1, "a plot")


def test_a_member_that_unpacks_without_end_is_named_and_the_others_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zip_members, "MEMBER_LIMIT", 1 << 20)
    bomb = {"samples/bomb.json": b"[" + b" " * (3 << 20)}
    for data in (archive(bomb | MEMBERS), zstd_archive(bomb | MEMBERS)):
        runs = runs_in(inspect_log, data)
        assert len(runs) == 2
        assert kinds(runs[0]) == {"oversized member": 1}


def test_an_archive_cut_before_its_directory_gives_the_samples_that_are_whole() -> None:
    runs = runs_in(inspect_log, EVAL[: EVAL.index(b"header.json") - 10])
    assert [run.run_id.partition(".")[2] for run in runs] == ["s1_epoch_1", "s1_epoch_2"]
    assert runs[0].header.suite == "sums"
    assert kinds(runs[0]) == {"torn archive": 1}


@given(st.data())
@settings(deadline=None)
def test_damaged_bytes_never_raise(data: st.DataObject) -> None:
    runs_in(inspect_log, data.draw(damaged(data.draw(st.sampled_from([EVAL, ZSTD, SAMPLE.encode()])))))


@pytest.mark.skipif(not REAL.exists(), reason=ABSENT)
@pytest.mark.parametrize("name", sorted(golden("inspect_log")))
def test_real_logs_hold_what_was_counted_in_them(name: str) -> None:
    assert counted(runs_of(inspect_log, Source.of_path(REAL / name))) == golden("inspect_log")[name]
