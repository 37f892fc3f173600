"""The first pass over a Claude Code log: on which branch, and in which agent's run, each record lies.

Decodes ids only. Records of inline sub-agents form chains of their own: a chain's key is the agent's id, or the uuid
of its first record. In a log without a main conversation (a sub-agent's own file) the first chain is the main one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from tabcore.readers.base import Account
from tabcore.readers.branches import Forest, Side, Tree, Voice, still_holds
from tabcore.readers.records import Sign, records
from tabcore.source import Source


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


@dataclass(slots=True)
class Layout:
    """What the first pass found: abandoned records, repeated ones, and those of another run than the first."""

    sides: dict[tuple[int, int], Side] = field(default_factory=dict)
    repeated: set[tuple[int, int]] = field(default_factory=set)
    agents: dict[tuple[int, int], str] = field(default_factory=dict)


class _Chains:
    """Which sub-agent a side-chain record belongs to: the one it names, else its parent's, else a new one.

    A parent that is not in the log leaves the record with the latest chain.
    """

    def __init__(self, main: Tree) -> None:
        self._main = main
        self._of_record: dict[str, str] = {}
        self._latest = ""

    def of(self, link: _Link, line: int) -> str:
        """The chain of the next side-chain record, which stands on `line`."""
        parent = link.parent_uuid if isinstance(link.parent_uuid, str) else None
        inherited = self._of_record.get(parent, "") if parent else ""
        if parent and not inherited and parent not in self._main:
            inherited = self._latest
        chain = link.agent_id or inherited or link.uuid or f"line-{line}"
        if link.uuid:
            self._of_record[link.uuid] = chain
        self._latest = chain
        return chain


class Layouter:
    """Builds the layout of a log, a stretch of lines at a time; keeps ids only.

    `sign` tells the format's records from other objects.
    """

    def __init__(self, sign: Sign) -> None:
        self.layout = Layout()
        self._sign = sign
        self._forest = Forest()
        self._main = self._forest.tree()
        self._chains = _Chains(self._main)
        self._agents: dict[tuple[int, int], str] = {}
        self._has_main = False

    def look(self, source: Source) -> bool:
        """Takes the stretch in; False when it changes what the layout said of earlier lines."""
        first = 0
        for line, place, link, length in records(source, _Link, self._sign, Account(source.path)):
            first = first or line
            self._add(line, place, link, length)
        sides, agents = self._forest.sides(), self._told_agents()
        holds = still_holds(self.layout.sides, sides, first) and still_holds(self.layout.agents, agents, first)
        self.layout.sides.update(sides)
        self.layout.agents.update(agents)
        self.layout.repeated.update(self._forest.repeated())
        return holds

    def _add(self, line: int, place: int, link: _Link, length: int) -> None:
        tree = self._main
        if link.is_sidechain:
            chain = self._agents[line, place] = self._chains.of(link, line)
            tree = self._forest.tree(chain)
        elif link.type in _SPEAKERS:
            self._has_main = True
        if link.uuid is None:
            return
        response = (link.message and link.message.id) or link.uuid
        parent = link.parent_uuid
        if isinstance(parent, str):
            tree.add(line, place, link.uuid, parent, _voice(link), response, length)
        else:
            above = link.logical_parent_uuid
            tree.add(line, place, link.uuid, above, _voice(link), response, length, parent is None and not above)

    def _told_agents(self) -> dict[tuple[int, int], str]:
        """The records of sub-agents; without a main conversation the first chain is the main one."""
        if self._has_main or not self._agents:
            return self._agents
        first = next(iter(self._agents.values()))
        return {where: chain for where, chain in self._agents.items() if chain != first}


_SPEAKERS = ("user", "assistant")


def _voice(link: _Link) -> Voice:
    if link.type == "assistant":
        return "agent"
    if link.type != "user" or link.is_meta or link.is_compact_summary or link.message is None:
        return "none"
    return "person" if _is_prompt(link.message.content) else "none"


def _is_prompt(content: msgspec.Raw) -> bool:
    """True for a text, or for blocks without a tool's result."""
    view = memoryview(content)
    head = bytes(view[:300]).lstrip()
    if not head.startswith(b"["):
        return head not in (b"", b"null")
    return head != b"[]" and b'"tool_use_id"' not in head and b'"tool_use_id"' not in bytes(view)
