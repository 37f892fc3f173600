"""Tools that search by name or by content."""

from __future__ import annotations

import json
import posixpath
import re

from tabcore.capture.filtered_lines import plausible
from tabcore.capture.named_content import prefixed_paths
from tabcore.capture.patterns import DEEP, STAR, resolve
from tabcore.capture.shows import Content
from tabcore.capture.tools.file_tools import failed
from tabcore.capture.tools.listed_by_tools import tool_entries
from tabcore.capture.tools.scene import Scene

_NOTHING = re.compile(
    r"\A\s*(?:No (?:matches|files|results|file|matching)[^\n]*|Found 0 [^\n]*|0 matches[^\n]*|\[\])\s*\Z", re.IGNORECASE
)
_FILE_HEADING = re.compile(
    r"^(?:File: (?P<file>.+)|(?P<path>[^\s:][^:\n]*):|#+ (?P<title>\S.*)|(?P<bare>(?:\.?/)?\S.*\.\w{1,8}))$"
)
_HEADED_LINE = re.compile(r"^(?:\s+Line \d+[:-]|L\d+[:-]|Line \d+[:-]|\s*\d+[:|-]|\s*│?\s*\d+[│:]|│(?!-))")
_CUT_NOTE = re.compile(r"^\s*(?:\[(?:Showing results|\d+ (?:results|matches) limit)|\(Results are truncated)")
_COUNTED = re.compile(r"^(?P<path>.+?)(?::\s*| \()(?P<count>\d+)(?: match(?:es)?\)?)?$")


def names_tool(scene: Scene) -> None:
    """Glob, find, search_files: paths that fit a pattern."""
    if scene.argument("regex"):
        search_tool(scene)
        return
    if failed(scene) or _NOTHING.match(scene.text):
        return
    folder = scene.path() or scene.cwd
    base = folder
    lines = [line for line in scene.lines() if line.strip()]
    if _relative_to_cwd(lines, folder, scene):
        base = scene.cwd
    for path, is_folder in tool_entries(scene, base):
        if is_folder:
            scene.sight.folder(path)
        elif plausible(posixpath.basename(path)) or path in scene.workspace.files or "/" in path:
            scene.sight.list(path, f"{scene.tool} tool: paths that fit the pattern")


def _relative_to_cwd(lines: list[str], folder: str, scene: Scene) -> bool:
    inside = posixpath.relpath(folder, scene.cwd)
    return inside not in (".", "") and any(line.strip().startswith(inside + "/") for line in lines)


def search_tool(scene: Scene) -> None:
    """Grep, grep, search_file_content: names, counts or matching lines, by the mode asked for and by what is seen."""
    if failed(scene) or _NOTHING.match(scene.text) or not scene.text.strip():
        return
    mode = scene.argument("output_mode", "outputMode", "mode")
    lines = [line for line in scene.lines() if line.strip() and not _CUT_NOTE.match(line)]
    if not mode and scene.tool == "Grep":
        mode = "files_with_matches"
    if mode == "files_with_matches" or scene.arguments.get("files_only") is True:
        _listed(scene, lines)
    elif mode == "count":
        _counted(scene, lines)
    else:
        _matching_lines(scene, lines)


def _listed(scene: Scene, lines: list[str]) -> None:
    for line in lines:
        text = line.strip()
        if re.match(r"Found \d+|No |\[|\(", text) is None:
            scene.sight.list(_place(text, scene), f"{scene.tool} tool: paths of files that match")


def _counted(scene: Scene, lines: list[str]) -> None:
    for line in lines:
        match = _COUNTED.match(line.strip())
        if match is not None and not re.match(r"Found \d+", line):
            scene.sight.list(_place(match["path"], scene), f"{scene.tool} tool: paths beside counts")


def _place(text: str, scene: Scene) -> str:
    """A printed path, absolute: relative to the working directory where it repeats the search path or is known there."""
    folder = scene.path()
    if not folder or text.startswith("/"):
        return resolve(scene.cwd, text)
    inside = posixpath.relpath(folder, scene.cwd)
    if inside == "." or text == inside or text.startswith((inside + "/", "./")):
        return resolve(scene.cwd, text)
    if posixpath.basename(folder) == text:
        return folder
    return resolve(folder, text)


def _matching_lines(scene: Scene, lines: list[str]) -> None:
    rule = f"{scene.tool} tool: matching lines"
    folder = scene.path()
    lines = lines[1:] if lines and re.match(r"Found \d+ (?:match|result|line|file)", lines[0]) else lines
    if _json_matches(scene, rule) or _headed(scene, lines, rule):
        return
    is_file = re.search(r"[^/.]\.\w{1,8}$", folder) is not None and not scene.facts.is_folder(folder)
    bases = [base for base in dict.fromkeys(("" if is_file else folder, posixpath.dirname(folder), scene.cwd)) if base]
    if folder and _relative_to_cwd(lines, folder, scene):
        bases = [scene.cwd]
    found: list[str] = []
    for base in bases:
        show = Content((folder or scene.cwd, DEEP + STAR) if not folder else (folder,), rule, "prefix", base, deep=True)
        found, _ = prefixed_paths(show, lines, scene.facts)
        if found:
            break
    for path in found:
        scene.sight.read(path, rule)
    shows_lines = scene.argument("output_mode") == "content" or any(re.match(r"^\s*\d+[:-]", line) for line in lines)
    if not found and is_file and shows_lines:
        scene.sight.read(folder, rule)
    elif not found:
        _only_names(scene, lines)


def _only_names(scene: Scene, lines: list[str]) -> None:
    """Where no line shows content, each is a path."""
    texts = [line.strip() for line in lines if re.match(r"Found \d+|No |\[|\(|End of", line.strip()) is None]
    if texts and all(plausible(text) and (":" not in text) for text in texts):
        for text in texts:
            match = _COUNTED.match(text)
            scene.sight.list(
                _place(match["path"] if match else text, scene), f"{scene.tool} tool: paths of files that match"
            )
    elif (
        texts
        and (counted := [match for text in texts if (match := _COUNTED.match(text))])
        and len(counted) == len(texts)
    ):
        for match in counted:
            scene.sight.list(_place(match["path"], scene), f"{scene.tool} tool: paths beside counts")


def _headed(scene: Scene, lines: list[str], rule: str) -> bool:
    """A path as a heading, numbered lines below it."""
    current = ""
    shown = False
    for line in lines:
        if _HEADED_LINE.match(line):
            if current:
                scene.sight.read(_place(current, scene), rule)
                shown = True
            continue
        match = _FILE_HEADING.match(line.strip())
        current = (
            next((group for group in match.groups() if group), "")
            if match
            else ""
            if line.startswith("---")
            else current
        )
        current = "" if re.match(r"Found \d+", current) else current
    return shown


def _json_matches(scene: Scene, rule: str) -> bool:
    text = scene.text.strip()
    if text[:1] not in "[{" or text[-1:] not in "]}":
        return False
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    items = (
        value if isinstance(value, list) else next((inner for inner in value.values() if isinstance(inner, list)), [])
    )
    shown = False
    for item in items:
        if isinstance(item, dict):
            path = next(
                (item[key] for key in ("file", "path", "filename", "file_path") if isinstance(item.get(key), str)), None
            )
            content = any(
                isinstance(item.get(key), str | list)
                for key in ("line", "text", "content", "match", "matches", "lines", "snippet")
            )
            if path is not None:
                shown = True
                (scene.sight.read if content else scene.sight.list)(_place(path, scene), rule)
    return shown
