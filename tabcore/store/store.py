"""The DuckDB file: opened, made, locked, refused. Inside, `writing.py` writes and `selects.py` reads.

One process may write a DuckDB file, or many may read it, and a reader keeps a writer out. So nobody holds a store
for longer than one transaction or one look; whoever finds it taken waits for a bounded time.
"""

from __future__ import annotations

import atexit
import os
import re
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from importlib.resources import files as package_files
from itertools import count
from pathlib import Path

import duckdb

from tabcore.errors import StoreBusy, StoreError, StoreVersion
from tabcore.store import dataset, turnstile

Connection = duckdb.DuckDBPyConnection

VERSION = 4
"""The version of schema.sql. A store of any other version is refused."""

WAIT = 10.0
"""Seconds to wait for a store that another process holds."""

_ROW_GROUP = 16384
"""Rows that are packed together. The end of each transaction packs the last group of each table anew, so that large
ones make loads slow; small ones repeat what they have in common and take more room."""

_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "memory_limit": "96MB",
    "write_buffer_row_group_count": 1,
}
_HOLDER = re.compile(r"held in (.+?) \(PID (\d+)\)")
_BUSY = re.compile(r"Could not set lock|Conflicting lock|already attached|being used by another process")
_FULL = re.compile(r"[Nn]o space left|File too large|Could not write all bytes|disk is full|could not allocate")
_DAMAGED = re.compile(
    r"[Cc]orrupt|[Cc]hecksum|replaying WAL|[Ff]ailed to deserialize|[Ss]erialization Error|INTERNAL Error|FATAL Error"
    r"|Could not read enough bytes|[Ii]nvalidated"
)
_LATEST = "SELECT 1 FROM labels, notes, answers, rubric_values LIMIT 0"
"""Fails in a store from before these tables had their place in this version."""
_PAUSE = 0.02


class Store:
    """A store by its path. `wait` is how many seconds to wait while another process holds it."""

    def __init__(self, path: str | Path, wait: float = WAIT) -> None:
        self.path = Path(path).expanduser()
        self.wait = wait

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A read-only connection, closed afterwards. A store that does not exist yet reads as an empty one."""
        if self.path.is_dir():
            dataset.check(self.path, VERSION)
        if not self.path.exists() or (self.path.is_dir() and not dataset.parts(self.path)):
            with in_memory() as empty:
                yield empty
            return
        with _telling(self.path), self._attached(read_only=True) as connection:
            self._check_version(connection)
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A connection inside one transaction, which an exception takes back. The store is made when it is not there.

        Whatever is created meanwhile is the owner's only: the file, its write-ahead log, a folder made for it.
        """
        if self.path.is_dir():
            remedy = "Load the logs into a store (runningtab load PATH --db FILE) to label, correct or note"
            raise StoreError(str(self.path), "a dataset is only read", remedy)
        before = os.umask(0o077)
        try:
            self._make_folder()
            with _telling(self.path), self._attached(read_only=False) as connection:
                self.path.chmod(0o600)
                with _transaction(connection):
                    self._make_or_check(connection)
                    yield connection
        finally:
            os.umask(before)

    @contextmanager
    def _attached(self, *, read_only: bool) -> Iterator[Connection]:
        """A connection of this thread's own that sees the store and nothing else."""
        name = self._attach(read_only)
        _here.looks += 1
        try:
            with _instance().cursor() as connection:
                connection.execute(f"USE {name}")
                yield connection
        finally:
            _here.looks -= 1
            _attachments.release(str(self.path))

    def _attach(self, read_only: bool) -> str:
        """The name of the attached store. Who waits to write goes before who comes to read."""
        deadline = time.monotonic() + self.wait
        if read_only and not _here.looks:
            turnstile.let_writers_go_first(self.path, self.wait / 2)
        with ExitStack() as waiting:
            is_waiting = False
            while True:
                try:
                    return _attachments.take(str(self.path), read_only)
                except duckdb.Error as fault:
                    if not _BUSY.search(str(fault)):
                        raise _unusable(self.path, str(fault)) from fault
                    if time.monotonic() >= deadline:
                        raise _busy(self.path, str(fault), self.wait) from fault
                if not (read_only or is_waiting):
                    waiting.enter_context(turnstile.asked_to_write(self.path))
                    is_waiting = True
                time.sleep(_PAUSE)

    def _make_folder(self) -> None:
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as fault:
            raise _cannot_open(self.path, str(fault.strerror)) from fault

    def _make_or_check(self, connection: Connection) -> None:
        tables = "SELECT count(*) FROM duckdb_tables() WHERE database_name = current_database()"
        if connection.execute(tables).fetchone() == (0,):
            _make(connection)
        self._check_version(connection)

    def _check_version(self, connection: Connection) -> None:
        try:
            found = connection.execute("SELECT version, program FROM meta").fetchone()
        except duckdb.CatalogException as fault:
            remedy = "Name another file with --db"
            raise StoreError(str(self.path), "this DuckDB file is no store of runningtab", remedy) from fault
        version, program = found or (0, "an unknown program")
        if version > VERSION:
            fact = f"version {version}, written by {program}; this one knows {VERSION}"
            remedy = "Update runningtab, or name another file with --db and load the logs into it"
            raise StoreVersion(str(self.path), fact, remedy)
        if version < VERSION:
            fact = f"version {version}, from before this program's {VERSION}"
            raise StoreVersion(str(self.path), fact, _rebuild(self.path))
        try:
            connection.execute(_LATEST)
        except duckdb.CatalogException as fault:
            early = f"an early form of version {VERSION}, without tables that it has now"
            raise StoreVersion(str(self.path), early, _rebuild(self.path)) from fault


@contextmanager
def in_memory() -> Iterator[Connection]:
    """An empty store of this process alone, which is gone afterwards."""
    with duckdb.connect(":memory:", config=_SETTINGS) as connection:
        connection.execute("SET enable_progress_bar = false")
        _make(connection)
        yield connection


class _Attachments:
    """Which stores this process has open. Threads share one that is only read; a writer has its own.

    Starting DuckDB costs 20 ms and attaching a file 2, so one instance serves the whole process.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._names = (f"store{number}" for number in count())
        self._open: dict[str, tuple[str, bool, int]] = {}

    def take(self, path: str, read_only: bool) -> str:
        """The name under which the store is attached; a duckdb.Error says why it cannot be."""
        with self._lock:
            name, shared, users = self._open.get(path, ("", True, 0))
            if users and not (shared and read_only):
                raise duckdb.IOException(f"{path} is already attached in this process")
            if not users:
                name = next(self._names)
                mode = "READ_ONLY" if read_only else "READ_WRITE"
                quoted = path.replace("'", "''")
                if Path(path).is_dir():
                    dataset.attach(_instance(), Path(path), name)
                else:
                    _instance().execute(
                        f"ATTACH '{quoted}' AS {name} ({mode}, TYPE duckdb, ROW_GROUP_SIZE {_ROW_GROUP})"
                    )
            self._open[path] = (name, read_only, users + 1)
            return name

    def release(self, path: str) -> None:
        """One user less; the last one closes the file."""
        with self._lock:
            name, shared, users = self._open.pop(path)
            if users > 1:
                self._open[path] = (name, shared, users - 1)
            else:
                _instance().execute(f"DETACH {name}")


_attachments = _Attachments()


class _Here(threading.local):
    """How many looks at stores this thread has open. Within one another begins at once, or a writer would wait for both."""

    looks = 0


_here = _Here()


_making = threading.Lock()


def _instance() -> Connection:
    """This process's DuckDB: one, however many threads ask for it first."""
    with _making:
        return _made_instance()


@cache
def _made_instance() -> Connection:
    """Such a one; what does not fit into its memory goes to a folder that only the owner may enter."""
    folder = tempfile.TemporaryDirectory(prefix="runningtab-")
    atexit.register(folder.cleanup)
    instance = duckdb.connect(":memory:", config={**_SETTINGS, "temp_directory": folder.name})
    instance.execute("SET enable_progress_bar = false")
    return instance


@contextmanager
def _transaction(connection: Connection) -> Iterator[None]:
    connection.execute("BEGIN")
    end = "ROLLBACK"
    try:
        yield
        end = "COMMIT"
    finally:
        connection.execute(end)


def _make(connection: Connection) -> None:
    connection.execute(package_files("tabcore.store").joinpath("schema.sql").read_text("utf-8"))
    connection.execute("INSERT INTO meta VALUES (?, 'runningtab')", [VERSION])


@contextmanager
def _telling(path: Path) -> Iterator[None]:
    """What the disk does to a store, told as such; all else passes."""
    try:
        yield
    except (
        duckdb.IOException,
        duckdb.FatalException,
        duckdb.InternalException,
        duckdb.SerializationException,
    ) as fault:
        raise _unusable(path, str(fault)) from fault


def _rebuild(path: Path) -> str:
    return (
        f"Read its logs again with: runningtab rebuild --db '{path}' (labels, notes, corrections and answers are kept,"
        " and so is the old file)"
    )


def _busy(path: Path, fault: str, waited: float) -> StoreBusy:
    holder = _HOLDER.search(fault)
    who = f"process {holder[2]} ({holder[1]})" if holder else "another part of this program"
    remedy = "Wait until its load has ended or end it, or name another store with --db"
    return StoreBusy(str(path), f"{who} holds the store, and waiting {waited:g} s did not help", remedy)


def _unusable(path: Path, fault: str) -> StoreError:
    if "version number" in fault or "newer version" in fault:
        remedy = "Update runningtab and duckdb, or name another file with --db"
        return StoreVersion(str(path), "the file was written by a newer DuckDB", remedy)
    if _FULL.search(fault):
        remedy = "Make room and give the command again; what was stored before is kept"
        return StoreError(str(path), "there is no room left on the disk", remedy)
    if _DAMAGED.search(fault):
        return StoreError(str(path), f"the file is damaged ({fault.splitlines()[0][:120]})", _rebuild(path))
    if "not a valid DuckDB" in fault:
        remedy = f"Name another file with --db, or, where it was a store, give its logs to: runningtab rebuild --db '{path}' PATH"
        return StoreError(str(path), "this is no DuckDB file", remedy)
    return _cannot_open(path, fault.splitlines()[0])


def _cannot_open(path: Path, fault: str) -> StoreError:
    return StoreError(str(path), f"it cannot be opened ({fault})", "Check the path and that you may write there")
