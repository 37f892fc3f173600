"""All results of simple formulas over structured sets of numbers, as arrays, in families from the likeliest formula on.

0 a whole column · 1 the numbers of one line · 2 the rows of a column that share a label · 3 a share of a column's total ·
4 two rows below each other, or the first and the last · 5 neighbouring rows of a short column.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from tabcore.analyses.provenance_facts import Occurrence
from tabcore.analyses.source_tables import SourceTable

Operation = Literal[
    "sum", "difference", "product", "ratio", "percent change", "less a percent", "plus a percent", "mean", "count",
    "share of the total",
]  # fmt: skip
Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

FAMILIES = 6
MOST_ROWS = 20_000
"""Rows that are searched; of longer sources the rest is not."""
_WIDEST_ROW = 12
_LONGEST_RANGED = 40


class OperandAt(NamedTuple):
    """A number in one of the searched texts."""

    text: int
    value: Occurrence


class Fit(NamedTuple):
    """One formula: `table` and `row` are where the words around it stand."""

    operation: Operation
    operands: tuple[OperandAt, ...]
    what: str
    table: int
    row: int


class Batch(NamedTuple):
    """Results of one operation over many sets of numbers; `fit` tells which set gave the n-th.

    `percent` says that the results are percents, `signed` that their sign counts.
    """

    family: int
    percent: bool
    signed: bool
    results: Floats
    fit: Callable[[int], Fit]


_Operands = Callable[[int], tuple[tuple[OperandAt, ...], str, int, int]]


def batches(tables: Sequence[SourceTable]) -> Iterator[Batch]:
    """The results over these tables."""
    columns = _Columns(tables)
    if len(columns.lengths):
        yield from _wholes(columns)
        yield from _labelled(columns)
        yield from _neighbours(columns)
        yield from _ranges(columns)
    yield from _lines(tables)


class _Columns:
    """The numbers of all columns of at least two, one column after the other."""

    def __init__(self, tables: Sequence[SourceTable]) -> None:
        self.tables = tables
        self.where: list[tuple[int, list[int]]] = []
        self.values: list[Occurrence] = []
        lengths: list[int] = []
        for position, table in enumerate(_first(tables)):
            for column in table.columns() if len(table.rows) > 1 else ():
                held = [(row, line.numbers[column]) for row, line in enumerate(table.rows) if column in line.numbers]
                if len(held) > 1 and len({value.key.endswith("%") for _, value in held}) == 1:
                    self.where.append((position, [row for row, _ in held]))
                    self.values += (value for _, value in held)
                    lengths.append(len(held))
        self.lengths = np.array(lengths, np.int64)
        self.starts = np.cumsum(self.lengths) - self.lengths
        self.numbers = np.array([float(value.key.rstrip("%")) for value in self.values])
        self.percents = np.array([value.key.endswith("%") for value in self.values], np.bool_)

    def column_of(self, place: int) -> int:
        """The column of a number."""
        return int(np.searchsorted(self.starts, place, side="right")) - 1

    def operand(self, place: int) -> OperandAt:
        """A number by its place."""
        return OperandAt(self.tables[self.where[self.column_of(place)][0]].text, self.values[place])

    def found(self, places: Iterable[int], what: str) -> tuple[tuple[OperandAt, ...], str, int, int]:
        """Numbers of one column as operands, and where the first of them stands."""
        chosen = list(places)
        column = self.column_of(chosen[0])
        table, rows = self.where[column]
        return tuple(map(self.operand, chosen)), what, table, rows[chosen[0] - int(self.starts[column])]


def _first(tables: Sequence[SourceTable]) -> Iterator[SourceTable]:
    rows = 0
    for table in tables:
        rows += len(table.rows)
        if rows > MOST_ROWS:
            return
        yield table


def _aggregates(
    family: int, sums: Floats, counts: Floats, percents: Flags, operands: _Operands, *, counted: bool
) -> Iterator[Batch]:
    """Sums, means and counts of sets of numbers."""
    for percent in (False, True):
        (places,) = np.nonzero(percents == percent)
        if len(places):
            yield _batch("sum", family, percent, sums, places, operands)
            yield _batch("mean", family, percent, sums / counts, places, operands)
            if counted and not percent:
                yield _batch("count", family, percent, counts, places, operands)


def _batch(
    operation: Operation,
    family: int,
    percent: bool,
    results: Floats,
    places: Places,
    operands: _Operands,
    *,
    signed: bool = True,
) -> Batch:
    def fit(index: int) -> Fit:
        return Fit(operation, *operands(int(places[index])))

    return Batch(family, percent, signed, results[places], fit)


def _wholes(columns: _Columns) -> Iterator[Batch]:
    """Whole columns, and what share of one each number is."""
    sums = np.add.reduceat(columns.numbers, columns.starts)
    (long,) = np.nonzero(columns.lengths > 2)

    def whole(index: int) -> tuple[tuple[OperandAt, ...], str, int, int]:
        start = int(columns.starts[long[index]])
        return columns.found(range(start, start + int(columns.lengths[long[index]])), "the whole column")

    lengths = columns.lengths[long].astype(float)
    yield from _aggregates(0, sums[long], lengths, columns.percents[columns.starts[long]], whole, counted=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = columns.numbers / np.repeat(sums, columns.lengths) * 100
    (places,) = np.nonzero(np.isfinite(shares) & ~columns.percents & (np.repeat(columns.lengths, columns.lengths) > 2))

    def share(place: int) -> tuple[tuple[OperandAt, ...], str, int, int]:
        column = columns.column_of(place)
        start = int(columns.starts[column])
        operands, _, table, _ = columns.found(range(start, start + int(columns.lengths[column])), "")
        row = columns.where[column][1][place - start]
        return (columns.operand(place), *operands), "one row of the column", table, row

    yield _batch("share of the total", 3, True, shares, places, share)


def _labelled(columns: _Columns) -> Iterator[Batch]:
    """The rows of a column that share a label."""
    sums: list[float] = []
    sets: list[tuple[str, list[int]]] = []
    rows_of = cache(lambda table: list(_rows_of_labels(columns.tables[table])))
    for column, (table, rows) in enumerate(columns.where):
        groups = rows_of(table)
        if not groups:
            continue
        start = int(columns.starts[column])
        places = {row: start + nth for nth, row in enumerate(rows)}
        for label, labelled in groups:
            chosen = [places[row] for row in labelled if row in places]
            if 2 <= len(chosen) < len(rows):
                sets.append((label, chosen))
                sums.append(float(columns.numbers[chosen].sum()))

    def found(index: int) -> tuple[tuple[OperandAt, ...], str, int, int]:
        label, places = sets[index]
        return columns.found(places, f"the rows with “{label}”")

    counts = np.array([float(len(places)) for _, places in sets])
    percents = columns.percents[[places[0] for _, places in sets]] if sets else np.array([], np.bool_)
    yield from _aggregates(2, np.array(sums), counts, percents, found, counted=True)


def _rows_of_labels(table: SourceTable) -> Iterator[tuple[str, list[int]]]:
    for fields in table.labels():
        rows: dict[str, list[int]] = defaultdict(list)
        for row, label in enumerate(fields):
            if label:
                rows[label].append(row)
        yield from ((label, of) for label, of in rows.items() if 1 < len(of) < len(fields))


def _neighbours(columns: _Columns) -> Iterator[Batch]:
    """Two rows below each other, and the first and the last."""
    last = columns.starts + columns.lengths - 1
    inner = np.ones(len(columns.numbers), np.bool_)
    inner[last] = False
    (first,) = np.nonzero(inner)
    long = columns.lengths > 2
    a, b = np.concatenate([first, columns.starts[long]]), np.concatenate([first + 1, last[long]])

    def pair(index: int) -> tuple[tuple[OperandAt, ...], str, int, int]:
        return columns.found((int(a[index]), int(b[index])), "two rows of one column")

    numbers, percents = columns.numbers, columns.percents
    yield from _pairs(4, numbers[a], numbers[b], percents[a], percents[b], pair)


@cache
def _spans(length: int) -> tuple[Places, Places]:
    """All stretches of two to all but one of so many rows: where they start and end."""
    first, last = np.triu_indices(length + 1, 2)
    chosen = last - first < length
    return first[chosen], last[chosen]


def _ranges(columns: _Columns) -> Iterator[Batch]:
    """Stretches of rows below each other."""
    (short,) = np.nonzero((columns.lengths > 3) & (columns.lengths <= _LONGEST_RANGED))
    if not len(short):
        return
    firsts, lasts, sums = [], [], []
    for column in short:
        start, length = int(columns.starts[column]), int(columns.lengths[column])
        first, last = _spans(length)
        running = np.concatenate([[0.0], np.cumsum(columns.numbers[start : start + length])])
        firsts.append(first + start)
        lasts.append(last + start)
        sums.append(running[last] - running[first])
    first, last = np.concatenate(firsts), np.concatenate(lasts)

    def found(index: int) -> tuple[tuple[OperandAt, ...], str, int, int]:
        return columns.found(range(int(first[index]), int(last[index])), "rows below each other")

    counts = (last - first).astype(float)
    yield from _aggregates(5, np.concatenate(sums), counts, columns.percents[first], found, counted=False)


def _lines(tables: Sequence[SourceTable]) -> Iterator[Batch]:
    """What the numbers of each line give; lines with equally many are computed at once."""
    by_size: dict[int, list[tuple[int, int, list[Occurrence]]]] = defaultdict(list)
    seen: set[tuple[int, int]] = set()
    for position, table in enumerate(_first(tables)):
        for row, line in enumerate(table.rows):
            if 2 <= len(line.numbers) <= _WIDEST_ROW and (table.text, line.start) not in seen:
                seen.add((table.text, line.start))
                by_size[len(line.numbers)].append((position, row, list(line.numbers.values())))
    for size, lines in by_size.items():
        yield from _lines_of(tables, size, lines)


def _lines_of(
    tables: Sequence[SourceTable], size: int, lines: Sequence[tuple[int, int, list[Occurrence]]]
) -> Iterator[Batch]:
    numbers = np.array([[float(value.key.rstrip("%")) for value in values] for _, _, values in lines])
    percents = np.array([[value.key.endswith("%") for value in values] for _, _, values in lines])

    def operands(line: int, columns: Iterable[int], what: str) -> tuple[tuple[OperandAt, ...], str, int, int]:
        table, row, values = lines[line]
        return tuple(OperandAt(tables[table].text, values[column]) for column in columns), what, table, row

    if size > 2:
        for percent in (False, True):
            (alike,) = np.nonzero((percents == percent).all(axis=1))
            yield _batch(
                "sum", 1, percent, numbers.sum(axis=1), alike, lambda n: operands(n, range(size), "the whole line")
            )
    for a in range(size):
        for b in range(a + 1, size):

            def pair(line: int, a: int = a, b: int = b) -> tuple[tuple[OperandAt, ...], str, int, int]:
                return operands(line, (a, b), "one line")

            yield from _pairs(1, numbers[:, a], numbers[:, b], percents[:, a], percents[:, b], pair)


def _pairs(family: int, a: Floats, b: Floats, a_percent: Flags, b_percent: Flags, pair: _Operands) -> Iterator[Batch]:
    """The operations on pairs: of numbers alike, and a percent of a number."""

    def swapped(index: int) -> tuple[tuple[OperandAt, ...], str, int, int]:
        (first, second), *where = pair(index)
        return ((second, first), *where)  # type: ignore[return-value]

    def batch(
        operation: Operation, results: Floats, chosen: Flags, *, percent: bool = False, operands: _Operands = pair
    ) -> Batch:
        (places,) = np.nonzero(chosen & np.isfinite(results))
        signed = operation not in ("difference", "percent change")
        return _batch(operation, family, percent, results, places, operands, signed=signed)

    for percent, alike in ((False, ~a_percent & ~b_percent), (True, a_percent & b_percent)):
        if alike.any():
            yield batch("sum", a + b, alike, percent=percent)
            yield batch("difference", a - b, alike, percent=percent)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if (plain := ~a_percent & ~b_percent).any():
            yield batch("product", a * b, plain)
            for ratio, operands in ((a / b, pair), (b / a, swapped)):
                yield batch("ratio", ratio, plain, operands=operands)
                yield batch("ratio", ratio * 100, plain, percent=True, operands=operands)
                yield batch("percent change", (ratio - 1) * 100, plain, percent=True, operands=operands)
        if (mixed := a_percent ^ b_percent).any():
            share, whole = np.where(a_percent, a, b) / 100, np.where(a_percent, b, a)
            yield batch("product", whole * share, mixed)
            yield batch("less a percent", whole * (1 - share), mixed)
            yield batch("plus a percent", whole * (1 + share), mixed)
