"""The page of scores: each table of the paper, and from a number to the replay of a run that makes it up."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from visits import Visit, violations

PARTS = ("Scores", "Paired", "What the tab holds", "How it is operated", "Ablation", "Reading volume", "Effort")


def _choose(page: Page, part: str) -> None:
    page.get_by_role("radio", name=part, exact=True).click()


def _cell(page: Page, column: int, row: int, table: int = 0) -> None:
    """Click into a cell by its place; the grid draws its cells on a canvas and names them for screen readers."""
    canvas = page.locator("[data-testid=stDataFrame] canvas").nth(2 * table)
    canvas.wait_for()
    page.wait_for_timeout(700)
    box = canvas.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + column, box["y"] + 31 * (row + 1) + 15)


def _no_unescaped_csv(page: Page) -> None:
    """A table's own tools are there but for the download, which would write formulas as they stand in a log."""
    page.locator("[data-testid=stDataFrame]").first.hover()
    expect(page.get_by_role("button", name=re.compile("^Search")).first).to_be_visible()
    download = page.locator("button[aria-label^='Download as CSV']").first
    expect(download).to_be_attached()
    expect(download).to_be_hidden()


def test_a_score_leads_to_its_runs_and_on_into_a_replay(sample_visit: Visit) -> None:
    page = sample_visit.open("/scores")
    expect(page.get_by_text("simulated", exact=True).first).to_be_visible()
    _no_unescaped_csv(page)
    _cell(page, 460, 1)
    expect(
        page.get_by_text(re.compile("Rubric Pass Rate ▲ 73.33 of running_tab, scripted: made of 4 runs"))
    ).to_be_visible()
    made_of = page.locator("[class*=st-key-runs-scores]")
    grid = made_of.locator("[data-testid=stDataFrame] canvas").first
    grid.wait_for()
    page.wait_for_timeout(700)
    box = grid.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 18, box["y"] + 35 + 17)
    page.wait_for_url(re.compile(r"/replay\?.*run=[0-9a-f]{16}"))


def test_one_attempt_and_other_tasks_are_said(sample_visit: Visit) -> None:
    page = sample_visit.open("/scores")
    page.get_by_text(re.compile("notes: what is missing")).click()
    expect(page.get_by_text("one attempt, so no standard deviation").first).to_be_visible()
    expect(page.get_by_text("the methods worked on different tasks").first).to_be_visible()


def test_each_part_says_what_it_shows(sample_visit: Visit) -> None:
    page = sample_visit.open("/scores")
    told = {
        "Paired": "+68.53 points on 2 shared tasks (3 tasks of one of them only left out)",
        "What the tab holds": "Medians per attempt, or shares",
        "How it is operated": "The share of attempts that do so at least once",
        "Ablation": "Points that each switch of running_tab takes away",
        "Reading volume": "2 tasks in common; thirds need three",
        "Effort": "What a method takes more than the baseline",
    }
    for part, words in told.items():
        _choose(page, part)
        expect(page.get_by_text(words).first).to_be_visible()


@pytest.mark.parametrize("sample_visit", ["light", "dark"], indirect=True)
def test_no_part_has_a_serious_violation(sample_visit: Visit, axe: str) -> None:
    page = sample_visit.open("/scores")
    for part in PARTS:
        _choose(page, part)
        page.mouse.move(2, 2)
        page.wait_for_timeout(1500)
        assert violations(page, axe) == [], part


@pytest.mark.parametrize("width", [390, 800])
@pytest.mark.long
def test_the_page_is_no_wider_than_a_narrow_window(sample_visit: Visit, width: int) -> None:
    sample_visit.page.set_viewport_size({"width": width, "height": 900})
    page = sample_visit.open("/scores")
    for part in PARTS:
        _choose(page, part)
        page.wait_for_timeout(800)
        assert page.evaluate("() => document.scrollingElement.scrollWidth <= window.innerWidth"), part


def test_without_runs_the_page_says_what_it_needs(first_visit: Visit) -> None:
    page = first_visit.open("/scores")
    expect(page.get_by_text("No run is stored yet.")).to_be_visible()


def test_runs_without_rubrics_are_no_error(visit: Visit) -> None:
    page = visit.open("/scores")
    expect(page.get_by_text("Nothing is scored.")).to_be_visible()
    for part in PARTS[1:]:
        _choose(page, part)
        page.wait_for_timeout(600)
        expect(page.locator("[class*=st-key-fault-]")).to_have_count(0)
