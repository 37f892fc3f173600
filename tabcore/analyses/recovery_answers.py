"""What a model's answer says: the numbers that it states, the entries that it wants to open, or why neither.

Models answer as they please: JSON, JSON in a fence or in prose, prose alone, a refusal, the mask itself, a list of every
number there is. What counts are the first distinct numbers up to a bound, without those that the masked requirement still
states, since an answer that repeats the question would use the bound up on them. The others are counted and not read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from tabcore.analyses.recovery_cases import Case, MaskedValue
from tabcore.language_models import Answer
from tabcore.text.masking import MASK, stated_values

How: TypeAlias = Literal["stated", "no value", "refused", "repeated the mask", "cut off", "empty"]
"""What became of an answer; all but the first state no number."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A number of an answer, as it writes it."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Said:
    """What an answer says. `numbers` count, `beyond` is how many more it states than count; `show` are entries it wants."""

    how: How
    numbers: tuple[Stated, ...] = ()
    beyond: int = 0
    show: tuple[str, ...] = ()
    in_prose: bool = False

    def recovers(self, value: MaskedValue) -> bool:
        """Whether a number that counts is equal to the value."""
        return any(number.key in value.accepted for number in self.numbers)


def read_answer(answer: Answer, case: Case, bound: int, *, may_show: bool) -> Said:
    """What an answer to a case says; of its numbers the first `bound` count."""
    text = _THOUGHTS.sub("", answer.text)
    told = _json_object(text)
    wanted = _entries(told.get("show")) if told is not None else _wanted_in_prose(text)
    if may_show and wanted and answer.finish != "refused":
        return Said("no value", show=wanted, in_prose=told is None)
    stated = text if told is None else "\n".join(_texts(told.get("values", told)))
    numbers = _numbers(stated, case) if answer.finish != "refused" else ()
    how = "stated" if numbers else _why_none(answer, text, stated)
    return Said(how, numbers[:bound], max(0, len(numbers) - bound), in_prose=told is None)


_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_ENTRY = re.compile(r"L[1-9][0-9]{0,5}")
_SHOW_IN_PROSE = re.compile(r"\b(?:show|open)\b[^.\n]{0,40}?\b(L[1-9][0-9]{0,5})\b", re.IGNORECASE)


def _why_none(answer: Answer, text: str, stated: str) -> How:
    if answer.finish == "refused":
        return "refused"
    if answer.finish == "cut":
        return "cut off"
    if MASK in stated or "____" in stated:
        return "repeated the mask"
    return "no value" if text.strip() else "empty"


def _numbers(text: str, case: Case) -> tuple[Stated, ...]:
    found: dict[str, Stated] = {}
    for key, start, end, _ in stated_values(text):
        if key not in case.stated:
            found.setdefault(key, Stated(key, text[start:end]))
    return tuple(found.values())


def _json_object(text: str) -> dict[str, Any] | None:
    """The first JSON object in a text, whole or broken off; None where there is none.

    >>> _json_object('Sure: {"values": ["EUR 5.20"]} Done.'), _json_object('{"values": ["5.20", "7')
    ({'values': ['EUR 5.20']}, {'values': ['5.20']})
    """
    at = text.find("{")
    while at >= 0:
        try:
            found, _ = json.JSONDecoder().raw_decode(text, at)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict):
            return found
        at = text.find("{", at + 1)
    return _broken_off(text)


_LIST_OPENED = re.compile(r'"values"\s*:\s*\[')
_STRING = re.compile(r'\s*,?\s*("(?:[^"\\]|\\.)*")')


def _broken_off(text: str) -> dict[str, Any] | None:
    """The whole strings of a list of values that was never closed."""
    opened = _LIST_OPENED.search(text)
    if opened is None:
        return None
    at, values = opened.end(), []
    while item := _STRING.match(text, at):
        values.append(item[1].strip('"'))
        at = item.end()
    return {"values": values}


def _texts(told: object) -> Iterable[str]:
    """The texts and numbers of a JSON value, in order."""
    match told:
        case str():
            yield told
        case bool() | None:
            return
        case int() | float():
            yield str(told)
        case list():
            for item in told:
                yield from _texts(item)
        case dict():
            for item in told.values():
                yield from _texts(item)


def _entries(told: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_ENTRY.findall("\n".join(_texts(told))))) if told else ()


def _wanted_in_prose(text: str) -> tuple[str, ...]:
    found = _SHOW_IN_PROSE.search(text)
    return (found[1].upper(),) if found else ()
