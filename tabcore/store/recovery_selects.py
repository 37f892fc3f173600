"""What masked recovery needs of a run, out of the store. Each function takes an open connection."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

import duckdb
import pyarrow as pa

from tabcore.analyses.recovery_cases import Item, LogEntry, Material
from tabcore.analyses.value_facts import RunFacts
from tabcore.store import selects
from tabcore.store.texts import restored_rows
from tabcore.store.value_selects import run_facts

Connection = duckdb.DuckDBPyConnection

Held = Mapping[str, tuple[str, ...]]
"""Which read-log entries of a run hold a key of the value index; the agent's own files hold nothing."""

Keys = Callable[[Item], frozenset[str]]
"""The keys that are asked for of an item."""
Wanted = Callable[[Item, Held, frozenset[str]], bool]
"""Whether an item is asked for, by what is held and what is delivered."""


def materials(
    connection: Connection, runs: Collection[int] | None, keys: Keys, wanted: Wanted
) -> Iterator[tuple[int, Material]]:
    """Each of these runs (None: all) that delivered something and has an item that is wanted, with those items only.

    Excerpts are read for these runs alone.
    """
    facts = {number: run for number, run in run_facts(connection, runs).items() if run.delivered}
    items = _items(connection, facts)
    _ask(connection, {(number, key) for number, some in items.items() for item in some for key in keys(item)})
    held, delivered = _held(connection), _delivered(connection)
    for number, run in facts.items():
        here, there = held.get(number, {}), frozenset(delivered[number])
        chosen = tuple(item for item in items[number] if wanted(item, here, there))
        if chosen:
            yield number, _material(connection, number, run, chosen, here, there)


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


def _ask(connection: Connection, pairs: Collection[tuple[int, str]]) -> None:
    """Note which keys are asked for of which runs, and where these stand: one pass over the index for all runs."""
    runs, keys = [run for run, _ in pairs], [key for _, key in pairs]
    wanted = pa.table({"run": pa.array(runs, pa.int32()), "key": pa.array(keys, pa.string())})  # noqa: F841
    connection.execute("CREATE OR REPLACE TEMP TABLE asked AS SELECT * FROM wanted")
    hits = "SELECT DISTINCT text, key FROM text_values WHERE key IN (SELECT key FROM asked)"
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE hits AS SELECT t.digest, h.key FROM ({hits}) h JOIN texts t ON t.number = h.text"
    )


def _held(connection: Connection) -> Mapping[int, Held]:
    query = (
        "SELECT l.run, h.key, list(DISTINCT l.entry_id) FROM hits h JOIN read_log l ON l.excerpt = h.digest"
        " AND NOT l.authored JOIN asked a ON a.run = l.run AND a.key = h.key GROUP BY l.run, h.key"
    )
    found: dict[int, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for run, key, entries in connection.execute(query).fetchall():
        found[run][key] = tuple(entries)
    return found


def _delivered(connection: Connection) -> Mapping[int, set[str]]:
    query = (
        "SELECT DISTINCT d.run, h.key FROM hits h JOIN deliverables d ON d.text = h.digest"
        " JOIN asked a ON a.run = d.run AND a.key = h.key"
    )
    found: dict[int, set[str]] = defaultdict(set)
    for run, key in connection.execute(query).fetchall():
        found[run].add(key)
    return found


def _material(
    connection: Connection,
    number: int,
    run: RunFacts,
    items: tuple[Item, ...],
    held: Held,
    delivered: frozenset[str],
) -> Material:
    tab = selects.timeline(connection, number).at(run.turns)
    texts = selects.excerpts(connection, tab.read_log.values())
    entries = tuple(LogEntry(entry, texts[entry.excerpt]) for entry in tab.read_log.values())
    return Material(run, tab.task, items, entries, tuple(tab.candidates.values()), held, delivered)
