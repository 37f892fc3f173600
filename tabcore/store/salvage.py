"""What can still be read of a store, whatever its version and state.

A damaged file can end the process that reads it. So `python -m tabcore.store.salvage FILE FOLDER TABLE…` reads the
tables, each into an Arrow file of the folder; where it ends before all are there, each of the others gets a process of
its own, and one table at most is lost.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import duckdb
import pyarrow as pa

from tabcore.errors import StoreBusy

SAID = ("corrections", "decision_corrections", "labels", "notes", "answers")
"""What persons and models said: it stands in no log."""
_VERSION = "meta"
_SECONDS = 300.0
_TAKEN = 4

Found = Mapping[str, pa.Table | None]
"""By table: its rows; none where that version had no such table, None where it cannot be read."""


def salvaged(path: Path, tables: Iterable[str], room: Path) -> Found:
    """The tables of a store; without its write-ahead log where it cannot be opened with it.

    Raises StoreBusy where another program holds the store. `room` is a folder for what is read on the way.
    """
    asked = (_VERSION, *tables)
    found = _read(path, asked, room / "first")
    if found[_VERSION] is None and path.with_name(f"{path.name}.wal").exists():
        copy = room / "without-log.duckdb"
        shutil.copyfile(path, copy)
        found = _read(copy, asked, room / "second")
    return {name: found[name] for name in asked[1:]}


def _read(path: Path, tables: tuple[str, ...], room: Path) -> dict[str, pa.Table | None]:
    room.mkdir()
    _ask(path, room, tables)
    for name in tables:
        if not (room / name).exists():
            _ask(path, room, (name,))
    return {name: _table(room / name) for name in tables}


def _ask(path: Path, room: Path, tables: tuple[str, ...]) -> None:
    command = [sys.executable, "-P", "-m", "tabcore.store.salvage", str(path), str(room), *tables]
    try:
        ended = subprocess.run(command, capture_output=True, timeout=_SECONDS).returncode
    except subprocess.TimeoutExpired:
        return
    if ended == _TAKEN:
        raise StoreBusy(str(path), "another program holds the store", "End it, then rebuild")


def _table(file: Path) -> pa.Table | None:
    try:
        return pa.ipc.open_file(file).read_all() if file.stat().st_size else pa.table({})
    except (OSError, pa.ArrowException):
        return None


def main(file: str, room: str, *tables: str) -> int:
    """Write the tables; an empty file stands for one that the store has not."""
    try:
        with duckdb.connect(file, read_only=True, config={"autoload_known_extensions": False}) as connection:
            for name in tables:
                _write(connection, name, Path(room, name))
    except duckdb.Error as fault:
        return _TAKEN if "Could not set lock" in str(fault) else 1
    return 0


def _write(connection: duckdb.DuckDBPyConnection, name: str, file: Path) -> None:
    try:
        found: pa.Table = connection.execute(f'SELECT * FROM "{name}" ORDER BY rowid').to_arrow_table()
    except duckdb.CatalogException:
        file.touch()
        return
    half = file.with_suffix(".half")
    with pa.ipc.new_file(half, found.schema) as stream:
        stream.write_table(found)
    half.replace(file)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
