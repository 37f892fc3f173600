"""Documents for the tests, made by hand where a library can't make what matters, else by the library agents use."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

from tabcore.documents import Document

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_MORE = (
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
)
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def packed(parts: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return stream.getvalue()


def relations(*entries: tuple[str, str]) -> str:
    """A relations part: (sort, target) of each, rId1 first."""
    inner = "".join(
        f'<Relationship Id="rId{i}" Type="{_OFFICE}/{sort}" Target="{target}"/>'
        for i, (sort, target) in enumerate(entries, start=1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{inner}</Relationships>'


def office(main: str, parts: Mapping[str, str | bytes]) -> bytes:
    """An office file whose main part is `main`."""
    types = f'<Types xmlns="{_PACKAGE}/content-types"/>'
    return packed({"[Content_Types].xml": types, "_rels/.rels": relations(("officeDocument", main)), **parts})


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def docx(body: str, related: Sequence[tuple[str, str]] = (), parts: Mapping[str, str | bytes] | None = None) -> bytes:
    """A Word file; `related` are the main part's relations, of which header1.xml and the like lie in `parts`."""
    return office(
        "word/document.xml",
        {
            "word/document.xml": f"<w:document {_W} {_MORE}><w:body>{body}</w:body></w:document>",
            "word/_rels/document.xml.rels": relations(*related),
            **(parts or {}),
        },
    )


def word_part(name: str, inner: str) -> str:
    """Another part of a Word file: `hdr`, `ftr`, `footnotes`, `comments`."""
    return f"<w:{name} {_W} {_MORE}>{inner}</w:{name}>"


def xlsx(
    rows: str, formats: Sequence[str] = (), *, before: str = "", more: Mapping[str, str | bytes] | None = None
) -> bytes:
    """An Excel file with one sheet "Costs" of these rows; style `i` has the format `formats[i - 1]`, style 0 none."""
    numbered = list(enumerate(formats, start=164))
    codes = "".join(f'<numFmt numFmtId="{i}" formatCode="{_escaped(code)}"/>' for i, code in numbered)
    styles = "".join(f'<xf numFmtId="{i}"/>' for i in (0, *(i for i, _ in numbered)))
    return office(
        "xl/workbook.xml",
        {
            "xl/workbook.xml": f'<workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}">{before}<sheets>'
            '<sheet name="Costs" sheetId="1" r:id="rId1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": relations(("worksheet", "worksheets/sheet1.xml"), ("styles", "styles.xml")),
            "xl/styles.xml": f'<styleSheet xmlns="{_SHEET}"><numFmts>{codes}</numFmts><cellXfs>{styles}</cellXfs></styleSheet>',
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_SHEET}"><dimension ref="A1:XFD1048576"/>'
            f"<sheetData>{rows}</sheetData></worksheet>",
            **(more or {}),
        },
    )


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")


def pdf(pages: Sequence[Sequence[str]], stamp: str = "") -> bytes:
    """A PDF file with lines of Helvetica on each page, and a stamp (an annotation with an appearance) on the first."""
    font = b"/Resources << /Font << /F1 3 0 R >> >>"
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids: list[str] = []
    annotations = b""
    if stamp:
        form = b"/Type /XObject /Subtype /Form /BBox [0 0 200 20] " + font
        objects.append(_stream(f"BT /F1 12 Tf 2 5 Td ({stamp}) Tj ET".encode("latin-1"), form))
        objects.append(b"<< /Type /Annot /Subtype /Stamp /F 4 /Rect [50 100 250 120] /AP << /N 4 0 R >> >>")
        annotations = b" /Annots [5 0 R]"
    for lines in pages:
        drawn = "".join(f"1 0 0 1 50 {780 - 20 * i} Tm ({line}) Tj\n" for i, line in enumerate(lines))
        objects.append(_stream(f"BT /F1 12 Tf\n{drawn}ET".encode("latin-1")))
        kids.append(f"{len(objects) + 1} 0 R")
        page = b"/Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R %s%s"
        objects.append(b"<< " + page % (len(objects), font, annotations) + b" >>")
        annotations = b""
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>".encode()
    return _with_table(objects)


def _stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), entries, data)


def _with_table(objects: Sequence[bytes]) -> bytes:
    data, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    entries = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    return (
        data
        + head
        + entries
        + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (
            len(objects) + 1,
            len(data),
        )
    )


PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)
"""A picture of one pixel."""


def placed(document: Document) -> list[tuple[str, str]]:
    """Each piece's place and text, as a person reads them."""
    return [(str(piece.place), piece.text) for piece in document.pieces]


def saved(thing: Any) -> bytes:
    stream = io.BytesIO()
    thing.save(stream)
    return stream.getvalue()


def lost(document: Document) -> list[str]:
    return [problem.kind for problem in document.problems if problem.lost]
