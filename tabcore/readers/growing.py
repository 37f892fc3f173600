"""Logs that are read while they grow: a reader's two passes, taken a stretch of lines at a time.

A reader whose format is appended to line by line offers `Growing` beside `read()`; `read()` is the case of one stretch.
What a log's end would bring (the last turn, calls without a result) is told by `pieces_of_end` while the log goes on.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Protocol

from tabcore.readers.base import Account
from tabcore.source import Source
from tabcore.trajectory import Piece


class GrowingLog(Protocol):
    """A log of one format while its lines arrive. For each stretch first `look`, and after a True `take`."""

    def look(self, arrived: Source) -> bool:
        """The pass over ids. False when these lines change what earlier ones meant (a branch is given up, turns are
        taken back): the log must then be read anew, from its first line, as one stretch."""

    def take(self, arrived: Source) -> Iterator[Piece]:
        """The pieces that these lines complete; the last turn stays open."""

    def end(self) -> Iterator[Piece]:
        """The pieces that the log's end brings, the tally last."""

    def shared(self) -> tuple[object, ...]:
        """What a copy may share, since the end changes nothing of it."""


Grower = Callable[[Account], GrowingLog]


def read_whole(log: GrowingLog, source: Source, *, ids: bool = True) -> Iterator[Piece]:
    """A log that is there from its first line to its last; `ids` is false where no record names another."""
    if ids:
        log.look(source)
    yield from log.take(source)
    yield from log.end()


def pieces_of_end(log: GrowingLog, tail: Source | None = None) -> list[Piece]:
    """What `take(tail)` and `end()` would bring now; the log itself goes on as if nobody had asked.

    Costs a copy of what is open and of the ids that were seen, not of the texts.
    """
    ending = copy.deepcopy(log, {id(part): part for part in log.shared()})
    return [*(ending.take(tail) if tail else ()), *ending.end()]
