"""Which delivered values are computed from numbers that stand together in one source, and by which formula.

Searched are sums, differences, products, ratios, percent changes, means and counts, over structured sets of numbers
only: whole columns of a table, rows of a table that share a label or stand below each other, pairs on a line, pairs
below each other, the first and the last row. A result fits when it rounds to the delivered value with the decimals that are written there.

Numbers are dense: among thousands of results some fit by chance. So each fit comes with the number of fits that chance
alone lets expect, from how many results of the same and the likelier families lie near the value and how finely it is
written; how many are let through depends on how many words the value's line and headings share with the operands'
(`CHANCE`). `tests/benchmarks/provenance.py` measures what this lets through: values whose digits are drawn anew, so
that nothing they match can be meant, against the same sources. Of 3,062 such values of the sample runs and of ten runs of
others 6 were taken for derived: 0.2 % (95 % interval 0.1 to 0.4 %).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from tabcore.analyses.formula_results import FAMILIES, Batch, Operation, batches
from tabcore.analyses.number_sheet import MOST_ROWS, OperandAt
from tabcore.analyses.source_grids import Floats, Grid, Ints, number_of

CHANCE = (0.002, 0.01, 0.02, 0.04)
"""The most fits by chance that are let through where no, one, two, more words are shared."""
_NEAR = 0.2
"""How far from a value, as a share of it, results count as near."""
_MOST_FITS = 40


@dataclass(frozen=True, slots=True)
class Target:
    """A value to explain: `unit` is the place value of its last written digit, `words` the terms around it."""

    number: Decimal
    percent: bool
    unit: Decimal
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Derivation:
    """A formula that gives the value. `chance` is the number of such fits that chance alone lets expect."""

    operation: Operation
    operands: tuple[OperandAt, ...]
    what: str
    exact: Fraction
    chance: float
    words: frozenset[str] = frozenset()


class _Sorted(NamedTuple):
    """Results of a family that are near a target, in order of size; `places` says which batch gave each, and where."""

    results: Floats
    batch: Ints
    place: Ints

    def within(self, middle: float, off: float) -> slice:
        """The results that differ by at most `off`."""
        first, last = np.searchsorted(self.results, [middle - off, np.nextafter(middle + off, np.inf)])
        return slice(int(first), int(last))


class Search:
    """All results over some grids that are near one of the targets.

    `words` gives the terms of a grid's row with its headings.
    """

    def __init__(
        self, grids: Sequence[Grid], words: Callable[[Grid, int], frozenset[str]], targets: Iterable[Target]
    ) -> None:
        self._words = words
        self._batches: list[Batch] = []
        self._sorted: dict[tuple[int, bool, bool], _Sorted] = {}
        self.is_bounded = sum(len(grid.line) for grid in grids) > MOST_ROWS
        wanted = list(targets)
        windows = {percent: _Windows(t for t in wanted if t.percent == percent) for percent in (False, True)}
        parts: dict[tuple[int, bool, bool], list[tuple[Floats, int, Ints]]] = defaultdict(list)
        asked = frozenset(word for target in wanted for word in target.words)
        for batch in batches(grids, asked):
            places = windows[batch.percent].near(batch.results)
            if len(places):
                results = batch.results[places]
                key = (batch.family, batch.percent, batch.signed)
                parts[key].append((results if batch.signed else np.abs(results), len(self._batches), places))
                self._batches.append(batch)
        for key, found in parts.items():
            results = np.concatenate([results for results, _, _ in found])
            numbers = np.concatenate([np.full(len(places), number) for _, number, places in found])
            places = np.concatenate([places for _, _, places in found])
            order = np.argsort(results, kind="stable")
            self._sorted[key] = _Sorted(results[order], numbers[order], places[order])

    def explain(self, target: Target) -> Derivation | None:
        """The likeliest formula for a target, None where none is better than chance."""
        number, unit = float(target.number), float(target.unit)
        if not number:
            return None
        expected = 0.0
        for family in range(FAMILIES):
            fits: list[Derivation] = []
            for signed in (True, False):
                if (found := self._sorted.get((family, target.percent, signed))) is not None:
                    middle = number if signed else abs(number)
                    near = found.within(middle, abs(number) * _NEAR)
                    expected += (near.stop - near.start) * unit / (2 * _NEAR * abs(number))
                    fits += self._exact(target, found, found.within(middle, unit * 0.5000001), signed=signed)
            for fit in sorted(fits, key=lambda fit: -len(fit.words)):
                if expected <= CHANCE[min(len(fit.words), len(CHANCE) - 1)]:
                    return replace(fit, chance=expected)
        return None

    def _exact(self, target: Target, found: _Sorted, chosen: slice, *, signed: bool) -> Iterator[Derivation]:
        """The formulas among some results that give the target exactly, once rounded; in the order of the sources."""
        some = sorted(zip(found.batch[chosen].tolist(), found.place[chosen].tolist(), strict=True))
        for batch, place in some[:_MOST_FITS]:
            fit = self._batches[batch].fit(place)
            exact = computed(fit.operation, [operand.value.key for operand in fit.operands], percent=target.percent)
            wanted = Fraction(target.number)
            operands = fit.operands
            if not signed and (exact < 0) != (wanted < 0):
                if fit.operation == "difference":
                    exact, operands = -exact, operands[::-1]
                else:
                    wanted = -wanted
            if abs(exact - wanted) <= Fraction(target.unit) / 2:
                words = frozenset(filter(_is_word, self._words(fit.grid, fit.row) & target.words))
                yield Derivation(fit.operation, operands, fit.what, exact, 0.0, words)


class _Windows:
    """What lies near any of some targets."""

    def __init__(self, targets: Iterable[Target]) -> None:
        sizes = sorted({abs(float(target.number)) for target in targets})
        self._low = np.array(sizes) * (1 - _NEAR)
        self._high = np.array(sizes) * (1 + _NEAR)

    def near(self, results: Floats) -> Ints:
        """The places of the results that are near a target, whatever their sign."""
        if not len(self._low):
            return np.zeros(0, np.int64)
        sizes = np.abs(results)
        nearest = np.searchsorted(self._low, sizes, side="right") - 1
        return np.nonzero((nearest >= 0) & (sizes <= self._high[nearest]))[0]


def _is_word(term: str) -> bool:
    return len(term) > 1 and not any(map(str.isdigit, term))


def computed(operation: Operation, keys: Sequence[str], *, percent: bool) -> Fraction:
    """The exact result of a formula.

    >>> computed("percent change", ["90", "80"], percent=True), computed("product", ["200", "12.5%"], percent=False)
    (Fraction(25, 2), Fraction(25, 1))
    """
    numbers = [Fraction(number_of(key)) for key in keys]
    match operation:
        case "sum":
            return sum(numbers, Fraction())
        case "mean":
            return sum(numbers, Fraction()) / len(numbers)
        case "count":
            return Fraction(len(numbers))
        case "difference":
            return numbers[0] - numbers[1]
        case "product":
            mixed = sum(key.endswith("%") for key in keys) == 1
            return numbers[0] * numbers[1] / (100 if mixed else 1)
        case "ratio":
            return numbers[0] / numbers[1] * (100 if percent else 1)
        case "less a percent" | "plus a percent":
            [percents] = [number for number, key in zip(numbers, keys, strict=True) if key.endswith("%")]
            [whole] = [number for number, key in zip(numbers, keys, strict=True) if not key.endswith("%")]
            return whole * (1 + (percents if operation == "plus a percent" else -percents) / 100)
        case "percent change":
            return (numbers[0] / numbers[1] - 1) * 100
        case "share of the total":
            return numbers[0] / sum(numbers[1:], Fraction()) * 100


def unit_of(key: str, text: str) -> Decimal:
    """The place value of the last digit that is written: 0.01 for 12.50, 100000 for 1.2 million.

    >>> unit_of("12.5", "12.50"), unit_of("1200000", "1.2 million"), unit_of("1200", "1,200")
    (Decimal('0.01'), Decimal('100000'), Decimal('1'))
    """
    written = "".join(character for character in text if character.isdecimal())
    number = abs(number_of(key))
    if not number or not written or not int(written):
        return Decimal(1)
    unit = number / Decimal(int(written))
    power = Decimal(10) ** unit.adjusted()
    return power if unit == power else Decimal(1).scaleb(int(number.as_tuple().exponent))
