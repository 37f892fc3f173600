"""What failure types come to: lost points by group, success within a type by method, and how types move between methods.

Types are one annotator's. A rubric that it left open or did not look at is counted beside the shares, never in them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tabcore.analyses.agreement import Item, Labelling
from tabcore.analyses.failure_taxonomy import FailedRubric, FailureTaxonomy
from tabcore.analyses.failure_types import TYPES, FailureType
from tabcore.analyses.rates import Rate
from tabcore.analyses.score_facts import method_order
from tabcore.analyses.value_facts import RubricFacts, RunFacts

PASSED, NOT_LABELLED = "passed", "no type"
"""What a rubric of a flow may be beside a type."""


@dataclass(frozen=True, slots=True)
class Lost:
    """The points that a group of runs lost, by type. `rubrics` are those with a type, by type; `open_rubrics` those without."""

    group: str
    points: Mapping[FailureType, float]
    rubrics: Mapping[FailureType, int]
    open_rubrics: int

    @property
    def labelled(self) -> int:
        """Failed rubrics with a type."""
        return sum(self.rubrics.values())

    def share(self, type: FailureType) -> float | None:
        """Of the points with a type, from 0 to 1; None where there are none."""
        total = sum(self.points.values())
        return self.points[type] / total if total else None


def lost_points(
    failed: Sequence[FailedRubric], labels: Labelling, group_of: Callable[[FailedRubric], str]
) -> tuple[Lost, ...]:
    """Lost points by group, the largest group first."""
    points: dict[str, Counter[FailureType]] = defaultdict(Counter)
    rubrics: dict[str, Counter[FailureType]] = defaultdict(Counter)
    left: Counter[str] = Counter()
    for one in failed:
        group, type_ = group_of(one), labels.get((one.run.run_id, one.rubric.rubric_id))
        if type_ is None:
            left[group] += 1
        else:
            points[group][type_] += one.points  # type: ignore[assignment]  # counters of floats are counters all the same
            rubrics[group][type_] += 1
    groups = sorted({*points, *left}, key=lambda name: (-rubrics[name].total() - left[name], name))
    return tuple(
        Lost(name, {t: float(points[name][t]) for t in TYPES}, {t: rubrics[name][t] for t in TYPES}, left[name])
        for name in groups
    )


def success_within(
    found: FailureTaxonomy, labels: Labelling, type: FailureType = "Shown but Missing", base: str = "dci"
) -> dict[str, Rate]:
    """By method, the rubrics that passed of those that were of a type in any attempt of the `base` method.

    A rubric is the same where suite, task, model and its id are; all evaluated attempts of each method count.
    """
    runs = {run.run_id: run for run in found.runs}
    wanted = {
        _same(runs[run_id], rubric_id)
        for (run_id, rubric_id), type_ in labels.items()
        if type_ == type and run_id in runs and runs[run_id].method == base
    }
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for rubric in found.rubrics:
        run = runs[rubric.run_id]
        if rubric.passed is not None and not rubric.judge_failed and _same(run, rubric.rubric_id) in wanted:
            counts[run.method or ""][0] += rubric.passed
            counts[run.method or ""][1] += 1
    return {method: Rate(*counts[method]) for method in sorted(counts, key=method_order)}


def flow(found: FailureTaxonomy, labels: Labelling, first: str, second: str) -> dict[tuple[str, str], int]:
    """How often a rubric was so under one method and so under another: a type, "passed" or "no type".

    Attempts are paired by their number, or by their order where none is stated. Rubrics without a verdict in one of the two
    are left out.
    """
    runs = {run.run_id: run for run in found.runs}
    places = _attempts(found.runs)
    states: dict[str, dict[tuple[object, ...], str]] = {first: {}, second: {}}
    for rubric in found.rubrics:
        run = runs[rubric.run_id]
        if run.method in states and rubric.passed is not None and not rubric.judge_failed:
            key = (*_same(run, rubric.rubric_id), places[run.run_id])
            states[run.method][key] = _state(rubric, labels)
    both = [(state, states[second][key]) for key, state in states[first].items() if key in states[second]]
    return dict(sorted(Counter(both).items(), key=lambda item: tuple(map(_ORDER.index, item[0]))))


_ORDER = (*TYPES, NOT_LABELLED, PASSED)


def _state(rubric: RubricFacts, labels: Labelling) -> str:
    item: Item = (rubric.run_id, rubric.rubric_id)
    return PASSED if rubric.passed else labels.get(item) or NOT_LABELLED


def _same(run: RunFacts, rubric_id: str) -> tuple[str | None, str, str | None, str]:
    return run.suite, run.name, run.model, rubric_id


def _attempts(runs: Sequence[RunFacts]) -> dict[str, int]:
    """Each run's attempt, stated or by order among the runs of the same task, model and method."""
    seen: Counter[tuple[object, ...]] = Counter()
    found = {}
    for run in runs:
        group = (run.suite, run.name, run.model, run.method)
        seen[group] += 1
        found[run.run_id] = run.attempt if run.attempt is not None else seen[group]
    return found
