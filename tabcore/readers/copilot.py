"""Event logs of GitHub's Copilot CLI (`events.jsonl` of a session).

Format: the session events of github/copilot-sdk. Verified on one published fixture, hand-written, with sub-agents;
event types and fields beyond it against the SDK's documentation.

`assistant.message` is a turn; its `toolRequests` are the calls, with arguments there or in `tool.execution_start`. What
a sub-agent says and does carries the id of the call that started it, and is a run of its own with that id for a key.
`transformedContent` is a prompt as the model saw it: what is not `content` in it is the harness's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from tabcore.readers.assembly import Response, RunAssembler
from tabcore.readers.base import Account, seconds
from tabcore.readers.contents import arguments, content, text_of
from tabcore.readers.heads import Head
from tabcore.readers.records import records
from tabcore.source import Source
from tabcore.trajectory import Json, Message, Observation, Piece, RunHeader, Span, ToolCall, Usage

NAME = "copilot"


class _Request(msgspec.Struct, rename="camel"):
    tool_call_id: str | None = None
    name: str | None = None
    arguments: Any = None


class _Context(msgspec.Struct, rename="camel"):
    cwd: str | None = None


class _Result(msgspec.Struct, rename="camel"):
    content: Any = None


class _Data(msgspec.Struct, rename="camel"):
    session_id: str | None = None
    selected_model: str | None = None
    new_model: str | None = None
    context: _Context | None = None
    content: Any = None
    transformed_content: str | None = None
    message_id: str | None = None
    reasoning_text: str | None = None
    tool_requests: list[_Request] | None = None
    tool_call_id: str | None = None
    parent_tool_call_id: str | None = None
    tool_name: str | None = None
    arguments: Any = None
    success: bool | None = None
    result: _Result | None = None
    error: Any = None
    message: str | None = None
    reason: str | None = None
    summary_content: str | None = None
    model: str | None = None
    input_tokens: float | None = None
    output_tokens: float | None = None
    cache_read_tokens: float | None = None
    cache_write_tokens: float | None = None


class _Event(msgspec.Struct):
    type: str = ""
    data: _Data | None = None
    timestamp: str | float | None = None


_SILENT = (
    "session.", "hook.", "permission.", "assistant.turn_", "assistant.intent", "assistant.streaming_delta",
    "assistant.message_delta", "assistant.reasoning", "tool.execution_p", "tool.user_requested", "subagent.",
    "pending_messages.", "external_tool.", "elicitation.", "command", "capabilities.", "exit_plan_mode.", "user_input.",
)  # fmt: skip


def recognises(head: Head) -> bool:
    """True for a log whose first records are Copilot's events."""
    return any(isinstance(value, dict) and _is_event(value) for value in head.values)


def read(source: Source) -> Iterator[Piece]:
    """The session's run, and one for each sub-agent."""
    account = Account(source.path)
    session = _Session(account)
    for line, _, event, _ in records(source, _Event, _is_event, account):
        session.take(line, event)
        if account.pieces:
            yield from account.drain()
    session.end()
    yield from account.close()


def _is_event(value: dict[str, Json]) -> bool:
    kind, data = value.get("type"), value.get("data")
    known = isinstance(kind, str) and kind.startswith(("session.", "assistant.", "tool.execution_", "user.message"))
    return known and isinstance(data, dict) and "id" in value and "parentId" in value


@dataclass(slots=True)
class _Agent:
    """One agent's run. `requested` are calls whose arguments are still to come."""

    run: RunAssembler
    requested: dict[str, tuple[int, str]] = field(default_factory=dict)


class _Session:
    """The agents of a log, filled event by event."""

    def __init__(self, account: Account) -> None:
        self._account = account
        header = RunHeader(NAME, harness=NAME)
        self._agents = {"": _Agent(RunAssembler("", header, account))}
        self._agent_of_call: dict[str, str] = {}
        self._prompts: dict[str, str] = {}

    def take(self, line: int, event: _Event) -> None:
        """One event of the log."""
        data, time = event.data or _Data(), seconds(event.timestamp)
        self._account.untimed += time is None
        match event.type:
            case "assistant.message":
                self._answer(self._agent(data.parent_tool_call_id), data, line, time)
            case "assistant.usage":
                self._usage(self._agent(data.parent_tool_call_id), data)
            case "tool.execution_start":
                self._call(data, line)
            case "tool.execution_complete":
                self._result(data, line, time)
            case "user.message":
                self._agents[""].run.say(_prompt(data, line, time))
            case "system.message" | "system.notification" | "skill.invoked":
                kind = "system" if event.type == "system.message" else "reminder"
                self._agents[""].run.say(Message(content(data.content).text, "harness", kind, line, time))  # type: ignore[arg-type]
            case _:
                self._other(event.type, data, line, time)

    def end(self) -> None:
        """All that is still open."""
        for key, agent in self._agents.items():
            self._flush(agent)
            if agent.run.turns == 0:
                what = f"run {key or 'of the log'} holds no response of a model"
                self._account.note(0, "no turns", what, "kept without turns")
            agent.run.end()

    def _other(self, kind: str, data: _Data, line: int, time: float | None) -> None:
        main = self._agents[""].run
        match kind:
            case "session.start" | "session.resume":
                self._start(data, time)
            case "session.compaction_complete":
                if data.summary_content:
                    main.say(Message(data.summary_content, "harness", "compaction", line, time))
            case "session.error" | "subagent.failed":
                why = (data.message or text_of(data.error))[:300]
                whose = f"the sub-agent {data.tool_call_id}" if kind == "subagent.failed" else "the session"
                self._account.note(line, "failed run", f"{whose} failed ({why})", "kept as far as it goes")
            case "session.snapshot_rewind":
                self._account.note(line, "taken back", "earlier events were taken back here", "kept as they stand")
            case "abort":
                if main.response is not None and not main.response.calls:
                    main.response.outcome = "aborted"
                main.say(Message(data.reason or "", "harness", "notice", line, time))
            case _ if not kind.startswith(_SILENT):
                self._account.not_understood(line, kind)

    def _start(self, data: _Data, time: float | None) -> None:
        run = self._agents[""].run
        cwd = data.context.cwd if data.context else None
        run.header = replace(
            run.header,
            session=run.header.session or data.session_id or "",
            model=run.header.model or data.selected_model,
            cwd=run.header.cwd or cwd,
            started=run.header.started if run.header.started is not None else time,
        )

    def _agent(self, key: str | None) -> _Agent:
        """The main agent, or the one that the call `key` started."""
        if not key or key in self._agents:
            return self._agents[key or ""]
        main = self._agents[""].run.header
        header = replace(main, parent_key=self._agent_of_call.get(key, ""), parent_call=key, model=None)
        agent = self._agents[key] = _Agent(RunAssembler(key, header, self._account))
        if prompt := self._prompts.get(key):
            agent.run.say(Message(prompt, "agent", "prompt"))
        return agent

    def _answer(self, agent: _Agent, data: _Data, line: int, time: float | None) -> None:
        self._flush(agent)
        response = agent.run.response
        if response is None or not data.message_id or response.ident != data.message_id:
            response = Response(data.message_id or "", line, time, data.model)
            agent.run.respond(response)
        text = content(data.content).text
        response.texts += [text] if text else []
        response.reasonings += [data.reasoning_text] if data.reasoning_text else []
        if data.output_tokens is not None and response.usage is None:
            response.usage = Usage(output=int(data.output_tokens))
        for request in data.tool_requests or []:
            call_id = request.tool_call_id or ""
            self._agent_of_call[call_id] = agent.run.key
            if request.arguments is None:
                agent.requested[call_id] = (line, request.name or "")
            else:
                self._make(agent, call_id, request.name or "", request.arguments, line)

    def _call(self, data: _Data, line: int) -> None:
        """A tool starts: its arguments are told here, if they were not told with the request."""
        call_id = data.tool_call_id or f"line-{line}"
        agent = self._agent(data.parent_tool_call_id or self._agent_of_call.get(call_id))
        asked = agent.requested.pop(call_id, None)
        if asked is not None or (agent.run.awaits(call_id) is None and call_id not in self._agent_of_call):
            self._agent_of_call[call_id] = agent.run.key
            self._make(agent, call_id, data.tool_name or (asked[1] if asked else ""), data.arguments, line)
        if isinstance(data.arguments, dict) and isinstance(prompt := data.arguments.get("prompt"), str):
            self._prompts[call_id] = prompt

    def _make(self, agent: _Agent, call_id: str, name: str, given: Json, line: int) -> None:
        if agent.run.response is None:
            self._account.note(line, "no response", f"the tool {name} runs before any response", "kept without words")
            agent.run.respond(Response("", line))
        if not agent.run.call(ToolCall(call_id, name, arguments(given, name, line, self._account), line)):
            self._account.note(line, "repeated record", f"the call {call_id} stands here again", "read once")

    def _result(self, data: _Data, line: int, time: float | None) -> None:
        call_id = data.tool_call_id or ""
        agent = self._agent(data.parent_tool_call_id or self._agent_of_call.get(call_id))
        if call_id in agent.requested:
            self._flush(agent)
        shown = content(data.result.content if data.result else None)
        fault = data.error.get("message") if isinstance(data.error, dict) else data.error
        text = shown.text or text_of(fault)
        failed = data.success is False
        agent.run.observe(
            Observation(call_id or f"line-{line}", text, failed, images=shown.images, line=line, time=time)
        )

    def _flush(self, agent: _Agent) -> None:
        """Requests whose tool never started are calls all the same."""
        for call_id, (line, name) in agent.requested.items():
            self._make(agent, call_id, name, None, line)
        agent.requested = {}

    def _usage(self, agent: _Agent, data: _Data) -> None:
        response = agent.run.response
        if response is not None:
            told = (data.input_tokens, data.output_tokens, data.cache_read_tokens, data.cache_write_tokens)
            response.usage = Usage(*(int(count or 0) for count in told))
            response.model = response.model or data.model


def _prompt(data: _Data, line: int, time: float | None) -> Message:
    """A prompt as the model saw it, with what the person did not type marked."""
    typed, seen = content(data.content).text, data.transformed_content or ""
    start = seen.find(typed) if typed else -1
    if start < 0:
        return Message(typed or seen, "person" if typed else "harness", "prompt" if typed else "notice", line, time)
    end = start + len(typed)
    spans = [Span(0, start, "harness", "inserted")] if start else []
    spans += [Span(end, len(seen), "harness", "inserted")] if end < len(seen) else []
    return Message(seen, "person", "prompt", line, time, tuple(spans))
