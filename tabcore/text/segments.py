"""A text in pieces that can be read one by one: logical lines, in blocks of bounded size.

A line break between a number and its scale word, percent mark or currency name counts as a blank (a wrapped paragraph),
so such lines stay together. A line of more than 8,192 characters (minified JSON) is cut into pieces of a quarter of that,
after a member or a sentence, else after a blank, a quote or a brace; where it has none of these, it is no text with
numbers (base64) and is cut anywhere outside digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST = 8192
_BLOCK = 1 << 18
_WRAPPED = re.compile(
    r"\n(?=[ \t]*(?:%|(?:thousand|million|billion|trillion|lakh|crore|Mio|Mrd|Tsd|Tausend|Million|Milliarde|Billion|mille|milliard"
    r"|percent|per cent|pct|Prozent|pour cent|euro|Euro|EUR|USD|CHF|GBP|dollar|Franken|yuan|rupee)[a-z]*\b|[百千]?万|[百千]?亿|[美欧港日]?元))"
)
_PIECE = LONGEST // 4
_CUTS = (
    re.compile(r'[}\]"\dle],(?=[{\[]|"[A-Za-z_])|[.!?]\s(?=[A-Z])'),
    re.compile(r'[\s{}\[\]"](?=[^\s\d])|[,;](?=["\s{\[])'),
)


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that are read together: their characters, their place in the text, and where they start among the characters.

    `starts` is None where a line starts after every line break.
    """

    text: str
    at: int
    starts: tuple[int, ...] | None = None

    @property
    def lines(self) -> list[str]:
        """The lines, each without its line break."""
        if self.starts is None:
            return self.text.split("\n")
        return [self.line(n) for n in range(len(self.starts))]

    def line(self, n: int) -> str:
        """A line of a block that knows its starts."""
        starts = self.starts or ()
        end = starts[n + 1] if n + 1 < len(starts) else len(self.text)
        return self.text[starts[n] : end].removesuffix("\n")

    @property
    def places(self) -> list[int]:
        """Where each line starts in the text."""
        if self.starts is not None:
            return [self.at + start for start in self.starts]
        places, at = [], self.at
        for line in self.text.split("\n"):
            places.append(at)
            at += len(line) + 1
        return places


def segments(text: str) -> Iterator[Block]:
    """The lines of a text in blocks; together they are the text but for the line breaks between blocks.

    >>> [block.lines for block in segments("a 5\\nmillion\\nb")]
    [['a 5\\nmillion', 'b']]
    """
    at = 0
    while at < len(text):
        end = _block_end(text, at)
        chunk = text[at:end]
        if _has_long_line(chunk) or _WRAPPED.search(chunk):
            yield from _careful(chunk, at)
        else:
            yield Block(chunk, at)
        at = end + 1


def _block_end(text: str, at: int) -> int:
    end = text.find("\n", at + _BLOCK)
    while end >= 0 and _WRAPPED.match(text, end):
        end = text.find("\n", end + 1)
    return len(text) if end < 0 else end


def _has_long_line(chunk: str) -> bool:
    at = 0
    while len(chunk) - at > LONGEST:
        end = chunk.rfind("\n", at, at + LONGEST + 1)
        if end < 0:
            return True
        at = end + 1
    return False


def _careful(chunk: str, offset: int) -> Iterator[Block]:
    """Blocks of a chunk in which lines are wrapped or too long."""
    starts: list[int] = []
    first = 0
    for at in _starts(chunk):
        if at - first > _BLOCK:
            yield Block(chunk[first:at], offset + first, tuple(start - first for start in starts))
            starts, first = [], at
        starts.append(at)
    yield Block(chunk[first:], offset + first, tuple(start - first for start in starts))


def _starts(text: str) -> Iterator[int]:
    wrapped = {m.start() for m in _WRAPPED.finditer(text)}
    at = 0
    while at < len(text):
        end = text.find("\n", at)
        while end in wrapped:
            end = text.find("\n", end + 1)
        end = len(text) if end < 0 else end
        yield at
        is_long = end - at > LONGEST
        while is_long and end - at > _PIECE:
            at = _cut(text, at, end)
            if at < end:
                yield at
        at = end + 1


def _cut(text: str, at: int, end: int) -> int:
    for pattern in _CUTS:
        cuts = [cut.end() for cut in pattern.finditer(text, at + _PIECE // 2, at + _PIECE)]
        if cuts:
            return cuts[-1]
    return _outside_digits(text, at + _PIECE, end)


def _outside_digits(text: str, at: int, end: int) -> int:
    while (
        at < end
        and text[at - 1].isalnum()
        and text[at].isalnum()
        and (text[at - 1].isdecimal() or text[at].isdecimal())
    ):
        at += 1
    return at
