"""How fast and how exactly the numbers of observations are found, on a folder that the corpus generator wrote.

    python tests/benchmarks/values.py CORPUS_FOLDER [--no-compare]

CORPUS_FOLDER holds pi/*.jsonl and truth/*.json. Printed, all in one run since the speed of a shared machine drifts:
the bare regex over the same text (the unit to compare with), the stream over texts never seen (nothing remembered), the
stream over what is remembered, the full matcher on a sample; then the generator's truth: of the planted values and the
turns whose observation shows them, how many the stream finds there, by key and by magnitude, and whether any is found
in a turn that the truth does not name.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from tabcore.text import number_stream
from tabcore.text.number_stream import full_line, numbers_of
from tabcore.text.plain_lines import plain_line
from tabcore.text.value_rules import magnitude


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--no-compare", action="store_true", help="leave out the line by line comparison")
    options = parser.parse_args()
    runs = {path.stem: list(_observations(path)) for path in sorted((options.folder / "pi").glob("*.jsonl"))}
    texts = [text for observed in runs.values() for _, text in observed]
    lines = sorted({line for text in texts for line in text.split("\n") if line})
    print(
        f"{len(runs)} runs, {len(texts)} observations, {_size(texts) / 1e6:.1f} MB, distinct lines {_size(lines) / 1e6:.1f} MB"
    )
    _speed(texts, lines)
    _truth(options.folder, runs)
    if not options.no_compare:
        hard = sum(plain_line(line, None) is None for line in lines)
        sample = lines[::7]
        differing = sum((fast := plain_line(line, None)) is not None and fast != full_line(line) for line in sample)
        print(
            f"lines for the full matcher: {hard} of {len(lines)}; fast and full differ on {differing} of {len(sample)}"
        )


def _observations(path: Path) -> Iterator[tuple[int, str]]:
    """(assistant turn from 0, text) of every tool result."""
    turn = -1
    for line in path.read_text("utf-8").splitlines():
        message: dict[str, Any] = json.loads(line).get("message", {})
        turn += message.get("role") == "assistant"
        if message.get("role") == "toolResult":
            yield turn, "".join(part.get("text", "") for part in message["content"])


def _speed(texts: list[str], lines: list[str]) -> None:
    bare = re.compile(r"[0-9][0-9,.]*")
    _print_rate("bare regex, each match once", texts, lambda text: bare.finditer(text))
    number_stream.forget()
    found = _print_rate("stream, nothing remembered", texts, numbers_of)
    _print_rate("stream, lines remembered", texts, numbers_of)
    _print_rate("plain lines alone", lines, lambda line: (plain_line(line, None),))
    _print_rate("full matcher alone", lines[::40], lambda line: full_line(line).values)
    print(f"{found} numbers, one in {_size(texts) / found:.0f} characters")


def _print_rate(name: str, texts: list[str], read: Callable[[str], Iterable[object]]) -> int:
    began = time.process_time()
    counted = sum(1 for text in texts for _ in read(text))
    took = time.process_time() - began
    print(f"{name:30} {_size(texts) / took / 1e6:6.1f} MB per CPU second")
    return counted


def _truth(folder: Path, runs: dict[str, list[tuple[int, str]]]) -> None:
    expected = found = signed = extra = 0
    for name, observed in runs.items():
        turns: dict[str, set[int]] = defaultdict(set)
        keys: dict[str, set[int]] = defaultdict(set)
        for turn, text in observed:
            for key, *_ in numbers_of(text):
                turns[magnitude(key)].add(turn)
                keys[key].add(turn)
        for value in json.loads((folder / "truth" / f"{name}.json").read_text("utf-8"))["expected"]:
            key, shown = format(Decimal(value["value"]).normalize(), "f"), set(value["observed"])
            expected += len(shown)
            found += len(shown & turns[key])
            signed += len(shown & keys[key])
            extra += len(turns[key] - shown)
    print(f"truth: {found} of {expected} occurrences found ({signed} with their sign), {extra} extra")


def _size(texts: list[str]) -> int:
    return sum(map(len, texts))


if __name__ == "__main__":
    main()
