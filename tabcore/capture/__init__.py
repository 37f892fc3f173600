"""From a tool call and its observation to what was read, listed and written.

    tools/          which part of the call names files: a bash command, a path argument, a pattern
    shell.py        a bash command -> a tree (shell_tree.py)
    evaluation.py   the tree, run without running it -> what it would show (shows.py)
    programs/       the table: what each program does with its operands
    scripts/        inline python, node, perl: literal paths opened, printed, listed, written
    alignment.py    which lines of the observation belong to which show
    attribution.py  shows and their lines -> reads and listings
    listings.py     lines -> the paths that they show

To add a program that agents use: one row in programs/. To add a harness's tool: one row in tools/.
"""

from __future__ import annotations

from collections.abc import Iterable

from tabcore.capture.attribution import Sight
from tabcore.capture.errors_shown import ShownErrors
from tabcore.capture.findings import Captured, Finding, FindingKind, Workspace
from tabcore.capture.patterns import is_literal, readable, relative, without_marks
from tabcore.capture.shell_state import Facts
from tabcore.capture.tools import judge
from tabcore.capture.tools.scene import Scene
from tabcore.trajectory import Observation, ToolCall

__all__ = ["Captured", "Finding", "FindingKind", "Workspace", "capture"]

MAX_OBSERVATION = 64_000_000
MAX_HEAD = 40_000
MAX_SCRIPT = 1_000_000


def capture(call: ToolCall, observation: Observation | None, workspace: Workspace) -> Captured:
    """What one call read, listed and wrote, judged by its observation; None when no result was recorded.

    `workspace` is brought up to date (working directory, known files, what was written), so calls must
    come in the order in which they were shown. Never raises: what cannot be decided is a finding of
    kind `unknown` with its reason. Cost is linear in the length of command and observation.
    """
    facts = Facts(workspace, ShownErrors())
    sight = Sight(facts)
    text = shown_text(observation)
    scene = Scene(
        tool=without_marks(call.name),
        arguments=call.arguments,
        text=text.replace("\r\n", "\n") if "\r" in text else text,
        is_error=observation.is_error if observation else True,
        images=observation.images if observation else 0,
        workspace=workspace,
        sight=sight,
        cwd=workspace.cwd,
        head=observation.text[:MAX_HEAD] if observation else "",
    )
    try:
        judge(scene)
    except RecursionError:
        sight.undecided[""] = "the call is nested too deeply"
    if observation is None:
        sight.undecided.clear()
    if not workspace.fresh_cwd:
        workspace.cwd = (
            observation.cwd if observation and observation.cwd and observation.cwd.startswith("/") else scene.cwd
        )
    return Captured(_findings(sight, workspace), workspace.cwd)


def shown_text(observation: Observation | None) -> str:
    """The observation's text without what the tab or the harness put into it."""
    if observation is None:
        return ""
    text = observation.text
    foreign = [span for span in observation.spans if span.origin in ("tab", "harness")]
    if not foreign:
        return without_marks(text[:MAX_OBSERVATION])
    pieces: list[str] = []
    position = 0
    for span in sorted(foreign, key=lambda span: span.start):
        pieces.append(text[position : max(position, span.start)])
        position = max(position, span.end)
    return without_marks("".join([*pieces, text[position:]]))


def _findings(sight: Sight, workspace: Workspace) -> tuple[Finding, ...]:
    """The findings in order: what was written and moved, reads, listings, what could not be decided."""
    facts, root = sight.facts, workspace.root
    workspace.directories |= facts.folders
    found: list[Finding] = []
    if facts.authored_patterns:
        for path in sight.listed:
            pattern_rule = facts.authored_by_pattern(path)
            if pattern_rule is not None:
                facts.authored.setdefault(path, pattern_rule)
    for path, rule in facts.authored.items():
        found.append(Finding("authored", relative(root, path), rule))
        workspace.authored.add(path)
    for previous, path, rule in _moved_files(facts, workspace):
        found.append(Finding("renamed", relative(root, path), rule, previous=relative(root, previous)))
        _rename(previous, path, workspace)
    for path, (rule, partial) in sight.reads.items():
        found.append(Finding("read", relative(root, path), rule, partial))
        workspace.read.add(path)
    _know_all(sight.reads, workspace)
    _know_all(sight.listed, workspace)
    reads, authored, folders = sight.reads, workspace.authored, workspace.directories
    prefix = root.rstrip("/") + "/"
    cut = len(prefix)
    for path, rule in sight.listed.items():
        if path not in folders and path not in reads and path not in authored and path != root:
            found.append(Finding("listed", path[cut:] if path.startswith(prefix) and path != prefix else path, rule))
    for pattern, reason in sight.undecided.items():
        if pattern not in sight.reads:
            found.append(Finding("unknown", relative(root, readable(pattern)), reason))
    for path in facts.authored:
        workspace.scripts.pop(path, None)
    for path, text in facts.scripts.items():
        if is_literal(path) and len(text) <= MAX_SCRIPT:
            workspace.scripts[path] = text
    workspace.files |= set(facts.authored)
    return tuple(found)


def _moved_files(facts: Facts, workspace: Workspace) -> list[tuple[str, str, str]]:
    """Moves of single files: a moved folder takes its known files with it."""
    moves: list[tuple[str, str, str]] = []
    for previous, path, rule in facts.moved:
        inner = [known for known in workspace.files if known.startswith(previous + "/")]
        moves += [(known, path + known[len(previous) :], rule) for known in sorted(inner)] or [(previous, path, rule)]
    return moves


def _know_all(paths: Iterable[str], workspace: Workspace) -> None:
    """Remembers files, and that the folders above them are folders."""
    fresh = [path for path in paths if path not in workspace.files]
    workspace.files.update(fresh)
    for folder in {path.rpartition("/")[0] for path in fresh}:
        while folder and folder not in workspace.directories:
            workspace.directories.add(folder)
            if folder.endswith("/.git"):
                workspace.repositories.add(folder.removesuffix("/.git"))
            folder = folder.rpartition("/")[0]


def _rename(previous: str, path: str, workspace: Workspace) -> None:
    if previous in workspace.files:
        workspace.files.discard(previous)
        workspace.files.add(path)
    if previous in workspace.read:
        workspace.read.add(path)
