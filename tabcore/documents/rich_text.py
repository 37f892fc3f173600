"""RTF, by striprtf: paragraphs and rows of tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from striprtf.striprtf import rtf_to_text

from tabcore.documents.limits import Content, Item
from tabcore.documents.places import Paragraph, Piece, TableCell

_SET_APART = re.compile(rb"\\(header|footer|footnote|shptxt|annotation)[lrf]?\b")
_CELL, _ROW = re.compile(rb"\\(?:nest)?cell\b"), re.compile(rb"\\row\b")


def read_rtf(content: Content) -> Iterator[Item]:
    """Paragraphs and table cells of the body. Headers, footers, footnotes and text boxes are named as left out."""
    text: str = rtf_to_text(content.data.decode("latin-1"), errors="replace")  # type: ignore[no-untyped-call]
    tabled = bool(_CELL.search(content.data))
    paragraphs = tables = row = 0
    for line in text.split("\n"):
        # striprtf ends a cell with a bar and a row with a newline.
        if tabled and line.endswith("|"):
            tables, row = (tables + 1, 1) if not row else (tables, row + 1)
            for column, cell in enumerate(line[:-1].split("|"), start=1):
                if cell.strip():
                    yield Piece(cell.strip(), TableCell("body", tables, row, column))
            continue
        row = 0
        paragraphs += 1
        if line.strip():
            yield Piece(line.strip(), Paragraph("body", paragraphs))
    if not content.data.rstrip(b"\0\r\n\t ").endswith(b"}"):
        yield content.problem("torn", "it ends before its last group does", "read to its end")
    apart = sorted({match.decode() for match in _SET_APART.findall(content.data)})
    if apart:
        yield content.problem(
            "part", f"it has parts set apart from the body ({', '.join(apart)})", "these were not read"
        )
