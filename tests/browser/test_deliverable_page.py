"""The page Deliverable in a real browser: from a value to the line it came from, and on into the replay."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from dashboard_server import Server, serving
from playwright.sync_api import Browser, Locator, Page, expect
from small_logs import pi_agent, pi_log, pi_user
from visits import Visit, violations, visiting

from tabcore import rerun
from tabcore.presentation.deliverable_page import standalone_page
from tabcore.questions import provenance


def run_of(server: Server, name: str, method: str) -> str:
    [found] = [row.run_id for row in rerun.runs(server.store) if (row.task_name, row.method) == (name, method)]
    return found


@pytest.fixture
def report(sample_visit: Visit, samples: Server) -> Page:
    """The quarterly energy report."""
    page = sample_visit.open(f"/deliverable?run={run_of(samples, 'quarterly energy report', 'dci')}")
    page.locator(".document .value").first.wait_for()
    return page


def value(page: Page, text: str) -> Locator:
    return page.locator(".document .value", has=page.locator(".figure", has_text=re.compile(f"^{re.escape(text)}$")))


def test_a_click_on_a_value_shows_the_line_that_it_came_from(report: Page) -> None:
    value(report, "402,780").click()
    place = report.locator(".evidence .place").first
    expect(place.locator(".head b")).to_have_text("L2")
    expect(place.locator(".path")).to_have_text("reports/2024_q1_energy_report.md")
    expect(place.locator(".here")).to_contain_text("office 25,845 kWh; total 402,780 kWh.")
    expect(place.locator(".here mark")).to_have_text("402,780")
    expect(place.locator(".here b")).to_have_text("3")


def test_the_turn_of_a_source_leads_into_the_replay_at_that_turn_with_the_value_marked(report: Page) -> None:
    value(report, "402,780").click()
    report.locator(".evidence .place").first.get_by_role("link", name="turn 2").click()
    expect(report.locator(".replay")).to_have_attribute("data-turn", "2")
    expect(report.locator(".turn-text")).to_contain_text("total 402,780 kWh")
    expect(report.locator(".turn-text mark")).to_have_text("402,780")


def test_a_derived_value_shows_its_formula_and_each_number_with_its_line(report: Page) -> None:
    value(report, "816,030").click()
    expect(report.locator(".formula .words")).to_have_text("1,640,000 − 823,970 = 816,030")
    expect(report.locator(".operands .here mark")).to_have_text(["1,640,000", "823,970"])


def test_the_address_names_the_chosen_value_and_opens_it_again(report: Page) -> None:
    value(report, "402,780").click()
    address = report.url
    assert "value=" in address
    report.goto("about:blank")
    report.goto(address)
    expect(report.locator(".document .value[aria-pressed=true] .figure")).to_have_text("402,780")
    expect(report.locator(".evidence h3 .figure")).to_have_text("402,780")


def test_a_count_takes_the_marks_of_its_kind_away_and_brings_them_back(report: Page) -> None:
    count = report.locator(".count", has_text="sourced")
    expect(count).to_contain_text("13")
    count.click()
    expect(count).to_have_attribute("aria-pressed", "false")
    expect(value(report, "402,780")).to_have_class(re.compile("plain"))
    count.click()
    expect(value(report, "402,780")).not_to_have_class(re.compile("plain"))


def test_small_counts_are_marked_only_when_asked_for(report: Page) -> None:
    small = report.locator(".document .value.small").first
    expect(small).to_have_class(re.compile("plain"))
    report.get_by_role("button", name="small counts, years and dates").click()
    expect(small).not_to_have_class(re.compile("plain"))


def test_the_keys_n_and_p_walk_the_unsupported_values(sample_visit: Visit, samples: Server) -> None:
    page = sample_visit.open(f"/deliverable?run={run_of(samples, 'year sheet of a village hall', 'running_tab')}")
    page.locator(".document .value").first.wait_for()
    chosen = page.locator(".document .value[aria-pressed=true] .figure")
    for key, text in (("n", "4,321.50"), ("n", "EUR 4,754.55"), ("n", "4,321.50"), ("p", "EUR 4,754.55")):
        page.keyboard.press(key)
        expect(chosen).to_have_text(text)
    expect(page.locator(".evidence")).to_contain_text("unsupported: stated nowhere before it was delivered")
    page.keyboard.press("Escape")
    expect(chosen).to_have_count(0)


def test_the_arrow_keys_go_to_the_value_beside(report: Page) -> None:
    value(report, "250,740").click()
    report.keyboard.press("ArrowRight")
    expect(report.locator(".document .value[aria-pressed=true] .figure")).to_have_text("252,700")
    expect(value(report, "252,700")).to_be_focused()


def test_a_workbooks_cells_stand_in_a_table(sample_visit: Visit, samples: Server) -> None:
    page = sample_visit.open(f"/deliverable?run={run_of(samples, 'purchase orders by supplier', 'running_tab')}")
    total = value(page, "¥217,140")
    expect(total.locator("xpath=ancestor::td")).to_have_attribute("title", re.compile("Orders!G12"))
    total.click()
    expect(page.locator(".formula .words")).to_contain_text("= 217,140")


def test_what_of_a_read_file_was_used_leads_to_the_value(report: Page) -> None:
    report.locator(".uses summary").click()
    row = report.locator(".uses tr", has_text="reports/2024_q1_energy_report.md")
    expect(row.locator(".share")).to_have_text("4 / 8")
    row.get_by_role("button", name="402,780").click()
    expect(report.locator(".document .value[aria-pressed=true] .figure")).to_have_text("402,780")


def test_both_exports_can_be_downloaded(report: Page) -> None:
    for label, ending in (("Workbook (xlsx)", ".xlsx"), ("Page on its own (HTML)", ".html")):
        with report.expect_download() as download:
            report.get_by_role("button", name=label).click()
        assert download.value.suggested_filename.endswith(ending)
        assert Path(download.value.path()).stat().st_size > 5_000


def test_without_a_run_the_page_says_what_it_needs(sample_visit: Visit) -> None:
    page = sample_visit.open("/deliverable")
    expect(page.get_by_text("No run is chosen. This page shows")).to_be_visible()


@pytest.mark.parametrize("sample_visit", ["light", "dark"], indirect=True)
@pytest.mark.parametrize("text", ["402,780", "816,030", "EUR 90,134.66", ""])
def test_the_page_has_no_serious_violation(report: Page, axe: str, text: str) -> None:
    report.locator(".uses summary").click()
    if text:
        value(report, text).click()
    report.wait_for_timeout(400)
    assert violations(report, axe) == []


@pytest.mark.parametrize("width", [390, 800])
def test_the_page_is_no_wider_than_a_narrow_window(sample_visit: Visit, samples: Server, width: int) -> None:
    sample_visit.page.set_viewport_size({"width": width, "height": 900})
    page = sample_visit.open(f"/deliverable?run={run_of(samples, 'purchase orders by supplier', 'running_tab')}")
    value(page, "¥217,140").click()
    page.locator(".uses summary").click()
    main = "document.querySelector('[data-testid=stMain]')"
    assert page.evaluate(f"() => {main}.scrollWidth <= {main}.clientWidth")


@pytest.fixture(scope="module")
def three_files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, str]]:
    """A dashboard whose store holds a run that delivered a text, a picture and a csv file; and the run's id."""
    folder = tmp_path_factory.mktemp("three")
    (folder / "run" / "deliverable").mkdir(parents=True)
    (folder / "run" / "run.toml").write_text('log = "session.jsonl"\nroot = "/ws"\n')
    (folder / "run" / "session.jsonl").write_text(pi_log(pi_user("Write it; budget 5,000.00"), pi_agent("Done.")))
    (folder / "run" / "deliverable" / "a.md").write_text("Budget 5,000, <b>roof</b> 61,250\n")
    (folder / "run" / "deliverable" / "b.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 40)
    (folder / "run" / "deliverable" / "c.csv").write_text('what,EUR\n"roof, new","61,250"\n')
    with serving(folder / "served") as server:
        [loaded] = rerun.load([str(folder / "run")], server.store)
        yield server, loaded.runs[0]
    assert "Traceback" not in server.log.read_text()


@pytest.fixture
def several(browser: Browser, three_files: tuple[Server, str]) -> Iterator[Visit]:
    yield from visiting(browser, three_files[0].url, "light")


def test_of_several_files_one_is_chosen_and_the_address_follows(
    several: Visit, three_files: tuple[Server, str]
) -> None:
    page = several.open(f"/deliverable?run={three_files[1]}")
    expect(page.locator(".document")).to_contain_text("<b>roof</b>")
    page.get_by_role("combobox").click()
    page.get_by_role("option", name="c.csv").click()
    expect(page.locator(".document td").first).to_have_text("roof, new")
    page.wait_for_url(re.compile("file=c.csv"))
    value(page, "61,250").click()
    page.reload()
    expect(page.locator(".document .value[aria-pressed=true] .figure")).to_have_text("61,250")
    expect(page.locator(".document td").first).to_have_text("roof, new")


def test_a_picture_is_said_to_have_no_text(several: Visit, three_files: tuple[Server, str]) -> None:
    page = several.open(f"/deliverable?run={three_files[1]}&file=b.png")
    expect(page.locator(".document")).to_contain_text("It is a picture: no text of this file is known")


@pytest.fixture
def alone(browser: Browser, samples: Server, tmp_path: Path) -> Iterator[Page]:
    """The page on its own, from disk."""
    file = tmp_path / "alone.html"
    found = provenance(samples.store, run_of(samples, "quarterly energy report", "dci"))
    file.write_text(standalone_page(found), "utf-8")
    for visit in visiting(browser, file.as_uri(), "light"):
        visit.page.goto(file.as_uri())
        yield visit.page


def test_the_page_on_its_own_shows_the_same_evidence_without_a_server(alone: Page, axe: str) -> None:
    value(alone, "402,780").click()
    expect(alone.locator(".evidence .here mark").first).to_have_text("402,780")
    alone.keyboard.press("ArrowLeft")
    expect(alone.locator(".document .value[aria-pressed=true] .figure")).to_have_text("421,190")
    assert violations(alone, axe) == []
