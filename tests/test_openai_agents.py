"""Traces of the OpenAI Agents SDK: what a span is in a run, in whatever the spans are listed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reader_checks import damaged, kinds, runs_in

from tabcore.readers import identify, openai_agents
from tabcore.source import Source
from tabcore.trajectory import Run


def span(ident: str, second: int, parent: str | None, error: str = "", **data: object) -> dict[str, object]:
    """A span of five seconds."""
    return {
        "object": "trace.span", "id": ident, "trace_id": "trace_1", "parent_id": parent,
        "started_at": f"2025-06-01T10:00:{second:02}.000000+00:00", "ended_at": f"2025-06-01T10:00:{second + 5:02}+00:00",
        "span_data": data, "error": {"message": error, "data": None} if error else None,
    }  # fmt: skip


def called(ident: str, name: str, given: str) -> dict[str, object]:
    return {"id": ident, "type": "function", "function": {"name": name, "arguments": given}}


ASK: list[dict[str, object]] = [{"role": "system", "content": "Be brief"}, {"role": "user", "content": "Sum bills"}]
LOOK = {"role": "assistant", "content": "I look", "tool_calls": [called("c1", "read_file", '{"path": "bills.csv"}')]}
SHOWN = {"role": "tool", "tool_call_id": "c1", "content": "no,amount\n1,120.50"}
USED = {"input_tokens": 30, "output_tokens": 7, "input_tokens_details": {"cached_tokens": 10}}
TRACE = {"object": "trace", "id": "trace_1", "workflow_name": "Bills", "group_id": "chat-7", "metadata": None}
SPANS = [
    span("tool", 10, "turn", type="function", name="read_file", input='{"path": "bills.csv"}',
         output="no,amount\n1,120.50", mcp_data=None),
    span("first", 3, "turn", type="generation", input=ASK, output=[LOOK], model="m", model_config={}, usage=USED),
    span("last", 20, "agent", type="generation", input=[*ASK, LOOK, SHOWN],
         output=[{"role": "assistant", "content": "120.50"}], model="m", usage=None),
    span("turn", 2, "agent", type="custom", name="turn", data={"turn": 1}),
    span("agent", 1, None, type="agent", name="Clerk", handoffs=[], tools=["read_file"], output_type="str"),
]  # fmt: skip
SAMPLE = json.dumps({**TRACE, "spans": SPANS})
LINES = "\n".join(map(json.dumps, [TRACE, *SPANS]))


def told(run: Run) -> list[tuple[str, list[object], list[tuple[str, str]]]]:
    """Words, arguments of calls, results: by turn."""
    return [
        (turn.text, [call.arguments for call in turn.calls], [(seen.call_id, seen.text) for seen in turn.observations])
        for turn in run.turns
    ]


@pytest.mark.parametrize(
    "data",
    [
        SAMPLE,
        LINES,
        json.dumps([{**TRACE, "spans": SPANS}]),
        json.dumps({"data": [TRACE, *SPANS]}),
        json.dumps({"trace": TRACE, "spans": SPANS}),
    ],
    ids=["trace", "lines", "traces", "batch", "beside"],
)
def test_generations_are_turns_and_functions_their_results_however_they_are_listed(data: str) -> None:
    assert identify(Source.of_bytes("log", data.encode())) is openai_agents
    [run] = runs_in(openai_agents, data)
    assert told(run) == [
        ("I look", [{"path": "bills.csv"}], [("c1", "no,amount\n1,120.50")]),
        ("120.50", [], []),
    ]
    assert run.problems == ()
    header = run.header
    assert (run.run_id.partition(".")[2], header.session, header.task_name) == ("trace_1", "chat-7", "Bills")


def test_a_prompt_that_each_generation_repeats_is_told_once() -> None:
    [run] = runs_in(openai_agents, SAMPLE)
    first, last = run.turns
    assert [(message.origin, message.text) for message in first.before] == [
        ("harness", "Be brief"),
        ("person", "Sum bills"),
    ]
    assert last.before == ()


def test_cached_tokens_count_once() -> None:
    [run] = runs_in(openai_agents, SAMPLE)
    [usage] = [turn.usage for turn in run.turns if turn.usage]
    assert (usage.input, usage.output, usage.cache_read) == (20, 7, 10)


def test_a_response_is_a_turn_although_the_trace_has_its_id_alone() -> None:
    spans = [
        span("r1", 1, "agent", type="response", response_id="resp_1", usage=USED),
        span("f1", 8, "agent", type="function", name="search", input='{"query": "bills"}', output="found"),
        span("r2", 15, "agent", type="response", response_id="resp_2", usage=None),
    ]
    [run] = runs_in(openai_agents, json.dumps({**TRACE, "spans": spans}))
    assert told(run) == [("", [{"query": "bills"}], [("f1", "found")]), ("", [], [])]
    assert [(problem.kind, problem.line, problem.lost) for problem in run.problems] == [
        ("no text", 1, True),
        ("no text", 3, True),
    ]


def test_an_agent_that_is_the_tool_of_another_is_a_run_of_its_own() -> None:
    asked = {"role": "assistant", "content": "", "tool_calls": [called("c1", "clerk", '{"input": "Sum"}')]}
    spans = [
        span("g1", 1, "root", type="generation", input=ASK, output=[asked]),
        span("f1", 8, "root", type="function", name="clerk", input='{"input": "Sum"}', output="3"),
        span("sub", 9, "f1", type="agent", name="Clerk"),
        span("g2", 10, "sub", type="generation", input=[{"role": "user", "content": "Sum"}],
             output=[{"role": "assistant", "content": "3"}]),
        span("root", 0, None, type="agent", name="Boss"),
    ]  # fmt: skip
    main, clerk = runs_in(openai_agents, json.dumps({**TRACE, "spans": spans}))
    assert told(main) == [("", [{"input": "Sum"}], [("c1", "3")])]
    assert told(clerk) == [("3", [], [])]
    assert (clerk.header.parent_key, clerk.header.parent_call) == ("trace_1", "c1")


def test_a_tool_that_failed_shows_its_error() -> None:
    failed = span("tool", 10, "agent", "no such file", type="function", name="read_file", input="{}", output=None)
    [run] = runs_in(openai_agents, json.dumps({**TRACE, "spans": [SPANS[1], failed]}))
    [seen] = run.turns[0].observations
    assert (seen.text, seen.is_error) == ("no such file", True)


def test_spans_of_unknown_types_and_values_that_are_no_spans_are_named() -> None:
    spans = [*SPANS, span("x", 30, None, type="hologram"), 7]
    [run] = runs_in(openai_agents, json.dumps({**TRACE, "spans": spans}))
    assert kinds(run) == {"not a record": 1, "unknown record": 1}
    assert str(run.tally) == "7 spans: 5 read, 2 skipped (span 6, 7)"


@pytest.mark.parametrize("spans", [[], 5, None, {}, [[]]])
def test_a_trace_without_spans_is_kept_without_turns(spans: object) -> None:
    [run] = runs_in(openai_agents, json.dumps({**TRACE, "spans": spans}))
    assert run.turns == ()
    assert kinds(run)["no turns"] == 1


def test_a_span_that_stands_there_twice_counts_once() -> None:
    [run] = runs_in(openai_agents, json.dumps({**TRACE, "spans": [*SPANS, *SPANS]}))
    assert len(told(run)) == 2


@given(st.data())
@settings(deadline=None)
def test_damaged_bytes_never_raise(data: st.DataObject) -> None:
    runs_in(openai_agents, data.draw(damaged(data.draw(st.sampled_from([SAMPLE, LINES])).encode())))
