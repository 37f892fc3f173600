"""What the model still sees at a turn: the levels of runtime context management.

Source: the public ports of DCI-Agent-Lite; the paper runs level 3. Truncation happens when a result is made,
so a record holds the cut text. Clearing happens only in the request that is sent, so the record keeps the
text and what has left the window must be computed. Level 4 also replaces what it clears by a
summary that the model writes; what leaves, and when, is the same as in level 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Level:
    """`cap`: characters of one tool result. Results older than the last `kept_responses` model responses are
    cleared once all tool text exceeds `budget` characters. None: without limit."""

    cap: int | None
    budget: int | None
    kept_responses: int = 0
    summarised: bool = False


LEVELS: tuple[Level, ...] = (
    Level(None, None),
    Level(50_000, None),
    Level(20_000, None),
    Level(20_000, 240_000, 12),
    Level(20_000, 240_000, 12, summarised=True),
    Level(10_000, 60_000, 6),
)
PAPER_LEVEL = 3


def displaced_at(results: Sequence[Sequence[int]], level: Level) -> tuple[int | None, ...]:
    """For each turn the first later turn whose request no longer holds its results; None if it never leaves.

    `results` has the lengths in characters of the results of each turn, turn 1 first. The answer has the
    same length and counts turns from 1; it may name the turn after the last.

    >>> displaced_at([[100]] * 5, Level(None, 250, 1))
    (4, 4, 5, 6, None)
    """
    clearing = cleared_from(results, level)
    if clearing is None:
        return (None,) * len(results)
    last = len(results) + 1
    leaves = (max(clearing, turn + level.kept_responses + 1) for turn in range(1, len(results) + 1))
    return tuple(turn if turn <= last else None for turn in leaves)


def cleared_from(results: Sequence[Sequence[int]], level: Level) -> int | None:
    """The first turn whose request no longer holds all results; None where the level or the run clears none.

    From then on a request lacks the results of all turns but the last `kept_responses`.

    >>> cleared_from([[100]] * 5, Level(None, 250, 1)), cleared_from([[100]] * 5, Level(None, None))
    (4, None)
    """
    if level.budget is None:
        return None
    over = _first_turn_over(results, level, level.budget)
    return over if over <= len(results) + 1 else None


def capped(length: int, level: Level) -> int:
    """How many characters of a result of this length the model is given."""
    return length if level.cap is None else min(length, level.cap)


def _first_turn_over(results: Sequence[Sequence[int]], level: Level, budget: int) -> int:
    total = 0
    for turn, lengths in enumerate(results, 1):
        total += sum(capped(length, level) for length in lengths)
        if total > budget:
            return turn + 1
    return len(results) + 2
