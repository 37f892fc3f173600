"""The rules of ATIF 1.7 as its published models check them (harbor.models.trajectories), for where these are absent.

Own words: the models need Python 3.12 and all of Harbor. test_exports checks with the models too, where they can be
imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

_DOCUMENT = {"schema_version", "session_id", "agent", "steps", "notes", "final_metrics", "extra"}
_AGENT = {"name", "version", "model_name", "tool_definitions", "extra"}
_AGENTS_ALONE = {"model_name", "reasoning_content", "tool_calls", "metrics"}
_STEP = {"step_id", "timestamp", "source", "message", "observation", "is_copied_context", "extra"} | _AGENTS_ALONE
_CALL = {"tool_call_id", "function_name", "arguments", "extra"}
_RESULT = {"source_call_id", "content", "extra"}
_METRICS = {"prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd", "extra"}
_TOTALS = {
    "total_prompt_tokens",
    "total_completion_tokens",
    "total_cached_tokens",
    "total_cost_usd",
    "total_steps",
    "extra",
}


def faults(document: dict[str, Any]) -> list[str]:
    """What in a document breaks a rule."""
    return list(_document(document))


def _document(document: dict[str, Any]) -> Iterator[str]:
    yield from _members(document, _DOCUMENT, {"schema_version": str, "agent": dict, "steps": list}, "document")
    if document.get("schema_version") != "ATIF-v1.7":
        yield "another version"
    yield from _members(document["agent"], _AGENT, {"name": str, "version": str}, "agent")
    yield from _numbers(document.get("final_metrics", {}), _TOTALS, "final_metrics")
    if not document["steps"]:
        yield "no steps"
    for place, step in enumerate(document["steps"], 1):
        if step.get("step_id") != place:
            yield f"step {place} has the id {step.get('step_id')}"
        yield from _step(step, f"step {place}")


def _step(step: dict[str, Any], where: str) -> Iterator[str]:
    yield from _members(step, _STEP, {"source": str, "message": str}, where)
    if step["source"] not in ("system", "user", "agent"):
        yield f"{where}: the source {step['source']}"
    if step["source"] != "agent" and (own := _AGENTS_ALONE & set(step)):
        yield f"{where}: {sorted(own)} are an agent's"
    if "timestamp" in step:
        datetime.fromisoformat(step["timestamp"].replace("Z", "+00:00"))
    yield from _numbers(step.get("metrics", {}), _METRICS, where)
    calls = step.get("tool_calls", [])
    for call in calls:
        yield from _members(call, _CALL, {"tool_call_id": str, "function_name": str, "arguments": dict}, where)
    for result in step.get("observation", {"results": []})["results"]:
        yield from _members(result, _RESULT, {}, where)
        if result.get("source_call_id", "") not in {"", *(call["tool_call_id"] for call in calls)}:
            yield f"{where}: a result of a call that stands elsewhere"


def _members(value: dict[str, Any], known: set[str], required: dict[str, type], where: str) -> Iterator[str]:
    yield from (f"{where}: unknown member {name}" for name in set(value) - known)
    yield from (
        f"{where}: {name} is missing or odd" for name, kind in required.items() if type(value.get(name)) is not kind
    )
    if not isinstance(value.get("extra", {}), dict):
        yield f"{where}: extra is no object"


def _numbers(value: dict[str, Any], known: set[str], where: str) -> Iterator[str]:
    yield from _members(value, known, {}, where)
    for name, number in value.items():
        if name != "extra" and (isinstance(number, bool) or not isinstance(number, int | float)):
            yield f"{where}: {name} is no number"
        elif name.endswith(("_tokens", "total_steps")) and not isinstance(number, int):
            yield f"{where}: {name} is no whole number"
