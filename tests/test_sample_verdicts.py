"""Rubrics and verdicts of the sample runs; the hand count of what each rubric expects, held against the records by plain search."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from sample_runs import runs_folder
from tabcore import rerun
from tabcore.analyses.shown_but_missing import ExpectedValue
from tabcore.questions import shown_but_missing

COUNTED: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("golden").joinpath("sample_outcomes.toml").read_text("utf-8")
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("samples") / "runs.duckdb"
    rerun.load([str(runs_folder())], store)
    return store


def told(value: ExpectedValue) -> dict[str, Any]:
    return {
        "rubric": value.rubric.rubric_id,
        "value": value.text,
        "shown": value.shown[0].turn if value.shown else 0,
        "late": value.late[0].turn if value.late and not value.shown else 0,
        "held": list(value.held.entries) if value.held else [],
        "delivered": bool(value.delivered),
        "passed": value.rubric.passed,
    }


def counted(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "rubric": row["rubric"],
        "value": row["value"],
        "shown": row["shown"],
        "late": row.get("late", 0),
        "held": row["held"],
        "delivered": row["delivered"],
        "passed": row["passed"],
    }


@pytest.mark.parametrize("name", COUNTED)
def test_each_expected_value_is_as_counted_by_hand(name: str, store: Path) -> None:
    [run] = [row for row in rerun.runs(store) if Path(row.path).parent.name == name]
    found = shown_but_missing(store, [run.run_id])
    assert [told(value) for value in found.values] == [counted(row) for row in COUNTED[name]["values"]]
    assert {value.run.written for value in found.values} == {COUNTED[name]["last_written"]}


def test_every_outcome_occurs_in_the_samples() -> None:
    outcomes = {row["outcome"] for run in COUNTED.values() for row in run["values"]}
    assert outcomes >= {
        "delivered",
        "delivered in part",
        "misplaced",
        "missing, held",
        "missing, only listed",
        "missing, computed",
        "distorted",
        "never met",
    }
