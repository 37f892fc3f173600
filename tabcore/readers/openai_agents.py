"""Traces of the OpenAI Agents SDK (JSON or JSONL), as its trace processors export them.

A file holds `{…, spans: [span]}`, lists of traces and spans (the batches that the SDK sends, `{data: […]}`), or one of
them a line. Each trace is a run; the key is its id. A `generation` is a model's answer, with the prompt; a `response` is
one too, of which the SDK exports the id and the tokens alone: a problem says so. A `function` is a tool's run; what an
agent does as a tool of another lies below it, and is a run of its own. Agents, handoffs, guardrails, speech and the
program's own spans only lie around these. Format: openai/openai-agents-python, `tracing/spans.py` and `span_data.py`; no
recorded trace was found, so the reader is verified against the exporting code only. `line` is a span's number in the
file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from tabcore.readers.base import Account, seconds
from tabcore.readers.contents import text_of, unpacked
from tabcore.readers.heads import Head
from tabcore.readers.json_documents import shaped, values
from tabcore.readers.trace_messages import Said, messages
from tabcore.readers.traces import ModelSpan, Node, ToolSpan, read_traces
from tabcore.source import Source
from tabcore.trajectory import Json, Piece, RunHeader, Usage

NAME = "openai-agents"


class _Details(msgspec.Struct):
    cached_tokens: int | None = None


class _Usage(msgspec.Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None
    input_tokens_details: _Details | None = None


class _Data(msgspec.Struct):
    type: str = ""
    name: str | None = None
    input: Any = None
    output: Any = None
    model: str | None = None
    usage: _Usage | None = None
    response_id: str | None = None


class _Fault(msgspec.Struct):
    message: str | None = None


class _Span(msgspec.Struct):
    id: str | None = None
    span_id: str | None = None
    trace_id: str | None = None
    parent_id: str | None = None
    started_at: str | float | None = None
    ended_at: str | float | None = None
    span_data: _Data = msgspec.field(default_factory=_Data)
    error: _Fault | None = None


class _Trace(msgspec.Struct):
    id: str | None = None
    trace_id: str | None = None
    workflow_name: str | None = None
    group_id: str | None = None


def recognises(head: Head) -> bool:
    """True for spans with `span_data`, alone or under their trace."""
    return any(_is_span(item) for value in head.values for item in _items(value))


def read(source: Source) -> Iterator[Piece]:
    """One run per trace, and one for each agent that was used as a tool."""
    account = Account(source.path, "span")
    log = _Log(account)
    for _, value in values(source, _is_item, account):
        for item in _items(value):
            log.take(item)
    yield from read_traces(log.nodes, log.header, account, silent="no answer of a model and no tool is among the spans")


def _is_span(value: Json) -> bool:
    if not isinstance(value, dict) or not isinstance(data := value.get("span_data"), dict):
        return False
    return isinstance(data.get("type"), str) and ("trace_id" in value or "parent_id" in value)


def _is_item(value: dict[str, Json]) -> bool:
    return _is_span(value) or value.get("object") == "trace" or "workflow_name" in value


def _items(value: Json) -> Iterator[Json]:
    """Traces, each before its spans, and spans, whatever they are listed in."""
    for part in value if isinstance(value, list) and value else [value]:
        listed = _listed(part) if isinstance(part, dict) else None
        if listed is None or not isinstance(part, dict):
            yield part
            continue
        about = part if _is_item(part) else part.get("trace")
        if isinstance(about, dict):
            yield {name: of for name, of in about.items() if name != "spans"}
        yield from listed


def _listed(value: dict[str, Json]) -> list[Json] | None:
    """The spans of a trace, or the members of a batch; None where there is no list."""
    return next((found for name in ("spans", "data") if isinstance(found := value.get(name), list)), None)


class _Log:
    """The spans of each trace, once each."""

    def __init__(self, account: Account) -> None:
        self.nodes: dict[str, list[Node]] = {}
        self._account = account
        self._traces: dict[str, _Trace] = {}
        self._latest = ""
        self._met: set[tuple[str, str]] = set()

    def take(self, item: Json) -> None:
        """A trace, or one of its spans."""
        if isinstance(item, dict) and not _is_span(item) and _is_item(item):
            trace = shaped(item, _Trace, self._account.total + 1, self._account) or _Trace()
            self._latest = trace.id or trace.trace_id or ""
            self._traces[self._latest] = trace
            return
        self._account.total += 1
        line = self._account.total
        span = shaped(item, _Span, line, self._account)
        if span is None:
            self._account.skip(line)
            return
        place = (span.trace_id or self._latest, span.id or span.span_id or f"span-{line}")
        if place in self._met:
            return
        self._met.add(place)
        self._account.untimed += seconds(span.started_at) is None
        self.nodes.setdefault(place[0], []).append(self._node(span, place[1], line))

    def header(self, ident: str) -> RunHeader:
        """What is known of a trace before its first turn."""
        trace = self._traces.get(ident, _Trace())
        starts = [node.start for node in self.nodes.get(ident, ()) if node.start is not None]
        return RunHeader(
            NAME,
            NAME,
            session=trace.group_id or ident,
            task_name=trace.workflow_name,
            started=min(starts, default=None),
        )

    def _node(self, span: _Span, ident: str, line: int) -> Node:
        """The span as a model's answer, a tool's run, or one that lies around these."""
        place = (ident, span.parent_id or "", line, seconds(span.started_at), seconds(span.ended_at))
        data = span.span_data
        match data.type:
            case "generation" | "response":
                said = next(messages(data.output, "assistant"), Said("assistant"))
                if data.type == "response" and data.output is None:
                    what = f"of the response {data.response_id or ''} the trace holds no words and no calls"
                    self._account.note(line, "no text", what, "kept as a turn without words", lost=True)
                heard = list(messages(data.input)) if data.input else []
                return ModelSpan(*place, heard, said, data.model, _usage(data.usage), span.error is not None)
            case "function":
                shown = text_of(data.output) or (span.error.message or "" if span.error else "")
                asked = unpacked(data.input)
                return ToolSpan(*place, "", data.name or "", asked, Said("tool", shown), span.error is not None)
            case kind if kind not in _AROUND:
                self._account.not_understood(line, kind)
        return Node(*place)


_AROUND = frozenset(
    ["agent", "handoff", "guardrail", "custom", "task", "turn", "mcp_tools", "speech", "speech_group", "transcription"]
)


def _usage(usage: _Usage | None) -> Usage | None:
    if usage is None:
        return None
    cached = (usage.input_tokens_details and usage.input_tokens_details.cached_tokens) or 0
    return Usage(max(0, (usage.input_tokens or 0) - cached), usage.output_tokens or 0, cached)
