"""Open readings settled: 1.234 in one line is read as the other numbers of the block are written, then as its language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

from tabcore.text.languages import language
from tabcore.text.numerals import Mark
from tabcore.text.segments import segments


class Line(Protocol):
    """What a reader of lines gives: whether anything was found, the decimal mark it gives away, whether it needs one."""

    @property
    def values(self) -> Sequence[object]: ...
    @property
    def says(self) -> Mark | None: ...
    @property
    def is_open(self) -> bool: ...


Found = TypeVar("Found", bound=Line)


def settled_lines(
    text: str, read: Callable[[str, Mark | None], Found], hint: Mark | None
) -> Iterator[tuple[int, Found]]:
    """What `read` finds in each line of a text, with the line's place, none of them open.

    A block is at most some hundred thousand characters, so that memory stays bounded.
    """
    for block in segments(text):
        found = [read(line, None) for line in block.lines]
        yield from zip(block.places, settled(found, block.lines, text, read, hint), strict=True)


def settled(
    found: list[Found], lines: list[str], text: str, read: Callable[[str, Mark | None], Found], hint: Mark | None
) -> list[Found]:
    """What was found in the lines of a block, the open ones read again under the mark that the others give away."""
    if not any(line.is_open for line in found):
        return found
    mark = hint or mark_of(Counter(line.says for line in found), text)
    return [read(line, mark) if one.is_open else one for one, line in zip(found, lines, strict=True)]


def mark_of(said: Mapping[Mark | None, int], text: str) -> Mark:
    """The decimal mark that more lines give away, else the one of the text's language.

    >>> mark_of({"comma": 2, "point": 1}, ""), mark_of({"comma": 0, "point": 0}, "Im Lager liegen 1.234 Paletten")
    ('comma', 'comma')
    """
    if said["comma"] != said["point"]:
        return "comma" if said["comma"] > said["point"] else "point"
    return "comma" if language(text) in ("de", "fr") else "point"
