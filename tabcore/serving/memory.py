"""What capture remembers of a workspace between two processes, as the difference to what the facts alone tell.

A journal's facts say which files are known, read and written. The rest (folders, scripts, variables, what a pager has
open) is kept with each step, so that the next process captures exactly as this one would have.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any

from tabcore.capture import Workspace
from tabcore.tab.events import Event, FileAuthored, FileListed, FileRead

_SETS = ("files", "directories", "authored", "read", "repositories")
_MAPS = ("scripts", "variables")
_WORDS = ("open_file", "pending_command")

Learnt = Mapping[str, Any]


def copied(workspace: Workspace) -> Workspace:
    """A workspace of its own with the same memory."""
    other = copy(workspace)
    for name in (*_SETS, *_MAPS):
        setattr(other, name, copy(getattr(workspace, name)))
    return other


def know(workspace: Workspace, events: Iterable[Event]) -> None:
    """Remember what facts alone tell of files and the folders above them."""
    for event in events:
        if not isinstance(event, FileListed | FileRead | FileAuthored):
            continue
        path = posixpath.join(workspace.root, event.path)
        workspace.files.add(path)
        if isinstance(event, FileAuthored):
            workspace.authored.add(path)
            continue
        if isinstance(event, FileRead):
            workspace.read.add(path)
        folder = path.rpartition("/")[0]
        while folder and folder not in workspace.directories:
            workspace.directories.add(folder)
            folder = folder.rpartition("/")[0]


def learnt(before: Workspace, events: Iterable[Event], after: Workspace) -> Learnt | None:
    """What `after` remembers beyond `before` and these facts; None where that is nothing. `before` is used up."""
    know(before, events)
    told: dict[str, Any] = {}
    for name in _SETS:
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            told[name] = [sorted(new - old), sorted(old - new)]
    for name in _MAPS:
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            changed = {key: value for key, value in new.items() if old.get(key) != value}
            told[name] = [changed, sorted(old.keys() - new.keys())]
    for name in _WORDS:
        if getattr(before, name) != getattr(after, name):
            told[name] = getattr(after, name)
    return told or None


def recall(workspace: Workspace, told: Learnt) -> None:
    """Remember what `learnt` told."""
    for name in _SETS:
        added, gone = told.get(name, ((), ()))
        getattr(workspace, name).update(added)
        getattr(workspace, name).difference_update(gone)
    for name in _MAPS:
        changed, gone = told.get(name, ({}, ()))
        getattr(workspace, name).update(changed)
        for key in gone:
            getattr(workspace, name).pop(key, None)
    for name in _WORDS:
        if name in told:
            setattr(workspace, name, told[name])
