"""The first pass over a Claude Code log: on which branch, and in which agent's run, each record lies.

Decodes ids only. Records of inline sub-agents form chains of their own: a chain's key is the agent's id, or the uuid
of its first record. In a log without a main conversation (a sub-agent's own file) the first chain is the main one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from tabcore.readers.base import Account
from tabcore.readers.branches import Forest, Side, Voice
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


def layout_of(source: Source, sign: Sign) -> Layout:
    layout, forest, chains = Layout(), Forest(), _Chains()
    for line, place, link, length in records(source, _Link, sign, Account(source.path)):
        chain = ""
        if link.is_sidechain:
            chain = layout.agents[line, place] = chains.of(link, line)
        elif link.type in ("user", "assistant"):
            layout.has_main = True
        if link.uuid is not None:
            _plant(forest, link, chain, line, place, length)
    layout.sides, layout.repeated = forest.sides(), forest.repeated
    if not layout.has_main and layout.agents:
        first = next(iter(layout.agents.values()))
        layout.agents = {where: chain for where, chain in layout.agents.items() if chain != first}
    return layout


def _plant(forest: Forest, link: _Link, chain: str, line: int, place: int, length: int) -> None:
    parent = link.parent_uuid
    voice = _voice(link)
    response = (link.message.id if link.message else None) or link.uuid
    if isinstance(parent, str):
        forest.add(chain, line, place, link.uuid, parent, voice, response, length)
    else:
        is_root = parent is None and not link.logical_parent_uuid
        forest.add(chain, line, place, link.uuid, link.logical_parent_uuid, voice, response, length, is_root)


def _voice(link: _Link) -> Voice:
    if link.type == "assistant":
        return "agent"
    if link.type != "user" or link.is_meta or link.is_compact_summary or link.message is None:
        return "none"
    content = bytes(memoryview(link.message.content)[:4096]).lstrip()
    is_result = content.startswith(b"[") and (b'"tool_result"' in content or b'"tool_use_id"' in content)
    return "none" if is_result or content in (b"", b"null", b"[]") else "person"
