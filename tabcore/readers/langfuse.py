"""Traces as Langfuse exports them (JSON or JSONL).

A file holds `{trace, observations}`, a trace with its observations, or observations alone.

Each trace is a run; the key is its id. A GENERATION is a model's answer, a TOOL a tool's run, a RETRIEVER a look-up; the
other types wrap these and repeat them. Observations stand in any order, and twice where the trace repeats the list.
`input`, `output` and `metadata` are JSON in strings, sometimes twice packed. Scores came after the run and are passed
over. Format: Langfuse's public API (`/api/public/traces/{id}`), verified on one exported trace of Vercel's AI SDK.
`line` is an observation's number in the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from tabcore.readers.base import Account, seconds
from tabcore.readers.contents import amount, content, text_of, unpacked
from tabcore.readers.heads import Head
from tabcore.readers.json_documents import shaped, values
from tabcore.readers.trace_messages import Said, messages
from tabcore.readers.traces import ModelSpan, Node, RetrievalSpan, ToolSpan, read_traces
from tabcore.source import Source
from tabcore.trajectory import Json, Piece, RunHeader, Usage

NAME = "langfuse"


class _Observation(msgspec.Struct, rename="camel"):
    id: str = ""
    trace_id: str | None = None
    parent_observation_id: str | None = None
    type: str = ""
    name: str | None = None
    start_time: str | float | None = None
    end_time: str | float | None = None
    input: Any = None
    output: Any = None
    metadata: Any = None
    level: str | None = None
    status_message: str | None = None
    model: str | None = None
    usage_details: Any = None
    usage: Any = None
    cost_details: Any = None


class _Trace(msgspec.Struct, rename="camel"):
    id: str = ""
    name: str | None = None
    session_id: str | None = None
    timestamp: str | float | None = None


def recognises(head: Head) -> bool:
    """True for a trace with observations, or observations alone."""
    items = (item for value in head.values for item in (value[:5] if isinstance(value, list) else [value]))
    return any(isinstance(item, dict) and (_is_export(item) or _is_observation(item)) for item in items)


def read(source: Source) -> Iterator[Piece]:
    """One run per trace, and one for each sub-agent."""
    account = Account(source.path, "observation")
    log = _Log(account)
    for _, value in values(source, _is_observation, account):
        for item in value if isinstance(value, list) else [value]:
            log.take(item)
    yield from read_traces(log.nodes, log.header, account, silent="no generation and no tool is among the observations")


def _is_observation(value: dict[str, Json]) -> bool:
    return (
        isinstance(value.get("type"), str)
        and "startTime" in value
        and ("traceId" in value or "parentObservationId" in value)
    )


def _is_export(value: dict[str, Json]) -> bool:
    trace = value.get("trace")
    inner = trace if isinstance(trace, dict) else value
    return ("projectId" in inner and "timestamp" in inner) or (
        isinstance(value.get("observations"), list) and ("trace" in value or "timestamp" in value)
    )


class _Log:
    """The observations of each trace, once each."""

    def __init__(self, account: Account) -> None:
        self.nodes: dict[str, list[Node]] = {}
        self._account = account
        self._traces: dict[str, _Trace] = {}
        self._met: set[str] = set()

    def take(self, value: Json) -> None:
        """A trace with its observations, or one observation."""
        if not isinstance(value, dict):
            self._account.note(0, "not a record", "a value is no object", "passed over", lost=True)
            return
        if _is_observation(value):
            self._observation(value, "")
            return
        inner = value.get("trace")
        about = inner if isinstance(inner, dict) else value
        trace = shaped({name: of for name, of in about.items() if name in _ABOUT}, _Trace, 0, self._account) or _Trace()
        self._traces[trace.id] = trace
        for listed in (value.get("observations"), about.get("observations")):
            for item in listed if isinstance(listed, list) else ():
                self._observation(item, trace.id)

    def header(self, ident: str) -> RunHeader:
        """What is known of a trace before its first turn."""
        trace = self._traces.get(ident, _Trace())
        return RunHeader(
            NAME, session=trace.session_id or ident, task_name=trace.name, started=seconds(trace.timestamp)
        )

    def _observation(self, value: Json, trace: str) -> None:
        ident = value.get("id") if isinstance(value, dict) else None
        if isinstance(ident, str) and ident in self._met:
            return
        self._met |= {ident} if isinstance(ident, str) else set()
        self._account.total += 1
        line = self._account.total
        found = shaped(value, _Observation, line, self._account)
        if found is None:
            self._account.skip(line)
            return
        self._account.untimed += seconds(found.start_time) is None
        self.nodes.setdefault(found.trace_id or trace, []).append(_node(found, line))


_ABOUT = frozenset(["id", "name", "sessionId", "timestamp"])


def _node(found: _Observation, line: int) -> Node:
    """The observation as a model's answer, a tool's run or a look-up, or one that only lies around these."""
    place = (found.id, found.parent_observation_id or "", line, seconds(found.start_time), seconds(found.end_time))
    failed = found.level == "ERROR"
    match found.type:
        case "GENERATION":
            heard = list(messages(found.input))
            said = next(messages(found.output, "assistant"), Said("assistant"))
            return ModelSpan(*place, heard, said, found.model, _usage(found), failed)
        case "TOOL":
            about = _attributes(found.metadata)
            name = text_of(about.get("ai.toolCall.name") or about.get("gen_ai.tool.name")) or found.name or ""
            call_id = text_of(about.get("ai.toolCall.id") or about.get("gen_ai.tool.call.id"))
            text = _shown(text_of(found.output)) or (found.status_message or "" if failed else "")
            shown = Said("tool", text)
            return ToolSpan(*place, call_id, name, unpacked(found.input), shown, failed)
        case "RETRIEVER":
            return RetrievalSpan(*place, list(_documents(unpacked(found.output))))
        case _:
            return Node(*place)


def _shown(text: str) -> str:
    """A result without the quotes that packing put around a plain text; any other JSON as it is.

    >>> _shown('"a\\\\nb"'), _shown('{"a": 1}')
    ('a\\nb', '{"a": 1}')
    """
    try:
        return msgspec.json.decode(text, type=str)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return text


def _attributes(metadata: Json) -> dict[str, Json]:
    found = unpacked(metadata)
    inner = found.get("attributes") if isinstance(found, dict) else None
    return inner if isinstance(inner, dict) else {}


def _documents(value: Json) -> Iterator[tuple[str, str]]:
    """Documents with the file that each comes from, out of whatever list a retriever returned."""
    found = value.get("documents", value.get("output")) if isinstance(value, dict) else value
    for item in found if isinstance(found, list) else ():
        about = item.get("metadata") if isinstance(item, dict) else None
        source = about.get("source") if isinstance(about, dict) else None
        text = item.get("page_content", item.get("pageContent")) if isinstance(item, dict) else item
        yield text_of(source), text if isinstance(text, str) else content(item).text


def _usage(found: _Observation) -> Usage | None:
    """Tokens of a generation, in the newer details or the older totals; None where none are told."""
    told = found.usage_details if isinstance(found.usage_details, dict) and found.usage_details else found.usage
    if not isinstance(told, dict) or not told:
        return None

    def count(*names: str) -> int:
        return next((int(told[name]) for name in names if isinstance(told.get(name), int | float)), 0)

    costs = found.cost_details if isinstance(found.cost_details, dict) else {}
    return Usage(
        count("input", "promptTokens", "prompt_tokens", "input_tokens"),
        count("output", "completionTokens", "completion_tokens", "output_tokens"),
        count("input_cached_tokens", "cache_read_input_tokens", "input_cache_read"),
        count("cache_creation_input_tokens", "input_cache_creation"),
        amount(costs.get("total")),
    )
