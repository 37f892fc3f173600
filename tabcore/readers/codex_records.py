"""The records of a Codex rollout, how they are told from others, and which of them the person took back."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any

import msgspec

from tabcore.readers.base import Account
from tabcore.readers.codex_texts import user_block
from tabcore.readers.records import records
from tabcore.source import Source
from tabcore.trajectory import Json, Stated, StatedKind

ENVELOPES = frozenset(["session_meta", "turn_context", "response_item", "event_msg", "compacted"])
CALLS = frozenset(
    [
        "function_call",
        "custom_tool_call",
        "local_shell_call",
        "web_search_call",
        "image_generation_call",
        "tool_search_call",
    ]
)
OUTPUTS = frozenset(
    ["function_call_output", "custom_tool_call_output", "local_shell_call_output", "tool_search_output"]
)
SILENT_ITEMS = frozenset(["ghost_snapshot", "compaction", "compaction_summary", "context_compaction", "other"])


class Block(msgspec.Struct):
    type: str = ""
    text: str | None = None


class Tokens(msgspec.Struct):
    input: int = msgspec.field(default=0, name="input_tokens")
    cached: int = msgspec.field(default=0, name="cached_input_tokens")
    cache_write: int = msgspec.field(default=0, name="cache_write_input_tokens")
    output: int = msgspec.field(default=0, name="output_tokens")
    total: int = msgspec.field(default=0, name="total_tokens")


class Info(msgspec.Struct):
    total: Tokens | None = msgspec.field(default=None, name="total_token_usage")
    last: Tokens | None = msgspec.field(default=None, name="last_token_usage")


class Instructions(msgspec.Struct):
    text: str | None = None


class Item(msgspec.Struct):
    """Every kind of payload; of each kind only some fields are there."""

    type: str = ""
    id: str | None = None
    cwd: str | None = None
    model: str | None = None
    source: Any = None
    base_instructions: Instructions | None = None
    role: str | None = None
    content: str | list[Block] | None = None
    summary: str | list[Block] | None = None
    name: str | None = None
    arguments: Any = None
    input: Any = None
    action: Any = None
    call_id: str | None = None
    output: Any = None
    message: str | None = None
    exit_code: int | None = None
    parsed_cmd: Any = None
    info: Info | None = None
    num_turns: int | None = None


class Line(Item):
    timestamp: str | float | None = None
    payload: Item | None = None
    record_type: str | None = None
    instructions: str | None = None


def is_record(value: dict[str, Json]) -> bool:
    """A record of either form."""
    return has_envelope(value) or is_bare(value)


def has_envelope(value: dict[str, Json]) -> bool:
    """A record of the present form."""
    return str(value.get("type")) in ENVELOPES and isinstance(value.get("payload"), dict)


def is_bare(value: dict[str, Json]) -> bool:
    """A record of the old form: the header, or a response item without an envelope."""
    kind, content = value.get("type"), value.get("content")
    if kind is None:
        is_header = isinstance(value.get("id"), str) and isinstance(value.get("timestamp"), str)
        return value.get("record_type") == "state" or (is_header and ("instructions" in value or "git" in value))
    if kind == "message":
        first = content[0] if isinstance(content, list) and content else None
        return isinstance(first, dict) and first.get("type") in ("input_text", "output_text", "input_image")
    if kind == "reasoning":
        return isinstance(value.get("summary"), list)
    return (str(kind) in CALLS | OUTPUTS and "call_id" in value) or kind in ("ghost_snapshot", "local_shell_call")


_PARSED: dict[str, StatedKind] = {"read": "read", "list_files": "listed", "search": "searched"}


def stated_of(event: Item) -> Iterator[Stated]:
    """What Codex made of a command: files read, folders listed and searched; without a path, the command's directory.

    >>> event = Item("exec_command_end", call_id="c", cwd="/w", parsed_cmd=[{"type": "read", "name": "a", "path": "x/a"}])
    >>> list(stated_of(event))
    [Stated(kind='read', path='/w/x/a', source='exec_command_end.parsed_cmd', call_id='c')]
    """
    for parsed in event.parsed_cmd if event.call_id and isinstance(event.parsed_cmd, list) else ():
        kind = _PARSED.get(str(parsed.get("type"))) if isinstance(parsed, dict) else None
        if kind is None:
            continue
        path, name = parsed.get("path"), parsed.get("name")
        if isinstance(path, str) and path:
            place = posixpath.join(event.cwd or "", path)
        else:
            place = (name if isinstance(name, str) else "") if kind == "read" else event.cwd or ""
        if place or kind != "read":
            yield Stated(kind, place, "exec_command_end.parsed_cmd", event.call_id or "")


_ROLLBACK = b"thread_rolled_back"


class _Spoken(msgspec.Struct):
    type: str = ""
    role: str | None = None
    content: str | list[Block] | None = None
    num_turns: int | None = None


class _Link(msgspec.Struct):
    """What the search for rollbacks needs of a record."""

    payload: _Spoken | None = None


def tells_rollback(source: Source) -> bool:
    """True when a line may be a rollback."""
    return any(_ROLLBACK in line.data for line in source.lines())


def taken_back(source: Source) -> list[range]:
    """The lines that a rollback took back: from the prompt that it went back to, up to itself.

    Going back by N drops the last N prompts that are still there, and all that followed them.
    """
    if not tells_rollback(source):
        return []
    prompts: list[int] = []
    ranges: list[range] = []
    for line, _place, link, _length in records(source, _Link, is_record, Account(source.path)):
        item = link.payload or _Spoken()
        if item.type == "message" and item.role == "user" and _is_prompt(item):
            prompts.append(line)
        elif item.type == "thread_rolled_back" and prompts and (item.num_turns or 0) > 0:
            start = prompts[-min(item.num_turns or 0, len(prompts))]
            prompts = [prompt for prompt in prompts if prompt < start]
            ranges = [earlier for earlier in ranges if earlier.start < start] + [range(start, line)]
    return ranges


def _is_prompt(item: _Spoken) -> bool:
    texts = [item.content] if isinstance(item.content, str) else [block.text or "" for block in item.content or []]
    return any(user_block(text, 0, None).kind == "prompt" for text in texts)
