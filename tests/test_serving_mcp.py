"""The MCP server, driven by the SDK's own client: over standard input and output, and for many calls in this process."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")
from mcp import Client, StdioServerParameters
from test_hooks import answer_of, live, ran, read

from tabcore.serving.folders import TabFolder
from tabcore.serving.mcp_server import server_of


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


class Caller:
    """A connected client that says what a tool answered."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def __call__(self, tool: str, **given: Any) -> str:
        result = await self.client.call_tool(tool, given)
        assert not result.is_error, result.content
        return "\n".join(block.text for block in result.content if block.type == "text")

    async def error(self, tool: str, given: Mapping[str, Any]) -> str:
        result = await self.client.call_tool(tool, dict(given))
        assert result.is_error
        return "\n".join(block.text for block in result.content if block.type == "text")


def run_apart(work: Coroutine[Any, Any, None]) -> None:
    """Run it to its end in a loop of its own: this thread may have one, a browser test's."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


def with_server(workspace: Path, work: Callable[[Caller], Awaitable[None]], task: str | None = "guide") -> None:
    """Do the work with a client of a server in this process."""

    async def connected() -> None:
        async with Client(server_of(TabFolder.of(workspace), task, "Write the hotel rates guide")) as client:
            await work(Caller(client))

    run_apart(connected())


def test_a_client_over_standard_input_and_output_works_a_task_through(workspace: Path) -> None:
    """The hooks of another process write into the same tab meanwhile."""
    command = ["-m", "tabcore", "mcp", "--workspace", str(workspace), "--task", "guide", "--about", "Write the rates"]

    async def work() -> None:
        async with Client(StdioServerParameters(command=sys.executable, args=command)) as client:
            call = Caller(client)
            tools = await client.list_tools()
            assert [tool.name for tool in tools.tools] == ["tab_add", "tab_resolve", "tab_list", "tab_show"]
            assert (
                await call("tab_add", items=["hotel rates", "breakfast"])
                == "added r1: hotel rates\nadded r2: breakfast"
            )
            answer_of("claude-code", ran(workspace, "ls", "rates.txt\nnotes.md"), workspace, "--task", "guide")
            answer_of("claude-code", read(workspace, "rates.txt", "Hotel: 240 EUR\n"), workspace, "--task", "guide")
            review = await call("tab_list", kind="requirements")
            assert "r1 [open] hotel rates\n from your reads:\n  L1 rates.txt: Hotel: 240 EUR" in review
            assert (await call("tab_list", kind="candidates")).endswith("1. notes.md")
            assert (await call("tab_show", entry="L1")).endswith("---\nHotel: 240 EUR\n")
            assert await call("tab_resolve", id="r1", status="done", entry="L1") == "r1 [done] cites L1. 1 open."
            assert "in no file" in await call("tab_resolve", id="r2", status="unavailable", reason="in no file")

    run_apart(work())
    tab = live(workspace, "guide").tab()
    assert [one.status for one in tab.requirements.values()] == ["done", "unavailable"]
    assert tab.task == "Write the rates"
    assert list(workspace.iterdir()) == []


REFUSED = {
    "an unknown id": ("tab_resolve", {"id": "r9", "status": "done", "entry": "L1"}, "there is no such requirement"),
    "a missing entry": ("tab_resolve", {"id": "r1", "status": "done", "entry": "L7"}, "L7 is not one"),
    "no entry": ("tab_resolve", {"id": "r1", "status": "done"}, "done must cite a read-log entry"),
    "no reason": ("tab_resolve", {"id": "r1", "status": "unavailable"}, "unavailable needs a reason"),
    "no status": ("tab_resolve", {"id": "r1", "status": "finished"}, "is no status"),
    "nothing to add": ("tab_add", {"items": ["", "  "]}, "no item was given"),
    "an entry to show that is none": ("tab_show", {"entry": "r1"}, "there is no such entry"),
}


def test_what_cannot_be_is_refused_with_its_reason_and_changes_nothing(workspace: Path) -> None:
    async def work(call: Caller) -> None:
        await call("tab_add", items=["hotel rates"])
        for tool, given, why in REFUSED.values():
            reply = await call(tool, **given)
            assert reply.startswith("Refused: ")
            assert why.lower() in reply.lower()

    with_server(workspace, work)
    tab = live(workspace, "guide").tab()
    assert [one.status for one in tab.requirements.values()] == ["open"]


def test_arguments_of_the_wrong_type_are_an_error_that_says_so(workspace: Path) -> None:
    async def work(call: Caller) -> None:
        assert "items" in await call.error("tab_add", {"items": 5})
        assert "kind" in await call.error("tab_list", {"kind": "everything"})
        assert "id" in await call.error("tab_resolve", {})

    with_server(workspace, work)


def test_calls_at_once_each_take_their_turn_and_their_ids(workspace: Path) -> None:
    async def work(call: Caller) -> None:
        replies = await asyncio.gather(*(call("tab_add", items=[f"fact {number}"]) for number in range(30)))
        assert len(set(replies)) == 30

    with_server(workspace, work)
    requirements = live(workspace, "guide").tab().requirements
    assert list(requirements) == [f"r{number}" for number in range(1, 31)]
    assert sorted(one.added_turn for one in requirements.values()) == list(range(1, 31))


def test_ten_thousand_requirements_are_kept_and_reviewed(workspace: Path) -> None:
    async def work(call: Caller) -> None:
        reply = await call("tab_add", items=[f"fact number {number}" for number in range(10_000)])
        assert reply.endswith("added r10000: fact number 9999")
        review = await call("tab_list", kind="requirements")
        assert review.startswith("Requirements: 10000 open, 0 resolved")
        assert await call("tab_resolve", id="r10000", status="unavailable", reason="none") == (
            "r10000 [unavailable] none. 9999 open."
        )

    with_server(workspace, work)


def test_a_server_without_a_task_serves_the_session_that_the_hooks_began_last(workspace: Path) -> None:
    folder = TabFolder.of(workspace)

    async def work(call: Caller) -> None:
        await call("tab_add", items=["of no session"])
        folder.make_current("claude-code-1")
        await call("tab_add", items=["of the first"])
        folder.make_current("claude-code-2")
        assert await call("tab_add", items=["of the second"]) == "added r1: of the second"

    with_server(workspace, work, task=None)
    assert folder.tasks() == ("claude-code-1", "claude-code-2", "task")


def test_a_full_disk_is_an_error_whose_reason_the_client_is_told(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(call: Caller) -> None:
        await call("tab_add", items=["hotel rates"])

        def refused(_: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("tabcore.journal.os.fsync", refused)
        assert "the disk is full" in await call.error("tab_add", {"items": ["breakfast"]})
        monkeypatch.undo()
        assert await call("tab_add", items=["lunch"]) == "added r2: lunch"

    with_server(workspace, work)
