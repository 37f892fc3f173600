"""Programs that trace their agents stage by stage (JSON): `{traces: [{id, steps: [{stage, timestamp, inputs, outputs}]}]}`.

Format: dazzaji/open-agent-traces, `logs/manual_traces.json`, the one file seen. `agent_response_NAME` is a turn; before
it reached the model what `agent_start_NAME` and the last `…_start` say. Other stages are the program's own steps, or
repeat these. `current_trace` repeats the last trace and counts once. `line` is a step's number in its trace.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from tabcore.readers.assembly import Response, RunAssembler
from tabcore.readers.base import Account, seconds
from tabcore.readers.contents import text_of
from tabcore.readers.heads import Head
from tabcore.readers.json_documents import shaped, values
from tabcore.source import Source
from tabcore.trajectory import Json, Message, Piece, RunHeader

NAME = "agent-stages"

_START, _RESPONSE = "agent_start_", "agent_response_"


class _Step(msgspec.Struct):
    stage: str = ""
    timestamp: str | float | None = None
    inputs: dict[str, Any] | None = None
    outputs: dict[str, Any] | None = None


def recognises(head: Head) -> bool:
    """True for an object whose traces are made of stages."""
    traces = _traces(head.value)
    steps = traces[0].get("steps") if traces else None
    return isinstance(steps, list) and any(isinstance(step, dict) and _is_step(step) for step in steps[:3])


def read(source: Source) -> Iterator[Piece]:
    """One run per trace."""
    account, met = Account(source.path, "step"), set[str]()
    for _, value in values(source, _is_step, account):
        for trace in _traces(value):
            ident = text_of(trace.get("id"))
            if ident not in met:
                met.add(ident)
                _run(trace, ident if len(met) > 1 else "", account)
                yield from account.drain()
    yield from account.close()


def _is_step(value: dict[str, Json]) -> bool:
    return isinstance(value.get("stage"), str) and "timestamp" in value


def _traces(value: Json) -> list[dict[str, Json]]:
    """The traces of a document, the one that is still written last."""
    if not isinstance(value, dict):
        return []
    listed = value.get("traces")
    found = [*(listed if isinstance(listed, list) else []), value.get("current_trace")]
    return [trace for trace in found if isinstance(trace, dict)]


def _run(trace: dict[str, Json], key: str, account: Account) -> None:
    steps = trace.get("steps")
    run = RunAssembler(key, RunHeader(NAME, session=text_of(trace.get("id"))), account)
    model: str | None = None
    for line, value in enumerate(steps if isinstance(steps, list) else [], 1):
        account.total += 1
        step = shaped(value, _Step, line, account)
        if step is None:
            account.skip(line)
            continue
        account.untimed += seconds(step.timestamp) is None
        told = (step.inputs or {}).get("model")
        model = told if step.stage.startswith(_START) and isinstance(told, str) else model
        _take(run, step, line, model)
    if run.turns == 0:
        account.note(0, "no turns", f"the trace {run.header.session} holds no response", "kept without turns")
    run.end()


def _take(run: RunAssembler, step: _Step, line: int, model: str | None) -> None:
    """One step: a response, what came before it, or nothing that is new."""
    inputs, outputs, time = step.inputs or {}, step.outputs or {}, seconds(step.timestamp)
    if step.stage.startswith(_RESPONSE):
        text = text_of(outputs.get("response"))
        run.respond(Response("", line, time, model, texts=[text] if text else []))
    elif step.stage.startswith(_START) and inputs.get("instructions"):
        run.say(Message(text_of(inputs["instructions"]), "harness", "system", line, time))
    elif step.stage == "user_input":
        run.say(Message("\n".join(map(text_of, outputs.values())), "person", "prompt", line, time))
    elif step.stage.endswith("_start") and isinstance(inputs.get("input"), str):
        run.say(Message(inputs["input"], "harness", "prompt", line, time))
