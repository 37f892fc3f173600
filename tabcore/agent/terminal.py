"""The terminal tools of an agent: read, bash, write, edit, in one workspace folder.

No sandbox: a path or command may reach whatever the user can, unless a prefix puts commands into one; then paths are
held to the folder too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO

from tabcore.agent.bash import MOST_BYTES, MOST_LINES, printed_text, run_bash
from tabcore.agent.models import ToolSpec
from tabcore.trajectory import Json, Observation, ToolCall


@dataclass(frozen=True, slots=True)
class Terminal:
    """Where the tools work. Each command starts in `folder`; `home` is what it finds as its home folder.

    `prefix` stands before each command (that of bubblewrap or of a container); with one, the other tools reach nothing
    outside of `folder`.
    """

    folder: Path
    home: Path
    prefix: tuple[str, ...] = ()

    def environment(self) -> dict[str, str]:
        """The variables of a command: few, so that the same command prints the same anywhere."""
        return {
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "PATH": os.environ.get("PATH", os.defpath),
            "TZ": "UTC",
        }


class _Declined(Exception):
    """The tool cannot do what was asked; the text is for the model."""


@dataclass(frozen=True, slots=True)
class _Output:
    text: str
    is_error: bool = False
    exit_code: int | None = None


_Tool = Callable[[Terminal, Mapping[str, Json], float], _Output]


def use_tool(terminal: Terminal, call: ToolCall, seconds: float) -> Observation:
    """What a call of a terminal tool returns. Never raises for what a model asked: it is told what is wrong.

    `seconds` is the most that a command may take.
    """
    try:
        tool = _TOOLS.get(call.name)
        if "" in call.arguments:
            raise _Declined(f"{call.name}: the arguments are no JSON object: {str(call.arguments[''])[:200]}")
        if tool is None:
            raise _Declined(f"There is no tool {call.name!r}; the terminal tools are {', '.join(_TOOLS)}.")
        output = tool(terminal, call.arguments, seconds)
    except _Declined as declined:
        output = _Output(str(declined), is_error=True)
    except (OSError, ValueError) as fault:
        output = _Output(_fault_text(call, fault), is_error=True)
    return Observation(call.call_id, output.text, is_error=output.is_error, exit_code=output.exit_code)


def _fault_text(call: ToolCall, fault: OSError | ValueError) -> str:
    reason = fault.strerror or str(fault) if isinstance(fault, OSError) else str(fault)
    return f"{call.name}: {call.arguments.get('path', '')}: {reason}"


def _read(terminal: Terminal, arguments: Mapping[str, Json], seconds: float) -> _Output:
    path = _text(arguments, "path")
    first = _count(arguments, "offset", 1)
    most = min(_count(arguments, "limit", MOST_LINES), MOST_LINES)
    with _plain(terminal, path).open("rb") as file:
        if b"\0" in file.read(8192):
            raise _Declined(f"read: {path}: a binary file; its bytes cannot be shown as text")
        file.seek(0)
        return _Output(_window(file, first, most))


def _window(file: IO[bytes], first: int, most: int) -> str:
    """Lines `first` onwards of a file, `most` of them and `MOST_BYTES` at the most, with a note on what is left."""
    lines = iter(file)
    skipped = sum(1 for _ in islice(lines, first - 1))
    kept: list[bytes] = []
    size = 0
    for line in lines:
        if len(kept) == most or size + len(line) > MOST_BYTES:
            left = 1 + sum(1 for _ in lines)
            return _with_note(kept, line, left, skipped + len(kept) + 1)
        kept.append(line)
        size += len(line)
    if not kept and first > 1:
        raise _Declined(f"read: line {first} is past the end of the file ({skipped} lines)")
    return b"".join(kept).decode("utf-8", "replace")


def _with_note(kept: list[bytes], following: bytes, left: int, offset: int) -> str:
    if not kept:  # one line is longer than all that may be shown
        shown = following[:MOST_BYTES].decode("utf-8", "replace")
        return f"{shown}\n\n[Line {offset} is cut after {MOST_BYTES} of {len(following)} bytes]"
    text = b"".join(kept).decode("utf-8", "replace").rstrip("\n")
    return f"{text}\n\n[{left} more lines in file. Use offset={offset} to continue]"


def _bash(terminal: Terminal, arguments: Mapping[str, Json], seconds: float) -> _Output:
    limit = min(seconds, float(_count(arguments, "timeout", 86_400)))
    printed = run_bash(_text(arguments, "command"), terminal.folder, terminal.environment(), limit, terminal.prefix)
    return _Output(printed_text(printed, limit), is_error=printed.exit_code != 0, exit_code=printed.exit_code)


def _write(terminal: Terminal, arguments: Mapping[str, Json], seconds: float) -> _Output:
    path, content = _text(arguments, "path"), _text(arguments, "content").encode("utf-8")
    target = _plain(terminal, path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    return _Output(f"Wrote {len(content)} bytes to {path}")


def _edit(terminal: Terminal, arguments: Mapping[str, Json], seconds: float) -> _Output:
    path, old, new = (_text(arguments, name) for name in ("path", "oldText", "newText"))
    target = _plain(terminal, path)
    content, sought = target.read_bytes(), old.encode("utf-8")
    found = content.count(sought) if old else 0
    if not old:
        raise _Declined(f"edit: {path}: oldText is empty; use write to make a file anew.")
    if not found:
        raise _Declined(
            f"edit: {path}: oldText is not in the file. It must match to the character, spaces and line ends included."
        )
    if found > 1:
        raise _Declined(f"edit: {path}: oldText is there {found} times. Add lines around it until it is there once.")
    if old == new:
        raise _Declined(f"edit: {path}: newText is the same as oldText; nothing would change.")
    target.write_bytes(content.replace(sought, new.encode("utf-8")))
    return _Output(f"Replaced one place in {path}")


def _plain(terminal: Terminal, path: str) -> Path:
    """Where a path leads, unless to a pipe or device, on which reading and writing may never end."""
    target = terminal.folder / path
    if terminal.prefix and not target.resolve().is_relative_to(terminal.folder.resolve()):
        raise _Declined(f"{path}: outside of the workspace folder")
    if target.exists() and not (target.is_file() or target.is_dir()):
        raise _Declined(f"{path}: not a regular file")
    return target


def _text(arguments: Mapping[str, Json], name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str):
        raise _Declined(f"The argument {name!r} is needed, as text.")
    return value


def _count(arguments: Mapping[str, Json], name: str, default: int) -> int:
    value = arguments.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise _Declined(f"The argument {name!r} is a whole number from 1.")
    return value


_TOOLS: Mapping[str, _Tool] = {"read": _read, "bash": _bash, "write": _write, "edit": _edit}


def _schema(required: tuple[str, ...], **properties: str) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in properties.items()},
        "required": list(required),
    }


TERMINAL_TOOLS: tuple[ToolSpec, ...] = (
    ToolSpec(
        "read",
        f"Show a text file of the workspace, at most {MOST_LINES} lines or {MOST_BYTES // 1024} KB; "
        "offset (first line, from 1) and limit (lines) show a part.",
        _schema(("path",), path="string", offset="integer", limit="integer"),
    ),
    ToolSpec(
        "bash",
        "Run a bash command in the workspace folder; each command starts there afresh. Shows the end of a long output.",
        _schema(("command",), command="string", timeout="integer"),
    ),
    ToolSpec(
        "write",
        "Write a text file, replacing what it held; folders are made as needed.",
        _schema(("path", "content"), path="string", content="string"),
    ),
    ToolSpec(
        "edit",
        "Replace one piece of a text file: oldText, which must be there exactly once, by newText.",
        _schema(("path", "oldText", "newText"), path="string", oldText="string", newText="string"),
    ),
)
