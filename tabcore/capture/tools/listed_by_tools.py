"""Folder listings as harness tools print them: marks, indented lists, trees, JSON."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator

from tabcore.capture.ls_lines import ls_entries
from tabcore.capture.patterns import resolve
from tabcore.capture.shows import Names
from tabcore.capture.tools.scene import Scene, split_lines
from tabcore.capture.tree_lines import tree_entries
from tabcore.trajectory import Json

Entry = tuple[str, bool]

_MARKED = re.compile(
    r"^\s*\[(?P<mark>DIR|FILE|D|F|dir|file|directory|folder|LINK)\]\s+(?P<name>.+?)(?:\s+\((?:[\d.,]+ ?[KMGT]?i?B(?:ytes)?|[\d.,]+ bytes)\)|\s{2,}[\d.,]+ ?[KMGT]?i?B)?\s*$"
)
_TYPED = re.compile(r"^'(?P<name>.+)' \((?P<kind>folder|directory|[^()]*file|[\w./+-]+)\)(?: [\d.,]+ \w+)?$")
_BULLET = re.compile(r"^(?P<indent>\s*)(?:- )?(?P<name>\S.*)$")
_ICON = re.compile(r"^\s*(?P<icon>[📁📂🗂📄📃📝])\ufe0f?\s*(?P<name>.+?)\s*$")
_SKIP = re.compile(
    r"^(?:Here's the files|Directory listing|Contents of|NOTE:|Found \d+|No (?:files|matches|entries)|\(empty|\(\d+ (?:entries|items|more)|\(No |There are more than|</?\w+>|<path>|<type>|\d+ director|"
    r"Listing |Files in |Directory:|Total:? |Combined size|\[\d+|\[Showing|\d+ hidden|\(\d+ ignored|\s*\.\.\.|Full path|Summary|Use |Results|End of|\(Results|\(Open file|\(Current dir|bash-\$|Path:|\d+ (?:files?|items?|folders?)\b)"
)


def tool_entries(scene: Scene, folder: str) -> Iterator[Entry]:
    """Absolute paths under a folder with whether each is a folder."""
    text = scene.unwrapped().text
    parsed = _json(text)
    if parsed is not None:
        yield from _from_json(parsed, folder)
        return
    lines = [line.rstrip("\r") for line in split_lines(text) if line.strip()]
    sample = lines[:60]
    if any("├" in line or "└" in line or "|--" in line for line in sample):
        yield from tree_entries(Names(folder, "tree", "", folders=(folder, ".")), lines)
    elif sample and _is_indented(sample):
        yield from _bulleted(lines)
    elif any(re.match(r"^[-dl][rwxsStT-]{9}", line) for line in sample):
        yield from ls_entries(Names(folder, "ls", "", folders=(".",), options="l"), lines, scene.facts)
    else:
        yield from _plain(lines, folder, scene)


def _is_indented(lines: list[str]) -> bool:
    """An absolute folder on the first line, entries indented below it, with or without bullets."""
    first = _BULLET.match(lines[0])
    rest = lines[1:] or [""]
    return (
        first is not None
        and first["name"].startswith("/")
        and (rest[0].startswith(("  ", "\t")) or rest[0].lstrip().startswith("- "))
    )


def _json(text: str) -> Json:
    stripped = text.strip()
    if stripped[:1] not in ("[", "{") or stripped[-1:] not in ("]", "}") or _MARKED.match(stripped.split("\n", 1)[0]):
        return None
    try:
        value: Json = json.loads(stripped)
    except (ValueError, RecursionError):
        return None
    return value


def _from_json(value: Json, folder: str, depth: int = 0) -> Iterator[Entry]:
    """Trees of {name, type, children}, lists of names, and lists under a key."""
    if depth > 20:
        return
    if isinstance(value, str):
        if value and "\n" not in value:
            yield resolve(folder, value), value.endswith("/")
    elif isinstance(value, list):
        for item in value:
            yield from _from_json(item, folder, depth + 1)
    elif isinstance(value, dict):
        yield from _from_object(value, folder, depth)


def _from_object(value: dict[str, Json], folder: str, depth: int) -> Iterator[Entry]:
    name = next((value[key] for key in ("path", "name", "file", "filename") if isinstance(value.get(key), str)), None)
    if not isinstance(name, str):
        for inner in value.values():
            if isinstance(inner, list | dict):
                yield from _from_json(inner, folder, depth + 1)
        return
    path = resolve(folder, name)
    kind = str(value.get("type", value.get("kind", ""))).lower()
    children = value.get("children", value.get("contents", value.get("entries")))
    is_folder = (
        kind in ("directory", "dir", "folder")
        or isinstance(children, list)
        or value.get("is_dir") is True
        or value.get("isDirectory") is True
    )
    yield path, is_folder
    if isinstance(children, list):
        yield from _from_json(children, path, depth + 1)


def _bulleted(lines: list[str]) -> Iterator[Entry]:
    """An indented list under an absolute path; folders end in a slash."""
    stack: list[tuple[int, str]] = []
    for line in lines:
        match = _BULLET.match(line)
        if match is None or _SKIP.match(line):
            continue
        indent, name = len(match["indent"]), match["name"]
        while stack and stack[-1][0] >= indent:
            stack.pop()
        path = resolve(stack[-1][1] if stack else "/", name)
        is_folder = name.endswith("/")
        yield path, is_folder
        if is_folder:
            stack.append((indent, path))


def _plain(lines: list[str], folder: str, scene: Scene) -> Iterator[Entry]:
    absolute = any(line.startswith("/") for line in lines)
    for line in lines:
        marked = _MARKED.match(line)
        typed = _TYPED.match(line) if marked is None else None
        icon = _ICON.match(line) if marked is None and typed is None else None
        if marked is not None:
            yield resolve(folder, marked["name"]), marked["mark"].lower() in ("dir", "d", "directory", "folder")
        elif typed is not None:
            yield resolve(folder, typed["name"]), typed["kind"] in ("folder", "directory")
        elif icon is not None:
            yield resolve(folder, icon["name"]), icon["icon"] in "📁📂🗂" or icon["name"].endswith("/")
        elif _SKIP.match(line) is None and (not absolute or line.strip().startswith("/")):
            yield _entry(line.strip().removeprefix("- "), folder, scene)


def _entry(text: str, folder: str, scene: Scene) -> Entry:
    """A name; one that repeats the folder is relative to the working directory."""
    is_folder = text.endswith("/")
    inside = posixpath.relpath(folder, scene.cwd)
    if not text.startswith("/") and inside not in (".", "") and text.startswith(inside + "/"):
        return resolve(scene.cwd, text), is_folder
    path = resolve(folder, text)
    return path, is_folder or path == folder
