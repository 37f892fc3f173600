"""Tasks of Cline (and of Roo Code, its fork): `ui_messages.json`, what the person was shown.

Format: cline/cline, `shared/ExtensionMessage.ts`. Verified by eye on the beginning of one published file; the rest after
observed structures and the public type definitions.

`api_req_started` opens a turn and holds its tokens; a text before the first is the person's task. What a tool returned is not shown: it stands in the `request` of
the next turn ("[read_file for 'a'] Result:"), or in `api_conversation_history.json` beside this file; a listing, a
search and a command's output are shown here, and count where neither has them. The `content` of `readFile` is the
file's absolute path, not its text. Cline has no ids of calls: they are numbered by their message, and results go by
order. `line` is a message's number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from tabcore.readers.assembly import Response, RunAssembler
from tabcore.readers.base import Account, seconds
from tabcore.readers.cline_texts import Sent, sent
from tabcore.readers.contents import content, text_of, unpacked
from tabcore.readers.heads import Head
from tabcore.readers.json_documents import decoded, shaped, values
from tabcore.source import Source
from tabcore.trajectory import Json, Message, Observation, Piece, RunHeader, ToolCall, Usage

NAME = "cline"

HISTORY = "api_conversation_history.json"
HISTORY_LIMIT = 64 << 20
"""Bytes of the largest history that is read beside the messages."""


class _Model(msgspec.Struct, rename="camel"):
    model_id: str | None = None


class _Message(msgspec.Struct, rename="camel"):
    ts: float | None = None
    type: str = ""
    say: str | None = None
    ask: str | None = None
    text: str | None = None
    reasoning: str | None = None
    images: list[Any] | None = None
    partial: bool | None = None
    model_info: _Model | None = None
    conversation_history_index: int | None = None


class _Request(msgspec.Struct, rename="camel"):
    request: str | None = None
    tokens_in: float | None = None
    tokens_out: float | None = None
    cache_writes: float | None = None
    cache_reads: float | None = None
    cost: float | None = None
    cancel_reason: str | None = None
    streaming_failed_message: str | None = None


@dataclass(slots=True)
class _Open:
    """A call that waits for its result; `shown` is what the person saw of that."""

    call_id: str
    line: int
    time: float | None
    shown: str | None = None
    images: int = 0


_WORDS = frozenset(["text", "completion_result", "followup", "plan_mode_respond", "plan_mode_response", "condense"])
_PERSON = frozenset(["task", "user_feedback", "user_feedback_diff"])
_CALLS = frozenset(["tool", "command", "use_mcp_server", "browser_action", "browser_action_launch"])
_RESULTS = frozenset(["command_output", "mcp_server_response", "browser_action_result"])
_FAULTS = frozenset(["error", "api_req_failed", "mistake_limit_reached", "diff_error", "clineignore_error", "mistake"])
_SILENT = frozenset(
    [
        "api_req_finished", "api_req_retried", "api_req_retry_delayed", "resume_task", "resume_completed_task",
        "checkpoint_created", "checkpoint_saved", "task_progress", "info", "shell_integration_warning",
        "mcp_server_request_started", "mcp_notification", "load_mcp_documentation", "deleted_api_reqs",
        "auto_approval_max_req_reached", "rooignore_error", "hook_status", "hook_output_stream",
    ]
)  # fmt: skip
_ONLY = {"command": "command"}
_SHOWS_RESULT = frozenset(["listFilesTopLevel", "listFilesRecursive", "listCodeDefinitionNames", "searchFiles"])


def recognises(head: Head) -> bool:
    """True for a list of messages that are said or asked."""
    found = head.value
    return isinstance(found, list) and any(isinstance(item, dict) and _is_message(item) for item in found[:5])


def read(source: Source) -> Iterator[Piece]:
    """One run."""
    account = Account(source.path, "message")
    task = _Task(account, _history(source))
    for _, value in values(source, _is_message, account):
        for line, item in enumerate(value if isinstance(value, list) else [value], 1):
            account.total += 1
            message = shaped(item, _Message, line, account)
            if message is None:
                account.skip(line)
            else:
                task.take(line, message)
        yield from account.drain()
    task.end()
    yield from account.close()


def _is_message(value: dict[str, Json]) -> bool:
    return (
        value.get("type") in ("say", "ask")
        and isinstance(value.get("ts"), int | float)
        and ("say" in value or "ask" in value)
    )


def _history(source: Source) -> list[Json]:
    """The messages that went to the model, where they lie beside the log; its faults are not this log's."""
    beside = source.sibling(HISTORY)
    if beside is None or beside.size > HISTORY_LIMIT:
        return []
    with beside.open_text() as stream:
        found = decoded(stream.read(HISTORY_LIMIT), lambda value: "role" in value, Account(beside.path))
    return found[0] if found and isinstance(found[0], list) else []


class _Task:
    """One task's run, filled message by message."""

    def __init__(self, account: Account, history: list[Json]) -> None:
        self._account = account
        self._history = history
        self._run = RunAssembler("", RunHeader(NAME, harness=NAME), account)
        self._calls: list[_Open] = []

    def take(self, line: int, message: _Message) -> None:
        """One message of the log."""
        time, kind = seconds(message.ts), (message.say if message.type == "say" else message.ask) or ""
        self._account.untimed += time is None
        text = message.text or ""
        if kind == "api_req_started":
            self._request(message, text, line, time)
        elif kind in _PERSON or (kind == "text" and self._run.turns == 0):
            self._prompt(message, text, line, time)
        elif kind in _WORDS:
            words = _worded(text)
            self._response(line, time).texts.extend([words] if words else [])
        elif kind == "reasoning":
            self._response(line, time).reasonings.extend(filter(None, [text or message.reasoning or ""]))
        elif kind in _CALLS:
            self._call(kind, text, line, time)
        elif kind in _RESULTS:
            self._shown(kind, text, len(message.images or []))
        elif kind in _FAULTS:
            self._account.note(
                line, "error shown", f"the person was shown: {text[:300]}", "no part of the conversation"
            )
        elif kind not in _SILENT:
            self._account.not_understood(line, kind or message.type)

    def end(self) -> None:
        """The task has no more messages."""
        self._settle(Sent())
        if self._run.turns == 0:
            self._account.note(0, "no turns", "the log holds no request to a model", "kept without turns")
        self._run.end()

    def _request(self, message: _Message, text: str, line: int, time: float | None) -> None:
        """A request: what it sends are the results of the turn before; then a response begins."""
        about = shaped(unpacked(text) if text else {}, _Request, line, self._account) or _Request()
        told = sent(about.request or "")
        if not told.results and message.conversation_history_index is not None:
            told = self._from_history(message.conversation_history_index)
        self._settle(told)
        if told.reminder:
            self._run.say(Message(told.reminder, "harness", "reminder", line, time))
        if told.environment:
            self._run.say(Message(told.environment, "harness", "environment", line, time))
        response = Response("", line, time, message.model_info.model_id if message.model_info else None)
        if about.tokens_in is not None or about.tokens_out is not None:
            counts = (about.tokens_in, about.tokens_out, about.cache_reads, about.cache_writes)
            asked, answered, read_, written = (int(count or 0) for count in counts)
            response.usage = Usage(asked, answered, read_, written, about.cost)
        if about.cancel_reason or about.streaming_failed_message:
            response.outcome = "aborted" if about.cancel_reason == "user_cancelled" else "failed"
        self._run.respond(response)

    def _from_history(self, index: int) -> Sent:
        """What the model was sent after message `index` of the history."""
        for item in self._history[max(0, index + 1) : index + 3]:
            if isinstance(item, dict) and item.get("role") == "user":
                return sent(content(item.get("content")).text)
        return Sent()

    def _prompt(self, message: _Message, text: str, line: int, time: float | None) -> None:
        if message.images:
            self._account.note(line, "picture", "a picture stands in a person's message", "not kept", lost=True)
        self._run.say(Message(text, "person", "prompt", line, time))

    def _response(self, line: int, time: float | None) -> Response:
        if self._run.response is None:
            self._run.respond(Response("", line, time))
        return self._run.response or Response()

    def _call(self, kind: str, text: str, line: int, time: float | None) -> None:
        self._response(line, time)
        found = unpacked(text)
        is_object = isinstance(found, dict) and kind != "command"
        given: dict[str, Json] = dict(found) if isinstance(found, dict) and is_object else {_ONLY.get(kind, ""): text}
        name = text_of(given.pop("tool", None) or given.get("toolName")) or kind
        call = _Open(f"message-{line}", line, time)
        if name in _SHOWS_RESULT:
            call.shown = text_of(given.pop("content", None))
        elif name == "readFile" and "content" in given:
            given["absolute_path"] = given.pop("content")
        self._calls.append(call)
        self._run.call(ToolCall(call.call_id, name, given, line))

    def _shown(self, kind: str, text: str, images: int) -> None:
        """A piece of a result as the person saw it, added to the last call's."""
        if not self._calls:
            return
        if kind == "browser_action_result":
            found = unpacked(text)
            about = found if isinstance(found, dict) else {"logs": text}
            text, images = text_of(about.get("logs")), images + bool(about.get("screenshot"))
        call = self._calls[-1]
        call.shown = "\n".join(filter(None, (call.shown, text)))
        call.images += images

    def _settle(self, told: Sent) -> None:
        """Results for the calls that wait: as the model was sent them, or else as the person saw them."""
        for place, call in enumerate(self._calls):
            if place < len(told.results):
                result = told.results[place]
                observation = Observation(
                    call.call_id, result.text, result.is_error, (), call.images, line=call.line, time=call.time
                )
                self._run.observe(observation)
            elif call.shown is not None:
                self._run.observe(
                    Observation(call.call_id, call.shown, images=call.images, line=call.line, time=call.time)
                )
        self._calls = []


def _worded(text: str) -> str:
    """The words in a message: of a question or a plan those that the agent wrote.

    >>> _worded('{"question": "Which one?", "options": ["a"]}'), _worded("Done")
    ('Which one?', 'Done')
    """
    found = unpacked(text)
    if isinstance(found, dict):
        return next((words for name in ("question", "response") if isinstance(words := found.get(name), str)), text)
    return text
