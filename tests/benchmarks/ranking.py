"""BM25 after each of 300 turns of a growing collection: kept up to date against built anew each turn.

python tests/benchmarks/ranking.py
"""

from __future__ import annotations

import random
from functools import partial

from measure import cpu_seconds
from rank_bm25 import BM25Plus

from tabcore.tab.ranking import Ranking

TURNS = 300
SIZES = {"300 paths": (300, 6), "3,000 paths": (3_000, 6), "300 entries": (300, 3_000)}
"""What is ranked: how many documents of how many terms."""
QUERY = [f"w{i}" for i in range(1, 31)]


def documents(count: int, length: int, vocabulary: int = 4_000) -> list[list[str]]:
    """`count` documents of `length` terms, words drawn with the usual few-are-frequent distribution."""
    rng = random.Random(7)
    return [[f"w{int(vocabulary ** rng.random())}" for _ in range(length)] for _ in range(count)]


def kept(collection: list[list[str]], query: list[str]) -> None:
    """One ranking that grows a step a turn, and from the middle on also shrinks."""
    ranking = Ranking()
    step = max(1, len(collection) // TURNS)
    for turn in range(TURNS):
        for i in range(turn * step, (turn + 1) * step):
            ranking.add(str(i), collection[i])
        if turn > TURNS // 2:
            ranking.remove(str(turn - TURNS // 2))
        ranking.best(query)


def rebuilt(collection: list[list[str]], query: list[str]) -> None:
    """The library built anew at every turn."""
    step = max(1, len(collection) // TURNS)
    for turn in range(TURNS):
        BM25Plus(collection[: (turn + 1) * step], delta=0).get_scores(query)


def main() -> None:
    """Print a line a size."""
    for name, (count, length) in SIZES.items():
        collection = documents(count, length)
        took, anew = (cpu_seconds(partial(work, collection, QUERY)) for work in (kept, rebuilt))
        print(f"{name:12s} kept {took:6.3f} s   rebuilt {anew:6.3f} s")


if __name__ == "__main__":
    main()
