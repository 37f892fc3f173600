"""Archives and packed files -> plain files in a private folder, within limits, whatever their headers say.

    expand      one packed file (.gz, .zst) -> the file in it
    unpack      an archive (.zip, .tar, .tar.gz, .tar.zst) -> a folder of its members

What is written is the owner's only, and counted while it is written: no size that a header states is believed.
A member that is broken, locked, too large, or named so that it leads out of the folder is a problem; the others are
unpacked. A torn file gives what stands before the tear.
"""

from __future__ import annotations

import gzip
import io
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import BinaryIO, TypeVar, cast

from tabcore.errors import Problem

ZIP, TAR, GZIP, ZSTD = ".zip", ".tar", ".gz", ".zst"

MEMBER_LIMIT = 4 << 30
"""Bytes of one file, unpacked."""

ARCHIVE_LIMIT = 8 << 30
"""Bytes of all members together, unpacked."""

COUNT_LIMIT = 20_000
"""Members of an archive that are unpacked."""

RATIO_LIMIT = 200
"""How many times larger than its packed form a file may become; deflated logs come to 5 to 60 times."""

RATIO_FROM = 64 << 20
"""Bytes, unpacked, below which no ratio is too high."""

DIRECTORY_LIMIT = 16 << 20
"""Bytes of a zip's directory, or of one header of a tar, that are read at once."""

_BLOCK = 1 << 16
_Entry = TypeVar("_Entry")
_FAULTS = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    OverflowError,
)
"""What the libraries raise at broken archives; a file that cannot be written is an OSError too."""


class _TooMuch(OSError):
    """A file is larger than it may become."""


@dataclass(slots=True)
class Unpacked:
    """What became of an archive's members. `left` is how many bytes may still be written."""

    shown: str
    members: int = 0
    unpacked: int = 0
    left: int = ARCHIVE_LIMIT
    problems: list[Problem] = field(default_factory=list)

    def note(self, member: str, kind: str, what: str, done: str = "skipped") -> None:
        """Adds a problem of a member, "" for the archive itself."""
        place = f"{self.shown}!{member}" if member else self.shown
        self.problems.append(Problem(place, 0, kind, what, done, lost=True))


def is_archive(name: str) -> bool:
    """True for the name of an archive of several files.

    >>> is_archive("Runs.ZIP"), is_archive("a.tar.gz"), is_archive("a.jsonl.gz"), is_archive("log.eval")
    (True, True, False, False)
    """
    return name.lower().endswith((ZIP, TAR, f"{TAR}{GZIP}", f"{TAR}{ZSTD}", ".tgz", ".tzst"))


def is_packed(name: str) -> bool:
    """True for the name of one packed file.

    >>> is_packed("a.jsonl.gz"), is_packed("a.jsonl.zst"), is_packed("a.tar.gz")
    (True, True, False)
    """
    return name.lower().endswith((GZIP, ZSTD)) and not is_archive(name)


def suffix_of(head: bytes, unpacked_head: Callable[[str], bytes]) -> str:
    """How a file whose name is not known would end, by its first 512 bytes; "" for a plain one.

    `unpacked_head` gives the first bytes of what a packed file holds.
    """
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return ZIP
    if head[257:262] == b"ustar":
        return TAR
    for suffix, opening in ((GZIP, b"\x1f\x8b"), (ZSTD, b"\x28\xb5\x2f\xfd")):
        if head.startswith(opening):
            return (TAR if unpacked_head(suffix)[257:262] == b"ustar" else "") + suffix
    return ""


def expand(packed: Path, target: Path, shown: str) -> tuple[Problem, ...]:
    """Write what one packed file holds to `target`. A file that is too large leaves no target behind."""
    found = Unpacked(shown)
    _expand(packed, target, found)
    return tuple(found.problems)


def unpack(archive: Path, folder: Path, shown: str) -> Unpacked:
    """Write an archive's members into a folder, which must be empty."""
    found = Unpacked(shown)
    name = archive.name.lower()
    try:
        if name.endswith(ZIP):
            _unpack_zip(archive, folder, found)
        elif name.endswith(TAR):
            _unpack_tar(archive, folder, found)
        else:
            _unpack_packed_tar(archive, folder, found)
    except _FAULTS as fault:
        found.note("", "torn archive", f"the archive cannot be read ({_words(fault)})", f"{_files(found)} before that")
    return found


def head_of_packed(packed: Path, suffix: str, size: int = 512) -> bytes:
    """The first bytes of what a packed file holds; empty for a broken one."""
    try:
        with _opened(packed, suffix) as stream:
            return stream.read(size)
    except _FAULTS:
        return b""


def _unpack_packed_tar(archive: Path, folder: Path, found: Unpacked) -> None:
    plain = folder.with_name(f"{folder.name}.tar")
    try:
        if _expand(archive, plain, found):
            _unpack_tar(plain, folder, found)
    finally:
        plain.unlink(missing_ok=True)


def _expand(packed: Path, target: Path, found: Unpacked) -> bool:
    """True where the file could be unpacked, if only in part."""
    suffix = ZSTD if packed.name.lower().endswith((ZSTD, ".tzst")) else GZIP
    try:
        with _opened(packed, suffix) as stream:
            return _write(stream, target, "", packed.stat().st_size, found)
    except _FAULTS as fault:
        found.note("", "broken file", f"it cannot be unpacked ({_words(fault)})")
        return False


@contextmanager
def _opened(packed: Path, suffix: str) -> Iterator[BinaryIO]:
    """zstd by pyarrow, which is at hand for the store; imported when the first such file is met."""
    if suffix == GZIP:
        with gzip.open(packed, "rb") as stream:
            yield cast(BinaryIO, stream)
        return
    import pyarrow

    with pyarrow.CompressedInputStream(pyarrow.OSFile(str(packed)), "zstd") as stream:
        yield cast(BinaryIO, stream)


def _unpack_zip(archive: Path, folder: Path, found: Unpacked) -> None:
    with archive.open("rb") as file, zipfile.ZipFile(cast(BinaryIO, _Guarded(file))) as packed:
        for entry in _counted((entry for entry in packed.infolist() if not entry.is_dir()), found):
            refusal = _refusal(entry.filename) or _zip_refusal(entry)
            if refusal:
                found.note(entry.filename, *refusal)
                continue
            _take(partial(packed.open, entry), folder, entry.filename, entry.compress_size, found)


def _zip_refusal(entry: zipfile.ZipInfo) -> tuple[str, str] | None:
    if entry.flag_bits & 1:
        return "encrypted member", "the member is encrypted"
    if stat.S_ISLNK(entry.external_attr >> 16):
        return "link", "the member is a link"
    return None


def _unpack_tar(archive: Path, folder: Path, found: Unpacked) -> None:
    size = archive.stat().st_size
    with archive.open("rb") as file, tarfile.open(fileobj=cast(BinaryIO, _Guarded(file)), mode="r:") as packed:
        for entry in _counted((entry for entry in packed if not entry.isdir()), found):
            refusal = _refusal(entry.name) or (None if entry.isreg() else ("link", "the member is no regular file"))
            if refusal:
                found.note(entry.name, *refusal)
                continue
            _take(partial(packed.extractfile, entry), folder, entry.name, size, found)
        file.seek(packed.offset)
        if file.read(tarfile.BLOCKSIZE).strip(b"\0"):
            found.note(
                "",
                "torn archive",
                f"a header at byte {packed.offset:,} is torn or broken",
                f"{_files(found)} before that",
            )


def _counted(entries: Iterator[_Entry], found: Unpacked) -> Iterator[_Entry]:
    for entry in entries:
        if found.members >= COUNT_LIMIT:
            what = f"the archive has more than {COUNT_LIMIT:,} members"
            found.note("", "many members", what, "the others were left out")
            return
        found.members += 1
        yield entry


def _refusal(name: str) -> tuple[str, str] | None:
    """Why a member of that name is not unpacked: its kind of problem and what it is; None for a plain name.

    >>> _refusal("a/b.jsonl"), _refusal("../../etc/passwd"), _refusal("C:\\\\logs\\\\a.jsonl")[0], _refusal("/etc/x")[0]
    (None, ('unsafe name', 'the name leads out of the archive'), 'unsafe name', 'unsafe name')
    """
    parts = _parts(name)
    if ".." in parts or name.startswith(("/", "\\")) or name[1:2] == ":":
        return "unsafe name", "the name leads out of the archive"
    if not parts or "\0" in name or max(len(os.fsencode(part)) for part in parts) > 255:
        return "unsafe name", "no file can have that name"
    return None


def _parts(name: str) -> list[str]:
    return [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]


def _take(opened: Callable[[], object], folder: Path, name: str, packed: int, found: Unpacked) -> None:
    target = folder.joinpath(*_parts(name))
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with cast(BinaryIO, opened()) as stream:
            found.unpacked += _write(stream, target, name, packed, found)
    except FileExistsError:
        found.note(name, "duplicate member", "another member has the same name")
    except _FAULTS as fault:
        found.note(name, "broken member", f"the member cannot be unpacked ({_words(fault)})")


def _write(stream: BinaryIO, target: Path, member: str, packed: int, found: Unpacked) -> bool:
    """True where the file was written, up to a tear if there is one; one that is too large is not kept.

    Read by single reads of what is packed, since a larger read gives nothing when a tear comes before its end.
    """
    most = min(MEMBER_LIMIT, found.left, max(RATIO_FROM, packed * RATIO_LIMIT))
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    read, size = getattr(stream, "read1", stream.read), 0
    try:
        with os.fdopen(descriptor, "wb") as file:
            while block := read(_BLOCK):
                size += len(block)
                if size > most:
                    raise _TooMuch(f"more than {most:,} bytes")
                file.write(block)
    except _TooMuch:
        target.unlink()
        what = f"it is larger than {most:,} bytes when unpacked, from {packed:,} packed"
        found.note(member, "oversized member", what)
        return False
    except _FAULTS as fault:
        if size == 0:
            target.unlink()
            raise
        found.note(member, "torn member", f"it is torn or broken ({_words(fault)})", f"{size:,} bytes of it were read")
    found.left -= size
    return True


def _words(fault: BaseException) -> str:
    words = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
    return words or type(fault).__name__


def _files(found: Unpacked) -> str:
    return f"{found.unpacked} {'file was' if found.unpacked == 1 else 'files were'} unpacked"


class _Guarded(io.RawIOBase):
    """A file of which nobody can read more at once than a sane directory or header has."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        if size > DIRECTORY_LIMIT:
            raise ValueError(f"a header of {size:,} bytes")
        return self._file.read(DIRECTORY_LIMIT if size < 0 else size)

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()
