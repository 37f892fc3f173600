"""What Claude Code tells its hooks, and what it can be told.

After a tool use it takes a line of context, at a stop it can be sent on with a reason, at the start of a session it
takes context too. A session is a task of its own unless one is named. Source: the hooks reference of Claude Code; the
results of its tools are those of `toolUseResult` in its logs.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from tabcore.serving.folders import task_name
from tabcore.serving.hooks import HookOptions
from tabcore.serving.live import LiveTab
from tabcore.tab import messages
from tabcore.tab.operations import operation_of
from tabcore.trajectory import Observation, ToolCall

Payload = Mapping[str, Any]


def answer(payload: Payload, options: HookOptions) -> dict[str, Any] | None:
    """The answer to one event of a session; None where there is nothing to say."""
    tab = _tab_of(payload, options)
    event = _text(payload, "hook_event_name")
    match event:
        case "SessionStart":
            return _context(event, messages.system_block())
        case "UserPromptSubmit":
            tab.state_task(_text(payload, "prompt"))
            return None
        case "PostToolUse" | "PostToolUseFailure":
            line = _used(tab, payload)
            return None if line is None else _context(event, line)
        case "Stop":
            reason = tab.stop(check=not payload.get("stop_hook_active"))
            return None if reason is None else {"decision": "block", "reason": reason}
        case _:
            return None


def _tab_of(payload: Payload, options: HookOptions) -> LiveTab:
    folder = options.folder(os.environ.get("CLAUDE_PROJECT_DIR") or _text(payload, "cwd") or None)
    session = _text(payload, "session_id")
    task = options.task or task_name("claude-code", session)
    if not options.task and payload.get("hook_event_name") in ("SessionStart", "UserPromptSubmit"):
        folder.make_current(task)
    agent = " ".join(filter(None, ("claude-code", session, _text(payload, "agent_id"))))
    return LiveTab(folder.journal(task), str(folder.workspace), agent=agent, harness="claude-code")


def _used(tab: LiveTab, payload: Payload) -> str | None:
    """The status line after a tool use; None after the tab's own tools, which their server has recorded."""
    given = payload.get("tool_input")
    call = ToolCall(
        _text(payload, "tool_use_id"), _text(payload, "tool_name"), given if isinstance(given, dict) else {}
    )
    if operation_of(call) is not None:
        return None
    failed = payload.get("hook_event_name") == "PostToolUseFailure"
    response = payload.get("error") if failed else payload.get("tool_response")
    cwd = _text(payload, "cwd") or None
    return tab.observe(
        call, Observation(call.call_id, shown_text(response), is_error=failed or _is_error(response), cwd=cwd)
    )


def shown_text(response: object) -> str:
    """What the model was shown of a tool's result, as nearly as the structured result tells.

    >>> shown_text({"stdout": "a.txt", "stderr": "warning"}), shown_text({"filenames": ["a", "b"], "numFiles": 2})
    ('a.txt\\nwarning', 'a\\nb')
    """
    match response:
        case str():
            return response.removeprefix("Error: ")
        case list():
            return "\n".join(str(block.get("text", "")) for block in response if isinstance(block, dict))
        case {"file": {"content": str(text)}} | {"mode": "content", "content": str(text)}:
            return text
        case {"type": "image" | "pdf" | "parts" | "file_unchanged"}:
            return ""
        case {"stdout": str(out), **more}:
            status = f"<status>{more['status']}</status>" if "status" in more else ""
            return "\n".join(filter(None, (status, out, str(more.get("stderr") or ""))))
        case {"filenames": list(names)}:
            return "\n".join(map(str, names)) or "No files found"
        case {"filePath": path, "structuredPatch": _}:
            return f"The file {path} has been updated."
        case {"content": list(blocks)}:
            return shown_text(blocks)
        case None:
            return ""
        case _:
            return json.dumps(response, ensure_ascii=False)


def _is_error(response: object) -> bool:
    return isinstance(response, str) and response.startswith("Error: ")


def _context(event: str, text: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _text(payload: Payload, name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""
