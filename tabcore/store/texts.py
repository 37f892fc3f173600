"""Any Python text <-> a text that DuckDB holds.

DuckDB keeps valid UTF-8, NUL included, but a log can hold half of a surrogate pair (`"\\ud83d"` in JSON), and file
names that are no UTF-8 come with such halves too. Those are written as U+10FFFE and four hex digits; U+10FFFE itself,
a noncharacter that no log has, is doubled. All other text is stored as it is, so that SQL sees what people see.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

MARK = "\U0010fffe"
_UNSTORABLE = re.compile(f"[\ud800-\udfff{MARK}]")
_ESCAPED = re.compile(f"{MARK}({MARK}|[0-9a-f]{{4}})")


def storable(text: str) -> str:
    """The text as it is stored: the same, unless it has half a surrogate pair or the mark.

    >>> storable("a\\ud83d") == "a" + MARK + "d83d", storable("no change")
    (True, 'no change')
    """
    return text if text.isascii() else _UNSTORABLE.sub(_escape, text)


def restored(stored: str) -> str:
    """The text of which `stored` is the stored form.

    >>> restored(storable("\\ud83d" + MARK)) == "\\ud83d" + MARK
    True
    """
    return _ESCAPED.sub(_unescape, stored) if MARK in stored else stored


def storable_values(values: Iterable[object]) -> list[object]:
    """Values of any kind, the texts among them as they are stored."""
    return [storable(value) if isinstance(value, str) else value for value in values]


def restored_row(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row as it was before it was stored."""
    return tuple(restored(value) if type(value) is str else value for value in row)


def _escape(match: re.Match[str]) -> str:
    return MARK + (MARK if match[0] == MARK else f"{ord(match[0]):04x}")


def _unescape(match: re.Match[str]) -> str:
    return MARK if match[1] == MARK else chr(int(match[1], 16))
