"""What stands in the tab of a run, and what its agent did with it: the facts from which Tables 2 and 3 are counted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from tabcore.analyses.score_facts import RunPart
from tabcore.tab.events import Status

Place = tuple[int, int]
"""Turn and call, in the order in which things happen; a finish check comes after all calls of its turn."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """A requirement was resolved; `entry` is the one that was cited, "" for none."""

    place: Place
    requirement: str
    status: Status
    entry: str


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A requirement in a review that the agent pulled, with the entries and candidates beside it.

    `text` is the requirement's, `excerpts` are the entries'.
    """

    place: Place
    requirement: str
    text: str
    entries: tuple[str, ...]
    excerpts: tuple[str, ...]
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Opened:
    """A candidate that was opened, and when it had been listed."""

    path: str
    listed: Place
    opened: Place


@dataclass(frozen=True, slots=True)
class TabRun:
    """A run and its tab at the end.

    `recorded` is true where the agent had the tab; else the read log and the candidates are derived from what it did.
    `excerpted` counts the characters of excerpts, each once; `written` is the turn of the last write of a delivered
    file, `check` that of the finish check, None for none.
    """

    run_id: str
    model: str
    method: str
    recorded: bool
    simulated: bool = False
    requirements: tuple[Place, ...] = ()
    resolutions: tuple[Resolution, ...] = ()
    reviews: tuple[Reviewed, ...] = ()
    consulted: tuple[tuple[Place, str], ...] = ()
    operations: tuple[Place, ...] = ()
    check: int | None = None
    written: int | None = None
    entries: int = 0
    files: int = 0
    excerpted: int = 0
    candidates: int = 0
    opened: tuple[Opened, ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """A number and the runs that make it up; None where nothing does. A share is from 0 to 1."""

    value: float | None
    parts: tuple[RunPart, ...]
    is_share: bool

    @property
    def cases(self) -> float:
        """What a share is a share of; of a median, the runs."""
        return sum(part.of for part in self.parts)


@dataclass(frozen=True, slots=True)
class Group:
    """The figures of one method of one model, by their names."""

    model: str
    method: str
    figures: dict[str, Figure]
    runs: int
    simulated: bool


def median_of(parts: Iterable[RunPart]) -> Figure:
    """The median of the runs' numbers."""
    counted = tuple(parts)
    return Figure(float(median(part.count for part in counted)) if counted else None, counted, is_share=False)


def share_of(parts: Iterable[RunPart]) -> Figure:
    """The share over all runs together."""
    counted = tuple(part for part in parts if part.of)
    of = sum(part.of for part in counted)
    return Figure(sum(part.count for part in counted) / of if of else None, counted, is_share=True)
