"""Values out of the store, joined to what showed, held and delivered them. Each function takes an open connection."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

import duckdb
import pyarrow as pa

from tabcore.analyses.left_out import HeldValue
from tabcore.analyses.value_facts import DeliveredAt, Expected, Held, RubricFacts, RunFacts, Shown, ValueFacts
from tabcore.store.selects import spans_of, texts
from tabcore.store.texts import restored, restored_rows, storable
from tabcore.text.marked_lines import marked_line

Connection = duckdb.DuckDBPyConnection

Accepted = Callable[[str, str], Collection[str]]
"""By a value's key and kind, the keys that count as equal to it; none where the value does not count."""

FEW = 200
"""Runs up to which the values of their texts are looked up, instead of all places of the keys."""


def value_facts(connection: Connection, runs: Collection[int] | None, accepted: Accepted) -> ValueFacts:
    """What is known of the values that the rubrics of these runs (None: of all) expect."""
    chosen = _chosen(runs)
    facts = _run_facts(connection, chosen)
    expected = tuple(one for one in _expected(connection, chosen) if accepted(one.key, one.kind))
    wanted = _wanted(expected, facts, accepted)  # noqa: F841  DuckDB finds it by its name
    connection.execute("CREATE OR REPLACE TEMP TABLE asked AS SELECT * FROM wanted")
    _find(connection, None if runs is None or len(runs) > FEW else runs)
    ids = {number: run.run_id for number, run in facts.items()}
    return ValueFacts(
        tuple(facts.values()),
        tuple(_rubrics(connection, chosen, ids)),
        expected,
        tuple(_shown(connection, ids)),
        tuple(_held(connection, ids)),
        tuple(_delivered(connection, ids)),
    )


def _find(connection: Connection, runs: Collection[int] | None) -> None:
    """The temporary table `hits`: the places of the keys that are asked for, in the texts of some runs or in all."""
    among = "text_values"
    if runs is not None:
        numbers = ", ".join(map(str, runs)) or "NULL"
        named = " UNION ".join(
            f"SELECT {column} FROM {table} WHERE run IN ({numbers})"
            for table, column in (("observations", "text"), ("read_log", "excerpt"), ("deliverables", "text"))
        )
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE named AS SELECT number FROM texts WHERE digest IN (SELECT * FROM ({named}))"
        )
        among = "(SELECT * FROM text_values WHERE text IN (SELECT number FROM named))"
    hits = f'SELECT v.text, v.key, v.start, v."end" FROM {among} v WHERE v.key IN (SELECT DISTINCT key FROM asked)'
    connection.execute(f"CREATE OR REPLACE TEMP TABLE hits AS {hits}")


def run_facts(connection: Connection, runs: Collection[int] | None) -> dict[int, RunFacts]:
    """What is known of these runs (None: of all), by their numbers."""
    return _run_facts(connection, _chosen(runs))


def _chosen(runs: Collection[int] | None) -> str:
    return "" if runs is None else f"WHERE number IN ({', '.join(map(str, runs)) or 'NULL'})"


def _wanted(expected: Iterable[Expected], runs: Mapping[int, RunFacts], accepted: Accepted) -> pa.Table:
    numbers = {run.run_id: number for number, run in runs.items()}
    rows = {(numbers[one.run_id], key, one.key) for one in expected for key in accepted(one.key, one.kind)}
    columns = zip(*rows, strict=True) if rows else ((), (), ())
    kinds = (pa.int32(), pa.string(), pa.string())
    arrays = [pa.array(list(column), kind) for column, kind in zip(columns, kinds, strict=True)]
    return pa.table(arrays, names=["run", "key", "expected"])


def _run_facts(connection: Connection, chosen: str) -> dict[int, RunFacts]:
    query = (
        "WITH d AS (SELECT run, any_value(source) AS source, max(written_turn) AS written,"
        " bool_or(text IS NOT NULL) AS known FROM deliverables GROUP BY run)"
        " SELECT number, run_id, coalesce(task_name, regexp_extract(trim(task), '^[^\\n]*'), ''), method, model, suite,"
        f" attempt, turns, simulated, coalesce(known, false), source, written FROM runs LEFT JOIN d ON d.run = number {chosen}"
        " ORDER BY number"
    )
    return {row[0]: RunFacts(*row[1:]) for row in restored_rows(connection.execute(query).fetchall())}


def _expected(connection: Connection, chosen: str) -> Iterable[Expected]:
    query = (
        "SELECT r.run_id, v.rubric_id, v.key, v.kind, v.start, v.end FROM rubric_values v"
        f" JOIN (SELECT number, run_id FROM runs {chosen}) r ON r.number = v.run ORDER BY v.run, v.rowid"
    )
    return (Expected(*row) for row in restored_rows(connection.execute(query).fetchall()))


def _rubrics(connection: Connection, chosen: str, ids: Mapping[int, str]) -> Iterable[RubricFacts]:
    query = (
        "SELECT b.run, b.rubric_id, b.text, v.passed, coalesce(v.judge_failed, false), coalesce(v.evidence, '')"
        " FROM rubrics b LEFT JOIN verdicts v USING (run, rubric_id)"
        f" WHERE b.run IN (SELECT number FROM runs {chosen}) ORDER BY b.run, b.rowid"
    )
    rows = restored_rows(connection.execute(query).fetchall())
    return (RubricFacts(ids[run], *rest) for run, *rest in rows)


def _shown(connection: Connection, ids: Mapping[int, str]) -> Iterable[Shown]:
    """Without what the tab injected or answered."""
    query = (
        "SELECT o.run, a.expected, o.turn, coalesce(c.call, -1), h.start, h.end, o.spans FROM hits h"
        " JOIN texts t ON t.number = h.text JOIN observations o ON o.text = t.digest AND o.abandoned = 0"
        " JOIN asked a ON a.run = o.run AND a.key = h.key LEFT JOIN calls c"
        " ON c.run = o.run AND c.turn = o.turn AND c.call_id = o.call_id AND c.abandoned = 0 AND o.call_id <> ''"
        " WHERE coalesce(c.operation, '') = '' ORDER BY o.run, o.turn, o.rowid, h.start"
    )
    for run, key, turn, call, start, end, spans in connection.execute(query).fetchall():
        if spans is None or not any(s.origin == "tab" and s.start <= start < s.end for s in spans_of(spans)):
            yield Shown(ids[run], key, turn, call, start, end)


def _held(connection: Connection, ids: Mapping[int, str]) -> Iterable[Held]:
    """In the read log as it was at the end; the agent's own files hold nothing."""
    query = (
        "WITH places AS (SELECT l.run, a.expected, l.rowid AS place, l.entry_id, l.path, l.turn, h.start, h.end"
        " FROM hits h JOIN texts t ON t.number = h.text JOIN read_log l ON l.excerpt = t.digest AND NOT l.authored"
        " JOIN asked a ON a.run = l.run AND a.key = h.key)"
        " SELECT run, expected, string_agg(DISTINCT entry_id, ' '), first(entry_id ORDER BY place, start),"
        " first(path ORDER BY place, start), first(turn ORDER BY place, start), first(start ORDER BY place, start),"
        ' first("end" ORDER BY place, start) FROM places GROUP BY run, expected ORDER BY run, min(place)'
    )
    for run, key, entries, first, path, turn, start, end in connection.execute(query).fetchall():
        yield Held(
            ids[run], key, tuple(sorted(entries.split(" "), key=_in_order)), first, restored(path), turn, start, end
        )


def _in_order(entry_id: str) -> tuple[int, str]:
    """L2 before L10."""
    return len(entry_id), entry_id


def _delivered(connection: Connection, ids: Mapping[int, str]) -> Iterable[DeliveredAt]:
    query = (
        "SELECT d.run, a.expected, d.path, h.start, h.end FROM hits h JOIN texts t ON t.number = h.text"
        " JOIN deliverables d ON d.text = t.digest JOIN asked a ON a.run = d.run AND a.key = h.key"
        " ORDER BY d.run, d.rowid, h.start"
    )
    for run, key, path, start, end in connection.execute(query).fetchall():
        yield DeliveredAt(ids[run], key, restored(path), start, end)


def observation_text(connection: Connection, number: int, place: Shown) -> str:
    """The text of the observation in which a place lies."""
    query = (
        "SELECT o.text FROM observations o LEFT JOIN calls c ON c.run = o.run AND c.turn = o.turn"
        " AND c.call_id = o.call_id AND c.abandoned = 0 AND o.call_id <> ''"
        " WHERE o.run = ? AND o.turn = ? AND o.abandoned = 0 AND coalesce(c.call, -1) = ? AND o.chars >= ? ORDER BY o.rowid"
    )
    found = connection.execute(query, [number, place.turn, place.call, place.end]).fetchone()
    return texts(connection, found)[found[0]] if found else ""


def delivered_text(connection: Connection, number: int, path: str) -> str:
    """The text of a delivered file, "" where none is known."""
    query = "SELECT text FROM deliverables WHERE run = ? AND path = ?"
    found = connection.execute(query, [number, storable(path)]).fetchone()
    return texts(connection, found)[found[0]] if found else ""


def result_lengths(connection: Connection, number: int) -> list[list[int]]:
    """For each turn of a run, from 1, the characters of its results."""
    [(turns,)] = connection.execute("SELECT turns FROM runs WHERE number = ?", [number]).fetchall()
    query = "SELECT turn, chars FROM observations WHERE run = ? AND abandoned = 0 ORDER BY turn, rowid"
    lengths: list[list[int]] = [[] for _ in range(turns)]
    for turn, chars in connection.execute(query, [number]).fetchall():
        if 0 < turn <= turns:
            lengths[turn - 1].append(chars)
    return lengths


def held_values(connection: Connection, number: int, counts: Callable[[str, str], bool]) -> tuple[HeldValue, ...]:
    """Each value, by key, that the read log of a run holds and that `counts` by key and kind, at its first place."""
    query = (
        'SELECT v.key, v.kind, arg_min((l.entry_id, l.path, l.turn, l.excerpt, v.start, v."end"), (l.rowid, v.start)) AS place'
        " FROM read_log l JOIN texts t ON t.digest = l.excerpt JOIN text_values v ON v.text = t.number"
        " WHERE l.run = ? AND NOT l.authored GROUP BY v.key, v.kind ORDER BY min(l.rowid), min(v.start), v.key"
    )
    rows = [row for row in connection.execute(query, [number]).fetchall() if counts(row[0], row[1])]
    excerpts = texts(connection, (place[3] for _, _, place in rows))
    return tuple(
        HeldValue(key, kind, entry, restored(path), turn, marked_line(excerpts[text], start, end), start, end)
        for key, kind, (entry, path, turn, text, start, end) in rows
    )


def delivered_keys(connection: Connection, number: int) -> frozenset[str]:
    """The keys of all values in the delivered texts of a run."""
    query = (
        "SELECT DISTINCT v.key FROM deliverables d JOIN texts t ON t.digest = d.text"
        " JOIN text_values v ON v.text = t.number WHERE d.run = ?"
    )
    return frozenset(key for (key,) in connection.execute(query, [number]).fetchall())


def asked_texts(connection: Connection, number: int) -> tuple[str, ...]:
    """The texts that say what a run is to deliver: its task and the requirements that the agent stated."""
    query = "SELECT task FROM runs WHERE number = $1 UNION ALL SELECT text FROM requirements WHERE run = $1"
    return tuple(restored(text) for (text,) in connection.execute(query, [number]).fetchall() if text)
