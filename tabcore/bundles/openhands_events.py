"""Conversations of OpenHands' SDK: a folder with one file per event is one log.

    event-00003-<id>.json   one event each, in the order of their numbers

Format: OpenHands/software-agent-sdk, the folder `events` of a persisted conversation. The `base_state.json` around it
is not looked at: the events tell the model.
"""

from __future__ import annotations

import io
import re
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, BinaryIO, cast

from tabcore.bundles.base import Bundle, IsLog
from tabcore.source import Folder, Source

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

NAME = "openhands-events"

_EVENT = re.compile(r"event-\d+-[\w-]+\.json\Z")
_NEWLINES = bytes.maketrans(b"\n\r", b"  ")


def recognises(folder: Folder) -> bool:
    """True for a folder of event files."""
    return bool(_events(folder))


def read(folder: Folder, is_log: IsLog) -> Bundle:
    """The conversation: its events joined to one log."""
    files = _events(folder)
    return Bundle(joined(folder.path, files), beside=files)


def joined(path: str, files: tuple[Source, ...]) -> Source:
    """Files that hold a JSON value each, as one source with a value a line; they are opened as they are read."""

    def opened() -> BinaryIO:
        return cast(BinaryIO, io.BufferedReader(_Joined(files)))

    return Source(path, opened, lambda: sum(file.size + 1 for file in files))


def _events(folder: Folder) -> tuple[Source, ...]:
    return tuple(file for file in folder.files() if _EVENT.match(file.name))


class _Joined(io.RawIOBase):
    """Files one after another, each on one line: between the values of JSON, newlines are space like any other."""

    def __init__(self, files: tuple[Source, ...]) -> None:
        self._files = files
        self._ends = list(accumulate(file.size + 1 for file in files))
        self._position = 0
        self._data: tuple[int, bytes] = (-1, b"")

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._ends[-1] if self._ends else 0}[whence]
        self._position = max(0, base + offset)
        return self._position

    def tell(self) -> int:
        return self._position

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        place = bisect_right(self._ends, self._position)
        if place >= len(self._files):
            return 0
        start = self._position - (self._ends[place - 1] if place else 0)
        part = self._line(place)[start : start + len(view)]
        view[: len(part)] = part
        self._position += len(part)
        return len(part)

    def _line(self, place: int) -> bytes:
        """A file's content on one line, as long as its size was when the files were listed."""
        if self._data[0] != place:
            size = self._ends[place] - (self._ends[place - 1] if place else 0) - 1
            with self._files[place].open() as stream:
                content = stream.read(size).ljust(size).translate(_NEWLINES)
            self._data = (place, content + b"\n")
        return self._data[1]
