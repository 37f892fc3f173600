"""The facts a tab is made of. Past tense, append-only; what a fact means is derived elsewhere.

`turn` counts from 1; `call` is the position of the tool call within its turn, from 0, or -1 for what belongs
to no call. Paths are relative to the workspace root where they lie under it. `excerpt` is the digest of the text
that an observation showed, tab-injected parts cut off (`text_digest`); the text itself is kept once, beside.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal

Status = Literal["done", "unavailable"]
ListKind = Literal["requirements", "candidates", "read_log"]
FinishBody = Literal["none recorded", "some open", "all resolved"]


def text_digest(text: str) -> str:
    """The name of a text by its content: 32 hex digits.

    >>> text_digest("")
    'cae66941d9efbd404e4d88758ea67670'
    """
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class TaskStated:
    """A person asked for something. The first text is the task; later ones extend it."""

    turn: int
    text: str
    call: int = -1


@dataclass(frozen=True, slots=True)
class FileListed:
    """Only the path of a file was shown."""

    turn: int
    call: int
    path: str
    rule: str = ""


@dataclass(frozen=True, slots=True)
class FileRead:
    """Content of a file was shown. `chars` is the excerpt's length, `command` the call's short text.

    `authored`: the agent had written the file itself. `partial`: the tool cut it to a preview.
    """

    turn: int
    call: int
    path: str
    command: str
    excerpt: str
    chars: int
    authored: bool = False
    partial: bool = False
    rule: str = ""


@dataclass(frozen=True, slots=True)
class FileAuthored:
    """The agent wrote a file."""

    turn: int
    call: int
    path: str
    rule: str = ""


@dataclass(frozen=True, slots=True)
class FileRenamed:
    """A file that was not yet read was moved."""

    turn: int
    call: int
    path: str
    previous: str
    rule: str = ""


@dataclass(frozen=True, slots=True)
class CaptureUndecided:
    """What a call did with files could not be told; never guessed silently."""

    turn: int
    call: int
    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class RequirementAdded:
    """The agent stated what the deliverable must hold."""

    turn: int
    call: int
    requirement: str
    text: str


@dataclass(frozen=True, slots=True)
class Resolved:
    """A requirement was resolved: done, citing a read-log entry, or unavailable, with a reason."""

    turn: int
    call: int
    requirement: str
    status: Status
    entry: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """An operation was declined and changed nothing. `why` is what the agent was told."""

    turn: int
    call: int
    operation: str
    requirement: str
    why: str


@dataclass(frozen=True, slots=True)
class Match:
    """One requirement's part of a review: its best entries and candidates, best first."""

    requirement: str
    entries: tuple[str, ...]
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The agent pulled the review, or the finish check sent it; `matches` is what was shown."""

    turn: int
    call: int
    matches: tuple[Match, ...]


@dataclass(frozen=True, slots=True)
class Consulted:
    """The agent listed candidates or read log, or showed one entry (`entry`)."""

    turn: int
    call: int
    kind: Literal["candidates", "read_log", "show"]
    entry: str = ""


@dataclass(frozen=True, slots=True)
class Stopped:
    """The model answered without a tool call."""

    turn: int
    call: int = -1


@dataclass(frozen=True, slots=True)
class FinishChecked:
    """The one finish check was sent after the first stop."""

    turn: int
    body: FinishBody
    open_requirements: tuple[str, ...]
    unopened: int
    call: int = -1


Event = (
    TaskStated
    | FileListed
    | FileRead
    | FileAuthored
    | FileRenamed
    | CaptureUndecided
    | RequirementAdded
    | Resolved
    | Refused
    | Reviewed
    | Consulted
    | Stopped
    | FinishChecked
)
