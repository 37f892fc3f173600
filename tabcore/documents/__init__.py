"""A file as text, and where each piece of it sits: page, sheet and cell, slide and shape, paragraph, table cell, line.

    document = read_document("report.xlsx")
    document.kind, document.text                # "xlsx", the pieces in order
    document.place_at(document.text.index("12.3%"))     # Cell(sheet="Costs", row=4, column=2, raw="0.123", …)
    document.problems                           # what was not read, and how to read it

In the order in which to read: places.py (what comes out), limits.py (how much is read), kinds.py (what a file is),
reading.py (kind -> reader -> document), child.py (the process in which parsers run). The readers, a file per family:
plain.py json_values.py markup.py mail.py rich_text.py; word.py slides.py spreadsheets.py drawings.py on packages.py;
open_document.py pages.py old_spreadsheets.py converters.py archives.py. Formats of cells: number_formats.py with
format_sections.py and moment_formats.py; formulas without a stored value: formulas.py.
"""

from __future__ import annotations

import atexit
import os
import stat
from functools import lru_cache
from pathlib import Path

from tabcore.documents.child import Child
from tabcore.documents.limits import DEFAULT, Content, Limits
from tabcore.documents.places import (
    Block,
    Cell,
    ChartValue,
    Document,
    Field,
    Inside,
    JsonValue,
    Kind,
    Line,
    MailHeader,
    Member,
    Page,
    Paragraph,
    Piece,
    Place,
    Shape,
    Sheet,
    TableCell,
)
from tabcore.documents.reading import gathered, is_plain
from tabcore.errors import UnreadableSource

__all__ = [
    "Block",
    "Cell",
    "ChartValue",
    "Document",
    "Field",
    "Inside",
    "JsonValue",
    "Kind",
    "Limits",
    "Line",
    "MailHeader",
    "Member",
    "Page",
    "Paragraph",
    "Piece",
    "Place",
    "Shape",
    "Sheet",
    "TableCell",
    "read_bytes",
    "read_document",
]


def read_document(path: str | Path, limits: Limits = DEFAULT) -> Document:
    """The file at `path` as text with places. Its kind is told by its content, not by its name.

    Raises UnreadableSource when there is no such file or it cannot be opened; whatever is wrong with the content is
    in `problems`. Costs 1 ms for a small plain text and some 10 ms in the reading process for an office file; the
    first of those also the start of that process, 0.2 s.
    """
    place = Path(path)
    try:
        if not stat.S_ISREG(place.stat().st_mode):
            raise UnreadableSource(str(path), "this is not a regular file", "Name a document")
        with place.open("rb") as stream:
            data = stream.read(limits.file_bytes + 1)
    except (OSError, ValueError) as fault:
        fact = f"it cannot be opened ({getattr(fault, 'strerror', None) or fault})"
        raise UnreadableSource(str(path), fact, "Check the path and that you may read it") from fault
    return read_bytes(data, str(path), limits)


def read_bytes(data: bytes, name: str, limits: Limits = DEFAULT) -> Document:
    """A file that is at hand as bytes, like `read_document`; `name` is what its problems call it."""
    content = Content(data, name, limits)
    return gathered(content) if is_plain(content) else _child(os.getpid()).read(content)


@lru_cache(maxsize=1)
def _child(process: int) -> Child:
    """This process's reading child; one that forks itself gets another."""
    child = Child()
    atexit.register(child.close)
    return child
