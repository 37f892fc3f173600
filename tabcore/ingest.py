"""Files and folders -> readers -> history -> store. Safe to repeat: what is stored and unchanged is left alone.

A run is stored wholly or not at all: the rows of a long log come in several chunks of one transaction; short logs
share a transaction, and none is ever split over two. Between transactions the store is free for others.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tabcore.derivation import Job, read_chunks
from tabcore.discovery import discover
from tabcore.errors import Problem, UnreadableSource
from tabcore.rederivation import derive_stored
from tabcore.rows import Loaded
from tabcore.source import Source
from tabcore.store import corrections, selects, writing
from tabcore.store.records import Chunk, FileRecord, FileState, KnownFile
from tabcore.store.store import Store
from tabcore.workers import read_elsewhere

BATCH = 12 << 20
"""Bytes of logs that are read and handed on together."""
HELD = 3.0
"""Seconds for which a transaction may take in batches. Each closing packs tables anew, so few are better; meanwhile
nobody else can read the store, and a reader waits 10 s."""
LEFT_FREE = 0.05
"""Seconds between two transactions, in which whoever waits for the store gets it."""
LONG = 32 << 20
"""A log above this size is streamed in this process, so that memory stays flat."""
WORTH_WORKERS = 24 << 20
"""Bytes of logs from which on starting other processes pays."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a load has come."""

    files_done: int
    files: int
    bytes_done: int
    bytes: int


def load(
    paths: Iterable[str],
    store: Store,
    progress: Callable[[Progress], object] = lambda _: None,
    *,
    workers: int = 2,
) -> tuple[Loaded, ...]:
    """What became of each file under the paths, after all of them are stored.

    `progress` is called after each transaction. Several processes read when there is much to read; one writes.
    """
    found = discover(paths)
    with store.reading() as connection:
        known = writing.known_files(connection)
        said = corrections.by_path(connection)
        sorted_out = _sort_out(found.places, known)
        paths = [file.state.path for file in sorted_out.unchanged.values()]
        old_problems = selects.problems_by_source(connection, paths)
    done = {
        place: _unchanged(file, old_problems.get(file.state.path, ())) for place, file in sorted_out.unchanged.items()
    }
    if sorted_out.moved:
        with store.writing() as connection:
            done |= {place: _moved(connection, state, old, known) for place, (state, old) in sorted_out.moved.items()}
    counter = _Counter(found.places, progress)
    counter.add(done)
    jobs = [Job(state, said) for state in sorted_out.to_read]
    for loaded in _read_and_store(jobs, store, workers):
        done |= loaded
        counter.add(loaded)
    nothing = tuple(Loaded(problem.file, "skipped", problems=(problem,)) for problem in found.problems)
    return tuple(done[place] for place in found.places) + nothing


@dataclass(slots=True)
class _SortedOut:
    unchanged: dict[str, KnownFile]
    moved: dict[str, tuple[FileState, KnownFile]]
    to_read: list[FileState]


def _sort_out(places: Mapping[str, FileState], known: Mapping[str, KnownFile]) -> _SortedOut:
    """Which places are as they were, which have content that is stored already, and which must be read.

    Content is compared only of single logs whose size is one that is known, since comparing means reading the file.
    """
    by_size: dict[int, dict[str, KnownFile]] = {}
    by_folder: dict[str, KnownFile] = {}
    for file in known.values():
        if file.state.beside:
            by_folder[file.state.beside] = file
        elif file.runs:
            by_size.setdefault(file.state.size, {})[file.digest] = file
    result = _SortedOut({}, {}, [])
    for place, state in places.items():
        before = by_folder.get(state.beside) if state.beside else known.get(place)
        if before and (state.beside or before.state == state):
            result.unchanged[place] = before
        elif not state.beside and (same := _same_content(state, by_size.get(state.size, {}))) is not None:
            result.moved[place] = (state, same)
        else:
            result.to_read.append(state)
    return result


def _same_content(state: FileState, candidates: Mapping[str, KnownFile]) -> KnownFile | None:
    if not candidates:
        return None
    try:
        return candidates.get(Source.of_path(state.path).digest())
    except UnreadableSource:
        return None


def _unchanged(file: KnownFile, problems: Sequence[Problem]) -> Loaded:
    return Loaded(file.state.path, "unchanged" if file.runs else "skipped", file.runs, file.tally, tuple(problems))


def _moved(connection: writing.Connection, state: FileState, same: KnownFile, known: Mapping[str, KnownFile]) -> Loaded:
    """A file that was touched, or a copy of one: its path is entered, nothing is read."""
    writing.enter_path(connection, state, same.digest)
    before = known.get(state.path)
    word = "unchanged" if before and before.digest == same.digest else "same content"
    return Loaded(state.path, word, same.runs, same.tally)


class _Counter:
    def __init__(self, places: Mapping[str, FileState], progress: Callable[[Progress], object]) -> None:
        self._places = places
        self._now = Progress(0, len(places), 0, sum(state.size for state in places.values()))
        self._progress = progress

    def add(self, places: Collection[str]) -> None:
        now = self._now
        size = sum(self._places[place].size for place in places)
        self._now = replace(now, files_done=now.files_done + len(places), bytes_done=now.bytes_done + size)
        self._progress(self._now)


def _read_and_store(jobs: Sequence[Job], store: Store, workers: int) -> Iterator[dict[str, Loaded]]:
    short = [job for job in jobs if job.place.size <= LONG]
    batches = list(_batches(short))
    if workers > 1 and len(batches) > 1 and sum(job.place.size for job in short) >= WORTH_WORKERS:
        chunks = read_elsewhere(batches, workers)
    else:
        chunks = ([*read_chunks(batch)] for batch in batches)
    waiting = iter(chunks)
    for first in waiting:
        with store.writing() as connection:
            yield _store(connection, first)
            until = time.monotonic() + HELD
            while time.monotonic() < until and (batch := next(waiting, None)) is not None:
                yield _store(connection, batch)
        time.sleep(LEFT_FREE)
    for job in jobs:
        if job.place.size > LONG:
            with store.writing() as connection:
                yield _store(connection, read_chunks([job]))


def _batches(jobs: Iterable[Job]) -> Iterator[list[Job]]:
    batch: list[Job] = []
    size = 0
    for job in jobs:
        if batch and size + job.place.size > BATCH:
            yield batch
            batch, size = [], 0
        batch.append(job)
        size += job.place.size
    if batch:
        yield batch


def _store(connection: writing.Connection, chunks: Iterable[Chunk]) -> dict[str, Loaded]:
    files: list[FileRecord] = []

    def passing() -> Iterator[Chunk]:
        for chunk in chunks:
            files.extend(chunk.files)
            yield chunk

    states = writing.add(connection, passing())
    for number in corrections.said_elsewhere(connection, [file.state.path for file in files]):
        derive_stored(connection, number)
    return {
        file.place: Loaded(
            path=file.state.path,
            state=states[file.place],
            runs=tuple(run.run_id for run in file.runs),
            tally=str(file.tally) if file.format else "",
            problems=file.problems,
        )
        for file in files
    }
