"""A real chromium, a real server, a real store. Without a chromium on PATH these tests skip and say so,
unless RUNNINGTAB_REQUIRE_BROWSER is set."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright
from visits import Visit, visiting

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))

from dashboard_server import BROWSER_FLAGS, Server, chromium, serving  # noqa: E402
from made_log import made_log  # noqa: E402

from sample_runs import runs_folder  # noqa: E402
from tabcore import rerun  # noqa: E402

AXE = (".ci/node/node_modules/axe-core/axe.min.js", "node_modules/axe-core/axe.min.js")
PROJECT = TESTS.parent

expect.set_options(timeout=20_000)  # a busy machine may be slow; what never comes still fails


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here drives a browser."""
    reason = (
        "no chromium on PATH (chromium-headless-shell, chromium, google-chrome): install one to run the browser tests"
    )
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")
            if _is_variant(item) and not item.config.getoption("--long"):
                item.add_marker(pytest.mark.skip(reason="variant of a newer page: run it with --long"))
            if chromium() is None and not os.environ.get("RUNNINGTAB_REQUIRE_BROWSER"):
                item.add_marker(pytest.mark.skip(reason=reason))


NEWER = ("compare", "deliverable", "query", "recovery", "scores", "taxonomy")
"""Pages of which the dark theme and the second width are tested with --long only, so that CI stays short."""


def _is_variant(item: pytest.Item) -> bool:
    variant = item.name.partition("[")[2]
    return any(page in item.path.name for page in NEWER) and ("dark" in variant or "[800" in item.name)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests; each visit has a context of its own."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium(), args=BROWSER_FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """axe-core's script, as `npm install --prefix .ci/node axe-core` puts it there."""
    found = [PROJECT / name for name in AXE if (PROJECT / name).exists()]
    if not found and not os.environ.get("RUNNINGTAB_REQUIRE_BROWSER"):
        pytest.skip("axe-core is not installed: npm install --prefix .ci/node axe-core")
    return found[0].read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def made_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, str]]:
    """A dashboard whose store holds one run of 300 turns, 340 files and 40 reads; and the run's id."""
    folder = tmp_path_factory.mktemp("made")
    log = folder / "made.jsonl"
    log.write_text(made_log())
    with serving(folder / "served") as server:
        [loaded] = rerun.load([str(log)], server.store)
        yield server, loaded.runs[0]
    _has_no_traceback(server)


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A dashboard whose store holds the sample runs."""
    with serving(tmp_path_factory.mktemp("samples") / "served") as server:
        rerun.load([str(runs_folder())], server.store)
        yield server
    _has_no_traceback(server)


@pytest.fixture
def sample_visit(browser: Browser, request: pytest.FixtureRequest, samples: Server) -> Iterator[Visit]:
    """A visit to the sample runs; `parametrize` it indirectly with "light", "dark" or "still"."""
    yield from visiting(browser, samples.url, getattr(request, "param", "light"))


@pytest.fixture(scope="session")
def sample_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the sample runs, to be copied."""
    store = tmp_path_factory.mktemp("sample-store") / "runs.duckdb"
    rerun.load([str(runs_folder())], store)
    return store


@pytest.fixture(scope="session")
def lent_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A dashboard that tests have one after the other, each with a store of its own."""
    with serving(tmp_path_factory.mktemp("lent") / "served") as server:
        yield server


@pytest.fixture
def empty_server(lent_server: Server) -> Iterator[Server]:
    """A dashboard without any run, whose store a test may write."""
    yield from _lent(lent_server, None)


@pytest.fixture
def own_samples(lent_server: Server, sample_store: Path) -> Iterator[Server]:
    """A dashboard with the sample runs, whose store a test may write."""
    yield from _lent(lent_server, sample_store)


def _lent(server: Server, store: Path | None) -> Iterator[Server]:
    """The server with a copy of a store, or without any; nothing of the test before is left."""
    for left in server.store.parent.glob(f"{server.store.name}*"):
        left.unlink()
    shutil.rmtree(server.store.parent / "uploads", ignore_errors=True)
    if store:
        shutil.copy(store, server.store)
    said = len(server.log.read_text())
    yield server
    assert "Traceback" not in server.log.read_text()[said:]


@pytest.fixture
def visit(browser: Browser, request: pytest.FixtureRequest, made_run: tuple[Server, str]) -> Iterator[Visit]:
    """A visit to the made run's dashboard; `parametrize` it indirectly with "light", "dark" or "still"."""
    yield from visiting(browser, made_run[0].url, getattr(request, "param", "light"))


@pytest.fixture
def first_visit(browser: Browser, request: pytest.FixtureRequest, empty_server: Server) -> Iterator[Visit]:
    """A visit to the dashboard without runs; `parametrize` it indirectly with "light", "dark" or "still"."""
    yield from visiting(browser, empty_server.url, getattr(request, "param", "light"))


def _has_no_traceback(server: Server) -> None:
    assert "Traceback" not in server.log.read_text()
