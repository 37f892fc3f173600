"""How fast and how exactly the numbers of observations are found, on a folder that the corpus generator wrote.

    python tests/benchmarks/values.py CORPUS_FOLDER [--runs N] [--real FOLDER]

CORPUS_FOLDER holds pi/*.jsonl and truth/*.json. Printed in MB per CPU second on one core, all in one run since the speed
of a shared machine drifts: the bare regex (the unit to compare with), the columns of texts never seen (nothing
remembered), the same again, each kind of file apart, the full matcher on a sample, the logs under --real; then the
generator's truth: of the planted values and the turns whose observation shows them, how many are found there, by key
and by magnitude, and whether any is found in a turn that the truth does not name.
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

import pyarrow as pa

from tabcore.text.line_numbers import forget, full_line
from tabcore.text.number_columns import number_columns
from tabcore.text.value_rules import magnitude

_KINDS = {
    "CSV rows": re.compile(r"(?m)^\s*(?:\d+\t)?\d+,\d{4}-\d\d-\d\d,"),
    "JSON members": re.compile(r'(?m)^\s*(?:\d+\t)?  \{"id"'),
    "prose and tables": re.compile(r"(?m)^[A-Z| ][a-z |]+ .*\.$"),
    "searches": re.compile(r"(?m)^[\w/. ]+\.\w+:\d+:"),
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, help="only so many runs, evenly spread")
    parser.add_argument("--real", type=Path, help="a folder of real logs: every text of every record is read")
    options = parser.parse_args()
    pa.set_cpu_count(1)
    paths = sorted((options.folder / "pi").glob("*.jsonl"))
    paths = paths[:: max(1, len(paths) // (options.runs or len(paths)))]
    runs = {path.stem: list(_observations(path)) for path in paths}
    texts = [text for observed in runs.values() for _, text in observed]
    print(f"{len(runs)} runs, {len(texts)} observations, {_size(texts) / 1e6:.1f} MB")
    _speed(texts)
    if options.real:
        _print_rate("real logs, nothing remembered", _texts_under(options.real), _in_columns, anew=True)
    _truth(options.folder, runs)


def _observations(path: Path) -> Iterator[tuple[int, str]]:
    """(assistant turn from 0, text) of every tool result."""
    turn = -1
    for line in path.read_text("utf-8").splitlines():
        message: dict[str, Any] = json.loads(line).get("message", {})
        turn += message.get("role") == "assistant"
        if message.get("role") == "toolResult":
            yield turn, "".join(part.get("text", "") for part in message["content"])


def _texts_under(folder: Path) -> list[str]:
    """The strings of every JSON record, each once."""
    texts: dict[str, None] = {}
    for path in sorted(folder.rglob("*.json*")):
        text = path.read_text("utf-8", "replace")
        for piece in text.splitlines() if path.suffix == ".jsonl" else [text]:
            texts.update(dict.fromkeys(_strings(_record(piece))))
    return list(texts)


def _record(piece: str) -> object:
    try:
        return json.loads(piece)
    except ValueError:
        return piece


def _strings(record: object) -> Iterator[str]:
    if isinstance(record, str):
        yield record
    elif isinstance(record, dict | list):
        for item in record.values() if isinstance(record, dict) else record:
            yield from _strings(item)


def _speed(texts: list[str]) -> None:
    bare = re.compile(r"[0-9][0-9,.]*")
    _print_rate("bare regex, each match once", texts, lambda some: (m for text in some for m in bare.finditer(text)))
    _print_rate("columns, nothing remembered", texts, _in_columns, anew=True)
    found = _print_rate("columns, lines remembered", texts, _in_columns)
    for kind, pattern in _KINDS.items():
        chosen = [text for text in texts if len(pattern.findall(text)) * 2 > text.count("\n") + 1]
        _print_rate(f"  {kind}, nothing remembered", chosen, _in_columns, anew=True)
    lines = sorted({line for text in texts for line in text.split("\n") if line})
    _print_rate("full matcher alone", lines[::40], lambda some: (v for line in some for v in full_line(line).values))
    print(f"{found} numbers, one in {_size(texts) / found:.0f} characters")


def _in_columns(texts: Iterable[str]) -> Iterator[object]:
    for batch in number_columns(texts):
        yield from range(len(batch))


def _print_rate(
    name: str, texts: list[str], read: Callable[[list[str]], Iterable[object]], *, anew: bool = False
) -> int:
    if anew:
        forget()
    began = time.process_time()
    counted = sum(1 for _ in read(texts))
    took = time.process_time() - began
    print(f"{name:45} {_size(texts) / 1e6:6.1f} MB, {_size(texts) / took / 1e6:6.1f} MB per CPU second")
    return counted


def _truth(folder: Path, runs: dict[str, list[tuple[int, str]]]) -> None:
    expected = found = signed = extra = 0
    for name, observed in runs.items():
        turns: dict[str, set[int]] = defaultdict(set)
        keys: dict[str, set[int]] = defaultdict(set)
        for batch in number_columns(text for _, text in observed):
            for at, key in zip(batch["text"].to_pylist(), batch["key"].to_pylist(), strict=True):
                turns[magnitude(key)].add(observed[at][0])
                keys[key].add(observed[at][0])
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
