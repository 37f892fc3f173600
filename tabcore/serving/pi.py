"""What the extension for Pi (`pi_extension.ts`) tells its hook, and what it is answered.

Pi lets an extension append to a tool's result, register tools, and queue a message before the agent ends. Each event is
one JSON object: `event`, `session`, `cwd`, and `response`, which is the same for all calls of one response.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tabcore.serving.folders import task_name
from tabcore.serving.hooks import HookOptions
from tabcore.serving.live import LiveTab
from tabcore.tab.operations import operation_of
from tabcore.trajectory import Observation, ToolCall

Payload = Mapping[str, Any]


def answer(payload: Payload, options: HookOptions) -> dict[str, str] | None:
    """`{"text": …}` to show the agent; None where there is nothing to say."""
    tab = _tab_of(payload, options)
    text = _said(tab, payload)
    return None if text is None else {"text": text}


def _said(tab: LiveTab, payload: Payload) -> str | None:
    arguments = payload.get("arguments")
    call = ToolCall(_text(payload, "id"), _text(payload, "name"), arguments if isinstance(arguments, dict) else {})
    response = _text(payload, "response")
    match payload.get("event"):
        case "prompt":
            tab.state_task(_text(payload, "text"))
            return None
        case "result":
            observation = Observation(call.call_id, _text(payload, "text"), payload.get("is_error") is True)
            return tab.observe(call, observation, cwd=_text(payload, "cwd") or None, response=response)
        case "operation":
            operation = operation_of(call)
            return None if operation is None else tab.operate(operation, call, response=response)
        case "stop":
            return tab.stop()
        case other:
            raise ValueError(f"the extension tells of an unknown event {other!r}")


def _tab_of(payload: Payload, options: HookOptions) -> LiveTab:
    folder = options.folder(_text(payload, "cwd") or None)
    session = _text(payload, "session")
    task = options.task or task_name("pi", session)
    if not options.task and payload.get("event") == "prompt":
        folder.make_current(task)
    agent = f"pi {session}".strip()
    return LiveTab(folder.journal(task), str(folder.workspace), agent=agent, harness="pi", fresh_cwd=True)


def _text(payload: Payload, name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""
