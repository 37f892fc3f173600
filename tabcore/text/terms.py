"""Terms: what counts as one word, in paths and in prose of any script.

Every place that speaks of a term (threshold, evidence check, review, ranking) calls `terms()`, so that
"shares a term" means the same everywhere.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_STOP_WORDS = """
a an and are as at be been but by can could do does each for from had has have he her his how i if in into is it its may
more most must no nor not of on one or our s shall she should so some such t than that the their them then there these
they this those to too under up was we were what when where which while who will with would you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

_CJK = "\u1100-\u11ff\u2e80-\u2fdf\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003134f"
_PIECE = re.compile(
    rf"[{_CJK}]+"  # a run of Chinese, Japanese or Korean
    r"|\d+"
    rf"|[^\W\d_{_CJK}]+"
)
_CAMEL = re.compile(r"(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])|(?<=[A-ZÀ-ÖØ-Þ])(?=[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ])")


def terms(text: str) -> tuple[str, ...]:
    """The terms of a text, in order, repeats kept.

    Unicode NFKC and case-folded; split at punctuation, path separators, snake_case, kebab-case,
    camelCase and letter/digit borders (both sides are kept); a run of Chinese, Japanese or Korean
    becomes its character bigrams (a single character stays); English stop words are dropped.

    >>> terms("finance/travelPolicy_2024-v2.docx")
    ('finance', 'travel', 'policy', '2024', 'v', '2', 'docx')
    >>> terms("差旅管理 and the PO1003")
    ('差旅', '旅管', '管理', 'po', '1003')
    >>> terms("")
    ()
    """
    if text.isascii():
        return tuple(_ascii_terms(text))
    found: list[str] = []
    for match in _PIECE.finditer(unicodedata.normalize("NFKC", text)):
        piece = match.group()
        if piece[0] >= "\u1100" and not piece[0].isdecimal() and _is_cjk(piece[0]):
            found.extend(_bigrams(piece))
        else:
            found.extend(part.casefold() for part in _CAMEL.split(piece))
    return tuple(term for term in found if term not in STOP_WORDS)


_ASCII_PIECE = re.compile(r"\d+|[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def _ascii_terms(text: str) -> list[str]:
    """The same rules where no normalising is needed; half of the time of a load is spent on such texts."""
    return [term for piece in _ASCII_PIECE.findall(text) if (term := piece.lower()) not in STOP_WORDS]


_CJK_CHARACTER = re.compile(f"[{_CJK}]")


@lru_cache(maxsize=8192)
def _is_cjk(character: str) -> bool:
    return _CJK_CHARACTER.match(character) is not None


def _bigrams(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def shared_terms(left: str, right: str) -> frozenset[str]:
    """The distinct terms that both texts have.

    >>> sorted(shared_terms("doc/travel_policy.md", "Write the travel policy guide"))
    ['policy', 'travel']
    """
    return frozenset(terms(left)) & frozenset(terms(right))
