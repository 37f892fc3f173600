"""Tab: requirements, read log and candidates at one moment, as a fold over the facts.

The four operations of the agent (`add`, `resolve`, `list`, `show`; RunningTab section 3.3) are here as
methods that return the facts they have caused; `apply` folds any fact in. Nothing here ranks: see `review.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, assert_never

from tabcore.errors import TabRefusal
from tabcore.tab.events import (
    CaptureUndecided,
    Consulted,
    Event,
    FileAuthored,
    FileListed,
    FileRead,
    FileRenamed,
    FinishChecked,
    Refused,
    RequirementAdded,
    Resolved,
    Reviewed,
    Status,
    Stopped,
    TaskStated,
)
from tabcore.tab.switches import WHOLE, Parts
from tabcore.text.terms import terms

THRESHOLD = 2
"""A candidate is above the threshold when its path shares at least this many distinct terms with the task."""

RequirementStatus = Literal["open", "done", "unavailable"]
LeftBy = Literal["read", "authored", "renamed", "folder"]
"""Why a path is no candidate any more."""


OfFile = FileListed | FileRead | FileAuthored | FileRenamed


@dataclass(frozen=True, slots=True)
class Requirement:
    """One fact, figure or element that the task asks for, as the agent stated it."""

    requirement_id: str
    text: str
    added_turn: int
    status: RequirementStatus = "open"
    entry: str = ""
    reason: str = ""
    resolved_turn: int | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the read log: what was shown of one file by one observation. `excerpt` is the text's digest."""

    entry_id: str
    path: str
    turn: int
    call: int
    command: str
    excerpt: str
    chars: int
    authored: bool = False
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file listed and not yet opened. `starred_turn` is when it came above the threshold, None while below."""

    path: str
    listed_turn: int
    listed_call: int
    starred_turn: int | None = None

    @property
    def starred(self) -> bool:
        """True above the threshold."""
        return self.starred_turn is not None


class Tab:
    """The tab T = (R, L, C) of one task.

    `texts` holds the excerpts by digest and is shared with whoever captures; the tab only reads it. `opened`,
    `authored` and `folders` are the paths that can never become candidates. A plain listing does not tell a folder
    from a file: what turns out to lie above a file is a folder, and no candidate from then on.
    """

    def __init__(self, texts: Mapping[str, str], task: str = "") -> None:
        self.texts = texts
        self.task = ""
        self.requirements: dict[str, Requirement] = {}
        self.read_log: dict[str, Entry] = {}
        self.candidates: dict[str, Candidate] = {}
        self.opened: set[str] = set()
        self.authored: set[str] = set()
        self.folders: set[str] = set()
        self.last_operation: int | None = None
        self.stopped_turn: int | None = None
        self.finish_checked = False
        self._starred = 0
        self._task_terms: frozenset[str] = frozenset()
        self._path_terms: dict[str, frozenset[str]] = {}
        if task:
            self.apply(TaskStated(0, task))

    @property
    def open_requirements(self) -> tuple[Requirement, ...]:
        """The requirements still to be resolved, in the order in which they were added."""
        return tuple(r for r in self.requirements.values() if r.status == "open")

    @property
    def starred(self) -> int:
        """How many candidates are above the threshold."""
        return self._starred

    def hold(self, candidates: Iterable[Candidate]) -> None:
        """Take these for the candidates, in the place of those there are."""
        self.candidates = {candidate.path: candidate for candidate in candidates}
        self._starred = sum(candidate.starred for candidate in self.candidates.values())

    def apply(self, event: Event) -> None:
        """Fold one fact in. Facts come in the order in which they happened."""
        match event:
            case FileListed():
                self._tell_folders(event)
                self._list(event.path, event.turn, event.call)
            case FileRead():
                self._tell_folders(event)
                self._read(event)
            case FileAuthored():
                self._tell_folders(event)
                self.authored.add(event.path)
                self._drop(event.path, event, "authored")
            case FileRenamed():
                self._tell_folders(event)
                self._rename(event)
            case TaskStated(turn, text):
                self._extend_task(turn, text)
            case RequirementAdded(turn, _, requirement, text):
                self.requirements[requirement] = Requirement(requirement, text, turn)
            case Resolved(turn, _, requirement, status, entry, reason):
                self.requirements[requirement] = replace(
                    self.requirements[requirement], status=status, entry=entry, reason=reason, resolved_turn=turn
                )
            case Stopped(turn):
                self.stopped_turn = turn
            case FinishChecked():
                self.finish_checked = True
            case Refused() | Reviewed() | Consulted() | CaptureUndecided():
                pass
            case _:
                assert_never(event)
        if isinstance(event, RequirementAdded | Resolved | Refused | Reviewed | Consulted):
            self.last_operation = event.turn

    def add(self, items: Iterable[str], turn: int, call: int = -1) -> tuple[RequirementAdded, ...]:
        """State requirements, ids `r1, r2, …`; blank items are left out. At least one must remain, else TabRefusal."""
        stated = [text for item in items if (text := " ".join(item.split()))]
        if not stated:
            raise TabRefusal("add", "no item was given", "Give one text per fact, figure or deliverable element.")
        first = len(self.requirements) + 1
        events = tuple(RequirementAdded(turn, call, f"r{first + i}", text) for i, text in enumerate(stated))
        for event in events:
            self.apply(event)
        return events

    def resolve(
        self,
        requirement: str,
        status: Status,
        entry: str = "",
        reason: str = "",
        *,
        turn: int,
        call: int = -1,
        parts: Parts = WHOLE,
    ) -> Resolved:
        """Resolve a requirement, or raise TabRefusal and change nothing.

        `done` cites a read-log entry (none without capture) whose path or excerpt shares a term with the requirement
        (the evidence check); `unavailable` gives a reason. A resolved requirement may be resolved anew.
        """
        wanted = self.requirements.get(requirement)
        if wanted is None:
            known = ", ".join(self.requirements) or "none; call add first"
            raise TabRefusal(f"resolve {requirement}", "there is no such requirement", f"Known: {known}.")
        if status == "done":
            self._check_evidence(wanted, entry, parts)
        elif not reason.strip():
            raise TabRefusal(
                f"resolve {requirement}", "unavailable needs a reason", "Say what was looked for and where."
            )
        cited = entry if status == "done" and parts.capture else ""
        event = Resolved(turn, call, requirement, status, cited, reason.strip())
        self.apply(event)
        return event

    def show(self, entry: str) -> tuple[Entry, str]:
        """One read-log entry and its excerpt; TabRefusal when there is none of that id."""
        found = self.read_log.get(entry)
        if found is None:
            known = f"L1 to L{len(self.read_log)}" if self.read_log else "the read log is empty"
            raise TabRefusal(f"show {entry}", "there is no such entry", f"Known: {known}.")
        return found, self.texts[found.excerpt]

    def _check_evidence(self, wanted: Requirement, entry: str, parts: Parts) -> None:
        if not parts.capture:
            return
        place = f"resolve {wanted.requirement_id}"
        cited = self.read_log.get(entry)
        if cited is None:
            known = f"L1 to L{len(self.read_log)}" if self.read_log else "none; no file was read yet"
            raise TabRefusal(
                place, f"done must cite a read-log entry and {entry or 'none'} is not one", f"Known: {known}."
            )
        if not parts.evidence_check:
            return
        words = frozenset(terms(wanted.text))
        if words.isdisjoint(terms(cited.path)) and words.isdisjoint(terms(self.texts[cited.excerpt])):
            raise TabRefusal(
                place,
                f"{entry} ({cited.path}) shares no word with “{wanted.text}”",
                "Cite the entry that holds it, or resolve it unavailable with a reason.",
            )

    def _extend_task(self, turn: int, text: str) -> None:
        self.task = f"{self.task}\n\n{text}" if self.task else text
        self._task_terms |= frozenset(terms(text))
        for path, candidate in self.candidates.items():
            if not candidate.starred and self._is_relevant(path):
                self.candidates[path] = replace(candidate, starred_turn=turn)
                self._starred += 1

    def _is_relevant(self, path: str) -> bool:
        words = self._path_terms.get(path)
        if words is None:
            words = self._path_terms[path] = frozenset(terms(path))
        return len(words & self._task_terms) >= THRESHOLD

    def _tell_folders(self, event: OfFile) -> None:
        """What lies above a file is a folder."""
        folder = event.path.rpartition("/")[0]
        while folder and folder not in self.folders:
            self.folders.add(folder)
            self._drop(folder, event, "folder")
            folder = folder.rpartition("/")[0]

    def _list(self, path: str, turn: int, call: int) -> bool:
        """Makes a path a candidate, unless it is one or cannot be one."""
        if path in self.candidates or path in self.opened or path in self.authored or path in self.folders:
            return False
        starred = self._is_relevant(path)
        self._starred += starred
        self.candidates[path] = Candidate(path, turn, call, turn if starred else None)
        return True

    def _drop(self, path: str, event: OfFile, by: LeftBy) -> Candidate | None:
        """The candidate of this path, which it is no more; None where it was none."""
        candidate = self.candidates.pop(path, None)
        if candidate is not None and candidate.starred_turn is not None:
            self._starred -= 1
        return candidate

    def _read(self, event: FileRead) -> None:
        entry_id = f"L{len(self.read_log) + 1}"
        self.read_log[entry_id] = Entry(
            entry_id,
            event.path,
            event.turn,
            event.call,
            event.command,
            event.excerpt,
            event.chars,
            event.authored,
            event.partial,
        )
        self.opened.add(event.path)
        self._drop(event.path, event, "read")

    def _rename(self, event: FileRenamed) -> None:
        was_candidate = self._drop(event.previous, event, "renamed") is not None
        for known in (self.opened, self.authored):
            if event.previous in known:
                known.add(event.path)
        if was_candidate:
            self._list(event.path, event.turn, event.call)
