"""OpenDocument files (ODF 1.3): texts, sheets and presentations, from their one content part."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from xml.etree.ElementTree import Element

from tabcore.documents.limits import Content, Item
from tabcore.documents.packages import Package, attribute, local
from tabcore.documents.places import Cell, Paragraph, Piece, Shape, Sheet, TableCell

_FOLDS = {"tab": "\t", "line-break": "\n"}
_BESIDE = frozenset(("annotation", "tracked-changes", "note-citation", "ruby-text"))


def read_open_document(content: Content) -> Iterator[Item]:
    """Paragraphs, table cells, cells of sheets, shapes of slides; sheets state displayed and stored values."""
    package = Package(content)
    if "META-INF/manifest.xml" in package and b"encryption-data" in package.read("META-INF/manifest.xml"):
        yield content.problem("encrypted", "it needs a password to open", "not read")
        return
    yield from package.notices()
    body = next((element for element in package.xml("content.xml") if local(element) == "body"), None)
    for element in body if body is not None else ():
        match local(element):
            case "text":
                yield from _blocks(element, None, count(1), count(1))
            case "spreadsheet":
                yield from _sheets(element)
            case "presentation":
                yield from _slides(element)
            case _:
                pass


def _text(element: Element) -> str:
    shown = element.text or ""
    for inner in element:
        name = local(inner)
        if name == "s":
            shown += " " * min(1000, int(c) if (c := attribute(inner, "c")).isdecimal() else 1)
        elif name not in _BESIDE:
            shown += _FOLDS.get(name) or _text(inner)
        shown += inner.tail or ""
    return shown


def _blocks(parent: Element, cell: TableCell | None, lines: count[int], tables: count[int]) -> Iterator[Item]:
    for element in parent:
        match local(element):
            case "p" | "h":
                place = cell or Paragraph("body", next(lines))
                shown = _text(element)
                if shown.strip():
                    yield Piece(shown, place)
            case "table":
                number = next(tables)
                for row, column, found in _table_cells(element):
                    place = TableCell("body", number, row, column, cell)
                    yield from _blocks(found, place, lines, count(1))
            case name if name not in _BESIDE:
                yield from _blocks(element, cell, lines, tables)
            case _:
                pass


def _table_cells(table: Element) -> Iterator[tuple[int, int, Element]]:
    """The cells that hold something, with row and column; a cell that stands for many counts them and comes once."""
    row = 0
    for line in table.iter():
        if local(line) != "table-row":
            continue
        column = 0
        for cell in line:
            if local(cell) in ("table-cell", "covered-table-cell"):
                if len(cell):
                    yield row + 1, column + 1, cell
                column += _repeated(cell, "number-columns-repeated")
        row += _repeated(line, "number-rows-repeated")


def _repeated(element: Element, name: str) -> int:
    stated = attribute(element, name)
    return max(1, int(stated)) if stated.isdecimal() and len(stated) < 9 else 1


def _sheets(spreadsheet: Element) -> Iterator[Item]:
    for table in spreadsheet:
        if local(table) != "table":
            continue
        name = attribute(table, "name")
        yield Piece(name, Sheet(name))
        for row, column, cell in _table_cells(table):
            shown = "\n".join(_text(line) for line in cell if local(line) == "p")
            raw = next(filter(None, (attribute(cell, key) for key in ("value", "date-value", "time-value"))), shown)
            formula = attribute(cell, "formula").removeprefix("of:")
            if shown.strip():
                yield Piece(shown, Cell(name, row, column, raw, formula))
            for note in (inner for inner in cell if local(inner) == "annotation"):
                shown = "\n".join(_text(line) for line in note if local(line) == "p")
                yield Piece(shown, Cell(name, row, column, comment=True))


def _slides(presentation: Element) -> Iterator[Item]:
    pages = (page for page in presentation if local(page) == "page")
    for number, page in enumerate(pages, start=1):
        for shape in page:
            on = f"slide {number}{', notes' if local(shape) == 'notes' else ''}"
            for line in shape.iter():
                if local(line) in ("p", "h") and (shown := _text(line)).strip():
                    yield Piece(shown, Shape(on, attribute(shape, "name")))
