"""Folders that this server follows: one thread each, until it is stopped or the server ends."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

from tabcore import rerun


@dataclass(frozen=True, slots=True)
class _Watch:
    stop: threading.Event
    thread: threading.Thread


_watches: dict[str, _Watch] = {}
_lock = threading.Lock()


def start(folder: str, store: Path) -> None:
    """Follow a folder of growing logs into the store; nothing happens where it is followed already.

    Raises `errors.UsageError` where there is no such folder.
    """
    watcher = rerun.watcher([str(Path(folder).expanduser())], store)
    [followed] = watcher.folders
    with _lock:
        if followed in _watches:
            return
        stop = threading.Event()
        thread = threading.Thread(target=watcher.run, args=(stop,), name=f"following {followed}", daemon=True)
        _watches[followed] = _Watch(stop, thread)
        thread.start()


def stop(folder: str) -> None:
    """Follow a folder no more; waits until what was read is stored."""
    with _lock:
        watch = _watches.pop(folder, None)
    if watch is not None:
        watch.stop.set()
        watch.thread.join()


def folders() -> tuple[str, ...]:
    """The folders that are followed, in the order in which they were named."""
    with _lock:
        return tuple(folder for folder, watch in _watches.items() if watch.thread.is_alive())
