"""Agreement of annotators who labelled the same items: Cohen's kappa of a pair, Krippendorff's alpha of all.

Labels are nominal. An item that one of a pair left open ("cannot tell") is counted apart and enters no figure of the pair.
Figures equal those of scikit-learn's `cohen_kappa_score` and of the krippendorff package; the interval is a bootstrap over
items with a fixed seed (percentiles, 2,000 draws), so the same labels always give the same one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from tabcore.analyses.failure_types import TYPES, FailureType
from tabcore.analyses.rates import Rate

Item = tuple[str, str]
"""A run and one of its rubrics, by their ids."""

Labelling = Mapping[Item, FailureType | None]
"""What one annotator says of each item that it looked at; None for "cannot tell"."""

DRAWS = 2_000
_SEED = 20_261_010


@dataclass(frozen=True, slots=True)
class OfType:
    """How a pair agrees on one type: who used it how often, both together how often, and `share`, the specific agreement
    2 · both / (first + second); None where neither used it."""

    type: FailureType
    first: int
    second: int
    both: int

    @property
    def share(self) -> float | None:
        """From 0 to 1."""
        used = self.first + self.second
        return 2 * self.both / used if used else None


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An item to adjudicate: what each of the two says."""

    item: Item
    first: FailureType
    second: FailureType


@dataclass(frozen=True, slots=True)
class Pair:
    """Two annotators. `matrix[i][j]` counts items of type i by the first, type j by the second, in the order of TYPES.

    `kappa` is None without items, and where both use one and the same type throughout; `undecided` items were left open by
    one of the two.
    """

    first: str
    second: str
    agreed: Rate
    undecided: int
    kappa: float | None
    interval: tuple[float, float] | None
    matrix: tuple[tuple[int, ...], ...]
    disagreements: tuple[Disagreement, ...]

    @property
    def by_type(self) -> tuple[OfType, ...]:
        """Agreement on each type that one of the two used."""
        rows, columns = [sum(row) for row in self.matrix], [sum(column) for column in zip(*self.matrix, strict=True)]
        each = (OfType(name, rows[i], columns[i], self.matrix[i][i]) for i, name in enumerate(TYPES))
        return tuple(one for one in each if one.first or one.second)


@dataclass(frozen=True, slots=True)
class Agreement:
    """All annotators, each with how many items it labelled and left open; all pairs; alpha over the `items` that two or
    more labelled, None where it is not defined."""

    annotators: tuple[tuple[str, int, int], ...]
    pairs: tuple[Pair, ...]
    alpha: float | None
    items: int


def agreement(labellings: Mapping[str, Labelling]) -> Agreement:
    """How the annotators agree, in the order in which they are given."""
    counts = tuple(
        (name, sum(label is not None for label in said.values()), sum(label is None for label in said.values()))
        for name, said in labellings.items()
    )
    pairs = tuple(
        pair(first, second, labellings[first], labellings[second]) for first, second in combinations(labellings, 2)
    )
    units = _units(labellings.values())
    return Agreement(counts, pairs, krippendorff_alpha(units), len(units))


def pair(first: str, second: str, of_first: Labelling, of_second: Labelling) -> Pair:
    """How two annotators agree on the items that both looked at."""
    both = [(item, label, of_second[item]) for item, label in of_first.items() if item in of_second]
    decided = [(item, a, b) for item, a, b in both if a is not None and b is not None]
    matrix = confusion([(a, b) for _, a, b in decided])
    apart = tuple(Disagreement(item, a, b) for item, a, b in decided if a != b)
    rate = Rate(len(decided) - len(apart), len(decided))
    kappa, interval = cohen_kappa(matrix), bootstrap_interval(matrix)
    return Pair(first, second, rate, len(both) - len(decided), kappa, interval, matrix, apart)


def confusion(labels: Iterable[tuple[FailureType, FailureType]]) -> tuple[tuple[int, ...], ...]:
    """How often the first said one type and the second another."""
    counts = Counter(labels)
    return tuple(tuple(counts[a, b] for b in TYPES) for a in TYPES)


def cohen_kappa(matrix: Sequence[Sequence[int]]) -> float | None:
    """Cohen's kappa of a confusion matrix; None where chance alone agrees always, or there is nothing.

    >>> cohen_kappa([[20, 5], [10, 15]])
    0.4
    """
    [kappa] = _kappas(np.array([matrix], dtype=float))
    return None if np.isnan(kappa) else round(float(kappa), 12)


def bootstrap_interval(matrix: Sequence[Sequence[int]], draws: int = DRAWS) -> tuple[float, float] | None:
    """The 95 % interval of kappa over items drawn again; None where kappa has none."""
    counts = np.array(matrix, dtype=float)
    total = int(counts.sum())
    if total < 2 or cohen_kappa(matrix) is None:
        return None
    drawn = np.random.default_rng(_SEED).multinomial(total, (counts / total).ravel(), size=draws)
    kappas = _kappas(drawn.reshape(draws, *counts.shape).astype(float))
    low, high = np.nanpercentile(kappas, [2.5, 97.5])
    return float(low), float(high)


def _kappas(matrices: np.ndarray) -> np.ndarray:
    """Cohen's kappa of each matrix; nan where it is not defined."""
    totals = matrices.sum(axis=(1, 2))
    observed = np.trace(matrices, axis1=1, axis2=2)
    by_chance = (matrices.sum(axis=2) * matrices.sum(axis=1)).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        share, chance = observed / totals, by_chance / totals**2
        kappas: np.ndarray = np.where(chance < 1, (share - chance) / (1 - chance), np.nan)
    return kappas


def krippendorff_alpha(units: Sequence[Sequence[str]]) -> float | None:
    """Krippendorff's alpha for nominal labels, each unit with two or more of them; None where nothing varies.

    >>> krippendorff_alpha([["a", "a"], ["b", "b"], ["a", "b"]])
    0.444444444444
    """
    by_label: Counter[str] = Counter(label for unit in units for label in unit)
    total = by_label.total()
    expected = total**2 - sum(count**2 for count in by_label.values())
    if not expected:
        return None
    observed = sum(
        (len(unit) ** 2 - sum(count**2 for count in Counter(unit).values())) / (len(unit) - 1) for unit in units
    )
    return round(1 - (total - 1) * observed / expected, 12)


def _units(labellings: Iterable[Labelling]) -> list[list[str]]:
    """The labels of each item that two or more annotators labelled."""
    found: dict[Item, list[str]] = defaultdict(list)
    for said in labellings:
        for item, label in said.items():
            if label is not None:
                found[item].append(label)
    return [labels for labels in found.values() if len(labels) > 1]
