"""Labels and notes that were said of runs, and which of them count."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from tabcore.analyses.agreement import Item
from tabcore.analyses.failure_types import FailureType

AnnotatorKind = Literal["person", "model"]


@dataclass(frozen=True, slots=True)
class Label:
    """What one annotator said of one rubric, at `time` (seconds since 1970); `type` is None where a label is taken back.

    `evidence` and `version` are a model's: what it quoted, and the version of its prompt. `run_id` is "" and `path` tells
    which log it was, where that run is not stored now; `fits` is false there, and where the rubric now has another text.
    """

    run_id: str
    rubric_id: str
    type: FailureType | None
    annotator: str
    time: float
    kind: AnnotatorKind = "person"
    note: str = ""
    evidence: str = ""
    version: str = ""
    text: str = ""
    path: str = ""
    fits: bool = True


@dataclass(frozen=True, slots=True)
class Note:
    """What a person noted on a run: on a turn, a rubric, a requirement or a value, 0 or "" where it is none of these."""

    run_id: str
    text: str
    who: str
    time: float
    turn: int = 0
    rubric_id: str = ""
    requirement: str = ""
    value: str = ""
    path: str = ""


def counting(labels: Iterable[Label]) -> dict[str, dict[Item, Label]]:
    """By annotator and item, the label that counts: the last one, unless it was taken back. Labels come in order."""
    last: dict[str, dict[Item, Label]] = {}
    for label in labels:
        if label.fits:
            last.setdefault(label.annotator, {})[label.run_id, label.rubric_id] = label
    return {who: {item: label for item, label in said.items() if label.type} for who, said in last.items()}


def before(labels: Sequence[Label], annotator: str, item: Item) -> Label | None:
    """What counted for an annotator and an item before its last label; None where nothing did."""
    said = [label for label in labels if label.annotator == annotator and (label.run_id, label.rubric_id) == item]
    return said[-2] if len(said) > 1 and said[-2].type else None
