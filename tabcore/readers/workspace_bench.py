"""Workspace-Bench's record of a run, `agent.json` (one JSON object).

`{caseId, workDir, status, trace: {prompt: {user}, executionTrace: [entry, …], llm: {model}, …}}`. Entries: `{type:
"text", role: "user" | "assistant", content, timestamp, llm: {model, usage}}` and `{type: "tool", tool, callID,
timestamp, status, exitCode, input, output}`. A call and its result are one entry, or two (in progress, completed) of
the same id or, failing that, of the same tool. What one response held is not told: text opens a turn, and so does a
call once the turn has one.

Checked against copies of the benchmark's published code (evaluation/src/agent_runner.py, agents/claudecode.py and
others); no published record was found. `line` is an entry's place, from 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from tabcore.readers.assembly import Response, RunAssembler
from tabcore.readers.base import Account, account_of, seconds
from tabcore.readers.contents import arguments, content
from tabcore.readers.heads import Head
from tabcore.readers.insertions import user_message
from tabcore.readers.json_documents import shaped, values
from tabcore.source import Source
from tabcore.trajectory import Json, Message, Observation, Piece, RunHeader, ToolCall, Usage

NAME = "workspace-bench"


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None


class _Model(msgspec.Struct):
    model: str | None = None
    usage: _Usage | None = None


class _Entry(msgspec.Struct):
    type: str = ""
    role: str = ""
    content: Any = None
    timestamp: str | float | None = None
    llm: _Model | None = None
    tool: str | None = None
    call_id: str | None = msgspec.field(default=None, name="callID")
    status: str | None = None
    exit_code: int | None = msgspec.field(default=None, name="exitCode")
    input: Any = None
    output: Any = None


class _Trace(msgspec.Struct, rename="camel"):
    execution_trace: list[Any] | None = None
    llm: _Model | None = None
    runner: str | None = None


class _Record(msgspec.Struct, rename="camel"):
    case_id: str | None = None
    work_dir: str | None = None
    trace: _Trace | None = None


def recognises(head: Head) -> bool:
    """True for an object whose `trace` has an execution trace or a prompt, as the runner writes it."""
    found = head.opening
    if not isinstance(found, dict) or not isinstance(trace := found.get("trace"), dict):
        return False
    return "executionTrace" in trace or ("prompt" in trace and "caseId" in found)


def read(source: Source) -> Iterator[Piece]:
    """One run."""
    account = account_of(source, "entry")
    record, entries = _record(source, account)
    trace = record.trace or _Trace()
    header = RunHeader(
        NAME, harness=trace.runner or "", session=record.case_id or "", cwd=record.work_dir, model=_model(trace.llm)
    )
    trail = _Trail(account, RunAssembler("", header, account))
    for place, item in enumerate(entries, 1):
        account.total += 1
        entry = shaped(item, _Entry, place, account)
        if entry is None:
            account.skip(place)
        else:
            trail.take(place, entry)
        yield from account.drain()
    trail.end()
    yield from account.close()


def _record(source: Source, account: Account) -> tuple[_Record, list[Json]]:
    """The record and its entries; entries that stand alone in a torn file count too."""
    record, entries = _Record(), list[Json]()
    for line, value in values(source, _is_entry, account):
        if isinstance(value, dict) and isinstance(value.get("trace"), dict):
            record = shaped(value, _Record, line, account) or record
            entries += (record.trace and record.trace.execution_trace) or []
        elif isinstance(value, dict) and _is_entry(value):
            entries.append(value)
    return record, entries


def _is_entry(value: dict[str, Json]) -> bool:
    return value.get("type") in ("text", "tool") and "role" in value


def _model(told: _Model | None) -> str | None:
    return told.model if told else None


class _Trail:
    """The run, filled entry by entry."""

    def __init__(self, account: Account, run: RunAssembler) -> None:
        self._account = account
        self._run = run

    def take(self, place: int, entry: _Entry) -> None:
        """One entry."""
        time = seconds(entry.timestamp)
        self._account.untimed += time is None
        if entry.type == "tool" or entry.role == "tool":
            self._tool(place, entry, time)
        elif entry.role == "user":
            self._run.say(user_message(content(entry.content).text, place, time))
        elif entry.role == "system":
            self._run.say(Message(content(entry.content).text, "harness", "system", place, time))
        elif entry.role == "assistant":
            self._respond(place, entry, time).texts.append(content(entry.content).text)
        else:
            self._account.not_understood(place, entry.role or entry.type)

    def end(self) -> None:
        """The last turn."""
        if self._run.turns == 0:
            self._account.note(0, "no turns", "the log holds no response of a model", "kept without turns")
        self._run.end()

    def _respond(self, place: int, entry: _Entry, time: float | None) -> Response:
        usage = entry.llm.usage if entry.llm else None
        response = Response("", place, time, _model(entry.llm), usage=_usage(usage))
        self._run.respond(response)
        return response

    def _tool(self, place: int, entry: _Entry, time: float | None) -> None:
        name = entry.tool or ""
        call = self._begun(entry, name)
        if call is None:
            response = self._run.response
            if response is None or response.calls:
                self._respond(place, entry, time)
            given = arguments(entry.input, name, place, self._account)
            call = ToolCall(entry.call_id or f"entry-{place}", name, given, place)
            if not self._run.call(call):
                what = f"the call {call.call_id} stands here again"
                self._account.note(place, "repeated record", what, "read once")
                return
        shown = entry.output if entry.output is not None else entry.content
        if shown is None and entry.status not in ("completed", "failed"):
            return
        told = content(shown)
        failed = entry.status == "failed" or bool(entry.exit_code)
        self._run.observe(
            Observation(call.call_id, told.text, failed, (), told.images, entry.exit_code, None, place, time)
        )

    def _begun(self, entry: _Entry, name: str) -> ToolCall | None:
        """The call in progress that the entry completes: of its id, or of its tool where it has no input of its own."""
        if entry.call_id and (call := self._run.awaits(entry.call_id)):
            return call
        if entry.input or entry.status == "in_progress":
            return None
        return next((call for call in self._run.awaited() if call.name == name), None)


def _usage(told: _Usage | None) -> Usage | None:
    if told is None or not any((told.prompt_tokens, told.completion_tokens, told.cache_read, told.cache_write)):
        return None
    return Usage(told.prompt_tokens or 0, told.completion_tokens or 0, told.cache_read or 0, told.cache_write or 0)
