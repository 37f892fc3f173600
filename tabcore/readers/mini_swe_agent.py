"""Trajectories of mini-swe-agent in its three shapes (JSON).

A bare list of messages with one fenced command each (before 1.0), the same under `trajectory_format:
"mini-swe-agent-1"`, and from 1.1 on with tool calls, `extra.actions` and a closing message of role `exit`. Every
command starts in the environment's directory. A result is shown wrapped, `<returncode>0</returncode>` and
`<output>…</output>`, long ones as head, number of elided characters and tail: the wrapping is marked as spans. What
the submitting command printed stands as the last message, which no model saw; it is kept as that command's result.
Format: observed logs, and SWE-agent/mini-swe-agent (utils/save.py, agents/default.py). `line` is a message's number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from tabcore.readers.assembly import Response, RunAssembler
from tabcore.readers.base import Account, account_of, seconds
from tabcore.readers.contents import arguments, content
from tabcore.readers.conversations import conversations, dialect_of, run_id
from tabcore.readers.heads import Head
from tabcore.readers.json_documents import shaped
from tabcore.source import Source
from tabcore.trajectory import Message, Observation, Piece, RunHeader, Span, ToolCall, Usage

NAME = "mini-swe-agent"


class _Details(msgspec.Struct):
    cached: int | None = msgspec.field(default=None, name="cached_tokens")


class _Usage(msgspec.Struct):
    prompt: int | None = msgspec.field(default=None, name="prompt_tokens")
    completion: int | None = msgspec.field(default=None, name="completion_tokens")
    details: _Details | None = msgspec.field(default=None, name="prompt_tokens_details")


class _Answer(msgspec.Struct):
    model: str | None = None
    created: float | None = None
    usage: _Usage | None = None


class _Action(msgspec.Struct):
    command: str | None = None
    tool_call_id: str | None = None


class _Extra(msgspec.Struct):
    actions: list[_Action] | None = None
    response: _Answer | None = None
    returncode: int | None = None
    timestamp: str | float | None = None
    cost: float | None = None
    exit_status: str | None = None


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: Any = None


class _Call(msgspec.Struct):
    id: str | None = None
    function: _Function | None = None


class _Message(msgspec.Struct):
    role: str = ""
    content: Any = None
    tool_calls: list[_Call] | None = None
    tool_call_id: str | None = None
    reasoning_content: str | None = None
    timestamp: str | float | None = None
    extra: _Extra | None = None


class _Environment(msgspec.Struct):
    cwd: str | None = None


class _Model(msgspec.Struct):
    model_name: str | None = None


class _Config(msgspec.Struct):
    environment: _Environment | str | None = None
    model: _Model | str | None = None


class _Info(msgspec.Struct):
    exit_status: str | None = None
    config: _Config | None = None


class _About(msgspec.Struct):
    instance_id: str | None = None
    info: _Info | None = None


def recognises(head: Head) -> bool:
    """True for messages that mini-swe-agent wrote."""
    return dialect_of(head) == "mini-swe-agent"


def read(source: Source) -> Iterator[Piece]:
    """The run of the file; several where it holds one a line."""
    account, taken = account_of(source, "message"), set[str]()
    for number, (told, messages) in enumerate(conversations(source, _Message, account)):
        about = shaped({**told, "messages": None}, _About, 0, account) or _About()
        run = _Run(about, run_id(told, number, taken), account)
        for line, message in messages:
            run.take(line, message)
            if account.pieces:
                yield from account.drain()
        run.end()
    yield from account.close()


class _Run:
    """The run of one list of messages."""

    def __init__(self, about: _About, key: str, account: Account) -> None:
        self._account = account
        self._exit = (about.info.exit_status if about.info else None) or ""
        self._run = RunAssembler(key, _header(about), account)
        self._open: list[str] = []

    def take(self, line: int, message: _Message) -> None:
        """One message."""
        time, text = seconds(_stamp(message)), content(message.content).text
        self._account.untimed += time is None
        match message.role:
            case "assistant":
                self._answer(message, text, line, time)
            case "tool":
                self._show(message.tool_call_id or "", message, text, line, time)
            case "user":
                self._heard(message, text, line, time)
            case "exit":
                self._close(message, text, line, time)
            case "system":
                self._run.say(Message(text, "harness", "system", line, time))
            case other:
                self._account.not_understood(line, other)

    def end(self) -> None:
        """All that is still open."""
        if self._run.turns == 0:
            self._account.note(0, "no turns", "the log holds no response of a model", "kept without turns")
        if self._exit not in ("", "Submitted"):
            what = f"the run ended without a submission ({self._exit[:60]})"
            self._account.note(0, "failed run", what, "kept as far as it went")
        self._run.end()

    def _answer(self, message: _Message, text: str, line: int, time: float | None) -> None:
        answer = (message.extra.response if message.extra else None) or _Answer()
        calls = self._calls(message, text, line)
        cost = message.extra.cost if message.extra else None
        reasonings = [message.reasoning_content] if message.reasoning_content else []
        response = Response("", line, time, answer.model, None, "complete", _usage(answer.usage, cost))
        response.texts, response.reasonings, response.calls = [text] if text else [], reasonings, calls
        self._run.respond(response)
        self._open = [call.call_id for call in calls]

    def _calls(self, message: _Message, text: str, line: int) -> list[ToolCall]:
        """The commands: as the harness took them from the response, as tool calls, or in the one fenced block."""
        actions = message.extra.actions if message.extra else None
        if actions:
            return [
                ToolCall(action.tool_call_id or "", "bash", {"command": action.command or ""}, line)
                for action in actions
            ]  # fmt: skip
        if message.tool_calls:
            told = [(call.id or "", call.function or _Function()) for call in message.tool_calls]
            return [
                ToolCall(ident, function.name or "", arguments(function.arguments, function.name or "", line, self._account), line)
                for ident, function in told
            ]  # fmt: skip
        blocks = _FENCED.findall(text)
        return [ToolCall("", "bash", {"command": blocks[0]}, line)] if len(blocks) == 1 else []

    def _heard(self, message: _Message, text: str, line: int, time: float | None) -> None:
        """The task, the result of a fenced command, or the harness's complaint about a response without one."""
        response = self._run.response
        if response is None:
            self._run.say(Message(text, "person", "prompt", line, time))
        elif self._open and not _FORMAT_ERROR.match(text):
            self._show(self._open[0], message, text, line, time)
        else:
            response.outcome = "failed"
            response.calls = [call for call in response.calls if call.call_id]
            self._run.say(Message(text, "harness", "notice", line, time))

    def _close(self, message: _Message, text: str, line: int, time: float | None) -> None:
        """What the submitting command printed; where the run ended otherwise, why it did."""
        status = (message.extra.exit_status if message.extra else None) or self._exit
        self._exit = self._exit or status
        if status == "Submitted" and self._open:
            self._show(self._open[-1], message, text, line, time)
        else:
            self._run.say(Message(text, "harness", "notice", line, time))

    def _show(self, call_id: str, message: _Message, text: str, line: int, time: float | None) -> None:
        code, spans = _wrapping(text)
        if message.extra and message.extra.returncode is not None:
            code = message.extra.returncode
        is_error = code not in (None, 0) or text.startswith(("<exception>", "The last command "))
        self._run.observe(Observation(call_id, text, is_error, spans, 0, code, None, line, time))
        if call_id in self._open:
            self._open.remove(call_id)


_FENCED = re.compile(r"```(?:mswea_bash_command|bash|sh)[ \t]*\r?\n(.*?)\r?\n?```", re.DOTALL)
_FORMAT_ERROR = re.compile(r"(?:Format error|Tool call error|Please always provide EXACTLY ONE action)")
_CODE = re.compile(r"<returncode>(-?\d{1,10})</returncode>")
_OPENING = re.compile(
    r"(?:<exception>.*?</exception>\s*)?<returncode>-?\d+</returncode>\s*(?:<warning>.*?</warning>\s*)?"
    r"<output(?:_head)?>\n?",
    re.DOTALL,
)
_ELISION = re.compile(
    r"\n?</output_head>\s*<elided_chars>\s*\d+ characters elided\s*</elided_chars>\s*<output_tail>\n?"
)
_CLOSING = re.compile(r"</output(?:_tail)?>\s*\Z")


def _wrapping(text: str) -> tuple[int | None, tuple[Span, ...]]:
    """The exit code told in a result, and what wraps the output.

    >>> _wrapping("<returncode>1</returncode>\\n<output>\\nno\\n</output>")
    (1, (Span(start=0, end=36, origin='harness', what='wrapping'), Span(start=39, end=48, origin='harness', what='wrapping')))
    """
    code, opening = _CODE.search(text, 0, 20_000), _OPENING.match(text)
    exit_code = int(code.group(1)) if code and opening else None
    if opening is None:
        return exit_code, ()
    spans = [Span(0, opening.end(), "harness", "wrapping")]
    if elision := _ELISION.search(text, opening.end()):
        spans.append(Span(elision.start(), elision.end(), "harness", "truncation note"))
    if closing := _CLOSING.search(text, max(opening.end(), len(text) - 100)):
        spans.append(Span(closing.start(), len(text), "harness", "wrapping"))
    return exit_code, tuple(spans)


def _stamp(message: _Message) -> str | float | None:
    extra = message.extra or _Extra()
    created = extra.response.created if extra.response else None
    return message.timestamp or extra.timestamp or created


def _header(about: _About) -> RunHeader:
    config = (about.info.config if about.info else None) or _Config()
    model, environment = config.model, config.environment
    return RunHeader(
        NAME,
        harness=NAME,
        cwd=environment.cwd or None if isinstance(environment, _Environment) else None,
        fresh_cwd=True,
        model=model.model_name if isinstance(model, _Model) else model,
        task_name=about.instance_id,
    )


def _usage(usage: _Usage | None, cost: float | None) -> Usage | None:
    """Cached tokens count among those of the prompt; here they stand apart."""
    if usage is None:
        return None
    prompt, cached = usage.prompt or 0, (usage.details.cached if usage.details else None) or 0
    return Usage(max(0, prompt - cached), usage.completion or 0, cached, cost=cost)
