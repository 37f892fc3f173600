"""Values of no fixed shape that many formats share: contents, arguments, JSON inside strings.

A content is null, a string, a list of blocks, or an object that holds one of these; arguments are an object, or a
string that holds one.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from tabcore.readers.base import Account
from tabcore.trajectory import Json


class Content(NamedTuple):
    """The text of a content, and how many pictures stand in it."""

    text: str = ""
    images: int = 0


DEPTH = 20
"""Contents nest no deeper."""

_PICTURES = frozenset(["image", "image_url", "input_image", "inline_data", "inlineData"])


def content(value: Json, depth: int = 0) -> Content:
    """Text and number of pictures of a content; blocks are joined by newlines. Base64 never becomes text.

    An object without a text of its own is told as JSON, and so is what is nested deeper than any format nests.

    >>> content([{"type": "text", "text": "a"}, {"type": "image", "image": "data:image/png;base64,AA"}, "b"])
    Content(text='a\\nb', images=1)
    >>> content(None), content({"content": "c"})
    (Content(text='', images=0), Content(text='c', images=0))
    """
    if isinstance(value, str):
        return Content("", 1) if value.startswith("data:image/") else Content(value)
    if isinstance(value, list) and depth < DEPTH:
        parts = [part for part in (content(item, depth + 1) for item in value) if part.text or part.images]
        return Content("\n".join(part.text for part in parts if part.text), sum(part.images for part in parts))
    if not isinstance(value, dict) or depth >= DEPTH:
        return Content(text_of(value))
    if str(value.get("type")) in _PICTURES or not _PICTURES.isdisjoint(value):
        return Content("", 1)
    for name in ("text", "content", "output"):
        if isinstance(value.get(name), str | list | dict):
            return content(value[name], depth + 1)
    return Content(text_of(value))


def arguments(value: Json, name: str, line: int, account: Account) -> dict[str, Json]:
    """A call's arguments as an object; what is none stands under `""`, with a problem.

    >>> arguments('{"path": "a"}', "read", 1, Account("")), arguments("x", "read", 1, Account(""))
    ({'path': 'a'}, {'': 'x'})
    """
    found = unpacked(value) if isinstance(value, str) else value
    if found is None or found == "":
        return {}
    if isinstance(found, dict):
        return found
    account.note(line, "odd arguments", f'the arguments of "{name}" are no JSON object', "kept whole")
    return {"": value}


def unpacked(value: Json) -> Json:
    """The value that a string holds as JSON, once or twice packed; any other string as it is.

    >>> unpacked('{"a": 1}'), unpacked('"[1]"'), unpacked("12 o'clock"), unpacked("12")
    ({'a': 1}, [1], "12 o'clock", '12')
    """
    for _ in range(2):
        if not isinstance(value, str) or not value.lstrip()[:1] or value.lstrip()[0] not in '{["':
            return value
        try:
            value = msgspec.json.decode(value)
        except (msgspec.DecodeError, RecursionError, ValueError):
            return value
    return value


def amount(value: Json) -> float | None:
    """A number; None for anything else, and for an integer that no float holds.

    >>> amount(2), amount("2"), amount(10**400)
    (2.0, None, None)
    """
    try:
        return float(value) if isinstance(value, int | float) else None
    except OverflowError:
        return None


def text_of(value: Json) -> str:
    """A value as a person reads it: a string as it is, nothing as "", anything else as JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return msgspec.json.encode(value).decode()
    except RecursionError:
        return ""
