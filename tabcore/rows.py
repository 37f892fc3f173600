"""What the store gives and the pages, commands and analyses take: rows, joined and selected.

Frozen values without behaviour. Turns count from 1, calls of a turn from 0; lengths are characters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tabcore.errors import Problem
from tabcore.tab.corrections import CorrectedKind, day
from tabcore.tab.history import Difference
from tabcore.tab.oracle import Checked
from tabcore.tab.timeline import Timeline
from tabcore.trajectory import Message, Outcome, Span


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run as the list of runs shows it. Counts are those after the last turn.

    `reads` counts read-log entries, `files_read` distinct files. `task_source` says where the task's text was found
    ("run folder", "first message", "corrected"); `root_source` likewise. `parent` is the run id of a sub-agent's parent.
    `stated` counts what the record itself says of files, `agreed` and `missed` what capture found of it and did not;
    `corrected` the decisions of capture that a person corrected. `loaded` is "8 lines: 7 read, 1 skipped (line 4)"; `other_paths` are files with the same content.
    `secrets` counts the places where the load found a key or token.
    """

    run_id: str
    path: str
    format: str
    harness: str
    session: str
    suite: str | None
    task_name: str | None
    task: str
    task_source: str
    root: str
    root_source: str
    method: str | None
    model: str | None
    attempt: int | None
    attempts: int | None
    started: float | None
    simulated: str | None
    parent: str | None
    parent_call: str | None
    recorded_tab: bool
    turns: int
    calls: int
    observed_chars: int
    reads: int
    files_read: int
    candidates: int
    starred: int
    requirements: int
    resolved: int
    unknowns: int
    differences: int
    problems: int
    abandoned: int
    loaded: str
    stated: int = 0
    agreed: int = 0
    missed: int = 0
    corrected: int = 0
    secrets: int = 0
    other_paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about one path at one call, by which rule.

    `kind` is that of `capture.Finding`, or "neither" where a person said that the call left the file alone.
    """

    kind: str
    path: str
    rule: str
    partial: bool = False


CorrectionState = Literal["counts", "replaced", "does not fit"]
"""replaced: a later one took its place · does not fit: the record has another call there, or none with a result."""


@dataclass(frozen=True, slots=True)
class CorrectionRow:
    """What a person said of one file at one call, and what became of it. `said` is capture's own word where it counts."""

    turn: int
    call: int
    path: str
    kind: CorrectedKind
    who: str
    when: float
    command: str
    state: CorrectionState
    said: str

    @property
    def words(self) -> str:
        """The place and the verdict: "turn 3, call 1, a.txt: corrected by Ann on 2026-12-01: read; capture said …"."""
        return f"turn {self.turn}, call {self.call + 1}, {self.path or 'no path'}: {self.verdict}"

    @property
    def verdict(self) -> str:
        """Who said what when, and what capture said: "corrected by Ann on 2026-12-01: read; capture said listed (…)"."""
        if self.kind == "as captured":
            return f"taken back by {self.who} on {day(self.when)}; as capture said"
        became = f"capture said {self.said}" if self.state == "counts" else _BECAME[self.state]
        return f"corrected by {self.who} on {day(self.when)}: {self.kind}; {became}"


_BECAME: dict[CorrectionState, str] = {
    "counts": "",
    "replaced": "a later word took its place",
    "does not fit": "the record has no such call any more, so it does not count",
}


@dataclass(frozen=True, slots=True)
class CallRow:
    """One call in short: what the strip and the list of calls need. `shown` is the observation's length."""

    index: int
    call_id: str
    name: str
    command: str
    shown: int
    is_error: bool
    answered: bool
    operation: str = ""
    decisions: tuple[Decision, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One turn in short. `received` is the text that its observations showed, tab-injected parts left out.

    `status_line` is the derived one after the turn.
    """

    number: int
    received: int
    said: int
    outcome: Outcome
    is_stop: bool
    status_line: str
    calls: tuple[CallRow, ...]
    time: float | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class ObservationBody:
    """One observation whole; `call` is the index of its call in the turn, -1 for another turn's or none."""

    call: int
    call_id: str
    text: str
    spans: tuple[Span, ...]
    is_error: bool
    images: int
    line: int


@dataclass(frozen=True, slots=True)
class CallBody:
    """One call whole; `arguments` is JSON text."""

    index: int
    call_id: str
    name: str
    arguments: str
    line: int


@dataclass(frozen=True, slots=True)
class TurnBody:
    """One turn whole, as the log has it, and where the tab's recorded texts differ from the derived ones."""

    number: int
    before: tuple[Message, ...]
    text: str
    reasoning: str
    calls: tuple[CallBody, ...]
    observations: tuple[ObservationBody, ...]
    differences: tuple[Difference, ...]
    model: str | None
    line: int


@dataclass(frozen=True, slots=True)
class Replay:
    """All that a replay steps through: the run, its tab over time, its turns in short.

    `corrections` are what persons said of capture's decisions, `checked` what the record says of files beside capture.
    """

    run: RunRow
    timeline: Timeline
    turns: tuple[TurnRow, ...]
    differences: tuple[Difference, ...]
    problems: tuple[Problem, ...]
    corrections: tuple[CorrectionRow, ...] = ()
    checked: tuple[Checked, ...] = ()


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of one file given to a load. `runs` are the ids it gave; `state` one word."""

    path: str
    state: str
    """"loaded", "unchanged", "replaced", "same content", "skipped"."""
    runs: tuple[str, ...] = ()
    tally: str = ""
    problems: tuple[Problem, ...] = ()
    secrets: int = 0
    """Places where a key or token stands."""


QUIET = 600.0
"""Seconds without growth after which a log counts as ended."""


@dataclass(frozen=True, slots=True)
class Followed:
    """A log that is or was followed while it grew. `grown` is when its last bytes came, in seconds since 1970, UTC.

    Without growth for `quiet` seconds it counts as ended, whoever follows it or has stopped to. `ended` says why it is
    followed no more: "quiet", "deleted", "stopped"; "" while it is followed.
    """

    path: str
    grown: float
    quiet: float
    ended: str = ""

    def is_live(self, now: float) -> bool:
        """True while more may come."""
        return not self.ended and now < self.grown + self.quiet


SearchKind = Literal[
    "task", "told", "said", "thought", "called", "shown", "required", "resolved", "delivered", "rubric"
]
"""Where words were found: in the task, in what the agent was told, said, thought or called, in what it was shown, in its
requirements and the reasons for resolving them, in what it delivered, in a rubric."""


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A place where words were found: characters `start:end` of a text of a turn, with what stands around them.

    `call` counts the turn's calls from 0, -1 for none; `path` is a delivered file's.
    """

    run_id: str
    turn: int
    kind: SearchKind
    call: int
    path: str
    start: int
    end: int
    before: str
    found: str
    after: str
