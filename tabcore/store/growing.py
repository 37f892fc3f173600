"""A growing log's rows: what is complete is added once, what was still open is replaced. Inside the caller's transaction.

A run's id is a hash of its log's content and changes with each growth; every earlier id stays an alias of the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

from tabcore.store.columns import COLUMNS, Tables
from tabcore.store.records import FileRecord
from tabcore.store.text_writing import WITH_TEXTS, insert_texts
from tabcore.store.texts import storable
from tabcore.store.texts import storable_values as words
from tabcore.store.writing import Connection, append, drop, enter_files, let_go, run_row, sweep

BY_TURN = tuple(
    name
    for name, columns in COLUMNS.items()
    if "abandoned" in columns or name in ("status_lines", "decisions", "differences", "overruled")
)
"""The tables whose rows come with their turn and stay; all others of a run are told whole at its end."""

_WHOLE = tuple(name for name in COLUMNS if name not in BY_TURN and name not in WITH_TEXTS)

Grown = Literal["stored", "same content", "changed elsewhere"]


@dataclass(frozen=True, slots=True)
class Growth:
    """A log as the store is to hold it. Numbers of runs are those in the tables.

    `closed` are rows of turns that are complete, `open` those that the next growth replaces. `written` says for each
    run up to which turn, and how many abandoned ones, complete rows are stored already. `before` is the digest under
    which they are stored, "" when nothing of the log was stored by its follower. `written` of a run without complete
    turns is -1.
    """

    file: FileRecord
    closed: tuple[Tables, ...]
    open: Tables
    written: Mapping[int, tuple[int, int]]
    before: str


def grow(connection: Connection, growth: Growth, *, known: str = "") -> Grown:
    """Store a growth; says so when nothing was done: "same content" stands at another path, or somebody else has
    stored or deleted the log meanwhile ("changed elsewhere").

    `known` is the digest of stored content that the log begins with: its runs go on under their numbers.
    """
    path, digest = storable(growth.file.state.path), growth.file.digest
    if connection.execute("SELECT 1 FROM runs WHERE digest = ? AND path <> ? LIMIT 1", [digest, path]).fetchone():
        return "same content"
    row = connection.execute("SELECT digest FROM files WHERE path = ?", [path]).fetchone()
    stored = row[0] if row else ""
    if growth.before and stored != growth.before:
        return "changed elsewhere"
    begun = growth.before or (known if stored == known and not _lies_elsewhere(connection, stored, path) else "")
    runs = _runs(connection, path, begun) if begun else {}
    enter_files(connection, [growth.file])
    if stored and not begun and stored != digest:
        let_go(connection, {stored})
    elif stored and not begun:
        drop(connection, [number for number, _ in _runs(connection, path, stored).values()])
    _rewrite(connection, growth, runs)
    return "stored"


def move(connection: Connection, old: str, new: str) -> None:
    """A log has another name now; what was stored under the new name before is let go."""
    before = connection.execute("SELECT digest FROM files WHERE path = ?", words([new])).fetchone()
    for table, column in (("files", "path"), ("problems", "source"), ("followed", "path")):
        connection.execute(f"DELETE FROM {table} WHERE {column} = ?", words([new]))
    if before:
        let_go(connection, {before[0]})
    for table, column in _PATHS:
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", words([new, old]))


_PATHS = (
    *(("files", "path"), ("problems", "source"), ("runs", "path"), ("followed", "path")),
    *(("corrections", "path"), ("decision_corrections", "path")),
)


def tidy(connection: Connection) -> None:
    """Drop the texts of turns that were open once and came out otherwise."""
    sweep(connection)


def _lies_elsewhere(connection: Connection, digest: str, path: str) -> bool:
    found = connection.execute("SELECT 1 FROM files WHERE digest = ? AND path <> ? LIMIT 1", [digest, path])
    return found.fetchone() is not None


def _runs(connection: Connection, path: str, digest: str) -> dict[str, tuple[int, str]]:
    query = "SELECT key, number, run_id FROM runs WHERE path = ? AND digest = ?"
    return {key: (number, run_id) for key, number, run_id in connection.execute(query, [path, digest]).fetchall()}


def _rewrite(connection: Connection, growth: Growth, stored: Mapping[str, tuple[int, str]]) -> None:
    """The rows of all runs of the log; those that it no longer has are dropped."""
    [(free,)] = connection.execute("SELECT coalesce(max(number), 0) + 1 FROM runs").fetchall()
    numbers: dict[int, int] = {}
    for run in growth.file.runs:
        key = storable(run.key)
        if key in stored:
            numbers[run.number] = stored[key][0]
        else:
            numbers[run.number], free = free, free + 1
    kept = set(numbers.values())
    drop(connection, [number for number, _ in stored.values() if number not in kept])
    for number in numbers:
        _cut(connection, numbers[number], *growth.written.get(number, (-1, 0)))
    for tables in (*growth.closed, growth.open):
        insert_texts(connection, tables)
        for name, table in tables.items():
            if name not in WITH_TEXTS:
                _insert(connection, name, table, numbers)
    _enter(connection, growth.file, numbers, stored)


def _cut(connection: Connection, number: int, turn: int, abandoned: int) -> None:
    """Takes out the rows of what was still open."""
    for name in BY_TURN:
        where = "run = $1 AND turn > $2"
        values = [number, turn]
        if "abandoned" in COLUMNS[name]:
            where = "run = $1 AND ((abandoned = 0 AND turn > $2) OR abandoned > $3)"
            values = [number, turn, abandoned]
        if name == "messages":
            where = f"run = $1 AND after_last OR {where}"
        connection.execute(f"DELETE FROM {name} WHERE {where}", values)
    for name in _WHOLE:
        connection.execute(f"DELETE FROM {name} WHERE run = ?", [number])


def _insert(connection: Connection, name: str, arriving: pa.Table, numbers: Mapping[int, int]) -> None:
    columns = ", ".join(f'"{column}"' for column in COLUMNS[name])
    of_run = [numbers.get(number, 0) for number in range(max(numbers) + 1)]
    select = "SELECT * REPLACE (list_extract($1, run + 1)::INTEGER AS run) FROM arriving"
    connection.execute(f"INSERT INTO {name} ({columns}) {select}", [of_run])


def _enter(
    connection: Connection, file: FileRecord, numbers: Mapping[int, int], stored: Mapping[str, tuple[int, str]]
) -> None:
    """The runs as they are listed, and their earlier ids."""
    rows = [run_row(file, run, 0) | {"number": numbers[run.number]} for run in file.runs]
    connection.execute("DELETE FROM runs WHERE list_contains(?, number)", [list(numbers.values())])
    if rows:
        append(connection, "runs", {name: words([row[name] for row in rows]) for name in rows[0]})
    new = {storable(run.run_id) for run in file.runs}
    aliases = [
        [run_id, number] for number, run_id in stored.values() if number in numbers.values() and run_id not in new
    ]
    connection.execute("DELETE FROM run_aliases WHERE list_contains(?, run_id)", [[*new, *(a[0] for a in aliases)]])
    if aliases:
        connection.executemany("INSERT INTO run_aliases VALUES (?, ?)", aliases)


def note_followed(connection: Connection, path: str, grown: float, quiet: float, ended: str = "") -> None:
    """Say of a log when it grew last, and whether it is still followed. Fields as in `Followed`."""
    connection.execute("DELETE FROM followed WHERE path = ?", words([path]))
    connection.execute("INSERT INTO followed VALUES (?, ?, ?, ?)", [*words([path]), grown, quiet, *words([ended])])
