"""What each recorded run of others holds, as the readers and the tab have it: a row a log, for `golden/readers`.

    python tests/real_logs.py > tests/golden/readers/real_logs.tsv

takes the rows anew. Look at what changed: each number is a claim about a log.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from tabcore.errors import UnknownFormat
from tabcore.readers import identify
from tabcore.source import Source
from tabcore.tab.events import CaptureUndecided, Event, FileAuthored, FileListed, FileRead
from tabcore.tab.history import Historian
from tabcore.trajectory import Run, collect

REAL = Path(__file__).resolve().parents[2] / "shared" / "real"
GOLDEN = Path(__file__).parent / "golden" / "readers" / "real_logs.tsv"
COLUMNS = [
    *("log", "format", "runs", "turns", "calls", "results", "orphans"),
    *("reads", "files_read", "listings", "written", "unknown", "problems", "first", "last"),
]
"""`orphans` are results of no call of their run; `reads` entries of read logs; `files_read`, `listings` and `written`
files that were read, listed or written at least once, counted per run; `unknown` calls of which capture cannot tell;
`first` and `last` hashes of the texts of the log's first and last turn."""


def logs() -> list[Path]:
    """The logs of `REAL`: what its index names and a reader knows."""
    rows = (REAL / "INDEX.tsv").read_text().splitlines()[1:] if REAL.exists() else []
    named = [REAL / row.partition("\t")[0] for row in rows]
    return sorted(path for path in named if path.is_file() and _format(path))


def _format(path: Path) -> str:
    try:
        return identify(Source.of_path(path)).NAME
    except UnknownFormat:
        return ""


def row(path: Path) -> dict[str, str]:
    """What one log holds, by column."""
    source = Source.of_path(path)
    reader = identify(source)
    runs = collect(reader.read(source), digest=source.digest(), path=path.name)
    events = [list(_events(run)) for run in runs]
    turns = [turn for run in runs for turn in run.turns]
    problems = Counter(problem.kind for problem in runs[0].problems) if runs else {}
    counts = {
        "runs": len(runs),
        "turns": len(turns),
        "calls": sum(len(turn.calls) for turn in turns),
        "results": sum(len(turn.observations) for turn in turns),
        "orphans": sum(map(_orphans, runs)),
        "reads": sum(isinstance(event, FileRead) for told in events for event in told),
        "files_read": sum(len(_paths(told, FileRead)) for told in events),
        "listings": sum(len(_paths(told, FileListed)) for told in events),
        "written": sum(len(_paths(told, FileAuthored)) for told in events),
        "unknown": sum(isinstance(event, CaptureUndecided) for told in events for event in told),
    }
    return {
        "log": str(path.relative_to(REAL)),
        "format": reader.NAME,
        **{name: str(number) for name, number in counts.items()},
        "problems": ", ".join(f"{kind} {number}" for kind, number in sorted(problems.items())),
        "first": _hash(turns[0].text) if turns else "",
        "last": _hash(turns[-1].text) if turns else "",
    }


def _events(run: Run) -> Iterator[Event]:
    historian = Historian(run.header)
    for turn in run.turns:
        yield from historian.turn(turn).events
    yield from historian.end(run.after, run.turns[-1].number if run.turns else 0).events


def _paths(events: list[Event], kind: type[FileRead | FileListed | FileAuthored]) -> set[str]:
    return {event.path for event in events if isinstance(event, kind)}


def _orphans(run: Run) -> int:
    known = {call.call_id for turn in run.turns for call in turn.calls} | {""}
    return sum(shown.call_id not in known for turn in run.turns for shown in turn.observations)


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:12]


def golden() -> dict[str, dict[str, str]]:
    """The rows as they were taken, by log."""
    with GOLDEN.open(newline="") as file:
        return {taken["log"]: taken for taken in csv.DictReader(file, delimiter="\t")}


if __name__ == "__main__":
    table = csv.DictWriter(sys.stdout, COLUMNS, delimiter="\t", lineterminator="\n")
    table.writeheader()
    table.writerows(map(row, logs()))
