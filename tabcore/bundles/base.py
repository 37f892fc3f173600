"""What lies beside a log, whatever benchmark laid it there: the task, rubrics, verdicts, deliverable files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from tabcore.errors import Problem
from tabcore.source import Folder, Source
from tabcore.trajectory import Deliverable, Rubric, RunHeader, Task, Verdict

IsLog = Callable[[Source], bool]
"""Tells whether some reader recognises a file as a log."""


@dataclass(frozen=True, slots=True)
class Stated:
    """What the folder says of its run; None where it says nothing. It counts more than what the log says."""

    task: Task | None = None
    root: str | None = None
    fresh_cwd: bool | None = None
    method: str | None = None
    model: str | None = None
    attempt: int | None = None
    attempts: int | None = None
    suite: str | None = None
    task_name: str | None = None
    simulated: str | None = None

    def over(self, header: RunHeader) -> RunHeader:
        """The log's header with what the folder states put over it."""
        return replace(
            header,
            task=self.task or header.task,
            root=self.root or header.root,
            fresh_cwd=header.fresh_cwd if self.fresh_cwd is None else self.fresh_cwd,
            method=self.method or header.method,
            model=self.model or header.model,
            attempt=header.attempt if self.attempt is None else self.attempt,
            attempts=header.attempts if self.attempts is None else self.attempts,
            suite=self.suite or header.suite,
            task_name=self.task_name or header.task_name,
            simulated=self.simulated or header.simulated,
        )


@dataclass(frozen=True, slots=True)
class Bundle:
    """A run's log and what lies beside it. `log` is None where none was found; a problem says so.

    `beside` are the files, other than the log, that were read for it: they are no logs, and a change to one
    changes the run.
    """

    log: Source | None
    stated: Stated = field(default_factory=Stated)
    rubrics: tuple[Rubric, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    deliverables: tuple[Deliverable, ...] = ()
    beside: tuple[Source, ...] = ()
    problems: tuple[Problem, ...] = ()


class Layout(Protocol):
    """The two functions of a bundle module: one way to lay files beside a log."""

    NAME: str

    def recognises(self, folder: Folder) -> bool:
        """True when the folder is laid out like this; looks at names only."""

    def read(self, folder: Folder, is_log: IsLog) -> Bundle:
        """The folder's run with what lies beside it. Bad data becomes a problem; raises UnreadableSource only."""


class SharedLayout(Protocol):
    """The two functions of a bundle module for folders that hold the runs of many tasks."""

    NAME: str

    def logs(self, folder: Folder) -> Mapping[str, tuple[str, ...]]:
        """The logs of the folder, each with the files and folders beside it; empty for a folder laid out otherwise.

        Paths are inside the folder, logs at most one folder deep; looks at names only.
        """

    def read(self, folder: Folder, log: str) -> Bundle | None:
        """The run of a log with what lies beside it; None for a file that is no log of a folder laid out like this.

        Looks only at what concerns this log. Bad data becomes a problem; raises UnreadableSource only.
        """
