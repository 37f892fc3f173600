"""The page that compares: dci beside running_tab, and from a difference into both replays."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from visits import Visit, violations

PARTS = ("Files", "Requirements", "Rubrics", "Values", "Texts")


def _row(page: Page, row: int) -> None:
    table = page.locator("[data-testid=stDataFrame]").last.locator("canvas").first
    table.wait_for()
    page.wait_for_timeout(700)
    box = table.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 18, box["y"] + 31 * (row + 1) + 15)


def test_a_file_that_both_read_leads_into_both_replays(sample_visit: Visit) -> None:
    page = sample_visit.open("/compare")
    expect(page.get_by_text("simulated", exact=True).first).to_be_visible()
    _row(page, 10)
    links = page.locator(".st-key-row-links")
    expect(links.get_by_role("link", name="left: turn 13 in the replay")).to_be_visible()
    links.get_by_role("link", name="right: turn 7 in the replay").click()
    page.wait_for_url(re.compile(r"/replay\?.*turn=7"))


def test_a_value_that_one_run_forgot_is_marked_where_it_was_delivered_and_where_it_was_shown(
    sample_visit: Visit,
) -> None:
    page = sample_visit.open("/compare")
    page.get_by_role("radio", name="Values").click()
    page.get_by_text("only what differs").click()
    sample_visit.settle()
    _row(page, 2)
    links = page.locator(".st-key-row-links")
    shown = links.get_by_role("link", name="left: shown at turn 9").get_attribute("href")
    expect(links.get_by_role("link", name="left: in its deliverable")).to_have_count(0)
    links.get_by_role("link", name="right: in its deliverable").click()
    expect(page.locator(".document .value[aria-pressed=true] .figure")).to_have_text("¥12,600")
    page.goto(f"{sample_visit.url}/{(shown or '').lstrip('/')}")
    expect(page.locator(".turn-text mark")).to_have_text("¥12,600")


def test_the_deliverables_stand_as_a_difference_of_lines(sample_visit: Visit) -> None:
    page = sample_visit.open("/compare")
    page.get_by_role("radio", name="Texts").click()
    expect(page.locator(".difference .right").filter(has_text="Greyfell Timber")).to_be_visible()


def test_an_address_names_both_runs(sample_visit: Visit) -> None:
    page = sample_visit.open("/compare")
    links = page.locator("[class*=st-key-links-]").get_by_role("link", name=re.compile("replay"))
    found = [re.search(r"run=([0-9a-f]{16})", links.nth(side).get_attribute("href") or "") for side in (0, 1)]
    left, right = (match[1] for match in found if match)
    page = sample_visit.open(f"/compare?left={right}&right={left}")
    expect(links.first).to_have_attribute("href", re.compile(right))


@pytest.mark.parametrize("sample_visit", ["light", "dark"], indirect=True)
@pytest.mark.long
def test_no_part_has_a_serious_violation(sample_visit: Visit, axe: str) -> None:
    page = sample_visit.open("/compare")
    for part in PARTS:
        page.get_by_role("radio", name=part).click()
        page.mouse.move(2, 2)
        page.wait_for_timeout(1200)
        assert violations(page, axe) == [], part


def test_the_page_is_no_wider_than_a_narrow_window(sample_visit: Visit) -> None:
    sample_visit.page.set_viewport_size({"width": 390, "height": 900})
    page = sample_visit.open("/compare")
    page.wait_for_timeout(800)
    assert page.evaluate("() => document.scrollingElement.scrollWidth <= window.innerWidth")


def test_one_run_alone_has_nothing_to_compare_with(visit: Visit) -> None:
    page = visit.open("/compare")
    expect(page.get_by_text("No task has two runs here.")).to_be_visible()
