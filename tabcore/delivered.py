"""What a run delivered, where no file lies beside its log: what the agent wrote through its calls, else its last answer.

A file whose content the record does not hold (a document that the agent's code made) comes with the text of that code:
its literal numbers are the nearest that is known, and `source` says so.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256

from tabcore.tab.events import Event, FileAuthored
from tabcore.trajectory import Deliverable, ToolCall, Turn

_CODE = frozenset(
    [
        ".py",
        ".sh",
        ".bash",
        ".js",
        ".mjs",
        ".ts",
        ".pl",
        ".rb",
        ".r",
        ".jl",
        ".go",
        ".rs",
        ".java",
        ".c",
        ".cpp",
        ".h",
        ".sql",
        ".awk",
        ".sed",
        ".ipynb",
        ".toml",
        ".cfg",
        ".ini",
        ".lock",
        ".log",
        ".tmp",
    ]
)
"""Endings of files that an agent writes on its way to what it delivers."""


@dataclass(slots=True)
class Written:
    """What an agent has written so far: by path the turn of the last write, the text where it is known, else the code."""

    turns: dict[str, int] = field(default_factory=dict)
    code: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    answer: str = ""
    answer_turn: int = 0

    def turn(self, turn: Turn, events: Iterable[Event], texts: Mapping[str, str], root: str) -> None:
        """One more turn: its events, and the texts of written files (absolute paths) after it."""
        if (answer := _answer_of(turn)) and turn.outcome == "complete":
            self.answer, self.answer_turn = answer, turn.number
        for event in events:
            if isinstance(event, FileAuthored):
                path = posixpath.join(root, event.path)
                self.turns[path] = turn.number
                self.code[path] = _code_of(turn.calls, event.call)
        if texts:
            self._changed(turn.number, texts)

    def _changed(self, turn: int, texts: Mapping[str, str]) -> None:
        for path, text in texts.items():
            if self.texts.get(path) is not text:
                self.turns[path] = turn
        self.texts = dict(texts)

    def deliverables(self, task: str, root: str) -> tuple[Deliverable, ...]:
        """The files that count as delivered: those that the task names, else all that are no code; else the answer."""
        paths = [path for path in self.turns if not self._is_code(path) and not _is_scratch(path, root)]
        named = [path for path in paths if posixpath.basename(path) in task]
        found = tuple(self._deliverable(path, root) for path in named or paths)
        if found or not self.answer:
            return found
        data = self.answer.encode("utf-8", "surrogatepass")
        return (
            Deliverable("last answer", len(data), sha256(data).hexdigest(), self.answer, "answer", self.answer_turn),
        )

    def dated(self, deliverables: Iterable[Deliverable]) -> tuple[Deliverable, ...]:
        """Files that lie beside the log, each with the turn in which the agent last wrote a file of that name."""
        by_name: dict[str, int] = {}
        for path, turn in self.turns.items():
            name = posixpath.basename(path)
            by_name[name] = max(turn, by_name.get(name, 0))
        last = max((turn for path, turn in self.turns.items() if not self._is_code(path)), default=None)
        return tuple(replace(one, turn=by_name.get(posixpath.basename(one.path), last)) for one in deliverables)

    def _is_code(self, path: str) -> bool:
        return posixpath.splitext(path)[1].lower() in _CODE

    def _deliverable(self, path: str, root: str) -> Deliverable:
        text, turn = self.texts.get(path), self.turns[path]
        shown = posixpath.relpath(path, root) if path.startswith(root.rstrip("/") + "/") else path
        known = text if text else self.code.get(path) or None
        data = (known or "").encode("utf-8", "surrogatepass")
        return Deliverable(shown, len(data), sha256(data).hexdigest(), known, "written" if text else "code", turn)


_ANSWERING = frozenset(
    ("final_answer", "submit", "submit_answer", "finish", "attempt_completion", "complete_task", "answer")
)
"""Tools by which an agent hands over its answer."""
_ANSWERS = ("answer", "final_answer", "result", "message", "response", "content", "text", "summary", "output")
"""The argument that is the answer, the first of these that is there; else the longest."""
_TAGGED = re.compile(r"<FINAL_ANSWER>(.*?)(?:</FINAL_ANSWER>|\Z)", re.DOTALL)


def _answer_of(turn: Turn) -> str:
    """What a turn answers: by a tool for it, between tags for it, else by its text; "" where it says nothing.

    >>> _answer_of(Turn(1, "It is <FINAL_ANSWER>2,602</FINAL_ANSWER>.")), _answer_of(Turn(2, "Done."))
    ('2,602', 'Done.')
    """
    handed = [text for call in turn.calls if call.name in _ANSWERING and (text := _handed(call))]
    tagged = _TAGGED.findall(turn.text)
    return (handed or tagged or [turn.text])[-1].strip()


def _handed(call: ToolCall) -> str:
    named = (value for name in _ANSWERS if isinstance(value := call.arguments.get(name), str) and value)
    return next(named, "") or _longest(call)


def _is_scratch(path: str, root: str) -> bool:
    """What lies in the machine's temporary folder, unless the workspace does too."""
    return path.startswith(("/tmp/", "/var/tmp/", "/dev/")) and not root.startswith("/tmp/")


def _code_of(calls: tuple[ToolCall, ...], call: int) -> str:
    """What a call was given: the command, the script."""
    return _longest(calls[call]) if 0 <= call < len(calls) else ""


def _longest(call: ToolCall) -> str:
    return max((value for value in call.arguments.values() if isinstance(value, str)), key=len, default="")
