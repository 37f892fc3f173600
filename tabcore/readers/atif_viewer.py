"""Runs as the ATIF trajectory viewer publishes them (JSON): ATIF steps flattened for display.

`{steps: [{index, role, text, reasoning, toolCalls: [{name, args}], observation, tokens, timestamp, …}], verifierLog?}`.
Format: Slimshilin/ATIF-trajectory-viewer, public/runs. The file names neither harness nor model; the harness is told
by its tools where they leave no doubt.

A call's id survives only where a converter wrote "Executed Bash toolu_…" for a step's text; other calls are numbered
by their step. Such a converter splits one response over several steps: the one with tokens opens a turn; where none
has tokens, a step opens one when the turn before has a call already. `mutations` and `edits` are the viewer's own
deductions, `verifierLog` was written after the run: both are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from tabcore.readers.assembly import Response, RunAssembler
from tabcore.readers.base import Account, seconds
from tabcore.readers.contents import arguments, text_of
from tabcore.readers.heads import Head
from tabcore.readers.insertions import user_message
from tabcore.readers.json_documents import shaped, values
from tabcore.readers.terminal_screens import echoed
from tabcore.source import Source
from tabcore.trajectory import Json, Message, Observation, Piece, RunHeader, Span, ToolCall, Usage

NAME = "atif-viewer"


class _Call(msgspec.Struct):
    name: str | None = None
    args: Any = None


class _Tokens(msgspec.Struct):
    prompt: float | None = None
    completion: float | None = None


class _Step(msgspec.Struct, rename="camel"):
    index: int | None = None
    role: str = ""
    text: str | None = None
    reasoning: str | None = None
    tool_calls: list[_Call] | None = None
    observation: str | None = None
    tokens: _Tokens | None = None
    timestamp: str | float | None = None


def recognises(head: Head) -> bool:
    """True for an object whose `steps` are the viewer's."""
    found = head.value
    steps = found.get("steps") if isinstance(found, dict) else None
    return isinstance(steps, list) and any(isinstance(step, dict) and _is_step(step) for step in steps[:5])


def read(source: Source) -> Iterator[Piece]:
    """One run."""
    account = Account(source.path, "step")
    steps = list(_steps(source, account))
    run = RunAssembler("", _header([step for _, step in steps]), account)
    viewer = _Viewer(account, run, [step for _, step in steps])
    for number, step in steps:
        viewer.take(number, step)
    if run.turns == 0:
        account.note(0, "no turns", "the log holds no step of an agent", "kept without turns")
    run.end()
    yield from account.close()


def _is_step(step: dict[str, Json]) -> bool:
    return isinstance(step.get("index"), int) and "role" in step and ("toolCalls" in step or "observation" in step)


def _steps(source: Source, account: Account) -> Iterator[tuple[int, _Step]]:
    number = 0
    for _, document in values(source, _is_step, account):
        items = document.get("steps") if isinstance(document, dict) else [document]
        for item in items if isinstance(items, list) else []:
            number += 1
            account.total += 1
            step = shaped(item, _Step, number, account)
            if step is None:
                account.skip(number)
            else:
                yield number, step


_EXECUTED = re.compile(r"Executed (\S+)(?: (\S+))?\Z")
_WORKING_DIRECTORY = re.compile(r"<cwd>([^<\n]+)</cwd>")


def _header(steps: list[_Step]) -> RunHeader:
    tools = {call.name for step in steps for call in step.tool_calls or ()}
    harness = next((name for name, marks in _HARNESSES if marks & tools), "")
    told = next((found for step in steps[:5] if (found := _WORKING_DIRECTORY.search(step.text or ""))), None)
    started = seconds(steps[0].timestamp) if steps else None
    return RunHeader(NAME, harness, cwd=told.group(1) if told else None, started=started)


_HARNESSES = (
    ("terminus-2", {"bash_command", "mark_task_complete"}),
    ("codex", {"exec_command", "write_stdin"}),
    ("claude-code", {"Bash", "Grep", "Read", "TodoWrite"}),
)


class _Viewer:
    """The run, filled step by step."""

    def __init__(self, account: Account, run: RunAssembler, steps: list[_Step]) -> None:
        self._account = account
        self._run = run
        self._is_split = any(_EXECUTED.match(step.text or "") for step in steps)
        self._has_tokens = any(step.tokens for step in steps)

    def take(self, number: int, step: _Step) -> None:
        """One step of the log."""
        time = seconds(step.timestamp)
        self._account.untimed += time is None
        match step.role:
            case "agent" | "assistant":
                self._agent(number, step, time)
            case "user":
                self._run.say(user_message(step.text or "", number, time))
            case "system":
                self._run.say(Message(step.text or "", "harness", "system", number, time))
            case _:
                self._account.not_understood(number, step.role)

    def _agent(self, number: int, step: _Step, time: float | None) -> None:
        response = self._run.response
        if response is None or self._opens_turn(step, response):
            response = Response("", number, time)
            self._run.respond(response)
        if step.tokens:
            response.usage = Usage(int(step.tokens.prompt or 0), int(step.tokens.completion or 0))
        executed = _EXECUTED.match(step.text or "")
        if step.text and not executed and not step.text.startswith('{"type": "redacted_thinking"'):
            response.texts.append(self._whole(step.text, number, "text"))
        if step.reasoning:
            response.reasonings.append(self._whole(step.reasoning, number, "reasoning"))
        ids = [self._call(number, place, call, executed) for place, call in enumerate(step.tool_calls or [])]
        if step.observation is not None:
            call_id = ids[0] if len(ids) == 1 else ""
            self._whole(step.observation, number, "observation")
            self._run.observe(_observation(step.observation, call_id, number, time, response.calls))

    def _opens_turn(self, step: _Step, response: Response) -> bool:
        if not self._is_split:
            return True
        return step.tokens is not None if self._has_tokens else bool(response.calls)

    def _call(self, number: int, place: int, call: _Call, executed: re.Match[str] | None) -> str:
        name = call.name or ""
        call_id = (executed and executed.group(2)) or f"step-{number - 1}.{place}"
        if not self._run.call(ToolCall(call_id, name, arguments(call.args, name, number, self._account), number)):
            self._account.note(number, "repeated record", f"the call {call_id} stands here again", "read once")
        return call_id

    def _whole(self, text: str, number: int, what: str) -> str:
        """The text; a problem where the viewer cut it."""
        if cut := _CUT.search(text, max(0, len(text) - 60)):
            lost = f"{int(cut.group(1)):,} characters of the {what} were cut off by the viewer"
            self._account.note(number, "cut text", lost, "kept up to there", lost=True)
        return text


_CUT = re.compile(r"\n?…\[truncated, (\d{1,15}) more chars\]\Z")
_CONFIRMATION = "\nAre you sure you want to mark the task as complete?"
_FAILURE = re.compile(r"(?:\A|\n\n)\[error\] tool reported failure\Z")
_EXIT = re.compile(r"Exit code (\d{1,9})(?:\n|\Z)")
_CODEX_EXIT = re.compile(r"^Process exited with code (-?\d{1,9})$", re.MULTILINE)
_HEADS = (
    re.compile(r"(?:Current terminal state:\n|New Terminal Output:\n)+"),
    re.compile(r"(?:Command: .*?\n)?Chunk ID: [^\n]*\n(?:[A-Z][^\n]*\n)*?Output:\n", re.DOTALL),
    re.compile(r"Command: .*?\nDirectory: [^\n]*\nOutput: ", re.DOTALL),
)


def _observation(text: str, call_id: str, number: int, time: float | None, calls: list[ToolCall]) -> Observation:
    """A step's one observation, with what harness, converter and viewer wrote into it marked.

    `calls` are those of the turn: a terminal's screen repeats their keystrokes.

    >>> _observation("a\\n\\n[error] tool reported failure", "", 1, None, []).spans
    (Span(start=1, end=32, origin='harness', what='failure note'),)
    """
    spans: list[Span] = []
    failed = _FAILURE.search(text, max(0, len(text) - 60))
    head = next((found for pattern in _HEADS if (found := pattern.match(text))), None)
    status = _EXIT.match(text) if failed else None
    if head or status:
        spans.append(Span(0, (head or status).end(), "harness", "header" if head else "exit status"))  # type: ignore[union-attr]
    if text.startswith(("New Terminal", "Current terminal")):
        spans += echoed(text, [text_of(call.arguments.get("keystrokes")) for call in calls])
    spans += _endings(text, failed)
    told = status or (head and _CODEX_EXIT.search(text, 0, head.end()))
    exit_code = int(told.group(1)) if told else None
    return Observation(call_id, text, bool(failed), tuple(spans), 0, exit_code, None, number, time)


def _endings(text: str, failed: re.Match[str] | None) -> list[Span]:
    """The result's copies and the notes on failure and truncation that stand after it."""
    spans: list[Span] = []
    end = failed.start() if failed else len(text)
    copy = text.find("\n\n[metadata] {")
    if (again := text.find("\n\n[stdout]\n")) > 0 and text.startswith(text[again + 11 : again + 11 + min(100, again)]):
        copy = again
    if 0 <= copy < end:
        spans.append(Span(copy, end, "harness", "copied result"))
    elif cut := _CUT.search(text, max(0, end - 60)):
        spans.append(Span(cut.start(), end, "harness", "truncation note"))
    if failed:
        spans.append(Span(failed.start(), len(text), "harness", "failure note"))
    elif text.startswith("Current terminal state:\n") and (asked := text.rfind(_CONFIRMATION)) > 0:
        spans.append(Span(asked, len(text), "harness", "confirmation"))
    return spans
