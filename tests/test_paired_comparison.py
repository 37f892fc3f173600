"""Paired statistics: equal to scipy's and statsmodels' where they have them, and by hand where a hand suffices."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_scores import lay_run, scored
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

from tabcore import rerun
from tabcore.analyses.paired_comparison import Comparison, paired_comparison
from tabcore.analyses.paired_tests import RESAMPLES, SEED, bootstrap_interval, cases_needed, holm, sign_flip_test
from tabcore.cli import main

CASES = [
    [0.1, -0.05, 0.3, 0.0, 0.2, 0.12, -0.4, 0.25],
    [1, 1, 0, -1, 1, 1, 1, 0, 0, 1],
    [0.5, 0.5, 0.5],
    [-0.2, 0.1],
    [1 / 3, 2 / 3, -1 / 3, 1 / 3, 0, 1 / 7, 2 / 7],
]


def only(runs: list[object], **more: object) -> Comparison:
    [found] = [one for one in paired_comparison(runs, **more) if one.metric == "pass_rate"]  # type: ignore[arg-type]
    return found


# The tests themselves


@pytest.mark.parametrize("differences", CASES)
def test_the_sign_flip_test_is_scipys_exact_permutation_test(differences: list[float]) -> None:
    theirs = stats.permutation_test(
        (np.array(differences),), lambda x, axis: x.mean(axis), permutation_type="samples", n_resamples=np.inf
    )
    assert sign_flip_test(differences).value == pytest.approx(theirs.pvalue)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(-12, 12), min_size=2, max_size=11))
def test_it_is_scipys_for_any_differences(twelfths: list[int]) -> None:
    """scipy is asked in whole numbers: in twelfths it takes sums that rounding alone tells apart for unequal."""
    theirs = stats.permutation_test(
        (np.array(twelfths),), lambda x, axis: x.sum(axis), permutation_type="samples", n_resamples=np.inf
    )
    assert sign_flip_test([number / 12 for number in twelfths]).value == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize(("won", "lost"), [(9, 2), (5, 5), (30, 1), (0, 4)])
def test_for_successes_it_is_mcnemars_exact_test(won: int, lost: int) -> None:
    theirs = mcnemar([[7, won], [lost, 3]], exact=True)
    assert sign_flip_test([1.0] * won + [-1.0] * lost + [0.0] * 10).value == pytest.approx(theirs.pvalue)


def test_beyond_forty_differences_the_flips_are_sampled_and_near_the_exact_value() -> None:
    found = sign_flip_test([1.0] * 40 + [-1.0] * 20)
    exact = stats.binomtest(40, 60).pvalue
    assert not found.exact
    assert abs(found.value - exact) < 4 * math.sqrt(exact / 200_000)


@pytest.mark.parametrize("differences", CASES)
def test_the_bootstrap_interval_is_scipys_percentile_interval(differences: list[float]) -> None:
    theirs = stats.bootstrap(
        (np.array(differences),), np.mean, n_resamples=RESAMPLES, method="percentile", rng=np.random.default_rng(SEED)
    ).confidence_interval
    assert bootstrap_interval(differences) == pytest.approx((theirs.low, theirs.high))


@settings(max_examples=12, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_the_correction_is_statsmodels_holm(probabilities: list[float]) -> None:
    assert holm(probabilities) == pytest.approx(tuple(multipletests(probabilities, method="holm")[1]))


@pytest.mark.parametrize("gain", [0.02, 0.03, 0.1, 0.2])
@pytest.mark.parametrize("differences", [CASES[0], CASES[1], CASES[4]])
def test_the_cases_needed_are_statsmodels_within_one(differences: list[float], gain: float) -> None:
    size = gain / float(np.std(differences, ddof=1))
    theirs = math.ceil(TTestPower().solve_power(effect_size=size, power=0.8, alpha=0.05))
    found = cases_needed(differences, gain)
    assert found is not None
    assert abs(found - theirs) <= 1


def test_one_case_has_no_interval_and_no_spread() -> None:
    assert (bootstrap_interval([0.5]), cases_needed([0.5], 0.03), sign_flip_test([0.5]).value) == (None, None, 1.0)


# The comparison


def test_tasks_are_paired_by_the_mean_of_their_attempts() -> None:
    runs = [scored("a", "+---", attempt=1), scored("a", "+++-", attempt=2), scored("b", "++++")]
    runs += [scored("a", "+++-", method="running_tab"), scored("b", "++--", method="running_tab")]
    found = only(runs)
    [a, b] = found.pairs
    assert (a.difference, b.difference, found.difference) == (0.25, -0.5, -0.125)
    assert a.range == (0.0, 0.5)
    assert a.baseline.runs == ("a/dci/1/m", "a/dci/2/m")


def test_unequal_task_sets_are_paired_on_the_shared_ones() -> None:
    runs = [scored("a", "+"), scored("b", "-"), scored("b", "+", method="todo"), scored("c", "+", method="todo")]
    found = only(runs)
    assert ([pair.task for pair in found.pairs], found.left_out) == (["b"], 2)


def test_nothing_is_compared_without_a_baseline_or_a_shared_task() -> None:
    assert paired_comparison([scored("a", "+", method="running_tab")]) == ()
    assert paired_comparison([scored("a", "+"), scored("b", "+", method="running_tab")]) == ()


def test_p_is_corrected_for_all_comparisons_together() -> None:
    runs = [scored(f"t{at}", "-", method="dci") for at in range(6)]
    runs += [scored(f"t{at}", "+", method=method) for at in range(6) for method in ("todo", "running_tab")]
    found = paired_comparison(runs)
    assert [(one.method, one.metric) for one in found] == [
        ("todo", "pass_rate"), ("todo", "tcr70"), ("running_tab", "pass_rate"), ("running_tab", "tcr70"),
    ]  # fmt: skip
    assert [(one.p.value, one.corrected) for one in found] == [(0.03125, 0.125)] * 4
    assert only(runs, methods=["todo"]).corrected == 0.0625


def test_the_command_says_the_difference_its_interval_and_how_many_tasks_were_needed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for task, base, ours in (("a", "+---", "++--"), ("b", "++--", "++++"), ("c", "++++", "+++-")):
        for method, signs in (("dci", base), ("running_tab", ours)):
            lay_run(tmp_path / "logs" / f"{task}-{method}", signs, method=method, model="m", suite="S", task_name=task)
    rerun.load([str(tmp_path / "logs")], tmp_path / "s.duckdb")
    assert main(["analyze", "paired", "--db", str(tmp_path / "s.duckdb")]) == 0
    told = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert told[1].startswith("S m running_tab over dci Rubric Pass Rate 3 0 +16.67 -25.00 to +50.00 0.75 1 ")
    assert main(["analyze", "paired", "--json", "--db", str(tmp_path / "s.duckdb")]) == 0
    [rate, _] = json.loads(capsys.readouterr().out)
    assert (rate["difference"], rate["p"]["value"]) == (pytest.approx(1 / 6), 0.75)
    assert [pair["difference"] for pair in rate["pairs"]] == [0.25, 0.5, -0.25]
