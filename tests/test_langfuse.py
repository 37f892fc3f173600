"""Langfuse exports: order, repetition, packing, wrappers, and what a stripped generation leaves out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reader_checks import ABSENT, REAL, counted, damaged, golden, kinds, runs_in, runs_of

from tabcore.readers import langfuse
from tabcore.source import Source


def observation(ident: str, kind: str, second: int, parent: str | None = None, **fields: object) -> dict[str, object]:
    return {"id": ident, "traceId": "t1", "type": kind, "name": ident, "parentObservationId": parent,
            "startTime": f"2025-09-18T20:19:{second:02}.948Z", "endTime": f"2025-09-18T20:19:{second + 5:02}Z",
            "level": "DEFAULT", **fields}  # fmt: skip


ASK = [{"role": "system", "content": "Be brief"}, {"role": "user", "content": [{"type": "text", "text": "Sum"}]}]
CALLED = {"attributes": {"ai.toolCall.name": "search", "ai.toolCall.id": "c1"}}
OBSERVATIONS = [
    observation("last", "GENERATION", 20, "wrap", input=None, output=None, usageDetails={"input": 9, "output": 3}),
    observation("tool", "TOOL", 10, "wrap", input='{"query": "sum"}', output=json.dumps("one\ntwo"),
                metadata=json.dumps(CALLED)),
    observation("first", "GENERATION", 3, "wrap", input=json.dumps(ASK), output=None, model="m",
                usageDetails={"input": 5, "output": 2, "input_cached_tokens": 1}, costDetails={"total": 0.5}),
    observation("wrap", "GENERATION", 2, "root", input=json.dumps({"system": "Be brief", "prompt": "Sum"}),
                output="It is 3"),
    observation("root", "SPAN", 1),
]  # fmt: skip
TRACE = {"id": "t1", "projectId": "p", "name": "chat", "timestamp": "2025-09-18T20:19:56Z", "sessionId": "s1",
         "scores": [{"name": "feedback", "value": 1}], "observations": OBSERVATIONS}  # fmt: skip
SAMPLE = json.dumps({"trace": TRACE, "observations": OBSERVATIONS})


def test_generations_are_turns_in_their_order_of_start_and_a_wrapper_is_none() -> None:
    [run] = runs_in(langfuse, SAMPLE)
    first, last = run.turns
    assert (run.run_id.partition(".")[2], run.header.session, run.header.task_name) == ("t1", "s1", "chat")
    assert [(message.origin, message.text) for message in first.before] == [("harness", "Be brief"), ("person", "Sum")]
    assert (first.calls[0].call_id, first.calls[0].name, first.calls[0].arguments) == ("c1", "search", {"query": "sum"})
    assert [(shown.call_id, shown.text) for shown in first.observations] == [("c1", "one\ntwo")]
    assert run.problems == ()
    assert last.before == ()


def test_an_answer_that_a_generation_leaves_out_is_taken_from_its_wrapper() -> None:
    [run] = runs_in(langfuse, SAMPLE)
    assert [turn.text for turn in run.turns] == ["", "It is 3"]


def test_tokens_and_cost_are_the_generations_own() -> None:
    [run] = runs_in(langfuse, SAMPLE)
    usages = [turn.usage for turn in run.turns]
    assert [(told.input, told.output, told.cache_read, told.cost) for told in usages if told] == [
        (5, 2, 1, 0.5),
        (9, 3, 0, None),
    ]


def test_observations_that_the_trace_repeats_count_once() -> None:
    [run] = runs_in(langfuse, SAMPLE)
    assert run.tally.total == len(OBSERVATIONS)


@pytest.mark.parametrize("text", [json.dumps(TRACE), json.dumps([TRACE]), "\n".join(map(json.dumps, OBSERVATIONS))])
def test_a_trace_alone_a_list_and_lines_of_observations_hold_the_same_turns(text: str) -> None:
    [run] = runs_in(langfuse, text)
    [whole] = runs_in(langfuse, SAMPLE)
    assert [turn.text for turn in run.turns] == [turn.text for turn in whole.turns]
    assert [len(turn.calls) for turn in run.turns] == [1, 0]


def test_a_failed_tool_shows_its_status_message() -> None:
    broken = observation("tool", "TOOL", 1, input="{}", level="ERROR", statusMessage="no such page")
    [run] = runs_in(langfuse, json.dumps({**TRACE, "observations": [broken]}))
    shown = run.turns[0].observations[0]
    assert (shown.text, shown.is_error) == ("no such page", True)


def test_a_generation_in_a_span_below_a_tool_is_a_sub_agents() -> None:
    below = [
        observation("agent", "AGENT", 11, "tool"),
        observation("inner", "GENERATION", 12, "agent", input="Sum one", output="1"),
    ]
    main, inner = runs_in(langfuse, json.dumps({**TRACE, "observations": [*OBSERVATIONS, *below]}))
    assert [turn.text for turn in main.turns] == ["", "It is 3"]
    assert [turn.text for turn in inner.turns] == ["1"]
    assert (inner.header.parent_key, inner.header.parent_call) == ("t1", "c1")


def test_a_trace_without_generations_says_so() -> None:
    [run] = runs_in(langfuse, json.dumps({**TRACE, "observations": [observation("root", "SPAN", 1)]}))
    assert (run.turns, kinds(run)) == ((), {"no turns": 1})


@given(st.data())
@settings(deadline=None)
def test_damaged_bytes_never_raise(data: st.DataObject) -> None:
    runs_in(langfuse, data.draw(damaged(SAMPLE.encode())))


@pytest.mark.skipif(not REAL.exists(), reason=ABSENT)
@pytest.mark.parametrize("name", sorted(golden("langfuse")))
def test_real_traces_hold_what_was_counted_in_them(name: str) -> None:
    assert counted(runs_of(langfuse, Source.of_path(REAL / name))) == golden("langfuse")[name]
