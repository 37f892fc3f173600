"""Files, folders, archives -> readers -> history -> store. Safe to repeat: what is stored and unchanged is left alone.

A run is stored wholly or not at all: the rows of a long log come in several chunks of one transaction; short logs
share a transaction, and none is ever split over two. Between transactions the store is free for others. An archive is
unpacked into a private folder that lasts while its members are read; one that has not changed is not opened.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from tabcore.archives import is_archive, is_packed, unpack
from tabcore.derivation import Job, read_chunks
from tabcore.discovery import Found, Inside, discover, discover_members, is_one_log
from tabcore.errors import Problem, UnreadableSource
from tabcore.received import STANDARD_INPUT, receive
from tabcore.rederivation import derive_stored
from tabcore.rows import Loaded
from tabcore.source import Source
from tabcore.store import corrections, secret_selects, selects, writing
from tabcore.store.records import Chunk, Corrections, FileRecord, FileState, KnownFile
from tabcore.store.store import Store
from tabcore.trajectory import Tally
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

UNPACKS_TO = 20
"""How many times larger than its packed form a log is taken to be."""


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
    look_for_secrets: bool = True,
) -> tuple[Loaded, ...]:
    """What became of each file under the paths ("-": standard input), after all of them are stored.

    `progress` is called after each transaction. Several processes read when there is much to read; one writes.
    """
    with TemporaryDirectory(prefix="runningtab-", ignore_cleanup_errors=True) as room:
        found = _found(paths, Path(room))
        with store.reading() as connection:
            known = writing.known_files(connection)
            said = corrections.by_path(connection)
        archives = _sort_archives(found, known)
        counter = _Counter({**found.places, **found.archives}, progress)
        loading = _Loading(store, known, said, workers, look_for_secrets)
        loaded = [*_load_places(found, loading, counter.add)]
        loaded += _unchanged_archives(store, archives)
        counter.add(archives)
        for path, state in found.archives.items():
            if path not in archives:
                loaded += _load_archive(state, found.at.get(path, path), loading)
                counter.add([path])
    return (*loaded, *(Loaded(problem.file, "skipped", problems=(problem,)) for problem in found.problems))


@dataclass(frozen=True, slots=True)
class _Loading:
    """What a load knows before it reads anything."""

    store: Store
    known: Mapping[str, KnownFile]
    said: Mapping[str, Mapping[str, Corrections]]
    workers: int
    look_for_secrets: bool


def _found(paths: Iterable[str], room: Path) -> Found:
    """What the paths name, standard input among it."""
    named = list(paths)
    found = discover(path for path in named if path != STANDARD_INPUT)
    if STANDARD_INPUT in named:
        received = receive(sys.stdin.buffer, room)
        packed = found.archives if is_archive(received.shown) else found.places
        packed[received.shown] = FileState(received.shown, received.size, 0)
        found.at[received.shown] = str(received.file)
    return found


def _load_places(
    found: Found,
    loading: _Loading,
    count: Callable[[Collection[str]], object] = lambda _: None,
    inside: Inside | None = None,
) -> tuple[Loaded, ...]:
    """Load the logs and run folders that were found; what became of each."""
    store, known = loading.store, loading.known
    sorted_out = _sort_out(found, known)
    with store.reading() as connection:
        old_problems = selects.problems_by_source(connection, [f.state.path for f in sorted_out.unchanged.values()])
    done = {
        place: _unchanged(file, old_problems.get(file.state.path, ())) for place, file in sorted_out.unchanged.items()
    }
    if sorted_out.moved:
        with store.writing() as connection:
            done |= {place: _moved(connection, state, old, known) for place, (state, old) in sorted_out.moved.items()}
    count(done)
    jobs = [
        Job(state, loading.said, inside, found.at.get(state.path, ""), loading.look_for_secrets)
        for state in sorted_out.to_read
    ]
    for loaded in _read_and_store(jobs, store, loading.workers):
        done |= loaded
        count(loaded)
    return tuple(done[place] for place in found.places)


def _sort_archives(found: Found, known: Mapping[str, KnownFile]) -> dict[str, list[KnownFile]]:
    """The archives that are as they were, each with what is known of it and of its members.

    What bears an archive's name and is itself one log (Inspect's logs are zips) goes to the places.
    """
    for path, state in list(found.archives.items()):
        before = known.get(path)
        if bool(before.runs) if before and before.state == state else is_one_log(found.at.get(path, path)):
            found.places[path] = found.archives.pop(path)
    unchanged = {
        path: [known[path]] for path, state in found.archives.items() if path in known and known[path].state == state
    }
    for path, file in known.items():
        for place in (place for place, letter in enumerate(path) if letter == "!"):
            archive = path[:place]
            if archive in unchanged and file.state.changed == found.archives[archive].changed:
                unchanged[archive].append(file)
    return unchanged


def _unchanged_archives(store: Store, archives: Mapping[str, Sequence[KnownFile]]) -> Iterator[Loaded]:
    files = [file for together in archives.values() for file in together]
    with store.reading() as connection:
        old_problems = selects.problems_by_source(connection, [file.state.path for file in files])
    for archive, *members in archives.values():
        path = archive.state.path
        yield Loaded(path, "unchanged", (), archive.tally, tuple(old_problems.get(path, ())))
        yield from (_unchanged(file, old_problems.get(file.state.path, ())) for file in members)


def _load_archive(archive: FileState, at: str, loading: _Loading) -> tuple[Loaded, ...]:
    """Load the members of an archive; what became of it and of each of them."""
    with TemporaryDirectory(prefix="runningtab-", ignore_cleanup_errors=True) as room:
        folder = Path(room, Path(at).name.partition(".")[0] or "archive")
        folder.mkdir(0o700)
        unpacked = unpack(Path(at), folder, archive.path)
        found = discover_members(archive, folder)
        problems = (*unpacked.problems, *found.problems)
        members = _load_places(found, loading, inside=Inside(archive.path, str(folder)))
    tally = Tally("member", unpacked.members, unpacked.unpacked)
    record = FileRecord(archive.path, archive, "", "archive", tally, problems=problems)
    with loading.store.writing() as connection:
        writing.add(connection, [Chunk({}, (record,))])
    state = "unpacked" if unpacked.unpacked else "skipped"
    return (Loaded(archive.path, state, (), str(tally), problems), *members)


@dataclass(slots=True)
class _SortedOut:
    unchanged: dict[str, KnownFile]
    moved: dict[str, tuple[FileState, KnownFile]]
    to_read: list[FileState]


def _sort_out(found: Found, known: Mapping[str, KnownFile]) -> _SortedOut:
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
    for place, state in found.places.items():
        before = by_folder.get(state.beside) if state.beside else known.get(place)
        if before and (state.beside or before.state == state):
            result.unchanged[place] = before
        elif not state.beside and (same := _same_content(found.at.get(place, place), by_size.get(state.size, {}))):
            result.moved[place] = (state, same)
        else:
            result.to_read.append(state)
    return result


def _same_content(path: str, candidates: Mapping[str, KnownFile]) -> KnownFile | None:
    if not candidates or is_packed(path):
        return None
    try:
        return candidates.get(Source.of_path(path).digest())
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
    short = [job for job in jobs if _weight(job) <= LONG]
    batches = list(_batches(short))
    if workers > 1 and len(batches) > 1 and sum(map(_weight, short)) >= WORTH_WORKERS:
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
        if _weight(job) > LONG:
            with store.writing() as connection:
                yield _store(connection, read_chunks([job]))


def _batches(jobs: Iterable[Job]) -> Iterator[list[Job]]:
    batch: list[Job] = []
    size = 0
    for job in jobs:
        if batch and size + _weight(job) > BATCH:
            yield batch
            batch, size = [], 0
        batch.append(job)
        size += _weight(job)
    if batch:
        yield batch


def _weight(job: Job) -> int:
    """Bytes that a log comes to when it is read."""
    return job.place.size * (UNPACKS_TO if is_packed(job.place.path) else 1)


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
            secrets=secret_selects.of_runs(connection, [run.run_id for run in file.runs]),
        )
        for file in files
    }
