"""Sessions of Claude's managed agents: their events (JSON or JSONL), bare or as `{role, kind, time, raw: event}` rows.

Format: Anthropic's session events (`agent.*`, `user.*`, `session.*`, `span.*`). Verified by eye on parts of one published
transcript (rows, of open-hai); events that it lacks after the public API reference.

A response is what the agent says and calls until a result comes or the next model request starts; its tokens stand in
`span.model_request_end`. `user.define_outcome` holds the task and a rubric, which only the judge sees: the last
`span.outcome_evaluation_end` is its verdict, and the words that each sends back to the agent are part of the
conversation. `line` is an event's number, or its line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec

from tabcore.readers.assembly import Response, RunAssembler
from tabcore.readers.base import Account, seconds
from tabcore.readers.contents import Content, arguments, content, text_of
from tabcore.readers.heads import Head
from tabcore.readers.json_documents import shaped, values
from tabcore.source import Source
from tabcore.trajectory import Json, Message, Observation, Piece, Rubric, RunHeader, Task, ToolCall, Usage, Verdict

NAME = "managed-agents"

EVIDENCE_LIMIT = 4000
"""Characters of a verdict's explanation that are kept as evidence."""

_RESULTS = {"satisfied": True, "needs_revision": False, "max_iterations_reached": False}
"""Whether the judge found the outcome met. It could not judge when it "failed" or was "interrupted"."""

_DOMAINS = ("agent.", "user.", "session.", "span.")


class _Tokens(msgspec.Struct):
    input_tokens: float | None = None
    output_tokens: float | None = None
    cache_read_input_tokens: float | None = None
    cache_creation_input_tokens: float | None = None


class _Event(msgspec.Struct):
    type: str = ""
    id: str | None = None
    processed_at: str | float | None = None
    name: str | None = None
    input: Any = None
    content: Any = None
    text: str | None = None
    thinking: str | None = None
    tool_use_id: str | None = None
    mcp_tool_use_id: str | None = None
    custom_tool_use_id: str | None = None
    is_error: bool | None = None
    description: str | None = None
    rubric: Any = None
    outcome_id: str | None = None
    result: str | None = None
    explanation: str | None = None
    deny_message: str | None = None
    model: str | None = None
    model_usage: _Tokens | None = None
    usage: _Tokens | None = None
    error: Any = None


def recognises(head: Head) -> bool:
    """True for a log whose first values are a managed agent's events."""
    items = (item for value in head.values for item in _listed(value)[:5])
    return any(isinstance(item, dict) and _is_event(item) for item in items)


def read(source: Source) -> Iterator[Piece]:
    """One run."""
    account = Account(source.path, "event")
    session, number = _Session(account), 0
    for line, value in values(source, _is_event, account):
        items = _listed(value)
        if not items:
            account.note(line, "not a record", "an event is expected here", "passed over", lost=True)
        for item in items:
            number += 1
            session.take(line if len(items) == 1 and line > 1 else number, item)
        yield from account.drain()
    session.end()
    yield from account.close()


def _listed(value: Json) -> list[Json]:
    """The events in a document: a list, or an object's `events` or `data`."""
    if isinstance(value, dict):
        inner = next((value[name] for name in ("events", "data") if isinstance(value.get(name), list)), None)
        return inner if isinstance(inner, list) else [value]
    return value if isinstance(value, list) else [value]


def _is_event(value: dict[str, Json]) -> bool:
    raw = value.get("raw")
    event = raw if isinstance(raw, dict) else value
    kind = event.get("type")
    known = isinstance(kind, str) and kind.startswith(_DOMAINS)
    return known and ("processed_at" in event or ("role" in value and "kind" in value))


class _Session:
    """The session's run, filled event by event."""

    def __init__(self, account: Account) -> None:
        self._account = account
        self._run = RunAssembler("", RunHeader(NAME, harness=NAME), account)
        self._is_over = True
        self._usage: Usage | None = None
        self._outcomes: dict[str, Rubric] = {}

    def take(self, line: int, value: Json) -> None:
        """One event, or the row that holds it."""
        self._account.total += 1
        raw = value.get("raw") if isinstance(value, dict) else None
        event = shaped(raw if isinstance(raw, dict) else value, _Event, line, self._account)
        if event is None:
            self._account.skip(line)
            return
        stamp = value.get("time") if isinstance(value, dict) else None
        time = seconds(event.processed_at if event.processed_at is not None else _stamp(stamp))
        self._account.untimed += time is None
        domain, _, what = event.type.partition(".")
        match domain:
            case "agent":
                self._agent(what, event, line, time)
            case "user":
                self._user(what, event, line, time)
            case "span":
                self._span(what, event, line, time)
            case "session" if what == "error":
                fault = event.error.get("message") if isinstance(event.error, dict) else event.error
                self._account.note(line, "failed run", f"the session failed ({text_of(fault)[:300]})", "kept")
            case "session":
                pass
            case _:
                self._account.not_understood(line, event.type)

    def end(self) -> None:
        """The session has no more events."""
        if self._run.turns == 0:
            self._account.note(0, "no turns", "the log holds no response of the agent", "kept without turns")
        self._run.end()

    def _agent(self, what: str, event: _Event, line: int, time: float | None) -> None:
        match what:
            case "message" | "thread_message_sent":
                text = _shown(event.content).text
                self._open(line, time).texts.extend([text] if text else [])
            case "thinking":
                thought = event.thinking or event.text or content(event.content).text
                self._open(line, time).reasonings.extend([thought] if thought else [])
            case "tool_use" | "mcp_tool_use" | "custom_tool_use":
                self._call(event, line, time)
            case "tool_result" | "mcp_tool_result":
                self._result(event, line, time)
            case "thread_message_received":
                self._run.say(Message(_shown(event.content).text, "agent", "prompt", line, time))
            case "thread_context_compacted":
                self._run.say(Message(_shown(event.content).text, "harness", "compaction", line, time))
            case _:
                self._account.not_understood(line, event.type)

    def _user(self, what: str, event: _Event, line: int, time: float | None) -> None:
        match what:
            case "message":
                shown = _shown(event.content)
                if shown.images:
                    self._account.note(line, "picture", "a picture stands in a person's message", "not kept", lost=True)
                self._run.say(Message(shown.text, "person", "prompt", line, time))
            case "define_outcome":
                text = event.description or _shown(event.content).text
                if self._run.header.task is None and text:
                    self._run.header = replace(self._run.header, task=Task(text, "outcome"))
                self._run.say(Message(text, "person", "prompt", line, time))
                self._outcome(event, text)
            case "custom_tool_result":
                self._result(event, line, time)
            case "interrupt":
                self._run.say(Message("", "person", "notice", line, time))
            case "tool_confirmation":
                if event.deny_message:
                    self._run.say(Message(event.deny_message, "person", "prompt", line, time))
            case _:
                self._account.not_understood(line, event.type)

    def _span(self, what: str, event: _Event, line: int, time: float | None) -> None:
        match what:
            case "model_request_start":
                self._is_over = True
            case "model_request_end":
                usage, response = _usage(event.model_usage or event.usage), self._run.response
                if response is None or self._is_over or response.usage is not None:
                    self._usage = usage
                else:
                    response.usage = usage
            case "outcome_evaluation_end":
                if event.explanation:
                    self._run.say(Message(event.explanation, "harness", "notice", line, time))
                self._judge(event)
            case _:
                pass

    def _outcome(self, event: _Event, asked: str) -> None:
        """What the session is judged by: the rubric's text, else what was asked."""
        ident = event.outcome_id or f"outcome-{len(self._outcomes) + 1}"
        told = event.rubric.get("content") if isinstance(event.rubric, dict) else event.rubric
        self._outcomes[ident] = Rubric(ident, content(told).text or asked)
        self._run.judge(self._outcomes[ident])

    def _judge(self, event: _Event) -> None:
        """A verdict, on the latest outcome where it names none."""
        latest = next(reversed(self._outcomes.values()), None)
        rubric = self._outcomes.get(event.outcome_id or "", latest) or Rubric("outcome-1", "The outcome is satisfied")
        passed = _RESULTS.get(event.result or "")
        evidence = "\n".join(filter(None, (f"result: {event.result or ''}", event.explanation)))[:EVIDENCE_LIMIT]
        self._run.judge(rubric, Verdict(rubric.rubric_id, passed, evidence, judge_failed=event.result == "failed"))

    def _open(self, line: int, time: float | None) -> Response:
        """The response that is being given."""
        response = self._run.response
        if response is None or self._is_over:
            response = Response("", line, time, usage=self._usage)
            self._run.respond(response)
            self._is_over, self._usage = False, None
        return response

    def _call(self, event: _Event, line: int, time: float | None) -> None:
        self._open(line, time)
        name, call_id = event.name or "", event.id or f"event-{line}"
        if not self._run.call(ToolCall(call_id, name, arguments(event.input, name, line, self._account), line)):
            self._account.note(line, "repeated record", f"the call {call_id} stands here again", "read once")

    def _result(self, event: _Event, line: int, time: float | None) -> None:
        shown = _shown(event.content)
        call_id = event.tool_use_id or event.mcp_tool_use_id or event.custom_tool_use_id or f"event-{line}"
        self._run.observe(
            Observation(call_id, shown.text, bool(event.is_error), images=shown.images, line=line, time=time)
        )
        self._is_over = True


def _stamp(value: Json) -> str | float | None:
    return value if isinstance(value, str | int | float) and not isinstance(value, bool) else None


def _shown(value: Json) -> Content:
    """Text and pictures of blocks: of a document its text, of a search result its title, source and text."""
    if not isinstance(value, list):
        return content(value)
    parts = [_block(item) for item in value]
    return Content("\n".join(part.text for part in parts if part.text), sum(part.images for part in parts))


def _block(item: Json) -> Content:
    """One block.

    >>> _block({"type": "search_result", "title": "T", "source": "u", "content": [{"type": "text", "text": "x"}]}).text
    'T\\nu\\nx'
    >>> _block({"type": "document", "source": {"type": "base64", "data": "AAAA"}})
    Content(text='', images=1)
    >>> _block({"type": "document", "title": "Redirecting", "source": {"type": "text", "data": ""}})
    Content(text='Redirecting', images=0)
    """
    if not isinstance(item, dict) or item.get("type") not in ("search_result", "document"):
        return content(item)
    source, inner = item.get("source"), content(item.get("content"))
    title = text_of(item.get("title"))
    if isinstance(source, dict):
        data = source.get("data") if source.get("type") == "text" else source.get("content")
        known = content(data)
        packed = int(source.get("type") not in ("text", "content"))
        return Content("\n".join(filter(None, (title, known.text, inner.text))), packed + known.images + inner.images)
    return Content("\n".join(filter(None, (title, text_of(source), inner.text))), inner.images)


def _usage(tokens: _Tokens | None) -> Usage | None:
    if tokens is None:
        return None
    cached = (tokens.cache_read_input_tokens, tokens.cache_creation_input_tokens)
    return Usage(*(int(count or 0) for count in (tokens.input_tokens, tokens.output_tokens, *cached)))
