"""How fast logs load: MB/s, CPU seconds, peak memory, size of the store, and all against orjson on the same lines.

    python tests/benchmarks/load.py LOG_OR_FOLDER… [--workers 2] [--core] [--no-redact] [--profile] [--store FILE] [--json]

Everything is measured in one run, since the speed of a shared machine drifts: orjson first, then the load into a new
store, then the same load again with nothing to do. `--core` leaves capture out: parse and store alone. `--no-redact`
leaves out the search for keys and tokens. `--store` keeps the store there.
Goals: core at most 6 times orjson's CPU seconds; with capture 30 MB per CPU second; again at most 0.5 s for 1,000 logs.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson
from measure import cpu_seconds, family_memory, median, peak, seconds

from tabcore import rerun
from tabcore.discovery import discover
from tabcore.ingest import load
from tabcore.lean import keep_small
from tabcore.store.store import Store


@dataclass(frozen=True, slots=True)
class Loading:
    """Sizes in megabytes, times in seconds."""

    runs: int
    megabytes: float
    orjson_cpu: float
    took: float
    cpu: float
    peak: float
    peak_with_workers: float
    stored: float
    again: float
    again_cpu: float
    opened: dict[str, float]

    @property
    def times_orjson(self) -> float:
        """How many times the processor seconds of orjson on the same lines."""
        return self.cpu / self.orjson_cpu

    def __str__(self) -> str:
        opened = ", ".join(f"{name} {took * 1000:.0f} ms" for name, took in self.opened.items())
        return (
            f"{self.runs} runs, {self.megabytes:.1f} MB\n"
            f"orjson on the same lines: {self.orjson_cpu:.2f} CPU s ({self.megabytes / self.orjson_cpu:.0f} MB/s)\n"
            f"loaded in {self.took:.2f} s ({self.megabytes / self.took:.1f} MB/s)\n"
            f"CPU {self.cpu:.2f} s ({self.megabytes / self.cpu:.1f} MB per CPU second), {self.times_orjson:.1f} times orjson\n"
            f"peak memory {self.peak:.0f} MB here, {self.peak_with_workers:.0f} MB with its other processes\n"
            f"store {self.stored:.1f} MB ({self.stored / self.megabytes:.2f} of the logs)\n"
            f"again, nothing changed: {self.again:.2f} s, {self.again_cpu:.2f} CPU s\n"
            f"medians: {opened}"
        )


def main() -> None:
    """Measure and print."""
    options = _options()
    keep_small()
    if options.core:
        _leave_capture_out()
    profile = cProfile.Profile()
    with tempfile.TemporaryDirectory() as folder:
        store = options.store or Path(folder, "runs.duckdb")
        if options.profile:
            profile.enable()
        done = measured(options.paths, store, options.workers, look_for_secrets=not options.no_redact)
        profile.disable()
    print(json.dumps(asdict(done)) if options.json else done)
    if options.profile:
        pstats.Stats(profile).sort_stats("tottime").print_stats(40)


def measured(paths: Sequence[str], db: Path, workers: int = 2, *, look_for_secrets: bool = True) -> Loading:
    """The figures of one load into a new store, in this process and its workers."""
    logs = _logs(paths)
    size = sum(log.stat().st_size for log in logs) / 1e6
    parse = cpu_seconds(lambda: [_parse(log) for log in logs])
    store, told = Store(db), {}
    with family_memory() as together:

        def work() -> None:
            told["cpu"] = cpu_seconds(lambda: load(paths, store, workers=workers, look_for_secrets=look_for_secrets))

        took = seconds(work)
    highest = peak()

    def anew() -> None:
        told["again"] = cpu_seconds(lambda: load(paths, store, workers=workers, look_for_secrets=look_for_secrets))

    again = seconds(anew)
    stored, runs = db.stat().st_size / 1e6, len(rerun.runs(db))
    return Loading(
        runs, size, parse, took, told["cpu"], highest, max(together), stored, again, told["again"], _open_runs(db)
    )


def _logs(paths: Sequence[str]) -> list[Path]:
    """The logs under the paths; of a run folder those in it."""
    places = [Path(place) for place in discover(paths).places]
    return [log for place in places for log in ([place] if place.is_file() else sorted(place.glob("*.jsonl")))]


def _open_runs(db: Path) -> dict[str, float]:
    """How long what a replay opens with takes, over some runs."""
    rows = rerun.runs(db)
    rows = rows[:: max(1, len(rows) // 10)][:10]
    return {
        "replay": median([seconds(lambda run=run: rerun.replay(db, run.run_id)) for run in rows]),
        "turn": median([seconds(lambda run=run: rerun.turn_body(db, run.run_id, max(1, run.turns // 2))) for run in rows]),
    }  # fmt: skip


def _parse(log: Path) -> None:
    with log.open("rb") as lines:
        for line in lines:
            try:
                orjson.loads(line)
            except orjson.JSONDecodeError:
                continue


def _leave_capture_out() -> None:
    from tabcore.capture import Captured
    from tabcore.tab import keeper

    keeper.capture = lambda *_: Captured()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", metavar="PATH")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--core", action="store_true", help="without capture; implies one process")
    parser.add_argument("--no-redact", action="store_true")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--store", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    options.workers = 1 if options.core or options.profile else options.workers
    return options


if __name__ == "__main__":
    main()
