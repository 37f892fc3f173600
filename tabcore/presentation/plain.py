"""Text of a log as it may be shown to a person.

What a log holds is untrusted: escape sequences can hide text in a terminal, bidi controls can reorder it, a lone
surrogate cannot be sent at all. What is removed here is removed from the picture only, never from the record.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tabcore.trajectory import Span

CAP = 100_000
"""Characters of one text that are shown at first."""

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_NEW_LINES = re.compile(r"\r\n?|[\u2028\u2029\u0085]")
_HIDDEN = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)
_SURROGATES = re.compile(r"[\ud800-\udfff]")


def plain(text: str) -> str:
    """A text without escape sequences, control and bidi characters; line ends are newlines, lone surrogates U+FFFD.

    >>> plain("\\x1b[31mred\\x1b[0m\\r\\n\\u202eevil\\x00 \\ud800")
    'red\\nevil \ufffd'
    """
    text = _NEW_LINES.sub("\n", _ESCAPES.sub("", text))
    return _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", _HIDDEN.sub("", text))


def plain_line(text: str, width: int = 200) -> str:
    """The same on one line, at most `width` characters.

    >>> plain_line("a\\n  b", 10), plain_line("abcdef", 4)
    ('a b', 'abc…')
    """
    line = " ".join(plain(text[: width * 8]).split())
    return line if len(line) <= width else line[: width - 1] + "…"


def picture_line(text: str, width: int = 200) -> str:
    """The same for a picture, in whose texts plotly reads tags.

    >>> picture_line('<a href="x">y</a>', 40)
    '‹a href="x"›y‹/a›'
    """
    return plain_line(text, width).replace("<", "‹").replace(">", "›")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text and whose words it is; `origin` is "" for the text's bearer."""

    text: str
    origin: str = ""
    what: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """A text as it is shown: its pieces, and how many characters the whole has and the pieces show."""

    pieces: tuple[Piece, ...]
    length: int
    shown: int


def shown(text: str, spans: Iterable[Span] = (), cap: int = CAP) -> Shown:
    """The first `cap` characters of a text, cut where another's words begin and end.

    >>> shown("42 [tab]", [Span(3, 8, "tab", "status line")]).pieces
    (Piece(text='42 ', origin='', what=''), Piece(text='[tab]', origin='tab', what='status line'))
    """
    end = min(len(text), cap)
    pieces = (Piece(plain(piece.text), piece.origin, piece.what) for piece in _cut(text, spans, end))
    return Shown(tuple(piece for piece in pieces if piece.text), len(text), end)


def _cut(text: str, spans: Iterable[Span], end: int) -> Iterator[Piece]:
    at = 0
    for span in sorted(spans, key=lambda s: (s.start, s.end)):
        start, stop = max(span.start, at), min(span.end, end)
        if start >= stop:
            continue
        yield Piece(text[at:start])
        yield Piece(text[start:stop], span.origin, span.what)
        at = stop
    yield Piece(text[at:end])
