from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest
from dashboard_server import Server, serving
from made_log import made_log
from playwright.sync_api import Browser, expect
from visits import Visit, visiting

from tabcore import rerun

SLACK = 6_000
"""Milliseconds in which a turn must appear; it takes one or two seconds where nothing else runs."""


class Growing:
    """A log that grows while a watcher follows it and a dashboard shows its store."""

    def __init__(self, server: Server, log: Path) -> None:
        self.server = server
        self.log = log
        self.lines = made_log(40, 30, 6, 3).splitlines(keepends=True)
        self.written = 0

    def write(self, until: int) -> None:
        """The log's lines up to this one."""
        with self.log.open("a", encoding="utf-8") as stream:
            stream.write("".join(self.lines[self.written : until]))
        self.written = until

    def run_id(self) -> str:
        """The id that the run has now."""
        return rerun.runs(self.server.store)[0].run_id


@pytest.fixture
def growing(tmp_path: Path) -> Iterator[Growing]:
    """Four turns of a log, followed."""
    folder = tmp_path / "logs"
    folder.mkdir()
    stop = Event()
    with serving(tmp_path / "served") as server:
        growing = Growing(server, folder / "a.jsonl")
        growing.write(10)
        watcher = rerun.watcher([str(folder)], server.store, quiet=60)
        watcher.step()
        thread = Thread(target=watcher.run, args=(stop,))
        thread.start()
        yield growing
        stop.set()
        thread.join()
    assert "Traceback" not in server.log.read_text()


@pytest.fixture
def follower(browser: Browser, growing: Growing) -> Iterator[Visit]:
    """A visit to the dashboard that shows the growing log."""
    yield from visiting(browser, growing.server.url, "light")


def test_a_new_turn_appears_and_the_reader_stays_at_theirs(growing: Growing, follower: Visit) -> None:
    opened = growing.run_id()
    page = follower.open(f"/replay?run={opened}&turn=2")
    replay = page.locator(".replay")
    expect(page.locator("[data-part=turns]")).to_have_text("4")
    page.get_by_text("Follow growing logs").click()
    expect(page.get_by_text("a.jsonl grew")).to_be_visible()
    growing.write(16)
    start = time.monotonic()
    expect(page.locator("[data-part=turns]")).to_have_text("7", timeout=SLACK)
    print(f"three new turns appeared {time.monotonic() - start:.2f} s after they were written")
    expect(replay).to_have_attribute("data-turn", "2")
    expect(page.locator("[data-part=arrived]")).to_have_text("3 new turns")
    growing.write(20)
    expect(page.locator("[data-part=arrived]")).to_have_text("5 new turns", timeout=SLACK)
    page.locator("[data-part=arrived]").click()
    expect(replay).to_have_attribute("data-turn", "9")
    expect(page.locator(".turn-text[data-turn='9']")).to_be_visible()
    expect(page.locator("[data-part=arrived]")).to_be_hidden()
    assert growing.run_id() != opened
    assert f"run={opened}" in page.url
    page.reload()
    expect(replay).to_have_attribute("data-turn", "9")


def test_the_runs_page_counts_new_turns_only_while_it_follows(growing: Growing, follower: Visit) -> None:
    page = follower.open("/")
    rows = page.locator("[data-testid=stDataFrame] canvas").first
    expect(rows).to_be_visible()
    page.get_by_text("Follow growing logs").click()
    expect(page.get_by_text("a.jsonl grew")).to_be_visible()
    (growing.log.parent / "b.jsonl").write_text(made_log(6, 5, 1, 1, name="second"))
    expect(page.get_by_text("2 of 2 runs.")).to_be_visible(timeout=SLACK)


def test_a_log_that_is_gone_is_said_to_have_ended(growing: Growing, follower: Visit) -> None:
    page = follower.open(f"/replay?run={growing.run_id()}")
    page.get_by_text("Follow growing logs").click()
    expect(page.get_by_text("a.jsonl grew")).to_be_visible()
    growing.log.unlink()
    expect(page.get_by_text("a.jsonl has ended: its file is gone")).to_be_visible(timeout=SLACK)
    expect(page.locator("[data-part=turns]")).to_have_text("4")


def test_the_page_itself_follows_a_folder(first_visit: Visit, empty_server: Server, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    log = Growing(empty_server, folder / "a.jsonl")
    log.write(10)
    page = first_visit.open("/")
    page.get_by_role("button", name="Follow a folder").click()
    page.get_by_label("Folder whose logs grow").fill(str(folder / "none"))
    page.get_by_role("button", name="Follow it").click()
    expect(page.get_by_text("there is no such folder")).to_be_visible()
    page.get_by_label("Folder whose logs grow").fill(str(folder))
    page.get_by_role("button", name="Follow it").click()
    page.locator("[data-testid=stDataFrame] canvas").first.wait_for(timeout=15_000)
    page.goto(f"{empty_server.url}/replay?run={log.run_id()}")
    page.locator(".replay[data-turn]").wait_for()
    page.get_by_text("Follow growing logs").click()
    before = int(page.locator("[data-part=turns]").inner_text())
    log.write(40)
    expect(page.locator("[data-part=turns]")).not_to_have_text(str(before), timeout=SLACK)
