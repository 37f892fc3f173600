"""Shows and an observation -> what was read and what was listed.

Each show gets the lines that fit it best (alignment.py), and says which paths they reveal.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import assert_never

from tabcore.capture.alignment import Piece, aligned
from tabcore.capture.filtered_lines import fits_any
from tabcore.capture.joining import joined
from tabcore.capture.listings import entries, git_unquoted
from tabcore.capture.named_content import diff_paths, headed_blocks, json_paths, prefixed_paths
from tabcore.capture.patterns import expression, is_literal, is_unknown, readable, resolve
from tabcore.capture.shell_state import Facts
from tabcore.capture.shows import Content, Either, Loop, Names, Noise, Show, Stream, Text, Undecided
from tabcore.capture.unrolling import known_values, loop_headings, mentioned_values

MAX_DEPTH = 6
MAX_LOOP = 400


@dataclass(slots=True)
class Sight:
    """What one observation reveals, while it is gathered. `cut`: text is missing at its end."""

    facts: Facts
    cut: bool = False
    partial: bool = False
    reads: dict[str, tuple[str, bool]] = field(default_factory=dict)
    listed: dict[str, str] = field(default_factory=dict)
    undecided: dict[str, str] = field(default_factory=dict)
    depth: int = 0

    def read(self, path: str, rule: str, partial: bool = False) -> None:
        """Notes a read, unless an error line says otherwise."""
        if not self.facts.errors.mentions(path) and not self.facts.is_folder(path):
            self.reads.setdefault(path, (rule, partial or self.partial))

    def list(self, path: str, rule: str) -> None:
        """Notes a path that was shown."""
        self.listed.setdefault(path, rule)
        self.facts.listed[path] = None

    def folder(self, path: str) -> None:
        """Notes a folder that was shown."""
        self.facts.folders.add(path)


def attribute(stream: Stream, lines: list[str], sight: Sight) -> None:
    """Gives the lines to the shows of a stream, and gathers what they reveal."""
    if sight.depth > MAX_DEPTH:
        return
    sight.depth += 1
    shows = joined(stream)
    if len(shows) == 1 and not isinstance(shows[0], Either):
        _reveal(shows[0], lines, sight)
    elif shows:
        alike = aligned(shows, lines, sight.facts)
        for show, own in alike[0] if len(alike) == 1 else ():
            _reveal(show, own, sight)
        if len(alike) > 1:
            _agreed(alike, sight)
    sight.depth -= 1


def _agreed(alike: list[list[Piece]], sight: Sight) -> None:
    """Of alternatives that fit the lines equally well: what all of them reveal; the rest cannot be told."""
    trials = [Sight(sight.facts, sight.cut, sight.partial, depth=sight.depth) for _ in alike]
    for pieces, trial in zip(alike, trials, strict=True):
        for show, own in pieces:
            _reveal(show, own, trial)
    reason = "one of several alternatives was shown, and the observation fits each of them"
    for trial in trials:
        for path, (rule, partial) in trial.reads.items():
            if all(path in other.reads for other in trials):
                sight.read(path, rule, partial)
            else:
                sight.undecided.setdefault(path, f"{rule}; {reason}")
        for path, rule in trial.listed.items():
            if all(path in other.listed or path in other.reads for other in trials):
                sight.list(path, rule)
            else:
                sight.undecided.setdefault(posixpath.dirname(path), f"{rule}; {reason}")
        sight.undecided.update((path, why) for path, why in trial.undecided.items() if path not in sight.undecided)


def _reveal(show: Show, lines: list[str], sight: Sight) -> None:
    match show:
        case Content():
            _content(show, lines, sight)
        case Names():
            _names(show, lines, sight)
        case Loop():
            _loop(show, lines, sight)
        case Either(branches):
            attribute(branches[0] if branches else (), lines, sight)
        case Undecided(path, reason):
            if any(line.strip() for line in lines):
                sight.undecided.setdefault(path, reason)
        case Text(text):
            if not is_literal(text) and not is_unknown(text):
                _spoken_names(text.strip("\n"), lines, sight)
        case Noise():
            pass
        case _ as never:
            assert_never(never)


_FIGURE = re.compile(r"[\s\d.,:%+\-eE()/\[\]|]*(?:True|False|None|true|false|null|nan)?[\s\d.,%|]*")


def visible(lines: list[str], computed: bool) -> bool:
    """True when content can be seen; where it may be computed, bare figures are none."""
    if computed:
        return any(_FIGURE.fullmatch(line) is None for line in lines)
    return any(line.strip() for line in lines)


def _content(show: Content, lines: list[str], sight: Sight) -> None:
    if not visible(lines, show.computed):
        return
    match show.naming:
        case "none":
            _unnamed(_without_doubtful(show, lines, sight), sight)
        case "prefix":
            _prefixed(show, lines, sight)
        case "headers":
            _headed(show, lines, sight)
        case "diff":
            _patch(show, lines, sight)
        case "json":
            for path in json_paths(lines):
                sight.read(resolve(show.base, path), show.rule)
        case "object":
            _object(show, lines, sight)
        case "sections":
            _prefixed(show, lines, sight)
        case _ as never:
            assert_never(never)


def _without_doubtful(show: Content, lines: list[str], sight: Sight) -> Content:
    """The content, where there are fewer lines than files without those that may have shown nothing."""
    if not show.doubtful or show.files == 1 or show.files <= sum(not line.isspace() for line in lines if line):
        return show
    for path in show.doubtful:
        if not sight.facts.errors.mentions(path):
            sight.undecided.setdefault(
                path, f"{show.rule}; fewer lines than files: whether it is among them cannot be told"
            )
    return replace(show, paths=tuple(path for path in show.paths if path not in show.doubtful))


def _unnamed(show: Content, sight: Sight) -> None:
    known = [path for path in show.paths if not sight.facts.errors.mentions(path)]
    for position, pattern in enumerate(known):
        if show.deep and is_literal(pattern) and not _is_file(pattern, sight.facts):
            sight.undecided.setdefault(
                pattern, f"{show.rule}, names are hidden: which files they come from cannot be told"
            )
        elif is_literal(pattern):
            if sight.cut and position and len(known) > 1:
                sight.undecided.setdefault(pattern, "the observation is cut: whether it was reached cannot be told")
            else:
                sight.read(pattern, show.rule, show.partial)
        else:
            _expanded(pattern, show, sight)


def _is_file(path: str, facts: Facts) -> bool:
    if facts.is_folder(path):
        return False
    return path in facts.workspace.files or path in facts.listed or re.search(r"[^/.]\.\w{1,8}$", path) is not None


def _expanded(pattern: str, show: Content, sight: Sight) -> None:
    paths = sight.facts.known(pattern)
    for path in paths:
        sight.read(path, f"{show.rule}; the pattern {readable(pattern)} over files seen before", show.partial)
    if not paths:
        sight.undecided.setdefault(pattern, f"{show.rule}; which files the pattern stands for was not shown")


def _prefixed(show: Content, lines: list[str], sight: Sight) -> None:
    named, rest = prefixed_paths(show, lines, sight.facts)
    for path in named:
        sight.read(path, show.rule, show.partial)
    for path in rest.binary:
        sight.undecided.setdefault(path, "a binary file matches: nothing of it is shown")
    for path in rest.alone:
        sight.list(path, f"{show.rule}; only paths are left of them")
    if not named and rest.unnamed:
        _without_names(show, sight)


def _without_names(show: Content, sight: Sight) -> None:
    """Matching lines that name no file: those of the one file that was searched."""
    facts = sight.facts
    alone = show.paths[0] if len(show.paths) == 1 else ""
    if alone and is_literal(alone) and facts.is_there(alone) and not facts.is_folder(alone):
        sight.read(alone, show.rule, show.partial)
        return
    if not alone or show.filtered:
        for path in show.paths:
            sight.undecided.setdefault(
                path, f"{show.rule}, names are hidden: which files they come from cannot be told"
            )
        return
    single = [path for pattern in show.paths for path in sight.facts.known(pattern)]
    if len(single) == 1 and not sight.facts.is_folder(single[0]):
        sight.read(single[0], show.rule, show.partial)


def _headed(show: Content, lines: list[str], sight: Sight) -> None:
    blocks = list(headed_blocks(lines))
    if not blocks:
        _unnamed(show, sight)
        return
    for name, has_content in blocks:
        path = resolve(show.base, name)
        if not fits_any(show.paths, path) and not any(is_unknown(pattern) for pattern in show.paths):
            continue
        if has_content:
            sight.read(path, show.rule)
        elif not sight.facts.errors.mentions(path):
            sight.list(path, f"{show.rule}, only its heading is shown")
    if sight.facts.saved and len(show.paths) > len(blocks):
        for path in show.paths:
            if any(path in sight.facts.with_sources((resolve(show.base, name),)) for name, shown in blocks if shown):
                sight.read(path, show.rule)


def _patch(show: Content, lines: list[str], sight: Sight) -> None:
    for name, has_content in diff_paths(lines, plain=bool(show.paths)):
        path = sight.facts.in_repository(git_unquoted(name), show.base)
        if has_content:
            sight.read(path, show.rule)
        else:
            sight.list(path, f"{show.rule}, only its name is shown")


def _object(show: Content, lines: list[str], sight: Sight) -> None:
    path = show.paths[0]
    if lines[0].startswith("tree ") and (len(lines) < 2 or not lines[1].strip()):
        sight.folder(path)
        for line in lines[2:]:
            name = git_unquoted(line)
            if name.endswith("/"):
                sight.folder(resolve(path, name))
            elif name.strip():
                sight.list(resolve(path, name), "git show REV:folder: names of a tree")
    else:
        sight.read(path, show.rule)


def _names(show: Names, lines: list[str], sight: Sight) -> None:
    found = entries(show, lines, sight.facts)
    if show.form == "stat-lines":
        found = list(_in_repository(show, found, sight.facts))
    if show.options == "x" and show.form.startswith(("^", "plain")):
        found = [(path, is_folder) for path, is_folder in found if not is_folder]
    folders, listed, known = sight.facts.folders, sight.listed, sight.facts.listed
    for path, is_folder in found:
        if is_folder:
            folders.add(path)
        elif path not in listed:
            listed[path] = show.rule
            known[path] = None


def _in_repository(show: Names, found: Iterable[tuple[str, bool]], facts: Facts) -> Iterator[tuple[str, bool]]:
    """Paths of git's statistics, which cut a long one at its front: it is the one known file that ends so, or none."""
    for path, folder in found:
        name = posixpath.relpath(path, show.base)
        if not name.startswith(".../"):
            yield facts.in_repository(name, show.base), folder
            continue
        alike = [known for known in facts.workspace.files if known.endswith(name[3:])]
        if len(alike) == 1:
            yield alike[0], folder


def _loop(show: Loop, lines: list[str], sight: Sight) -> None:
    """Unrolls a loop by the names that the lines show; failing that, by files seen before."""
    symbolic = {value: show.body(value) for value in show.values}
    plain = [part for stream in symbolic.values() for part in stream]
    if (
        plain
        and all(len(stream) == 1 for stream in symbolic.values())
        and all(isinstance(part, Names) for part in plain)
    ):
        for part in dict.fromkeys(plain):
            alone = isinstance(part, Names) and part.form == "words" and len(part.printed) == 1
            bare = (
                isinstance(part, Names)
                and part.printed in {(value,) for value in show.values}
                and "/" not in part.printed[0]
            )
            if isinstance(part, Names) and bare and show.base != show.cwd:
                part = replace(part, base=show.base)
            _reveal(replace(part, form="plain") if isinstance(part, Names) and alone else part, lines, sight)
        return
    named = loop_headings(show, symbolic, lines, sight.facts)
    values = [value for value, _ in named]
    if not values:
        values = mentioned_values(show, symbolic, lines)
    if not values:
        values = known_values(show, sight.facts)
    if not values:
        if any(line.strip() for line in lines) and _has_content(symbolic):
            for value in show.values:
                sight.undecided.setdefault(
                    resolve(show.base, value), f"{show.rule}: which files it ran over was not shown"
                )
        return
    for _, path in named:
        if path and not sight.facts.is_folder(path):
            sight.facts.listed[path] = None
    stream = tuple(part for value in values[:MAX_LOOP] for part in show.body(value))
    attribute(stream, lines, sight)
    for _, path in named[MAX_LOOP:] if _has_content(symbolic) else ():
        if path not in sight.reads:
            sight.undecided.setdefault(path, f"{show.rule}: more than {MAX_LOOP} files, the rest was not looked at")
    for value, path in named:
        if path and path not in sight.reads and not sight.facts.is_folder(path) and not value.endswith("/"):
            sight.list(path, f"{show.rule}: its name is printed")


def _spoken_names(pattern: str, lines: list[str], sight: Sight) -> None:
    """Last parts of paths, printed one a line: those that only one known file has."""
    fits = expression(pattern).fullmatch
    for line in lines:
        if fits(line):
            alike = [path for path in sight.facts.workspace.files if path.endswith("/" + line)]
            if len(alike) == 1:
                sight.list(alike[0], "basename: the only file seen before of that name")


def _has_content(symbolic: dict[str, Stream]) -> bool:
    return any(isinstance(part, Content | Loop) for stream in symbolic.values() for part in stream)
