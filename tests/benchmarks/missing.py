"""How fast and how exactly shown-but-missing is answered: `python tests/benchmarks/missing.py CORPUS WORK_FOLDER [--runs N]`.

CORPUS is a folder that the corpus generator wrote (pi/*.jsonl, truth/*.json). Each log becomes a run folder in
WORK_FOLDER, with a rubric for each expected value that the truth says is shown or delivered; all are loaded into a store there, unless it has them
already. Printed: the load, the size of the store, the question over all runs and over one, and whether the turns that
show each value are exactly those of the truth.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tabcore import rerun
from tabcore.analyses.shown_but_missing import ShownButMissing
from tabcore.questions import shown_but_missing
from tabcore.text.value_rules import Rule

ALL = Rule(digits=1, years=True, either_sign=True)
"""The generator writes costs in parentheses and takes them as positive."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--runs", type=int, default=1000)
    options = parser.parse_args()
    truths = sorted((options.corpus / "truth").glob("*.json"))[: options.runs]
    store = options.work / "runs.duckdb"
    folders = [run_folder(options.corpus, truth, options.work / "runs") for truth in truths]
    size = sum((folder / "session.jsonl").stat().st_size for folder in folders)
    start, spent = time.perf_counter(), os.times()
    rerun.load([str(options.work / "runs")], store)
    now = os.times()
    cpu = sum(now[:4]) - sum(spent[:4])
    print(f"{len(folders)} runs, {size / 1e6:.0f} MB loaded in {time.perf_counter() - start:.1f} s, {cpu:.1f} CPU s")
    print(f"store {store.stat().st_size / 1e6:.0f} MB")
    everything, answer = timed(lambda: shown_but_missing(store, None, ALL))
    print(f"{len(answer.values)} values over all runs: {everything:.3f} s")
    [first, *_] = answer.values
    alone, _ = timed(lambda: shown_but_missing(store, [first.run.run_id], ALL))
    print(f"over one run: {alone:.3f} s")
    compare(answer, dict(expected(truths)))


def run_folder(corpus: Path, truth: Path, into: Path) -> Path:
    """A run folder with the log and a rubric for each expected value."""
    folder = into / truth.stem
    if not folder.exists():
        folder.mkdir(parents=True)
        os.link(corpus / "pi" / f"{truth.stem}.jsonl", folder / "session.jsonl")
        told = [one for one in json.loads(truth.read_text("utf-8"))["expected"] if one["observed"] or one["delivered"]]
        rubrics = [{"id": one["id"], "text": f"states {one['value']}"} for one in told]
        (folder / "rubrics.json").write_text(json.dumps(rubrics), "utf-8")
        (folder / "run.toml").write_text(f'task_name = "{truth.stem}"\nlog = "session.jsonl"\n', "utf-8")
    return folder


def expected(truths: list[Path]) -> Iterator[tuple[tuple[str, str], set[int]]]:
    """By run and value, the turns that show it, from 1."""
    for truth in truths:
        told: dict[str, Any] = json.loads(truth.read_text("utf-8"))
        for one in told["expected"]:
            yield (truth.stem, one["id"]), {turn + 1 for turn in one["observed"]}


def compare(answer: ShownButMissing, truth: dict[tuple[str, str], set[int]]) -> None:
    """Print how many occurrences (value, turn) agree."""
    found: dict[tuple[str, str], set[int]] = defaultdict(set)
    for value in answer.values:
        found[value.run.name, value.rubric.rubric_id] |= {place.turn for place in (*value.shown, *value.late)}
    agreed = sum(len(turns & found[key]) for key, turns in truth.items())
    extra = sum(len(turns - truth.get(key, set())) for key, turns in found.items())
    print(f"occurrences: {agreed} of {sum(map(len, truth.values()))} found, {extra} extra")


def timed(work: Any) -> tuple[float, Any]:
    """The median of five, and the answer."""
    times: list[float] = []
    for _ in range(5):
        start = time.perf_counter()
        answer = work()
        times.append(time.perf_counter() - start)
    return statistics.median(times), answer


if __name__ == "__main__":
    main()
