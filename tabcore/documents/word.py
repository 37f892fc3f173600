"""Word files (WordprocessingML): body, headers, footers, notes, comments; tables within tables, text boxes, charts.

The text is that of the file with all tracked changes accepted: insertions are read, deletions are not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from xml.etree.ElementTree import Element

from tabcore.documents.drawings import chart, diagram
from tabcore.documents.limits import Content, Item, NotRead
from tabcore.documents.packages import Package, alternative, attribute, child, local
from tabcore.documents.places import Paragraph, Piece, Shape, TableCell

_SIDE_PARTS = (("header", "header"), ("footer", "footer"))
_NOTE_PARTS = (("footnotes", "footnote"), ("endnotes", "endnote"), ("comments", "comment"))
_CLOSED = frozenset(
    ("del", "moveFrom", "delText", "instrText", "pPr", "rPr", "tcPr", "trPr", "tblPr", "sectPr", "sdtPr")
)
_CHARACTERS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}


def read_word(content: Content) -> Iterator[Item]:
    """The paragraphs and table cells of the body, then of headers, footers, notes and comments."""
    package = Package(content)
    main = package.main_part()
    yield from package.notices()
    boxes = count(1)
    body = child(package.xml(main), "body")
    if body is not None:
        yield from _Story(package, main, "body", boxes).blocks(body, None, count(1))
    for sort, label in _SIDE_PARTS:
        for number, part in enumerate(package.related(main, sort), start=1):
            yield from _side(package, part, f"{label} {number}", boxes)
    for sort, label in _NOTE_PARTS:
        for part in package.related(main, sort):
            yield from _notes(package, part, label, boxes)


def _side(package: Package, part: str, label: str, boxes: count[int]) -> Iterator[Item]:
    try:
        root = package.xml(part)
    except NotRead as fault:
        yield fault.problem
        return
    yield from _Story(package, part, label, boxes).blocks(root, None, count(1))


def _notes(package: Package, part: str, label: str, boxes: count[int]) -> Iterator[Item]:
    try:
        root = package.xml(part)
    except NotRead as fault:
        yield fault.problem
        return
    # Separators between text and notes are notes with a type.
    notes = (note for note in root if attribute(note, "type") in ("", "normal"))
    for number, note in enumerate(notes, start=1):
        yield from _Story(package, part, f"{label} {number}", boxes).blocks(note, None, count(1))


@dataclass(slots=True)
class _Gathered:
    """What a paragraph holds: its text, and what is anchored in it."""

    text: list[str] = field(default_factory=list)
    boxes: list[Element] = field(default_factory=list)
    charts: list[str] = field(default_factory=list)
    diagrams: list[str] = field(default_factory=list)


class _Story:
    """A run of blocks with its own count of paragraphs."""

    def __init__(self, package: Package, part: str, label: str, boxes: count[int]) -> None:
        self._package = package
        self._part = part
        self._label = label
        self._boxes = boxes
        self._paragraphs = 0

    def blocks(self, parent: Element, cell: TableCell | None, tables: count[int]) -> Iterator[Item]:
        """Paragraphs and tables under `parent`; `cell` is the cell that they stand in."""
        for element in parent:
            match local(element):
                case "p":
                    yield from self._paragraph(element, cell)
                case "tbl":
                    yield from self._table(element, cell, next(tables))
                case "AlternateContent":
                    chosen = alternative(element)
                    if chosen is not None:
                        yield from self.blocks(chosen, cell, tables)
                case name if name not in _CLOSED:
                    yield from self.blocks(element, cell, tables)
                case _:
                    pass

    def _paragraph(self, paragraph: Element, cell: TableCell | None) -> Iterator[Item]:
        self._paragraphs += cell is None
        gathered = _Gathered()
        _gather(paragraph, gathered)
        text = "".join(gathered.text).strip("\n")
        if text.strip():
            yield Piece(text, cell or Paragraph(self._label, self._paragraphs))
        for box in gathered.boxes:
            label = f"text box {next(self._boxes)}"
            yield from _Story(self._package, self._part, label, self._boxes).blocks(box, None, count(1))
        where = str(cell or Paragraph(self._label, self._paragraphs))
        for relation in gathered.charts:
            yield from chart(self._package, self._part, relation, f"{where}, chart")
        for relation in gathered.diagrams:
            yield from diagram(self._package, self._part, relation, Shape(where, "diagram"))

    def _table(self, table: Element, within: TableCell | None, number: int) -> Iterator[Item]:
        for row_number, row in enumerate(_opened(table, "tr"), start=1):
            column = 1
            for cell in _opened(row, "tc"):
                yield from self.blocks(cell, TableCell(self._label, number, row_number, column, within), count(1))
                column += _span(cell)


def _opened(parent: Element, name: str) -> Iterator[Element]:
    """Rows or cells, also those in content controls and insertions; rows that were deleted are not."""
    for element in parent:
        if local(element) == name:
            if child(element, "trPr", "del") is None:
                yield element
        elif local(element) in ("sdt", "sdtContent", "ins", "moveTo", "customXml"):
            yield from _opened(element, name)


def _span(cell: Element) -> int:
    span = child(cell, "tcPr", "gridSpan")
    stated = attribute(span, "val") if span is not None else ""
    return max(1, int(stated)) if stated.isdecimal() and len(stated) < 4 else 1


def _gather(element: Element, into: _Gathered) -> None:
    """Adds what stands under `element` in a paragraph."""
    for inner in element:
        name = local(inner)
        if name in _CHARACTERS:
            into.text.append(_CHARACTERS[name])
        elif name == "t":
            into.text.append(inner.text or "")
        elif name == "sym":
            into.text.append(_symbol(attribute(inner, "char")))
        elif name == "txbxContent":
            into.boxes.append(inner)
        elif name == "chart":
            into.charts.append(attribute(inner, "id"))
        elif name == "relIds":
            into.diagrams.append(attribute(inner, "dm"))
        elif name == "AlternateContent":
            chosen = alternative(inner)
            if chosen is not None:
                _gather(chosen, into)
        elif name not in _CLOSED and not _is_hidden(inner):
            _gather(inner, into)


def _is_hidden(run: Element) -> bool:
    switch = child(run, "rPr", "vanish")
    return switch is not None and attribute(switch, "val") not in ("0", "false")


def _symbol(code: str) -> str:
    try:
        return chr(int(code, 16))
    except (ValueError, OverflowError):
        return ""
