"""Dropped files -> a private folder beside the store, from which they are loaded like any others.

Files that are dropped together keep their names and lie in one folder, so that a log finds what belongs to it. The
folder is named by their content: dropping the same files again gives the same paths.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath

from tabcore.presentation.plain import plain_line

FOLDER = "uploads"


@dataclass(frozen=True, slots=True)
class Dropped:
    """One dropped file; `name` is what the browser says, and is not to be trusted."""

    name: str
    content: bytes


def keep(files: Sequence[Dropped], beside: Path) -> Path:
    """The folder in which the files now lie. It and they are the owner's only."""
    digests = sorted(sha256(file.name.encode("utf-8", "replace") + b"\0" + file.content).hexdigest() for file in files)
    folder = beside / FOLDER / sha256("".join(digests).encode()).hexdigest()[:16]
    for made in (beside, folder.parent, folder):
        made.mkdir(mode=0o700, parents=True, exist_ok=True)
    taken: list[str] = []
    for file in files:
        taken.append(_free_name(safe_name(file.name), taken))
        _write(folder / taken[-1], file.content)
    return folder


def safe_name(name: str) -> str:
    """The last part of a file name, without what could lead elsewhere or hide it.

    >>> safe_name("../../etc/passwd"), safe_name(".hidden"), safe_name("C:\\\\logs\\\\run 1.jsonl"), safe_name("..")
    ('passwd', 'hidden', 'run 1.jsonl', 'log')
    """
    last = PurePosixPath(plain_line(name, 400).replace("\\", "/")).name.lstrip(".").strip()
    stem, dot, ending = last.rpartition(".")
    return (f"{stem[:100]}{dot}{ending[:20]}" if stem else last[:100]) or "log"


def _free_name(name: str, taken: Sequence[str]) -> str:
    number = 2
    free = name
    while free in taken:
        free, number = f"{number}-{name}", number + 1
    return free


def _write(path: Path, content: bytes) -> None:
    """The same bytes that already lie there are left alone, so that their time does not change."""
    if path.exists() and path.read_bytes() == content:
        return
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
