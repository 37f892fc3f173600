"""Out of the store: rows, joined and selected. Each function takes an open connection and reads one thing."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import duckdb
import msgspec

from tabcore.errors import Problem
from tabcore.rows import (
    CallBody,
    CallRow,
    Decision,
    ObservationBody,
    Replay,
    RunRow,
    TurnBody,
    TurnRow,
)
from tabcore.store.records import Correction
from tabcore.store.texts import restored, restored_row, storable
from tabcore.tab.events import (
    CaptureUndecided,
    Consulted,
    FileAuthored,
    FinishChecked,
    Match,
    Refused,
    RequirementAdded,
    Resolved,
    Reviewed,
    Stopped,
    TaskStated,
)
from tabcore.tab.history import Difference
from tabcore.tab.tab import Entry
from tabcore.tab.timeline import CandidateInterval, Timeline
from tabcore.trajectory import Message, Span

Connection = duckdb.DuckDBPyConnection
Rows = list[tuple[Any, ...]]

_RUN_COLUMNS = """
    r.run_id, r.path, r.format, r.harness, r.session, r.suite, r.task_name, r.task, r.task_source, r.root,
    r.root_source, r.method, r.model, r.attempt, r.attempts, r.started, r.simulated,
    CASE WHEN r.parent_key IS NULL THEN NULL
         WHEN r.parent_key = '' THEN (SELECT min(p.run_id) FROM runs p WHERE p.digest = r.digest AND p.key = '')
         ELSE (SELECT min(p.run_id) FROM runs p WHERE p.session = r.parent_key AND p.parent_key IS NULL) END,
    r.parent_call, r.recorded_tab, r.turns, r.calls, r.observed_chars, r.reads, r.files_read, r.candidates, r.starred,
    r.requirements, r.resolved, r.unknowns, r.differences,
    (SELECT count(*) FROM problems p WHERE p.source = r.path), r.abandoned,
    coalesce((SELECT min(f.tally) FROM files f WHERE f.path = r.path), ''),
    (SELECT coalesce(list(f.path ORDER BY f.path), []) FROM files f WHERE f.digest = r.digest AND f.path != r.path)
"""

_spans = msgspec.json.Decoder(tuple[Span, ...]).decode


def run_rows(connection: Connection, number: int | None = None) -> tuple[RunRow, ...]:
    """Every run, in the order in which they came in; or the one of that number."""
    where = "" if number is None else f"WHERE r.number = {number}"
    rows = connection.execute(f"SELECT {_RUN_COLUMNS} FROM runs r {where} ORDER BY r.number").fetchall()
    return tuple(RunRow(*(*restored_row(row[:-1]), restored_row(tuple(row[-1])))) for row in rows)


def run_numbers(connection: Connection) -> dict[str, int]:
    """The number of each run by its id."""
    return dict(connection.execute("SELECT run_id, number FROM runs ORDER BY number").fetchall())


def replay(connection: Connection, number: int) -> Replay:
    """All that a replay steps through."""
    [run] = run_rows(connection, number)
    decisions = _rows(
        connection, number, "SELECT turn, call, kind, path, rule, partial FROM decisions WHERE run = ? ORDER BY rowid"
    )
    return Replay(
        run=run,
        timeline=_timeline(connection, number, decisions),
        turns=_turn_rows(connection, number, decisions),
        differences=differences(connection, number),
        problems=problems(connection, run.path),
    )


def timeline(connection: Connection, number: int) -> Timeline:
    """The tab of a run over time."""
    decided = _rows(
        connection,
        number,
        "SELECT turn, call, kind, path, rule, partial FROM decisions WHERE run = ?"
        " AND kind IN ('authored', 'unknown') ORDER BY rowid",
    )
    return _timeline(connection, number, decided)


def differences(connection: Connection, number: int) -> tuple[Difference, ...]:
    """Where recorded and derived texts of the tab differ."""
    query = "SELECT turn, call, what, recorded, derived FROM differences WHERE run = ? ORDER BY rowid"
    return tuple(Difference(*row) for row in _rows(connection, number, query))


def problems(connection: Connection, path: str | None = None) -> tuple[Problem, ...]:
    """The problems of one file that was loaded, or of all."""
    where, values = ("", []) if path is None else ("WHERE source = ?", [storable(path)])
    query = f"SELECT file, line, kind, what, done, lost FROM problems {where} ORDER BY source, rowid"
    return tuple(Problem(*restored_row(row)) for row in connection.execute(query, values).fetchall())


def problems_by_source(connection: Connection, paths: Sequence[str]) -> dict[str, list[Problem]]:
    """The problems of files that were loaded, by path."""
    query = (
        "SELECT source, file, line, kind, what, done, lost FROM problems"
        " WHERE list_contains(?, source) ORDER BY source, rowid"
    )
    found: dict[str, list[Problem]] = defaultdict(list)
    for row in connection.execute(query, [list(map(storable, paths))]).fetchall() if paths else ():
        source, *problem = restored_row(row)
        found[source].append(Problem(*problem))
    return found


def corrections(connection: Connection) -> dict[str, dict[str, Correction]]:
    """What persons have corrected, by file and run key."""
    found: dict[str, dict[str, Correction]] = defaultdict(dict)
    for row in connection.execute("SELECT path, key, root, task FROM corrections").fetchall():
        path, key, root, task = restored_row(row)
        found[path][key] = Correction(root, task)
    return found


def texts(connection: Connection, names: Iterable[uuid.UUID | None]) -> dict[uuid.UUID | None, str]:
    """Texts by their names; the name None is the empty text.

    Names are looked up first and texts fetched by place, since unpacking a column of texts is what costs.
    """
    wanted = list({name for name in names if name is not None})
    found: dict[uuid.UUID | None, str] = {None: ""}
    query = "SELECT rowid FROM texts WHERE digest IN (SELECT unnest(?::UUID[])) ORDER BY rowid"
    places = [place for (place,) in connection.execute(query, [wanted]).fetchall()] if wanted else []
    for first, last in _neighbours(places):
        fetched = connection.execute("SELECT digest, text FROM texts WHERE rowid BETWEEN ? AND ?", [first, last])
        found.update((name, restored(text)) for name, text in fetched.fetchall())
    return found


def turn_body(connection: Connection, number: int, turn: int) -> TurnBody | None:
    """One turn whole, None when the run has none of that number."""
    place = [number, turn]
    kept = "WHERE run = ? AND turn = ? AND abandoned = 0"
    head = connection.execute(f"SELECT text, reasoning, model, line FROM turns {kept}", place).fetchone()
    if head is None:
        return None
    query = f"SELECT text, origin, kind, line, time, spans FROM messages {kept} AND NOT after_last ORDER BY rowid"
    before = connection.execute(query, place).fetchall()
    query = f"SELECT call, call_id, name, arguments, line FROM calls {kept} ORDER BY call"
    calls = connection.execute(query, place).fetchall()
    query = f"SELECT call_id, text, spans, is_error, images, line FROM observations {kept} ORDER BY rowid"
    shown = connection.execute(query, place).fetchall()
    names = [head[0], head[1], *(row[0] for row in before), *(row[3] for row in calls), *(row[1] for row in shown)]
    text = texts(connection, names)
    positions = {row[1]: row[0] for row in calls}
    return TurnBody(
        number=turn,
        before=tuple(_message(row, text) for row in map(restored_row, before)),
        text=text[head[0]],
        reasoning=text[head[1]],
        calls=tuple(
            CallBody(call, ident, name, text[a], line) for call, ident, name, a, line in map(restored_row, calls)
        ),
        observations=tuple(
            ObservationBody(positions.get(ident, -1), restored(ident), text[name], spans_of(spans), error, images, line)
            for ident, name, spans, error, images, line in shown
        ),
        differences=tuple(d for d in differences(connection, number) if d.turn == turn),
        model=head[2],
        line=head[3],
    )


def excerpts(connection: Connection, entries: Iterable[Entry]) -> dict[str, str]:
    """The excerpts of read-log entries by their digest."""
    names = {uuid.UUID(entry.excerpt): entry.excerpt for entry in entries}
    found = texts(connection, names)
    return {digest: found[name] for name, digest in names.items()}


def _timeline(connection: Connection, number: int, decisions: Rows) -> Timeline:
    def rows(table: str, columns: str) -> Rows:
        return _rows(connection, number, f"SELECT {columns} FROM {table} WHERE run = ? ORDER BY rowid")

    entry = "entry_id, path, turn, call, command, excerpt, chars, authored, partial"
    interval = "path, listed_turn, listed_call, starred_turn, left_turn, left_call, left_by"
    return Timeline(
        statements=[TaskStated(turn, text, call) for turn, text, call in rows("statements", "turn, text, call")],
        candidates=[CandidateInterval(*row) for row in rows("candidates", interval)],
        entries=[Entry(*(*row[:5], row[5].hex, *row[6:])) for row in rows("read_log", entry)],
        requirements=[RequirementAdded(*row) for row in rows("requirements", "turn, call, requirement, text")],
        resolutions=[Resolved(*r) for r in rows("resolutions", "turn, call, requirement, status, entry, reason")],
        refusals=[Refused(*row) for row in rows("refusals", "turn, call, operation, requirement, why")],
        reviews=_reviews(rows("reviews", "turn, call, review, requirement, entries, candidates")),
        consultations=[Consulted(*row) for row in rows("consultations", "turn, call, kind, entry")],
        authored=[FileAuthored(t, c, path, rule) for t, c, kind, path, rule, _ in decisions if kind == "authored"],
        undecided=[CaptureUndecided(t, c, path, why) for t, c, kind, path, why, _ in decisions if kind == "unknown"],
        stops=[Stopped(*row) for row in rows("stops", "turn, call")],
        finish_checks=[
            FinishChecked(turn, body, tuple(still_open), unopened, call)
            for turn, call, body, still_open, unopened in rows(
                "finish_checks", "turn, call, body, open_requirements, unopened"
            )
        ],
    )


def _reviews(rows: Rows) -> list[Reviewed]:
    reviews: dict[int, tuple[int, int, list[Match]]] = {}
    for turn, call, review, requirement, entries, candidates in rows:
        _, _, matches = reviews.setdefault(review, (turn, call, []))
        if requirement:
            matches.append(Match(requirement, tuple(entries), restored_row(tuple(candidates))))
    return [Reviewed(turn, call, tuple(matches)) for turn, call, matches in reviews.values()]


def _turn_rows(connection: Connection, number: int, decisions: Rows) -> tuple[TurnRow, ...]:
    query = """
        SELECT t.turn, t.received, t.said, t.outcome, t.is_stop, coalesce(s.line, ''), t.time, t.line
        FROM turns t LEFT JOIN (SELECT turn, line FROM status_lines WHERE run = $1) s ON s.turn = t.turn
        WHERE t.run = $1 AND t.abandoned = 0 ORDER BY t.rowid"""
    turns = connection.execute(query, [number]).fetchall()
    calls = _call_rows(connection, number, decisions)
    return tuple(TurnRow(*(*row[:6], tuple(calls[row[0]]), *row[6:])) for row in turns)


def _call_rows(connection: Connection, number: int, decisions: Rows) -> Mapping[int, Sequence[CallRow]]:
    """The calls of each turn in short, each with the observation that answered it, of whatever turn."""
    decided: dict[tuple[int, int], list[Decision]] = defaultdict(list)
    for turn, call, *decision in decisions:
        decided[turn, call].append(Decision(*decision))
    query = (
        "SELECT turn, call, call_id, name, command, operation FROM calls WHERE run = ? AND abandoned = 0 ORDER BY rowid"
    )
    calls = _rows(connection, number, query)
    query = "SELECT turn, call_id, chars, is_error FROM observations WHERE run = ? AND abandoned = 0 ORDER BY rowid"
    answers = _answers(calls, _rows(connection, number, query))
    rows: dict[int, list[CallRow]] = defaultdict(list)
    for turn, call, ident, name, command, operation in calls:
        shown, error, answered = answers.get((turn, call), (0, False, False))
        found = tuple(decided.get((turn, call), ()))
        rows[turn].append(CallRow(call, ident, name, command, shown, error, answered, operation, found))
    return rows


def _answers(calls: Rows, observations: Rows) -> dict[tuple[int, int], tuple[int, bool, bool]]:
    """(length, error, True) of what answered each call. An answer without an id answers every call of its turn."""
    asked: dict[str, list[tuple[int, int]]] = defaultdict(list)
    of_turn: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for turn, call, ident, *_ in calls:
        asked[ident].append((turn, call))
        of_turn[turn].append((turn, call))
    answers: dict[tuple[int, int], tuple[int, bool, bool]] = {}
    for turn, ident, chars, error in observations:
        before = [place for place in asked[ident] if place[0] <= turn][-1:] if ident else of_turn[turn]
        answers.update((place, (chars, error, True)) for place in before)
    return answers


def _message(row: tuple[Any, ...], text: Mapping[uuid.UUID | None, str]) -> Message:
    name, origin, kind, line, time, spans = row
    return Message(text[name], origin, kind, line, time, spans_of(spans))


def spans_of(stored: str | None) -> tuple[Span, ...]:
    """Spans from their stored form, JSON."""
    return _spans(stored) if stored else ()


def _rows(connection: Connection, number: int, query: str) -> Rows:
    return [restored_row(row) for row in connection.execute(query, [number]).fetchall()]


_NEIGHBOURHOOD = 64


def _neighbours(places: Sequence[int]) -> list[tuple[int, int]]:
    """Ascending places in ranges; gaps up to 64 are bridged.

    >>> _neighbours([1, 2, 5, 900])
    [(1, 5), (900, 900)]
    """
    ranges: list[tuple[int, int]] = []
    for place in places:
        if ranges and place - ranges[-1][1] <= _NEIGHBOURHOOD:
            ranges[-1] = (ranges[-1][0], place)
        else:
            ranges.append((place, place))
    return ranges
