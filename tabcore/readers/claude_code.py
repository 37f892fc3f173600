"""Sessions of Claude Code, versions 1.0 to 2.x (JSONL).

Each line is a record with `uuid` and `parentUuid`; one API message is split over several lines that share
`message.id`, and is one turn. Sub-agents stand inline (`isSidechain`, 1.0.x) or in `agent-*.jsonl` files beside the
main one (2.x); either way they are runs of their own: the key is the agent's id, or the uuid of its first record.
Format: observed logs; Anthropic publishes no schema.

`toolUseResult` says what `tool_result` says a second time and is passed over. The line numbers of Read ("     1→",
"1\\t") stay in the text unmarked: whoever looks for values takes them off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec

from tabcore.readers.assembly import Response, RunAssembler
from tabcore.readers.base import Account, account_of, seconds
from tabcore.readers.claude_layout import Layout, Layouter
from tabcore.readers.growing import read_whole
from tabcore.readers.heads import Head
from tabcore.readers.insertions import hook_line, reminders_in_result, stop_feedback, tab_block, user_message
from tabcore.readers.records import records
from tabcore.source import Source
from tabcore.trajectory import Json, Message, MessageKind, Observation, Piece, RunHeader, Span, ToolCall, Usage

NAME = "claude-code"

_SILENT = frozenset(
    [
        "system",
        "summary",
        "queue-operation",
        "last-prompt",
        "ai-title",
        "custom-title",
        "agent-name",
        "permission-mode",
        "mode",
        "progress",
        "file-history-snapshot",
        "pr-link",
        "tag",
        "task-summary",
        "content-replacement",
        "worktree-state",
    ]
)


class _Block(msgspec.Struct):
    type: str = ""
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    input: Any = None
    call_id: str | None = msgspec.field(default=None, name="tool_use_id")
    content: str | list[_Block] | None = None
    is_error: bool | None = None


class _Usage(msgspec.Struct):
    input: int | None = msgspec.field(default=None, name="input_tokens")
    output: int | None = msgspec.field(default=None, name="output_tokens")
    cache_read: int | None = msgspec.field(default=None, name="cache_read_input_tokens")
    cache_write: int | None = msgspec.field(default=None, name="cache_creation_input_tokens")


class _Message(msgspec.Struct):
    id: str | None = None
    role: str | None = None
    model: str | None = None
    content: str | list[_Block] | None = None
    stop_reason: str | None = None
    usage: _Usage | None = None


class _Attachment(msgspec.Struct):
    type: str = ""
    prompt: Any = None
    mode: str | None = msgspec.field(default=None, name="commandMode")
    content: Any = None
    snippet: str | None = None
    filename: str | None = None


class _Line(msgspec.Struct, rename="camel"):
    type: str = ""
    uuid: str | None = None
    is_sidechain: bool | None = None
    timestamp: str | float | None = None
    cwd: str | None = None
    session_id: str | None = None
    agent_id: str | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_api_error_message: bool | None = None
    message: _Message | None = None
    attachment: _Attachment | None = None


def recognises(head: Head) -> bool:
    """True for a log whose first records are Claude Code's."""
    return head.has_record(_is_record)


def read(source: Source) -> Iterator[Piece]:
    """The session's run and those of its inline sub-agents; turns of abandoned branches are marked so."""
    yield from read_whole(Growing(account_of(source)), source)


class Growing:
    """A session while it grows. Going back to an earlier message changes what the records after it meant."""

    def __init__(self, account: Account) -> None:
        self._account = account
        self._layouter = Layouter(_is_record)
        self._session = _Session(account, self._layouter.layout)

    def look(self, arrived: Source) -> bool:
        """Whether earlier records stay on the branch and in the run where they were."""
        return self._layouter.look(arrived)

    def take(self, arrived: Source) -> Iterator[Piece]:
        """The pieces of these records."""
        for record in records(arrived, _Line, _is_record, self._account):
            self._session.take(*record)
            if self._account.pieces:
                yield from self._account.drain()

    def end(self) -> Iterator[Piece]:
        """All that is still open, and the tally."""
        self._session.end()
        yield from self._account.close()

    def shared(self) -> tuple[object, ...]:
        """What the pass over ids found."""
        return self._layouter, self._layouter.layout


def _is_record(value: dict[str, Json]) -> bool:
    kind = value.get("type")
    if kind in ("user", "assistant"):
        return isinstance(value.get("message"), dict) and ("uuid" in value or "sessionId" in value)
    if kind == "summary":
        return "leafUuid" in value
    known = isinstance(kind, str) and kind in _SILENT | {"attachment"}
    return known and ("sessionId" in value or "parentUuid" in value or "messageId" in value)


class _Session:
    """The runs of one log, filled record by record."""

    def __init__(self, account: Account, layout: Layout) -> None:
        self._account = account
        self._layout = layout
        self._runs: dict[str, RunAssembler] = {}
        self._branches: dict[tuple[str, int], RunAssembler] = {}
        self._responses: set[tuple[str, str]] = set()
        self._claimed: set[str] = set()
        self._has_tab = False

    def take(self, number: int, place: int, line: _Line, length: int) -> None:
        """One record of the log."""
        if line.type in _SILENT:
            return
        if line.type not in ("user", "assistant", "attachment"):
            self._account.not_understood(number, line.type)
            return
        if self._layout.repeated and (number, place) in self._layout.repeated:
            self._account.note(number, "repeated record", f"the record {line.uuid} stands here again", "read once")
            return
        run, time = self._run_of(number, place, line), seconds(line.timestamp)
        self._account.untimed += time is None
        if line.type == "attachment":
            self._attach(run, line.attachment or _Attachment(), number, time)
        elif line.message is None:
            self._account.skip(number)
            self._account.note(number, "no message", f"a record of {line.type} has no message", "skipped", lost=True)
        elif line.type == "user":
            self._user(run, line, line.message, number, time)
        else:
            self._assistant(run, line, line.message, number, time)

    def end(self) -> None:
        """All that is still open."""
        if not self._runs:
            self._runs[""] = RunAssembler("", RunHeader(NAME, harness=NAME), self._account)
        for branch in self._branches.values():
            branch.end()
        for run in self._runs.values():
            if run.turns == 0:
                what = f"run {run.key or 'of the log'} holds no response of a model"
                self._account.note(0, "no turns", what, "kept without turns")
            run.end()

    def _run_of(self, number: int, place: int, line: _Line) -> RunAssembler:
        """The run, or the abandoned branch of one, to which a record belongs."""
        key = self._layout.agents.get((number, place), "")
        if key not in self._runs:
            self._runs[key] = RunAssembler(key, self._header(key, line), self._account)
        run, side = self._runs[key], self._layout.sides.get((number, place))
        if side is None:
            return run
        if (key, side.branch) not in self._branches:
            branch = RunAssembler(key, run.header, self._account, first=max(1, side.turn), upstream=run)
            self._branches[key, side.branch] = branch
        return self._branches[key, side.branch]

    def _header(self, key: str, line: _Line) -> RunHeader:
        """What a run's first record tells of it. A sub-agent's log of its own names its parent by session."""
        header = RunHeader(
            NAME, harness=NAME, session=line.session_id or "", cwd=line.cwd, started=seconds(line.timestamp)
        )
        if key:
            return replace(header, parent_key="", parent_call=self._parent_call(line))
        return replace(header, parent_key=line.session_id) if line.is_sidechain else header

    def _parent_call(self, line: _Line) -> str | None:
        """The open call whose prompt is the sub-agent's first message."""
        main = self._runs.get("")
        prompt = "\n".join(_texts(line.message.content)) if line.message else ""
        for call in main.awaited() if main else ():
            if call.arguments.get("prompt") == prompt and call.call_id not in self._claimed:
                self._claimed.add(call.call_id)
                return call.call_id
        return None

    def _assistant(self, run: RunAssembler, line: _Line, message: _Message, number: int, time: float | None) -> None:
        """One line of a response: the first begins a turn, those with the same id add to it."""
        if message.model == "<synthetic>" and not line.is_api_error_message:
            run.say(Message("\n".join(_texts(message.content)), "harness", "notice", number, time))
            return
        ident = message.id or line.uuid or f"line-{number}"
        response = run.response
        if response is None or response.ident != ident:
            response = Response(ident, number, time, message.model, line.cwd)
            run.respond(response)
            if (run.key, ident) in self._responses and not run.abandoned:
                what = f"the message {ident} goes on after another one"
                self._account.note(
                    number, "split message", what, "kept as a turn of its own; its usage is counted once"
                )
                message.usage = None
            if not run.abandoned:
                self._responses.add((run.key, ident))
        if message.usage is not None and message.usage != response.told:
            response.usage, response.told = _most(response.usage, message.usage), message.usage
        if line.is_api_error_message or message.stop_reason in _CUT_SHORT:
            response.outcome = "failed"
        for block in _blocks(message.content):
            self._part(run, response, block, number)

    def _part(self, run: RunAssembler, response: Response, block: _Block, number: int) -> None:
        match block.type:
            case "text":
                response.texts.extend([block.text] if block.text else [])
            case "thinking":
                response.reasonings.extend([block.thinking] if block.thinking else [])
            case "tool_use" | "server_tool_use" | "mcp_tool_use":
                call = ToolCall(block.id or "", block.name or "", self._arguments(block, number), number)
                self._has_tab |= call.name.rpartition("__")[2] in _TAB_TOOLS
                if not run.call(call):
                    self._account.note(
                        number, "repeated record", f"the call {call.call_id} stands here again", "read once"
                    )
            case "redacted_thinking":
                pass
            case _:
                self._account.note(
                    number, "unknown block", f'a block of the unknown type "{block.type}"', "left out", True
                )

    def _arguments(self, block: _Block, number: int) -> dict[str, Json]:
        if isinstance(block.input, dict):
            return block.input
        if block.input is None:
            return {}
        self._account.note(number, "odd arguments", f'the arguments of "{block.name}" are no JSON object', "kept whole")
        return {"": block.input}

    def _user(self, run: RunAssembler, line: _Line, message: _Message, number: int, time: float | None) -> None:
        """A line given to the user: results, a person's words, the harness's insertions."""
        for block in _blocks(message.content):
            if block.type == "tool_result":
                run.observe(_observation(block, line.cwd, number, time))
            elif block.type == "text":
                self._say(run, line, block.text or "", number, time)
            else:
                what = f'a block of type "{block.type}" stands in a message'
                self._account.note(number, "picture", what, "not kept", lost=True)

    def _say(self, run: RunAssembler, line: _Line, text: str, number: int, time: float | None) -> None:
        message = user_message(text, number, time)
        if line.is_compact_summary:
            message = Message(text, "harness", "compaction", number, time)
        elif line.is_meta and self._has_tab and (feedback := stop_feedback(text, number, time)):
            message = feedback
        elif line.is_meta and message.origin == "person":
            message = Message(text, "harness", "reminder", number, time)
        elif self._has_tab and text.startswith("[tab] Finish check"):
            message = Message(text, "tab", "notice", number, time)
        if text.startswith("[Request interrupted by user") and run.response and not run.response.calls:
            run.response.outcome = "aborted"
        run.say(message)

    def _attach(self, run: RunAssembler, attachment: _Attachment, number: int, time: float | None) -> None:
        """Text that the harness put before the model without a call; a queued prompt is the person's."""
        queued = _loose_text(attachment.prompt)
        if queued and attachment.mode != "task-notification":
            run.say(user_message(queued, number, time))
            return
        if attachment.type == "hook_additional_context":
            self._told_by_hooks(run, attachment.content, number, time)
            return
        text = queued or attachment.snippet or _loose_text(attachment.content)
        if text:
            run.say(Message(text, "harness", "reminder", number, time))

    def _told_by_hooks(self, run: RunAssembler, contexts: object, number: int, time: float | None) -> None:
        """What each hook added, as a message of its own; a status line is the tab's and tells that there is one."""
        for context in contexts if isinstance(contexts, list) else [contexts]:
            text = _loose_text(context)
            of_tab = hook_line(text)
            self._has_tab |= of_tab
            if text:
                kind: MessageKind = "notice" if of_tab else "reminder"
                run.say(Message(text, "tab" if of_tab else "harness", kind, number, time))


_CUT_SHORT = frozenset(("max_tokens", "refusal", "model_context_window_exceeded"))
_TAB_TOOLS = frozenset(["tab_add", "tab_resolve", "tab_list", "tab_show", "add", "resolve", "list", "show"])
_EXIT_CODE = re.compile(r"(?:Error: )?Exit code (\d{1,10})(?:\n|\Z)")


def _observation(block: _Block, cwd: str | None, number: int, time: float | None) -> Observation:
    images = 0
    if isinstance(block.content, str):
        text = block.content
        spans = reminders_in_result(text)
    else:
        texts = _texts(block.content)
        text = "\n".join(texts)
        spans = reminders_in_result(text) + tab_block(texts)
        images = sum(part.type == "image" for part in block.content or ())
    exit_code = None
    if block.is_error and (status := _EXIT_CODE.match(text)):
        exit_code = int(status.group(1))
        spans = (Span(0, status.end(), "harness", "exit status"), *spans)
    return Observation(block.call_id or "", text, block.is_error is True, spans, images, exit_code, cwd, number, time)


def _blocks(content: str | list[_Block] | None) -> list[_Block]:
    if isinstance(content, str):
        return [_Block("text", content)]
    return content or []


def _texts(content: str | list[_Block] | None) -> list[str]:
    return [block.text or "" for block in _blocks(content) if block.type == "text"]


def _loose_text(value: object) -> str:
    """The text in a value of no fixed shape: itself, or that of its parts called content, text or file.

    >>> _loose_text([{"type": "text", "text": "a"}, {"file": {"content": "b"}}])
    'a\\nb'
    """
    match value:
        case str():
            return value
        case list():
            return "\n".join(filter(None, map(_loose_text, value)))
        case dict():
            return next(filter(None, (_loose_text(value.get(name)) for name in ("content", "text", "file"))), "")
        case _:
            return ""


def _most(known: Usage | None, told: _Usage) -> Usage:
    """Usage of a response, told again on each of its lines: early lines may count less."""
    read, written = told.cache_read or 0, told.cache_write or 0
    now = Usage(told.input or 0, told.output or 0, read, written)
    if known is None or known == now:
        return now
    return Usage(
        max(known.input, now.input),
        max(known.output, now.output),
        max(known.cache_read, read),
        max(known.cache_write, written),
    )
