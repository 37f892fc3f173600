"""Conversations: lists of messages with roles, in whatever they are wrapped, and whose dialect they speak.

A conversation is a bare list, a list inside an object (`messages`, `traj`, `conversations`), one message a line, or
one conversation a line. Where each of several states a conversation so far (as Harbor's `*.traces.json` does, episode
by episode, and logs of requests do), the last one holds them all and is read alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, Literal, NamedTuple, cast

from tabcore.readers.base import Account
from tabcore.readers.heads import Head
from tabcore.readers.json_documents import Shape, shaped, values
from tabcore.readers.json_streams import items
from tabcore.readers.records import records
from tabcore.source import Source
from tabcore.trajectory import Json

Dialect = Literal["openai", "anthropic", "mini-swe-agent", "pi", "magentic", "none"]
"""pi: messages of the Pi agent, in one document · magentic: speakers for roles, no calls · none: no conversation."""

WHOLE = 32 << 20
"""Bytes of the largest document that is decoded in one go; a larger one is streamed, message by message."""

_LISTS = ("messages", "traj", "conversations", "conversation")
_ROLES = frozenset(
    ["system", "developer", "user", "assistant", "tool", "function", "human", "gpt", "observation", "exit"]
)
_FOREIGN = frozenset(["parts", "raw", "kind", "uuid", "message", "step_id", "message_type", "parentId", "sessionId"])
_ANTHROPIC_BLOCKS = frozenset(
    ["tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use"]
)
_ORCHESTRATED = ("Orchestrator (", "WebSurfer", "FileSurfer", "ComputerTerminal", "Executor", "Coder", "Assistant")


class Conversation(NamedTuple, Generic[Shape]):
    """Messages, each with its place (its line, or its number in the list), and what stood around the list."""

    about: dict[str, Json]
    messages: Iterator[tuple[int, Shape]]


def conversations(source: Source, shape: type[Shape], account: Account) -> Iterator[Conversation[Shape]]:
    """The conversations of a file in its order, their messages as `shape`; each is counted, and faults are noted.

    The messages of one must be taken before the next is asked for.
    """
    head = Head(source)
    if head.is_jsonl and _are_messages(head.rows):
        account.unit = "line"
        lines = records(source, shape, is_message, account)
        yield Conversation({}, ((line, message) for line, _place, message, _length in lines))
        return
    if source.size > WHOLE and (place := _place_of_list(head.opening)) is not None:
        yield Conversation(place[0], _shaped(items(source, place[1], account), shape, account))
        return
    latest: tuple[dict[str, Json], list[Json]] | None = None
    for about, messages in _lists(source, account):
        if latest is not None and not _goes_on(latest, (about, messages), account):
            yield Conversation(latest[0], _shaped(latest[1], shape, account))
        latest = about, messages
    if latest is not None:
        yield Conversation(latest[0], _shaped(latest[1], shape, account))


def _shaped(messages: Iterable[Json], shape: type[Shape], account: Account) -> Iterator[tuple[int, Shape]]:
    for place, value in enumerate(messages, 1):
        account.total += 1
        message = shaped(value, shape, place, account)
        if message is None:
            account.skip(place)
        else:
            yield place, message


def _place_of_list(found: Json) -> tuple[dict[str, Json], str] | None:
    """Where the one list of messages of a large document stands, and what stands before it."""
    if isinstance(found, dict):
        name = next((name for name in _LISTS if isinstance(found.get(name), list)), None)
        return (found, f"{name}.item") if name else None
    first = found[0] if isinstance(found, list) and found else None
    return ({}, "item") if isinstance(first, dict) and is_message(first) else None


def run_id(about: dict[str, Json], number: int, taken: set[str]) -> str:
    """The key of a log's `number`th conversation, from 0: "" for the first, then its own id if it has a new one."""
    if number == 0:
        return ""
    told = next((about[name] for name in ("instance_id", "task_id", "session_id", "id") if about.get(name)), None)
    key = str(told) if isinstance(told, str | int) else ""
    if not key or key in taken:
        key = f"run-{number + 1}"
    taken.add(key)
    return key


def is_message(value: dict[str, Json]) -> bool:
    """True for an object with a role and something said or called."""
    role = value.get("role", value.get("from"))
    return isinstance(role, str) and ("content" in value or "tool_calls" in value or "value" in value)


def dialect_of(head: Head) -> Dialect:
    """Whose way of writing messages a file shows; where its head holds no response, a longer one is looked at.

    >>> dialect_of(Head(Source.of_bytes("", b'[{"role": "user", "content": ""}, {"role": "assistant", "content": ""}]')))
    'openai'
    """
    decided = not head.is_cut or head.has_first_lines or _has_response(head)
    return (head if decided else head.longer).once(_dialect)


def _has_response(head: Head) -> bool:
    messages = [message for message in _sample(head)[1] if isinstance(message, dict) and is_message(message)]
    return any(message.get("role", message.get("from")) in ("assistant", "gpt") for message in messages)


def _dialect(head: Head) -> Dialect:
    """Whose way of writing messages a file's first bytes show; "none" where they are no conversation of an agent."""
    about, messages = _sample(head)
    spoken = [message for message in messages if isinstance(message, dict) and is_message(message)]
    if not spoken or len(spoken) < len(messages) / 2 or any(map(_is_foreign, spoken)):
        return "none"
    roles = {str(message.get("role", message.get("from"))) for message in spoken}
    if any(role.startswith("Orchestrator (") for role in roles):
        return "magentic"
    if "toolResult" in roles or {"started_at", "question", "max_turns"} <= about.keys():
        return "pi"
    if not roles <= _ROLES or not roles & {"assistant", "gpt"}:
        return "none"
    if _is_mini(about, spoken):
        return "mini-swe-agent"
    return "anthropic" if any(_is_anthropic(message) for message in spoken) else "openai"


def _is_foreign(message: dict[str, Json]) -> bool:
    """True for what another format writes that has messages too; so is an event of a Gemini CLI stream."""
    is_event = message.get("type") == "message" and isinstance(message.get("content"), str) and "timestamp" in message
    return (is_event and "id" not in message) or not _FOREIGN.isdisjoint(message)


def _is_anthropic(message: dict[str, Json]) -> bool:
    content, model = message.get("content"), message.get("model")
    blocks = content if isinstance(content, list) else []
    return (
        message.get("type") == "message"
        or (isinstance(model, str) and model.startswith("claude"))
        or any(isinstance(block, dict) and str(block.get("type")) in _ANTHROPIC_BLOCKS for block in blocks)
    )


def _is_mini(about: dict[str, Json], messages: list[dict[str, Json]]) -> bool:
    """True for what mini-swe-agent writes: its format's name, its `extra`, or its prompt and its wrapping of output."""
    written, info = about.get("trajectory_format"), about.get("info")
    if isinstance(written, str) and written.startswith("mini-swe-agent"):
        return True
    if isinstance(info, dict) and "mini_version" in info:
        return True
    texts = [message["content"] for message in messages if isinstance(message.get("content"), str)]
    prompted = any("bash code block" in cast(str, text) or "mswea_bash" in cast(str, text) for text in texts)
    wrapped = any(cast(str, text).startswith("<returncode>") for text in texts)
    return (prompted and wrapped) or any("raw_output" in _extra(message) for message in messages)


def _extra(message: dict[str, Json]) -> dict[str, Json]:
    extra = message.get("extra")
    return extra if isinstance(extra, dict) else {}


def _sample(head: Head) -> tuple[dict[str, Json], list[Json]]:
    """The messages that a file's first bytes hold, and what stands around them."""
    if head.is_jsonl:
        rows = head.rows
        wrapped = [row for row in rows if _list_in(row) is not None]
        return (wrapped[0], _list_in(wrapped[0]) or []) if len(wrapped) * 2 > len(rows) else ({}, list(rows))
    lists = _lists_in(head.opening)
    return lists[-1] if lists else ({}, [])


def _are_messages(rows: Sequence[dict[str, Json]]) -> bool:
    return sum(map(is_message, rows)) * 2 > len(rows)


def _lists(source: Source, account: Account) -> Iterator[tuple[dict[str, Json], list[Json]]]:
    for line, value in values(source, is_message, account):
        found = _lists_in(value)
        if not found:
            account.note(line, "not a record", "this is no conversation", "passed over", lost=True)
        yield from found


def _lists_in(value: Json) -> list[tuple[dict[str, Json], list[Json]]]:
    """The lists of messages in a document: the one that it is or wraps, or those of its items."""
    if isinstance(value, dict):
        messages = _list_in(value)
        return [] if messages is None else [(value, messages)]
    if not isinstance(value, list):
        return []
    wrapped = [
        (item, messages) for item in value if isinstance(item, dict) and (messages := _list_in(item)) is not None
    ]
    return wrapped or [({}, value)]


def _list_in(value: dict[str, Json]) -> list[Json] | None:
    for name in _LISTS:
        found = value.get(name)
        if isinstance(found, list):
            return found
    return None


def _goes_on(
    earlier: tuple[dict[str, Json], list[Json]], later: tuple[dict[str, Json], list[Json]], account: Account
) -> bool:
    """True when the later list states the earlier conversation again and goes on."""
    count = len(earlier[1])
    if count and count < len(later[1]) and earlier[1] == later[1][:count]:
        return True
    told = [(about.get("trial_name"), about.get("run_id")) for about, _ in (earlier, later)]
    if "episode" in later[0] and told[0] == told[1]:
        what = "an episode does not repeat the one before it"
        account.note(0, "broken episodes", what, "only the last one was read", lost=True)
        return True
    return False
