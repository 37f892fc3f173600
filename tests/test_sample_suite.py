"""The suite of simulated runs: recorded again byte for byte, counted by hand in part, and enough to fill every table."""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from sample_runs import SUITE_RUNS, SUITE_SIMULATED, runs_folder, suite_archive
from sample_runs.record import HERE
from sample_runs.record_suite import SuiteRun, packed, recorded, suite_runs
from sample_runs.suite.lapses import HABITS, MENDED, MODELS, RATES, Fate
from sample_runs.suite.tasks import suite_tasks
from tabcore import rerun, tables
from tabcore.analyses.scores import Row
from tabcore.analyses.tab_facts import Group
from tabcore.cli import main
from tabcore.labelling import failure_taxonomy

SWITCHES = ("no_capture", "no_review", "no_evidence_check", "no_finish_check")
METHODS = ("dci", "todo", "self_refine", "self_tracking", "running_tab", *SWITCHES)
SUITES = ("Workspace-Bench-like", "TheAgentCompany-like", "OfficeQA-like")


@cache
def members() -> dict[str, bytes]:
    """What the archive holds, by path."""
    with tarfile.open(suite_archive()) as archive:
        return {member.name: file.read() for member in archive if (file := archive.extractfile(member))}


def unpacked(wanted: Callable[[SuiteRun], bool], folder: Path) -> Path:
    """The run folders of the archive for these runs."""
    names = {run.name for run in suite_runs() if wanted(run)}
    for path, data in members().items():
        if path.split("/")[1] in names:
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    return folder / "suite"


def run_named(name: str) -> SuiteRun:
    [found] = [run for run in suite_runs() if run.name == name]
    return found


# recorded again


@pytest.mark.parametrize("name", ["spare_parts-hasty-running_tab-1", "uid0904-steady-self_tracking-2"])
def test_a_run_recorded_again_has_the_bytes_of_the_archive(name: str) -> None:
    again = {f"suite/{name}/{path}": data for path, data in recorded(run_named(name)).items()}
    assert again == {path: data for path, data in members().items() if path.split("/")[1] == name}


def test_the_same_runs_are_packed_into_the_same_bytes(tmp_path: Path) -> None:
    runs = [run_named("uid0902-steady-dci-1"), run_named("uid0902-steady-dci-2")]
    assert packed(runs) == packed(runs)


@pytest.mark.long
def test_all_runs_recorded_again_have_the_bytes_of_the_archive() -> None:
    again = {f"suite/{run.name}/{path}": data for run in suite_runs() for path, data in recorded(run).items()}
    assert again == members()


# what it is made of


def test_twelve_tasks_in_three_suites_by_nine_methods_two_models_and_three_attempts() -> None:
    tasks = suite_tasks()
    assert [sum(task.suite == suite for task in tasks) for suite in SUITES] == [4, 4, 4]
    assert {run.fate.method for run in suite_runs()} == set(METHODS)
    assert len(suite_runs()) == SUITE_RUNS == 12 * 9 * 2 * 3
    assert {path.split("/")[1] for path in members()} == {run.name for run in suite_runs()}
    assert suite_archive().stat().st_size < 1_000_000


def test_each_value_that_a_task_asks_for_stands_in_a_file_of_its_own_and_differs_from_the_one_beside_it() -> None:
    for task in suite_tasks():
        assert len({item.path for item in task.items}) == len(task.items)
        for item in task.items:
            assert item.value != item.near
            written = task.files[item.path].replace(",", "")
            for value in (item.value, item.near):
                [digits] = re.findall(r"[\d,.]*\d", value)
                assert digits.replace(",", "") in written


def test_every_run_says_that_it_is_simulated_and_its_model_does_too() -> None:
    described = [data.decode() for path, data in members().items() if path.endswith("/run.toml")]
    assert len(described) == SUITE_RUNS
    assert all(f"simulated = {json.dumps(SUITE_SIMULATED)}" in text for text in described)
    assert "made-up" in SUITE_SIMULATED
    assert all(model.startswith("simulated") for model in MODELS)


def test_a_method_that_fails_less_often_fails_only_where_another_does_too() -> None:
    def lapses(method: str) -> set[tuple[str, str, int]]:
        return {
            (run.name.split("-")[1], item.path, run.fate.attempt)
            for run in suite_runs()
            if run.fate.method == method
            for item in run.task.items
            if run.fate.lapse(item.path)
        }

    assert lapses("todo") < lapses("dci") == lapses("self_refine")
    assert lapses("running_tab") == lapses("no_review") < lapses("dci")


def test_lapses_come_as_often_as_their_rates_say() -> None:
    fates = [Fate("simulated, steady", "any", "dci", attempt) for attempt in range(4000)]
    for lapse, rate in RATES["dci"].items():
        assert sum(fate.lapse("item") == lapse for fate in fates) / len(fates) == pytest.approx(rate, abs=0.015)


def test_the_readme_states_every_rate() -> None:
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    for name, rates in [*RATES.items(), *MENDED.items()]:
        cells = " | ".join(f"{100 * rate:.0f} %" for rate in rates.values())
        assert f"| {name} | {cells} |" in readme
    for habit, rate in HABITS.items():
        assert f"| {habit} | {100 * rate:.0f} % |" in readme
    for model, factor in MODELS.items():
        assert f"| {model} | {factor:g} |" in readme


# counted by hand

# Rubrics met, of 9 for market_stalls (eight fees, their sum) and of 10 for orchard_harvest (nine yields, their sum), in
# attempts 1, 2 and 3 of the steady model: read off the deliverables and the files of the workspaces.
#
#                        market_stalls                          orchard_harvest
#   dci           9, 9, 7 (Mill Loaf is left out,    6, 6, 6 (1: three left out; 2: three of what was sold;
#                          so the sum is wrong)                3: three left out; the sum is wrong in all)
#   running_tab   9, 9, 9                            8, 7, 8 (1: Priory Bank as sold; 2: Windmill Piece and
#                                                              Bramble End as sold; 3: Church Acre left out)
BY_HAND = {"dci": ((15, 15, 13), (1, 1, 1)), "running_tab": ((17, 16, 17), (2, 2, 2))}
"""By method and attempt: rubrics met of 19, and tasks of 2 with 70 % of their rubrics met."""


def test_the_scores_of_two_tasks_are_those_counted_by_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tasks = ("market_stalls", "orchard_harvest")
    folder = unpacked(
        lambda run: run.task.name in tasks and run.fate.method in BY_HAND and "steady" in run.fate.model, tmp_path
    )
    db = str(tmp_path / "db")
    assert main(["load", str(folder), "--db", db, "--strict"]) == 0
    capsys.readouterr()
    assert main(["analyze", "scores", "--db", db, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    found = {
        row["method"]: tuple(
            tuple((attempt["count"], attempt["of"]) for attempt in row["scores"][metric]["attempts"])
            for metric in ("pass_rate", "tcr70")
        )
        for row in rows
    }
    assert found == {
        method: (tuple((met, 19) for met in rubrics), tuple((complete, 2) for complete in done))
        for method, (rubrics, done) in BY_HAND.items()
    }
    [dci] = [row["scores"]["pass_rate"] for row in rows if row["method"] == "dci"]
    assert (dci["mean"], dci["deviation"]) == pytest.approx((43 / 57, (8 / 9) ** 0.5 / 19))


# enough to fill every table


def assert_tables_are_full(db: Path, models: int, attempts: int, tasks: int) -> None:
    """Tables 1 to 4 and Figure 5 have a number in each cell that their methods can have."""
    found = tables.scores(db, None)
    assert len(found.rows) == len(SUITES) * models * len(METHODS)
    assert found.missing == found.unequal == ()
    for row in found.rows:
        assert_row_is_full(row, attempts, tasks)
    for group in tables.tab_holdings(db, None):
        assert figures_of(group) >= {"entries", "files", "excerpted", "candidates"}
        if group.method == "running_tab":
            assert len(figures_of(group)) == 7
    operated = tables.tab_operations(db, None)
    assert {group.method for group in operated} == {"running_tab", *SWITCHES}
    assert all(len(figures_of(group)) == 8 for group in operated)
    assert len(tables.ablation(db, None)) == len(SUITES) * models * 6 * 2
    volumes = tables.reading_volume(db, None, "dci", "running_tab")
    assert len(volumes) == len(SUITES) * models
    assert all(len(volume.thirds) == 3 and volume.left_out == 0 for volume in volumes)


def assert_row_is_full(row: Row, attempts: int, tasks: int) -> None:
    assert row.simulated
    assert (row.coverage.tasks, row.coverage.runs, row.coverage.unscored) == (tasks, tasks * attempts, ())
    assert len(row.cells) == 2
    for cell in row.cells.values():
        assert len(cell.attempts) == attempts
        assert (cell.deviation is None) == (attempts == 1)


def figures_of(group: Group) -> set[str]:
    return {name for name, figure in group.figures.items() if figure.value is not None}


@pytest.fixture(scope="module")
def one_attempt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the first attempt of the steady model by every method, at three tasks of each suite."""
    folder = tmp_path_factory.mktemp("suite")
    tasks = {task.name for suite in SUITES for task in [one for one in suite_tasks() if one.suite == suite][:3]}
    runs = unpacked(lambda run: run.fate.attempt == 1 and "steady" in run.fate.model and run.task.name in tasks, folder)
    rerun.load([str(runs)], folder / "db")
    return folder / "db"


def test_one_attempt_of_one_model_at_three_tasks_fills_the_tables(one_attempt: Path) -> None:
    assert_tables_are_full(one_attempt, models=1, attempts=1, tasks=3)


def test_a_tab_without_the_review_has_none_that_was_pulled(one_attempt: Path) -> None:
    pulled = {group.method: group.figures["list"].value for group in tables.tab_operations(one_attempt, None)}
    assert pulled["no_review"] == pulled["no_capture"] == 0
    assert pulled["running_tab"] == pulled["no_evidence_check"] != 0
    beside = {group.method: group.figures["reviewed_beside"].value for group in tables.tab_holdings(one_attempt, None)}
    assert beside["no_review"] is beside["no_capture"] is beside["dci"] is None


def test_an_answer_that_is_given_again_after_the_finish_check_is_no_edit_of_a_file(one_attempt: Path) -> None:
    asked = {row.run_id for row in rerun.runs(one_attempt) if row.suite == "OfficeQA-like"}
    [whole] = [group for group in tables.tab_operations(one_attempt, None) if group.method == "running_tab"]
    edits = {part.run_id in asked: part.count for part in whole.figures["edits_after"].parts if part.count}
    assert whole.figures["checked"].value == 1
    assert edits == {False: 1}


def test_the_final_score_of_a_company_task_is_no_failure_beside_its_checkpoints(one_attempt: Path) -> None:
    companies = {row.run_id for row in rerun.runs(one_attempt) if row.suite == "TheAgentCompany-like"}
    failed = [one for one in failure_taxonomy(one_attempt).failed if one.run.run_id in companies]
    assert {one.rubric.rubric_id for one in failed} == {"1", "2", "3", "4"}
    company = next(row for row in tables.scores(one_attempt, None).rows if row.suite == "TheAgentCompany-like")
    assert company.cells["success"].mean < 1


# offered


def offered(db: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The buttons that offer the suite on a page over this store."""

    def page() -> None:
        from dashboard import data
        from dashboard.parts import suite_offer

        suite_offer.draw(data.runs())

    monkeypatch.setenv("RUNNINGTAB_DB", str(db))
    return [button.label for button in AppTest.from_function(page, default_timeout=30).run().button]


def test_the_suite_is_offered_where_nothing_but_samples_is_stored(
    one_attempt: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = tmp_path / "db"
    assert offered(db, monkeypatch) == []
    rerun.load([str(runs_folder() / "energy_report")], db)
    assert offered(db, monkeypatch) == ["Load 648 simulated runs"]
    own = tmp_path / "own.jsonl"
    own.write_bytes((runs_folder() / "village_hall" / "session.jsonl").read_bytes())
    rerun.load([str(own)], db)
    assert offered(db, monkeypatch) == []
    assert offered(one_attempt, monkeypatch) == []


@pytest.mark.long
def test_the_archive_fills_the_tables(tmp_path: Path) -> None:
    db = tmp_path / "db"
    loaded = rerun.load([str(suite_archive())], db)
    assert [problem for item in loaded for problem in item.problems] == []
    assert all(row.differences == 0 for row in rerun.runs(db))
    assert_tables_are_full(db, models=2, attempts=3, tasks=4)
