"""mini-swe-agent: its three shapes read alike, the wrapping of results is told apart, a submission is the last result."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from log_reading import assert_golden, claimants, golden, runs_of, spoiled

from tabcore.readers import mini_swe_agent
from tabcore.trajectory import Run, Usage, without

SYSTEM = {"role": "system", "content": "Your response must contain exactly ONE bash code block."}
TASK = {"role": "user", "content": "Please solve this issue: sum the bills"}


def wrapped(text: str, code: int = 0) -> str:
    return f"<returncode>{code}</returncode>\n<output>\n{text}</output>"


def fenced(command: str) -> dict[str, object]:
    return {"role": "assistant", "content": f"THOUGHT: look\n\n```mswea_bash_command\n{command}\n```"}


OLD = [
    SYSTEM,
    TASK,
    fenced("cat a"),
    {"role": "user", "content": wrapped("12\n")},
    fenced("cat b"),
    {"role": "user", "content": wrapped("no b\n", 1)},
    fenced("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git diff"),
    {"role": "user", "content": "diff --git a/a b/a"},
]


def called(ident: str, command: str) -> dict[str, object]:
    function = {"name": "bash", "arguments": json.dumps({"command": command})}
    usage = {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 40}}
    extra = {
        "actions": [{"command": command, "tool_call_id": ident}],
        "response": {"model": "m", "created": 1775802391, "usage": usage},
        "cost": 0.5,
    }
    return {
        "role": "assistant",
        "content": "THOUGHT: look",
        "tool_calls": [{"id": ident, "type": "function", "function": function}],
        "extra": extra,
    }


def answered(ident: str, text: str, code: int = 0) -> dict[str, object]:
    extra = {"raw_output": text, "returncode": code, "timestamp": 1775802395.5}
    return {"role": "tool", "tool_call_id": ident, "content": wrapped(text, code), "extra": extra}


NEW = {
    "trajectory_format": "mini-swe-agent-1.1",
    "instance_id": "bills-1",
    "info": {"exit_status": "Submitted", "config": {"environment": {"cwd": "/ws"}, "model": {"model_name": "p/m"}}},
    "messages": [
        SYSTEM,
        TASK,
        called("c1", "cat a"),
        answered("c1", "12\n"),
        called("c2", "cat b"),
        answered("c2", "no b\n", 1),
        called("c3", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git diff"),
        {"role": "exit", "content": "diff --git a/a b/a", "extra": {"exit_status": "Submitted"}},
    ],
}
SAMPLES = {
    "bare": json.dumps(OLD, indent=2).encode(),
    "1": json.dumps({"trajectory_format": "mini-swe-agent-1", "info": {"exit_status": "Submitted"}, "messages": OLD}).encode(),
    "1.1": json.dumps(NEW).encode(),
}  # fmt: skip


def only(data: bytes) -> Run:
    [run] = runs_of(mini_swe_agent, data)
    return run


@pytest.mark.parametrize("shape", SAMPLES)
def test_the_three_shapes_read_alike_and_have_one_claimant(shape: str) -> None:
    assert claimants(SAMPLES[shape]) == ["mini-swe-agent"]
    run = only(SAMPLES[shape])
    assert run.problems == ()
    commands = [call.arguments["command"] for turn in run.turns for call in turn.calls]
    assert commands == ["cat a", "cat b", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git diff"]
    seen = [turn.observations[0] for turn in run.turns]
    assert [without(one.text, one.spans, {"harness"}) for one in seen] == ["12\n", "no b\n", "diff --git a/a b/a"]
    assert [(one.exit_code, one.is_error) for one in seen] == [(0, False), (1, True), (None, False)]
    assert [(said.origin, said.kind) for said in run.turns[0].before] == [("harness", "system"), ("person", "prompt")]


def test_times_tokens_model_and_directory_are_the_records() -> None:
    run = only(SAMPLES["1.1"])
    first = run.turns[0]
    assert (first.time, first.observations[0].time, first.model) == (1775802391.0, 1775802395.5, "m")
    assert first.usage == Usage(60, 7, 40, cost=0.5)
    assert (run.header.cwd, run.header.model, run.header.task_name) == ("/ws", "p/m", "bills-1")
    assert run.header.fresh_cwd


def test_of_a_long_output_the_elision_is_the_harnesss() -> None:
    text = (
        "<returncode>0</returncode>\n<warning>\nToo long.\n</warning><output_head>\nfirst\n</output_head>\n"
        "<elided_chars>\n900 characters elided\n</elided_chars>\n<output_tail>\nlast\n</output_tail>"
    )
    run = only(json.dumps([SYSTEM, TASK, fenced("cat a"), {"role": "user", "content": text}]).encode())
    [seen] = run.turns[0].observations
    assert seen.text == text
    assert without(seen.text, seen.spans, {"harness"}) == "firstlast\n"


def test_a_response_without_one_command_is_no_stop_and_the_complaint_is_the_harnesss() -> None:
    complaint = {"role": "user", "content": "Please always provide EXACTLY ONE action in triple backticks"}
    talk = {"role": "assistant", "content": "```bash\na\n```\n```bash\nb\n```"}
    run = only(json.dumps([SYSTEM, TASK, talk, complaint, *OLD[2:]]).encode())
    assert (run.turns[0].calls, run.turns[0].outcome) == ((), "failed")
    assert [said.origin for said in run.turns[1].before] == ["harness"]


def test_a_run_that_ended_without_a_submission_says_so() -> None:
    end = {"role": "exit", "content": "LimitsExceeded", "extra": {"exit_status": "LimitsExceeded"}}
    run = only(json.dumps({**NEW, "info": {}, "messages": [*NEW["messages"][:4], end]}).encode())  # type: ignore[misc]
    assert [problem.kind for problem in run.problems] == ["failed run"]
    assert [said.text for said in run.after] == ["LimitsExceeded"]


def test_results_and_calls_that_do_not_match_are_named() -> None:
    odd = [SYSTEM, TASK, called("c1", "a"), answered("zz", "1"), {"role": "user", "content": "x"}, called("c2", "b")]
    run = only(json.dumps({**NEW, "messages": odd}).encode())
    assert [problem.kind for problem in run.problems] == ["orphan result", "unanswered call"]


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_spoiled_trajectory_never_raises(data: st.DataObject) -> None:
    spoilt = data.draw(spoiled(SAMPLES[data.draw(st.sampled_from(sorted(SAMPLES)))]))
    runs_of(mini_swe_agent, spoilt)
    claimants(spoilt)


@pytest.mark.parametrize("file", golden("mini_swe_agent"))
def test_a_real_trajectory_gives_its_golden_counts(file: str) -> None:
    assert_golden("mini_swe_agent", file)
