"""The agent's four operations, as they stand in tool calls.

Names: the paper's `add`, `resolve`, `list`, `show`; ours are the same behind `tab_`; an MCP client puts a
server's name before them (`mcp__runningtab__add`). The bare words are common among other tools, so a bare
name counts only with the arguments that go with it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tabcore.tab.events import ListKind, Status
from tabcore.trajectory import Json, ToolCall

NAMES = ("add", "resolve", "list", "show")
_ENTRY = re.compile(r"L\d+")
_REQUIREMENT = re.compile(r"r\d+")


@dataclass(frozen=True, slots=True)
class Add:
    """State requirements."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Resolve:
    """Resolve one requirement. `status` is kept as given: the tab refuses what is neither done nor unavailable."""

    requirement: str
    status: str
    entry: str = ""
    reason: str = ""

    @property
    def known_status(self) -> Status | None:
        """The status, None when it is no status of a tab."""
        return {"done": "done", "unavailable": "unavailable"}.get(self.status)  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class List:
    """List the review, the candidates or the read log."""

    kind: ListKind


@dataclass(frozen=True, slots=True)
class Show:
    """Show one read-log entry."""

    entry: str


Operation = Add | Resolve | List | Show


def operation_of(call: ToolCall) -> Operation | None:
    """The tab operation that a tool call is, or None for any other tool.

    >>> operation_of(ToolCall("1", "tab_show", {"entry": "L2"}))
    Show(entry='L2')
    >>> operation_of(ToolCall("1", "list", {"path": "."})) is None
    True
    """
    name = call.name.rsplit("__", 1)[-1]
    bare = name.removeprefix("tab_")
    if bare not in NAMES:
        return None
    ours = name != bare or "runningtab" in call.name
    return _parse(bare, call.arguments, ours)


def _parse(name: str, arguments: Mapping[str, Json], ours: bool) -> Operation | None:
    match name:
        case "add":
            items = arguments.get("items")
            if isinstance(items, str):
                items = [items]
            return Add(tuple(map(str, items))) if isinstance(items, list) else (Add(()) if ours else None)
        case "resolve":
            resolve = Resolve(*(_text(arguments, key) for key in ("id", "status", "entry", "reason")))
            return resolve if ours or (_REQUIREMENT.fullmatch(resolve.requirement) and resolve.known_status) else None
        case "list":
            kind = _kind(_text(arguments, "kind"))
            return List(kind or "requirements") if ours or kind else None
        case _:
            entry = _text(arguments, "entry")
            return Show(entry) if ours or _ENTRY.fullmatch(entry) else None


def _kind(text: str) -> ListKind | None:
    kinds: dict[str, Literal["requirements", "candidates", "read_log"]] = {
        "requirements": "requirements",
        "candidates": "candidates",
        "read_log": "read_log",
    }
    return kinds.get(text)


def _text(arguments: Mapping[str, Json], key: str) -> str:
    value = arguments.get(key)
    return "" if value is None else str(value)
