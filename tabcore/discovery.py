"""Paths that a person names -> what is to be loaded, as `stat` sees it: single logs, and folders that hold one run.

A log that is named is taken as its folder where that is laid out as its run. A folder is searched to any depth; files
and folders whose name begins with a dot are left out and counted, links to folders are not followed, since they may
run in a circle. In a folder that holds one run nothing is a log of its own, but for other run folders inside. A log
in a folder that holds many runs brings what lies beside it, and nothing of that is a log of its own. A path that does
not exist and has `*`, `?` or `[` in it is a pattern; `**` stands for folders at any depth.
"""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from hashlib import blake2b
from pathlib import Path

from tabcore.archives import ZIP, is_archive
from tabcore.bundles import Bundle, layout_of, shared_bundle, shared_logs
from tabcore.errors import Problem, UnknownFormat, UnreadableSource
from tabcore.readers import identify, inspect_log
from tabcore.readers.heads import Head
from tabcore.source import Folder, Source
from tabcore.store.records import FileState


@dataclass(slots=True)
class Found:
    """What was found under some paths, in order: logs and run folders by path, archives, what could not be searched.

    The state of a run folder bears the folder's path, the size of its own files, and the state of everything in it
    as `beside`. That of a log with files beside it bears the log's path and size, and the state of both as `beside`.
    `at` says where the bytes of a path are that is none of the file system.
    """

    places: dict[str, FileState] = field(default_factory=dict)
    archives: dict[str, FileState] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    beside: set[Path] = field(default_factory=set)
    at: dict[str, str] = field(default_factory=dict)


def discover(paths: Iterable[str]) -> Found:
    """Every log, run folder and archive under the paths, once each, by absolute path."""
    found = Found()
    log_of, shared = cache(_log_of), cache(_shared)
    for place in (place for path in paths for place in _named(path, found)):
        if place.is_dir():
            _search(place, found)
        elif log_of(place.parent) == str(place):
            _enter_run_folder(place.parent, found)
        elif beside := _beside(place, shared):
            _enter_shared_log(place, beside, found)
        else:
            _enter_file(place, found)
    return found


@dataclass(frozen=True, slots=True)
class Inside:
    """A private folder into which an archive was unpacked, and how people are shown what is in it."""

    archive: str
    folder: str

    def shown(self, path: str) -> str:
        """The path of something in the folder: the archive's own, "!", the path in it."""
        if path == self.folder:
            return f"{self.archive}!"
        return f"{self.archive}!{path[len(self.folder) + 1 :]}" if path.startswith(f"{self.folder}/") else path


def discover_members(archive: FileState, folder: Path) -> Found:
    """Every log and run folder of an unpacked archive, under the paths that people are shown.

    Their state is the archive's: whatever changes in it changes them all.
    """
    inside = Inside(archive.path, str(folder))
    found = discover([str(folder)])
    members = Found()
    for path, state in found.places.items():
        shown = inside.shown(path)
        members.at[shown] = path
        beside = _archived(shown, archive) if state.beside else ""
        members.places[shown] = FileState(shown, state.size, archive.changed, beside)
    for problem in found.problems:
        members.problems.append(replace(problem, file=inside.shown(problem.file)))
    for path in found.archives:
        what = "this is an archive inside an archive"
        members.problems.append(Problem(inside.shown(path), 0, "nested archive", what, "left out", lost=True))
    return members


def _archived(place: str, archive: FileState) -> str:
    state = f"{place}\0{archive.size}\0{archive.changed}".encode("utf-8", "surrogateescape")
    return blake2b(state, digest_size=16).hexdigest()


def _named(path: str, found: Found) -> list[Path]:
    """The places that a path or pattern names."""
    place = Path(path).expanduser().absolute()
    if not glob.has_magic(path) or os.path.lexists(place):
        return [place]
    matches = sorted(glob.glob(str(place), recursive=True))  # noqa: PTH207  Path.glob takes no absolute pattern
    if not matches:
        what = "nothing matches this pattern"
        found.problems.append(Problem(str(place), 0, "no match", what, "nothing was loaded", lost=True))
    return [Path(match) for match in matches]


def is_one_log(archive: str) -> bool:
    """True for a zip that is itself one log, as Inspect's are."""
    if not archive.lower().endswith(ZIP):
        return False
    return inspect_log.recognises(Head(Source.of_path(archive)))


def is_log(source: Source) -> bool:
    """True where a reader recognises the file."""
    try:
        identify(source)
    except (UnknownFormat, UnreadableSource):
        return False
    return True


def read_bundle(place: str) -> Bundle | None:
    """The run of a run folder, or of a log in a folder that holds many, with what lies beside it; None for neither."""
    path = Path(place)
    if not path.is_dir():
        inside = ((_listed(folder), path.relative_to(folder).as_posix()) for folder in _around(path))
        return next((bundle for folder, log in inside if (bundle := shared_bundle(folder, log))), None)
    folder = Folder.of_path(place)
    layout = layout_of(folder)
    return layout.read(folder, is_log) if layout else None


def _around(file: Path) -> tuple[Path, ...]:
    """The folders that may hold a log: its own, and the one around that."""
    return tuple(dict.fromkeys((file.parent, file.parent.parent)))


def _beside(log: Path, shared: Callable[[Path], dict[Path, tuple[Path, ...]]]) -> tuple[Path, ...]:
    """What lies beside a log in a folder that holds many runs."""
    for folder in _around(log):
        if paths := shared(folder).get(log):
            return paths
    return ()


def _shared(folder: Path) -> dict[Path, tuple[Path, ...]]:
    """The logs of a folder that holds many runs, each with what lies beside it."""
    try:
        logs = shared_logs(_listed(folder))
    except UnreadableSource:
        return {}
    return {folder / log: tuple(folder / path for path in beside) for log, beside in logs.items()}


def _listed(folder: Path) -> Folder:
    try:
        return _listed_at(str(folder), folder.stat().st_mtime_ns)
    except OSError as fault:
        raise UnreadableSource(str(folder), f"it cannot be opened ({fault.strerror})", "Check the path") from fault


@lru_cache(maxsize=32)
def _listed_at(folder: str, changed: int) -> Folder:
    """A folder that is listed once: a thousand logs in it are looked up one by one."""
    listed = Folder.of_path(folder)
    entries: tuple[Source | Folder, ...] = (*listed.files(), *listed.folders())
    return Folder(folder, lambda: entries)


def _log_of(folder: Path) -> str | None:
    """The path of the log of a run folder, None for a folder that is none."""
    try:
        bundle = read_bundle(str(folder))
    except UnreadableSource:
        return None
    return bundle.log.path if bundle and bundle.log else None


def _search(top: Path, found: Found) -> None:
    before, hidden = len(found.places) + len(found.archives), 0
    run_folder: Path | None = None
    for place, folders, files in os.walk(top, onerror=lambda fault: found.problems.append(_unseen(fault))):
        here = Path(place)
        hidden += sum(name.startswith(".") for name in (*folders, *files))
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if _is_run_folder(here):
            run_folder = here
            _enter_run_folder(here, found)
        elif run_folder is None or not here.is_relative_to(run_folder):
            for log, beside in _shared(here).items():
                _enter_shared_log(log, beside, found)
            for name in sorted(name for name in files if not name.startswith(".")):
                if here / name not in found.beside and str(here / name) not in found.places:
                    _enter_file(here / name, found)
            folders[:] = [name for name in folders if here / name not in found.beside]
    if hidden:
        what = f"{hidden} hidden {'file or folder was' if hidden == 1 else 'files and folders were'} found"
        found.problems.append(Problem(str(top), 0, "hidden file", what, "left out. Name them to load them"))
    if len(found.places) + len(found.archives) == before:
        remedy = "nothing was loaded. Name a log file, or a folder that holds some"
        found.problems.append(Problem(str(top), 0, "no run", "there is no file in this folder", remedy, lost=True))


def _is_run_folder(folder: Path) -> bool:
    try:
        return layout_of(Folder.of_path(folder)) is not None
    except UnreadableSource:
        return False


def _enter_run_folder(folder: Path, found: Found) -> None:
    """The folder with the state of all that is in it: whatever changes there changes the run."""
    size = sum(_size(entry) for entry in _entries(folder))
    found.places[str(folder)] = FileState(str(folder), size, 0, _state((folder,)))


def _enter_shared_log(log: Path, beside: tuple[Path, ...], found: Found) -> None:
    """The log with the state of what lies beside it: whatever changes there changes the run."""
    found.beside.update(beside)
    found.places[str(log)] = FileState(str(log), _size(log), 0, _state((log, *beside)))


def _state(places: Iterable[Path]) -> str:
    """One string that changes when anything of the files and folders does."""
    seen = blake2b(digest_size=16)
    for place in places:
        seen.update(f"{place}\0".encode("utf-8", "surrogateescape"))
        for path in _everything(place):
            try:
                status = path.stat()
            except OSError:
                continue
            seen.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\0".encode("utf-8", "surrogateescape"))
    return seen.hexdigest()


def _everything(place: Path) -> Iterator[Path]:
    """The file itself, or all files in the folder."""
    if not place.is_dir():
        yield place
    for folder, folders, files in os.walk(place):
        folders.sort()
        yield from (Path(folder, name) for name in sorted(files))


def _entries(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.is_file()]
    except OSError:
        return []


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _enter_file(file: Path, found: Found) -> None:
    try:
        status = file.stat()
    except (OSError, ValueError) as fault:
        found.problems.append(_unreadable(str(file), fault))
        return
    if stat.S_ISREG(status.st_mode):
        known = found.archives if is_archive(file.name) else found.places
        known[str(file)] = FileState(str(file), status.st_size, status.st_mtime_ns)
    else:
        what = "this is neither a file nor a folder"
        found.problems.append(Problem(str(file), 0, "no file", what, "skipped. Name a log file", lost=True))


def _unseen(fault: OSError) -> Problem:
    return _unreadable(str(fault.filename), fault)


def _unreadable(path: str, fault: OSError | ValueError) -> Problem:
    reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
    remedy = "skipped. Check the path and that you may read it"
    return Problem(path, 0, "unreadable", f"it cannot be opened ({reason})", remedy, lost=True)
