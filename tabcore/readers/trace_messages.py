"""Messages as tracing libraries record them -> what was said, by whom, with which calls and results.

The dialects differ in names only: OpenAI's (`tool_calls[].function`), OpenTelemetry's gen_ai (`parts[]` of type
tool_call and tool_call_response), Vercel's AI SDK (`content[]` of type tool-call and tool-result), Anthropic's
(tool_use, tool_result).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

import msgspec

from tabcore.readers.contents import content, text_of, unpacked
from tabcore.trajectory import Json


@dataclass(frozen=True, slots=True)
class Asked:
    """A call: the arguments are as recorded, packed or not."""

    call_id: str
    name: str
    arguments: Json


@dataclass(frozen=True, slots=True)
class Said:
    """One message. `call_id` names the call that a message of the role "tool" answers."""

    role: str
    text: str = ""
    calls: tuple[Asked, ...] = ()
    call_id: str = ""
    images: int = 0
    reasoning: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """What tells this message from others of a conversation, told again in each prompt, maybe with less text."""
        ids = tuple(call.call_id for call in self.calls)
        if ids and all(ids):
            return (self.role, *ids)
        return (self.role, self.text, self.call_id, *(call.name for call in self.calls))


_ROLES = {"human": "user", "ai": "assistant", "model": "assistant", "function": "tool", "developer": "system"}
_CALLS = frozenset(["tool_call", "tool-call", "tool_use", "function_call"])
_RESULTS = frozenset(["tool_call_response", "tool-result", "tool_result", "function_call_output"])
_THOUGHTS = frozenset(["reasoning", "thinking"])


def messages(value: Json, role: str = "user") -> Iterator[Said]:
    """The messages in a value: a list of them, one, an object that holds them, a bare text of the given role.

    >>> [m.role for m in messages([{"role": "system", "content": "a"}, {"role": "human", "content": "b"}])]
    ['system', 'user']
    >>> list(messages('{"messages": [{"role": "user", "content": "hi"}]}'))[0].text
    'hi'
    """
    found = unpacked(value)
    if isinstance(found, dict) and "role" not in found:
        inner = next((found[name] for name in ("messages", "choices") if isinstance(found.get(name), list)), None)
        if isinstance(found.get("system"), str):
            yield Said("system", text_of(found["system"]))
        found = next((item for item in (inner, found.get("prompt")) if item is not None), found)
    for item in found if isinstance(found, list) else [found]:
        wrapped = item.get("message") if isinstance(item, dict) else None
        message = wrapped if isinstance(wrapped, dict) else item
        if isinstance(message, dict) and (isinstance(message.get("role"), str) or "parts" in message):
            yield from _message(message, role)
        elif text := content(item).text:
            yield Said(role, text)


def _message(value: dict[str, Json], role: str) -> Iterator[Said]:
    """A message; each result among its parts becomes one of its own."""
    told = value.get("role")
    role = _ROLES.get(told, told) if isinstance(told, str) else role
    body = value.get("parts", value.get("content"))
    parts = [part for part in body if isinstance(part, dict)] if isinstance(body, list) else []
    results = [part for part in parts if part.get("type") in _RESULTS]
    for part in results:
        shown = content(_first(part, "response", "result", "output", "content"))
        yield Said("tool", shown.text, call_id=_text(part, "id", "toolCallId", "tool_use_id"), images=shown.images)
    if results:
        return
    shown = content([part for part in body if not _is_special(part)]) if isinstance(body, list) else content(body)
    calls = [_asked(part) for part in parts if part.get("type") in _CALLS]
    listed = value.get("tool_calls")
    calls += [_asked(call) for call in listed if isinstance(call, dict)] if isinstance(listed, list) else []
    thoughts = [content(_first(part, "content", "text", "thinking")).text for part in parts if _is_thought(part)]
    reasoning = "\n".join([*thoughts, _text(value, "reasoning_content", "reasoning")]).strip("\n")
    yield Said(role, shown.text, tuple(calls), _text(value, "tool_call_id"), shown.images, reasoning)


def _is_thought(part: Json) -> TypeGuard[dict[str, Json]]:
    return isinstance(part, dict) and part.get("type") in _THOUGHTS


def _is_special(part: Json) -> bool:
    return isinstance(part, dict) and (part.get("type") in _CALLS or _is_thought(part))


def _asked(call: dict[str, Json]) -> Asked:
    inner = call.get("function")
    function = inner if isinstance(inner, dict) else call
    given = _first(function, "arguments", "args", "input", "parameters")
    return Asked(_text(call, "id", "toolCallId", "call_id"), _text(function, "name", "toolName"), given)


def _first(value: dict[str, Json], *names: str) -> Json:
    return next((value[name] for name in names if value.get(name) is not None), None)


def _text(value: dict[str, Json], *names: str) -> str:
    return next((text for name in names if isinstance(text := value.get(name), str)), "")


PYTHON_LIMIT = 1 << 20
"""Characters of the longest Python literal that is read."""


def packed_arguments(value: Json) -> Json:
    """Arguments out of a string that holds JSON or, as LangChain writes them, a Python literal.

    >>> packed_arguments("{'path': 'a', 'n': None}"), packed_arguments('{"a": 1}'), packed_arguments("ls")
    ({'path': 'a', 'n': None}, {'a': 1}, 'ls')
    """
    found = unpacked(value)
    if not isinstance(found, str) or not found.startswith("{") or len(found) > PYTHON_LIMIT:
        return found
    try:
        literal: Json = msgspec.json.decode(msgspec.json.encode(ast.literal_eval(found)))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, msgspec.MsgspecError):
        return found
    return literal if isinstance(literal, dict) else found
