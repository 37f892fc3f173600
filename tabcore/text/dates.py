"""Full dates in a text, with their ISO form: `31. Dezember 2023`, `12/31/24`, `2024年10月31日`, `28/06/2024`.

Day and month of a slashed date are told apart by what is possible, then by the other dates of the text, then by its
language; English without a sign of its own is read month first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import TypeAlias

from tabcore.text.ascii_digits import compiled
from tabcore.text.languages import language
from tabcore.text.moments import MONTH
from tabcore.text.numerals import chinese_number, one_width
from tabcore.text.segments import segments

_MONTH_STARTS = (
    ("jan", "jän"), ("feb", "fév", "fev"), ("mar", "mär", "mrz"), ("apr", "avr"), ("may", "mai"), ("jun", "juin"),
    ("jul", "juil"), ("aug", "aoû"), ("sep",), ("oct", "okt"), ("nov",), ("dec", "dez", "déc"),
)  # fmt: skip
_HAN_DIGITS = str.maketrans("〇零○一二三四五六七八九", "000123456789")
_DAY = r"(\d{1,2})(?:st|nd|rd|th|er|\.)?"
_YEAR = r"((?:1[5-9]|20|21)\d\d)"
_START, _END = r"(?<![A-Za-z0-9_./-])", r"(?![\d/%]|[-.,]\d)"
# Each form: how its three groups are to be read, and its pattern. A separator of a numeric date is the same both times.
FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("ymd", compiled(rf"{_START}{_YEAR}(?:-(\d\d?)-|/(\d\d?)/|\.(\d\d?)\.)(\d\d?)(?![\d/]|[-.]\d)")),
    ("numeric", compiled(rf"{_START}(\d\d?)(?:-(\d\d?)-|/(\d\d?)/|\.(\d\d?)\.)((?:1[5-9]|20|21)\d\d|\d\d){_END}")),
    ("dmy", compiled(rf"{_START}{_DAY}\s(?:of\s|de\s)?({MONTH}),?\s{_YEAR}(?!\d)")),
    ("dmy", compiled(rf"{_START}(\d\d?)-({MONTH})-(\d{{4}}|\d\d)(?!\d)")),
    ("mdy", compiled(rf"\b({MONTH})[\s-]{_DAY}(?:,\s?|\s|-){_YEAR}(?!\d)")),
    ("ymd", compiled(r"((?:1[5-9]|20|21)\d\d)\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})\s?[日号]")),
    (
        "han",
        compiled(r"([〇零○一二三四五六七八九]{4})年([一二三四五六七八九十]{1,2})月([一二三四五六七八九十]{1,3})[日号]"),
    ),
)
_MAY_HOLD_ONE = compiled(r"\d[-/.]\d\d?[-/.]\d|(?:1[5-9]|2[01])\d\d|[一二三四五六七八九十]月|-\d\d\b")


@dataclass(frozen=True, slots=True)
class Date:
    """A full date: its span, its text as it stands there, its day as YYYY-MM-DD."""

    start: int
    end: int
    text: str
    iso: str


def dates(text: str) -> tuple[Date, ...]:
    """Every full date of the text, in order; a day that no calendar has is none.

    >>> [(d.text, d.iso) for d in dates("Signed 31. Dezember 2023, paid 15/08/2024, due 2024年10月31日, not 31/02/2024")]
    [('31. Dezember 2023', '2023-12-31'), ('15/08/2024', '2024-08-15'), ('2024年10月31日', '2024-10-31')]
    """
    plain = one_width(text)
    found = _found(plain)
    day_first = _day_first(found, text)
    read = ((m.start(), m.end(), _iso(form, m, day_first)) for form, m in found)
    return tuple(Date(start, end, text[start:end], iso) for start, end, iso in read if iso is not None)


Dated: TypeAlias = tuple[str, int, int]  # YYYY-MM-DD, start, end


def dates_of(text: str) -> Iterator[Dated]:
    """(day as YYYY-MM-DD, start, end) of every full date of the text, in order, for an index.

    A date stands within one line. Day and month of 03/04/2024 are told apart by the text's other dates or its language,
    German or French; where neither tells, it is left out.

    >>> list(dates_of("Signed 2024-06-28, paid June 28, 2024, due 03/04/2024"))
    [('2024-06-28', 7, 17), ('2024-06-28', 24, 37)]
    """
    lines = [(at, line) for block in segments(text) for at, line in zip(block.places, block.lines, strict=True)]
    yield from dates_of_lines(lines, text)


def dates_of_lines(lines: list[tuple[int, str]], text: str) -> Iterator[Dated]:
    """The same of some lines of a text, each with its place."""
    found = [(at, form, m) for at, line in lines for form, m in _found(one_width(line))]
    day_first = _told_day_first([(form, m) for _, form, m in found], text)
    for at, form, m in found:
        if day_first is None and form == "numeric" and _iso(form, m, True) != _iso(form, m, False):
            continue
        iso = _iso(form, m, bool(day_first))
        if iso is not None:
            yield iso, at + m.start(), at + m.end()


def date_spans(plain: str) -> list[tuple[int, int]]:
    """Spans of the full dates of a text that `one_width` has gone over."""
    return [m.span() for form, m in _found(plain) if _iso(form, m, False) or _iso(form, m, True)]


def _found(plain: str) -> list[tuple[str, re.Match[str]]]:
    """What looks like a full date, in order, none within another."""
    if not _MAY_HOLD_ONE.search(plain):
        return []
    every = [(form, m) for form, pattern in FORMS for m in pattern.finditer(plain)]
    kept: list[tuple[str, re.Match[str]]] = []
    for form, m in sorted(every, key=lambda item: (item[1].start(), -item[1].end())):
        if not kept or m.start() >= kept[-1][1].end():
            kept.append((form, m))
    return kept


def _parts(found: re.Match[str]) -> list[str]:
    return [part for part in found.groups() if part is not None]


def _day_first(found: list[tuple[str, re.Match[str]]], text: str) -> bool:
    """Whether 03/04/2024 is the third of April; English without a sign of its own is read month first."""
    return bool(_told_day_first(found, text))


def _told_day_first(found: list[tuple[str, re.Match[str]]], text: str) -> bool | None:
    """The same as another date of the text says, else as its language writes; None where neither tells."""
    numeric = [m for form, m in found if form == "numeric"]
    if not numeric:
        return None
    for m in numeric:
        first, second, *_ = _parts(m)
        if max(int(first), int(second)) > 12:
            return int(first) > 12
    return True if language(text) in ("de", "fr") or "₹" in text else None


def _iso(form: str, found: re.Match[str], day_first: bool) -> str | None:
    first, second, third = _parts(found)
    match form:
        case "ymd":
            return _day(first, second, third)
        case "numeric":
            return _numeric(found.group(), [first, second, third], day_first)
        case "dmy":
            return _day(third, _month(second), first)
        case "mdy":
            return _day(third, _month(first), second)
        case _:
            year = first.translate(_HAN_DIGITS)
            return _day(year, str(chinese_number(second)), str(chinese_number(third)))


def _numeric(text: str, parts: list[str], day_first: bool) -> str | None:
    """`12/31/24`; with dots and a short year only when every part has two digits, for 1.2.24 is a version."""
    first, second, year = parts
    if len(year) == 2 and (("." in text and len(text) != 8) or "-" in text):
        return None
    if "." in text or int(first) > 12 or (day_first and int(second) <= 12):
        first, second = second, first
    return _day(year, first, second)


def _month(name: str) -> str:
    return str(next(n for n, starts in enumerate(_MONTH_STARTS, 1) if name.lower().startswith(starts)))


def _day(year: str, month: str, day: str) -> str | None:
    whole = int(year) + (0 if len(year) > 2 else 2000 if int(year) < 70 else 1900)
    try:
        return date(whole, int(month), int(day)).isoformat()
    except ValueError:
        return None
