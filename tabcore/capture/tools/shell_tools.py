"""Tools that run a shell command, or code."""

from __future__ import annotations

import json
import re
import shlex

from tabcore.capture.attribution import attribute
from tabcore.capture.errors_shown import shown_errors
from tabcore.capture.programs import run
from tabcore.capture.scripts.python_script import python_shows
from tabcore.capture.shell_state import Shell
from tabcore.capture.tools.scene import COMMAND_ARGUMENTS, Scene, judge_command, split_lines
from tabcore.trajectory import Json

_SHELL_WORDS = re.compile(r"^(?:/\S+/)?(?:bash|sh|zsh|dash)$")
_JOINED = re.compile(r"^(?:/\S+/)?(?:bash|zsh|sh) -l?c (?P<command>.*)$", re.DOTALL)


_STILL_RUNNING = ("running with session ID", "has no new output", "still running", "in the background")


def stated_command(head: str) -> str:
    r"""The command that Codex repeats before its output, as the shell gets it; "" where it repeats none.

    >>> stated_command("Command: bash -lc 'cat '\"'a b'\"\nChunk ID: 1\n")
    "cat 'a b'"
    """
    end = head.find("\nChunk ID: ")
    if end < 0 or not head.startswith("Command: "):
        return ""
    text = head[len("Command: ") : end]
    try:
        words = shlex.split(text)
    except ValueError:
        return ""
    return words[2] if len(words) == 3 and _SHELL_WORDS.match(words[0]) else text


def command_of(scene: Scene) -> str:
    """The command that the call runs, from a text, an argument list or keystrokes."""
    for name in (*COMMAND_ARGUMENTS, ""):
        if name not in scene.arguments:
            continue
        value = scene.arguments[name]
        if isinstance(value, list):
            return _from_list(value)
        if isinstance(value, str) and value:
            return _from_text(value) if name else _from_raw(value)
    return ""


def _from_list(words: list[Json]) -> str:
    texts = [word for word in words if isinstance(word, str)]
    if not texts:
        keys = [word.get("keystrokes") for word in words if isinstance(word, dict)]
        return "\n".join(key for key in keys if isinstance(key, str))
    if len(texts) >= 3 and _SHELL_WORDS.match(texts[0]) and texts[1].startswith("-") and "c" in texts[1]:
        return texts[2]
    return shlex.join(texts)


def _from_text(text: str) -> str:
    """A command; `bash -lc CMD` may come joined without quotes around CMD."""
    match = _JOINED.match(text)
    if match is not None and match["command"][:1] not in ("'", '"', "$"):
        return match["command"]
    return text


def _from_raw(text: str) -> str:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    inner = value.get("command") or value.get("cmd") if isinstance(value, dict) else None
    return _from_list(inner) if isinstance(inner, list) else inner if isinstance(inner, str) else ""


def shell_tool(scene: Scene) -> None:
    """bash and its like; a folder argument sets the working directory for this command."""
    command = command_of(scene)
    folder = scene.argument(
        "workdir", "directory", "cwd", "working_directory", "dir_path", "workingDirectory", "exec_dir"
    )
    cwd = scene.absolute(folder) if folder else scene.cwd
    before = scene.cwd
    if not command and scene.workspace.pending_command:
        command = scene.workspace.pending_command
    judge_command(scene, command, cwd)
    if folder:
        scene.cwd = before
    head = scene.head[:2000] + scene.text[:2000]
    scene.workspace.pending_command = command if any(sign in head for sign in _STILL_RUNNING) else ""


def poll_tool(scene: Scene) -> None:
    """write_stdin, BashOutput, bash_output: more output of a command that runs already."""
    pending = stated_command(scene.head) or scene.workspace.pending_command
    if pending:
        judge_command(scene, pending, scene.cwd)
    elif scene.text.strip():
        scene.sight.undecided.setdefault("", "output of a command that was started earlier")


def keystrokes_tool(scene: Scene) -> None:
    """Terminus: keys sent to a terminal; the screen echoes prompt and command."""
    keys = command_of(scene)
    keys = re.sub(r"\bC-[a-z]\b|\bEnter\b", "", keys) if re.fullmatch(r"\s*(?:C-[a-z]|Enter|q)\s*", keys) else keys
    judge_command(scene, _CONTROL_KEYS.sub("", keys).rstrip("\n"), scene.cwd)


_CONTROL_KEYS = re.compile(r"\A(?:C-[a-z]\s*)+")


def code_tool(scene: Scene) -> None:
    """ipython, python: a cell of Python; a cell that is none is taken as a command."""
    code = command_of(scene)
    if re.search(r"^\s*[!%]", code) or _is_command(code):
        magics = [
            line.strip().lstrip("!").removeprefix("%")
            for line in code.splitlines()
            if line.strip().startswith(("!", "%cd", "%ls"))
        ]
        judge_command(scene, "\n".join(magics) if magics else code, scene.cwd)
        return
    shown = scene.unwrapped()
    errors = shown_errors(shown.text, "python " + code[:2000])
    scene.facts.errors = errors
    shell = Shell(scene.facts, scene.cwd, run=run)
    stream = python_shows(code, shell, None, [], cell=True)
    if stream is None:
        judge_command(scene, code, scene.cwd)
    elif errors.text.strip():
        attribute(stream, split_lines(errors.text), scene.sight)


def _is_command(code: str) -> bool:
    """True for a shell command in an argument called code."""
    return (
        re.match(
            r"\s*(?:ls|cat|cd|grep|find|head|tail|sed|awk|python3?|pip|rg|echo|pwd|wc|jq|unzip|pdftotext|mkdir|cp|mv|tree|file|stat|node|bash|sh|git|curl)\b(?!\s*[=(.])",
            code,
        )
        is not None
    )
