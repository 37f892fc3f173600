"""The members of a zip archive that is itself one log, read one at a time and never larger than a limit.

Deflate, stored and zstd (method 93) members are read. An archive cut before its directory, as a harness that died
leaves it, is read member by member from its start. What cannot be read becomes a problem.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, cast

from tabcore.readers.base import Account
from tabcore.source import Source

MEMBER_LIMIT = 128 << 20
"""Bytes of a member, unpacked; a larger one is not read."""

ARCHIVE_LIMIT = 8 << 30
"""Bytes of all members together, unpacked; what goes beyond is not read."""

OPENING = b"PK\x03\x04"
"""How a member opens, and so the file."""

_STORED, _DEFLATE, _ZSTD = 0, 8, 93
_LOCAL = struct.Struct("<4s5H3I2H")
_FAULTS = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    struct.error,
    OSError,
    ValueError,
    NotImplementedError,
    RuntimeError,
)


@dataclass(frozen=True, slots=True)
class Member:
    """Where a member stands: its packed bytes are `size` from `start` on, or (cut archive) as far as they go."""

    name: str
    start: int
    size: int
    method: int


class Archive:
    """A zip archive's members, in the order in which they were written."""

    def __init__(self, source: Source, account: Account) -> None:
        self._source = source
        self._account = account
        self._left = ARCHIVE_LIMIT
        self.members = self._listed()

    def read(self, member: Member) -> bytes | None:
        """A member's bytes, or None with a problem."""
        limit = min(MEMBER_LIMIT, self._left)
        try:
            with self._source.open() as stream:
                data = _unpacked(stream, member, limit)
        except _FAULTS as fault:
            what = f"the member {member.name} cannot be unpacked ({fault})"
            self._account.note(0, "broken member", what, "skipped", lost=True)
            return None
        if len(data) > limit:
            what = f"the member {member.name} is larger than {limit:,} bytes"
            self._account.note(0, "oversized member", what, "skipped", lost=True)
            return None
        self._left -= len(data)
        return data

    def _listed(self) -> tuple[Member, ...]:
        try:
            with self._source.open() as stream, zipfile.ZipFile(stream) as archive:
                return tuple(_placed(stream, entry) for entry in archive.infolist() if not entry.is_dir())
        except _FAULTS as fault:
            found = tuple(_scanned(self._source))
            what = f"the archive's directory cannot be read ({fault})"
            self._account.note(0, "torn archive", what, f"{len(found)} members found without it", lost=True)
            return found


def _placed(stream: BinaryIO, entry: zipfile.ZipInfo) -> Member:
    stream.seek(entry.header_offset)
    header = _LOCAL.unpack(stream.read(_LOCAL.size))
    start = entry.header_offset + _LOCAL.size + header[9] + header[10]
    return Member(entry.filename, start, entry.compress_size, entry.compress_type)


def _scanned(source: Source) -> Iterator[Member]:
    """Members by their own headers, for an archive without a directory; packed sizes may be unknown there."""
    with source.open() as stream:
        data = stream.read(MEMBER_LIMIT)
    start = data.find(OPENING)
    while start >= 0 and start + _LOCAL.size <= len(data):
        header = _LOCAL.unpack_from(data, start)
        method, size, name_length, extra = header[3], header[7], header[9], header[10]
        name = data[start + _LOCAL.size : start + _LOCAL.size + name_length].decode("utf-8", "replace")
        content = start + _LOCAL.size + name_length + extra
        start = data.find(OPENING, content)
        known = size and content + size <= len(data)
        yield Member(name, content, size if known else (start if start >= 0 else len(data)) - content, method)


def _unpacked(stream: BinaryIO, member: Member, limit: int) -> bytes:
    """A member's bytes, one more than `limit` at most. A torn deflate stream gives what it holds."""
    stream.seek(member.start)
    packed = stream.read(min(member.size, limit + 1))
    if member.method == _STORED:
        return packed
    if member.method == _DEFLATE:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, limit + 1)
    if member.method == _ZSTD:
        return _unpacked_zstd(packed, limit)
    raise NotImplementedError(f"packing method {member.method}")


def _unpacked_zstd(packed: bytes, limit: int) -> bytes:
    """zstd by pyarrow, which is at hand for the store; imported when the first such member is met."""
    import pyarrow

    with pyarrow.CompressedInputStream(pyarrow.BufferReader(packed), "zstd") as stream:
        return cast(bytes, stream.read(limit + 1))
