"""One tool call with its observation, and what is gathered of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tabcore.capture.attribution import Sight, attribute
from tabcore.capture.errors_shown import shown_errors
from tabcore.capture.evaluation import evaluate
from tabcore.capture.findings import Workspace
from tabcore.capture.patterns import resolve, without_marks, words_of
from tabcore.capture.programs import run
from tabcore.capture.shell import parse
from tabcore.capture.shell_state import Facts, Shell
from tabcore.capture.shows import Stream
from tabcore.capture.wrappings import Unwrapped, unwrapped, without_prompts
from tabcore.trajectory import Json

PATH_ARGUMENTS = words_of(
    "file_path filePath path filepath filename file_name target_file absolute_path file notebook_path relative_path relative_workspace_path "
    "absolutePath uri target_path dir_path directory directory_path folder dirPath document pdf_path input_path source_path src"
)
COMMAND_ARGUMENTS = words_of("command cmd code keystrokes script bash shell_command commands input")


@dataclass(slots=True)
class Scene:
    """A call being judged. `text` is the observation with the tab's and the harness's insertions cut out, `head` its beginning with them."""

    tool: str
    arguments: Mapping[str, Json]
    text: str
    is_error: bool
    images: int
    workspace: Workspace
    sight: Sight
    cwd: str
    head: str = ""

    @property
    def facts(self) -> Facts:
        """What is known and written in this call."""
        return self.sight.facts

    def argument(self, *names: str) -> str:
        """The first of these arguments that is a text; "" when there is none."""
        for name in names:
            value = self.arguments.get(name)
            if isinstance(value, str) and value:
                return without_marks(value)
        return ""

    def path(self) -> str:
        """The path that the call names, absolute; "" when it names none."""
        named = self.argument(*PATH_ARGUMENTS).removeprefix("file://")
        folder, name = self.argument("directory", "folder", "dir"), self.argument("file_name", "filename")
        if folder and name and "/" not in name:
            named = f"{folder}/{name}"
        return self.absolute(named) if named else ""

    def absolute(self, path: str) -> str:
        """A path as the call means it."""
        if path.startswith("~/"):
            path = self.workspace.home + path[1:]
        return resolve(self.cwd, path.strip().removeprefix("@"))

    def lines(self) -> list[str]:
        """The observation's lines, without a harness's wrapping."""
        return split_lines(self.unwrapped().text)

    def unwrapped(self) -> Unwrapped:
        """The observation without a harness's wrapping."""
        found = unwrapped(self.text)
        self.sight.cut = self.sight.cut or found.cut
        self.sight.partial = self.sight.partial or found.preview
        return found


def split_lines(text: str) -> list[str]:
    """Lines of a text, without an empty last one."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines


_TRACE = re.compile(r"^\++ [^\n]*$", re.MULTILINE)


def judge_command(scene: Scene, command: str, cwd: str, stated_cwd: str = "") -> None:
    """A bash command and what it showed; the workspace's working directory follows it."""
    shown = scene.unwrapped()
    text = without_prompts(shown.text, command) if "@" in shown.text else shown.text
    text = without_marks(text)
    if "set -x" in command or " -x" in command:
        text = _TRACE.sub("", text)
    scene.facts.folders.update(resolve(cwd, name) for name in shown.folders if "/" not in name)
    errors = shown_errors(text, command)
    scene.facts.errors = errors
    shell = Shell(scene.facts, cwd, run=run)
    if not scene.workspace.fresh_cwd:
        shell.previous = scene.workspace.variables.get("OLDPWD", "")
        shell.stack = [folder for folder in scene.workspace.variables.get("DIRSTACK", "").split("\n") if folder]
    stream = evaluate(parse(command), shell)
    _look(scene, stream, errors.text, shell, shown.folders)
    _keep(scene, shell, cwd, shown.cwd or stated_cwd)


def _look(scene: Scene, stream: Stream, text: str, shell: Shell, blue: set[str]) -> None:
    if stream and text.strip():
        if blue:
            for show in stream:
                base = getattr(show, "base", "")
                for folder in getattr(show, "folders", ()):
                    scene.facts.folders.update(resolve(resolve(base, folder), name) for name in blue if "/" not in name)
        attribute(stream, split_lines(text), scene.sight)


def _forget_removed(facts: Facts, workspace: Workspace) -> None:
    """A removed file is no known file any more, so that no pattern of a later command stands for it."""
    moved = {previous for previous, _, _ in facts.moved}
    for path in facts.removed - moved:
        if path in workspace.files and not facts.errors.mentions(path):
            workspace.files.discard(path)
        elif path in workspace.directories:
            workspace.files -= {known for known in workspace.files if known.startswith(path + "/")}


def _keep(scene: Scene, shell: Shell, cwd: str, stated: str) -> None:
    """Working directory and variables that outlast the command."""
    workspace = scene.workspace
    _forget_removed(scene.facts, workspace)
    scene.cwd = shell.cwd
    if workspace.fresh_cwd:
        scene.cwd = cwd
        return
    if stated.startswith("/"):
        scene.cwd = resolve("/", stated)
    if shell.previous and shell.cwd != cwd:
        workspace.variables["OLDPWD"] = shell.previous
    if shell.stack or "DIRSTACK" in workspace.variables:
        workspace.variables["DIRSTACK"] = "\n".join(shell.stack)
    for name, values in shell.variables.items():
        if (
            len(values) == 1
            and len(values[0]) < 1000
            and without_marks(values[0]) == values[0]
            and name not in ("IFS", "PATH")
        ):
            workspace.variables[name] = values[0]
