"""The end of a file that grows: each byte read once, complete lines handed on, a half-written one kept for its rest.

Nothing is kept open between two looks, so that a log can be moved or deleted by whoever writes it.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from tabcore.errors import UnreadableSource
from tabcore.source import LINE_LIMIT, Line, Source

STRETCH = 8 << 20
"""Bytes read at one look; a longer growth takes several."""
GUARD = 64
"""Bytes before the place reached that are looked at again, to tell a file that grew from one that was written anew."""

_MARK = b"\xef\xbb\xbf"

Change = Literal["none", "grown", "replaced", "shorter", "rewritten"]


@dataclass(frozen=True, slots=True)
class FileStatus:
    """A file as `stat` sees it. `ident` tells the file itself, whatever it is called; times are nanoseconds."""

    ident: tuple[int, int]
    size: int
    changed: int

    @classmethod
    def of(cls, status: os.stat_result) -> FileStatus:
        """What of a stat counts here."""
        return cls((status.st_dev, status.st_ino), status.st_size, status.st_mtime_ns)


class GrowingFile:
    """One file, read from its start as far as it is written. `bytes_read` counts all bytes taken from the disk."""

    def __init__(self, path: str, status: FileStatus) -> None:
        self.path = path
        self.status = status
        self.bytes_read = 0
        self.lines = 0
        self._position = 0
        self._offset = 0
        self._rest = bytearray()
        self._last = b""
        self._hash = sha256()

    @property
    def complete(self) -> int:
        """Bytes of complete lines so far."""
        return self._offset

    @property
    def waiting(self) -> int:
        """Bytes of a last line that wait for its rest."""
        return len(self._rest)

    def change(self, now: FileStatus) -> Change:
        """What became of the file since the last look; reads GUARD bytes where it was written to."""
        if now.ident != self.status.ident:
            return "replaced"
        if now.size < self._position:
            return "shorter"
        if now == self.status and now.size == self._position:
            return "none"
        if self._read(self._position - len(self._last), len(self._last)) != self._last:
            return "rewritten"
        return "grown" if now.size > self._position else "none"

    def arrive(self, now: FileStatus) -> Source:
        """The lines completed since the last look, at most STRETCH bytes of them; `now` is what `change` was told."""
        block = self._read(self._position, min(STRETCH, now.size - self._position))
        self.status = now
        self._position += len(block)
        self._last = (self._last + block)[-GUARD:]
        return self.stretch(tuple(self._split(block)))

    def behind(self) -> bool:
        """True while more is written than was read."""
        return self._position < self.status.size

    def digest(self, *, with_rest: bool = False) -> str:
        """The sha256 of the complete lines, or of all that was read."""
        hasher = self._hash.copy()
        if with_rest:
            hasher.update(self._rest)
        return hasher.hexdigest()

    def starts_with(self, size: int, digest: str) -> bool:
        """True when the first `size` bytes have this sha256: the file goes on from there. Reads them."""
        if size > self._position:
            return False
        hasher = sha256()
        for start in range(0, size, STRETCH):
            hasher.update(self._read(start, min(STRETCH, size - start)))
        return hasher.hexdigest() == digest

    def stretch(self, lines: Sequence[Line]) -> Source:
        """These lines of the file, as a source."""
        kept = tuple(lines)
        return Stretch(self.path, lambda: iter(kept))

    def rest(self) -> Source:
        """The half-written last line as it stands."""
        return self.stretch([Line(self.lines + 1, self._offset, bytes(self._rest))] if self._rest else [])

    def again(self) -> Source:
        """All complete lines so far, from the disk once more, each time that its lines are asked for."""
        source, end = Source.of_path(self.path), self._offset

        def lines() -> Iterator[Line]:
            for line in source.lines():
                if line.next_offset > end:
                    return
                self.bytes_read += len(line.data)
                yield line

        return Stretch(self.path, lines)

    def _split(self, block: bytes) -> Iterator[Line]:
        searched = len(self._rest)
        self._rest += block
        start = 0
        while (end := self._rest.find(b"\n", max(start, searched)) + 1) > 0:
            yield self._line(bytes(self._rest[start:end]))
            start = end
        del self._rest[:start]
        while len(self._rest) >= LINE_LIMIT:
            yield self._line(bytes(self._rest[:LINE_LIMIT]))
            del self._rest[:LINE_LIMIT]

    def _line(self, data: bytes) -> Line:
        self._hash.update(data)
        skipped = len(_MARK) if self._offset == 0 and data.startswith(_MARK) else 0
        line = Line(self.lines + 1, self._offset + skipped, data[skipped:])
        self._offset += len(data)
        self.lines += data.endswith(b"\n")
        return line

    def _read(self, start: int, size: int) -> bytes:
        try:
            with Path(self.path).open("rb", buffering=0) as stream:
                stream.seek(start)
                block = b""
                while len(block) < size and (more := stream.read(size - len(block))):
                    block += more
        except OSError as fault:
            fact = f"it cannot be read ({fault.strerror or fault})"
            raise UnreadableSource(self.path, fact, "Check that you may read it") from fault
        self.bytes_read += len(block)
        return block


class Stretch(Source):
    """Some lines of a log, in its order, as a source that holds nothing else."""

    __slots__ = ("_stretch",)

    def __init__(self, path: str, lines: Callable[[], Iterator[Line]]) -> None:
        super().__init__(path, lambda: _nothing(path), lambda: 0)
        self._stretch = lines

    def lines(self, start: int = 0, number: int = 1) -> Iterator[Line]:
        """The lines with the numbers and places that they have in the log; always all of them."""
        return self._stretch()


def _nothing(path: str) -> io.BytesIO:
    raise UnreadableSource(path, "only its new lines are at hand", "Open the log itself")
