"""Workspace-Bench: the runner's record of a run as a log, and what lies beside it."""

import json
from pathlib import Path
from typing import Any

import pytest
from small_logs import kinds, pi_agent, pi_log, pi_user, run_of

from tabcore import readers, rerun
from tabcore.bundles import Bundle, layout_of, run_folder, workspace_bench
from tabcore.errors import UnknownFormat
from tabcore.source import Folder, Source
from tabcore.store.store import Store
from tabcore.trajectory import Rubric, RunHeader, Task, Usage, Verdict

USER = {"type": "text", "role": "user", "content": "Write the report", "timestamp": "2026-10-01T10:00:00Z"}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "role": "assistant", "content": words, "timestamp": "2026-10-01T10:00:01Z"} | more


def tool(call_id: str | None, command: str | None, output: Any, **more: Any) -> dict[str, Any]:
    given = {"command": command} if command else {}
    return {
        "type": "tool",
        "role": "tool",
        "tool": "Bash",
        "callID": call_id,
        "timestamp": "2026-10-01T10:00:02Z",
        "status": "completed",
        "exitCode": 0,
        "input": given,
        "output": output,
    } | more


def agent(*entries: dict[str, Any]) -> str:
    trace = {
        "prompt": {"system": None, "user": "Write the report"},
        "executionTrace": [USER, *entries],
        "llm": {"model": "m"},
    }
    return json.dumps({"caseId": "7", "workDir": "/ws", "status": "passed", "trace": trace})


def row(index: Any, passed: Any, confidence: float = 0.9, evidence: str = "seen") -> dict[str, Any]:
    return {"index": index, "rubric": "…", "passed": passed, "confidence": confidence, "evidence": evidence}


def is_log(source: Source) -> bool:
    try:
        return readers.identify(source) is not None
    except UnknownFormat:
        return False


def read(folder: Path) -> Bundle:
    place = Folder.of_path(folder)
    assert layout_of(place) is workspace_bench
    return workspace_bench.read(place, is_log)


def told(bundle: Bundle) -> list[str]:
    return [problem.kind for problem in bundle.problems]


@pytest.fixture
def case(tmp_path: Path) -> Path:
    folder = tmp_path / "7"
    (folder / "output").mkdir(parents=True)
    (folder / "output" / "report.md").write_text("54.2 %")
    metadata = {"id": 7, "task": "Write the report", "rubrics": ["States 54.2 %", "Names the source"]}
    (folder / "metadata.json").write_text(json.dumps(metadata))
    (folder / "agent.json").write_text(agent(text("Looking"), tool("c1", "cat a.csv", "54.2"), text("Done")))
    return folder


def judge(case: Path, rows: Any, name: str = "m1", **more: Any) -> None:
    (case / f"rubrics_judge--{name}.json").write_text(json.dumps({"rubrics": rows} | more))


def test_a_case_is_a_run_with_its_task_rubrics_and_output(case: Path) -> None:
    judge(case, [row(0, True), row(1, False)])
    bundle = read(case)
    assert bundle.log is not None
    assert bundle.log.name == "agent.json"
    assert bundle.stated.over(RunHeader("x")) == RunHeader(
        "x",
        task=Task("Write the report", "metadata.json"),
        root="/ws",
        model="m",
        suite="Workspace-Bench",
        task_name="7",
    )
    assert bundle.rubrics == (Rubric("0", "States 54.2 %"), Rubric("1", "Names the source"))
    assert bundle.verdicts == (Verdict("0", True, "seen"), Verdict("1", False, "seen"))
    assert [(file.path, file.text) for file in bundle.deliverables] == [("report.md", "54.2 %")]
    assert bundle.problems == ()


def test_a_judge_that_failed_is_no_failed_rubric(case: Path) -> None:
    rows = [row(0, False, 0.0, "Judge failed: HTTP 429"), row(1, False, 0.0, "The file has no source")]
    judge(case, rows)
    assert read(case).verdicts == (
        Verdict("0", None, "Judge failed: HTTP 429", judge_failed=True),
        Verdict("1", False, "The file has no source"),
    )


def test_a_judgment_marked_as_an_error_is_a_failure_on_every_rubric(case: Path) -> None:
    judge(case, [], status="error", judge={"status": "error", "error": "timed out"})
    assert [(v.rubric_id, v.passed, v.judge_failed, v.evidence) for v in read(case).verdicts] == [
        ("0", None, True, "timed out"),
        ("1", None, True, "timed out"),
    ]


def test_a_rubric_without_a_verdict_was_not_evaluated(case: Path) -> None:
    judge(case, [row(1, None)])
    assert read(case).verdicts == (Verdict("1", None, "seen"),)


def test_a_case_without_a_judge_was_not_evaluated(case: Path) -> None:
    bundle = read(case)
    assert (bundle.verdicts, told(bundle)) == ((), ["no verdicts"])


def test_of_several_judges_the_one_that_evaluated_most_counts(case: Path) -> None:
    judge(case, [row(0, False, 0.0, "judge failed: parse error"), row(1, True)], "a")
    judge(case, [row(0, True), row(1, True)], "b")
    bundle = read(case)
    assert ([verdict.passed for verdict in bundle.verdicts], told(bundle)) == ([True, True], ["several judges"])


def test_an_error_of_the_judge_beside_real_verdicts_is_told(case: Path) -> None:
    judge(case, [row(0, True), row(1, True)], judge={"error": "it was stopped"})
    bundle = read(case)
    assert ([verdict.passed for verdict in bundle.verdicts], told(bundle)) == ([True, True], ["judge error"])


def test_odd_rows_and_rubrics_are_problems(case: Path) -> None:
    (case / "metadata.json").write_text(json.dumps({"rubrics": ["a", 5, "c"], "task": 3}))
    judge(case, [row(0, True), row(0, False), row(9, True), row("2", True), row(True, True)])
    bundle = read(case)
    assert bundle.rubrics == (Rubric("0", "a"), Rubric("2", "c"))
    assert [(verdict.rubric_id, verdict.passed) for verdict in bundle.verdicts] == [("0", True), ("9", True)]
    assert sorted(told(bundle)) == [*["repeated verdict"], *["unexpected type"] * 4, "unknown rubric"]


def test_torn_parts_leave_the_run(case: Path) -> None:
    (case / "metadata.json").write_text('{"rubrics": ["a"')
    (case / "rubrics_judge--m.json").write_text("[]")
    bundle = read(case)
    assert bundle.log is not None
    assert told(bundle) == ["no JSON", "no rubrics", "unexpected type", "no list"]


def test_the_agents_own_log_counts_more_than_the_runners_record(case: Path) -> None:
    (case / "raw").mkdir()
    (case / "raw" / "session.jsonl").write_text(pi_log(pi_user("Write"), pi_agent("Done")))
    log = read(case).log
    assert log is not None
    assert log.name == "session.jsonl"


def test_a_task_that_nobody_ran_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "metadata.json").write_text('{"rubrics": ["a"]}')
    (tmp_path / "output").mkdir()
    (tmp_path / "data").mkdir()
    assert not workspace_bench.recognises(Folder.of_path(tmp_path))


def test_a_run_folder_is_still_one(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text("")
    (tmp_path / "session.jsonl").write_text("")
    assert layout_of(Folder.of_path(tmp_path)) is run_folder


def test_rubrics_and_verdicts_land_in_the_store(case: Path) -> None:
    judge(case, [row(0, True), row(1, False, 0.0, "judge failed: error")])
    store = Store(case.parent / "runs.duckdb")
    [loaded] = rerun.load([str(case)], store.path)
    assert (loaded.state, [problem.kind for problem in loaded.problems]) == ("loaded", [])
    with store.reading() as connection:
        rubrics = connection.execute("SELECT rubric_id, text FROM rubrics ORDER BY 1").fetchall()
        verdicts = connection.execute("SELECT rubric_id, passed, judge_failed FROM verdicts ORDER BY 1").fetchall()
    assert rubrics == [("0", "States 54.2 %"), ("1", "Names the source")]
    assert verdicts == [("0", True, False), ("1", None, True)]
    [run] = rerun.runs(store.path)
    assert (run.suite, run.task_name, run.turns, run.calls) == ("Workspace-Bench", "7", 2, 1)


# The runner's record as a log


def test_text_opens_a_turn_and_so_does_a_second_call() -> None:
    entries = (text("Look"), tool("c1", "ls", "a.csv"), tool("c2", "cat a.csv", "54.2"), text("Done"))
    run = run_of(agent(*entries))
    assert [(turn.text, [call.arguments for call in turn.calls]) for turn in run.turns] == [
        ("Look", [{"command": "ls"}]),
        ("", [{"command": "cat a.csv"}]),
        ("Done", []),
    ]
    assert [shown.text for turn in run.turns for shown in turn.observations] == ["a.csv", "54.2"]
    assert (run.header.cwd, run.header.model, run.header.session) == ("/ws", "m", "7")
    assert run.turns[0].before[0].text == "Write the report"
    assert kinds(run) == []


def test_a_call_told_at_its_start_and_at_its_end_is_one() -> None:
    begun = tool("c1", "ls", None, status="in_progress", exitCode=None)
    same_id = run_of(agent(text("Look"), begun, tool("c1", "ls", "a.csv")))
    other_id = run_of(agent(text("Look"), begun, tool("c2", None, "a.csv")))
    for run in (same_id, other_id):
        [turn] = run.turns
        assert [call.call_id for call in turn.calls] == ["c1"]
        assert [(shown.call_id, shown.text) for shown in turn.observations] == [("c1", "a.csv")]
        assert kinds(run) == []


def test_a_failed_call_and_the_tokens_of_a_response_are_told() -> None:
    used = {"model": "m2", "usage": {"prompt_tokens": 5, "completion_tokens": 2, "cache_read": 7, "cache_write": 1}}
    run = run_of(agent(text("Look", llm=used), tool("c1", "cat x", "no such file", exitCode=1)))
    [turn] = run.turns
    assert (turn.model, turn.usage) == ("m2", Usage(5, 2, 7, 1))
    assert (turn.observations[0].is_error, turn.observations[0].exit_code) == (True, 1)
