"""SWE-agent's own commands: open, goto, scroll, find_file, search_dir, search_file, edit, create; else bash."""

from __future__ import annotations

import re
import shlex

from tabcore.capture.patterns import resolve
from tabcore.capture.tools.file_tools import editor_tool, failed
from tabcore.capture.tools.scene import Scene, judge_command

_WINDOW = re.compile(r"^\[File: (?P<path>.+) \(\d+ lines? total\)\]$", re.MULTILINE)
_WINDOW_LINE = re.compile(r"^\d+:.*\S", re.MULTILINE)
_FOUND_IN = re.compile(r"^Found \d+ matches for .* in (?P<path>.+?):?$", re.MULTILINE)
_COUNTED = re.compile(r"^(?P<path>/.+) \((?P<count>\d+) matches\)$", re.MULTILINE)
_EDITOR = ("str_replace_editor", "str_replace_based_edit_tool")


def swe_agent_tool(scene: Scene) -> None:
    """A line of SWE-agent: one of its commands with its operands."""
    command = scene.argument("command", "action", "input")
    words = _words(command)
    verb = words[0] if words else ""
    _follow_state(scene)
    if verb in _EDITOR:
        _editor(scene, words)
    elif verb in COMMANDS:
        COMMANDS[verb](scene, words[1:])
    else:
        judge_command(scene, command, scene.cwd)
        shown = scene.unwrapped()
        scene.workspace.open_file = shown.open_file if shown.open_file is not None else scene.workspace.open_file


def swe_function(scene: Scene) -> None:
    """The same commands as tools of their own: the arguments stand in for the operands."""
    operands = [
        value
        for name in ("path", "file_name", "filename", "search_term", "dir", "file", "line_number")
        if isinstance(value := scene.arguments.get(name), str)
    ]
    _follow_state(scene)
    COMMANDS[scene.tool](scene, operands)


def _words(command: str) -> list[str]:
    line = command.strip().split("\n", 1)[0]
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()


def _follow_state(scene: Scene) -> None:
    shown = scene.unwrapped()
    if shown.cwd.startswith("/"):
        scene.cwd = shown.cwd
    if shown.open_file:
        scene.workspace.open_file = resolve(scene.cwd, shown.open_file)


def _window(scene: Scene, words: list[str]) -> None:
    """open, goto, scroll: the window's header names the file that is shown."""
    match = _WINDOW.search(scene.text)
    if match is not None:
        path = resolve(scene.cwd, match["path"])
        scene.workspace.open_file = path
        if _WINDOW_LINE.search(scene.text):
            scene.sight.read(path, "SWE-agent window: content of the open file")
    elif words and not failed(scene) and _WINDOW_LINE.search(scene.text):
        scene.sight.read(scene.absolute(words[0]), "SWE-agent open: content is shown")
    elif scene.workspace.open_file and not words and _WINDOW_LINE.search(scene.text):
        scene.sight.read(scene.workspace.open_file, "SWE-agent scroll: content of the open file")


def _create(scene: Scene, words: list[str]) -> None:
    match = _WINDOW.search(scene.text)
    path = resolve(scene.cwd, match["path"]) if match else scene.absolute(words[0]) if words else ""
    if path and "already exists" not in scene.text[:300]:
        scene.facts.author(path, "SWE-agent create: makes the file")
        scene.workspace.open_file = path


def _edit(scene: Scene, words: list[str]) -> None:
    """edit shows the window again: a read of an existing file, the agent's own text of an authored one."""
    match = _WINDOW.search(scene.text)
    path = resolve(scene.cwd, match["path"]) if match else scene.workspace.open_file
    scene.workspace.open_file = path
    if path and path not in scene.workspace.authored and _WINDOW_LINE.search(scene.text):
        scene.sight.read(path, "SWE-agent edit: the window shows the file")


def _find_file(scene: Scene, words: list[str]) -> None:
    for line in scene.text.split("\n"):
        if line.startswith("/"):
            scene.sight.list(resolve("/", line.strip()), "SWE-agent find_file: paths of the listing")


def _search_dir(scene: Scene, words: list[str]) -> None:
    for match in _COUNTED.finditer(scene.text):
        scene.sight.list(resolve("/", match["path"]), "SWE-agent search_dir: paths beside counts")


def _search_file(scene: Scene, words: list[str]) -> None:
    match = _FOUND_IN.search(scene.text)
    if match is not None and re.search(r"^Line \d+:", scene.text, re.MULTILINE):
        scene.sight.read(resolve(scene.cwd, match["path"]), "SWE-agent search_file: matching lines")


def _submit(scene: Scene, words: list[str]) -> None:
    """submit shows the patch that is handed in."""
    judge_command(scene, "git diff", scene.cwd)


def _editor(scene: Scene, words: list[str]) -> None:
    """str_replace_editor, typed as a command line."""
    arguments = dict(scene.arguments)
    arguments["command"] = words[1] if len(words) > 1 else ""
    arguments["path"] = words[2] if len(words) > 2 else ""
    scene.arguments = arguments
    editor_tool(scene)


COMMANDS = {
    "open": _window,
    "goto": _window,
    "scroll_down": _window,
    "scroll_up": _window,
    "create": _create,
    "edit": _edit,
    "insert": _edit,
    "find_file": _find_file,
    "search_dir": _search_dir,
    "search_file": _search_file,
    "submit": _submit,
}
