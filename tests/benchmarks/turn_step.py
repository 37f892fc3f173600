"""How long a turn step takes in a real browser: `python tests/benchmarks/turn_step.py [--turns 300] [--steps 240]`.

A made run is loaded, the replay opened, and → pressed again and again. Printed: from the key event to the changed
document, and to the next painted frame, in milliseconds. The bound to hold is 20 ms for the document, 95 of 100 times.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from dashboard_server import BROWSER_FLAGS, chromium, serving
from made_log import made_log
from measure import median, p95

from tabcore import rerun

NOTE_KEYS = "window.addEventListener('keydown', (event) => { window.pressed = event.timeStamp; }, true);"
"""Runs before the page's own scripts, so that it hears a key first."""

WATCH = """() => {
  const roots = [...document.querySelectorAll('*')].map((node) => node.shadowRoot).filter(Boolean);
  const replay = roots.map((root) => root.querySelector('.replay')).find(Boolean);
  window.steps = [];
  new MutationObserver(() => {
    const changed = performance.now() - window.pressed;
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => window.steps.push([changed, performance.now() - window.pressed]);
      channel.port2.postMessage(0);
    });
  }).observe(replay, { attributes: true, attributeFilter: ['data-turn'] });
}"""


def main() -> int:
    """Measure and print; 1 when the bound does not hold."""
    options = _options()
    executable = chromium()
    if executable is None:
        print("no chromium on PATH: install one to measure")
        return 2
    with tempfile.TemporaryDirectory() as name, serving(Path(name)) as server, sync_playwright() as playwright:
        log = Path(name) / "made.jsonl"
        log.write_text(made_log(options.turns, options.candidates + options.reads, options.reads))
        [loaded] = rerun.load([str(log)], server.store)
        browser = playwright.chromium.launch(executable_path=executable, args=BROWSER_FLAGS)
        steps = steps_of(browser, server.url, loaded.runs[0], options.steps)
    return _report(steps, options)


def steps_of(browser: Browser, url: str, run: str, count: int) -> list[tuple[float, float]]:
    """Milliseconds from the key to the changed document and to the painted frame, for so many steps of a run's replay."""
    page = browser.new_page()
    page.add_init_script(NOTE_KEYS)
    page.goto(f"{url}/replay?run={run}&turn=2")
    page.locator(".replay[data-turn='2']").wait_for()
    page.wait_for_timeout(1_500)
    page.evaluate(WATCH)
    for number in range(count):
        page.keyboard.press("ArrowRight")
        page.wait_for_function("count => window.steps.length >= count", arg=number + 1)
    steps = [(changed, painted) for changed, painted in page.evaluate("() => window.steps")]
    page.close()
    return steps


def _report(steps: list[tuple[float, float]], options: argparse.Namespace) -> int:
    print(f"{options.turns} turns, {options.candidates} candidates, {options.reads} reads; {len(steps)} steps")
    worst = 0.0
    for name, values in (("document changed", [s[0] for s in steps]), ("frame painted", [s[1] for s in steps])):
        worst = worst or p95(values)
        print(f"{name:>18}: p50 {median(values):6.1f} ms   p95 {p95(values):6.1f} ms   max {max(values):6.1f} ms")
    return 0 if worst < 20 else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=300)
    parser.add_argument("--candidates", type=int, default=300)
    parser.add_argument("--reads", type=int, default=40)
    parser.add_argument("--steps", type=int, default=240)
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
