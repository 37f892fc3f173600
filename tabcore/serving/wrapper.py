"""The tab around anyone's own loop.

    from tabcore.serving import open_tab

    tab = open_tab("travel/", task="guide", about="Write the business travel guide")
    shown = tab.after("bash", {"command": "ls"}, output)   # what to show the model: the result, a status line under it
    objection = tab.before_end()                           # the finish check to send on the first stop, else None

A tool call to one of the tab's own tools (`tab.tools` describes them) is answered by `tab.reply(name, arguments)`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from tabcore.errors import UsageError
from tabcore.serving.folders import TabFolder
from tabcore.serving.live import LiveTab
from tabcore.tab import messages
from tabcore.tab.operations import NAMES, operation_of
from tabcore.trajectory import Json, Observation, ToolCall


class OpenTab:
    """The tab of one task, beside a loop that calls tools. `system` is what to tell the model of it."""

    system: str = messages.system_block()

    def __init__(self, tab: LiveTab) -> None:
        self.live = tab

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tab's tools as OpenAI-compatible endpoints take them."""
        from tabcore.serving.installing import PARAMETERS

        told = messages.tool_descriptions()
        names = {f"tab_{name}": PARAMETERS[name] for name in NAMES}
        return [
            {"type": "function", "function": {"name": name, "description": told[name], "parameters": parameters}}
            for name, parameters in names.items()
        ]

    def after(
        self, tool: str, arguments: Mapping[str, Json], output: str, *, is_error: bool = False, cwd: str | None = None
    ) -> str:
        """What to show the model after a call: its result with the status line under it."""
        line = self.live.observe(ToolCall("", tool, arguments), Observation("", output, is_error), cwd=cwd)
        return f"{output}\n{line}"

    def reply(self, tool: str, arguments: Mapping[str, Json]) -> str | None:
        """The answer to a call of one of the tab's tools; None for any other tool."""
        call = ToolCall("", tool, arguments)
        operation = operation_of(call)
        return None if operation is None else self.live.operate(operation, call)

    def before_end(self) -> str | None:
        """The finish check to send at a stop; None where it was sent before."""
        return self.live.stop()


def open_tab(workspace: str | os.PathLike[str], task: str, about: str = "", *, state: str | None = None) -> OpenTab:
    """The tab of a task on a workspace folder, kept in a folder beside it; opened again, it goes on where it was."""
    folder = TabFolder.of(workspace, state)
    if not folder.workspace.is_dir():
        raise UsageError(str(folder.workspace), "there is no such folder", "Name the folder that the task works on")
    tab = LiveTab(folder.journal(task), str(folder.workspace), agent="python", harness="python")
    tab.state_task(about, once=True)
    return OpenTab(tab)
