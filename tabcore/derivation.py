"""A log's pieces -> rows for the store: the record, and the tab that it derives.

RunInProgress   one run while its turns come in
read_chunks     files -> rows, streamed
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import assert_never

from tabcore import readers
from tabcore.archives import expand, is_packed
from tabcore.bundles import Bundle, bundle_inside
from tabcore.capture.patterns import relative
from tabcore.delivered import Written
from tabcore.discovery import Inside, read_bundle
from tabcore.errors import Problem, UnknownFormat, UnreadableSource
from tabcore.excerpts import Excerpts, LentExcerpts
from tabcore.plausible import plausible
from tabcore.source import Source
from tabcore.store.columns import Columns, Tables
from tabcore.store.records import (
    Chunk,
    Correction,
    Corrections,
    Counts,
    Derivation,
    FileRecord,
    FileState,
    RunRecord,
    StoredRun,
)
from tabcore.tab.corrections import DecisionCorrection
from tabcore.tab.events import CaptureUndecided
from tabcore.tab.history import Historian, TurnFacts, workspace_of
from tabcore.tab.keeper import excerpt_text
from tabcore.tab.operations import operation_of
from tabcore.tab.oracle import Oracle
from tabcore.trajectory import Deliverable, Piece, RunEnded, RunHeader, RunStarted, Tally, Task, Turn, TurnRead, run_key

CHUNK = 3 << 19
"""Bytes of text that wait in memory before they are handed on."""


class RunInProgress:
    """One run while its turns come in: they become rows of `columns` and facts of its tab.

    `record` is false where the record is stored already and only the tab is derived anew.
    """

    def __init__(
        self,
        number: int,
        key: str,
        header: RunHeader,
        columns: Columns,
        corrections: Corrections,
        *,
        record: bool = True,
    ) -> None:
        self.number = number
        self.key = key
        self.header = header
        self.turns = 0
        self.abandoned = 0
        self.calls = 0
        self.observed_chars = 0
        self.unknowns = 0
        self.differences = 0
        self.corrected = 0
        self.recorded_tab = False
        self._record = record
        self._correction = corrections.run
        self._columns = columns
        self._excerpts = Excerpts()
        derived_from = corrected(header, corrections.run)
        root = workspace_of(derived_from).root
        self._historian = Historian(derived_from, self._excerpts, _under(root, corrections.decisions))
        self._oracle = Oracle(root)
        self._root = root
        self._written = Written()
        self._beside: tuple[Deliverable, ...] = ()
        self.last_turn = 0
        if record and header.task:
            columns.look(number, header.task.text)

    def turn(self, turn: Turn) -> None:
        """The next turn."""
        received = _received(turn)
        self.turns += 1
        self.calls += len(turn.calls)
        self.observed_chars += received
        self.last_turn = turn.number
        if self._record:
            self._columns.turn(self.number, turn, received)
        facts = self._historian.turn(turn)
        self._oracle.turn(turn, facts)
        if self._record:
            self._written.turn(turn, facts.events, self._historian.keeper.workspace.scripts, self._root)
        self._take(facts, after_last=False)

    def abandoned_turn(self, turn: Turn) -> None:
        """A turn on a branch that the record gave up: kept, and no part of the tab."""
        self.abandoned += 1
        if self._record:
            self._columns.turn(self.number, turn, _received(turn), self.abandoned)

    def end(self, ended: RunEnded) -> None:
        """The run has ended."""
        self.header = ended.header
        if self._record:
            self._columns.after(self.number, ended.after, self.last_turn)
            self._columns.beside(self.number, ended.rubrics, ended.verdicts)
            self._columns.delivered(self.number, self._delivered())
        self._take(self._historian.end(ended.after, self.last_turn), after_last=True)
        self._columns.timeline(self.number, self._historian.tab.timeline())
        self._columns.oracle(self.number, self._oracle.checked())
        self._excerpts.close()

    def beside(self, bundle: Bundle) -> None:
        """What lies beside the log: by what the run was judged, and the files that it delivered."""
        self._columns.beside(self.number, bundle.rubrics, bundle.verdicts)
        self._beside = bundle.deliverables

    def _delivered(self) -> tuple[Deliverable, ...]:
        if self._beside:
            return self._written.dated(self._beside)
        return self._written.deliverables(self._historian.tab.task, self._root)

    def forked(self, columns: Columns) -> RunInProgress:
        """A copy that goes its own way and writes to `columns`, while this run goes on.

        Costs a walk over what the tab holds (160 ms for 3,000 turns and 2,000 files); texts are shared.
        """
        memo: dict[int, object] = {id(self._columns): columns, id(self._excerpts): LentExcerpts(self._excerpts)}
        return copy.deepcopy(self, memo)

    def run_record(self, digest: str) -> RunRecord:
        """The run as the store lists it."""
        tab = self._historian.tab
        agreed = [one.agreed for one in self._oracle.checked()]
        counts = Counts(
            turns=self.turns,
            abandoned=self.abandoned,
            calls=self.calls,
            observed_chars=self.observed_chars,
            reads=len(tab.read_log),
            files_read=len({entry.path for entry in tab.read_log.values()}),
            candidates=len(tab.candidates),
            starred=tab.starred,
            requirements=len(tab.requirements),
            resolved=len(tab.requirements) - len(tab.open_requirements),
            unknowns=self.unknowns,
            differences=self.differences,
            recorded_tab=self.recorded_tab,
            stated=len(agreed),
            agreed=agreed.count(True),
            missed=agreed.count(False),
            corrected=self.corrected,
        )
        derivation = derivation_of(self.header, self._correction, tab.task)
        return RunRecord(self.number, run_key(digest, self.key), self.key, self.header, derivation, counts)

    def _take(self, facts: TurnFacts, *, after_last: bool) -> None:
        self.unknowns += sum(isinstance(event, CaptureUndecided) for event in facts.events)
        self.differences += len(facts.differences)
        self.corrected += len(facts.overruled)
        self.recorded_tab = self.recorded_tab or facts.recorded_tab
        self._columns.facts(self.number, facts, self._excerpts, after_last=after_last)


def _under(root: str, decisions: Iterable[DecisionCorrection]) -> Iterator[DecisionCorrection]:
    """Corrections with their paths as capture has them."""
    return (replace(decision, path=relative(root, decision.path)) for decision in decisions)


def corrected(header: RunHeader, correction: Correction) -> RunHeader:
    """A run's header as a person has corrected it: what its tab is derived from."""
    task = header.task if correction.task is None else Task(correction.task, "corrected")
    root = header.root if correction.root is None else correction.root
    return replace(header, task=task, root=root)


def derivation_of(header: RunHeader, correction: Correction, stated: str) -> Derivation:
    """The task and root behind a tab. `stated` is the task as persons stated it in the run."""
    task_source = header.task.source if header.task else "first message" if stated else "none"
    root_source = "stated" if header.root else "first working directory" if header.cwd else "none"
    return Derivation(
        task=stated,
        task_source=task_source if correction.task is None else "corrected",
        root=corrected(header, correction).root or header.cwd or "/",
        root_source=root_source if correction.root is None else "corrected",
    )


@dataclass(frozen=True, slots=True)
class Job:
    """One log or run folder to read, and what persons have corrected, by the log's path and the run's key.

    `at` is where the bytes are, "" for the path itself; `inside` is set for a member of an archive.
    """

    place: FileState
    corrections: Mapping[str, Mapping[str, Corrections]] = field(default_factory=dict)
    inside: Inside | None = None
    at: str = ""
    look_for_secrets: bool = True


def read_chunks(jobs: Iterable[Job], *, size: int = CHUNK) -> Iterator[Chunk]:
    """The rows of files, in chunks of about `size` bytes of text. Faults of a file become its problems."""
    jobs = list(jobs)
    columns = Columns(look_for_secrets=all(job.look_for_secrets for job in jobs))
    ended: list[FileRecord] = []
    number = 0
    for job in jobs:
        log = _Log(job, columns, number)
        for _ in log.read():
            if columns.size >= size:
                yield Chunk(columns.take(), tuple(ended))
                ended = []
        ended.append(log.file_record())
        number += len(log.runs)
    yield Chunk(columns.take(), tuple(ended))


def derive_again(stored: StoredRun, corrections: Corrections) -> tuple[RunRecord, Tables]:
    """A run's tab derived from its stored record: the run as it is to be listed, and the tables of its tab."""
    columns = Columns(look_for_secrets=False)
    run = RunInProgress(0, stored.key, stored.header, columns, corrections, record=False)
    for turn in stored.turns:
        run.turn(turn)
    run.end(RunEnded(stored.key, stored.header, stored.after))
    return run.run_record(stored.digest), columns.take()


class _Log:
    """One log while it is read, with what lies beside it."""

    def __init__(self, job: Job, columns: Columns, first: int) -> None:
        self.runs: dict[str, RunInProgress] = {}
        self._job = job
        self._state = job.place
        self._columns = columns
        self._first = first
        self._bundle: Bundle | None = None
        self._ended: list[RunInProgress] = []
        self._problems: list[Problem] = []
        self._tally = Tally()
        self._format = ""
        self._digest = ""

    def read(self) -> Iterator[None]:
        """Take the log's pieces; stops for breath after each."""
        with ExitStack() as spool:
            yield from self._read(spool)

    def _read(self, spool: ExitStack) -> Iterator[None]:
        try:
            source = self._source(spool)
            if source is None:
                return
            reader = readers.identify(source)
            self._format = reader.NAME
            self._look_inside(source)
            for piece in reader.read(source):
                self._take(self._sound(piece))
                yield
            self._digest = source.digest()
        except (UnknownFormat, UnreadableSource) as fault:
            kind = "unknown format" if isinstance(fault, UnknownFormat) else "unreadable"
            done = f"skipped. {fault.remedy}"
            self._problems.append(Problem(self._state.path, 0, kind, fault.fact, done, lost=True))
        if self._format and not self._ended:
            what = "the log holds no run"
            self._problems.append(Problem(self._state.path, 0, "no run", what, "nothing was loaded", lost=True))

    def file_record(self) -> FileRecord:
        """The log as the store lists it."""
        ended = sorted(self._ended, key=lambda run: run.number)
        runs = tuple(run.run_record(self._digest) for run in ended)
        problems = tuple(replace(problem, file=self._shown(problem.file)) for problem in self._problems)
        return FileRecord(self._job.place.path, self._state, self._digest, self._format, self._tally, runs, problems)

    def _shown(self, path: str) -> str:
        """How people are shown the path of a file that was read."""
        job = self._job
        if job.inside:
            return job.inside.shown(path)
        return path.replace(job.at, job.place.path, 1) if job.at and path.startswith(job.at) else path

    def _source(self, spool: ExitStack) -> Source | None:
        """The log, of a run folder once what lies beside it is read; None where the folder has none."""
        place = self._job.place
        actual = self._job.at or place.path
        if not place.beside:
            return self._unpacked(actual, spool) if is_packed(place.path) else Source.of_path(actual)
        self._bundle = read_bundle(actual)
        if self._bundle is None or self._bundle.log is None:
            self._problems += self._bundle.problems if self._bundle else ()
            return None
        self._problems += self._bundle.problems
        log = self._bundle.log
        self._state = FileState(self._shown(log.path), log.size, place.changed, place.beside)
        return log

    def _unpacked(self, packed: str, spool: ExitStack) -> Source | None:
        """The log in a packed file, from a private copy that lasts as long as `spool`; None where it cannot be had."""
        folder = Path(spool.enter_context(TemporaryDirectory(prefix="runningtab-", ignore_cleanup_errors=True)))
        log = folder / Path(packed).stem
        self._problems += expand(Path(packed), log, self._job.place.path)
        if not log.exists():
            return None
        whole = Source.of_path(log)
        return Source(self._job.place.path, whole.open, lambda: whole.size)

    def _look_inside(self, log: Source) -> None:
        """What the log itself tells of verdicts, where nothing lies beside it."""
        if self._bundle is None and (found := bundle_inside(self._format, log)):
            self._bundle = found
            self._problems += found.problems

    def _sound(self, piece: Piece) -> Piece:
        """A piece with what the folder states, and without impossible numbers."""
        if isinstance(piece, RunStarted | RunEnded):
            piece = replace(piece, header=self._stated(piece.key, piece.header))
        if isinstance(piece, RunEnded) and self._bundle and self._bundle.rubrics and not piece.key:
            piece = replace(piece, rubrics=(), verdicts=())
        sound, problems = plausible(piece, self._state.path)
        self._problems += problems
        return sound

    def _take(self, piece: Piece) -> None:
        match piece:
            case TurnRead(key, turn, abandoned):
                run = self.runs[key]
                run.abandoned_turn(turn) if abandoned else run.turn(turn)
            case RunStarted(key, header):
                self._start(key, header)
            case RunEnded(key):
                self.runs[key].end(piece)
                self._ended.append(self.runs[key])
            case Problem():
                self._problems.append(piece)
            case Tally():
                self._tally = piece
            case _:
                assert_never(piece)

    def _start(self, key: str, header: RunHeader) -> None:
        number = self._first + len(self.runs)
        corrections = self._job.corrections.get(self._state.path, {}).get(key, Corrections())
        self.runs[key] = RunInProgress(number, key, header, self._columns, corrections)
        if self._bundle and not key:
            self.runs[key].beside(self._bundle)

    def _stated(self, key: str, header: RunHeader) -> RunHeader:
        return stated_header(self._bundle, key, header) if self._bundle else header


def stated_header(bundle: Bundle, key: str, header: RunHeader) -> RunHeader:
    """A run's header with what its folder states. The task that a folder states is not that of a sub-agent."""
    stated = bundle.stated if not key else replace(bundle.stated, task=None)
    return stated.over(header)


def _received(turn: Turn) -> int:
    """Characters that the turn's results showed, without the tab's own words."""
    asked = {call.call_id for call in turn.calls if operation_of(call)}
    return sum(
        len(excerpt_text(shown)) for shown in turn.observations if not shown.call_id or shown.call_id not in asked
    )
