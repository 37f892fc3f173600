"""Event streams of the Pi coding agent: `pi --mode json`, and what `pi --mode rpc` writes (JSONL).

Unverified: written after packages/coding-agent/docs/json.md and rpc.md of badlogic/pi-mono; no real stream was at
hand. Each finished message stands in a `message_end`, and is read from there alone: `message_start` and
`message_update` state it while it grows, `turn_end` and `agent_end` once more. A response that was still growing
when the stream ended is kept as aborted. A result that has no message of its own is read from its
`tool_execution_end`. A stream of `--mode json` opens with a session's header.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from tabcore.readers.assembly import RunAssembler
from tabcore.readers.base import Account, account_of, seconds
from tabcore.readers.contents import content
from tabcore.readers.heads import Head
from tabcore.readers.json_documents import shaped
from tabcore.readers.pi_messages import PiConversation, PiMessage, is_event, stated_files
from tabcore.readers.records import records
from tabcore.source import Source
from tabcore.trajectory import Json, Message, Piece, RunHeader

NAME = "pi-stream"

_EVENTS = frozenset(
    [
        "session",
        "agent_start",
        "agent_end",
        "turn_start",
        "auto_compaction_start",
        "auto_compaction_end",
        "compaction_start",
        "compaction_end",
        "auto_retry_start",
        "auto_retry_end",
        "response",
        "extension_error",
        "extension_ui_request",
        "provider_request_context",
    ]
)


class _Event(msgspec.Struct):
    type: str = ""
    id: str | None = None
    cwd: str | None = None
    timestamp: str | float | None = None
    message: msgspec.Raw = msgspec.Raw()
    messages: msgspec.Raw = msgspec.Raw()
    call_id: str | None = msgspec.field(default=None, name="toolCallId")
    tool: str | None = msgspec.field(default=None, name="toolName")
    is_error: bool | None = msgspec.field(default=None, name="isError")
    result: Any = None
    command: str | None = None
    success: bool | None = None
    error: str | None = None
    data: Any = None


def recognises(head: Head) -> bool:
    """True for a log with events of Pi's messages or tools among its first lines."""
    return any(map(is_event, head.records))


def read(source: Source) -> Iterator[Piece]:
    """The one run of the stream."""
    account = account_of(source)
    stream = _Stream(account)
    for line, _place, event, _length in records(source, _Event, _is_record, account):
        stream.take(event, line)
        if account.pieces:
            yield from account.drain()
    stream.end()
    yield from account.close()


def _is_record(value: dict[str, Json]) -> bool:
    return is_event(value) or str(value.get("type")) in _EVENTS


class _Stream:
    """The run of one stream, filled event by event."""

    def __init__(self, account: Account) -> None:
        self._account = account
        run = RunAssembler("", RunHeader(NAME, harness="pi", fresh_cwd=True), account)
        self._talk = PiConversation(run, account)
        self._growing: tuple[int, msgspec.Raw] | None = None
        self._results: dict[str, tuple[int, _Event]] = {}

    def take(self, event: _Event, line: int) -> None:
        """One event."""
        match event.type:
            case "session":
                self._open(event, line)
            case "message_start" | "message_update":
                self._growing = (line, event.message)
            case "message_end":
                self._growing = None
                self._message(event.message, line)
            case "tool_execution_end":
                self._results[event.call_id or ""] = (line, event)
            case "agent_end" if self._talk.run.turns == 0:
                self._all(event, line)
            case "auto_compaction_end" | "compaction_end":
                self._compacted(event, line)
            case "response":
                self._response(event, line)
            case "turn_end" | "tool_execution_start" | "tool_execution_update":
                pass
            case kind if kind not in _EVENTS:
                self._account.not_understood(line, kind)

    def end(self) -> None:
        """All that is still open."""
        if self._growing is not None:
            line, message = self._growing
            if _role(message) == "assistant":
                self._account.note(line, "unfinished message", "the stream ends inside a response", "kept as aborted")
                self._message(message, line, unfinished=True)
        self._release()
        if self._talk.run.turns == 0:
            self._account.note(0, "no turns", "the log holds no response of a model", "kept without turns")
        self._talk.run.end()

    def _open(self, event: _Event, line: int) -> None:
        if self._talk.run.header.session:
            self._account.note(line, "second session", f"the session {event.id} starts here", "read on as one run")
            return
        started = seconds(event.timestamp)
        self._talk.run.header = RunHeader(
            NAME, harness="pi", session=event.id or "", cwd=event.cwd, fresh_cwd=True, started=started
        )

    def _message(self, raw: msgspec.Raw, line: int, *, unfinished: bool = False) -> None:
        message = shaped(_decoded(raw), PiMessage, line, self._account)
        if message is None:
            self._account.skip(line)
            return
        if message.role == "toolResult":
            self._results.pop(message.call_id or "", None)
        else:
            self._release()
        if unfinished:
            message.stop_reason = "aborted"
        time = seconds(message.timestamp)
        self._account.untimed += time is None
        self._talk.take(message, line, time)

    def _release(self) -> None:
        """Results that no message has told."""
        for line, event in self._results.values():
            told = event.result.get("content") if isinstance(event.result, dict) else event.result
            message = PiMessage(
                "toolResult", content(told).text, call_id=event.call_id, tool=event.tool, is_error=event.is_error
            )
            self._account.untimed += 1
            self._talk.take(message, line, None)
        self._results.clear()

    def _all(self, event: _Event, line: int) -> None:
        """The messages of a stream that was thinned out to its last event."""
        told = _decoded(event.messages)
        for value in told if isinstance(told, list) else ():
            message = shaped(value, PiMessage, line, self._account)
            if message is not None:
                self._talk.take(message, line, seconds(message.timestamp))

    def _compacted(self, event: _Event, line: int) -> None:
        summary = event.result.get("summary") if isinstance(event.result, dict) else None
        if isinstance(summary, str):
            self._talk.run.say(Message(summary, "harness", "compaction", line))
        if isinstance(event.result, dict):
            self._talk.run.state(stated_files(event.result.get("details"), self._talk.run.header.cwd))

    def _response(self, event: _Event, line: int) -> None:
        """An answer to a command: a person's own shell command, or a failure."""
        if event.success is False:
            what = f'the command "{event.command}" failed: {event.error or "no reason given"}'
            self._account.note(line, "failed command", what[:300], "noted")
        elif event.command == "bash" and isinstance(event.data, dict):
            output = content(event.data.get("output")).text
            self._talk.run.say(Message(output, "person", "shell", line))


def _decoded(raw: msgspec.Raw) -> Json:
    try:
        found: Json = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return None
    return found


def _role(raw: msgspec.Raw) -> Json:
    found = _decoded(raw)
    return found.get("role") if isinstance(found, dict) else None
