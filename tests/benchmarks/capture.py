"""How fast capture is: `python tests/benchmarks/capture.py [--sizes] [--gate]`.

Typical commands with their observations (the gold cases of a shell), in commands a second of one core's time, parsed
afresh each time; the steps of an empty loop that one costs, which depend less on the machine's load; with --gate the exit code
tells whether 5,000 a second are reached on a core that makes a step in 30 ns. Then the cost over growing commands and observations, which should grow no faster than they do.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2])]

from score_capture import load_cases  # noqa: E402

from tabcore.capture import Workspace, capture  # noqa: E402
from tabcore.capture.shell import forget  # noqa: E402
from tabcore.trajectory import Observation, ToolCall  # noqa: E402

GOLD = Path(__file__).resolve().parents[1] / "golden" / "capture_cases.jsonl"
ROUNDS = 7
GATE = 5_000
GATE_STEP = 30


def seconds(work: Callable[[], None]) -> float:
    """The median of this process's time over some rounds."""
    times: list[float] = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return statistics.median(times)


def reference() -> float:
    """Nanoseconds for one step of a loop that adds: tells a busy machine from an idle one."""

    def work() -> None:
        total = 0
        for number in range(300_000):
            total += number

    return seconds(work) / 300_000 * 1e9


def typical(family: str = "") -> float:
    """Commands a second over the shell cases, or over those of one family."""
    cases = [
        case for case in load_cases(GOLD) if case["tool"] in ("bash", "Bash") and case["family"].startswith(family)
    ]
    calls = [
        (
            ToolCall("1", "bash", case["arguments"]),
            Observation("1", case["observation"], case["is_error"]),
            case["cwd_before"],
        )
        for case in cases
    ]

    def work() -> None:
        forget()
        workspace = Workspace("/workspace", "/workspace")
        for call, observation, cwd in calls:
            workspace.cwd = cwd
            capture(call, observation, workspace)

    return len(calls) / seconds(work)


def one(command: str, text: str) -> float:
    """Milliseconds for one command."""
    call, observation = ToolCall("1", "bash", {"command": command}), Observation("1", text)

    def work() -> None:
        forget()
        capture(call, observation, Workspace("/w", "/w"))

    return seconds(work) * 1000


GROWING: dict[str, Callable[[int], tuple[str, str]]] = {
    "cat, lines of content": lambda n: ("cat a.txt", "a line of some content, number 7\n" * n),
    "find, paths": lambda n: ("find . -type f", "".join(f"./dir/file_{i}.txt\n" for i in range(n))),
    "ls -la, entries": lambda n: ("ls -la", "".join(f"-rw-r--r-- 1 u u 5 Jan  1  2024 f{i}.txt\n" for i in range(n))),
    "grep -rn, matches": lambda n: ("grep -rn x .", "".join(f"./d/f{i % 50}.txt:{i}:x\n" for i in range(n))),
    "echo; cat; ls, lines": lambda n: (
        "echo ==; cat a.txt; echo --; ls d",
        "==\n" + "some text here\n" * n + "--\nb.md\n",
    ),
    "cat; heredoc, lines": lambda n: ("cat > x <<'E'\n" + "text of a script\n" * n + "E\ncat x", "text\n"),
    "loop, headings": lambda n: (
        'for f in d/*; do echo "== $f"; cat $f; done',
        "".join(f"== d/f{i}.txt\n" + "a line\n" * 9 for i in range(n // 10)),
    ),
    "commands in a row": lambda n: ("; ".join(f"head -1 f{i}.txt" for i in range(n // 100)), "x\n" * (n // 100)),
}


def main(arguments: list[str]) -> None:
    """Prints the figures."""
    before = reference()
    rate = typical()
    step = (before + reference()) / 2
    steps = 1e9 / rate / step
    print(f"{step:8.0f} ns for a step of an empty loop: what this machine's core does now")
    print(f"{rate:8.0f} typical commands a second, parse and observation ({1e6 / rate:.0f} us each, {steps:.0f} steps)")
    print(f"{1e9 / steps / GATE_STEP:8.0f} a second where a step takes {GATE_STEP} ns (gate: {GATE})")
    if "--gate" in arguments:
        sys.exit(1e9 / steps / GATE_STEP < GATE)
    for family in (
        "cat_simple",
        "grep_content",
        "ls_list",
        "find_list",
        "compound",
        "loops",
        "python_read",
        "wrappers",
    ):
        print(f"{typical(family):8.0f} {family}")
    if "--sizes" not in arguments:
        return
    for name, make in GROWING.items():
        costs = [one(*make(n)) for n in (1_000, 4_000, 16_000, 160_000)]
        print(
            f"{name:24s} "
            + "  ".join(f"{cost:8.2f} ms" for cost in costs)
            + f"   x16 lines: x{costs[2] / costs[0]:.1f} time, x160: x{costs[3] / costs[0]:.0f}"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
