"""Many lines with all digits gone that are no values: what `hide` makes of each, fast.

Most patterns of the table and of dates are in few lines. RE2 tells of all lines at once in which a pattern may be
(`relaxed_patterns`), and only there it is tried.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tabcore.text.dates import FORMS
from tabcore.text.moments import AT_DIGITS, AT_WORDS, may_open
from tabcore.text.no_values import FILE, NO_VALUES, ROWS, NoValue, Row, features, told, without
from tabcore.text.number_tokens import ESCAPE, hide, without_escapes, without_moments
from tabcore.text.numerals import one_width
from tabcore.text.relaxed_patterns import ODD_LETTERS, relaxed

_Chosen = npt.NDArray[np.int64]
_MOMENTS = (FILE.pattern, "|".join(pattern.pattern for _, pattern in FORMS), AT_DIGITS.pattern, AT_WORDS.pattern)
_TOGETHER = 6  # rows that are asked for at once before each by itself
_FREQUENT = frozenset({"path", "file", "glued letters", "version of three parts"})


class _Asked(NamedTuple):
    """A row and what RE2 is asked: whether its probe and its pattern may be in a line."""

    row: Row
    patterns: tuple[str, ...]
    signs: tuple[str, ...]  # of which the line must have one
    has_needs: bool  # words before digits, or a long word: what touches a digit is told by the patterns


def hidden_lines(lines: Sequence[str]) -> list[str]:
    """
    >>> [line.replace("\\x01", "_") for line in hidden_lines(["On 2024-06-30: 120", "INV-2024-0091: 120", "120"])]
    ['On __________: 120', '_____________: 120', '120']
    """
    plain = [one_width(line) for line in lines]
    odd = [n for n, line in enumerate(plain) if not line.isascii() and ODD_LETTERS.search(line)]
    for n in _holding(_bytes(plain), relaxed(ESCAPE.pattern)).tolist():
        plain[n] = without_escapes(plain[n])
    hidden = list(plain)
    texts = _bytes(plain)
    files, days, digits, words = (_among(texts, pattern) for pattern in _MOMENTS)
    for n in sorted(days | digits | words):
        may = n in words and may_open(told(plain[n]) | {*plain[n]} if plain[n].isascii() else features(plain[n]))
        hidden[n] = without_moments(plain[n], files=n in files, days=n in days, digits=n in digits, words=may)
    for n, asked in _tried(_bytes(hidden)).items():
        hidden[n] = without(hidden[n], *_needed(plain[n], asked))
    for n in odd:
        hidden[n] = hide(plain[n])
    return hidden


def _among(texts: pa.Array, pattern: str) -> set[int]:
    return set(_holding(texts, relaxed(pattern)).tolist())


_ANY = {""}


def _needed(plain: str, asked: list[_Asked]) -> tuple[set[str], list[Row]]:
    """Of the rows that are asked for a line those that may be tried, with the features that they need."""
    rows = [one for one in asked if not one.signs or any(map(plain.__contains__, one.signs))]
    has = told(plain) if any(one.has_needs for one in rows) else _ANY
    return has, [one.row if one.has_needs else one.row._replace(needs=frozenset(_ANY)) for one in rows]


def _tried(texts: pa.Array) -> dict[int, list[_Asked]]:
    """The rows of the table that may be in a text, for each text that has any."""
    tried: dict[int, list[_Asked]] = defaultdict(list)
    for group in _groups():
        chosen = _holding(texts, "|".join(f"(?:{one.patterns[0]})" for one in group)) if len(group) > 1 else None
        some = texts if chosen is None else texts.take(pa.array(chosen))
        for one in group if len(some) else ():
            for n in _holding_all(some, one.patterns).tolist():
                tried[n if chosen is None else int(chosen[n])].append(one)
    return tried


def _groups() -> Iterator[list[_Asked]]:
    rare: list[_Asked] = []
    for kind, row in zip(NO_VALUES, ROWS, strict=True):
        asked = _asked(kind, row)
        if kind.name in _FREQUENT:
            yield [asked]
            continue
        rare.append(asked)
        if len(rare) == _TOGETHER:
            yield rare
            rare = []
    yield rare


def _asked(kind: NoValue, row: Row) -> _Asked:
    probe = "|".join(map(re.escape, kind.probe)) if isinstance(kind.probe, tuple) else kind.probe
    patterns = tuple(relaxed(pattern) for pattern in (probe, kind.pattern) if pattern)
    signs = tuple(need for need in kind.needs if len(need) == 1 and need != "一")
    return _Asked(row, patterns, signs, any(need == "long" or need.endswith(" 0") for need in kind.needs))


def _holding_all(texts: pa.Array, patterns: Sequence[str]) -> _Chosen:
    chosen = _holding(texts, patterns[0])
    for pattern in patterns[1:] if len(chosen) else ():
        chosen = chosen[_holding(texts.take(pa.array(chosen)), pattern)]
    return chosen


def _holding(texts: pa.Array, pattern: str) -> _Chosen:
    mask: Any = pc.match_substring_regex(texts, pattern).to_numpy(zero_copy_only=False)
    return np.flatnonzero(mask)


def _bytes(texts: Sequence[str]) -> pa.Array:
    """The texts as UTF-8; half a surrogate, which it has not, is no sign that a pattern could mean."""
    encoded = pa.array([text.encode("utf-8", "replace") for text in texts], pa.binary())
    return encoded.view(pa.string())
