"""Open readings settled: 1.234 in one line is read as the other numbers of the block are written, then as its language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
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


def settled_lines(text: str, read: Callable[[str, Mark | None], Found], hint: Mark | None) -> Iterator[tuple[int, Found]]:
    """The lines of a text in which `read` finds something, with their places, none of them open.

    A block is at most some hundred thousand characters, so that memory stays bounded.
    """
    for block in segments(text):
        lines = [(at, line, read(line, None)) for at, line in block]
        mark: Mark | None = None
        for at, line, found in lines:
            if found.is_open:
                mark = mark or hint or _mark_of([other for _, _, other in lines], text)
                found = read(line, mark)
            if found.values:
                yield at, found


def _mark_of(lines: Sequence[Line], text: str) -> Mark:
    said = Counter(found.says for found in lines if found.says)
    if said["comma"] != said["point"]:
        return "comma" if said["comma"] > said["point"] else "point"
    return "comma" if language(text) in ("de", "fr") else "point"
