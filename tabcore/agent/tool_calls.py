"""Tool calls as models really answer them -> calls that can be executed, recorded and sent back.

Whatever cannot be understood stays a call: it is executed, fails with a reason, and the model reads the reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence

from tabcore.language_models import AskedCall
from tabcore.trajectory import Json, ToolCall

_WRITTEN = re.compile(
    r"<tool_call>\s*(?P<tagged>\{.*?\})\s*</tool_call>"
    r"|^```(?:json)?\s*\n(?P<fenced>\{.*?\})\s*\n```[ ]*$"
    r"|\A\s*(?P<bare>\{.*\})\s*\Z",
    re.DOTALL | re.MULTILINE,
)
"""A call written into the text, as servers that do not look for it hand it on: tagged (Hermes, Qwen), or as a block of
JSON or as nothing else (small models)."""


def calls_of(asked: Sequence[AskedCall], known: Collection[str]) -> tuple[ToolCall, ...]:
    """The calls of a response. Each has an id of its own: the endpoint's, unless it is "" or one of `known`.

    >>> calls_of([AskedCall("a", " read ", '{"path": "x"}'), AskedCall("a", "ls", "")], ())
    (ToolCall(call_id='a', name='read', arguments={'path': 'x'}, line=0), ToolCall(call_id='call00001', name='ls', arguments={}, line=0))
    """
    taken = set(known)
    calls = []
    for call in asked:
        call_id = sound(call.call_id)
        number = len(taken)
        while not call_id or call_id in taken:  # nine letters and digits, which every endpoint takes
            call_id = f"call{number:05d}"
            number += 1
        taken.add(call_id)
        calls.append(ToolCall(call_id, sound(call.name).strip(), arguments_of(call.arguments)))
    return tuple(calls)


def arguments_of(text: str) -> Mapping[str, Json]:
    """The decoded arguments; those that are no JSON object stand under the one name "".

    >>> arguments_of('{"a": 1}'), arguments_of(""), arguments_of('"{\\\\"a\\\\": 1}"'), arguments_of('{"a": ')
    ({'a': 1}, {}, {'a': 1}, {'': '{"a": '})
    """
    if not text.strip():
        return {}
    try:
        value = _decoded(text)
        if isinstance(value, str):  # encoded twice
            value = _decoded(value)
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {"": sound(text)}


def written_calls(text: str, offered: Collection[str]) -> tuple[str, tuple[AskedCall, ...]]:
    """The calls that a model wrote into its text, and the text without them. JSON without a tag is one where it has nothing
    but the name of a tool that was offered, and arguments.

    >>> written_calls('I look. <tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>', ["bash"])
    ('I look.', (AskedCall(call_id='', name='bash', arguments='{"command": "ls"}'),))
    >>> written_calls('```json\\n{"name": "Ann", "arguments": {}}\\n```', ["bash"])[1]
    ()
    """
    calls: list[AskedCall] = []

    def take(found: re.Match[str]) -> str:
        call = _written(found, offered)
        calls.extend([call] if call else [])
        return "" if call else found[0]

    rest = _WRITTEN.sub(take, text)
    return (rest.strip(), tuple(calls)) if calls else (text, ())


def _written(found: re.Match[str], offered: Collection[str]) -> AskedCall | None:
    try:
        value = _decoded(found["tagged"] or found["fenced"] or found["bare"])
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not isinstance(name := value.get("name"), str):
        return None
    if not found["tagged"] and (value.keys() != {"name", "arguments"} or name not in offered):
        return None
    return AskedCall("", name, json.dumps(value.get("arguments") or {}))


def sound(text: str) -> str:
    """A text that can be written and sent: halves of a character are replaced.

    >>> sound("a\\ud800b")
    'a?b'
    """
    return text.encode("utf-8", "replace").decode("utf-8")


def _decoded(text: str) -> Json:
    """JSON as it can be written again; ValueError for what only looks like it (NaN, infinite numbers)."""
    value: Json = json.loads(sound(json.dumps(json.loads(text), ensure_ascii=False)), parse_constant=_refused)
    return value


def _refused(constant: str) -> Json:
    raise ValueError(f"{constant} is no JSON")
