"""The numbers of one text as entries of an index: what `values` finds, as keys with places, one after the other."""

from __future__ import annotations

from collections.abc import Iterator

from tabcore.text.line_numbers import Entry, LineNumbers, remembered_line
from tabcore.text.numerals import Mark
from tabcore.text.segments import Block, segments
from tabcore.text.settling import settled

SHORT = 1 << 14  # characters: below it, reading line by line is faster than preparing to read many at once

_TOGETHER = 1 << 19  # characters: so many numbers of a long text are Python objects at once


def numbers_of(text: str, *, locale_hint: Mark | None = None) -> Iterator[Entry]:
    """(key, start, end, kind) of every value of the text, in order; memory does not grow with the text.

    >>> list(numbers_of("Aldgate,1234567.89,17\\nup 12.30%"))
    [('1234567.89', 8, 18, 'decimals'), ('17', 19, 21, 'plain'), ('12.3%', 25, 31, 'percent')]
    """
    if len(text) >= SHORT:
        from tabcore.text.number_columns import number_columns
        from tabcore.text.plain_numbers import KINDS

        for batch in number_columns([text], locale_hint=locale_hint, together=_TOGETHER):
            _, keys, starts, ends, kinds = (column.to_pylist() for column in batch.columns)
            yield from zip(keys, starts, ends, map(KINDS.__getitem__, kinds), strict=True)
    else:
        yield from line_by_line(text, locale_hint)


def line_by_line(text: str, locale_hint: Mark | None = None) -> Iterator[Entry]:
    """The same by the full matcher alone, with its memory of lines."""
    for block in segments(text):
        yield from of_block(block, text, locale_hint)


def of_block(block: Block, text: str, locale_hint: Mark | None = None) -> Iterator[Entry]:
    """The same of one block; of the text no more than its opening is asked, for its language."""
    lines = block.lines
    found: list[LineNumbers] = [remembered_line(line) for line in lines]
    found = settled(found, lines, text, remembered_line, locale_hint)
    for at, line in zip(block.places, found, strict=True):
        for key, start, end, kind in line.values:
            yield key, start + at, end + at, kind
