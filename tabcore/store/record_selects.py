"""Out of the store: the record of a run as the reader gave it, from which its tab can be derived again."""

from __future__ import annotations

import json
import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from tabcore.store.records import StoredRun
from tabcore.store.selects import Connection, spans_of, texts
from tabcore.store.texts import restored_rows
from tabcore.trajectory import Message, Observation, RunHeader, Stated, Task, ToolCall, Turn, Usage

_Texts = Mapping[uuid.UUID | None, str]
_Row = tuple[Any, ...]

_HEADER = (
    "format, harness, session, stated_task, stated_source, stated_root, cwd, fresh_cwd, method, model, attempt,"
    " attempts, suite, task_name, started, simulated, parent_key, parent_call"
)


def stored_run(connection: Connection, number: int) -> StoredRun:
    """The record of a run: header, turns on the branch that counts, what was said after the last."""

    def rows(table: str, columns: str) -> list[_Row]:
        query = f"SELECT {columns} FROM {table} WHERE run = ? AND abandoned = 0 ORDER BY rowid"
        return restored_rows(connection.execute(query, [number]).fetchall())

    usage = "has_usage, tokens_in, tokens_out, cache_read, cache_write, cost"
    turns = rows("turns", f"turn, text, reasoning, outcome, model, cwd, line, time, {usage}")
    messages = rows("messages", "text, turn, after_last, origin, kind, line, time, spans")
    calls = rows("calls", "arguments, turn, call_id, name, line")
    shown = rows("observations", "text, turn, call_id, is_error, spans, images, exit_code, cwd, line, time")
    stated = _by_turn(rows("stated", "source, turn, kind, path, call_id"))
    named = [row[0] for table in (messages, calls, shown) for row in table]
    text = texts(connection, [*named, *(row[1] for row in turns), *(row[2] for row in turns)])
    said = _by_turn(messages)
    made, seen = _by_turn(calls), _by_turn(shown)
    query = f"SELECT path, key, digest, {_HEADER} FROM runs WHERE number = ?"
    [(path, key, digest, *header)] = restored_rows(connection.execute(query, [number]).fetchall())
    return StoredRun(
        path=path,
        key=key,
        digest=digest,
        header=_header(*header),
        turns=tuple(_turn(row, text, said[row[0]], made[row[0]], seen[row[0]], stated[row[0]]) for row in turns),
        after=tuple(_message(row, text) for row in messages if row[2]),
    )


def _by_turn(rows: Iterable[_Row]) -> defaultdict[int, list[_Row]]:
    found: defaultdict[int, list[_Row]] = defaultdict(list)
    for row in rows:
        found[row[1]].append(row)
    return found


def _header(*row: Any) -> RunHeader:
    log_format, harness, session, task, source, root, *others = row
    stated = None if task is None else Task(task, source)
    return RunHeader(log_format, harness, session, stated, root, *others)


def _turn(row: _Row, text: _Texts, said: list[_Row], made: list[_Row], seen: list[_Row], stated: list[_Row]) -> Turn:
    number, words, reasoning, outcome, model, cwd, line, time, has_usage, *usage = row
    return Turn(
        number=number,
        text=text[words],
        reasoning=text[reasoning],
        calls=tuple(_call(call, text) for call in made),
        observations=tuple(_observation(observation, text) for observation in seen),
        before=tuple(_message(message, text) for message in said if not message[2]),
        outcome=outcome,
        model=model,
        usage=Usage(*usage) if has_usage else None,
        cwd=cwd,
        line=line,
        time=time,
        stated=tuple(Stated(kind, path, source, call_id) for source, _, kind, path, call_id in stated),
    )


def _message(row: _Row, text: _Texts) -> Message:
    name, _, _, origin, kind, line, time, spans = row
    return Message(text[name], origin, kind, line, time, spans_of(spans))


def _call(row: _Row, text: _Texts) -> ToolCall:
    arguments, _, call_id, name, line = row
    return ToolCall(call_id, name, json.loads(text[arguments]), line)


def _observation(row: _Row, text: _Texts) -> Observation:
    name, _, call_id, is_error, spans, images, exit_code, cwd, line, time = row
    return Observation(call_id, text[name], is_error, spans_of(spans), images, exit_code, cwd, line, time)
