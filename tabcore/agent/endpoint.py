"""A real model: an endpoint that speaks OpenAI's protocol with tool calls, asked turn by turn."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tabcore.agent.models import Entry, Instruction, Response, ToolResult, ToolSpec, UserText
from tabcore.agent.tool_calls import calls_of, sound, written_calls
from tabcore.errors import ModelError, ModelUnusable
from tabcore.language_models import Answer, Endpoint, LanguageModel, run_apart
from tabcore.text.token_estimate import estimated_tokens
from tabcore.trajectory import Outcome, ToolCall, Usage


@dataclass(slots=True)
class Allowance:
    """What may still be asked by all runs together: calls, and tokens in both directions. It goes down as they are used."""

    calls: int = 1000
    tokens: int = 10_000_000

    def check(self, place: str) -> None:
        """ModelUnusable where nothing is left."""
        if self.calls < 1 or self.tokens < 1:
            used_up = "calls" if self.calls < 1 else "tokens"
            remedy = "Allow more and go on: finished runs are kept"
            raise ModelUnusable(place, f"the {used_up} that were allowed are used up", remedy)


@dataclass(frozen=True, slots=True)
class Sampling:
    """What shapes an answer; None leaves it to the endpoint."""

    temperature: float | None = None
    answer_tokens: int | None = None


class EndpointModel:
    """An endpoint as an agent's model. A prompt that fails is a failed response; ModelUnusable where asking on is vain."""

    def __init__(self, where: Endpoint, allowance: Allowance, sampling: Sampling = Sampling()) -> None:
        self.name = where.model
        self._where = where
        self._model = LanguageModel(where)
        self._allowance = allowance
        self._sampling = sampling
        self._cancel: Callable[[], object] = lambda: None

    def respond(self, conversation: Sequence[Entry], tools: Sequence[ToolSpec], seconds: float) -> Response:
        """The model's next response."""
        self._allowance.check(f"endpoint {self._where.base_url}")
        request = self._request(conversation, tools)
        self._allowance.calls -= 1
        try:
            answer = run_apart(self._act(request, max(1.0, seconds)), lambda: self._cancel())
        except ModelUnusable:
            raise
        except ModelError as fault:
            return Response(outcome="failed", fault=str(fault))
        spent = _usage(request, answer)
        self._allowance.tokens -= spent.input + spent.output
        known = {call.call_id for call in _calls(conversation)}
        return _response(answer, known, [tool.name for tool in tools], spent)

    async def _act(self, request: dict[str, Any], seconds: float) -> Answer:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None
        self._cancel = lambda: loop.call_soon_threadsafe(task.cancel)
        async with self._model as model:
            return await model.act(request, seconds)

    def _request(self, conversation: Sequence[Entry], tools: Sequence[ToolSpec]) -> dict[str, Any]:
        request: dict[str, Any] = {"messages": [said for entry in conversation for said in _messages(entry)]}
        if tools:
            request["tools"] = [{"type": "function", "function": _function(tool)} for tool in tools]
        shape = {"temperature": self._sampling.temperature, "max_tokens": self._sampling.answer_tokens}
        return request | {name: value for name, value in shape.items() if value is not None}


def _response(answer: Answer, known: set[str], offered: Sequence[str], spent: Usage) -> Response:
    """An answer as a response. One that was cut before it called anything is no stop."""
    text, asked = answer.text, answer.calls
    if not asked:
        text, asked = written_calls(text, offered)
    outcome: Outcome = "failed" if answer.finish == "cut" and not asked else "complete"
    fault = "the answer met its limit of tokens" if outcome == "failed" else ""
    return Response(sound(text), calls_of(asked, known), outcome, spent, fault)


def _usage(request: dict[str, Any], answer: Answer) -> Usage:
    """The tokens that the endpoint told, else an estimate of them."""
    asked, answered = answer.tokens_in, answer.tokens_out
    if asked is None:
        asked = estimated_tokens(json.dumps(request["messages"], ensure_ascii=False))
    if answered is None:
        answered = estimated_tokens(answer.text + "".join(call.arguments for call in answer.calls))
    return Usage(asked, answered, cost=answer.cost)


def _calls(conversation: Sequence[Entry]) -> list[ToolCall]:
    return [call for entry in conversation if isinstance(entry, Response) for call in entry.calls]


def _messages(entry: Entry) -> list[dict[str, Any]]:
    """An entry in the protocol's form; a failed response that said nothing is left out."""
    match entry:
        case Instruction(text):
            return [{"role": "system", "content": text}]
        case UserText(text):
            return [{"role": "user", "content": text}]
        case ToolResult(call_id, _, blocks):
            return [{"role": "tool", "tool_call_id": call_id, "content": "\n".join(blocks)}]
        case Response(text, calls):
            made = {"tool_calls": [_called(call) for call in calls]} if calls else {}
            return [{"role": "assistant", "content": text, **made}] if text or calls else []


def _called(call: ToolCall) -> dict[str, Any]:
    name = (
        re.sub(r"[^A-Za-z0-9_-]", "_", call.name) or "unknown"
    )  # an endpoint takes its own model's odd names for faults
    return {
        "id": call.call_id,
        "type": "function",
        "function": {"name": name, "arguments": json.dumps(dict(call.arguments), ensure_ascii=False)},
    }


def _function(tool: ToolSpec) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
