"""One growing log -> its runs, kept in memory between two looks: only what is new is parsed and derived.

Lines that are added at the end of a conversation go on from where the log was. Where they change what earlier lines
meant (a branch is given up, turns are taken back, persons corrected the run, another process wrote its rows), the log
is read anew, from its first line; `rereads` counts how often.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import assert_never

from tabcore.derivation import RunInProgress
from tabcore.errors import Problem
from tabcore.growth import FileStatus, GrowingFile
from tabcore.plausible import plausible
from tabcore.readers import GROWING
from tabcore.readers.base import Account
from tabcore.readers.growing import GrowingLog, pieces_of_end
from tabcore.source import Source
from tabcore.store.columns import Columns, Tables
from tabcore.store.growing import Growth
from tabcore.store.records import Corrections, FileRecord, FileState
from tabcore.trajectory import Piece, RunEnded, RunHeader, RunStarted, Tally, TurnRead

Said = Mapping[str, Corrections]
"""What persons corrected of a log's runs, by the run's key."""


class FollowedLog:
    """A log of a format that is written line by line. `before` is the digest under which it was stored last."""

    def __init__(self, file: GrowingFile, format: str, said: Said) -> None:
        self.file = file
        self.format = format
        self.said = said
        self.rereads = 0
        self.before = ""
        self._begin()

    def _begin(self) -> None:
        self._log: GrowingLog = GROWING[self.format](Account(self.file.path))
        self._columns = Columns()
        self._numbers: dict[str, int] = {}
        self._runs: dict[str, RunInProgress] = {}
        self._problems: list[Problem] = []
        self._closed: list[Tables] = []
        self._written: dict[int, tuple[int, int]] = {}
        self._turns = 0
        self.before = ""

    @property
    def turns(self) -> int:
        """Turns of all runs, the one that is still open included; as of the last `growth`."""
        return self._turns

    def take(self, arrived: Source) -> None:
        """Take in the lines that arrived."""
        if self._log.look(arrived):
            self._take(self._log.take(arrived))
        else:
            self.read_anew(self.said)

    def read_anew(self, said: Said) -> None:
        """Take all lines in once more, as one stretch."""
        self.said = said
        self.rereads += 1
        self._begin()
        whole = self.file.again()
        self._log.look(whole)
        self._take(self._log.take(whole))

    def growth(self, *, ended: bool = False) -> Growth:
        """What the store must hold now. While the log goes on, its last turn is open and a half-written line waits;
        of a log that `ended` that line is read as it stands, and calls without a result are problems."""
        columns = Columns()
        outcome = _Outcome(
            self.file.path,
            {key: run.forked(columns) for key, run in self._runs.items()},
            columns,
            self._numbers,
            self.said,
        )
        for piece in pieces_of_end(self._log, self.file.rest() if ended else None):
            if ended or not isinstance(piece, Problem):
                outcome.take(piece)
        self._turns = sum(run.turns for run in outcome.ended)
        digest = self.file.digest(with_rest=ended)
        size = self.file.complete + (self.file.waiting if ended else 0)
        state = FileState(self.file.path, size, self.file.status.changed)
        runs = tuple(run.run_record(digest) for run in outcome.ended)
        problems = (*self._problems, *outcome.problems)
        self._closed.append(self._columns.take())
        record = FileRecord(self.file.path, state, digest, self.format, outcome.tally, runs, problems)
        return Growth(record, tuple(self._closed), columns.take(), dict(self._written), self.before)

    def stored(self, growth: Growth) -> None:
        """The store holds this now."""
        self.before = growth.file.digest
        self._closed.clear()
        self._written = {run.number: (run.last_turn or -1, run.abandoned) for run in self._runs.values()}

    def _take(self, pieces: Iterable[Piece]) -> None:
        outcome = _Outcome(self.file.path, self._runs, self._columns, self._numbers, self.said)
        for piece in pieces:
            outcome.take(piece)
        self._problems += outcome.problems


class _Outcome:
    """Runs that pieces of a log are put into."""

    def __init__(
        self, path: str, runs: dict[str, RunInProgress], columns: Columns, numbers: dict[str, int], said: Said
    ) -> None:
        self._path = path
        self.ended: list[RunInProgress] = []
        self.problems: list[Problem] = []
        self.tally = Tally()
        self._runs = runs
        self._columns = columns
        self._numbers = numbers
        self._said = said

    def take(self, piece: Piece) -> None:
        """One more piece."""
        piece, odd = plausible(piece, self._path)
        self.problems += odd
        match piece:
            case TurnRead(key, turn, abandoned):
                run = self._runs[key]
                run.abandoned_turn(turn) if abandoned else run.turn(turn)
            case RunStarted(key, header):
                self._start(key, header)
            case RunEnded(key):
                self._runs[key].end(piece)
                self.ended.append(self._runs[key])
            case Problem():
                self.problems.append(piece)
            case Tally():
                self.tally = piece
            case _:
                assert_never(piece)

    def _start(self, key: str, header: RunHeader) -> None:
        number = self._numbers.setdefault(key, len(self._numbers))
        self._runs[key] = RunInProgress(number, key, header, self._columns, self._said.get(key, Corrections()))


def follow(path: str, status: FileStatus, format: str, said: Said) -> FollowedLog:
    """A log that is followed from its start."""
    return FollowedLog(GrowingFile(path, status), format, said)
