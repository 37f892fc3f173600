"""Telemetry logs of OpenClaw (JSONL, plugin telemetry-hal): events, and at an agent's end its whole conversation.

`{type, seq, ts, sessionKey?, …}`. Verified on one published sample (meridianlabs-ai/inspect_scout). Each `sessionKey` is
a run with that key. `agent.end.messages` is the conversation, in the Pi agent's messages; it is told again at each end,
and counts once. Where a session has no end in the log, its `tool.start` are the calls: what they returned was not
recorded. A spawned session names the call that started it. `markdown` (the workspace's notes, as they are at the end)
is passed over. `line` is the event's line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from tabcore.readers.assembly import Response, RunAssembler
from tabcore.readers.base import Account, seconds
from tabcore.readers.contents import arguments, content, unpacked
from tabcore.readers.heads import Head
from tabcore.readers.json_documents import shaped
from tabcore.readers.records import records
from tabcore.source import Source
from tabcore.trajectory import Json, Message, Observation, Outcome, Piece, RunHeader, Span, ToolCall, Usage

NAME = "openclaw"


class _Event(msgspec.Struct):
    type: str = ""
    ts: float | None = None
    session: str | None = msgspec.field(default=None, name="sessionKey")
    content: Any = None
    prompt: str | None = None
    messages: list[Any] | None = None
    success: bool | None = None
    error: str | None = None
    tool: str | None = msgspec.field(default=None, name="toolName")
    params: Any = None


class _Cost(msgspec.Struct):
    total: float | None = None


class _Usage(msgspec.Struct, rename="camel"):
    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None
    cost: _Cost | None = None


class _Details(msgspec.Struct, rename="camel"):
    exit_code: int | None = None
    cwd: str | None = None


class _Said(msgspec.Struct, rename="camel"):
    role: str = ""
    content: Any = None
    timestamp: str | float | None = None
    model: str | None = None
    usage: _Usage | None = None
    stop_reason: str | None = None
    error_message: str | None = None
    tool_call_id: str | None = None
    is_error: bool | None = None
    details: _Details | None = None


@dataclass(slots=True)
class _Conversation:
    """What the log holds of one session."""

    line: int
    prompt: str = ""
    messages: dict[str, tuple[int, Json]] = field(default_factory=dict)
    events: list[tuple[int, _Event]] = field(default_factory=list)


_SILENT = frozenset(
    ["message.out", "llm.start", "llm.end", "session.start", "session.end", "gateway.start", "gateway.stop"]
)


def recognises(head: Head) -> bool:
    """True for a log whose first records are OpenClaw's telemetry."""
    return any(isinstance(value, dict) and _is_event(value) for value in head.values)


def read(source: Source) -> Iterator[Piece]:
    """One run per session."""
    account = Account(source.path)
    log = _Log(account)
    for line, _, event, _ in records(source, _Event, _is_event, account):
        log.take(line, event)
    log.end()
    yield from account.close()


def _is_event(value: dict[str, Json]) -> bool:
    kind = value.get("type")
    known = isinstance(kind, str) and kind.startswith(("message.", "agent.", "tool.", "llm."))
    return known and "ts" in value and "seq" in value


class _Log:
    """The sessions of a log: collected first, since an end tells again what earlier ends told."""

    def __init__(self, account: Account) -> None:
        self._account = account
        self._sessions: dict[str, _Conversation] = {}
        self._received: list[tuple[int, str]] = []
        self._started_by: dict[str, tuple[str, str]] = {}

    def take(self, line: int, event: _Event) -> None:
        """One event of the log."""
        self._account.untimed += event.ts is None
        session = self._sessions.setdefault(event.session, _Conversation(line)) if event.session else None
        match event.type:
            case "message.in":
                self._received.append((line, content(event.content).text))
            case "agent.start" if session:
                session.prompt = session.prompt or event.prompt or ""
            case "agent.end" if session:
                self._conversation(session, event, line)
            case "tool.start" | "tool.end" if session:
                session.events.append((line, event))
            case kind if kind not in _SILENT:
                self._account.not_understood(line, kind)

    def end(self) -> None:
        """The runs, and what people wrote that is in none of them."""
        for key, session in self._sessions.items():
            for _, message in session.messages.values():
                self._spawned(key, message)
        for key, session in self._sessions.items():
            above = self._started_by.get(key)
            header = RunHeader(NAME, NAME, session=key, parent_key=above[0] if above else None,
                               parent_call=above[1] if above else None)  # fmt: skip
            _Session(RunAssembler(_safe(key), header, self._account), self._account).read(session)
        told = "\n".join(_told(session) for session in self._sessions.values())
        for line, text in self._received:
            if text and text not in told:
                what = f"a message that came in is in no session of the log ({text[:200]})"
                self._account.note(line, "message elsewhere", what, "not in a run", lost=True)

    def _conversation(self, session: _Conversation, event: _Event, line: int) -> None:
        for number, message in enumerate(event.messages or []):
            session.messages.setdefault(_mark(message, number), (line, message))
        if event.success is False:
            why = (event.error or "no reason is given")[:300]
            self._account.note(line, "failed run", f"the agent's run failed ({why})", "kept as far as it goes")

    def _spawned(self, key: str, message: Json) -> None:
        """Notes which session a result says was started by which call."""
        if isinstance(message, dict) and message.get("toolName") == "sessions_spawn":
            answer = unpacked(content(message.get("content")).text)
            child, call = (
                (answer.get("childSessionKey") if isinstance(answer, dict) else None),
                message.get("toolCallId"),
            )
            if isinstance(child, str) and isinstance(call, str):
                self._started_by[child] = (_safe(key), call)


def _safe(key: str) -> str:
    return re.sub(r"[^\w.-]+", "-", key)[:120]


def _mark(message: Json, number: int) -> str:
    """What tells a message from the others of its session, whichever end tells it."""
    if not isinstance(message, dict):
        return f"{number}"
    told = [message.get("role"), message.get("timestamp"), message.get("toolCallId")]
    return msgspec.json.encode([*told, None if message.get("timestamp") else number]).decode()


def _told(session: _Conversation) -> str:
    users = [
        message
        for _, message in session.messages.values()
        if isinstance(message, dict) and message.get("role") == "user"
    ]
    return "\n".join([session.prompt, *(content(message.get("content")).text for message in users)])


class _Session:
    """One session into its run."""

    def __init__(self, run: RunAssembler, account: Account) -> None:
        self._run = run
        self._account = account

    def read(self, session: _Conversation) -> None:
        """The conversation, or, where no end told it, the bare events."""
        for line, value in session.messages.values():
            said = shaped(value, _Said, line, self._account)
            if said is not None:
                self._take(said, line)
        if not session.messages:
            self._events(session)
        if self._run.turns == 0:
            what = f"the session {self._run.header.session} holds no response"
            self._account.note(session.line, "no turns", what, "kept without turns")
        self._run.end()

    def _take(self, said: _Said, line: int) -> None:
        time, shown = seconds(said.timestamp), content(said.content)
        match said.role:
            case "user":
                self._run.say(prompt_message(shown.text, line, time))
            case "assistant":
                self._answer(said, line, time)
            case "toolResult":
                details = said.details or _Details()
                self._run.observe(
                    Observation(said.tool_call_id or f"line-{line}", shown.text, bool(said.is_error), (), shown.images,
                                details.exit_code, details.cwd, line, time)
                )  # fmt: skip
            case "compactionSummary":
                self._run.say(Message(shown.text, "harness", "compaction", line, time))
            case other:
                self._account.not_understood(line, f"message of {other}")

    def _answer(self, said: _Said, line: int, time: float | None) -> None:
        blocks = [part for part in said.content if isinstance(part, dict)] if isinstance(said.content, list) else []
        response = Response("", line, time, said.model, usage=_usage(said.usage))
        response.outcome = _OUTCOMES.get(said.stop_reason or "", "complete")
        if said.error_message:
            self._account.note(line, "failed response", said.error_message[:300], "kept as a failed turn")
        spoken: list[Json] = [part for part in blocks if part.get("type") == "text"]
        text = content(said.content if isinstance(said.content, str) else spoken).text
        response.texts += [text] if text else []
        response.reasonings += [
            thought for part in blocks if isinstance(thought := part.get("thinking"), str) and thought
        ]
        for number, part in enumerate(part for part in blocks if part.get("type") == "toolCall"):
            ident, name = part.get("id"), part.get("name")
            call_id = ident if isinstance(ident, str) else f"line-{line}.{number}"
            told = name if isinstance(name, str) else ""
            given = arguments(part.get("arguments"), told, line, self._account)
            response.calls.append(ToolCall(call_id, told, given, line))
        self._run.respond(response)

    def _events(self, session: _Conversation) -> None:
        """Calls without a conversation: each is a turn without words, and what it returned is not known."""
        if session.prompt:
            self._run.say(prompt_message(session.prompt, session.line, None))
        for line, event in session.events:
            if event.type == "tool.start":
                name = event.tool or ""
                call = ToolCall(f"line-{line}", name, arguments(event.params, name, line, self._account), line)
                self._run.respond(Response("", line, seconds(event.ts), calls=[call]))
                self._account.note(
                    line, "no output", f'what "{name}" returned was not recorded', "kept without", lost=True
                )


_OUTCOMES: dict[str, Outcome] = {"aborted": "aborted", "error": "failed", "length": "failed"}
_SENDER = re.compile(r"(?:Sender|Conversation info) \(untrusted metadata\):\n```json\n.*?\n```\n+", re.DOTALL)
_STAMP = re.compile(r"\[[A-Z][a-z]{2} \d{4}-\d{2}-\d{2} [^\]\n]*\] ")
_SUBAGENT = re.compile(r"\[Subagent Context\].*?\[Subagent Task\]: ", re.DOTALL)


def prompt_message(text: str, line: int, time: float | None) -> Message:
    """A user's message, with what OpenClaw wrote before it marked; a sub-agent's task is the other agent's words.

    >>> said = prompt_message("[Wed 2026-03-04 14:05 PST] Wake up", 1, None)
    >>> said.origin, said.spans
    ('person', (Span(start=0, end=27, origin='harness', what='inserted'),))
    >>> prompt_message("Read HEARTBEAT.md if it exists", 1, None).kind
    'notice'
    """
    end = 0
    for pattern in (_SENDER, _STAMP, _SUBAGENT):
        if found := pattern.match(text, end):
            end = found.end()
    spans = (Span(0, end, "harness", "inserted"),) if end else ()
    if text.startswith("Read HEARTBEAT.md if it exists"):
        return Message(text, "harness", "notice", line, time)
    return Message(text, "agent" if "[Subagent Context]" in text[:end] else "person", "prompt", line, time, spans)


def _usage(usage: _Usage | None) -> Usage | None:
    if usage is None:
        return None
    counts = (usage.input, usage.output, usage.cache_read, usage.cache_write)
    asked, answered, read_, written = (int(count or 0) for count in counts)
    return Usage(asked, answered, read_, written, usage.cost.total if usage.cost else None)
