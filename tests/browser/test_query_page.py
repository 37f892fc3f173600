"""The page of queries: an answer as table and files, a refusal in words, and a page that stays alive."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from dashboard_server import Server
from playwright.sync_api import Page, expect
from visits import Visit, violations

from tabcore import querying


def _by_sql(visit: Visit) -> Page:
    page = visit.open("/query")
    page.get_by_role("radio", name="SQL").click()
    page.get_by_role("textbox", name="SQL").wait_for()
    return page


def _ask(page: Page, sql: str) -> None:
    page.get_by_role("textbox", name="SQL").fill(sql)
    page.get_by_role("button", name="Run", exact=True).click()


def test_an_answer_is_a_table_and_a_file(sample_visit: Visit) -> None:
    page = _by_sql(sample_visit)
    _ask(page, "SELECT method, count(*) AS runs FROM runs GROUP BY ALL ORDER BY ALL")
    expect(page.get_by_text("2 rows, 2 columns")).to_be_visible()
    with page.expect_download() as started:
        page.get_by_role("button", name="CSV", exact=True).click()
    assert Path(started.value.path()).read_text() == '"method","runs"\n"dci",3\n"running_tab",4\n'


def test_a_refused_and_a_stopped_query_leave_the_page_alive(sample_visit: Visit) -> None:
    page = _by_sql(sample_visit)
    refused = page.locator(".st-key-refused")
    for sql, words in (
        ("SELECT * FROM read_text('/etc/passwd')", "file system operations are disabled"),
        ("ATTACH '/tmp/x.db'", "ATTACH is no question"),
        ("SELECT repeat('x', 2000000000)", "more memory than it may have"),
    ):
        _ask(page, sql)
        expect(refused).to_contain_text(words)
    _ask(page, "SELECT 41 + 1 AS answer")
    expect(page.get_by_text("1 rows, 1 columns")).to_be_visible()
    expect(refused).to_have_count(0)


def test_a_query_is_saved_and_taken_again(sample_visit: Visit, samples: Server) -> None:
    page = _by_sql(sample_visit)
    page.get_by_role("textbox", name="SQL").fill("SELECT 7 AS seven")
    page.get_by_role("textbox", name="Save it as").fill("my seven")
    page.get_by_role("textbox", name="Save it as").press("Tab")
    page.get_by_role("button", name="Save", exact=True).click()
    while "my seven" not in querying.saved(samples.store):
        page.wait_for_timeout(50)
    page = _by_sql(sample_visit)
    page.get_by_role("combobox", name="Begin with").fill("my seven")
    page.get_by_role("option", name="my seven").click()
    page.get_by_role("button", name="Take it").click()
    expect(page.get_by_role("textbox", name="SQL")).to_have_value("SELECT 7 AS seven")


@pytest.mark.parametrize("sample_visit", ["light", "dark"], indirect=True)
@pytest.mark.long
def test_the_page_has_no_serious_violation(sample_visit: Visit, axe: str) -> None:
    page = _by_sql(sample_visit)
    _ask(page, "SELECT method, turns FROM runs")
    expect(page.get_by_text("7 rows, 2 columns")).to_be_visible()
    page.get_by_text("A quick chart").click()
    page.mouse.move(2, 2)
    page.wait_for_timeout(1500)
    assert violations(page, axe) == []


def test_without_runs_the_page_says_so(first_visit: Visit) -> None:
    page = first_visit.open("/query")
    expect(page.get_by_text("No run is stored yet.")).to_be_visible()


def test_words_lead_to_the_place_where_they_were_shown(sample_visit: Visit) -> None:
    page = sample_visit.open("/query")
    page.get_by_role("textbox", name="Words").fill('greyfell "55,000"')
    page.get_by_role("textbox", name="Words").press("Enter")
    expect(page.get_by_text("7 places. Choose a row")).to_be_visible()
    table = page.locator("[data-testid=stDataFrame] canvas").first
    table.wait_for()
    page.wait_for_timeout(700)
    box = table.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 18, box["y"] + 31 * 2 + 15)
    page.wait_for_url(re.compile(r"/replay\?.*turn=13"))
    expect(page.locator(".turn-text[data-turn='13'] mark")).to_have_text("55,000")


@pytest.mark.parametrize("sample_visit", ["light", "dark"], indirect=True)
def test_the_search_has_no_serious_violation(sample_visit: Visit, axe: str) -> None:
    page = sample_visit.open("/query")
    page.get_by_role("textbox", name="Words").fill("supplier")
    page.get_by_role("textbox", name="Words").press("Enter")
    expect(page.get_by_text("Choose a row to see it in the replay")).to_be_visible()
    page.wait_for_timeout(1200)
    assert violations(page, axe) == []
