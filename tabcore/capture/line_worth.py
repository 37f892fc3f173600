"""What a line of an observation is worth to a show: how well it fits what the command would print."""

from __future__ import annotations

import re
from collections.abc import Callable

from tabcore.capture.listings import likeness
from tabcore.capture.named_content import _GREP_NUMBER, _HEADING, _HUNK
from tabcore.capture.patterns import NUMBER, UNKNOWN, expression, is_literal, resolve
from tabcore.capture.shell_state import Facts
from tabcore.capture.shows import Content, Either, Loop, Names, Noise, Show, Text, Undecided

LINE = 0.1
"""What a line is worth to content whose lines may be anything."""
MAX_SEARCHED, MAX_SEARCHED_LINES = 300, 5_000


def worth(show: Show, lines: list[str], facts: Facts) -> list[float]:
    """What each line is worth to a show: above 0 it fits, below it does not."""
    match show:
        case Names():
            return [likeness(show, line, facts) for line in lines]
        case Content(naming="none", lead=lead) if lead:
            fit = expression(lead.strip("\n").split("\n")[0])
            return [3.0 if fit.fullmatch(line) else LINE for line in lines]
        case Content(sought=re.Pattern() as sought):
            return _sought_worth(sought, lines)
        case Content(naming="none"):
            return [LINE] * len(lines)
        case Content():
            return [_named_worth(show, line) for line in lines]
        case Loop():
            return _loop_worth(show, lines, facts)
        case Noise():
            return [0.02 if show.limit is None else 1.0 if line.strip() else 0.0 for line in lines]
        case Undecided():
            return [0.01] * len(lines)
        case Text(text):
            wanted = text.strip("\n")
            suits, value = fits(wanted, last=False), weight(wanted, show.certain)
            return [value if suits(line) else -0.3 for line in lines]
        case Either(branches):
            return worth(branches[0][0], lines, facts) if branches and branches[0] else [0.0] * len(lines)


def _sought_worth(sought: re.Pattern[str], lines: list[str]) -> list[float]:
    """Lines that a search printed: each holds what was sought."""
    checked = [LINE if sought.search(line[:MAX_SEARCHED]) else -1.0 for line in lines[:MAX_SEARCHED_LINES]]
    return checked + [LINE] * (len(lines) - len(checked))


def _named_worth(show: Content, line: str) -> float:
    match show.naming:
        case "headers":
            return 4.0 if _HEADING.match(line) else 0.1
        case "diff":
            return 2.0 if line.startswith(("diff ", "index ", "+++ ", "--- ", "commit ")) or _HUNK.match(line) else 0.1
        case "prefix":
            name, colon, _ = line.partition(":")
            if not colon:
                return 0.3 if line == "--" or not line.strip() else -1.0
            path = resolve(show.base, name)
            under = any(
                path == place or path.startswith(place.rstrip("/") + "/") or not is_literal(place)
                for place in show.paths
            )
            return 3.0 if under and " " not in name[:1] else 0.3 if _GREP_NUMBER.match(line) else -1.0
        case _:
            return 0.1


def _loop_worth(show: Loop, lines: list[str], facts: Facts) -> list[float]:
    shows = [part for value in show.values[:3] for part in show.body(value)][:12]
    best = [0.05] * len(lines)
    for part in shows:
        if isinstance(part, Text) and not is_literal(part.text.strip(UNKNOWN)):
            fit = expression(part.text.strip("\n").split("\n")[0])
            worths = [3.0 if fit.fullmatch(line) and part.text.strip("\n").strip(UNKNOWN) else 0.0 for line in lines]
        elif isinstance(part, Names):
            worths = [likeness(part, line, facts) for line in lines]
        else:
            continue
        best = [max(pair) for pair in zip(best, worths, strict=True)]
    return best


def weight(pattern: str, certain: bool) -> float:
    """What a line of the agent's own text is worth where it fits: if certain, more than the one line of content that it may be."""
    if is_literal(pattern):
        return 7.0 if pattern.strip() else 1.0
    if NUMBER in pattern or pattern.strip(UNKNOWN + " "):
        return 3.0
    return 1.0 + 2 * LINE if certain else 1.0


def fits(pattern: str, last: bool) -> Callable[[str], bool]:
    """Tells whether a line is what the pattern stands for, whole; of the `last`, unended line only its beginning."""
    if is_literal(pattern):
        if last:
            return lambda line: line.startswith(pattern)
        wanted = pattern.rstrip()
        return lambda line: line.rstrip("\r ") == wanted
    found = expression(pattern + UNKNOWN if last else pattern)
    return lambda line: found.fullmatch(line) is not None
