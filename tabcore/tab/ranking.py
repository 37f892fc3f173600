"""BM25 over collections that grow and shrink while a run goes on.

The classic formula is rank_bm25's `BM25Plus` with delta 0: its inverse document frequency is positive in
collections of any size and a document that shares no term scores 0. (Okapi scores a collection of one
negatively, L multiplies by the raw frequency, Plus with delta 1 gives a no-match a positive score.)
`Ranking` keeps that class's statistics while documents come and go, instead of building them anew per turn, and
touches only the documents that have a term of the query.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt
from rank_bm25 import BM25L, BM25Okapi, BM25Plus

_Postings = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]
_DIGITS = 9
"""Scores are rounded before they are compared, so that the order of additions cannot break a tie."""


class Ranking(BM25Plus):  # type: ignore[misc]
    """A collection of documents, each named by a string, that ranks itself against a query.

    >>> ranking = Ranking()
    >>> ranking.add("L1", ["travel", "policy"]); ranking.add("L2", ["energy"])
    >>> [name for name, _ in ranking.best(["policy"])]
    ['L1']
    """

    def __init__(self) -> None:
        self.k1, self.b, self.delta = 1.5, 0.75, 0
        self.corpus_size = 0
        self.avgdl = 0.0
        self._total_length = 0
        self._slots: dict[str, int] = {}
        self._names: list[str] = []
        self._frequencies: list[dict[str, int]] = []
        self._lengths = np.zeros(64)
        self._postings: dict[str, dict[int, int]] = {}
        self._arrays: dict[str, _Postings] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._slots

    def names(self) -> frozenset[str]:
        """The documents in the collection."""
        return frozenset(self._slots)

    def add(self, name: str, document: Iterable[str]) -> None:
        """Put a document in; its terms may repeat. Does nothing when one of that name is there."""
        if name in self._slots:
            return
        frequencies = Counter(document)
        slot = len(self._names)
        if slot == len(self._lengths):
            self._lengths = np.concatenate([self._lengths, np.zeros(slot)])
        self._slots[name] = slot
        self._names.append(name)
        self._frequencies.append(frequencies)
        self._lengths[slot] = frequencies.total()
        for term, frequency in frequencies.items():
            self._postings.setdefault(term, {})[slot] = frequency
            self._arrays.pop(term, None)
        self._count(1, frequencies.total())

    def remove(self, name: str) -> None:
        """Take a document out; nothing happens when it is not there."""
        slot = self._slots.pop(name, None)
        if slot is None:
            return
        for term in self._frequencies[slot]:
            del self._postings[term][slot]
            self._arrays.pop(term, None)
        self._count(-1, -int(self._lengths[slot]))
        self._frequencies[slot] = {}

    def best(
        self, query: Iterable[str], *, limit: int | None = None, tie: Callable[[str], object] = str
    ) -> list[tuple[str, float]]:
        """(name, score) of the documents that share a term with the query, best first.

        A term counts once however often the query has it. Equal scores are ordered by `tie(name)`, ascending.
        """
        scored = self._scores(list(dict.fromkeys(query)))
        scored.sort(key=lambda pair: (-pair[1], tie(pair[0])))
        return scored[:limit]

    def _count(self, documents: int, length: int) -> None:
        self.corpus_size += documents
        self._total_length += length
        self.avgdl = self._total_length / self.corpus_size if self.corpus_size else 0.0

    def _scores(self, query: Sequence[str]) -> list[tuple[str, float]]:
        scores = np.zeros(len(self._names))
        for term in query:
            if not self._postings.get(term):
                continue
            slots, frequency = self._term_arrays(term)
            idf = math.log((self.corpus_size + 1) / len(slots))
            norm = self.k1 * (1 - self.b + self.b * self._lengths[slots] / self.avgdl)
            scores[slots] += idf * (self.delta + frequency * (self.k1 + 1) / (norm + frequency))
        (matched,) = np.nonzero(scores)
        return [(self._names[i], round(float(scores[i]), _DIGITS)) for i in matched]

    def _term_arrays(self, term: str) -> _Postings:
        arrays = self._arrays.get(term)
        if arrays is None:
            documents = self._postings[term]
            count = len(documents)
            slots = np.fromiter(documents.keys(), np.int64, count)
            arrays = self._arrays[term] = (slots, np.fromiter(documents.values(), np.float64, count))
        return arrays


Variant = Literal["the tab's", "Okapi", "L", "Plus"]
"""Forms of BM25: the one that the tab ranks with, and rank_bm25's own with their defaults."""

VARIANTS: tuple[Variant, ...] = ("the tab's", "Okapi", "L", "Plus")

_VARIANTS: Mapping[str, type[BM25Okapi | BM25L | BM25Plus]] = {"Okapi": BM25Okapi, "L": BM25L, "Plus": BM25Plus}


Ranked = Callable[[Iterable[str]], list[str]]
"""The documents that share a term with a query, best first; equal ones as the ranker was told."""


def ranker(variant: Variant, documents: Mapping[str, Sequence[str]], tie: Callable[[str], object] = str) -> Ranked:
    """A form of BM25 over a collection that stays as it is, to compare the tab's with; queries cost little then.

    >>> documents = {"L1": ["travel", "policy"], "L2": ["energy"]}
    >>> ranker("the tab's", documents)(["policy"]), ranker("Okapi", documents)(["policy"])
    (['L1'], ['L1'])
    """
    filled = {name: document for name, document in documents.items() if document}
    if variant == "the tab's":
        ranking = Ranking()
        for name, document in filled.items():
            ranking.add(name, document)
        return lambda query: [name for name, _ in ranking.best(query, tie=tie)]
    if not filled:
        return lambda query: []
    other = _VARIANTS[variant]([list(document) for document in filled.values()])
    words = {name: frozenset(document) for name, document in filled.items()}

    def ranked(query: Iterable[str]) -> list[str]:
        wanted = list(dict.fromkeys(query))
        scores = (round(float(score), _DIGITS) for score in other.get_scores(wanted))
        scored = dict(zip(filled, scores, strict=True))
        matched = [name for name in filled if not words[name].isdisjoint(wanted)]
        return sorted(matched, key=lambda name: (-scored[name], tie(name)))

    return ranked
