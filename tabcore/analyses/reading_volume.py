"""Gain by reading volume (Figure 5): what a method adds over another where there was little, more and most to read.

Ours: a task's volume is what the baseline's attempts received from reads and shell commands, on average; tasks that
both methods worked on are split into thirds by it, and a third's score pools all attempts.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tabcore.analyses.rates import Rate
from tabcore.analyses.score_facts import METRICS, Metric, RunPart, ScoredRun, parts_of, suites_first

THIRDS = ("lightest", "middle", "heaviest")


@dataclass(frozen=True, slots=True)
class Third:
    """Tasks of like volume. `low` and `high` are characters of the lightest and the heaviest of them."""

    name: str
    tasks: tuple[str, ...]
    low: float
    high: float
    baseline: Rate
    method: Rate
    parts: tuple[RunPart, ...]

    @property
    def gain(self) -> float:
        """From -1 to 1."""
        return self.method.count / self.method.of - self.baseline.count / self.baseline.of


@dataclass(frozen=True, slots=True)
class Volume:
    """One benchmark and model. `thirds` is empty where fewer than three tasks are shared; `left_out` counts the others."""

    suite: str
    model: str
    metric: Metric
    thirds: tuple[Third, ...]
    shared: int
    left_out: int
    simulated: bool

    @property
    def drop(self) -> float | None:
        """By how much the baseline's score falls from the lightest to the heaviest third."""
        if not self.thirds:
            return None
        first, last = self.thirds[0].baseline, self.thirds[-1].baseline
        return first.count / first.of - last.count / last.of

    @property
    def ratio(self) -> float | None:
        """The gain on the heaviest third in gains on the lightest; None where there is none on the lightest."""
        if not self.thirds or self.thirds[0].gain <= 0:
            return None
        return self.thirds[-1].gain / self.thirds[0].gain


def reading_volume(runs: Iterable[ScoredRun], baseline: str = "dci", method: str = "running_tab") -> tuple[Volume, ...]:
    """One answer for each benchmark and model of which both methods have runs."""
    groups: dict[tuple[str, str], list[ScoredRun]] = defaultdict(list)
    for run in runs:
        if run.method in (baseline, method) and parts_of(run):
            groups[run.suite, run.model].append(run)
    suites = suites_first(run for those in groups.values() for run in those)
    return tuple(
        _volume(suite, model, those, baseline)
        for (suite, model), those in sorted(groups.items(), key=lambda item: (suites.index(item[0][0]), item[0][1]))
        if {run.method for run in those} == {baseline, method}
    )


def _volume(suite: str, model: str, runs: Sequence[ScoredRun], baseline: str) -> Volume:
    metric = METRICS[runs[0].measure][0]
    by_task: dict[str, tuple[list[ScoredRun], list[ScoredRun]]] = defaultdict(lambda: ([], []))
    for run in runs:
        by_task[run.task][run.method != baseline].append(run)
    shared = {task: pair for task, pair in by_task.items() if all(pair)}
    chars = {task: sum(run.chars for run in base) / len(base) for task, (base, _) in shared.items()}
    ordered = sorted(shared, key=lambda task: (chars[task], task))
    cuts = [round(len(ordered) * cut / 3) for cut in range(4)]
    thirds = tuple(
        _third(name, ordered[start:end], shared, chars, metric)
        for name, start, end in zip(THIRDS, cuts, cuts[1:], strict=False)
        if len(ordered) >= 3
    )
    simulated = any(run.simulated for run in runs)
    return Volume(suite, model, metric, thirds, len(shared), len(by_task) - len(shared), simulated)


def _third(
    name: str,
    tasks: Sequence[str],
    shared: Mapping[str, tuple[list[ScoredRun], list[ScoredRun]]],
    chars: Mapping[str, float],
    metric: Metric,
) -> Third:
    sides = [[run for task in tasks for run in shared[task][side]] for side in (0, 1)]
    baseline, method = (_pooled([parts_of(run)[metric] for run in side]) for side in sides)
    volumes = [chars[task] for task in tasks]
    each = [(run.run_id, parts_of(run)[metric]) for side in sides for run in side]
    own = tuple(RunPart(run_id, part.count, part.of) for run_id, part in each)
    return Third(name, tuple(tasks), min(volumes), max(volumes), baseline, method, own)


def _pooled(parts: Sequence[Rate]) -> Rate:
    return Rate(math.fsum(part.count for part in parts), math.fsum(part.of for part in parts))
