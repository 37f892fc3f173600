"""Where the tabs of a workspace lie: one journal a task, in a folder beside the workspace, for the owner only."""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

from tabcore.errors import UsageError
from tabcore.journal import SUFFIX, Journal, make_folder, unwritable

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
STATE_VARIABLE = "RUNNINGTAB_STATE"
_CURRENT = ".current"


def task_name(host: str, session: str) -> str:
    """The name of the task that a session is.

    >>> task_name("pi", "3f2a91c0-77aa"), task_name("pi", "../x")
    ('pi-3f2a91c0', 'pi-x')
    """
    return f"{host}-{re.sub(r'[^A-Za-z0-9]', '', session)[:8] or 'session'}"


@dataclass(frozen=True, slots=True)
class TabFolder:
    """The journals of one workspace, in a folder of their own."""

    workspace: Path
    place: Path

    @classmethod
    def of(cls, workspace: str | os.PathLike[str], stated: str | None = None) -> TabFolder:
        """Where the tabs of a workspace lie: where it is stated, else `<workspace>.runningtab` beside it."""
        root = Path(workspace).expanduser().resolve()
        told = stated or os.environ.get(STATE_VARIABLE)
        if not told and not root.name:
            raise UsageError(str(root), "nothing lies beside it", "Name a folder for its tabs with --state")
        place = Path(told).expanduser().resolve() if told else root.with_name(f"{root.name}.runningtab")
        if place == root or root in place.parents:
            fact = f"it lies inside the workspace {root}, where the agent would see it"
            raise UsageError(str(place), fact, "Name one outside with --state")
        return cls(root, place)

    def path(self, task: str) -> Path:
        """The journal's file of a task. A task's name is made of letters, digits, `.`, `_` and `-`."""
        if not _NAME.fullmatch(task):
            raise UsageError(
                f"task {task!r}", "it is no name of a task", "Use letters, digits, . _ and - (at most 100)"
            )
        return self.place / f"{task}{SUFFIX}"

    def journal(self, task: str) -> Journal:
        """The journal of a task, made at its first use."""
        return Journal(self.path(task))

    def tasks(self) -> tuple[str, ...]:
        """The tasks that have a journal, by name."""
        return tuple(sorted(file.name.removesuffix(SUFFIX) for file in self.place.glob(f"*{SUFFIX}")))

    @property
    def current(self) -> str | None:
        """The task that was begun last, where one was."""
        try:
            name = (self.place / _CURRENT).read_text("utf-8").strip()
        except OSError:
            return None
        return name if _NAME.fullmatch(name) else None

    def make_current(self, task: str) -> None:
        """From now on a process that was told no task means this one."""
        self.path(task)
        if self.current == task:
            return
        new = self.place / f"{_CURRENT}.{os.getpid()}"
        try:
            make_folder(self.place)
            file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
            with os.fdopen(file, "w") as stream:
                stream.write(task)
            new.replace(self.place / _CURRENT)
        except OSError as fault:
            raise unwritable(new, fault) from fault

    def forget(self, task: str) -> bool:
        """Delete a task's journal; False where there was none. Waits for whoever writes in it."""
        path = self.path(task)
        if not path.exists():
            return False
        with Journal(path).held():
            path.unlink()
        if self.current == task:
            (self.place / _CURRENT).unlink(missing_ok=True)
        return True

    def older_than(self, days: float, now: float | None = None) -> tuple[str, ...]:
        """The tasks in whose journals nobody has written for so many days."""
        oldest = (time.time() if now is None else now) - days * 86_400
        return tuple(task for task in self.tasks() if self.path(task).stat().st_mtime < oldest)
