"""Many browser sessions at once on one server, clicking over all pages, while runs are loaded and rubrics labelled.

    python tests/benchmarks/sessions.py [--minutes 30] [--sessions 20] [--pause 1] [--json FILE]

Each session has a run of its own, whose every text says whose it is, and goes its own round: it steps through the replay, searches
the runs, opens each page and now and then all anew. The first labels rubrics, and a process beside the server loads a
new run every minute. Printed: visits, faults, selections that crossed, turn steps of one session alone and
of all, and the server's memory. The exit code is 1 where anything failed, crossed, or was lost.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from playwright.async_api import Browser, Error, Page, async_playwright, expect

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from dashboard_server import BROWSER_FLAGS, Server, chromium, serving
from made_log import made_log
from measure import p95, resident
from turn_step import NOTE_KEYS, WATCH

from sample_runs import runs_folder
from tabcore import rerun
from tabcore.labelling import labels

TURNS = 300
PATIENCE = 60_000
"""Milliseconds after which what has not come is a fault; twenty pages share the cores with the server."""
SAMPLE_EVERY = 5.0
LOAD_EVERY = 60.0


@dataclass
class Session:
    """One person: a page in the browser, a run of their own, and what happened."""

    number: int
    page: Page
    url: str
    run: str
    pause: float
    visits: Counter[str] = field(default_factory=Counter)
    steps: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    crossed: list[str] = field(default_factory=list)
    labelled: int = 0
    turn: int = 2
    is_lost: bool = True
    """Whether the own replay must be opened by its address."""

    @property
    def word(self) -> str:
        """What stands in every text of this session's run and of no other's."""
        return word_of(self.number)

    def is_own(self, text: str, where: str) -> None:
        """Notes a text that belongs to somebody else's run."""
        if set(re.findall(r"person\d{3}", text)) != {self.word}:
            self.crossed.append(f"{self.word}, {where}: {text[:120]!r}")

    async def settle(self) -> None:
        """Waits until the page is drawn, and notes a page that failed."""
        await self.page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
        await self.page.wait_for_function("() => !document.querySelector('[data-stale=true]')")
        for fault in await self.page.locator("[class*=st-key-fault-], [data-testid=stException]").all_inner_texts():
            self.faults.append(f"{self.page.url}: {fault}")

    async def go(self, title: str) -> None:
        """Another page by its name above, within the same session."""
        await self.page.get_by_test_id("stTopNavLink").filter(has_text=re.compile(f"^{title}$")).click()
        await self.page.wait_for_url(re.compile(rf"/{title.lower().replace('runs', '')}(\?|$)"))
        await self.settle()


async def step(session: Session) -> None:
    """Opens the own run's replay, anew each third time, and steps ten turns on."""
    page = session.page
    if session.is_lost or session.visits["replay"] % 3 == 0:
        session.turn = 2 + session.number + 10 * (session.visits["replay"] % 20)
        await page.goto(f"{session.url}/replay?run={session.run}&turn={session.turn}")
    else:
        await session.go("Replay")
    await page.locator(f".replay[data-turn='{session.turn}']").wait_for()
    await session.settle()
    session.is_lost = False
    session.is_own(await page.locator(".st-key-run-line").inner_text(), "the line of the run")
    await page.evaluate(WATCH)
    for number in range(10):
        await page.keyboard.press("ArrowRight")
        await page.wait_for_function("count => window.steps.length >= count", arg=number + 1)
    session.steps += [changed for changed, _ in await page.evaluate("() => window.steps")]
    session.turn += 10
    await page.locator(f".turn-text[data-turn='{session.turn}']").wait_for()
    session.is_own(await page.locator(".turn-text").inner_text(), "the texts of a turn")


async def search_runs(session: Session) -> None:
    """The list of runs, searched for the own one; the search of before is still there."""
    await session.go("Runs")
    box = session.page.get_by_role("textbox", name="Search")
    await box.fill(session.word)
    await box.press("Enter")
    try:
        await session.page.get_by_text(re.compile("^1 of [0-9,]+ runs")).wait_for()
    except Error:
        session.crossed.append(f"{session.word}: {await session.page.get_by_text(' runs. Choose').inner_text()}")
    await session.settle()


async def search_words(session: Session) -> None:
    """The own word, searched in all runs."""
    await session.go("Query")
    box = session.page.get_by_role("textbox", name="Words")
    await box.fill(f"{session.word} travel")
    await box.press("Enter")
    await session.page.get_by_text(re.compile("places.*Choose a row")).wait_for()
    await session.settle()


async def label(session: Session) -> None:
    """The failed rubrics; the first session labels two under its name."""
    await session.go("Taxonomy")
    await session.page.get_by_test_id("rubric").wait_for()
    if session.number:
        return
    name = session.page.get_by_label("Annotator")
    await name.fill(session.word)
    await name.press("Enter")
    await name.blur()
    progress = session.page.locator(".st-key-label-progress")
    for _ in range(2):
        if session.labelled < 30:
            await session.settle()
            await session.page.keyboard.press("3")
            await expect(progress).to_contain_text(f"{session.labelled + 1} of", timeout=PATIENCE)
            session.labelled += 1


def opening(title: str) -> Callable[[Session], Awaitable[None]]:
    """A page that is opened and waited for."""

    async def open_it(session: Session) -> None:
        await session.go(title)
        if title == "Deliverable":
            session.is_own(await session.page.locator(".st-key-run-line").inner_text(), "the deliverable's run")

    return open_it


ROUND: dict[str, Callable[[Session], Awaitable[None]]] = {
    "replay": step,
    "runs": search_runs,
    "missing": opening("Missing"),
    "deliverable": opening("Deliverable"),
    "taxonomy": label,
    "scores": opening("Scores"),
    "query": search_words,
    "compare": opening("Compare"),
    "recovery": opening("Recovery"),
}


async def click(session: Session, until: float) -> None:
    """One person's rounds until the time is up."""
    draw = random.Random(session.number)
    while time.monotonic() < until:
        await go_round(session, draw, until)


async def go_round(session: Session, draw: random.Random, until: float = float("inf")) -> None:
    """Each page once in an order of its own, the replay before each."""
    others = [name for name in ROUND if name != "replay"]
    for name in draw.sample(others, len(others)):
        for part in ("replay", name):
            if time.monotonic() >= until:
                return
            try:
                await ROUND[part](session)
            except (Error, AssertionError) as fault:
                session.faults.append(f"{session.word}, {part}: {str(fault)[:400]}")
                session.is_lost = True
                with suppress(Error):
                    await session.page.goto(session.url)
            session.visits[part] += 1
            await asyncio.sleep(session.pause * draw.uniform(0.5, 1.5))


async def remember(server: Server, samples: list[tuple[float, float]]) -> None:
    """Notes the server's memory again and again."""
    started = time.monotonic()
    while True:
        samples.append((time.monotonic() - started, resident(server.pid)))
        await asyncio.sleep(SAMPLE_EVERY)


async def load_beside(server: Server, folder: Path, codes: list[int | None]) -> None:
    """A new run a minute, loaded by a process of its own."""
    while True:
        log = folder / f"late{len(codes)}.jsonl"
        log.write_text(made_log(60, 60, 10, name=f"late{len(codes)}"))
        command = (sys.executable, "-m", "tabcore", "load", str(log), "--db", str(server.store))
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.DEVNULL)
        codes.append(await process.wait())
        await asyncio.sleep(LOAD_EVERY)


@dataclass(frozen=True)
class Outcome:
    """What is printed."""

    sessions: int
    minutes: float
    visits: dict[str, int]
    faults: list[str]
    crossed: list[str]
    labels: tuple[int, int]
    loads: tuple[int, int]
    step_alone: float
    step_of_all: float
    memory_of_one: float
    memory: list[tuple[float, float]]
    machine: float

    @property
    def per_session(self) -> float:
        """Megabytes for each session beyond the first, at the worst."""
        return (max(megabytes for _, megabytes in self.memory) - self.memory_of_one) / max(1, self.sessions - 1)

    @property
    def third_and_last_quarter(self) -> tuple[float, float]:
        """Mean megabytes in each: caches are full by then, so that growth here is a leak."""
        quarter = max(1, len(self.memory) // 4)
        last, third = self.memory[-quarter:], self.memory[-2 * quarter : -quarter] or self.memory
        return statistics.mean(mb for _, mb in third), statistics.mean(mb for _, mb in last)

    @property
    def is_well(self) -> bool:
        """True where nothing failed, crossed or was lost."""
        whole = self.labels[0] >= self.labels[1] and self.loads[0] == self.loads[1]
        return whole and not self.faults and not self.crossed


async def measure(server: Server, runs: list[str], minutes: float, pause: float, folder: Path) -> Outcome:
    """One session alone for one round, then all."""
    samples: list[tuple[float, float]] = []
    codes: list[int | None] = []
    async with sessions_on(server, runs, pause) as people:
        await go_round(people[0], random.Random(0))
        alone, of_one = p95(people[0].steps), resident(server.pid)
        people[0].steps.clear()
        beside = [
            asyncio.create_task(remember(server, samples)),
            asyncio.create_task(load_beside(server, folder, codes)),
        ]
        until = time.monotonic() + minutes * 60
        await asyncio.gather(*(click(person, until) for person in people))
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
    said = [one for one in labels(server.store) if one.type is not None]
    traces = re.findall(r"Traceback[^\x00]{0,1500}", server.log.read_text())
    return Outcome(
        len(people),
        minutes,
        dict(sum((person.visits for person in people), Counter())),
        [fault for person in people for fault in person.faults] + traces,
        [text for person in people for text in person.crossed],
        (len([one for one in said if one.annotator == word_of(0)]), people[0].labelled),
        (codes.count(0), len(codes)),
        alone,
        p95([step for person in people for step in person.steps]),
        of_one,
        samples,
        os.getloadavg()[1],
    )


@asynccontextmanager
async def sessions_on(server: Server, runs: list[str], pause: float) -> AsyncIterator[list[Session]]:
    """A session for each run, in two browsers."""
    async with async_playwright() as playwright:
        browsers = [await playwright.chromium.launch(executable_path=chromium(), args=BROWSER_FLAGS) for _ in range(2)]
        yield [await _session(browsers[number % 2], number, server.url, run, pause) for number, run in enumerate(runs)]
        for browser in browsers:
            await browser.close()


async def _session(browser: Browser, number: int, url: str, run: str, pause: float) -> Session:
    context = await browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    page = await context.new_page()
    await page.add_init_script(NOTE_KEYS)
    session = Session(number, page, url, run, pause)
    page.on("pageerror", lambda error: session.faults.append(f"{session.word}: {error}"))
    return session


def word_of(number: int) -> str:
    """The word of a session."""
    return f"person{number:03d}"


def filled(server: Server, folder: Path, sessions: int) -> list[str]:
    """The sample runs and one run for each session, loaded; the ids of the sessions' runs."""
    logs = folder / "made"
    logs.mkdir()
    for number in range(sessions):
        text = made_log(TURNS, name=word_of(number), hostile=f"{word_of(number)} ")
        (logs / f"{word_of(number)}.jsonl").write_text(text)
    rerun.load([str(runs_folder())], server.store)
    rerun.load([str(logs)], server.store)
    rows = {Path(row.path).stem: row.run_id for row in rerun.runs(server.store)}
    return [rows[word_of(number)] for number in range(sessions)]


def report(outcome: Outcome) -> None:
    """Prints it."""
    third, last = outcome.third_and_last_quarter
    print(f"{outcome.sessions} sessions, {outcome.minutes:g} minutes, load of the machine {outcome.machine:.1f}")
    print(f"visits: {sum(outcome.visits.values())}: {outcome.visits}")
    print(f"faults: {len(outcome.faults)}; selections that crossed: {len(outcome.crossed)}")
    for line in (*outcome.faults[:20], *outcome.crossed[:20]):
        print("   ", line)
    print("labels kept: {}, acknowledged: {}; loads that ended well: {} of {}".format(*outcome.labels, *outcome.loads))
    print(
        f"turn step, key to changed page, p95: {outcome.step_alone:.1f} ms alone, {outcome.step_of_all:.1f} ms of all"
    )
    print(f"memory of the server: {outcome.memory_of_one:.0f} MB with one session, {outcome.per_session:.0f} MB")
    print(f"    for each one more; third quarter {third:.0f} MB, last {last:.0f} MB")


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--pause", type=float, default=1, help="seconds between two visits of a session, about")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if chromium() is None:
        print("no chromium on PATH: install one to measure")
        return 2
    with tempfile.TemporaryDirectory() as name, serving(Path(name, "served")) as server:
        runs = filled(server, Path(name), options.sessions)
        outcome = asyncio.run(measure(server, runs, options.minutes, options.pause, Path(name)))
    report(outcome)
    if options.json:
        options.json.write_text(json.dumps(asdict(outcome), indent=1))
    return 0 if outcome.is_well else 1


if __name__ == "__main__":
    raise SystemExit(main())
