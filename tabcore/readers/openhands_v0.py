"""OpenHands V0: one event -> what it means for a run.

An action of the agent is a call, named and worded as the model made it where the event holds the model's response;
actions with the same response id are one turn. The result names the action by `cause`. `finish` is the agent's last
word and no call: nothing answers it. `recall` brings text that the harness inserts. An action of the user is the
person's own command. `message` is a gloss of the harness on most events and is passed over.
"""

from __future__ import annotations

from typing import Any

import msgspec

from tabcore.readers.assembly import Response, RunAssembler
from tabcore.readers.base import Account, seconds
from tabcore.readers.contents import arguments, content
from tabcore.readers.json_documents import shaped
from tabcore.trajectory import Json, Message, Observation, Span, ToolCall, Usage


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: Any = None


class _Call(msgspec.Struct):
    id: str | None = None
    function: _Function | None = None


class _Said(msgspec.Struct):
    content: Any = None
    reasoning_content: str | None = None
    tool_calls: list[_Call] | None = None


class _Choice(msgspec.Struct):
    message: _Said | None = None


class _Details(msgspec.Struct):
    cached_tokens: float | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: float | None = None
    completion_tokens: float | None = None
    prompt_tokens_details: _Details | None = None
    cache_creation_input_tokens: float | None = None


class _ModelResponse(msgspec.Struct):
    id: str | None = None
    model: str | None = None
    choices: list[_Choice] | None = None
    usage: _Usage | None = None


class _CallData(msgspec.Struct):
    function_name: str | None = None
    tool_call_id: str | None = None
    model_response: _ModelResponse | None = None


class _Shell(msgspec.Struct):
    exit_code: int | None = None
    working_dir: str | None = None
    prefix: str | None = None
    suffix: str | None = None


class _Extras(msgspec.Struct):
    metadata: _Shell | None = None
    exit_code: int | None = None
    summary: str | None = None
    repo_instructions: str | None = None
    additional_agent_instructions: str | None = None
    conversation_instructions: str | None = None
    microagent_knowledge: list[Any] | None = None


class _Event(msgspec.Struct):
    id: int | str | None = None
    timestamp: str | float | None = None
    source: str | None = None
    action: str | None = None
    args: dict[str, Any] | None = None
    call: _CallData | None = msgspec.field(default=None, name="tool_call_metadata")
    cause: int | str | None = None
    observation: str | None = None
    content: Any = None
    extras: _Extras | None = None
    success: bool | None = None


_SILENT = frozenset(["agent_state_changed", "change_agent_state", "null", "pause", "resume", "start", "stop", "recall"])
_BOOKKEEPING = frozenset(
    ["thought", "blocking", "hidden", "confirmation_state", "security_risk", "is_static", "wait_for_response"]
)


class StreamV0:
    """Events of one run into its assembler."""

    def __init__(self, run: RunAssembler, account: Account) -> None:
        self._run = run
        self._account = account
        self._calls: dict[int | str, str] = {}
        self._silent: set[int | str] = set()
        self._persons: set[int | str] = set()

    def take(self, number: int, value: Json) -> None:
        """One event of the log."""
        self._account.total += 1
        event = shaped(value, _Event, number, self._account)
        if event is None or not (event.action or event.observation):
            self._account.skip(number)
            if event is not None:
                self._account.not_understood(number, "neither action nor observation")
            return
        time = seconds(event.timestamp)
        self._account.untimed += time is None
        if event.action:
            self._action(event, event.args or {}, number, time)
        else:
            self._observation(event, event.extras or _Extras(), number, time)

    def end(self) -> None:
        """The run has no more events."""
        if self._run.turns == 0:
            self._account.note(0, "no turns", "the log holds no response of the agent", "kept without turns")
        self._run.end()

    def _action(self, event: _Event, args: dict[str, Any], number: int, time: float | None) -> None:
        match event.action or "", event.source:
            case "system", _:
                self._run.say(Message(content(args.get("content")).text, "harness", "system", number, time))
            case "message", "user":
                self._prompt(args, number, time)
            case "condensation", _:
                self._run.say(Message(content(args.get("summary")).text, "harness", "compaction", number, time))
            case name, _ if name in _SILENT:
                self._silent.update([] if event.id is None else [event.id])
            case _, "user":
                self._persons.update([] if event.id is None else [event.id])
                self._run.say(Message(f"!{content(args.get('command')).text}", "person", "shell", number, time))
            case name, "environment" if name == "message":
                self._run.say(Message(content(args.get("content")).text, "harness", "notice", number, time))
            case name, _:
                self._response(event, args, number, time)
                if name not in ("message", "finish"):
                    self._call(event, args, number)

    def _prompt(self, args: dict[str, Any], number: int, time: float | None) -> None:
        if args.get("image_urls"):
            self._account.note(number, "picture", "a picture stands in a person's message", "not kept", lost=True)
        self._run.say(Message(content(args.get("content")).text, "person", "prompt", number, time))

    def _response(self, event: _Event, args: dict[str, Any], number: int, time: float | None) -> None:
        """The response that an action belongs to: the open one, or a new one."""
        told = (event.call and event.call.model_response) or _ModelResponse()
        ident = told.id or f"event-{event.id}"
        if self._run.response is None or self._run.response.ident != ident:
            said = next((choice.message for choice in told.choices or [] if choice.message), _Said())
            response = Response(ident, number, time, told.model, usage=_usage(told.usage))
            text = content(said.content).text or content(args.get("thought")).text
            response.texts += [text] if text else []
            response.reasonings += [said.reasoning_content] if said.reasoning_content else []
            self._run.respond(response)
        last = content(args.get("content") or args.get("final_thought")).text
        response = self._run.response or Response()
        if event.action in ("message", "finish") and last and last not in response.texts:
            response.texts.append(last)

    def _call(self, event: _Event, args: dict[str, Any], number: int) -> None:
        data = event.call or _CallData()
        call_id = data.tool_call_id or f"event-{event.id}"
        made = next((call.function for call in _made(data) if call.id == data.tool_call_id and call.function), None)
        name = data.function_name or event.action or ""
        asked: Json = {key: value for key, value in args.items() if key not in _BOOKKEEPING}
        if made is not None and made.arguments is not None:
            asked = made.arguments
        if event.id is not None:
            self._calls[event.id] = call_id
        if not self._run.call(ToolCall(call_id, name, arguments(asked, name, number, self._account), number)):
            self._account.note(number, "repeated record", f"the call {call_id} stands here again", "read once")

    def _observation(self, event: _Event, extras: _Extras, number: int, time: float | None) -> None:
        if event.observation == "recall":
            self._recalled(event, extras, number, time)
        elif event.cause in self._persons:
            self._run.say(Message(content(event.content).text, "person", "shell", number, time))
        elif event.observation == "condense":
            summary = extras.summary or content(event.content).text
            self._run.say(Message(summary, "harness", "compaction", number, time))
        elif event.observation in _SILENT or event.cause in self._silent:
            return
        elif event.observation == "error" and event.cause not in self._calls:
            self._run.say(Message(content(event.content).text, "harness", "notice", number, time))
        else:
            self._run.observe(self._result(event, extras, number, time))

    def _result(self, event: _Event, extras: _Extras, number: int, time: float | None) -> Observation:
        shown, shell = content(event.content), extras.metadata or _Shell()
        cause = event.id if event.cause is None else event.cause
        call_id = self._calls.get(cause, f"event-{cause}") if cause is not None else "event-?"
        code = shell.exit_code if shell.exit_code is not None else extras.exit_code
        text, spans = framed(shell.prefix, shown.text, shell.suffix)
        failed = event.success is False or event.observation == "error"
        return Observation(
            call_id, text, failed, spans, shown.images, None if code == -1 else code, shell.working_dir or None, number, time
        )  # fmt: skip

    def _recalled(self, event: _Event, extras: _Extras, number: int, time: float | None) -> None:
        inserted = [
            event.content,
            extras.repo_instructions,
            extras.additional_agent_instructions,
            extras.conversation_instructions,
            *(extras.microagent_knowledge or []),
        ]
        text = "\n".join(filter(None, (content(part).text for part in inserted)))
        self._run.say(Message(text, "harness", "environment", number, time))


def framed(prefix: str | None, text: str, suffix: str | None) -> tuple[str, tuple[Span, ...]]:
    """A terminal's text as the model saw it: what the harness put before and after it is marked.

    >>> framed("", "a", "\\n[The command completed with exit code 0.]")[1]
    (Span(start=1, end=43, origin='harness', what='exit status'),)
    """
    before, after = prefix or "", suffix or ""
    spans = [Span(0, len(before), "harness", "header")] if before else []
    end = len(before) + len(text)
    spans += [Span(end, end + len(after), "harness", "exit status")] if after else []
    return before + text + after, tuple(spans)


def _made(data: _CallData) -> list[_Call]:
    """The calls of the model's response, as the model made them."""
    choices = (data.model_response and data.model_response.choices) or []
    return [call for choice in choices if choice.message for call in choice.message.tool_calls or []]


def _usage(usage: _Usage | None) -> Usage | None:
    if usage is None:
        return None
    cached = usage.prompt_tokens_details.cached_tokens if usage.prompt_tokens_details else None
    counts = (usage.prompt_tokens, usage.completion_tokens, cached, usage.cache_creation_input_tokens)
    return Usage(*(int(count or 0) for count in counts))
