"""What the store tells about values: which ones rubrics expect, and where each was shown, held and delivered."""

from __future__ import annotations

from dataclasses import dataclass

from tabcore.trajectory import DeliverableSource


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A run as the analyses of values see it.

    `delivered` is true where the text of what it delivered is known; `source` says how, `written` is the turn of the
    last write, None where that is not known.
    """

    run_id: str
    name: str
    method: str | None
    model: str | None
    suite: str | None
    attempt: int | None
    turns: int
    simulated: str | None
    delivered: bool
    source: DeliverableSource | None = None
    written: int | None = None


@dataclass(frozen=True, slots=True)
class RubricFacts:
    """A rubric of a run and its verdict; `passed` is None where it was not evaluated or the judge failed."""

    run_id: str
    rubric_id: str
    text: str
    passed: bool | None
    judge_failed: bool = False
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Expected:
    """A value that a rubric of a run states: characters `start:end` of its text."""

    run_id: str
    rubric_id: str
    key: str
    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Shown:
    """A place where an expected value is shown: characters `start:end` of the observation of a call of a turn."""

    run_id: str
    expected: str
    turn: int
    call: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Held:
    """The read-log entries whose excerpts hold an expected value, and its first place: characters `start:end` of the
    excerpt of `entry_id`, which was made at `turn`."""

    run_id: str
    expected: str
    entries: tuple[str, ...]
    entry_id: str
    path: str
    turn: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class DeliveredAt:
    """A place in a delivered text."""

    run_id: str
    expected: str
    path: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ValueFacts:
    """All of this for a set of runs. Places are in the order of the record."""

    runs: tuple[RunFacts, ...] = ()
    rubrics: tuple[RubricFacts, ...] = ()
    expected: tuple[Expected, ...] = ()
    shown: tuple[Shown, ...] = ()
    held: tuple[Held, ...] = ()
    delivered: tuple[DeliveredAt, ...] = ()
