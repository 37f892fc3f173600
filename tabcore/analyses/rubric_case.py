"""One failed rubric with everything that a person needs to say why it failed, without what anybody else said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from tabcore.analyses.rubric_words import rubric_words
from tabcore.analyses.value_facts import RubricFacts, RunFacts
from tabcore.analyses.value_story import ValueStory
from tabcore.tab.tab import Tab
from tabcore.text.marked_lines import MarkedLine, marked_line
from tabcore.text.terms import terms

_FEW = 3
_Shown = TypeVar("_Shown")


@dataclass(frozen=True, slots=True)
class Passage:
    """The line of a delivered text that has most of a rubric's words, rare ones counting more; `shared` are these."""

    path: str
    line: MarkedLine
    shared: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TabThen:
    """The tab as it was when the deliverable was last written, as far as it concerns a rubric.

    `requirements` share words with the rubric, best first, each with its state; so do `entries` and `candidates` by their
    paths. `read`, `opened` and `unopened` count the entries, files and candidates in all.
    """

    turn: int
    requirements: tuple[tuple[str, str, str], ...]
    entries: tuple[tuple[str, str], ...]
    candidates: tuple[str, ...]
    stated: int
    read: int
    unopened: int


@dataclass(frozen=True, slots=True)
class RubricCase:
    """A rubric of a run: the stories of its distinctive values, the deliverable's nearest passages, the tab then.

    `lengths` are the characters of the deliverable's texts by path.
    """

    run: RunFacts
    rubric: RubricFacts
    stories: tuple[ValueStory, ...]
    passages: tuple[Passage, ...]
    tab: TabThen
    lengths: tuple[tuple[str, int], ...] = ()


def nearest_passages(rubric: str, delivered: Mapping[str, str], most: int = 2) -> tuple[Passage, ...]:
    """The lines nearest to a rubric, best first; none where no line shares a word with it.

    >>> [found] = nearest_passages("Names the fee of 2025", {"a.md": "the year\\nThe fee is 12.\\n"})
    >>> found.line.number, found.line.marked, found.shared
    (2, 'The fee is 12.', ('fee',))
    """
    wanted = rubric_words(rubric)
    lines = [
        (path, start, end, _words(text[start:end]) & wanted)
        for path, text in delivered.items()
        for start, end in _lines(text)
    ]
    counts = Counter(word for *_, shared in lines for word in shared)

    def score(line: tuple[str, int, int, frozenset[str]]) -> float:
        return sum(1 / counts[word] for word in line[3])

    best = sorted((line for line in lines if line[3]), key=lambda line: -score(line))[:most]
    return tuple(
        Passage(path, marked_line(delivered[path], start, end, around=1), tuple(sorted(shared)))
        for path, start, end, shared in best
    )


def tab_then(rubric: str, tab: Tab, turn: int) -> TabThen:
    """What the tab of that turn has for a rubric."""
    wanted = rubric_words(rubric)
    requirements = _best(wanted, [(r.text, (r.requirement_id, r.status, r.text)) for r in tab.requirements.values()])
    read = {entry.path: (entry.entry_id, entry.path) for entry in reversed(tab.read_log.values()) if not entry.authored}
    entries = _best(wanted, list(read.items()))
    candidates = _best(wanted, [(path, path) for path in tab.candidates])
    counts = len(tab.requirements), len(tab.read_log), len(tab.candidates)
    return TabThen(turn, tuple(requirements), tuple(entries), tuple(candidates), *counts)


def _best(wanted: frozenset[str], items: Sequence[tuple[str, _Shown]]) -> Iterable[_Shown]:
    shared = [(words & wanted, shown) for text, shown in items if (words := _words(text)) & wanted]
    counts = Counter(word for words, _ in shared for word in words)
    ranked = sorted(shared, key=lambda item: -sum(1 / counts[word] for word in item[0]))
    return [shown for _, shown in ranked[:_FEW]]


def _words(text: str) -> frozenset[str]:
    """The terms of a text that are no numbers."""
    return frozenset(term for term in terms(text[:4_000]) if not term.isdecimal())


def _lines(text: str) -> Iterable[tuple[int, int]]:
    at = 0
    for line in text.split("\n"):
        if line.strip():
            yield at, at + len(line)
        at += len(line) + 1
