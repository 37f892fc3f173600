"""The methods an agent can work by: what it is told, which tools it is offered, what is shown beside its observations.

The five of the paper (RunningTab, section 4) and running_tab with each of the four ablation switches, as data. What they
say is in `tab/messages.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from tabcore.agent.models import ToolSpec, UserText
from tabcore.agent.terminal import TERMINAL_TOOLS
from tabcore.capture import Workspace
from tabcore.tab.events import ListKind, Status
from tabcore.tab.keeper import Keeper
from tabcore.tab.messages import SELF_REFINE, TODO_BLOCK, WORKSPACE_BLOCK, system_block, tool_descriptions
from tabcore.tab.operations import operation_of
from tabcore.tab.switches import SWITCHES, WHOLE, Parts, Switch
from tabcore.trajectory import Json, Observation, ToolCall

MethodName = Literal["dci", "todo", "self_refine", "self_tracking", "running_tab"] | Switch


@dataclass(frozen=True, slots=True)
class Method:
    """One way of working, as data. `tab`: the parts of the tab that the agent has, None for no tab.

    `at_stop` is said once, at the first stop, by a method without a tab; "" where nothing is.
    """

    name: MethodName
    instruction: str
    tools: tuple[ToolSpec, ...] = TERMINAL_TOOLS
    tab: Parts | None = None
    at_stop: str = ""


def _schema(required: tuple[str, ...], properties: Mapping[str, Json]) -> dict[str, Json]:
    return {"type": "object", "properties": dict(properties), "required": list(required)}


_TEXT: Json = {"type": "string"}


def tab_tools(parts: Parts = WHOLE) -> tuple[ToolSpec, ...]:
    """The tab's tools as a model is offered them. Without capture there is no entry to cite or show, and one list."""
    resolved: dict[str, Json] = {"id": _TEXT, "status": {"type": "string", "enum": list(get_args(Status))}}
    cited: dict[str, Json] = {"entry": _TEXT} if parts.capture else {}
    kinds: list[Json] = list(get_args(ListKind)) if parts.capture else ["requirements"]
    schemas = {
        "tab_add": _schema(("items",), {"items": {"type": "array", "items": _TEXT}}),
        "tab_resolve": _schema(("id", "status"), {**resolved, **cited, "reason": _TEXT}),
        "tab_list": _schema(("kind",), {"kind": {"type": "string", "enum": kinds}}),
        "tab_show": _schema(("entry",), {"entry": _TEXT}),
    }
    return tuple(ToolSpec(name, told, schemas[name]) for name, told in tool_descriptions(parts).items())


def _with_tab(name: MethodName, parts: Parts) -> Method:
    return Method(name, f"{WORKSPACE_BLOCK}\n\n{system_block(parts)}", TERMINAL_TOOLS + tab_tools(parts), parts)


_LISTING = f"{WORKSPACE_BLOCK}\n\n{TODO_BLOCK}"

METHODS: Mapping[MethodName, Method] = {
    method.name: method
    for method in (
        Method("dci", WORKSPACE_BLOCK),
        Method("todo", _LISTING),
        Method("self_refine", WORKSPACE_BLOCK, at_stop=SELF_REFINE),
        Method("self_tracking", _LISTING, at_stop=SELF_REFINE),
        _with_tab("running_tab", WHOLE),
        *(_with_tab(switch, parts) for switch, parts in SWITCHES.items()),
    )
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

    def at_stop(self, turn: int) -> UserText | None:
        """What is answered to a stop; None lets the agent finish."""
        ...


class NoTab:
    """Nothing is kept; `words`, where there are any, are said at the first stop."""

    def __init__(self, words: str = "") -> None:
        self._words = words

    def reply(self, turn: int, call_index: int, call: ToolCall) -> str | None:
        """None: the method has no tools of its own."""
        return None

    def saw(self, turn: int, call_index: int, call: ToolCall, observation: Observation) -> None:
        """Nothing is kept."""

    def line(self, turn: int) -> str | None:
        """None: nothing is shown."""
        return None

    def at_stop(self, turn: int) -> UserText | None:
        """The method's words, once."""
        words, self._words = self._words, ""
        return UserText(words, "harness") if words else None


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

    def at_stop(self, turn: int) -> UserText | None:
        """The finish check, at the first stop only."""
        self.keeper.stop(turn)
        check = self.keeper.finish_check(turn)
        return None if check is None else UserText(check.text, "tab")


def companion_for(method: Method, task: str, root: str) -> Companion:
    """What a method keeps for one task; `root` is the workspace as the record names it, where each command starts."""
    if method.tab is None:
        return NoTab(method.at_stop)
    return TabCompanion(Keeper(Workspace(root=root, cwd=root, fresh_cwd=True), task, parts=method.tab))
