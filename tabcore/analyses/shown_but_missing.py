"""Shown but missing: the values that rubrics expect, that were on the agent's screen, and that it left out.

The paper's Figure 2 (bottom) and Figure 4 (left), arXiv 2610.10444, sections 3.1 and 5. The unit is attempt × rubric ×
value: a value that two rubrics expect counts for each of them, one that a rubric states twice counts once. A value is
shown only by the results of turns before the one that last wrote the deliverable, where that is known: the results of
that turn itself came after the writing, and often repeat it. What a rubric itself or the
task states is no evidence; nor is what the tab injected.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

from tabcore.analyses.rates import Rate
from tabcore.analyses.value_facts import DeliveredAt, Expected, Held, RubricFacts, RunFacts, Shown, ValueFacts

Outcome = Literal["delivered, passed", "delivered, failed", "absent, passed", "absent, failed", "not evaluated"]
"""What became of a shown value: in the deliverable or not, and the verdict on its rubric."""

OUTCOMES: tuple[Outcome, ...] = (
    "delivered, passed",
    "delivered, failed",
    "absent, passed",
    "absent, failed",
    "not evaluated",
)
PAPER_MISSING = 0.198
"""Absent with the rubric failed, of 891 shown values: DCI with GPT-5.4 nano, three runs of Workspace-Bench (Figure 2)."""
PAPER_HELD = 0.948
"""Of the shown, absent values of failed rubrics, those that RunningTab's read log held (Figure 4 left)."""


@dataclass(frozen=True, slots=True)
class ExpectedValue:
    """One value that one rubric of one run expects, and what became of it. `text` is as the rubric writes it.

    `shown` and `delivered` are its places, in order; `late` those that were shown only after the
    deliverable was last written.
    """

    run: RunFacts
    rubric: RubricFacts
    key: str
    kind: str
    text: str
    shown: tuple[Shown, ...] = ()
    held: Held | None = None
    delivered: tuple[DeliveredAt, ...] = ()
    late: tuple[Shown, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """Whether it was delivered, and the verdict."""
        if self.rubric.passed is None:
            return "not evaluated"
        if self.delivered:
            return "delivered, passed" if self.rubric.passed else "delivered, failed"
        return "absent, passed" if self.rubric.passed else "absent, failed"

    @property
    def is_missing(self) -> bool:
        """True for a value that was shown and is not delivered, with its rubric failed."""
        return bool(self.shown) and self.outcome == "absent, failed"


@dataclass(frozen=True, slots=True)
class ShownButMissing:
    """The answer for a set of runs. `values` are all expected ones of runs that delivered something, shown or not.

    `outcomes` counts the shown values; `missing` is the paper's share (Figure 2), over the shown values whose rubric was
    evaluated; `held` that of Figure 4. `without_deliverable` are the judged runs left out, `without_rubrics` those that
    have none, `without_values` those whose rubrics state no distinctive value, `from_code` those whose deliverable is
    known by the code that made it only.
    """

    values: tuple[ExpectedValue, ...]
    outcomes: Mapping[Outcome, int]
    missing: Rate
    held: Rate
    not_shown: int
    runs: int
    without_deliverable: tuple[RunFacts, ...] = ()
    without_rubrics: tuple[RunFacts, ...] = ()
    from_code: tuple[RunFacts, ...] = ()
    without_values: tuple[RunFacts, ...] = ()


def shown_but_missing(facts: ValueFacts) -> ShownButMissing:
    """The expected values of the runs in `facts` and their outcomes, in the order of runs and rubrics."""
    values = tuple(_values(facts))
    shown = [value for value in values if value.shown]
    outcomes = {outcome: sum(value.outcome == outcome for value in shown) for outcome in OUTCOMES}
    missing = [value for value in shown if value.is_missing]
    judged = {rubric.run_id for rubric in facts.rubrics}
    expecting = {value.run.run_id for value in values}
    return ShownButMissing(
        values,
        outcomes,
        Rate(len(missing), len(shown) - outcomes["not evaluated"]),
        Rate(sum(bool(value.held) for value in missing), len(missing)),
        len(values) - len(shown),
        len(expecting),
        tuple(run for run in facts.runs if run.run_id in judged and not run.delivered),
        tuple(run for run in facts.runs if run.run_id not in judged),
        tuple(run for run in facts.runs if run.run_id in judged and run.source == "code"),
        tuple(run for run in facts.runs if run.run_id in judged and run.delivered and run.run_id not in expecting),
    )


def _values(facts: ValueFacts) -> Iterable[ExpectedValue]:
    runs = {run.run_id: run for run in facts.runs}
    rubrics = {(rubric.run_id, rubric.rubric_id): rubric for rubric in facts.rubrics}
    shown, delivered = _by_value(facts.shown), _by_value(facts.delivered)
    held = {(one.run_id, one.expected): one for one in facts.held}
    for one in _once(facts.expected):
        run, rubric, place = runs[one.run_id], rubrics[one.run_id, one.rubric_id], (one.run_id, one.key)
        if run.delivered:
            written = run.turns + 1 if run.written is None else run.written
            before = tuple(s for s in shown.get(place, ()) if s.turn < written)
            late = tuple(s for s in shown.get(place, ()) if s.turn >= written)
            text = rubric.text[one.start : one.end]
            places = tuple(delivered.get(place, ()))
            yield ExpectedValue(run, rubric, one.key, one.kind, text, before, held.get(place), places, late)


def _once(expected: Iterable[Expected]) -> Iterable[Expected]:
    """Each value of a rubric once, at its first place."""
    first: dict[tuple[str, str, str], Expected] = {}
    for one in expected:
        first.setdefault((one.run_id, one.rubric_id, one.key), one)
    return first.values()


_Place = TypeVar("_Place", Shown, DeliveredAt)


def _by_value(places: Iterable[_Place]) -> dict[tuple[str, str], list[_Place]]:
    found: dict[tuple[str, str], list[_Place]] = defaultdict(list)
    for place in places:
        found[place.run_id, place.expected].append(place)
    return found
