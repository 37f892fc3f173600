"""The candidates' order at every turn, in few numbers.

Ranks change when files come and go, because a term's weight depends on the collection. One order a turn would be
megabytes for a crowded run; from turn to turn few candidates move, so only these are sent.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tabcore.tab.review import Reviewer
from tabcore.tab.tab import Candidate, Tab
from tabcore.tab.timeline import CandidateInterval, Timeline

Order = tuple[int, ...]
"""Positions in `by_path(timeline)`, best first; candidates that share no term with the task are left out."""


@dataclass(frozen=True, slots=True)
class Moves:
    """How the order after `turn` differs from the one before it, less those that left: (candidate, its new position)."""

    turn: int
    moved: tuple[tuple[int, int], ...]


RANKED = 200_000
"""Candidates to rank, all turns together, up to which all orders are computed at once: about 2 s."""


def are_few(timeline: Timeline) -> bool:
    """True when the orders of all turns can be had at once."""
    return len(_turns_of_change(timeline, timeline.candidates)) * len(timeline.candidates) <= RANKED


def by_path(timeline: Timeline) -> tuple[CandidateInterval, ...]:
    """All intervals ordered by path: a candidate's position here names it, and is its rank among equals."""
    return tuple(sorted(timeline.candidates, key=lambda c: (c.path, c.listed_turn, c.listed_call)))


def orders(timeline: Timeline) -> Iterator[tuple[int, Order]]:
    """(turn, order) for every turn after which the candidates or the task are others than before.

    Costs about 2 ms a turn with 300 candidates; what has not changed is not ranked anew.
    """
    intervals = by_path(timeline)
    tab = Tab({})
    reviewer = Reviewer(tab)
    positions: dict[str, int] = {}
    for turn in _turns_of_change(timeline, intervals):
        for statement in timeline.statements:
            if statement.turn == turn:
                tab.apply(statement)
        _bring_up_to(turn, intervals, tab, positions)
        ranked = reviewer.candidates_by_relevance()
        yield turn, tuple(positions[candidate.path] for candidate, score in ranked if score > 0)


def moves(ordered: Iterable[tuple[int, Order]]) -> Iterator[Moves]:
    """The orders as moves; turns where nobody moved are left out."""
    before: Order = ()
    for turn, order in ordered:
        staying = set(order)
        moved = _moved([candidate for candidate in before if candidate in staying], order)
        if moved:
            yield Moves(turn, moved)
        before = order


def replayed(all_moves: Iterable[Moves], turn: int, intervals: Sequence[CandidateInterval]) -> Order:
    """The order after `turn`, from the moves; `intervals` are those of `by_path`. The widget does the same."""
    order: list[int] = []
    for move in all_moves:
        if move.turn > turn:
            break
        moved = dict(move.moved)
        places = {place: candidate for candidate, place in move.moved}
        kept = (c for c in order if c not in moved and intervals[c].holds(move.turn))
        order = _woven(places, kept)
    return tuple(candidate for candidate in order if intervals[candidate].holds(turn))


def _woven(places: dict[int, int], rest: Iterator[int]) -> list[int]:
    woven: list[int] = []
    for candidate in rest:
        while len(woven) in places:
            woven.append(places[len(woven)])
        woven.append(candidate)
    while len(woven) in places:
        woven.append(places[len(woven)])
    return woven


def _turns_of_change(timeline: Timeline, intervals: Sequence[CandidateInterval]) -> list[int]:
    turns = {statement.turn for statement in timeline.statements}
    for interval in intervals:
        turns.add(interval.listed_turn)
        if interval.left_turn is not None:
            turns.add(interval.left_turn)
    return sorted(turns)


def _bring_up_to(turn: int, intervals: Sequence[CandidateInterval], tab: Tab, positions: dict[str, int]) -> None:
    for interval in intervals:
        if interval.left_turn == turn:
            tab.candidates.pop(interval.path, None)
    for position, interval in enumerate(intervals):
        if interval.listed_turn == turn and interval.holds(turn):
            tab.candidates[interval.path] = Candidate(interval.path, interval.listed_turn, interval.listed_call)
            positions[interval.path] = position


def _moved(before: Sequence[int], order: Order) -> tuple[tuple[int, int], ...]:
    """The fewest candidates to place anew so that the others keep their sequence."""
    place = {candidate: position for position, candidate in enumerate(order)}
    staying = frozenset(_longest_rising([place[candidate] for candidate in before]))
    return tuple((candidate, position) for position, candidate in enumerate(order) if position not in staying)


def _longest_rising(numbers: Sequence[int]) -> list[int]:
    """A longest strictly rising subsequence.

    >>> _longest_rising([3, 1, 4, 2, 5])
    [1, 2, 5]
    """
    tails: list[int] = []
    tail_at: list[int] = []
    previous: list[int] = []
    for at, number in enumerate(numbers):
        length = bisect_left(tails, number)
        previous.append(tail_at[length - 1] if length else -1)
        tails[length : length + 1] = [number]
        tail_at[length : length + 1] = [at]
    rising: list[int] = []
    at = tail_at[-1] if tail_at else -1
    while at >= 0:
        rising.append(numbers[at])
        at = previous[at]
    return rising[::-1]
