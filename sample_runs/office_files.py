"""Writes the workspaces' office files from `office_texts.toml`: the same bytes on any machine.

    python sample_runs/office_files.py

docx and xlsx are zip containers with fixed times and without compression, whose bytes would differ between zlib
versions; pdf is one page of uncompressed text.
"""

from __future__ import annotations

import io
import re
import tomllib
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast
from xml.sax.saxutils import escape

HERE = Path(__file__).resolve().parent

_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_OPEN = "http://schemas.openxmlformats.org"
_OFFICE = "application/vnd.openxmlformats-officedocument"


def office_bytes(path: str, lines: Sequence[str]) -> bytes:
    """The bytes of one office file by its ending; of a sheet, a line is a row with `;` between the cells."""
    match path.rsplit(".", 1)[-1]:
        case "docx":
            return docx(lines)
        case "xlsx":
            return xlsx([line.split(";") for line in lines])
        case "pdf":
            return pdf(lines)
        case ending:
            raise ValueError(f"{path}: .{ending} is not written here")


def docx(paragraphs: Sequence[str]) -> bytes:
    """A text document with one paragraph a line."""
    body = "".join(f'<w:p><w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r></w:p>' for text in paragraphs)
    document = f'<w:document xmlns:w="{_OPEN}/wordprocessingml/2006/main"><w:body>{body}</w:body></w:document>'
    return _container(
        {
            "[Content_Types].xml": _content_types({"/word/document.xml": "wordprocessingml.document.main"}),
            "_rels/.rels": _relationships("officeDocument", "word/document.xml"),
            "word/document.xml": document,
        }
    )


def xlsx(rows: Sequence[Sequence[str]]) -> bytes:
    """A workbook with one sheet; a cell that reads as a number is one."""
    sheet = "".join(f'<row r="{r}">{"".join(map(_cell, row))}</row>' for r, row in enumerate(rows, start=1))
    main = f"{_OPEN}/spreadsheetml/2006/main"
    related = f"{_OPEN}/officeDocument/2006/relationships"
    return _container(
        {
            "[Content_Types].xml": _content_types(
                {"/xl/workbook.xml": "spreadsheetml.sheet.main", "/xl/worksheets/sheet1.xml": "spreadsheetml.worksheet"}
            ),
            "_rels/.rels": _relationships("officeDocument", "xl/workbook.xml"),
            "xl/_rels/workbook.xml.rels": _relationships("worksheet", "worksheets/sheet1.xml"),
            "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{related}">'
            '<sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>',
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{sheet}</sheetData></worksheet>',
        }
    )


def _cell(text: str) -> str:
    try:
        float(text)
    except ValueError:
        return f'<c t="inlineStr"><is><t>{escape(text)}</t></is></c>'
    return f"<c><v>{text}</v></c>"


def _content_types(parts: Mapping[str, str]) -> str:
    overrides = "".join(
        f'<Override PartName="{part}" ContentType="{_OFFICE}.{kind}+xml"/>' for part, kind in parts.items()
    )
    return (
        f'<Types xmlns="{_OPEN}/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>'
    )


def _relationships(kind: str, target: str) -> str:
    return (
        f'<Relationships xmlns="{_OPEN}/package/2006/relationships"><Relationship Id="rId1" '
        f'Type="{_OPEN}/officeDocument/2006/relationships/{kind}" Target="{target}"/></Relationships>'
    )


def _container(parts: Mapping[str, str]) -> bytes:
    return _stored({name: (_HEAD + text).encode() for name, text in parts.items()})


def _stored(parts: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as container:
        for name, content in parts.items():
            info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            info.create_system = 3
            info.external_attr = 0o644 << 16
            container.writestr(info, content)
    return buffer.getvalue()


_SAVED_AT = re.compile(rb"(<dcterms:(?:created|modified)\b[^>]*>)[^<]*")


def same_bytes(data: bytes) -> bytes:
    """An office file that a program saved, without what differs from one time to the next; any other file as it is.

    That is the time of saving, in the container and in its core properties, and how the parts are compressed.
    """
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return data
    with zipfile.ZipFile(io.BytesIO(data)) as container:
        parts = {name: container.read(name) for name in container.namelist()}
    core = "docProps/core.xml"
    if core in parts:
        parts[core] = _SAVED_AT.sub(rb"\g<1>2024-01-01T00:00:00Z", parts[core])
    return _stored(parts)


def pdf(lines: Sequence[str]) -> bytes:
    """One page of Helvetica; only characters of Latin-1."""
    shown = " T* ".join(f"({_pdf_text(line)}) Tj" for line in lines)
    content = f"BT /F1 11 Tf 14 TL 60 780 Td {shown} ET"
    objects = (
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(content.encode('latin-1'))} >>\nstream\n{content}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    )
    body = b"%PDF-1.4\n"
    places = []
    for number, text in enumerate(objects, start=1):
        places.append(f"{len(body):010d} 00000 n \n")
        body += f"{number} 0 obj\n{text}\nendobj\n".encode("latin-1")
    table = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{''.join(places)}"
    tail = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    return body + (table + tail).encode("latin-1")


def _pdf_text(line: str) -> str:
    return line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def office_files() -> dict[str, bytes]:
    """Every office file of the workspaces, by its path under `workspaces/`."""
    texts = cast(dict[str, str], tomllib.loads((HERE / "office_texts.toml").read_text(encoding="utf-8")))
    return {path: office_bytes(path, text.strip().splitlines()) for path, text in texts.items()}


def main() -> None:
    """Write them all."""
    for path, content in office_files().items():
        target = HERE / "workspaces" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        print(path)


if __name__ == "__main__":
    main()
