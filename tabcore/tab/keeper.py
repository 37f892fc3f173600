"""Keeper: the environment's side of a tab. It turns calls and observations into facts, and the tab into words.

One keeper serves a live loop, a hook and a recorded run alike, so a replay cannot tell another story than the
agent saw.
"""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping
from dataclasses import dataclass
from functools import cached_property
from typing import assert_never

from tabcore.capture import Workspace, capture
from tabcore.capture.findings import Finding
from tabcore.errors import TabRefusal
from tabcore.tab import messages
from tabcore.tab.events import (
    CaptureUndecided,
    Consulted,
    Event,
    FileAuthored,
    FileListed,
    FileRead,
    FileRenamed,
    FinishChecked,
    Refused,
    Reviewed,
    Stopped,
    TaskStated,
    text_digest,
)
from tabcore.tab.operations import Add, List, Operation, Resolve, Show
from tabcore.tab.review import SHOWN, Reviewer, ReviewItem
from tabcore.tab.switches import WHOLE, Parts
from tabcore.tab.tab import Tab
from tabcore.trajectory import Observation, ToolCall, without

COMMAND_WIDTH = 200


@dataclass(frozen=True, slots=True)
class Reply:
    """What the environment answers, and the facts behind it."""

    text: str
    events: tuple[Event, ...]


class Keeper:
    """Keeps the tab of one task beside one agent. Calls come in the order in which their results were shown.

    `tab` is one that shares `texts`: a new one unless given. `parts` are those that the agent has of it.
    """

    def __init__(
        self,
        workspace: Workspace,
        task: str = "",
        *,
        shown: int = SHOWN,
        texts: MutableMapping[str, str] | None = None,
        tab: Tab | None = None,
        parts: Parts = WHOLE,
    ) -> None:
        self.workspace = workspace
        self.parts = parts
        self.texts: MutableMapping[str, str] = {} if texts is None else texts
        self.tab = Tab(self.texts, task) if tab is None else tab
        self._shown = shown

    @cached_property
    def reviewer(self) -> Reviewer:
        """Ranks this keeper's tab; made at its first use."""
        return Reviewer(self.tab)

    def state_task(self, turn: int, text: str) -> tuple[TaskStated]:
        """A person said what is wanted."""
        event = TaskStated(turn, text)
        self.tab.apply(event)
        return (event,)

    def observe(self, turn: int, index: int, call: ToolCall, observation: Observation | None) -> tuple[Event, ...]:
        """Capture one call of another tool: what it read, listed and wrote, folded into the tab."""
        findings = capture(call, observation, self.workspace).findings
        return self.fold(turn, index, call, observation, findings) if findings else ()

    def fold(
        self, turn: int, index: int, call: ToolCall, observation: Observation | None, findings: Iterable[Finding]
    ) -> tuple[Event, ...]:
        """What was found of one call, as facts, folded into the tab."""
        excerpt = _Excerpt(observation, self.texts)
        command = command_text(call)
        events = tuple(self._fact(finding, turn, index, command, excerpt) for finding in findings)
        for event in events:
            self.tab.apply(event)
        return events

    def operate(self, turn: int, index: int, operation: Operation) -> Reply:
        """Carry out one of the agent's four operations. A refusal is a reply too and changes nothing."""
        try:
            return self._operate(turn, index, operation)
        except TabRefusal as refusal:
            requirement = operation.requirement if isinstance(operation, Resolve) else ""
            why = f"{refusal.fact}. {refusal.remedy}"
            event = Refused(turn, index, type(operation).__name__.lower(), requirement, why)
            self.tab.apply(event)
            return Reply(messages.refused_text(why), (event,))

    def status_line(self, turn: int) -> str:
        """The line to append to an observation of this turn."""
        return messages.status_line(self.tab, turn, self.parts)

    def stop(self, turn: int) -> tuple[Stopped]:
        """The model answered without a tool call."""
        event = Stopped(turn)
        self.tab.apply(event)
        return (event,)

    def finish_check(self, turn: int) -> Reply | None:
        """The finish check to send after the stop of `turn`; None when it was sent before, or is none of the parts."""
        if self.tab.finish_checked or not self.parts.finish_check:
            return None
        unopened = [candidate for candidate, _ in self.reviewer.candidates_by_relevance()] if self.parts.capture else []
        text = messages.finish_check(self.tab, self._reviewed(), unopened, self.parts)
        still_open = tuple(r.requirement_id for r in self.tab.open_requirements)
        event = FinishChecked(turn, messages.finish_body(self.tab), still_open, len(unopened))
        self.tab.apply(event)
        return Reply(text, (event,))

    def _fact(self, finding: Finding, turn: int, index: int, command: str, excerpt: _Excerpt) -> Event:
        match finding.kind:
            case "listed":
                return FileListed(turn, index, finding.path, finding.rule)
            case "read":
                authored = finding.path in self.tab.authored
                digest, chars = excerpt.stored()
                return FileRead(
                    turn, index, finding.path, command, digest, chars, authored, finding.partial, finding.rule
                )
            case "authored":
                return FileAuthored(turn, index, finding.path, finding.rule)
            case "renamed":
                return FileRenamed(turn, index, finding.path, finding.previous, finding.rule)
            case "unknown":
                return CaptureUndecided(turn, index, finding.path, finding.rule)
            case _:
                assert_never(finding.kind)

    def _operate(self, turn: int, index: int, operation: Operation) -> Reply:
        if not self.parts.capture and isinstance(operation, List | Show) and operation != List("requirements"):
            raise TabRefusal("list", "this tab has requirements alone", "The one list is that of kind requirements.")
        match operation:
            case Add(items):
                added = self.tab.add(items, turn, index)
                return Reply(messages.added_text(added), added)
            case Resolve():
                return self._resolve(turn, index, operation)
            case List("requirements"):
                return self._review(turn, index)
            case List("candidates"):
                ranked = [candidate for candidate, _ in self.reviewer.candidates_by_relevance()]
                return self._consult(Consulted(turn, index, "candidates"), messages.candidates_text(ranked))
            case List("read_log"):
                entries = list(self.tab.read_log.values())
                return self._consult(Consulted(turn, index, "read_log"), messages.read_log_text(entries))
            case Show(entry_id):
                entry, excerpt = self.tab.show(entry_id)
                return self._consult(Consulted(turn, index, "show", entry_id), messages.show_text(entry, excerpt))
            case _:
                raise TabRefusal("list", "there is no such list", "Kinds: requirements, candidates, read_log.")

    def _resolve(self, turn: int, index: int, operation: Resolve) -> Reply:
        status = operation.known_status
        if status is None:
            raise TabRefusal(
                f"resolve {operation.requirement}",
                f"“{operation.status}” is no status",
                "Use done or unavailable.",
            )
        event = self.tab.resolve(
            operation.requirement,
            status,
            operation.entry,
            operation.reason,
            turn=turn,
            call=index,
            parts=self.parts,
        )
        return Reply(messages.resolved_text(self.tab, event), (event,))

    def _review(self, turn: int, index: int) -> Reply:
        review = self._reviewed()
        event = Reviewed(turn, index, tuple(item.match for item in review))
        self.tab.apply(event)
        return Reply(messages.review_text(self.tab, review, self.parts), (event,))

    def _reviewed(self) -> tuple[ReviewItem, ...]:
        """The open requirements with their matches; without matches where the review is none of the parts."""
        still_open = self.tab.open_requirements
        if not self.parts.review or not still_open:
            return tuple(ReviewItem(requirement, (), ()) for requirement in still_open)
        return self.reviewer.review(self._shown)

    def _consult(self, event: Consulted, text: str) -> Reply:
        self.tab.apply(event)
        return Reply(text, (event,))


class _Excerpt:
    """An observation as the read log keeps it: as shown, without what the tab injected; stored at its first read."""

    def __init__(self, observation: Observation | None, texts: MutableMapping[str, str]) -> None:
        self._observation = observation
        self._texts = texts
        self._stored: tuple[str, int] | None = None

    def stored(self) -> tuple[str, int]:
        """The excerpt's digest and its length in characters."""
        if self._stored is None:
            text = excerpt_text(self._observation) if self._observation else ""
            digest = text_digest(text)
            self._texts[digest] = text
            self._stored = digest, len(text)
        return self._stored


def excerpt_text(observation: Observation) -> str:
    """What an observation showed, without the parts that the tab injected and the newline that set them apart.

    >>> from tabcore.trajectory import Span
    >>> excerpt_text(Observation("1", "42\\n[tab] 0 open", spans=(Span(3, 15, "tab"),)))
    '42'
    >>> excerpt_text(Observation("1", "42\\n\\n[tab] 0 open", spans=(Span(3, 4, "tab", "separator"), Span(4, 16, "tab"))))
    '42\\n'
    """
    first = min((span.start for span in observation.spans if span.origin == "tab"), default=None)
    if first is None:
        return observation.text
    text = without(observation.text, observation.spans, {"tab"})
    return text if observation.text[first : first + 1] == "\n" else text.removesuffix("\n")


_PATH_ARGUMENTS = ("path", "file_path", "filePath", "file", "filename", "absolute_path", "paths", "pattern", "query")


def command_text(call: ToolCall) -> str:
    """A call in one short line: its command, or the tool's name and what it was pointed at.

    >>> command_text(ToolCall("1", "bash", {"command": "ls -la\\npwd"})), command_text(ToolCall("2", "read", {"path": "a"}))
    ('ls -la pwd', 'read a')
    """
    arguments = call.arguments
    command = next((arguments[key] for key in ("command", "cmd", "keystrokes", "script") if key in arguments), None)
    if isinstance(command, list):
        command = " ".join(map(str, command))
    if not isinstance(command, str):
        shown = [str(arguments[key]) for key in _PATH_ARGUMENTS if isinstance(arguments.get(key), str | list)]
        command = " ".join([call.name, *shown])
    line = " ".join(command[: COMMAND_WIDTH * 4].split())
    return line if len(line) <= COMMAND_WIDTH else line[: COMMAND_WIDTH - 1] + "…"
