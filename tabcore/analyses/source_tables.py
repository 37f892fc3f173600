"""The numbers of a source text as rows and columns: what stands on one line, and what stands below each other."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, groupby

from tabcore.analyses.provenance_facts import Occurrence

_DELIMITERS = "\t|;,"
_GAP = 2
"""Lines that may stand between two rows of one table: a blank one, a rule."""
_Shape = tuple[str, int]
"""A line's delimiter and how many it has; of prose "" and the number of its numbers."""
_MOST_LABELLED = 2_000
_MOST_LABELS = 4
_has_letter = re.compile(r"[^\W\d_]").search


@dataclass(frozen=True, slots=True)
class SourceRow:
    """The numbers of one line, by column; `line` counts from 0."""

    line: int
    start: int
    end: int
    numbers: dict[int, Occurrence]


@dataclass(frozen=True, slots=True)
class SourceTable:
    """Lines of one text with the same columns. `text` is the text's position among those that are searched.

    `contents` are the lines themselves, where fields are delimited.
    """

    text: int
    delimiter: str
    rows: tuple[SourceRow, ...]
    contents: tuple[str, ...] = ()

    def columns(self) -> list[int]:
        """The columns that hold a number in any row."""
        return sorted({column for row in self.rows for column in row.numbers})

    def labels(self) -> list[list[str]]:
        """The fields that hold words, by column and row; none where fields are not delimited or the rows are many."""
        if not self.contents or not 3 <= len(self.rows) <= _MOST_LABELLED:
            return []
        split = [[field.strip(' "') for field in content.split(self.delimiter)] for content in self.contents]
        width = min(map(len, split))
        columns = ([row[column] for row in split] for column in range(width))
        return [column for column in columns if any(map(_has_letter, column))][:_MOST_LABELS]


class Lines:
    """Where the lines of a text start.

    >>> lines = Lines("ab\\ncd")
    >>> lines.at(3), lines.span(1)
    (1, (3, 5))
    """

    __slots__ = ("_starts", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0]
        at = text.find("\n")
        while at >= 0:
            self._starts.append(at + 1)
            at = text.find("\n", at + 1)

    def __len__(self) -> int:
        return len(self._starts)

    def at(self, place: int) -> int:
        """The line, from 0, of a character."""
        return bisect_right(self._starts, place) - 1

    def span(self, line: int) -> tuple[int, int]:
        """Where a line starts and ends, its end mark left out."""
        start = self._starts[line]
        end = self._starts[line + 1] - 1 if line + 1 < len(self._starts) else len(self._text)
        return start, end - 1 if end > start and self._text[end - 1] == "\r" else end

    def text(self, line: int) -> str:
        """A line."""
        return self._text[slice(*self.span(line))]


def is_operand(value: Occurrence) -> bool:
    """True for what can be counted with: no date, no bare year, no fraction."""
    return value.kind not in ("date", "year") and "/" not in value.key


def number_of(key: str) -> Decimal:
    """The number of a key, a percent's before the mark."""
    return Decimal(key.rstrip("%"))


def tables_of(position: int, text: str, lines: Lines, values: Iterable[Occurrence]) -> list[SourceTable]:
    """The tables of a text, a line alone among them, in order; then tables of the same columns as one.

    >>> text = "item,price\\na,10\\nb,20\\nSold 12 of 50 today."
    >>> at = [(text.index(n), n) for n in ("10", "20", "12", "50")]
    >>> tables = tables_of(0, text, Lines(text), [Occurrence(n, "plain", a, a + 2) for a, n in at])
    >>> [(table.delimiter, len(table.rows), table.columns()) for table in tables]
    [(',', 2, [1]), ('', 1, [0, 1])]
    """
    found: list[tuple[_Shape, SourceRow]] = []
    for line, of_line in groupby((v for v in values if is_operand(v)), key=lambda value: lines.at(value.start)):
        found.append(_row(text, line, lines.span(line), list(of_line)))
    tables = [(shape, rows) for shape, rows in _together(found, lines)]
    joined: dict[_Shape, list[list[SourceRow]]] = defaultdict(list)
    for shape, rows in tables:
        if shape[0] and len(rows) > 1:
            joined[shape].append(rows)
    tables += [(shape, list(chain.from_iterable(parts))) for shape, parts in joined.items() if len(parts) > 1]
    return [
        SourceTable(
            position, shape[0], tuple(rows), tuple(text[row.start : row.end] for row in rows) if shape[0] else ()
        )
        for shape, rows in tables
    ]


def _row(text: str, line: int, span: tuple[int, int], values: Sequence[Occurrence]) -> tuple[_Shape, SourceRow]:
    """A line's shape (its delimiter, how many it has) and its numbers; of prose the number of numbers is the shape."""
    start, end = span
    content = text[start:end]
    for delimiter in _DELIMITERS:
        total = content.count(delimiter)
        if not total:
            continue
        inside = (
            sum(content.count(delimiter, v.start - start, v.end - start) for v in values) if delimiter == "," else 0
        )
        numbers = _by_column(content, start, delimiter, values)
        if numbers and total > inside:
            return (delimiter, total - inside), SourceRow(line, start, end, numbers)
    numbers = dict(enumerate(values))
    return ("", len(numbers)), SourceRow(line, start, end, numbers)


def _by_column(content: str, start: int, delimiter: str, values: Sequence[Occurrence]) -> dict[int, Occurrence]:
    """The numbers by the delimiters before them; none where a field holds two. Commas inside of numbers are none."""
    numbers: dict[int, Occurrence] = {}
    column = at = 0
    for value in values:
        column += content.count(delimiter, at, value.start - start)
        at = value.end - start
        if column in numbers:
            return {}
        numbers[column] = value
    return numbers


def _together(rows: Sequence[tuple[_Shape, SourceRow]], lines: Lines) -> Iterator[tuple[_Shape, list[SourceRow]]]:
    held: list[SourceRow] = []
    shape: _Shape = ("", 0)
    for found, row in rows:
        if held and (found != shape or not _is_near(held[-1].line, row.line, lines)):
            yield shape, held
            held = []
        shape = found
        held.append(row)
    if held:
        yield shape, held


def _is_near(before: int, line: int, lines: Lines) -> bool:
    """True when nothing but blank lines and rules stand between two lines, two at most."""
    between = range(before + 1, line)
    return len(between) <= _GAP and all(_FIELD_RULE.fullmatch(lines.text(one)) for one in between)


_FIELD_RULE = re.compile(r"[\s|:+=-]*")


def header_line(lines: Lines, table: SourceTable) -> str:
    """The line above a table that is neither blank nor a rule, "" at the text's beginning."""
    for line in range(table.rows[0].line - 1, max(-1, table.rows[0].line - 1 - _GAP), -1):
        if not _FIELD_RULE.fullmatch(text := lines.text(line)):
            return text
    return ""
