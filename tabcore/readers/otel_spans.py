"""One OpenTelemetry span -> what it says of a run, by the names that each instrumentation gives to the same things."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tabcore.readers.base import seconds
from tabcore.readers.contents import amount, content, text_of, unpacked
from tabcore.readers.trace_messages import Said, messages
from tabcore.readers.traces import ModelSpan, Node, RetrievalSpan, ToolSpan
from tabcore.trajectory import Json, Usage


@dataclass(slots=True)
class RawSpan:
    """A span with its ids in hex and its attributes as plain values. `line` is its number in the file."""

    line: int
    trace: str
    ident: str
    parent: str
    value: dict[str, Json]
    attributes: dict[str, Json]
    service: str

    @property
    def start(self) -> float | None:
        """When it began."""
        return _moment(self.value, "startTimeUnixNano", "start_time_unix_nano", "start_time")

    @property
    def end(self) -> float | None:
        """When it ended."""
        return _moment(self.value, "endTimeUnixNano", "end_time_unix_nano", "end_time")

    @property
    def failed(self) -> str | None:
        """What the status says of a failure; None where it says none."""
        status = self.value.get("status")
        status = status if isinstance(status, dict) else {}
        code = status.get("code", status.get("status_code"))
        if code not in (2, "2", "STATUS_CODE_ERROR", "ERROR"):
            return None
        return text_of(status.get("message") or status.get("description") or "")


def node_of(raw: RawSpan) -> Node:
    """The span as a model's, a tool's or a retrieval; any other repeats what those hold, and only lies around them."""
    match _kind(raw):
        case "model":
            return _model(raw)
        case "tool":
            return _tool(raw)
        case "retrieval":
            return _retrieval(raw)
        case _:
            return Node(raw.ident, raw.parent, raw.line, raw.start, raw.end)


def _kind(raw: RawSpan) -> str:
    """What a span is, by the first attribute that tells."""
    told = raw.attributes
    for name, kinds in _KINDS:
        if isinstance(value := told.get(name), str):
            return kinds.get(value.lower(), "")
    if "ai.response" in told or any(name.startswith("gen_ai.completion.") for name in told):
        return "model"
    return ""


_KINDS: tuple[tuple[str, dict[str, str]], ...] = (
    ("openinference.span.kind", {"llm": "model", "tool": "tool", "retriever": "retrieval"}),
    (
        "gen_ai.operation.name",
        {"chat": "model", "text_completion": "model", "generate_content": "model", "execute_tool": "tool"},
    ),
    (
        "ai.operationId",
        {
            "ai.generatetext.dogenerate": "model",
            "ai.streamtext.dostream": "model",
            "ai.generateobject.dogenerate": "model",
            "ai.streamobject.dostream": "model",
            "ai.toolcall": "tool",
        },
    ),
    ("traceloop.span.kind", {"tool": "tool"}),
    ("llm.request.type", {"chat": "model", "completion": "model"}),
)


def _model(raw: RawSpan) -> ModelSpan:
    told = raw.attributes
    heard = [*_heard(raw)] or [*messages(told.get("input.value"))]
    said = next(iter(_said(raw)), None) or Said("assistant", content(told.get("output.value")).text)
    model = _first(
        told, "gen_ai.response.model", "llm.model_name", "gen_ai.request.model", "ai.response.model", "ai.model.id"
    )
    return ModelSpan(
        raw.ident, raw.parent, raw.line, raw.start, raw.end, heard, said,
        model if isinstance(model, str) else None, usage_of(told), raw.failed is not None,
    )  # fmt: skip


def _heard(raw: RawSpan) -> Iterator[Said]:
    """The prompt, in whichever dialect the span has it."""
    told = raw.attributes
    for name in ("gen_ai.system_instructions", "gen_ai.input.messages", "ai.prompt.messages", "ai.prompt"):
        if told.get(name) is not None:
            yield from messages(told[name], "system" if name == "gen_ai.system_instructions" else "user")
    yield from _numbered(told, "llm.input_messages.", "message.")
    yield from _numbered(told, "gen_ai.prompt.", "")
    for name, found in _events(raw):
        if _HEARD_EVENT.match(name) and name != "gen_ai.choice":
            yield from messages({"role": name.split(".")[1], **found})
        elif isinstance(found.get("gen_ai.input.messages") or found.get("gen_ai.prompt"), str):
            yield from messages(found.get("gen_ai.input.messages") or found.get("gen_ai.prompt"))


_HEARD_EVENT = re.compile(r"gen_ai\.(?:system|user|assistant|tool)\.message\Z")


def _said(raw: RawSpan) -> Iterator[Said]:
    """The answer, in whichever dialect the span has it."""
    told = raw.attributes
    yield from messages(told.get("gen_ai.output.messages"), "assistant")
    yield from _numbered(told, "llm.output_messages.", "message.")
    yield from _numbered(told, "gen_ai.completion.", "", "assistant")
    text, calls = told.get("ai.response.text", told.get("ai.response")), unpacked(told.get("ai.response.toolCalls"))
    if text or calls:
        yield from messages({"role": "assistant", "content": text, "tool_calls": calls}, "assistant")
    for name, found in _events(raw):
        if name == "gen_ai.choice":
            inner = unpacked(found.get("message"))
            yield from messages({"role": "assistant", **(inner if isinstance(inner, dict) else found)})
        else:
            yield from messages(found.get("gen_ai.output.messages") or found.get("gen_ai.completion"), "assistant")


def _tool(raw: RawSpan) -> ToolSpan:
    told, failed = raw.attributes, raw.failed
    asked = _first(
        told,
        "gen_ai.tool.call.arguments",
        "ai.toolCall.args",
        "tool.parameters",
        "input.value",
        "traceloop.entity.input",
    )
    result = _first(told, "gen_ai.tool.call.result", "ai.toolCall.result", "output.value", "traceloop.entity.output")
    call_id = _first(told, "gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id", "tool.id")
    name = _first(told, "gen_ai.tool.name", "tool.name", "ai.toolCall.name", "traceloop.entity.name")
    shown = content(_result(result))
    text = shown.text or (failed or "")
    return ToolSpan(
        raw.ident, raw.parent, raw.line, raw.start, raw.end, text_of(call_id), text_of(name or raw.value.get("name")),
        asked, Said("tool", text, images=shown.images), failed is not None,
    )  # fmt: skip


def _result(value: Json) -> Json:
    """A result that is packed as a message or as blocks, unpacked; any other JSON as the text that it is."""
    found = unpacked(value)
    is_blocks = isinstance(found, list) and all(isinstance(part, dict) and "type" in part for part in found)
    is_message = isinstance(found, dict) and "content" in found
    return found if is_blocks or is_message else value


def _retrieval(raw: RawSpan) -> RetrievalSpan:
    found: list[tuple[str, str]] = []
    for document in _rows(raw.attributes, "retrieval.documents."):
        about = unpacked(document.get("document.metadata"))
        source = _first(about, "source", "file_path", "file_name", "path") if isinstance(about, dict) else None
        found.append((text_of(source), text_of(document.get("document.content"))))
    return RetrievalSpan(raw.ident, raw.parent, raw.line, raw.start, raw.end, found)


def _numbered(told: dict[str, Json], prefix: str, inner: str, role: str = "user") -> Iterator[Said]:
    """Messages whose fields are attributes of their own: `llm.input_messages.2.message.tool_calls.0.…`."""
    for row in _rows(told, prefix):
        fields: dict[str, Json] = {"role": row.get(f"{inner}role", role), "content": row.get(f"{inner}content")}
        contents = [
            {name.removeprefix("message_content."): value for name, value in part.items()}
            for part in _rows(row, f"{inner}contents.")
        ]
        calls: list[Json] = [
            {name.removeprefix("tool_call.").replace("function.", ""): value for name, value in call.items()}
            for call in _rows(row, f"{inner}tool_calls.")
        ]
        if contents and not fields["content"]:
            fields["content"] = list(contents)
        yield from messages({**fields, "tool_calls": calls, "tool_call_id": row.get(f"{inner}tool_call_id")}, role)


_NUMBER = re.compile(r"(\d{1,6})\.")


def _rows(told: dict[str, Json], prefix: str) -> list[dict[str, Json]]:
    """Attributes `prefix N. rest` as one object per N, in the order of N.

    >>> _rows({"a.1.x": 1, "a.0.x": 2, "a.0.y": 3, "b": 4}, "a.")
    [{'x': 2, 'y': 3}, {'x': 1}]
    """
    rows: dict[int, dict[str, Json]] = {}
    for name, value in told.items():
        if name.startswith(prefix) and (number := _NUMBER.match(name, len(prefix))):
            rows.setdefault(int(number.group(1)), {})[name[number.end() :]] = value
    return [rows[number] for number in sorted(rows)]


def _events(raw: RawSpan) -> Iterator[tuple[str, dict[str, Json]]]:
    events = raw.value.get("events")
    for event in events if isinstance(events, list) else ():
        if isinstance(event, dict) and isinstance(name := event.get("name"), str):
            found = plain(event.get("attributes"))
            packed = unpacked(found.get("gen_ai.event.content"))
            yield name, {**found, **(packed if isinstance(packed, dict) else {})}


def usage_of(told: dict[str, Json]) -> Usage | None:
    """Tokens and cost, by whichever names the span has them."""
    counts = [
        _first(told, "llm.token_count.prompt", "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens",
               "ai.usage.inputTokens", "ai.usage.promptTokens"),
        _first(told, "llm.token_count.completion", "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens",
               "ai.usage.outputTokens", "ai.usage.completionTokens"),
        _first(told, "llm.token_count.prompt_details.cache_read", "gen_ai.usage.cache_read.input_tokens",
               "gen_ai.usage.cache_read_input_tokens", "ai.usage.cachedInputTokens"),
        _first(told, "llm.token_count.prompt_details.cache_write", "gen_ai.usage.cache_creation.input_tokens"),
    ]  # fmt: skip
    if all(count is None for count in counts):
        return None
    asked, answered, read, written = (int(count) if isinstance(count, int | float) else 0 for count in counts)
    return Usage(asked, answered, read, written, amount(told.get("llm.cost.total")))


def plain(attributes: Json, depth: int = 0) -> dict[str, Json]:
    """Attributes as names and plain values, from OTLP's list of typed values or from an object.

    >>> plain([{"key": "n", "value": {"intValue": "3"}}, {"key": "l", "value": {"arrayValue": {"values": []}}}])
    {'n': 3, 'l': []}
    >>> plain({"llm": {"model_name": "m"}, "a.b": 1})
    {'llm.model_name': 'm', 'a.b': 1}
    """
    found: dict[str, Json] = {}
    if isinstance(attributes, list):
        for pair in attributes:
            if isinstance(pair, dict) and isinstance(name := pair.get("key"), str):
                found[name] = _value(pair.get("value"), depth)
    elif isinstance(attributes, dict):
        for name, value in attributes.items():
            if isinstance(value, dict) and value and depth < 8:
                found |= {f"{name}.{inner}": item for inner, item in plain(value, depth + 1).items()}
            elif isinstance(value, list) and value and isinstance(value[0], dict) and depth < 8:
                rows = {str(number): item for number, item in enumerate(value)}
                found |= {f"{name}.{inner}": item for inner, item in plain(rows, depth + 1).items()}
            else:
                found[name] = value
    return found


def _value(value: Json, depth: int = 0) -> Json:
    """A typed value of OTLP as a plain one; a whole number may stand as text."""
    if not isinstance(value, dict) or depth > 8:
        return value
    for name in ("stringValue", "boolValue", "doubleValue", "bytesValue"):
        if name in value:
            return value[name]
    number = value.get("intValue")
    if number is not None:
        is_whole = isinstance(number, str) and number.lstrip("-").isdigit() and len(number) < 25
        return int(number) if is_whole and isinstance(number, str) else number
    array, pairs = value.get("arrayValue"), value.get("kvlistValue")
    if isinstance(array, dict):
        items = array.get("values")
        return [_value(item, depth + 1) for item in items] if isinstance(items, list) else []
    return dict(plain(pairs.get("values"), depth + 1)) if isinstance(pairs, dict) else None


def _first(told: dict[str, Json], *names: str) -> Json:
    return next((told[name] for name in names if told.get(name) is not None), None)


def _moment(value: dict[str, Json], *names: str) -> float | None:
    """A time in nanoseconds (as OTLP writes it, often as text) or in ISO 8601.

    >>> _moment({"startTimeUnixNano": "1751474840500000000"}, "startTimeUnixNano")
    1751474840.5
    """
    told = _first(value, *names)
    if isinstance(told, str) and told.isdigit() and len(told) < 25:
        told = int(told)
    if isinstance(told, int | float) and not isinstance(told, bool):
        return told / 1e9 if 0 < told < 1e20 else None
    return seconds(told) if isinstance(told, str) else None
