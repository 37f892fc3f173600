"""SWE-agent: one reading of both versions, history read only where it says something new, the shell's tail told apart."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from log_reading import assert_golden, claimants, golden, jsonl, runs_of, spoiled

from tabcore.readers import swe_agent
from tabcore.trajectory import Run, without


def tail(directory: str, file: str = "n/a") -> str:
    return f"\n(Open file: {file})\n(Current directory: {directory})\nbash-$"


SYSTEM = {
    "role": "system",
    "content": "SETTING: You are a programmer.",
    "agent": "main",
    "message_type": "system_prompt",
}
DEMO = {
    "role": "user",
    "content": "Here is a demonstration",
    "agent": "main",
    "is_demo": True,
    "message_type": "demonstration",
}
TASK = {"role": "user", "content": "ISSUE: sum the bills" + tail("/ws"), "agent": "main", "message_type": "observation"}
STEPS = [("cd bills\n", "", "/ws/bills"), ('open "a.txt" 3', "[File: a.txt (9 lines total)]\r\n(1 more lines above)\r\n2:12\r\n", "/ws/bills"), ("submit", "diff", "/ws/bills")]  # fmt: skip
HISTORY = [SYSTEM, DEMO, TASK]
for number, (action, observation, directory) in enumerate(STEPS):
    ident = f"call_{number}"
    HISTORY += [
        {"role": "assistant", "content": f"I {action}", "thought": f"I {action}", "action": action, "agent": "main",
         "tool_calls": [{"id": ident, "function": {"name": "bash", "arguments": "{}"}}], "message_type": "action"},
        {"role": "tool", "content": "OBSERVATION:\n" + observation + tail(directory), "agent": "main",
         "tool_call_ids": [ident], "message_type": "observation"},
    ]  # fmt: skip


def trajectory(packed: bool) -> list[dict[str, object]]:
    """0.x has the state packed as a string, 1.x repeats the prompt."""
    states = [{"open_file": "n/a", "working_dir": directory} for _, _, directory in STEPS]
    return [
        {
            "action": action, "observation": observation, "response": f"I {action}", "thought": f"I {action}",
            "state": json.dumps(state) if packed else state, **({} if packed else {"messages": HISTORY[:3]}),
        }
        for (action, observation, _), state in zip(STEPS, states, strict=True)
    ]  # fmt: skip


INFO = {"exit_status": "submitted", "submission": "diff"}
SAMPLES = {
    "0.x": json.dumps({"environment": "swe_main", "trajectory": trajectory(True), "history": HISTORY, "info": INFO}).encode(),
    "1.x": json.dumps({"trajectory": trajectory(False), "history": HISTORY, "info": INFO, "replay_config": "{}"}).encode(),
    "history only": json.dumps({"history": HISTORY}, indent=1).encode(),
    "no history": json.dumps({"trajectory": trajectory(False), "info": INFO}).encode(),
}  # fmt: skip


def only(data: bytes) -> Run:
    [run] = runs_of(swe_agent, data)
    return run


@pytest.mark.parametrize("shape", SAMPLES)
def test_every_shape_reads_alike_and_has_one_claimant(shape: str) -> None:
    assert claimants(SAMPLES[shape]) == ["swe-agent"]
    run = only(SAMPLES[shape])
    assert run.problems == ()
    assert [[dict(call.arguments) for call in turn.calls] for turn in run.turns] == [
        [{"command": "cd bills"}],
        [{"command": 'open "a.txt" 3'}],
        [{"command": "submit"}],
    ]
    assert [(said.origin, said.kind) for said in run.turns[0].before] == [
        ("harness", "system"),
        ("harness", "system"),
        ("person", "prompt"),
    ]
    assert [turn.text for turn in run.turns] == ["I cd bills\n", 'I open "a.txt" 3', "I submit"]


@pytest.mark.parametrize("shape", SAMPLES)
def test_the_shells_state_is_no_part_of_a_text_and_tells_the_directory(shape: str) -> None:
    run = only(SAMPLES[shape])
    prompt = run.turns[0].before[-1]
    assert without(prompt.text, prompt.spans, {"harness"}) == "ISSUE: sum the bills"
    seen = [turn.observations[0] for turn in run.turns]
    assert [without(one.text, one.spans, {"harness"}).strip("\r\n") for one in seen] == ["", "2:12", "diff"]
    assert "\r\n2:12\r\n" in seen[1].text
    assert [(turn.cwd, one.cwd) for turn, one in zip(run.turns, seen, strict=True)] == [
        ("/ws", "/ws/bills"),
        ("/ws/bills", "/ws/bills"),
        ("/ws/bills", "/ws/bills"),
    ]
    assert run.header.cwd == "/ws"


def test_a_quiet_commands_notice_is_the_harnesss() -> None:
    quiet = {**HISTORY[4], "content": "Your command ran successfully and did not produce any output." + tail("/ws")}
    run = only(json.dumps({"history": [*HISTORY[:4], quiet]}).encode())
    [seen] = run.turns[0].observations
    assert without(seen.text, seen.spans, {"harness"}) == ""


def test_a_response_without_an_action_is_no_stop_and_an_exit_is_no_turn() -> None:
    odd = {
        "action": "",
        "observation": "Your output could not be parsed",
        "response": "Hm.",
        "thought": "",
        "state": "{}",
    }
    out = {"action": "", "observation": "", "response": "", "thought": "Exit due to cost limit", "state": "{}"}
    document = {"trajectory": [odd, trajectory(True)[0], out], "history": HISTORY, "info": {"exit_status": "exit_cost"}}
    run = only(json.dumps(document).encode())
    assert [(turn.outcome, len(turn.calls)) for turn in run.turns] == [("failed", 0), ("complete", 1)]
    assert [said.kind for said in (*run.turns[1].before, *run.after)] == ["notice", "notice"]
    assert [problem.kind for problem in run.problems] == ["failed run"]


def test_a_replay_says_that_it_is_one() -> None:
    config = json.dumps({"agent": {"model": {"name": "replay"}}})
    run = only(json.dumps({"trajectory": trajectory(True), "history": HISTORY, "replay_config": config}).encode())
    assert (run.header.model, bool(run.header.simulated)) == (None, True)
    config = json.dumps({"agent": {"model": {"name": "p/m"}}})
    run = only(json.dumps({"trajectory": trajectory(True), "history": HISTORY, "replay_config": config}).encode())
    assert (run.header.model, run.turns[0].model, run.header.simulated) == ("p/m", "p/m", None)


def test_rows_of_the_nebius_export_are_runs() -> None:
    def row(name: str) -> dict[str, object]:
        said = [("system", None, "SETTING: ."), ("user", "ISSUE: x" + tail("/ws"), ""), ("ai", "Look.\n```\ncat a\n```", ""), ("user", "12" + tail("/ws"), "")]  # fmt: skip
        return {
            "instance_id": name, "model_name": "m", "exit_status": "submitted",
            "trajectory": [
                {"role": role, "text": text, "system_prompt": prompt, "mask": False, "cutoff_date": "01.01.2023"}
                for role, text, prompt in said
            ],
        }  # fmt: skip

    data = jsonl(row("a"), row("b"))
    assert claimants(data) == ["swe-agent"]
    runs = runs_of(swe_agent, data)
    assert [(run.header.task_name, run.header.model) for run in runs] == [("a", "m"), ("b", "m")]
    assert [turn.calls[0].arguments for run in runs for turn in run.turns] == [{"command": "cat a"}] * 2
    assert [without(seen.text, seen.spans, {"harness"}) for seen in runs[1].turns[0].observations] == ["12"]
    assert runs[0].problems == ()


def test_a_torn_trajectory_keeps_what_stands_before_the_tear() -> None:
    data = SAMPLES["0.x"]
    run = only(data[: data.index(b'"submit"')])
    assert [turn.calls[0].arguments["command"] for turn in run.turns[:2]] == ["cd bills", 'open "a.txt" 3']
    assert "torn document" in {problem.kind for problem in run.problems}


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_spoiled_trajectory_never_raises(data: st.DataObject) -> None:
    spoilt = data.draw(spoiled(SAMPLES[data.draw(st.sampled_from(sorted(SAMPLES)))]))
    runs_of(swe_agent, spoilt)
    claimants(spoilt)


@pytest.mark.parametrize("file", golden("swe_agent"))
def test_a_real_trajectory_gives_its_golden_counts(file: str) -> None:
    assert_golden("swe_agent", file)
