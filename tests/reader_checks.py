"""What the tests of the readers share: a log's runs, counts of them, and logs with bytes changed at random."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from pathlib import Path

from hypothesis import strategies as st

from tabcore.errors import Problem
from tabcore.readers.base import Reader
from tabcore.source import Source
from tabcore.trajectory import Run, collect

REAL = Path(__file__).resolve().parents[2] / "shared" / "real"
GOLDEN = Path(__file__).parent / "golden" / "readers"
ABSENT = "the folder of real logs is not here"


def runs_of(reader: Reader, source: Source) -> tuple[Run, ...]:
    """The runs of a log."""
    return collect(reader.read(source), digest="0" * 64, path=source.path)


def runs_in(reader: Reader, text: str | bytes, name: str = "log") -> tuple[Run, ...]:
    """The runs of a log that stands in a text."""
    return runs_of(reader, Source.of_bytes(name, text if isinstance(text, bytes) else text.encode()))


def kinds(run: Run) -> dict[str, int]:
    """How many problems of each kind a log has."""
    return dict(sorted(Counter(problem.kind for problem in run.problems).items()))


def counted(runs: tuple[Run, ...]) -> dict[str, object]:
    """What a golden file holds of one log."""
    turns = [turn for run in runs for turn in run.turns]
    hashes = [sha256(turn.text.encode()).hexdigest()[:12] for turn in (turns[:1] + turns[-1:])]
    problems: tuple[Problem, ...] = runs[0].problems if runs else ()
    return {
        "runs": len(runs),
        "turns": len(turns),
        "calls": sum(len(turn.calls) for turn in turns),
        "results": sum(len(turn.observations) for turn in turns),
        "prompts": sum(
            message.origin == "person" and message.kind == "prompt"
            for run in runs
            for message in [*(m for turn in run.turns for m in turn.before), *run.after]
        ),
        "abandoned": sum(len(run.abandoned) for run in runs),
        "problems": dict(sorted(Counter(problem.kind for problem in problems).items())),
        "first": hashes[0] if hashes else None,
        "last": hashes[-1] if hashes else None,
    }


def golden(name: str) -> dict[str, dict[str, object]]:
    """The counts of the real logs of one format, by file."""
    files: dict[str, dict[str, object]] = json.loads((GOLDEN / f"{name}.json").read_text())["files"]
    return files


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """`data` cut, with bytes changed, or with a part of it twice."""
    place, other = sorted(draw(st.tuples(st.integers(0, len(data)), st.integers(0, len(data)))))
    match draw(st.integers(0, 3)):
        case 0:
            return data[:place]
        case 1:
            return data[:place] + draw(st.binary(min_size=1, max_size=8)) + data[place + 1 :]
        case 2:
            return data[:place] + data[other:]
        case _:
            return data[:other] + data[place:]
