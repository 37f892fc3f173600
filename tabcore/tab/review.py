"""The review: each open requirement beside the best of what was read and of what was never opened.

Entries are ranked by BM25 of path and excerpt, candidates by BM25 of path, both against the requirement
(RunningTab section 3.3). rank_bm25, and numpy with it, is imported when the first review is made: a hook
that only captures must start quickly.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tabcore.tab.events import Match
from tabcore.tab.tab import Candidate, Entry, Requirement, Tab
from tabcore.text.terms import terms

if TYPE_CHECKING:
    from tabcore.tab.ranking import Ranking

SHOWN = 3
"""Entries and candidates shown per requirement unless set otherwise (ours; the paper is silent)."""


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One open requirement with its best entries and candidates, best first."""

    requirement: Requirement
    entries: tuple[Entry, ...]
    candidates: tuple[Candidate, ...]

    @property
    def match(self) -> Match:
        """The same by ids and paths, as it is kept with the event."""
        return Match(
            self.requirement.requirement_id,
            tuple(entry.entry_id for entry in self.entries),
            tuple(candidate.path for candidate in self.candidates),
        )


class Reviewer:
    """Ranks one tab again and again while it changes, at the cost of what has changed."""

    def __init__(self, tab: Tab) -> None:
        from tabcore.tab.ranking import Ranking

        self._tab = tab
        self._entries = Ranking()
        self._candidates = Ranking()

    def __deepcopy__(self, memo: dict[int, object]) -> Reviewer:
        """A reviewer of the copied tab; what it ranks it counts when it is first asked."""
        return Reviewer(copy.deepcopy(self._tab, memo))

    def review(self, shown: int = SHOWN) -> tuple[ReviewItem, ...]:
        """Every open requirement with at most `shown` entries and candidates that share a term with it.

        Equal scores: the newest entry first, candidates by path.
        """
        self._catch_up_entries()
        self._catch_up_candidates()
        return tuple(self._reviewed(requirement, shown) for requirement in self._tab.open_requirements)

    def candidates_by_relevance(self) -> tuple[tuple[Candidate, float], ...]:
        """All candidates with their score against the task, best first, no-matches (score 0) last, by path."""
        self._catch_up_candidates()
        candidates = self._tab.candidates
        scored = [(candidates[path], score) for path, score in self._candidates.best(terms(self._tab.task))]
        matched = {candidate.path for candidate, _ in scored}
        return tuple(scored) + tuple((candidates[path], 0.0) for path in sorted(candidates.keys() - matched))

    def _reviewed(self, requirement: Requirement, shown: int) -> ReviewItem:
        query = terms(requirement.text)
        entries = self._entries.best(query, limit=shown, tie=lambda entry_id: -int(entry_id[1:]))
        candidates = self._candidates.best(query, limit=shown)
        return ReviewItem(
            requirement,
            tuple(self._tab.read_log[entry_id] for entry_id, _ in entries),
            tuple(self._tab.candidates[path] for path, _ in candidates),
        )

    def _catch_up_entries(self) -> None:
        for entry_id, entry in self._tab.read_log.items():
            if entry_id not in self._entries:
                self._entries.add(entry_id, terms(entry.path) + terms(self._tab.texts[entry.excerpt]))
        _drop(self._entries, self._tab.read_log)

    def _catch_up_candidates(self) -> None:
        for path in self._tab.candidates:
            if path not in self._candidates:
                self._candidates.add(path, terms(path))
        _drop(self._candidates, self._tab.candidates)


def _drop(ranking: Ranking, kept: Iterable[str]) -> None:
    for name in ranking.names() - frozenset(kept):
        ranking.remove(name)
