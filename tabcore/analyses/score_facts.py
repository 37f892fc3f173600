"""What a run scored on its task: the parts from which every table of scores is summed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from tabcore.analyses.final_answers import matches
from tabcore.analyses.rates import Rate
from tabcore.analyses.value_facts import RubricFacts

Metric = Literal["pass_rate", "tcr70", "score", "success", "acc0", "acc1"]
Measure = Literal["rubrics", "points", "answers"]
"""What a benchmark's score is made of: passed rubrics, points of checkpoints, final answers."""

METRICS: Mapping[Measure, tuple[Metric, ...]] = {
    "rubrics": ("pass_rate", "tcr70"),
    "points": ("score", "success"),
    "answers": ("acc0", "acc1"),
}
TITLES: Mapping[Metric, str] = {
    "pass_rate": "Rubric Pass Rate",
    "tcr70": "TCR@70",
    "score": "Score",
    "success": "Success",
    "acc0": "Accuracy at 0 %",
    "acc1": "Accuracy at 1 %",
}
METHODS = ("dci", "todo", "self_refine", "self_tracking", "running_tab")
"""The paper's methods, in the order of its tables."""
COMPLETE = 0.7
"""The share of passed rubrics from which a task counts as complete (TCR@70)."""


@dataclass(frozen=True, slots=True)
class RunPart:
    """What one run adds to a figure: a number, or `count` of `of`."""

    run_id: str
    count: float
    of: float = 1


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """A run and what was judged of it.

    `points` are those given and those to be had of a final score; `answer` is what was answered, `expected` what should
    have been, both None outside question answering. `chars` is what the agent received from its reads and commands.
    """

    run_id: str
    task: str
    suite: str
    model: str
    method: str
    attempt: int | None = None
    attempts: int | None = None
    simulated: str | None = None
    rubrics: tuple[RubricFacts, ...] = ()
    points: tuple[float, float] | None = None
    answer: str | None = None
    expected: str | None = None
    chars: int = 0

    @property
    def measure(self) -> Measure:
        """By the benchmark's name; whatever else has rubrics is scored by them."""
        return measure_of(self.suite)


def measure_of(suite: str) -> Measure:
    """What a benchmark's score is made of.

    >>> measure_of("TheAgentCompany"), measure_of("OfficeQA Pro"), measure_of("my own")
    ('points', 'answers', 'rubrics')
    """
    name = re.sub(r"[^a-z]", "", suite.lower())
    if name.startswith("theagentcompany"):
        return "points"
    return "answers" if name.startswith("officeqa") else "rubrics"


def company_score(result: float, total: float) -> float:
    """TheAgentCompany's score of one task: half for the share of points, half for all of them.

    >>> company_score(2, 4), company_score(4, 4)
    (0.25, 1.0)
    """
    return 0.5 * result / total + 0.5 * (result >= total)


def parts_of(run: ScoredRun) -> dict[Metric, Rate]:
    """What a run adds to each score of its benchmark; empty where nothing of it was evaluated."""
    match run.measure:
        case "rubrics":
            return _of_rubrics(run.rubrics)
        case "points":
            return _of_points(run.points)
        case "answers":
            return _of_answer(run)


def _of_rubrics(rubrics: Iterable[RubricFacts]) -> dict[Metric, Rate]:
    verdicts = [rubric.passed for rubric in rubrics if rubric.passed is not None]
    if not verdicts:
        return {}
    passed = sum(verdicts)
    return {"pass_rate": Rate(passed, len(verdicts)), "tcr70": Rate(passed >= COMPLETE * len(verdicts), 1)}


def _of_points(points: tuple[float, float] | None) -> dict[Metric, Rate]:
    if points is None or points[1] <= 0:
        return {}
    result, total = points
    return {"score": Rate(company_score(result, total), 1), "success": Rate(result >= total, 1)}


def _of_answer(run: ScoredRun) -> dict[Metric, Rate]:
    if run.answer is None or run.expected is None:
        return {}
    exact, near = (matches(run.answer, run.expected, error) for error in ("0", "0.01"))
    return {"acc0": Rate(exact, 1), "acc1": Rate(near, 1)}


def suites_first(runs: Iterable[ScoredRun]) -> list[str]:
    """The benchmarks, that of the most runs first; of as many by name."""
    counts = Counter(run.suite for run in runs)
    return sorted(counts, key=lambda suite: (-counts[suite], suite))


def method_order(method: str) -> tuple[int, str]:
    """A sort key: the paper's methods in its order, then others by name."""
    return (METHODS.index(method) if method in METHODS else len(METHODS), method)


def is_switch(method: str) -> bool:
    """True for an ablation of running_tab: no method of its own, and no rival of one."""
    return method.startswith("no_")
