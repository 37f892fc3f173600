"""Any Python text <-> a text that DuckDB holds.

DuckDB keeps valid UTF-8, NUL included, but a log can hold half of a surrogate pair (`"\\ud83d"` in JSON), and file
names that are no UTF-8 come with such halves too. Those are written as U+10FFFE and four hex digits; U+10FFFE itself,
a noncharacter that no log has, is doubled. All other text is stored as it is, so that SQL sees what people see.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

MARK = "\U0010fffe"
MARK_BYTES = MARK.encode()
_UNSTORABLE = re.compile(f"[\ud800-\udfff{MARK}]")
_ESCAPED = re.compile(f"{MARK}({MARK}|[0-9a-f]{{4}})")


def storable(text: str) -> str:
    """The text as it is stored: the same, unless it has half a surrogate pair or the mark.

    >>> storable("a\\ud83d") == "a" + MARK + "d83d", storable("no change")
    (True, 'no change')
    """
    if MARK not in text:
        try:
            text.encode()
        except UnicodeEncodeError:
            pass
        else:
            return text
    return _UNSTORABLE.sub(_escape, text)


def restored(stored: str) -> str:
    """The text of which `stored` is the stored form.

    >>> restored(storable("\\ud83d" + MARK)) == "\\ud83d" + MARK
    True
    """
    return _ESCAPED.sub(_unescape, stored) if MARK in stored else stored


def storable_values(values: Iterable[object]) -> list[object]:
    """Values of any kind, the texts among them as they are stored."""
    return [storable(value) if isinstance(value, str) else value for value in values]


def restored_rows(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Rows as they were before they were stored.

    Nearly no store holds a mark; packing the rows finds out at a tenth of the cost of looking at each value.
    """
    if MARK_BYTES not in msgspec.msgpack.encode(rows):
        return rows
    return [tuple(map(_restored_value, row)) for row in rows]


def _restored_value(value: object) -> object:
    if isinstance(value, list):
        return [_restored_value(item) for item in value]
    return restored(value) if isinstance(value, str) else value


def _escape(match: re.Match[str]) -> str:
    return MARK + (MARK if match[0] == MARK else f"{ord(match[0]):04x}")


def _unescape(match: re.Match[str]) -> str:
    return MARK if match[1] == MARK else chr(int(match[1], 16))
