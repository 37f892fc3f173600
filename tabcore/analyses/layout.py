"""A delivered text as it is laid out: lines, and tables of rows and cells. Spans are places in the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from tabcore.trajectory import DeliverablePiece


@dataclass(frozen=True, slots=True)
class LaidCell:
    """A cell of a table: characters `start:end`, its row and column from 1, and where it sits in the file."""

    start: int
    end: int
    row: int
    column: int
    place: str = ""
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A line or paragraph (`cells` is empty), or a table whose cells stand in the order of rows and columns."""

    start: int
    end: int
    kind: Literal["line", "heading", "table"] = "line"
    place: str = ""
    cells: tuple[LaidCell, ...] = ()

    def rows(self) -> list[list[LaidCell]]:
        """The cells of a table, row by row."""
        return [list(row) for _, row in groupby(self.cells, key=lambda cell: cell.row)]


def layout(text: str, name: str, pieces: Sequence[DeliverablePiece] = ()) -> tuple[Block, ...]:
    """The blocks of a text in order; what parts them (line ends, a table's rule of dashes) is in none.

    With `pieces` these are the blocks; else `name`, the file's, says whether it is csv, tsv, Markdown (as is a text
    without a file) or lines.

    >>> [(block.kind, len(block.cells)) for block in layout("# Costs\\n\\n| a | b |\\n|---|---|\\n| 1 | 2 |\\n", "x.md")]
    [('heading', 0), ('line', 0), ('table', 4), ('line', 0)]
    """
    if pieces:
        return tuple(_of_pieces(pieces))
    ending = name.rpartition(".")[2].casefold()
    if ending in ("csv", "tsv"):
        cells = tuple(_fields(text, "\t" if ending == "tsv" else _delimiter(text)))
        return (Block(0, len(text), "table", name, cells),) if cells else ()
    return tuple(_of_lines(text, marked="." not in name or ending in ("md", "markdown")))


def _of_pieces(pieces: Iterable[DeliverablePiece]) -> Iterator[Block]:
    for table, group in groupby(pieces, key=lambda piece: piece.table):
        found = list(group)
        if not table:
            yield from (Block(piece.start, piece.end, place=piece.place) for piece in found)
            continue
        ordered = sorted(found, key=lambda piece: (piece.row, piece.column))
        cells = tuple(LaidCell(p.start, p.end, p.row, p.column, p.place, p.raw) for p in ordered)
        yield Block(found[0].start, found[-1].end, "table", table, cells)


_HEADING = re.compile(r"#{1,6} ")
_RULE = re.compile(r"\s*\|?[\s:|-]*-[\s:|-]*\|?\s*")


def lines_of(text: str) -> Iterator[tuple[int, int]]:
    """Where each line starts and ends, its end mark left out.

    >>> list(lines_of("ab\\r\\nc"))
    [(0, 2), (4, 5)]
    """
    start = 0
    for line in text.split("\n"):
        yield start, start + len(line.rstrip("\r"))
        start += len(line) + 1


def _of_lines(text: str, *, marked: bool) -> Iterator[Block]:
    """Lines; with `marked` Markdown's headings and tables are such."""
    tables = 0
    for is_table, group in groupby(lines_of(text), key=lambda span: text[slice(*span)].lstrip().startswith("|")):
        spans = list(group)
        if marked and is_table and len(spans) > 1 and _RULE.fullmatch(text[slice(*spans[1])]):
            tables += 1
            cells = tuple(_pipe_cells(text, [spans[0], *spans[2:]]))
            yield Block(spans[0][0], spans[-1][1], "table", f"table {tables}", cells)
            continue
        for start, end in spans:
            yield Block(start, end, "heading" if marked and _HEADING.match(text, start, end) else "line")


def _pipe_cells(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[LaidCell]:
    for row, (start, end) in enumerate(spans, 1):
        line = text[start:end].rstrip()
        at = start + line.index("|") + 1
        inner = line[at - start :].removesuffix("|")
        for column, cell in enumerate(inner.split("|"), 1):
            bare = cell.strip()
            first = at + len(cell) - len(cell.lstrip()) if bare else at
            yield LaidCell(first, first + len(bare), row, column)
            at += len(cell) + 1


def _delimiter(text: str) -> str:
    """Of a csv file's first line: the semicolon where it has more of them than commas."""
    head = text.partition("\n")[0]
    return ";" if head.count(";") > head.count(",") else ","


def _fields(text: str, delimiter: str) -> Iterator[LaidCell]:
    """The fields of delimited records; a quoted field may hold the delimiter and line ends."""
    field = re.compile(rf'"((?:[^"]|"")*)"|([^{re.escape(delimiter)}\r\n]*)')
    at, row, column = 0, 1, 1
    while at < len(text):
        match = field.match(text, at)
        assert match is not None
        group = 1 if match[1] is not None else 2
        if match[0] or column > 1 or text.startswith(delimiter, match.end()):
            yield LaidCell(*match.span(group), row, column)
        at = match.end()
        if text.startswith(delimiter, at):
            at, column = at + 1, column + 1
        else:
            end = text.find("\n", at)
            at, row, column = (len(text) if end < 0 else end + 1), row + 1, 1
