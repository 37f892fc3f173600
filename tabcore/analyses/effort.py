"""What a run takes: turns, calls, characters, tokens and cost, what of it is the tab's, and when things happened.

The price of a point is what a method takes more than its baseline on the tasks of both, for each point that it gains; a
method that gains nothing has no price.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tabcore.analyses.score_facts import RunPart, method_order
from tabcore.analyses.tab_facts import Figure, Group, median_of

if TYPE_CHECKING:
    from tabcore.analyses.paired_comparison import Comparison

WORDS: Mapping[str, str] = {
    "turns": "turns",
    "calls": "calls",
    "chars": "characters received from reads and commands",
    "tab_calls": "calls to the tab",
    "tab_chars": "characters that the tab added",
    "tokens_in": "tokens in",
    "tokens_out": "tokens out",
    "cost": "cost, as recorded",
    "last_read": "turn of the last read",
    "first_write": "turn of the first write",
    "last_write": "turn of the last write",
    "check": "turn of the finish check",
}
PRICED = ("turns", "chars", "tab_chars", "tokens_in", "tokens_out", "cost")


@dataclass(frozen=True, slots=True)
class EffortRun:
    """A run and its numbers, by the names in WORDS; None where the record has none."""

    run_id: str
    model: str
    method: str
    simulated: bool
    numbers: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Price:
    """What a comparison's method takes more a task, and for each point gained; None where that is not known."""

    name: str
    more: float | None
    a_point: float | None


def effort(runs: Iterable[EffortRun]) -> tuple[Group, ...]:
    """The medians for each model and method, over the runs that have the number."""
    groups: dict[tuple[str, str], list[EffortRun]] = defaultdict(list)
    for run in runs:
        groups[run.model, run.method].append(run)
    ordered = sorted(groups, key=lambda group: (group[0], method_order(group[1])))
    return tuple(
        Group(
            *key,
            {name: _median(name, groups[key]) for name in WORDS},
            len(groups[key]),
            any(run.simulated for run in groups[key]),
        )
        for key in ordered
    )


def _median(name: str, runs: Sequence[EffortRun]) -> Figure:
    return median_of(RunPart(run.run_id, number) for run in runs if (number := run.numbers[name]) is not None)


def prices(one: Comparison, runs: Iterable[EffortRun]) -> tuple[Price, ...]:
    """What the gain of a comparison cost, by each of PRICED."""
    numbers = {run.run_id: run.numbers for run in runs}
    return tuple(_price(name, one, numbers) for name in PRICED)


def _price(name: str, one: Comparison, numbers: Mapping[str, Mapping[str, float | None]]) -> Price:
    differences: list[float] = []
    for pair in one.pairs:
        sides = [[numbers[run][name] for run in side.runs] for side in (pair.baseline, pair.method)]
        known = [[number for number in side if number is not None] for side in sides]
        if all(known):
            differences.append(_mean(known[1]) - _mean(known[0]))
    more = _mean(differences) if differences else None
    gained = 100 * one.difference
    return Price(name, more, more / gained if more is not None and gained > 0 else None)


def _mean(numbers: Sequence[float]) -> float:
    return math.fsum(numbers) / len(numbers)
