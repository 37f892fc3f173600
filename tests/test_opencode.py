"""OpenCode exports: steps as turns, parts that hold call and result, what the program wrote itself."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from reader_checks import damaged, kinds, runs_in

from tabcore.readers import opencode
from tabcore.trajectory import without

READ = (
    "<path>/w/a.txt</path>\n<type>file</type>\n<content>\n1: one\n2: two\n\n(End of file - total 2 lines)\n</content>"
)


def tool(call: str, name: str, status: str = "completed", **state: object) -> dict[str, object]:
    return {"type": "tool", "callID": call, "tool": name,
            "state": {"status": status, "input": {"filePath": "a.txt"}, "time": {"start": 1, "end": 1706745602000}, **state}}  # fmt: skip


def finish(tokens_in: int, tokens_out: int) -> dict[str, object]:
    tokens = {"input": tokens_in, "output": tokens_out, "reasoning": 1, "cache": {"read": 4, "write": 0}}
    return {"type": "step-finish", "reason": "stop", "tokens": tokens, "cost": 0.25}


def message(role: str, *parts: dict[str, object], **info: object) -> dict[str, object]:
    return {"info": {"id": "m", "role": role, "time": {"created": 1706745601000}, **info}, "parts": list(parts)}


def text(of: str, **fields: object) -> dict[str, object]:
    return {"type": "text", "text": of, **fields}


START: dict[str, object] = {"type": "step-start"}
ASSISTANT = {"modelID": "m-1", "path": {"cwd": "/w", "root": "/"}}
EXPORT = {
    "info": {"id": "ses_1", "title": "Sums", "directory": "/w", "version": "1", "time": {"created": 1706745600000}},
    "messages": [
        message("user", text("Sum @a.txt"), text("Called the Read tool", synthetic=True)),
        message("assistant", START, {"type": "reasoning", "text": "Hm"}, text("I look"), tool("c1", "read", output=READ),
                tool("c2", "bash", output="2\n\n<bash_metadata>\ncut\n</bash_metadata>", metadata={"exit": 3}), finish(10, 2),
                {"type": "patch", "hash": "x", "files": []},
                START, text("And more"), tool("c3", "grep", "error", error="no such file"),
                tool("c4", "bash", "running"), finish(20, 3), **ASSISTANT),
        message("assistant", text("We summed."), summary=True, **ASSISTANT),
        message("user", text("And?")),
        message("assistant", START, text("3"), finish(5, 1), **ASSISTANT),
    ],
}  # fmt: skip
SAMPLE = json.dumps(EXPORT)


def test_each_step_of_a_message_is_a_turn_with_its_own_tokens() -> None:
    [run] = runs_in(opencode, SAMPLE)
    assert [turn.text for turn in run.turns] == ["I look", "And more", "3"]
    assert [turn.usage and (turn.usage.input, turn.usage.output, turn.usage.cost) for turn in run.turns] == [
        (10, 3, 0.25), (20, 4, 0.25), (5, 2, 0.25),
    ]  # fmt: skip
    assert (run.turns[0].reasoning, run.turns[0].cwd, run.turns[0].model) == ("Hm", "/w", "m-1")
    assert (run.header.session, run.header.task_name) == ("ses_1", "Sums")


def test_calls_and_results_stand_in_one_part_and_a_running_call_has_none() -> None:
    [run] = runs_in(opencode, SAMPLE)
    first, second, _ = run.turns
    assert [shown.call_id for shown in first.observations] == ["c1", "c2"]
    assert first.observations[1].exit_code == 3
    assert [(shown.call_id, shown.text, shown.is_error) for shown in second.observations] == [
        ("c3", "no such file", True)
    ]
    assert kinds(run) == {"unanswered call": 1}


def test_tags_around_a_result_are_the_harnesss() -> None:
    [run] = runs_in(opencode, SAMPLE)
    plain = [without(shown.text, shown.spans, {"harness"}) for shown in run.turns[0].observations]
    assert plain == ["1: one\n2: two", "2"]


def test_synthetic_text_and_a_summary_are_not_a_persons_or_the_agents() -> None:
    [run] = runs_in(opencode, SAMPLE)
    said = [(message.origin, message.kind) for turn in run.turns for message in turn.before]
    assert said == [("person", "prompt"), ("harness", "reminder"), ("harness", "compaction"), ("person", "prompt")]


def test_a_sub_agents_session_is_named_and_its_answer_kept() -> None:
    answer = "<task id=ses_2 state=completed>\n<task_result>\n3\n</task_result>\n</task>"
    parts = [START, tool("c1", "task", output=answer, metadata={"sessionId": "ses_2"}), finish(1, 1)]
    [run] = runs_in(opencode, json.dumps({**EXPORT, "messages": [message("assistant", *parts, **ASSISTANT)]}))
    shown = run.turns[0].observations[0]
    assert without(shown.text, shown.spans, {"harness"}) == "3"
    assert kinds(run) == {"other log": 1}
    assert "ses_2" in run.problems[0].what


def test_pictures_are_counted_and_an_aborted_answer_is_no_stop() -> None:
    shot = tool(
        "c1", "read", output="Image read", attachments=[{"mime": "image/png", "url": "data:image/png;base64,AA"}]
    )
    failed = message("assistant", START, shot, error={"name": "MessageAbortedError"}, **ASSISTANT)
    [run] = runs_in(opencode, json.dumps({**EXPORT, "messages": [failed]}))
    assert (run.turns[0].observations[0].images, run.turns[0].outcome) == (1, "aborted")


def test_several_exports_in_a_file_are_several_runs() -> None:
    other = {**EXPORT, "info": {"id": "ses_2", "parentID": "ses_1"}}
    runs = runs_in(opencode, json.dumps([EXPORT, other]))
    assert [run.run_id.partition(".")[2] for run in runs] == ["", "ses_2"]
    assert runs[1].header.parent_key == "ses_1"


@given(st.data())
@settings(deadline=None)
def test_damaged_bytes_never_raise(data: st.DataObject) -> None:
    runs_in(opencode, data.draw(damaged(SAMPLE.encode())))
