"""Gemini CLI: the saved chat, its newer form by lines, and the stream."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reader_checks import ABSENT, REAL, counted, damaged, golden, kinds, runs_in, runs_of

from tabcore.readers import gemini_cli, identify
from tabcore.source import Source
from tabcore.trajectory import without

ABOUT = {"sessionId": "s1", "projectHash": "f53b", "startTime": "2025-10-10T06:59:39.894Z"}
SHELL = "Command: ls\nDirectory: /w\nOutput: a.txt\nError: (none)\nExit Code: 0\nSignal: (none)"


def answer(output: object, key: str = "output", **fields: object) -> dict[str, object]:
    result = [{"functionResponse": {"id": "c", "name": "n", "response": {key: output}}}]
    return {"name": "run_shell_command", "args": {"command": "ls"}, "result": result, "status": "success",
            "timestamp": "2025-10-10T06:59:41Z", "resultDisplay": "short", **fields}  # fmt: skip


def message(ident: str, kind: str, content: object, **fields: object) -> dict[str, object]:
    return {"id": ident, "timestamp": "2025-10-10T06:59:40Z", "type": kind, "content": content, **fields}


MESSAGES = [
    message("m1", "user", "Sum @a\n--- Content from referenced files ---\n1\n--- End of content ---"),
    message("m2", "gemini", "I look", model="g-2", thoughts=[{"subject": "Plan", "description": "list"}],
            tokens={"input": 10, "output": 2, "thoughts": 3, "cached": 4},
            toolCalls=[answer(SHELL, id="c1"), answer("no such file", "error", id="c2", status="error"),
                       answer("", id="c3", result=None, status="cancelled")]),
    message("m3", "info", "Request cancelled."),
    message("m4", "gemini", [{"text": "It is 3"}]),
]  # fmt: skip
SAMPLE = json.dumps({**ABOUT, "lastUpdated": "2025-10-10T07:00:00Z", "messages": MESSAGES})
NEWER = "\n".join(
    json.dumps(record)
    for record in [
        ABOUT,
        *MESSAGES[:2],
        message("m9", "user", "Try another way"),
        message("m10", "gemini", "Another way"),
        {"$rewindTo": "m9"},
        {"$set": {"summary": "x"}},
        message("m4", "gemini", "It is"),
        message("m4", "gemini", "It is 3"),
    ]
)


def event(kind: str, **fields: object) -> dict[str, object]:
    return {"type": kind, "timestamp": "2025-10-10T06:59:40Z", **fields}


def said(role: str, content: str, **fields: object) -> dict[str, object]:
    return event("message", role=role, content=content, **fields)


def used(ident: str) -> dict[str, object]:
    return event("tool_use", tool_name="read_file", tool_id=ident, parameters={"path": "a"})


def returned(ident: str, **fields: object) -> dict[str, object]:
    return event("tool_result", tool_id=ident, status="success", **fields)


STREAM = "\n".join(
    json.dumps(record)
    for record in [
        event("init", session_id="s1", model="g-2"),
        said("user", "Sum"),
        said("assistant", "I lo", delta=True),
        said("assistant", "ok", delta=True),
        used("c1"),
        used("c2"),
        returned("c1", output="1"),
        returned("c2"),
        said("assistant", "It is 3", delta=True),
        event("result", status="success", stats={"total_tokens": 9}),
        event("init", session_id="s2", model="g-2"),
        said("user", "Again"),
        used("c9"),
    ]
)


def test_a_stream_of_whole_messages_without_a_call_is_known() -> None:
    stream = [event("init", session_id="s1"), said("user", "Sum"), said("assistant", "3")]
    data = "".join(json.dumps(record) + "\n" for record in stream)
    assert identify(Source.of_bytes("log", data.encode())) is gemini_cli
    [run] = runs_in(gemini_cli, data)
    assert [turn.text for turn in run.turns] == ["3"]


def test_a_saved_calls_result_is_what_the_model_was_sent() -> None:
    [run] = runs_in(gemini_cli, SAMPLE)
    first, last = run.turns
    assert (first.text, first.reasoning, first.model, last.text) == ("I look", "Plan\nlist", "g-2", "It is 3")
    assert [call.call_id for call in first.calls] == ["c1", "c2", "c3"]
    assert [(shown.call_id, shown.text, shown.is_error) for shown in first.observations] == [
        ("c1", SHELL, False),
        ("c2", "no such file", True),
    ]
    assert first.usage is not None
    assert (first.usage.input, first.usage.output, first.usage.cache_read) == (10, 5, 4)
    assert kinds(run) == {"unanswered call": 1}


def test_the_labels_of_a_commands_result_are_the_harnesss() -> None:
    [run] = runs_in(gemini_cli, SAMPLE)
    shown = run.turns[0].observations[0]
    assert without(shown.text, shown.spans, {"harness"}) == "a.txt"
    assert (shown.cwd, shown.exit_code) == ("/w", 0)


def test_files_put_into_a_prompt_are_not_a_persons_words() -> None:
    [run] = runs_in(gemini_cli, SAMPLE)
    prompt = run.turns[0].before[0]
    assert (prompt.origin, without(prompt.text, prompt.spans, {"harness"})) == ("person", "Sum @a")


def test_of_a_newer_chat_the_last_state_counts_and_what_was_taken_back_is_abandoned() -> None:
    [run] = runs_in(gemini_cli, NEWER)
    assert [turn.text for turn in run.turns] == ["I look", "It is 3"]
    assert [(turn.number, turn.text, turn.before[0].text) for turn in run.abandoned] == [
        (2, "Another way", "Try another way")
    ]


def test_a_streams_chunks_are_one_text_and_a_result_without_output_is_named() -> None:
    main, other = runs_in(gemini_cli, STREAM)
    assert [turn.text for turn in main.turns] == ["I look", "It is 3"]
    assert [call.call_id for call in main.turns[0].calls] == ["c1", "c2"]
    assert [shown.text for shown in main.turns[0].observations] == ["1", ""]
    assert (other.run_id.partition(".")[2], other.header.session, other.turns[0].calls[0].call_id) == ("s2", "s2", "c9")
    assert kinds(main) == {"no output": 1, "unanswered call": 1}
    assert [problem.line for problem in main.problems] == [8, 13]


def test_a_picture_in_a_result_is_counted_and_not_kept_as_text() -> None:
    call = answer("a plot", id="c1")
    call["result"] = [*call["result"], {"inlineData": {"mimeType": "image/png", "data": "A" * 500}}]  # type: ignore[misc]
    chat = {**ABOUT, "messages": [message("m2", "gemini", "", toolCalls=[call])]}
    [run] = runs_in(gemini_cli, json.dumps(chat))
    assert (run.turns[0].observations[0].text, run.turns[0].observations[0].images) == ("a plot", 1)


@given(st.data())
@settings(deadline=None)
def test_damaged_bytes_never_raise(data: st.DataObject) -> None:
    runs_in(gemini_cli, data.draw(damaged(data.draw(st.sampled_from([SAMPLE, NEWER, STREAM])).encode())))


@pytest.mark.skipif(not REAL.exists(), reason=ABSENT)
@pytest.mark.parametrize("name", sorted(golden("gemini_cli")))
def test_real_chats_hold_what_was_counted_in_them(name: str) -> None:
    assert counted(runs_of(gemini_cli, Source.of_path(REAL / name))) == golden("gemini_cli")[name]
