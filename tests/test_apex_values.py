"""What the analysis finds on recorded runs of others whose criteria and grades are known."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from reader_checks import ABSENT, REAL

from tabcore import rerun
from tabcore.questions import shown_but_missing

GOLDEN: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("golden").joinpath("apex_values.toml").read_text("utf-8")
)
FOLDER = REAL / "openai_messages"


@pytest.mark.skipif(not FOLDER.exists(), reason=ABSENT)
def test_each_value_of_a_criterion_is_as_checked_by_hand(tmp_path: Path) -> None:
    store = tmp_path / "runs.duckdb"
    rerun.load([str(FOLDER)], store)
    names = {row.run_id: Path(row.path).name.partition(".")[0] for row in rerun.runs(store)}
    found = shown_but_missing(store)
    told: dict[str, list[dict[str, Any]]] = {name: [] for name in GOLDEN}
    for value in found.values:
        shown = value.shown[0].turn if value.shown else 0
        row = {"value": value.text, "shown": shown, "delivered": bool(value.delivered), "passed": value.rubric.passed}
        told[names[value.run.run_id]].append(row)
    assert told == {name: run["values"] for name, run in GOLDEN.items()}
