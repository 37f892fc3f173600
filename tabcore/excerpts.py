"""The excerpts of a run while it is read: in memory while they are few, in a private file beyond.

A tab is asked for its excerpts only when the agent reviews or resolves, so they need not stay in memory, and a long
log's would be most of what a load holds.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, MutableMapping
from typing import IO

IN_MEMORY = 4 << 20
"""Characters of excerpts that stay in memory."""


class Excerpts(MutableMapping[str, str]):
    """Texts by digest. A digest names one text, so putting one in again changes nothing.

    >>> excerpts = Excerpts(in_memory=3)
    >>> excerpts["a"], excerpts["b"] = "1234", "\\ud800é"
    >>> excerpts["a"], excerpts["b"], len(excerpts)
    ('1234', '\\ud800é', 2)
    >>> excerpts.close()
    """

    def __init__(self, in_memory: int = IN_MEMORY) -> None:
        self._room = in_memory
        self._kept: dict[str, str] = {}
        self._places: dict[str, tuple[int, int]] = {}
        self._file: IO[bytes] | None = None
        self._end = 0

    def __getitem__(self, digest: str) -> str:
        if digest in self._kept or self._file is None:
            return self._kept[digest]
        start, length = self._places[digest]
        self._file.seek(start)
        return self._file.read(length).decode("utf-8", "surrogatepass")

    def __setitem__(self, digest: str, text: str) -> None:
        if digest in self._kept or digest in self._places:
            return
        self._room -= len(text)
        if self._room >= 0:
            self._kept[digest] = text
        else:
            self._put_away(digest, text.encode("utf-8", "surrogatepass"))

    def __contains__(self, digest: object) -> bool:
        return digest in self._kept or digest in self._places

    def __delitem__(self, digest: str) -> None:
        if self._kept.pop(digest, None) is None:
            del self._places[digest]

    def __iter__(self) -> Iterator[str]:
        yield from self._kept
        yield from self._places

    def __len__(self) -> int:
        return len(self._kept) + len(self._places)

    def close(self) -> None:
        """Let the file go."""
        if self._file:
            self._file.close()

    def _put_away(self, digest: str, data: bytes) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix="runningtab-")  # noqa: SIM115  open as long as the run
        self._file.seek(self._end)
        self._file.write(data)
        self._places[digest] = (self._end, len(data))
        self._end += len(data)


class LentExcerpts(Excerpts):
    """Another's excerpts, to which texts may be added that the owner never sees.

    >>> own = Excerpts()
    >>> own["a"] = "1"
    >>> lent = LentExcerpts(own)
    >>> lent["b"] = "2"
    >>> lent["a"], lent["b"], "b" in own
    ('1', '2', False)
    """

    def __init__(self, owner: Excerpts) -> None:
        super().__init__()
        self._owner = owner

    def __getitem__(self, digest: str) -> str:
        return self._owner[digest] if digest in self._owner else super().__getitem__(digest)

    def __contains__(self, digest: object) -> bool:
        return digest in self._owner or super().__contains__(digest)

    def __iter__(self) -> Iterator[str]:
        yield from self._owner
        yield from (digest for digest in super().__iter__() if digest not in self._owner)

    def __len__(self) -> int:
        return sum(1 for _ in self)
