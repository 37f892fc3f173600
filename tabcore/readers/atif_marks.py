"""What this program writes into the `extra` of an ATIF document that it exports, read back (see exports/atif.py).

Where a document bears these marks nothing is inferred from its texts: whose words they are, how a response or a
command ended, what a task is, was all written down.
"""

from __future__ import annotations

import msgspec

from tabcore.trajectory import Message, MessageKind, Observation, Origin, Outcome, RunHeader, Span, Task


class SpanMark(msgspec.Struct, array_like=True):
    """A span as a list: start, end, origin, what."""

    start: int
    end: int
    origin: Origin
    what: str = ""


class StepMark(msgspec.Struct):
    """Of a message, whose it is and what kind; of a response, how it ended."""

    origin: Origin = "person"
    kind: MessageKind = "prompt"
    spans: list[SpanMark] | None = None
    outcome: Outcome = "complete"

    def message(self, text: str, line: int, time: float | None) -> Message:
        """The message that the step was."""
        return Message(text, self.origin, self.kind, line, time, _spans(self.spans))


class CallMark(msgspec.Struct):
    """`call_id` is "" for a call to which the export gave an id."""

    call_id: str | None = None


class ResultMark(msgspec.Struct):
    """Of a result, what ATIF has no word for; `call_id` where its call stands in another step."""

    call_id: str | None = None
    is_error: bool = False
    spans: list[SpanMark] | None = None
    images: int = 0
    exit_code: int | None = None
    cwd: str | None = None
    time: float | None = None
    untimed: bool = False

    def observation(self, call_id: str, text: str, line: int, time: float | None) -> Observation:
        """The observation that the result was; `time` is its step's."""
        own = None if self.untimed else time if self.time is None else self.time
        return Observation(
            self.call_id or call_id,
            text,
            self.is_error,
            _spans(self.spans),
            self.images,
            self.exit_code,
            self.cwd,
            line,
            own,
        )


class TaskMark(msgspec.Struct):
    """A task's text, and where it was found."""

    text: str
    source: str


class HeaderMark(msgspec.Struct):
    """What was known of the run; `format` is that of the log that was exported."""

    format: str = ""
    harness: str = ""
    session: str = ""
    task: TaskMark | None = None
    root: str | None = None
    cwd: str | None = None
    fresh_cwd: bool = False
    method: str | None = None
    model: str | None = None
    attempt: int | None = None
    attempts: int | None = None
    suite: str | None = None
    task_name: str | None = None
    started: float | None = None
    simulated: str | None = None
    parent_key: str | None = None
    parent_call: str | None = None

    def header(self, format: str) -> RunHeader:
        """The run's header, for a log in `format`."""
        told = {name: getattr(self, name) for name in self.__struct_fields__}
        task = Task(self.task.text, self.task.source) if self.task else None
        return RunHeader(**(told | {"format": format, "task": task}))


class RunMark(msgspec.Struct):
    """Marks a document as an export of this program's."""

    header: HeaderMark = msgspec.field(default_factory=HeaderMark)
    abandoned: int = 0


def _spans(marks: list[SpanMark] | None) -> tuple[Span, ...]:
    return tuple(Span(mark.start, mark.end, mark.origin, mark.what) for mark in marks or ())
