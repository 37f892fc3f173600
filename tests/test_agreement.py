"""Agreement of annotators: equal to scikit-learn's and krippendorff's results, and what the figures leave out."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from tabcore.analyses.agreement import (
    Disagreement,
    Item,
    OfType,
    agreement,
    bootstrap_interval,
    cohen_kappa,
    confusion,
    krippendorff_alpha,
    pair,
)
from tabcore.analyses.failure_types import TYPES, FailureType
from tabcore.analyses.rates import Rate

SHOWN, DROPPED, DISCOVERY, REASONING, FORMATTING, OTHER = TYPES
types = st.sampled_from(TYPES)


def labelled(*labels: FailureType | None) -> dict[Item, FailureType | None]:
    return {("run", f"r{number}"): label for number, label in enumerate(labels)}


@given(st.lists(st.tuples(types, types), min_size=1, max_size=80))
def test_kappa_and_matrix_are_scikit_learns(labels: list[tuple[FailureType, FailureType]]) -> None:
    first, second = zip(*labels, strict=True)
    ours = cohen_kappa(confusion(labels))
    if len(set(first) | set(second)) == 1:
        assert ours is None
        return
    assert ours == pytest.approx(cohen_kappa_score(first, second), abs=1e-9)
    assert np.array_equal(confusion(labels), confusion_matrix(first, second, labels=TYPES))


def test_kappa_of_scikit_learns_own_example() -> None:
    first, second = (
        ["negative", "positive", "negative", "neutral", "positive"],
        ["negative", "positive", "negative", "neutral", "negative"],
    )
    names = sorted(set(first))
    matrix = [[sum((a, b) == (x, y) for x, y in zip(first, second, strict=True)) for b in names] for a in names]
    assert cohen_kappa(matrix) == pytest.approx(0.6875)


@given(st.lists(st.lists(types, min_size=2, max_size=5), min_size=2, max_size=40))
def test_alpha_is_krippendorffs(units: list[list[FailureType]]) -> None:
    ours = krippendorff_alpha(units)
    if len({label for unit in units for label in unit}) == 1:
        assert ours is None
        return
    counts = [[unit.count(name) for name in TYPES] for unit in units]
    assert ours == pytest.approx(krippendorff.alpha(value_counts=counts, level_of_measurement="nominal"), abs=1e-9)


def test_alpha_of_krippendorffs_own_example() -> None:
    told = (["*", "*", "*", "*", "*", "3", "4", "1", "2", "1", "1", "3", "3", "*", "3"],
            ["1", "*", "2", "1", "3", "3", "4", "3", "*", "*", "*", "*", "*", "*", "*"],
            ["*", "*", "2", "1", "3", "4", "4", "*", "2", "1", "1", "3", "3", "*", "4"])  # fmt: skip
    units = [[label for label in unit if label != "*"] for unit in zip(*told, strict=True)]
    assert krippendorff_alpha([unit for unit in units if len(unit) > 1]) == pytest.approx(0.691, abs=5e-4)


def test_the_interval_is_about_kappa_and_the_same_each_time() -> None:
    matrix = [[20, 5], [10, 15]]
    low, high = bootstrap_interval(matrix) or (9.0, 9.0)
    assert low < 0.4 < high
    assert bootstrap_interval(matrix) == (low, high)
    standard_error = 0.1270  # of kappa for this matrix, large-sample formula of Fleiss, Cohen and Everitt (1969)
    assert (high - low) / 2 == pytest.approx(1.96 * standard_error, rel=0.1)


def test_what_one_of_two_leaves_open_is_counted_apart() -> None:
    found = pair("Ann", "rules", labelled(SHOWN, DROPPED, DISCOVERY), labelled(SHOWN, None, REASONING))
    assert (found.agreed, found.undecided) == (Rate(1, 2), 1)
    assert found.disagreements == (Disagreement(("run", "r2"), DISCOVERY, REASONING),)


def test_agreement_on_each_type_counts_both_sides() -> None:
    found = pair("Ann", "Bo", labelled(SHOWN, SHOWN, DROPPED), labelled(SHOWN, DROPPED, DROPPED))
    assert found.by_type == (OfType(SHOWN, 2, 1, 1), OfType(DROPPED, 1, 2, 1))
    assert [one.share for one in found.by_type] == [pytest.approx(2 / 3)] * 2


def test_items_that_only_one_labelled_enter_nothing() -> None:
    found = agreement({"Ann": labelled(SHOWN, DROPPED), "Bo": {("run", "r0"): SHOWN, ("other", "x"): OTHER}})
    assert found.annotators == (("Ann", 2, 0), ("Bo", 2, 0))
    assert (found.pairs[0].agreed, found.items) == (Rate(1, 1), 1)
    assert (found.pairs[0].kappa, found.alpha) == (None, None)


def test_of_three_annotators_there_are_three_pairs_and_one_alpha() -> None:
    said = {"Ann": labelled(SHOWN, DROPPED), "Bo": labelled(SHOWN, DROPPED), "Cy": labelled(SHOWN, SHOWN)}
    found = agreement(said)
    assert [(one.first, one.second) for one in found.pairs] == [("Ann", "Bo"), ("Ann", "Cy"), ("Bo", "Cy")]
    assert found.pairs[0].kappa == 1.0
    expected = krippendorff.alpha(value_counts=[[3, 0], [1, 2]], level_of_measurement="nominal")
    assert found.alpha == pytest.approx(expected)


def test_nobody_and_nothing_are_no_error() -> None:
    assert agreement({}).pairs == ()
    empty = agreement({"Ann": {}, "Bo": {}}).pairs[0]
    assert (empty.kappa, empty.interval, empty.agreed.share) == (None, None, None)
