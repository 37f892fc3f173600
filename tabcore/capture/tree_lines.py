"""What tree prints, and the indented trees of file servers: branches, sizes, full paths, folder marks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from tabcore.capture.ls_lines import unquoted
from tabcore.capture.patterns import resolve
from tabcore.capture.shows import Names

_BRANCH = re.compile(
    r"^(?P<indent>(?:[│|]?[ \u00a0]{2,4}|[│|]\s?)*)(?P<mark>├──|└──|├─|└─|\|--|`--|\+--|\\--)[ \u00a0](?P<name>.*)$"
)
_SUMMARY = re.compile(r"^\s*(?:[\d.]+[KMGT]? used in )?\d+ director(?:y|ies)(?:, \d+ files?)?$|^\d+ files?$")
_DETAILS = re.compile(r"^\[[^\]]*\]\s+(?=\S)")
_SIZE = re.compile(r"(?<=\S) \(\d[\d.,]* ?(?:bytes|[KMGT]i?B|B)\)$")
_ENDING = re.compile(r"[^/.\s]\.(?=\w*[A-Za-z])[A-Za-z0-9]{1,8}$")


def tree_entries(names: Names, lines: list[str]) -> Iterator[tuple[str, bool]]:
    """Absolute paths with whether each is a folder: it is marked so, or has entries below it."""
    if lines and lines[0].lstrip().startswith("[") and any('"type":' in line for line in lines[:3]):
        yield from _from_json("\n".join(lines), names)
        return
    detailed = bool(set(names.options) & set("sphugD")) or "dates" in names.options
    rows = list(_rows(names, lines, detailed))
    for position, (path, depth, marked) in enumerate(rows):
        has_inner = position + 1 < len(rows) and rows[position + 1][1] > depth
        if depth >= 0:
            yield path, marked or has_inner


def _from_json(text: str, names: Names) -> Iterator[tuple[str, bool]]:
    """tree -J: {type, name, contents}, the roots named as they were given."""
    try:
        roots = json.loads(text)
    except (ValueError, RecursionError):
        return
    pending = [(root, names.base, True) for root in roots if isinstance(root, dict)] if isinstance(roots, list) else []
    while pending:
        item, folder, is_root = pending.pop(0)
        name, inner = item.get("name"), item.get("contents")
        if not isinstance(name, str) or item.get("type") == "report":
            continue
        path = resolve(folder, name)
        if not is_root:
            yield path, item.get("type") == "directory"
        if isinstance(inner, list):
            pending += [(child, path, False) for child in inner if isinstance(child, dict)]


def _rows(names: Names, lines: list[str], detailed: bool) -> Iterator[tuple[str, int, bool]]:
    """Path, depth (-1 for a root) and folder mark of each line."""
    base = resolve(names.base, names.folders[0]) if names.folders else names.base
    open_folders: list[str] = [base]
    for line in lines:
        match = _BRANCH.match(line)
        if match is None:
            root = _root(names, line, detailed)
            if root is not None:
                open_folders = [root]
                yield root, -1, True
            elif "i" in names.options and line.strip() and not _SUMMARY.match(line):
                yield resolve(names.base, _name(line, detailed)[0]), 0, line.endswith("/")
            continue
        depth = (len(match["indent"]) + 3) // 4
        name, marked = _name(match["name"], detailed)
        del open_folders[depth + 1 :]
        full = "f" in names.options
        path = resolve(names.base if full else open_folders[-1], name)
        open_folders.append(path)
        yield path, depth, marked


def _root(names: Names, line: str, detailed: bool) -> str | None:
    text = _name(line, detailed)[0]
    bare = text.rstrip("/")
    if bare and (
        bare in {folder.rstrip("/") for folder in names.folders}
        or text in names.folders
        or (text in (".", "./") and "." in names.folders)
    ):
        return resolve(names.base, bare)
    if line.startswith("/") and line.rstrip("/") in {resolve(names.base, folder) for folder in names.folders}:
        return line.rstrip("/")
    return None


def _name(text: str, detailed: bool) -> tuple[str, bool]:
    """The name in a row, and whether it is marked as a folder."""
    text = _SIZE.sub("", text.rstrip("\r"))
    if detailed or text.startswith("["):
        if re.match(r"^\[d[-rwxsStT]{9}", text):
            stripped = _DETAILS.sub("", text)
            return unquoted(stripped.rstrip("/")), True
        text = _DETAILS.sub("", text) if detailed or re.match(r"^\[\s*[\d.]+[KMGT]?\]\s", text) else text
    failed = text.endswith("]") and re.search(
        r"\s+\[(?:error opening dir|\d+ entries exceeds filelimit[^\]]*)\]$", text
    )
    if failed:
        return text[: failed.start()], True
    before, arrow, after = text.partition(" -> ")
    if arrow and (_ENDING.search(before) or not _ENDING.search(after) or "/" in after):
        text = before
    marked = text.endswith("/")
    return unquoted(text.rstrip("/*=|") if marked or text.endswith("*") else text), marked
