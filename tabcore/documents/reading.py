"""Which reader reads which kind; and a reader's items gathered into a document within the limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from typing import NamedTuple

from tabcore.documents.json_values import read_json, read_json_lines
from tabcore.documents.kinds import binary_kind, text_kind
from tabcore.documents.limits import Content, Enclosed, Item, NotRead
from tabcore.documents.places import Document, Inside, Kind, Piece
from tabcore.documents.plain import decoded, read_fields, read_lines, read_tabbed_fields
from tabcore.errors import Problem

_TEXT_READERS: dict[Kind, Callable[[Content, str], Iterator[Item]]] = {
    "text": read_lines,
    "markdown": read_lines,
    "csv": read_fields,
    "tsv": read_tabbed_fields,
    "json": read_json,
    "jsonl": read_json_lines,
}
_PARSERS: dict[Kind, str] = {
    "html": "markup:read_html",
    "mail": "mail:read_mail",
    "rtf": "rich_text:read_rtf",
    "docx": "word:read_word",
    "xlsx": "spreadsheets:read_sheets",
    "pptx": "slides:read_slides",
    "odt": "open_document:read_open_document",
    "ods": "open_document:read_open_document",
    "odp": "open_document:read_open_document",
    "pdf": "pages:read_pages",
    "doc": "converters:read_doc",
    "ppt": "converters:read_ppt",
    "xls": "old_spreadsheets:read_xls",
    "xlsb": "old_spreadsheets:read_without_formats",
    "zip": "archives:read_archive",
}
"""Module and function; imported with the first file of the kind, so that a reader of plain texts loads no parser."""

_WITHOUT_TEXT: dict[Kind, tuple[str, str]] = {
    "empty": ("empty", "it is empty"),
    "picture": ("picture", "it is a picture"),
    "encrypted": ("encrypted", "it needs a password to open"),
    "unknown": ("unknown format", "it is of no format that is known here"),
}


class Judged(NamedTuple):
    """What a file is; of a plain text also the text, and the encoding where that had to be guessed."""

    kind: Kind
    text: str = ""
    encoding: str = ""


def is_plain(content: Content) -> bool:
    """Whether a file is text so small and plain, or so clearly without any, that no process of its own is needed."""
    if len(content.data) > content.limits.inline_bytes or content.data.startswith((b"PK", b"\xd0\xcf\x11\xe0")):
        return False
    kind = judged(content).kind
    return kind in _TEXT_READERS or kind in _WITHOUT_TEXT


def judged(content: Content) -> Judged:
    """A file's kind by its content."""
    kind = binary_kind(content.data)
    if kind:
        return Judged(kind)
    text, encoding = decoded(content.data) or ("", "")
    return Judged(text_kind(text, content.name), text, encoding) if text else Judged("unknown")


def gathered(content: Content) -> Document:
    """The document, up to the limits. Never raises, whatever the bytes are."""
    limits = content.limits
    file, content = content, replace(content, data=content.data[: limits.file_bytes])
    found = judged(content)
    pieces: list[Piece] = []
    problems: list[Problem] = []
    if len(file.data) > limits.file_bytes:
        done = f"the first {limits.file_bytes:,} bytes were read" if found.text else "not read"
        problems.append(content.hit("file_bytes", "the file is larger", done))
        if not found.text:
            return Document(found.kind, (), tuple(problems))
    short = False
    try:
        problems += _gather(content, found, pieces)
    except MemoryError:
        short = True
    # Only here what the parser held is free again.
    if short:
        problems.append(content.hit("memory_bytes", "it takes too much memory", "the rest was not read"))
    if not pieces and not problems:
        problems.append(content.problem("no text", "no text is found in it", "nothing was read", lost=False))
    return Document(found.kind, tuple(pieces), tuple(problems))


def _gather(content: Content, found: Judged, pieces: list[Piece]) -> list[Problem]:
    """Adds to `pieces` what is read, up to the limits; gives the problems."""
    left = content.limits.characters
    problems: list[Problem] = []
    for item in _items(content, found, 0):
        if isinstance(item, Problem):
            problems.append(item)
            continue
        left -= len(item.text)
        if left < 0 or len(pieces) == content.limits.pieces:
            limit = "characters" if left < 0 else "pieces"
            problems.append(content.hit(limit, "it has more text", f"read up to {item.place}"))
            break
        pieces.append(_whole(item))
    return problems


def _whole(piece: Piece) -> Piece:
    """A piece without halves of surrogate pairs, which no file and no store can hold.

    >>> from tabcore.documents.places import Line
    >>> _whole(Piece("\\ud83d\\ude00 a\\ud83d", Line(1))).text
    '😀 a�'
    """
    try:
        piece.text.encode()
    except UnicodeEncodeError:
        return Piece(piece.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"), piece.place)
    return piece


def _items(content: Content, found: Judged, depth: int) -> Iterator[Piece | Problem]:
    """What a kind's reader yields, the files inside read likewise; a reader's fault ends it and becomes a problem."""
    try:
        for item in _read(content, found):
            if isinstance(item, Enclosed):
                yield from _inside(content, item, depth)
            else:
                yield item
    except NotRead as fault:
        yield fault.problem
    except RecursionError:
        yield content.problem("damaged", "it is nested too deeply", "the rest was not read")
    except MemoryError:
        raise
    except Exception as fault:  # noqa: BLE001 the outermost place: a parser may fail in any way on a hostile file
        what = f"its {found.kind} reader failed ({type(fault).__name__}: {str(fault)[:200]})"
        yield content.problem("damaged", what, "the rest was not read")


def _read(content: Content, found: Judged) -> Iterator[Item]:
    if found.encoding:
        what = f"its encoding is not stated; {found.encoding} fits"
        yield content.problem("encoding", what, "read as that", lost=False)
    if found.kind in _WITHOUT_TEXT:
        word, what = _WITHOUT_TEXT[found.kind]
        yield content.problem(word, what, "no text was read")
    elif found.kind in _TEXT_READERS:
        yield from _TEXT_READERS[found.kind](content, found.text)
    else:
        module, _, function = _PARSERS[found.kind].partition(":")
        parser: Callable[[Content], Iterator[Item]] = getattr(import_module(f"{__package__}.{module}"), function)
        yield from parser(content)


def _inside(content: Content, enclosed: Enclosed, depth: int) -> Iterator[Piece | Problem]:
    inner = replace(content, data=enclosed.data, name=f"{content.name}/{enclosed.name}")
    if depth == content.limits.nesting:
        yield content.hit("nesting", f"{enclosed.name} lies deeper inside", "skipped")
        return
    for item in _items(inner, judged(inner), depth + 1):
        yield Piece(item.text, Inside(enclosed.name, item.place)) if isinstance(item, Piece) else item
