"""The bare numbers of one line, before signs, currencies and percent marks: runs of digits, fractions, powers of ten,
Chinese numerals; without what `no_values` and `moments` take out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from tabcore.text.dates import date_spans
from tabcore.text.moments import may_open, moments
from tabcore.text.no_values import FILE, blanked, features, without
from tabcore.text.number_marks import currency_after, currency_before, scale_after
from tabcore.text.numerals import (
    CHINESE_DIGITS,
    FRACTION_SIGNS,
    RUN,
    Mark,
    Reading,
    chinese_number,
    fraction_sign,
    readings,
)

BORDER = "\x02"  # stands for a terminal's colour code or an escape written out: a border, and no digits
ESCAPE = re.compile(
    r"\x1b\[[0-9;?]*[A-Za-z]|\[0m|\[\d{1,2}(?:;\d{1,3})*m(?! )|\\[nrt](?=[-+(]?[$€£¥]?\d|\W|\Z)|(?<=\d)\\[nrt]"
)
_LATIN = "A-Za-zÀ-ÖØ-öø-ÿ"
_DIGIT = re.compile("[0-9]")
_LETTER = re.compile(f"[{_LATIN}_]")
_CJK = re.compile(r"[\u3000-\u30ff\u3400-\u9fff]")

# Letters that may touch a number: units. Everything else that touches is an id (5G, 2FA, 80C).
UNIT = re.compile(
    r"(?:[kKMGTPEc]?(?:i?B|b|bit)(?:ps|/s)?|[kMGTm]?Wh?p?|[kMG]?VA|[kMGT]?Hz|[kM]?eV|[mk]?V|[mk]?A|[kM]?J|[kM]?Pa|[kM]?N|[kmcdnµμ]?m[23²³]?|[kmµμ]?g|[mcdh]?[lL]|"
    r"[mµμn]?s|sec|min|mins|hrs?|h|d|days?|yrs?|t|kt|Mt|ha|hl|lbs?|oz|ft|in|yd|mi|gal|mph|km/h|rpm|dB|px|pt|em|rem|dpi|fps|"
    r"pp|pps|ppm|ppb|bps?|x|X|mmHg|kcal|cal|ct|kn|mol|mmol|IU|C|F|K|°|℃|㎡|㎏|st|pax|ct|Std|Std\.|J|Ah|mAh)(?:/[\w²³]+)?(?![\w])"
)
_POWER = re.compile(r" ?[×x·*] ?10(?:\^ ?\(?([-+−]?\d+)\)?|([⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))|[eE]([-+]?\d{1,3})(?![\w.])")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_OVER = re.compile(r" ?[/⁄] ?(\d{1,3})(?![\d/]|[.,]\d|\s?[/]\d)")
_HAN = re.compile(rf"(?:([{CHINESE_DIGITS}]+)分之)?([{CHINESE_DIGITS}]+(?:点[{CHINESE_DIGITS}]+)?)")
_MEASURE = re.compile(
    "(?:个|家|名|台|辆|条|项|种|位|套|座|间|所|件|份|天|年|周|倍|吨|米|元|人|箱|张|支|艘|架|栋|幢|户|笔|批|篇|本|册|门|场|小时|公里|千米|千克|公斤|次|岁|轮|万?[美欧日港]元)"
)
_LEFT = re.compile(rf"[0-9{FRACTION_SIGNS}{CHINESE_DIGITS}]")
_NO_HAN_BEFORE = re.compile("[几数好上近成第期周每各]")


@dataclass(frozen=True, slots=True)
class Token:
    """A bare number in a line: its span, what it is, its other reading, an endless fraction as (over, under)."""

    start: int
    end: int
    number: Decimal
    other: Decimal | None = None
    says: Mark | None = None
    grouped: bool = False
    ratio: tuple[int, int] | None = None
    percent: bool = False


def hide(plain: str) -> str:
    """The line with all digits gone that are no values, length kept.

    >>> hide("On 2024-06-30 at 14:30, INV-2024-0091: 120").replace("\\x01", "_")
    'On __________ at _____, _____________: 120'
    """
    plain = without_escapes(plain)
    has = features(plain)
    return without(without_moments(plain, words=may_open(has)), has)


def without_escapes(plain: str) -> str:
    """The line with colour codes and escapes that are written out as borders, length kept."""
    if "\\" in plain or "[" in plain:
        return ESCAPE.sub(lambda m: BORDER * len(m.group()), plain)
    return plain


def without_moments(
    plain: str, *, files: bool = True, days: bool = True, digits: bool = True, words: bool = True
) -> str:
    """The line with its dates, clocks, quarters … gone, length kept; what is False need not be looked for."""
    # A day or a quarter in a file's name is a part of the name.
    unnamed = FILE.sub(lambda m: _DIGIT.sub("_", m.group()), plain) if files and "." in plain else plain
    found = date_spans(unnamed) if days else []
    return blanked(plain, found + moments(blanked(unnamed, found), digits=digits, words=words))


def tokens(hidden: str, plain: str, mark: Mark | None) -> list[Token]:
    """The bare numbers of a line, in order; `hidden` is the line after `hide`.

    >>> [str(t.number) for t in tokens("2 1/2 inches, 4.5 × 10^3", "2 1/2 inches, 4.5 × 10^3", None)]
    ['2.5', '4.5E+3']
    """
    if not _LEFT.search(hidden):
        return []
    found: list[Token] = []
    for token in sorted([*_digits(hidden, plain, mark), *_chinese(hidden)], key=lambda t: t.start):
        last = found[-1] if found else None
        if last is not None and token.start < last.end:
            continue
        if last is not None and _is_mixed(last, token, hidden):
            found[-1] = _sum(last, token)
        else:
            found.append(token)
    return found


def _digits(hidden: str, plain: str, mark: Mark | None) -> Iterator[Token]:
    used = 0
    for run in RUN.finditer(hidden):
        start, end = run.span()
        if start < used or _is_glued_before(hidden, start):
            continue
        if (
            start
            and hidden[start - 1] == "."
            and run.group().isdecimal()
            and not hidden[start - 2 : start - 1].isalnum()
        ):
            yield from _decimal_point_first(hidden, start, end)
            continue
        found = readings(run.group(), cells=_is_between_cells(hidden, start, end), mark=mark)
        for reading in found:
            token = _completed(_token(reading, start), hidden, plain)
            if token is not None and not _is_glued_after(hidden, token.end):
                used = token.end
                yield token
    for sign in re.finditer(f"(?<![\\d{FRACTION_SIGNS}])[{FRACTION_SIGNS}]", hidden):
        yield _fraction(sign.start(), sign.end(), *fraction_sign(sign.group()))


def _decimal_point_first(hidden: str, start: int, end: int) -> Iterator[Token]:
    """The .047 of a table without leading zeros."""
    if hidden[start - 2 : start - 1] != "." and not _is_glued_after(hidden, end):
        yield Token(start - 1, end, Decimal("0" + hidden[start - 1 : end]), says="point")
    elif hidden[start - 2 : start - 1] == ".":  # leaders: Total...120
        yield Token(start, end, Decimal(hidden[start:end]))


def _token(reading: Reading, offset: int) -> Token:
    return Token(
        offset + reading.start, offset + reading.end, reading.number, reading.other, reading.says, reading.grouped
    )


def _is_glued_before(hidden: str, at: int) -> bool:
    """A letter, `_` or `#` right before makes an id (PM2), a currency does not (USD1.2m), nor a times sign or n=45."""
    if not at:
        return False
    before = hidden[at - 1]
    if before == "." and hidden[at - 2 : at - 1].isalpha():
        return currency_before(hidden, at) is None and not _CJK.match(hidden[at - 2])
    if before == "_" and not hidden[at - 2 : at - 1].isalnum():  # emphasis: _7.2%_
        return False
    if before == "'" and hidden[at - 2 : at - 1].isdecimal():
        return True
    return _LETTER.match(before) is not None and currency_before(hidden, at) is None and not _is_times(hidden, at - 1)


def _is_times(hidden: str, at: int) -> bool:
    """The x of 120x80."""
    return hidden[at] == "x" and not hidden[at - 1 : at].isalpha()


def _is_glued_after(hidden: str, at: int) -> bool:
    if at >= len(hidden) or not _LETTER.match(hidden[at]):
        return False
    if hidden[at] == "_":
        return True
    if hidden[at] == "x" and hidden[at + 1 : at + 2].isdecimal():
        return False
    return not (UNIT.match(hidden, at) or scale_after(hidden, at, money=True) or currency_after(hidden, at))


def _is_between_cells(hidden: str, start: int, end: int) -> bool:
    """Whether commas here stand between cells: `…,17,250,posted`, `[12,345]`. A quoted cell is one number."""
    before, after = hidden[start - 1 : start], hidden[end : end + 2]
    if before == '"' and after[:1] == '"':
        return False
    if before in ("-", "+", "("):
        before = hidden[max(0, start - 2) : start - 1]
    if before == "[" or (before == "," and not _CJK.match(hidden[start - 2 : start - 1])):
        return True
    return len(after) == 2 and after[0] in ",]" and not after[1].isspace() and not _CJK.match(after[1])


def _completed(token: Token, hidden: str, plain: str) -> Token | None:
    """With the fraction sign, the denominator or the power of ten that follows."""
    number, at = token.number, token.end
    power = _POWER.match(plain, at)
    if power:
        exponent = int((power[1] or power[3] or power[2]).translate(_RAISED).replace("−", "-"))
        return (
            replace(token, end=power.end(), number=number.scaleb(exponent), other=None) if abs(exponent) < 100 else None
        )
    if hidden[at : at + 1] and hidden[at] in FRACTION_SIGNS:
        return _sum(token, _fraction(at, at + 1, *fraction_sign(hidden[at])))
    under = _OVER.match(hidden, at)
    if (
        under
        and not token.grouped
        and number == int(number)
        and 0 < number < int(under[1])
        and hidden[token.start - 1 : token.start] != "/"
    ):
        return _fraction(token.start, under.end(), int(number), int(under[1]))
    return token


def _fraction(start: int, end: int, over: int, under: int) -> Token:
    exact = Fraction(over, under)
    finite = pow(10, 64, exact.denominator) == 0
    ratio = None if finite else (exact.numerator, exact.denominator)
    return Token(start, end, Decimal(exact.numerator) / Decimal(exact.denominator), ratio=ratio)


def _is_mixed(whole: Token, part: Token, hidden: str) -> bool:
    """2 1/2: a whole number, one blank, a fraction below one."""
    between = hidden[whole.end : part.start]
    return (
        between == " "
        and "/" in hidden[part.start : part.end]
        and whole.number == int(whole.number)
        and 0 < part.number < 1
        and whole.number < 100
    )


def _sum(whole: Token, part: Token) -> Token:
    over, under = part.ratio or part.number.as_integer_ratio()
    return _fraction(whole.start, part.end, int(whole.number) * under + over, under)


def _chinese(hidden: str) -> Iterator[Token]:
    if hidden.isascii():
        return
    for found in _HAN.finditer(hidden):
        token = _han_parts(found) if found[1] else _han_whole(found, hidden)
        if token is not None and not hidden[found.start() - 1 : found.start()].isdecimal():
            yield token


def _han_parts(found: re.Match[str]) -> Token | None:
    """百分之十二 is a percent, 三分之一 a fraction."""
    number = Decimal(100) if found[2] == "百" else chinese_number(found[2])
    if found[1] == "百":
        return None if number is None else Token(found.start(), found.end(), number, percent=True)
    under = Decimal(1000) if found[1] == "千" else Decimal(10**4) if found[1] == "万" else chinese_number(found[1])
    if not number or not under:
        return None
    return _fraction(found.start(), found.end(), int(number), int(under))


def _han_whole(found: re.Match[str], hidden: str) -> Token | None:
    """A numeral of several signs; a single one only before a measure word, and 一 never (一次会议 is "a meeting")."""
    text = found[2]
    if (found.start() and _NO_HAN_BEFORE.match(hidden[found.start() - 1])) or hidden[
        found.end() : found.end() + 1
    ] == "几":
        return None
    if len(text) == 1 and (text in "一零〇○百千万亿" or not _MEASURE.match(hidden, found.end())):
        return None
    number = chinese_number(text)
    return None if number is None else Token(found.start(), found.end(), number)
