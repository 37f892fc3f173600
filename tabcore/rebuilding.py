"""A store that is damaged or of another version -> one of this version, read again from its logs.

The old file is kept beside the new one. What persons and models said is carried over as far as it can be read; the new
store takes the old one's place only when it is whole.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa

from tabcore import ingest
from tabcore.discovery import read_bundle
from tabcore.errors import StoreError, UsageError
from tabcore.ingest import Progress
from tabcore.rerun import Db, open_store
from tabcore.rows import Loaded
from tabcore.store import salvage, writing
from tabcore.store.store import Store


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What became of a store: where the old file is, the rows of each table of facts that were carried over, the tables
    that could not be read, the logs that are gone, and what was read anew."""

    backup: str
    kept: Mapping[str, int]
    unreadable: tuple[str, ...]
    gone: tuple[str, ...]
    loaded: tuple[Loaded, ...]


def rebuild(db: Db, more: Iterable[str] = (), progress: Callable[[Progress], object] = lambda _: None) -> Rebuilt:
    """Build the store again from the logs that it names and from `more`. Raises StoreBusy where it is in use.

    Killed on the way it leaves the old store as it was.
    """
    old, named = open_store(db).path, tuple(more)
    if not old.exists():
        raise UsageError(str(old), "there is no store here", "Load logs into a new one: runningtab load PATH")
    try:
        with TemporaryDirectory(prefix=f".{old.name}-", dir=old.parent) as room:
            said, paths, unreadable = _read(old, Path(room))
            if "files" in unreadable and not named:
                fact = "which logs it held cannot be read of it"
                raise StoreError(str(old), fact, f"Name them: runningtab rebuild --db '{old}' PATH…")
            new = Store(Path(room, "rebuilt.duckdb"))
            with new.writing() as connection:
                kept = {name: _carry(connection, name, rows) for name, rows in said.items()}
            gone, places = _sorted(paths)
            loaded = ingest.load([*places, *named], new, progress)
            backup = _swap(old, new.path)
    except OSError as fault:
        reason = fault.strerror or str(fault)
        remedy = "Make room or rights there; the old store is as it was"
        raise StoreError(str(old.parent), f"the new store cannot be written ({reason})", remedy) from fault
    return Rebuilt(str(backup), kept, unreadable, gone, loaded)


def _read(old: Path, room: Path) -> tuple[dict[str, pa.Table], tuple[str, ...], tuple[str, ...]]:
    """The facts, the paths of the logs, and the names of what cannot be read."""
    found = dict(salvage.salvaged(old, (*salvage.SAID, "files"), room))
    files = found.pop("files")
    paths = tuple(files.column("path").to_pylist()) if files is not None and files.num_rows else ()
    unreadable = [name for name, rows in found.items() if rows is None] + (["files"] if files is None else [])
    return {name: rows for name, rows in found.items() if rows is not None}, paths, tuple(unreadable)


def _carry(connection: writing.Connection, name: str, rows: pa.Table) -> int:
    """Add the rows of an older table; columns that it has not are empty, those that are no more are left out."""
    if not rows.num_rows:
        return 0
    query = "SELECT column_name FROM duckdb_columns() WHERE table_name = ? AND database_name = current_database()"
    known = {column for (column,) in connection.execute(query, [name]).fetchall()}
    arriving = rows.select([column for column in rows.column_names if column in known])  # noqa: F841  found by its name
    connection.execute(f"INSERT INTO {name} BY NAME SELECT * FROM arriving")
    return int(rows.num_rows)


def _sorted(paths: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The logs that are gone, and what is to be loaded for the others."""
    gone: dict[str, None] = {}
    places: dict[str, None] = {}
    for path in paths:
        there = next(_outermost(path), None)
        (gone if there is None else places).setdefault(path if there is None else there)
    return tuple(gone), tuple(places)


def _outermost(path: str) -> Iterator[str]:
    """A log's run folder or the log itself, or the archive that it is in, where that is still there."""
    ends = [at for at, sign in enumerate(path) if sign == "!"]
    for file in (path, *(path[:end] for end in ends)):
        if Path(file).exists():
            folder = str(Path(file).parent)
            bundle = read_bundle(folder)
            yield folder if bundle and bundle.log and bundle.log.path == file else file


def _swap(old: Path, new: Path) -> Path:
    """The new store in the old one's place; at no moment is there none."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    backup = old.with_name(f"{old.name}.{stamp}.backup")
    os.link(old, backup)
    wal = old.with_name(f"{old.name}.wal")
    if wal.exists():
        wal.rename(backup.with_name(f"{backup.name}.wal"))
    new.replace(old)
    return backup
