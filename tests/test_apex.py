"""APEX-Agents: criteria and grades beside a trajectory."""

import json
from pathlib import Path
from typing import Any

import pytest
from small_logs import REAL

from tabcore import rerun
from tabcore.bundles import Bundle, apex, shared_bundle, shared_logs
from tabcore.source import Folder
from tabcore.store.store import Store
from tabcore.trajectory import Rubric, RunHeader, Verdict

LOG = json.dumps(
    {
        "messages": [{"role": "user", "content": "State the ratio"}, {"role": "assistant", "content": "It is 1.25"}],
        "output": None,
        "status": "completed",
        "time_elapsed": 2.5,
        "usage": {},
    }
)


def verifier(number: int, text: str, **more: Any) -> dict[str, Any]:
    return {
        "verifier_id": f"v{number}",
        "verifier_index": number,
        "task_id": "task_1",
        "verifier_values": {"criteria": text, "is_primary_objective": number == 0},
    } | more


def grade(number: int, score: float, word: str, **more: Any) -> dict[str, Any]:
    values = {"judge_grade": word, "grade_rationale": f"because {number}", "evaluated_artifacts": ""}
    return {"verifier_id": f"v{number}", "score": score, "verifier_result_values": values, "status": "ok"} | more


def lay(folder: Path, verifiers: Any = None, results: Any = None) -> Bundle:
    """A run with its parts, read."""
    (folder / "a").mkdir(exist_ok=True)
    (folder / "a.trajectory.json").write_text(LOG)
    if verifiers is not None:
        (folder / "a" / "verifiers.json").write_text(json.dumps(verifiers))
    if results is not None:
        (folder / "a" / "grades.json").write_text(json.dumps({"verifier_results": results}))
    bundle = shared_bundle(Folder.of_path(folder), "a.trajectory.json")
    assert bundle is not None
    return bundle


def kinds(bundle: Bundle) -> list[str]:
    return [problem.kind for problem in bundle.problems]


def test_criteria_become_rubrics_in_the_order_of_their_index(tmp_path: Path) -> None:
    bundle = lay(tmp_path, [verifier(1, "States 2"), verifier(0, "States 1")], [grade(0, 1.0, "pass")])
    assert bundle.rubrics == (Rubric("v0", "States 1"), Rubric("v1", "States 2"))
    assert bundle.log is not None
    assert bundle.log.name == "a.trajectory.json"
    assert bundle.stated.over(RunHeader("x")) == RunHeader("x", suite="APEX-Agents", task_name="task_1")
    assert bundle.problems == ()


def test_a_criterion_is_met_by_its_score_and_its_grade(tmp_path: Path) -> None:
    results = [grade(0, 1.0, "pass"), grade(1, 0.0, "fail"), grade(2, 1.0, "fail")]
    bundle = lay(tmp_path, [verifier(number, "States it") for number in range(3)], results)
    assert [verdict.passed for verdict in bundle.verdicts] == [True, False, False]
    assert bundle.verdicts[0] == Verdict("v0", True, "because 0")


@pytest.mark.parametrize(
    "result",
    [
        grade(0, 0.0, "fail", status="error", message="the judge timed out"),
        grade(0, 0.0, "error"),
        grade(0, 0.0, "fail", verifier_result_values={"verifier_crashed": True}),
    ],
)
def test_a_judge_that_failed_is_no_failed_criterion(tmp_path: Path, result: dict[str, Any]) -> None:
    [verdict] = lay(tmp_path, [verifier(0, "States it")], [result]).verdicts
    assert (verdict.passed, verdict.judge_failed) == (None, True)


def test_a_skipped_criterion_was_not_evaluated(tmp_path: Path) -> None:
    skipped = grade(0, 0.0, "", verifier_result_values={"skipped": True, "reason": "no file"})
    [verdict] = lay(tmp_path, [verifier(0, "States it")], [skipped]).verdicts
    assert verdict == Verdict("v0", None, "no file")


def test_a_run_without_grades_was_not_evaluated(tmp_path: Path) -> None:
    bundle = lay(tmp_path, [verifier(0, "States it")])
    assert (len(bundle.rubrics), bundle.verdicts, kinds(bundle)) == (1, (), ["no verdicts"])


def test_bad_parts_are_problems(tmp_path: Path) -> None:
    bundle = lay(
        tmp_path, [verifier(0, "States it"), {"verifier_id": 3}, verifier(0, "again")], [grade(7, 1.0, "pass")]
    )
    assert kinds(bundle) == ["unexpected type", "repeated rubric", "unknown rubric"]
    (tmp_path / "a" / "grades.json").write_text("{")
    torn = shared_bundle(Folder.of_path(tmp_path), "a.trajectory.json")
    assert torn is not None
    assert kinds(torn)[2:] == ["no JSON", "no list"]


def test_a_trajectory_among_its_parts_is_a_run_too(tmp_path: Path) -> None:
    (tmp_path / "trajectory.json").write_text(LOG)
    (tmp_path / "verifiers.json").write_text(json.dumps([verifier(0, "States it")]))
    folder = Folder.of_path(tmp_path)
    assert shared_logs(folder) == {"trajectory.json": ("verifiers.json",)}
    bundle = apex.read(folder, "trajectory.json")
    assert bundle is not None
    assert bundle.rubrics == (Rubric("v0", "States it"),)


def test_a_folder_without_criteria_beside_its_logs_is_laid_out_otherwise(tmp_path: Path) -> None:
    (tmp_path / "a.trajectory.json").write_text(LOG)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "notes.json").write_text("{}")
    folder = Folder.of_path(tmp_path)
    assert (apex.logs(folder), apex.read(folder, "a.trajectory.json"), apex.read(folder, "b.json")) == ({}, None, None)


def test_rubrics_and_verdicts_land_in_the_store_however_the_run_is_named(tmp_path: Path) -> None:
    lay(tmp_path, [verifier(0, "States it")], [grade(0, 1.0, "pass")])
    for name, place in {"folder": tmp_path, "file": tmp_path / "a.trajectory.json"}.items():
        store = Store(tmp_path / f"{name}.duckdb")
        assert [item.state for item in rerun.load([str(place)], store.path) if item.runs] == ["loaded"]
        with store.reading() as connection:
            rows = connection.execute("SELECT rubric_id, passed, judge_failed FROM verdicts").fetchall()
        assert rows == [("v0", True, False)]


def test_a_new_grade_loads_the_run_again(tmp_path: Path) -> None:
    lay(tmp_path, [verifier(0, "States it")])
    db, log = tmp_path / "runs.duckdb", str(tmp_path / "a.trajectory.json")
    assert [item.state for item in rerun.load([log], db)] == ["loaded"]
    assert [item.state for item in rerun.load([log], db)] == ["unchanged"]
    lay(tmp_path, [verifier(0, "States it")], [grade(0, 0.0, "fail")])
    assert [item.state for item in rerun.load([log], db)] == ["replaced"]


def test_the_published_runs_come_with_their_criteria_and_grades() -> None:
    if not REAL.exists():
        pytest.skip("the folder of real logs is absent")
    folder = Folder.of_path(REAL / "openai_messages")
    found = {log: apex.read(folder, log) for log in apex.logs(folder)}
    told = {
        log.split(".")[0].rpartition("_")[2]: [verdict.passed for verdict in bundle.verdicts]
        for log, bundle in found.items()
        if bundle
    }
    assert told == {
        "4bdc188e": [True, True, True],
        "a006f24d": [False],
        "ccee33f3": [False, False, False],
        "e72676c1": [False, True, False],
        "f23cb148": [False],
        "95a11015": [False],
    }
    assert [bundle.problems for bundle in found.values() if bundle] == [()] * 6
    stress = found["apex_baseline_f23cb148.trajectory.json"]
    assert stress is not None
    assert stress.rubrics[0].text == "States that the Policy Breach Stress Index is 10906.97"
