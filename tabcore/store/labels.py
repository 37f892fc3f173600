"""Labels and notes, into the store and out of it: rows are added, never changed. Each function takes an open connection."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import duckdb

from tabcore.analyses.failure_types import named_type
from tabcore.analyses.labels import Label, Note
from tabcore.store.texts import restored_rows
from tabcore.store.texts import storable_values as words

Connection = duckdb.DuckDBPyConnection

_SAME_RUN = "r.key = s.key AND (r.digest = s.digest OR r.path = s.path)"


def add_labels(connection: Connection, labels: Iterable[tuple[int, Label]]) -> None:
    """Keep labels, each of the run with that number; each rubric's text is taken as it is now."""
    rows = []
    for number, one in labels:
        query = "SELECT text FROM rubrics WHERE run = ? AND rubric_id = ?"
        [text] = connection.execute(query, words([number, one.rubric_id])).fetchone() or [""]
        said = words([one.rubric_id, text, one.type or "", one.annotator, one.kind, one.time])
        rows.append((*_log(connection, number), *said, *words([one.note, one.evidence, one.version])))
    _append(connection, "labels", rows)


def labels(connection: Connection) -> tuple[Label, ...]:
    """Every label, in the order in which they were said; at one moment, in the order in which they were kept."""
    query = (
        "SELECT s.path, s.rubric, s.text, s.type, s.annotator, s.kind, s.time, s.note, s.evidence, s.version,"
        f" coalesce(r.run_id, ''), coalesce(b.text = s.text, false) FROM labels s LEFT JOIN runs r ON {_SAME_RUN}"
        " LEFT JOIN rubrics b ON b.run = r.number AND b.rubric_id = s.rubric ORDER BY s.time, s.rowid, r.number"
    )
    found = []
    for row in restored_rows(connection.execute(query).fetchall()):
        path, rubric, text, type_, who, kind, time, note, evidence, version, run_id, fits = row
        found.append(
            Label(run_id, rubric, named_type(type_), who, time, kind, note, evidence, version, text, path, fits)
        )
    return tuple(found)


def add_notes(connection: Connection, notes: Iterable[tuple[int, Note]]) -> None:
    """Keep notes, each on the run with that number."""
    rows = [
        (
            *_log(connection, number),
            *words([one.turn, one.rubric_id, one.requirement, one.value, one.text, one.who, one.time]),
        )
        for number, one in notes
    ]
    _append(connection, "notes", rows)


def notes(connection: Connection) -> tuple[Note, ...]:
    """Every note, in order."""
    query = (
        "SELECT coalesce(r.run_id, ''), s.text, s.who, s.time, s.turn, s.rubric, s.requirement, s.value, s.path"
        f" FROM notes s LEFT JOIN runs r ON {_SAME_RUN} ORDER BY s.time, s.rowid, r.number"
    )
    return tuple(Note(*row) for row in restored_rows(connection.execute(query).fetchall()))


def rubric_states(connection: Connection, number: int) -> dict[str, str]:
    """For each rubric of a run "passed", "failed", "not evaluated" or "judge failed"."""
    query = (
        "SELECT b.rubric_id, CASE WHEN v.judge_failed THEN 'judge failed' WHEN v.passed IS NULL THEN 'not evaluated'"
        " WHEN v.passed THEN 'passed' ELSE 'failed' END FROM rubrics b LEFT JOIN verdicts v USING (run, rubric_id)"
        " WHERE b.run = ? ORDER BY b.rowid"
    )
    return dict(restored_rows(connection.execute(query, [number]).fetchall()))


def record_stamp(connection: Connection) -> tuple[int, ...]:
    """What changes when runs come, go or are derived again, and not when somebody labels or asks a model."""
    tables = ("runs", "decision_corrections", "corrections", "texts")
    counts = ", ".join(f"(SELECT count(*) FROM {name})" for name in tables)
    [row] = connection.execute(f"SELECT {counts}, (SELECT coalesce(max(number), 0) FROM runs)").fetchall()
    return tuple(row)


def runs_named(connection: Connection, name: str) -> list[int]:
    """The numbers of the main runs of logs whose path ends with a name, or whose folder has it."""
    query = (
        "SELECT number FROM runs WHERE parent_key IS NULL AND"
        " (path = $1 OR ends_with(path, '/' || $1) OR contains(path, '/' || $1 || '/')) ORDER BY number"
    )
    return [number for (number,) in connection.execute(query, words([name])).fetchall()] if name else []


def _log(connection: Connection, number: int) -> tuple[Any, ...]:
    """Path, digest and key, as they are stored, by which a run is known again."""
    [row] = connection.execute("SELECT path, digest, key FROM runs WHERE number = ?", [number]).fetchall()
    return tuple(row)


def _append(connection: Connection, table: str, rows: list[tuple[Any, ...]]) -> None:
    if rows:
        from tabcore.store.writing import append  # who only reads starts without what writing needs

        query = "SELECT column_name FROM duckdb_columns() WHERE table_name = ? AND database_name = current_database()"
        names = [name for (name,) in connection.execute(f"{query} ORDER BY column_index", [table]).fetchall()]
        append(connection, table, dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
