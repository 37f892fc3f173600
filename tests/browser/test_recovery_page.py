"""The page of masked recovery: bars, values, prompts, and a model asked from the page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from dashboard_server import Server
from model_server import Body, ModelServer, Reply, answering, said
from playwright.sync_api import Browser, Locator, Page, expect
from visits import Visit, violations, visiting

from tabcore import recovery
from tabcore.commands.recovery_words import sentence

FIRST = "Says that a reason is written for a ticket"


def _answers(body: Body) -> Reply:
    """Knows the price of the ticket once it has seen it, and opens L3 to see it."""
    if "EUR 80 dearer" in said(body):
        return Reply(json.dumps({"values": ["EUR 80"]}))
    return Reply(json.dumps({"show": ["L3"] if "[tab] Requirements" in said(body) else [], "values": []}))


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with answering(_answers) as server:
        yield server


@pytest.fixture
def own_visit(browser: Browser, own_samples: Server) -> Iterator[Visit]:
    yield from visiting(browser, own_samples.url, "light")


def _case(page: Page) -> Locator:
    return page.locator(".st-key-recovery-case")


def _choose_row(page: Page, row: int) -> None:
    table = page.locator("[data-testid=stDataFrame]").filter(has=page.locator("canvas")).nth(1).locator("canvas").first
    table.scroll_into_view_if_needed()
    page.wait_for_timeout(600)
    box = table.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 18, box["y"] + 35 + 35 * row + 17)


def _fill(page: Page, label: str, text: str) -> None:
    page.get_by_label(label, exact=True).fill(text)
    page.get_by_label(label, exact=True).press("Enter")


def _name_endpoint(visit: Visit, model: ModelServer) -> Page:
    page = visit.open("/recovery")
    page.get_by_text("Ask a model", exact=True).click()
    _fill(page, "Address of an OpenAI-compatible endpoint", model.url)
    visit.settle()
    _fill(page, "Model", "tiny")
    expect(page.get_by_text("51 questions, 0 more are answered already.")).to_be_visible()
    return page


def test_without_any_model_the_baseline_is_shown_and_named_as_such(sample_visit: Visit, samples: Server) -> None:
    page = sample_visit.open("/recovery")
    told = sentence(recovery.masked_recovery(samples.store), recovery.LEXICAL)
    assert "lexical baseline (no model)" in told
    expect(page.get_by_role("heading", name=told)).to_be_visible()
    expect(page.locator(".js-plotly-plot .points .point")).to_have_count(3 + 3)
    expect(page.get_by_text("Recovered by lexical baseline (no model)")).to_be_visible()


def test_the_three_prompts_stand_side_by_side_with_the_value_marked_where_it_is_held(sample_visit: Visit) -> None:
    case = _case(sample_visit.open("/recovery"))
    expect(case.get_by_role("heading")).to_contain_text(FIRST)
    talks = case.locator(".talk")
    expect(talks).to_have_count(3)
    expect(talks.nth(0).locator("mark")).to_have_count(0)
    expect(talks.nth(1).locator("section.user mark")).to_have_text(["EUR 80"])
    expect(talks.nth(2).locator("section.user mark")).to_have_text(["EUR 80"])
    expect(talks.nth(0).locator("section.user")).to_contain_text("a ticket that is [____] dearer")


def test_a_chosen_row_shows_its_own_prompts(sample_visit: Visit) -> None:
    page = sample_visit.open("/recovery")
    _choose_row(page, 2)
    expect(_case(page).get_by_role("heading")).to_contain_text("Ashgrove Fixings")


def test_an_edited_mask_is_asked_at_once(sample_visit: Visit) -> None:
    page = sample_visit.open("/recovery")
    area = _case(page).get_by_label("The requirement as it is asked")
    area.fill("Says how many days ahead flights are booked, [____]")
    area.press("Control+Enter")
    sample_visit.settle()
    expect(_case(page).locator(".talk").nth(2)).to_contain_text("Says how many days ahead flights are booked")
    expect(_case(page)).not_to_contain_text("✓ states EUR 80")


@pytest.mark.long
def test_another_k_changes_the_review(sample_visit: Visit) -> None:
    page = sample_visit.open("/recovery")
    expect(_case(page)).to_contain_text("after opening L3, L1, L2")
    k = _case(page).get_by_label("Entries (k)")
    k.fill("1")
    k.press("Enter")
    sample_visit.settle()
    expect(_case(page)).to_contain_text(re.compile(r"after opening L3(?!,)"))


def test_nothing_is_sent_before_the_button_and_the_page_says_what_would_be(
    own_visit: Visit, model: ModelServer
) -> None:
    page = _name_endpoint(own_visit, model)
    expect(page.get_by_text("51 questions, 0 more are answered already.")).to_be_visible()
    expect(page.get_by_text("That text stays on this machine.")).to_be_visible()
    _fill(page, "Address of an OpenAI-compatible endpoint", "https://models.example.com/v1")
    expect(page.get_by_text("That text LEAVES THIS MACHINE for models.example.com.")).to_be_visible()
    assert model.requests == []


def test_a_model_is_asked_from_the_page_and_its_numbers_are_those_of_the_command(
    own_visit: Visit, own_samples: Server, model: ModelServer
) -> None:
    page = _name_endpoint(own_visit, model)
    page.get_by_role("button", name="Ask the model").click()
    expect(page.get_by_text("51 of 51 questions answered")).to_be_visible(timeout=60_000)
    told = sentence(recovery.masked_recovery(own_samples.store, model="tiny"), "tiny")
    assert "1 given the review, 1 given the whole read log" in told
    expect(page.get_by_role("heading", name=told)).to_be_visible()
    expect(page.get_by_text("Recovered by tiny")).to_be_visible()
    expect(page.get_by_text("Recovered by lexical baseline (no model)")).to_be_visible()
    expect(_case(page)).to_contain_text("✓ states EUR 80, after opening L3")
    asked = len(model.requests)
    k = _case(page).get_by_label("Entries (k)")
    k.fill("1")
    k.press("Enter")
    own_visit.settle()
    page.get_by_role("button", name="Ask tiny for this requirement").click()
    expect(page.get_by_text("3 of 3 questions answered")).to_be_visible(timeout=60_000)
    assert len(model.requests) == asked + 2


@pytest.mark.long
def test_asking_is_cancelled_from_the_page(own_visit: Visit) -> None:
    with answering(lambda _: Reply('{"values": []}', wait=0.4)) as model:
        page = _name_endpoint(own_visit, model)
        page.get_by_role("button", name="Ask the model").click()
        page.get_by_role("button", name="Cancel").click()
        expect(page.get_by_text("It ended early: cancelled")).to_be_visible(timeout=60_000)
        assert len(model.requests) < 51


@pytest.mark.long
def test_a_wrong_key_is_told_with_its_remedy(own_visit: Visit) -> None:
    with answering([Reply("Incorrect API key", 401)]) as model:
        page = _name_endpoint(own_visit, model)
        page.get_by_role("button", name="Ask the model").click()
        expect(page.get_by_text(re.compile("It ended early: .*does not accept the key"))).to_be_visible(timeout=60_000)


@pytest.mark.long
def test_what_may_cost_too_much_cannot_be_sent(own_visit: Visit, model: ModelServer) -> None:
    page = _name_endpoint(own_visit, model)
    _fill(page, "Calls at most", "50")
    expect(page.get_by_text("That is more than is allowed above")).to_be_visible()
    expect(page.get_by_role("button", name="Ask the model")).to_be_disabled()


@pytest.mark.parametrize("width", [390, 800])
@pytest.mark.long
def test_the_page_is_no_wider_than_a_narrow_window(sample_visit: Visit, width: int) -> None:
    sample_visit.page.set_viewport_size({"width": width, "height": 900})
    page = sample_visit.open("/recovery")
    page.wait_for_timeout(800)
    assert page.evaluate("() => document.scrollingElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("sample_visit", ["light", "dark"], indirect=True)
@pytest.mark.long
def test_the_page_has_no_serious_violation(sample_visit: Visit, axe: str) -> None:
    page = sample_visit.open("/recovery")
    page.get_by_text("Ask a model", exact=True).click()
    page.locator(".st-key-recovery-case mark").first.wait_for()
    page.wait_for_timeout(1200)
    assert violations(page, axe) == []


def test_without_runs_the_page_says_what_it_needs(first_visit: Visit) -> None:
    page = first_visit.open("/recovery")
    expect(page.get_by_text("No run is stored yet.")).to_be_visible()


def test_runs_with_nothing_left_out_are_no_error(visit: Visit) -> None:
    page = visit.open("/recovery")
    expect(page.get_by_text("No requirement of these runs was left out entirely")).to_be_visible()
