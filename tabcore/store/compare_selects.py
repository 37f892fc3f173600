"""One run as a comparison sees it, out of the store. Takes an open connection."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import duckdb

from tabcore.analyses.run_comparison import (
    DeliveredNumber,
    DeliveredText,
    FileUse,
    Judged,
    OneRun,
    Required,
    SeenNumber,
)
from tabcore.store.score_selects import RECEIVED
from tabcore.store.selects import spans_of, texts
from tabcore.store.texts import restored_rows
from tabcore.text.value_rules import DEFAULT, is_distinctive_key

Connection = duckdb.DuckDBPyConnection

_FILES = (
    "SELECT path, min(turn) FILTER (kind = 'read'), min(turn) FILTER (kind = 'authored'),"
    " count(*) FILTER (kind = 'read') FROM (SELECT turn, kind, unnest(paths) AS path FROM decisions"
    " WHERE run = $1 AND kind IN ('read', 'authored')) GROUP BY path ORDER BY min(turn), path"
)
_REQUIREMENTS = (
    "SELECT q.requirement, q.text, coalesce(s.status, 'open'), q.turn FROM requirements q"
    " LEFT JOIN (SELECT requirement, arg_max(status, rowid) AS status FROM resolutions WHERE run = $1"
    " GROUP BY requirement) s USING (requirement) WHERE q.run = $1 ORDER BY q.rowid"
)
_RUBRICS = (
    "SELECT b.rubric_id, b.text, v.passed FROM rubrics b LEFT JOIN verdicts v USING (run, rubric_id)"
    " WHERE b.run = $1 ORDER BY b.rowid"
)
_NUMBERS = (
    'SELECT v.key, v.kind, d.path, d.text, v.start, v."end" FROM deliverables d JOIN texts t ON t.digest = d.text'
    " JOIN text_values v ON v.text = t.number WHERE d.run = $1 ORDER BY d.rowid, v.start"
)
_COUNTS = (
    f"SELECT r.turns, r.calls, (SELECT own FROM ({RECEIVED}) WHERE run = $1), r.files_read, r.candidates,"
    " (SELECT max(turn) FROM read_log WHERE run = $1 AND NOT authored),"
    " (SELECT min(turn) FROM decisions WHERE run = $1 AND kind = 'authored'),"
    " (SELECT max(written_turn) FROM deliverables WHERE run = $1),"
    " (SELECT min(turn) FROM finish_checks WHERE run = $1),"
    " (SELECT sum(tokens_in) FROM turns WHERE run = $1 AND has_usage),"
    " (SELECT sum(tokens_out) FROM turns WHERE run = $1 AND has_usage),"
    " (SELECT sum(cost) FROM turns WHERE run = $1 AND has_usage),"
    " (SELECT count(*) FROM calls WHERE run = $1 AND abandoned = 0 AND operation <> '')"
    " FROM runs r WHERE r.number = $1"
)
COUNTED = (
    "turns",
    "calls",
    "characters received",
    "files read",
    "candidates never opened",
    "last read at turn",
    "first written at turn",
    "last written at turn",
    "finish check at turn",
    "tokens in",
    "tokens out",
    "cost",
    "calls to the tab",
)


def one_run(connection: Connection, number: int, run_id: str) -> OneRun:
    """All that is compared of a run; values in the order of the deliverable, each at its first place."""

    def rows(query: str) -> list[tuple[Any, ...]]:
        return restored_rows(connection.execute(query, [number]).fetchall())

    delivered = rows("SELECT path, text, written_turn FROM deliverables WHERE run = $1 ORDER BY rowid")
    known = texts(connection, (name for _, name, _ in delivered))
    numbers: dict[str, DeliveredNumber] = {}
    for key, kind, path, name, start, end in rows(_NUMBERS):
        if kind != "date":
            told = is_distinctive_key(key, kind, DEFAULT)
            numbers.setdefault(key, DeliveredNumber(key, known[name][start:end], path, start, told))
    [counts] = rows(_COUNTS)
    return OneRun(
        run_id,
        tuple(FileUse(*row) for row in rows(_FILES)),
        tuple(Required(*row) for row in rows(_REQUIREMENTS)),
        tuple(DeliveredText(path, None if name is None else known[name], turn) for path, name, turn in delivered),
        tuple(numbers.values()),
        tuple(Judged(*row) for row in rows(_RUBRICS)),
        tuple(zip(COUNTED, counts, strict=True)),
    )


_SEEN = (
    'SELECT v.key, o.turn, coalesce(c.call, -1), v.start, v."end", o.spans FROM observations o'
    " JOIN texts t ON t.digest = o.text JOIN text_values v ON v.text = t.number LEFT JOIN calls c"
    " ON c.run = o.run AND c.turn = o.turn AND c.call_id = o.call_id AND c.abandoned = 0 AND o.call_id <> ''"
    " WHERE o.run = ? AND o.abandoned = 0 AND coalesce(c.operation, '') = '' AND v.key IN (SELECT unnest(?))"
    " ORDER BY o.turn, o.rowid, v.start"
)


def seen_numbers(connection: Connection, number: int, keys: Collection[str]) -> tuple[SeenNumber, ...]:
    """Where each of these values was first shown to the agent, outside what the tab injected or answered."""
    found: dict[str, SeenNumber] = {}
    for key, turn, call, start, end, spans in connection.execute(_SEEN, [number, list(keys)]).fetchall():
        injected = (span for span in spans_of(spans) if span.origin == "tab")
        if key not in found and not any(span.start <= start < span.end for span in injected):
            found[key] = SeenNumber(key, turn, call, start, end)
    return tuple(found.values())
