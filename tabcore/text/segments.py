"""A text in pieces that can be read one by one: logical lines, in blocks of bounded size.

A line break between a number and its scale word, percent mark or currency name counts as a blank (a wrapped paragraph),
so such lines stay together. A line of more than 8,192 characters (minified JSON) is cut after a comma, a blank or a
brace; where it has none, it is no text with numbers (base64) and is cut anywhere outside digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

LONGEST = 8192
_BLOCK = 1 << 18
_WRAPPED = re.compile(
    r"\n(?=[ \t]*(?:%|(?:thousand|million|billion|trillion|lakh|crore|Mio|Mrd|Tsd|Tausend|Million|Milliarde|Billion|mille|milliard"
    r"|percent|per cent|pct|Prozent|pour cent|euro|Euro|EUR|USD|CHF|GBP|dollar|Franken|yuan|rupee)[a-z]*\b|[百千]?万|[百千]?亿|[美欧港日]?元))"
)
_CUT = re.compile(r'[\s{}\[\]"](?=[^\s\d])|[,;](?=["\s{\[])')


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that are read together, each with its place in the text."""

    lines: list[str]
    places: list[int]


def segments(text: str) -> Iterator[Block]:
    """The lines of a text in blocks; together they are the text but for its line breaks.

    >>> list(segments("a 5\\nmillion\\nb"))
    [Block(lines=['a 5\\nmillion', 'b'], places=[0, 12])]
    """
    at = 0
    while at < len(text):
        end = _block_end(text, at)
        chunk = text[at:end]
        lines = chunk.split("\n")
        if max(map(len, lines)) > LONGEST or _WRAPPED.search(chunk):
            yield from _careful(chunk, at)
        else:
            yield Block(lines, [at, *accumulate((len(line) + 1 for line in lines[:-1]), initial=at)][1:])
        at = end + 1


def _block_end(text: str, at: int) -> int:
    end = text.find("\n", at + _BLOCK)
    while end >= 0 and _WRAPPED.match(text, end):
        end = text.find("\n", end + 1)
    return len(text) if end < 0 else end


def _careful(chunk: str, offset: int) -> Iterator[Block]:
    """Blocks of a chunk in which lines are wrapped or too long."""
    block = Block([], [])
    size = 0
    for at, line in _lines(chunk):
        block.lines.append(line)
        block.places.append(at + offset)
        size += len(line)
        if size > _BLOCK:
            yield block
            block, size = Block([], []), 0
    yield block


def _lines(text: str) -> Iterator[tuple[int, str]]:
    wrapped = {m.start() for m in _WRAPPED.finditer(text)}
    at = 0
    while at < len(text):
        end = text.find("\n", at)
        while end in wrapped:
            end = text.find("\n", end + 1)
        end = len(text) if end < 0 else end
        if end - at > LONGEST:
            yield from _pieces(text, at, end)
        elif end > at:
            yield at, text[at:end]
        at = end + 1


def _pieces(text: str, at: int, end: int) -> Iterator[tuple[int, str]]:
    while end - at > LONGEST:
        cuts = [cut.end() for cut in _CUT.finditer(text, at + LONGEST // 2, at + LONGEST)]
        stop = cuts[-1] if cuts else _outside_digits(text, at + LONGEST, end)
        yield at, text[at:stop]
        at = stop
    yield at, text[at:end]


def _outside_digits(text: str, at: int, end: int) -> int:
    while (
        at < end
        and text[at - 1].isalnum()
        and text[at].isalnum()
        and (text[at - 1].isdecimal() or text[at].isdecimal())
    ):
        at += 1
    return at
