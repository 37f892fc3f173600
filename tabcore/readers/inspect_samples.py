"""One sample of an Inspect log -> one run. The log itself is `inspect_log`'s."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec

from tabcore.readers.assembly import Response, RunAssembler
from tabcore.readers.base import Account, seconds
from tabcore.readers.contents import Content, arguments, content
from tabcore.readers.inspect_scores import judged
from tabcore.readers.json_documents import shaped
from tabcore.trajectory import Json, Message, Observation, RunHeader, Span, Task, ToolCall, Usage


class _ToolError(msgspec.Struct):
    type: str | None = None
    message: str | None = None


class _Call(msgspec.Struct):
    id: str | None = None
    function: str | None = None
    arguments: Any = None


class ChatMessage(msgspec.Struct):
    """A message of a sample, whatever its role."""

    role: str = ""
    content: Any = None
    source: str | None = None
    tool_calls: list[_Call] | None = None
    tool_call_id: str | None = None
    function: str | None = None
    error: _ToolError | None = None


class _Usage(msgspec.Struct):
    input_tokens: float | None = None
    output_tokens: float | None = None
    input_tokens_cache_read: float | None = None
    input_tokens_cache_write: float | None = None


class _Choice(msgspec.Struct):
    message: ChatMessage | None = None
    stop_reason: str | None = None


class _Output(msgspec.Struct):
    model: str | None = None
    choices: list[_Choice] | None = None
    usage: _Usage | None = None


class _Event(msgspec.Struct):
    event: str = ""
    timestamp: str | float | None = None
    id: str | None = None
    type: str | None = None
    action: str | None = None
    input: Any = None
    input_refs: Any = None
    output: Any = None
    error: Any = None
    result: Any = None


class _Pool(msgspec.Struct):
    messages: list[Any] | None = None


class _SampleError(msgspec.Struct):
    message: str | None = None


class Sample(msgspec.Struct):
    """What is read of a sample."""

    id: str | int | None = None
    epoch: int = 1
    input: Any = None
    messages: list[Any] | None = None
    output: Any = None
    target: Any = None
    scores: Any = None
    events: list[_Event] | None = None
    attachments: dict[str, str] | None = None
    message_pool: list[Any] | None = None
    events_data: _Pool | None = None
    error: _SampleError | None = None


class _Told(msgspec.Struct):
    """A model event: what it answered, and what was known of the response besides."""

    message: ChatMessage
    time: float | None
    model: str | None
    usage: Usage | None
    failed: bool
    stood_in: list[Any]


class SampleReader:
    """Reads one sample into the account."""

    def __init__(self, sample: Sample, key: str, header: RunHeader, account: Account) -> None:
        self._sample = sample
        self._account = account
        self._texts = sample.attachments or {}
        task = content(self._resolved(_last_input(sample.input))).text
        header = replace(
            header, task=Task(task, "sample input") if task else None, task_name=str(sample.id), attempt=sample.epoch
        )
        self._run = RunAssembler(key, header, account)
        self._told = self._model_events()
        self._results = {event.id: event for event in sample.events or [] if event.event == "tool" and event.id}
        self._has_human = any(event.event == "input" for event in sample.events or [])

    def read(self) -> None:
        """The sample's turns, in the order of its messages."""
        messages = self._messages()
        answered = {message.tool_call_id for message in messages if message.role == "tool"}
        for number, message in enumerate(messages, 1):
            self._account.total += 1
            self._take(number, message, answered)
        self._only_told(len(messages), len(self._told), answered)
        if self._sample.error:
            what = f"the sample ended with an error ({(self._sample.error.message or '')[:300]})"
            self._account.note(len(messages), "failed run", what, "kept as far as it goes")
        if self._run.turns == 0:
            self._account.note(0, "no turns", f"the sample {self._run.key} holds no response", "kept without turns")
        for rubric, verdict in judged(self._resolved(self._sample.scores), self._sample.target):
            self._run.judge(rubric, verdict)
        self._run.end()

    def _messages(self) -> list[ChatMessage]:
        """The final messages; or, where the last model event saw more of the conversation, what that one saw."""
        raw = self._sample.messages or []
        if self._told and _responses(self._told[-1].stood_in) >= max(1, _responses(raw)):
            last = self._told[-1]
            self._account.note(0, "short messages", "the sample's messages leave responses out", "read from events")
            return [*filter(None, map(self._message, last.stood_in)), last.message]
        found = [self._message(item) for item in raw]
        if not _responses(raw) and not self._told and (output := self._output(self._sample.output)):
            found += [choice.message for choice in output.choices or [] if choice.message][:1]
        return [message for message in found if message is not None]

    def _take(self, number: int, message: ChatMessage, answered: set[str | None]) -> None:
        match message.role:
            case "assistant" if message.source != "input":
                place = self._place_of(message)
                if place is not None:
                    self._only_told(number, place, answered)
                told = self._told.pop(0) if place is not None else None
                self._respond(message, number, told)
            case "tool":
                self._run.observe(self._observation(message, number))
            case "system":
                self._run.say(Message(content(message.content).text, "harness", "system", number))
            case "user":
                self._run.say(self._user(message, number))
            case "assistant":
                self._run.say(Message(content(message.content).text, "harness", "copied", number))
            case _:
                self._account.not_understood(number, message.role)

    def _respond(self, message: ChatMessage, number: int, told: _Told | None) -> None:
        reply = _spoken(message.content)
        calls = [self._call(call, number) for call in message.tool_calls or []]
        response = Response("", number, None, None, calls=calls)
        response.texts += [reply.text] if reply.text else []
        response.reasonings += _reasonings(message.content)
        if told is not None:
            response.time, response.model, response.usage = told.time, told.model, told.usage
            response.outcome = "failed" if told.failed else "complete"
        self._account.untimed += response.time is None
        self._run.respond(response)

    def _call(self, call: _Call, number: int) -> ToolCall:
        name = call.function or ""
        return ToolCall(call.id or "", name, arguments(call.arguments, name, number, self._account), number)

    def _observation(self, message: ChatMessage, number: int) -> Observation:
        shown = content(message.content)
        error = message.error
        text = shown.text or (error.message if error and error.message else "")
        event = self._results.get(message.tool_call_id or "")
        time = seconds(event.timestamp) if event else None
        return Observation(
            message.tool_call_id or "", text, error is not None, _cut_marks(text), shown.images, line=number, time=time
        )

    def _user(self, message: ChatMessage, number: int) -> Message:
        """A user's message: the sample's input is a person's; a later one is the solver's, unless a person typed."""
        shown = content(message.content)
        if shown.images:
            self._account.note(number, "picture", "a picture stands in a message", "not kept", lost=True)
        if message.source == "input" or self._run.turns == 0 or self._has_human:
            return Message(shown.text, "person", "prompt", number)
        return Message(shown.text, "harness", "notice", number)

    def _only_told(self, number: int, count: int, answered: set[str | None]) -> None:
        """The next `count` responses that only model events have. Without a call it may be one that a tool asked for."""
        for told in self._told[:count]:
            what = "a response is in a model event and not in the final messages"
            if not told.message.tool_calls and self._run.turns:
                self._account.note(number, "response left out", what, "passed over, since it calls no tool", lost=True)
                continue
            self._account.note(number, "response left out", what, "kept as a turn")
            self._respond(told.message, number, told)
            for call in told.message.tool_calls or []:
                if (event := self._results.get(call.id or "")) and call.id not in answered:
                    self._run.observe(self._event_result(event, number))
        del self._told[:count]

    def _event_result(self, event: _Event, number: int) -> Observation:
        shown = content(self._resolved(event.result))
        failed = event.error is not None
        text = shown.text or (content(event.error).text if failed else "")
        return Observation(event.id or "", text, failed, (), shown.images, line=number, time=seconds(event.timestamp))

    def _place_of(self, message: ChatMessage) -> int | None:
        """Which of the model events still to come gave this response."""
        ids = [call.id for call in message.tool_calls or []]
        text = _spoken(message.content).text
        for place, told in enumerate(self._told):
            if (
                ids == [call.id for call in told.message.tool_calls or []]
                and text == _spoken(told.message.content).text
            ):
                return place
        return None

    def _model_events(self) -> list[_Told]:
        """The agent's model events: those before the scorer begins."""
        found: list[_Told] = []
        for event in self._sample.events or []:
            if event.event == "score" or (event.event in ("step", "span_begin") and event.type in _SCORERS):
                break
            if event.event == "model" and (told := self._told_by(event)):
                found.append(told)
        return found

    def _told_by(self, event: _Event) -> _Told | None:
        output = self._output(event.output)
        choice = next((choice for choice in (output and output.choices) or [] if choice.message), None)
        if output is None or choice is None or choice.message is None:
            return None
        failed = event.error is not None or choice.stop_reason in ("max_tokens", "model_length", "content_filter")
        stood_in = event.input if isinstance(event.input, list) else []
        return _Told(
            choice.message, seconds(event.timestamp), output.model, _usage(output.usage), failed,
            stood_in or self._pooled(event.input_refs),
        )  # fmt: skip

    def _pooled(self, ranges: Any) -> list[Any]:
        pool = self._sample.message_pool or (self._sample.events_data and self._sample.events_data.messages) or []
        found: list[Any] = []
        for pair in ranges if isinstance(ranges, list) else []:
            match pair:
                case [int(first), int(last)] if 0 <= first <= last and len(found) <= len(pool):
                    found += pool[first:last]
                case _:
                    self._account.note(0, "odd reference", "input_refs is no list of ranges", "left out", lost=True)
        return found

    def _output(self, value: Any) -> _Output | None:
        return shaped(self._resolved(value), _Output, 0, self._account) if isinstance(value, dict) else None

    def _message(self, value: Any) -> ChatMessage | None:
        return shaped(self._resolved(value), ChatMessage, 0, self._account)

    def _resolved(self, value: Json, depth: int = 0) -> Json:
        """The value with attachments put in the place of their keys."""
        if isinstance(value, str) and value.startswith("attachment://"):
            text = self._texts.get(value.removeprefix("attachment://"))
            if text is None:
                self._account.note(0, "no attachment", f"{value[:60]} is not in the sample", "its key is shown", True)
            return value if text is None else text
        if isinstance(value, list) and depth < 12:
            return [self._resolved(item, depth + 1) for item in value]
        if isinstance(value, dict) and depth < 12:
            return {name: self._resolved(item, depth + 1) for name, item in value.items()}
        return value


_SCORERS = frozenset(["scorer", "scorers"])


def _last_input(value: Any) -> Json:
    """What a sample asks for: its input, or the last message of it."""
    if isinstance(value, list):
        return next((item for item in reversed(value) if isinstance(item, dict) and item.get("role") == "user"), None)
    return value if isinstance(value, str) else None


def _responses(messages: list[Any]) -> int:
    return sum(isinstance(item, dict) and item.get("role") == "assistant" for item in messages)


def _spoken(value: Any) -> Content:
    """A response's words without its reasoning."""
    if isinstance(value, list):
        return content([part for part in value if not (isinstance(part, dict) and part.get("type") == "reasoning")])
    return content(value)


def _reasonings(value: Any) -> list[str]:
    parts = value if isinstance(value, list) else []
    found = [part.get("reasoning") for part in parts if isinstance(part, dict) and part.get("type") == "reasoning"]
    return [text for text in found if isinstance(text, str) and text]


def _usage(usage: _Usage | None) -> Usage | None:
    if usage is None:
        return None
    cached = (usage.input_tokens_cache_read, usage.input_tokens_cache_write)
    return Usage(*(int(count or 0) for count in (usage.input_tokens, usage.output_tokens, *cached)))


_START, _END = "\n<START_TOOL_OUTPUT>\n", "\n<END_TOOL_OUTPUT>\n"


def _cut_marks(text: str) -> tuple[Span, ...]:
    """What Inspect writes around an output that it cut.

    >>> _cut_marks("\\nThe output of your call to bash was too long to be displayed.\\n<START_TOOL_OUTPUT>\\na")
    (Span(start=0, end=83, origin='harness', what='truncation note'),)
    """
    start = text.find(_START, 0, 400)
    if start < 0 or not text.startswith("\nThe output of your call to "):
        return ()
    spans = [Span(0, start + len(_START), "harness", "truncation note")]
    if text.endswith(_END):
        spans.append(Span(len(text) - len(_END), len(text), "harness", "truncation note"))
    return tuple(spans)
