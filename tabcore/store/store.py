"""The DuckDB file: opened, made, locked, refused. Inside, `writing.py` writes and `selects.py` reads.

One process may write a DuckDB file, or many may read it, and a reader keeps a writer out. So nobody holds a store
for longer than one transaction or one look; whoever finds it taken waits for a bounded time.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files as package_files
from pathlib import Path

import duckdb

from tabcore.errors import StoreBusy, StoreError, StoreVersion

VERSION = 1
"""The version of schema.sql. A store of any other version is refused."""

WAIT = 10.0
"""Seconds to wait for a store that another process holds."""

_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "memory_limit": "512MB",
}
_HOLDER = re.compile(r"held in (.+?) \(PID (\d+)\)")
_BUSY = re.compile(r"Could not set lock|Conflicting lock|different configuration|being used by another process")
_PAUSE = 0.05


class Store:
    """A store by its path. `wait` is how many seconds to wait while another process holds it."""

    def __init__(self, path: str | Path, wait: float = WAIT) -> None:
        self.path = Path(path).expanduser()
        self.wait = wait

    @contextmanager
    def reading(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A read-only connection, closed afterwards. A store that does not exist yet reads as an empty one."""
        if not self.path.exists():
            with duckdb.connect(":memory:") as empty:
                _make(empty)
                yield empty
            return
        with self._connect(read_only=True) as connection:
            self._check_version(connection)
            yield connection

    @contextmanager
    def writing(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection inside one transaction, which an exception takes back. The store is made when it is not there.

        Whatever is created meanwhile is the owner's only: the file, its write-ahead log, a folder made for it.
        """
        before = os.umask(0o077)
        try:
            self._make_folder()
            with self._connect(read_only=False) as connection:
                self.path.chmod(0o600)
                connection.execute("BEGIN")
                try:
                    self._make_or_check(connection)
                    yield connection
                except BaseException:
                    connection.execute("ROLLBACK")
                    raise
                connection.execute("COMMIT")
        finally:
            os.umask(before)

    def _make_folder(self) -> None:
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as fault:
            raise _cannot_open(self.path, str(fault.strerror)) from fault

    def _make_or_check(self, connection: duckdb.DuckDBPyConnection) -> None:
        if connection.execute("SELECT count(*) FROM duckdb_tables()").fetchone() == (0,):
            _make(connection)
        self._check_version(connection)

    def _connect(self, *, read_only: bool) -> duckdb.DuckDBPyConnection:
        deadline = time.monotonic() + self.wait
        while True:
            try:
                connection = duckdb.connect(str(self.path), read_only=read_only, config=_SETTINGS)
                connection.execute("SET enable_progress_bar = false")
                return connection
            except (duckdb.IOException, duckdb.ConnectionException) as fault:
                if not _BUSY.search(str(fault)):
                    raise _unusable(self.path, str(fault)) from fault
                if time.monotonic() >= deadline:
                    raise _busy(self.path, str(fault), self.wait) from fault
            except duckdb.Error as fault:
                raise _unusable(self.path, str(fault)) from fault
            time.sleep(_PAUSE)

    def _check_version(self, connection: duckdb.DuckDBPyConnection) -> None:
        try:
            found = connection.execute("SELECT version, program FROM meta").fetchone()
        except duckdb.CatalogException as fault:
            raise StoreError(
                str(self.path), "this DuckDB file is no store of runningtab", "Name another file with --db"
            ) from fault
        version, program = found or (0, "an unknown program")
        if version > VERSION:
            remedy = "Update runningtab, or name another file with --db and load the logs into it"
            raise StoreVersion(
                str(self.path), f"version {version}, written by {program}; this one knows {VERSION}", remedy
            )
        if version < VERSION:
            remedy = "Move it away, or name another file with --db, and load the logs again"
            raise StoreVersion(str(self.path), f"version {version}, from before this program's {VERSION}", remedy)


def _make(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute(package_files("tabcore.store").joinpath("schema.sql").read_text("utf-8"))
    connection.execute("INSERT INTO meta VALUES (?, 'runningtab')", [VERSION])


def _busy(path: Path, fault: str, waited: float) -> StoreBusy:
    holder = _HOLDER.search(fault)
    who = f"process {holder[2]} ({holder[1]})" if holder else "another part of this program"
    return StoreBusy(
        str(path),
        f"{who} holds the store, and waiting {waited:g} s did not help",
        "Wait until its load has ended or end it, or name another store with --db",
    )


def _unusable(path: Path, fault: str) -> StoreError:
    if "version number" in fault or "newer version" in fault:
        remedy = "Update runningtab and duckdb, or name another file with --db"
        return StoreVersion(str(path), "the file was written by a newer DuckDB", remedy)
    if "not a valid DuckDB" in fault:
        return StoreError(str(path), "this is no DuckDB file", "Name another file with --db, or move this one away")
    return _cannot_open(path, fault.splitlines()[0])


def _cannot_open(path: Path, fault: str) -> StoreError:
    return StoreError(str(path), f"it cannot be opened ({fault})", "Check the path and that you may write there")
