"""Runs of DCI-Agent-Lite: `conversation_full.json`, or the `conversation.json` beside it (one JSON object).

Pi's messages, with what the runner knew: question, working directory, turn limit. Read off the recorder's code
(DCI-Agent/DCI-Agent-Lite, src/dci/benchmark/pi_rpc_runner.py); no recording was at hand, so it is unverified against
one. A run that hit its turn limit is "completed" all the same: its last response is aborted. `final_text` glues the
texts of all turns together and is passed over. In `conversation.json` results may have been cleared: each is named,
and its placeholder is the harness's. `line` is a message's number.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tabcore.readers.assembly import RunAssembler
from tabcore.readers.base import Account, account_of, seconds
from tabcore.readers.heads import Head
from tabcore.readers.json_documents import shaped, values
from tabcore.readers.pi_messages import CLEARED, ROLES, PiConversation, PiMessage, said
from tabcore.source import Source
from tabcore.trajectory import Json, Piece, RunHeader, Task

NAME = "dci-agent"


class _Execution(msgspec.Struct):
    finished_at: str | None = None


class _Recorded(PiMessage):
    """A message as the runner keeps it."""

    execution: _Execution | None = msgspec.field(default=None, name="tool_execution")


class _Note(msgspec.Struct):
    text: str | None = None


class _Document(msgspec.Struct):
    started_at: str | None = None
    status: str | None = None
    error: str | None = None
    question: str | None = None
    cwd: str | None = None
    model: str | None = None
    max_turns: int | None = None
    notes: list[_Note] | None = None
    pending_message: _Recorded | None = None


def recognises(head: Head) -> bool:
    """True for an object with the runner's question, limit and messages."""
    found = head.opening
    if not isinstance(found, dict) or not {"started_at", "question", "max_turns"} <= found.keys():
        return False
    messages = found.get("messages")
    return isinstance(messages, list) and any(isinstance(item, dict) and "role" in item for item in messages[:3])


def read(source: Source) -> Iterator[Piece]:
    """The one run of the file."""
    account = account_of(source, "message")
    run: _Run | None = None
    for line, value in values(source, _is_message, account):
        if run is not None or not isinstance(value, dict):
            account.note(line, "not a record", "this is no recorded conversation", "passed over", lost=True)
            continue
        messages = value.pop("messages", None)
        run = _Run(shaped(value, _Document, line, account) or _Document(), account)
        for place, message in enumerate(messages if isinstance(messages, list) else (), 1):
            run.take(place, message)
            yield from account.drain()
    (run or _Run(_Document(), account)).end()
    yield from account.close()


def _is_message(value: dict[str, Json]) -> bool:
    return str(value.get("role")) in ROLES and ("content" in value or "command" in value)


class _Run:
    """The run of one recording."""

    def __init__(self, document: _Document, account: Account) -> None:
        self._document = document
        self._account = account
        self._talk = PiConversation(RunAssembler("", _header(document), account), account)

    def take(self, place: int, value: Json) -> None:
        """One message."""
        self._account.total += 1
        message = shaped(value, _Recorded, place, self._account)
        if message is None:
            self._account.skip(place)
        elif message.role == "toolResult" and said(message).startswith(CLEARED):
            self._account.note(place, "cleared result", "a result was cleared", "its placeholder was kept", lost=True)
            self._put(message, place)
        else:
            self._put(message, place)

    def end(self) -> None:
        """All that is still open, and how the run ended."""
        told, run = self._document, self._talk.run
        if told.pending_message is not None and told.pending_message.role in ROLES:
            self._pending(told.pending_message)
        if run.turns == 0:
            self._account.note(0, "no turns", "the log holds no response of a model", "kept without turns")
        if told.status not in (None, "completed"):
            why = f": {told.error[:200]}" if told.error else ""
            what = f'the record says "{told.status[:40]}"{why}'
            self._account.note(0, "failed run", what, "kept as far as it went")
        limit = next((note.text for note in told.notes or () if "max_turns" in (note.text or "")), None)
        if limit or (
            run.response and run.response.outcome == "aborted" and told.max_turns in (run.turns, run.turns - 1)
        ):
            what = limit or f"the run was aborted at its limit of {told.max_turns} turns"
            self._account.note(0, "turn limit", what[:200], "the last response is aborted")
        run.end()

    def _put(self, message: _Recorded, place: int) -> None:
        time = seconds(message.timestamp)
        if time is None and message.execution is not None:
            time = seconds(message.execution.finished_at)
        self._account.untimed += time is None
        self._talk.take(message, place, time)

    def _pending(self, message: _Recorded) -> None:
        """A message that was being written when the record was."""
        place = self._account.total + 1
        self._account.note(place, "unfinished message", "the last message was still being written", "kept as it was")
        if message.role == "assistant":
            message.stop_reason = "aborted"
        self._put(message, place)


def _header(document: _Document) -> RunHeader:
    return RunHeader(
        NAME,
        harness="dci-agent-lite",
        task=Task(document.question, "question") if document.question else None,
        cwd=document.cwd,
        fresh_cwd=True,
        model=document.model,
        started=seconds(document.started_at),
    )
