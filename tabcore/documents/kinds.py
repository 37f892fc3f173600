"""What a file is, told by its content: by its first bytes, the parts of a package, the streams of a compound file.

Only among plain texts, which have no mark of their own, the name counts: `.md`, `.csv`, `.tsv`.
"""

from __future__ import annotations

import json
import re
import zipfile
from io import BytesIO

from tabcore.documents.places import Kind

_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*", b"BM", b"\0\0\1\0", b"8BPS")
_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_STREAMS: tuple[tuple[str, Kind], ...] = (
    ("EncryptedPackage", "encrypted"),
    ("WordDocument", "doc"),
    ("PowerPoint Document", "ppt"),
    ("Workbook", "xls"),
    ("Book", "xls"),
)
"""Names of a compound file's streams (MS-CFB), the deciding ones first: a Word file may hold a workbook."""

_OPEN_DOCUMENT: dict[bytes, Kind] = {b"text": "odt", b"spreadsheet": "ods", b"presentation": "odp"}
_HTML = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body|table)\b", re.I | re.S)
_HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]*:\s?\S")
_MAIL_HEADERS = frozenset(
    ("from", "to", "cc", "subject", "date", "received", "return-path", "message-id", "mime-version", "content-type")
)


def binary_kind(data: bytes) -> Kind | None:
    """The kind of a file that says it in its bytes; None where it may be text.

    >>> binary_kind(b"%PDF-1.7"), binary_kind(b"{\\\\rtf1 a}"), binary_kind(b""), binary_kind(b"a,b")
    ('pdf', 'rtf', 'empty', None)
    """
    if not data:
        return "empty"
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _packed_kind(data)
    if data.startswith(_COMPOUND):
        return _compound_kind(data)
    if data.lstrip()[:5] == b"{\\rtf":
        return "rtf"
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data.startswith(_PICTURES) or (data[:4] == b"RIFF" and data[8:12] == b"WEBP"):
        return "picture"
    return None


def _packed_kind(data: bytes) -> Kind:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = set(archive.namelist())
            mime = archive.open("mimetype").read(200) if "mimetype" in names else b""
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError, EOFError):
        return _torn_kind(data)
    if mime.startswith(b"application/vnd.oasis.opendocument."):
        return _OPEN_DOCUMENT.get(mime.rpartition(b".")[2].partition(b"-")[0], "zip")
    if "xl/workbook.bin" in names:
        return "xlsb"
    return _office_kind({name.partition("/")[0] for name in names}) if "[Content_Types].xml" in names else "zip"


def _office_kind(folders: set[str]) -> Kind:
    by_folder: tuple[tuple[str, Kind], ...] = (("word", "docx"), ("xl", "xlsx"), ("ppt", "pptx"))
    return next((kind for folder, kind in by_folder if folder in folders), "zip")


def _torn_kind(data: bytes) -> Kind:
    """A package without its directory still names its parts in front of each."""
    names = (b"word/", b"xl/", b"ppt/") if b"[Content_Types].xml" in data else ()
    return _office_kind({name[:-1].decode() for name in names if name in data})


def _compound_kind(data: bytes) -> Kind:
    for name, kind in _STREAMS:
        if f"{name}\0".encode("utf-16-le") in data:
            return kind
    return "unknown"


def text_kind(text: str, name: str) -> Kind:
    """The kind of a plain text; its name decides only between lines, fields and markdown.

    >>> text_kind('{"a": 1}', "x.txt"), text_kind("<!DOCTYPE html><p>", "x.csv"), text_kind("a;b", "x.CSV")
    ('json', 'html', 'csv')
    """
    head = text[:4096]
    if _HTML.match(head):
        return "html"
    if _is_mail(head):
        return "mail"
    if head.lstrip()[:1] in ("{", "["):
        return _json_kind(text)
    suffix = name.lower().rpartition(".")[2]
    by_suffix: dict[str, Kind] = {"csv": "csv", "tsv": "tsv", "tab": "tsv", "md": "markdown", "markdown": "markdown"}
    return by_suffix.get(suffix, "text")


def _is_mail(head: str) -> bool:
    names: list[str] = []
    for line in head.splitlines():
        if line[:1] in (" ", "\t") and names:
            continue
        if not _HEADER.match(line):
            break
        names.append(line.partition(":")[0].lower())
    return len(_MAIL_HEADERS.intersection(names)) >= 3


def _json_kind(text: str) -> Kind:
    """`json` or `jsonl` where it parses as that, else the text that it is."""
    if _parses(text):
        return "json"
    lines = [line for line in text.splitlines() if line.strip()]
    return "jsonl" if len(lines) > 1 and all(map(_parses, lines[:3])) else "text"


def _parses(text: str) -> bool:
    try:
        json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return False
    return True
