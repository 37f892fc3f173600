"""OpenClaw telemetry: conversations told again, sessions without an end, spawned sessions, inserted words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reader_checks import ABSENT, REAL, counted, damaged, golden, kinds, runs_in, runs_of

from tabcore.readers import openclaw
from tabcore.source import Source
from tabcore.trajectory import without

MAIN, CHILD = "agent:main:main", "agent:main:subagent:1"


def event(kind: str, session: str | None = None, **fields: object) -> str:
    return json.dumps(
        {"type": kind, "seq": 1, "ts": 1772831320907, **({"sessionKey": session} if session else {}), **fields}
    )


def said(role: str, stamp: int, *content: dict[str, object], **fields: object) -> dict[str, object]:
    return {"role": role, "content": list(content), "timestamp": stamp, **fields}


def text(of: str) -> dict[str, object]:
    return {"type": "text", "text": of}


def call(ident: str, name: str, **given: object) -> dict[str, object]:
    return {"type": "toolCall", "id": ident, "name": name, "arguments": given}


TALK = [
    said("user", 1772831320931, text("[Fri 2026-03-06 13:08 PST] Sum the files")),
    said("assistant", 1772831320932, {"type": "thinking", "thinking": "Hm"}, text("I look"),
         call("t1", "exec", command="ls"), call("t2", "sessions_spawn", task="Read b"), model="m-1",
         usage={"input": 3, "output": 2, "cacheRead": 1, "cost": {"total": 0.5}}, stopReason="toolUse"),
    said("toolResult", 1772831324192, text("a.txt"), toolCallId="t1", toolName="exec",
         details={"exitCode": 0, "cwd": "/w"}, isError=False),
    said("toolResult", 1772831324193, text(json.dumps({"childSessionKey": CHILD})), toolCallId="t2",
         toolName="sessions_spawn", isError=False),
    said("assistant", 1772831324195, text("3"), stopReason="stop"),
]  # fmt: skip
LINES = [
    event("message.in", content="Sum the files"),
    event("agent.start", MAIN, prompt="Sum"),
    event("agent.end", MAIN, messages=TALK[:4], success=True),
    event("agent.end", MAIN, messages=TALK, success=True, markdown=[{"filename": "AGENTS.md", "content": "secret"}]),
    event(
        "agent.start",
        CHILD,
        prompt="[Fri 2026-03-06 13:08 PST] [Subagent Context] You are one.\n\n[Subagent Task]: Read b",
    ),
    event("tool.start", CHILD, toolName="read", params={"path": "b"}),
    event("tool.end", CHILD, toolName="read", success=True),
]
SAMPLE = "\n".join(LINES)


def test_a_conversation_told_at_each_end_counts_once() -> None:
    main, _ = runs_in(openclaw, SAMPLE)
    assert [turn.text for turn in main.turns] == ["I look", "3"]
    first = main.turns[0]
    assert (first.reasoning, first.model) == ("Hm", "m-1")
    assert first.usage is not None
    assert (first.usage.input, first.usage.cost) == (3, 0.5)
    listed = first.observations[0]
    assert (listed.call_id, listed.text, listed.exit_code, listed.cwd) == ("t1", "a.txt", 0, "/w")


def test_a_session_without_an_end_has_its_calls_and_says_that_results_are_not_known() -> None:
    _, below = runs_in(openclaw, SAMPLE)
    assert [call.arguments for turn in below.turns for call in turn.calls] == [{"path": "b"}]
    assert kinds(below) == {"no output": 1, "unanswered call": 1}


def test_a_spawned_session_names_the_call_that_started_it_and_its_task_is_the_agents_words() -> None:
    main, below = runs_in(openclaw, SAMPLE)
    assert (below.header.parent_key, below.header.parent_call) == (main.run_id.partition(".")[2], "t2")
    task = below.turns[0].before[0]
    assert (task.origin, without(task.text, task.spans, {"harness"})) == ("agent", "Read b")


def test_a_message_that_no_session_holds_is_named() -> None:
    [run] = runs_in(openclaw, "\n".join([event("message.in", content="Anybody there?"), LINES[3]]))
    assert [(problem.line, problem.kind) for problem in run.problems] == [(1, "message elsewhere")]


def test_the_stamp_before_a_prompt_is_the_harnesss() -> None:
    main, _ = runs_in(openclaw, SAMPLE)
    prompt = main.turns[0].before[0]
    assert (prompt.origin, without(prompt.text, prompt.spans, {"harness"})) == ("person", "Sum the files")


@given(st.data())
@settings(deadline=None)
def test_damaged_bytes_never_raise(data: st.DataObject) -> None:
    runs_in(openclaw, data.draw(damaged(SAMPLE.encode())))


@pytest.mark.skipif(not REAL.exists(), reason=ABSENT)
@pytest.mark.parametrize("name", sorted(golden("openclaw")))
def test_real_logs_hold_what_was_counted_in_them(name: str) -> None:
    assert counted(runs_of(openclaw, Source.of_path(REAL / name))) == golden("openclaw")[name]
