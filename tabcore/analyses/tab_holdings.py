"""What the tab holds (Table 2): medians over attempts, and shares over all requirements together.

Ours: requirements and reviews are counted where the agent had the tab; read log and candidates of other runs are those
that the environment would have kept. A share's case is a requirement; of reviews, an open requirement in a review that
the agent pulled. Its excerpt "has a line with words of the requirement" where they share a term.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from tabcore.analyses.score_facts import RunPart, method_order
from tabcore.analyses.tab_facts import Figure, Group, TabRun, median_of, share_of
from tabcore.text.terms import terms

WORDS: Mapping[str, str] = {
    "requirements": "requirements",
    "resolved_done": "resolved as done",
    "reviewed_beside": "open requirements reviewed beside an excerpt with words of theirs",
    "entries": "read-log entries",
    "files": "distinct files",
    "excerpted": "excerpted text, thousand characters",
    "candidates": "candidates, not opened",
}


def tab_holdings(runs: Iterable[TabRun]) -> tuple[Group, ...]:
    """The figures for each model and method, in the order of both."""
    groups: dict[tuple[str, str], list[TabRun]] = defaultdict(list)
    for run in runs:
        groups[run.model, run.method].append(run)
    ordered = sorted(groups, key=lambda group: (group[0], method_order(group[1])))
    return tuple(
        Group(*key, _figures(groups[key]), len(groups[key]), any(run.simulated for run in groups[key]))
        for key in ordered
    )


def _figures(runs: Sequence[TabRun]) -> dict[str, Figure]:
    had = [run for run in runs if run.recorded]
    return {
        "requirements": median_of(RunPart(run.run_id, len(run.requirements)) for run in had),
        "resolved_done": share_of(RunPart(run.run_id, _done(run), len(run.requirements)) for run in had),
        "reviewed_beside": share_of(_beside(run) for run in had),
        "entries": median_of(RunPart(run.run_id, run.entries) for run in runs),
        "files": median_of(RunPart(run.run_id, run.files) for run in runs),
        "excerpted": median_of(RunPart(run.run_id, run.excerpted / 1000) for run in runs),
        "candidates": median_of(RunPart(run.run_id, run.candidates) for run in runs),
    }


def _done(run: TabRun) -> int:
    """The requirements whose last resolution is done."""
    last = {one.requirement: one.status for one in sorted(run.resolutions, key=lambda one: one.place)}
    return sum(status == "done" for status in last.values())


def _beside(run: TabRun) -> RunPart:
    known: dict[str, frozenset[str]] = {}

    def of(excerpt: str) -> frozenset[str]:
        if excerpt not in known:
            known[excerpt] = frozenset(terms(excerpt))
        return known[excerpt]

    found = sum(any(of(excerpt) & set(terms(one.text)) for excerpt in one.excerpts) for one in run.reviews)
    return RunPart(run.run_id, found, len(run.reviews))
