"""Text of a log -> text that a terminal or a page may show.

A log can hold escape sequences that repaint a terminal, and marks that turn the order of letters around (U+202A to
U+202E, U+2066 to U+2069). Neither belongs to what it says.
"""

from __future__ import annotations

import re

_ESCAPE_SEQUENCE = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|[ -/]*[0-~])?"
_UNPRINTABLE = re.compile(
    f"{_ESCAPE_SEQUENCE}|[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_LINE_BREAKS = re.compile(r"[\n\t\u2028\u2029]+")


def printable(text: str, line_break: str | None = None) -> str:
    """The text without control characters, escape sequences and marks of direction; newlines and tabs stay.

    `line_break`, where given, stands for newlines and tabs, so that the text is one line.

    >>> printable("a\\x1b[31mred\\x1b[0m\\u202eb\\r\\n"), printable("a\\n\\tb", " ")
    ('aredb\\n', 'a b')
    """
    shown = _UNPRINTABLE.sub("", text)
    return shown if line_break is None else _LINE_BREAKS.sub(line_break, shown)
