"""HTML: the text of each block, as a browser without styles would show it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from tabcore.documents.limits import Content, Item
from tabcore.documents.places import Block, Piece
from tabcore.documents.plain import decoded

_UNSHOWN = frozenset(("script", "style", "template", "noscript", "iframe", "object", "head"))
_SHOWN_IN_HEAD = "title"
_BLOCK = re.compile(
    r"address|article|aside|blockquote|body|br|caption|d[dlt]|details|div|fieldset|figcaption|figure|footer|form|h[1-6r]"
    r"|header|html|legend|li|main|nav|[ou]l|option|p|pre|section|summary|table|tbody|t[dhr]|tfoot|thead|title"
)
_SPACE = re.compile(r"[ \t\r\n\f]+")
_STEP = 1 << 16


def read_html(content: Content) -> Iterator[Item]:
    """The blocks of a page in order; scripts and styles are left out, form values and image texts are shown."""
    text, _ = decoded(content.data) or ("", "")
    blocks = _Blocks()
    for start in range(0, len(text), _STEP):
        blocks.feed(text[start : start + _STEP])
        yield from blocks.taken()
    blocks.close()
    blocks.finish_block()
    yield from blocks.taken()


class _Blocks(HTMLParser):
    """Gathers the text between the tags that part blocks. What a stray end tag closes is nothing."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._pieces: list[Piece] = []
        self._count = 0
        self._open: list[str] = ["body"]
        self._hidden: list[str] = []
        self._text: list[str] = []
        self._line = 0
        self._tables: list[tuple[int, int, int]] = []
        self._table_count = 0

    def taken(self) -> list[Piece]:
        """The pieces that are ready; each is given once."""
        ready, self._pieces = self._pieces, []
        return ready

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in _UNSHOWN:
            self._hidden.append(tag)
        if tag == "input" and given.get("type") != "hidden":
            self.handle_data(given.get("value") or "")
        if tag == "img":
            self.handle_data(given.get("alt") or "")
        if not _BLOCK.fullmatch(tag):
            return
        self.finish_block()
        self._enter_table(tag)
        if tag not in ("br", "hr"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._hidden:
            del self._hidden[self._hidden.index(tag) :]
        if not _BLOCK.fullmatch(tag):
            return
        self.finish_block()
        if tag == "table" and self._tables:
            self._tables.pop()
        if tag in self._open[1:]:
            del self._open[len(self._open) - 1 - self._open[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        if set(self._hidden) - {"head"} or (self._hidden and self._open[-1] != _SHOWN_IN_HEAD) or not data:
            return
        if not self._text:
            self._line = self.getpos()[0] + data[: len(data) - len(data.lstrip())].count("\n")
        self._text.append(data)

    def finish_block(self) -> None:
        """Ends the block that text is gathered for."""
        joined = "".join(self._text)
        self._text = []
        tag = self._open[-1]
        shown = joined.strip("\n") if "pre" in self._open else _SPACE.sub(" ", joined).strip()
        if not shown.strip():
            return
        self._count += 1
        in_cell = self._tables and ("td" in self._open or "th" in self._open)
        table, row, column = self._tables[-1] if self._tables and in_cell else (0, 0, 0)
        self._pieces.append(Piece(shown, Block(self._count, tag, self._line, table, row, column)))

    def _enter_table(self, tag: str) -> None:
        if tag == "table":
            self._table_count += 1
            self._tables.append((self._table_count, 0, 0))
        elif self._tables and tag in ("tr", "td", "th"):
            table, row, column = self._tables[-1]
            self._tables[-1] = (table, row + 1, 0) if tag == "tr" else (table, max(row, 1), column + 1)
