"""Costs over sizes ten times apart: `python tests/benchmarks/growth.py [--short]`.

For each size the processor's seconds and the number of function calls, and how many times more the ten times larger
one costs, divided by ten: 1.0 is linear, 10 quadratic, below 1 has a fixed part. Calls are the same on a busy machine;
seconds also see what happens within a call. The exit code is 1 where either is above `LINEAR`.
"""

from __future__ import annotations

import argparse
import cProfile
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from measure import cpu_seconds

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from made_log import TASK, made_log, one_turn_log, path_of
from missing import ALL

from tabcore import questions, rerun
from tabcore.presentation.replay_widget.payload import replay_payload
from tabcore.tab.ranking import Ranking
from tabcore.text.terms import terms

LINEAR = 1.5
"""How much more than in proportion a cost may grow; n log n over these sizes is 1.3."""

Prepared = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Growth:
    """What a size and the ten times larger one cost."""

    seconds: tuple[float, float]
    calls: tuple[int, int]

    @property
    def of_seconds(self) -> float:
        """Times more than in proportion, by the clock of the processor."""
        return self.seconds[1] / self.seconds[0] / 10

    @property
    def of_calls(self) -> float:
        """Times more than in proportion, by function calls."""
        return self.calls[1] / self.calls[0] / 10


def load_of(*logs: str) -> Callable[[Path], Prepared]:
    """Loads logs into a new store."""

    def prepare(room: Path) -> Prepared:
        _write(room, logs)
        return lambda: rerun.load([str(room / "logs")], _new_store(room))

    return prepare


def opening_of(log: str) -> Callable[[Path], Prepared]:
    """Opens the replay of a stored log."""

    def prepare(room: Path) -> Prepared:
        run = _stored(room, [log])[0]
        return lambda: replay_payload(rerun.replay(room / "runs.duckdb", run))

    return prepare


def missing_of(runs: int) -> Callable[[Path], Prepared]:
    """Asks for shown and missing values over so many runs."""

    def prepare(room: Path) -> Prepared:
        _stored(room, [made_log(20, 10, 5, name=f"made{n}") for n in range(runs)], rubrics=True)
        return lambda: questions.shown_but_missing(room / "runs.duckdb", None, ALL)

    return prepare


def ranking_of(candidates: int) -> Callable[[Path], Prepared]:
    """Ranks the candidates of a growing tab after each of 300 turns."""

    def prepare(_: Path) -> Prepared:
        each, query = candidates // 300, terms(TASK)
        documents = [terms(path_of(number)) for number in range(candidates)]

        def work() -> None:
            ranking = Ranking()
            for turn in range(300):
                for number in range(turn * each, (turn + 1) * each):
                    ranking.add(str(number), documents[number])
                ranking.best(query)

        return work

    return prepare


CASES: dict[str, tuple[int, int, Callable[[int], Callable[[Path], Prepared]]]] = {
    "load, turns": (300, 40, lambda n: load_of(made_log(n, 40, 20))),
    "load, calls of one turn": (300, 40, lambda n: load_of(one_turn_log(n))),
    "load, candidates": (1_000, 200, lambda n: load_of(made_log(60, n, 20))),
    "load, runs": (20, 2, lambda n: load_of(*(made_log(40, 40, 10, name=f"made{i}") for i in range(n)))),
    "open a replay, turns": (300, 40, lambda n: opening_of(made_log(n, 40, 20))),
    "shown and missing, runs": (20, 3, missing_of),
    "rank in 300 turns, candidates": (300, 300, ranking_of),
}
"""By what grows: the smaller size, the one of the short form, and what to do at a size."""


def growth(name: str, *, short: bool = False, rounds: int = 3) -> Growth:
    """How one cost grows; the best of some rounds."""
    usual, small, make = CASES[name]
    size = small if short else usual
    with _prepared(make(size)) as low, _prepared(make(size * 10)) as high:
        low(), high()  # what is made once in a process is made
        return Growth(
            (min(cpu_seconds(low) for _ in range(rounds)), min(cpu_seconds(high) for _ in range(rounds))),
            (_calls(low), _calls(high)),
        )


def _calls(work: Prepared) -> int:
    profile = cProfile.Profile()
    profile.runcall(work)
    return sum(entry.callcount for entry in profile.getstats())


@contextmanager
def _prepared(prepare: Callable[[Path], Prepared]) -> Iterator[Prepared]:
    with tempfile.TemporaryDirectory() as room:
        yield prepare(Path(room))


def _new_store(room: Path) -> Path:
    for old in room.glob("runs.duckdb*"):
        old.unlink()
    return room / "runs.duckdb"


def _stored(room: Path, logs: list[str], *, rubrics: bool = False) -> list[str]:
    _write(room, logs, rubrics=rubrics)
    return [run for loaded in rerun.load([str(room / "logs")], _new_store(room)) for run in loaded.runs]


def _write(room: Path, logs: tuple[str, ...] | list[str], *, rubrics: bool = False) -> None:
    for number, log in enumerate(logs):
        folder = room / "logs" / f"{number:05d}"
        folder.mkdir(parents=True)
        (folder / "session.jsonl").write_text(log)
        if rubrics:
            (folder / "run.toml").write_text(f'task_name = "{number}"\n')
            (folder / "rubrics.json").write_text('[{"id": "a", "text": "States the limit of 120 a night"}]')
            (folder / "deliverable").mkdir()
            (folder / "deliverable" / "guide.md").write_text("The limit is not known.")


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="smaller sizes")
    short = parser.parse_args().short
    print(f"{'what':30} {'sizes':>13} {'CPU s':>15} {'growth':>7} {'calls':>20} {'growth':>7}")
    worst = 0.0
    for name, (usual, small, _) in CASES.items():
        found, size = growth(name, short=short), small if short else usual
        worst = max(worst, found.of_seconds, found.of_calls)
        print(
            f"{name:30} {size:5} {size * 10:7} {found.seconds[0]:7.3f} {found.seconds[1]:7.3f} {found.of_seconds:7.2f} "
            f"{found.calls[0]:9,} {found.calls[1]:10,} {found.of_calls:7.2f}"
        )
    return 1 if worst > LINEAR else 0


if __name__ == "__main__":
    raise SystemExit(main())
