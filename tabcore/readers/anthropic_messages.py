"""Conversations in the form of Anthropic's Messages API (JSON or JSONL), bare or wrapped, one or several in a file.

In this form a model and a user take turns: assistant messages that follow one another are parts of one response, as
exports of Claude Code sessions split it, unless their ids differ. Responses emptied of their thinking stay turns.
What Claude Code put into the user role or behind a result is told apart as in its own logs. The order is the
record's, whatever its times say. `line` is a message's line, or its number in the list. Two
parallel calls whose lines stand apart, each with its result, are two turns: nothing in the record joins them.
Format: Anthropic's API reference, and the export in Bio-Babel/bio-babel-pancreas, session.jsonl.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec

from tabcore.readers.assembly import Response, RunAssembler
from tabcore.readers.base import Account, account_of, seconds
from tabcore.readers.contents import arguments, content
from tabcore.readers.conversations import conversations, dialect_of, run_id
from tabcore.readers.heads import Head
from tabcore.readers.insertions import reminders_in_result, tab_block, user_message
from tabcore.readers.json_documents import shaped
from tabcore.source import Source
from tabcore.trajectory import Json, Message, Observation, Piece, RunHeader, Span, ToolCall, Usage

NAME = "anthropic-messages"


class _Block(msgspec.Struct):
    type: str = ""
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    input: Any = None
    call_id: str | None = msgspec.field(default=None, name="tool_use_id")
    content: Any = None
    is_error: bool | None = None


class _Usage(msgspec.Struct):
    input: int | None = msgspec.field(default=None, name="input_tokens")
    output: int | None = msgspec.field(default=None, name="output_tokens")
    cache_read: int | None = msgspec.field(default=None, name="cache_read_input_tokens")
    cache_write: int | None = msgspec.field(default=None, name="cache_creation_input_tokens")


class _Message(msgspec.Struct):
    role: str = ""
    content: str | list[_Block] | None = None
    id: str | None = None
    model: str | None = None
    timestamp: str | float | None = None
    stop_reason: str | None = None
    usage: _Usage | None = None


class _About(msgspec.Struct):
    system: Any = None
    model: str | None = None
    session_id: str | None = None


def recognises(head: Head) -> bool:
    """True for messages that speak Anthropic's dialect."""
    return dialect_of(head) == "anthropic"


def read(source: Source) -> Iterator[Piece]:
    """The conversations of the file, each a run."""
    account, taken = account_of(source, "message"), set[str]()
    for number, (told, messages) in enumerate(conversations(source, _Message, account)):
        about = shaped({**told, "messages": None}, _About, 0, account) or _About()
        run = _Run(about, run_id(told, number, taken), account)
        for line, message in messages:
            run.take(line, message)
            if account.pieces:
                yield from account.drain()
        run.end()
    yield from account.close()


class _Run:
    """The run of one conversation."""

    def __init__(self, about: _About, key: str, account: Account) -> None:
        self._account = account
        header = RunHeader(NAME, session=about.session_id or "", model=about.model)
        self._run = RunAssembler(key, header, account)
        self._turn_is_open = False
        self._latest: float | None = None
        self._has_tab = False
        if system := content(about.system).text:
            self._run.say(Message(system, "harness", "system"))

    def take(self, line: int, message: _Message) -> None:
        """One message."""
        time = self._time(message, line)
        match message.role:
            case "assistant":
                self._answer(message, line, time)
            case "user":
                self._turn_is_open = False
                for block in _blocks(message):
                    self._heard(block, line, time)
            case "system":
                self._run.say(Message(content(_texts(message)).text, "harness", "system", line, time))
            case other:
                self._account.not_understood(line, other)

    def end(self) -> None:
        """All that is still open."""
        if self._run.turns == 0:
            self._account.note(0, "no turns", "the log holds no response of a model", "kept without turns")
        self._run.end()

    def _time(self, message: _Message, line: int) -> float | None:
        time = seconds(message.timestamp)
        if time is None:
            self._account.untimed += 1
            return None
        if self._run.header.started is None:
            self._run.header = replace(self._run.header, started=time)
        if self._latest is not None and time < self._latest:
            what = "the time is earlier than that of a message before"
            self._account.note(line, "time order", what, "the record's order was kept")
        self._latest = max(time, self._latest or time)
        return time

    def _answer(self, message: _Message, line: int, time: float | None) -> None:
        """A response, or a further part of the one that is open."""
        response = self._run.response
        differs = bool(response and response.ident and message.id and response.ident != message.id)
        if response is None or differs or not self._turn_is_open:
            response = Response(message.id or "", line, time, message.model)
            self._run.respond(response)
            self._turn_is_open = True
        response.usage = _usage(message.usage) or response.usage
        if message.stop_reason in _CUT_SHORT:
            response.outcome = "failed"
        for block in _blocks(message):
            self._part(response, block, line, time)

    def _part(self, response: Response, block: _Block, line: int, time: float | None) -> None:
        match block.type:
            case "text":
                response.texts.extend([block.text] if block.text else [])
            case "thinking":
                response.reasonings.extend([block.thinking] if block.thinking else [])
            case "tool_use" | "server_tool_use" | "mcp_tool_use":
                name = block.name or ""
                self._has_tab |= name.rpartition("__")[2] in _TAB_TOOLS
                call = ToolCall(block.id or "", name, arguments(block.input, name, line, self._account), line)
                if not self._run.call(call):
                    what = f"the call {call.call_id} stands here again"
                    self._account.note(line, "repeated record", what, "read once")
            case "redacted_thinking":
                pass
            case kind if kind.endswith("tool_result"):
                self._run.observe(_observation(block, line, time))
            case kind:
                what = f'a block of the unknown type "{kind[:60]}"'
                self._account.note(line, "unknown block", what, "left out", True)

    def _heard(self, block: _Block, line: int, time: float | None) -> None:
        """A block of the user role: a result, or text."""
        if block.type.endswith("tool_result"):
            self._run.observe(_observation(block, line, time))
        elif block.type == "text":
            self._say(block.text or "", line, time)
        else:
            what = f'a block of type "{block.type[:60]}" stands in a message'
            self._account.note(line, "picture", what, "not kept", lost=True)

    def _say(self, text: str, line: int, time: float | None) -> None:
        message, response = user_message(text, line, time), self._run.response
        if self._has_tab and text.startswith("[tab] Finish check"):
            message = Message(text, "tab", "notice", line, time)
        elif text.startswith("Base directory for this skill: "):
            message = Message(text, "harness", "reminder", line, time)
        if text.startswith("[Request interrupted by user") and response and not response.calls:
            response.outcome = "aborted"
        self._run.say(message)


_CUT_SHORT = frozenset(("max_tokens", "refusal", "model_context_window_exceeded"))
_TAB_TOOLS = frozenset(["tab_add", "tab_resolve", "tab_list", "tab_show", "add", "resolve", "list", "show"])
_EXIT_CODE = re.compile(r"(?:Error: )?Exit code (\d{1,10})(?:\n|\Z)")


def _observation(block: _Block, line: int, time: float | None) -> Observation:
    parts = block.content if isinstance(block.content, list) else [block.content]
    found = [content(part) for part in parts if not _is_reference(part)]
    texts = [part.text for part in found if part.text]
    text, is_error = "\n".join(texts), bool(block.is_error)
    spans, exit_code = reminders_in_result(text) + tab_block(texts), None
    if is_error and (status := _EXIT_CODE.match(text)):
        exit_code = int(status.group(1))
        spans = (Span(0, status.end(), "harness", "exit status"), *spans)
    images = sum(part.images for part in found)
    return Observation(block.call_id or "", text, is_error, spans, images, exit_code, None, line, time)


def _is_reference(part: object) -> bool:
    """True for the name of a tool that a search for tools found: it is loaded, not shown."""
    return isinstance(part, dict) and part.get("type") == "tool_reference"


def _blocks(message: _Message) -> list[_Block]:
    if isinstance(message.content, str):
        return [_Block("text", message.content)]
    return message.content or []


def _texts(message: _Message) -> list[Json]:
    return [block.text for block in _blocks(message)]


def _usage(usage: _Usage | None) -> Usage | None:
    if usage is None:
        return None
    return Usage(usage.input or 0, usage.output or 0, usage.cache_read or 0, usage.cache_write or 0)
