"""Conversations in the form of OpenAI's chat API (JSON or JSONL), bare or wrapped, one or several in a file.

Among them, as observed: litellm dumps (Mercor's APEX agents), tau-bench trajectories (`traj`), exports of OpenHands
runs, Magentic-One logs (speakers for roles, no calls: every speaker's message is a turn), Harbor's `*.traces.json`
(the last episode holds all). Where a harness has its agent write calls as text, they are read from there.

A picture that a tool returned arrives as a later message of the user role: it is counted with the tool's result.
What a result holds as JSON inside a string stays as it is. `line` is a message's line, or its number in the list.
Totals of tokens over a whole run have no place in a turn and are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec

from tabcore.readers.assembly import Response, RunAssembler
from tabcore.readers.base import Account, account_of, seconds
from tabcore.readers.chat_texts import agent_text, noted, result_in_user_role, user_text
from tabcore.readers.contents import Content, arguments, content
from tabcore.readers.conversations import Conversation, conversations, dialect_of, run_id
from tabcore.readers.heads import Head
from tabcore.source import Source
from tabcore.trajectory import Json, Message, Observation, Piece, RunHeader, ToolCall, Usage

NAME = "chat-messages"


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: Any = None
    input: Any = None


class _Call(msgspec.Struct):
    id: str | None = None
    function: _Function | None = None
    custom: _Function | None = None


class _Details(msgspec.Struct):
    cached: int | None = msgspec.field(default=None, name="cached_tokens")


class _Usage(msgspec.Struct):
    prompt: int | None = msgspec.field(default=None, name="prompt_tokens")
    completion: int | None = msgspec.field(default=None, name="completion_tokens")
    details: _Details | None = msgspec.field(default=None, name="prompt_tokens_details")


class _Message(msgspec.Struct):
    role: str | None = None
    sender: str | None = msgspec.field(default=None, name="from")
    name: str | None = None
    content: Any = None
    value: Any = None
    tool_calls: list[_Call] | None = None
    function_call: _Function | None = None
    tool_call_id: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    timestamp: str | float | None = None
    model: str | None = None
    usage: _Usage | None = None


_SPEAKERS = {
    "developer": "system",
    "human": "user",
    "user_proxy": "user",
    "gpt": "assistant",
    "function": "tool",
    "observation": "tool",
    "Orchestrator (termination condition)": "harness",
    "WebSurfer": "assistant",
    "FileSurfer": "assistant",
    "ComputerTerminal": "assistant",
    "Executor": "assistant",
    "Coder": "assistant",
    "Assistant": "assistant",
}


def recognises(head: Head) -> bool:
    """True for messages that speak OpenAI's dialect, or Magentic-One's."""
    return dialect_of(head) in ("openai", "magentic")


def read(source: Source) -> Iterator[Piece]:
    """The conversations of the file, each a run."""
    account, taken = account_of(source, "message"), set[str]()
    for number, conversation in enumerate(conversations(source, _Message, account)):
        run = _Run(conversation, run_id(conversation.about, number, taken), account)
        for line, message in conversation.messages:
            run.take(line, message)
            if account.pieces:
                yield from account.drain()
        run.end()
    yield from account.close()


class _Run:
    """The run of one conversation. Results wait for pictures, which may follow them as messages."""

    def __init__(self, conversation: Conversation[_Message], key: str, account: Account) -> None:
        self._account = account
        self._about = conversation.about
        self._run = RunAssembler(key, _header(conversation.about), account)
        self._results: list[Observation] = []

    def take(self, line: int, message: _Message) -> None:
        """One message."""
        time = seconds(message.timestamp)
        self._account.untimed += time is None
        role = message.role or message.sender or ""
        match "assistant" if role.startswith("Orchestrator (") and role not in _SPEAKERS else _SPEAKERS.get(role, role):
            case "assistant":
                self._answer(message, line, time, thinks=role == "Orchestrator (thought)")
            case "tool":
                self._result(message, line, time)
            case "user":
                self._heard(message, line, time)
            case "system":
                self._run.say(Message(_said(message).text, "harness", "system", line, time))
            case "harness":
                self._run.say(Message(_said(message).text, "harness", "notice", line, time))
            case other:
                self._account.not_understood(line, other)

    def end(self) -> None:
        """All that is still open."""
        self._release()
        if self._run.turns == 0:
            self._account.note(0, "no turns", "the log holds no response of a model", "kept without turns")
        if self._about.get("status") in ("failed", "error"):
            self._account.note(0, "failed run", "the record says that the run failed", "kept as far as it went")
        self._run.end()

    def _answer(self, message: _Message, line: int, time: float | None, *, thinks: bool) -> None:
        self._release()
        said, calls = _said(message), self._calls(message, line)
        told = agent_text(said.text, line)
        reasoning = message.reasoning_content or message.reasoning or told.reasoning
        text = told.text or message.refusal or ""
        self._run.respond(
            Response(
                "", line, time, message.model,
                usage=_usage(message.usage),
                texts=[text] if text and not thinks else [],
                reasonings=[text] if thinks else [reasoning] if reasoning else [],
                calls=calls or told.calls,
            )
        )  # fmt: skip
        if said.images:
            self._account.note(line, "picture", "a picture stands in a response", "not kept", lost=True)

    def _calls(self, message: _Message, line: int) -> list[ToolCall]:
        told = [(call.id or "", call.function or call.custom or _Function()) for call in message.tool_calls or ()]
        if not told and message.function_call:
            told = [("", message.function_call)]
        return [self._call(ident, function, line) for ident, function in told]

    def _call(self, ident: str, function: _Function, line: int) -> ToolCall:
        name = function.name or ""
        if isinstance(function.input, str):
            return ToolCall(ident, name, {"input": function.input}, line)
        return ToolCall(ident, name, arguments(function.arguments, name, line, self._account), line)

    def _result(self, message: _Message, line: int, time: float | None) -> None:
        said = _said(message)
        self._show(message.tool_call_id or self._unnamed(message.name), said.text, said.images, line, time)

    def _show(self, call_id: str, text: str, images: int, line: int, time: float | None) -> None:
        result = noted(text, self._run.awaits(call_id))
        self._results.append(
            Observation(call_id, text, result.is_error, result.spans, images, result.exit_code, None, line, time)
        )

    def _unnamed(self, tool: str | None) -> str:
        """The call that a result without an id answers: the first of the response that is still open."""
        response, answered = self._run.response, {result.call_id for result in self._results}
        for call in response.calls if response else ():
            if call.call_id not in answered and tool in (None, call.name):
                return call.call_id
        return ""

    def _heard(self, message: _Message, line: int, time: float | None) -> None:
        said, response = _said(message), self._run.response
        if said.images and not said.text and self._results:
            self._picture(said.images)
        elif response is not None and result_in_user_role(said.text):
            self._show("", said.text, said.images, line, time)
        else:
            if response is not None and said.text.startswith("Previous response had parsing errors"):
                response.outcome = "failed"
                response.calls = [call for call in response.calls if call.call_id]
            if said.images:
                self._account.note(line, "picture", "a picture stands in a person's message", "not kept", lost=True)
            self._run.say(user_text(said.text, line, time))

    def _picture(self, images: int) -> None:
        """Pictures belong to the last result that announces them, else to the last one."""
        told = [place for place, result in enumerate(self._results) if result.text.startswith("Image(s) returned by")]
        place = told[-1] if told else len(self._results) - 1
        result = self._results[place]
        self._results[place] = replace(result, images=result.images + images)

    def _release(self) -> None:
        for result in self._results:
            self._run.observe(result)
        self._results.clear()


def _said(message: _Message) -> Content:
    return content(message.value if message.content is None else message.content)


def _header(about: dict[str, Json]) -> RunHeader:
    """What stands around the messages. A task's number alone names no task."""

    def told(*names: str) -> str:
        found = (about.get(name) for name in names)
        return next((value for value in found if isinstance(value, str) and not value.isdigit()), "")

    return RunHeader(
        NAME,
        harness=told("agent", "harness"),
        session=told("session_id", "run_id", "id"),
        model=told("model", "model_name") or None,
        task_name=told("task_id", "instance_id", *(["task"] if "trial_name" in about else [])) or None,
    )


def _usage(usage: _Usage | None) -> Usage | None:
    """Cached tokens count among those of the prompt; here they stand apart."""
    if usage is None:
        return None
    prompt, cached = usage.prompt or 0, (usage.details.cached if usage.details else None) or 0
    return Usage(max(0, prompt - cached), usage.completion or 0, cached)
