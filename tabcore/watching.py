"""A folder of logs, followed while they grow: a look at every file each half second, and the store kept up with them.

Sessions of Claude Code, Codex and Pi are followed byte by byte; whatever else lies there is loaded as it is and loaded
again when it changes. What was there and had not changed for `quiet` seconds is loaded at the start and followed from
its next growth on. Looking costs one `stat` a file; only logs that grow are kept in memory.
"""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tabcore import ingest
from tabcore.bundles import layout_of
from tabcore.discovery import discover
from tabcore.errors import StoreBusy, UnknownFormat, UnreadableSource, UsageError
from tabcore.following import FollowedLog
from tabcore.growth import FileStatus, GrowingFile
from tabcore.readers import GROWING, identify
from tabcore.readers.base import HEAD
from tabcore.rows import QUIET
from tabcore.source import Folder, Line, Source
from tabcore.store import corrections, growing, writing
from tabcore.store.store import Store

LOOK = 0.5
"""Seconds between two looks."""
WHOLE_PAUSE = 2.0
"""Seconds at least between two loads of what is not followed byte by byte."""

Kind = Literal["new", "followed", "whole", "idle"]
"""new: not recognised yet · followed: byte by byte · whole: loaded again when it changes · idle: until it changes."""


@dataclass(slots=True)
class _Tracked:
    """One file of the folder. `place` is what is loaded where it is not followed: itself, or its run's folder."""

    path: str
    place: str
    file: GrowingFile
    kind: Kind
    grown: float
    log: FollowedLog | None = None
    pending: list[Line] = field(default_factory=list)
    owes: bool = False
    known: str = ""


class Watcher:
    """Follows folders until it is closed. `say` is told in one line what happened to a log."""

    def __init__(
        self,
        folders: Sequence[str],
        store: Store,
        say: Callable[[str], object] = lambda _: None,
        *,
        quiet: float = QUIET,
    ) -> None:
        self.folders = tuple(_folder(folder) for folder in folders)
        self._bytes_before = 0
        self._rereads_before = 0
        self._store = store
        self._say = say
        self._quiet = quiet
        self._tracked: dict[str, _Tracked] = {}
        self._to_load: dict[str, None] = {}
        self._next_load = 0.0
        self._is_first = True
        self._was_busy = False

    @property
    def bytes_read(self) -> int:
        """Bytes taken from followed logs so far."""
        return self._bytes_before + sum(tracked.file.bytes_read for tracked in self._tracked.values())

    @property
    def rereads(self) -> int:
        """How often a followed log was read anew from its start."""
        return self._rereads_before + sum(tracked.log.rereads for tracked in self._tracked.values() if tracked.log)

    def run(self, stop: threading.Event) -> None:
        """Look every half second until `stop` is set."""
        while not stop.is_set():
            self.step()
            stop.wait(LOOK)
        self.close()

    def step(self) -> None:
        """One look at every file, and what follows from it."""
        seen = dict(_scan(self.folders))
        try:
            self._follow_names(seen)
            for path in [path for path in self._tracked if path not in seen]:
                self._gone(self._tracked.pop(path))
            for path, status in seen.items():
                self._guarded(path, status)
            self._load_whole()
        except StoreBusy as fault:
            if not self._was_busy:
                self._say(f"the store is in use, waiting for it: {fault.fact}")
            self._was_busy = True
        else:
            self._was_busy = False
        self._is_first = False

    def close(self) -> None:
        """Say in the store that nobody follows these logs any more."""
        live = [tracked for tracked in self._tracked.values() if tracked.log]
        if not live:
            return
        with self._store.writing() as connection:
            for tracked in live:
                growing.note_followed(connection, tracked.path, tracked.grown, self._quiet, "stopped")

    def _guarded(self, path: str, status: FileStatus) -> None:
        """One file's look; a file that vanishes or is forbidden meanwhile is left for the next."""
        try:
            if path not in self._tracked:
                self._begin(path, status)
            else:
                self._look(self._tracked[path], status)
        except UnreadableSource as fault:
            self._say(f"{path}: {fault.fact}")
            if tracked := self._tracked.get(path):
                tracked.file.status = status

    def _begin(self, path: str, status: FileStatus, *, fresh: bool = False) -> None:
        """A file that was not seen before, or is to be read from its start."""
        changed = status.changed / 1e9
        place = _place(path, self.folders)
        kind: Kind = "whole" if place != path or _has_company(path) else "new"
        if kind == "new" and self._is_first and not fresh and time.time() - changed > self._quiet:
            kind = "idle"
        tracked = self._tracked[path] = _Tracked(path, place, GrowingFile(path, status), kind, changed)
        if kind == "new":
            self._look(tracked, status)
        else:
            self._to_load[place] = None

    def _look(self, tracked: _Tracked, status: FileStatus) -> None:
        file = tracked.file
        if tracked.kind in ("whole", "idle"):
            self._look_from_afar(tracked, status)
            return
        match file.change(status):
            case "grown":
                tracked.grown = max(tracked.grown, status.changed / 1e9)
                self._arrived(tracked, status)
            case "none":
                file.status = status
                self._still(tracked)
            case "replaced":
                self._anew(tracked, status, "another file took its place")
            case "shorter":
                self._anew(tracked, status, "it was cut short")
            case "rewritten":
                self._anew(tracked, status, "it was written anew")

    def _look_from_afar(self, tracked: _Tracked, status: FileStatus) -> None:
        if status == tracked.file.status:
            return
        if tracked.kind == "idle":
            self._count(tracked)
            self._begin(tracked.path, status, fresh=True)
        else:
            tracked.file.status = status
            self._to_load[tracked.place] = None

    def _arrived(self, tracked: _Tracked, status: FileStatus) -> None:
        """New bytes: parsed, derived and stored, as far as they are complete lines."""
        more = True
        while more:
            before = tracked.file.bytes_read
            self._take(tracked, tracked.file.arrive(status))
            more = tracked.file.behind() and tracked.file.bytes_read > before and tracked.kind != "whole"
        if tracked.log and tracked.owes:
            self._store_growth(tracked, tracked.log)

    def _take(self, tracked: _Tracked, arrived: Source) -> None:
        if tracked.log is None:
            tracked.pending += arrived.lines()
            self._recognise(tracked)
        elif lines := tuple(arrived.lines()):
            tracked.log.take(arrived)
            tracked.owes = bool(lines)

    def _recognise(self, tracked: _Tracked) -> None:
        """Which format the complete lines so far are of; a log that is not followed is loaded as it is."""
        head = b"".join(line.data for line in tracked.pending)[:HEAD]
        source = Source.of_bytes(tracked.path, head)
        try:
            reader = identify(source)
        except UnknownFormat:
            if len(head) == HEAD:
                self._say(f"{tracked.path}: no reader recognises it; left out until it changes")
                tracked.kind, tracked.pending = "idle", []
            return
        if reader.NAME not in GROWING or source.encoding != "utf-8":
            tracked.kind, tracked.pending = "whole", []
            self._to_load[tracked.place] = None
            return
        self._begin_to_follow(tracked, reader.NAME)

    def _begin_to_follow(self, tracked: _Tracked, format: str) -> None:
        with self._store.reading() as connection:
            said = corrections.by_path(connection).get(tracked.path, {})
            known = writing.known_files(connection).get(tracked.path)
        tracked.kind = "followed"
        tracked.log = FollowedLog(tracked.file, format, said)
        if known and tracked.file.starts_with(known.state.size, known.digest):
            tracked.known = known.digest
        tracked.log.take(tracked.file.stretch(tracked.pending))
        tracked.pending, tracked.owes = [], True
        self._say(f"{tracked.path}: followed ({format})")

    def _store_growth(self, tracked: _Tracked, log: FollowedLog, ended: str = "") -> None:
        """Write what the log holds now. Where somebody else has changed its rows, it is read anew and written whole."""
        turns = log.turns
        growth = log.growth(ended=ended == "quiet")
        with self._store.writing() as connection:
            said = corrections.by_path(connection).get(tracked.path, {})
            known = tracked.known
            if said != log.said or (outcome := growing.grow(connection, growth, known=known)) == "changed elsewhere":
                stored = writing.known_files(connection).get(tracked.path)
                known = stored.digest if stored and log.file.starts_with(stored.state.size, stored.digest) else ""
                log.read_anew(said)
                growth = log.growth(ended=ended == "quiet")
                outcome = growing.grow(connection, growth, known=known)
            growing.note_followed(connection, tracked.path, tracked.grown, self._quiet, ended)
            if ended:
                growing.tidy(connection)
        tracked.owes = False
        if outcome == "stored":
            log.stored(growth)
        if log.turns > turns:
            more = log.turns - turns
            self._say(f"{tracked.path}: {more} new {'turn' if more == 1 else 'turns'}, {log.turns} in all")

    def _still(self, tracked: _Tracked) -> None:
        """A log that did not grow: what is owed to the store, and whether it has ended."""
        if tracked.log is None:
            return
        if tracked.owes:
            self._store_growth(tracked, tracked.log)
        if time.time() - tracked.grown > self._quiet:
            self._store_growth(tracked, tracked.log, "quiet")
            self._say(f"{tracked.path}: no growth for {self._quiet:g} s, it counts as ended")
            self._rereads_before += tracked.log.rereads
            tracked.kind, tracked.log = "idle", None

    def _anew(self, tracked: _Tracked, status: FileStatus, what: str) -> None:
        self._say(f"{tracked.path}: {what}; read from its start, and what it held before is replaced")
        self._count(tracked)
        self._rereads_before += 1
        self._begin(tracked.path, status, fresh=True)

    def _count(self, tracked: _Tracked) -> None:
        """Keep the counts of a file that is let go."""
        self._bytes_before += tracked.file.bytes_read
        self._rereads_before += tracked.log.rereads if tracked.log else 0

    def _gone(self, tracked: _Tracked) -> None:
        self._count(tracked)
        if tracked.log is None:
            return
        try:
            self._store_growth(tracked, tracked.log, "deleted")
        except UnreadableSource:  # somebody else has changed its rows, or taken them out: so they stay
            self._say(f"{tracked.path}: it is gone; what the store has of it was changed elsewhere and stays so")
        else:
            self._say(f"{tracked.path}: it is gone; what was read of it is kept")

    def _follow_names(self, seen: Mapping[str, FileStatus]) -> None:
        """A followed file that has another name now goes on under it: a log that was rotated, or moved."""
        names = {tracked.file.status.ident: tracked for tracked in self._tracked.values() if tracked.log}
        for path, status in seen.items():
            tracked = names.get(status.ident)
            if tracked is None or path in self._tracked:
                continue
            if tracked.path in seen and seen[tracked.path].ident == status.ident:
                continue
            with self._store.writing() as connection:
                growing.move(connection, tracked.path, path)
            self._say(f"{tracked.path}: it is now {path} and is followed there")
            self._tracked[path] = self._tracked.pop(tracked.path)
            tracked.path = tracked.place = tracked.file.path = path

    def _load_whole(self) -> None:
        """Load what is not followed byte by byte."""
        if not self._to_load or time.monotonic() < self._next_load:
            return
        loaded = ingest.load(list(self._to_load), self._store)
        self._to_load.clear()
        self._next_load = time.monotonic() + WHOLE_PAUSE
        read = [item for item in loaded if item.state in ("loaded", "replaced")]
        if self._is_first:
            runs = sum(len(item.runs) for item in loaded)
            self._say(f"{len(loaded)} files were there, with {runs} runs; {len(read)} of them were read now")
        else:
            for item in read:
                self._say(f"{item.path}: {item.state} as a whole")


def _folder(path: str) -> str:
    place = Path(path).expanduser().absolute()
    if not place.is_dir():
        raise UsageError(str(place), "there is no such folder", "Name a folder of logs to follow")
    return str(place)


def _scan(folders: Sequence[str]) -> Iterator[tuple[str, FileStatus]]:
    """Every regular file under the folders; hidden ones and links to folders are left out."""
    for top in folders:
        for folder, inside, names in os.walk(top):
            inside[:] = sorted(name for name in inside if not name.startswith("."))
            for name in sorted(names):
                path = os.path.join(folder, name)  # noqa: PTH118  thousands a second: a Path costs more than the stat
                if name.startswith(".") or (status := _stat(path)) is None:
                    continue
                yield path, FileStatus.of(status)


def _stat(path: str) -> os.stat_result | None:
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return status if stat.S_ISREG(status.st_mode) else None


def _place(path: str, tops: Sequence[str]) -> str:
    """The folder that holds the file's run, or the file itself."""
    for folder in Path(path).parents:
        try:
            if layout_of(Folder.of_path(folder)) is not None:
                return str(folder)
        except UnreadableSource:
            return path
        if str(folder) in tops:
            break
    return path


def _has_company(path: str) -> bool:
    """True for a log in a folder of many runs that has files beside it."""
    return any(state.beside for state in discover([path]).places.values())
