"""Runs, turn by turn -> columns, in the shape of schema.sql. Knows Arrow, not the database.

`Columns` gathers the rows of several runs and hands them over as Arrow tables, again and again, so that memory stays
flat however long a log is. In these tables `run` is the caller's own number for a run; the store puts its own in.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import accumulate, groupby
from typing import TypeAlias, assert_never

import msgspec
import pyarrow as pa

from tabcore.secrets import find as secrets_in
from tabcore.store.secret_rows import SecretFinder
from tabcore.store.texts import MARK, MARK_BYTES, storable
from tabcore.store.value_rows import ValueFinder, values_in
from tabcore.tab.events import (
    CaptureUndecided,
    Event,
    FileAuthored,
    FileListed,
    FileRead,
    FileRenamed,
    Reviewed,
)
from tabcore.tab.history import Difference, TurnFacts
from tabcore.tab.keeper import command_text
from tabcore.tab.operations import operation_of
from tabcore.tab.oracle import Checked
from tabcore.tab.timeline import Timeline
from tabcore.trajectory import (
    Deliverable,
    DeliverablePiece,
    Json,
    Message,
    Observation,
    Rubric,
    Span,
    ToolCall,
    Turn,
    Verdict,
)

Tables: TypeAlias = "dict[str, pa.Table]"
Value: TypeAlias = "str | bytes | int | float | bool | tuple[str, ...] | None"
Row: TypeAlias = "tuple[Value, ...]"

_INT, _LONG, _REAL, _FLAG, _WORD = pa.int32(), pa.int64(), pa.float64(), pa.bool_(), pa.string()
_WORDS, _TEXT = pa.list_(pa.string()), pa.uuid()
_PLACE = {"run": _INT, "turn": _INT, "call": _INT}
_BRANCH = {"run": _INT, "turn": _INT, "abandoned": _INT}

COLUMNS: Mapping[str, Mapping[str, pa.DataType]] = {
    "texts": {"digest": _TEXT, "text": _WORD, "number": _INT},
    "text_values": {"text": _INT, "key": _WORD, "kind": _WORD, "start": _INT, "end": _INT},
    "turns": _BRANCH
    | {"text": _TEXT, "said": _INT, "reasoning": _TEXT, "received": _INT, "outcome": _WORD, "is_stop": _FLAG}
    | {"model": _WORD, "cwd": _WORD, "line": _INT, "time": _REAL, "tokens_in": _LONG, "tokens_out": _LONG}
    | {"cache_read": _LONG, "cache_write": _LONG, "cost": _REAL, "has_usage": _FLAG},
    "messages": _BRANCH
    | {"after_last": _FLAG, "text": _TEXT, "chars": _INT, "origin": _WORD, "kind": _WORD, "line": _INT}
    | {"time": _REAL, "spans": _WORD},
    "calls": _BRANCH
    | {"call": _INT, "call_id": _WORD, "name": _WORD, "command": _WORD, "operation": _WORD, "arguments": _TEXT}
    | {"line": _INT},
    "observations": _BRANCH
    | {"call_id": _WORD, "text": _TEXT, "chars": _INT, "is_error": _FLAG, "spans": _WORD, "images": _INT}
    | {"exit_code": _INT, "cwd": _WORD, "line": _INT, "time": _REAL},
    "stated": _BRANCH | {"kind": _WORD, "path": _WORD, "source": _WORD, "call_id": _WORD},
    "secrets": _BRANCH | {"text": _TEXT, "start": _INT, "end": _INT, "kind": _WORD},
    "rubrics": {"run": _INT, "rubric_id": _WORD, "text": _WORD, "points": _REAL},
    "rubric_values": {"run": _INT, "rubric_id": _WORD, "key": _WORD, "kind": _WORD, "start": _INT, "end": _INT},
    "verdicts": {"run": _INT, "rubric_id": _WORD, "passed": _FLAG, "evidence": _WORD, "judge_failed": _FLAG},
    "deliverables": {"run": _INT, "path": _WORD, "size": _LONG, "sha256": _WORD, "text": _TEXT}
    | {"source": _WORD, "written_turn": _INT, "kind": _WORD, "pieces": _TEXT},
    "status_lines": {"run": _INT, "turn": _INT, "line": _WORD},
    "decisions": _PLACE | {"kind": _WORD, "rule": _WORD, "partial": _FLAG, "previous": _WORD, "paths": _WORDS},
    "overruled": _PLACE | {"path": _WORD, "kind": _WORD, "who": _WORD, "time": _REAL, "said": _WORD, "rule": _WORD},
    "oracle": _PLACE | {"kind": _WORD, "path": _WORD, "source": _WORD, "agreed": _FLAG, "captured": _WORD},
    "statements": _PLACE | {"text": _WORD},
    "candidates": {"run": _INT, "path": _WORD, "listed_turn": _INT, "listed_call": _INT, "starred_turn": _INT}
    | {"left_turn": _INT, "left_call": _INT, "left_by": _WORD},
    "read_log": {"run": _INT, "entry_id": _WORD, "path": _WORD, "turn": _INT, "call": _INT, "command": _WORD}
    | {"excerpt": _TEXT, "chars": _INT, "authored": _FLAG, "partial": _FLAG},
    "requirements": _PLACE | {"requirement": _WORD, "text": _WORD},
    "resolutions": _PLACE | {"requirement": _WORD, "status": _WORD, "entry": _WORD, "reason": _WORD},
    "refusals": _PLACE | {"operation": _WORD, "requirement": _WORD, "why": _WORD},
    "consultations": _PLACE | {"kind": _WORD, "entry": _WORD},
    "reviews": _PLACE | {"review": _INT, "requirement": _WORD, "entries": _WORDS, "candidates": _WORDS},
    "stops": _PLACE,
    "finish_checks": _PLACE | {"body": _WORD, "open_requirements": _WORDS, "unopened": _INT},
    "differences": _PLACE | {"what": _WORD, "recorded": _WORD, "derived": _WORD},
}
"""The tables that a run's pieces fill, each with its columns in the order of schema.sql."""

DERIVED = (
    *("status_lines", "decisions", "statements", "candidates", "read_log", "requirements", "resolutions"),
    *("refusals", "consultations", "reviews", "stops", "finish_checks", "differences", "overruled", "oracle"),
)
"""The tables that are derived from the record and can be derived again."""


_MEMORY = pa.system_memory_pool()
"""Arrow's own pool keeps what it was given: 40 MB more in a long load."""

_exact_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""For what msgspec refuses (halves of surrogate pairs) or writes as null (numbers that are not finite)."""


def arguments_text(arguments: Mapping[str, Json]) -> str:
    """A call's arguments as JSON text.

    >>> arguments_text({"path": "a.txt", "limit": 3})
    '{"path":"a.txt","limit":3}'
    """
    values = arguments if type(arguments) is dict else dict(arguments)
    try:
        text = msgspec.json.encode(values).decode()
    except (UnicodeEncodeError, msgspec.MsgspecError):
        return _exact_json(values)
    return _exact_json(values) if "null" in text else text


def spans_text(spans: tuple[Span, ...]) -> str | None:
    """Spans as JSON text, None for none."""
    return msgspec.json.encode(spans).decode() if spans else None


def pieces_text(pieces: Sequence[DeliverablePiece]) -> str:
    """The pieces of a deliverable as JSON text."""
    return msgspec.json.encode(pieces).decode()


class Columns:
    """Rows of runs until they are taken. `size` is about how many bytes of text wait.

    Texts are searched for secrets on the way out, unless the person wants none to be found.
    """

    def __init__(self, *, look_for_secrets: bool = True) -> None:
        self.size = 0
        self._secrets = SecretFinder() if look_for_secrets else None
        self._stated: list[tuple[int, str]] = []
        self._rows: dict[str, list[Row]] = {name: [] for name in COLUMNS}
        self._known: set[bytes] = set()
        self._values = ValueFinder()

    def text(self, text: str) -> bytes | None:
        """The name of a text, which is kept under it; None for the empty text."""
        return self._keep(text) if text else None

    def look(self, run: int, text: str) -> None:
        """Look for secrets in a text that stands in a row of its own; it is kept as a text where it has some."""
        if self._secrets and text:
            self._stated.append((run, text))

    def turn(self, run: int, turn: Turn, received: int, abandoned: int = 0) -> None:
        """One turn of the record. `received` is what its observations showed, without the tab's own."""
        usage = turn.usage
        tokens: Row = (
            (usage.input, usage.output, usage.cache_read, usage.cache_write, usage.cost, True)
            if usage
            else (
                *(None,) * 5,
                False,
            )
        )
        said: Row = (self.text(turn.text), len(turn.text), self.text(turn.reasoning), received)
        outcome: Row = (turn.outcome, turn.is_stop, turn.model, turn.cwd, turn.line, turn.time)
        self._rows["turns"].append((run, turn.number, abandoned, *said, *outcome, *tokens))
        for message in turn.before:
            self._message(run, turn.number, abandoned, False, message)
        for index, call in enumerate(turn.calls):
            self._call(run, turn.number, abandoned, index, call)
        for observation in turn.observations:
            self._observation(run, turn.number, abandoned, observation)
        place: Row = (run, turn.number, abandoned)
        self._rows["stated"] += ((*place, s.kind, s.path, s.source, s.call_id) for s in turn.stated)

    def after(self, run: int, messages: Iterable[Message], last_turn: int) -> None:
        """What was said after the last turn."""
        for message in messages:
            self._message(run, last_turn, 0, True, message)

    def facts(self, run: int, facts: TurnFacts, texts: Mapping[str, str], *, after_last: bool = False) -> None:
        """What a turn did to the tab, but for what its timeline holds; `texts` has the excerpts."""
        if not after_last:
            self._rows["status_lines"].append((run, facts.turn, facts.status_line))
        self._rows["decisions"] += ((run, *row) for row in _decisions(facts.events))
        for event in facts.events:
            if isinstance(event, FileRead) and _name(event.excerpt) not in self._known:
                self._keep(texts[event.excerpt])
        self.differences(run, facts.differences)
        for one in facts.overruled:
            said = one.correction
            place: Row = (run, said.turn, said.call, said.path)
            self._rows["overruled"].append((*place, said.kind, said.who, said.when, one.said, one.rule))

    def oracle(self, run: int, checked: Iterable[Checked]) -> None:
        """What the record says of files, beside what capture said."""
        self._rows["oracle"] += ((run, c.turn, c.call, c.kind, c.path, c.source, c.agreed, c.captured) for c in checked)

    def differences(self, run: int, differences: Iterable[Difference]) -> None:
        """Where recorded and derived texts of the tab differ."""
        self._rows["differences"] += ((run, d.turn, d.call, d.what, d.recorded, d.derived) for d in differences)

    def timeline(self, run: int, timeline: Timeline) -> None:
        """The whole tab of a run over time; `authored` and `undecided` are among the decisions already."""
        rows = self._rows
        rows["statements"] += ((run, s.turn, s.call, s.text) for s in timeline.statements)
        rows["candidates"] += (
            (run, c.path, c.listed_turn, c.listed_call, c.starred_turn, c.left_turn, c.left_call, c.left_by)
            for c in timeline.candidates
        )
        rows["read_log"] += (
            (run, e.entry_id, e.path, e.turn, e.call, e.command, _name(e.excerpt), e.chars, e.authored, e.partial)
            for e in timeline.entries
        )
        rows["requirements"] += ((run, r.turn, r.call, r.requirement, r.text) for r in timeline.requirements)
        rows["resolutions"] += (
            (run, r.turn, r.call, r.requirement, r.status, r.entry, r.reason) for r in timeline.resolutions
        )
        rows["refusals"] += ((run, r.turn, r.call, r.operation, r.requirement, r.why) for r in timeline.refusals)
        rows["consultations"] += ((run, c.turn, c.call, c.kind, c.entry) for c in timeline.consultations)
        for number, review in enumerate(timeline.reviews):
            rows["reviews"] += ((run, review.turn, review.call, number, *shown) for shown in _matches(review))
        rows["stops"] += ((run, s.turn, s.call) for s in timeline.stops)
        rows["finish_checks"] += (
            (run, f.turn, f.call, f.body, f.open_requirements, f.unopened) for f in timeline.finish_checks
        )

    def beside(self, run: int, rubrics: Sequence[Rubric], verdicts: Sequence[Verdict]) -> None:
        """By what the run was judged, and how."""
        rows = self._rows
        for text in (*(r.text for r in rubrics), *(v.evidence for v in verdicts)):
            self.look(run, text)
        rows["rubrics"] += ((run, r.rubric_id, r.text, r.points) for r in rubrics)
        for r in rubrics:
            rows["rubric_values"] += ((run, r.rubric_id, v.key, v.kind, v.start, v.end) for v in values_in(r.text))
        rows["verdicts"] += ((run, v.rubric_id, v.passed, v.evidence, v.judge_failed) for v in verdicts)

    def delivered(self, run: int, deliverables: Iterable[Deliverable]) -> None:
        """What the run delivered, each file with its text where that is known."""
        for one in deliverables:
            text = None if one.text is None else self._keep(one.text)
            pieces = self._keep_aside(pieces_text(one.pieces)) if one.pieces else None
            place: Row = (run, one.path, one.size, one.sha256, text)
            self._rows["deliverables"].append((*place, one.source, one.turn, one.kind, pieces))

    def take(self) -> Tables:
        """The rows that wait, as Arrow tables; tables without rows are left out."""
        stated = [(run, 0, 0, self._keep(text)) for run, text in self._stated if secrets_in(text)]
        taken = {name: rows for name, rows in self._rows.items() if rows}
        self._rows = {name: [] for name in COLUMNS}
        self._stated = []
        self.size = 0
        tables = {name: _table(name, rows) for name, rows in taken.items()}
        if (values := self._values.take()) is not None:
            tables["text_values"] = values
        if self._secrets and (found := self._secrets.rows(tables.get("texts"), taken, stated)):
            tables["secrets"] = _table("secrets", list(found))
        return tables

    def _keep_aside(self, text: str) -> bytes:
        """Keep a text that is no prose: no values are looked for in it, and it has a digest of its own kind."""
        return self._keep(text, aside=b"aside")

    def _keep(self, text: str, *, aside: bytes = b"") -> bytes:
        try:
            encoded = text.encode()
            stored = encoded if MARK not in text else storable(text).encode()
        except UnicodeEncodeError:
            encoded = text.encode("utf-8", "surrogatepass")
            stored = storable(text).encode()
        digest = blake2b(encoded, digest_size=16, person=aside).digest()
        if digest not in self._known:
            self._known.add(digest)
            number = len(self._rows["texts"])
            self._rows["texts"].append((digest, stored, number))
            self.size += len(stored)
            if not aside:
                self._values.look(number, text)
        return digest

    def _message(self, run: int, turn: int, abandoned: int, after_last: bool, message: Message) -> None:
        said: Row = (self.text(message.text), len(message.text), message.origin, message.kind)
        place: Row = (message.line, message.time, spans_text(message.spans))
        self._rows["messages"].append((run, turn, abandoned, after_last, *said, *place))

    def _call(self, run: int, turn: int, abandoned: int, index: int, call: ToolCall) -> None:
        operation = operation_of(call)
        name = type(operation).__name__.lower() if operation else ""
        arguments = self._keep_aside(arguments_text(call.arguments))
        self._rows["calls"].append(
            (run, turn, abandoned, index, call.call_id, call.name, command_text(call), name, arguments, call.line)
        )

    def _observation(self, run: int, turn: int, abandoned: int, shown: Observation) -> None:
        text: Row = (shown.call_id, self.text(shown.text), len(shown.text), shown.is_error, spans_text(shown.spans))
        place: Row = (shown.images, shown.exit_code, shown.cwd, shown.line, shown.time)
        self._rows["observations"].append((run, turn, abandoned, *text, *place))


_name = bytes.fromhex


_Decided = FileListed | FileRead | FileAuthored | FileRenamed | CaptureUndecided


def _decisions(events: Iterable[Event]) -> Iterator[Row]:
    """Rows of `decisions` without the run; neighbours that differ in nothing but the path are one row."""
    decided = [event for event in events if isinstance(event, _Decided)]
    for decision, together in groupby(decided, _decision):
        yield *decision, tuple(event.path for event in together)


def _decision(event: _Decided) -> tuple[int, int, str, str, bool, str]:
    match event:
        case FileListed():
            return event.turn, event.call, "listed", event.rule, False, ""
        case FileRead():
            return event.turn, event.call, "read", event.rule, event.partial, ""
        case FileAuthored():
            return event.turn, event.call, "authored", event.rule, False, ""
        case FileRenamed():
            return event.turn, event.call, "renamed", event.rule, False, event.previous
        case CaptureUndecided():
            return event.turn, event.call, "unknown", event.reason, False, ""
        case _:
            assert_never(event)


def _matches(review: Reviewed) -> Iterable[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    return [(m.requirement, m.entries, m.candidates) for m in review.matches] or [("", (), ())]


def _table(name: str, rows: list[Row]) -> pa.Table:
    columns = COLUMNS[name]
    arrays = [
        _array(list(values), kind) for values, kind in zip(zip(*rows, strict=True), columns.values(), strict=True)
    ]
    return pa.Table.from_arrays(arrays, names=list(columns))


def _array(values: list[Value], kind: pa.DataType) -> pa.Array:
    if kind is _WORD and type(values[0]) is bytes:
        return pa.array(values, pa.binary(), memory_pool=_MEMORY).view(_WORD)
    if kind is _WORD:
        words: list[str | None] = values  # type: ignore[assignment]
        return _word_array(words)
    if kind is _WORDS:
        lists: list[tuple[str, ...]] = values  # type: ignore[assignment]
        return _words_array(lists)
    return pa.array(values, kind, memory_pool=_MEMORY)


def _words_array(lists: list[tuple[str, ...]]) -> pa.Array:
    words = _word_array([word for words in lists for word in words])
    ends = accumulate(map(len, lists), initial=0)
    return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), words)


def _word_array(words: list[str | None]) -> pa.Array:
    """A column of texts, changed only where DuckDB could not hold one as it is."""
    try:
        array = pa.array(words, _WORD, memory_pool=_MEMORY)
    except UnicodeEncodeError:
        pass
    else:
        texts = array.buffers()[2]
        if texts is None or MARK_BYTES not in texts.to_pybytes():
            return array
    return pa.array([None if word is None else storable(word) for word in words], _WORD, memory_pool=_MEMORY)
