"""The numbers of all searched texts as one, and the columns that they stand in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tabcore.analyses.provenance_facts import Occurrence
from tabcore.analyses.source_grids import Flags, Grid, Ints

MOST_ROWS = 20_000
"""Rows that are searched; of longer sources the rest is not."""


class OperandAt(NamedTuple):
    """A number in one of the searched texts."""

    text: int
    value: Occurrence


Found = tuple[tuple[OperandAt, ...], str, Grid, int]
"""Operands, what they are, and the grid and row where the first of them stands."""


class Sheet:
    """The numbers of several grids as one."""

    def __init__(self, grids: Sequence[Grid]) -> None:
        self.grids = _first(grids)
        sizes = [len(grid.line) for grid in self.grids]
        self.row_starts = np.cumsum([0, *sizes])[:-1]
        self.number_starts = np.cumsum([0, *(len(grid.numbers) for grid in self.grids)])[:-1]
        self.numbers = _joined([grid.numbers for grid in self.grids], np.float64)
        self.percents = _joined([grid.percents for grid in self.grids], np.bool_)
        self.row = _joined([g.row + start for g, start in zip(self.grids, self.row_starts, strict=True)], np.int64)
        self.column = _joined([grid.column for grid in self.grids], np.int64)
        tables = np.cumsum([0, *(int(g.table[-1]) + 1 if len(g.table) else 0 for g in self.grids)])[:-1]
        self.table = _joined([g.table + start for g, start in zip(self.grids, tables, strict=True)], np.int64)
        self.shape = _joined([g.shape + (n << 40) for n, g in enumerate(self.grids)], np.int64)
        self.has_fields = _joined([np.array([bool(d) for d in g.delimiter], np.bool_) for g in self.grids], np.bool_)

    def operand(self, number: int) -> OperandAt:
        """A number by its place."""
        grid = int(np.searchsorted(self.number_starts, number, side="right")) - 1
        one = self.grids[grid]
        return OperandAt(one.text, one.values[int(one.at[number - int(self.number_starts[grid])])])

    def found(self, numbers: Iterable[int], what: str) -> Found:
        """Numbers as operands, and where the first of them stands."""
        chosen = list(numbers)
        row = int(self.row[chosen[0]])
        grid = int(np.searchsorted(self.row_starts, row, side="right")) - 1
        return tuple(map(self.operand, chosen)), what, self.grids[grid], row - int(self.row_starts[grid])


def _joined(arrays: Sequence[npt.NDArray[Any]], kind: type) -> npt.NDArray[Any]:
    return np.concatenate(arrays) if arrays else np.zeros(0, kind)


def _first(grids: Sequence[Grid]) -> list[Grid]:
    """The grids up to the most rows."""
    ends = np.cumsum([len(grid.line) for grid in grids])
    return [grid for grid, end in zip(grids, ends, strict=True) if end <= MOST_ROWS and len(grid.numbers)]


class Columns:
    """The numbers of all columns of at least two, one column after the other; a column's numbers share `table`."""

    def __init__(self, sheet: Sheet, table: Ints, chosen: Flags) -> None:
        (places,) = np.nonzero(chosen)
        of_table = table[sheet.row[places]]
        order = np.lexsort((places, sheet.column[places], of_table))
        places, of_table = places[order], of_table[order]
        column = sheet.column[places]
        new = np.append(True, (of_table[1:] != of_table[:-1]) | (column[1:] != column[:-1]))[: len(places)]
        starts = np.flatnonzero(new)
        lengths = np.diff(np.append(starts, len(places)))
        if len(starts):
            shares = np.add.reduceat(sheet.percents[places].astype(np.int64), starts)
            kept = (lengths > 1) & ((shares == 0) | (shares == lengths))
            places, lengths = places[np.repeat(kept, lengths)], lengths[kept]
        self.sheet, self.places, self.lengths = sheet, places, lengths
        self.starts = np.cumsum(lengths) - lengths
        self.numbers, self.percents = sheet.numbers[places], sheet.percents[places]

    def column_of(self, place: int) -> int:
        """The column of a number."""
        return int(np.searchsorted(self.starts, place, side="right")) - 1

    def operand(self, place: int) -> OperandAt:
        """A number by its place."""
        return self.sheet.operand(int(self.places[place]))

    def found(self, places: Iterable[int], what: str) -> Found:
        """Numbers as operands, and where the first of them stands."""
        return self.sheet.found((int(self.places[place]) for place in places), what)


def columns_of(sheet: Sheet) -> Columns:
    """The columns of each table."""
    return Columns(sheet, sheet.table, np.ones(len(sheet.numbers), np.bool_))


def joined_columns(sheet: Sheet) -> Columns:
    """The columns of several tables of one text that have the same shape, as if they were one."""
    rows_of_table = np.bincount(sheet.table)[sheet.table] if len(sheet.table) else sheet.table
    chosen = sheet.has_fields & (rows_of_table > 1)
    if not chosen.any():
        return Columns(sheet, sheet.shape, np.zeros(len(sheet.numbers), np.bool_))
    pairs = np.unique(np.stack([sheet.shape[chosen], sheet.table[chosen]]), axis=1)
    shapes, tables = np.unique(pairs[0], return_counts=True)
    several = chosen & np.isin(sheet.shape, shapes[tables > 1])
    return Columns(sheet, sheet.shape, several[sheet.row])
