"""One table of how fast and how small everything is, against the goals, with the baselines measured in the same run.

    python tests/benchmarks/run.py [--runs 1000] [--work FOLDER] [--only WORD…] [--json FILE]

`--runs 100` is the quick form. The logs come from the corpus generator beside the project (shared/bench/gen_corpus.py):
they and the store are kept in --work, where one is named, and made anew else. `--only` measures the parts whose names
are given: load, one, values, pages, start, small. All figures are better when lower; a gate that is missed says so.
The gates are those of 1,000 runs, also where fewer are measured.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from capture import reference, typical
from dashboard_server import BROWSER_FLAGS, chromium, free_port, serving
from hook import filled_tab, processes
from load import Loading
from measure import cpu_seconds, median, p95, seconds
from missing import asked, run_folder, truths_of
from playwright.sync_api import Browser, Page, sync_playwright
from ranking import QUERY, SIZES, documents, kept
from turn_step import steps_of

from tabcore import rerun

TESTS = Path(__file__).resolve().parents[1]
GENERATOR = TESTS.parents[1] / "shared" / "bench" / "gen_corpus.py"
PAGES = {
    "Runs": ("/", "[data-testid=stDataFrame] canvas"),
    "Replay": ("/replay?run={run}", ".replay[data-turn]"),
    "Deliverable": ("/deliverable?run={run}", ".st-key-run-line"),
    "Missing": ("/missing", ".st-key-story"),
    "Taxonomy": ("/taxonomy", "[data-testid=rubric]"),
    "Scores": ("/scores", ".js-plotly-plot"),
    "Compare": ("/compare", ".js-plotly-plot"),
    "Recovery": ("/recovery", "[data-testid=stMain]"),
    "Query": ("/query", "[data-testid=stTextInput]"),
}
"""By name, a page's address, and what is there once the page is."""
PATIENCE = 180_000


@dataclass(frozen=True, slots=True)
class Row:
    """One figure, its gate and its moonshot; `beside` is what else was seen."""

    what: str
    measured: float
    unit: str
    gate: float | None = None
    moonshot: float | None = None
    beside: str = ""

    @property
    def within(self) -> str:
        """How the figure stands to its goals."""
        if self.gate is None:
            return ""
        if self.moonshot is not None and self.measured <= self.moonshot:
            return "moonshot"
        return "yes" if self.measured <= self.gate else "NO"

    def __str__(self) -> str:
        gate, moonshot = ("" if goal is None else f"{goal:.3g}" for goal in (self.gate, self.moonshot))
        measured = f"{self.measured:.3g} {self.unit}" if self.measured < 1000 else f"{self.measured:.0f} {self.unit}"
        return f"{self.what:48} {measured:>18} {gate:>6} {moonshot:>8}  {self.within:8} {self.beside}"


@dataclass(frozen=True, slots=True)
class Room:
    """Where the logs, the run folders and the store are."""

    place: Path
    runs: int

    @property
    def store(self) -> Path:
        """The store of all runs."""
        return self.place / "runs.duckdb"

    @property
    def corpus(self) -> Path:
        """The logs with their truth."""
        return self.place / "corpus" / "custom"

    @property
    def one(self) -> Path:
        """The one log of 50 MB."""
        return self.place / "corpus" / "one50" / "pi" / "run_00000.jsonl"

    @property
    def folders(self) -> Path:
        """The run folders, so many as are asked for."""
        return self.place / f"runs{self.runs}"

    def make(self) -> None:
        """Makes what is not there yet."""
        if len(truths_of(self.corpus, self.runs)) < self.runs:
            generate(self.place / "corpus", "custom", "--tasks", "20", "--logs", str(self.runs), "--jobs", "2")
        if not self.one.exists():
            generate(self.place / "corpus", "one50")
        for truth in truths_of(self.corpus, self.runs):
            run_folder(self.corpus, truth, self.folders)


def generate(into: Path, *which: str) -> None:
    """Logs by the generator. Ends the program with a word where there is none."""
    if not GENERATOR.exists():
        sys.exit(f"The corpus generator is not at {GENERATOR}. Name a folder that holds what it wrote with --work.")
    subprocess.run([sys.executable, str(GENERATOR), *which, "--shape", "pi", "--out", str(into)], check=True)


def loaded(*arguments: str) -> Loading:
    """A load in a process of its own, so that the memory is its own."""
    command = [sys.executable, str(TESTS / "benchmarks" / "load.py"), "--json", *arguments]
    return Loading(**json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout))


def load_rows(room: Room) -> Iterator[Row]:
    """The load of all runs."""
    core = loaded("--core", "--no-redact", str(room.folders))
    beside = f"{core.megabytes / core.cpu:.1f} MB per CPU s"
    yield Row("load without capture", core.times_orjson, "x orjson CPU", 6, 4, beside)
    room.store.unlink(missing_ok=True)
    whole = loaded(str(room.folders), "--store", str(room.store))
    yield Row("load, all of it", whole.times_orjson, "x orjson CPU")
    beside = f"{whole.megabytes / whole.cpu:.1f} MB per CPU s, {whole.megabytes / whole.took:.1f} MB/s by the clock"
    yield Row("load, all of it, of 100 MB", whole.cpu / whole.megabytes * 100, "CPU s", 3.4, 1.7, beside)
    beside = f"with its workers {whole.peak_with_workers:.0f} MB"
    yield Row(f"load of {whole.megabytes:.0f} MB, peak memory", whole.peak, "MB", 600, 250, beside)
    yield Row("store, share of the logs", whole.stored / whole.megabytes, "", 0.34, 0.28)
    yield Row(f"load again, {room.runs} logs unchanged", whole.again, "s", 0.5, 0.1)
    yield Row("open a run from the store", whole.opened["replay"] * 1000, "ms", 50, 15)


def one_rows(room: Room) -> Iterator[Row]:
    """The log of 50 MB."""
    whole = loaded(str(room.one))
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tabcore", "load", str(room.one), "--db", str(Path(folder, "one.duckdb"))]
        took = seconds(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))
    beside = f"{whole.times_orjson:.1f} x orjson CPU"
    yield Row(f"one log of {whole.megabytes:.0f} MB, whole command", took, "s", 1.5, 1.0, beside)
    yield Row("one log, peak memory", whole.peak, "MB", 250, 130)


def value_rows(room: Room) -> Iterator[Row]:
    """Shown but missing."""
    found = asked(stored(room), truths_of(room.corpus, room.runs))
    beside = f"{found.values} values in {room.runs} runs"
    yield Row("shown but missing, all runs", found.everything, "s", 0.5, 0.25, beside)
    yield Row("shown but missing, one run", found.alone * 1000, "ms", 50, 10)
    wrong = found.expected - found.found + found.extra
    yield Row("occurrences missed or too many", wrong, f"of {found.expected}", 0, 0)


def page_rows(room: Room) -> Iterator[Row]:
    """Each page in a browser: the first visit after the server's start, and the median of later ones."""
    stored(room)
    run = middle_run(room)
    with browsing() as browser, serving(room.place) as server:
        for name, (address, thing) in PAGES.items():
            visits = [visit_seconds(browser, server.url + address.format(run=run), thing) for _ in range(4)]
            yield Row(
                f"page {name}, {room.runs} runs", median(visits[1:]), "s", beside=f"first visit {visits[0]:.1f} s"
            )
        steps = [changed for changed, _ in steps_of(browser, server.url, run, rerun.run(room.store, run).turns - 3)]
        yield Row("turn step, key to changed page, p95", p95(steps), "ms", 20, 16, f"{len(steps)} steps")


def start_rows(room: Room) -> Iterator[Row]:
    """From nothing to the first turn."""
    stored(room)
    run = middle_run(room)
    with browsing() as browser:
        empty = room.place / "empty.py"
        empty.write_text("import streamlit as st\nst.write('ready')\n")
        alone, ours = [], []
        for _ in range(4):
            alone.append(start_seconds(browser, room, empty, "/", "[data-testid=stMarkdown]"))
            ours.append(start_seconds(browser, room, None, f"/replay?run={run}", ".replay[data-turn]"))
        beside = f"{median(ours[1:]):.1f} s, an empty app {median(alone[1:]):.1f} s"
        yield Row("second start to the first turn", median(ours[1:]) / median(alone[1:]), "x empty", 1.8, 1.15, beside)
        yield Row("new log of 50 MB to its first turn", first_turn_seconds(browser, room), "s", 5, 3)


def small_rows(room: Room) -> Iterator[Row]:
    """What needs no corpus."""
    for (name, (count, length)), gate, moonshot in zip(SIZES.items(), (0.15, 1, 1), (0.02, 0.6, 0.6), strict=True):
        collection = documents(count, length)
        took = min(cpu_seconds(lambda collection=collection: kept(collection, QUERY)) for _ in range(3))
        yield Row(f"BM25 after each of 300 turns, {name}", took, "CPU s", gate, moonshot)
    beside = f"a step of an empty loop takes {reference():.0f} ns"
    yield Row("a command, parsed and decided", 1e6 / typical(), "us CPU", 60, 25, beside)
    with filled_tab() as (workspace, folder):
        repeats = processes(workspace, folder)
    beside = f"python alone {median(repeats['python alone'].times):.0f} ms"
    yield Row("runningtab --help", median(repeats["--help"].times), "ms", 300, 100, beside)
    yield Row("a hook call", median(repeats["a hook"].times), "ms", 150, 100, beside)


PARTS: dict[str, Callable[[Room], Iterator[Row]]] = {
    "load": load_rows,
    "one": one_rows,
    "values": value_rows,
    "pages": page_rows,
    "start": start_rows,
    "small": small_rows,
}


def stored(room: Room) -> Path:
    """The store of all runs, loaded where it is not there yet."""
    if not room.store.exists():
        rerun.load([str(room.folders)], room.store)
    return room.store


def middle_run(room: Room) -> str:
    """A run of middling length."""
    rows = sorted(rerun.runs(room.store), key=lambda row: row.turns)
    return rows[len(rows) // 2].run_id


@contextmanager
def browsing() -> Iterator[Browser]:
    """A real browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=BROWSER_FLAGS)
        yield browser
        browser.close()


@contextmanager
def fresh_page(browser: Browser) -> Iterator[Page]:
    """A page that knows nothing of earlier ones."""
    context = browser.new_context(viewport={"width": 1280, "height": 1400})
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


def visit_seconds(browser: Browser, address: str, thing: str) -> float:
    """Until the page is drawn."""
    with fresh_page(browser) as page:
        start = time.perf_counter()
        page.goto(address)
        page.locator(thing).first.wait_for()
        page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
        took = time.perf_counter() - start
        faults = page.locator("[class*=st-key-fault-], [data-testid=stException]").all_inner_texts()
    if faults:
        sys.exit(f"{address} failed: {faults}")
    return took


def start_seconds(browser: Browser, room: Room, app: Path | None, address: str, thing: str) -> float:
    """From the server's start until the thing is on the page."""
    with fresh_page(browser) as page:
        start = time.perf_counter()
        with serving(room.place, *([app] if app else [])) as server:
            page.goto(server.url + address)
            page.locator(thing).first.wait_for()
            return time.perf_counter() - start


def first_turn_seconds(browser: Browser, room: Room) -> float:
    """From `runningtab open LOG` on a new store until its first turn is on the page."""
    with tempfile.TemporaryDirectory() as folder, fresh_page(browser) as page:
        [known] = rerun.load([str(room.one)], Path(folder, "known.duckdb"))
        port = free_port()
        command = [sys.executable, "-m", "tabcore", "open", str(room.one), "--no-browser", "--port", str(port)]
        start = time.perf_counter()
        process = subprocess.Popen(
            [*command, "--db", str(Path(folder, "new.duckdb"))], stdout=subprocess.PIPE, start_new_session=True
        )
        try:
            assert process.stdout is not None
            while b"http" not in process.stdout.readline():
                assert process.poll() is None
            page.goto(f"http://127.0.0.1:{port}/replay?run={known.runs[0]}")
            page.locator(".replay[data-turn]").wait_for()
            return time.perf_counter() - start
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()


def measure(room: Room, only: Sequence[str]) -> Iterator[Row]:
    """The rows, each printed as it comes."""
    room.make()
    print(f"{'what':48} {'measured':>18} {'gate':>6} {'moonshot':>8}  within", flush=True)
    for name in only or PARTS:
        for row in PARTS[name](room):
            print(row, flush=True)
            yield row


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--only", nargs="*", choices=PARTS, default=[])
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if chromium() is None:
        print("no chromium on PATH: install one to measure")
        return 2
    with tempfile.TemporaryDirectory() as made:
        rows = list(measure(Room(options.work or Path(made), options.runs), options.only))
    machine = {"load": os.getloadavg(), "cores": os.cpu_count()}
    print("load of the machine in the last 1, 5, 15 minutes: {:.1f}, {:.1f}, {:.1f}".format(*machine["load"]))
    if options.json:
        told = [{**asdict(row), "within": row.within} for row in rows]
        options.json.write_text(json.dumps({"runs": options.runs, "machine": machine, "rows": told}, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
