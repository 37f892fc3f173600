"""OpenHands V1 (its SDK): one event -> what it means for a run.

Actions that share `llm_response_id` are one turn. The call is worded as the model made it (`tool_call.arguments`), and
named by `tool_call_id`. Tokens are told as totals; the difference between two totals is one response's.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from tabcore.readers.assembly import Response, RunAssembler
from tabcore.readers.base import Account, seconds
from tabcore.readers.contents import arguments, content
from tabcore.readers.json_documents import shaped
from tabcore.readers.openhands_v0 import framed
from tabcore.trajectory import Json, Message, Observation, ToolCall, Usage


class _Said(msgspec.Struct):
    role: str | None = None
    content: Any = None
    reasoning_content: str | None = None


class _Call(msgspec.Struct):
    arguments: Any = None


class _Shell(msgspec.Struct):
    exit_code: int | None = None
    working_dir: str | None = None
    prefix: str | None = None
    suffix: str | None = None


class _Observed(msgspec.Struct):
    content: Any = None
    output: Any = None
    is_error: bool | None = None
    error: str | None = None
    exit_code: int | None = None
    metadata: _Shell | None = None


class _Event(msgspec.Struct):
    kind: str = ""
    id: str | None = None
    timestamp: str | float | None = None
    source: str | None = None
    key: str | None = None
    value: Any = None
    system_prompt: Any = None
    llm_message: _Said | None = None
    extended_content: Any = None
    thought: Any = None
    reasoning_content: str | None = None
    action: Any = None
    tool_name: str | None = None
    tool_call_id: str | None = None
    tool_call: _Call | None = None
    llm_response_id: str | None = None
    action_id: str | None = None
    observation: _Observed | None = None
    error: Any = None
    rejection_reason: str | None = None
    summary: str | None = None
    detail: str | None = None


class _Tokens(msgspec.Struct):
    prompt_tokens: float = 0
    completion_tokens: float = 0
    cache_read_tokens: float = 0
    cache_write_tokens: float = 0


class _Metrics(msgspec.Struct):
    model_name: str | None = None
    accumulated_token_usage: _Tokens | None = None


class _Stats(msgspec.Struct):
    usage_to_metrics: dict[str, _Metrics] | None = None


_SILENT = frozenset(
    [
        "CondensationRequest",
        "PauseEvent",
        "InterruptEvent",
        "TokenEvent",
        "LLMCompletionLogEvent",
        "HookExecutionEvent",
        "StreamingDeltaEvent",
    ]
)


class StreamV1:
    """Events of one run into its assembler."""

    def __init__(self, run: RunAssembler, account: Account) -> None:
        self._run = run
        self._account = account
        self._calls: dict[str, str] = {}
        self._totals = _Tokens()
        self._usage: Usage | None = None
        self._model: str | None = None

    def take(self, number: int, value: Json) -> None:
        """One event of the log."""
        self._account.total += 1
        event = shaped(value, _Event, number, self._account)
        if event is None:
            self._account.skip(number)
            return
        time = seconds(event.timestamp)
        self._account.untimed += time is None
        match event.kind:
            case "ActionEvent":
                self._action(event, number, time)
            case "ObservationEvent" | "AgentErrorEvent" | "UserRejectObservation":
                self._run.observe(self._result(event, event.observation or _Observed(), number, time))
            case "MessageEvent":
                self._message(event, event.llm_message or _Said(), number, time)
            case _:
                self._other(event, number, time)

    def end(self) -> None:
        """The run has no more events."""
        if self._run.turns == 0:
            self._account.note(0, "no turns", "the log holds no response of the agent", "kept without turns")
        self._run.end()

    def _other(self, event: _Event, number: int, time: float | None) -> None:
        match event.kind:
            case "SystemPromptEvent":
                self._run.say(Message(content(event.system_prompt).text, "harness", "system", number, time))
            case "Condensation" | "CondensationSummaryEvent":
                if event.summary:
                    self._run.say(Message(event.summary, "harness", "compaction", number, time))
            case "ConversationStateUpdateEvent":
                if event.key == "stats":
                    self._stats(event.value, number)
            case "ConversationErrorEvent":
                self._account.note(number, "failed run", f"the run broke off ({(event.detail or '')[:300]})", "kept")
            case kind if kind not in _SILENT:
                self._account.not_understood(number, kind)

    def _message(self, event: _Event, said: _Said, number: int, time: float | None) -> None:
        shown = content(said.content)
        if event.source == "agent" or said.role == "assistant":
            self._open(event, number, time, shown.text, said.reasoning_content)
            return
        if shown.images:
            self._account.note(number, "picture", "a picture stands in a person's message", "not kept", lost=True)
        if event.source == "user":
            self._run.say(Message(shown.text, "person", "prompt", number, time))
        else:
            self._run.say(Message(shown.text, "harness", "notice", number, time))
        if inserted := content(event.extended_content).text:
            self._run.say(Message(inserted, "harness", "reminder", number, time))

    def _open(self, event: _Event, number: int, time: float | None, text: str, reasoning: str | None) -> None:
        """The response that an event belongs to: the open one, or a new one."""
        ident = event.llm_response_id or event.id or f"event-{number}"
        if self._run.response is not None and self._run.response.ident == ident:
            return
        response = Response(ident, number, time, self._model, usage=self._usage)
        words, thoughts = _apart(text, reasoning)
        response.texts += [words] if words else []
        response.reasonings += [thoughts] if thoughts else []
        self._usage = None
        self._run.respond(response)

    def _action(self, event: _Event, number: int, time: float | None) -> None:
        self._open(event, number, time, content(event.thought).text, event.reasoning_content)
        name = event.tool_name or ""
        action = event.action if isinstance(event.action, dict) else {}
        asked: Json = {key: value for key, value in action.items() if key != "kind"}
        if event.tool_call and event.tool_call.arguments is not None:
            asked = event.tool_call.arguments
        call_id = event.tool_call_id or event.id or f"event-{number}"
        if event.id:
            self._calls[event.id] = call_id
        if not self._run.call(ToolCall(call_id, name, arguments(asked, name, number, self._account), number)):
            self._account.note(number, "repeated record", f"the call {call_id} stands here again", "read once")

    def _result(self, event: _Event, observed: _Observed, number: int, time: float | None) -> Observation:
        shown, shell = content(observed.content or observed.output), observed.metadata or _Shell()
        told = shown.text or observed.error or event.rejection_reason or content(event.error).text
        text, spans = framed(shell.prefix, told, shell.suffix)
        code = observed.exit_code if observed.exit_code is not None else shell.exit_code
        call_id = event.tool_call_id or self._calls.get(event.action_id or "", event.action_id or f"event-{number}")
        failed = bool(observed.is_error) or event.kind != "ObservationEvent"
        return Observation(
            call_id, text, failed, spans, shown.images, None if code == -1 else code, shell.working_dir or None, number, time
        )  # fmt: skip

    def _stats(self, value: Json, number: int) -> None:
        stats = shaped(value, _Stats, number, self._account) or _Stats()
        metrics = (stats.usage_to_metrics or {}).get("default") or (stats.usage_to_metrics or {}).get("agent")
        now = metrics.accumulated_token_usage if metrics else None
        if metrics is None or now is None:
            return
        before, self._totals, self._model = self._totals, now, metrics.model_name
        self._usage = Usage(
            max(0, int(now.prompt_tokens - before.prompt_tokens)),
            max(0, int(now.completion_tokens - before.completion_tokens)),
            max(0, int(now.cache_read_tokens - before.cache_read_tokens)),
            max(0, int(now.cache_write_tokens - before.cache_write_tokens)),
        )


_THINK = re.compile(r"\s*<think>(.*?)</think>\s*", re.DOTALL)


def _apart(text: str, reasoning: str | None) -> tuple[str, str]:
    """The words and the reasoning of a response; a model that writes both into one text says its reasoning twice.

    >>> _apart("<think>Hm</think>\\n\\nDone", "Hm\\n"), _apart("<think>Hm</think>Done", None)
    (('Done', 'Hm\\n'), ('Done', 'Hm'))
    """
    thought = _THINK.match(text)
    if thought is None or (reasoning and reasoning.strip() != thought.group(1).strip()):
        return text, reasoning or ""
    return text[thought.end() :], reasoning or thought.group(1)
