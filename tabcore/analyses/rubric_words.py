"""The words of a rubric that say what it is about: without its values, with their currencies and marks, and other numbers."""

from __future__ import annotations

from tabcore.text.number_stream import numbers_of
from tabcore.text.terms import terms


def rubric_words(text: str) -> frozenset[str]:
    """The terms of a text that are no numbers and no part of a value.

    >>> sorted(rubric_words("Gives the price of a reconnection, EUR 65"))
    ['gives', 'price', 'reconnection']
    """
    at, kept = 0, []
    for _, start, end, _ in numbers_of(text):
        kept.append(text[at:start])
        at = end
    return frozenset(term for term in terms(" ".join([*kept, text[at:]])) if not term.isdecimal())
