"""Traces by stage: which stages are turns, and what the person, the program and the agents said."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reader_checks import ABSENT, REAL, counted, damaged, golden, kinds, runs_in, runs_of

from tabcore.readers import agent_stages
from tabcore.source import Source


def step(stage: str, inputs: object = None, outputs: object = None) -> dict[str, object]:
    return {"stage": stage, "timestamp": "2025-06-29T00:23:24", "inputs": inputs, "outputs": outputs}


TRACE = {
    "id": "process_1",
    "steps": [
        step("process_start", {"timestamp": "x"}),
        step("user_input", None, {"user_goal": "Sum the files"}),
        step("search_start", {"input": "Find out about: Sum the files"}),
        step("agent_start_Searcher", {"name": "Searcher", "instructions": "You search.", "model": "m-1"}),
        step("agent_response_Searcher", {"agent_name": "Searcher"}, {"response": "1 and 2"}),
        step("search_complete", {"input": "x"}, {"search_summary": "1 and 2"}),
        step("agent_start_Adder", {"name": "Adder", "instructions": "You add.", "model": "m-2"}),
        step("agent_response_Adder", {"agent_name": "Adder"}, {"response": "3"}),
    ],
}
OTHER = {"id": "process_2", "steps": [step("process_start")]}
SAMPLE = json.dumps({"traces": [TRACE], "current_trace": TRACE})


def test_each_agents_response_is_a_turn_with_its_model() -> None:
    [run] = runs_in(agent_stages, SAMPLE)
    assert [(turn.text, turn.model) for turn in run.turns] == [("1 and 2", "m-1"), ("3", "m-2")]
    assert [(message.origin, message.kind) for message in run.turns[0].before] == [
        ("person", "prompt"), ("harness", "prompt"), ("harness", "system"),
    ]  # fmt: skip
    assert run.problems == ()


def test_a_trace_without_responses_is_a_run_that_says_so() -> None:
    runs = runs_in(agent_stages, json.dumps({"traces": [TRACE, OTHER]}))
    assert [run.run_id.partition(".")[2] for run in runs] == ["", "process_2"]
    assert kinds(runs[1]) == {"no turns": 1}


@given(st.data())
@settings(deadline=None)
def test_damaged_bytes_never_raise(data: st.DataObject) -> None:
    runs_in(agent_stages, data.draw(damaged(SAMPLE.encode())))


@pytest.mark.skipif(not REAL.exists(), reason=ABSENT)
@pytest.mark.parametrize("name", sorted(golden("agent_stages")))
def test_real_traces_hold_what_was_counted_in_them(name: str) -> None:
    assert counted(runs_of(agent_stages, Source.of_path(REAL / name))) == golden("agent_stages")[name]
