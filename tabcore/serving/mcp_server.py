"""The tab's four operations for any MCP client, over standard input and output.

`mcp`, the official SDK, is imported here alone; it comes with the extra `mcp` of this package. Refusals are replies: only
what the program itself cannot do is an error of the tool.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Literal

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from tabcore.errors import RunningTabError
from tabcore.serving.folders import TabFolder
from tabcore.serving.live import LiveTab
from tabcore.tab import messages
from tabcore.tab.operations import operation_of
from tabcore.trajectory import Json, ToolCall

Kind = Literal["requirements", "candidates", "read_log"]

DEFAULT_TASK = "task"
"""The name of a task where nobody has named one and no hook has begun one."""


def serve(folder: TabFolder, task: str | None, about: str = "") -> None:
    """Serve the tab of a task until the client goes. Without `task`: that of the session that the hooks began last.

    `about` is what the task asks for, where no hook tells it: candidates are ranked by it.
    """
    server_of(folder, task, about).run()


def server_of(folder: TabFolder, task: str | None, about: str = "") -> MCPServer:
    """The server, not yet running."""
    told = messages.tool_descriptions()
    server = MCPServer("runningtab", instructions=messages.system_block())
    tabs = _Tabs(folder, task, about)

    @server.tool("tab_add", description=told["tab_add"], structured_output=False)
    def add(items: list[str]) -> str:
        return tabs.answer("tab_add", {"items": list(items)})

    @server.tool("tab_resolve", description=told["tab_resolve"], structured_output=False)
    def resolve(id: str, status: str, entry: str = "", reason: str = "") -> str:
        return tabs.answer("tab_resolve", {"id": id, "status": status, "entry": entry, "reason": reason})

    @server.tool("tab_list", description=told["tab_list"], structured_output=False)
    def list_(kind: Kind = "requirements") -> str:
        return tabs.answer("tab_list", {"kind": kind})

    @server.tool("tab_show", description=told["tab_show"], structured_output=False)
    def show(entry: str) -> str:
        return tabs.answer("tab_show", {"entry": entry})

    return server


class _Tabs:
    """The tab that the client's calls go to; one at a time."""

    def __init__(self, folder: TabFolder, task: str | None, about: str) -> None:
        self._folder = folder
        self._task = task
        self._about = about
        self._lock = threading.Lock()
        self._open: dict[str, LiveTab] = {}

    def answer(self, name: str, given: Mapping[str, Json]) -> str:
        """The tab's reply to a call of one of its tools."""
        call = ToolCall("", name, given)
        operation = operation_of(call)
        if operation is None:
            raise ToolError(f"{name} is no tool of the tab")
        with self._lock:
            try:
                return self._tab().operate(operation, call)
            except RunningTabError as fault:
                raise ToolError(str(fault)) from fault

    def _tab(self) -> LiveTab:
        task = self._task or self._folder.current or DEFAULT_TASK
        if task not in self._open:
            tab = LiveTab(self._folder.journal(task), str(self._folder.workspace), agent="mcp", harness="mcp")
            if self._about:
                tab.state_task(self._about, once=True)
            self._open[task] = tab
        return self._open[task]
