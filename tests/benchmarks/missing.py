"""How fast and how exactly shown-but-missing is answered: `python tests/benchmarks/missing.py CORPUS WORK_FOLDER [--runs N]`.

CORPUS is a folder that the corpus generator wrote (pi/*.jsonl, truth/*.json). Each log becomes a run folder in
WORK_FOLDER, with a rubric for each expected value that the truth says is shown or delivered; all are loaded into a
store there, unless it has them already. Printed: the load, the question over all runs and over one, and whether the
turns that show each value are exactly those of the truth.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import cpu_seconds, median, seconds

from tabcore import rerun
from tabcore.analyses.shown_but_missing import ShownButMissing
from tabcore.questions import shown_but_missing
from tabcore.text.value_rules import Rule

ALL = Rule(digits=1, years=True, either_sign=True)
"""The generator writes costs in parentheses and takes them as positive."""

METHODS = ("dci", "running_tab")
"""What the runs are said to have been made by, in turn, so that pages that compare methods have something to do."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Seconds for the question over all runs and over one; the occurrences that the truth has, and what was found."""

    values: int
    everything: float
    alone: float
    expected: int
    found: int
    extra: int

    def __str__(self) -> str:
        return (
            f"{self.values} values over all runs: {self.everything:.3f} s; over one run: {self.alone:.3f} s\n"
            f"occurrences: {self.found} of {self.expected} found, {self.extra} extra"
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--runs", type=int, default=1000)
    options = parser.parse_args()
    store = options.work / "runs.duckdb"
    truths = truths_of(options.corpus, options.runs)
    for truth in truths:
        run_folder(options.corpus, truth, options.work / "runs")
    spent = cpu_seconds(lambda: rerun.load([str(options.work / "runs")], store))
    print(f"{len(truths)} runs loaded in {spent:.1f} CPU s, store {store.stat().st_size / 1e6:.0f} MB")
    print(asked(store, truths))


def truths_of(corpus: Path, runs: int) -> list[Path]:
    """What the generator knows of the first runs."""
    return sorted((corpus / "truth").glob("*.json"))[:runs]


def asked(store: Path, truths: Sequence[Path]) -> Asked:
    """The question over all runs and over one, and its answer against the truth."""
    answer = shown_but_missing(store, None, ALL)
    first = answer.values[0].run.run_id
    everything = median([seconds(lambda: shown_but_missing(store, None, ALL)) for _ in range(5)])
    alone = median([seconds(lambda: shown_but_missing(store, [first], ALL)) for _ in range(5)])
    return Asked(len(answer.values), everything, alone, *compare(answer, dict(expected(truths)), _folders(store)))


def run_folder(corpus: Path, truth: Path, into: Path) -> Path:
    """A run folder with the log, a rubric for each expected value that was shown or delivered, and its verdict."""
    folder = into / truth.stem
    if not folder.exists():
        folder.mkdir(parents=True)
        _link(corpus / "pi" / f"{truth.stem}.jsonl", folder / "session.jsonl")
        known: dict[str, Any] = json.loads(truth.read_text("utf-8"))
        told = [one for one in known["expected"] if one["observed"] or one["delivered"]]
        rubrics = [{"id": one["id"], "text": f"states {one['value']}"} for one in told]
        verdicts = [{"rubric": one["id"], "passed": one["delivered"]} for one in told]
        (folder / "rubrics.json").write_text(json.dumps(rubrics), "utf-8")
        (folder / "verdicts.json").write_text(json.dumps(verdicts), "utf-8")
        nth, method = divmod(known["run"], len(METHODS))
        lines = (f'task_name = "task {known["task"]}"', f'method = "{METHODS[method]}"', 'model = "generated"')
        about = "\n".join((*lines, f"attempt = {nth + 1}", "simulated = true", 'log = "session.jsonl"\n'))
        (folder / "run.toml").write_text(about, "utf-8")
    return folder


def _link(log: Path, place: Path) -> None:
    try:
        place.hardlink_to(log)
    except OSError:  # another file system
        shutil.copy(log, place)


def expected(truths: Sequence[Path]) -> Iterator[tuple[tuple[str, str], set[int]]]:
    """By run and value, the turns that show it, from 1."""
    for truth in truths:
        told: dict[str, Any] = json.loads(truth.read_text("utf-8"))
        for one in told["expected"]:
            yield (truth.stem, one["id"]), {turn + 1 for turn in one["observed"]}


def _folders(store: Path) -> dict[str, str]:
    """By run id, the run folder's name, by which the truth goes too."""
    return {row.run_id: Path(row.path).parent.name for row in rerun.runs(store)}


def compare(
    answer: ShownButMissing, truth: dict[tuple[str, str], set[int]], folders: dict[str, str]
) -> tuple[int, int, int]:
    """The occurrences (value, turn) that the truth has, those of them that were found, and what was found beside."""
    found: dict[tuple[str, str], set[int]] = defaultdict(set)
    for value in answer.values:
        found[folders[value.run.run_id], value.rubric.rubric_id] |= {
            place.turn for place in (*value.shown, *value.late)
        }
    agreed = sum(len(turns & found[key]) for key, turns in truth.items())
    extra = sum(len(turns - truth.get(key, set())) for key, turns in found.items())
    return sum(map(len, truth.values())), agreed, extra


if __name__ == "__main__":
    main()
