"""A page of the dashboard in a real browser, watched: a visit ends without a complaint and without a request to others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Page, Request

KNOWN_404 = ("/_stcore/health", "/_stcore/host-config")


@dataclass
class Visit:
    """A page in the browser, what it complained about, and whom it asked."""

    page: Page
    url: str
    complaints: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def open(self, address: str = "/") -> Page:
        """The page at an address of the dashboard, once its script has run."""
        self.page.goto(f"{self.url}{address}")
        self.settle()
        return self.page

    def settle(self) -> None:
        """Wait until the script has run and what it drew is fresh."""
        self.page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
        self.page.wait_for_function("() => !document.querySelector('[data-stale=true]')")

    def note_console(self, message: ConsoleMessage) -> None:
        """Keep errors but the two known ones of a link to a page below the first."""
        if message.type == "error" and not str(message.location.get("url", "")).endswith(KNOWN_404):
            self.complaints.append(message.text)

    def note_request(self, request: Request) -> None:
        """Keep requests that leave this machine's server."""
        place = urlsplit(request.url)
        if place.scheme not in {"data", "blob"} and place.netloc != urlsplit(self.url).netloc:
            self.foreign.append(request.url)


def visiting(browser: Browser, url: str, manner: str) -> Iterator[Visit]:
    """A visit that must end without a complaint of the browser and without a request to anybody else."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 1400},
        color_scheme="dark" if manner == "dark" else "light",
        reduced_motion="reduce" if manner == "still" else "no-preference",
    )
    visit = Visit(context.new_page(), url)
    visit.page.on("console", visit.note_console)
    visit.page.on("pageerror", lambda error: visit.complaints.append(str(error)))
    visit.page.on("request", visit.note_request)
    yield visit
    context.close()
    assert visit.complaints == []
    assert visit.foreign == []


def violations(page: Page, axe: str) -> list[str]:
    """What axe-core, by its script, finds serious or critical on a page."""
    page.evaluate(axe)
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{violation['id']}: {node['target']} {node.get('failureSummary', '')}"
        for violation in found["violations"]
        if violation["impact"] in {"serious", "critical"}
        for node in violation["nodes"]
    ]
