"""Whose words the texts of chat messages are: nags, results in the user role, headers, echoes, cheatsheets."""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

from tabcore.readers.atif_texts import results_note, written_calls
from tabcore.readers.contents import unpacked
from tabcore.trajectory import Message, Span, ToolCall

_NAGS = (
    "No tools called.",
    "Previous response had parsing errors:",
    "Previous response had warnings:",
    "Please continue working on the task",
    "Your last output did not use any tool calls",
)
_SCREEN = re.compile(r"(?:Current terminal state:\n)?New Terminal Output:\n")
_PROMPT = re.compile(r"^[\w.-]+@[\w.-]+:[^\n#$]*[#$](?: [^\n]*)?(?:\n|\Z)", re.MULTILINE)
_SURE = re.compile(r"\n?Are you sure you want to mark the task as complete\?.*\Z", re.DOTALL)
_RESULT_HEAD = re.compile(r"OBSERVATION:\n|EXECUTION RESULT of \[[^\]\n]*\]:\n")
_THOUGHT = re.compile(r"\s*<think>(.*?)</think>\s*", re.DOTALL)
_EXIT_CODE = re.compile(
    r'(?:Command failed with|\[Command finished with|completed with) exit code (\d{1,10})[."\]}\s]*\Z'
)
_FAILED = ("Error:", "ERROR:", "Internal error:", "Error executing", "Error calling")
_STOP = "###STOP###"


class Said(NamedTuple):
    """What an agent said: its reasoning where it stands in tags, the rest, and the calls that it wrote as text."""

    reasoning: str
    text: str
    calls: list[ToolCall]


def agent_text(text: str, line: int) -> Said:
    """An agent's text taken apart. Terminus writes its calls as JSON, OpenHands (without function calling) as tags.

    >>> agent_text('<think>Look.</think>{"commands": [{"keystrokes": "ls"}]}', 1)[:2]
    ('Look.', '{"commands": [{"keystrokes": "ls"}]}')
    >>> [call.name for call in agent_text('{"commands": [{"keystrokes": "ls"}]}', 1).calls]
    ['bash_command']
    """
    thought = _THOUGHT.match(text)
    rest = text[thought.end() :] if thought else text
    harness = "openhands" if "<function=" in rest else "terminus" if '"commands"' in rest else ""
    calls = written_calls(harness, rest, line) if harness else []
    return Said(thought.group(1).strip() if thought else "", rest, calls)


def result_in_user_role(text: str) -> bool:
    """True for a result that the record gives to the user.

    >>> result_in_user_role("EXECUTION RESULT of [run]:\\nok"), result_in_user_role("Run it")
    (True, False)
    """
    return bool(_RESULT_HEAD.match(text) or _SCREEN.match(text))


class Noted(NamedTuple):
    """What of a result is not the tool's, and what is told of how the call ended."""

    spans: tuple[Span, ...]
    is_error: bool
    exit_code: int | None


def noted(text: str, call: ToolCall | None) -> Noted:
    """Headers, echoed prompts, the agent's own words given back, and whether the call failed.

    >>> noted("New Terminal Output:\\nroot@a:/app# ls\\nb\\n", None).spans
    (Span(start=0, end=21, origin='harness', what='header'), Span(start=21, end=37, origin='harness', what='prompt'))
    >>> noted('{"success":false,"output":"Command failed with exit code 127"}', None)
    Noted(spans=(), is_error=True, exit_code=127)
    """
    code = _EXIT_CODE.search(text, max(0, len(text) - 200))
    exit_code = int(code.group(1)) if code else None
    return Noted(_spans(text, call), bool(exit_code) or _failed(text), exit_code)


def _spans(text: str, call: ToolCall | None) -> tuple[Span, ...]:
    if text and call is not None and any(told == text for told in call.arguments.values()):
        return (Span(0, len(text), "agent", "echo"),)
    if text.startswith("Image(s) returned by "):
        return (Span(0, len(text), "harness", "picture note"),)
    if screen := _SCREEN.match(text):
        return _screen_spans(text, screen.end())
    if head := _RESULT_HEAD.match(text):
        note = results_note("openhands", text, None)
        return (Span(0, head.end(), "harness", "header"), *note.spans)
    return ()


def _screen_spans(text: str, start: int) -> tuple[Span, ...]:
    prompts = [Span(found.start(), found.end(), "harness", "prompt") for found in _PROMPT.finditer(text, start)]
    sure = _SURE.search(text, start)
    tail = (Span(sure.start(), len(text), "harness", "question"),) if sure else ()
    return (Span(0, start, "harness", "header"), *prompts, *tail)


class _Report(msgspec.Struct):
    success: bool | None = None
    error: str | None = None


def _failed(text: str) -> bool:
    if text.startswith(_FAILED):
        return True
    if not text.startswith("{") or not ('"success"' in text[:200] or '"error"' in text[:200]):
        return False
    try:
        report = msgspec.convert(unpacked(text), _Report)
    except msgspec.ValidationError:
        return False
    return report.success is False or bool(report.error)


def user_text(text: str, line: int, time: float | None) -> Message:
    """A text of the user role that is no result: a person's, or a harness's nag.

    >>> user_text("No tools called. Use final_answer", 1, None).kind, user_text("Sum it", 1, None).kind
    ('notice', 'prompt')
    """
    if text.startswith(_NAGS):
        return Message(text, "harness", "notice", line, time)
    return Message(text, "person", "prompt", line, time, _given(text))


def _given(text: str) -> tuple[Span, ...]:
    """What a harness put into a person's prompt: a cheatsheet before it, a simulated person's stop word after it."""
    spans = []
    if text.startswith("## Strategy cheatsheet from prior cases"):
        end = text.find("\n---\n", max(0, text.rfind("</citations>")))
        spans.append(Span(0, end + len("\n---\n") if end >= 0 else 0, "harness", "cheatsheet"))
    if (stop := text.find(_STOP)) >= 0:
        spans.append(Span(stop, stop + len(_STOP), "harness", "stop word"))
    return tuple(span for span in spans if span.end > span.start)
