"""The page of missing values: from the sentence to the line on which a value was shown."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from visits import Visit


def _choose_row(page: Page, row: int) -> None:
    table = page.locator("[data-testid=stDataFrame] canvas").first
    table.wait_for()
    page.wait_for_timeout(500)
    box = table.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 18, box["y"] + 35 + 35 * row + 17)


def test_a_missing_value_leads_to_the_line_on_which_it_was_shown(sample_visit: Visit) -> None:
    page = sample_visit.open("/missing")
    expect(page.get_by_role("heading", name=re.compile("Of 89 expected values that were shown, 22"))).to_be_visible()
    story = page.locator(".st-key-story")
    expect(story).to_contain_text("first shown at turn 7 in L3 line 13")
    expect(story.locator("mark").first).to_have_text("EUR 80")
    story.get_by_role("link", name="see it in the replay").first.click()
    page.wait_for_url(re.compile(r"/replay\?.*turn=7"))
    expect(page.locator(".turn-text[data-turn='7'] mark")).to_have_text("EUR 80")
    expect(page.locator(".turn-text mark")).to_be_in_viewport()
    expect(page.locator(".replay")).to_have_attribute("data-turn", "7")


def test_a_chosen_row_tells_its_own_story(sample_visit: Visit) -> None:
    page = sample_visit.open("/missing")
    _choose_row(page, 1)
    story = page.locator(".st-key-story")
    expect(story).to_contain_text("310 litres")
    expect(story.locator("mark").first).to_have_text("310")


def test_a_clicked_bar_shows_its_values(sample_visit: Visit) -> None:
    page = sample_visit.open("/missing")
    bar = page.locator(".js-plotly-plot").first.locator(".points .point path")
    bar.nth(1).wait_for()
    page.wait_for_timeout(800)
    bar.nth(1).click(force=True)
    expect(page.get_by_role("radio", name=re.compile("delivered, failed"))).to_be_checked()
    expect(page.locator(".st-key-story")).to_contain_text("delivered, rubric failed")


def test_another_rule_is_answered_at_once_beside_the_usual_one(sample_visit: Visit) -> None:
    page = sample_visit.open("/missing")
    page.get_by_role("button", name="What counts as a value, and as equal").click()
    page.get_by_text("or a currency", exact=True).click()
    expect(page.get_by_text("Under the usual rule: Of 89 expected values")).to_be_visible()


def test_an_address_names_a_value(sample_visit: Visit) -> None:
    page = sample_visit.open("/missing")
    page.locator(".st-key-story").wait_for()
    address = page.locator(".st-key-story").get_by_role("link", name="see it in the replay").first.get_attribute("href")
    run = re.search(r"run=([0-9a-f]{16})", address or "")
    assert run
    sample_visit.open(f"/missing?run={run[1]}&rubric=t5&value=80")
    expect(page.locator(".st-key-story")).to_contain_text("Rubric t5")


@pytest.mark.parametrize("width", [390, 800])
def test_the_page_is_no_wider_than_a_narrow_window(sample_visit: Visit, width: int) -> None:
    sample_visit.page.set_viewport_size({"width": width, "height": 900})
    page = sample_visit.open("/missing")
    page.wait_for_timeout(800)
    assert page.evaluate("() => document.scrollingElement.scrollWidth <= window.innerWidth")


def test_without_runs_the_page_says_what_it_needs(first_visit: Visit) -> None:
    page = first_visit.open("/missing")
    expect(page.get_by_text("No run is stored yet.")).to_be_visible()


def test_runs_without_rubrics_are_no_error(visit: Visit) -> None:
    page = visit.open("/missing")
    expect(page.get_by_text("No rubric of these runs expects a distinctive value")).to_be_visible()
    expect(page.get_by_text("1 run without rubrics: nothing is expected there.")).to_be_visible()
