"""Plain text: how its bytes are decoded; lines, and the fields of csv and tsv."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator

from tabcore.documents.limits import Content, Item
from tabcore.documents.places import Field, Line, Piece

SAMPLE = 1 << 16
"""Bytes by which an unknown encoding is guessed."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NOT_TEXT = frozenset(map(chr, (*range(7), *range(14, 27), 28, 29, 30, 31)))


def decoded(data: bytes) -> tuple[str, str] | None:
    """A text and its encoding, "" where that is UTF-8 or stated by a mark; None where the bytes are no text.

    >>> decoded("Größe".encode()), decoded("Größe".encode("utf-16")), decoded(bytes(range(8)))
    (('Größe', ''), ('Größe', ''), None)
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace"), ""
    try:
        text, encoding = data.decode("utf-8"), ""
    except UnicodeDecodeError as fault:
        # A text cut at a limit ends inside a character.
        cut = fault.start > len(data) - 4 and fault.reason == "unexpected end of data"
        encoding = "" if cut else _guessed(data[:SAMPLE])
        text = data.decode(encoding or "utf-8", "ignore" if cut else "replace")
    return (text, encoding) if _is_text(text) else None


def _guessed(sample: bytes) -> str:
    zeros = (sample[::2].count(0), sample[1::2].count(0))
    if max(zeros) > len(sample) // 5:
        return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"
    # Imported here: most texts are UTF-8, and it takes 20 ms.
    from charset_normalizer import from_bytes

    best = from_bytes(sample).best()
    return best.encoding if best else "cp1252"


def _is_text(text: str) -> bool:
    """Whether at most one character in a hundred is a control character that texts don't have."""
    sample = text[:SAMPLE]
    return sum(character in _NOT_TEXT for character in sample) * 100 <= len(sample)


def read_lines(content: Content, text: str) -> Iterator[Item]:
    """Each line that is not empty; lines end at newlines and carriage returns only."""
    for number, line in enumerate(io.StringIO(text, newline=None), start=1):
        if line.strip():
            yield Piece(line.rstrip("\n"), Line(number))


def read_fields(content: Content, text: str) -> Iterator[Item]:
    """Each field that is not empty, by row and column; the separator is the one that fits the first lines best."""
    yield from _fields(content, text, _separator(text[:SAMPLE]))


def read_tabbed_fields(content: Content, text: str) -> Iterator[Item]:
    """Each field that is not empty of a file whose separator is the tab."""
    yield from _fields(content, text, "\t")


def _fields(content: Content, text: str, separator: str) -> Iterator[Item]:
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    row = 0
    try:
        for row, fields in enumerate(rows, start=1):
            for column, shown in enumerate(fields, start=1):
                if shown.strip():
                    yield Piece(shown, Field(row, column, rows.line_num))
    except csv.Error as fault:
        yield content.problem("broken row", f"row {row + 1} cannot be read ({fault})", "the rest was left out")


def _separator(sample: str) -> str:
    r"""The separator that splits the first lines into the most fields, with as many in each.

    >>> _separator("a;b;c\n1,5;2;3\n"), _separator("name,note\nx,y; z\n"), _separator("one\ntwo")
    (';', ',', ',')
    """
    lines = [line for line in sample.splitlines()[:20] if line.strip()]

    def fit(separator: str) -> tuple[bool, int]:
        widths = [len(next(csv.reader([line], delimiter=separator), [])) for line in lines]
        return len(set(widths)) == 1, min(widths, default=0)

    try:
        ranked = [
            (steady and width > 1, width, separator) for separator in ",;\t|" for steady, width in [fit(separator)]
        ]
    except csv.Error:
        return ","
    best = max(ranked, key=lambda entry: entry[:2])
    return best[2]
