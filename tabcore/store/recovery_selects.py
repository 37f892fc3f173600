"""What masked recovery needs of a run, out of the store. Each function takes an open connection."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping

import duckdb

from tabcore.analyses.recovery_cases import Item, LogEntry, Material
from tabcore.analyses.value_facts import RunFacts
from tabcore.store import selects
from tabcore.store.texts import restored_rows
from tabcore.store.value_selects import delivered_keys, run_facts

Connection = duckdb.DuckDBPyConnection

Wanted = Callable[[Item, Mapping[str, tuple[str, ...]], frozenset[str]], bool]
"""Whether an item is asked for, by what is held and what is delivered."""


def materials(connection: Connection, runs: Collection[int] | None, wanted: Wanted) -> Iterable[tuple[int, Material]]:
    """Each of these runs (None: all) that delivered something and has an item that is wanted, with those items only.

    Excerpts are read for these runs alone.
    """
    facts = run_facts(connection, runs)
    items = _items(connection, facts)
    for number, run in facts.items():
        if not run.delivered or not items[number]:
            continue
        held, delivered = _held(connection, number), delivered_keys(connection, number)
        chosen = tuple(item for item in items[number] if wanted(item, held, delivered))
        if chosen:
            yield number, _material(connection, number, run, chosen, held, delivered)


def _items(connection: Connection, runs: Iterable[int]) -> Mapping[int, list[Item]]:
    numbers = ", ".join(map(str, runs)) or "NULL"
    found: dict[int, list[Item]] = defaultdict(list)
    query = (
        f"SELECT run, requirement, 'requirement', text, 0, rowid FROM requirements WHERE run IN ({numbers}) UNION ALL"
        f" SELECT run, rubric_id, 'rubric item', text, 1, rowid FROM rubrics WHERE run IN ({numbers}) ORDER BY 1, 5, 6"
    )
    for run, item_id, kind, text, *_ in restored_rows(connection.execute(query).fetchall()):
        found[run].append(Item(item_id, kind, text))
    return found


def _held(connection: Connection, number: int) -> Mapping[str, tuple[str, ...]]:
    """Which entries hold each key; the agent's own files hold nothing."""
    query = (
        "SELECT v.key, list(DISTINCT l.entry_id) FROM read_log l JOIN texts t ON t.digest = l.excerpt"
        " JOIN text_values v ON v.text = t.number WHERE l.run = ? AND NOT l.authored GROUP BY v.key"
    )
    return {key: tuple(entries) for key, entries in connection.execute(query, [number]).fetchall()}


def _material(
    connection: Connection,
    number: int,
    run: RunFacts,
    items: tuple[Item, ...],
    held: Mapping[str, tuple[str, ...]],
    delivered: frozenset[str],
) -> Material:
    tab = selects.timeline(connection, number).at(run.turns)
    texts = selects.excerpts(connection, tab.read_log.values())
    entries = tuple(LogEntry(entry, texts[entry.excerpt]) for entry in tab.read_log.values())
    return Material(run, tab.task, items, entries, tuple(tab.candidates.values()), held, delivered)
