"""Files and folders -> readers -> history -> store. Safe to repeat: what is stored and unchanged is left alone.

A run is stored wholly or not at all: the rows of a long log come in several chunks of one transaction; short logs
share a transaction, and none is ever split over two. Between transactions the store is free for others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tabcore.derivation import Job, read_chunks
from tabcore.discovery import discover
from tabcore.errors import Problem, UnreadableSource
from tabcore.rows import Loaded
from tabcore.source import Source
from tabcore.store import selects, writing
from tabcore.store.records import Chunk, FileRecord, FileState, KnownFile
from tabcore.store.store import Store
from tabcore.workers import read_elsewhere

BATCH = 12 << 20
"""Bytes of logs that share a transaction."""
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
        corrections = selects.corrections(connection)
        old_problems = selects.problems_by_source(connection, [path for path in found.files if path in known])
    sorted_out = _sort_out(found.files, known)
    done = {path: _unchanged(known[path], old_problems.get(path, ())) for path in sorted_out.unchanged}
    if sorted_out.moved:
        with store.writing() as connection:
            done |= {path: _moved(connection, state, old, known) for path, (state, old) in sorted_out.moved.items()}
    jobs = [Job(state, corrections.get(state.path, {})) for state in sorted_out.to_read]
    counter = _Counter(len(found.files), sum(state.size for state in found.files.values()), progress)
    counter.add(found.files[path] for path in done)
    for loaded in _read_and_store(jobs, store, workers):
        done |= {item.path: item for item in loaded}
        counter.add(found.files[item.path] for item in loaded)
    nothing = tuple(Loaded(problem.file, "skipped", problems=(problem,)) for problem in found.problems)
    return tuple(done[path] for path in found.files) + nothing


@dataclass(slots=True)
class _SortedOut:
    unchanged: list[str]
    moved: dict[str, tuple[FileState, KnownFile]]
    to_read: list[FileState]


def _sort_out(files: Mapping[str, FileState], known: Mapping[str, KnownFile]) -> _SortedOut:
    """Which files are as they were, which have content that is stored already, and which must be read.

    Content is compared only where the size is one that is known, since comparing means reading the file.
    """
    by_size: dict[int, dict[str, KnownFile]] = {}
    for file in known.values():
        if file.runs:
            by_size.setdefault(file.state.size, {})[file.digest] = file
    result = _SortedOut([], {}, [])
    for path, state in files.items():
        before = known.get(path)
        if before and before.state == state:
            result.unchanged.append(path)
        elif (same := _same_content(state, by_size.get(state.size, {}))) is not None:
            result.moved[path] = (state, same)
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
    def __init__(self, files: int, size: int, progress: Callable[[Progress], object]) -> None:
        self._now = Progress(0, files, 0, size)
        self._progress = progress

    def add(self, files: Iterable[FileState]) -> None:
        states = list(files)
        now = self._now
        size = sum(state.size for state in states)
        self._now = replace(now, files_done=now.files_done + len(states), bytes_done=now.bytes_done + size)
        self._progress(self._now)


def _read_and_store(jobs: Sequence[Job], store: Store, workers: int) -> Iterator[list[Loaded]]:
    short = [job for job in jobs if job.state.size <= LONG]
    batches = list(_batches(short))
    if workers > 1 and len(batches) > 1 and sum(job.state.size for job in short) >= WORTH_WORKERS:
        chunks = read_elsewhere(batches, workers)
    else:
        chunks = ([*read_chunks(batch)] for batch in batches)
    for batch in chunks:
        with store.writing() as connection:
            yield _store(connection, batch)
    for job in jobs:
        if job.state.size > LONG:
            with store.writing() as connection:
                yield _store(connection, read_chunks([job]))


def _batches(jobs: Iterable[Job]) -> Iterator[list[Job]]:
    batch: list[Job] = []
    size = 0
    for job in jobs:
        if batch and size + job.state.size > BATCH:
            yield batch
            batch, size = [], 0
        batch.append(job)
        size += job.state.size
    if batch:
        yield batch


def _store(connection: writing.Connection, chunks: Iterable[Chunk]) -> list[Loaded]:
    files: list[FileRecord] = []

    def passing() -> Iterator[Chunk]:
        for chunk in chunks:
            files.extend(chunk.files)
            yield chunk

    states = writing.add(connection, passing())
    return [
        Loaded(
            path=file.state.path,
            state=states[file.state.path],
            runs=tuple(run.run_id for run in file.runs),
            tally=str(file.tally) if file.format else "",
            problems=file.problems,
        )
        for file in files
    ]
