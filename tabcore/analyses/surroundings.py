"""Where the values of a delivered text stand, and the words around them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from tabcore.analyses.layout import Block, LaidCell
from tabcore.text.terms import terms

LONGEST = 2_000
"""Characters of a line whose words count."""


class Surroundings:
    """Where each value of a delivered text stands, and the words around it: of its line; in a table of its row and its
    column's head."""

    def __init__(self, text: str, blocks: Sequence[Block]) -> None:
        self._text = text
        self._blocks = iter(blocks)
        self._block: Block | None = None
        self._before = ""
        self._rows: dict[int, frozenset[str]] = {}
        self._cells: list[LaidCell] = []
        self._of_row: dict[int, list[LaidCell]] = {}

    def of(self, place: int) -> tuple[str, frozenset[str]]:
        """Of a place in the text; asked for in ascending order."""
        while self._block is None or self._block.end <= place:
            if self._block is not None and self._text[self._block.start : self._block.end].strip():
                self._before = self._text[self._block.start : self._block.end][:LONGEST]
            following = next(self._blocks, None)
            if following is None:
                return "", frozenset()
            self._block, self._rows = following, {}
            self._cells = sorted(following.cells, key=lambda cell: cell.start)
            self._of_row = {row[0].row: row for row in following.rows()}
        if not self._block.cells:
            own = frozenset(terms(self._text[self._block.start : self._block.end][:LONGEST]))
            return self._block.place, own if len(own) > 3 else own | frozenset(terms(self._before))
        return self._in_table(self._block, place)

    def _in_table(self, table: Block, place: int) -> tuple[str, frozenset[str]]:
        before = bisect_right(self._cells, place, key=lambda cell: cell.start) - 1
        if before < 0 or place >= self._cells[before].end:
            return table.place, frozenset()
        cell = self._cells[before]
        if cell.row not in self._rows:
            texts = " ".join(self._text[c.start : c.end][:LONGEST] for c in self._of_row[cell.row])
            self._rows[cell.row] = frozenset(terms(texts))
        first = self._of_row[table.cells[0].row]
        heads = (self._text[c.start : c.end][:LONGEST] for c in first if c.column == cell.column)
        name = cell.place or f"{table.place}, row {cell.row}, column {cell.column}"
        return name, self._rows[cell.row] | frozenset(terms(" ".join(heads)))
