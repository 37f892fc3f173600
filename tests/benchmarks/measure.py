"""What the benchmarks measure with: processor time, memory, medians."""

from __future__ import annotations

import os
import re
import resource
import statistics
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path


def cpu() -> float:
    """Seconds of the processor that this process and those it waited for have had."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def cpu_seconds(work: Callable[[], object]) -> float:
    """The processor's seconds that `work` takes, with those of processes that it waits for."""
    before = cpu()
    work()
    return cpu() - before


def seconds(work: Callable[[], object]) -> float:
    """How long `work` takes by the clock."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def median(values: Sequence[float]) -> float:
    """The middle value; of none, not a number."""
    return statistics.median(values) if values else float("nan")


def p95(values: Sequence[float]) -> float:
    """What 95 of 100 values do not exceed; of none, not a number."""
    return statistics.quantiles(values, n=20)[-1] if len(values) > 1 else (values[0] if values else float("nan"))


def resident(pid: int | str = "self") -> float:
    """Megabytes that a process has in memory now."""
    return _status(pid, "VmRSS")


def peak(pid: int | str = "self") -> float:
    """Megabytes that a process had in memory at the most. ru_maxrss would count its parent's too, from before the start."""
    return _status(pid, "VmHWM")


@contextmanager
def family_memory(every: float = 0.1) -> Iterator[list[float]]:
    """Megabytes of this process and all that it started, again and again; what they share counts more than once."""
    seen, ended = [resident()], threading.Event()

    def look() -> None:
        while not ended.wait(every):
            seen.append(sum(map(_resident_or_gone, _family(os.getpid()))))

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        ended.set()
        thread.join()


def _family(pid: int) -> Iterator[int]:
    yield pid
    with suppress(FileNotFoundError, ProcessLookupError):
        for told in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in told.read_text().split():
                yield from _family(int(child))


def _resident_or_gone(pid: int) -> float:
    with suppress(FileNotFoundError, ProcessLookupError):
        return resident(pid)
    return 0.0


def _status(pid: int | str, name: str) -> float:
    found = re.search(rf"{name}:\s*(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0
