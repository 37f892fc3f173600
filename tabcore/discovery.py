"""Paths that a person names -> what is to be loaded, as `stat` sees it: single logs, and folders that hold one run.

A log that is named is taken as its folder where that is laid out as its run. A folder is searched to any depth; files
and folders whose name begins with a dot are left out and counted, links to folders are not followed, since they may
run in a circle. In a folder that holds one run nothing is a log of its own, but for other run folders inside.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from tabcore.bundles import Bundle, layout_of
from tabcore.errors import Problem, UnknownFormat, UnreadableSource
from tabcore.readers import identify
from tabcore.source import Folder, Source
from tabcore.store.records import FileState


@dataclass(slots=True)
class Found:
    """What was found under some paths, in order: logs and run folders by path, and what could not be searched.

    The state of a run folder bears the folder's path, the size of its own files, and the state of everything in it
    as `beside`.
    """

    places: dict[str, FileState] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def discover(paths: Iterable[str]) -> Found:
    """Every log and run folder under the paths, once each, by absolute path."""
    found = Found()
    for path in paths:
        place = Path(path).expanduser().absolute()
        if place.is_dir():
            _search(place, found)
        elif _is_log_of_its_folder(place):
            _enter_run_folder(place.parent, found)
        else:
            _enter_file(place, found)
    return found


def read_bundle(folder: str) -> Bundle | None:
    """The run that a folder holds, with what lies beside its log; None for a folder that holds none or many."""
    place = Folder.of_path(folder)
    layout = layout_of(place)
    return layout.read(place, _is_log) if layout else None


def _is_log(source: Source) -> bool:
    try:
        identify(source)
    except UnknownFormat:
        return False
    return True


def _is_log_of_its_folder(file: Path) -> bool:
    try:
        bundle = read_bundle(str(file.parent))
    except UnreadableSource:
        return False
    return bundle is not None and bundle.log is not None and bundle.log.path == str(file)


def _search(top: Path, found: Found) -> None:
    before, hidden = len(found.places), 0
    run_folder: Path | None = None
    for place, folders, files in os.walk(top, onerror=lambda fault: found.problems.append(_unseen(fault))):
        here = Path(place)
        hidden += sum(name.startswith(".") for name in (*folders, *files))
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if _is_run_folder(here):
            run_folder = here
            _enter_run_folder(here, found)
        elif run_folder is None or not here.is_relative_to(run_folder):
            for name in sorted(name for name in files if not name.startswith(".")):
                _enter_file(here / name, found)
    if hidden:
        what = f"{hidden} hidden {'file or folder was' if hidden == 1 else 'files and folders were'} found"
        found.problems.append(Problem(str(top), 0, "hidden file", what, "left out. Name them to load them"))
    if len(found.places) == before:
        remedy = "nothing was loaded. Name a log file, or a folder that holds some"
        found.problems.append(Problem(str(top), 0, "no run", "there is no file in this folder", remedy, lost=True))


def _is_run_folder(folder: Path) -> bool:
    try:
        return layout_of(Folder.of_path(folder)) is not None
    except UnreadableSource:
        return False


def _enter_run_folder(folder: Path, found: Found) -> None:
    """The folder with the state of all that is in it: whatever changes there changes the run."""
    seen = blake2b(str(folder).encode("utf-8", "surrogateescape"), digest_size=16)
    size = 0
    for place, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            path = Path(place, name)
            try:
                status = path.stat()
            except OSError:
                continue
            size += status.st_size if place == str(folder) else 0
            seen.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\0".encode("utf-8", "surrogateescape"))
    found.places[str(folder)] = FileState(str(folder), size, 0, seen.hexdigest())


def _enter_file(file: Path, found: Found) -> None:
    try:
        status = file.stat()
    except (OSError, ValueError) as fault:
        found.problems.append(_unreadable(str(file), fault))
        return
    if stat.S_ISREG(status.st_mode):
        found.places[str(file)] = FileState(str(file), status.st_size, status.st_mtime_ns)
    else:
        what = "this is neither a file nor a folder"
        found.problems.append(Problem(str(file), 0, "no file", what, "skipped. Name a log file", lost=True))


def _unseen(fault: OSError) -> Problem:
    return _unreadable(str(fault.filename), fault)


def _unreadable(path: str, fault: OSError | ValueError) -> Problem:
    reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
    remedy = "skipped. Check the path and that you may read it"
    return Problem(path, 0, "unreadable", f"it cannot be opened ({reason})", remedy, lost=True)
