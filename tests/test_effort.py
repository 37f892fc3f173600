"""What runs take, what of it is the tab's, and what a point costs."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_scores import scored
from small_logs import pi_agent, pi_log, pi_user

from sample_runs import runs_folder
from tabcore import rerun, tables
from tabcore.analyses.effort import PRICED, WORDS, EffortRun, Price, effort, prices
from tabcore.analyses.paired_comparison import Comparison, paired_comparison
from tabcore.analyses.score_facts import ScoredRun


def took(run: ScoredRun, turns: float, cost: float | None = None) -> EffortRun:
    numbers: dict[str, float | None] = dict.fromkeys(WORDS)
    return EffortRun(run.run_id, run.model, run.method, False, numbers | {"turns": turns, "cost": cost})


def compared(runs: list[ScoredRun]) -> Comparison:
    return next(one for one in paired_comparison(runs) if one.metric == "pass_rate")


def test_figures_are_medians_over_the_runs_whose_record_has_the_number() -> None:
    runs = [scored("a", "+", attempt=n) for n in (1, 2, 3)]
    [group] = effort([took(runs[0], 5, 0.5), took(runs[1], 9), took(runs[2], 6, 1.5)])
    assert (group.figures["turns"].value, group.figures["cost"].value, group.figures["cost"].cases) == (6, 1.0, 2)
    assert group.figures["check"].value is None


def test_a_point_costs_what_the_method_takes_more_for_each_it_gains() -> None:
    base = [scored("a", "+---"), scored("b", "++--")]
    ours = [scored("a", "++--", method="running_tab"), scored("b", "+++-", method="running_tab")]
    found = prices(
        compared([*base, *ours]), [took(base[0], 10), took(base[1], 20), took(ours[0], 30), took(ours[1], 50)]
    )
    told = {price.name: price for price in found}
    assert set(told) == set(PRICED)
    assert told["turns"] == Price("turns", 25, 1)
    assert told["cost"] == Price("cost", None, None)


def test_a_method_that_gains_nothing_has_no_price() -> None:
    base, ours = scored("a", "++--"), scored("a", "+---", method="running_tab")
    [turns, *_] = prices(compared([base, ours]), [took(base, 10), took(ours, 30)])
    assert (turns.more, turns.a_point) == (20, None)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("samples") / "runs.duckdb"
    rerun.load([str(runs_folder())], store)
    return store


def test_what_the_tab_adds_is_told_apart_from_what_was_read(store: Path) -> None:
    """The village hall: seven results of reads and commands, eight replies of the tab, a status line on each of the
    fifteen, one finish check. Its log's lengths were added up by hand."""
    [hall] = [run.run_id for run in rerun.runs(store) if run.task_name == "year sheet of a village hall"]
    [group] = tables.effort(store, [hall])
    told = {name: figure.value for name, figure in group.figures.items()}
    assert told["chars"] == 278 + 65 + 70 + 248 + 9 + 32 + 85
    whole = 487 + 389 + 175 + 182 + 360 + 121 + 1734 + 143 + 3 * 137 + 137 + 268 + 197 + 137
    assert told["tab_chars"] == whole - 787 + 1039
    assert (told["tab_calls"], told["last_read"], told["first_write"], told["check"]) == (8, 13, 8, 12)


def test_an_answer_is_neither_a_first_nor_a_last_write(tmp_path: Path) -> None:
    log = tmp_path / "answer.jsonl"
    log.write_text(pi_log(pi_user("How many rooms?"), pi_agent("There are 12.")))
    rerun.load([str(log)], tmp_path / "runs.duckdb")
    [group] = tables.effort(tmp_path / "runs.duckdb")
    assert [group.figures[name].value for name in ("first_write", "last_write")] == [None, None]


def test_a_run_without_a_tab_has_none_of_its_characters(store: Path) -> None:
    dci = next(group for group in tables.effort(store) if group.method == "dci")
    assert {part.count for part in dci.figures["tab_chars"].parts} == {0}


def test_scores_come_with_their_price(store: Path) -> None:
    [(one, told), _] = tables.priced(store)
    assert (one.method, [price.name for price in told]) == ("running_tab", list(PRICED))
    assert told[0].more == pytest.approx(((40 - 21) + (36 - 15)) / 2)
