"""What Codex puts around a tool's result, and whose words a text of its user role is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from tabcore.trajectory import Message, MessageKind, Origin, Span


@dataclass(frozen=True, slots=True)
class Result:
    """A result as the model was shown it."""

    text: str
    spans: tuple[Span, ...] = ()
    is_error: bool = False
    exit_code: int | None = None
    images: int = 0


_HEAD = re.compile(
    r"(?:Chunk ID: [^\n]*\n)?(?:Exit code: (-?\d{1,10})\n)?Wall time: [^\n]*\n"
    r"(?:Process exited with code (-?\d{1,10})\n|Process running with session ID \d+\n)?"
    r"(?:Original token count: \d+\n)?(?:Total output lines: \d+\n)?Output:\n"
    r"(?:Warning: truncated output[^\n]*\n)?(?:Total output lines: \d+\n\n?)?"
)
_TRUNCATED = re.compile(
    r"…\d+ (?:tokens|chars|bytes|lines) truncated…|\n\[\.\.\. omitted \d+ of \d+ lines \.\.\.\]\n\n?"
)
_ABORTED = re.compile(r"(?:Wall time: [^\n]*\n)?aborted by user(?: after [\d.]+ ?s)?\s*\Z")


class _Metadata(msgspec.Struct):
    exit_code: int | None = None


class _Wrapped(msgspec.Struct):
    output: str
    metadata: _Metadata


def result_of(output: Any) -> Result:
    """A recorded `output`: a text, a list of blocks, or `{content, success}`.

    >>> result_of("Exit code: 1\\nWall time: 0.1 seconds\\nOutput:\\nno such file")
    Result(text='Exit code: 1\\nWall time: 0.1 seconds\\nOutput:\\nno such file', \
spans=(Span(start=0, end=44, origin='harness', what='result head'),), is_error=True, exit_code=1, images=0)
    >>> result_of([{"type": "input_text", "text": "a"}, {"type": "input_image"}])
    Result(text='a', spans=(), is_error=False, exit_code=None, images=1)
    """
    match output:
        case str():
            return _told(output)
        case {"content": str(text), **rest}:
            told = _told(text)
            return Result(text, told.spans, told.is_error or rest.get("success") is False, told.exit_code)
        case list():
            blocks = [block for block in output if isinstance(block, dict)]
            told = _told("\n".join(str(block["text"]) for block in blocks if isinstance(block.get("text"), str)))
            images = sum(block.get("type") == "input_image" for block in blocks)
            return Result(told.text, told.spans, told.is_error, told.exit_code, images)
        case None:
            return Result("")
        case _:
            return Result(msgspec.json.encode(output).decode())


def _told(text: str) -> Result:
    if text.startswith("{"):
        return _unwrapped(text)
    if _ABORTED.match(text):
        return Result(text, (Span(0, len(text), "harness", "abort"),), True)
    head = _HEAD.match(text)
    if head is None:
        return Result(text)
    code = head.group(1) or head.group(2)
    spans = (Span(0, head.end(), "harness", "result head"), *_truncations(text, head.end()))
    return Result(text, spans, bool(code and int(code)), int(code) if code else None)


def _truncations(text: str, start: int) -> tuple[Span, ...]:
    if " truncated…" not in text and "[... omitted " not in text:
        return ()
    return tuple(
        Span(found.start(), found.end(), "harness", "truncation note") for found in _TRUNCATED.finditer(text, start)
    )


def _unwrapped(text: str) -> Result:
    """`{"output": "…", "metadata": {"exit_code": 0}}` of older versions: all but the output's inside is marked.

    >>> result_of('{"output":"ok","metadata":{"exit_code":0}}').spans
    (Span(start=0, end=11, origin='harness', what='wrapping'), Span(start=13, end=42, origin='harness', what='wrapping'))
    """
    try:
        wrapped = msgspec.json.decode(text, type=_Wrapped)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return Result(text)
    opening, closing = (
        re.match(r'\{\s*"output":\s*"', text),
        re.search(r'",\s*"metadata":[^"]*\{[^{}]*\}\s*\}\s*\Z', text),
    )
    if opening is None or closing is None:
        return Result(text, (), bool(wrapped.metadata.exit_code), wrapped.metadata.exit_code)
    spans = (
        Span(0, opening.end(), "harness", "wrapping"),
        *_truncations(text[: closing.start()], opening.end()),
        Span(closing.start(), len(text), "harness", "wrapping"),
    )
    return Result(text, spans, bool(wrapped.metadata.exit_code), wrapped.metadata.exit_code)


class _Opening(NamedTuple):
    start: str
    origin: Origin
    kind: MessageKind


_OPENINGS = (
    _Opening("<environment_context>", "harness", "environment"),
    _Opening("<user_instructions>", "harness", "environment"),
    _Opening("# AGENTS.md instructions", "harness", "environment"),
    _Opening("<INSTRUCTIONS>", "harness", "environment"),
    _Opening("<permissions instructions>", "harness", "system"),
    _Opening("<skill>", "harness", "reminder"),
    _Opening("<turn_aborted>", "harness", "notice"),
    _Opening("<subagent_notification>", "harness", "notice"),
    _Opening("<user_action>", "harness", "notice"),
    _Opening("<user_shell_command>", "person", "shell"),
)
_REQUEST = "## My request for Codex:\n"


def user_block(text: str, line: int, time: float | None) -> Message:
    """One block of the user role, told apart by how Codex writes what a person did not type.

    >>> user_block("<environment_context>…", 1, None).kind, user_block("List the files", 1, None).origin
    ('environment', 'person')
    >>> user_block("# Context from my IDE setup:\\n\\n## My request for Codex:\\nHi", 1, None).spans
    (Span(start=0, end=55, origin='harness', what='IDE context'),)
    """
    for opening in _OPENINGS:
        if text.startswith(opening.start):
            return Message(text, opening.origin, opening.kind, line, time)
    if text.startswith("# Context from my IDE setup:") and _REQUEST in text:
        end = text.index(_REQUEST) + len(_REQUEST)
        return Message(text, "person", "prompt", line, time, (Span(0, end, "harness", "IDE context"),))
    return Message(text, "person", "prompt", line, time)
