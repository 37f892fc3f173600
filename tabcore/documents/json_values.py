"""JSON, a document a file or a document a line: each value with its pointer (RFC 6901)."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tabcore.documents.limits import Content, Item
from tabcore.documents.places import JsonValue, Piece


def read_json(content: Content, text: str) -> Iterator[Item]:
    """The values of one document. A member's text is "name: value", a number's exactly as it is written."""
    yield from _values(_parsed(text), "", "", 0)


def read_json_lines(content: Content, text: str) -> Iterator[Item]:
    """The values of each line's document."""
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            parsed = _parsed(line)
        except (ValueError, RecursionError) as fault:
            yield content.problem("torn line", f"the line is no JSON ({fault})", "skipped", line=number)
            continue
        yield from _values(parsed, "", "", number)


def _parsed(text: str) -> object:
    parsed: object = json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    return parsed


def _values(value: object, pointer: str, name: str, line: int) -> Iterator[Item]:
    """Values in the order of the text, without recursion: a document may be a thousand levels deep."""
    waiting = [(value, pointer, name)]
    while waiting:
        value, pointer, name = waiting.pop()
        if isinstance(value, dict):
            members = [(inner, f"{pointer}/{_escaped(key)}", f"{key}: ") for key, inner in value.items()]
        elif isinstance(value, list):
            members = [(inner, f"{pointer}/{i}", "") for i, inner in enumerate(value)]
        else:
            yield Piece(name + _shown(value), JsonValue(pointer, line))
            continue
        waiting.extend(reversed(members))


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
