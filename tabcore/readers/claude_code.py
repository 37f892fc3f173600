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
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from tabcore.readers.assembly import Response, RunAssembler
from tabcore.readers.base import Account, seconds
from tabcore.readers.branches import Forest, Node, Side, Voice
from tabcore.readers.insertions import reminders_in_result, tab_block, user_message
from tabcore.readers.records import Record, looks_like, records
from tabcore.source import Source
from tabcore.trajectory import Json, Message, Observation, Piece, RunHeader, Span, ToolCall, Usage

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
    input: float | None = msgspec.field(default=None, name="input_tokens")
    output: float | None = msgspec.field(default=None, name="output_tokens")
    cache_read: float | None = msgspec.field(default=None, name="cache_read_input_tokens")
    cache_write: float | None = msgspec.field(default=None, name="cache_creation_input_tokens")


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


class _LinkMessage(msgspec.Struct):
    id: str | None = None
    content: msgspec.Raw = msgspec.Raw()


class _Link(msgspec.Struct, rename="camel"):
    """What the first pass needs of a line."""

    type: str = ""
    uuid: str | None = None
    parent_uuid: str | msgspec.UnsetType | None = msgspec.UNSET
    logical_parent_uuid: str | None = None
    is_sidechain: bool | None = None
    agent_id: str | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    message: _LinkMessage | None = None


def recognises(head: bytes, source: Source) -> bool:
    """True for a log whose first records are Claude Code's."""
    return looks_like(head, _is_record)


def read(source: Source) -> Iterator[Piece]:
    """The session's run and those of its inline sub-agents; turns of abandoned branches are marked so."""
    account = Account(source.path)
    session = _Session(account, _layout(source))
    for record in records(source, _Line, _is_record, account):
        yield from session.take(record)
        if account.problems:
            yield from account.drain()
    yield from session.end()
    yield from account.close()


def _is_record(value: dict[str, Json]) -> bool:
    kind = value.get("type")
    if kind in ("user", "assistant"):
        return isinstance(value.get("message"), dict) and ("uuid" in value or "sessionId" in value)
    if kind == "summary":
        return "leafUuid" in value
    return kind in _SILENT | {"attachment"} and ("sessionId" in value or "parentUuid" in value or "messageId" in value)


@dataclass(slots=True)
class _Layout:
    """What the first pass found: abandoned records, repeated ones, and those of another run than the first."""

    sides: dict[tuple[int, int], Side] = field(default_factory=dict)
    repeated: set[tuple[int, int]] = field(default_factory=set)
    agents: dict[tuple[int, int], str] = field(default_factory=dict)
    has_main: bool = False


class _Chains:
    """Which sub-agent a side-chain record belongs to: the one it names, else its parent's."""

    def __init__(self) -> None:
        self._of_record: dict[str, str] = {}
        self._latest = ""

    def of(self, link: _Link, line: int) -> str:
        parent = link.parent_uuid if isinstance(link.parent_uuid, str) else None
        inherited = self._of_record.get(parent, self._latest if parent and self._latest else "") if parent else ""
        chain = link.agent_id or inherited or link.uuid or f"line-{line}"
        if link.uuid:
            self._of_record[link.uuid] = chain
        self._latest = chain
        return chain


def _layout(source: Source) -> _Layout:
    layout, forest, chains = _Layout(), Forest(), _Chains()
    for line, place, link, length in records(source, _Link, _is_record, Account(source.path)):
        chain = ""
        if link.is_sidechain:
            chain = layout.agents[line, place] = chains.of(link, line)
        elif link.type in ("user", "assistant"):
            layout.has_main = True
        if link.uuid is not None:
            forest.add(_node(link, line, place, chain, length))
    layout.sides, layout.repeated = forest.sides(), forest.repeated
    if not layout.has_main and layout.agents:
        first = next(iter(layout.agents.values()))
        layout.agents = {where: chain for where, chain in layout.agents.items() if chain != first}
    return layout


def _node(link: _Link, line: int, place: int, chain: str, length: int) -> Node:
    parent = link.parent_uuid if isinstance(link.parent_uuid, str) else link.logical_parent_uuid
    response = (link.message.id if link.message else None) or link.uuid
    is_root = link.parent_uuid is None and not link.logical_parent_uuid
    return Node(line, place, link.uuid, parent, _voice(link), response, chain, is_root, length)


def _voice(link: _Link) -> Voice:
    if link.type == "assistant":
        return "agent"
    if link.type != "user" or link.is_meta or link.is_compact_summary or link.message is None:
        return "none"
    content = bytes(memoryview(link.message.content)[:4096]).lstrip()
    is_result = content.startswith(b"[") and (b'"tool_result"' in content or b'"tool_use_id"' in content)
    return "none" if is_result or content in (b"", b"null", b"[]") else "person"


class _Session:
    """The runs of one log, filled record by record."""

    def __init__(self, account: Account, layout: _Layout) -> None:
        self._account = account
        self._layout = layout
        self._runs: dict[str, RunAssembler] = {}
        self._branches: dict[tuple[str, int], RunAssembler] = {}
        self._responses: set[tuple[str, str]] = set()
        self._claimed: set[str] = set()
        self._has_tab = False

    def take(self, record: Record[_Line]) -> Iterator[Piece]:
        """One record of the log."""
        line, number = record.value, record.line
        if line.type in _SILENT:
            return
        if line.type not in ("user", "assistant", "attachment"):
            return self._account.not_understood(number, line.type)
        run, time = self._run_of(record), seconds(line.timestamp)
        self._account.untimed += time is None
        if line.type == "attachment":
            self._attach(run, line.attachment or _Attachment(), number, time)
        elif line.message is None:
            self._account.skip(number)
            self._account.note(number, "no message", f"a record of {line.type} has no message", "skipped", lost=True)
        elif line.type == "user":
            yield from self._user(run, line, line.message, number, time)
        elif (number, record.place) in self._layout.repeated:
            self._account.note(number, "repeated record", f"the record {line.uuid} stands here again", "read once")
        else:
            yield from self._assistant(run, line, line.message, number, time)

    def end(self) -> Iterator[Piece]:
        """All that is still open."""
        if not self._runs:
            self._runs[""] = RunAssembler("", RunHeader(NAME, harness=NAME), self._account)
        for branch in self._branches.values():
            yield from branch.end()
        for run in self._runs.values():
            if run.turns == 0:
                what = f"run {run.key or 'of the log'} holds no response of a model"
                self._account.note(0, "no turns", what, "kept without turns")
            yield from run.end()

    def _run_of(self, record: Record[_Line]) -> RunAssembler:
        """The run, or the abandoned branch of one, to which a record belongs."""
        where = (record.line, record.place)
        key = self._layout.agents.get(where, "")
        if key not in self._runs:
            self._runs[key] = RunAssembler(key, self._header(key, record.value), self._account)
        run, side = self._runs[key], self._layout.sides.get(where)
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

    def _assistant(
        self, run: RunAssembler, line: _Line, message: _Message, number: int, time: float | None
    ) -> Iterator[Piece]:
        """One line of a response: the first begins a turn, those with the same id add to it."""
        if message.model == "<synthetic>" and not line.is_api_error_message:
            return run.say(Message("\n".join(_texts(message.content)), "harness", "notice", number, time))
        ident = message.id or line.uuid or f"line-{number}"
        response = run.response
        if response is None or response.ident != ident:
            response = Response(ident, number, time, message.model, line.cwd)
            yield from run.respond(response)
            if (run.key, ident) in self._responses and not run.abandoned:
                what = f"the message {ident} goes on after another one"
                self._account.note(
                    number, "split message", what, "kept as a turn of its own; its usage is counted once"
                )
                message.usage = None
            if not run.abandoned:
                self._responses.add((run.key, ident))
        response.usage = _most(response.usage, message.usage)
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

    def _user(
        self, run: RunAssembler, line: _Line, message: _Message, number: int, time: float | None
    ) -> Iterator[Piece]:
        """A line given to the user: results, a person's words, the harness's insertions."""
        for block in _blocks(message.content):
            if block.type == "tool_result":
                yield from run.observe(_observation(block, line.cwd, number, time))
            elif block.type == "text":
                self._say(run, line, block.text or "", number, time)
            else:
                what = f'a block of type "{block.type}" stands in a message'
                self._account.note(number, "picture", what, "not kept", lost=True)

    def _say(self, run: RunAssembler, line: _Line, text: str, number: int, time: float | None) -> None:
        message = user_message(text, number, time)
        if line.is_compact_summary:
            message = Message(text, "harness", "compaction", number, time)
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
            return run.say(user_message(queued, number, time))
        text = queued or attachment.snippet or _loose_text(attachment.content)
        if text:
            run.say(Message(text, "harness", "reminder", number, time))


_CUT_SHORT = frozenset(("max_tokens", "refusal", "model_context_window_exceeded"))
_TAB_TOOLS = frozenset(["tab_add", "tab_resolve", "tab_list", "tab_show", "add", "resolve", "list", "show"])
_EXIT_CODE = re.compile(r"(?:Error: )?Exit code (\d+)(?:\n|\Z)")


def _observation(block: _Block, cwd: str | None, number: int, time: float | None) -> Observation:
    texts = _texts(block.content)
    text = "\n".join(texts)
    images = sum(part.type == "image" for part in _blocks(block.content))
    spans = reminders_in_result(text) + tab_block(texts)
    exit_code = None
    if block.is_error and (status := _EXIT_CODE.match(text)):
        exit_code = int(status.group(1))
        spans = (Span(0, status.end(), "harness", "exit status"), *spans)
    return Observation(block.call_id or "", text, bool(block.is_error), spans, images, exit_code, cwd, number, time)


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


def _most(known: Usage | None, told: _Usage | None) -> Usage | None:
    """Usage of a response, told again on each of its lines: early lines may count less."""
    if told is None:
        return known
    counts = [int(count or 0) for count in (told.input, told.output, told.cache_read, told.cache_write)]
    if known is None:
        return Usage(*counts)
    before = (known.input, known.output, known.cache_read, known.cache_write)
    return Usage(*map(max, counts, before))
