from __future__ import annotations

from pathlib import Path
from threading import Event, Thread

from dashboard_server import serving
from playwright.sync_api import Browser, expect
from visits import visiting

from tabcore import rerun
from tabcore.serving import open_tab

SLACK = 6_000
"""Milliseconds in which what was done must appear."""


def test_the_page_shows_a_tab_while_its_agent_works(browser: Browser, tmp_path: Path) -> None:
    workspace = tmp_path / "ws"
    workspace.mkdir()
    tab = open_tab(workspace, task="guide", about="Write the hotel rates guide")
    tab.after("bash", {"command": "ls"}, "hotel_rates.txt\nnotes.md\n")
    stop = Event()
    with serving(tmp_path / "served") as server:
        watcher = rerun.watcher([str(tab.live.journal.path.parent)], server.store, quiet=60)
        watcher.step()
        thread = Thread(target=watcher.run, args=(stop,))
        thread.start()
        try:
            for visit in visiting(browser, server.url, "light"):
                page = visit.open(f"/replay?run={rerun.runs(server.store)[0].run_id}&turn=1")
                expect(page.locator("[data-part=turns]")).to_have_text("1")
                page.get_by_text("Follow growing logs").click()
                expect(page.get_by_text("guide.jsonl grew")).to_be_visible()
                tab.reply("tab_add", {"items": ["ceiling of the hotel rates"]})
                tab.after("bash", {"command": "cat hotel_rates.txt"}, "Hotel: 240 EUR\n")
                expect(page.locator("[data-part=arrived]")).to_have_text("2 new turns", timeout=SLACK)
                page.locator("[data-part=arrived]").click()
                expect(page.locator(".replay")).to_have_attribute("data-turn", "3")
                expect(page.locator(".replay").get_by_text("ceiling of the hotel rates").first).to_be_visible()
                expect(page.locator(".replay").get_by_text("L1").first).to_be_visible()
        finally:
            stop.set()
            thread.join()
    assert "Traceback" not in server.log.read_text()
