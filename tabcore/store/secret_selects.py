"""The secrets that a load found, out of the store: how many, and what they are, so that they can be masked."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

import duckdb

from tabcore.redaction import Known
from tabcore.store.selects import texts

Connection = duckdb.DuckDBPyConnection


def of_run(connection: Connection, number: int) -> tuple[Known, ...]:
    """The secrets of one run."""
    return _known(connection, "run = ?", number)


def of_numbers(connection: Connection, numbers: Sequence[int]) -> tuple[Known, ...]:
    """The secrets of several runs."""
    return _known(connection, "list_contains(?, run)", list(numbers))


def of_log(connection: Connection, path: str) -> tuple[Known, ...]:
    """The secrets of all runs of one log."""
    return _known(connection, "run IN (SELECT number FROM runs WHERE path = ?)", path)


def of_all(connection: Connection) -> tuple[Known, ...]:
    """Every secret in the store."""
    return _known(connection, "?", True)


def of_runs(connection: Connection, runs: Sequence[str]) -> int:
    """In how many places of these runs, by their ids, a secret stands."""
    query = (
        "SELECT count(*) FROM (SELECT DISTINCT run, text, start FROM secrets"
        " WHERE run IN (SELECT number FROM runs WHERE list_contains(?, run_id)))"
    )
    [(count,)] = connection.execute(query, [list(runs)]).fetchall()
    return int(count)


def _known(connection: Connection, where: str, value: str | int | bool | list[int]) -> tuple[Known, ...]:
    query = f'SELECT DISTINCT text, start, "end", kind FROM secrets WHERE {where} ORDER BY ALL'
    places: list[tuple[uuid.UUID, int, int, str]] = connection.execute(query, [value]).fetchall()
    found = texts(connection, [text for text, *_ in places])
    known = (Known(kind, found[text][start:end]) for text, start, end, kind in places if text in found)
    return tuple(dict.fromkeys(known))
