"""From written digits to numbers: separators, Chinese numerals, fractions of one character.

The reading of one dot or comma before exactly three digits depends on the rest of the text: such a reading is *open*
and carries both numbers; everything else is settled where it stands.

Why no library: babel's parse_decimal wants the locale told and one number per string; cn2an (MIT) reads a Chinese
numeral well but does not find it, refuses the mixed 1万2千 that reports use, and brings a second package.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, TypeAlias

from tabcore.text.ascii_digits import compiled

Mark: TypeAlias = Literal["point", "comma"]  # the decimal mark

NBSP = "\u00a0"
_WIDE = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if chr(code) not in "，；"}
_SAME = {
    "￥": "¥",
    "−": "-",
    "﹣": "-",
    "﹪": "%",
    "’": "'",
    "\u202f": NBSP,
    "\u2009": NBSP,
    "\u3000": " ",
    "\u2007": NBSP,
}
_ONE_WIDTH = str.maketrans({**{chr(code): char for code, char in _WIDE.items()}, **_SAME})
_WIDE_COMMA = re.compile(r"(?<=[０-９])，(?=[０-９])")


def one_width(text: str) -> str:
    """The text with full-width signs, odd blanks and odd minus signs as plain ones, character for character.

    Unlike NFKC it never changes a length (1½ stays two characters, ² is no digit), so spans hold in both. A full-width
    comma becomes a separator between full-width digits only: elsewhere it is punctuation.

    >>> one_width("￥１，２３４．５，好")
    '¥1,234.5，好'
    """
    if text.isascii():
        return text
    return _WIDE_COMMA.sub(",", text).translate(_ONE_WIDTH)


@dataclass(frozen=True, slots=True)
class Reading:
    """A written number: its place in the run, what it is, and what it is under the other decimal mark if that is open.

    `says` is the decimal mark that this number by itself gives away.
    """

    start: int
    end: int
    number: Decimal
    other: Decimal | None = None
    says: Mark | None = None
    grouped: bool = False


RUN = compiled(rf"\d+(?:[.,' {NBSP}]\d+)*")
_HEAD = r"[1-9]\d{0,2}"
_POINT = re.compile(
    rf"{_HEAD}(?:,\d{{3}})+(?:\.\d+)?|[1-9]\d?(?:,\d{{2}})+,\d{{3}}(?:\.\d+)?|{_HEAD}(?:'\d{{3}})+(?:\.\d+)?"
)
_COMMA = re.compile(rf"{_HEAD}(?:\.\d{{3}})+(?:,\d+)?|{_HEAD}(?:'\d{{3}})+,\d+")
_BLANKS = re.compile(rf"{_HEAD}(?:[ {NBSP}]\d{{3}})+(?:[.,]\d+)?(?![\d])")
_DECIMAL_COMMA = re.compile(r"\d+,\d{1,2}|0,\d+")
_ONE_MARK = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")  # 1.234 or 1,234: open
_CARD = re.compile(r"\d{4}(?: \d{4}){2,}")


def readings(run: str, *, cells: bool, mark: Mark | None) -> list[Reading]:
    """The numbers of a maximal run of digits and separators.

    `cells` says that the run's commas stand between cells (CSV, JSON); `mark` is the decimal mark where it is known.
    Numbers that only touch stay apart (1400,1777), and what fits no notation (1.2.3) is no number.

    >>> [str(r.number) for r in readings("1234567.89,17,0.5000", cells=False, mark=None)]
    ['1234567.89', '17', '0.5000']
    >>> [str(r.number) for r in readings("1,23,45,678", cells=False, mark=None)]
    ['12345678']
    >>> readings("1.234", cells=False, mark=None)[0].other
    Decimal('1234')
    """
    if run.isdecimal():
        return [] if _is_id(run) else [Reading(0, len(run), Decimal(run))]
    if _CARD.fullmatch(run):
        return []
    found: list[Reading] = []
    for start, end in _chunks(run, cells):
        found += _chunk(run[start:end], start, cells, mark)
    return found


def _is_id(digits: str) -> bool:
    """A leading zero (00074) or more than 15 digits (an identity card) is a number of something, not a number."""
    return (len(digits) > 1 and digits[0] == "0") or len(digits) > 15


def _chunks(run: str, cells: bool) -> list[tuple[int, int]]:
    """Cut at blanks, but where they group by threes (12 345,60); `1,400 1,350` and `2023 450` are two each."""
    spans: list[tuple[int, int]] = []
    at = 0
    while at < len(run):
        grouped = None if cells else _BLANKS.match(run, at)
        blank = re.compile(rf"[ {NBSP}]|\Z").search(run, at)
        end = grouped.end() if grouped else blank.start() if blank else len(run)
        if grouped and end < len(run) and run[end] not in f" {NBSP}":
            end = blank.start() if blank else len(run)
        spans.append((at, end))
        at = end + 1
    return spans


def _chunk(text: str, offset: int, cells: bool, mark: Mark | None) -> list[Reading]:
    if cells and "," in text:
        return _pieces(text, offset, mark)
    whole = _whole(text, offset, mark)
    if whole is not None:
        return [whole]
    return _pieces(text, offset, mark) if "," in text else []


def _pieces(text: str, offset: int, mark: Mark | None) -> list[Reading]:
    found: list[Reading] = []
    for piece in text.split(","):
        whole = _whole(piece, offset, "point")
        found += [whole] if whole is not None else []
        offset += len(piece) + 1
    return found


def _whole(text: str, at: int, mark: Mark | None) -> Reading | None:
    """The chunk as one number, or None where its groups do not fit."""
    end = at + len(text)
    if text.isdecimal():
        return None if _is_id(text) else Reading(at, end, Decimal(text))
    if " " in text or NBSP in text:
        joined = text.replace(" ", "").replace(NBSP, "")
        return Reading(
            at, end, Decimal(joined.replace(",", ".")), says="comma" if "," in joined else None, grouped=True
        )
    if _ONE_MARK.fullmatch(text):
        return _open(text, at, end, mark)
    if _COMMA.fullmatch(text):
        return Reading(at, end, Decimal(_digits(text.replace(".", "").replace("'", ""))), says="comma", grouped=True)
    if _POINT.fullmatch(text):
        return Reading(at, end, Decimal(text.replace(",", "").replace("'", "")), says="point", grouped=True)
    if text.count(".") == 1 and "," not in text and "'" not in text:
        return Reading(at, end, Decimal(text), says="point")
    if _DECIMAL_COMMA.fullmatch(text) or (mark == "comma" and re.fullmatch(r"\d+,\d+", text)):
        return Reading(at, end, Decimal(_digits(text)), says="comma")
    return None


def _open(text: str, at: int, end: int, mark: Mark | None) -> Reading:
    joined, split = Decimal(re.sub("[.,]", "", text)), Decimal(text.replace(",", "."))
    grouped = ("," in text) == (mark != "comma")
    number, other = (joined, split) if grouped else (split, joined)
    return Reading(at, end, number, other=other, grouped=grouped)


def _digits(text: str) -> str:
    return text.replace(",", ".")


_DIGITS = {**{c: n for n, c in enumerate("零一二三四五六七八九")}, "〇": 0, "○": 0, "两": 2, "壹": 1, "贰": 2, "叁": 3, "肆": 4,
           "伍": 5, "陆": 6, "柒": 7, "捌": 8, "玖": 9}  # fmt: skip
_SMALL = {"十": 10, "百": 100, "千": 1000, "拾": 10, "佰": 100, "仟": 1000}
_LARGE = {"万": 10**4, "亿": 10**8, "萬": 10**4, "億": 10**8}
CHINESE_DIGITS = "".join(_DIGITS) + "".join(_SMALL) + "".join(_LARGE)


def chinese_number(text: str) -> Decimal | None:
    """The number of a Chinese numeral, or None where it is none: a row of digits (二〇二四), an idiom (十四五), a bare unit.

    >>> chinese_number("一百二十万"), chinese_number("三十五点六"), chinese_number("十四五"), chinese_number("万一")
    (Decimal('1200000'), Decimal('35.6'), None, None)
    """
    whole, _, decimals = text.partition("点")
    number = _DIGITS.get(whole) if len(whole) == 1 and whole != "十" else _chinese_whole(whole)
    if number is None or (decimals and any(c not in _DIGITS for c in decimals)):
        return None
    return Decimal(f"{number}.{''.join(str(_DIGITS[c]) for c in decimals)}") if decimals else Decimal(number)


def _chinese_whole(text: str) -> int | None:
    """Units must fall within each part: 两千五百, 三亿零五万. `十` may open a numeral, no other unit may."""
    total = part = 0
    digit: int | None = None
    unit = 10**5
    for c in text:
        if c in _LARGE:
            if not (total or part or digit):
                return None
            total, part, digit, unit = (
                (total + part + (digit or 0)) * _LARGE[c]
                if _LARGE[c] > total
                else total + (part + (digit or 0)) * _LARGE[c],
                0,
                None,
                10**5,
            )
        elif c in _SMALL:
            if _SMALL[c] >= unit or (digit is None and (c not in "十拾" or part)):
                return None
            unit = _SMALL[c]
            part, digit = part + (1 if digit is None else digit) * unit, None
        elif digit is None or digit == 0:
            if unit == 10 and _DIGITS[c] == 0:
                return None
            digit = _DIGITS[c]
        else:
            return None
    return total + part + (digit or 0)


_FRACTIONS = {
    "½": "0.5",
    "¼": "0.25",
    "¾": "0.75",
    "⅕": "0.2",
    "⅖": "0.4",
    "⅗": "0.6",
    "⅘": "0.8",
    "⅛": "0.125",
    "⅜": "0.375",
    "⅝": "0.625",
    "⅞": "0.875",
}
ENDLESS = {"⅓": (1, 3), "⅔": (2, 3), "⅙": (1, 6), "⅚": (5, 6)}
FRACTION_SIGNS = "".join(_FRACTIONS) + "".join(ENDLESS)


def fraction_sign(sign: str) -> tuple[int, int]:
    """Numerator and denominator of a sign such as ¾."""
    return ENDLESS[sign] if sign in ENDLESS else Decimal(_FRACTIONS[sign]).as_integer_ratio()
