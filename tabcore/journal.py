"""The log of a live tab: one file a task, only ever appended to, that every process on the task reads and writes.

A tab is the fold of the journal's facts. One line a *step* (a call, an operation, a stop, a task that was stated) with
the facts it caused; before it, where something was shown, one line with the call and the text, which folding steps
over without reading. A step counts once its line is whole and on the disk: `append` returns only then.

Journals lie in a folder beside the workspace, never inside, for the owner only. Standard library only: a hook opens one.
"""

from __future__ import annotations

import errno
import fcntl
import json
import mmap
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from tabcore.errors import JournalError
from tabcore.tab.events import Event, Match, text_digest
from tabcore.trajectory import Json

VERSION = 1
SUFFIX = ".jsonl"
PATIENCE = 10.0
"""Seconds that one process waits for another to finish with a journal."""

StepKind = Literal["begun", "task", "call", "operation", "stop"]
Memory: TypeAlias = Mapping[str, Any]
"""What capture learnt beside its facts, as JSON."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened to the tab, and the facts it caused.

    `turn` and `call` as in `events`. `agent` tells two agents on one task apart, `response` the responses of one of
    them. `cwd` is where the call was made, `left_in` where
    it left the shell if elsewhere. `said` is what the agent was told of it: a status line, a reply, a finish
    check. `shown` is the digest of the text line that belongs to it. `begun` alone has `about`.
    """

    kind: StepKind
    turn: int
    call: int = -1
    time: float = 0.0
    agent: str = ""
    response: str = ""
    cwd: str = ""
    left_in: str = ""
    said: str = ""
    shown: str = ""
    events: tuple[Event, ...] = ()
    memory: Memory | None = None
    about: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """A tool call and the text that it returned; `cwd` is the working directory after it, where the host says."""

    call_id: str
    name: str
    arguments: Mapping[str, Json]
    text: str
    is_error: bool = False
    cwd: str | None = None


_KINDS: Mapping[str, type[Event]] = {kind.__name__: kind for kind in get_args(Event)}
_FIELDS = {name: tuple(one.name for one in fields(kind)) for name, kind in _KINDS.items()}
_PARTS = {one.name: one.default for one in fields(Step) if one.name not in ("kind", "turn", "events")}


def encoded(event: Event) -> dict[str, Json]:
    """A fact as JSON: its kind under `is`, and its fields.

    >>> from tabcore.tab.events import Stopped
    >>> encoded(Stopped(7))
    {'is': 'Stopped', 'turn': 7, 'call': -1}
    """
    name = type(event).__name__
    values: dict[str, Json] = {"is": name}
    for key in _FIELDS[name]:
        value = getattr(event, key)
        values[key] = [_plain(item) for item in value] if isinstance(value, tuple) else value
    return values


def decoded(value: Mapping[str, Any]) -> Event:
    """The fact that `encoded` wrote; raises KeyError or TypeError for anything else."""
    kind = _KINDS[value["is"]]
    arguments: dict[str, Any] = {
        key: tuple(map(_whole, item)) if isinstance(item, list) else item for key, item in value.items()
    }
    del arguments["is"]
    return kind(**arguments)


def _plain(item: object) -> Json:
    if isinstance(item, Match):
        return [item.requirement, list(item.entries), list(item.candidates)]
    return str(item)


def _whole(item: Json) -> object:
    if isinstance(item, list):
        requirement, entries, candidates = item
        return Match(str(requirement), tuple(map(str, entries or ())), tuple(map(str, candidates or ())))  # type: ignore[arg-type]
    return item


def line_of(step: Step) -> bytes:
    """A step as one line, its newline included. What a step does not have is left out."""
    values: dict[str, Any] = {"step": step.kind, "turn": step.turn}
    told = ((name, getattr(step, name), default) for name, default in _PARTS.items())
    values |= {name: value for name, value, default in told if value != default}
    if step.events:
        values["events"] = [encoded(event) for event in step.events]
    return _json_line(values)


def step_of(line: bytes) -> Step | None:
    """The step that a line holds; None where it holds none."""
    try:
        values = json.loads(line)
        events = tuple(map(decoded, values.pop("events", ())))
        return Step(values.pop("step"), events=events, **values)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


_TEXT_HEAD = b'{"text":"'
_TEXT_PREFIX = len(_TEXT_HEAD) + 32 + len('","bytes":"') + 12


def text_line_of(shown: Shown) -> bytes:
    """A call and its text as one line. Its first characters, of fixed width, tell the text's digest and the line's length."""
    values: dict[str, Any] = {
        "id": shown.call_id,
        "name": shown.name,
        "arguments": dict(shown.arguments),
        "body": shown.text,
    }
    if shown.is_error:
        values["is_error"] = True
    if shown.cwd is not None:
        values["cwd"] = shown.cwd
    rest = b'",' + _json_line(values)[1:]
    head = f'{_TEXT_HEAD.decode()}{text_digest(shown.text)}","bytes":"{_TEXT_PREFIX + len(rest):012d}'
    return head.encode() + rest


def _json_line(values: object) -> bytes:
    try:
        return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    except UnicodeEncodeError:  # half a surrogate pair: no UTF-8 has it, an escape does
        return json.dumps(values, separators=(",", ":")).encode() + b"\n"


class Journal:
    """One task's log. Hold it (`held`) to read what arrived and to append; nobody else does meanwhile.

    `arrived` gives each step once. When `made_anew` is true after `held` began, the file is another one than before
    (it was forgotten): the steps are given from its first.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self.damaged = 0
        self.made_anew = False
        self._clock = clock
        self._file = -1
        self._ident: tuple[int, int] | None = None
        self._offset = 0
        self._last_time = 0.0
        self._texts: dict[str, tuple[int, int]] = {}

    @contextmanager
    def held(self) -> Iterator[Journal]:
        """Holds the journal, made if it is not there; a half-written last line is cut off first."""
        self._file = self._opened()
        try:
            status = os.fstat(self._file)
            ident = (status.st_dev, status.st_ino)
            self.made_anew = ident != self._ident or status.st_size < self._offset
            if self.made_anew:
                self._ident, self._offset, self._last_time, self.damaged = ident, 0, 0.0, 0
                self._texts.clear()
            self._cut_torn_line(status.st_size)
            yield self
        finally:
            os.close(self._file)
            self._file = -1

    def rewind(self) -> None:
        """Give all steps once more when the journal is held next."""
        self._ident = None

    def arrived(self) -> tuple[Step, ...]:
        """The steps since the last call, in order; lines that are none are counted in `damaged` and passed over."""
        size = os.fstat(self._file).st_size
        if size <= self._offset:
            return ()
        with mmap.mmap(self._file, size, access=mmap.ACCESS_READ) as data:
            return tuple(self._steps(data, size))

    def append(self, step: Step, shown: Shown | None = None) -> Step:
        """Write a step, and what was shown, to the disk; the step as it stands there, with its time.

        Steps that arrived are taken first. A step's time is never before the one that stands above it, whatever the clock says. Raises JournalError, and
        the log is as it was, where the disk takes nothing.
        """
        moment = max(round(self._clock(), 3), self._last_time)
        stamped = replace(step, time=moment, shown=text_digest(shown.text) if shown else "")
        before = os.fstat(self._file).st_size
        if before != self._offset:
            raise ValueError("steps arrived that were not taken: call arrived() before append()")
        text = text_line_of(shown) if shown else b""
        self._write(text + line_of(stamped), before)
        if shown:
            self._texts[stamped.shown] = (before, len(text))
        self._offset, self._last_time = os.fstat(self._file).st_size, moment
        return stamped

    def text(self, digest: str) -> str:
        """The text of this digest; KeyError where the journal has none. The journal need not be held."""
        place, length = self._texts[digest]
        with self.path.open("rb") as file:
            file.seek(place)
            body: str = json.loads(file.read(length))["body"]
        return body

    def knows(self, digest: str) -> bool:
        """True for a text that the journal has."""
        return digest in self._texts

    def _steps(self, data: mmap.mmap, size: int) -> Iterator[Step]:
        while self._offset < size:
            place = self._offset
            end = self._end_of_text(data, place, size) or data.find(b"\n", place) + 1
            self._offset = end
            if data[place : place + len(_TEXT_HEAD)] == _TEXT_HEAD:
                digest = data[place + len(_TEXT_HEAD) : place + len(_TEXT_HEAD) + 32].decode("ascii", "replace")
                self._texts[digest] = (place, end - place)
                continue
            step = step_of(data[place:end])
            if step is None:
                self.damaged += 1
            else:
                self._last_time = max(self._last_time, step.time)
                yield step

    def _end_of_text(self, data: mmap.mmap, place: int, size: int) -> int:
        """Where the text line at `place` ends by its own word; 0 where there is none or its word is not true."""
        if data[place : place + len(_TEXT_HEAD)] != _TEXT_HEAD:
            return 0
        told = data[place + _TEXT_PREFIX - 12 : place + _TEXT_PREFIX]
        end = place + int(told) if told.isdigit() else 0
        return end if place < end <= size and data[end - 1] == 10 else 0

    def _opened(self) -> int:
        """The journal's file, locked. One that was deleted while this process waited for it is opened once more."""
        deadline = time.monotonic() + PATIENCE
        while True:
            file = _open(self.path)
            is_there = False
            try:
                _lock(file, self.path, deadline)
                is_there = os.fstat(file).st_nlink > 0
                if is_there:
                    return file
            finally:
                if not is_there:
                    os.close(file)

    def _cut_torn_line(self, size: int) -> None:
        """A line without its end was never acknowledged: whoever wrote it is gone."""
        if not size or os.pread(self._file, 1, size - 1) == b"\n":
            return
        place = size
        while place:
            start = max(0, place - (1 << 16))
            found = os.pread(self._file, place - start, start).rfind(b"\n")
            if found >= 0:
                place = start + found + 1
                break
            place = start
        os.ftruncate(self._file, place)
        self._offset = min(self._offset, place)

    def _write(self, data: bytes, before: int) -> None:
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(self._file, left) :]
            os.fsync(self._file)
        except OSError as fault:
            os.ftruncate(self._file, before)
            raise unwritable(self.path, fault) from fault


def _open(path: Path) -> int:
    flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        try:
            return os.open(path, flags)
        except FileNotFoundError:
            make_folder(path.parent)
            file = os.open(path, flags | os.O_CREAT, 0o600)
            _sync_folder(path.parent)
            return file
    except OSError as fault:
        raise unwritable(path, fault) from fault


def make_folder(folder: Path) -> None:
    """A folder for the owner only, which git passes over, or the one that is there; OSError where that is not ours."""
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        if os.geteuid() not in (0, folder.stat().st_uid):
            raise PermissionError(errno.EPERM, "the folder is somebody else's") from None
    else:
        file = os.open(folder / ".gitignore", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(file, "w") as stream:
            stream.write("*\n")


def _sync_folder(folder: Path) -> None:
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _lock(file: int, path: Path, deadline: float) -> None:
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                what = f"another process has held it for {PATIENCE:g} seconds"
                raise JournalError(str(path), what, "End the one that hangs, then try again") from None
            time.sleep(0.003)


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def unwritable(path: Path, fault: OSError) -> JournalError:
    """What a failed write is called: full, or not allowed."""
    if fault.errno in _FULL:
        what = f"the disk is full ({fault.strerror}); nothing was written and what stood there is whole"
        return JournalError(str(path), what, "Make room, then go on")
    return JournalError(
        str(path),
        f"it cannot be written ({fault.strerror})",
        "Name a folder of yours outside the workspace with --state, or the variable RUNNINGTAB_STATE",
    )
