"""Who waits to write goes before who comes to read: else many readers, each there for a moment, keep a writer out for good.

A waiting writer marks a file beside the store, of any process; who comes to read waits until the mark is gone, for a
bounded time. The system takes the mark away with a process that dies.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PAUSE = 0.02


@contextmanager
def asked_to_write(store: Path) -> Iterator[None]:
    """Marks that somebody waits to write, until the end. Without right to write there the mark is left out."""
    mark = _mark(store)
    try:
        opened = os.open(mark, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError:
        yield
        return
    try:
        fcntl.flock(opened, fcntl.LOCK_SH)
        yield
        if _is_free(opened):
            mark.unlink(missing_ok=True)
    finally:
        os.close(opened)


def let_writers_go_first(store: Path, at_most: float) -> None:
    """Waits while somebody waits to write, for so many seconds at most."""
    end = time.monotonic() + at_most
    while _is_marked(_mark(store)) and time.monotonic() < end:
        time.sleep(_PAUSE)


def _is_marked(mark: Path) -> bool:
    try:
        opened = os.open(mark, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not _is_free(opened)
    finally:
        os.close(opened)


def _is_free(opened: int) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def _mark(store: Path) -> Path:
    return store.with_name(f"{store.name}.turn")
