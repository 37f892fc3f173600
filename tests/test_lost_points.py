"""What failure types come to: lost points by group, success within a type, moves between two methods. Counted by hand."""

from __future__ import annotations

import io
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from made_rubrics import Rubrics, made_run

from tabcore.analyses.failure_taxonomy import FailedRubric, FailureTaxonomy, Proposal, TypeEvidence
from tabcore.analyses.failure_types import TYPES
from tabcore.analyses.lost_points import flow, lost_points, success_within
from tabcore.analyses.rates import Rate
from tabcore.analyses.value_facts import RubricFacts, RunFacts
from tabcore.exports.table_files import table_csv, table_parquet
from tabcore.labelling import failure_taxonomy, labellings
from tabcore.presentation.taxonomy_charts import flow_chart, lost_points_chart, success_chart
from tabcore.presentation.taxonomy_tables import flow_table, lost_points_table, success_table

SHOWN, DROPPED, DISCOVERY, *_ = TYPES


def run(name: str, method: str, attempt: int | None = 1, model: str = "m") -> RunFacts:
    return RunFacts(name, "bills", method, model, "bench", attempt, 9, None, True)


def made(*runs: tuple[RunFacts, dict[str, bool | None]]) -> FailureTaxonomy:
    """Runs with rubrics and whether each passed."""
    rubrics = [RubricFacts(one.run_id, name, "", passed) for one, judged in runs for name, passed in judged.items()]
    by_id = {one.run_id: one for one, _ in runs}
    open_one = Proposal(None, "", "suggests", (TypeEvidence("nothing"),))
    failed = [FailedRubric(by_id[r.run_id], r, (), open_one) for r in rubrics if r.passed is False]
    return FailureTaxonomy(tuple(failed), tuple(rubrics), tuple(by_id.values()))


TWO = made(
    (run("d1", "dci", 1), {"a": False, "b": False, "c": True, "d": None}),
    (run("d2", "dci", 2), {"a": True, "b": False, "c": False}),
    (run("t1", "running_tab", 1), {"a": True, "b": False, "c": True, "d": True}),
    (run("t2", "running_tab", 2), {"a": True, "b": True, "c": False}),
)
LABELS = {
    ("d1", "a"): SHOWN,
    ("d1", "b"): DISCOVERY,
    ("d2", "b"): SHOWN,
    ("d2", "c"): None,
    ("t1", "b"): DROPPED,
    ("t2", "c"): SHOWN,
}


def test_lost_points_are_shares_of_what_has_a_type() -> None:
    dci, tab = lost_points(TWO.failed, LABELS, lambda one: one.run.method or "")
    assert (dci.group, dci.labelled, dci.open_rubrics) == ("dci", 3, 1)
    assert (dci.share(SHOWN), dci.share(DISCOVERY), dci.share(DROPPED)) == (
        pytest.approx(2 / 3),
        pytest.approx(1 / 3),
        0,
    )
    assert (tab.group, tab.labelled, tab.share(SHOWN)) == ("running_tab", 2, 0.5)


def test_rubrics_of_more_points_lose_more() -> None:
    heavy = [
        FailedRubric(one.run, one.rubric, (), one.proposal, 3.0 if one.rubric.rubric_id == "a" else 1.0)
        for one in TWO.failed
    ]
    [everything] = lost_points(heavy, {("d1", "a"): SHOWN, ("d1", "b"): DISCOVERY}, lambda _: "all")
    assert everything.share(SHOWN) == 0.75
    assert everything.rubrics[SHOWN] == 1


def test_success_within_counts_all_attempts_of_each_method_on_rubrics_so_labelled_in_any_dci_attempt() -> None:
    # a: passed 1 of 2 under dci, 2 of 2 under the tab; b: 0 of 2 and 1 of 2. c is so labelled under the tab alone
    assert success_within(TWO, LABELS) == {"dci": Rate(1, 4), "running_tab": Rate(3, 4)}


def test_success_is_told_in_the_methods_own_order() -> None:
    methods = ("no_review", "running_tab", "todo", "dci", "self_refine")
    found = made(*((run(name, name), {"a": False}) for name in methods))
    assert list(success_within(found, {("dci", "a"): SHOWN})) == [
        "dci",
        "todo",
        "self_refine",
        "running_tab",
        "no_review",
    ]


def test_runs_of_another_model_are_not_the_same_rubrics() -> None:
    found = made((run("d1", "dci"), {"a": False}), (run("t1", "running_tab", model="other"), {"a": True}))
    assert success_within(found, {("d1", "a"): SHOWN}) == {"dci": Rate(0, 1)}


def test_moves_pair_attempts_and_leave_out_what_was_not_evaluated() -> None:
    assert flow(TWO, LABELS, "dci", "running_tab") == {
        (SHOWN, "passed"): 2,  # a of the first, b of the second attempt
        (DISCOVERY, DROPPED): 1,
        ("no type", SHOWN): 1,
        ("passed", "passed"): 2,
    }


def test_attempts_without_numbers_are_paired_in_order() -> None:
    found = made(
        (run("d1", "dci", None), {"a": False}),
        (run("d2", "dci", None), {"a": True}),
        (run("t1", "running_tab", None), {"a": True}),
    )
    assert flow(found, {("d1", "a"): SHOWN}, "dci", "running_tab") == {(SHOWN, "passed"): 1}


def test_every_figure_has_its_table_with_n_and_the_papers_value() -> None:
    groups = lost_points(TWO.failed, LABELS, lambda one: one.run.method or "")
    table = lost_points_table(groups)
    assert table["n"] == [3] * 6 + [2] * 6
    assert table["paper, %"][:6] == [12.3, 38.9, 17.6, 10.3, 4.8, 16.1]
    rates = success_table(success_within(TWO, LABELS))
    assert (rates["n"], rates["paper, %"], rates["success, %"]) == ([4, 4], [20.7, 27.0], [25.0, 75.0])
    moves = flow(TWO, LABELS, "dci", "running_tab")
    assert flow_table(moves, "dci", "running_tab")["rubrics"] == [2, 1, 1, 2]
    titles = [lost_points_chart(groups, "by method").layout.annotations[n].text for n in (0, 1)]
    assert titles == ["dci (n = 3)", "running_tab (n = 2)"]
    assert success_chart(success_within(TWO, LABELS)).data[1].x == (0.207, 0.27)
    assert sum(flow_chart(moves, "dci", "running_tab").data[0].link.value) == 6


def test_types_are_told_apart_without_colour() -> None:
    patterns = lost_points_chart(lost_points(TWO.failed, LABELS, lambda _: "all"), "").data[0].marker.pattern.shape
    assert len(set(patterns)) == len(TYPES)


def test_many_groups_are_stacked_and_names_draw_no_tags() -> None:
    groups = lost_points(TWO.failed, LABELS, lambda one: f"<b>{one.run.run_id}{one.rubric.rubric_id}" + "x" * 99)
    chart = lost_points_chart(groups, "by task")
    assert len(chart.data) == len(TYPES)
    assert not any("<" in row for row in chart.data[0].y)


def test_nothing_labelled_is_drawn_all_the_same() -> None:
    groups = lost_points(TWO.failed, {}, lambda _: "all")
    assert groups[0].share(SHOWN) is None
    lost_points_chart(groups, "").to_json()
    assert success_within(TWO, {}) == {}


def test_tables_come_back_from_their_files() -> None:
    table = lost_points_table(lost_points(TWO.failed, LABELS, lambda _: "all"))
    read = pq.read_table(io.BytesIO(table_parquet(table)))
    assert read.column("rubrics").to_pylist() == table["rubrics"]
    assert table_csv(table).splitlines()[1] == "all,Shown but Missing,3,3.0,60.0,12.3,5,1"


def test_stored_runs_come_to_the_same(tmp_path: Path) -> None:
    store = tmp_path / "runs.duckdb"
    rubrics: Rubrics = {"a": ("States 1,234.50", False), "b": ("States 7,890.25", True)}
    made_run(tmp_path / "d", store, rubrics, "7890.25", method="dci", model="m")
    made_run(
        tmp_path / "t",
        store,
        {**rubrics, "a": (rubrics["a"][0], True)},
        "1234.50 7890.25",
        method="running_tab",
        model="m",
    )
    found = failure_taxonomy(store)
    labels = labellings(found, ())["rules"]
    assert success_within(found, labels) == {"dci": Rate(0, 1), "running_tab": Rate(1, 1)}
    assert flow(found, labels, "dci", "running_tab") == {(SHOWN, "passed"): 1, ("passed", "passed"): 1}
