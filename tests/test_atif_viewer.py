"""The ATIF viewer's runs: grouping of split responses, what converters and harnesses wrote, real files."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reader_checks import ABSENT, REAL, counted, damaged, golden, kinds, runs_in, runs_of

from tabcore.readers import atif_viewer
from tabcore.source import Source
from tabcore.trajectory import without


def step(index: int, role: str = "agent", **fields: object) -> dict[str, object]:
    empty = {"text": "", "reasoning": None, "toolCalls": None, "observation": None, "tokens": None}
    return {"index": index, "role": role, **empty, "timestamp": "2026-05-20T15:32:54Z", **fields}


def call(name: str, **arguments: object) -> dict[str, object]:
    return {"name": name, "args": json.dumps(arguments)}


TERMINAL = "New Terminal Output:\nroot@box:/w# ls\na.txt\nroot@box:/w# "
SAMPLE = json.dumps(
    {
        "steps": [
            step(0, "user", text="Sum the table"),
            step(1, text="Look", toolCalls=[call("bash_command", keystrokes="ls\n")], observation=TERMINAL),
            step(2, text="Both", toolCalls=[call("a", x=1), call("b", y=2)], observation="one text for two"),
            step(3, text="Done"),
        ],
        "verifierLog": "Reward: 1.0",
    }
)
SPLIT = json.dumps(
    {
        "steps": [
            step(0, "user", text="Sum"),
            step(1, reasoning="Hm", tokens={"prompt": 10, "completion": 2}),
            step(2, text="I read both."),
            step(3, text="Executed Read t1", toolCalls=[call("Read", file_path="/a")], observation="1\tA"),
            step(4, text="Executed Bash t2", toolCalls=[call("Bash", command="x")],
                 observation="Exit code 2\nboom\n\n[error] tool reported failure"),
            step(5, text="Done", tokens={"prompt": 20, "completion": 3}),
        ]
    }
)  # fmt: skip


def test_each_step_is_a_turn_and_one_observation_answers_all_its_calls() -> None:
    [run] = runs_in(atif_viewer, SAMPLE)
    assert [turn.text for turn in run.turns] == ["Look", "Both", "Done"]
    assert [len(turn.calls) for turn in run.turns] == [1, 2, 0]
    assert [result.call_id for turn in run.turns for result in turn.observations] == ["step-1.0", ""]
    assert run.turns[0].calls[0].arguments == {"keystrokes": "ls\n"}
    assert run.turns[0].before[0].text == "Sum the table"
    assert run.problems == ()


def test_terminal_headers_and_prompt_lines_are_marked_and_the_text_stays_whole() -> None:
    [run] = runs_in(atif_viewer, SAMPLE)
    result = run.turns[0].observations[0]
    assert result.text == TERMINAL
    assert without(result.text, result.spans, {"harness"}) == "a.txt\n"


def test_what_the_agent_typed_and_the_question_whether_it_is_done_are_not_the_tools_words() -> None:
    typed = "cat > a << E\n42\n\nE\n"
    screen = "Current terminal state:\nNew Terminal Output:\nroot@box:/w# cat > a << E\n> 42\n>\n> E\nroot@box:/w#\n"
    screen += "\nAre you sure you want to mark the task as complete? Then say so again."
    calls = [call("bash_command", keystrokes=typed), call("mark_task_complete")]
    [run] = runs_in(atif_viewer, json.dumps({"steps": [step(1, toolCalls=calls, observation=screen)]}))
    result = run.turns[0].observations[0]
    assert without(result.text, result.spans, {"harness"}).strip() == ""


def test_steps_of_one_response_are_one_turn_with_the_recorded_call_ids() -> None:
    [run] = runs_in(atif_viewer, SPLIT)
    first, last = run.turns
    assert (first.reasoning, first.text, last.text) == ("Hm", "I read both.", "Done")
    assert [call.call_id for call in first.calls] == ["t1", "t2"]
    assert [result.call_id for result in first.observations] == ["t1", "t2"]
    assert first.usage is not None
    assert (first.usage.input, first.usage.output) == (10, 2)
    assert run.header.harness == "claude-code"


def test_a_failed_result_keeps_its_exit_code_and_its_notes_are_marked() -> None:
    [run] = runs_in(atif_viewer, SPLIT)
    failed = run.turns[0].observations[1]
    assert (failed.is_error, failed.exit_code) == (True, 2)
    assert without(failed.text, failed.spans, {"harness"}) == "boom"


def test_a_result_that_stands_twice_in_its_text_counts_once() -> None:
    twice = "alpha\nbeta\n\n[stdout]\nalpha\nbeta\n\n[metadata] {}"
    [run] = runs_in(atif_viewer, json.dumps({"steps": [step(1, toolCalls=[call("Bash")], observation=twice)]}))
    result = run.turns[0].observations[0]
    assert without(result.text, result.spans, {"harness"}) == "alpha\nbeta"


def test_a_field_cut_by_the_viewer_is_a_problem_that_says_how_much_is_lost() -> None:
    cut = "x" * 100 + "\n…[truncated, 16348 more chars]"
    [run] = runs_in(atif_viewer, json.dumps({"steps": [step(1, toolCalls=[call("r")], observation=cut)]}))
    [problem] = run.problems
    assert (problem.kind, problem.lost, "16,348" in problem.what) == ("cut text", True, True)
    result = run.turns[0].observations[0]
    assert without(result.text, result.spans, {"harness"}) == "x" * 100


def test_environment_and_permissions_are_not_a_persons_words() -> None:
    steps = [step(0, "system", text="<permissions>"), step(1, "user", text="<environment_context>\n<cwd>/w</cwd>")]
    [run] = runs_in(atif_viewer, json.dumps({"steps": [*steps, step(2, text="ok")]}))
    assert [message.kind for message in run.turns[0].before] == ["system", "environment"]
    assert run.header.cwd == "/w"


def test_a_torn_file_keeps_the_steps_before_the_tear_and_names_it() -> None:
    [run] = runs_in(atif_viewer, SAMPLE[: SAMPLE.index('"Done"')])
    assert len(run.turns) == 3
    assert kinds(run) == {"torn document": 1}
    assert str(run.problems[0]).startswith("log:1: ")


@given(st.data())
@settings(deadline=None)
def test_damaged_bytes_never_raise(data: st.DataObject) -> None:
    runs_in(atif_viewer, data.draw(damaged(SPLIT.encode())))


@pytest.mark.skipif(not REAL.exists(), reason=ABSENT)
@pytest.mark.parametrize("name", sorted(golden("atif_viewer")))
def test_real_runs_hold_what_was_counted_in_them(name: str) -> None:
    source = Source.of_path(REAL / name)
    assert counted(runs_of(atif_viewer, source)) == golden("atif_viewer")[name]
