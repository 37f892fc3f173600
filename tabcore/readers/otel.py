"""OpenTelemetry traces of agents (OTLP JSON, a list of exports, or one a line; and the console exporter's spans).

Each trace with a model or a tool in it is a run; the key is its id in hex, whether recorded in hex or in base64.
Attributes are read in these dialects: OpenInference (`llm.*`, `tool.*`, `retrieval.documents.*`), OpenTelemetry's gen_ai
conventions (messages as attributes, numbered prompts and completions, or span events), Vercel's AI SDK (`ai.*`).
Verified on OpenInference exports; gen_ai and Vercel's against their documentation only (semantic conventions for
generative AI, AI SDK telemetry): no trace with tool content was found. Spans of other kinds repeat what these hold.
`line` is a span's number in the file.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from tabcore.readers.base import Account
from tabcore.readers.heads import Head
from tabcore.readers.json_documents import values
from tabcore.readers.otel_spans import RawSpan, node_of, plain
from tabcore.readers.traces import Node, read_traces
from tabcore.source import Source
from tabcore.trajectory import Json, Piece, RunHeader

NAME = "otel"


def recognises(head: Head) -> bool:
    """True for exports of resource spans, and for spans as the console exporter writes them."""
    items = (item for value in head.values for item in (value[:5] if isinstance(value, list) else [value]))
    return any(isinstance(item, dict) and _is_export(item) for item in items)


def read(source: Source) -> Iterator[Piece]:
    """One run per trace that a model or a tool takes part in, and one for each sub-agent."""
    account = Account(source.path, "span")
    traces: dict[str, _Trace] = {}
    for _, value in values(source, _is_span, account):
        for item in value if isinstance(value, list) else [value]:
            for raw in _spans(item, account):
                traces.setdefault(raw.trace, _Trace()).add(raw)
    nodes = {ident: trace.nodes for ident, trace in traces.items()}
    silent = f"none of {len(traces)} traces holds a model's span"
    yield from read_traces(nodes, lambda ident: traces.get(ident, _Trace()).header(ident), account, silent=silent)


class _Trace:
    """The spans of one trace, and what is known of it as a whole."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._service = ""
        self._session = ""
        self._start: float | None = None

    def add(self, raw: RawSpan) -> None:
        """One span."""
        self.nodes.append(node_of(raw))
        self._service = self._service or raw.service
        told = (raw.attributes.get(name) for name in ("session.id", "gen_ai.conversation.id", "langfuse.session.id"))
        self._session = self._session or next((name for name in told if isinstance(name, str)), "")
        if raw.start is not None:
            self._start = raw.start if self._start is None else min(self._start, raw.start)

    def header(self, ident: str) -> RunHeader:
        """What is known before the first turn."""
        harness = "" if self._service.startswith("unknown_service") else self._service
        return RunHeader(NAME, harness, session=self._session or ident, started=self._start)


def _is_export(value: dict[str, Json]) -> bool:
    return isinstance(value.get("resourceSpans") or value.get("resource_spans"), list) or _is_span(value)


def _is_span(value: dict[str, Json]) -> bool:
    context = value.get("context")
    in_context = isinstance(context, dict) and "trace_id" in context and "attributes" in value
    return in_context or ("traceId" in value and "spanId" in value and "name" in value)


def _spans(value: Json, account: Account) -> Iterator[RawSpan]:
    """The spans of an export, or the one that a value is."""
    if not isinstance(value, dict) or not _is_export(value):
        account.note(account.total, "not a record", "a value is no export of spans", "passed over", lost=True)
        return
    if _is_span(value):
        yield _raw(value, "", account)
        return
    for resource in _dicts(value.get("resourceSpans") or value.get("resource_spans")):
        about = resource.get("resource")
        attributes = plain(about.get("attributes")) if isinstance(about, dict) else {}
        service = attributes.get("service.name")
        for scope in _dicts(resource.get("scopeSpans") or resource.get("scope_spans")):
            for span in _dicts(scope.get("spans")):
                yield _raw(span, service if isinstance(service, str) else "", account)


def _dicts(value: Json) -> Iterator[dict[str, Json]]:
    return (item for item in (value if isinstance(value, list) else ()) if isinstance(item, dict))


def _raw(span: dict[str, Json], service: str, account: Account) -> RawSpan:
    account.total += 1
    context = span.get("context")
    around = context if isinstance(context, dict) else span
    raw = RawSpan(
        account.total,
        in_hex(_named(around, "traceId", "trace_id")),
        in_hex(_named(around, "spanId", "span_id")),
        in_hex(_named(span, "parentSpanId", "parent_span_id", "parent_id")),
        span,
        plain(span.get("attributes")),
        service,
    )
    account.untimed += raw.start is None
    return raw


def _named(value: dict[str, Json], *names: str) -> str:
    return next((text for name in names if isinstance(text := value.get(name), str)), "")


_HEX = re.compile(r"(?:0x)?([0-9a-fA-F]{16}|[0-9a-fA-F]{32})\Z")


def in_hex(ident: str) -> str:
    """A trace's or span's id in hex; one that is neither hex nor base64 as it is, without odd characters.

    >>> in_hex("PHL1gt1FhyAgcA3641rvnQ=="), in_hex("BDAE4515EFE28310"), in_hex("span 1")
    ('3c72f582dd45872020700dfae35aef9d', 'bdae4515efe28310', 'span-1')
    """
    if found := _HEX.match(ident):
        return found.group(1).lower()
    try:
        data = base64.b64decode(ident, validate=True)
    except (binascii.Error, ValueError):
        data = b""
    return data.hex() if len(data) in (8, 16) else re.sub(r"[^\w.-]+", "-", ident)[:64]
