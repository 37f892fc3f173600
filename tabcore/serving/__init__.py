"""The tab for other people's agents, live: whoever works on a task through whatever harness, all see one tab.

    folders.py      where the journals of a workspace lie
    live.py         LiveTab: a tab that is kept in its journal, step by step, by as many processes as like
    memory.py       what capture remembers from one process to the next
    wrapper.py      the tab around anyone's own loop, in three lines
    mcp_server.py   add, resolve, list, show for any MCP client
    hooks.py        one call of a hook: its log, and that it never breaks its host
    quick_dataclasses.py            what makes a hook's process start in time
    claude_code.py codex.py pi.py   what each host tells its hooks, and what it can be told
    installing.py   configuration of a project: shown, written, taken out again

A hook is a new process at every call: what it imports is the standard library, capture and the tab.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tabcore.serving.wrapper import OpenTab, open_tab

__all__ = ["OpenTab", "open_tab"]


def __getattr__(name: str) -> object:
    if name in __all__:
        from tabcore.serving import wrapper

        return getattr(wrapper, name)
    raise AttributeError(f"module 'tabcore.serving' has no attribute {name!r}")
