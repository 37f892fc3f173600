"""Sessions of the Pi coding agent, versions 1 and 3 (JSONL).

A header line `session`, then entries: `message` (roles user, assistant, toolResult, bashExecution), `compaction`,
changes of model. From version 3 on entries form a tree by `id` and `parentId`. Pi starts each bash command in the
session's directory. Format: badlogic/pi-mono, packages/coding-agent, session manager.

Line-number prefixes do not occur in Pi's results; the notes it appends ("[605 more lines in file …]", "Command exited
with code 1") are marked as spans.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from tabcore.readers.assembly import RunAssembler
from tabcore.readers.base import Account, account_of, seconds
from tabcore.readers.branches import Side, Tree, Voice, still_holds
from tabcore.readers.growing import read_whole
from tabcore.readers.heads import Head
from tabcore.readers.pi_messages import Block, PiConversation, PiMessage, is_event, stated_files
from tabcore.readers.records import records
from tabcore.source import Source
from tabcore.trajectory import Json, Message, Piece, RunHeader

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


class _Entry(msgspec.Struct):
    type: str = ""
    id: str | None = None
    timestamp: str | float | None = None
    cwd: str | None = None
    model_id: str | None = msgspec.field(default=None, name="modelId")
    summary: str | None = None
    details: Any = None
    content: str | list[Block] | None = None
    message: PiMessage | None = None


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
        self._main = PiConversation(RunAssembler("", RunHeader(NAME, harness="pi", fresh_cwd=True), account), account)
        self._branches: dict[int, PiConversation] = {}

    def take(self, line: int, place: int, entry: _Entry, length: int) -> None:
        """One entry of the log."""
        if self._repeated and (line, place) in self._repeated:
            self._account.note(line, "repeated record", f"the entry {entry.id} stands here again", "read once")
            return
        talk = self._talk_of(line, place)
        time = seconds(entry.timestamp)
        if entry.type == "message" and entry.message is not None:
            time = time if time is not None else seconds(entry.message.timestamp)
            self._account.untimed += time is None
            talk.take(entry.message, line, time)
        elif entry.type == "session":
            self._open(entry, line, time)
        elif entry.type in ("compaction", "branch_summary"):
            talk.run.say(Message(entry.summary or "", "harness", "compaction", line, time))
            if entry.type == "compaction":  # a branch's summary speaks of the branch that was left
                talk.run.state(stated_files(entry.details, self._main.run.header.cwd))
        elif entry.type == "custom_message":
            talk.take(PiMessage("custom", entry.content), line, time)
        elif entry.type not in _SILENT:
            self._account.not_understood(line, entry.type)

    def end(self) -> None:
        """All that is still open."""
        for branch in self._branches.values():
            branch.run.end()
        if self._main.run.turns == 0:
            self._account.note(0, "no turns", "the log holds no response of a model", "kept without turns")
        self._main.run.end()

    def _open(self, entry: _Entry, line: int, time: float | None) -> None:
        """The header line; a second one is another session glued to the first."""
        header = self._main.run.header
        if header.session:
            self._account.note(line, "second session", f"the session {entry.id} starts here", "read on as one run")
            return
        self._main.run.header = _headed(header, entry, time)

    def _talk_of(self, line: int, place: int) -> PiConversation:
        side = self._sides.get((line, place)) if self._sides else None
        if side is None:
            return self._main
        if side.branch not in self._branches:
            main = self._main.run
            run = RunAssembler("", main.header, self._account, first=max(1, side.turn), upstream=main)
            self._branches[side.branch] = PiConversation(run, self._account, has_tab=self._main.has_tab)
        return self._branches[side.branch]


_VOICES: dict[str, Voice] = {"assistant": "agent", "user": "person"}


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
