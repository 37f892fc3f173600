"""A person corrects capture in the replay; lists of places lead to their turn; runs lead to their sub-agents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from dashboard_server import Server
from playwright.sync_api import Page, expect
from small_logs import (
    PI_HEADER,
    cc_agent,
    cc_user,
    lines,
    pi_agent,
    pi_entry,
    pi_result,
    pi_user,
    result,
    stamp,
    text,
    use,
)
from visits import Visit

from tabcore import rerun

Made = tuple[Server, str]

STATED = {"readFiles": ["notes.txt", "policy.txt"], "modifiedFiles": []}


def session() -> str:
    """Lists two files, reads one, runs a program that nothing is known of, and states both files as read."""
    said = [
        pi_user("Write the travel policy guide"),
        pi_agent("", ("c1", "bash", {"command": "ls"})),
        pi_result("c1", "notes.txt\npolicy.txt"),
        pi_agent("", ("c2", "read", {"path": "policy.txt"})),
        pi_result("c2", "Hotel limit: 120", tool="read"),
        pi_agent("", ("c3", "bash", {"command": "./run_report.sh"})),
        pi_result("c3", "total 12"),
    ]
    entries = [pi_entry(number, message) for number, message in enumerate(said, 1)]
    place = {"id": "e8", "parentId": "e7", "timestamp": stamp(8)}
    stated = {"type": "compaction", **place, "summary": "So far", "details": STATED}
    return lines(PI_HEADER, *entries, stated, pi_entry(9, pi_agent("Done")))


@pytest.fixture
def run_id(made_run: Made, tmp_path: Path) -> Iterator[str]:
    log = tmp_path / "session.jsonl"
    log.write_text(session())
    [loaded] = rerun.load([str(log)], made_run[0].store)
    yield loaded.runs[0]
    rerun.delete(made_run[0].store, loaded.runs[0], with_corrections=True)


def opened(visit: Visit, run_id: str, turn: int) -> Page:
    page = visit.open(f"/replay?run={run_id}&turn={turn}")
    page.locator(f".replay[data-turn='{turn}']").wait_for()
    page.locator(f".turn-text[data-turn='{turn}']").wait_for()
    return page


def test_a_corrected_decision_changes_the_tab_is_named_and_stays_after_a_reload(visit: Visit, run_id: str) -> None:
    page = opened(visit, run_id, 1)
    expect(page.locator("[data-part=entries-count]")).to_have_text("")
    page.locator(".st-key-decisions summary").click()
    page.wait_for_timeout(700)  # the replay has come to rest: what it asks for then draws the form anew
    visit.settle()
    page.get_by_label("File: choose, or type a path").click()
    page.get_by_role("option", name="notes.txt").click()
    visit.settle()
    page.get_by_label("Your name").fill("Ann")
    page.get_by_role("button", name="Save and derive again").click()
    for _ in range(2):
        expect(page.locator("[data-part=entries-count]")).to_have_text("1 entry")
        expect(page.locator(".entry").first).to_contain_text("notes.txt")
        expect(page.locator(".decision.read .rule")).to_contain_text(
            re.compile("corrected by Ann on .*capture said listed")
        )
        expect(page.locator(".turn-text .part.call .decisions")).to_contain_text("corrected by Ann")
        visit.settle()
        page.reload()
        page.locator(".replay[data-turn='1']").wait_for()
    page.locator(".st-key-decisions summary").click()
    page.get_by_label("Your name").fill("Bo")
    page.get_by_role("button", name="as capture said").click()
    expect(page.locator("[data-part=entries-count]")).to_have_text("")
    expect(page.locator(".st-key-decisions")).to_contain_text("taken back by Bo")


def test_what_capture_could_not_decide_leads_to_its_turn(visit: Visit, run_id: str) -> None:
    page = opened(visit, run_id, 1)
    page.locator(".st-key-unknown summary").first.click()
    listed = page.locator(".st-key-unknown .turn-list")
    expect(listed).to_contain_text("./run_report.sh: no row tells what this program does")
    listed.get_by_role("button", name="turn 3").click()
    expect(page.locator(".replay")).to_have_attribute("data-turn", "3")
    expect(page.locator(".turn-text")).to_have_attribute("data-turn", "3")
    expect(page).to_have_url(re.compile("turn=3"))


def test_the_records_own_word_on_files_is_counted_with_its_paths(visit: Visit, run_id: str) -> None:
    page = opened(visit, run_id, 1)
    page.get_by_text("2 stated, 1 agreed, 1 missed by capture").click()
    missed = page.locator(".st-key-checked .group.missed")
    expect(missed).to_contain_text("/ws/notes.txt")
    expect(missed).to_contain_text("stated as read; capture: listed (ls")
    expect(page.locator(".st-key-checked .group.agreed")).to_contain_text("/ws/policy.txt")


def test_a_run_leads_to_its_sub_agent_and_back(visit: Visit, made_run: Made, tmp_path: Path) -> None:
    log, side = tmp_path / "agents.jsonl", {"isSidechain": True}
    log.write_text(
        lines(
            cc_user("u0", None, "Sum up"),
            cc_agent("u1", "u0", "m1", use("t1", "Task", prompt="look at a")),
            cc_user("a0", None, "look at a", **side),
            cc_agent("a1", "a0", "ma1", text("nothing in a"), **side),
            cc_user("u2", "u1", [result("t1", "nothing")]),
            cc_agent("u3", "u2", "m2", text("Done")),
        )
    )
    [loaded] = rerun.load([str(log)], made_run[0].store)
    parent, child = loaded.runs
    page = opened(visit, parent, 2)
    page.get_by_role("link", name="sub-agent 1").click()
    expect(page).to_have_url(re.compile(re.escape(f"run={child}")))
    expect(page.locator(".turn-text", has_text="nothing in a")).to_be_visible()
    expect(page.locator(".turn-text")).to_have_count(1)
    page.get_by_role("link", name="started by").click()
    expect(page).to_have_url(re.compile(f"run={parent}(&|$)"))
    expect(page.locator(".turn-text", has_text="Done")).to_be_visible()
    expect(page.locator(".turn-text")).to_have_count(1)
    for one in loaded.runs:
        rerun.delete(made_run[0].store, one)
