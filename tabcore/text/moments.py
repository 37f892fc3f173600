"""Moments: where a text speaks of a day, a month, a quarter, a year of accounts or an hour.

The digits of a moment are never values (`12/31/2024` is not 12, 31 and 2024), so the value matcher asks here first.
Each form below stands with the example that asked for it. Full days have an ISO form and are found by `dates.py`.

Why no library: dateparser and python-dateutil read a string known to be a date; finding it in prose is the harder half,
and their finders take "may", "10-15" or "2.5" for dates.
"""

from __future__ import annotations

import re

from tabcore.text.ascii_digits import compiled

ENGLISH = "January|February|March|April|May|June|July|August|September|October|November|December"
ENGLISH_SHORT = "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec"
GERMAN = "Januar|Jänner|Februar|März|Mai|Juni|Juli|Oktober|Dezember"
GERMAN_SHORT = "Jän|Mrz|Okt|Dez"
FRENCH = "janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|janv|févr|juil|déc"
# Capitals as the languages write them: "march 12 miles" is no date, "12 mars" is one.
MONTH = rf"(?:{ENGLISH}|{GERMAN}|{FRENCH}|(?:{ENGLISH_SHORT}|{GERMAN_SHORT})\b\.?)"
_CJK_DIGIT = "[〇零○一二三四五六七八九十]"
_YEAR = r"(?:1[89]|20|21)\d\d"
_DAY = r"\d{1,2}(?:st|nd|rd|th|er|\.)?"
_DASH = r"\s?[-–—~/]\s?"

_CLOCK = (
    # A clock never follows the ending of a file: app.log:12:30 is a line and a column. A comma begins thousandths, three
    # digits or six, but where another comma follows: 14:30:05,123,x is three cells.
    r"(?<!\.[a-z]{2}:)(?<!\.[a-z]{3}:)(?<!\.[a-z]{4}:)\d{1,2}:\d{2}(?::\d{2}(?:\.\d+|,\d{3}(?:\d{3})?(?!\d|[.,]\d|,))?)?(?:\s?[AaPp]\.?[Mm]\b\.?)?(?![\d:])",  # 14:30, 14:30:05,123, 08:15 PM
    r"\d{1,2}(?:[-–]\d{1,2})?(?:[.:]\d{2})?\s?(?:[AaPp][Mm]\b|[AaPp]\.[Mm]\.)",  # 9am, 6 pm, 8.30 a.m.
    r"\d{1,2}(?:[.:]\d{2})?(?:(?:\s?[-–]\s?|\s(?:bis|und)\s)\d{1,2}(?:[.:]\d{2})?)?\sUhr\b",  # 14.30 Uhr, 8–17 Uhr
    r"\d{1,2}\s?h\s?\d{2}(?!\d)",  # 8h30
    r"\d{1,2}\s?h\s?(?:à|et|-|–)\s?\d{1,2}\s?h\b",  # 8 h à 17 h
    r"(?:(?<=à )|(?<=vers )|(?<=dès )|(?<=avant )|(?<=après )|(?<=jusqu'à ))\d{1,2}\s?h\b",  # vers 12h
    r"(?:UTC|GMT)\s?[+-]\d{1,2}(?::?\d{2})?",  # UTC+8
    r"(?:凌晨|清晨|早上|上午|中午|下午|傍晚|晚上|夜间)(?:\d{1,2}|[一二两三四五六七八九十]+)[点时:](?:\d{1,2}分?|半|[一二三四五六七八九十]+分?)?",
    r"\d{1,2}[时点](?:\d{1,2}分|半|整|(?=[前后]|开始|结束|至|到|[-—~]))",  # 20时15分
    r"\d{1,2}\so'clock",
)
_QUARTERS = (
    rf"(?:[QHTS][1-4]|[1-4][QH])(?:[\s/.-]?(?:FY\s?)?'?(?:{_YEAR}|\d\d\b))?(?!\w)",  # Q3 2024, Q1FY25, T3 2024, 1Q24
    rf"(?:FY|CY|AY|GJ|HY)\s?'?(?:{_YEAR}|\d\d)(?:[-–/]\d{{2,4}})?[AEF]?(?!\w)",  # FY2023, FY 2023-24
    r"(?:KW|CW|[Ww]eeks?|Kalenderwoche|[Ss]emaines?)\s\d{1,2}(?:[-–/]\d{1,2})?(?:[/\s]20\d\d)?(?!\w)",  # KW 32
    rf"{_YEAR}[AEFP]\b",  # 2025E: an estimate
    r"第?[1-4一二三四]季度?(?:末|初)?",  # 第2季度
)
_MONTHS = (
    rf"{_DAY}\s(?:of\s|de\s)?{MONTH}(?:,?\s{_YEAR})?\b",  # 12 April, 31. Dezember
    rf"{_DAY}(?:{_DASH}|\s(?:and|to|und|bis|et|au)\s){_DAY}\s{MONTH}(?:,?\s{_YEAR})?\b",  # 3 to 5 May 2024
    rf"\b{MONTH}(?:\s(?:of\s)?|[-/])'?(?:{_YEAR}|\d\d(?:st|nd|rd|th)?|\d(?:st|nd|rd|th)?)(?:{_DASH}\d{{1,2}})?(?![\w%]|[.,]\d)(?:,\s{_YEAR})?",
    r"(?:0?[1-9]|1[0-2])[/.](?:19|20)\d\d(?![\d/.,]\d|\d)",  # 06/2024
    r"(?:19|20)\d\d[-/](?:0[1-9]|1[0-2])(?![\d/-]|[.,]\d)",  # 2024-06
    r"(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.(?!\d)(?=\s+(?:um|bis|und|\d|[a-z]))",  # am 30.06. um
)
_CHINESE = (
    rf"{_YEAR}(?:[-—–~至到]{_YEAR})?年(?:度|初|末|底|间|代|版)?(?:\d{{1,2}}(?:[-—–~至到]\d{{1,2}})?月份?)?(?:\d{{1,2}}[日号]?)?(?!\d)",
    r"\d{1,2}(?:[-—–~至到]\d{1,2})?月(?:\d{1,2}(?:[-—–~至到]\d{1,2})?[日号]|份|底|初|末|上旬|中旬|下旬)?",  # 10月31日, 1—9月
    r"(?:[〇零一二三四五六七八九]{4}年)?(?<!个)(?:[一二三四五六七八九]|十[一二]?)月(?:(?:[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九])[日号]|份|底|初|末)",
    r"[〇零○一二三四五六七八九]{4}年(?:度|初|末|底)?",
    r"(?<![\d.])\d{1,2}日(?![元均产])",  # 15日前
    r"\d{2}年代|\d{1,2}世纪|[一二]?十[一二三四五六七八九]?世纪|\d0后",  # 90年代, 90后
)
_SPANS = (
    r"(?:19|20)\d\d[/–-](?:(?:19|20)\d\d|\d\d)年?(?:度)?(?![\d/-]|[.,]\d)",  # 2023/24; taken only where it is one year on
    r"(?:1[5-9]|20)\d0(?:s|er|ers)\b|(?<!\d)'?\d0(?:s|er)\b",  # 1990s, 90er Jahre
    r"(?:années|Années)\s(?:(?:19|20)?\d0)",  # années 90
    r"(?<![\w'])'\d\d(?![\w']|[-.,]\d)",  # '24, not '51-100'
)
_BEGIN = r"(?<![\d.,])(?:(?<![A-Za-z_])|(?<=T))"
# Forms that begin with a digit are tried at digits only; those that begin with a word only where such a word is.
_NUMERIC = tuple(
    form
    for form in (*_CLOCK, *_QUARTERS, *_MONTHS, *_CHINESE, *_SPANS)
    if form.startswith((r"\d", r"(?<!\.[a-z]", "(?:0?", "(?:19", "(?:1[5", "(?:1[89]", "[1-4]"))
)
_WORDED = tuple(form for form in (*_CLOCK, *_QUARTERS, *_MONTHS, *_CHINESE, *_SPANS) if form not in _NUMERIC)
_CELL = r"(?<=,)\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:\s?[AaPp]\.?[Mm]\b\.?)?(?![\d:])"  # Leeds,14:30:05,17
AT_DIGITS = compiled(rf"{_BEGIN}(?=\d)(?:{'|'.join(_NUMERIC)})|{_CELL}")
AT_WORDS = compiled(rf"{_BEGIN}(?:{'|'.join(_WORDED)})")
_OPENERS = frozenset(
    f"{word} 0"
    for word in re.findall(
        r"[^\W\d_]+",
        f"{MONTH} {MONTH} q h t s fy cy ay gj hy kw cw week weeks kalenderwoche semaine semaines utc gmt années à vers dès avant après jusqu".lower(),
    )
) | {"一", "'"}
_SLASHED = re.compile(r"((?:19|20)\d\d)[/–-]((?:19|20)?\d\d)\Z")


def moments(text: str, *, digits: bool = True, words: bool = True) -> list[tuple[int, int]]:
    """Spans of partial dates, quarters, seasons, decades and clock times: of forms that begin with a digit, with a word.

    >>> text = "Q3 2024 at 14:30, 2021-2025, 3-5 days"
    >>> [text[start:end] for start, end in sorted(moments(text))]
    ['Q3 2024', '14:30']
    """
    found = list(AT_DIGITS.finditer(text)) if digits else []
    if words:
        found += AT_WORDS.finditer(text)
    return [m.span() for m in found if not _is_two_years(m.group())]


def may_open(has: set[str]) -> bool:
    """Whether a text with these features may hold a moment that begins with a word."""
    return not _OPENERS.isdisjoint(has)


def _is_two_years(text: str) -> bool:
    """2021-2025 is a span of two years, which may be read as values; 2023/24 and 2023-2024 are one year of accounts."""
    two = _SLASHED.match(text)
    return two is not None and (int(two[2][-2:]) - int(two[1][-2:])) % 100 != 1
