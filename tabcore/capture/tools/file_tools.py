"""Tools that read, list and write files by path."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable
from functools import partial

from tabcore.capture.patterns import from_glob, matches, resolve
from tabcore.capture.tools.edits import patched, replaced
from tabcore.capture.tools.listed_by_tools import tool_entries
from tabcore.capture.tools.scene import Scene
from tabcore.trajectory import Json

_FAILED = re.compile(
    r"\A\s*(?:<tool_use_error>|<error>|\[?error\b|ERROR\b|Error[: ]|ENOENT|EISDIR|EACCES|ENOTDIR|Traceback|Access denied|Permission denied|cat: |"
    r"(?:The )?[Ff]ile (?:\S+ )?(?:does not exist|not found|is empty|has not been read)|File not found|No such file|[Oo]ffset \d+ is beyond|Invalid\b|Failed to|Could not|Cannot |Unable to|Path (?:does not exist|not found)|"
    r"Warning: the file exists but|<system-reminder>Warning|File does not exist|File content \([^)]*\) exceeds|Unsupported|\(?empty file\)?|\[?File is empty|This tool cannot read|Binary file|Cannot read binary|Note: file exists|Directory (?:does not|not) )"
    r"|exceeds maximum allowed (?:tokens|size)|\A\s*\S+ (?:does not exist|not found|is a directory)\.?\s*\Z|File unchanged since last read"
)
_FOLDER = re.compile(
    r"\A(?:<path>[^\n]*</path>\n)?<type>directory</type>|\AHere's the files and directories up to|\ADirectory listing (?:for|of)|\A- /[^\n]*/\n\s+- |\AContents of (?:directory|folder)",
    re.MULTILINE,
)
_SECTION = re.compile(r"^-{2,} (?P<path>\S[^\n]*?) -{2,}$", re.MULTILINE)
_NUMBER_ONLY = re.compile(r"\s*(?:\d+[\t→|:][\t→|: ]*)?\s*")
_REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)\n?", re.DOTALL)
_PREVIEW = re.compile(
    r"truncated to \d+ (?:rows|lines|pages)|showing (?:the )?first \d+ (?:rows|lines|pages)|IMPORTANT: The file content has been truncated|<persisted-output>|abbreviated version|too large to display entirely|\[Showing lines|\(Showing lines|preview of the first|<response clipped>|\(truncated\)|\[Output truncated|truncated because",
    re.IGNORECASE,
)


_PREVIEW_SIGNS = (
    "truncated",
    "showing",
    "persisted-output",
    "abbreviated",
    "display entirely",
    "preview of",
    "clipped",
)


def _is_preview(text: str) -> bool:
    folded = text.lower()
    return any(sign in folded for sign in _PREVIEW_SIGNS) and _PREVIEW.search(text) is not None


def failed(scene: Scene) -> bool:
    """True when the observation refuses: no such file, a folder, too large, offset beyond the end."""
    text = (
        _REMINDER.sub("", scene.text)
        if "<system-reminder>" in scene.text and not scene.text.lstrip().startswith("<system-reminder>")
        else scene.text
    )
    if scene.is_error and not scene.images:
        return True
    return _FAILED.search(text[:1500] if len(text) < 1500 else text[:400]) is not None or _json_error(text)


def _json_error(text: str) -> bool:
    if not text.startswith("{") or len(text) > 100_000:
        return False
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and (
        bool(value.get("error")) or value.get("success") is False or value.get("isError") is True
    )


def has_content(scene: Scene) -> bool:
    """True when something of a file can be seen: text besides line numbers, or a picture."""
    if scene.images:
        return True
    text = _REMINDER.sub("", scene.text) if "<system-reminder>" in scene.text else scene.text
    if len(text) < 400 and scene.unwrapped().empty:
        return False
    return any(_NUMBER_ONLY.fullmatch(line) is None for line in text.split("\n", 400)[:400])


def read_tool(scene: Scene) -> None:
    """Read, read, view, open_file: the file of the path argument, unless the observation shows a folder or refuses."""
    paths = _paths(scene)
    if len(paths) > 1:
        _read_several(scene, paths)
        return
    path = paths[0] if paths else ""
    if not path or failed(scene):
        _refused(scene, path)
        return
    if _FOLDER.match(scene.text):
        list_folder(scene, path)
    elif has_content(scene):
        partial = _is_preview(scene.text[:3000]) or (len(scene.text) > 3000 and _is_preview(scene.text[-600:]))
        scene.sight.read(path, f"{scene.tool} tool: the path argument; content is shown", partial)


def _refused(scene: Scene, path: str) -> None:
    if path and re.search(r"EISDIR|[Ii]s a directory", scene.text[:400]):
        scene.sight.folder(path)


def _paths(scene: Scene) -> list[str]:
    for name in ("paths", "file_paths", "files", "filePaths", "args", "path", "target_files"):
        value = scene.arguments.get(name)
        if isinstance(value, str) and value.startswith("[") and value.endswith("]"):
            value = _json_list(value)
        if isinstance(value, list):
            texts = [
                item if isinstance(item, str) else item.get("path") if isinstance(item, dict) else None
                for item in value
            ]
            found = [scene.absolute(text) for text in texts if isinstance(text, str) and text]
            if found:
                return found
    path = scene.path()
    return [path] if path else []


def _json_list(text: str) -> Json:
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value


def _read_several(scene: Scene, paths: list[str]) -> None:
    """read_multiple_files: each path with its content, or with an error of its own."""
    text = scene.text
    for path in paths:
        if "*" in path:
            _read_matching(scene, path)
            continue
        shown = next(
            (
                form
                for form in (path, posixpath.relpath(path, scene.workspace.root), posixpath.basename(path))
                if form in text
            ),
            None,
        )
        if shown is None:
            if len(text.strip()) > 0 and not failed(scene):
                scene.sight.undecided.setdefault(path, f"{scene.tool} tool: the observation does not name this path")
            continue
        after = text[text.index(shown) + len(shown) :][:200].lstrip(":*`'\" \n-")
        if not re.match(r"Error\b|ENOENT|No such|not found|does not exist", after) and after:
            scene.sight.read(path, f"{scene.tool} tool: one of its paths; content is shown")


def _read_matching(scene: Scene, glob: str) -> None:
    """A glob among the paths to read: the files that headings of the observation name."""
    pattern = from_glob(glob)
    found = [scene.absolute(match["path"]) for match in _SECTION.finditer(scene.text)]
    fitting = [path for path in found if matches(pattern, path)]
    for path in fitting:
        scene.sight.read(path, f"{scene.tool} tool: a file of its pattern; content is shown")
    if not fitting and scene.text.strip() and not failed(scene):
        scene.sight.undecided.setdefault(pattern, f"{scene.tool} tool: the observation does not name its files")


def list_folder(scene: Scene, path: str) -> None:
    """Entries of a folder that a tool shows."""
    scene.sight.folder(path)
    for entry, is_folder in tool_entries(scene, path):
        if is_folder:
            scene.sight.folder(entry)
        else:
            scene.sight.list(entry, f"{scene.tool} tool: paths of the listing")


def list_tool(scene: Scene) -> None:
    """LS, ls, list_directory, directory_tree."""
    if scene.is_error and not scene.text.strip().startswith(("-", "[")):
        return
    if failed(scene):
        return
    list_folder(scene, scene.path() or scene.cwd)


def write_tool(scene: Scene) -> None:
    """Write, write, create_file: the file is the agent's own."""
    path = scene.path()
    if not path or failed(scene):
        return
    scene.facts.author(path, f"{scene.tool} tool: writes the file")
    content = scene.argument("content", "file_text", "text", "contents", "new_content", "code", "file_content")
    if content:
        scene.facts.scripts[path] = content


_SNIPPET = re.compile(r"result of running `cat -n`|^\s*\d+[\t→]", re.MULTILINE)


def edit_tool(scene: Scene) -> None:
    """Edit, str_replace: an existing file is changed, not authored; a snippet that is echoed is a read."""
    path = scene.path()
    if not path or failed(scene):
        return
    old = scene.argument("old_string", "old_str", "oldText", "search", "old_text", "oldString")
    if "old_string" in scene.arguments and not old:
        scene.facts.author(path, f"{scene.tool} tool: creates the file")
        scene.facts.scripts[path] = scene.argument("new_string")
        return
    _rewrite(scene, path, lambda text: replaced(text, scene.arguments))
    if _SNIPPET.search(scene.text):
        scene.sight.read(path, f"{scene.tool} tool: a snippet of the edited file is shown")


def _rewrite(scene: Scene, path: str, change: Callable[[str], str | None]) -> None:
    """Keeps the text of a file that the agent wrote up to date; a change that does not fit makes it unknown."""
    text = scene.facts.script(path)
    if text:
        scene.facts.scripts[path] = change(text) or ""


def editor_tool(scene: Scene) -> None:
    """str_replace_editor, str_replace_based_edit_tool: view, create, str_replace, insert, undo_edit."""
    match scene.argument("command"):
        case "view":
            read_tool(scene)
        case "create":
            write_tool(scene)
        case _:
            edit_tool(scene)


_PATCH_FILE = re.compile(
    r"^\*\*\* (?P<what>Add|Update|Delete) File: (?P<path>.+?)\s*$|^\*\*\* Move to: (?P<moved>.+?)\s*$", re.MULTILINE
)


def patch_tool(scene: Scene) -> None:
    """apply_patch: files that are added are the agent's own; a move renames."""
    text = next((value for value in scene.arguments.values() if isinstance(value, str) and "*** " in value), "")
    if not text:
        words = scene.arguments.get("command")
        text = (
            next((word for word in words if isinstance(word, str) and "*** " in word), "")
            if isinstance(words, list)
            else ""
        )
    apply_patch(scene, text)


def apply_patch(scene: Scene, text: str) -> None:
    """The files that a patch of Codex adds and moves."""
    if scene.is_error or re.search(
        r"\A\s*(?:error|failed|invalid patch|apply_patch verification failed)", scene.text, re.IGNORECASE
    ):
        return
    last = ""
    found = list(_PATCH_FILE.finditer(text))
    ends = [following.start() for following in found[1:]] + [len(text)]
    for match, end in zip(found, ends, strict=False):
        body = text[match.end() : end]
        lines = body.removeprefix("\n").partition("\n*** End ")[0].splitlines()
        if match["moved"]:
            scene.facts.move(last, scene.absolute(match["moved"]), "apply_patch: moves the file")
            continue
        last = scene.absolute(match["path"])
        if match["what"] == "Add":
            scene.facts.author(last, "apply_patch: adds the file")
            scene.facts.scripts[last] = "".join(f"{line[1:]}\n" for line in lines if line.startswith("+"))
        elif match["what"] == "Update":
            _rewrite(scene, last, partial(patched, hunks=lines))


def copy_tool(scene: Scene) -> None:
    """move_file, copy_file, rename: by source and destination."""
    source = scene.argument("source", "src", "from", "old_path", "source_path")
    target = scene.argument("destination", "dest", "dst", "to", "new_path", "destination_path")
    if not source or not target or failed(scene):
        return
    if "copy" in scene.tool.lower():
        scene.facts.author(scene.absolute(target), f"{scene.tool} tool: writes a copy")
    else:
        scene.facts.move(scene.absolute(source), scene.absolute(target), f"{scene.tool} tool: the file has a new path")


def about_file(scene: Scene) -> None:
    """get_file_info, stat: the path of the argument, when the observation names it or tells of it."""
    path = scene.path()
    if path and not failed(scene) and scene.text.strip():
        if re.search(r"isDirectory:? true|type:? directory|\"type\": \"directory\"", scene.text):
            scene.sight.folder(path)
        elif posixpath.basename(path) in scene.text:
            scene.sight.list(path, f"{scene.tool} tool: tells about the path")


def nothing(scene: Scene) -> None:
    """A tool that shows neither content nor paths of the workspace."""


def document_tool(scene: Scene) -> None:
    """Sheet, page and slide readers of office tools: what is read is the file of the path argument."""
    action = scene.argument("action", "operation", "command")
    path = scene.path()
    if not path or failed(scene):
        return
    if re.match(r"(?:create|write|update|add|set|insert|append|delete|save|format|merge|edit)", action):
        if re.match(r"(?:create|save)", action):
            scene.facts.author(path, f"{scene.tool} tool: {action} writes the file")
        return
    if has_content(scene):
        scene.sight.read(
            path,
            f"{scene.tool} tool: {action or 'shows'} content of the path argument",
            "truncated" in scene.text[:3000],
        )


__all__ = ["resolve"]
