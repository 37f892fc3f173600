"""How much of a file is read, and how a reader speaks of what it left unread."""

from __future__ import annotations

from dataclasses import dataclass

from tabcore.documents.places import Piece
from tabcore.errors import Problem


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may take. Each limit that is hit becomes a `Problem` that names it."""

    file_bytes: int = 100_000_000
    """Bytes of the file itself; a larger text file is read to here, another one not at all."""
    unpacked_bytes: int = 300_000_000
    """Bytes of all parts of a packed file together, as they really unpack and not as its directory says."""
    members: int = 10_000
    """Parts of a packed file."""
    pages: int = 500
    """Pages of a PDF file."""
    pieces: int = 200_000
    """Pieces with a place of their own: cells, paragraphs, lines."""
    characters: int = 10_000_000
    """Characters of all pieces together."""
    nesting: int = 2
    """How deep files inside files are read: 1 reads a document in an archive, 2 an archive in an archive too."""
    seconds: float = 30.0
    """Time on the clock, and as much of a processor, until the reading process is ended."""
    memory_bytes: int = 1 << 30
    """Address space of the reading process."""
    inline_bytes: int = 1_000_000
    """Plain text of at most this size is read in the calling process."""


DEFAULT = Limits()


@dataclass(frozen=True, slots=True)
class Content:
    """A file on its way to a reader: its bytes, what people call it, and what may be taken."""

    data: bytes
    name: str
    limits: Limits = DEFAULT

    def problem(self, kind: str, what: str, done: str, *, lost: bool = True, line: int = 0) -> Problem:
        """A problem of this file."""
        return Problem(self.name, line, kind, what, done, lost)

    def hit(self, limit: str, what: str, done: str) -> Problem:
        """The problem of a limit that was reached: `limit` is the name of a field of Limits."""
        value = getattr(self.limits, limit)
        return self.problem("limit", f"{what} (limit: {limit}={value:_})", f"{done}; raise Limits.{limit} to read more")


@dataclass(frozen=True, slots=True)
class Enclosed:
    """A file inside the file, for whoever reads all kinds: an attachment, a member of an archive."""

    name: str
    data: bytes


Item = Piece | Problem | Enclosed
"""What a reader yields, in the order of the document."""


class NotRead(Exception):
    """A reader can't go on with a file or part of it; becomes a problem of that file."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem
