from __future__ import annotations

import pytest
from dashboard_server import Server
from playwright.sync_api import Browser
from visits import Visit, violations, visiting


@pytest.mark.parametrize("visit", ["light", "dark"], indirect=True)
@pytest.mark.parametrize("turn", [2, 40, pytest.param(298, marks=pytest.mark.long)])
def test_the_replay_has_no_serious_violation(visit: Visit, made_run: tuple[Server, str], axe: str, turn: int) -> None:
    page = visit.open(f"/replay?run={made_run[1]}&turn={turn}")
    page.locator(f".turn-text[data-turn='{turn}']").wait_for()
    if turn == 40:
        page.locator(".entry .head").first.click()
        page.keyboard.press("?")
    page.wait_for_timeout(900)
    assert violations(page, axe) == []


@pytest.mark.parametrize("visit", ["light", "dark"], indirect=True)
def test_the_list_of_runs_has_no_serious_violation(visit: Visit, axe: str) -> None:
    page = visit.open("/")
    page.locator("[data-testid=stDataFrame] canvas").first.wait_for()
    page.wait_for_timeout(500)
    assert violations(page, axe) == []


@pytest.mark.parametrize("sample_visit", ["light", pytest.param("dark", marks=pytest.mark.long)], indirect=True)
def test_the_missing_values_have_no_serious_violation(sample_visit: Visit, axe: str) -> None:
    page = sample_visit.open("/missing")
    page.locator(".st-key-story mark").first.wait_for()
    page.wait_for_timeout(1200)
    assert violations(page, axe) == []


@pytest.mark.parametrize("first_visit", ["light", "dark"], indirect=True)
def test_the_empty_list_has_no_serious_violation(first_visit: Visit, axe: str) -> None:
    page = first_visit.open("/")
    page.get_by_role("button", name="Load the sample runs").wait_for()
    assert violations(page, axe) == []


@pytest.mark.parametrize("width", [390, 800])
def test_nothing_is_wider_than_a_narrow_window(browser: Browser, made_run: tuple[Server, str], width: int) -> None:
    for visit in visiting(browser, made_run[0].url, "light"):
        visit.page.set_viewport_size({"width": width, "height": 900})
        for address in (f"/replay?run={made_run[1]}&turn=40", "/"):
            page = visit.open(address)
            page.wait_for_timeout(800)
            assert page.evaluate("() => document.scrollingElement.scrollWidth <= window.innerWidth")
            main = "document.querySelector('[data-testid=stMain]')"
            assert page.evaluate(f"() => {main}.scrollWidth <= {main}.clientWidth")
