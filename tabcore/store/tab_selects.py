"""What stands in the tabs of runs, out of the store, for the tables that count it. Takes an open connection."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

import duckdb

from tabcore.analyses.paper import method_named
from tabcore.analyses.tab_facts import Opened, Resolution, Reviewed, TabRun
from tabcore.store.score_selects import chosen
from tabcore.store.selects import texts
from tabcore.store.texts import restored_rows
from tabcore.tab.switches import parts_of

Connection = duckdb.DuckDBPyConnection
_Rows = Mapping[int, list[tuple[Any, ...]]]


def tab_runs(connection: Connection, runs: Collection[int] | None = None) -> Iterator[TabRun]:
    """These runs (None: all) one by one; the excerpts of one run's reviews are held at a time."""
    query = (
        "SELECT number, run_id, coalesce(model, ''), coalesce(method, ''), recorded_tab, simulated IS NOT NULL,"
        f" candidates FROM runs WHERE {chosen(runs)} ORDER BY number"
    )
    tables = _tables(connection, f"run IN (SELECT number FROM runs WHERE {chosen(runs)})")
    for number, run_id, model, method, recorded, simulated, left in restored_rows(connection.execute(query).fetchall()):
        run = TabRun(run_id, model, method_named(method), recorded, simulated, candidates=left)
        yield _filled(connection, run, number, tables)


_QUERIES = {
    "requirements": "SELECT run, turn, call FROM requirements WHERE {of} ORDER BY rowid",
    "resolutions": "SELECT run, turn, call, requirement, status, entry FROM resolutions WHERE {of} ORDER BY rowid",
    "reviews": (
        "SELECT v.run, v.turn, v.call, v.requirement, q.text, v.entries, v.candidates FROM reviews v JOIN requirements q USING (run, requirement) WHERE v.{of} ORDER BY v.rowid"
    ),
    "excerpts": (
        "SELECT DISTINCT l.run, l.entry_id, l.excerpt FROM read_log l JOIN"
        " (SELECT run, unnest(entries) AS entry_id FROM reviews WHERE {of}) USING (run, entry_id)"
    ),
    "consulted": "SELECT run, turn, call, kind FROM consultations WHERE {of} ORDER BY rowid",
    "operations": "SELECT run, turn, call FROM calls WHERE {of} AND abandoned = 0 AND operation <> '' ORDER BY rowid",
    "checks": "SELECT run, min(turn) FROM finish_checks WHERE {of} GROUP BY run",
    "written": "SELECT run, max(written_turn) FROM deliverables WHERE {of} AND source <> 'answer' GROUP BY run",
    "opened": (
        "SELECT run, path, listed_turn, listed_call, left_turn, left_call FROM candidates"
        " WHERE {of} AND left_by = 'read' ORDER BY rowid"
    ),
    "log": (
        "SELECT run, sum(entries)::INTEGER, any_value(files), sum(chars)::BIGINT FROM"
        " (SELECT run, count(*) AS entries, max(chars) AS chars FROM read_log WHERE {of} GROUP BY run, turn, call)"
        " JOIN (SELECT run, count(DISTINCT path)::INTEGER AS files FROM read_log WHERE {of} GROUP BY run) USING (run)"
        " GROUP BY run"
    ),
}


def _tables(connection: Connection, of: str) -> dict[str, _Rows]:
    found: dict[str, _Rows] = {}
    for name, query in _QUERIES.items():
        rows: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
        for run, *rest in restored_rows(connection.execute(query.format(of=of)).fetchall()):
            rows[run].append(tuple(rest))
        found[name] = rows
    return found


def _filled(connection: Connection, run: TabRun, number: int, tables: Mapping[str, _Rows]) -> TabRun:
    own = {name: rows.get(number, []) for name, rows in tables.items()}
    [(entries, files, chars)] = own["log"] or [(0, 0, 0)]
    run = replace(
        run,
        check=own["checks"][0][0] if own["checks"] else None,
        written=own["written"][0][0] if own["written"] else None,
        entries=entries,
        files=files,
        excerpted=chars,
        opened=tuple(Opened(path, (t, c), (u, d)) for path, t, c, u, d in own["opened"]),
    )
    return _with_operations(connection, run, own) if run.recorded else run


def _with_operations(connection: Connection, run: TabRun, own: Mapping[str, list[tuple[Any, ...]]]) -> TabRun:
    """What the agent did with its tab, which only a run recorded with one has; a list without matches is no review."""
    known = texts(connection, (name for _, name in own["excerpts"]))
    excerpts = {entry: known[name] for entry, name in own["excerpts"]}
    return replace(
        run,
        requirements=tuple((turn, call) for turn, call in own["requirements"]),
        resolutions=tuple(Resolution((turn, call), *rest) for turn, call, *rest in own["resolutions"]),
        reviews=tuple(_reviewed(row, excerpts) for row in own["reviews"] if parts_of(run.method).review),
        consulted=tuple(((turn, call), kind) for turn, call, kind in own["consulted"]),
        operations=tuple((turn, call) for turn, call in own["operations"]),
    )


def _reviewed(row: tuple[Any, ...], excerpts: Mapping[str, str]) -> Reviewed:
    turn, call, requirement, text, entries, candidates = row
    shown = tuple(excerpts[entry] for entry in entries if entry in excerpts)
    return Reviewed((turn, call), requirement, text, tuple(entries), shown, tuple(candidates))
