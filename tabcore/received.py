"""Standard input -> a private file, named by its content, so that it loads like any other."""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from tabcore.archives import ARCHIVE_LIMIT, head_of_packed, suffix_of
from tabcore.errors import UnreadableSource

STANDARD_INPUT = "-"
"""What stands for standard input among paths."""

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Received:
    """What came in: where it lies, how people are shown it, its bytes. The same content always has the same name."""

    file: Path
    shown: str
    size: int


def receive(stream: BinaryIO, folder: Path) -> Received:
    """Keep all that a stream gives in a file of the folder; raises UnreadableSource where it gives too much."""
    kept = folder / "stdin"
    digest, size = sha256(), 0
    with os.fdopen(os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        while block := stream.read(_BLOCK):
            size += len(block)
            if size > ARCHIVE_LIMIT:
                remedy = "Write it to files, and load these"
                raise UnreadableSource("standard input", f"it gives more than {ARCHIVE_LIMIT:,} bytes", remedy)
            digest.update(block)
            file.write(block)
    with kept.open("rb") as file_again:
        suffix = suffix_of(file_again.read(512), lambda packing: head_of_packed(kept, packing))
    named = kept.rename(kept.with_name(f"stdin{suffix}"))
    return Received(named, f"stdin:{digest.hexdigest()[:16]}{suffix}", size)
