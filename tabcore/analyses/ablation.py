"""Ablation (Table 4): what each switch of running_tab takes away, as differences of mean scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tabcore.analyses.paper import ABLATION
from tabcore.analyses.score_facts import Metric, RunPart

if TYPE_CHECKING:
    from tabcore.analyses.scores import Cell, Row

REFERENCE = "running_tab"


@dataclass(frozen=True, slots=True)
class Switched:
    """A method's mean of a metric, from 0 to 1, and how far it lies above the reference's (0 for the reference)."""

    suite: str
    model: str
    method: str
    metric: Metric
    mean: float
    delta: float
    parts: tuple[RunPart, ...]
    simulated: bool


def ablation(rows: Iterable[Row]) -> tuple[Switched, ...]:
    """The reference, its switches and dci, in the paper's order; only where there are runs of the reference."""
    groups: dict[tuple[str, str], dict[str, Row]] = defaultdict(dict)
    for one in rows:
        groups[one.suite, one.model][one.method] = one
    return tuple(
        Switched(
            row.suite,
            row.model,
            name,
            metric,
            cell.mean,
            cell.mean - whole.cells[metric].mean,
            _parts(cell),
            row.simulated,
        )
        for methods in groups.values()
        if (whole := methods.get(REFERENCE)) is not None
        for name in ABLATION
        if (row := methods.get(name)) is not None
        for metric, cell in row.cells.items()
        if metric in whole.cells
    )


def _parts(cell: Cell) -> tuple[RunPart, ...]:
    return tuple(part for attempt in cell.attempts for part in attempt.parts)
