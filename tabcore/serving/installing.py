"""Configuration of a project for a host: what would be written, written, and taken out again.

Beside what was there stands what this program adds; files that it made and folders that it made for them are removed
again. What it wrote is noted beside the journals: a file that nobody has touched since gets its old bytes back, from
any other only our own entries are taken.
"""

from __future__ import annotations

import difflib
import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from tabcore.errors import UsageError
from tabcore.journal import make_folder
from tabcore.serving.folders import TabFolder
from tabcore.tab import messages
from tabcore.tab.operations import NAMES

SERVER = "runningtab"
"""Our name among a project's MCP servers."""

CLAUDE_CODE_EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop")

Merge = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Change:
    """A file of the project as it is and as it would be; None where there is none."""

    path: str
    before: str | None
    after: str | None

    def __str__(self) -> str:
        """The change as a unified diff."""
        old, new = ((text or "").splitlines() for text in (self.before, self.after))
        names = (
            (self.path if self.before is not None else "/dev/null"),
            (self.path if self.after is not None else "/dev/null"),
        )
        return "\n".join(difflib.unified_diff(old, new, *names, lineterm=""))


@dataclass(frozen=True, slots=True)
class Setting:
    """A host's call of this program: the project's tabs, the task where one is named, how long journals are kept."""

    folder: TabFolder
    state: str | None = None
    task: str | None = None
    keep_days: float | None = None

    def command(self, *what: str) -> list[str]:
        """The words of a command that calls this program about the project."""
        told = ["--workspace", str(self.folder.workspace)]
        told += ["--state", str(self.folder.place)] if self.state else []
        told += ["--task", self.task] if self.task else []
        told += ["--keep-days", f"{self.keep_days:g}"] if self.keep_days is not None and what[:1] == ("hook",) else []
        return [*_program(), *what, *told]


def installation(host: str, setting: Setting) -> tuple[Change, ...]:
    """What `write` would change; nothing where all of it stands there already."""
    project = setting.folder.workspace
    match host:
        case "claude-code":
            hooks = _hooks(setting, host, CLAUDE_CODE_EVENTS)
            server = {"type": "stdio", "command": setting.command()[0], "args": setting.command("mcp")[1:]}
            planned = [
                _json_change(
                    project / ".claude" / "settings.local.json", lambda value: _with_hooks(value, host, hooks)
                ),
                _json_change(project / ".mcp.json", lambda value: _with_server(value, server)),
            ]
        case "codex":
            hooks = _hooks(setting, host, ("Stop",))
            planned = [_json_change(project / ".codex" / "hooks.json", lambda value: _with_hooks(value, host, hooks))]
        case "pi":
            planned = [_extension_change(project / ".pi" / "extensions" / "runningtab.ts", setting)]
        case _:
            raise _no_host(host)
    return tuple(change for change in planned if change.before != change.after)


def removal(host: str, setting: Setting) -> tuple[Change, ...]:
    """What taking the installation out would change."""
    project = setting.folder.workspace
    noted = {change.path: change for change in _noted(host, setting.folder)}
    files: dict[Path, Merge | None]
    match host:
        case "claude-code":
            settings = project / ".claude" / "settings.local.json"
            files = {settings: lambda value: _without_hooks(value, host), project / ".mcp.json": _without_server}
        case "codex":
            files = {project / ".codex" / "hooks.json": lambda value: _without_hooks(value, host)}
        case "pi":
            files = {project / ".pi" / "extensions" / "runningtab.ts": None}
        case _:
            raise _no_host(host)
    changes = (_taken_out(path, merge, noted.get(str(path))) for path, merge in files.items())
    return tuple(change for change in changes if change is not None and change.before != change.after)


def write(host: str, setting: Setting, changes: tuple[Change, ...]) -> None:
    """Make the changes of an installation, and note them."""
    noted = {change.path: change for change in _noted(host, setting.folder)}
    for change in changes:
        earlier = noted.get(change.path)
        before = earlier.before if earlier and earlier.after == change.before else change.before
        noted[change.path] = Change(change.path, before, change.after)
        _write(Path(change.path), change.after)
    note = _note(host, setting.folder)
    make_folder(setting.folder.place)
    with os.fdopen(os.open(note, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "w") as stream:
        json.dump([asdict(change) for change in noted.values()], stream)


def take_out(host: str, setting: Setting, changes: tuple[Change, ...]) -> None:
    """Make the changes of a removal; folders that are empty then go too."""
    for change in changes:
        _write(Path(change.path), change.after)
    for change in changes:
        for folder in Path(change.path).parents:
            if folder == setting.folder.workspace or not folder.is_dir() or any(folder.iterdir()):
                break
            folder.rmdir()
    _note(host, setting.folder).unlink(missing_ok=True)


def _program() -> list[str]:
    script = Path(sys.executable).with_name("runningtab")
    return [str(script)] if os.access(script, os.X_OK) else [sys.executable, "-P", "-m", "tabcore"]


def _hooks(setting: Setting, host: str, events: Iterable[str]) -> dict[str, dict[str, Any]]:
    """A matcher group for each event."""
    command = shlex.join(setting.command("hook", host))
    run = {"hooks": [{"type": "command", "command": command, "timeout": 30}]}
    return {event: ({"matcher": "*", **run} if event.startswith("PostToolUse") else run) for event in events}


def _with_hooks(value: dict[str, Any], host: str, hooks: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    kept = _without_hooks(value, host)
    groups = dict(kept.get("hooks") or {})
    for event, group in hooks.items():
        groups[event] = [*groups.get(event, []), group]
    return {**kept, "hooks": groups}


def _without_hooks(value: dict[str, Any], host: str) -> dict[str, Any]:
    groups = value.get("hooks")
    if not isinstance(groups, dict):
        return value
    kept = {event: [group for group in of_event if not _is_ours(group, host)] for event, of_event in groups.items()}
    kept = {event: of_event for event, of_event in kept.items() if of_event or not groups[event]}
    rest = {name: part for name, part in value.items() if name != "hooks"}
    return {name: kept if name == "hooks" else part for name, part in value.items()} if kept else rest


def _is_ours(group: object, host: str) -> bool:
    """True for a matcher group that calls this program as a hook of the host, and nothing else."""
    runs = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(runs, list) or len(runs) != 1 or not isinstance(runs[0], dict):
        return False
    words = str(runs[0].get("command", "")).split(f" hook {host} --workspace ")
    return len(words) == 2 and words[0].endswith(("runningtab", "-m tabcore", "runningtab'"))


def _with_server(value: dict[str, Any], server: dict[str, Any]) -> dict[str, Any]:
    servers = value.get("mcpServers") or {}
    if SERVER in servers and not _is_our_server(servers[SERVER]):
        raise UsageError(".mcp.json", f"it has another server named {SERVER}", "Rename that one first")
    return {**value, "mcpServers": {**servers, SERVER: server}}


def _without_server(value: dict[str, Any]) -> dict[str, Any]:
    servers = value.get("mcpServers") or {}
    if not _is_our_server(servers.get(SERVER)):
        return value
    kept = {name: server for name, server in servers.items() if name != SERVER}
    return (
        {**value, "mcpServers": kept} if kept else {name: part for name, part in value.items() if name != "mcpServers"}
    )


def _is_our_server(server: object) -> bool:
    return isinstance(server, dict) and "mcp" in server.get("args", ()) and "--workspace" in server.get("args", ())


def _json_change(path: Path, merge: Merge) -> Change:
    before = _read(path)
    value = _object(path, before)
    merged = merge(value)
    return Change(str(path), before, before if merged == value and before else _dumped(merged, before))


def _taken_out(path: Path, merge: Merge | None, noted: Change | None) -> Change | None:
    """How a file is without our part; None for one that has none."""
    now = _read(path)
    if now is None:
        return None
    if noted is not None and now == noted.after:
        return Change(str(path), now, noted.before)
    if merge is None:
        return Change(str(path), now, None) if _is_our_extension(now) else None
    value = _object(path, now)
    kept = merge(value)
    if kept == value:
        return None
    made_by_us = noted is not None and noted.before is None
    return Change(str(path), now, None if made_by_us and not kept else _dumped(kept, now))


def _extension_change(path: Path, setting: Setting) -> Change:
    before = _read(path)
    if before is not None and not _is_our_extension(before):
        raise UsageError(str(path), "another extension has this name", "Rename that one first")
    template = resources.files("tabcore.serving").joinpath("pi_extension.ts").read_text("utf-8")
    told = {"command": setting.command("hook", "pi"), "system": messages.system_block(), "tools": _pi_tools()}
    return Change(str(path), before, template.replace('"@settings@"', json.dumps(told, indent=2, ensure_ascii=False)))


def _is_our_extension(text: str) -> bool:
    return "Written by `runningtab install pi`" in text[:300]


def _pi_tools() -> list[dict[str, Any]]:
    told = messages.tool_descriptions()
    return [
        {"name": f"tab_{name}", "description": told[f"tab_{name}"], "parameters": PARAMETERS[name]} for name in NAMES
    ]


_STRING = {"type": "string"}
PARAMETERS: Mapping[str, dict[str, Any]] = {
    "add": {
        "type": "object",
        "properties": {"items": {"type": "array", "items": _STRING}},
        "required": ["items"],
    },
    "resolve": {
        "type": "object",
        "properties": {
            "id": _STRING,
            "status": {"type": "string", "enum": ["done", "unavailable"]},
            "entry": _STRING,
            "reason": _STRING,
        },
        "required": ["id", "status"],
    },
    "list": {
        "type": "object",
        "properties": {"kind": {"type": "string", "enum": ["requirements", "candidates", "read_log"]}},
        "required": ["kind"],
    },
    "show": {"type": "object", "properties": {"entry": _STRING}, "required": ["entry"]},
}
"""What each of the tab's tools takes, as JSON Schema."""


def _read(path: Path) -> str | None:
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            return stream.read()
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as fault:
        raise UsageError(str(path), f"it cannot be read ({fault})", "Nothing was changed") from fault


def _object(path: Path, text: str | None) -> dict[str, Any]:
    try:
        value = json.loads(text) if text and text.strip() else {}
    except ValueError as fault:
        raise UsageError(str(path), f"it is no JSON ({fault})", "Mend it first; nothing was changed") from fault
    groups = value.get("hooks", {}) if isinstance(value, dict) else None
    if not isinstance(groups, dict) or not all(isinstance(of_event, list) for of_event in groups.values()):
        raise UsageError(str(path), "it is not what the host reads", "Mend it first; nothing was changed")
    return dict(value)


def _dumped(value: dict[str, Any], like: str | None) -> str:
    """JSON, indented as the text before was."""
    second = (like or "").splitlines()[1:2]
    indent = second[0][: len(second[0]) - len(second[0].lstrip())] if second else ""
    return json.dumps(value, indent=indent or 2, ensure_ascii=False) + "\n"


def _write(path: Path, text: str | None) -> None:
    """Put a file in the place of the old one, at once; None takes it away."""
    try:
        if text is None:
            path.unlink()
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        target = path.resolve()
        new = target.with_name(f".{target.name}.{os.getpid()}")
        with new.open("w", encoding="utf-8", newline="") as stream:
            stream.write(text)
        if target.exists():
            shutil.copymode(target, new)
        new.replace(target)
    except OSError as fault:
        raise UsageError(
            str(path), f"it cannot be written ({fault.strerror})", "Look at the folder's rights"
        ) from fault


def _note(host: str, folder: TabFolder) -> Path:
    return folder.place / f".installed-{host}.json"


def _noted(host: str, folder: TabFolder) -> tuple[Change, ...]:
    try:
        return tuple(Change(**change) for change in json.loads(_note(host, folder).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return ()


def _no_host(host: str) -> UsageError:
    return UsageError(
        host, "it is no host that this program can be installed for", "There are claude-code, codex and pi"
    )
