"""Where words stand in what runs were told, said, did, were shown, required and delivered. Takes an open connection."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import duckdb

from tabcore.redaction import Masks
from tabcore.rows import SearchHit, SearchKind
from tabcore.store.score_selects import chosen
from tabcore.store.selects import texts
from tabcore.store.texts import restored, storable

Connection = duckdb.DuckDBPyConnection

AROUND = 70
"""Characters before and behind what was found that a hit shows."""

_WORD = 1000
"""Characters of a word up to which it is looked for by a regular expression."""

_PLACES = """
    SELECT run, turn, 'shown' AS kind, call_id, '' AS path, text AS digest FROM observations WHERE abandoned = 0
    UNION ALL SELECT run, turn, 'said', '', '', text FROM turns WHERE abandoned = 0
    UNION ALL SELECT run, turn, 'thought', '', '', reasoning FROM turns WHERE abandoned = 0
    UNION ALL SELECT run, turn, 'called', call_id, '', arguments FROM calls WHERE abandoned = 0
    UNION ALL SELECT run, turn, 'told', '', '', text FROM messages WHERE abandoned = 0
    UNION ALL SELECT run, coalesce(written_turn, 1), 'delivered', '', path, text FROM deliverables"""
_SHORT = """
    SELECT run, turn, 'required' AS kind, text FROM requirements
    UNION ALL SELECT run, turn, 'resolved', reason FROM resolutions
    UNION ALL SELECT number, 1, 'task', task FROM runs
    UNION ALL SELECT number, 1, 'task', task_name FROM runs WHERE NOT contains(task, task_name)
    UNION ALL SELECT run, 1, 'rubric', text FROM rubrics"""


def search(
    connection: Connection, words: Sequence[str], runs: Collection[int] | None, most: int, masks: Masks
) -> tuple[tuple[SearchHit, ...], int]:
    """The first `most` places whose text has all words, however cased, by run and turn; and how many there are in all."""
    if not words:
        return (), 0
    long, many = _long(connection, words, runs, most)
    short = _short(connection, words, runs)
    rows = sorted((*long, *short), key=lambda row: row[:2])[:most]
    known = texts(connection, (row[5] for row in rows if not isinstance(row[5], str)))
    found = [_hit(row, row[5] if isinstance(row[5], str) else known[row[5]], words[0], masks) for row in rows]
    return tuple(found), many + len(short)


def _long(
    connection: Connection, words: Sequence[str], runs: Collection[int] | None, most: int
) -> tuple[list[tuple[Any, ...]], int]:
    """The first places in texts that stand once in the store, and how many there are: only the first are looked up."""
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE having_words AS SELECT digest FROM texts WHERE {_has('text', words)}",
        _values(words),
    )
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE places AS SELECT DISTINCT p.run, p.turn, p.kind, p.call_id, p.digest, p.path"
        f" FROM having_words JOIN ({_PLACES}) p USING (digest) JOIN runs r ON r.number = p.run WHERE {chosen(runs)}"
    )
    [(many,)] = connection.execute("SELECT count(*) FROM places").fetchall()
    query = (
        "WITH first AS (SELECT * FROM places ORDER BY run, turn, kind, call_id, path, digest LIMIT ?)"
        " SELECT DISTINCT r.number, p.turn, p.kind, r.run_id, coalesce(c.call, -1) AS call, p.digest, p.path"
        " FROM first p JOIN runs r ON r.number = p.run LEFT JOIN calls c"
        " ON c.run = p.run AND c.turn = p.turn AND c.call_id = p.call_id AND c.abandoned = 0 AND p.call_id <> ''"
        " ORDER BY r.number, p.turn, p.kind, call, p.path"
    )
    return connection.execute(query, [most]).fetchall(), int(many)


def _short(connection: Connection, words: Sequence[str], runs: Collection[int] | None) -> list[tuple[Any, ...]]:
    query = (
        f"SELECT r.number, p.turn, p.kind, r.run_id, -1, p.text, '' FROM ({_SHORT}) p JOIN runs r ON r.number = p.run"
        f" WHERE {_has('p.text', words)} AND {chosen(runs)}"
    )
    return connection.execute(query, _values(words)).fetchall()


def _has(column: str, words: Sequence[str]) -> str:
    tests = (_test(column, place, word) for place, word in enumerate(words, 1))
    return " AND ".join(tests)


def _test(column: str, place: int, word: str) -> str:
    """A regular expression that ignores case takes half the time of a text in small letters, but grows with the word."""
    if len(word) <= _WORD:
        return f"regexp_matches({column}, ${place})"
    return f"contains(lower({column}), lower(${place}))"


def _values(words: Sequence[str]) -> list[str]:
    return [f"(?i){re.escape(storable(word))}" if len(word) <= _WORD else storable(word) for word in words]


def _hit(row: tuple[Any, ...], stored: str, word: str, masks: Masks) -> SearchHit:
    _, turn, kind, run_id, call, _, path = row
    text = masks.in_place(restored(stored))
    start, end = next(_places(text, word), (0, 0))
    before = text[max(0, start - AROUND) : start]
    kind_told: SearchKind = kind
    return SearchHit(run_id, turn, kind_told, call, path, start, end, before, text[start:end], text[end : end + AROUND])


def _places(text: str, word: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in re.finditer(re.escape(word), text, re.IGNORECASE))
