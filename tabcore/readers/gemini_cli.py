"""Gemini CLI: saved chats (a JSON document; newer versions a JSONL) and the stream of `--output-format stream-json`.

Formats: google-gemini/gemini-cli, `chatRecordingTypes.ts` and `output/types.ts`. The saved chat was verified on one
published file without calls; the newer chat and the stream against their type definitions only.

A saved call holds its result. `resultDisplay` is a short form for the screen, `displayContent` what the screen showed
of a prompt: both are passed over. Of a newer chat the last state of each message counts; what `$rewindTo` took back is
an abandoned branch. A stream leaves out most file contents: a problem says so for each result. Tokens of thoughts count
as output. `line` is a message's number, or its line in a JSONL.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec

from tabcore.readers.assembly import Response, RunAssembler
from tabcore.readers.base import Account, seconds
from tabcore.readers.contents import arguments, content
from tabcore.readers.gemini_texts import referenced, result_frame
from tabcore.readers.heads import Head
from tabcore.readers.json_documents import shaped, values
from tabcore.readers.records import records
from tabcore.source import Source
from tabcore.trajectory import Json, Message, Observation, Piece, RunHeader, ToolCall, Usage

NAME = "gemini-cli"


class _Call(msgspec.Struct):
    id: str | None = None
    name: str | None = None
    args: Any = None
    result: Any = None
    status: str | None = None
    timestamp: str | float | None = None


class _Thought(msgspec.Struct):
    subject: str | None = None
    description: str | None = None


class _Tokens(msgspec.Struct):
    input: float | None = None
    output: float | None = None
    cached: float | None = None
    thoughts: float | None = None


class _Message(msgspec.Struct):
    id: str | None = None
    timestamp: str | float | None = None
    type: str = ""
    content: Any = None
    thoughts: list[_Thought] | None = None
    tool_calls: list[_Call] | None = msgspec.field(default=None, name="toolCalls")
    tokens: _Tokens | None = None
    model: str | None = None


class _Chat(msgspec.Struct):
    session: str | None = msgspec.field(default=None, name="sessionId")
    start: str | float | None = msgspec.field(default=None, name="startTime")
    kind: str | None = None


class _Fault(msgspec.Struct):
    message: str | None = None


class _Event(msgspec.Struct):
    type: str = ""
    timestamp: str | float | None = None
    session_id: str | None = None
    model: str | None = None
    role: str | None = None
    content: Any = None
    delta: bool | None = None
    tool_name: str | None = None
    tool_id: str | None = None
    parameters: Any = None
    status: str | None = None
    output: str | None = None
    error: _Fault | None = None
    message: str | None = None


def recognises(head: Head) -> bool:
    """True for a saved chat of either kind, and for a stream."""
    return any(isinstance(value, dict) and (_is_of_chat(value) or _is_event(value)) for value in head.values)


def read(source: Source) -> Iterator[Piece]:
    """One run; of a stream one per `init`."""
    found = Head(source).values
    is_chat = any(isinstance(value, dict) and _is_of_chat(value) for value in found)
    yield from _read_chat(source) if is_chat else _read_stream(source)


def _is_of_chat(value: dict[str, Json]) -> bool:
    """True for a chat, or a record of the newer kind whose first line is lost."""
    return _is_chat(value) or (value.get("type") == "gemini" and _is_message(value))


def _is_chat(value: dict[str, Json]) -> bool:
    return isinstance(value.get("sessionId"), str) and isinstance(value.get("projectHash"), str)


def _is_event(value: dict[str, Json]) -> bool:
    match value.get("type"):
        case "init":
            return "session_id" in value and "timestamp" in value
        case "message":
            return value.get("role") in ("user", "assistant") and "content" in value and "timestamp" in value
        case "tool_use" | "tool_result":
            return isinstance(value.get("tool_id"), str) and "timestamp" in value
        case _:
            return False


def _is_message(value: dict[str, Json]) -> bool:
    return value.get("type") in ("user", "gemini") and "timestamp" in value and "content" in value


def _read_chat(source: Source) -> Iterator[Piece]:
    account = Account(source.path, "message")
    chat = _SavedChat(account)
    for line, value in values(source, _is_message, account):
        chat.take(line, value)
    chat.end()
    yield from account.close()


class _SavedChat:
    """A saved chat: collected first, since later records may change or take back earlier ones."""

    def __init__(self, account: Account) -> None:
        self._account = account
        self._header = RunHeader(NAME, harness=NAME)
        self._kept: dict[str, tuple[int, _Message]] = {}
        self._taken_back: list[tuple[int, list[tuple[int, _Message]]]] = []

    def take(self, line: int, value: Json) -> None:
        """The document, or a record of the newer kind."""
        if not isinstance(value, dict):
            self._account.note(line, "not a record", "the line holds no object", "passed over", lost=True)
        elif isinstance(back := value.get("$rewindTo"), str):
            self._rewind(line, back)
        elif _is_chat(value):
            self._about(value)
            listed = value.get("messages")
            for number, item in enumerate(listed if isinstance(listed, list) else [], 1):
                self._message(number, item)
        elif "$set" not in value:
            self._message(line, value)

    def end(self) -> None:
        """The run, then the branches that were taken back."""
        run = RunAssembler("", self._header, self._account)
        starts: dict[int, int] = {}
        for place, (line, message) in enumerate(self._kept.values()):
            starts[place] = run.turns
            _turn(run, self._account, line, message)
        if run.turns == 0:
            self._account.note(0, "no turns", "the chat holds no answer of the model", "kept without turns")
        for place, messages in self._taken_back:
            first = starts.get(place, run.turns) + 1
            branch = RunAssembler("", self._header, self._account, first=first, upstream=run)
            for line, message in messages:
                _turn(branch, self._account, line, message)
            branch.end()
        run.end()

    def _about(self, value: dict[str, Json]) -> None:
        chat = shaped(
            {name: value[name] for name in ("sessionId", "startTime", "kind") if name in value}, _Chat, 1, self._account
        )
        if chat is not None and not self._header.session:
            self._header = replace(self._header, session=chat.session or "", started=seconds(chat.start))

    def _message(self, line: int, value: Json) -> None:
        self._account.total += 1
        message = shaped(value, _Message, line, self._account)
        if message is None:
            self._account.skip(line)
            return
        ident = message.id or f"line-{line}"
        self._kept[ident] = (self._kept[ident][0] if ident in self._kept else line, message)

    def _rewind(self, line: int, back: str) -> None:
        idents = list(self._kept)
        if back not in self._kept:
            self._account.note(line, "no such message", f"{back} was taken back and is not in the log", "passed over")
            return
        place = idents.index(back)
        self._taken_back.append((place, [self._kept.pop(ident) for ident in idents[place:]]))


def _turn(run: RunAssembler, account: Account, line: int, message: _Message) -> None:
    """One message into a run: a prompt, or a response with its calls and their results."""
    time = seconds(message.timestamp)
    account.untimed += time is None
    shown = content(message.content)
    match message.type:
        case "user":
            if shown.images:
                account.note(line, "picture", "a picture stands in a person's message", "not kept", lost=True)
            run.say(Message(shown.text, "person", "prompt", line, time, referenced(shown.text)))
        case "gemini":
            _respond(run, account, line, message, time)
        case "error":
            account.note(
                line, "error shown", f"the person was shown: {shown.text[:300]}", "no part of the conversation"
            )
        case "info" | "warning":
            pass
        case _:
            account.not_understood(line, message.type)


def _respond(run: RunAssembler, account: Account, line: int, message: _Message, time: float | None) -> None:
    text = content(message.content).text
    thoughts = [f"{thought.subject or ''}\n{thought.description or ''}".strip() for thought in message.thoughts or []]
    response = Response("", line, time, message.model, usage=_usage(message.tokens))
    response.texts += [text] if text else []
    response.reasonings += [thought for thought in thoughts if thought]
    run.respond(response)
    for place, call in enumerate(message.tool_calls or []):
        name, call_id = call.name or "", call.id or f"{message.id or line}.{place}"
        if not run.call(ToolCall(call_id, name, arguments(call.args, name, line, account), line)):
            account.note(line, "repeated record", f"the call {call_id} stands here again", "read once")
        if call.result is not None:
            run.observe(_result(call, call_id, line))


def _result(call: _Call, call_id: str, line: int) -> Observation:
    """What the model was sent back for a call."""
    parts = call.result if isinstance(call.result, list) else [call.result]
    answers = [part["functionResponse"] for part in parts if isinstance(part, dict) and "functionResponse" in part]
    shown = content([_answer(part) for part in answers] if answers else parts)
    images = content([part for part in parts if isinstance(part, dict) and "inlineData" in part]).images
    failed = call.status in ("error", "cancelled") or any(_is_failure(part) for part in answers)
    frame = result_frame(shown.text)
    return Observation(
        call_id, shown.text, failed, frame.spans, shown.images + images if answers else shown.images, frame.exit_code,
        frame.cwd, line, seconds(call.timestamp),
    )  # fmt: skip


def _answer(answer: Any) -> Json:
    """The text in a function's response: its `output`, or its `error`, or all of it."""
    response = answer.get("response") if isinstance(answer, dict) else answer
    if not isinstance(response, dict):
        return content(response).text
    return next((response[name] for name in ("output", "error") if isinstance(response.get(name), str)), response)


def _is_failure(answer: Any) -> bool:
    response = answer.get("response") if isinstance(answer, dict) else None
    return isinstance(response, dict) and "error" in response and "output" not in response


def _usage(tokens: _Tokens | None) -> Usage | None:
    if tokens is None:
        return None
    return Usage(int(tokens.input or 0), int((tokens.output or 0) + (tokens.thoughts or 0)), int(tokens.cached or 0))


def _read_stream(source: Source) -> Iterator[Piece]:
    account = Account(source.path)
    stream = _Stream(account)
    for line, _, event, _ in records(source, _Event, _is_event, account):
        stream.take(line, event)
        if account.pieces:
            yield from account.drain()
    stream.end()
    yield from account.close()


class _Stream:
    """The sessions of a stream. A response ends when results have come and the model goes on."""

    def __init__(self, account: Account) -> None:
        self._account = account
        self._run = RunAssembler("", RunHeader(NAME, harness=NAME), account)
        self._has_results = False
        self._begun = False

    def take(self, line: int, event: _Event) -> None:
        """One line."""
        time = seconds(event.timestamp)
        self._account.untimed += time is None
        match event.type:
            case "init":
                self._init(event, time)
            case "message" if event.role == "user":
                self._run.say(Message(content(event.content).text, "person", "prompt", line, time))
            case "message":
                self._words(content(event.content).text, bool(event.delta), line, time)
            case "tool_use":
                self._call(event, line, time)
            case "tool_result":
                self._result(event, line, time)
            case "error" | "result":
                if event.type == "error" or event.status == "error":
                    why = event.message or (event.error and event.error.message) or ""
                    self._account.note(line, "failed run", f"the program reported an error ({why[:300]})", "kept")
            case _:
                self._account.not_understood(line, event.type)

    def end(self) -> None:
        """The last session is over."""
        if self._run.turns == 0:
            self._account.note(0, "no turns", "the stream holds no answer of the model", "kept without turns")
        self._run.end()

    def _init(self, event: _Event, time: float | None) -> None:
        header = RunHeader(NAME, NAME, session=event.session_id or "", model=event.model, started=time)
        if self._begun:
            self.end()
            self._run = RunAssembler(event.session_id or f"session-{self._account.total}", header, self._account)
        self._run.header, self._begun, self._has_results = header, True, False

    def _open(self, line: int, time: float | None) -> Response:
        response = self._run.response
        if response is None or self._has_results:
            response = Response("", line, time, self._run.header.model)
            self._run.respond(response)
            self._has_results = False
        return response

    def _words(self, text: str, is_delta: bool, line: int, time: float | None) -> None:
        response = self._open(line, time)
        if is_delta and response.texts and not response.calls:
            response.texts[-1] += text
        elif text:
            response.texts.append(text)

    def _call(self, event: _Event, line: int, time: float | None) -> None:
        self._open(line, time)
        name, call_id = event.tool_name or "", event.tool_id or f"line-{line}"
        if not self._run.call(ToolCall(call_id, name, arguments(event.parameters, name, line, self._account), line)):
            self._account.note(line, "repeated record", f"the call {call_id} stands here again", "read once")

    def _result(self, event: _Event, line: int, time: float | None) -> None:
        text = event.output or (event.error.message if event.error and event.error.message else "")
        if not text:
            what = f"what the call {event.tool_id} returned was not recorded"
            self._account.note(line, "no output", what, "kept as an empty result", lost=True)
        frame = result_frame(text)
        self._run.observe(
            Observation(
                event.tool_id or "",
                text,
                event.status == "error",
                frame.spans,
                0,
                frame.exit_code,
                frame.cwd,
                line,
                time,
            )
        )
        self._has_results = True
