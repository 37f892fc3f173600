"""The process that reads documents for others: one after the other, each within its limits.

A parser may abort, hang or eat memory on a hostile file; here that costs a child, which the next document starts anew.
The child speaks pickle over its pipes like those that read logs: `multiprocessing` would run the caller's main module.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import fields
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast, get_args

from tabcore.documents.limits import Content
from tabcore.documents.places import Document, Kind, Piece, Place
from tabcore.errors import Problem

START_SECONDS = 15.0
"""Time on the clock that a new child is granted beside that of its first document."""

SPENT_BYTES = 400 << 20
"""A child that holds more memory when it has read a document is not used again."""


class Answer(NamedTuple):
    """A document on its way back. `spent` says that this child takes no other."""

    kind: Kind
    pieces: list[tuple[str, int, tuple[object, ...]]]
    problems: tuple[Problem, ...]
    spent: bool


_PLACES = get_args(Place)
_FIELDS = [attrgetter(*(field.name for field in fields(place))) for place in _PLACES]
_NUMBERS = {place: number for number, place in enumerate(_PLACES)}


def _packed(pieces: tuple[Piece, ...]) -> list[tuple[str, int, tuple[object, ...]]]:
    """Pieces as tuples: pickling the dataclasses takes as long as reading the document."""
    packed = []
    for piece in pieces:
        number = _NUMBERS[type(piece.place)]
        values = _FIELDS[number](piece.place)
        packed.append((piece.text, number, values if isinstance(values, tuple) else (values,)))
    return packed


def _unpacked(packed: list[tuple[str, int, tuple[object, ...]]]) -> Iterator[Piece]:
    for text, number, values in packed:
        yield Piece(text, _PLACES[number](*values))


class Child:
    """A reading process. It starts with the first document, and again after one that ended it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, content: Content) -> Document:
        """The document; one that ends the process is without pieces and has a problem that says why."""
        with self._lock:
            answered = False
            try:
                document = self._asked(content)
                answered = True
            finally:
                if not answered:
                    self._end()
            return document

    def close(self) -> None:
        """Ends the process."""
        with self._lock:
            self._end()

    def _asked(self, content: Content) -> Document:
        seconds = content.limits.seconds + (START_SECONDS if self._process is None else 0)
        process = self._process = self._process or _started()
        timer = threading.Timer(seconds, _kill, [process])
        timer.start()
        try:
            given, taken = cast(BinaryIO, process.stdin), cast(BinaryIO, process.stdout)
            pickle.dump(content, given, protocol=pickle.HIGHEST_PROTOCOL)
            given.flush()
            answer: Answer = pickle.load(taken)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            late = not timer.is_alive()
            return Document("unknown", problems=(_ended(content, self._end(), late),))
        finally:
            timer.cancel()
        if answer.spent:
            self._end()
        return Document(answer.kind, tuple(_unpacked(answer.pieces)), answer.problems)

    def _end(self) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        code = process.poll()
        # A child that closed its pipe is ending: its own signal says more than ours.
        if code is None:
            try:
                code = process.wait(0.2)
            except subprocess.TimeoutExpired:
                code = None
        _kill(process)
        for pipe in (process.stdin, process.stdout):
            if pipe:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue
        process.wait()
        return process.returncode if code is None else code


def _started() -> subprocess.Popen[bytes]:
    room = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, (room, os.environ.get("PYTHONPATH"))))
    # -P: nothing that lies in the working directory is imported. A session of its own: converters end with it.
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "tabcore.documents"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": path},
        start_new_session=True,
    )


def _kill(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        process.kill()
        return
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _ended(content: Content, code: int, late: bool) -> Problem:
    if late:
        return content.hit("seconds", "it takes too long to read", "not read")
    if sys.platform != "win32" and code == -signal.SIGXCPU:
        return content.hit("seconds", "it takes too much of the processor to read", "not read")
    name = signal.Signals(-code).name if code < 0 else f"code {code}"
    return content.problem("damaged", f"its parser crashed ({name})", "not read")


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """What the child does until its input ends, or it has grown too large."""
    from tabcore.documents.reading import gathered

    spent = False
    while not spent:
        try:
            content: Content = pickle.load(requests)
        except EOFError:
            return
        _limit(content.limits.memory_bytes, content.limits.seconds)
        document = gathered(content)
        del content
        _limit(None, None)
        spent = _held_bytes() > SPENT_BYTES
        answer = Answer(document.kind, _packed(document.pieces), document.problems, spent)
        pickle.dump(answer, answers, protocol=pickle.HIGHEST_PROTOCOL)
        answers.flush()


def _limit(memory: int | None, seconds: float | None) -> None:
    """Sets the soft limits of this process: address space in all, and processor time from now on."""
    if sys.platform == "win32":
        return
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    time = None if seconds is None else int(used.ru_utime + used.ru_stime + seconds) + 1
    for limit, value in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, time)):
        hard = resource.getrlimit(limit)[1]
        soft = hard if value is None else value if hard == resource.RLIM_INFINITY else min(value, hard)
        try:
            resource.setrlimit(limit, (soft, hard))
        except (ValueError, OSError):
            # A system that has no such limit still has the limit on the clock.
            continue


def _held_bytes() -> int:
    """Memory that this process holds now; 0 where the system doesn't say so cheaply."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0
