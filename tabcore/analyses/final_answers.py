"""Whether a final answer states what was expected (OfficeQA), at an allowed relative error.

The benchmark's rules: unit words are compared, not multiplied (5 million is not 5,000,000, nor 5 billion); a unit that
only one side states is no contradiction, since the question often asks for it; percent signs are ignored; the error is
absolute, relative to the expected number, and the limit itself is allowed. Ours: an answer may say more than the
number, several expected numbers must each be there, and what else is expected must be there in words.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal

_TAGGED = re.compile(r"<FINAL_ANSWER>(.*?)(?:</FINAL_ANSWER>|\Z)", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.])([-(]?)[$€£¥]?\s?([-]?)(\d{1,3}(?:,\d{3})+|\d+)?(\.\d+)?(?![\d])")
_UNITS = ("trillion", "billion", "million", "thousand", "hundred")
_UNIT = re.compile(rf"[\s%)]*\b({'|'.join(_UNITS)})s?\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_MINUS = str.maketrans({"−": "-", "–": "-", "\N{NON-BREAKING HYPHEN}": "-", "\xa0": " "})


@dataclass(frozen=True, slots=True)
class Stated:
    """A number as it is written, and the unit word behind it, "" for none."""

    number: Decimal
    unit: str


def final_answer(text: str) -> str:
    """What stands between the last tags for it, else the whole text.

    >>> final_answer("No: <FINAL_ANSWER>1</FINAL_ANSWER> Yes: <FINAL_ANSWER> 2,602 </FINAL_ANSWER>.")
    '2,602'
    """
    tagged = _TAGGED.findall(text)
    return str(tagged[-1] if tagged else text).strip()


def matches(answer: str, expected: str, error: str = "0") -> bool:
    """True where the answer states what is expected within the error, a decimal such as "0.01".

    >>> matches("It was 2,602 million", "2602"), matches("2,602 billion", "2,602 million"), matches("12602", "2602")
    (True, False, False)
    >>> matches("99", "100", "0.01"), matches("98.99", "100", "0.01"), matches("12.3", "12.3%")
    (True, False, True)
    """
    said, wanted = _plain(final_answer(answer)), _plain(expected)
    numbers = stated(wanted)
    found = stated(said)
    return (
        bool(wanted)
        and all(any(_equal(one, other, Decimal(error)) for other in found) for one in numbers)
        and _words(wanted) <= _words(said)
    )


def stated(text: str) -> tuple[Stated, ...]:
    """The numbers of a text.

    >>> [(str(one.number), one.unit) for one in stated("from (1,234.5) to 7 million")]
    [('-1234.5', ''), ('7', 'million')]
    """
    return tuple(_stated(match, text) for match in _NUMBER.finditer(text) if match[3] or match[4])


def _stated(match: re.Match[str], text: str) -> Stated:
    number = Decimal((match[3] or "0").replace(",", "") + (match[4] or ""))
    closed = match[1] == "(" and text[match.end() :].lstrip(" %").startswith(")")
    negative = closed or "-" in (match[1], match[2])
    unit = _UNIT.match(text, match.end())
    return Stated(-number if negative else number, unit[1].lower() if unit else "")


def _equal(wanted: Stated, said: Stated, error: Decimal) -> bool:
    if wanted.unit and said.unit and wanted.unit != said.unit:
        return False
    return abs(wanted.number - said.number) <= error * abs(wanted.number)


def _words(text: str) -> set[str]:
    words = {word.casefold() for word in _WORD.findall(text)}
    return words - {form for unit in _UNITS for form in (unit, f"{unit}s")} - {"percent"}


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).translate(_MINUS).strip()
