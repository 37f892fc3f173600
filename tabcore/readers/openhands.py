"""Event streams of OpenHands: V0 (a JSON list, or `output.jsonl` with a run a row), and V1 of its SDK.

An event of V1 is a file of a directory, a line, or an item of a list.

Formats: All-Hands-AI/OpenHands `events/serialization`, OpenHands/software-agent-sdk `openhands.sdk.event`. How an
event is read: `openhands_v0`, `openhands_v1`. Runs that were exported as chat messages are read by `chat_messages`.

A V1 conversation is a directory `events/` of files `event-00003-<uuid>.json`, which `bundles.openhands_events` joins to
one log. Given one of the files alone, the reader reads its siblings too: the first file's log is all of them, and a
later file says that it belongs there. `line` is an event's line, or its number where the events stand in one document.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Protocol

import msgspec

from tabcore.readers.assembly import RunAssembler
from tabcore.readers.base import Account
from tabcore.readers.heads import Head
from tabcore.readers.json_documents import shaped, values
from tabcore.readers.openhands_v0 import StreamV0
from tabcore.readers.openhands_v1 import StreamV1
from tabcore.source import Source
from tabcore.trajectory import Json, Piece, RunHeader, Task

NAME = "openhands"

_EVENT_FILE = re.compile(r"event-\d+-[\w-]+\.json\Z")


class _Llm(msgspec.Struct):
    model: str | None = None


class _Metadata(msgspec.Struct):
    llm_config: _Llm | None = None
    dataset: str | None = None


class _Row(msgspec.Struct):
    """A row of `output.jsonl` apart from its history."""

    instance_id: str | int | None = None
    instruction: str | None = None
    metadata: _Metadata | None = None
    error: str | None = None


class _Stream(Protocol):
    def take(self, number: int, event: Json) -> None: ...
    def end(self) -> None: ...


def recognises(head: Head) -> bool:
    """True for events of either version, bare, in a list, or as a row's `history`."""
    return any(isinstance(event, dict) and _is_event(event) for value in head.values for event in _events(value)[:5])


def read(source: Source) -> Iterator[Piece]:
    """One run, or one per row of `output.jsonl`."""
    account = Account(source.path, "event")
    log = _Log(account, source.path)
    for part in _parts(source, account):
        account.file = part.path
        for line, value in values(part, _is_event, account):
            log.take(line, value)
            yield from account.drain()
    log.end()
    account.file = source.path
    yield from account.close()


def _parts(source: Source, account: Account) -> list[Source]:
    """The log's files: the source, or for the first file of an event directory all of them."""
    if not _EVENT_FILE.fullmatch(source.name):
        return [source]
    files = sorted(
        [source, *(other for other in source.siblings() if _EVENT_FILE.fullmatch(other.name))],
        key=lambda file: file.name,
    )
    if files[0] is source:
        return files
    account.note(0, "part of a log", f"the event belongs to the log that {files[0].name} opens", "read there")
    return []


def _is_event(event: dict[str, Json]) -> bool:
    if isinstance(event.get("kind"), str):
        return "source" in event and "timestamp" in event and "role" not in event
    return ("action" in event and "args" in event) or (
        "observation" in event and ("extras" in event or "cause" in event)
    )


def _events(value: Json) -> list[Json]:
    """The events in a value: a row's, a list's, or the one that it is."""
    history = value.get("history") if isinstance(value, dict) else None
    return _flat(next((items for items in (history, value) if isinstance(items, list)), [value]))


def _flat(items: list[Json]) -> list[Json]:
    """The events of a history; older ones hold pairs of an action and its observation."""
    return [event for item in items for event in (item if isinstance(item, list) else [item])]


class _Log:
    """The runs of a log: rows each make one, loose events make one together."""

    def __init__(self, account: Account, path: str) -> None:
        self._account = account
        self._path = path
        self._loose: _Stream | None = None
        self._loose_count = 0

    def take(self, line: int, value: Json) -> None:
        """One value of the file."""
        if isinstance(value, dict) and "history" in value:
            self._row(line, value)
            return
        if value == []:
            self._account.note(line, "not a record", "an event or a row is expected here", "passed over", lost=True)
        for event in _flat(value) if isinstance(value, list) else [value]:
            self._loose_count += 1
            number = self._loose_count if isinstance(value, list) or line == 1 else line
            self._loose = self._loose or self._stream_of(event)(
                RunAssembler("", RunHeader(NAME, harness=NAME), self._account), self._account
            )
            self._loose.take(number, event)

    def end(self) -> None:
        """All that is still open."""
        if self._loose:
            self._loose.end()

    def _row(self, line: int, value: dict[str, Json]) -> None:
        row = shaped({name: item for name, item in value.items() if name != "history"}, _Row, line, self._account)
        row, history = row or _Row(), value.get("history")
        if row.error:
            self._account.note(line, "failed run", f"the run ended with an error ({row.error[:300]})", "kept")
        if not isinstance(history, list):
            self._account.note(line, "no history", "the row has no list of events", "kept without turns", lost=True)
        events = _flat(history) if isinstance(history, list) else []
        file, self._account.file = self._account.file, f"{self._account.file}:{line}"
        run = RunAssembler(_key(row, line), _header(row), self._account)
        stream = self._stream_of(events[0] if events else None)(run, self._account)
        for number, event in enumerate(events, 1):
            stream.take(number, event)
        stream.end()
        self._account.file = file

    def _stream_of(self, event: Json) -> Callable[[RunAssembler, Account], _Stream]:
        return StreamV1 if isinstance(event, dict) and isinstance(event.get("kind"), str) else StreamV0


def _key(row: _Row, line: int) -> str:
    return re.sub(r"[^\w.-]+", "-", str(row.instance_id or f"row-{line}"))[:120]


def _header(row: _Row) -> RunHeader:
    about = row.metadata or _Metadata()
    return RunHeader(
        NAME,
        NAME,
        task=Task(row.instruction, "instruction") if row.instruction else None,
        model=about.llm_config.model if about.llm_config else None,
        suite=about.dataset,
        task_name=str(row.instance_id) if row.instance_id is not None else None,
    )
