"""What persons said of runs, into the store and out of it. Each function takes an open connection."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import duckdb

from tabcore.capture.patterns import relative
from tabcore.rows import CorrectionRow, CorrectionState
from tabcore.store.records import Correction, Corrections, StoredRun
from tabcore.store.texts import restored_rows
from tabcore.store.texts import storable_values as words
from tabcore.tab.corrections import DecisionCorrection

Connection = duckdb.DuckDBPyConnection

_DECISION = "turn, call, file, kind, who, time, command"
_OF_RUN = "key = ? AND (path = ? OR digest = ?)"


def by_path(connection: Connection) -> dict[str, dict[str, Corrections]]:
    """Everything that was said, by the log's path and the run's key."""
    said: dict[str, dict[str, Corrections]] = defaultdict(dict)
    for path, key, root, task in _rows(connection, "SELECT path, key, root, task FROM corrections"):
        said[path][key] = Corrections(Correction(root, task))
    decisions: dict[tuple[str, str], list[DecisionCorrection]] = defaultdict(list)
    for path, key, *decision in _rows(
        connection, f"SELECT path, key, {_DECISION} FROM decision_corrections ORDER BY time, rowid"
    ):
        decisions[path, key].append(DecisionCorrection(*decision))
    for (path, key), found in decisions.items():
        said[path][key] = replace(said[path].get(key, Corrections()), decisions=tuple(found))
    return said


def of_run(connection: Connection, run: StoredRun) -> Corrections:
    """Everything that was said of one run, at this path or of this content at another."""
    query = "SELECT root, task FROM corrections WHERE path = ? AND key = ?"
    [row, *_] = _rows(connection, query, words([run.path, run.key])) or [(None, None)]
    query = f"SELECT {_DECISION} FROM decision_corrections WHERE {_OF_RUN} ORDER BY time, rowid"
    found = _rows(connection, query, words([run.key, run.path, run.digest]))
    return Corrections(Correction(*row), tuple(DecisionCorrection(*decision) for decision in found))


def said_elsewhere(connection: Connection, paths: Sequence[str]) -> list[int]:
    """The numbers of those runs of logs whose content was corrected while it lay at another path."""
    query = (
        "SELECT DISTINCT r.number FROM runs r JOIN decision_corrections d ON d.key = r.key AND d.digest = r.digest"
        " WHERE d.path <> r.path AND list_contains(?, r.path) ORDER BY 1"
    )
    return [number for (number,) in connection.execute(query, [words(paths)]).fetchall()]


def correction_rows(connection: Connection, number: int) -> tuple[CorrectionRow, ...]:
    """Each correction of one run's decisions, oldest first, with what became of it."""
    [(path, key, digest, root)] = _rows(
        connection, "SELECT path, key, digest, root FROM runs WHERE number = ?", [number]
    )
    query = f"SELECT {_DECISION} FROM decision_corrections WHERE {_OF_RUN} ORDER BY time, rowid"
    found = [DecisionCorrection(*row) for row in _rows(connection, query, words([key, path, digest]))]
    said = _overruled(connection, number)
    latest = {(one.turn, one.call, one.path): one for one in found}

    def row(one: DecisionCorrection) -> CorrectionRow:
        shown = relative(root, one.path)
        here = said.get((one.turn, one.call, shown))
        state: CorrectionState = "counts" if here is not None or one.kind == "as captured" else "does not fit"
        if latest[one.turn, one.call, one.path] is not one:
            state = "replaced"
        return CorrectionRow(one.turn, one.call, shown, one.kind, one.who, one.when, one.command, state, here or "")

    return tuple(map(row, found))


def correct(connection: Connection, path: str, key: str, correction: Correction) -> None:
    """Keep what a person said of run `key` of a file, in the place of what was said before."""
    place = words([path, key])
    connection.execute("DELETE FROM corrections WHERE path = ? AND key = ?", place)
    if correction != Correction():
        values = [*place, *words([correction.root, correction.task])]
        connection.execute("INSERT INTO corrections VALUES (?, ?, ?, ?)", values)


def add_decision(connection: Connection, run: StoredRun, said: DecisionCorrection) -> None:
    """Keep one more correction of a decision; its path is absolute."""
    values = [run.path, run.digest, run.key, said.turn, said.call, said.command, said.path, said.kind, said.who]
    places = ", ".join("?" * (len(values) + 1))
    connection.execute(f"INSERT INTO decision_corrections VALUES ({places})", [*words(values), said.when])


def forget_decisions(connection: Connection, run: StoredRun) -> None:
    """Take out what was said of a run's decisions: only for a person who deletes the run with it."""
    connection.execute(f"DELETE FROM decision_corrections WHERE {_OF_RUN}", words([run.key, run.path, run.digest]))


def _overruled(connection: Connection, number: int) -> dict[tuple[int, int, str], str]:
    rows = _rows(connection, "SELECT turn, call, path, said FROM overruled WHERE run = ?", [number])
    return {(turn, call, path): said for turn, call, path, said in rows}


def _rows(connection: Connection, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
    return restored_rows(connection.execute(query, values).fetchall())
