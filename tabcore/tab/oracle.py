"""How far capture agrees with what a record itself says was read, listed and written.

Some harnesses keep a word of their own on files: Pi the files read and changed before a compaction, Codex a parse of
each command. They go by the command or the tool alone, capture by what was shown, so a disagreement is a place to
look at, not yet a fault.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tabcore.capture.findings import Finding
from tabcore.tab.events import CaptureUndecided, Event, FileAuthored, FileListed, FileRead, FileRenamed
from tabcore.tab.history import TurnFacts
from tabcore.trajectory import Stated, StatedKind, Turn

_KINDS: dict[StatedKind, frozenset[str]] = {
    "read": frozenset(["read"]),
    "listed": frozenset(["listed", "read"]),
    "searched": frozenset(["listed", "read"]),
    "changed": frozenset(["authored", "read"]),
}
"""What capture must have found for each statement. A folder is looked into where anything below it was shown. To edit
a file that was there is no authorship, and who edits has seen content: a changed file was written or read."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One statement of the record beside what capture said.

    `turn` and `call` are where it was said, `call` -1 for a statement of all calls so far. `captured` is what capture
    said of the path instead, "nothing" where it saw none; "" where both agree.
    """

    turn: int
    call: int
    kind: StatedKind
    path: str
    source: str
    agreed: bool
    captured: str = ""


@dataclass(frozen=True, slots=True)
class _Seen:
    """One decision of capture, before any correction; `path` is absolute."""

    call: int
    kind: str
    path: str
    rule: str


class Oracle:
    """Follows one run and checks each statement of its record. `root` is the workspace root."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._calls: dict[str, tuple[int, int]] = {}
        self._ever: dict[tuple[str, str], str] = {}
        self._listed: dict[str, str] = {}
        self._of_calls: list[Checked] = []
        self._of_all: dict[tuple[str, str], Checked] = {}

    def turn(self, turn: Turn, facts: TurnFacts) -> None:
        """The next turn, with what capture made of it."""
        self._calls.update((call.call_id, (turn.number, i)) for i, call in enumerate(turn.calls) if call.call_id)
        decided = list(_as_captured(facts))
        for _, kind, path, rule in decided:
            if kind == "listed":
                self._listed[path] = rule
            elif kind != "unknown":
                self._ever[kind, path] = rule
        if turn.stated:
            self._check(turn, [self._seen(*decision) for decision in decided])

    def checked(self) -> tuple[Checked, ...]:
        """All statements in order. What a record says again of all calls so far counts once, as said last."""
        return tuple(sorted([*self._of_calls, *self._of_all.values()], key=lambda one: one.turn))

    def _check(self, turn: Turn, here: list[_Seen]) -> None:
        """What is said of a call is compared with that call; with everything so far where it ended in a later turn."""
        ever: list[_Seen] = []
        for stated in turn.stated:
            made, call = self._calls.get(stated.call_id, (turn.number, -1))
            if stated.call_id and made == turn.number:
                seen = [one for one in here if one.call == call]
            else:
                seen = ever = ever or self._everything()
            if stated.call_id:
                self._of_calls.append(_checked(made, call, stated, seen))
            else:
                self._of_all[stated.kind, stated.path] = _checked(turn.number, -1, stated, seen)

    def _everything(self) -> list[_Seen]:
        seen = [self._seen(-1, kind, path, rule) for (kind, path), rule in self._ever.items()]
        return seen + [self._seen(-1, "listed", path, rule) for path, rule in self._listed.items()]

    def _seen(self, call: int, kind: str, path: str, rule: str) -> _Seen:
        return _Seen(call, kind, absolute(self._root, path), rule)


def _checked(turn: int, call: int, stated: Stated, seen: Iterable[_Seen]) -> Checked:
    here = _at(stated, seen)
    agreed = any(one.kind in _KINDS[stated.kind] for one in here)
    instead = "" if agreed else _words(here) or _words(one for one in seen if one.kind == "unknown") or "nothing"
    return Checked(turn, call, stated.kind, stated.path, stated.source, agreed, instead)


def _at(stated: Stated, seen: Iterable[_Seen]) -> list[_Seen]:
    """What capture saw at the stated file, or in the stated folder."""
    normal = posixpath.normpath(stated.path or ".")
    if stated.kind in ("read", "changed"):
        return [one for one in seen if _is(one.path, normal)]
    return [one for one in seen if _is(one.path, normal) or _below(one.path, normal)]


def _words(seen: Iterable[_Seen]) -> str:
    return ", ".join(dict.fromkeys(f"{one.kind} ({one.rule})" for one in seen))


def _as_captured(facts: TurnFacts) -> Iterator[tuple[int, str, str, str]]:
    """(call, kind, path, rule) as capture itself decided, corrections taken back."""
    overruled = {(call, one.correction.path) for one in facts.overruled for call in (one.correction.call, -1)}
    for event in facts.events:
        found = _decision(event)
        if found and (found[0], found[2]) not in overruled:
            yield found
    for one in facts.overruled:
        yield from ((one.correction.call, *_parts(finding)) for finding in one.derived)


def _parts(finding: Finding) -> tuple[str, str, str]:
    return finding.kind, finding.path, finding.rule


def _decision(event: Event) -> tuple[int, str, str, str] | None:
    match event:
        case FileRead():
            return event.call, "read", event.path, event.rule
        case FileListed():
            return event.call, "listed", event.path, event.rule
        case FileAuthored() | FileRenamed():
            return event.call, "authored", event.path, event.rule
        case CaptureUndecided():
            return event.call, "unknown", event.path, event.reason
        case _:
            return None


def absolute(root: str, path: str) -> str:
    """A finding's path as an absolute one.

    >>> absolute("/w", "a.txt"), absolute("/w", "/x/a.txt"), absolute("/", "a.txt"), absolute("/w", "")
    ('/w/a.txt', '/x/a.txt', '/a.txt', '')
    """
    return posixpath.join(root, path) if path else path


def _is(found: str, stated: str) -> bool:
    """True where a path that capture found is the stated one; a relative one is any file whose path ends so.

    >>> _is("/w/a/b.txt", "/w/a/b.txt"), _is("/w/a/b.txt", "b.txt"), _is("/w/ab.txt", "b.txt")
    (True, True, False)
    """
    return found == stated or (not stated.startswith("/") and found.endswith(f"/{stated}"))


def _below(found: str, folder: str) -> bool:
    """True where a path lies under a stated folder; "." is any.

    >>> _below("/w/a/b.txt", "/w/a"), _below("/w/ab.txt", "/w/a"), _below("/w/a/b.txt", "a"), _below("/w/b", ".")
    (True, False, True, True)
    """
    if folder.startswith("/"):
        return found.startswith(folder.rstrip("/") + "/")
    return folder == "." or f"/{folder}/" in found
