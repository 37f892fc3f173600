"""Out of the store: rows, joined and selected. Each function takes an open connection and reads one thing."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import duckdb
import msgspec

from tabcore.errors import Problem
from tabcore.rows import (
    CallBody,
    CallRow,
    Decision,
    Followed,
    ObservationBody,
    Replay,
    RunRow,
    TurnBody,
    TurnRow,
)
from tabcore.store.corrections import correction_rows
from tabcore.store.texts import restored, restored_rows, storable, storable_values
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
from tabcore.tab.oracle import Checked
from tabcore.tab.tab import Entry
from tabcore.tab.timeline import CandidateInterval, Timeline
from tabcore.trajectory import Message, Span

Connection = duckdb.DuckDBPyConnection
Rows = list[tuple[Any, ...]]

_RUN_COLUMNS = (
    "number, digest, key, parent_key, run_id, path, format, harness, session, suite, task_name, task, task_source, root,"
    " root_source, method, model, attempt, attempts, started, simulated, parent_call, recorded_tab, turns, calls,"
    " observed_chars, reads, files_read, candidates, starred, requirements, resolved, unknowns, differences, abandoned,"
    " stated, agreed, missed, corrected,"
    " (SELECT count(DISTINCT (text, start)) FROM secrets WHERE secrets.run = runs.number) AS secrets"
)

_DECISION = "turn, call, kind, rule, partial, paths"

_spans = msgspec.json.Decoder(tuple[Span, ...]).decode


def run_rows(connection: Connection, number: int | None = None) -> tuple[RunRow, ...]:
    """Every run, in the order in which they came in; or the one of that number."""
    where = "" if number is None else f"WHERE number = {number}"
    runs = _named(connection, f"SELECT {_RUN_COLUMNS} FROM runs {where} ORDER BY number")
    files: dict[str, list[str]] = defaultdict(list)
    tallies: dict[str, str] = {}
    for path, digest, tally in _fetched(connection, "SELECT path, digest, tally FROM files ORDER BY path"):
        files[digest].append(path)
        tallies[path] = tally
    faults: dict[str, int] = dict(_fetched(connection, "SELECT source, count(*) FROM problems GROUP BY source"))
    parents = _Parents(connection) if any(run["parent_key"] is not None for run in runs) else None
    return tuple(
        RunRow(
            **{name: value for name, value in run.items() if name not in ("number", "digest", "key", "parent_key")},
            parent=parents.of(run) if parents else None,
            problems=faults.get(run["path"], 0),
            loaded=tallies.get(run["path"], ""),
            other_paths=tuple(path for path in files[run["digest"]] if path != run["path"]),
        )
        for run in runs
    )


class _Parents:
    """Run ids of sub-agents' parents: the log's first run, or the first run of the session that the log names."""

    def __init__(self, connection: Connection) -> None:
        self._by_digest: dict[str, str] = {}
        self._by_session: dict[str, str] = {}
        query = "SELECT run_id, digest, key, session, parent_key FROM runs ORDER BY number"
        for run_id, digest, key, session, parent_key in _fetched(connection, query):
            if not key:
                self._by_digest[digest] = run_id
            if parent_key is None:
                self._by_session.setdefault(session, run_id)

    def of(self, run: Mapping[str, Any]) -> str | None:
        """The parent of a row of `runs`, None for a run that is no sub-agent or whose parent is not stored."""
        match run["parent_key"]:
            case None:
                return None
            case "":
                return self._by_digest.get(run["digest"])
            case session:
                return self._by_session.get(session)


def run_numbers(connection: Connection) -> dict[str, int]:
    """The number of each run by its id."""
    return dict(connection.execute("SELECT run_id, number FROM runs ORDER BY number").fetchall())


def replay(connection: Connection, number: int) -> Replay:
    """All that a replay steps through."""
    [run] = run_rows(connection, number)
    decisions = _rows(connection, number, f"SELECT {_DECISION} FROM decisions WHERE run = ? ORDER BY rowid")
    return Replay(
        run=run,
        timeline=_timeline(connection, number, decisions, run.recorded_tab),
        turns=_turn_rows(connection, number, decisions),
        differences=differences(connection, number),
        problems=problems(connection, run.path),
        corrections=correction_rows(connection, number),
        checked=checked(connection, number),
    )


def timeline(connection: Connection, number: int) -> Timeline:
    """The tab of a run over time."""
    kinds = "kind IN ('authored', 'unknown')"
    decided = _rows(connection, number, f"SELECT {_DECISION} FROM decisions WHERE run = ? AND {kinds} ORDER BY rowid")
    [(recorded_tab,)] = _rows(connection, number, "SELECT recorded_tab FROM runs WHERE number = ?")
    return _timeline(connection, number, decided, recorded_tab)


def differences(connection: Connection, number: int) -> tuple[Difference, ...]:
    """Where recorded and derived texts of the tab differ."""
    query = "SELECT turn, call, what, recorded, derived FROM differences WHERE run = ? ORDER BY rowid"
    return tuple(Difference(*row) for row in _rows(connection, number, query))


def checked(connection: Connection, number: int) -> tuple[Checked, ...]:
    """What the record of a run says of files, beside what capture said."""
    query = "SELECT turn, call, kind, path, source, agreed, captured FROM oracle WHERE run = ? ORDER BY rowid"
    return tuple(Checked(*row) for row in _rows(connection, number, query))


def problems(connection: Connection, path: str | None = None) -> tuple[Problem, ...]:
    """The problems of one file that was loaded, or of all."""
    where, values = ("", []) if path is None else ("WHERE source = ?", [storable(path)])
    query = f"SELECT file, line, kind, what, done, lost FROM problems {where} ORDER BY source, rowid"
    return tuple(Problem(*row) for row in _fetched(connection, query, values))


def problems_by_source(connection: Connection, paths: Sequence[str]) -> dict[str, list[Problem]]:
    """The problems of files that were loaded, by path."""
    query = (
        "SELECT source, file, line, kind, what, done, lost FROM problems"
        " WHERE list_contains(?, source) ORDER BY source, rowid"
    )
    found: dict[str, list[Problem]] = defaultdict(list)
    for source, *problem in _fetched(connection, query, [list(map(storable, paths))]) if paths else ():
        found[source].append(Problem(*problem))
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
    before = _fetched(connection, query, place)
    query = f"SELECT call, call_id, name, arguments, line FROM calls {kept} ORDER BY call"
    calls = _fetched(connection, query, place)
    query = f"SELECT call_id, text, spans, is_error, images, line FROM observations {kept} ORDER BY rowid"
    shown = _fetched(connection, query, place)
    names = [head[0], head[1], *(row[0] for row in before), *(row[3] for row in calls), *(row[1] for row in shown)]
    text = texts(connection, names)
    positions = {row[1]: row[0] for row in calls}
    return TurnBody(
        number=turn,
        before=tuple(_message(row, text) for row in before),
        text=text[head[0]],
        reasoning=text[head[1]],
        calls=tuple(CallBody(call, ident, name, text[a], line) for call, ident, name, a, line in calls),
        observations=tuple(
            ObservationBody(positions.get(ident, -1), ident, text[name], spans_of(spans), error, images, line)
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


def excerpt(connection: Connection, number: int, entry_id: str) -> str | None:
    """The excerpt of one read-log entry, None where there is no such entry."""
    query = "SELECT excerpt FROM read_log WHERE run = ? AND entry_id = ?"
    found = connection.execute(query, [number, storable(entry_id)]).fetchone()
    return texts(connection, found)[found[0]] if found else None


def _timeline(connection: Connection, number: int, decisions: Rows, recorded_tab: bool) -> Timeline:
    def rows(table: str, columns: str) -> Rows:
        return _rows(connection, number, f"SELECT {columns} FROM {table} WHERE run = ? ORDER BY rowid")

    entry = "entry_id, path, turn, call, command, excerpt, chars, authored, partial"
    interval = "path, listed_turn, listed_call, starred_turn, left_turn, left_call, left_by"
    checks = "turn, call, body, open_requirements, unopened"
    timeline = Timeline(
        statements=[TaskStated(turn, text, call) for turn, text, call in rows("statements", "turn, text, call")],
        candidates=[CandidateInterval(*row) for row in rows("candidates", interval)],
        entries=[Entry(*(*row[:5], row[5].hex, *row[6:])) for row in rows("read_log", entry)],
        authored=[FileAuthored(*decided) for decided in _decided(decisions, "authored")],
        undecided=[CaptureUndecided(*decided) for decided in _decided(decisions, "unknown")],
        stops=[Stopped(*row) for row in rows("stops", "turn, call")],
        finish_checks=[FinishChecked(t, body, tuple(o), n, c) for t, c, body, o, n in rows("finish_checks", checks)],
    )
    if recorded_tab:
        _add_operations(timeline, rows)
    return timeline


def _decided(decisions: Rows, kind: str) -> Iterator[tuple[int, int, str, str]]:
    for turn, call, found, rule, _, paths in decisions:
        if found == kind:
            for path in paths:
                yield turn, call, path, rule


def _add_operations(timeline: Timeline, rows: Callable[[str, str], Rows]) -> None:
    """What the agent did with its tab, which only a run recorded with one has."""
    resolved = "turn, call, requirement, status, entry, reason"
    timeline.requirements = [RequirementAdded(*row) for row in rows("requirements", "turn, call, requirement, text")]
    timeline.resolutions = [Resolved(*row) for row in rows("resolutions", resolved)]
    timeline.refusals = [Refused(*row) for row in rows("refusals", "turn, call, operation, requirement, why")]
    timeline.reviews = _reviews(rows("reviews", "turn, call, review, requirement, entries, candidates"))
    timeline.consultations = [Consulted(*row) for row in rows("consultations", "turn, call, kind, entry")]


def _reviews(rows: Rows) -> list[Reviewed]:
    reviews: dict[int, tuple[int, int, list[Match]]] = {}
    for turn, call, review, requirement, entries, candidates in rows:
        _, _, matches = reviews.setdefault(review, (turn, call, []))
        if requirement:
            matches.append(Match(requirement, tuple(entries), tuple(candidates)))
    return [Reviewed(turn, call, tuple(matches)) for turn, call, matches in reviews.values()]


def _turn_rows(connection: Connection, number: int, decisions: Rows) -> tuple[TurnRow, ...]:
    query = """
        SELECT t.turn, t.received, t.said, t.outcome, t.is_stop, coalesce(s.line, ''), t.time, t.line
        FROM turns t LEFT JOIN (SELECT turn, line FROM status_lines WHERE run = $1) s ON s.turn = t.turn
        WHERE t.run = $1 AND t.abandoned = 0 ORDER BY t.rowid"""
    turns = _fetched(connection, query, [number])
    calls = _call_rows(connection, number, decisions)
    return tuple(TurnRow(*(*row[:6], tuple(calls[row[0]]), *row[6:])) for row in turns)


def _call_rows(connection: Connection, number: int, decisions: Rows) -> Mapping[int, Sequence[CallRow]]:
    """The calls of each turn in short, each with the observation that answered it, of whatever turn."""
    decided: dict[tuple[int, int], list[Decision]] = defaultdict(list)
    for turn, call, kind, rule, partial, paths in decisions:
        decided[turn, call] += (Decision(kind, path, rule, partial) for path in paths)
    query = "SELECT turn, call, path, rule FROM overruled WHERE run = ? AND kind = 'neither' ORDER BY rowid"
    for turn, call, path, rule in _rows(connection, number, query):
        decided[turn, call].append(Decision("neither", path, rule))
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
    return _fetched(connection, query, [number])


def _fetched(connection: Connection, query: str, values: Sequence[object] = ()) -> Rows:
    return restored_rows(connection.execute(query, values).fetchall())


def _named(connection: Connection, query: str) -> list[dict[str, Any]]:
    rows = _fetched(connection, query)
    names = [column[0] for column in connection.description or ()]
    return [dict(zip(names, row, strict=True)) for row in rows]


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


def followed(connection: Connection) -> tuple[Followed, ...]:
    """Every log that is or was followed, the one that grew last first."""
    query = "SELECT path, grown, quiet, ended FROM followed ORDER BY grown DESC, path"
    return tuple(Followed(*row) for row in restored_rows(connection.execute(query).fetchall()))


def newest(connection: Connection, run_id: str) -> int | None:
    """The number of the run that once had this id, while its log was shorter; None where none had."""
    row = connection.execute(
        "SELECT run FROM run_aliases WHERE run_id = ? LIMIT 1", storable_values([run_id])
    ).fetchone()
    return row[0] if row else None
