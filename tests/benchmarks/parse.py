"""How fast the readers are, against orjson on the same lines in the same run, and how much memory they take.

    python tests/benchmarks/parse.py LOG...

Prints for each log its size, the reader's MB per CPU second, its ratio to `orjson.loads` of every line (the best of
five alternating rounds), with and without the digest that a first load takes on the way, and the memory that a run of
the reader alone adds in a process of its own.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

import orjson

from tabcore.readers import identify
from tabcore.source import Source

ROUNDS = 5

_MEMORY = """
import re, sys
from collections import deque
from pathlib import Path
from tabcore.readers import identify
from tabcore.source import Source

def peak():
    return int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text()).group(1)) // 1024

source = Source.of_path(sys.argv[1])
reader = identify(source)
before = peak()
deque(reader.read(source), maxlen=0)
print(before, peak())
"""


def main() -> None:
    """Measure each log that is named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("logs", nargs="+")
    print(
        f"{'log':40} {'format':12} {'MB':>7} {'MB/s':>6} {'x orjson':>9} {'no digest':>10} {'peak MB':>8} {'added':>6}"
    )
    for path in parser.parse_args().logs:
        print(measured(path))


def measured(path: str) -> str:
    """One line of the table."""
    reader = identify(Source.of_path(path))
    size = Path(path).stat().st_size / 1e6
    known = Source.of_path(path)
    known.digest()
    first = again = orjson_alone = float("inf")
    for _ in range(ROUNDS):
        first = min(first, cpu_seconds(lambda: exhaust(reader.read(Source.of_path(path)))))
        again = min(again, cpu_seconds(lambda: exhaust(reader.read(known))))
        orjson_alone = min(orjson_alone, orjson_seconds(path))
    before, peak = memory(path)
    name = "/".join(Path(path).parts[-3:])
    return (
        f"{name[-40:]:40} {reader.NAME:12} {size:7.1f} {size / first:6.0f} {first / orjson_alone:9.2f} "
        f"{again / orjson_alone:10.2f} {peak:8} {peak - before:6}"
    )


def exhaust(pieces: object) -> None:
    """Takes every piece and keeps none."""
    deque(pieces, maxlen=0)  # type: ignore[call-overload]


def cpu_seconds(work: Callable[[], object]) -> float:
    """The processor time that `work` takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def orjson_seconds(path: str) -> float:
    """The processor time of `orjson.loads` over the lines, which are in memory already; odd lines are left out."""
    lines = [line for line in Path(path).read_bytes().split(b"\n") if is_json(line)]
    return cpu_seconds(lambda: exhaust(map(orjson.loads, lines)))


def is_json(line: bytes) -> bool:
    """True for a line that orjson takes."""
    try:
        orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    return True


def memory(path: str) -> tuple[int, int]:
    """Megabytes before and at the peak of reading, in a process of its own."""
    done = subprocess.run([sys.executable, "-c", _MEMORY, path], capture_output=True, text=True, check=True)
    before, peak = map(int, done.stdout.split())
    return before, peak


if __name__ == "__main__":
    main()
