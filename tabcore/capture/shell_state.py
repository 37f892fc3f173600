"""What evaluation keeps while it runs a command: the shell's own state, and what was found out on the way."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tabcore.capture.errors_shown import ShownErrors
from tabcore.capture.findings import Workspace
from tabcore.capture.patterns import expression, is_literal, is_unknown, matches, resolve
from tabcore.capture.shows import Content, Stream, contents

if TYPE_CHECKING:
    from tabcore.capture.shell_tree import Node

MAX_STEPS = 2_000
"""Commands that are evaluated for one call, loops counted through."""


@dataclass(slots=True)
class Facts:
    """What one call wrote, moved and ran into; shared by all its shells.

    `status` tells how the last command ended where the observation shows it: True it succeeded, False it
    failed, None it cannot be told. `bases`: the folders of names that a substitution put into words. `saved` holds what was written to files in this call.
    """

    workspace: Workspace
    errors: ShownErrors
    authored: dict[str, str] = field(default_factory=dict)
    authored_patterns: dict[str, str] = field(default_factory=dict)
    moved: list[tuple[str, str, str]] = field(default_factory=list)
    removed: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)
    listed: dict[str, None] = field(default_factory=dict)
    saved: dict[str, Stream] = field(default_factory=dict)
    scripts: dict[str, str] = field(default_factory=dict)
    streams: list[Stream] = field(default_factory=list)
    bases: dict[str, str] = field(default_factory=dict)
    steps: int = MAX_STEPS
    depth: int = 0
    status: bool | None = True

    def author(self, path: str, rule: str, source: Stream = ()) -> None:
        """Notes that a file was written; `source` is what its text comes from."""
        if is_literal(path) and not path.startswith("/dev/") and not self.errors.mentions(path):
            self.authored.setdefault(path, rule)
            self.saved[path] = source

    def author_all(self, pattern: str, rule: str) -> None:
        """Notes that files were written of which only a pattern is known; the observation may name them."""
        self.authored_patterns[pattern] = rule

    def authored_by_pattern(self, path: str) -> str | None:
        """The rule by which a path was written that a pattern stands for, None when it was not."""
        return next((rule for pattern, rule in self.authored_patterns.items() if matches(pattern, path)), None)

    def move(self, previous: str, path: str, rule: str) -> None:
        """Notes that a file was renamed."""
        self.removed.add(previous)
        if text := self.script(previous):
            self.scripts[path] = text
        if previous in self.authored or previous in self.workspace.authored:
            self.author(path, rule, self.saved.get(previous, ()))
        elif is_literal(previous) and is_literal(path) and not self.errors.mentions(previous):
            self.moved.append((previous, path, rule))
            if previous in self.saved:
                self.saved[path] = self.saved[previous]

    def script(self, path: str) -> str | None:
        """The text of a script that the agent wrote, in this call or before."""
        return self.scripts.get(path) or self.workspace.scripts.get(path)

    def known(self, pattern: str) -> list[str]:
        """Files seen so far that fit an absolute pattern, sorted."""
        if is_literal(pattern):
            return [pattern]
        if is_unknown(pattern):
            return []
        fits = expression(pattern).fullmatch
        seen = {path for path in self.workspace.files if fits(path)} | {path for path in self.listed if fits(path)}
        return sorted(seen - self.workspace.directories - self.folders)

    def is_folder(self, path: str) -> bool:
        """True when something has shown that the path is a folder."""
        return path in self.workspace.directories or path in self.folders or path == self.workspace.root

    def is_there(self, pattern: str) -> bool:
        """True when a path, or one that fits the pattern, was seen before and nothing was removed or moved away since."""
        return any(
            path in self.workspace.files or path in self.listed or path in self.authored or self.is_folder(path)
            for path in self.known(pattern)
            if path not in self.removed
        )

    def in_repository(self, name: str, base: str) -> str:
        """Where a path that git names lies: below `base`, or below the nearest folder above that makes it a known file."""
        root = self.workspace.root
        folder = base
        while folder not in ("/", ""):
            path = resolve(folder, name)
            if path in self.workspace.files:
                return path
            if "/" in name and posixpath.basename(folder) == name.split("/", 1)[0] and folder != root:
                return resolve(posixpath.dirname(folder), name)
            folder = posixpath.dirname(folder) if len(folder) > len(root) else ""
        return resolve(base, name)

    def with_sources(self, paths: tuple[str, ...]) -> tuple[str, ...]:
        """The paths, and those that their text was made from in this call."""
        if not self.saved:
            return paths
        found = list(paths)
        for path in paths:
            for content in contents(self.saved.get(path, ())):
                found += content.paths
        return tuple(dict.fromkeys(found))


@dataclass(slots=True)
class Shell:
    """One shell's state. `arguments` are the positional parameters; `inputs` the open file descriptors; `muted`: errors are not shown."""

    facts: Facts
    cwd: str
    previous: str = ""
    stack: list[str] = field(default_factory=list)
    variables: dict[str, list[str]] = field(default_factory=dict)
    functions: dict[str, Node] = field(default_factory=dict)
    arguments: list[str] = field(default_factory=list)
    inputs: dict[int, Stream] = field(default_factory=dict)
    run: Callable[[list[str], Shell, Stream | None], Stream] = field(default=lambda *_: ())
    muted: bool = False

    def child(self) -> Shell:
        """A shell that starts as a copy: for ( … ), pipes and command substitutions."""
        return Shell(
            self.facts,
            self.cwd,
            self.previous,
            list(self.stack),
            dict(self.variables),
            dict(self.functions),
            list(self.arguments),
            dict(self.inputs),
            self.run,
            self.muted,
        )

    def path(self, word: str) -> str:
        """The word as an absolute path."""
        return resolve(self.cwd, word)

    def content(self, paths: list[str], rule: str, limit: int | None = None, computed: bool = False) -> Stream:
        """Content of the files that words name; what was written in this call credits its sources as well."""
        absolute = tuple(resolve(self.cwd, path) for path in paths)
        sources = self.facts.with_sources(absolute)
        doubtful = tuple(path for path in sources if not self.facts.is_there(path)) if self.muted else ()
        return (
            Content(sources, rule, base=self.cwd, limit=limit, computed=computed, doubtful=doubtful, files=len(paths)),
        )
