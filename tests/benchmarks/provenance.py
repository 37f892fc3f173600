"""How long one run's provenance takes, and how often chance passes for a formula: `python tests/benchmarks/provenance.py STORE…`.

In each round a part of the distinctive values of each deliverable get other digits, drawn so that the number of digits
and decimals stays; the rest, all words and all sources stay as they are. A changed value that is then said to be
derived is a false one, since nothing computed it. Values that a source happens to state are no case.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections import Counter
from dataclasses import replace
from functools import cache, partial

from tabcore import questions, rerun
from tabcore.analyses.equality import equal_keys
from tabcore.analyses.provenance import provenance
from tabcore.analyses.provenance_facts import DeliveredText, Occurrence, ProvenanceFacts
from tabcore.analyses.rates import Rate
from tabcore.store.provenance_selects import provenance_facts
from tabcore.text.number_stream import numbers_of
from tabcore.text.value_rules import DEFAULT, is_distinctive_key

PART = 0.3


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("stores", nargs="+")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--runs", type=int, default=50, help="of each store at most")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    cases = false = 0
    kinds: Counter[str] = Counter()
    for store in options.stores:
        for row in rerun.runs(store)[: options.runs]:
            milliseconds = [_timed(store, row.run_id) for _ in range(3)]
            print(f"{row.run_id}: {row.turns} turns, {statistics.median(milliseconds):.0f} ms")
            facts = facts_of(store, row.run_id)
            for _ in range(options.rounds):
                found = false_formulas(facts, draw)
                cases, false = cases + found[0], false + len(found[1])
                kinds.update(found[1])
    rate = Rate(false, cases)
    print(f"{false} of {cases} changed values are said to be derived: {rate.share}, 95 % interval {rate.interval}")
    print(dict(kinds))


def _timed(store: str, run_id: str) -> float:
    start = time.perf_counter()
    questions.provenance(store, run_id)
    return (time.perf_counter() - start) * 1000


def facts_of(store: str, run_id: str) -> ProvenanceFacts:
    """What the analysis is given for a run."""
    with rerun.open_store(store).reading() as connection:
        [number] = rerun.numbers_of(connection, [run_id])
        return provenance_facts(connection, number, lambda key: (key,))


def false_formulas(facts: ProvenanceFacts, draw: random.Random) -> tuple[int, list[str]]:
    """How many changed values no source states, and the operations by which some are said to be derived."""
    files, changed = [], set()
    for index, file in enumerate(facts.files):
        new, places = with_other_digits(file, draw)
        files.append(new)
        changed |= {(index, place) for place in places}
    equals = cache(partial(equal_keys, rule=DEFAULT))
    answer = provenance(replace(facts, files=tuple(files)), equals)
    cases = [v for v in answer.values if (v.file, v.start) in changed and v.provenance not in ("sourced", "given")]
    return len(cases), [v.formula.operation for v in cases if v.formula is not None]


def with_other_digits(file: DeliveredText, draw: random.Random) -> tuple[DeliveredText, set[int]]:
    """The file with other digits in a part of its distinctive values, and where these stand."""
    if file.text is None:
        return file, set()
    characters = list(file.text)
    chosen = [v for v in file.values if v.kind != "date" and is_distinctive_key(v.key, v.kind) and draw.random() < PART]  # type: ignore[arg-type]
    for value in chosen:
        places = [place for place in range(value.start, value.end) if characters[place].isdecimal()]
        for nth, place in enumerate(places):
            characters[place] = draw.choice("123456789" if nth in (0, len(places) - 1) else "0123456789")
    text = "".join(characters)
    values = tuple(Occurrence(key, kind, start, end) for key, start, end, kind in numbers_of(text))
    kept = {(value.start, value.end) for value in values}
    same = {value.start for value in file.values if value in values}
    places = {value.start for value in chosen if (value.start, value.end) in kept} - same
    return replace(file, text=text, values=values), places


if __name__ == "__main__":
    main()
