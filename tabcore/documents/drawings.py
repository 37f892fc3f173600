"""What is drawn on slides and sheets (DrawingML): shapes, their tables, groups, charts and diagrams."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element

from tabcore.documents.limits import Item, NotRead
from tabcore.documents.number_formats import displayed
from tabcore.documents.packages import Package, alternative, attribute, child, local
from tabcore.documents.places import ChartValue, Piece, Shape


def shapes(package: Package, part: str, tree: Iterable[Element], on: str) -> Iterator[Item]:
    """The texts of the shapes under `tree` in drawing order; `part` is the part whose relations they use."""
    for element in tree:
        match local(element):
            case "sp" | "cxnSp":
                yield from _lines(element, Shape(on, _name(element)))
            case "graphicFrame":
                yield from _framed(package, part, element, on)
            case "AlternateContent":
                chosen = alternative(element)
                if chosen is not None:
                    yield from shapes(package, part, chosen, on)
            case "grpSp" | "twoCellAnchor" | "oneCellAnchor" | "absoluteAnchor":
                yield from shapes(package, part, element, on)
            case _:
                pass


def _name(element: Element) -> str:
    properties = next((inner for inner in element if local(inner).startswith("nv")), None)
    named = child(properties, "cNvPr")
    return named.get("name", "") if named is not None else ""


def _lines(element: Element, place: Shape) -> Iterator[Item]:
    for paragraph in element.iter():
        if local(paragraph) == "p":
            shown = paragraph_text(paragraph)
            if shown.strip():
                yield Piece(shown, place)


def paragraph_text(paragraph: Element) -> str:
    """The text of a drawn paragraph (a:p)."""
    # Tabs are characters of the text; an element of that name is a tab stop.
    runs = (inner for inner in paragraph.iter() if local(inner) in ("t", "br"))
    return "".join("\n" if local(run) == "br" else run.text or "" for run in runs)


def _framed(package: Package, part: str, frame: Element, on: str) -> Iterator[Item]:
    for element in frame.iter():
        match local(element):
            case "tbl":
                yield from _table(element, on, _name(frame))
            case "chart" if attribute(element, "id"):
                where = ", ".join(filter(None, (on, _name(frame))))
                yield from chart(package, part, attribute(element, "id"), where)
            case "relIds":
                yield from diagram(package, part, attribute(element, "dm"), Shape(on, _name(frame)))
            case _:
                pass


def _table(table: Element, on: str, name: str) -> Iterator[Item]:
    rows = (row for row in table if local(row) == "tr")
    for row_number, row in enumerate(rows, start=1):
        cells = (cell for cell in row if local(cell) == "tc")
        for column, cell in enumerate(cells, start=1):
            yield from _lines(cell, Shape(on, name, row_number, column))


def diagram(package: Package, part: str, relation: str, place: Shape) -> Iterator[Item]:
    """The texts of a diagram (SmartArt), in the order of its data."""
    try:
        target = package.relations(part)[relation].target
        yield from _lines(package.xml(target), place)
    except KeyError:
        return
    except NotRead as fault:
        yield fault.problem


def chart(package: Package, part: str, relation: str, on: str) -> Iterator[Item]:
    """What a chart shows: its title, and of each series the values with their categories, as they were last drawn."""
    try:
        root = package.xml(package.relations(part)[relation].target)
    except KeyError:
        return
    except NotRead as fault:
        yield fault.problem
        return
    for element in root.iter():
        match local(element):
            case "title":
                shown = " ".join(paragraph_text(inner) for inner in element.iter() if local(inner) == "p")
                if shown.strip():
                    yield Piece(shown, ChartValue(on))
            case "ser":
                yield from _series(element, on)
            case _:
                pass


def _series(series: Element, on: str) -> Iterator[Item]:
    name = " ".join(shown for shown, _ in _points(child(series, "tx")).values())
    categories = _points(_first(series, "cat", "xVal"))
    values = _points(_first(series, "val", "yVal"))
    if name:
        yield Piece(name, ChartValue(on, name))
    for index, (shown, raw) in values.items():
        category = categories.get(index, ("", ""))[0]
        yield Piece(f"{category}: {shown}" if category else shown, ChartValue(on, name, category, raw))


def _first(element: Element, *names: str) -> Element | None:
    return next((inner for inner in element if local(inner) in names), None)


def _points(element: Element | None) -> dict[str, tuple[str, str]]:
    """A cache's points by their index: what is shown, and what is stored."""
    points: dict[str, tuple[str, str]] = {}
    code = "General"
    for inner in element.iter() if element is not None else ():
        if local(inner) == "formatCode":
            code = inner.text or code
        elif local(inner) == "pt":
            value = child(inner, "v")
            raw = (value.text or "") if value is not None else ""
            points[inner.get("idx", "")] = (_shown(raw, inner.get("formatCode", code)), raw)
    if element is not None and not points:
        value = child(element, "v")
        points.update({"0": (value.text, value.text)} if value is not None and value.text else {})
    return points


def _shown(raw: str, code: str) -> str:
    try:
        return displayed(float(raw), code)
    except ValueError:
        return raw
