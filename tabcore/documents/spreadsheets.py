"""Excel files (SpreadsheetML): each cell with what it shows, what is stored and its formula.

One pass over a sheet's XML gives value, formula and format together; openpyxl needs the whole workbook twice for it,
and refuses files with a style that it doesn't know. Cells are taken as they come, so that a sheet that claims a range
of 17 billion cells costs what it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from tabcore.documents.drawings import shapes
from tabcore.documents.format_sections import BUILT_IN
from tabcore.documents.formulas import Calculation
from tabcore.documents.limits import Content, Item, NotRead
from tabcore.documents.number_formats import displayed, written
from tabcore.documents.packages import Package, child, local
from tabcore.documents.places import Cell, Piece, Sheet

_NAME = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")


def read_sheets(content: Content) -> Iterator[Item]:
    """The sheets in the order of their tabs: the name, the cells by row, then comments, shapes and charts."""
    package = Package(content)
    main = package.main_part()
    root, relations = package.xml(main), package.relations(main)
    yield from package.notices()
    properties = child(root, "workbookPr")
    from_1904 = properties is not None and properties.get("date1904") in ("1", "true")
    book = _Book(package, _shared_texts(package, main), _formats(package, main), from_1904, Calculation(content))
    listed = child(root, "sheets")
    for entry in listed if listed is not None else ():
        relation = relations.get(next((value for key, value in entry.items() if key.endswith("}id")), ""))
        name = entry.get("name", "")
        yield Piece(name, Sheet(name, entry.get("state", "visible") != "visible"))
        if relation is None:
            yield content.problem("missing part", f"the sheet {name} is listed and not there", "skipped")
            continue
        for read in (_cells, _comments, _drawn):
            try:
                yield from read(book, relation.target, name)
            except NotRead as fault:
                yield fault.problem
    yield from book.calculation.problems()


@dataclass(frozen=True, slots=True)
class _Book:
    """What the sheets of a workbook share. `formats` are by the number that a cell's style has."""

    package: Package
    texts: list[str]
    formats: list[str]
    from_1904: bool
    calculation: Calculation


def _shared_texts(package: Package, main: str) -> list[str]:
    texts: list[str] = []
    for part in package.related(main, "sharedStrings"):
        for element in package.elements(part):
            if local(element) == "si":
                texts.append(_rich_text(element))
                element.clear()
    return texts


def _rich_text(element: Element) -> str:
    """The text of a string item; phonetic readings (rPh) are no part of it."""
    shown = ""
    for inner in element:
        if local(inner) == "t":
            shown += inner.text or ""
        elif local(inner) == "r":
            run = child(inner, "t")
            shown += (run.text or "") if run is not None else ""
    return shown


def _formats(package: Package, main: str) -> list[str]:
    codes = dict(BUILT_IN)
    styles: list[str] = []
    for part in package.related(main, "styles"):
        root = package.xml(part)
        for entry in _under(root, "numFmts"):
            codes[_number(entry.get("numFmtId", ""))] = entry.get("formatCode", "General")
        styles += [codes.get(_number(entry.get("numFmtId", "0")), "General") for entry in _under(root, "cellXfs")]
    return styles


def _under(root: Element, name: str) -> list[Element]:
    found = child(root, name)
    return list(found) if found is not None else []


def _number(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 10 else 0


def _cells(book: _Book, part: str, sheet: str) -> Iterator[Item]:
    shared: dict[str, str] = {}
    row = 0
    for element in book.package.elements(part):
        if local(element) != "row":
            continue
        row = _number(element.get("r")) or row + 1
        column = 0
        for cell in element:
            match = _NAME.fullmatch(cell.get("r", ""))
            column = _column(match[1]) if match else column + 1
            piece = _cell(book, cell, shared, sheet, row, column)
            if piece:
                yield piece
        element.clear()


def _column(letters: str) -> int:
    """A column's number, from 1.

    >>> _column("A"), _column("AB"), _column("XFD")
    (1, 28, 16384)
    """
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number


def _cell(book: _Book, cell: Element, shared: dict[str, str], sheet: str, row: int, column: int) -> Piece | None:
    """A cell's piece, None for an empty one. A formula without a stored value is calculated, or shown as it is."""
    parts = {local(inner): inner for inner in cell}
    formula = _formula(parts["f"], shared) if "f" in parts else ""
    style = _number(cell.get("s"))
    code = book.formats[style] if style < len(book.formats) else "General"
    value, raw = _stored(book, cell.get("t", "n"), parts)
    if value is None and formula:
        value = book.calculation.value(sheet, row, column, from_1904=book.from_1904)
        raw = "" if value is None else value if isinstance(value, str) else written(value)
        value = formula if value is None else value
    if value is None:
        return None
    text = displayed(value, code, from_1904=book.from_1904)
    if not text.strip() and not raw.strip():
        return None
    return Piece(text, Cell(sheet, row, column, raw, formula))


def _formula(element: Element, shared: dict[str, str]) -> str:
    """A cell's formula; cells that share one all get it as its first cell states it."""
    if element.text:
        formula = f"={element.text}"
        if element.get("t") == "shared":
            shared[element.get("si", "")] = formula
        return formula
    return shared.get(element.get("si", ""), "") if element.get("t") == "shared" else ""


def _stored(book: _Book, sort: str, parts: dict[str, Element]) -> tuple[float | str | bool | None, str]:
    """A cell's stored value, and that value as it is written; (None, "") where there is none."""
    if "is" in parts:
        return (text := _rich_text(parts["is"])), text
    raw = (parts["v"].text or "") if "v" in parts else ""
    if not raw:
        return None, ""
    match sort:
        case "n":
            try:
                return float(raw), raw
            except ValueError:
                return raw, raw
        case "s":
            index = _number(raw)
            text = book.texts[index] if index < len(book.texts) else ""
            return text, text
        case "b":
            return raw == "1", raw
        case _:
            return raw, raw


def _comments(book: _Book, part: str, sheet: str) -> Iterator[Item]:
    """Comments of both kinds: notes, and threads. A thread has a note too, which only says that it is one."""
    threads = book.package.related(part, "threadedComment")
    for comments in threads or book.package.related(part, "comments"):
        for comment in book.package.xml(comments).iter():
            match = _NAME.fullmatch(comment.get("ref", ""))
            texts = [inner for inner in comment if local(inner) == "text"]
            if match and texts:
                text = _rich_text(texts[0]) or (texts[0].text or "")
                if text.strip():
                    yield Piece(text, Cell(sheet, int(match[2]), _column(match[1]), comment=True))


def _drawn(book: _Book, part: str, sheet: str) -> Iterator[Item]:
    for drawing in book.package.related(part, "drawing"):
        yield from shapes(book.package, drawing, book.package.xml(drawing), f"sheet {sheet}")
