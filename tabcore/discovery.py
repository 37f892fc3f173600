"""Paths that a person names -> the files to load, as `stat` sees them.

A file that is named is taken as it is. A folder is searched to any depth; files and folders whose name begins with a
dot are left out and counted, links to folders are not followed, since they may run in a circle.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tabcore.errors import Problem
from tabcore.store.records import FileState


@dataclass(slots=True)
class Found:
    """What was found under some paths: files by path, in order, and what could not be searched."""

    files: dict[str, FileState] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def discover(paths: Iterable[str]) -> Found:
    """Every file under the paths, once each; paths are made absolute, so that a store does not depend on where it is used."""
    found = Found()
    for path in paths:
        place = Path(path).expanduser().absolute()
        if place.is_dir():
            _search(place, found)
        else:
            _enter(str(place), found)
    return found


def _search(folder: Path, found: Found) -> None:
    before, hidden = len(found.files), 0
    for path, is_hidden in _walk(folder, found.problems):
        hidden += is_hidden
        if not is_hidden:
            _enter(path, found)
    if hidden:
        what = f"{hidden} hidden {'file or folder was' if hidden == 1 else 'files and folders were'} found"
        found.problems.append(Problem(str(folder), 0, "hidden file", what, "left out. Name them to load them"))
    if len(found.files) == before:
        remedy = "nothing was loaded. Name a log file, or a folder that holds some"
        found.problems.append(Problem(str(folder), 0, "no run", "there is no file in this folder", remedy, lost=True))


def _walk(folder: Path, problems: list[Problem]) -> Iterator[tuple[str, bool]]:
    """Regular files below a folder, and hidden entries (True), by name."""

    def note(fault: OSError) -> None:
        problems.append(_unreadable(str(fault.filename), fault))

    for place, folders, files in os.walk(folder, onerror=note):
        folders.sort()
        for name in sorted(files):
            yield str(Path(place, name)), name.startswith(".")
        for name in [name for name in folders if name.startswith(".")]:
            folders.remove(name)
            yield str(Path(place, name)), True


def _enter(path: str, found: Found) -> None:
    try:
        status = Path(path).stat()
    except (OSError, ValueError) as fault:
        found.problems.append(_unreadable(path, fault))
        return
    if stat.S_ISREG(status.st_mode):
        found.files[path] = FileState(path, status.st_size, status.st_mtime_ns)
    else:
        what = "this is neither a file nor a folder"
        found.problems.append(Problem(path, 0, "no file", what, "skipped. Name a log file", lost=True))


def _unreadable(path: str, fault: OSError | ValueError) -> Problem:
    reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
    remedy = "skipped. Check the path and that you may read it"
    return Problem(path, 0, "unreadable", f"it cannot be opened ({reason})", remedy, lost=True)
