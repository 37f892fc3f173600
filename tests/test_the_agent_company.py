"""TheAgentCompany: evaluations beside trajectories, in one folder or as a submission lays them out."""

import json
from pathlib import Path
from typing import Any

import pytest
from small_logs import pi_agent, pi_log, pi_user

from tabcore import rerun
from tabcore.bundles import Bundle, shared_bundle, shared_logs, the_agent_company
from tabcore.bundles.the_agent_company import points_of
from tabcore.source import Folder
from tabcore.store.store import Store
from tabcore.trajectory import Rubric, RunHeader, Verdict

LOG = pi_log(pi_user("Count the rooms"), pi_agent("There are 7"))


def points(total: Any, result: Any) -> dict[str, Any]:
    return {"total": total, "result": result}


EVALUATION = {"checkpoints": [points(2, 1), points(1, 1)], "final_score": points(3, 3)}


def lay(folder: Path, evaluation: Any = EVALUATION, task: str = "admin-rooms") -> Bundle:
    (folder / f"traj_{task}.json").write_text(LOG)
    if evaluation is not None:
        (folder / f"eval_{task}.json").write_text(json.dumps(evaluation))
    bundle = shared_bundle(Folder.of_path(folder), f"traj_{task}.json")
    assert bundle is not None
    return bundle


def kinds(bundle: Bundle) -> list[str]:
    return [problem.kind for problem in bundle.problems]


def test_checkpoints_become_rubrics_worth_their_points(tmp_path: Path) -> None:
    bundle = lay(tmp_path)
    assert bundle.rubrics[:2] == (Rubric("1", "Checkpoint 1", 2), Rubric("2", "Checkpoint 2", 1))
    assert bundle.verdicts[:2] == (Verdict("1", False, "1 of 2 points"), Verdict("2", True, "1 of 1 points"))
    assert bundle.stated.over(RunHeader("x")) == RunHeader("x", suite="TheAgentCompany", task_name="admin-rooms")
    assert bundle.problems == ()


def test_a_final_score_above_the_sum_of_the_checkpoints_is_taken_as_given(tmp_path: Path) -> None:
    bundle = lay(tmp_path)
    assert bundle.rubrics[2] == Rubric("final_score", "Final score", 3)
    assert points_of(bundle.verdicts[2].evidence) == (3, 3)
    assert bundle.verdicts[2].passed is True


def test_the_name_of_an_image_is_the_tasks(tmp_path: Path) -> None:
    assert lay(tmp_path, task="ds-sql-image").stated.task_name == "ds-sql"


def test_a_checkpoint_without_a_result_was_not_evaluated(tmp_path: Path) -> None:
    bundle = lay(tmp_path, {"checkpoints": [points(2, None)]})
    assert (bundle.verdicts, kinds(bundle)) == ((Verdict("1", None),), ["no final score"])


def test_a_trajectory_without_an_evaluation_was_not_evaluated(tmp_path: Path) -> None:
    lay(tmp_path, task="other")
    bundle = lay(tmp_path, None)
    assert (bundle.rubrics, bundle.verdicts, kinds(bundle)) == ((), (), ["no verdicts"])


@pytest.mark.parametrize(
    ("evaluation", "found"),
    [
        ([], ["unexpected type", "no list", "no final score"]),
        ({"checkpoints": 3, "final_score": points(1, 1)}, ["unexpected type", "no list"]),
        ({"checkpoints": [points("many", 1), points(1, 0)], "final_score": points(1, 0)}, ["unexpected type"]),
    ],
)
def test_odd_evaluations_are_problems(tmp_path: Path, evaluation: Any, found: list[str]) -> None:
    assert kinds(lay(tmp_path, evaluation)) == found


def test_a_folder_without_evaluations_is_laid_out_otherwise(tmp_path: Path) -> None:
    (tmp_path / "traj_a.json").write_text(LOG)
    assert the_agent_company.logs(Folder.of_path(tmp_path)) == {}


@pytest.mark.parametrize("named", ["", "trajectories/traj_a.json"])
def test_a_submission_loads_whole_or_by_a_trajectory(tmp_path: Path, named: str) -> None:
    place = tmp_path / "submission"
    for path, text in {"trajectories/traj_a.json": LOG, "results/eval_a.json": json.dumps(EVALUATION)}.items():
        (place / path).parent.mkdir(parents=True)
        (place / path).write_text(text)
    (place / "states").mkdir()
    assert shared_logs(Folder.of_path(place)) == {"trajectories/traj_a.json": ("results/eval_a.json",)}
    store = Store(tmp_path / "runs.duckdb")
    [loaded] = rerun.load([str(place / named)], store.path)
    assert (loaded.state, loaded.problems) == ("loaded", ())
    with store.reading() as connection:
        rows = connection.execute("SELECT rubric_id, points, passed FROM rubrics JOIN verdicts USING (run, rubric_id)")
        assert rows.fetchall() == [("1", 2, False), ("2", 1, True), ("final_score", 3, True)]
