"""How fast logs load: MB/s, CPU seconds, peak memory, size of the store, and all against orjson on the same lines.

    python tests/benchmarks/load.py LOG_OR_FOLDER… [--workers 2] [--no-redact] [--profile]

Everything is measured in one run, since the speed of a shared machine drifts: orjson first, then the load into a new
store, then the same load again with nothing to do. `--core` leaves capture out: parse and store alone. `--no-redact` leaves out the search for keys and tokens.
Goals: core at most 6 times orjson's CPU seconds; with capture 30 MB per CPU second; again at most 0.5 s for 1,000 logs.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import resource
import tempfile
import time
from pathlib import Path

import orjson

from tabcore import rerun
from tabcore.discovery import discover
from tabcore.ingest import load
from tabcore.lean import keep_small
from tabcore.store.store import Store


def main() -> None:
    """Measure and print."""
    options = _options()
    keep_small()
    files = discover(options.paths).places
    size = sum(state.size for state in files.values())
    print(f"{len(files)} files, {size / 1e6:.1f} MB")
    if options.core:
        _leave_capture_out()
    parse = _cpu()
    for path in files:
        _parse(path)
    parse = _cpu() - parse
    print(f"orjson on the same lines: {parse:.2f} CPU s ({size / 1e6 / parse:.0f} MB/s)")
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder, "runs.duckdb"))
        profile = cProfile.Profile()
        if options.profile:
            profile.enable()
        started, cpu = time.perf_counter(), _cpu()
        loaded = load(options.paths, store, workers=options.workers, look_for_secrets=not options.no_redact)
        took, cpu = time.perf_counter() - started, _cpu() - cpu
        profile.disable()
        _report(size, took, cpu, parse, store.path.stat().st_size, sum(len(item.runs) for item in loaded))
        started, cpu = time.perf_counter(), _cpu()
        load(options.paths, store, workers=options.workers)
        print(f"again, nothing changed: {time.perf_counter() - started:.2f} s, {_cpu() - cpu:.2f} CPU s")
        _open_runs(store.path)
    if options.profile:
        pstats.Stats(profile).sort_stats("tottime").print_stats(40)


def _report(size: int, took: float, cpu: float, parse: float, stored: int, runs: int) -> None:
    megabytes = size / 1e6
    own, children = (
        resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    print(f"loaded {runs} runs in {took:.2f} s ({megabytes / took:.1f} MB/s)")
    print(f"CPU {cpu:.2f} s ({megabytes / cpu:.1f} MB per CPU second), {cpu / parse:.1f} times orjson")
    print(f"peak memory {own:.0f} MB here, {children:.0f} MB in the largest child")
    print(f"store {stored / 1e6:.1f} MB ({stored / size:.2f} of the logs)")


def _open_runs(db: Path) -> None:
    times = {"replay": [], "turn body": [], "all texts": []}
    for run in rerun.runs(db)[:: max(1, len(rerun.runs(db)) // 10)][:10]:
        times["replay"].append(_timed(lambda run=run: rerun.replay(db, run.run_id)))
        times["turn body"].append(_timed(lambda run=run: rerun.turn_body(db, run.run_id, max(1, run.turns // 2))))
    for name, seconds in times.items():
        if seconds:
            print(
                f"{name}: median {sorted(seconds)[len(seconds) // 2] * 1000:.0f} ms, worst {max(seconds) * 1000:.0f} ms"
            )


def _timed(action) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def _parse(path: str) -> None:
    with Path(path).open("rb") as lines:
        for line in lines:
            try:
                orjson.loads(line)
            except orjson.JSONDecodeError:
                continue


def _leave_capture_out() -> None:
    from tabcore.capture import Captured
    from tabcore.tab import keeper

    keeper.capture = lambda *_: Captured()


def _cpu() -> float:
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in usage)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", metavar="PATH")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--core", action="store_true", help="without capture; implies one process")
    parser.add_argument("--no-redact", action="store_true")
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    options.workers = 1 if options.core or options.profile else options.workers
    return options


if __name__ == "__main__":
    main()
