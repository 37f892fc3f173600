"""Batches of live runs, each written as a run folder that loads at once.

A run folder gets its name before its run begins, so that it can be watched while it grows. It counts as finished when
the last entry of its log says how the run ended.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from tabcore.agent.clocks import steady_clock
from tabcore.agent.environment import Ended, Limits, run_agent
from tabcore.agent.methods import METHODS, MethodName, companion_for
from tabcore.agent.models import Model
from tabcore.agent.recorder import PiRecorder
from tabcore.agent.terminal import Terminal
from tabcore.agent.workspaces import changed_files, fresh_copy
from tabcore.errors import UsageError
from tabcore.tab.context_window import LEVELS, PAPER_LEVEL
from tabcore.trajectory import Json

LOG, TASK, ABOUT, DELIVERED = "session.jsonl", "task.md", "run.toml", "deliverable"

SCRIPTED = "Scripted run: a script gave the model's responses, the tools are real."


@dataclass(frozen=True, slots=True)
class Settings:
    """What, beside task, method and model, makes a run what it is. `prefix` stands before each command, with
    `{workspace}` and `{home}` for the folders of the run."""

    level: int = PAPER_LEVEL
    turns: int = 300
    seconds: float = 3600.0
    command_seconds: float = 120.0
    prefix: tuple[str, ...] = ()

    @property
    def limits(self) -> Limits:
        """The same for the loop."""
        return Limits(self.turns, self.seconds, self.command_seconds, LEVELS[self.level])


@dataclass(frozen=True, slots=True)
class Batch:
    """One task, worked on by each method in so many attempts by one model, each on a fresh copy of `workspace`.

    `simulated` says how the runs were made where no live model made them; "" for a live one.
    """

    task: str
    name: str
    workspace: Path
    methods: tuple[MethodName, ...]
    model: str
    attempts: int = 3
    settings: Settings = Settings()
    suite: str = ""
    simulated: str = ""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One run of a batch and the folder it is written to. `finished` is true where the folder holds it already."""

    method: MethodName
    number: int
    folder: Path
    finished: bool = False


@dataclass(frozen=True, slots=True)
class Recorded:
    """An attempt that was made: how it ended, and how many files it delivered."""

    attempt: Attempt
    ended: Ended
    files: int


def attempts_of(batch: Batch, into: Path) -> tuple[Attempt, ...]:
    """All runs of a batch, attempt by attempt, so that an early end leaves whole comparisons.

    UsageError where a folder that one of them needs holds something else.
    """
    found = []
    for number in range(1, batch.attempts + 1):
        for method in batch.methods:
            folder = into / re.sub(r"[^\w.-]+", "_", f"{batch.name}-{method}-{batch.model}-{number}")
            found.append(Attempt(method, number, folder, _is_finished(batch, method, number, folder)))
    return tuple(found)


def record(batch: Batch, into: Path, new_model: Callable[[], Model], provider: str) -> Iterator[Recorded]:
    """Make the runs of a batch that are not finished yet, one after the other. One that was broken off is made anew.

    UsageError where a folder cannot be written or another process records into it; ModelUnusable ends the batch.
    """
    into = into.resolve()
    if into.is_relative_to(batch.workspace.resolve()):
        raise UsageError(f"folder {into}", "it lies in the workspace, which is copied", "Name one outside of it")
    try:
        into.mkdir(parents=True, exist_ok=True)
        with _alone(into):
            for attempt in attempts_of(batch, into):
                if not attempt.finished:
                    yield _made(batch, attempt, new_model(), provider)
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise UsageError(str(fault.filename or into), f"a run cannot be written ({reason})", _GO_ON) from fault


_GO_ON = "See that there is room and that you may write there, then go on: finished runs are kept"


def _made(batch: Batch, attempt: Attempt, model: Model, provider: str) -> Recorded:
    """Make one run and write its folder."""
    folder, started = attempt.folder, time.time()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)  # it will hold what the run read
    (folder / TASK).write_text(batch.task, encoding="utf-8", newline="\n")
    with tempfile.TemporaryDirectory(prefix="runningtab-", ignore_cleanup_errors=True) as scratch:
        terminal = _terminal(batch, Path(scratch).resolve())
        root = str(terminal.folder)
        (folder / ABOUT).write_text(_about(batch, attempt, root), encoding="utf-8", newline="\n")
        with (folder / LOG).open("w", encoding="utf-8", newline="\n") as file:
            session = f"{folder.name}/{started}"
            recorder = PiRecorder(file, session=session, cwd=root, provider=provider, model=model.name, time=started)
            recorder.note(_settings(batch, attempt.method, attempt.number), started)
            method, clock = METHODS[attempt.method], steady_clock()
            companion = companion_for(method, batch.task, root)
            limits = batch.settings.limits
            ended = run_agent(batch.task, model, method, companion, terminal, recorder, clock, limits)
            files = _deliver(batch.workspace, terminal.folder, folder / DELIVERED)
            recorder.note({"ended": ended.how}, clock())
    return Recorded(attempt, ended, files)


def _terminal(batch: Batch, scratch: Path) -> Terminal:
    folder, home = scratch / "workspace", scratch / "home"
    home.mkdir()
    fresh_copy(batch.workspace, folder)
    words = (word.replace("{workspace}", str(folder)).replace("{home}", str(home)) for word in batch.settings.prefix)
    return Terminal(folder, home, tuple(words))


def _deliver(workspace: Path, copy: Path, into: Path) -> int:
    paths = tuple(changed_files(workspace, copy))
    for path in paths:
        (into / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(copy / path, into / path)
    return len(paths)


def _about(batch: Batch, attempt: Attempt, root: str) -> str:
    """What the run folder says of its run; a JSON string is a TOML string too."""
    stated: dict[str, str | int | bool] = {
        "log": LOG,
        "task": TASK,
        "root": root,
        "fresh_cwd": True,
        "method": attempt.method,
        "model": batch.model,
        "attempt": attempt.number,
        "attempts": batch.attempts,
        "suite": batch.suite,
        "task_name": batch.name,
        "simulated": batch.simulated,
    }
    told = {name: value for name, value in stated.items() if value != ""}
    return "".join(f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in told.items())


def _settings(batch: Batch, method: MethodName, number: int) -> dict[str, Json]:
    """What two runs of one folder's name must have in common, as their log has it."""
    told: dict[str, Json] = {**asdict(batch.settings), "prefix": list(batch.settings.prefix)}
    return {"method": method, "model": batch.model, "attempt": number, **told}


def _is_finished(batch: Batch, method: MethodName, number: int, folder: Path) -> bool:
    """Whether a folder holds this run, ended; UsageError where it holds anything but this run or a part of it."""
    if not folder.exists():
        return False
    place, remedy = f"folder {folder}", "Name another folder with --into"
    notes, ended = _notes(folder / LOG)
    if ended not in _FINISHED:
        if ((folder / LOG).exists() and not notes) or _others(folder):
            raise UsageError(place, "it is there already and holds no run that was broken off", remedy)
        return False
    if notes[0] != _settings(batch, method, number) or (folder / TASK).read_text(encoding="utf-8") != batch.task:
        raise UsageError(place, "it holds a run of another task or with other settings", remedy)
    return True


_FINISHED = ("delivered", "turn budget", "time limit")
"""Ends after which a run is not made again; one whose model failed is."""


def _others(folder: Path) -> bool:
    return not folder.is_dir() or bool({file.name for file in folder.iterdir()} - {LOG, TASK, ABOUT, DELIVERED})


def _notes(log: Path) -> tuple[list[Mapping[str, Json]], Json]:
    """What a log notes of its run, in order, and how it says at its very end that the run ended; None where it does not."""
    try:
        lines = log.read_bytes().splitlines()
        notes: list[Mapping[str, Json]] = [json.loads(line)["data"] for line in lines if line.startswith(_NOTE)]
    except (OSError, ValueError, KeyError, TypeError):
        return [], None
    return notes, notes[-1].get("ended") if notes and lines[-1].startswith(_NOTE) else None


_NOTE = b'{"type":"custom","'


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Holds a folder against another process that would record into it."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as fault:
            raise UsageError(f"folder {folder}", "another process records into it", "Wait for it to end") from fault
        yield
    finally:
        os.close(opened)


def method_named(name: str) -> MethodName:
    """The method of this name; UsageError where there is none."""
    found = next((method for method in METHODS if method == name), None)
    if found is None:
        raise UsageError(f"method “{name}”", "there is no such method", f"Methods: {', '.join(METHODS)}")
    return found
