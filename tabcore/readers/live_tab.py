"""Journals of this program's own live tabs (JSONL).

Lines `{"step": …}`, each one thing that happened to the tab, and before a step that showed something a line
`{"text": …}` with the call and the text. What the tab said is recorded too: a status line beside a result, the replies to its
operations, the finish check. Steps of one response share a turn. The facts that a step holds are not read: they are
derived from the calls once more, and where the tab's words then differ, the run says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from tabcore.readers.assembly import Response, RunAssembler
from tabcore.readers.base import Account, account_of
from tabcore.readers.growing import read_whole
from tabcore.readers.heads import Head
from tabcore.readers.insertions import tab_block
from tabcore.readers.records import records
from tabcore.source import Source
from tabcore.trajectory import Json, Message, Observation, Piece, RunHeader, Span, ToolCall

NAME = "live-tab"

_STEPS = frozenset(["begun", "task", "call", "operation", "stop"])


class _Record(msgspec.Struct):
    step: str = ""
    turn: int = 0
    time: float | None = None
    agent: str = ""
    cwd: str = ""
    said: str = ""
    shown: str = ""
    about: dict[str, str] = {}
    events: list[dict[str, Any]] = []
    text: str = ""
    name: str = ""
    arguments: dict[str, Any] = {}
    body: str = ""
    is_error: bool = False


def recognises(head: Head) -> bool:
    """True for a log whose first records are a journal's."""
    return head.has_record(_is_record)


def read(source: Source) -> Iterator[Piece]:
    """One run."""
    yield from read_whole(Growing(account_of(source)), source, ids=False)


class Growing:
    """A journal while it grows: nothing in it changes what stands above."""

    def __init__(self, account: Account) -> None:
        self._account = account
        self._run = RunAssembler("", RunHeader(NAME), account)
        self._turn = 0
        self._calls = 0
        self._text: _Record | None = None

    def look(self, arrived: Source) -> bool:
        """Always true."""
        return True

    def take(self, arrived: Source) -> Iterator[Piece]:
        """The pieces of these steps."""
        for line, _, record, _ in records(arrived, _Record, _is_record, self._account):
            if record.step:
                self._step(record, line)
                self._text = None
            else:
                self._text = record
            if self._account.pieces:
                yield from self._account.drain()

    def end(self) -> Iterator[Piece]:
        """The turn that is still open, and the tally."""
        if self._run.turns == 0:
            self._account.note(0, "no turns", "nothing was called yet", "kept without turns")
        self._run.end()
        yield from self._account.close()

    def shared(self) -> tuple[object, ...]:
        """Nothing."""
        return ()

    def _step(self, step: _Record, line: int) -> None:
        self._account.untimed += step.time is None
        match step.step:
            case "begun":
                self._begin(step)
            case "task":
                asked = next((event.get("text") for event in step.events), None)
                self._run.say(Message(str(asked or ""), "person", "prompt", line, step.time))
            case "call" | "operation":
                self._call(step, line)
            case "stop":
                self._respond(step, line)
                if step.said:
                    self._run.say(Message(step.said, "tab", "notice", line, step.time))
            case other:
                self._account.not_understood(line, other)

    def _begin(self, step: _Record) -> None:
        told = step.about
        root = told.get("workspace")
        self._run.header = RunHeader(
            NAME,
            harness=told.get("harness", ""),
            root=root,
            cwd=root,
            fresh_cwd="fresh_cwd" in told,
            method=told.get("method"),
            task_name=told.get("task"),
            started=step.time,
        )

    def _respond(self, step: _Record, line: int) -> None:
        if step.turn != self._turn or self._run.response is None:
            self._turn, self._calls = step.turn, 0
            self._run.respond(Response("", line, step.time, None, step.cwd or None))

    def _call(self, step: _Record, line: int) -> None:
        text = self._text
        if text is None or text.text != step.shown:
            what = "what the call was and what it showed do not stand above it"
            self._account.note(line, "no text", what, "skipped", lost=True)
            self._account.skip(line)
            return
        self._respond(step, line)
        call_id = f"{step.turn}.{self._calls}"
        self._calls += 1
        self._run.call(ToolCall(call_id, text.name, text.arguments, line))
        shown, spans = _as_shown(text.body, step.said)
        self._run.observe(
            Observation(call_id, shown, text.is_error, spans, cwd=text.cwd or None, line=line, time=step.time)
        )


def _as_shown(text: str, status_line: str) -> tuple[str, tuple[Span, ...]]:
    """A result as the agent was shown it: the status line under it."""
    blocks = [text, status_line] if status_line else [text]
    return "\n".join(blocks), tab_block(blocks)


def _is_record(value: dict[str, Json]) -> bool:
    if isinstance(value.get("step"), str):
        return value["step"] in _STEPS and isinstance(value.get("turn"), int)
    text = value.get("text")
    return isinstance(text, str) and len(text) == 32 and "bytes" in value and "body" in value
