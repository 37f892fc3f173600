"""Read and left out: the distinctive values in the files that a run read which its deliverable lacks, where no rubric
says what is expected. Ranked by how well the line of each fits the task and the requirements (BM25; the specification's
"Without a rubric", ours)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from tabcore.analyses.equality import equal_keys
from tabcore.tab.ranking import Ranking
from tabcore.text.marked_lines import MarkedLine
from tabcore.text.terms import terms
from tabcore.text.value_rules import Rule


@dataclass(frozen=True, slots=True)
class HeldValue:
    """A value in the excerpt of a read-log entry, at its first place, with its line."""

    key: str
    kind: str
    entry_id: str
    path: str
    turn: int
    line: MarkedLine
    start: int
    end: int

    @property
    def text(self) -> str:
        """The value as the file writes it."""
        return self.line.marked


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What a run read and did not deliver, the best fitting first, each with its score; values of one line stand
    together. `held` counts the distinctive values in what it read, `delivered` those of them that it delivered."""

    values: tuple[tuple[HeldValue, float], ...]
    held: int
    delivered: int


def left_out(held: Sequence[HeldValue], delivered: Container[str], asked: Iterable[str], rule: Rule) -> LeftOut:
    """The held values of which no equal one is among the `delivered` keys, ranked against the texts that ask.

    The line of a value counts without the value itself, with the line above it: a table says there what it shows.
    """
    missing = [value for value in held if not any(key in delivered for key in equal_keys(value.key, rule))]
    ranking = Ranking()
    names = [f"{value.entry_id}:{value.line.number}:{value.start}" for value in missing]
    for name, value in zip(names, missing, strict=True):
        ranking.add(name, terms(" ".join((*value.line.before[-1:], value.line.left, value.line.right))))
    scores = dict(ranking.best(term for text in asked for term in terms(text)))
    pairs = [(value, scores.get(name, 0.0)) for name, value in zip(names, missing, strict=True)]
    pairs.sort(key=lambda pair: (-pair[1], pair[0].turn, int(pair[0].entry_id.lstrip("L") or 0), pair[0].start))
    return LeftOut(tuple(pairs), len(held), len(held) - len(missing))
