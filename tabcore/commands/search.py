"""`runningtab search WORDS`: where words stand in all runs."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict

from tabcore.commands.printing import print_json, print_table, say

Command = Callable[[str, str, Callable[[argparse.Namespace], int]], argparse.ArgumentParser]


def add_search(command: Command) -> None:
    """The command; `command` makes one of a name, a help and a function."""
    asked = command("search", "find words in tasks, results, deliverables and tabs of all runs", _search)
    asked.add_argument("words", metavar="WORDS", help='all must stand in one text; "several words" are one')
    asked.add_argument("--run", action="append", metavar="RUN", help="only in this run; may be given again")
    asked.add_argument("--top", type=int, default=40, metavar="N", help="print so many at most (40)")
    asked.add_argument("--json", action="store_true", help="print JSON for other programs")


def _search(options: argparse.Namespace) -> int:
    from tabcore.searching import search

    found = search(options.db, options.words, options.run, options.top)
    if options.json:
        print_json({"total": found.total, "hits": [asdict(hit) for hit in found.hits]})
        return 0
    if found.hits:
        rows = [
            (hit.run_id, f"turn {hit.turn}", hit.kind, f"{hit.before[-25:]}{hit.found}{hit.after[:40]}")
            for hit in found.hits
        ]
        print_table([("run", "at", "where", "what"), *rows])
    say(f"{found.total:,} places" + (f", {len(found.hits)} of them shown" if found.total > len(found.hits) else ""))
    return 0
