"""`runningtab report`: the figures as one HTML file."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from tabcore.commands.printing import say
from tabcore.errors import UsageError
from tabcore.text.printable import printable

Command = Callable[[str, str, Callable[[argparse.Namespace], int]], argparse.ArgumentParser]

_PARTS = ("missing", "scores", "taxonomy", "agreement", "recovery", "examples")


def add_report(command: Command) -> None:
    """The command; `command` makes one of a name, a help and a function."""
    written = command("report", "write figures, tables and examples as one HTML file that needs nothing else", _report)
    written.add_argument("runs", nargs="*", metavar="RUN", help="ids of runs, or their beginnings (default: all)")
    for name in ("method", "model", "suite"):
        written.add_argument(f"--{name}", help=f"only runs of this {name}")
    written.add_argument("-o", "--out", required=True, metavar="FILE", help="the file to write")
    written.add_argument("--part", action="append", choices=_PARTS, help="only this part; may be repeated (all)")
    written.add_argument("--annotator", default="", metavar="NAME", help="whose labels count (default: the rules')")
    written.add_argument("--title", default="What was seen and left out", help="its heading")


def _report(options: argparse.Namespace) -> int:
    from tabcore.commands.analyze import chosen_runs
    from tabcore.presentation.report import PARTS, Chosen, report

    parts = tuple(part for part in PARTS if part in (options.part or PARTS))
    chosen = Chosen(chosen_runs(options), parts, options.annotator, options.title)
    text = report(options.db, chosen)
    try:
        Path(options.out).write_text(text, "utf-8", "replace")
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise UsageError(options.out, f"it cannot be written ({reason})", "Name a file in a folder of yours") from fault
    say(printable(f"written: {options.out}, {len(text.encode('utf-8', 'replace')) / 1000:,.0f} kB", " "))
    return 0
