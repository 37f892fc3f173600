"""Two methods on the same tasks, paired: three attempts are few, so that a difference of means alone says little.

A case is a task that both worked on; its score is the mean over attempts, so that tasks weigh the same (the pass rate of
Table 1 weighs rubrics instead). The interval resamples tasks; the test flips signs; p is corrected for all comparisons
given out together.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tabcore.analyses.paired_tests import Probability, bootstrap_interval, cases_needed, holm, sign_flip_test
from tabcore.analyses.score_facts import METRICS, Metric, ScoredRun, measure_of, method_order, parts_of, suites_first

GAIN = 0.03
"""The gain whose detection is asked about: 3 points."""


@dataclass(frozen=True, slots=True)
class Side:
    """One method on one task: its runs and their scores, from 0 to 1."""

    runs: tuple[str, ...]
    scores: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Over attempts."""
        return math.fsum(self.scores) / len(self.scores)


@dataclass(frozen=True, slots=True)
class Pair:
    """A task and both methods on it."""

    task: str
    baseline: Side
    method: Side

    @property
    def difference(self) -> float:
        """What the method has over the baseline."""
        return self.method.mean - self.baseline.mean

    @property
    def range(self) -> tuple[float, float]:
        """The least and the most that any two attempts differ by."""
        return min(self.method.scores) - max(self.baseline.scores), max(self.method.scores) - min(self.baseline.scores)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One benchmark, model and metric. `left_out` are tasks of one of the two only.

    `corrected` is the p-value after Holm; `needed` is how many tasks with this spread would show a gain of 3 points at
    a power of 80 %, None where the spread is not known.
    """

    suite: str
    model: str
    metric: Metric
    baseline: str
    method: str
    pairs: tuple[Pair, ...]
    left_out: int
    difference: float
    interval: tuple[float, float] | None
    p: Probability
    corrected: float
    needed: int | None
    simulated: bool


def paired_comparison(
    runs: Iterable[ScoredRun], baseline: str = "dci", methods: Iterable[str] | None = None
) -> tuple[Comparison, ...]:
    """Each method (None: every other) against the baseline, on each benchmark, model and metric with shared tasks."""
    groups: dict[tuple[str, str], dict[str, list[ScoredRun]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        if parts_of(run):
            groups[run.suite, run.model][run.method].append(run)
    suites = suites_first(run for by_method in groups.values() for those in by_method.values() for run in those)
    wanted = None if methods is None else set(methods)
    found = [
        one
        for (suite, model), by_method in sorted(groups.items(), key=lambda item: (suites.index(item[0][0]), item[0][1]))
        for method in sorted(by_method, key=method_order)
        if baseline in by_method and method != baseline and (wanted is None or method in wanted)
        for metric in METRICS[measure_of(suite)]
        if (one := _comparison((suite, model), metric, by_method[baseline], by_method[method])) is not None
    ]
    corrected = holm([one.p.value for one in found])
    return tuple(replace(one, corrected=p) for one, p in zip(found, corrected, strict=True))


def _comparison(
    group: tuple[str, str], metric: Metric, base: Sequence[ScoredRun], ours: Sequence[ScoredRun]
) -> Comparison | None:
    left, right = _sides(base, metric), _sides(ours, metric)
    pairs = tuple(Pair(task, left[task], right[task]) for task in left if task in right)
    if not pairs:
        return None
    differences = [pair.difference for pair in pairs]
    p = sign_flip_test(differences)
    return Comparison(
        *group,
        metric,
        base[0].method,
        ours[0].method,
        pairs,
        len(left.keys() ^ right.keys()),
        math.fsum(differences) / len(differences),
        bootstrap_interval(differences),
        p,
        p.value,
        cases_needed(differences, GAIN),
        any(run.simulated for run in (*base, *ours)),
    )


def _sides(runs: Iterable[ScoredRun], metric: Metric) -> Mapping[str, Side]:
    found: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for run in runs:
        share = parts_of(run)[metric].share
        if share is not None:
            found[run.task].append((run.run_id, share))
    return {task: Side(*zip(*those, strict=True)) for task, those in found.items()}
