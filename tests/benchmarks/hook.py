"""How long a hook takes: a process from its start to its end, and the work within one.

    python tests/benchmarks/hook.py

The tab has 300 candidates and 200 read-log entries of 4 KB each. Goals: 150 ms at the median for the process, 5 ms for one
capture with its status line. A process is measured as installed, with compiled bytecode; beside it an empty Python, since
that is what the machine asks for any hook.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from measure import cpu, median, seconds

from tabcore.capture import Workspace
from tabcore.serving.folders import TabFolder
from tabcore.serving.live import LiveTab
from tabcore.tab.keeper import Keeper
from tabcore.trajectory import Observation, ToolCall

CANDIDATES, ENTRIES, REPEATS = 300, 200, 30
TEXT = "Hotel rates per night in the travel policy of the year 2026: 240 EUR\n" * 60


def filled(observe: Callable[[ToolCall, Observation], object]) -> None:
    """A tab with its candidates and entries."""
    listing = "".join(f"docs/region_{n % 7}/travel_policy_{n}.txt\n" for n in range(CANDIDATES + ENTRIES))
    observe(ToolCall("l", "bash", {"command": "find docs -type f"}), Observation("l", listing))
    for n in range(ENTRIES):
        path = f"docs/region_{n % 7}/travel_policy_{n}.txt"
        observe(ToolCall(f"r{n}", "bash", {"command": f"cat {path}"}), Observation(f"r{n}", f"{n}\n{TEXT}"))


@dataclass(frozen=True, slots=True)
class Repeats:
    """Milliseconds by the clock and of the processor."""

    times: list[float]
    spent: list[float]

    def __str__(self) -> str:
        wall = f"median {median(self.times):6.1f} ms, best {min(self.times):6.1f}, worst {max(self.times):6.1f}"
        return f"{wall}; processor {median(self.spent):6.1f}, best {min(self.spent):6.1f}"


def measured(work: Callable[[], object]) -> Repeats:
    """How long the repeats take."""
    times, spent = [], []
    for _ in range(REPEATS):
        before = cpu()
        times.append(seconds(work) * 1000)
        spent.append((cpu() - before) * 1000)
    return Repeats(times, spent)


def in_process(folder: TabFolder) -> None:
    keeper = Keeper(Workspace("/ws", "/ws"), "Write the travel policy guide")
    filled(lambda call, shown: keeper.observe(1, 0, call, shown))
    call = ToolCall("x", "bash", {"command": "cat docs/notes.txt | head -20"})
    shown = Observation("x", TEXT)
    print(
        "capture and status line          ",
        measured(lambda: (keeper.observe(2, 0, call, shown), keeper.status_line(2))),
    )
    live = LiveTab(folder.journal("live"), "/ws", agent="b")
    print("the same, locked and on the disk ", measured(lambda: live.observe(call, shown)))
    print("the journal folded anew          ", measured(lambda: LiveTab(folder.journal("hook"), "/ws").tab()))


def processes(workspace: Path, folder: TabFolder) -> dict[str, Repeats]:
    """A Python that does nothing, `runningtab --help`, and a hook, each from its start to its end."""
    told = {"hook_event_name": "PostToolUse", "session_id": "s", "cwd": str(workspace), "tool_name": "Bash"}
    told |= {"tool_input": {"command": "cat docs/notes.txt | head -20"}, "tool_use_id": "t"}  # type: ignore[dict-item]
    payload = json.dumps({**told, "tool_response": {"stdout": TEXT, "stderr": ""}}).encode()
    with tempfile.TemporaryDirectory() as cache:
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment = {**kept, "PYTHONPYCACHEPREFIX": cache}
        program = [sys.executable, "-P", "-m", "tabcore"]
        hook = [*program, "hook", "claude-code", "--task", "hook"]
        hook += ["--workspace", str(workspace), "--state", str(folder.place)]

        def call(command: list[str]) -> None:
            ended = subprocess.run(command, input=payload, capture_output=True, env=environment, check=True)
            assert command is not hook or b"additionalContext" in ended.stdout

        commands = {"python alone": [sys.executable, "-c", "pass"], "--help": [*program, "--help"], "a hook": hook}
        call(hook)
        return {name: measured(lambda command=command: call(command)) for name, command in commands.items()}


@contextmanager
def filled_tab() -> Iterator[tuple[Path, TabFolder]]:
    """A workspace and the folder of its two tabs, both filled."""
    with tempfile.TemporaryDirectory() as room:
        workspace = Path(room, "ws")
        workspace.mkdir()
        folder = TabFolder(workspace, Path(room, "tabs"))
        for task in ("live", "hook"):
            tab = LiveTab(folder.journal(task), str(workspace), agent="a")
            tab.state_task("Write the travel policy guide")
            filled(tab.observe)
        yield workspace, folder


def main() -> None:
    """Measure and print."""
    with filled_tab() as (workspace, folder):
        in_process(folder)
        for name, repeats in processes(workspace, folder).items():
            print(f"{name:33}", repeats)
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
