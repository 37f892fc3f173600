"""Values: the numbers that a text states, read from any of five notations, each with its exact span.

The rules are those of the specification's "Values". A line is read by itself: its digits that are no values are hidden
(`no_values`, `moments`, `dates`), what is left becomes bare numbers (`number_tokens`, `numerals`), and here each takes
the sign, currency, scale and percent mark around it (`number_marks`). Why each rule exists:

- parentheses negate in a cell they fill, for so accounts are printed (`| (356) |` is -356), and round a currency amount;
  in prose they only enclose: thirty (30) days
- a scale word belongs to its number: 1.2 in "1.2 million" is no value
- a range shares its marks: in 10-15% both are percents, in "5 to 7 million" both are millions
- one dot or comma before exactly three digits is read as the line's other numbers say, then the text's, then as its
  language writes; the other reading stays with the value
- what only touches stays apart, and a number inside a longer one is none: `1234567.89,17,0.5000` is three cells
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from decimal import Decimal

from tabcore.text.number_marks import currency_after, currency_before, may_be_marked, percent_after, scale_after
from tabcore.text.number_tokens import BORDER, UNIT, Token, hide, tokens
from tabcore.text.numerals import CHINESE_DIGITS, FRACTION_SIGNS, Mark, one_width
from tabcore.text.settling import settled_lines
from tabcore.text.value_rules import Value, is_distinctive, written_out


@dataclass(frozen=True, slots=True)
class LineValues:
    """The values of one line, places counted from its start; the decimal mark it gives away; whether it needs one."""

    values: tuple[Value, ...] = ()
    says: Mark | None = None
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class _Found:
    """A number on its way to a value."""

    token: Token
    start: int
    end: int
    number: Decimal
    sign: str = ""
    percent: bool = False
    currency: str | None = None
    factor: int = 1
    alternatives: tuple[Decimal, ...] = ()


_MAY_HOLD_ONE = re.compile(rf"[0-9０-９{FRACTION_SIGNS}]|[{CHINESE_DIGITS}]")


def values(text: str, *, locale_hint: Mark | None = None) -> tuple[Value, ...]:
    """Every value of the text, in order, none overlapping; `locale_hint` is the decimal mark where it is known.

    Linear in the length of the text. A value never spans more than one line break.

    >>> [(v.text, str(v.number), v.percent, v.currency) for v in values("Up 12.5% to ($1.2 million), see Table 7")]
    [('12.5%', '12.5', True, None), ('($1.2 million)', '-1200000', False, '$')]
    >>> [str(v.number) for v in values("1234567.89,17,0.5000")]
    ['1234567.89', '17', '0.5']
    """
    return tuple(
        replace(value, start=value.start + at, end=value.end + at)
        for at, found in settled_lines(text, line_values, locale_hint)
        for value in found.values
    )


def line_values(line: str, mark: Mark | None = None, hidden: str | None = None) -> LineValues:
    """The values of one line under a decimal mark; without one, as the line itself says, or open.

    `hidden` is the line after `hide`, where that is known.

    >>> line_values("16.181 users").is_open, line_values("1.250 Stück zu 5,80").is_open
    (True, False)
    """
    if not _MAY_HOLD_ONE.search(line if hidden is None else hidden):
        return LineValues()
    plain = one_width(line)
    hidden = hide(plain) if hidden is None else hidden
    bare = tokens(hidden, plain, mark)
    said = Counter(token.says for token in bare if token.says)
    says: Mark | None = None
    if said["comma"] != said["point"]:
        says = "comma" if said["comma"] > said["point"] else "point"
    has_open = any(token.other is not None for token in bare)
    if has_open and says and says != mark:
        bare, mark = tokens(hidden, plain, says), says
    if not bare:
        return LineValues()
    found = [_marked(token, hidden, bare[n - 1].end if n else 0) for n, token in enumerate(bare)]
    found = _shared(_apart(found), hidden)
    return LineValues(
        tuple(_value(item, line, hidden, mark is None or says is None) for item in found),
        says,
        has_open and not says and mark is None,
    )


def _apart(found: list[_Found]) -> list[_Found]:
    """Without numbers that another one's marks have taken in (1万2千)."""
    kept: list[_Found] = []
    for item in found:
        if not kept or item.start >= kept[-1].end:
            kept.append(item)
    return kept


def _marked(token: Token, hidden: str, free_from: int) -> _Found:
    """The number with the marks on both sides, in the order in which they may stand: sign, currency, number, scale …"""
    start, sign, currency, factor = _left(hidden, token.start, free_from)
    percent = token.percent
    if hidden.endswith("百分之", 0, start):
        start, percent = start - 3, True
    found = _Found(token, start, token.end, token.number * factor, sign, percent, currency, factor)
    return _parenthesised(_right(found, hidden), hidden, free_from)


def _left(hidden: str, at: int, free_from: int) -> tuple[int, str, str | None, int]:
    """Sign and currency before a number, either first: -$5, $-5, € 5."""
    inner = hidden[at - 1 : at] if at else ""
    if inner in ("-", "+") and (mark := currency_before(hidden, at - 1)) and mark[0] >= free_from:
        return mark[0], inner, mark[1], mark[2]
    mark = currency_before(hidden, at)
    start, currency, factor = mark if mark and mark[0] >= free_from else (at, None, 1)
    sign = _sign(hidden, start)
    return start - len(sign), sign, currency, factor


_MAY_PRECEDE_SIGN = re.compile(rf"[\s|(\[{{:=,;\"'*_~<>≈/`→⇥{BORDER}\u3000-\u9fff！-～]")


def _sign(hidden: str, at: int) -> str:
    """A hyphen or plus that follows a blank, a border or a bracket; an en dash only in a cell that it fills."""
    sign = hidden[at - 1 : at] if at else ""
    if sign not in ("-", "+", "–") or sign == "":
        return ""
    if sign == "–":
        return (
            sign
            if re.search(r"(?:^|[|\t])\s*\Z", hidden[max(0, at - 9) : at - 1])
            and re.match(r"[\d.,' ]+%?\s*(?:[|\t]|$)", hidden[at : at + 30])
            else ""
        )
    return sign if at == 1 or _MAY_PRECEDE_SIGN.match(hidden[at - 2]) else ""


def _right(found: _Found, hidden: str) -> _Found:
    """Scale, percent mark and currency after the number."""
    if not may_be_marked(hidden, found.end):
        return found
    at, number, factor, currency = found.end, found.number, found.factor, found.currency
    scale = None if found.token.ratio or factor != 1 else scale_after(hidden, at, money=currency is not None)
    if scale is not None:
        at, factor, own = scale
        number, currency = number * factor, currency or own
        at, number = _smaller_units(hidden, at, number, factor)
    if factor == 1 and (end := percent_after(hidden, at)) is not None:
        return replace(found, end=end, percent=True)
    mark = currency_after(hidden, at)
    if mark is not None and (currency is None or mark[1] == currency or (currency, mark[1]) == ("¥", "CNY")):
        at, currency = mark
    return replace(found, end=at, number=number, factor=factor, currency=currency)


_SMALLER = re.compile(r"(\d+(?:\.\d+)?)(千万|百万|十万|万|千|百)(?![克米瓦卡])")
_SMALLER_UNITS = {"千万": 10**7, "百万": 10**6, "十万": 10**5, "万": 10**4, "千": 10**3, "百": 100}


def _smaller_units(hidden: str, at: int, number: Decimal, factor: int) -> tuple[int, Decimal]:
    """The 2千 of 1万2千."""
    while factor >= 1000 and (more := _SMALLER.match(hidden, at)):
        at, number = more.end(), number + Decimal(more[1]) * _SMALLER_UNITS[more[2]]
    return at, number


def _parenthesised(found: _Found, hidden: str, free_from: int) -> _Found:
    """Negative in parentheses that fill a cell, or that stand round or right after a currency: (356), ($5), $(5), (3.1)%."""
    start, end = found.start - 1, found.end + 1
    if found.sign or start < free_from or hidden[start : start + 1] != "(" or hidden[end - 1 : end] != ")":
        return found
    percent, currency = found.percent, found.currency
    if not percent and (after := percent_after(hidden, end)):
        end, percent = after, True
    if currency is None and (mark := currency_before(hidden, start)) and mark[0] >= free_from:
        start, currency, _ = mark
    if currency is None and (behind := currency_after(hidden, end)):
        end, currency = behind
    is_cell = _fills_cell(hidden, start, end)
    if not is_cell and (currency is None or percent):
        return found
    others = () if is_cell else (found.number,)
    return replace(found, start=start, end=end, sign="-", percent=percent, currency=currency, alternatives=others)


_CELL_STARTS = re.compile(rf"(?:^|[|\t\n{BORDER}>→⇥]|[ \u00a0]{{2}})[ \u00a0*_]*\Z|[\",;][*_]*\Z")
_CELL_MARGIN = 12  # characters of blanks and emphasis that are looked through
_CELL_ENDS = re.compile(rf"[ \u00a0*_]*(?:[|\t\n{BORDER}<]|\Z)|[ \u00a0]{{2}}|[\",;](?! )")


def _fills_cell(hidden: str, start: int, end: int) -> bool:
    begins = _CELL_STARTS.search(hidden, max(0, start - _CELL_MARGIN), start)
    return begins is not None and _CELL_ENDS.match(hidden, end) is not None


_RANGE = re.compile(r"\s?(?:[-–—~至到]|--)\s?|\s(?:to|bis|à|through|up to|hasta)\s|\s?(?:至|到)\s?")
_BOTH = re.compile(r"\s(?:and|und|et)\s|[和与]")
_BETWEEN = re.compile(r"(?i:between|zwischen|entre|介于|在)\s?\Z")


def _shared(found: list[_Found], hidden: str) -> list[_Found]:
    """The two ends of a range hold each other's percent mark, scale and currency."""
    for n in range(len(found) - 1):
        first, second = found[n], found[n + 1]
        if _is_range(first, second, hidden):
            found[n], found[n + 1] = _with_marks_of(first, second), _with_currency_of(second, first)
    return found


def _is_range(first: _Found, second: _Found, hidden: str) -> bool:
    between = hidden[first.end : second.start]
    if len(between) > 9 or not between:
        return False
    if _BOTH.fullmatch(between):
        return _BETWEEN.search(hidden[max(0, first.start - 10) : first.start]) is not None
    return _RANGE.fullmatch(between) is not None


def _with_marks_of(first: _Found, second: _Found) -> _Found:
    if first.percent or _is_year(first):
        return first
    if first.factor != 1:
        return first if second.percent else replace(first, currency=first.currency or second.currency)
    if second.percent:
        return first if first.currency else replace(first, percent=True)
    factor = second.factor if first.number < 1000 and not first.token.grouped else 1
    return replace(first, number=first.number * factor, factor=factor, currency=first.currency or second.currency)


def _with_currency_of(second: _Found, first: _Found) -> _Found:
    if first.percent and not second.percent and second.currency is None and second.factor == 1:
        return replace(second, percent=True)
    return second if second.percent or second.currency else replace(second, currency=first.currency)


def _is_year(found: _Found) -> bool:
    """A whole number of four digits from 1900 to 2100 without any mark."""
    bare = found.end - found.start == 4 and not found.token.grouped and found.number == int(found.number)
    return bare and 1900 <= found.number <= 2100 and not (found.percent or found.currency or found.factor != 1)


UNIT_AFTER_YEAR = re.compile(rf"\s?(?:{UNIT.pattern})")


def _value(found: _Found, line: str, hidden: str, undecided: bool) -> Value:
    number = -found.number if found.sign in ("-", "–") else found.number
    other = found.token.other
    others = found.alternatives if other is None or not undecided else (*found.alternatives, other * found.factor)
    fields = (
        found.start,
        found.end,
        line[found.start : found.end],
        written_out(number),
        found.percent,
        found.currency,
        found.factor != 1,
        False,
        tuple(written_out(item) for item in others),
        found.token.ratio if found.factor == 1 else None,
        int(found.token.number.as_tuple().exponent) < 0,
        _is_year(found) and not UNIT_AFTER_YEAR.match(hidden, found.end),
    )
    value = Value(*fields)
    return Value(*fields[:7], True, *fields[8:]) if is_distinctive(value) else value
