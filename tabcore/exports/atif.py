"""A run as a document of ATIF, the Agent Trajectory Interchange Format, version 1.7.

Format: RFC 0001 of the Harbor framework, and its published models (harbor.models.trajectories). A turn is an agent
step, with its observations as results; a message is a step of the user where a person spoke, else of the system. A
result names its call only within the call's own step, as ATIF demands: one that came later is told by the mark
`call_id`. Usage is ATIF's: the tokens of a prompt include the cached ones.

ATIF has no word for whose words a part of a text is, for how a response or a command ended, for pictures that were
not kept, or for a task's text. These stand as `runningtab` in the `extra` of the document, of a step, a call or a
result, and readers/atif_marks.py reads them: `to_atif` and the reader give the same run again, apart from line
numbers, times below a microsecond, and branches that the record gave up, of which only the number is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from datetime import UTC, datetime
from typing import cast

import msgspec

from tabcore.trajectory import Json, Message, Observation, Run, RunHeader, Span, Task, ToolCall, Turn, Usage

VERSION = "ATIF-v1.7"

MARK = "runningtab"
"""The name under which `extra` holds what ATIF has no word for."""

Members = dict[str, Json]


def to_atif(run: Run, *, marks: bool = True) -> Members:
    """The run as an ATIF document. Without `marks` it holds ATIF's own words alone.

    >>> document = to_atif(Run("r", "x", RunHeader("pi", session="s"), (Turn(1, "Done"),)))
    >>> document["schema_version"], document["steps"]
    ('ATIF-v1.7', [{'step_id': 1, 'source': 'agent', 'message': 'Done'}])
    """
    header = run.header
    steps = [dict(step_id=number, **step) for number, step in enumerate(_steps(run, marks), 1)]
    return _told(
        schema_version=VERSION,
        session_id=header.session or None,
        agent=_agent(header),
        extra={MARK: _told(header=_header(header), abandoned=len(run.abandoned) or None)} if marks else None,
        notes=header.simulated,
        final_metrics=_totals(run.turns, len(steps)),
        steps=cast(Json, steps),
    )


def as_text(document: Members) -> str:
    """The document as indented JSON. Characters that are none in UTF-8 become "?"."""
    try:
        return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"
    except UnicodeEncodeError:
        return as_text(cast(Members, _encodable(document)))


def _encodable(value: Json) -> Json:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_encodable(item) for item in value]
    if isinstance(value, dict):
        return {cast(str, _encodable(name)): _encodable(item) for name, item in value.items()}
    return value


def _told(**members: Json) -> Members:
    """The members that say something."""
    return {name: value for name, value in members.items() if value is not None}


def _agent(header: RunHeader) -> Members:
    extra = _told(cwds=[header.cwd] if header.cwd else None, parent_session_id=header.parent_key)
    return _told(
        name=header.harness or header.format,
        version="unknown",
        model_name=header.model,
        extra=extra or None,
    )


def _header(header: RunHeader) -> Members:
    """The header's fields that are set; the format is that of the log that was exported."""
    told: Members = {}
    for field in fields(header):
        value = getattr(header, field.name)
        if isinstance(value, Task):
            told[field.name] = {"text": value.text, "source": value.source}
        elif value is not None and value != field.default:
            told[field.name] = value
    return told


def _steps(run: Run, marks: bool) -> Iterator[Members]:
    for turn in run.turns:
        yield from (_message(message, marks) for message in turn.before)
        yield _turn(turn, marks)
    yield from (_message(message, marks) for message in run.after)


def _message(message: Message, marks: bool) -> Members:
    own = _told(origin=message.origin, kind=message.kind, spans=_spans(message.spans))
    return _told(
        timestamp=_stamp(message.time),
        source="user" if message.origin == "person" else "system",
        message=message.text,
        is_copied_context=True if message.kind == "copied" else None,
        extra={MARK: own} if marks else None,
    )


def _turn(turn: Turn, marks: bool) -> Members:
    ids = {call.call_id for call in turn.calls if call.call_id}
    results = [_result(shown, ids, turn.time, marks) for shown in turn.observations]
    extra = _told(cwd=turn.cwd)
    if marks and turn.outcome != "complete":
        extra[MARK] = {"outcome": turn.outcome}
    calls = [_call(call, f"turn-{turn.number}-call-{place}", marks) for place, call in enumerate(turn.calls, 1)]
    return _told(
        timestamp=_stamp(turn.time),
        source="agent",
        model_name=turn.model,
        message=turn.text,
        reasoning_content=turn.reasoning or None,
        tool_calls=cast(Json, calls) if calls else None,
        observation={"results": cast(Json, results)} if results else None,
        metrics=_metrics(turn.usage) if turn.usage else None,
        extra=extra or None,
    )


def _call(call: ToolCall, substitute: str, marks: bool) -> Members:
    """A call; one that the record gave no id gets one, since ATIF demands it."""
    return _told(
        tool_call_id=call.call_id or substitute,
        function_name=call.name,
        arguments=dict(call.arguments),
        extra={MARK: {"call_id": ""}} if marks and not call.call_id else None,
    )


def _result(shown: Observation, ids: set[str], time: float | None, marks: bool) -> Members:
    here = shown.call_id in ids
    own = _told(
        call_id=None if here else shown.call_id or None,
        is_error=shown.is_error or None,
        spans=_spans(shown.spans),
        images=shown.images or None,
        exit_code=shown.exit_code,
        cwd=shown.cwd,
        time=shown.time if shown.time != time else None,
        untimed=True if shown.time is None and time is not None else None,
    )
    return _told(
        source_call_id=shown.call_id if here else None,
        content=shown.text,
        extra={MARK: own} if marks and own else None,
    )


def _spans(spans: Iterable[Span]) -> Json:
    return [[span.start, span.end, span.origin, span.what] for span in spans] or None


def _stamp(time: float | None) -> str | None:
    """A time as ISO 8601, to the microsecond; None where there is none that a calendar has.

    >>> _stamp(1790848800.5), _stamp(None), _stamp(1e20)
    ('2026-10-01T10:00:00.500000Z', None, None)
    """
    if time is None:
        return None
    try:
        return datetime.fromtimestamp(time, UTC).isoformat().replace("+00:00", "Z")
    except (OverflowError, ValueError, OSError):
        return None


def _metrics(usage: Usage) -> Members:
    written = {"cache_creation_input_tokens": usage.cache_write} if usage.cache_write else None
    return _told(
        prompt_tokens=usage.input + usage.cache_read + usage.cache_write,
        completion_tokens=usage.output,
        cached_tokens=usage.cache_read,
        cost_usd=usage.cost,
        extra=cast(Json, written),
    )


def _totals(turns: Iterable[Turn], steps: int) -> Members:
    usages = [turn.usage for turn in turns if turn.usage]
    if not usages:
        return {"total_steps": steps}
    costs = [usage.cost for usage in usages if usage.cost is not None]
    return _told(
        total_prompt_tokens=sum(usage.input + usage.cache_read + usage.cache_write for usage in usages),
        total_completion_tokens=sum(usage.output for usage in usages),
        total_cached_tokens=sum(usage.cache_read for usage in usages),
        total_cost_usd=sum(costs) if costs else None,
        total_steps=steps,
    )
