"""DCI-Agent-Lite: Pi's messages in one document, the limit and the cleared results named, nothing glued or doubled."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from log_reading import claimants, runs_of, spoiled

from tabcore.readers import dci_agent
from tabcore.trajectory import Run, Task, Usage, without


def text(said: str) -> dict[str, object]:
    return {"type": "text", "text": said}


def answer(*blocks: dict[str, object], stop: str = "toolUse") -> dict[str, object]:
    usage = {"input": 10, "output": 5, "cacheRead": 3, "cacheWrite": 1, "totalTokens": 19, "cost": {"total": 0.25}}
    return {
        "role": "assistant", "content": list(blocks), "model": "m", "usage": usage, "stopReason": stop,
        "timestamp": 1790848801000,
    }  # fmt: skip


def call(ident: str, command: str) -> dict[str, object]:
    return {"type": "toolCall", "id": ident, "name": "bash", "arguments": {"command": command}}


def result(ident: str, said: str, **more: object) -> dict[str, object]:
    timing = {
        "tool_call_id": ident,
        "started_at": "2026-10-01T10:00:01+00:00",
        "finished_at": "2026-10-01T10:00:02+00:00",
    }
    return {
        "role": "toolResult", "toolCallId": ident, "toolName": "bash", "content": [text(said)], "isError": False,
        "tool_execution": {**timing, "duration_ms": 1000}, **more,
    }  # fmt: skip


MESSAGES = [
    {"role": "system", "content": [text("Use bash.")], "sources": {}},
    {"role": "user", "content": [text("Sum the bills")], "timestamp": 1790848800000},
    answer({"type": "thinking", "thinking": "Look."}, text("I look."), call("c1", "cat a")),
    result("c1", "12\n\nCommand exited with code 1", isError=True),
    answer(text("It is 12."), stop="stop"),
]
DOCUMENT = {
    "started_at": "2026-10-01T10:00:00+00:00", "finished_at": "2026-10-01T10:01:00+00:00", "status": "completed",
    "question": "Sum the bills", "cwd": "/ws", "provider": "p", "model": "p/m", "tools": "read,bash", "max_turns": 300,
    "messages": MESSAGES, "pending_message": None, "final_text": "I look.It is 12.",
}  # fmt: skip
SAMPLE = json.dumps(DOCUMENT, indent=2).encode()


def only(**changes: object) -> Run:
    [run] = runs_of(dci_agent, json.dumps({**DOCUMENT, **changes}).encode())
    return run


def test_a_recording_has_one_claimant_and_reads_without_a_problem() -> None:
    assert claimants(SAMPLE) == ["dci-agent"]
    run = only()
    assert run.problems == ()
    assert [(turn.text, turn.reasoning, len(turn.calls)) for turn in run.turns] == [
        ("I look.", "Look.", 1),
        ("It is 12.", "", 0),
    ]
    assert run.turns[1].is_stop
    assert run.turns[0].usage == Usage(10, 5, 3, 1, 0.25)
    assert (run.header.cwd, run.header.model, run.header.fresh_cwd) == ("/ws", "p/m", True)
    assert run.header.task == Task("Sum the bills", "question")
    assert run.header.started == 1790848800.0


def test_a_result_keeps_its_time_and_is_told_from_pis_note_under_it() -> None:
    [seen] = only().turns[0].observations
    assert (seen.time, seen.exit_code, seen.is_error) == (1790848802.0, 1, True)
    assert without(seen.text, seen.spans, {"harness"}) == "12"


def test_the_system_prompt_is_the_harnesss() -> None:
    assert [said.origin for said in only().turns[0].before] == ["harness", "person"]


@pytest.mark.parametrize(
    "changes", [{"max_turns": 1}, {"notes": [{"text": "Reached max_turns=1; sent RPC abort before turn 2."}]}]
)
def test_a_run_at_its_turn_limit_is_named_though_it_says_completed(changes: dict[str, object]) -> None:
    run = only(messages=[*MESSAGES[:4], answer(stop="aborted")], **changes)
    assert [problem.kind for problem in run.problems] == ["turn limit"]
    assert not run.turns[-1].is_stop


def test_a_cleared_result_is_named_as_lost_and_its_placeholder_is_the_harnesss() -> None:
    placeholder = "[tool result cleared from conversation context]\ntool=bash\nchars=900\nlines=30"
    run = only(messages=[*MESSAGES[:3], result("c1", placeholder), MESSAGES[4]])
    assert [(problem.line, problem.kind, problem.lost) for problem in run.problems] == [(4, "cleared result", True)]
    [seen] = run.turns[0].observations
    assert without(seen.text, seen.spans, {"harness"}) == ""


def test_a_message_in_the_making_is_kept_as_aborted() -> None:
    pending = {"role": "assistant", "content": [text("It")], "model": "m"}
    run = only(status="running", messages=MESSAGES[:4], pending_message=pending)
    assert (run.turns[-1].text, run.turns[-1].outcome) == ("It", "aborted")
    assert [problem.kind for problem in run.problems] == ["unfinished message", "failed run"]


def test_the_runners_state_with_each_message_twice_is_no_log() -> None:
    twice = [{"event": event, "message": message} for message in MESSAGES for event in ("message_start", "message_end")]
    assert claimants(json.dumps({**DOCUMENT, "messages": twice, "turn_count": 2, "assistant_text": ""}).encode()) == []


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_spoiled_recording_never_raises(data: st.DataObject) -> None:
    spoilt = data.draw(spoiled(SAMPLE))
    runs_of(dci_agent, spoilt)
    claimants(spoilt)
