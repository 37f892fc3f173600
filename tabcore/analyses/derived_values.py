"""Which delivered values are computed from numbers that stand together in one source, and by which formula.

Searched are sums, differences, products, ratios, percent changes, means and counts, over structured sets of numbers
only: whole columns of a table, rows of a table that share a label or stand below each other, pairs on a line, pairs
below each other, the first and the last row. A result fits when it rounds to the delivered value with the decimals that are written there.

Numbers are dense: among thousands of results some fit by chance. So each fit comes with the number of fits that chance
alone lets expect, from how many results of the same and the likelier families lie near the value and how finely it is
written; how many are let through depends on how many words the value's line and headings share with the operands'
(`CHANCE`). `tests/benchmarks/provenance.py` measures what this lets through: values whose digits are
permuted, so that nothing they match can be meant, against the same sources.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from tabcore.analyses.provenance_facts import Occurrence
from tabcore.analyses.source_tables import SourceTable, number_of

Operation = Literal[
    "sum", "difference", "product", "ratio", "percent change", "less a percent", "plus a percent", "mean", "count",
    "share of the total",
]  # fmt: skip

CHANCE = (0.004, 0.04, 0.08, 0.16)
"""The most fits by chance that are let through where no, one, two, more words are shared."""
_NEAR = 0.2
"""How far from a value, as a share of it, results count as near."""
_WIDEST_ROW = 12
_MOST_ROWS = 20_000
_MOST_FITS = 40
_Floats = npt.NDArray[np.float64]


class OperandAt(NamedTuple):
    """A number in one of the searched texts."""

    text: int
    value: Occurrence


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


class _Fit(NamedTuple):
    operation: Operation
    operands: tuple[OperandAt, ...]
    what: str
    table: int
    row: int


class _Batch(NamedTuple):
    """Results of one operation over many operand sets; `fit` tells which set gave the n-th."""

    results: _Floats
    fit: Callable[[int], _Fit]


class _Sorted(NamedTuple):
    """All results of a family in order of size; `sizes` says where each batch's results begin in the original order."""

    results: _Floats
    order: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]

    def within(self, middle: float, off: float) -> npt.NDArray[np.int64]:
        """The original places of the results that differ by at most `off`, in order."""
        first = np.searchsorted(self.results, middle - off, side="left")
        last = np.searchsorted(self.results, middle + off, side="right")
        return np.sort(self.order[first:last])


class Search:
    """All results over some tables, to be asked for one value after the other.

    `words` gives the terms of a table's row with its headings. The families are ordered from the likeliest formula.
    """

    def __init__(self, tables: Sequence[SourceTable], words: Callable[[int, int], frozenset[str]]) -> None:
        self._tables = tables
        self._words = words
        self._families: dict[tuple[int, bool, bool], list[_Batch]] = defaultdict(list)
        self._sorted: dict[tuple[int, bool, bool], _Sorted] = {}
        self.is_bounded = sum(len(table.rows) for table in tables) > _MOST_ROWS
        rows = 0
        for position, table in enumerate(tables):
            rows += len(table.rows)
            if len(table.rows) > 1 and rows <= _MOST_ROWS:
                self._columns(position, table)
        self._lines()
        for name, batches in self._families.items():
            sizes = np.cumsum([0, *(len(batch.results) for batch in batches)])
            results = np.concatenate([batch.results for batch in batches])
            compared = results if name[2] else np.abs(results)
            order = np.argsort(compared)
            self._sorted[name] = _Sorted(compared[order], order, sizes)

    def explain(self, target: Target) -> Derivation | None:
        """The likeliest formula for a value, None where none is better than chance."""
        number, unit = float(target.number), float(target.unit)
        if not number:
            return None
        expected = 0.0
        for family in range(_FAMILIES):
            fits: list[Derivation] = []
            for signed in (True, False):
                key = (family, target.percent, signed)
                if (found := self._sorted.get(key)) is not None:
                    middle = number if signed else abs(number)
                    near = len(found.within(middle, abs(number) * _NEAR))
                    expected += near * unit / (2 * _NEAR * abs(number))
                    fits += self._exact(target, key, found.within(middle, unit * 0.5000001)[:_MOST_FITS])
            for fit in sorted(fits, key=lambda fit: -len(fit.words)):
                if expected <= CHANCE[min(len(fit.words), len(CHANCE) - 1)]:
                    return Derivation(fit.operation, fit.operands, fit.what, fit.exact, expected, fit.words)
        return None

    def _exact(self, target: Target, key: tuple[int, bool, bool], near: Iterable[int]) -> Iterator[Derivation]:
        for place in near:
            sizes = self._sorted[key].sizes
            batch = int(np.searchsorted(sizes, place, side="right")) - 1
            fit = self._families[key][batch].fit(int(place) - int(sizes[batch]))
            exact = computed(fit.operation, [operand.value.key for operand in fit.operands], percent=target.percent)
            wanted = Fraction(target.number)
            if not key[2] and (exact < 0) != (wanted < 0):
                exact = -exact if fit.operation == "difference" else exact
                wanted = abs(wanted) if exact > 0 else -abs(wanted)
            if abs(exact - wanted) <= Fraction(target.unit) / 2:
                words = frozenset(filter(_is_word, self._words(fit.table, fit.row) & target.words))
                yield Derivation(fit.operation, fit.operands, fit.what, exact, 0.0, words)

    def _put(
        self, family: int, results: _Floats, fit: Callable[[int], _Fit], *, percent: bool, signed: bool = True
    ) -> None:
        if len(results):
            self._families[family, percent, signed].append(_Batch(results, fit))

    def _columns(self, position: int, table: SourceTable) -> None:
        """What a table's columns give: totals, labelled rows, shares, neighbours."""
        for column in table.columns():
            held = [(row, line.numbers[column]) for row, line in enumerate(table.rows) if column in line.numbers]
            percents = {value.key.endswith("%") for _, value in held}
            if len(held) < 2 or len(percents) > 1:
                continue
            of_column = _Column(position, table, [row for row, _ in held], [value for _, value in held])
            self._totals(of_column, percents.pop())

    def _totals(self, column: _Column, percent: bool) -> None:
        numbers, everything = column.numbers, list(range(len(column.numbers)))
        if len(numbers) > 2:
            self._aggregate(0, column, [everything], ["the whole column"], percent)
        labels = column.groups()
        if labels:
            self._aggregate(2, column, [rows for _, rows in labels], [label for label, _ in labels], percent)
        total = float(numbers.sum())
        if len(numbers) > 2 and total and not percent:

            def share(index: int) -> _Fit:
                operands = (column.operand(index), *map(column.operand, everything))
                return _Fit("share of the total", operands, "one row of the column", column.table, column.rows[index])

            self._put(3, numbers / total * 100, share, percent=True)
        if 3 < len(numbers) <= _LONGEST_RANGED:
            ranges = [
                (a, b) for a in range(len(numbers)) for b in range(a + 2, len(numbers) + 1) if b - a < len(numbers)
            ]
            self._aggregate(5, column, [range(*one) for one in ranges], [_BELOW] * len(ranges), percent)
        pairs = [(i, i + 1) for i in range(len(numbers) - 1)]
        pairs += [(0, len(numbers) - 1)] if len(numbers) > 2 else []
        first, second = numbers[[a for a, _ in pairs]], numbers[[b for _, b in pairs]]

        def pair(index: int) -> tuple[OperandAt, OperandAt, int, int]:
            a, b = pairs[index]
            return column.operand(a), column.operand(b), column.table, column.rows[a]

        kinds = np.full(len(pairs), percent)
        self._pairs(4, first, second, kinds, kinds, pair, "two rows of one column")

    def _aggregate(
        self, family: int, column: _Column, groups: Sequence[Sequence[int]], labels: Sequence[str], percent: bool
    ) -> None:
        sums = np.array([column.numbers[list(group)].sum() for group in groups])
        counts = np.array([float(len(group)) for group in groups])

        def fitting(operation: Operation) -> Callable[[int], _Fit]:
            def fit(index: int) -> _Fit:
                label = labels[index]
                what = label if label in ("the whole column", _BELOW) else f"the rows with “{label}”"
                operands = tuple(map(column.operand, groups[index]))
                return _Fit(operation, operands, what, column.table, column.rows[groups[index][0]])

            return fit

        if not percent:
            if family != 5:
                self._put(family, counts, fitting("count"), percent=False)
            self._put(family, sums, fitting("sum"), percent=False)
        else:
            self._put(family, sums, fitting("sum"), percent=True)
        self._put(family, sums / counts, fitting("mean"), percent=percent)

    def _lines(self) -> None:
        """What the numbers of each line give; lines with equally many are computed at once."""
        by_size: dict[int, list[tuple[int, int, list[Occurrence]]]] = defaultdict(list)
        for position, table in enumerate(self._tables):
            for row, line in enumerate(table.rows):
                if 2 <= len(line.numbers) <= _WIDEST_ROW:
                    by_size[len(line.numbers)].append((position, row, list(line.numbers.values())))
        for size, lines in by_size.items():
            self._lines_of(size, lines[:_MOST_ROWS])

    def _lines_of(self, size: int, lines: Sequence[tuple[int, int, list[Occurrence]]]) -> None:
        numbers = np.array([[float(value.key.rstrip("%")) for value in values] for _, _, values in lines])
        percents = np.array([[value.key.endswith("%") for value in values] for _, _, values in lines])

        def operand(line: int, column: int) -> OperandAt:
            return OperandAt(self._tables[lines[line][0]].text, lines[line][2][column])

        if size > 2:
            for percent in (False, True):
                (alike,) = np.nonzero((percents == percent).all(axis=1))

                def whole(index: int, alike: npt.NDArray[np.int64] = alike) -> _Fit:
                    line = int(alike[index])
                    operands = tuple(operand(line, column) for column in range(size))
                    return _Fit("sum", operands, "the whole line", *lines[line][:2])

                self._put(1, numbers[alike].sum(axis=1), whole, percent=percent)
        for a in range(size):
            for b in range(a + 1, size):

                def pair(index: int, a: int = a, b: int = b) -> tuple[OperandAt, OperandAt, int, int]:
                    return operand(index, a), operand(index, b), *lines[index][:2]

                self._pairs(1, numbers[:, a], numbers[:, b], percents[:, a], percents[:, b], pair, "one line")

    def _pairs(
        self,
        family: int,
        a: _Floats,
        b: _Floats,
        a_percent: npt.NDArray[np.bool_],
        b_percent: npt.NDArray[np.bool_],
        pair: Callable[[int], tuple[OperandAt, OperandAt, int, int]],
        what: str,
    ) -> None:
        """The operations on pairs: of numbers alike, and a percent of a number."""

        def put(
            operation: Operation,
            results: _Floats,
            chosen: npt.NDArray[np.bool_],
            *,
            percent: bool,
            swapped: bool = False,
        ) -> None:
            (places,) = np.nonzero(chosen & np.isfinite(results))

            def fit(index: int) -> _Fit:
                first, second, table, row = pair(int(places[index]))
                return _Fit(operation, (second, first) if swapped else (first, second), what, table, row)

            signed = operation not in ("difference", "percent change")
            self._put(family, results[places], fit, percent=percent, signed=signed)

        both, neither = a_percent & b_percent, ~a_percent & ~b_percent
        for percent, alike in ((False, neither), (True, both)):
            if alike.any():
                put("sum", a + b, alike, percent=percent)
                put("difference", a - b, alike, percent=percent)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if neither.any():
                put("product", a * b, neither, percent=False)
                for swapped, ratio in ((False, a / b), (True, b / a)):
                    put("ratio", ratio, neither, percent=False, swapped=swapped)
                    put("ratio", ratio * 100, neither, percent=True, swapped=swapped)
                    put("percent change", (ratio - 1) * 100, neither, percent=True, swapped=swapped)
            if (mixed := a_percent ^ b_percent).any():
                share = np.where(a_percent, a, b) / 100
                whole = np.where(a_percent, b, a)
                put("product", whole * share, mixed, percent=False)
                put("less a percent", whole * (1 - share), mixed, percent=False)
                put("plus a percent", whole * (1 + share), mixed, percent=False)


_FAMILIES = 6
_BELOW = "rows below each other"
_LONGEST_RANGED = 40


def _is_word(term: str) -> bool:
    return len(term) > 1 and not any(map(str.isdigit, term))


class _Column:
    """The numbers of one column: their rows in the table, and what they are."""

    def __init__(self, table: int, source: SourceTable, rows: list[int], values: list[Occurrence]) -> None:
        self.table, self.rows, self.values = table, rows, values
        self.numbers = np.array([float(value.key.rstrip("%")) for value in values])
        self._source = source

    def operand(self, index: int) -> OperandAt:
        """The n-th number."""
        return OperandAt(self._source.text, self.values[index])

    def groups(self) -> list[tuple[str, list[int]]]:
        """The rows that share a label: only where the table has fields, a label comes twice, and not in all rows."""
        found: list[tuple[str, list[int]]] = []
        for fields in self._source.labels():
            rows: dict[str, list[int]] = defaultdict(list)
            for index, row in enumerate(self.rows):
                if label := fields[row]:
                    rows[label].append(index)
            found += [(label, of) for label, of in rows.items() if 2 <= len(of) < len(self.rows)]
        return found


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
