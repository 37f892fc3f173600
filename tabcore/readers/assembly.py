"""Turns out of a log's records: one run at a time, each turn handed over when the next one begins.

The reader says what it meets, in the log's order: a message, a response (in one piece or several), an
observation. The assembler puts each where it belongs, counts turns, and notes results without a call,
calls without a result, and second results.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from tabcore.readers.base import Account
from tabcore.trajectory import (
    Message,
    Observation,
    Outcome,
    Rubric,
    RunEnded,
    RunHeader,
    RunStarted,
    Stated,
    ToolCall,
    Turn,
    TurnRead,
    Usage,
    Verdict,
)


@dataclass(slots=True)
class Response:
    """A model response while its pieces come in.

    `ident` is the id that its pieces share; `told` is the usage as the latest piece told it, in the reader's own type.
    """

    ident: str = ""
    line: int = 0
    time: float | None = None
    model: str | None = None
    cwd: str | None = None
    outcome: Outcome = "complete"
    usage: Usage | None = None
    texts: list[str] = field(default_factory=list)
    reasonings: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    told: object = None


class RunAssembler:
    """The turns of one run, or of one branch that the record gave up (`abandoned`).

    `upstream` is the run that an abandoned branch left: its calls may be answered on the branch.
    """

    def __init__(
        self, key: str, header: RunHeader, account: Account, *, first: int = 1, upstream: RunAssembler | None = None
    ) -> None:
        self.header = header
        self.abandoned = upstream is not None
        self._key = key
        self._account = account
        self._upstream = upstream
        self._number = first - 1
        self._started = self.abandoned
        self._response: Response | None = None
        self._before: list[Message] = []
        self._waiting: list[Message] = []
        self._observations: list[Observation] = []
        self._stated: list[Stated] = []
        self._rubrics: dict[str, Rubric] = {}
        self._verdicts: dict[str, Verdict] = {}
        self._open_calls: dict[str, ToolCall] = {}
        self._answered: set[str] = set()

    @property
    def key(self) -> str:
        """What tells the run from the others of its log; one that another run has already is changed at the start."""
        return self._upstream.key if self._upstream else self._key

    @property
    def response(self) -> Response | None:
        """The response that is still open."""
        return self._response

    @property
    def turns(self) -> int:
        """How many turns have begun, those of the trunk included for an abandoned branch."""
        return self._number

    @property
    def has_waiting(self) -> bool:
        """True when a message came after the latest response."""
        return bool(self._waiting)

    def start(self, line: int = 0) -> None:
        """Hands over RunStarted, once."""
        if not self._started:
            self._started = True
            self._key = self._account.own_key(self._key, line)
            self._account.pieces.append(RunStarted(self.key, self.header))

    def say(self, message: Message) -> None:
        """A message reached the model before its next response."""
        self._waiting.append(message)

    def respond(self, response: Response) -> None:
        """A new response begins; the previous turn is complete."""
        (self._upstream or self).start(response.line)
        if self._response is not None:
            self._finish_turn(self._response)
        self._response = response
        self._number += 1
        self._before, self._waiting = self._waiting, []
        if self.header.model is None and response.model:
            self.header = replace(self.header, model=response.model)
        for call in response.calls:
            self._await(call)

    def call(self, call: ToolCall, *, ids_return: bool = False) -> bool:
        """Another call of the open response; False when the run, or with `ids_return` the response, has it already."""
        if self._response is None:
            return False
        if ids_return:
            known = any(call.call_id == other.call_id for other in self._response.calls)
        else:
            known = call.call_id in self._open_calls or call.call_id in self._answered
        if call.call_id and known:
            return False
        self._response.calls.append(call)
        self._await(call)
        return True

    def observe(self, observation: Observation) -> None:
        """A result was shown after the latest response."""
        if self._response is None:
            self._number -= self.abandoned and self._number > 0
            self.respond(Response(line=observation.line, time=observation.time, outcome="failed"))
            if not self.abandoned:
                what, done = "a result stands before the first response", "kept in a turn without words"
                self._account.note(observation.line, "no response", what, done)
        self._settle(observation)
        self._observations.append(observation)

    def state(self, stated: Iterable[Stated]) -> None:
        """The record says something of files; it is kept with the latest response."""
        self._stated += stated

    def judge(self, rubric: Rubric, verdict: Verdict | None = None) -> None:
        """The log says by what the run is judged, or how; the last word on a rubric counts."""
        self._rubrics[rubric.rubric_id] = rubric
        if verdict is not None:
            self._verdicts[rubric.rubric_id] = verdict

    def awaits(self, call_id: str) -> ToolCall | None:
        """The call with this id that has no result yet."""
        return self._open_calls.get(call_id)

    def awaited(self) -> Iterable[ToolCall]:
        """All calls without a result so far, in order."""
        return self._open_calls.values()

    def end(self) -> None:
        """Hands over the last turn, notes calls that were never answered, and ends the run."""
        self.start()
        if self.abandoned and self._waiting and self._response is None:
            self.respond(Response(line=self._waiting[0].line, time=self._waiting[0].time, outcome="aborted"))
        if self._response is not None:
            self._finish_turn(self._response)
        if self.abandoned:
            return
        for call in self._open_calls.values():
            self._note_unanswered(call)
        judged = tuple(self._rubrics.values()), tuple(self._verdicts.values())
        self._account.pieces.append(RunEnded(self.key, self.header, tuple(self._waiting), *judged))

    def _await(self, call: ToolCall) -> None:
        if not call.call_id:
            return
        if earlier := self._open_calls.pop(call.call_id, None):
            self._note_unanswered(earlier)
        self._open_calls[call.call_id] = call

    def _note_unanswered(self, call: ToolCall) -> None:
        what = f'the call {call.call_id} of "{call.name}" has no result'
        self._account.note(call.line, "unanswered call", what, "kept without")

    def _settle(self, observation: Observation) -> None:
        """Ticks off the call that an observation answers; "" answers whatever calls are open."""
        call_id = observation.call_id
        if not call_id:
            self._answered.update(self._open_calls)
            self._open_calls.clear()
        elif self._open_calls.pop(call_id, None):
            self._answered.add(call_id)
        elif call_id in self._answered:
            what = f"the call {call_id} has a second result"
            self._account.note(observation.line, "duplicate result", what, "kept beside the first")
        elif not self._knows_upstream(call_id):
            what = f"a result names the call {call_id}, which is not in the log"
            self._account.note(observation.line, "orphan result", what, "kept with the turn before it")

    def _knows_upstream(self, call_id: str) -> bool:
        above = self._upstream
        return above is not None and (call_id in above._open_calls or call_id in above._answered)

    def _finish_turn(self, response: Response) -> None:
        turn = Turn(
            self._number,
            "\n".join(response.texts),
            "\n".join(response.reasonings),
            tuple(response.calls),
            tuple(self._observations),
            tuple(self._before),
            response.outcome,
            response.model,
            response.usage,
            response.cwd,
            response.line,
            response.time,
            tuple(self._stated),
        )
        self._observations, self._stated = [], []
        self._response = None
        self._account.pieces.append(TurnRead(self.key, turn, self.abandoned))
