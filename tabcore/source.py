"""What a reader gets to see of the outside: bytes in numbered lines, and the files that lie beside.

A `Source` is a file or a folder. Readers and bundles take nothing else, so that a member of an archive or an
uploaded file is just another `Source`: whoever makes one says how its bytes are opened and what lies beside it.
"""

from __future__ import annotations

import codecs
import io
import os
import stat
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, cast

from tabcore.errors import UnreadableSource

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

BLOCK = 1 << 20
"""Bytes read at a time."""

HASH_BLOCK = 1 << 18
"""Bytes read at a time while their digest is taken: they are still in the processor's cache then."""

LINE_LIMIT = 64 << 20
"""A longer line is handed over in pieces of this size, each as a line without its newline."""

_BYTE_ORDER_MARK = codecs.BOM_UTF8


class Line(NamedTuple):
    """One line with its newline. A tuple, since a log has a million of them.

    `number` counts from 1. `offset` is where its first byte stands in the file.
    """

    number: int
    offset: int
    data: bytes

    @property
    def ended(self) -> bool:
        """False for a last line without a newline, which a growing log may still complete."""
        return self.data.endswith(b"\n")

    @property
    def next_offset(self) -> int:
        """Where the following line starts: the `start` with which `lines()` resumes."""
        return self.offset + len(self.data)


class Source:
    """A file or folder, opened anew at each look; closed when the look is over.

    `path` is how people are shown it. `encoding` is "utf-8" unless a UTF-16 mark or pattern opens the
    file; such a file is handed over as UTF-8, and its offsets count the bytes of that.
    """

    __slots__ = ("_digest", "_encoding", "_open", "_siblings", "_size", "path")

    def __init__(
        self,
        path: str,
        open_bytes: Callable[[], BinaryIO],
        size: Callable[[], int],
        siblings: Callable[[], tuple[Source, ...]] = tuple,
    ) -> None:
        self.path = path
        self._open = open_bytes
        self._size = size
        self._siblings = siblings
        self._digest: str | None = None
        self._encoding: str | None = None

    @classmethod
    def of_path(cls, path: str | Path) -> Source:
        """The regular file at `path`; raises UnreadableSource when it cannot be read."""
        place = Path(path)
        if not stat.S_ISREG(_status(place).st_mode):
            raise UnreadableSource(str(path), "this is not a regular file", "Name a log file, or a folder to search")
        return cls(
            str(path),
            lambda: _open_file(place),
            lambda: _status(place).st_size,
            lambda: tuple(cls.of_path(other) for other in _files(place.parent) if other != place),
        )

    @classmethod
    def of_bytes(cls, path: str, data: bytes, siblings: Callable[[], tuple[Source, ...]] = tuple) -> Source:
        """A source that holds its bytes: an uploaded file, a small member of an archive."""
        return cls(path, lambda: io.BytesIO(data), lambda: len(data), siblings)

    def __repr__(self) -> str:
        return f"Source({self.path!r})"

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.replace("\\", "/").rstrip("/").rpartition("/")[2]

    @property
    def size(self) -> int:
        """Bytes in the file now."""
        return self._size()

    @property
    def encoding(self) -> str:
        """ "utf-8", "utf-16-le" or "utf-16-be", told by the file's first bytes."""
        if self._encoding is None:
            with self._open() as stream:
                self._encoding = _encoding_of(stream.read(4))
        return self._encoding

    def open(self) -> BinaryIO:
        """The bytes as they are, from the start; the caller closes it."""
        return self._open()

    def open_text(self) -> BinaryIO:
        """The bytes as UTF-8 without a byte order mark, from the start; the caller closes it."""
        if self.encoding != "utf-8":
            return cast(BinaryIO, io.BufferedReader(_Transcoded(self._open(), self.encoding), BLOCK))
        stream = self._open()
        if stream.read(len(_BYTE_ORDER_MARK)) != _BYTE_ORDER_MARK:
            stream.seek(0)
        return stream

    def head(self, size: int) -> bytes:
        """The first `size` bytes (or all there are), as UTF-8 without a byte order mark."""
        with self.open_text() as stream:
            return stream.read(size)

    def lines(self, start: int = 0, number: int = 1) -> Iterator[Line]:
        """Each line from byte `start` on, which is line `number`; to the end of the file as it is now.

        Lines end at b"\\n" only, since U+2028 and its like are legal inside JSON strings. Memory stays at a
        block and the longest line (LINE_LIMIT at most). A full pass from the start settles `digest()` on the way.
        """
        if start == 0 and self.encoding != "utf-8":
            with self.open_text() as stream:
                yield from _lines(stream, 0, number)
            return
        if start or self._digest is not None:
            with self._open() as stream:
                stream.seek(start)
                yield from _lines(stream, start, number)
            return
        hashed = _Hashed(self._open())
        with io.BufferedReader(hashed, HASH_BLOCK) as stream:
            yield from _lines(cast(BinaryIO, stream), 0, number)
            self._digest = hashed.hexdigest()

    def digest(self) -> str:
        """The sha256 of the content, 64 hex digits, worked out once."""
        if self._digest is None:
            hasher = sha256()
            with self._open() as stream:
                while block := stream.read(BLOCK):
                    hasher.update(block)
            self._digest = hasher.hexdigest()
        return self._digest

    def siblings(self) -> tuple[Source, ...]:
        """The other regular files of the same folder or archive, by name."""
        return self._siblings()

    def sibling(self, name: str) -> Source | None:
        """The file called `name` beside this one, or None."""
        return next((other for other in self._siblings() if other.name == name), None)


class Folder:
    """A folder of sources: a run with what lies beside it. `path` is how people are shown it."""

    __slots__ = ("_entries", "path")

    def __init__(self, path: str, entries: Callable[[], tuple[Source | Folder, ...]]) -> None:
        self.path = path
        self._entries = entries

    @classmethod
    def of_path(cls, path: str | Path) -> Folder:
        """The folder at `path`; raises UnreadableSource when it is none."""
        place = Path(path)
        if not stat.S_ISDIR(_status(place).st_mode):
            raise UnreadableSource(str(path), "this is not a folder", "Name a folder that holds a run")
        return cls(str(path), lambda: _entries(place))

    def __repr__(self) -> str:
        return f"Folder({self.path!r})"

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.replace("\\", "/").rstrip("/").rpartition("/")[2]

    def files(self) -> tuple[Source, ...]:
        """The regular files directly inside, by name."""
        return tuple(entry for entry in self._entries() if isinstance(entry, Source))

    def folders(self) -> tuple[Folder, ...]:
        """The folders directly inside, by name; links to folders are not followed."""
        return tuple(entry for entry in self._entries() if isinstance(entry, Folder))

    def file(self, name: str) -> Source | None:
        """The file called `name` directly inside, or None."""
        return next((source for source in self.files() if source.name == name), None)

    def folder(self, name: str) -> Folder | None:
        """The folder called `name` directly inside, or None."""
        return next((folder for folder in self.folders() if folder.name == name), None)


def _lines(stream: BinaryIO, start: int, number: int) -> Iterator[Line]:
    """Lines of a stream that stands at byte `start`; a byte order mark at the file's start is left out."""
    if start == 0:
        first = stream.readline(LINE_LIMIT)
        start = len(_BYTE_ORDER_MARK) if first.startswith(_BYTE_ORDER_MARK) else 0
        if first[start:]:
            yield Line(number, start, first[start:])
        start = len(first)
        number += first.endswith(b"\n")
    for data in iter(partial(stream.readline, LINE_LIMIT), b""):
        yield Line(number, start, data)
        start += len(data)
        if len(data) < LINE_LIMIT or data.endswith(b"\n"):
            number += 1


class _Hashed(io.RawIOBase):
    """A stream that takes the sha256 of what is read from it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._hash = sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        block = self._stream.read(len(view))
        view[: len(block)] = block
        self._hash.update(block)
        return len(block)

    def hexdigest(self) -> str:
        """The sha256 so far."""
        return self._hash.hexdigest()

    def close(self) -> None:
        self._stream.close()
        super().close()


def _encoding_of(head: bytes) -> str:
    """How a text file is written, by its mark, or by where the zeros of its first characters stand.

    >>> _encoding_of(b"\\xff\\xfe{\\x00"), _encoding_of(b"\\x00{\\x00\\n"), _encoding_of(b"{}")
    ('utf-16-le', 'utf-16-be', 'utf-8')
    """
    if head.startswith(codecs.BOM_UTF16_LE) or (head[1::2] == b"\0\0" and b"\0" not in head[::2]):
        return "utf-16-le"
    if head.startswith(codecs.BOM_UTF16_BE) or (head[::2] == b"\0\0" and b"\0" not in head[1::2]):
        return "utf-16-be"
    return "utf-8"


class _Transcoded(io.RawIOBase):
    """A UTF-16 stream read as UTF-8; what is no character becomes U+FFFD."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
        self._ready = b""
        self._started = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        while not self._ready:
            block = self._stream.read(BLOCK)
            text = self._decoder.decode(block, final=not block)
            if not self._started and text:
                text, self._started = text.removeprefix("\ufeff"), True
            self._ready = text.encode("utf-8", "replace")
            if not block:
                break
        taken, self._ready = self._ready[: len(view)], self._ready[len(view) :]
        view[: len(taken)] = taken
        return len(taken)

    def close(self) -> None:
        self._stream.close()
        super().close()


def _status(place: Path) -> os.stat_result:
    try:
        return place.stat()
    except (OSError, ValueError) as fault:
        raise _unreadable(place, fault) from fault


def _open_file(place: Path) -> BinaryIO:
    try:
        return place.open("rb", buffering=BLOCK)
    except OSError as fault:
        raise _unreadable(place, fault) from fault


def _children(place: Path) -> list[Path]:
    try:
        return sorted(place.iterdir(), key=lambda child: child.name)
    except OSError as fault:
        raise _unreadable(place, fault) from fault


def _files(place: Path) -> list[Path]:
    return [child for child in _children(place) if child.is_file()]


def _entries(place: Path) -> tuple[Source | Folder, ...]:
    """Files and folders; neither pipes and devices, nor links to folders, which may run in a circle."""
    found: list[Source | Folder] = []
    for child in _children(place):
        if child.is_file():
            found.append(Source.of_path(child))
        elif child.is_dir() and not child.is_symlink():
            found.append(Folder.of_path(child))
    return tuple(found)


def _unreadable(place: Path, fault: OSError | ValueError) -> UnreadableSource:
    fact = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
    return UnreadableSource(str(place), f"it cannot be opened ({fact})", "Check the path and that you may read it")
