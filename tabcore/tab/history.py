"""A recorded run -> the facts of its tab, turn by turn.

A run recorded with a tab gives back the tab that the agent had: its operations are carried out again by the same
engine, what the record answered decides whether an operation took place, and every recorded text of the tab is
compared with the derived one; a run of a switched method has the parts of the tab that are left. A run recorded without a tab gets the tab that the environment would have kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableMapping
from dataclasses import dataclass, replace
from typing import Literal

from tabcore.capture import Workspace, capture
from tabcore.tab import messages
from tabcore.tab.corrections import DecisionCorrection, Overruled, corrected, overruled
from tabcore.tab.events import Event, Refused
from tabcore.tab.keeper import Keeper, command_text
from tabcore.tab.operations import operation_of
from tabcore.tab.switches import parts_of
from tabcore.tab.timeline import RecordingTab
from tabcore.trajectory import Message, Observation, RunHeader, ToolCall, Turn, without

TabText = Literal["status line", "reply", "finish check"]


@dataclass(frozen=True, slots=True)
class Difference:
    """A text of the tab that the record has otherwise than the engine derives it."""

    turn: int
    call: int
    what: TabText
    recorded: str
    derived: str


@dataclass(frozen=True, slots=True)
class TurnFacts:
    """What happened to the tab in one turn. `status_line` is the derived one after it; `overruled` are the decisions of
    capture that a person corrected.

    A fact's own turn can be the one before: a finish check is known only when its message follows.
    """

    turn: int
    events: tuple[Event, ...]
    status_line: str
    differences: tuple[Difference, ...] = ()
    recorded_tab: bool = False
    overruled: tuple[Overruled, ...] = ()


@dataclass(frozen=True, slots=True)
class _Made:
    """A call where it was made: turn, position in the turn."""

    turn: int
    index: int
    call: ToolCall


def workspace_of(header: RunHeader) -> Workspace:
    """The workspace of a run: the stated root, else the first working directory, else `/`."""
    root = header.root or header.cwd or "/"
    return Workspace(root=root, cwd=header.cwd or root, fresh_cwd=header.fresh_cwd)


class Historian:
    """Follows one recorded run. Give it the turns in order; at the end, what was said after the last.

    `texts` is where the excerpts are kept, by digest: a dict of its own unless stated. `corrections` are what persons
    said of the run's calls. `tab` is the tab of the run, with its timeline.
    """

    def __init__(
        self,
        header: RunHeader,
        texts: MutableMapping[str, str] | None = None,
        corrections: Iterable[DecisionCorrection] = (),
    ) -> None:
        self._corrections: dict[tuple[int, int], list[DecisionCorrection]] = {}
        for correction in corrections:
            self._corrections.setdefault((correction.turn, correction.call), []).append(correction)
        self._header = header
        kept: MutableMapping[str, str] = {} if texts is None else texts
        self.tab = RecordingTab(kept)
        self.keeper = Keeper(workspace_of(header), texts=kept, tab=self.tab, parts=parts_of(header.method))
        self._pending: dict[str, _Made] = {}
        self._stopped: int | None = None
        self._events: list[Event] = []
        self._differences: list[Difference] = []
        self._overruled: list[Overruled] = []
        self._recorded_tab = False
        if header.task is not None:
            self._events += self.keeper.state_task(0, header.task.text)

    def turn(self, turn: Turn) -> TurnFacts:
        """The facts of the next turn."""
        for message in turn.before:
            self._hear(message, turn.number)
        if turn.cwd is not None:
            self.keeper.workspace.cwd = turn.cwd
        positions = {call.call_id: index for index, call in enumerate(turn.calls)}
        self._pending.update((call.call_id, _Made(turn.number, i, call)) for i, call in enumerate(turn.calls))
        for observation in turn.observations:
            self._see(turn, observation, positions)
        if turn.is_stop:
            self._events += self.keeper.stop(turn.number)
            self._stopped = turn.number
        return self._flush(turn.number)

    def end(self, after: Iterable[Message], last_turn: int) -> TurnFacts:
        """The facts known only from what was said after the last turn."""
        for message in after:
            self._hear(message, last_turn)
        return self._flush(last_turn)

    def _flush(self, turn: int) -> TurnFacts:
        differences, overruling = tuple(self._differences), tuple(self._overruled)
        line = self.keeper.status_line(turn)
        facts = TurnFacts(turn, tuple(self._events), line, differences, self._recorded_tab, overruling)
        self._events, self._differences, self._overruled = [], [], []
        return facts

    def _hear(self, message: Message, turn: int) -> None:
        if message.origin == "person" and message.kind == "prompt" and self._header.task is None:
            self._events += self.keeper.state_task(
                turn, without(message.text, message.spans, {"harness", "tab"}).strip()
            )
        elif message.origin == "tab":
            said = without(message.text, message.spans, {"harness"})
            if said.startswith(messages.FINISH_HEAD[:18]):
                self._check_finish(said, turn)

    def _check_finish(self, recorded: str, turn: int) -> None:
        stop = self._stopped if self._stopped is not None else turn
        reply = self.keeper.finish_check(stop)
        if reply is None:
            why = "sent before; at most once" if self.keeper.parts.finish_check else f"none; {self._header.method}"
            self._differences.append(Difference(stop, -1, "finish check", recorded, why))
            return
        self._events += reply.events
        self._compare(stop, -1, "finish check", recorded, reply.text)

    def _see(self, turn: Turn, observation: Observation, positions: dict[str, int]) -> None:
        if not observation.call_id:
            for place, call in enumerate(_joint(turn.calls)):
                self._take(turn.number, 0, _Made(turn.number, place, call), observation)
        elif made := self._pending.pop(observation.call_id, None):
            self._take(turn.number, positions.get(observation.call_id, -1), made, observation)
        for span in observation.spans:
            if span.origin == "tab" and messages.is_status_line(observation.text[span.start : span.end]):
                self._recorded_tab = True
                recorded = observation.text[span.start : span.end].strip()
                index = positions.get(observation.call_id, -1)
                self._compare(turn.number, index, "status line", recorded, self.keeper.status_line(turn.number))

    def _take(self, turn: int, index: int, made: _Made, observation: Observation) -> None:
        call = made.call
        operation = operation_of(call)
        if operation is None:
            self._observe(turn, index, made, observation)
            return
        self._recorded_tab = True
        recorded = _tool_text(observation)
        if messages.is_refusal(recorded):
            self._refuse(turn, index, call, recorded)
            return
        reply = self.keeper.operate(turn, index, operation)
        self._events += reply.events
        self._compare(turn, index, "reply", recorded, reply.text)

    def _observe(self, turn: int, index: int, made: _Made, observation: Observation) -> None:
        """A call of another tool, as captured and as corrected."""
        said = self._corrections.get((made.turn, made.index))
        if said is None:
            self._events += self.keeper.observe(turn, index, made.call, observation)
            return
        command = command_text(made.call)
        findings = capture(made.call, observation, self.keeper.workspace).findings
        overruling = overruled(findings, (c for c in said if c.command in ("", command)))
        self._overruled += overruling
        self._events += self.keeper.fold(turn, index, made.call, observation, corrected(findings, overruling))

    def _refuse(self, turn: int, index: int, call: ToolCall, recorded: str) -> None:
        """The record says that the operation was declined: so it was, whatever the engine would say now."""
        name = call.name.rsplit("__", 1)[-1].removeprefix("tab_")
        event = Refused(turn, index, name, str(call.arguments.get("id", "")), recorded)
        self.keeper.tab.apply(event)
        self._events.append(event)

    def _compare(self, turn: int, call: int, what: TabText, recorded: str, derived: str) -> None:
        if recorded.strip() != derived.strip():
            self._differences.append(Difference(turn, call, what, recorded, derived))


def derive(header: RunHeader, turns: Iterable[Turn], after: Iterable[Message] = ()) -> Iterator[TurnFacts]:
    """The facts of a recorded run, turn by turn; the last item holds what only the end tells."""
    historian = Historian(header)
    last = 0
    for turn in turns:
        last = turn.number
        yield historian.turn(turn)
    yield historian.end(after, last)


def _tool_text(observation: Observation) -> str:
    lines = [s for s in observation.spans if messages.is_status_line(observation.text[s.start : s.end])]
    return without(observation.text, lines, {"tab"}).strip()


def _joint(calls: tuple[ToolCall, ...]) -> list[ToolCall]:
    """The calls that one text answers. Commands typed into one terminal are one script."""
    if len(calls) < 2 or len({call.name for call in calls}) > 1:
        return list(calls)
    for key in ("keystrokes", "command", "cmd"):
        lines = [call.arguments.get(key) for call in calls]
        if all(isinstance(line, str) for line in lines):
            script = "\n".join(str(line).rstrip("\n") for line in lines) + "\n"
            return [replace(calls[0], arguments={**calls[0].arguments, key: script})]
    return list(calls)
