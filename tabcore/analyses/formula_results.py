"""All results of simple formulas over structured sets of numbers, as arrays, in families from the likeliest formula on.

0 a whole column · 1 the numbers of one line · 2 the rows of a column that share a label, which is asked for · 3 a share of a column's total ·
4 two rows below each other, or the first and the last · 5 neighbouring rows of a short column.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Literal, NamedTuple

import numpy as np

from tabcore.analyses.number_sheet import Columns, Found, OperandAt, Sheet, columns_of, joined_columns
from tabcore.analyses.source_grids import Flags, Floats, Grid, Ints
from tabcore.text.terms import terms

Operation = Literal[
    "sum", "difference", "product", "ratio", "percent change", "less a percent", "plus a percent", "mean", "count",
    "share of the total",
]  # fmt: skip
FAMILIES = 6
_WIDEST_ROW = 12
_LONGEST_RANGED = 40


class Fit(NamedTuple):
    """One formula; the words around it stand at a row of a grid."""

    operation: Operation
    operands: tuple[OperandAt, ...]
    what: str
    grid: Grid
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


_Operands = Callable[[int], Found]


def batches(grids: Sequence[Grid], words: frozenset[str]) -> Iterator[Batch]:
    """The results over these grids; of labels those count that are made of these words."""
    sheet = Sheet(grids)
    joined = joined_columns(sheet)
    if len(joined.lengths):
        yield from _wholes(joined)
    columns = columns_of(sheet)
    if len(columns.lengths):
        yield from _wholes(columns)
        yield from _labelled(columns, words)
        yield from _neighbours(columns)
        yield from _ranges(columns)
    yield from _lines(sheet)


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
    places: Ints,
    operands: _Operands,
    *,
    signed: bool = True,
) -> Batch:
    def fit(index: int) -> Fit:
        return Fit(operation, *operands(int(places[index])))

    return Batch(family, percent, signed, results[places], fit)


def _wholes(columns: Columns) -> Iterator[Batch]:
    """Whole columns, and what share of one each number is."""
    sums = np.add.reduceat(columns.numbers, columns.starts)
    (long,) = np.nonzero(columns.lengths > 2)

    def whole(index: int) -> Found:
        start = int(columns.starts[long[index]])
        return columns.found(range(start, start + int(columns.lengths[long[index]])), "the whole column")

    lengths = columns.lengths[long].astype(float)
    yield from _aggregates(0, sums[long], lengths, columns.percents[columns.starts[long]], whole, counted=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = columns.numbers / np.repeat(sums, columns.lengths) * 100
    (places,) = np.nonzero(np.isfinite(shares) & ~columns.percents & (np.repeat(columns.lengths, columns.lengths) > 2))

    def share(place: int) -> Found:
        column = columns.column_of(place)
        start = int(columns.starts[column])
        operands, _, _, _ = columns.found(range(start, start + int(columns.lengths[column])), "")
        [own], what, grid, row = columns.found([place], "one row of the column")
        return (own, *operands), what, grid, row

    yield _batch("share of the total", 3, True, shares, places, share)


def _labelled(columns: Columns, words: frozenset[str]) -> Iterator[Batch]:
    """The rows of a column that share a label."""
    sums: list[float] = []
    sets: list[tuple[str, list[int]]] = []
    is_asked = cache(lambda label: bool(found := terms(label)) and words.issuperset(found))
    rows_of = cache(lambda table: _rows_of_labels(columns.sheet, table, is_asked))
    rows = columns.sheet.row[columns.places]
    for start, length in zip(columns.starts.tolist(), columns.lengths.tolist(), strict=True):
        if length < 3 or not (groups := rows_of(int(columns.sheet.table[rows[start]]))):
            continue
        places = {row: start + nth for nth, row in enumerate(rows[start : start + length].tolist())}
        for label, labelled in groups:
            chosen = [places[row] for row in labelled if row in places]
            if 2 <= len(chosen) < length:
                sets.append((label, chosen))
                sums.append(float(columns.numbers[chosen].sum()))

    def found(index: int) -> Found:
        label, places = sets[index]
        return columns.found(places, f"the rows with “{label}”")

    counts = np.array([float(len(places)) for _, places in sets])
    percents = columns.percents[[places[0] for _, places in sets]] if sets else np.array([], np.bool_)
    yield from _aggregates(2, np.array(sums), counts, percents, found, counted=True)


def _rows_of_labels(sheet: Sheet, table: int, is_asked: Callable[[str], bool]) -> list[tuple[str, list[int]]]:
    """The rows of a table that share a label, by the label."""
    first, last = np.searchsorted(sheet.table, [table, table + 1]).tolist()
    grid = int(np.searchsorted(sheet.row_starts, first, side="right")) - 1
    start = int(sheet.row_starts[grid])
    found = []
    for fields in sheet.grids[grid].labels(first - start, last - start):
        for label, count in Counter(fields).items():
            if 1 < count < len(fields) and is_asked(label):
                found.append((label, [first + row for row, field in enumerate(fields) if field == label]))
    return found


def _neighbours(columns: Columns) -> Iterator[Batch]:
    """Two rows below each other, and the first and the last."""
    last = columns.starts + columns.lengths - 1
    inner = np.ones(len(columns.numbers), np.bool_)
    inner[last] = False
    (first,) = np.nonzero(inner)
    long = columns.lengths > 2
    a, b = np.concatenate([first, columns.starts[long]]), np.concatenate([first + 1, last[long]])

    def pair(index: int) -> Found:
        return columns.found((int(a[index]), int(b[index])), "two rows of one column")

    numbers, percents = columns.numbers, columns.percents
    yield from _pairs(4, numbers[a], numbers[b], percents[a], percents[b], pair)


@cache
def _spans(length: int) -> tuple[Ints, Ints]:
    """All stretches of two to all but one of so many rows: where they start and end."""
    first, last = np.triu_indices(length + 1, 2)
    chosen = last - first < length
    return first[chosen], last[chosen]


def _ranges(columns: Columns) -> Iterator[Batch]:
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

    def found(index: int) -> Found:
        return columns.found(range(int(first[index]), int(last[index])), "rows below each other")

    counts = (last - first).astype(float)
    yield from _aggregates(5, np.concatenate(sums), counts, columns.percents[first], found, counted=False)


def _lines(sheet: Sheet) -> Iterator[Batch]:
    """What the numbers of each line give; lines with equally many are computed at once."""
    firsts = np.flatnonzero(np.append(True, np.diff(sheet.row) != 0)) if len(sheet.row) else sheet.row
    sizes = np.diff(np.append(firsts, len(sheet.row)))
    for size in range(2, _WIDEST_ROW + 1):
        if len(first := firsts[sizes == size]):
            yield from _lines_of(sheet, size, first)


def _lines_of(sheet: Sheet, size: int, first: Ints) -> Iterator[Batch]:
    places = first[:, None] + np.arange(size)
    numbers, percents = sheet.numbers[places], sheet.percents[places]

    def operands(line: int, columns: Iterable[int], what: str) -> Found:
        return sheet.found((int(first[line]) + column for column in columns), what)

    if size > 2:
        for percent in (False, True):
            (alike,) = np.nonzero((percents == percent).all(axis=1))
            yield _batch(
                "sum", 1, percent, numbers.sum(axis=1), alike, lambda n: operands(n, range(size), "the whole line")
            )
    for a in range(size):
        for b in range(a + 1, size):

            def pair(line: int, a: int = a, b: int = b) -> Found:
                return operands(line, (a, b), "one line")

            yield from _pairs(1, numbers[:, a], numbers[:, b], percents[:, a], percents[:, b], pair)


def _pairs(family: int, a: Floats, b: Floats, a_percent: Flags, b_percent: Flags, pair: _Operands) -> Iterator[Batch]:
    """The operations on pairs: of numbers alike, and a percent of a number."""

    def swapped(index: int) -> Found:
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
