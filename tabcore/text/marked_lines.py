"""A place in a text as people are shown it: its line with the place marked, and some lines around it."""

from __future__ import annotations

from dataclasses import dataclass

WIDEST = 400
"""Characters of a line that are shown on each side of the place; a line of minified JSON may be the whole text."""


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """The line `number`, from 1, in three parts: left of the place, the place, right of it; and the lines around.

    What is cut of a long line is shown as "…".
    """

    number: int
    left: str
    marked: str
    right: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def marked_line(text: str, start: int, end: int, around: int = 2) -> MarkedLine:
    """The line of `text[start:end]` with up to `around` lines on each side; a place over several lines is shown as one.

    >>> line = marked_line("a\\nb 12 c\\nd\\ne", 4, 6, around=1)
    >>> line.number, (line.left, line.marked, line.right), line.before, line.after
    (2, ('b ', '12', ' c'), ('a',), ('d',))
    """
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    last = len(text) if last < 0 else last
    left, right = text[first:start], text[end:last]
    return MarkedLine(
        text.count("\n", 0, start) + 1,
        left if len(left) <= WIDEST else "…" + left[-WIDEST:],
        text[start:end],
        right if len(right) <= WIDEST else right[:WIDEST] + "…",
        tuple(map(_cut, _lines_before(text, first, around))),
        tuple(
            map(_cut, text[last + 1 : last + 1 + 4 * WIDEST * around].split("\n")[:around] if last < len(text) else ())
        ),
    )


def _lines_before(text: str, first: int, around: int) -> list[str]:
    return text[max(0, first - 4 * WIDEST * around) : first - 1].split("\n")[-around:] if first and around else []


def _cut(line: str) -> str:
    return line if len(line) <= 2 * WIDEST else line[: 2 * WIDEST] + "…"
