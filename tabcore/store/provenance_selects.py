"""What one run's delivered values may come from, out of the store. Each function takes an open connection."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import duckdb
import msgspec
import numpy as np

from tabcore.analyses.provenance_facts import (
    NO_VALUES,
    DeliveredText,
    Excerpt,
    Occurrence,
    Output,
    OutputKind,
    OwnWords,
    ProvenanceFacts,
    Stated,
    Values,
)
from tabcore.analyses.value_facts import RunFacts
from tabcore.store.selects import spans_of, texts
from tabcore.store.texts import restored_rows
from tabcore.text.number_stream import numbers_of
from tabcore.trajectory import DeliverablePiece, Span

Connection = duckdb.DuckDBPyConnection
Equals = Callable[[str], Collection[str]]
"""The keys that count as equal to one, itself among them."""
_Values = Mapping[int, tuple[Occurrence, ...]]
_pieces = msgspec.json.Decoder(tuple[DeliverablePiece, ...]).decode


def provenance_facts(connection: Connection, number: int, equals: Equals) -> ProvenanceFacts:
    """What is known of the values that a run delivered and of those that were before the agent."""
    run = _run(connection, number)
    files = tuple(_files(connection, number))
    last = max((file.written or run.turns for file in files), default=run.turns)
    excerpts = tuple(_excerpts(connection, number, last))
    stated = tuple(_stated(connection, number))
    wanted = {value.key for file in files for value in file.values}
    held = {key for excerpt in excerpts for key in excerpt.values.keys}
    held |= {value.key for one in stated for value in one.values}
    open_keys = {key for key in wanted if held.isdisjoint(equals(key))}
    asked = {equal for key in open_keys for equal in equals(key)}
    own = (*_said(connection, number, last, asked), *_passed(connection, number, last, asked))
    return ProvenanceFacts(run, files, excerpts, stated, tuple(_outputs(connection, number, last, asked)), own)


def _run(connection: Connection, number: int) -> RunFacts:
    query = (
        "SELECT run_id, coalesce(task_name, regexp_extract(trim(task), '^[^\\n]*'), ''), method, model, suite, attempt,"
        " turns, simulated FROM runs WHERE number = ?"
    )
    [(run_id, name, method, model, suite, attempt, turns, simulated)] = restored_rows(
        connection.execute(query, [number]).fetchall()
    )
    query = "SELECT any_value(source), max(written_turn), bool_or(text IS NOT NULL) FROM deliverables WHERE run = ?"
    [(source, written, known)] = connection.execute(query, [number]).fetchall()
    return RunFacts(run_id, name, method, model, suite, attempt, turns, simulated, bool(known), source, written)


def _files(connection: Connection, number: int) -> Iterator[DeliveredText]:
    query = (
        "SELECT d.path, coalesce(d.kind, ''), d.source, d.written_turn, d.size, d.text, d.pieces, t.number"
        " FROM deliverables d LEFT JOIN texts t ON t.digest = d.text WHERE d.run = ? ORDER BY d.rowid"
    )
    rows = restored_rows(connection.execute(query, [number]).fetchall())
    text = texts(connection, (name for row in rows for name in row[5:7]))
    values = _values(connection, (row[7] for row in rows))
    for path, kind, source, written, size, name, pieces, place in rows:
        laid = _pieces(text[pieces]) if pieces is not None else ()
        known = None if name is None else text[name]
        yield DeliveredText(path, kind, source, written, size, known, laid, values.get(place, ()))


def _excerpts(connection: Connection, number: int, last: int) -> Iterator[Excerpt]:
    query = (
        "SELECT l.entry_id, l.path, l.turn, l.call, l.excerpt, t.number FROM read_log l JOIN texts t ON t.digest = l.excerpt"
        " WHERE l.run = ? AND l.turn <= ? AND NOT l.authored ORDER BY l.rowid"
    )
    rows = restored_rows(connection.execute(query, [number, last]).fetchall())
    rules, injected = _rules(connection, number), _injected(connection, number)
    text = texts(connection, (row[4] for row in rows))
    values = _columns(connection, (row[5] for row in rows))
    for entry, path, turn, call, name, place in rows:
        rule = rules.get((turn, call, "read"), "")
        known = values.get(place, NO_VALUES)
        yield Excerpt(entry, path, turn, call, rule, text[name], known, injected.get((turn, call), ()))


def _injected(connection: Connection, number: int) -> dict[tuple[int, int], tuple[Span, ...]]:
    """The tab's words in the result of each call."""
    query = (
        "SELECT c.turn, c.call, o.spans FROM observations o JOIN calls c ON c.run = o.run AND c.turn = o.turn"
        " AND c.call_id = o.call_id AND c.abandoned = 0 WHERE o.run = ? AND o.abandoned = 0 AND o.spans IS NOT NULL"
    )
    return {
        (turn, call): tuple(span for span in spans_of(spans) if span.origin == "tab")
        for turn, call, spans in connection.execute(query, [number]).fetchall()
    }


def _rules(connection: Connection, number: int) -> dict[tuple[int, int, str], str]:
    """The rule by which capture decided at each call, by what it decided."""
    query = "SELECT turn, call, kind, rule FROM decisions WHERE run = ? ORDER BY rowid"
    rows = restored_rows(connection.execute(query, [number]).fetchall())
    return {(turn, call, kind): rule for turn, call, kind, rule in reversed(rows)}


def _stated(connection: Connection, number: int) -> Iterator[Stated]:
    query = "SELECT turn, text FROM statements WHERE run = ? ORDER BY rowid"
    for turn, text in restored_rows(connection.execute(query, [number]).fetchall()):
        yield Stated(turn, text, _values_of(text, None))


_PROGRAM = re.compile(
    r"\b(?:python[\d.]*|node|deno|bun|perl|ruby|Rscript|julia|awk|bc|jq|duckdb|sqlite3)\b|code|interpreter"
)
"""Calls that compute: an interpreter in a command, or a tool that runs code."""


def _outputs(connection: Connection, number: int, last: int, asked: Collection[str]) -> Iterator[Output]:
    """Without what the tab injected or answered, and without what shows a file of the agent's own."""
    query = (
        "SELECT DISTINCT o.turn, c.call, c.name, c.command, o.spans, o.text, t.number, o.rowid FROM observations o"
        " JOIN texts t ON t.digest = o.text LEFT JOIN calls c ON c.run = o.run AND c.turn = o.turn"
        " AND c.call_id = o.call_id AND c.abandoned = 0 AND o.call_id <> ''"
        " WHERE o.run = ? AND o.turn <= ? AND o.abandoned = 0 AND coalesce(c.operation, '') = '' ORDER BY o.rowid"
    )
    rows = restored_rows(connection.execute(query, [number, last]).fetchall()) if asked else []
    values = _values(connection, (row[6] for row in rows), asked)
    rows = [row for row in rows if row[6] in values]
    text = texts(connection, (row[5] for row in rows))
    rules = _rules(connection, number)
    own = set(connection.execute("SELECT turn, call FROM read_log WHERE run = ? AND authored", [number]).fetchall())
    for turn, call, name, command, spans, digest, place, _ in rows:
        kept = _not_injected(values[place], spans)
        if kept and (turn, call) not in own:
            kind = _output_kind(rules, turn, -1 if call is None else call, f"{name or ''} {command or ''}")
            yield Output(turn, -1 if call is None else call, command or name or "", kind, text[digest], kept)


def _not_injected(values: Iterable[Occurrence], spans: str | None) -> tuple[Occurrence, ...]:
    injected = [span for span in spans_of(spans) if span.origin == "tab"]
    return tuple(value for value in values if not any(span.start <= value.start < span.end for span in injected))


def _output_kind(rules: Mapping[tuple[int, int, str], str], turn: int, call: int, command: str) -> OutputKind:
    if (turn, call, "listed") in rules and not rules[turn, call, "listed"].startswith("python"):
        return "listing"
    return "program" if _PROGRAM.search(command) else "other"


def _said(connection: Connection, number: int, last: int, asked: Collection[str]) -> Iterator[OwnWords]:
    """What the agent said and reasoned, and what it read in files of its own. A last answer that is the deliverable
    is no evidence of itself."""
    query = (
        "SELECT turn, -1, 'what the agent said', text FROM turns WHERE run = $1 AND turn <= $2 AND abandoned = 0"
        " AND NOT EXISTS (SELECT 1 FROM deliverables d WHERE d.run = $1 AND d.text = turns.text)"
        " UNION ALL SELECT turn, -1, 'what the agent reasoned', reasoning FROM turns WHERE run = $1 AND turn <= $2 AND abandoned = 0"
        " UNION ALL SELECT turn, call, 'a file of its own, ' || path, excerpt FROM read_log"
        " WHERE run = $1 AND turn <= $2 AND authored"
    )
    if not asked:
        return
    found = f"SELECT s.turn, s.call, s.what, s.text, t.number FROM ({query}) s(turn, call, what, text) JOIN texts t ON t.digest = s.text"
    rows = restored_rows(connection.execute(f"{found} ORDER BY 1, 2, 3", [number, last]).fetchall())
    values = _values(connection, (row[4] for row in rows), asked)
    rows = [row for row in rows if row[4] in values]
    text = texts(connection, (row[3] for row in rows))
    for turn, call, what, digest, place in rows:
        yield OwnWords(turn, call, what, text[digest], values[place])


def _passed(connection: Connection, number: int, last: int, asked: Collection[str]) -> Iterator[OwnWords]:
    """The arguments of calls."""
    query = (
        "SELECT c.turn, c.call, c.name, c.arguments, EXISTS (SELECT 1 FROM decisions d WHERE d.run = c.run AND d.turn = c.turn"
        " AND d.call = c.call AND d.kind = 'authored') FROM calls c WHERE c.run = ? AND c.turn <= ? AND c.abandoned = 0"
        " ORDER BY c.rowid"
    )
    rows = restored_rows(connection.execute(query, [number, last]).fetchall()) if asked else []
    text = texts(connection, (row[3] for row in rows))
    for turn, call, name, digest, writes in rows:
        for argument in _strings(text[digest]):
            if values := _values_of(argument, asked):
                yield OwnWords(turn, call, f"what the agent passed to {name}", argument, values, writes)


def _strings(arguments: str) -> Iterator[str]:
    """The texts among a call's arguments; numbers as they are written."""
    try:
        decoded = msgspec.json.decode(arguments)
    except msgspec.DecodeError:
        decoded = arguments
    waiting = [decoded]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting += reversed(item.values())
        elif isinstance(item, list):
            waiting += reversed(item)
        elif item is not None:
            yield str(item)


def _values_of(text: str, asked: Collection[str] | None) -> tuple[Occurrence, ...]:
    found = (Occurrence(key, kind, start, end) for key, start, end, kind in numbers_of(text))
    return tuple(value for value in found if asked is None or value.key in asked)


def _columns(connection: Connection, places: Iterable[int]) -> dict[int, Values]:
    """All values of texts by the texts' numbers."""
    wanted = sorted(set(places))
    if not wanted:
        return {}
    query = f"{_VALUES} ORDER BY text, start"
    rows = connection.execute(query, [wanted[0], wanted[-1], wanted]).fetchnumpy()
    text, starts, ends = (np.asarray(rows[name], np.int64) for name in ("text", "start", "end"))
    keys, kinds = rows["key"].tolist(), rows["kind"].tolist()
    numbers, first = np.unique(text, return_index=True)
    parts = zip(numbers.tolist(), first.tolist(), [*first.tolist()[1:], len(keys)], strict=True)
    return {n: Values(keys[a:b], kinds[a:b], starts[a:b], ends[a:b]) for n, a, b in parts}


_VALUES = (
    'SELECT text, key, kind, start, "end" FROM text_values WHERE text BETWEEN ? AND ? AND text IN (SELECT unnest(?))'
)


def _values(connection: Connection, places: Iterable[int | None], asked: Collection[str] | None = None) -> _Values:
    """The values of texts by the texts' numbers; with `asked` those of these keys alone."""
    wanted = sorted({place for place in places if place is not None})
    if not wanted:
        return {}
    query = 'SELECT text, key, kind, start, "end" FROM text_values WHERE text BETWEEN ? AND ? AND text IN (SELECT unnest(?))'
    values: list[Any] = [wanted[0], wanted[-1], wanted]
    if asked is not None:
        query, values = f"{query} AND key IN (SELECT unnest(?))", [*values, list(asked)]
    found: dict[int, list[Occurrence]] = defaultdict(list)
    for text, *value in connection.execute(f"{query} ORDER BY text, start", values).fetchall():
        found[text].append(Occurrence(*value))
    return {text: tuple(of_text) for text, of_text in found.items()}
