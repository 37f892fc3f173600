"""Words in all runs: tasks, results, deliverables, the tab's texts, in any script; secrets blotted out."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tabcore.redaction import Masks
from tabcore.rerun import Db, open_store
from tabcore.rows import SearchHit
from tabcore.store import secret_selects
from tabcore.store.run_ids import numbers_of_runs
from tabcore.store.search_selects import search as search_store

MOST = 300


@dataclass(frozen=True, slots=True)
class Found:
    """The first hits, by run and turn, and how many there are in all."""

    hits: tuple[SearchHit, ...]
    total: int


def search(db: Db, words: str, runs: Collection[str] | None = None, most: int = MOST) -> Found:
    """Where all of the words stand in one text; what stands between quotation marks is one word."""
    with open_store(db).reading() as connection:
        numbers = None if runs is None else numbers_of_runs(connection, runs)
        masks = Masks(secret_selects.of_all(connection))
        return Found(*search_store(connection, wanted(words), numbers, most, masks))


def wanted(words: str) -> tuple[str, ...]:
    """The words of a search.

    >>> wanted('hotel "per night" 差旅')
    ('per night', 'hotel', '差旅')
    """
    pieces = words.split('"')
    quoted = [piece.strip() for piece in pieces[1::2]]
    return tuple(piece for piece in (*quoted, *(word for piece in pieces[::2] for word in piece.split())) if piece)
