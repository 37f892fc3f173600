"""Timeline: everything a tab ever held, as intervals over turns, so that any turn's tab is one selection.

Rows of the store and a timeline are the same thing: a store loads the rows, `at()` selects.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from tabcore.tab.events import (
    CaptureUndecided,
    Consulted,
    Event,
    FileAuthored,
    FileListed,
    FileRead,
    FileRenamed,
    FinishChecked,
    Refused,
    RequirementAdded,
    Resolved,
    Reviewed,
    Stopped,
    TaskStated,
)
from tabcore.tab.tab import Candidate, Entry, LeftBy, OfFile, Tab

_Fact = TypeVar("_Fact", bound=Event)


@dataclass(frozen=True, slots=True)
class CandidateInterval:
    """A path while it was a candidate: after turn `listed_turn`, until `left_turn` (None: to the end).

    `starred_turn` is when it came above the threshold, None if it never did.
    """

    path: str
    listed_turn: int
    listed_call: int
    starred_turn: int | None = None
    left_turn: int | None = None
    left_call: int | None = None
    left_by: LeftBy | Literal[""] = ""

    def holds(self, turn: int) -> bool:
        """True when the path is a candidate after `turn`."""
        return self.listed_turn <= turn and (self.left_turn is None or turn < self.left_turn)


@dataclass(slots=True)
class Timeline:
    """The whole history of one tab, in the order in which it happened."""

    statements: list[TaskStated] = field(default_factory=list)
    candidates: list[CandidateInterval] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    requirements: list[RequirementAdded] = field(default_factory=list)
    resolutions: list[Resolved] = field(default_factory=list)
    refusals: list[Refused] = field(default_factory=list)
    reviews: list[Reviewed] = field(default_factory=list)
    consultations: list[Consulted] = field(default_factory=list)
    authored: list[FileAuthored] = field(default_factory=list)
    undecided: list[CaptureUndecided] = field(default_factory=list)
    stops: list[Stopped] = field(default_factory=list)
    finish_checks: list[FinishChecked] = field(default_factory=list)

    def at(self, turn: int, texts: Mapping[str, str] | None = None) -> Tab:
        """The tab as it stood after `turn`, to look at; 0 is before the first. Without `texts`, excerpts cannot be shown."""
        tab = Tab(texts or {})
        stated: list[Event] = [*self.statements, *self.requirements, *self.resolutions]
        for fact in _until(turn, stated):
            tab.apply(fact)
        for entry in self.entries:
            if entry.turn <= turn:
                tab.read_log[entry.entry_id] = entry
                tab.opened.add(entry.path)
        tab.authored = {fact.path for fact in self.authored if fact.turn <= turn}
        tab.hold(_candidate(c, turn) for c in self.candidates if c.holds(turn))
        tab.finish_checked = any(fact.turn <= turn for fact in self.finish_checks)
        operations: list[Event] = [*self.requirements, *self.resolutions, *self.refusals, *self.reviews]
        operations = _until(turn, [*operations, *self.consultations])
        tab.last_operation = max((fact.turn for fact in operations), default=None)
        return tab


class RecordingTab(Tab):
    """A tab that keeps its timeline while facts come in."""

    def __init__(self, texts: Mapping[str, str], task: str = "") -> None:
        self._timeline = Timeline()
        self._left: list[CandidateInterval] = []
        self._order: dict[str, int] = {}
        super().__init__(texts, task)

    def apply(self, event: Event) -> None:
        """Fold one fact in."""
        super().apply(event)
        if not isinstance(event, FileListed):
            self._file(event)

    def timeline(self) -> Timeline:
        """The timeline up to now; candidates in the order in which they were listed."""
        held = self.candidates.values()
        still = [CandidateInterval(c.path, c.listed_turn, c.listed_call, c.starred_turn) for c in held]
        self._timeline.candidates = sorted(
            self._left + still, key=lambda c: (c.listed_turn, c.listed_call, self._order[c.path])
        )
        self._timeline.entries = list(self.read_log.values())
        return self._timeline

    def _list(self, path: str, turn: int, call: int) -> bool:
        is_new = super()._list(path, turn, call)
        if is_new:
            self._order.setdefault(path, len(self._order))
        return is_new

    def _drop(self, path: str, event: OfFile, by: LeftBy) -> Candidate | None:
        held = super()._drop(path, event, by)
        if held is not None:
            listed = (held.listed_turn, held.listed_call, held.starred_turn)
            self._left.append(CandidateInterval(path, *listed, event.turn, event.call, by))
        return held

    def _file(self, event: Event) -> None:
        timeline = self._timeline
        match event:
            case TaskStated():
                timeline.statements.append(event)
            case RequirementAdded():
                timeline.requirements.append(event)
            case Resolved():
                timeline.resolutions.append(event)
            case Refused():
                timeline.refusals.append(event)
            case Reviewed():
                timeline.reviews.append(event)
            case Consulted():
                timeline.consultations.append(event)
            case FileAuthored():
                timeline.authored.append(event)
            case CaptureUndecided():
                timeline.undecided.append(event)
            case Stopped():
                timeline.stops.append(event)
            case FinishChecked():
                timeline.finish_checks.append(event)
            case FileListed() | FileRead() | FileRenamed():
                pass  # kept as candidates and entries


def timeline_of(events: Iterable[Event]) -> Timeline:
    """The timeline of a whole run's facts."""
    tab = RecordingTab({})
    for event in events:
        tab.apply(event)
    return tab.timeline()


def _until(turn: int, facts: Iterable[_Fact]) -> list[_Fact]:
    return [fact for fact in facts if fact.turn <= turn]


def _candidate(interval: CandidateInterval, turn: int) -> Candidate:
    starred = interval.starred_turn if interval.starred_turn is not None and interval.starred_turn <= turn else None
    return Candidate(interval.path, interval.listed_turn, interval.listed_call, starred)
