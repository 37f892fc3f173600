"""What a load hands to the store: files with their runs, and the runs' tables. Knows neither Arrow nor database."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tabcore.errors import Problem
from tabcore.tab.corrections import DecisionCorrection
from tabcore.trajectory import Message, RunHeader, Tally, Turn

if TYPE_CHECKING:
    from tabcore.store.columns import Tables


@dataclass(frozen=True, slots=True)
class FileState:
    """A file as `stat` sees it: what tells without opening it whether it has changed.

    `changed` is the time of the last change in nanoseconds. `beside` is "" for a single log; for one in a run folder it
    says in one string how everything in that folder is, the log included, and `changed` is 0.
    """

    path: str
    size: int
    changed: int
    beside: str = ""


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file that was loaded before, and what became of it."""

    state: FileState
    digest: str
    tally: str
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Counts:
    """What a list of runs says of a run, after its last turn. Fields as in `rows.RunRow`."""

    turns: int = 0
    abandoned: int = 0
    calls: int = 0
    observed_chars: int = 0
    reads: int = 0
    files_read: int = 0
    candidates: int = 0
    starred: int = 0
    requirements: int = 0
    resolved: int = 0
    unknowns: int = 0
    differences: int = 0
    recorded_tab: bool = False
    stated: int = 0
    agreed: int = 0
    missed: int = 0
    corrected: int = 0


@dataclass(frozen=True, slots=True)
class Derivation:
    """What a tab was derived from: the task and the workspace root, and where each was found."""

    task: str
    task_source: str
    root: str
    root_source: str


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run of a file. `number` is the one that its rows bear in the load's tables."""

    number: int
    run_id: str
    key: str
    header: RunHeader
    derivation: Derivation
    counts: Counts


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One file that was read to its end. `format` is "" when no reader took it; then there are no runs.

    `place` is what was to be loaded: the log itself, or the folder that holds it as its run.
    """

    place: str
    state: FileState
    digest: str
    format: str = ""
    tally: Tally = field(default_factory=Tally)
    runs: tuple[RunRecord, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """Rows of runs, and the files that end with them. The rows of a long file come in several chunks."""

    tables: Tables
    files: tuple[FileRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class Correction:
    """What a person said of a run: another root, another task; None leaves the derived one."""

    root: str | None = None
    task: str | None = None


@dataclass(frozen=True, slots=True)
class Corrections:
    """All that persons said of a run. The paths of `decisions` are absolute."""

    run: Correction = Correction()
    decisions: tuple[DecisionCorrection, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredRun:
    """The record of one run as the store has it, turn by turn, without the branches that it gave up."""

    path: str
    key: str
    digest: str
    header: RunHeader
    turns: tuple[Turn, ...]
    after: tuple[Message, ...]
