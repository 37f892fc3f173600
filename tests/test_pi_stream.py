"""Pi's event streams: each message once, however often it is stated; what was growing at the end is kept as aborted."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from log_reading import claimants, jsonl, runs_of, spoiled

from tabcore.readers import pi_stream
from tabcore.trajectory import Run, without

HEADER = {"type": "session", "version": 3, "id": "s1", "timestamp": "2026-10-01T10:00:00.000Z", "cwd": "/ws"}
USER = {"role": "user", "content": "Sum the bills", "timestamp": 1790848800000}
CALL = {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "cat a"}}


def answer(*blocks: dict[str, object], stop: str = "toolUse") -> dict[str, object]:
    return {"role": "assistant", "content": list(blocks), "model": "m", "stopReason": stop, "timestamp": 1790848801000}


def text(said: str) -> dict[str, object]:
    return {"type": "text", "text": said}


RESULT = {
    "role": "toolResult", "toolCallId": "c1", "toolName": "bash", "content": [text("12\n\nCommand exited with code 1")],
    "isError": True, "timestamp": 1790848802000,
}  # fmt: skip
EXECUTED = [
    {"type": "tool_execution_start", "toolCallId": "c1", "toolName": "bash", "args": {"command": "cat a"}},
    {"type": "tool_execution_update", "toolCallId": "c1", "toolName": "bash", "args": {}, "partialResult": {"content": []}},
    {"type": "tool_execution_end", "toolCallId": "c1", "toolName": "bash", "result": {"content": RESULT["content"]}, "isError": True},
]  # fmt: skip


def stated(message: dict[str, object]) -> list[dict[str, object]]:
    """A message as a stream states it: from its start to its end."""
    delta = {"type": "text_delta", "delta": "x", "partial": message}
    return [
        {"type": "message_start", "message": {**message, "content": []}},
        {"type": "message_update", "message": message, "assistantMessageEvent": delta},
        {"type": "message_end", "message": message},
    ]


LAST = answer(text("It is 12."), stop="stop")
EVENTS = [
    {"type": "agent_start"},
    *stated(USER),
    {"type": "turn_start"},
    *stated(answer(text("I look."), CALL)),
    *EXECUTED,
    *stated(RESULT),
    {"type": "turn_end", "message": answer(text("I look."), CALL), "toolResults": [RESULT]},
    {"type": "turn_start"},
    *stated(LAST),
    {"type": "turn_end", "message": LAST, "toolResults": []},
    {"type": "agent_end", "messages": [USER, answer(text("I look."), CALL), RESULT, LAST]},
]
SAMPLE = jsonl(HEADER, *EVENTS)


def only(*events: dict[str, object]) -> Run:
    [run] = runs_of(pi_stream, jsonl(*events))
    return run


@pytest.mark.parametrize("events", [[HEADER, *EVENTS], EVENTS], ids=["mode json", "mode rpc"])
def test_every_message_counts_once_and_the_stream_has_one_claimant(events: list[dict[str, object]]) -> None:
    assert claimants(jsonl(*events)) == ["pi-stream"]
    run = only(*events)
    assert run.problems == ()
    assert [(turn.text, len(turn.calls), turn.is_stop) for turn in run.turns] == [
        ("I look.", 1, False),
        ("It is 12.", 0, True),
    ]
    assert [said.text for said in run.turns[0].before] == ["Sum the bills"]
    [seen] = run.turns[0].observations
    assert (without(seen.text, seen.spans, {"harness"}), seen.exit_code, seen.is_error) == ("12", 1, True)


def test_the_header_tells_session_directory_and_start() -> None:
    header = only(HEADER, *EVENTS).header
    assert (header.session, header.cwd, header.started) == ("s1", "/ws", 1790848800.0)


def test_a_result_without_a_message_of_its_own_is_read_from_the_event() -> None:
    run = only(*stated(USER), *stated(answer(CALL)), *EXECUTED, *stated(LAST))
    [seen] = run.turns[0].observations
    assert (seen.call_id, seen.exit_code, seen.is_error) == ("c1", 1, True)
    assert run.problems == ()


def test_a_response_that_was_still_growing_is_kept_as_aborted() -> None:
    run = only(*stated(USER), *stated(answer(text("It"), CALL))[:2])
    assert (run.turns[0].text, run.turns[0].outcome) == ("It", "aborted")
    assert [problem.kind for problem in run.problems] == ["unfinished message", "unanswered call"]


def test_a_stream_thinned_out_to_its_last_event_is_read_from_that() -> None:
    run = only({"type": "turn_start"}, EVENTS[-1])
    assert [turn.text for turn in run.turns] == ["I look.", "It is 12."]


def test_compaction_failures_and_a_persons_own_command_are_told_apart() -> None:
    run = only(
        {"type": "response", "command": "set_model", "success": False, "error": "Model not found: x"},
        {"type": "response", "command": "bash", "success": True, "data": {"output": "a.txt", "exitCode": 0}},
        {"type": "auto_compaction_end", "result": {"summary": "So far: 12."}, "aborted": False},
        *stated(LAST),
    )
    assert [(said.origin, said.kind) for said in run.turns[0].before] == [
        ("person", "shell"),
        ("harness", "compaction"),
    ]
    assert [(problem.line, problem.kind) for problem in run.problems] == [(1, "failed command")]


def test_an_unknown_event_is_named() -> None:
    assert [problem.kind for problem in only({"type": "warp"}, *EVENTS).problems] == ["unknown record"]


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_spoiled_stream_never_raises(data: st.DataObject) -> None:
    spoilt = data.draw(spoiled(SAMPLE))
    runs_of(pi_stream, spoilt)
    claimants(spoilt)
