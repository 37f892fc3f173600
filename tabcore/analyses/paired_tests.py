"""Statistics of paired differences, for few cases: nothing here assumes that they are normally distributed but the power.

Resampling and sign flips beyond what can be enumerated start from the same seed, so that a number stays the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, stdev

import numpy as np
import numpy.typing as npt

SEED = 20261010
RESAMPLES = 10_000
ENUMERATED = 40
"""Differences whose signs can all be flipped: two halves of a million sums each."""
SAMPLED = 200_000
_EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class Probability:
    """A p-value; `exact` is false where the flips were sampled, since there are too many."""

    value: float
    exact: bool


def bootstrap_interval(differences: Sequence[float], level: float = 0.95) -> tuple[float, float] | None:
    """The percentile bootstrap interval of the mean; None for fewer than two differences.

    >>> bootstrap_interval([0.5, 0.5, 0.5])
    (0.5, 0.5)
    """
    if len(differences) < 2:
        return None
    found = np.asarray(differences, dtype=np.float64)
    chosen = np.random.default_rng(SEED).integers(0, len(found), (RESAMPLES, len(found)))
    ends = np.percentile(found[chosen].mean(axis=1), [50 * (1 - level), 50 * (1 + level)])
    return float(ends[0]), float(ends[1])


def sign_flip_test(differences: Sequence[float]) -> Probability:
    """The two-sided p of the mean under "either sign of each difference is as likely": Fisher's paired permutation test.

    For differences of one size it is the exact sign test, and so McNemar's.

    >>> sign_flip_test([1, 1, 1, 1, -1, 0]), sign_flip_test([])
    (Probability(value=0.375, exact=True), Probability(value=1.0, exact=True))
    """
    found = np.abs(np.asarray([one for one in differences if one], dtype=np.float64))
    reached = abs(math.fsum(differences))
    if not len(found) or reached <= _EQUAL:
        return Probability(1.0, exact=True)
    if len(found) <= ENUMERATED:
        return Probability(min(1.0, 2 * _tail(found, reached)), exact=True)
    signs = np.random.default_rng(SEED).integers(0, 2, (SAMPLED, len(found)), dtype=np.int8) * 2 - 1
    beyond = int((np.abs(signs @ found) >= reached - _EQUAL).sum())
    return Probability((beyond + 1) / (SAMPLED + 1), exact=False)


def _tail(sizes: npt.NDArray[np.float64], reached: float) -> float:
    """The share of all sign patterns whose sum is at least as large."""
    left = _sums(sizes[: len(sizes) // 2])
    right = np.sort(_sums(sizes[len(sizes) // 2 :]))
    smaller = np.searchsorted(right, reached - _EQUAL - left, side="left")
    return float((len(right) - smaller).sum()) / (len(left) * len(right))


def _sums(sizes: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate((sums + size, sums - size))
    return sums


def holm(probabilities: Sequence[float]) -> tuple[float, ...]:
    """The p-values corrected for their number, in the given order (Holm 1979).

    >>> [round(p, 6) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    corrected = [1.0] * len(probabilities)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(probabilities)), key=probabilities.__getitem__)):
        highest = max(highest, min(1.0, (len(probabilities) - rank) * probabilities[place]))
        corrected[place] = highest
    return tuple(corrected)


def cases_needed(differences: Sequence[float], gain: float, power: float = 0.8, alpha: float = 0.05) -> int | None:
    """How many paired cases with this spread a two-sided t test needs to see a mean difference of `gain`.

    None where the spread is not known (fewer than two) or there is none. Guenther's approximation, within one case of
    the exact number.

    >>> cases_needed([0.1, -0.1, 0.3, 0.0, 0.2], 0.1)
    22
    """
    spread = stdev(differences) if len(differences) > 1 else 0.0
    if spread == 0:
        return None
    alpha_point, power_point = (NormalDist().inv_cdf(share) for share in (1 - alpha / 2, power))
    return max(2, math.ceil(((alpha_point + power_point) * spread / gain) ** 2 + alpha_point**2 / 2))
