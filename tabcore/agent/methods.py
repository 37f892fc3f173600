"""The methods an agent can work by: what it is told, which tools it is offered, what is shown beside its observations.

`dci` has no record. `running_tab` has the tab. A method that only adds words (a list asked for at first, a
question at the first stop) is one more row of `METHODS`; one that keeps something is one more `Companion`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from tabcore.agent.models import ToolSpec
from tabcore.agent.terminal import TERMINAL_TOOLS
from tabcore.capture import Workspace
from tabcore.tab.events import ListKind, Status
from tabcore.tab.keeper import Keeper
from tabcore.tab.messages import SYSTEM_BLOCK
from tabcore.tab.operations import operation_of
from tabcore.trajectory import Json, Observation, ToolCall

MethodName = Literal["dci", "running_tab"]

WORKSPACE_BLOCK = """\
You work on a task with the files of a workspace folder, through a terminal. Every command starts in that folder; \
use paths relative to it.
Find what the task needs in the files, take figures and wording from them alone, and write the deliverable that is asked for.
When it is finished, answer without a tool call."""


@dataclass(frozen=True, slots=True)
class Method:
    """One way of working, as data. `keeps_tab`: the environment keeps a tab and offers its operations."""

    name: MethodName
    instruction: str
    tools: tuple[ToolSpec, ...]
    keeps_tab: bool


def _schema(required: tuple[str, ...], properties: Mapping[str, Json]) -> dict[str, Json]:
    return {"type": "object", "properties": dict(properties), "required": list(required)}


_TEXT: Json = {"type": "string"}

TAB_TOOLS: tuple[ToolSpec, ...] = (
    ToolSpec(
        "tab_add",
        "State requirements: one fact, figure or element of the deliverable each. Returns their ids.",
        _schema(("items",), {"items": {"type": "array", "items": _TEXT}}),
    ),
    ToolSpec(
        "tab_resolve",
        "Resolve a requirement: done, citing a read-log entry, or unavailable, giving a reason.",
        _schema(
            ("id", "status"),
            {
                "id": _TEXT,
                "status": {"type": "string", "enum": list(get_args(Status))},
                "entry": _TEXT,
                "reason": _TEXT,
            },
        ),
    ),
    ToolSpec(
        "tab_list",
        "requirements: the review of open requirements; candidates: files listed but not opened; read_log: what was read.",
        _schema(("kind",), {"kind": {"type": "string", "enum": list(get_args(ListKind))}}),
    ),
    ToolSpec("tab_show", "One read-log entry, word for word.", _schema(("entry",), {"entry": _TEXT})),
)

METHODS: Mapping[MethodName, Method] = {
    "dci": Method("dci", WORKSPACE_BLOCK, TERMINAL_TOOLS, keeps_tab=False),
    "running_tab": Method(
        "running_tab", f"{WORKSPACE_BLOCK}\n\n{SYSTEM_BLOCK}", TERMINAL_TOOLS + TAB_TOOLS, keeps_tab=True
    ),
}


class Companion(Protocol):
    """What a method keeps beside the agent while it works. Turns count from 1, calls within a turn from 0."""

    def reply(self, turn: int, call_index: int, call: ToolCall) -> str | None:
        """The reply to a call of the method's own tools; None for any other call."""
        ...

    def saw(self, turn: int, call_index: int, call: ToolCall, observation: Observation) -> None:
        """A tool call was answered by the environment."""
        ...

    def line(self, turn: int) -> str | None:
        """What is shown after an observation, as a block of its own."""
        ...

    def at_stop(self, turn: int) -> str | None:
        """What is answered to a stop; None lets the agent finish."""
        ...


class NoCompanion:
    """Plain direct workspace interaction: nothing is kept."""

    def reply(self, turn: int, call_index: int, call: ToolCall) -> str | None:
        """None: the method has no tools of its own."""
        return None

    def saw(self, turn: int, call_index: int, call: ToolCall, observation: Observation) -> None:
        """Nothing is kept."""

    def line(self, turn: int) -> str | None:
        """None: nothing is shown."""
        return None

    def at_stop(self, turn: int) -> str | None:
        """None: the first stop is the end."""
        return None


class TabCompanion:
    """The tab, kept by the same feeder that a recorded run goes through."""

    def __init__(self, keeper: Keeper) -> None:
        self.keeper = keeper

    def reply(self, turn: int, call_index: int, call: ToolCall) -> str | None:
        """The tab's reply to one of its operations."""
        operation = operation_of(call)
        return None if operation is None else self.keeper.operate(turn, call_index, operation).text

    def saw(self, turn: int, call_index: int, call: ToolCall, observation: Observation) -> None:
        """Read log and candidates take in what the call showed."""
        self.keeper.observe(turn, call_index, call, observation)

    def line(self, turn: int) -> str | None:
        """The status line."""
        return self.keeper.status_line(turn)

    def at_stop(self, turn: int) -> str | None:
        """The finish check, at the first stop only."""
        self.keeper.stop(turn)
        check = self.keeper.finish_check(turn)
        return None if check is None else check.text


def companion_for(method: Method, task: str, root: str) -> Companion:
    """What a method keeps for one task; `root` is the workspace as the record names it, where each command starts."""
    if not method.keeps_tab:
        return NoCompanion()
    return TabCompanion(Keeper(Workspace(root=root, cwd=root, fresh_cwd=True), task))
