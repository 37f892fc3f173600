"""The messages of the Pi coding agent, wherever they were recorded, into the turns of a run.

Roles: system (as DCI-Agent-Lite adds it), user, assistant, toolResult, bashExecution (a person's own command),
compactionSummary and branchSummary, custom. Format: badlogic/pi-mono, packages/ai/src/types.ts.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from tabcore.readers.assembly import Response, RunAssembler
from tabcore.readers.base import Account
from tabcore.readers.contents import arguments
from tabcore.readers.insertions import tab_block
from tabcore.trajectory import Json, Message, Observation, Outcome, Span, Stated, StatedKind, ToolCall, Usage

ROLES = frozenset(["system", "user", "assistant", "toolResult", "bashExecution"])

CLEARED = "[tool result cleared from conversation context]"
"""What DCI-Agent-Lite puts in the place of a result that it cleared."""


class Block(msgspec.Struct):
    type: str = ""
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    arguments: Any = None


class Cost(msgspec.Struct):
    total: float | None = None


class Tokens(msgspec.Struct):
    input: int | None = None
    output: int | None = None
    cache_read: int | None = msgspec.field(default=None, name="cacheRead")
    cache_write: int | None = msgspec.field(default=None, name="cacheWrite")
    cost: Cost | None = None


class PiMessage(msgspec.Struct):
    """One message; of each role only some fields are there."""

    role: str = ""
    content: str | list[Block] | None = None
    timestamp: str | float | None = None
    model: str | None = None
    usage: Tokens | None = None
    stop_reason: str | None = msgspec.field(default=None, name="stopReason")
    error: str | None = msgspec.field(default=None, name="errorMessage")
    call_id: str | None = msgspec.field(default=None, name="toolCallId")
    tool: str | None = msgspec.field(default=None, name="toolName")
    is_error: bool | None = msgspec.field(default=None, name="isError")
    command: str | None = None
    output: str | None = None
    summary: str | None = None


def is_event(value: dict[str, Json]) -> bool:
    """True for an event of a stream, which opens with a session's header just as a session's log does.

    >>> is_event({"type": "message_end", "message": {"role": "user"}}), is_event({"type": "message"})
    (True, False)
    """
    kind, message = value.get("type"), value.get("message")
    if kind in ("message_start", "message_update", "message_end", "turn_end"):
        return isinstance(message, dict) and "role" in message
    executed = ("tool_execution_start", "tool_execution_update", "tool_execution_end")
    return kind in executed and "toolCallId" in value


class PiConversation:
    """Puts messages into a run, one after another. `has_tab` is true once a tab's tool or status line was seen."""

    def __init__(self, run: RunAssembler, account: Account, *, has_tab: bool = False) -> None:
        self.run = run
        self.has_tab = has_tab
        self._account = account

    def take(self, message: PiMessage, line: int, time: float | None) -> None:
        """The next message of the conversation."""
        match message.role:
            case "assistant":
                self.run.respond(self._response(message, line, time))
            case "toolResult":
                self.run.observe(self._observation(message, line, time))
            case "user":
                self.run.say(self._prompt(message, line, time))
            case "system":
                self.run.say(Message(said(message), "harness", "system", line, time))
            case "bashExecution":
                text = f"!{message.command or ''}\n{message.output or ''}"
                self.run.say(Message(text, "person", "shell", line, time))
            case "compactionSummary" | "branchSummary":
                self.run.say(Message(message.summary or said(message), "harness", "compaction", line, time))
            case "custom" | "hookMessage":
                text = said(message)
                self.run.say(Message(text, "tab" if is_finish_check(text) else "harness", "notice", line, time))
            case other:
                self._account.not_understood(line, other)
                if text := said(message):
                    self.run.say(Message(text, "harness", "notice", line, time))

    def _response(self, message: PiMessage, line: int, time: float | None) -> Response:
        outcome = _OUTCOMES.get(message.stop_reason or "", "complete")
        if message.error and outcome != "aborted":
            self._account.note(line, "failed response", message.error[:300], "kept as a failed turn")
        response = Response("", line, time, message.model, None, outcome, _usage(message.usage))
        for block in _blocks(message):
            if block.type == "toolCall":
                response.calls.append(self._call(block, line))
            elif block.type == "text":
                response.texts.extend([block.text] if block.text else [])
            elif block.thinking:
                response.reasonings.append(block.thinking)
        return response

    def _call(self, block: Block, line: int) -> ToolCall:
        name = block.name or ""
        self.has_tab |= name in _TAB_TOOLS
        return ToolCall(block.id or "", name, arguments(block.arguments, name, line, self._account), line)

    def _observation(self, message: PiMessage, line: int, time: float | None) -> Observation:
        texts = [block.text or "" for block in _blocks(message) if block.type == "text"]
        text, spans = "\n".join(texts), tab_block(texts)
        self.has_tab |= bool(spans)
        notes, exit_code = notes_under(text, spans[0].start if spans else len(text), message.tool or "")
        images = sum(block.type == "image" for block in _blocks(message))
        is_error = message.is_error is True
        return Observation(message.call_id or "", text, is_error, notes + spans, images, exit_code, None, line, time)

    def _prompt(self, message: PiMessage, line: int, time: float | None) -> Message:
        text = said(message)
        if self.has_tab and is_finish_check(text):
            return Message(text, "tab", "notice", line, time)
        if any(block.type == "image" for block in _blocks(message)):
            self._account.note(line, "picture", "a picture stands in a person's message", "not kept", lost=True)
        return Message(text, "person", "prompt", line, time)


_TAB_TOOLS = frozenset(["tab_add", "tab_resolve", "tab_list", "tab_show", "add", "resolve", "list", "show"])
_OUTCOMES: dict[str, Outcome] = {"aborted": "aborted", "error": "failed", "length": "failed"}


def is_finish_check(text: str) -> bool:
    """True for words of the tab's at a stop, where it is known that they are no person's."""
    return text.startswith("[tab] Finish check")


def said(message: PiMessage) -> str:
    """The text of a message's blocks."""
    return "\n".join(block.text or "" for block in _blocks(message) if block.type == "text")


def _blocks(message: PiMessage) -> list[Block]:
    if isinstance(message.content, str):
        return [Block("text", message.content)]
    return message.content or []


def _usage(usage: Tokens | None) -> Usage | None:
    if usage is None:
        return None
    cost = usage.cost.total if usage.cost else None
    return Usage(usage.input or 0, usage.output or 0, usage.cache_read or 0, usage.cache_write or 0, cost)


_FILES: dict[str, StatedKind] = {"readFiles": "read", "modifiedFiles": "changed"}


def stated_files(details: object, cwd: str | None) -> Iterator[Stated]:
    """The files that a compaction says were read, and changed, in all that it replaces; none where it is silent.

    >>> [(one.kind, one.path) for one in stated_files({"readFiles": ["a.txt"], "modifiedFiles": ["/x/b"]}, "/w")]
    [('read', '/w/a.txt'), ('changed', '/x/b')]
    """
    if not isinstance(details, dict):
        return
    for name, kind in _FILES.items():
        paths = details.get(name)
        for path in paths if isinstance(paths, list) else ():
            if isinstance(path, str) and path:
                yield Stated(kind, posixpath.join(cwd or "", path), f"compaction.details.{name}")


_MORE_LINES = re.compile(r"\n\n\[(?:\d+ more lines in file|Showing (?:lines|last) )[^\n]*\]\Z")
_EXIT = re.compile(r"(?:\n\n|\A)Command (?:exited with code (\d{1,10})|aborted|timed out[^\n]*)\Z")


def notes_under(text: str, end: int, tool: str) -> tuple[tuple[Span, ...], int | None]:
    """What Pi wrote under a result that ends at `end`, as spans, and the exit code if it is told there.

    >>> notes_under("a\\n\\nCommand exited with code 2", 29, "bash")
    ((Span(start=1, end=29, origin='harness', what='exit status'),), 2)
    """
    if text.startswith(CLEARED):
        return (Span(0, end, "harness", "placeholder"),), None
    if tool not in ("bash", "read"):
        return (), None
    if end == 11 and text.startswith("(no output)"):
        return (Span(0, end, "harness", "no output"),), None
    start = max(0, end - 600)
    begin = text.rfind("\n\nCommand ", start, end)
    if begin < 0 and text.startswith("Command "):
        begin = 0
    if tool == "bash" and begin >= 0 and (status := _EXIT.match(text, begin, end)):
        code = int(status.group(1)) if status.group(1) else None
        return (*_truncation(text, start, begin), Span(begin, end, "harness", "exit status")), code
    return _truncation(text, start, end), None


def _truncation(text: str, start: int, end: int) -> tuple[Span, ...]:
    if not text.endswith("]", start, end):
        return ()
    note = _MORE_LINES.search(text[start:end])
    return (Span(start + note.start(), end, "harness", "truncation note"),) if note else ()
