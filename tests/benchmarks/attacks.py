"""What hostile logs, documents and requests attain: `python tests/benchmarks/attacks.py [--long] [--json FILE]`.

Each line is a law of the tests, with how many cases of it were tried and how many held. Needs a Chromium.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
FILES = ("browser/test_attacks.py", "test_hostile_exports.py", "test_hostile_requests.py", "test_hostile_documents.py")


@dataclass
class Law:
    """A test: cases tried, cases that did not hold, seconds."""

    cases: int = 0
    broken: int = 0
    seconds: float = 0.0


@dataclass(eq=False)
class Laws:
    """Collects what pytest reports, by the sentence that is a test's name."""

    found: dict[str, Law] = field(default_factory=lambda: defaultdict(Law))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = report.nodeid.split("::", 1)[1].partition("[")[0]
        law = " ".join(part.removeprefix("test_").removeprefix("Test").lower() for part in name.split("::"))
        if report.when == "call" or report.failed:
            one = self.found[law.replace("_", " ")]
            one.cases += int(dict(report.user_properties).get("cases", 1))
            one.broken += report.failed
            one.seconds += report.duration


def main(description: str | None, files: tuple[str, ...]) -> int:
    """Run the tests, print the table; the exit code is 1 where a law is broken."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true", help="the long form of each: minutes")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table as JSON too")
    options = parser.parse_args()
    laws = Laws()
    arguments = ["-o", "addopts=", "-p", "no:terminal", *(["--long"] if options.long else [])]
    code = pytest.main([*arguments, *(str(TESTS / name) for name in files)], plugins=[laws])
    for name, law in laws.found.items():
        print(f"{law.cases:5}  {'held' if not law.broken else f'{law.broken} BROKEN':9} {law.seconds:7.1f} s  {name}")
    cases, broken = (sum(getattr(law, what) for law in laws.found.values()) for what in ("cases", "broken"))
    print(f"{cases:5}  cases of {len(laws.found)} laws, {broken} broken")
    if options.json:
        table = {name: {"cases": law.cases, "broken": law.broken} for name, law in laws.found.items()}
        options.json.write_text(json.dumps(table, indent=1), "utf-8")
    return 1 if broken or code not in (0, 5) else 0


if __name__ == "__main__":
    sys.exit(main(__doc__, FILES))
