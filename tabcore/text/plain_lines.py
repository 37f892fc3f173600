"""A fast reading of the lines that most observations consist of: CSV rows, prose, table rows and JSON members in ASCII.

It says what `values.line_values` says or it says None: a line is read here only when every one of its digits stands
where no rule of the full matcher can touch it. Those places are listed below, each by what may stand before and after
the number. Everything else (dates in words, labels, ranges, scale words, currencies but $, Chinese) is left to the full
matcher. A property test holds the two together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import TypeAlias

from tabcore.text.no_values import LABEL_WORDS
from tabcore.text.numerals import Mark
from tabcore.text.value_rules import Kind, written_out

Entry: TypeAlias = tuple[str, int, int, Kind]  # key, start, end, kind


@dataclass(frozen=True, slots=True)
class LineNumbers:
    """The numbers of one line as entries of an index; the decimal mark it gives away; whether it needs one."""

    values: tuple[Entry, ...] = ()
    says: Mark | None = None
    is_open: bool = False


NOTHING = LineNumbers()
_DIGIT = re.compile(r"\d")
_ODD = re.compile(r"[^\x00-\x7fÀ-ÖØ-öø-ÿ]|\n|\.\.|\. \. ")
_PATH = re.compile(r"[A-Za-z]{4,}(?:[_./-][A-Za-z0-9]+)*|(?:[~.]{1,2}|[A-Za-z_][\w.~-]*)?/(?:[\w.~-]+/)*[\w.~-]*[A-Za-z_][\w.~-]*", re.ASCII)
# What the full matcher takes off the front: line numbers of the read tool, file and line of a search.
_PREFIX = re.compile(r" +\d+\t|[A-Za-z_./][\w./ -]{0,190}\.[A-Za-z]\w{0,4}:\d+:(?=\d+,|[A-Za-z#|])", re.ASCII)
_COUNTED = re.compile(r" +((?:0|[1-9]\d{0,9})) ([A-Z][a-zü]{2,})(?: |,)[^\d]*")
_NUMBER = re.compile(r"\d+(?:[,.](?!\d{4}-\d\d-\d\d)\d+)*")
_DATE = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])(?=,)")
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
_SIMPLE = re.compile(r"(?:0|[1-9]\d{0,9})(?:\.\d+)?")
_CELLS = re.compile(r"(?:0|[1-9]\d{0,9})(?:\.\d+)?(?:,(?:0|[1-9]\d{0,9})(?:\.\d+)?)*")
_OPEN = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")
_FACTORS = {"k": 10**3, "K": 10**3, "M": 10**6, "m": 10**6, "B": 10**9, "b": 10**9, "T": 10**12}
# Words that a number before them may belong to (scales, currencies, months, hours, streets) or that make ranges.
_TAKING = frozenset(
    "thousand thousands million millions billion billions trillion trillions lakh lakhs lac crore crores cr bn mn mln mio bln tn trn "
    "tausend mille milliard milliards percent per pct pour euro euros dollar dollars pounds livres rupees yuan renminbi yen francs kronor "
    "kroner kr am pm of de uhr janvier mars avril mai juin juillet octobre novembre rue avenue boulevard place quai chemin "
    "janv juil and or to through up und oder bis et ou hasta percentage sur von points point pts".split()
)
_CAPITALS = frozenset(
    "Mio Mrd Tsd Tausend Million Millionen Milliarde Milliarden Billionen Prozent Euro Euros Dollar Franken Kronen Swiss Schweizer "
    "Pfund Uhr Yen Jan Feb Mar Apr May Jun Jul Aug Sep Sept Oct Nov Dec January February March April June July August September October "
    "November December Januar Februar Juni Juli Oktober Dezember Mai Mrz Okt Dez Bio Std Mds".split()
)
_STREET = re.compile(r"Street|St\.|Road|Rd|Ave|Lane|Drive")
_BEFORE = LABEL_WORDS | _TAKING | frozenset("between zwischen entre rs usd eur nr n no v ver update im am à nummer konto kennzeichen".split())
_FOLLOWED = re.compile(r"\.?\Z|,? ([a-z]{2,})(?=[ ,.;:]|\Z)(?! ?[^a-z]?[^a-z,.;:]?[\d$(])")


def plain_line(line: str, mark: Mark | None) -> LineNumbers | None:
    """The numbers of a plain line, None where the line is not plain.

    >>> plain_line("7,2024-06-28,Fjord AS,1234567.89,17,0.5000,posted", None).values
    (('7', 0, 1, 'plain'), ('1234567.89', 22, 32, 'decimals'), ('17', 33, 35, 'plain'), ('0.5', 36, 42, 'decimals'))
    >>> plain_line("Section 4.2 applies", None) is None
    True
    """
    if not _DIGIT.search(line) and line.isascii():
        return NOTHING
    if mark == "comma" or _ODD.search(line):
        return None
    if _PATH.fullmatch(line):
        return NOTHING
    if line[0] == " " and (counted := _COUNTED.fullmatch(line)):
        return _counted(counted)
    prefix = _PREFIX.match(line)
    return _plain_from(line, prefix.end() if prefix else 0, mark)


def _plain_from(line: str, base: int, mark: Mark | None) -> LineNumbers | None:
    found: list[Entry] = []
    says = is_open = False
    used = base
    for m in _NUMBER.finditer(line, base):
        start, end = m.span()
        if start < used:
            continue
        digits = m[0]
        if line[end : end + 1] == "-" and (date := _DATE.match(line, start)) and line[start - 1 : start] == ",":
            used = date.end()
            continue
        entries = _cells(line, digits, start, end, base)
        if entries is None and (entries := _alone(line, digits, start, end, base)) is None:
            return None
        found += entries
        if not digits.isdecimal():
            may_be_open = len(entries) == 1 and _OPEN.fullmatch(digits) is not None
            is_open = is_open or may_be_open
            says = says or ("." in digits and not may_be_open)
    return LineNumbers(tuple(found), "point" if says else None, is_open and not says and mark is None)


def _counted(m: re.Match[str]) -> LineNumbers | None:
    """`    566 Aldgate GmbH,posted`: what counting programs print."""
    if m[2].lower() in _BEFORE or m[2] in _CAPITALS or _STREET.search(m.string):
        return None
    return LineNumbers((_entry(m[1], m.start(1), m.end(1)),)) if not 1900 <= int(m[1]) <= 2100 else None


def _cells(line: str, digits: str, start: int, end: int, base: int) -> list[Entry] | None:
    """Cells that touch, `1234567.89,17,0.5000`, or None where there is none."""
    is_first = start == base
    signed = not is_first and line[start - 1] == "-"
    if not is_first and line[start - 1 - signed : start - signed] != ",":
        return None
    percent = line[end : end + 1] == "%"
    after = line[end + percent : end + percent + 2]
    if after and (after[0] != "," or after[1:] == " "):
        return None
    if is_first and (percent or len(after) < 2) or start - signed < base:
        return None
    if not (_is_short(digits) if digits.isdecimal() else _CELLS.fullmatch(digits)) or (percent and "," in digits):
        return None
    found = []
    for piece in digits.split(","):
        last = start + len(piece)
        found.append(_entry(piece, start - signed, last + percent, "-" if signed else "", "%" if percent else ""))
        start, signed = last + 1, False
    return found


def _is_short(digits: str) -> bool:
    return len(digits) <= 10 and (digits[0] != "0" or len(digits) == 1)


def _alone(line: str, digits: str, start: int, end: int, base: int) -> list[Entry] | None:
    """A number by itself with its marks, $1.2M, (1,204), 12.3%, -5, or None where its place is not plain."""
    if not (_SIMPLE.fullmatch(digits) or _GROUPED.fullmatch(digits)) or len(digits) > 15:
        return None
    first, last, factor = start, end, 1
    before = line[first - 1 : first]
    if dollar := before == "$":
        first -= 1
        if factor := _FACTORS.get(line[last : last + 1], 0):
            last += 1
        factor = factor or 1
    elif percent := line[last : last + 1] == "%":
        last += 1
    if not dollar and line[first - 1 : first] == "-":
        first -= 1
    opened = line[first - 1 : first] == "("
    if opened and (line[last : last + 1] != ")" or dollar or first != start):
        return None
    outer = first - opened, last + opened
    if outer[0] < base + 2 or line[outer[0] - 1] != " " or not _is_free(line, *outer):
        return None
    negative = opened and line[outer[0] - 2] == "|"
    if negative:
        first, last = outer
    sign = "-" if negative or line[first] == "-" else ""
    if len(digits) == 4 and digits.isdecimal() and "1900" <= digits <= "2100" and not dollar and line[end : end + 2].strip(" .,"):
        return None
    return [_entry(digits.replace(",", ""), first, last, sign, "$" if dollar else "%" if percent else "", factor)]


def _is_free(line: str, start: int, end: int) -> bool:
    """Whether the number stands in prose, in a table cell or in a JSON member, and nothing takes it."""
    last = line[start - 2]
    if last == "|":
        return line.startswith(" |", end)
    if last == ":":
        return line[start - 3 : start - 2] == '"' and (end == len(line) or line[end] == "}" or line.startswith(", ", end))
    if not "a" <= last <= "z":
        return False
    followed = _FOLLOWED.match(line, end)
    if followed is None or followed[1] in _TAKING:
        return False
    return _is_free_word(line[line.rfind(" ", 0, start - 1) + 1 : start - 1])


@lru_cache(1 << 14)
def _is_free_word(word: str) -> bool:
    return word.isascii() and word.isalpha() and word.islower() and (len(word) > 1 or word == "a") and word not in _BEFORE


_KINDS: dict[str, Kind] = {"%": "percent", "$": "currency", "": "plain"}


def _entry(digits: str, start: int, end: int, sign: str = "", marked: str = "", factor: int = 1) -> Entry:
    kind = _KINDS[marked]
    if factor != 1:
        return sign + format(written_out(Decimal(digits) * factor), "f"), start, end, kind
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
        kind = "decimals" if kind == "plain" else kind
    elif marked == "" and end - start == 4 and not sign and "1900" <= digits <= "2100":
        kind = "year"
    if digits == "0":
        sign = ""
    return (f"{sign}{digits}%" if marked == "%" else sign + digits), start, end, kind
