"""Where a terminal's screen repeats what was typed into it: prompts, commands, the lines of a here document.

Agents that type into a terminal (Terminus) are shown its screen, so that their own words come back as if a tool had
said them. Long lines are wrapped at the screen's width, which puts newlines into the echo.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tabcore.trajectory import Span

_PROMPT = re.compile(r"^(?:\([\w.-]+\) )?[\w.-]+@[\w.-]+:[^\n#$]*[#$] ?", re.MULTILINE)
_CONTINUED = re.compile(r"> |>(?=\n)")


def echoed(screen: str, typed: Iterable[str]) -> tuple[Span, ...]:
    """The prompts on a screen, each with what of the typed texts is repeated after it.

    >>> screen = "me@box:/w# cat > a << E\\n> 42\\n>\\n> E\\nme@box:/w# ls -l so\\nme\\nsome\\nme@box:/w# "
    >>> spans = echoed(screen, ["cat > a << E\\n42\\n\\nE\\n", "ls -l some\\n"])
    >>> [screen[span.start : span.end] for span in spans]
    ['me@box:/w# cat > a << E\\n> 42\\n>\\n> E\\n', 'me@box:/w# ls -l so\\nme\\n', 'me@box:/w# ']
    """
    waiting = [line.rstrip() for text in typed for line in text.rstrip("\n").split("\n")]
    spans: list[Span] = []
    for prompt in _PROMPT.finditer(screen):
        if spans and prompt.start() < spans[-1].end:
            continue
        end, used = _echo(screen, prompt.end(), waiting)
        del waiting[:used]
        spans.append(Span(prompt.start(), end, "harness", "echoed prompt"))
    return tuple(spans)


def _echo(screen: str, start: int, waiting: list[str]) -> tuple[int, int]:
    """Where the echo after a prompt ends, and how many of the waiting lines it repeats; at least the prompt's line."""
    line_end = screen.find("\n", start) + 1 or len(screen)
    first = next((place for place, line in enumerate(waiting) if _typed(screen, start, line) is not None), None)
    if first is None:
        return line_end, 0
    end, used = start, first
    while used < len(waiting) and (after := _typed(screen, end, waiting[used])) is not None:
        used += 1
        end = after
        going_on = _CONTINUED.match(screen, end)
        if going_on is None:
            break
        end = going_on.end()
    return end, used


def _typed(screen: str, start: int, line: str) -> int | None:
    """Where a typed line that the screen shows from `start` on ends, with its newline; None where it shows another."""
    place = start
    for character in line:
        if screen.startswith("\n", place) and character != "\n":
            place += 1
        if not screen.startswith(character, place):
            return None
        place += 1
    if place < len(screen) and screen[place] != "\n":
        return None
    return min(place + 1, len(screen))
