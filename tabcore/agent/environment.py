"""The loop of a live agent: ask the model, execute its calls, show it what they returned, record all of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tabcore.agent.clocks import Clock
from tabcore.agent.methods import Companion, Method
from tabcore.agent.models import Entry, Instruction, Model, Response, ToolResult, UserText
from tabcore.agent.recorder import PiRecorder
from tabcore.agent.terminal import Terminal, use_tool
from tabcore.agent.window import cut, left_before, request
from tabcore.tab.context_window import LEVELS, PAPER_LEVEL, Level
from tabcore.tab.messages import SUMMARY_REQUEST
from tabcore.trajectory import Observation, ToolCall

End = Literal["delivered", "turn budget", "time limit", "model failed"]

FAILURES_IN_A_ROW = 3
"""So many responses that failed or were aborted, one after the other, end a run."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may take (the paper's: 300 turns, one hour), what one command may, and what the model is shown of it
    all: the level of context management (the paper's: 3)."""

    turns: int = 300
    seconds: float = 3600.0
    command_seconds: float = 120.0
    level: Level = LEVELS[PAPER_LEVEL]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended, after how many turns, and the last thing that the model said."""

    how: End
    turns: int
    answer: str


def run_agent(
    task: str,
    model: Model,
    method: Method,
    companion: Companion,
    terminal: Terminal,
    recorder: PiRecorder,
    clock: Clock,
    limits: Limits = Limits(),
) -> Ended:
    """Run one task to its end. Limits are looked at before each response; a command's time ends with the run's."""
    loop = _Loop(method, companion, terminal, recorder, clock, limits)
    deadline = loop.tell(UserText(task)) + limits.seconds
    failures = 0
    response = Response()
    for turn in range(1, limits.turns + 1):
        if loop.now >= deadline:
            return Ended("time limit", turn - 1, response.text)
        response = loop.ask(model, deadline)
        loop.answer(turn, response.calls, deadline)
        failures = 0 if response.outcome == "complete" else failures + 1
        if failures == FAILURES_IN_A_ROW:
            return Ended("model failed", turn, response.text)
        if response.is_stop:
            objection = companion.at_stop(turn)
            if objection is None:
                return Ended("delivered", turn, response.text)
            loop.tell(objection)
    return Ended("turn budget", limits.turns, response.text)


class _Loop:
    """The conversation so far, kept in step with its record; `now` is the time of the newest message."""

    def __init__(
        self,
        method: Method,
        companion: Companion,
        terminal: Terminal,
        recorder: PiRecorder,
        clock: Clock,
        limits: Limits,
    ) -> None:
        self._method = method
        self._companion = companion
        self._terminal = terminal
        self._recorder = recorder
        self._clock = clock
        self._limits = limits
        self._conversation: list[Entry] = [Instruction(method.instruction)]
        self._left = 0
        self._summary = ""
        self._summarised = 0  # turns whose results a summary covers
        self.now = 0.0

    def _tick(self) -> float:
        """The time, which never goes back in a record."""
        return max(self.now, self._clock())

    def tell(self, said: UserText) -> float:
        """Say something as the user; returns when."""
        self.now = self._tick()
        self._conversation.append(said)
        self._recorder.user(said, self.now)
        return self.now

    def ask(self, model: Model, deadline: float) -> Response:
        """The model's next response, recorded."""
        left = left_before(self._conversation, self._limits.level)
        if self._limits.level.summarised and left > self._summarised:
            self._summarise(model, deadline)
        sent = request(self._conversation, left, self._summary)
        response = model.respond(sent, self._method.tools, deadline - self.now)
        self.now = self._tick()
        self._conversation.append(response)
        self._left = left
        self._recorder.assistant(response, self.now)
        return response

    def _summarise(self, model: Model, deadline: float) -> None:
        """Have the model write down what it needs of all results so far, before the first that no summary covers leaves."""
        sent = request(self._conversation, self._left, self._summary)
        written = model.respond((*sent, UserText(SUMMARY_REQUEST, "harness")), (), deadline - self.now)
        self.now = self._tick()
        self._summarised = sum(isinstance(entry, Response) for entry in self._conversation)
        if text := written.text.strip():
            self._summary = text
            self._recorder.summary(text, self.now)

    def answer(self, turn: int, calls: Sequence[ToolCall], deadline: float) -> None:
        """Execute a turn's calls, one after the other, and show what each returned."""
        for index, call in enumerate(calls):
            observation = self._execute(turn, index, call, max(0.0, deadline - self.now))
            line = self._companion.line(turn)
            blocks = (observation.text,) if line is None else (observation.text, line)
            self.now = self._tick()
            self._conversation.append(ToolResult(call.call_id, call.name, blocks, observation.is_error))
            self._recorder.tool_result(call.call_id, call.name, blocks, observation.is_error, self.now)

    def _execute(self, turn: int, index: int, call: ToolCall, left: float) -> Observation:
        reply = self._companion.reply(turn, index, call)
        if reply is not None:
            return Observation(call.call_id, reply)
        shown = use_tool(self._terminal, call, min(left, self._limits.command_seconds))
        observation = cut(shown, self._limits.level)
        self._companion.saw(turn, index, call, observation)
        return observation
