"""Numbers that no run can have, as a broken log states them, left out before they reach the store; each is a problem."""

from __future__ import annotations

from dataclasses import replace

from tabcore.errors import Problem
from tabcore.trajectory import Observation, Piece, RunEnded, RunHeader, Turn, TurnRead, Usage

_COUNT = 1 << 53
"""No count of tokens goes beyond this: what JSON numbers hold exactly."""

_SMALL = 1 << 31
"""No exit code, attempt or count of pictures goes beyond this."""


def plausible(piece: Piece, file: str) -> tuple[Piece, tuple[Problem, ...]]:
    """A piece without impossible numbers, and what was left out.

    >>> piece, [problem] = plausible(TurnRead("", Turn(1, usage=Usage(10**30, 5), line=7)), "log")
    >>> piece.turn.usage, str(problem)
    (None, 'log:7: the usage has an impossible number; left out')
    """
    faults: list[tuple[int, str]] = []
    if isinstance(piece, TurnRead):
        turn, faults = _plausible_turn(piece.turn)
        piece = replace(piece, turn=turn) if faults else piece
    elif isinstance(piece, RunEnded):
        header, faults = _plausible_header(piece.header)
        piece = replace(piece, header=header) if faults else piece
    return piece, tuple(
        Problem(file, line, "impossible number", f"{what} has an impossible number", "left out", lost=True)
        for line, what in faults
    )


def _plausible_turn(turn: Turn) -> tuple[Turn, list[tuple[int, str]]]:
    faults = [] if _is_usage(turn.usage) else [(turn.line, "the usage")]
    odd = [shown for shown in turn.observations if not _is_result(shown)]
    if not faults and not odd:
        return turn, []
    observations = tuple(
        shown if _is_result(shown) else replace(shown, exit_code=None, images=0) for shown in turn.observations
    )
    usage = None if faults else turn.usage
    return replace(turn, usage=usage, observations=observations), faults + [(shown.line, "a result") for shown in odd]


def _plausible_header(header: RunHeader) -> tuple[RunHeader, list[tuple[int, str]]]:
    if _is_small(header.attempt, header.attempts):
        return header, []
    return replace(header, attempt=None, attempts=None), [(0, "the count of attempts")]


def _is_usage(usage: Usage | None) -> bool:
    if usage is None:
        return True
    counts = (usage.input, usage.output, usage.cache_read, usage.cache_write, usage.cost or 0)
    return all(-_COUNT < count < _COUNT for count in counts)


def _is_result(shown: Observation) -> bool:
    return _is_small(shown.exit_code, shown.images)


def _is_small(*numbers: int | None) -> bool:
    return all(-_SMALL < number < _SMALL for number in numbers if number is not None)
