"""ATIF trajectories: what becomes of each step."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from small_logs import REAL, atif, atif_call, atif_log, atif_step, kinds, run_of, runs_of

from tabcore.readers import atif as reader
from tabcore.trajectory import Observation, Usage, without


def observed(content: Any, agent: str = "some-agent", **extra: Any) -> Observation:
    results = {"results": [{"source_call_id": "c1", "content": content}]}
    calls = [atif_call("c1", "Bash", command="ls")]
    step = atif_step(2, "agent", "", tool_calls=calls, observation=results, extra=extra)
    return run_of(atif(atif_step(1, "user", "x"), step, agent=agent)).turns[0].observations[0]


def test_a_trajectory_is_one_run_with_its_header() -> None:
    run = run_of(atif_log())
    assert (run.header.format, run.header.harness, run.header.session) == ("atif", "some-agent", "s1")
    assert (run.header.model, run.header.started) == ("m", 1790848801.0)
    first, last = run.turns
    assert (first.number, first.text, [call.name for call in first.calls], first.line) == (1, "Listing", ["bash"], 2)
    assert [(o.call_id, o.text) for o in first.observations] == [("c1", "a\nb")]
    assert (last.text, last.is_stop) == ("Two.", True)
    assert [(m.text, m.origin) for m in first.before] == [("Count the files", "person")]
    assert (run.problems, str(run.tally)) == ((), "3 steps: 3 read")


def test_cached_tokens_are_taken_out_of_the_prompts() -> None:
    assert run_of(atif_log()).turns[0].usage == Usage(40, 7, 60, 0, 0.5)


def test_a_large_file_is_streamed_to_the_same_run(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run_of(atif_log())
    monkeypatch.setattr(reader, "WHOLE", 10)
    assert run_of(atif_log()) == whole


def test_a_large_file_that_is_torn_keeps_the_steps_before_the_tear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "WHOLE", 10)
    run = run_of(atif_log()[:-20])
    assert ([turn.text for turn in run.turns], kinds(run)) == (["Listing"], ["torn document"])


def test_a_torn_file_keeps_the_steps_before_the_tear() -> None:
    run = run_of(atif_log()[:-20])
    assert [turn.text for turn in run.turns][:1] == ["Listing"]
    assert "torn document" in kinds(run)


def test_a_response_that_claude_codes_converter_split_is_one_turn() -> None:
    def executed(number: int, call_id: str, **more: Any) -> dict[str, Any]:
        return atif_step(
            number,
            "agent",
            f"Executed Bash {call_id}",
            tool_calls=[atif_call(call_id, "Bash", command="ls")],
            observation={"results": [{"source_call_id": call_id, "content": call_id}]},
            **more,
        )

    metrics = {"prompt_tokens": 9, "completion_tokens": 5}
    log = atif(
        atif_step(1, "user", "x"),
        atif_step(2, "agent", "", reasoning_content="hm", metrics=metrics),
        atif_step(3, "agent", "Two lists"),
        executed(4, "t1"),
        executed(5, "t2"),
        executed(6, "t3", metrics=metrics),
        atif_step(7, "user", "This session is being continued from a previous conversation: 7"),
        atif_step(8, "agent", "Done", metrics=metrics),
        agent="claude-code",
    )
    run = run_of(log)
    assert [(t.text, t.reasoning, [c.call_id for c in t.calls]) for t in run.turns] == [
        ("Two lists", "hm", ["t1", "t2"]),
        ("", "", ["t3"]),
        ("Done", "", []),
    ]
    assert [[o.text for o in turn.observations] for turn in run.turns] == [["t1", "t2"], ["t3"], []]
    assert sum(turn.usage.output for turn in run.turns if turn.usage) == 15
    assert [(m.origin, m.kind) for m in run.turns[2].before] == [("harness", "compaction")]


def test_copied_context_is_no_turn_and_no_prompt() -> None:
    copied = {"is_copied_context": True}
    log = atif(
        atif_step(1, "user", "x", **copied),
        atif_step(
            2,
            "agent",
            "Listing",
            tool_calls=[atif_call("c1", "bash", command="ls")],
            observation={"results": [{"source_call_id": "c1", "content": "a.txt"}]},
            metrics={"completion_tokens": 9},
            **copied,
        ),
        atif_step(3, "user", "go on"),
        atif_step(4, "agent", "Done"),
    )
    run = run_of(log)
    assert [turn.text for turn in run.turns] == ["Done"]
    assert [(m.kind, m.text) for m in run.turns[0].before] == [
        ("copied", "x"),
        ("copied", "Listing\na.txt"),
        ("prompt", "go on"),
    ]
    assert kinds(run) == []


def lists(number: int, *asked: tuple[str, str], shown: dict[str, str]) -> dict[str, Any]:
    calls = [atif_call(call_id, "bash", command=command) for call_id, command in asked]
    results = [{"source_call_id": call_id, "content": text} for call_id, text in shown.items()]
    return atif_step(number, "agent", "", tool_calls=calls, observation={"results": results})


def test_a_call_id_used_again_in_a_later_turn_is_another_call() -> None:
    first = lists(1, ("call_0", "ls a"), shown={"call_0": "a"})
    run = run_of(atif(first, lists(2, ("call_0", "ls b"), shown={"call_0": "b"})))
    assert [[call.arguments for call in turn.calls] for turn in run.turns] == [
        [{"command": "ls a"}],
        [{"command": "ls b"}],
    ]
    assert [[shown.text for shown in turn.observations] for turn in run.turns] == [["a"], ["b"]]
    assert kinds(run) == []


def test_a_call_that_stands_twice_in_a_turn_is_read_once() -> None:
    run = run_of(atif(lists(1, ("call_0", "ls a"), ("call_0", "ls a"), shown={"call_0": "a"})))
    assert ([len(turn.calls) for turn in run.turns], kinds(run)) == ([1], ["repeated record"])


def test_a_call_whose_id_returns_before_its_result_is_unanswered() -> None:
    run = run_of(atif(lists(1, ("call_0", "ls a"), shown={}), lists(2, ("call_0", "ls b"), shown={"call_0": "b"})))
    assert [(problem.kind, problem.line) for problem in run.problems] == [("unanswered call", 1)]


def test_a_result_without_a_call_id_answers_all_calls_of_its_turn() -> None:
    step = atif_step(
        2,
        "agent",
        "",
        tool_calls=[
            atif_call("c1", "bash_command", keystrokes="a\n"),
            atif_call("c2", "bash_command", keystrokes="b\n"),
        ],
        observation={"results": [{"content": "New Terminal Output:\n$ a\n$ b\n"}]},
    )
    run = run_of(atif(atif_step(1, "user", "x"), step, agent="terminus-2"))
    [shown] = run.turns[0].observations
    assert (shown.call_id, kinds(run)) == ("", [])
    assert without(shown.text, shown.spans, {"harness"}) == "$ a\n$ b\n"


def test_calls_that_terminus_writes_as_json_are_read() -> None:
    words = json.dumps({"analysis": "a", "commands": [{"keystrokes": "ls\n", "duration": 0.1}], "task_complete": True})
    run = run_of(atif(atif_step(1, "user", "x"), atif_step(2, "agent", words), agent="terminus-2"))
    assert run.turns[0].text == words
    assert [(c.name, dict(c.arguments)) for c in run.turns[0].calls] == [
        ("bash_command", {"keystrokes": "ls\n", "duration": 0.1}),
        ("mark_task_complete", {}),
    ]


def test_calls_that_openhands_writes_as_tags_are_read() -> None:
    words = "Let me see.\n<function=execute_bash>\n<parameter=command>\ncat a\n</parameter>\n</function>"
    note = "x\n[The command completed with exit code 3.]\n[Current working directory: /app]\n[Command finished with exit code 3]"
    step = atif_step(2, "agent", words, observation={"results": [{"content": note}]})
    run = run_of(atif(atif_step(1, "user", "x"), step, agent="openhands"))
    [turn] = run.turns
    [shown] = turn.observations
    assert [(c.name, dict(c.arguments)) for c in turn.calls] == [("execute_bash", {"command": "cat a"})]
    assert (shown.exit_code, shown.cwd) == (3, "/app")
    assert without(shown.text, shown.spans, {"harness"}) == "x"


def test_a_refused_response_is_no_stop() -> None:
    refused = atif_step(2, "agent", "no json", observation={"results": [{"content": "parsing errors"}]})
    run = run_of(atif(atif_step(1, "user", "x"), refused, agent="terminus-2"))
    assert (run.turns[0].outcome, run.turns[0].observations[0].text) == ("failed", "parsing errors")


def test_what_the_converter_adds_to_a_result_is_marked() -> None:
    metadata = {"raw_tool_result": {"content": "  True"}}
    shown = observed('True\n\n[stdout]\nTrue\n[metadata] {"a": 1}', "claude-code", tool_result_metadata=metadata)
    assert without(shown.text, shown.spans, {"harness"}) == "True"
    failed = observed("Exit code 2\n\n[error] tool reported failure", "claude-code", tool_result_is_error=True)
    assert (failed.exit_code, failed.is_error) == (2, True)
    assert without(failed.text, failed.spans, {"harness"}).strip() == ""
    assert observed("True\n\n[metadata] x", "other-agent").spans == ()


def test_a_sub_agents_log_elsewhere_is_named() -> None:
    reference = {"results": [{"subagent_trajectory_ref": [{"session_id": "s2", "trajectory_path": "sub.json"}]}]}
    log = atif(
        atif_step(1, "user", "x"),
        atif_step(2, "agent", "a"),
        atif_step(3, "system", "Handed over", observation=reference),
        continued_trajectory_ref="next.json",
    )
    run = run_of(log)
    assert [(p.kind, p.line, p.lost) for p in run.problems] == [("other log", 3, False), ("other log", 0, False)]
    assert "sub.json" in run.problems[0].what
    assert "next.json" in run.problems[1].what
    assert [(m.origin, m.kind) for m in run.after] == [("harness", "notice")]


def test_a_system_prompt_is_one_only_before_the_first_turn() -> None:
    run = run_of(atif(atif_step(1, "system", "You are"), atif_step(2, "agent", "a"), atif_step(3, "system", "Note")))
    assert ([m.kind for m in run.turns[0].before], [m.kind for m in run.after]) == (["system"], ["notice"])


def test_contents_in_parts_are_joined_and_pictures_counted() -> None:
    shown = observed([{"type": "text", "text": "a"}, {"type": "image", "source": {}}, {"type": "text", "text": "b"}])
    assert (shown.text, shown.images) == ("a\nb", 1)


def test_steps_of_an_inline_sub_agent_are_a_run_of_their_own() -> None:
    side = {"extra": {"is_sidechain": True}}
    main, agent = runs_of(
        atif(atif_step(1, "user", "x"), atif_step(2, "agent", "a"), atif_step(3, "agent", "b", **side))
    )
    assert ([t.text for t in main.turns], [t.text for t in agent.turns]) == (["a"], ["b"])
    assert agent.header.parent_key == ""


def test_trajectories_one_a_line_are_runs_of_one_log() -> None:
    runs = runs_of(atif_log() + "\n" + atif_log() + "\n")
    assert [len(run.turns) for run in runs] == [2, 2]
    assert len({run.run_id for run in runs}) == 2


def test_a_step_that_is_none_is_skipped_and_an_odd_field_left_out() -> None:
    run = run_of(atif(atif_step(1, "user", "x"), 5, atif_step(3, "agent", "a", metrics="many")))  # type: ignore[arg-type]
    assert [turn.text for turn in run.turns] == ["a"]
    assert str(run.tally) == "3 steps: 2 read, 1 skipped (step 2), 1 without time"
    assert kinds(run) == ["not a record", "unexpected type"]


GOLDEN = sorted(
    path
    for path in (Path(__file__).parent / "golden" / "readers").glob("*.json")
    if json.loads(path.read_text()).get("counted_by") == "atif.jq"
)


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda path: path.stem)
def test_a_real_log_holds_what_was_counted_without_the_reader(golden: Path) -> None:
    expected = json.loads(golden.read_text())
    if not (REAL / expected["log"]).exists():
        pytest.skip("the real logs are not on this machine")
    runs = runs_of((REAL / expected["log"]).read_bytes())
    [run] = runs
    calls = [call for turn in run.turns for call in turn.calls]
    shown = [observation for turn in run.turns for observation in turn.observations]
    said = [message for turn in run.turns for message in turn.before] + list(run.after)
    usages = [turn.usage for turn in run.turns if turn.usage]
    found = {
        "runs": len(runs),
        "steps": run.tally.total,
        "turns": len(run.turns),
        "calls": sum(bool(call.call_id) for call in calls),
        "written_calls": sum(not call.call_id for call in calls),
        "results": len(shown),
        "unlinked_results": sum(not observation.call_id for observation in shown),
        "copied": sum(message.kind == "copied" for message in said),
        "users": sum(message.kind in ("prompt", "compaction") for message in said),
        "continued": sum(message.kind == "compaction" for message in said),
        "other_logs": kinds(run).count("other log"),
        "output_tokens": sum(usage.output for usage in usages),
        "prompt_tokens": sum(usage.input + usage.cache_read + usage.cache_write for usage in usages),
        "untimed": run.tally.untimed,
        "observation_chars": sum(len(observation.text) for observation in shown),
    }
    assert found == expected["counts"]
    assert run.tally.skipped == ()
    assert sha256(run.turns[0].text.encode()).hexdigest() == expected["first_text_sha256"]
    assert sha256(run.turns[-1].text.encode()).hexdigest() == expected["last_text_sha256"]
