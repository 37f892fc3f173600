"""The page of failure types: labelling by keyboard, what is hidden until asked for, agreement, figures, files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from dashboard_server import Server
from model_server import Body, Reply, answering
from playwright.sync_api import Browser, Page, expect
from sklearn.metrics import cohen_kappa_score
from visits import Visit, violations, visiting

from sample_runs import runs_folder
from tabcore import rerun
from tabcore.analyses.failure_types import TYPES
from tabcore.analyses.labels import counting
from tabcore.exports.label_rows import read_rows
from tabcore.labelling import labels, notes, take_in

KNOWN_FIRST = ["1", "1", "4", "1", "1", "1", "1", "1"]
"""The keys of the known types of the first eight failed rubrics: t5, e8, e10, p1 to p4, p6."""


@pytest.fixture
def server(own_samples: Server) -> Server:
    """A dashboard with the sample runs, whose labels are this test's own."""
    return own_samples


@pytest.fixture
def desk(browser: Browser, server: Server, request: pytest.FixtureRequest) -> Iterator[Visit]:
    yield from visiting(browser, server.url, getattr(request, "param", "light"))


def named(visit: Visit, name: str = "Ann", address: str = "/taxonomy") -> Page:
    """The desk, with an annotator's name given and the keyboard free."""
    page = visit.open(address)
    page.get_by_role("button", name="Note").wait_for()
    page.get_by_label("Annotator").fill(name)
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-label-progress")).to_contain_text(f"by {name}")
    page.get_by_label("Annotator").blur()
    return page


def press(page: Page, key: str, then: str) -> None:
    page.keyboard.press(key)
    expect(page.locator(".st-key-label-progress")).to_contain_text(then)
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()


def said(server: Server, who: str = "Ann") -> list[str | None]:
    return [label.type for label in counting(labels(server.store)).get(who, {}).values()]


def test_twenty_rubrics_are_labelled_by_keyboard(desk: Visit, server: Server) -> None:
    page = named(desk)
    for number in range(1, 21):
        press(page, str(number % 6 + 1), f"{number} of 31 failed rubrics labelled by Ann")
    assert said(server) == [TYPES[number % 6] for number in range(1, 21)]


def test_a_skipped_rubric_comes_again_and_an_undone_one_at_once(desk: Visit, server: Server) -> None:
    page = named(desk)
    rubric = page.get_by_test_id("rubric")
    first = rubric.inner_text()
    press(page, "s", "was skipped")
    expect(rubric).not_to_have_text(first)
    second = rubric.inner_text()
    press(page, "3", "1 of 31")
    press(page, "u", "was taken back")
    expect(rubric).to_have_text(second)
    assert said(server) == []
    assert [label.type for label in labels(server.store)] == ["Discovery", None]


def test_proposals_are_hidden_until_asked_for_and_that_they_were_seen_is_kept(desk: Visit, server: Server) -> None:
    take_in(server.store, read_rows((runs_folder().parent / "types.csv").read_text("utf-8")))
    page = named(desk)
    expect(page.get_by_text("The rules:")).to_have_count(0)
    expect(page.get_by_text("by hand")).to_have_count(0)
    page.keyboard.press("p")
    expect(page.locator(".st-key-proposals")).to_contain_text("The rules: Shown but Missing (decided by evidence)")
    expect(page.locator(".st-key-proposals")).to_contain_text("by hand (person): Shown but Missing")
    press(page, "1", "1 of 31")
    expect(page.locator(".st-key-proposals")).to_have_count(0)
    press(page, "1", "2 of 31")
    seen = [label.evidence for label in labels(server.store) if label.annotator == "Ann"]
    assert seen == ["saw proposals", ""]


def test_a_note_is_kept_with_its_rubric(desk: Visit, server: Server) -> None:
    page = named(desk)
    page.keyboard.press("n")
    page.get_by_role("dialog").get_by_role("textbox").fill("the judge may be wrong")
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name="Keep the note").click()
    expect(page.get_by_text("Note by Ann: the judge may be wrong")).to_be_visible()
    assert {(note.text, note.rubric_id) for note in notes(server.store)} == {("the judge may be wrong", "t5")}


def test_digits_typed_into_a_field_label_nothing(desk: Visit, server: Server) -> None:
    page = named(desk)
    page.get_by_label("Annotator").press("End")
    page.get_by_label("Annotator").press("4")
    expect(page.get_by_label("Annotator")).to_have_value("Ann4")
    page.wait_for_timeout(800)
    assert labels(server.store) == ()


@pytest.mark.long
def test_two_who_label_at_once_lose_nothing(browser: Browser, desk: Visit, server: Server) -> None:
    for other in visiting(browser, server.url, "light"):
        ann, bo = named(desk, "Ann"), named(other, "Bo")
        for number in range(1, 5):
            ann.keyboard.press("1")
            bo.keyboard.press("2")
            for page, who in ((ann, "Ann"), (bo, "Bo")):
                expect(page.locator(".st-key-label-progress")).to_contain_text(
                    f"{number} of 31 failed rubrics labelled by {who}"
                )
    assert (said(server, "Ann"), said(server, "Bo")) == (["Shown but Missing"] * 4, ["Dropped or Distorted"] * 4)


def test_a_label_without_a_name_is_refused_in_one_sentence(desk: Visit, server: Server) -> None:
    page = desk.open("/taxonomy")
    page.get_by_role("button", name="Note").wait_for()
    page.keyboard.press("1")
    expect(page.get_by_text("nobody is named who labels. State a name")).to_be_visible()
    assert labels(server.store) == ()


def test_an_address_names_a_rubric(desk: Visit, server: Server) -> None:
    run = next(row.run_id for row in rerun.runs(server.store) if Path(row.path).parent.name == "village_hall")
    page = named(desk, address=f"/taxonomy?run={run}&rubric=h7")
    expect(page.get_by_test_id("rubric")).to_have_text("Gives the cost of the roof repair, EUR 2,860.50")
    press(page, "3", "1 of 31")
    expect(page.get_by_test_id("rubric")).not_to_contain_text("roof repair")


def part(page: Page, name: str) -> None:
    page.get_by_role("radio", name=name).click(force=True)
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()


def test_kappa_on_the_page_is_the_references(desk: Visit, server: Server) -> None:
    take_in(server.store, read_rows((runs_folder().parent / "types.csv").read_text("utf-8")))
    page = named(desk)
    for number in range(1, 9):
        press(page, "1" if number % 3 else "3", f"{number} of 31")
    both = [(known, mine) for known, mine in zip(KNOWN_FIRST, ["1", "1", "3", "1", "1", "3", "1", "1"], strict=True)]
    expected = cohen_kappa_score(*zip(*both, strict=True))
    part(page, "Agreement")
    expect(page.get_by_role("heading", name=f"Kappa {expected:.3f}, 95 % interval")).to_be_visible()
    expect(page.get_by_text(f"{sum(a != b for a, b in both)} to adjudicate")).to_be_visible()


def test_the_figures_stand_beside_the_papers(desk: Visit) -> None:
    page = named(desk)
    part(page, "Figures")
    expect(page.get_by_text("Lost points by type, by method; labels: the rules")).to_be_visible()
    expect(page.get_by_text("dci (n = 19)")).to_be_visible()
    expect(page.get_by_text("paper: running_tab 27.0 %, dci 20.7 %")).to_be_visible()
    expect(page.get_by_text("24 rubrics: under dci (left), under running_tab (right)")).to_be_visible()
    page.get_by_text("Data of this figure, 12 rows").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="CSV", exact=True).first.click()
    assert Path(saved.value.path()).read_text().startswith("group,type,rubrics,points")
    drawn = page.locator(".js-plotly-plot").first.bounding_box()
    name, picture = saved_picture(page, "PNG")
    assert (name, picture[:8]) == ("lost-points.png", b"\x89PNG\r\n\x1a\n")
    assert drawn is not None
    assert abs(int.from_bytes(picture[16:20]) - 3 * drawn["width"]) < 6
    name, picture = saved_picture(page, "SVG")
    assert (name, picture[:4]) == ("lost-points.svg", b"<svg")


def saved_picture(page: Page, kind: str) -> tuple[str, bytes]:
    """The first figure as its button saves it: the file's name and content."""
    with page.expect_download() as saved:
        page.get_by_role("button", name=kind, exact=True).first.click()
    return saved.value.suggested_filename, Path(saved.value.path()).read_bytes()


def answer_of_a_model(body: Body) -> Reply:
    """Its quote occurs in the record of the energy report alone."""
    return Reply(json.dumps({"quotes": ["total 402,780 kWh"], "why": "it was read", "type": "Shown but Missing"}))


def fill(page: Page, label: str, text: str) -> None:
    page.get_by_label(label, exact=True).fill(text)
    page.get_by_label(label, exact=True).press("Enter")


@pytest.mark.long
def test_a_model_labels_when_it_is_asked_and_nothing_is_sent_before(desk: Visit, server: Server, axe: str) -> None:
    with answering(answer_of_a_model) as model:
        page = named(desk)
        part(page, "Ask a model")
        fill(page, "Address of an OpenAI-compatible endpoint", "https://models.example.com/v1")
        desk.settle()
        fill(page, "Model", "tiny")
        expect(page.get_by_text("31 failed rubrics, 0 more are labelled by it already.")).to_be_visible()
        expect(page.get_by_text("That text LEAVES THIS MACHINE for models.example.com.")).to_be_visible()
        fill(page, "Tokens at most", "1000")
        expect(page.get_by_text("That is more than is allowed above")).to_be_visible()
        expect(page.get_by_role("button", name="Ask the model")).to_be_disabled()
        fill(page, "Tokens at most", "1000000")
        fill(page, "Address of an OpenAI-compatible endpoint", model.url)
        expect(page.get_by_text("That text stays on this machine.")).to_be_visible()
        page.wait_for_timeout(600)
        assert violations(page, axe) == []
        assert model.requests == []
        page.get_by_role("button", name="Ask the model").click()
        expect(page.get_by_text("2 labels kept, 0 left open, 29 answers refused.")).to_be_visible()
        expect(page.get_by_text("refused: its quote “total 402,780 kWh” does not occur").first).to_be_visible()
        assert len(model.requests) == 31
    assert said(server, "tiny") == ["Shown but Missing"] * 2
    part(page, "Agreement")
    expect(page.get_by_text("tiny 2")).to_be_visible()


@pytest.mark.long
def test_asking_a_model_for_labels_is_cancelled_from_the_page(desk: Visit, server: Server) -> None:
    with answering(lambda _: Reply("{}", wait=0.4)) as model:
        page = named(desk)
        part(page, "Ask a model")
        fill(page, "Address of an OpenAI-compatible endpoint", model.url)
        desk.settle()
        fill(page, "Model", "tiny")
        page.get_by_role("button", name="Ask the model").click()
        page.get_by_role("button", name="Cancel").click()
        expect(page.get_by_text("It ended early: cancelled")).to_be_visible()
        assert len(model.requests) < 31


def test_without_runs_the_page_says_what_it_needs(first_visit: Visit) -> None:
    expect(first_visit.open("/taxonomy").get_by_text("No run is stored yet.")).to_be_visible()


def test_runs_without_failures_are_no_error(visit: Visit) -> None:
    expect(visit.open("/taxonomy").get_by_text("No rubric of these runs failed")).to_be_visible()


@pytest.mark.parametrize("width", [390, 800])
def test_the_page_is_no_wider_than_a_narrow_window(desk: Visit, width: int) -> None:
    desk.page.set_viewport_size({"width": width, "height": 900})
    page = desk.open("/taxonomy")
    page.get_by_test_id("rubric").wait_for()
    page.wait_for_timeout(600)
    assert page.evaluate("() => document.scrollingElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("width", [390, pytest.param(1100, marks=pytest.mark.long)])
def test_the_report_opens_from_disk_asks_nobody_and_has_no_serious_violation(
    browser: Browser, desk: Visit, tmp_path: Path, width: int, axe: str
) -> None:
    page = named(desk)
    part(page, "Figures")
    page.get_by_role("button", name="Report", exact=True).click()
    page.get_by_role("button", name="agreement", exact=True).click()
    desk.settle()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Report (HTML)").click()
    file = tmp_path / "report.html"
    saved.value.save_as(file)
    context = browser.new_context(viewport={"width": width, "height": 900}, offline=True)
    opened, asked = context.new_page(), list[str]()
    opened.on("request", lambda request: asked.append(request.url))
    opened.on("console", lambda message: asked.append(message.text))
    opened.goto(file.as_uri())
    opened.locator("summary").first.click()
    for heading in ("Why rubrics failed", "Scores", "Masked recovery"):
        expect(opened.get_by_role("heading", name=heading)).to_be_visible()
    expect(opened.get_by_role("heading", name="Agreement")).to_have_count(0)
    assert asked == [file.as_uri()]
    assert opened.evaluate("() => document.scrollingElement.scrollWidth <= window.innerWidth")
    assert violations(opened, axe) == []
    context.close()


@pytest.mark.parametrize("name", ["Agreement", "Figures"])
@pytest.mark.parametrize("desk", ["light", "dark"], indirect=True)
@pytest.mark.long
def test_agreement_and_figures_have_no_serious_violation(desk: Visit, server: Server, name: str, axe: str) -> None:
    take_in(server.store, read_rows((runs_folder().parent / "types.csv").read_text("utf-8")))
    page = named(desk)
    part(page, name)
    page.locator(".js-plotly-plot").first.wait_for()
    page.wait_for_timeout(1200)
    assert violations(page, axe) == []


@pytest.mark.parametrize("desk", ["light", "dark"], indirect=True)
def test_the_desk_has_no_serious_violation(desk: Visit, axe: str) -> None:
    page = named(desk)
    page.keyboard.press("p")
    page.locator(".st-key-proposals").wait_for()
    page.wait_for_timeout(600)
    assert violations(page, axe) == []
