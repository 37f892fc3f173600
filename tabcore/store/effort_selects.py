"""What runs took, out of the store. Takes an open connection."""

from __future__ import annotations

from collections.abc import Collection

import duckdb

from tabcore.analyses.effort import EffortRun
from tabcore.analyses.paper import method_named
from tabcore.store.score_selects import RECEIVED, chosen
from tabcore.store.texts import restored_rows

Connection = duckdb.DuckDBPyConnection

_NUMBERS = {
    "turns": "r.turns",
    "calls": "r.calls",
    "chars": "coalesce(o.own, 0)",
    "tab_calls": "coalesce(c.tab, 0)",
    "tab_chars": "coalesce(o.whole - o.own, 0) + coalesce(m.chars, 0)",
    "tokens_in": "nullif(t.tokens_in, 0)",
    "tokens_out": "nullif(t.tokens_out, 0)",
    "cost": "nullif(t.cost, 0)",
    "last_read": "l.turn",
    "first_write": "d.turn",
    "last_write": "d.last",
    "check": "f.turn",
}
_JOINS = {
    "c": "SELECT run, count(*) AS tab FROM calls WHERE abandoned = 0 AND operation <> '' GROUP BY run",
    "o": RECEIVED,
    "m": "SELECT run, sum(chars) AS chars FROM messages WHERE abandoned = 0 AND origin = 'tab' GROUP BY run",
    "t": (
        "SELECT run, sum(tokens_in) AS tokens_in, sum(tokens_out) AS tokens_out, sum(cost) AS cost FROM turns"
        " WHERE has_usage GROUP BY run"
    ),
    "l": "SELECT run, max(turn) AS turn FROM read_log WHERE NOT authored GROUP BY run",
    "d": "SELECT run, min(turn) AS turn, max(turn) AS last FROM decisions WHERE kind = 'authored' GROUP BY run",
    "f": "SELECT run, min(turn) AS turn FROM finish_checks GROUP BY run",
}


def effort_runs(connection: Connection, runs: Collection[int] | None = None) -> tuple[EffortRun, ...]:
    """These runs (None: all) with their numbers; tokens and cost of 0 are as good as not recorded."""
    joins = " ".join(f"LEFT JOIN ({query}) {name} ON {name}.run = r.number" for name, query in _JOINS.items())
    query = (
        "SELECT r.run_id, coalesce(r.model, ''), coalesce(r.method, ''), r.simulated IS NOT NULL,"
        f" {', '.join(f'({number})::DOUBLE' for number in _NUMBERS.values())} FROM runs r {joins}"
        f" WHERE {chosen(runs)} ORDER BY r.number"
    )
    return tuple(
        EffortRun(run_id, model, method_named(method), simulated, dict(zip(_NUMBERS, numbers, strict=True)))
        for run_id, model, method, simulated, *numbers in restored_rows(connection.execute(query).fetchall())
    )
