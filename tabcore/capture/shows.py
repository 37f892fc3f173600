"""What a command may show, in the order in which it shows it: the output of evaluation, the input of attribution.

A *stream* is a tuple of shows. Paths in shows are absolute patterns (patterns.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from tabcore.capture.patterns import UNKNOWN

Naming = Literal["none", "prefix", "headers", "sections", "diff", "json", "object"]
"""How shown content names its file: not at all; `path:line`; `==> path <==`; a heading of its own; a patch; rg --json; an object of git."""


@dataclass(frozen=True, slots=True)
class Content:
    """Content of files. `limit` bounds its lines; `computed`: where only numbers are seen they were computed, not shown.

    `lead`: the pattern of a line with which the content begins, where the command prints one: a label, a name.
    `files`: how many files that the command names are among the paths, which hold their sources too.
    `doubtful`: those of the paths that may have shown nothing without a word. `sought`: what each line must hold.
    `filtered`: a filter has changed its lines. `deep`: a path may be a folder whose files are meant. `base` is the folder that printed names are relative to.
    """

    paths: tuple[str, ...]
    rule: str
    naming: Naming = "none"
    base: str = ""
    limit: int | None = None
    computed: bool = False
    deep: bool = False
    partial: bool = False
    lead: str = ""
    filtered: bool = False
    doubtful: tuple[str, ...] = ()
    sought: re.Pattern[str] | None = None
    files: int = 1


@dataclass(frozen=True, slots=True)
class Names:
    """Paths, one way or other (`form`: a key of listings.FORMS, or "^" and a regular expression with a group `path`).

    `base`: the folder that printed names are relative to. `printed`: patterns of the names as printed, "" when any
    name may come. `folders`: operands whose entries are printed. `options`: letters of ls that change its layout.
    `only_folders`: nothing printed is a file. `mangled`: a filter has changed the lines. `certain`: the names are
    those of `printed`, so that they count even where a filter hides them from view.
    """

    base: str
    form: str
    rule: str
    printed: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    options: str = ""
    limit: int | None = None
    only_folders: bool = False
    mangled: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """Text that the command itself holds: `echo hello`. A pattern where parts are unknown. `certain`: it was surely printed."""

    text: str
    rule: str = "echo: the agent's own text"
    certain: bool = True


@dataclass(frozen=True, slots=True)
class Noise:
    """Output that tells nothing of files: counts, versions, progress."""

    rule: str
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Loop:
    """A body that is run for each of several names: for, while read, xargs, find -exec.

    `values`: patterns of the names, as printed; `base` resolves them. `body` gives what is shown for one name. `cwd`
    resolves longer paths that the body makes of a name, where it differs from `base`.
    """

    values: tuple[str, ...]
    base: str
    body: Callable[[str], Stream]
    rule: str
    cwd: str = ""


@dataclass(frozen=True, slots=True)
class Either:
    """One of several streams: `a || b`, if and else."""

    branches: tuple[Stream, ...]


@dataclass(frozen=True, slots=True)
class Undecided:
    """Output of something that cannot be followed; `path` may be "" ."""

    path: str
    reason: str


Show = Content | Names | Text | Noise | Loop | Either | Undecided
Stream = tuple[Show, ...]


def limited(stream: Stream, lines: int | None) -> Stream:
    """The stream, cut to so many lines where that can be said of its one part."""
    if lines is None or len(stream) != 1:
        return stream
    show = stream[0]
    if isinstance(show, Content | Names | Noise):
        bound = lines if show.limit is None else min(show.limit, lines)
        return (replace(show, limit=bound),)
    return stream


def mangled(stream: Stream, rule: str = "") -> Stream:
    """The stream after a filter that changes its lines."""
    return tuple(_mangled(show, rule) for show in stream)


def _mangled(show: Show, rule: str) -> Show:
    match show:
        case Names():
            return replace(show, mangled=True)
        case Content():
            return replace(show, filtered=True)
        case Text():
            return Text(UNKNOWN, show.rule)
        case Loop(values, base, body, own, cwd):
            return Loop(values, base, lambda value: mangled(body(value), rule), own, cwd)
        case Either(branches):
            return Either(tuple(mangled(branch, rule) for branch in branches))
        case _:
            return show


def uncertain(stream: Stream) -> Stream:
    """The stream of a command that may not have run."""
    return tuple(
        replace(show, certain=False)
        if isinstance(show, Text)
        else replace(show, doubtful=show.paths)
        if isinstance(show, Content)
        else show
        for show in stream
    )


def any_lines(stream: Stream) -> Stream:
    """The stream where nothing is known of its lines any more."""
    if not any(isinstance(show, Content) and show.sought for show in stream):
        return stream
    return tuple(replace(show, sought=None) if isinstance(show, Content) else show for show in stream)


def contents(stream: Stream) -> tuple[Content, ...]:
    """The content that the stream shows, at any depth but inside loops."""
    found: list[Content] = []
    for show in stream:
        if isinstance(show, Content):
            found.append(show)
        elif isinstance(show, Either):
            for branch in show.branches:
                found += contents(branch)
        elif isinstance(show, Loop):
            for value in show.values:
                found += contents(show.body(value))
    return tuple(found)


def literal_text(stream: Stream) -> str | None:
    """The stream's text where all of it is known, else None."""
    pieces: list[str] = []
    for show in stream:
        if not isinstance(show, Text):
            return None
        pieces.append(show.text)
    return "".join(pieces)


def printed_names(stream: Stream) -> tuple[str, ...]:
    """Patterns of the names that the stream prints, one a line; empty when it prints no names."""
    found: list[str] = []
    for show in stream:
        match show:
            case Names(printed=printed):
                found += printed
            case Text(text):
                found += text.splitlines()
            case Loop(values=values, body=body):
                found += [name for value in values for name in printed_names(body(value))]
            case Either(branches):
                found += [name for branch in branches for name in printed_names(branch)]
            case Content():
                found.append(UNKNOWN)
            case _:
                pass
    return tuple(dict.fromkeys(found))
