"""Copilot CLI event logs: calls asked for and started, sub-agents, prompts as the model saw them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reader_checks import ABSENT, REAL, counted, damaged, golden, kinds, runs_in, runs_of

from tabcore.readers import copilot
from tabcore.source import Source
from tabcore.trajectory import without


def event(kind: str, **data: object) -> str:
    return json.dumps(
        {"type": kind, "data": data, "id": "e", "timestamp": "2026-03-28T10:00:01.000Z", "parentId": None}
    )


def request(call: str, name: str, **fields: object) -> dict[str, object]:
    return {"toolCallId": call, "name": name, **fields}


LINES = [
    event("session.start", sessionId="s1", selectedModel="m-1", context={"cwd": "/w"}),
    event("user.message", content="Sum", transformedContent="<now>10:00</now>\nSum\n<reminder>"),
    event("assistant.turn_start", turnId="0"),
    event("assistant.message", messageId="a", content="I look", reasoningText="Hm",
          toolRequests=[request("c1", "view", arguments={"path": "a"}), request("c2", "task"), request("c3", "grep")]),
    event("assistant.usage", model="m-1", inputTokens=10, outputTokens=2),
    event("tool.execution_start", toolCallId="c1", toolName="view", arguments={"path": "a"}),
    event("tool.execution_start", toolCallId="c2", toolName="task", arguments={"prompt": "Read b"}),
    event("tool.execution_complete", toolCallId="c1", success=True, result={"content": "1"}),
    event("assistant.message", messageId="b", content="", parentToolCallId="c2",
          toolRequests=[request("c4", "view", arguments='{"path": "b"}')]),
    event("tool.execution_complete", toolCallId="c4", success=True, result={"content": "2"}),
    event("assistant.message", messageId="c", content="It says 2", parentToolCallId="c2"),
    event("tool.execution_complete", toolCallId="c2", success=False, error={"message": "out of time"}),
    event("assistant.message", messageId="d", content="3"),
    event("session.shutdown", modelMetrics={}),
]  # fmt: skip
SAMPLE = "\n".join(LINES)


def test_a_call_takes_its_arguments_from_the_request_or_from_its_start() -> None:
    main, _ = runs_in(copilot, SAMPLE)
    assert [(call.call_id, call.arguments) for call in main.turns[0].calls] == [
        ("c1", {"path": "a"}),
        ("c2", {"prompt": "Read b"}),
        ("c3", {}),
    ]
    assert kinds(main) == {"unanswered call": 1}
    assert (main.header.cwd, main.header.model, main.turns[0].reasoning) == ("/w", "m-1", "Hm")


def test_what_a_sub_agent_does_is_a_run_of_its_own() -> None:
    main, below = runs_in(copilot, SAMPLE)
    assert [turn.text for turn in main.turns] == ["I look", "3"]
    assert [turn.text for turn in below.turns] == ["", "It says 2"]
    assert (below.header.parent_key, below.header.parent_call) == ("", "c2")
    assert [(message.origin, message.text) for message in below.turns[0].before] == [("agent", "Read b")]
    assert [shown.text for shown in below.turns[0].observations] == ["2"]


def test_a_failed_call_shows_its_error() -> None:
    main, _ = runs_in(copilot, SAMPLE)
    assert [(shown.text, shown.is_error) for shown in main.turns[0].observations] == [
        ("1", False),
        ("out of time", True),
    ]


def test_what_the_harness_put_around_a_prompt_is_marked() -> None:
    main, _ = runs_in(copilot, SAMPLE)
    prompt = main.turns[0].before[0]
    assert (prompt.origin, without(prompt.text, prompt.spans, {"harness"})) == ("person", "Sum")
    assert prompt.text.startswith("<now>")


def test_tokens_are_the_response_s_own_and_told_once() -> None:
    main, _ = runs_in(copilot, SAMPLE)
    assert [turn.usage and (turn.usage.input, turn.usage.output) for turn in main.turns] == [(10, 2), None]


def test_an_unknown_event_is_named_once_with_its_line() -> None:
    [run] = runs_in(copilot, "\n".join([*LINES[:2], event("weather.changed"), LINES[12]]))
    assert [str(problem) for problem in run.problems] == [
        'log:3: a record of the unknown type "weather.changed"; skipped'
    ]


@given(st.data())
@settings(deadline=None)
def test_damaged_bytes_never_raise(data: st.DataObject) -> None:
    runs_in(copilot, data.draw(damaged(SAMPLE.encode())))


@pytest.mark.skipif(not REAL.exists(), reason=ABSENT)
@pytest.mark.parametrize("name", sorted(golden("copilot")))
def test_real_logs_hold_what_was_counted_in_them(name: str) -> None:
    assert counted(runs_of(copilot, Source.of_path(REAL / name))) == golden("copilot")[name]
