"""Sessions of the Pi coding agent, versions 1 and 3 (JSONL).

A header line `session`, then entries: `message` (roles user, assistant, toolResult, bashExecution), `compaction`,
changes of model. From version 3 on entries form a tree by `id` and `parentId`. Pi starts each bash command in the
session's directory. Format: badlogic/pi-mono, packages/coding-agent, session manager.

Line-number prefixes do not occur in Pi's results; the notes it appends ("[605 more lines in file …]", "Command exited
with code 1") are marked as spans.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from tabcore.readers.assembly import Response, RunAssembler
from tabcore.readers.base import Account, account_of, seconds
from tabcore.readers.branches import Side, Tree, Voice, still_holds
from tabcore.readers.growing import read_whole
from tabcore.readers.heads import Head
from tabcore.readers.insertions import tab_block
from tabcore.readers.pi_messages import is_event, stated_files
from tabcore.readers.records import records
from tabcore.source import Source
from tabcore.trajectory import Json, Message, Observation, Outcome, Piece, RunHeader, Span, ToolCall, Usage

NAME = "pi"

_ENTRIES = frozenset(
    [
        "message",
        "compaction",
        "model_change",
        "thinking_level_change",
        "branch_summary",
        "custom",
        "custom_message",
        "label",
    ]
)
_SILENT = frozenset(["model_change", "thinking_level_change", "custom", "label", "session_info"])
_ROLES = frozenset(["user", "assistant", "toolResult", "bashExecution"])


class _Block(msgspec.Struct):
    type: str = ""
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    arguments: Any = None


class _Cost(msgspec.Struct):
    total: float | None = None


class _Usage(msgspec.Struct):
    input: int | None = None
    output: int | None = None
    cache_read: int | None = msgspec.field(default=None, name="cacheRead")
    cache_write: int | None = msgspec.field(default=None, name="cacheWrite")
    cost: _Cost | None = None


class _Message(msgspec.Struct):
    role: str = ""
    content: str | list[_Block] | None = None
    timestamp: str | float | None = None
    model: str | None = None
    usage: _Usage | None = None
    stop_reason: str | None = msgspec.field(default=None, name="stopReason")
    error: str | None = msgspec.field(default=None, name="errorMessage")
    call_id: str | None = msgspec.field(default=None, name="toolCallId")
    tool: str | None = msgspec.field(default=None, name="toolName")
    is_error: bool | None = msgspec.field(default=None, name="isError")
    command: str | None = None
    output: str | None = None
    exit_code: int | None = msgspec.field(default=None, name="exitCode")
    summary: str | None = None


class _Entry(msgspec.Struct):
    type: str = ""
    id: str | None = None
    timestamp: str | float | None = None
    cwd: str | None = None
    model_id: str | None = msgspec.field(default=None, name="modelId")
    summary: str | None = None
    details: Any = None
    content: str | list[_Block] | None = None
    message: _Message | None = None


class _Voice(msgspec.Struct):
    role: str = ""


class _Link(msgspec.Struct):
    """What the first pass needs of an entry."""

    type: str = ""
    id: str | None = None
    parent: str | msgspec.UnsetType | None = msgspec.field(default=msgspec.UNSET, name="parentId")
    message: _Voice | None = None


def recognises(head: Head) -> bool:
    """True for a log whose first records are Pi's."""
    return head.has_record(_is_record) and not any(map(is_event, head.records))


def read(source: Source) -> Iterator[Piece]:
    """One run: the live branch's turns, and those of branches that were given up, marked so."""
    has_tree = b'"parentId"' in source.head(1 << 16)  # an older log is linear and needs no pass of its own
    yield from read_whole(Growing(account_of(source)), source, ids=has_tree)


class Growing:
    """A session while it grows. Going back to an earlier entry changes what the entries after it meant."""

    def __init__(self, account: Account) -> None:
        self._account = account
        self._tree = Tree()
        self._sides: dict[tuple[int, int], Side] = {}
        self._session = _Session(account, self._sides, self._tree.repeated)

    def look(self, arrived: Source) -> bool:
        """Whether earlier entries stay on the branch where they were."""
        first = _add_links(self._tree, arrived)
        sides = self._tree.sides()
        holds = still_holds(self._sides, sides, first)
        self._sides.update(sides)
        return holds

    def take(self, arrived: Source) -> Iterator[Piece]:
        """The pieces of these entries."""
        for record in records(arrived, _Entry, _is_record, self._account):
            self._session.take(*record)
            if self._account.pieces:
                yield from self._account.drain()

    def end(self) -> Iterator[Piece]:
        """All that is still open, and the tally."""
        self._session.end()
        yield from self._account.close()

    def shared(self) -> tuple[object, ...]:
        """The tree, and what was told by it."""
        return self._tree, self._tree.repeated, self._sides


def _is_record(value: dict[str, Json]) -> bool:
    kind, message = value.get("type"), value.get("message")
    if kind == "session":
        return isinstance(value.get("id"), str) and isinstance(value.get("cwd"), str)
    if kind == "message":
        return isinstance(message, dict) and str(message.get("role")) in _ROLES and "sessionId" not in value
    return (
        isinstance(kind, str)
        and kind in _ENTRIES
        and "timestamp" in value
        and ("parentId" in value or "uuid" not in value)
    )


def _add_links(tree: Tree, source: Source) -> int:
    """Adds the entries to the tree; the line of the first, 0 where there is none."""
    first = 0
    for line, place, entry, length in records(source, _Link, _is_record, Account(source.path)):
        first = first or line
        if entry.id is not None and entry.type != "session":
            parent = entry.parent if isinstance(entry.parent, str) else None
            voice = _VOICES.get(entry.message.role, "none") if entry.message else "none"
            tree.add(line, place, entry.id, parent, voice, entry.id, length, entry.parent is None)
    return first


class _Session:
    """One session's run and its abandoned branches, filled record by record."""

    def __init__(self, account: Account, sides: dict[tuple[int, int], Side], repeated: set[tuple[int, int]]) -> None:
        self._account = account
        self._sides = sides
        self._repeated = repeated
        self._main = RunAssembler("", RunHeader(NAME, harness="pi", fresh_cwd=True), account)
        self._branches: dict[int, RunAssembler] = {}
        self._has_tab = False

    def take(self, line: int, place: int, entry: _Entry, length: int) -> None:
        """One entry of the log."""
        if self._repeated and (line, place) in self._repeated:
            self._account.note(line, "repeated record", f"the entry {entry.id} stands here again", "read once")
            return
        run = self._run_of(line, place)
        time = seconds(entry.timestamp)
        if entry.type == "message" and entry.message is not None:
            time = time if time is not None else seconds(entry.message.timestamp)
            self._account.untimed += time is None
            self._message(run, entry.message, line, time)
        elif entry.type == "session":
            self._open(entry, line, time)
        elif entry.type in ("compaction", "branch_summary"):
            run.say(Message(entry.summary or "", "harness", "compaction", line, time))
            if entry.type == "compaction":  # a branch's summary speaks of the branch that was left
                run.state(stated_files(entry.details, self._main.header.cwd))
        elif entry.type == "custom_message":
            run.say(Message(_text(entry.content), "harness", "notice", line, time))
        elif entry.type not in _SILENT:
            self._account.not_understood(line, entry.type)

    def end(self) -> None:
        """All that is still open."""
        for branch in self._branches.values():
            branch.end()
        if self._main.turns == 0:
            self._account.note(0, "no turns", "the log holds no response of a model", "kept without turns")
        self._main.end()

    def _open(self, entry: _Entry, line: int, time: float | None) -> None:
        """The header line; a second one is another session glued to the first."""
        header = self._main.header
        if header.session:
            self._account.note(line, "second session", f"the session {entry.id} starts here", "read on as one run")
            return
        self._main.header = _headed(header, entry, time)

    def _run_of(self, line: int, place: int) -> RunAssembler:
        side = self._sides.get((line, place)) if self._sides else None
        if side is None:
            return self._main
        if side.branch not in self._branches:
            branch = RunAssembler("", self._main.header, self._account, first=max(1, side.turn), upstream=self._main)
            self._branches[side.branch] = branch
        return self._branches[side.branch]

    def _message(self, run: RunAssembler, message: _Message, line: int, time: float | None) -> None:
        match message.role:
            case "assistant":
                run.respond(self._response(message, line, time))
            case "toolResult":
                run.observe(self._observation(message, line, time))
            case "user":
                run.say(self._user(message, line, time))
            case "bashExecution":
                run.say(Message(_shell_text(message), "person", "shell", line, time))
            case _:
                text = message.summary or _text(message.content)
                run.say(Message(text, "harness", "compaction" if message.summary else "notice", line, time))

    def _response(self, message: _Message, line: int, time: float | None) -> Response:
        outcome = _OUTCOMES.get(message.stop_reason or "", "complete")
        if message.error and outcome != "aborted":
            self._account.note(line, "failed response", message.error[:300], "kept as a failed turn")
        response = Response("", line, time, message.model, None, outcome, _usage(message.usage))
        for block in _blocks(message.content):
            if block.type == "toolCall":
                response.calls.append(self._call(block, line))
            elif block.type == "text":
                if block.text:
                    response.texts.append(block.text)
            elif block.thinking:
                response.reasonings.append(block.thinking)
        return response

    def _call(self, block: _Block, line: int) -> ToolCall:
        arguments = block.arguments
        self._has_tab |= block.name in _TAB_TOOLS
        if not isinstance(arguments, dict):
            if arguments is not None:
                what = f'the arguments of "{block.name}" are no JSON object'
                self._account.note(line, "odd arguments", what, "kept whole")
            arguments = {} if arguments is None else {"": arguments}
        return ToolCall(block.id or "", block.name or "", arguments, line)

    def _observation(self, message: _Message, line: int, time: float | None) -> Observation:
        texts, images = _texts_and_images(message.content)
        text = texts[0] if len(texts) == 1 else "\n".join(texts)
        spans = tab_block(texts)
        end = len(text)
        if spans:
            self._has_tab, end = True, spans[0].start
        notes, exit_code = _notes(text, end, message.tool or "")
        is_error = message.is_error is True
        return Observation(message.call_id or "", text, is_error, notes + spans, images, exit_code, None, line, time)

    def _user(self, message: _Message, line: int, time: float | None) -> Message:
        texts, images = _texts_and_images(message.content)
        text = "\n".join(texts)
        if self._has_tab and text.startswith("[tab] Finish check"):
            return Message(text, "tab", "notice", line, time)
        if images:
            self._account.note(line, "picture", "a picture stands in a person's message", "not kept", lost=True)
        return Message(text, "person", "prompt", line, time)


_VOICES: dict[str, Voice] = {"assistant": "agent", "user": "person"}
_TAB_TOOLS = frozenset(["tab_add", "tab_resolve", "tab_list", "tab_show", "add", "resolve", "list", "show"])
_OUTCOMES: dict[str, Outcome] = {"aborted": "aborted", "error": "failed", "length": "failed"}


def _headed(header: RunHeader, entry: _Entry, time: float | None) -> RunHeader:
    return RunHeader(
        header.format,
        header.harness,
        session=entry.id or "",
        cwd=entry.cwd,
        fresh_cwd=True,
        model=entry.model_id,
        started=time,
    )


def _blocks(content: str | list[_Block] | None) -> list[_Block]:
    if isinstance(content, str):
        return [_Block("text", content)]
    return content or []


def _texts_and_images(content: str | list[_Block] | None) -> tuple[list[str], int]:
    texts: list[str] = []
    images = 0
    for block in _blocks(content):
        if block.type == "text":
            texts.append(block.text or "")
        elif block.type == "image":
            images += 1
    return texts, images


def _text(content: str | list[_Block] | None) -> str:
    return "\n".join(_texts_and_images(content)[0])


def _shell_text(message: _Message) -> str:
    """A person's own command as a person reads it: the command, then its output."""
    return f"!{message.command or ''}\n{message.output or ''}"


def _usage(usage: _Usage | None) -> Usage | None:
    if usage is None:
        return None
    cost = usage.cost.total if usage.cost else None
    return Usage(usage.input or 0, usage.output or 0, usage.cache_read or 0, usage.cache_write or 0, cost)


_MORE_LINES = re.compile(r"\n\n\[(?:\d+ more lines in file|Showing (?:lines|last) )[^\n]*\]\Z")
_EXIT = re.compile(r"(?:\n\n|\A)Command (?:exited with code (\d{1,10})|aborted|timed out[^\n]*)\Z")


def _notes(text: str, end: int, tool: str) -> tuple[tuple[Span, ...], int | None]:
    """What Pi wrote under a result, as spans, and the exit code if it is told there.

    >>> _notes("a\\n\\nCommand exited with code 2", 29, "bash")
    ((Span(start=1, end=29, origin='harness', what='exit status'),), 2)
    """
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
