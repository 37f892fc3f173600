"""What commands print: lines, tables, JSON. Nothing of a log reaches a terminal as a control character."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence

from tabcore.text.printable import printable

NO_CELL = "–"
"""Where a table has nothing to say."""

NOT_RECORDED = "not recorded"
"""The suite, model or method of a run whose log and folder name none."""

_WIDEST = 60
"""Characters of the widest column."""


def counted(number: int, thing: str) -> str:
    """A number of things: "1 run", "2 runs"."""
    return f"{number} {thing}" + ("" if number == 1 else "s")


def print_table(rows: Sequence[Sequence[str]]) -> None:
    """Rows in columns; a long last column is cut, a long path loses its middle."""
    cells = [[_short(printable(cell, " ")) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        say("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _short(cell: str) -> str:
    line = " ".join(cell.split())
    return line if len(line) <= _WIDEST else f"{line[: _WIDEST // 2 - 1]}…{line[-_WIDEST // 2 :]}"


def print_json(value: object) -> None:
    """JSON in ASCII: whatever a log holds, a terminal gets no control characters."""
    say(json.dumps(value, indent=2))


def say(text: str) -> None:
    """Print at once; what the terminal's encoding lacks becomes a question mark."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding), flush=True)


def say_simulated(flags: Iterable[bool]) -> None:
    """Say that scripted runs are among those that were asked for, where they are."""
    if any(flags):
        say("Simulated runs are among these: their numbers are no finding.")


def named(*parts: str) -> str:
    """Suite, model, method in one word; what the record lacks is said."""
    return " · ".join(part or NOT_RECORDED for part in parts)
