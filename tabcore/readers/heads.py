"""The start of a log, looked at once for all readers: what `recognises()` is given.

Each view is worked out when the first reader asks for it. A sound line is decoded once, by msgspec; only one that is
not goes the slow way.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar, cast

from tabcore.readers.base import HEAD
from tabcore.readers.json_documents import is_jsonl, opening, openings
from tabcore.readers.records import Sign, objects_of_line, sound_value
from tabcore.source import Source
from tabcore.trajectory import Json

FIRST_LINES = 50
"""Lines of a head that are looked at one by one."""

LONG_HEAD = 8 << 20
"""Bytes that are looked at where the usual head does not tell."""

LONG_TEXT = 1 << 16
"""Bytes of a text that is called long here: it leaves no room in a log's head."""

_QUOTE = re.compile(rb'(?<!\\)"')

_Found = TypeVar("_Found")


@dataclass(frozen=True, eq=False)
class Head:
    """The first `size` bytes of a source, and the JSON values that stand there."""

    source: Source
    size: int = HEAD
    _looks: dict[Callable[[Head], object], object] = field(default_factory=dict, repr=False)

    @cached_property
    def data(self) -> bytes:
        """The bytes, as UTF-8."""
        return self.source.head(self.size)

    @property
    def is_cut(self) -> bool:
        """True where the file may go on after the head."""
        return len(self.data) >= self.size

    @cached_property
    def longer(self) -> Head:
        """A head of LONG_HEAD bytes."""
        return Head(self.source, LONG_HEAD)

    @cached_property
    def is_jsonl(self) -> bool:
        """True when the first lines are objects of their own rather than parts of one document."""
        return is_jsonl(self.data)

    @cached_property
    def has_first_lines(self) -> bool:
        """True for a head with all the lines that are looked at one by one: a longer one tells no more of them."""
        return self.is_jsonl and self.data.count(b"\n") >= FIRST_LINES

    @cached_property
    def opening(self) -> Json:
        """The file's first value as far as the head holds it: what a document is recognised by."""
        first = self._lines[0][1] if self.is_jsonl and self.data[:1] == b"{" else ()
        return first[0] if first else opening(self.data)

    @cached_property
    def rows(self) -> tuple[dict[str, Json], ...]:
        """The first lines that are one object each; where none is, the opening if that is an object."""
        rows = tuple(value for _, sound in self._lines for value in sound if isinstance(value, dict))
        return rows or ((self.opening,) if isinstance(self.opening, dict) else ())

    @cached_property
    def records(self) -> tuple[dict[str, Json], ...]:
        """The objects on the first lines, with glued ones, those after a tear, and those inside a line that is cut.

        >>> Head(Source.of_bytes("", b'{"torn": tru\\n{"a": 1}{"type": "x"}')).records
        ({'a': 1}, {'type': 'x'})
        """
        return tuple(
            value
            for line, sound in self._lines
            for value in (sound or objects_of_line(line))
            if isinstance(value, dict)
        )

    @cached_property
    def values(self) -> tuple[Json, ...]:
        """The file's first values as far as the head holds them, read on where one long text fills the rest of it.

        >>> Head(Source.of_bytes("", b'{"torn\\n{"a": 1}{"a": 2}\\n')).values
        ({}, {'a': 1}, {'a': 2})
        """
        if self.is_cut and self.size < LONG_HEAD and not _QUOTE.search(self.data, len(self.data) - LONG_TEXT):
            return self.longer.values
        if not self.is_jsonl:
            return (self.opening,)
        return tuple(value for line, sound in self._lines for value in (sound or openings(line)))

    @property
    def value(self) -> Json:
        """The first of those values; None where there is none."""
        return next(iter(self.values), None)

    def has_record(self, sign: Sign) -> bool:
        """True when one of the first lines holds a record of the format, or the first is one longer than the head."""
        return any(map(sign, self.records)) or (isinstance(self.opening, dict) and sign(self.opening))

    def once(self, look: Callable[[Head], _Found]) -> _Found:
        """What `look` makes of this head; worked out at the first call."""
        if look not in self._looks:
            self._looks[look] = look(self)
        return cast(_Found, self._looks[look])

    @cached_property
    def _lines(self) -> list[tuple[bytes, tuple[Json, ...]]]:
        """Each of the first lines with its value where it is one sound JSON value."""
        return [(line, sound_value(line)) for line in self.data.split(b"\n", FIRST_LINES)[:FIRST_LINES]]
