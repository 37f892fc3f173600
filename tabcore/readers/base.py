"""What a reader is, and the account that each keeps of its log.

A reader is a module with two functions (`Reader`): `recognises()` tells from content whether a log is its
format, `read()` streams the log's pieces. Bad data never raises: it becomes a `Problem`. `Account` collects the
pieces until they are handed over, and counts what was read, so that the person can be told what became of every
line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from tabcore.errors import Problem
from tabcore.source import Source
from tabcore.trajectory import Piece, Tally

if TYPE_CHECKING:
    from tabcore.readers.heads import Head

HEAD = 1 << 18
"""Bytes of a log's start by which it is recognised."""

PROBLEMS_OF_A_KIND = 200
"""More problems of one kind are counted, not listed."""


class Reader(Protocol):
    """The two functions of a reader module. `NAME` is the format's name in `RunHeader.format`."""

    NAME: str

    def recognises(self, head: Head) -> bool:
        """True when the content is of this format, as its start shows. Never judges by the name."""

    def read(self, source: Source) -> Iterator[Piece]:
        """The log's pieces in its order, problems among them and the tally last. Raises UnreadableSource only."""


class Account:
    """What became of a log: its pieces until they are handed over, and counts of lines or steps."""

    __slots__ = ("_keys", "_kinds", "_unknown", "file", "pieces", "skipped", "total", "unit", "untimed")

    def __init__(self, file: str, unit: str = "line") -> None:
        self.file = file
        self.unit = unit
        self.total = 0
        self.untimed = 0
        self.skipped: list[int] = []
        self.pieces: list[Piece] = []
        self._keys: set[str] = set()
        self._kinds: Counter[str] = Counter()
        self._unknown: dict[str, list[int]] = {}

    def note(self, line: int, kind: str, what: str, done: str, lost: bool = False) -> None:
        """Adds a problem; beyond PROBLEMS_OF_A_KIND it is only counted."""
        self._kinds[kind] += 1
        if self._kinds[kind] <= PROBLEMS_OF_A_KIND:
            self.pieces.append(Problem(self.file, line, kind, what, done, lost))

    def note_padding(self, line: int, data: bytes) -> None:
        """Adds a problem for a blank line that is NUL bytes, which a crash of the machine leaves in a file."""
        if b"\0" in data:
            self.note(line, "padding", f"the line is {len(data):,} bytes of NUL and blanks", "passed over")

    def skip(self, line: int) -> None:
        """Line (or step) `line` gave nothing."""
        if not self.skipped or self.skipped[-1] != line:
            self.skipped.append(line)

    def not_understood(self, line: int, record_type: str) -> None:
        """A record of a type that the reader does not know; one problem per type says so in the end."""
        self.skip(line)
        self._unknown.setdefault(record_type[:60], []).append(line)

    def own_key(self, key: str, line: int) -> str:
        """`key`, or one like it where an earlier run of the log has that; a problem says so."""
        own, number = key, 1
        while own in self._keys:
            number += 1
            own = f"{key}.{number}"
        if own != key:
            self.note(line, "repeated run", f"the run {key or 'of the log'} begins again", f"read as a run {own}")
        self._keys.add(own)
        return own

    def drain(self) -> list[Piece]:
        """The pieces since the last call."""
        drained, self.pieces = self.pieces, []
        return drained

    def close(self) -> list[Piece]:
        """The last pieces, problems that were only counted, and the tally."""
        for name, lines in self._unknown.items():
            records = f"{len(lines)} records" if len(lines) > 1 else "a record"
            self.note(lines[0], "unknown record", f'{records} of the unknown type "{name}"', "skipped", lost=True)
        for kind, count in self._kinds.items():
            if count > PROBLEMS_OF_A_KIND:
                more = count - PROBLEMS_OF_A_KIND
                self.pieces.append(Problem(self.file, 0, kind, f"{more} more of this kind", "not listed"))
        skipped = tuple(self.skipped)
        self.pieces.append(Tally(self.unit, self.total, self.total - len(skipped), skipped, self.untimed))
        return self.drain()


def account_of(source: Source, unit: str = "line") -> Account:
    """A new account of a source; a file that is not UTF-8 is a problem of its own."""
    account = Account(source.path, unit)
    if source.encoding != "utf-8":
        account.note(0, "other encoding", f"the file is written in {source.encoding}", "read all the same")
    return account


def seconds(stamp: str | float | None) -> float | None:
    """A record's time in seconds since 1970, UTC: from ISO 8601, or a number of seconds or milliseconds.

    A time without a zone counts as UTC.

    >>> seconds("2026-10-01T10:00:00.500Z"), seconds(1765233665292), seconds("soon"), seconds(None)
    (1790848800.5, 1765233665.292, None, None)
    """
    if isinstance(stamp, str):
        return _seconds_of_text(stamp)
    if stamp is None or isinstance(stamp, bool) or not 0 <= stamp < 1e14:
        return None
    return stamp / 1000 if stamp > 1e11 else float(stamp)


def _seconds_of_text(stamp: str) -> float | None:
    try:
        moment = datetime.fromisoformat(stamp)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
