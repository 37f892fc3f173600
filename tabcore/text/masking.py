"""Values taken out of a text, so that somebody can be asked for them."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Literal, TypeAlias

from tabcore.text.dates import dates_of
from tabcore.text.number_stream import numbers_of

MASK = "[____]"
"""What stands for a value. It has no term and no number, so that it neither ranks nor answers anything."""

Form: TypeAlias = Literal["whole", "number"]
"""What of a value is masked: all of it, with currency, scale and percent mark, or its digits only."""

StatedAt: TypeAlias = tuple[str, int, int, str]

_DIGITS = re.compile(r"\d(?:.*\d)?", re.DOTALL)


def stated_values(text: str) -> list[StatedAt]:
    """(key, start, end, kind) of every number and date of a text, in order, as the index of values has them.

    >>> stated_values("From 2024-06-28 it is 12.5%")
    [('2024-06-28', 5, 15, 'date'), ('12.5%', 22, 27, 'percent')]
    """
    return sorted([*numbers_of(text), *((key, start, end, "date") for key, start, end in dates_of(text))], key=_start)


def _start(entry: StatedAt) -> int:
    return entry[1]


def masked(text: str, keys: Container[str], form: Form = "whole") -> str:
    """The text with each value masked whose key in the index is among these.

    >>> masked("Gives EUR 1,500 for 2024, that is 1500", {"1500"})
    'Gives [____] for 2024, that is [____]'
    >>> masked("Gives EUR 1,500", {"1500"}, "number")
    'Gives EUR [____]'
    """
    parts: list[str] = []
    at = 0
    for key, start, end, _ in stated_values(text):
        if key in keys:
            parts += text[at:start], _blanked(text[start:end], form)
            at = end
    return "".join(parts) + text[at:]


def bare_digits(value: str) -> str:
    """The part of a value that the form "number" masks: the whole where it is written in words.

    >>> bare_digits("EUR 1,500"), bare_digits("-12.5 percent"), bare_digits("五万")
    ('1,500', '12.5', '五万')
    """
    found = _DIGITS.search(value)
    return found[0] if found else value


def _blanked(value: str, form: Form) -> str:
    return MASK if form == "whole" else value.replace(bare_digits(value), MASK, 1)
