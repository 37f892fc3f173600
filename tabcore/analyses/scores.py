"""Scores (Table 1): the mean over attempts of what each attempt scored, for each benchmark, model and method.

Within an attempt a score is summed over its tasks first (a micro average), then divided. A missing verdict is not
evaluated and counts nowhere, least of all as 0. The deviation is the population's: the paper's cells fit it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tabcore.analyses.rates import Rate
from tabcore.analyses.score_facts import (
    METRICS,
    Measure,
    Metric,
    RunPart,
    ScoredRun,
    is_switch,
    measure_of,
    method_order,
    parts_of,
    suites_first,
)

Place = Literal["best", "second", ""]
"""Within one model and metric, by mean."""


@dataclass(frozen=True, slots=True)
class AttemptScore:
    """What one attempt scored, and what each run added; one a task unless a task was run twice."""

    attempt: int
    part: Rate
    parts: tuple[RunPart, ...]

    @property
    def runs(self) -> tuple[str, ...]:
        """The ids of its runs."""
        return tuple(part.run_id for part in self.parts)

    @property
    def value(self) -> float:
        """From 0 to 1."""
        return self.part.count / self.part.of


@dataclass(frozen=True, slots=True)
class Cell:
    """A score over attempts. `deviation` is None with one attempt, since one tells nothing of the spread."""

    metric: Metric
    attempts: tuple[AttemptScore, ...]
    place: Place = ""

    @property
    def mean(self) -> float:
        """Over attempts, each weighing the same."""
        return math.fsum(one.value for one in self.attempts) / len(self.attempts)

    @property
    def deviation(self) -> float | None:
        """The population's standard deviation over attempts."""
        if len(self.attempts) < 2:
            return None
        mean = self.mean
        return math.sqrt(math.fsum((one.value - mean) ** 2 for one in self.attempts) / len(self.attempts))

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs of all attempts."""
        return tuple(run for one in self.attempts for run in one.runs)


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a row is made of, and what it lacks.

    `rubrics`, `evaluated` and `judge_failed` count rubrics; `unscored` are the runs of which nothing was evaluated.
    `uneven` is true where attempts have other tasks; `expected` is how many attempts the records speak of.
    """

    tasks: int
    runs: int
    rubrics: int
    evaluated: int
    judge_failed: int
    unscored: tuple[str, ...]
    uneven: bool
    attempts: int
    expected: int | None


@dataclass(frozen=True, slots=True)
class Row:
    """One method of one model on one benchmark. A metric without any evaluated run has no cell."""

    suite: str
    model: str
    method: str
    cells: Mapping[Metric, Cell]
    coverage: Coverage
    simulated: bool

    @property
    def measure(self) -> Measure:
        """What the scores are made of."""
        return measure_of(self.suite)


@dataclass(frozen=True, slots=True)
class Scores:
    """The table. `missing` are benchmark, model and method where other models of the benchmark have runs; `unequal` are
    benchmarks and models whose methods did not work on the same tasks."""

    rows: tuple[Row, ...]
    missing: tuple[tuple[str, str, str], ...]
    unequal: tuple[tuple[str, str], ...]


def scores(runs: Iterable[ScoredRun]) -> Scores:
    """The rows by benchmark (that of the most runs first), model and method; runs without rubrics of any kind are no part of it."""
    groups: dict[tuple[str, str, str], list[ScoredRun]] = defaultdict(list)
    for run in runs:
        if run.rubrics or run.points or run.expected is not None:
            groups[run.suite, run.model, run.method].append(run)
    suites = suites_first(run for those in groups.values() for run in those)
    ordered = sorted(groups, key=lambda group: (suites.index(group[0]), group[1], method_order(group[2])))
    rows = _placed([_row(group, groups[group]) for group in ordered])
    tasks: dict[tuple[str, str], set[frozenset[str]]] = defaultdict(set)
    for (suite, model, _), those in groups.items():
        tasks[suite, model].add(frozenset(run.task for run in those))
    return Scores(tuple(rows), _missing(ordered), tuple(sorted(pair for pair, sets in tasks.items() if len(sets) > 1)))


def numbered(runs: Sequence[ScoredRun]) -> dict[int, list[ScoredRun]]:
    """Runs by attempt; one without a number takes the first that its task has not used yet."""
    used: dict[str, set[int]] = defaultdict(set)
    for run in runs:
        if run.attempt is not None:
            used[run.task].add(run.attempt)
    attempts: dict[int, list[ScoredRun]] = defaultdict(list)
    for run in runs:
        number = run.attempt
        if number is None:
            number = next(free for free in range(1, len(runs) + 1) if free not in used[run.task])
            used[run.task].add(number)
        attempts[number].append(run)
    return dict(sorted(attempts.items()))


def _row(group: tuple[str, str, str], runs: list[ScoredRun]) -> Row:
    attempts = numbered(runs)
    cells: dict[Metric, Cell] = {}
    for metric in METRICS[measure_of(group[0])]:
        scored = tuple(
            found for number, those in attempts.items() if (found := _attempt(metric, number, those)) is not None
        )
        if scored:
            cells[metric] = Cell(metric, scored)
    return Row(*group, cells, _coverage(runs, attempts), any(run.simulated for run in runs))


def _attempt(metric: Metric, number: int, runs: Iterable[ScoredRun]) -> AttemptScore | None:
    parts = [RunPart(run.run_id, p[metric].count, p[metric].of) for run in runs if (p := parts_of(run))]
    if not parts:
        return None
    whole = Rate(math.fsum(part.count for part in parts), math.fsum(part.of for part in parts))
    return AttemptScore(number, whole, tuple(parts))


def _coverage(runs: Sequence[ScoredRun], attempts: Mapping[int, Sequence[ScoredRun]]) -> Coverage:
    rubrics = [rubric for run in runs for rubric in run.rubrics]
    tasks = {number: {run.task for run in those if parts_of(run)} for number, those in attempts.items()}
    return Coverage(
        len({run.task for run in runs}),
        len(runs),
        len(rubrics),
        sum(rubric.passed is not None for rubric in rubrics),
        sum(rubric.judge_failed for rubric in rubrics),
        tuple(run.run_id for run in runs if not parts_of(run)),
        len(set(map(frozenset, tasks.values()))) > 1,
        len(attempts),
        max((run.attempts for run in runs if run.attempts), default=None),
    )


def _placed(rows: list[Row]) -> list[Row]:
    """The same rows with the best and the second best of each benchmark, model and metric marked, switches apart."""
    means: dict[tuple[str, str, Metric], list[float]] = defaultdict(list)
    for row in rows:
        for metric, cell in row.cells.items() if not is_switch(row.method) else ():
            means[row.suite, row.model, metric].append(cell.mean)

    def place(row: Row, cell: Cell) -> Place:
        ranks = sorted(set(means[row.suite, row.model, cell.metric]), reverse=True)[:2]
        if is_switch(row.method) or len(means[row.suite, row.model, cell.metric]) < 2 or cell.mean not in ranks:
            return ""
        return "best" if cell.mean == ranks[0] else "second"

    return [
        replace(row, cells={metric: replace(cell, place=place(row, cell)) for metric, cell in row.cells.items()})
        for row in rows
    ]


def _missing(groups: Sequence[tuple[str, str, str]]) -> tuple[tuple[str, str, str], ...]:
    """The methods that other models of a benchmark have and this one lacks."""
    methods: dict[str, set[str]] = defaultdict(set)
    for suite, _, method in groups:
        methods[suite].add(method)
    rows = dict.fromkeys((suite, model) for suite, model, _ in groups)
    return tuple(
        (*row, method)
        for row in rows
        for method in sorted(methods[row[0]], key=method_order)
        if (*row, method) not in groups
    )
