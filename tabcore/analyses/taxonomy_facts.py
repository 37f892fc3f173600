"""What the store gives to whoever tells why a rubric failed: values, files that were met, numbers of the deliverable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tabcore.analyses.value_facts import ValueFacts


@dataclass(frozen=True, slots=True)
class FileMet:
    """A file that a run met: the turns at which it was first opened and first listed, None for never."""

    run_id: str
    path: str
    opened: int | None
    listed: int | None


@dataclass(frozen=True, slots=True)
class DeliveredNumber:
    """A value of a delivered text with its line."""

    run_id: str
    path: str
    key: str
    text: str
    number: int
    line: str


@dataclass(frozen=True, slots=True)
class TaxonomyFacts:
    """What the proposer looks at. `stated` are keys of the values that a run's task states, by run id; `points` those of
    rubrics that count more or less than one point."""

    values: ValueFacts
    files: tuple[FileMet, ...] = ()
    numbers: tuple[DeliveredNumber, ...] = ()
    stated: Mapping[str, frozenset[str]] | None = None
    points: Mapping[tuple[str, str], float] | None = None
