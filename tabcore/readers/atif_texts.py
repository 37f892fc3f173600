"""What the agents behind ATIF files write into texts: calls in a response, notes of theirs in a result."""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

from tabcore.trajectory import Json, Span, ToolCall

_FUNCTION = re.compile(r"<function=([\w.-]+)>(.*?)(?:</function>|\Z)", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([\w.-]+)>(.*?)</parameter>", re.DOTALL)


def written_calls(agent: str, text: str, place: int) -> list[ToolCall]:
    """The calls that an agent wrote as text, for lack of function calling; they have no ids.

    >>> written_calls("openhands", "<function=run><parameter=command>ls</parameter></function>", 1)[0].arguments
    {'command': 'ls'}
    >>> [call.name for call in written_calls("terminus-2", '{"commands": [{"keystrokes": "ls"}]}', 1)]
    ['bash_command']
    """
    if agent.startswith("openhands"):
        return [
            ToolCall("", function, _parameters(body), place)
            for function, body in _FUNCTION.findall(text)
        ]  # fmt: skip
    return _terminal_calls(text, place) if agent.startswith("terminus") and text.lstrip().startswith("{") else []


def _parameters(body: str) -> dict[str, Json]:
    return {name: value.removeprefix("\n").removesuffix("\n") for name, value in _PARAMETER.findall(body)}


class _Command(msgspec.Struct):
    keystrokes: str
    duration: float | None = None


class _Terminal(msgspec.Struct):
    commands: list[_Command]
    task_complete: bool = False


def _terminal_calls(text: str, place: int) -> list[ToolCall]:
    """Terminus 2 answers with one JSON object: keystrokes, and whether it is done."""
    try:
        response = msgspec.json.decode(text, type=_Terminal)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return []
    calls = [
        ToolCall("", "bash_command", {"keystrokes": command.keystrokes, "duration": command.duration}, place)
        for command in response.commands
    ]
    return calls + ([ToolCall("", "mark_task_complete", {}, place)] if response.task_complete else [])


class ResultNote(NamedTuple):
    """What of a result's text is not the tool's, and what those words tell."""

    spans: tuple[Span, ...] = ()
    exit_code: int | None = None
    cwd: str | None = None


_EXIT_CODE = re.compile(r"Exit code (\d{1,10})(?:\n|\Z)")
_CONVERTER = re.compile(r"\n\n\[(?:metadata|error)\] [^\n]*\Z")
_SCREEN = re.compile(r"(?:Current terminal state:\n)?New Terminal Output:\n")
_OPENHANDS = re.compile(
    r"(?:\A|\n)(?:\[The command completed with exit code (-?\d{1,10})\.\]\n?)?"
    r"(?:\[Current working directory: ([^\]\n]*)\]\n?)?(?:\[Python interpreter: [^\]\n]*\]\n?)?"
    r"(?:\[Command finished with exit code (-?\d{1,10})\])?\Z"
)


def results_note(agent: str, text: str, raw: object) -> ResultNote:
    """What the agent program, or the converter, put around a tool's output. `raw` is that output where it is told.

    >>> results_note("claude-code", "Exit code 2\\n\\n[error] tool reported failure", None).exit_code
    2
    >>> results_note("terminus-2", "New Terminal Output:\\n$ ls", None).spans
    (Span(start=0, end=21, origin='harness', what='header'),)
    """
    if agent == "claude-code":
        return _claude_note(text, raw)
    if agent.startswith("terminus"):
        screen = _SCREEN.match(text)
        return ResultNote((Span(0, screen.end(), "harness", "header"),) if screen else ())
    if agent.startswith("openhands"):
        found = _OPENHANDS.search(text, max(0, len(text) - 600))
        if found and found.group().strip():
            code = found.group(3) or found.group(1)
            span = Span(found.start(), len(text), "harness", "exit status")
            return ResultNote((span,), int(code) if code else None, found.group(2))
    return ResultNote()


def _claude_note(text: str, raw: object) -> ResultNote:
    """The converter repeats output and metadata behind a result, from where the raw one ends."""
    own = raw.strip() if isinstance(raw, str) else None
    end = len(own) if own is not None and text.startswith(own) else len(text)
    if end == len(text) and own is None and (note := _CONVERTER.search(text, max(0, len(text) - 5000))):
        end = note.start()
    status = _EXIT_CODE.match(text)
    before = (Span(0, status.end(), "harness", "exit status"),) if status else ()
    after = (Span(end, len(text), "harness", "converter's note"),) if end < len(text) else ()
    return ResultNote(before + after, int(status.group(1)) if status else None)
