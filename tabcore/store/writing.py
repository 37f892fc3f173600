"""Into the store: runs added, replaced, deleted. Each function works inside the caller's transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields

import duckdb
import pyarrow as pa

from tabcore.errors import Problem
from tabcore.store.columns import COLUMNS, DERIVED, Tables
from tabcore.store.records import Chunk, FileRecord, FileState, KnownFile, RunRecord
from tabcore.store.text_writing import WITH_TEXTS, insert_texts, sweep_texts
from tabcore.store.texts import storable
from tabcore.store.texts import storable_values as words

Connection = duckdb.DuckDBPyConnection

TOGETHER = 32768
"""Rows of a table that go in together: an insertion costs a millisecond however few they are."""

_OWNED = tuple(name for name in COLUMNS if name not in WITH_TEXTS)
_NAMES_OF_TEXTS = (
    *("SELECT text FROM turns", "SELECT reasoning FROM turns", "SELECT text FROM messages"),
    *("SELECT arguments FROM calls", "SELECT text FROM observations", "SELECT excerpt FROM read_log"),
    *("SELECT text FROM deliverables", "SELECT pieces FROM deliverables"),
    "SELECT text FROM secrets",
)


def known_files(connection: Connection) -> dict[str, KnownFile]:
    """Every file that was loaded before, by path."""
    rows = connection.execute(
        "SELECT path, size, changed, beside, digest, tally,"
        " (SELECT coalesce(list(run_id ORDER BY number), []) FROM runs WHERE runs.digest = files.digest) FROM files"
    ).fetchall()
    return {
        path: KnownFile(FileState(path, size, changed, beside), digest, tally, tuple(runs))
        for path, size, changed, beside, digest, tally, runs in rows
    }


def add(connection: Connection, chunks: Iterable[Chunk]) -> dict[str, str]:
    """Store what a load has read; what became of each file ("loaded", "replaced", "same content", "skipped").

    A file that has changed takes the place of what it held before. A file whose content is stored already adds its
    path and nothing else.
    """
    (first,) = connection.execute("SELECT coalesce(max(number), 0) + 1 FROM runs").fetchall()[0]
    states: dict[str, str] = {}
    files: list[FileRecord] = []
    waiting: dict[str, list[pa.Table]] = {}
    for chunk in chunks:
        files += chunk.files
        insert_texts(connection, chunk.tables)
        for name in chunk.tables.keys() & _OWNED:
            together = waiting.setdefault(name, [])
            together.append(chunk.tables[name])
            if sum(part.num_rows for part in together) >= TOGETHER:
                _insert(connection, name, waiting.pop(name), first)
    for name, tables in waiting.items():
        _insert(connection, name, tables, first)
    dropped = _take_files(connection, files, first, states)
    _delete_rows(connection, [first + number for number in dropped])
    if not {"replaced", "same content"}.isdisjoint(states.values()):
        sweep(connection)
    return states


def enter_path(connection: Connection, state: FileState, digest: str) -> None:
    """A path whose content is stored already: a copy, or a file that was only touched."""
    values = words([state.path, state.size, state.changed, state.beside, digest])
    before = connection.execute("SELECT digest FROM files WHERE path = ?", values[:1]).fetchone()
    if before == (digest,):
        connection.execute(
            "UPDATE files SET size = ?, changed = ?, beside = ? WHERE path = ?", [*values[1:4], values[0]]
        )
        return
    same = "SELECT ?, ?, ?, ?, digest, format, tally FROM files WHERE digest = ? LIMIT 1"
    connection.execute(f"CREATE TEMP TABLE entered AS {same}", values)
    connection.execute("DELETE FROM files WHERE path = ?", values[:1])
    connection.execute("DELETE FROM problems WHERE source = ?", values[:1])
    connection.execute("INSERT INTO files SELECT * FROM entered")
    connection.execute("DROP TABLE entered")
    if before:
        let_go(connection, {before[0]})


def replace_tab(connection: Connection, number: int, record: RunRecord, tables: Tables) -> None:
    """A run's tab derived anew; the record stays as it is."""
    for name in DERIVED:
        connection.execute(f"DELETE FROM {name} WHERE run = ?", [number])
    insert_texts(connection, tables)
    for name in DERIVED:
        if name in tables:
            _insert(connection, name, [tables[name]], number)
    counts = _fields(record.counts)
    del counts["abandoned"]
    values = {**counts, **_fields(record.derivation)}
    assignments = ", ".join(f"{name} = ?" for name in values)
    connection.execute(f"UPDATE runs SET {assignments} WHERE number = ?", [*words(values.values()), number])
    sweep(connection)


def delete(connection: Connection, numbers: Sequence[int]) -> None:
    """Take runs out, and the files that held nothing else."""
    of_runs = "SELECT DISTINCT digest FROM runs WHERE list_contains(?, number)"
    digests = connection.execute(of_runs, [list(numbers)]).fetchall()
    drop(connection, numbers)
    for (digest,) in digests:
        gone = "SELECT path FROM files WHERE digest = $1 AND NOT EXISTS (SELECT 1 FROM runs WHERE digest = $1)"
        connection.execute(f"DELETE FROM problems WHERE source IN ({gone})", [digest])
        connection.execute(f"DELETE FROM files WHERE path IN ({gone})", [digest])
    sweep(connection)


def sweep(connection: Connection) -> None:
    """Drop the texts that no row names any more."""
    named = " UNION ALL ".join(_NAMES_OF_TEXTS)
    sweep_texts(connection, named)


def _take_files(
    connection: Connection, files: Sequence[FileRecord], first: int, states: dict[str, str]
) -> frozenset[int]:
    """Enter files and their runs; the numbers of the runs that are stored already and must not be added again."""
    if not files:
        return frozenset()
    stored = dict(connection.execute("SELECT DISTINCT digest, path FROM runs").fetchall())
    before = dict(connection.execute("SELECT path, digest FROM files").fetchall())
    dropped: set[int] = set()
    taken: set[str] = set()
    kept: list[FileRecord] = []
    for file in files:
        path = storable(file.state.path)
        if file.runs and (file.digest in taken or stored.get(file.digest, path) != path):
            dropped.update(run.number for run in file.runs)
            states[file.place] = "same content"
            continue
        kept.append(file)
        taken.add(file.digest)
        states[file.place] = ("replaced" if before.get(path) in stored else "loaded") if file.runs else "skipped"
    enter_files(connection, files)
    left = {digest for file in files if (digest := before.get(storable(file.state.path)))}
    let_go(connection, left - {file.digest for file in files})
    drop(connection, _numbers(connection, [file.digest for file in kept if file.digest in stored]))
    _enter_runs(connection, kept, first)
    return frozenset(dropped)


def _numbers(connection: Connection, digests: Sequence[str]) -> list[int]:
    found = connection.execute("SELECT number FROM runs WHERE list_contains(?, digest)", [digests])
    return [number for (number,) in found.fetchall()]


def enter_files(connection: Connection, files: Sequence[FileRecord]) -> None:
    """List files, each with its problems, in the place of what was said of them before."""
    paths = words([file.state.path for file in files])
    for table, column in (("files", "path"), ("problems", "source")):
        connection.execute(f"DELETE FROM {table} WHERE list_contains(?, {column})", [paths])
    states = [file.state for file in files]
    append(
        connection,
        "files",
        {
            "path": paths,
            "size": [state.size for state in states],
            "changed": [state.changed for state in states],
            "beside": words([state.beside for state in states]),
            "digest": [file.digest for file in files],
            "format": [file.format for file in files],
            "tally": [str(file.tally) if file.format else "" for file in files],
        },
    )
    rows = [(file.state.path, problem) for file in files for problem in file.problems]
    if rows:
        columns = [field.name for field in fields(Problem)]
        values = {name: [getattr(problem, name) for _, problem in rows] for name in columns}
        strings = {name: words(values[name]) for name in ("file", "kind", "what", "done")}
        append(connection, "problems", {"source": words([path for path, _ in rows]), **values, **strings})


def _enter_runs(connection: Connection, files: Sequence[FileRecord], first: int) -> None:
    rows = [run_row(file, run, first) for file in files for run in file.runs]
    if rows:
        append(connection, "runs", {name: words([row[name] for row in rows]) for name in rows[0]})


def run_row(file: FileRecord, run: RunRecord, first: int) -> dict[str, object]:
    """A run's row in `runs`, by column; `first` is added to its number."""
    header = _fields(run.header)
    header.pop("task")
    header.pop("root")
    task = run.header.task
    return {
        "number": first + run.number,
        "run_id": run.run_id,
        "key": run.key,
        "digest": file.digest,
        "path": file.state.path,
        **header,
        "stated_task": task.text if task else None,
        "stated_source": task.source if task else None,
        "stated_root": run.header.root,
        **_fields(run.counts),
        **_fields(run.derivation),
    }


def let_go(connection: Connection, digests: set[str]) -> None:
    """Runs whose content a file no longer has: they pass to another file with that content, or go."""
    for digest in digests:
        other = connection.execute("SELECT min(path) FROM files WHERE digest = ?", [digest]).fetchone()
        if other and other[0] is not None:
            connection.execute("UPDATE runs SET path = ? WHERE digest = ?", [other[0], digest])
        else:
            drop(connection, _numbers(connection, [digest]))


def drop(connection: Connection, numbers: Sequence[int]) -> None:
    """Take runs out, with all rows and earlier ids of theirs."""
    _delete_rows(connection, numbers)
    connection.execute("DELETE FROM runs WHERE list_contains(?, number)", [list(numbers)])
    connection.execute("DELETE FROM run_aliases WHERE list_contains(?, run)", [list(numbers)])


def _delete_rows(connection: Connection, numbers: Sequence[int]) -> None:
    for name in _OWNED if numbers else ():
        connection.execute(f"DELETE FROM {name} WHERE list_contains(?, run)", [list(numbers)])


def _insert(connection: Connection, name: str, tables: Sequence[pa.Table], first: int) -> None:
    """Rows of a load's tables. DuckDB finds `arriving` by its name here; a registered view would hold it to the end."""
    arriving = pa.concat_tables(tables)  # noqa: F841
    columns = ", ".join(f'"{column}"' for column in COLUMNS[name])
    select = f"SELECT * REPLACE (run + {first} AS run) FROM arriving"
    connection.execute(f"INSERT INTO {name} ({columns}) {select}")


def append(connection: Connection, name: str, columns: dict[str, list[object]]) -> None:
    """Add rows to a table, given by column."""
    arriving = pa.table(columns)  # noqa: F841  DuckDB finds it by its name
    connection.execute(f"INSERT INTO {name} BY NAME SELECT * FROM arriving")


def _fields(value: object) -> dict[str, object]:
    return {field.name: getattr(value, field.name) for field in fields(value)}  # type: ignore[arg-type]
