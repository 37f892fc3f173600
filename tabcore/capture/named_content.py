"""Content whose lines name their file: grep's `path:line`, headings, patches."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tabcore.capture.patterns import DEEP, STAR, is_literal, matches, relative, resolve
from tabcore.capture.shell_state import Facts
from tabcore.capture.shows import Content

_ENDING = re.compile(r"[^/.\s]\.(?=\w*[A-Za-z])[A-Za-z0-9]{1,8}$")
_NUMBERED = re.compile(r"[:\-](?:\d+[:\-](?:\d+:)?)")
_BINARY = re.compile(r"^(?:Binary file )?(?P<path>.+?)(?:: binary file matches.*| matches\.?)$")
_GREP_NUMBER = re.compile(r"^(?:Line )?\d+[:\-]|^L\d+:|^\s+(?:Line )?\d+: ")


@dataclass(slots=True)
class Unnamed:
    """What prefixed lines leave over; `alone`: paths of which a filter has left nothing but the path."""

    unnamed: bool = False
    binary: list[str] = field(default_factory=list)
    alone: list[str] = field(default_factory=list)


def prefixed_paths(show: Content, lines: list[str], facts: Facts) -> tuple[list[str], Unnamed]:
    """Absolute paths that the lines of a search name, in order, and what is left over."""
    places = tuple(_place(path, show, facts) for path in show.paths)
    found: dict[str, str] = {}
    rest = Unnamed()
    last = ""
    for line in lines:
        if last and line.startswith(last) and line[len(last) : len(last) + 1] in (":", "-"):
            continue
        text = line.rstrip("\r")
        if not text.strip() or text == "--":
            continue
        binary = _BINARY.match(text) if "inary file" in text else None
        if binary is not None:
            rest.binary.append(resolve(show.base, binary["path"]))
            continue
        name = _prefix(text, show.base, places, facts)
        if name is None and _is_heading(text, show.base, places):
            name = text.rstrip(":")
            if show.filtered:
                rest.alone.append(resolve(show.base, name))
                continue
        if name is None:
            rest.unnamed = True
        else:
            last = name
            found.setdefault(name, resolve(show.base, name))
    return list(dict.fromkeys(found.values())), rest


def _place(path: str, show: Content, facts: Facts) -> tuple[str, bool]:
    """An operand of a search, and whether files below it are meant."""
    return path, show.deep and not (is_literal(path) and path in facts.workspace.files)


def _within(path: str, places: tuple[tuple[str, bool], ...]) -> bool:
    for place, deep in places:
        if path == place or (not is_literal(place) and matches(place, path)):
            return True
        if deep and (
            path.startswith(place.rstrip("/") + "/") if is_literal(place) else matches(place + "/" + DEEP + STAR, path)
        ):
            return True
    return False


def _prefix(line: str, base: str, places: tuple[tuple[str, bool], ...], facts: Facts) -> str | None:
    """The path before the first fitting ":" (or "-", in context lines).

    Names with colons in them are taken as far as a known file or an ending that a line number follows.
    """
    colon = line.find(":")
    first: str | None = None
    numbered: str | None = None
    while 0 < colon < 400:
        name = line[:colon]
        path = resolve(base, name)
        if _within(path, places):
            if path in facts.workspace.files or path in facts.listed or _ENDING.search(name):
                return name
            if name[0] in ' \t"':
                return None
            first = first if first is not None else name
        colon = line.find(":", colon + 1)
    if first is not None and "-" not in first:
        return first
    for match in _NUMBERED.finditer(line[:400]):
        name = line[: match.start()]
        if (
            name
            and (_ENDING.search(name) or resolve(base, name) in facts.workspace.files)
            and _within(resolve(base, name), places)
        ):
            numbered = name
            break
    return numbered if first is None or (numbered is not None and len(numbered) < len(first)) else first


def _is_heading(line: str, base: str, places: tuple[tuple[str, bool], ...]) -> bool:
    """A path alone on its line, as `rg --heading` prints it."""
    return (
        _ENDING.search(line.rstrip(":")) is not None
        and not line.startswith(" ")
        and _within(resolve(base, line.rstrip(":")), places)
    )


_HEADING = re.compile(r"^==> (?P<path>.+) <==\s*$")


def headed_blocks(lines: list[str]) -> Iterator[tuple[str, bool]]:
    """Each `==> path <==` heading, and whether anything stands under it."""
    name = ""
    has_content = False
    for line in lines:
        match = _HEADING.match(line)
        if match is not None:
            if name:
                yield name, has_content
            name, has_content = match["path"], False
        elif line.strip():
            has_content = True
    if name:
        yield name, has_content


_GIT_HEAD = re.compile(r"^diff --git (?:\"?a/|\S*?/)?.*$|^diff --(?:cc|combined) (?P<combined>.+)$")
_PLAIN_HEAD = re.compile(r"^diff (?:-\S+ )*(?P<left>\S+|'[^']+') (?P<right>\S+|'[^']+')$")
_NEW = re.compile(r"^\+\+\+ (?P<path>[^\t\n]+)")
_OLD = re.compile(r"^--- (?P<path>[^\t\n]+)")
_HUNK = re.compile(r"^(?:@@|[0-9,]+[acd][0-9,]+$|[<>] |[+-](?!\+\+ |-- ))")
_ONLY = re.compile(r"^Only in (?P<folder>.+?): (?P<name>.+)$")
_FILES = re.compile(r"^(?:Binary files|Files) (?P<left>.+) and (?P<right>.+) (?:differ|are identical)$")


def diff_paths(lines: list[str], plain: bool = False) -> list[tuple[str, bool]]:
    """Paths that a patch names, with whether lines of theirs are shown. `plain`: by diff -r, else by git.

    >>> diff_paths(["diff --git a/x.md b/x.md", "--- a/x.md", "+++ b/x.md", "@@ -1 +1 @@", "-a", "+b"])
    [('x.md', True)]
    """
    found: dict[str, bool] = {}
    current: list[str] = []
    for line in lines:
        if line.startswith("diff "):
            current = _head_paths(line, plain)
        elif not plain and line.startswith(("--- ", "+++ ")) and (match := _NEW.match(line) or _OLD.match(line)):
            path = _git_side(match["path"])
            if path and path not in current:
                current = [*current, path] if not current else [path]
        elif match := _ONLY.match(line):
            found.setdefault(f"{match['folder'].rstrip('/')}/{match['name']}", False)
        elif match := _FILES.match(line):
            for side in (match["left"], match["right"]):
                found.setdefault(side if plain else _git_side(side), False)
        elif current and _HUNK.match(line):
            for path in current:
                found[path] = True
        elif line.startswith(("rename to ", "copy to ")):
            found.setdefault(line.split(" to ", 1)[1], False)
    return [(path, shown) for path, shown in found.items() if path]


def _head_paths(line: str, plain: bool) -> list[str]:
    if plain:
        match = _PLAIN_HEAD.match(line)
        return [match["left"].strip("'"), match["right"].strip("'")] if match else []
    match = _GIT_HEAD.match(line)
    if match is not None and match["combined"]:
        return [match["combined"]]
    sides = re.match(
        r"^diff --git (?:a/(?P<same>.+) b/(?P=same)|\"a/(?P<quoted>.+)\" \"b/(?P=quoted)\"|(?P<bare>\S+) (?P=bare))$",
        line,
    )
    if sides is None:
        return []
    return [f'"{sides["quoted"]}"' if sides["quoted"] else sides["same"] or sides["bare"]]


def _git_side(path: str) -> str:
    path = path.rstrip("\r\n")
    if path == "/dev/null":
        return ""
    if path.startswith('"') and path.endswith('"'):
        return '"' + re.sub(r"^[abciow]/", "", path[1:-1]) + '"'
    return re.sub(r"^[abciow]/", "", path)


def json_paths(lines: list[str]) -> list[str]:
    """Paths of the matches in the output of `rg --json`."""
    found: dict[str, None] = {}
    for line in lines:
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict) and event.get("type") in ("match", "context"):
            data = event.get("data")
            path = data.get("path") if isinstance(data, dict) else None
            if isinstance(path, dict) and isinstance(path.get("text"), str):
                found.setdefault(path["text"])
    return list(found)


__all__ = ["Unnamed", "diff_paths", "headed_blocks", "json_paths", "prefixed_paths", "relative"]
