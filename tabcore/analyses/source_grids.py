"""The numbers of a text as rows and columns: what stands on one line, and what stands below each other.

Neighbouring lines with the same columns are a table. All is kept as arrays, since a run holds tens of thousands of numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import numpy.typing as npt

from tabcore.analyses.provenance_facts import Occurrence

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_DELIMITERS = "\t|;,"
_GAP = 2
"""Lines that may stand between two rows of one table: a blank one, a rule."""
_NO_OPERANDS = frozenset(("date", "year"))
_MOST_LABELLED = 2_000
_MOST_LABELS = 4
_LOOKED_AT = 5
"""Rows of a table that tell which of its columns hold words."""
_has_letter = re.compile(r"[^\W\d_]").search
_BLANK = re.compile(r"[\s|:+=-]*")


class Lines:
    """The lines of a text.

    >>> lines = Lines("ab\\r\\ncd")
    >>> lines.at(4), lines.span(0), lines.text(1)
    (1, (0, 2), 'cd')
    """

    __slots__ = ("codes", "starts", "whole")

    def __init__(self, whole: str) -> None:
        self.whole = whole
        self.codes = np.frombuffer(whole.encode("utf-32-le", "surrogatepass"), np.uint32)
        self.starts: Ints = np.concatenate([[0], np.flatnonzero(self.codes == 10) + 1])

    def at(self, place: int) -> int:
        """The line, from 0, of a character."""
        return int(np.searchsorted(self.starts, place, side="right")) - 1

    def span(self, line: int) -> tuple[int, int]:
        """Where a line starts and ends, its end mark left out."""
        start = int(self.starts[line])
        end = int(self.starts[line + 1]) - 1 if line + 1 < len(self.starts) else len(self.whole)
        return start, end - 1 if end > start and self.whole[end - 1] == "\r" else end

    def text(self, line: int) -> str:
        """A line."""
        return self.whole[slice(*self.span(line))]


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The numbers of one text, line by line. `text` is the text's position among those that are searched.

    Of each number: its row, its column, whether it is a percent, and which of `values` it is. Of each row: its line, the
    number of its table and of its shape, and its delimiter ("" for prose). `contents` are rows as texts, where these are
    not the lines.
    """

    text: int
    values: Sequence[Occurrence]
    numbers: Floats
    percents: Flags
    at: Ints
    row: Ints
    column: Ints
    line: Ints
    table: Ints
    shape: Ints
    delimiter: tuple[str, ...]
    lines: Lines
    contents: tuple[str, ...] = ()

    def content(self, row: int) -> str:
        """A row as a text."""
        return self.contents[row] if self.contents else self.lines.text(int(self.line[row]))

    def heading(self, row: int) -> str:
        """What stands above a row's table, or is its first row; "" for nothing."""
        first = int(np.searchsorted(self.table, self.table[row]))
        if self.contents:
            return self.contents[first]
        line = int(self.line[first])
        above = (self.lines.text(one) for one in range(line - 1, max(-1, line - 1 - _GAP), -1))
        return next((text for text in above if not _BLANK.fullmatch(text)), "")

    def labels(self, first: int, last: int) -> list[list[str]]:
        """The fields of rows `first:last`, a table, that hold words, by column and row; none where nothing parts fields
        or the rows are many."""
        delimiter = self.delimiter[first]
        if not delimiter or not 3 <= last - first <= _MOST_LABELLED:
            return []
        split = [content.split(delimiter) for content in self._contents(first, last)]
        width = min(map(len, split))
        worded = [
            column for column in range(width) if any(_has_letter(fields[column]) for fields in split[:_LOOKED_AT])
        ]
        return [[fields[column].strip(' "\r') for fields in split] for column in worded[:_MOST_LABELS]]

    def _contents(self, first: int, last: int) -> Sequence[str]:
        """The rows of a table as texts."""
        if self.contents:
            return self.contents[first:last]
        lines = self.line[first:last].tolist()
        content = self.lines.whole[int(self.lines.starts[lines[0]]) : self.lines.span(lines[-1])[1]].split("\n")
        return [content[line - lines[0]] for line in lines]


def is_operand(value: Occurrence) -> bool:
    """True for what can be counted with: no date, no bare year, no fraction."""
    return value.kind not in _NO_OPERANDS and "/" not in value.key


def number_of(key: str) -> Decimal:
    """The number of a key, a percent's before the mark."""
    return Decimal(key.rstrip("%"))


def grid_of(
    position: int, lines: Lines, values: Sequence[Occurrence], keys: Sequence[str], starts: Ints, ends: Ints
) -> Grid:
    """The grid of a text; `values` are those to count with, and `keys`, `starts` and `ends` are theirs.

    >>> text = "item,price\\na,10\\nb,20\\nSold 12 of 50 today."
    >>> values = [Occurrence(n, "plain", text.index(n), text.index(n) + 2) for n in ("10", "20", "12", "50")]
    >>> at = np.array([value.start for value in values])
    >>> grid = grid_of(0, Lines(text), values, [value.key for value in values], at, at + 2)
    >>> grid.table.tolist(), grid.column.tolist(), grid.delimiter
    ([0, 0, 1], [1, 1, 0, 1], (',', ',', ''))
    """
    line = np.searchsorted(lines.starts, starts, side="right") - 1
    rows, first, row, count = np.unique(line, return_index=True, return_inverse=True, return_counts=True)
    begins = lines.starts[rows]
    finishes = np.append(lines.starts, len(lines.whole) + 1)[rows + 1] - 1
    column: Ints = np.arange(len(line)) - first[row]
    chosen, total = np.full(len(rows), -1), count.astype(np.int64)
    for number, delimiter in enumerate(_DELIMITERS):
        if delimiter not in lines.whole:
            continue
        places = np.flatnonzero(lines.codes == ord(delimiter))
        before = np.searchsorted(places, starts) - np.searchsorted(places, begins)[row]
        inside = np.searchsorted(places, ends) - np.searchsorted(places, starts)
        so_far = np.cumsum(inside) - inside
        fields = before - (so_far - so_far[first][row])
        of_row = np.searchsorted(places, finishes) - np.searchsorted(places, begins) - np.add.reduceat(inside, first)
        twice = np.append(fields[1:] == fields[:-1], False) & np.append(row[1:] == row[:-1], False)
        fits = (chosen < 0) & (of_row > 0) & ~np.logical_or.reduceat(twice, first)
        chosen[fits], total[fits] = number, of_row[fits]
        column = np.where(fits[row], fields, column)
    shape = (chosen + 1) * 1_000_000 + total
    numbers = np.fromiter((float(key.rstrip("%")) for key in keys), np.float64, len(keys))
    percents = np.fromiter((key[-1] == "%" for key in keys), np.bool_, len(keys))
    delimiters = tuple(_DELIMITERS[number] if number >= 0 else "" for number in chosen.tolist())
    table = _tables(lines, rows, shape)
    return Grid(
        position, values, numbers, percents, np.arange(len(keys)), row, column, rows, table, shape, delimiters, lines
    )


def _tables(lines: Lines, rows: Ints, shape: Ints) -> Ints:
    """The number of each row's table: a new one begins where the shape is another, or words stand between."""
    gaps = np.diff(rows)
    parts = (np.diff(shape) != 0) | (gaps > _GAP + 1)
    for row in np.flatnonzero(~parts & (gaps > 1)).tolist():
        between = range(int(rows[row]) + 1, int(rows[row + 1]))
        parts[row] = not all(_BLANK.fullmatch(lines.text(one)) for one in between)
    return np.concatenate([[0], np.cumsum(parts)])


def grid_of_rows(position: int, whole: Lines, tables: Iterable[Sequence[tuple[str, dict[int, Occurrence]]]]) -> Grid:
    """The grid of tables that are known: of each row its fields, parted by tabs, and its numbers by column."""
    listed = [(number, row) for number, table in enumerate(tables) for row in table]
    cells = [(row, column, value) for row, (_, (_, held)) in enumerate(listed) for column, value in held.items()]
    values = [value for _, _, value in cells]
    table = np.array([number for number, _ in listed], np.int64)
    return Grid(
        position,
        values,
        np.array([float(value.key.rstrip("%")) for value in values]),
        np.array([value.key[-1] == "%" for value in values], np.bool_),
        np.arange(len(values)),
        np.array([row for row, _, _ in cells], np.int64),
        np.array([column for _, column, _ in cells], np.int64),
        np.zeros(len(listed), np.int64),
        table,
        table,
        ("\t",) * len(listed),
        whole,
        tuple(content for _, (content, _) in listed),
    )


def rows_of_tables(grid: Grid) -> Iterator[tuple[int, int]]:
    """The first row of each table, and the one after its last."""
    starts = np.flatnonzero(np.append(True, np.diff(grid.table) != 0)).tolist() if len(grid.table) else []
    yield from zip(starts, [*starts[1:], len(grid.table)], strict=True)
