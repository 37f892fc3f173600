"""What a model is asked and what it answers; the model that follows a script."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tabcore.errors import UsageError
from tabcore.trajectory import Json, Origin, Outcome, ToolCall, Usage


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model is told of it; `parameters` is a JSON schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Instruction:
    """The system prompt."""

    text: str


@dataclass(frozen=True, slots=True)
class UserText:
    """What reaches the model as the user's words: the task, or what is answered to a stop."""

    text: str
    origin: Origin = "person"


@dataclass(frozen=True, slots=True)
class Response:
    """One model response. One without a call is a stop, unless it failed or was aborted; `fault` says why it failed.

    `usage` is None where nothing was spent.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    outcome: Outcome = "complete"
    usage: Usage | None = None
    fault: str = ""

    @property
    def is_stop(self) -> bool:
        """True for a complete response without a tool call."""
        return not self.calls and self.outcome == "complete"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What one call returned, as blocks of text: the tool's own first, the tab's line after it."""

    call_id: str
    tool: str
    blocks: tuple[str, ...]
    is_error: bool = False


Entry = Instruction | UserText | Response | ToolResult


class Model(Protocol):
    """Anything that answers a conversation."""

    name: str

    def respond(self, conversation: Sequence[Entry], tools: Sequence[ToolSpec], seconds: float) -> Response:
        """The next response, within `seconds`. `conversation` begins with the instruction and the task."""
        ...


class ScriptedModel:
    """A model that gives the responses of a script, whatever it is shown.

    >>> model = ScriptedModel([Response("Done.")])
    >>> model.respond([], [], 1.0).text
    'Done.'
    """

    name = "scripted"

    def __init__(self, responses: Sequence[Response], script: str = "script") -> None:
        self._responses = tuple(responses)
        self._script = script
        self._given = 0

    def respond(self, conversation: Sequence[Entry], tools: Sequence[ToolSpec], seconds: float) -> Response:
        """The script's next response; raises UsageError when it has no more."""
        if self._given == len(self._responses):
            raise UsageError(
                self._script,
                f"the script has {self._given} responses and the loop asked for one more",
                "End the script with a response without a call, and one more for a finish check.",
            )
        self._given += 1
        return self._responses[self._given - 1]


def read_script(path: Path) -> tuple[Response, ...]:
    """The responses of a script file: TOML, one `[[turn]]` each, with `text` and `[[turn.call]]` (name, arguments).

    Call ids are made from turn and position. Raises UsageError for a file that is no script.
    """
    try:
        turns = tomllib.loads(path.read_text(encoding="utf-8"))["turn"]
        return tuple(_response(number, turn) for number, turn in enumerate(turns, start=1))
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise UsageError(
            str(path), f"no script can be read ({fault})", "See sample_runs/scripts for its form."
        ) from fault


def _response(number: int, turn: Mapping[str, object]) -> Response:
    calls = turn.get("call", [])
    if not isinstance(calls, list):
        raise TypeError(f"turn {number}: call is no list of tables")
    return Response(
        text=str(turn.get("text", "")),
        calls=tuple(
            ToolCall(f"call_{number}_{place}", call["name"], call.get("arguments", {}))
            for place, call in enumerate(calls, start=1)
        ),
    )
