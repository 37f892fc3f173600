from __future__ import annotations

import json
import re
import stat
from pathlib import Path

import pytest
from dashboard_server import Server
from made_log import made_log
from playwright.sync_api import Page, expect
from visits import Visit

from tabcore import rerun


def _drop(page: Page, *files: tuple[str, str]) -> None:
    payloads = [{"name": name, "mimeType": "application/json", "buffer": text.encode()} for name, text in files]
    page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files(payloads)
    page.locator(".st-key-load-report").wait_for()


def _choose_first_row(page: Page) -> None:
    box = page.locator("[data-testid=stDataFrame] canvas").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 18, box["y"] + 35 + 17)


def test_a_dropped_log_is_loaded_listed_and_replayed(first_visit: Visit, empty_server: Server) -> None:
    page = first_visit.open("/")
    expect(page.get_by_text("No run is stored yet.")).to_be_visible()
    _drop(page, ("made.jsonl", made_log(40, 30, 6, 3)))
    expect(page.locator(".st-key-load-report")).to_contain_text("made.jsonl: loaded")
    page.locator("[data-testid=stDataFrame] canvas").first.wait_for()
    page.wait_for_timeout(500)
    _choose_first_row(page)
    page.wait_for_url(re.compile(r"/replay\?.*run=[0-9a-f]{16}"))
    expect(page.locator(".replay")).to_have_attribute("data-turn", "1")
    expect(page.locator(".st-key-run-line")).to_contain_text("made-model")
    kept = list((empty_server.store.parent / "uploads").rglob("*"))
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept} == {0o700, 0o600}


def test_a_torn_log_says_which_line_was_skipped(first_visit: Visit) -> None:
    page = first_visit.open("/")
    lines = made_log(40, 30, 6, 3).splitlines(keepends=True)
    lines[3] = lines[3][: len(lines[3]) // 2] + "\n"
    _drop(page, ("torn.jsonl", "".join(lines)), ("picture.png", "not a log"))
    report = page.locator(".st-key-load-report")
    expect(report).to_contain_text(re.compile(r"torn\.jsonl: loaded · \d+ lines: \d+ read, 1 skipped \(line 4\)"))
    expect(report).to_contain_text("picture.png: skipped")


def test_the_sample_runs_come_with_one_button(first_visit: Visit) -> None:
    page = first_visit.open("/")
    page.get_by_role("button", name="Load the sample runs").click()
    page.locator("[data-testid=stDataFrame] canvas").first.wait_for()
    expect(page.locator(".st-key-load-report")).to_contain_text("session.jsonl: loaded")


def test_an_altered_status_line_is_shown_beside_the_derived_one(first_visit: Visit, tmp_path: Path) -> None:
    [session] = [run for run in _sample_logs() if "candidates: 98 unopened" in run]
    steps = [json.loads(line) for line in session.splitlines()]
    altered = [_altered(step) for step in steps]
    assert sum(one != other for one, other in zip(steps, altered, strict=True)) == 1
    page = first_visit.open("/")
    _drop(page, ("altered.jsonl", "".join(json.dumps(step) + "\n" for step in altered)))
    page.locator("[data-testid=stDataFrame] canvas").first.wait_for()
    page.wait_for_timeout(500)
    _choose_first_row(page)
    page.locator(".replay[data-turn]").wait_for()
    page.locator("[data-part=scrub]").fill("3")
    expect(page.locator("[data-part=status] .differs")).to_be_visible()
    difference = page.locator(".part.difference")
    expect(difference.locator(".side.recorded")).to_contain_text("candidates: 97 unopened")
    expect(difference.locator(".side.derived")).to_contain_text("candidates: 98 unopened")


def test_each_answer_forbids_what_the_pages_do_not_need(visit: Visit) -> None:
    answer = visit.page.request.get(visit.url)
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["referrer-policy"] == "no-referrer"


def test_a_correction_of_the_task_changes_what_is_above_the_threshold(
    visit: Visit, made_run: tuple[Server, str], tmp_path: Path
) -> None:
    server, _ = made_run
    log = tmp_path / "corrected.jsonl"
    log.write_text(made_log(40, 30, 6, 3, name="corrected"))
    [loaded] = rerun.load([str(log)], server.store)
    page = visit.open(f"/replay?run={loaded.runs[0]}&turn=2")
    expect(page.locator("[data-part=candidates-count]")).to_have_text("30 unopened, 18 *")
    page.locator(".st-key-task summary").click()
    page.get_by_role("textbox", name=re.compile("Task text")).fill("energy bill")
    page.keyboard.press("Tab")
    visit.settle()
    page.get_by_role("button", name="Derive the tab again").click()
    expect(page.locator("[data-part=candidates-count]")).to_have_text("30 unopened, 6 *")
    expect(page.locator(".st-key-task")).to_contain_text("task: from corrected")
    page.get_by_role("button", name="Back to what the record says").click()
    expect(page.locator("[data-part=candidates-count]")).to_have_text("30 unopened, 18 *")
    rerun.delete(server.store, loaded.runs[0])


def _sample_logs() -> list[str]:
    from sample_runs import runs_folder

    logs = [path.read_text() for path in sorted(runs_folder().glob("*/session.jsonl"))]
    if not logs:
        pytest.skip("the sample runs are not recorded here")
    return logs


def _altered(step: dict[str, object]) -> dict[str, object]:
    """The first status line that counts 98 candidates counts 97 in the copy; which call that is, is in the id."""
    text = json.dumps(step)
    if "call_3_1" not in text or '"toolResult"' not in text:
        return step
    changed: dict[str, object] = json.loads(text.replace("candidates: 98 unopened", "candidates: 97 unopened"))
    return changed


def test_help_with_keys_and_definitions_is_one_click_away_on_every_page(
    visit: Visit, made_run: tuple[Server, str]
) -> None:
    for address in ("/", f"/replay?run={made_run[1]}&turn=3"):
        page = visit.open(address)
        page.get_by_role("button", name="? help").click()
        expect(page.get_by_text("Keys of the replay")).to_be_visible()
        expect(page.get_by_text("a file that was listed and not opened yet")).to_be_visible()
