"""A fast reading of the lines that most observations consist of: CSV rows, prose, table rows and JSON members in ASCII.

It says what `values.line_values` says or it says None: a line is read here only when every one of its digits stands
where no rule of the full matcher can touch it. Those places are listed below, each by what may stand before and after
the number. Everything else (dates in words, labels, ranges, scale words, currencies but $, Chinese) is left to the full
matcher. A property test holds the two together.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from tabcore.text.no_values import LABEL_WORDS, NAMING_WORDS
from tabcore.text.numerals import Mark
from tabcore.text.value_rules import Kind, written_out

Entry: TypeAlias = tuple[str, int, int, Kind]  # key, start, end, kind


class LineNumbers(NamedTuple):
    """The numbers of one line as entries of an index; the decimal mark it gives away; whether it needs one.

    A tuple for speed: one is made for every line of every observation.
    """

    values: tuple[Entry, ...] = ()
    says: Mark | None = None
    is_open: bool = False


NOTHING = LineNumbers()
_DIGIT = re.compile(r"[0-9]")
_ODD = re.compile(r"[^\x00-\x7fÀ-ÖØ-öø-ÿ]")
_PATH = re.compile(
    r"(?:==>? )?(?:[A-Za-z]{4,}(?:[_./-][A-Za-z0-9]+)*|(?:[~.]{1,2}|[A-Za-z_][\w.~-]*)?/(?:[\w.~-]+/)*[\w.~-]*[A-Za-z_][\w.~-]*)(?: <==)?",
    re.ASCII,
)
# What the full matcher takes off the front: line numbers of the read tool, file and line of a search.
_PREFIX = re.compile(r" +\d+\t|[A-Za-z_./][\w./ -]{0,190}\.[A-Za-z]\w{0,4}:\d+:(?=\d+,|[A-Za-z#|])", re.ASCII)
_COUNTED = re.compile(r" +((?:0|[1-9]\d{0,9})) ([A-Z][a-zü]{2,})(?: |,)[^\d]*")
_NUMBER = re.compile(r"[0-9]+(?:[,.](?![0-9]{4}-[0-9][0-9]-)[0-9]+)*")
_DATE = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])(?=,)")
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
_SIMPLE = re.compile(r"(?:0|[1-9]\d{0,9})(?:\.\d+)?")
_CELLS = re.compile(r"(?:0|[1-9]\d{0,9})(?:\.\d+)?(?:,(?:0|[1-9]\d{0,9})(?:\.\d+)?)*")
_OPEN = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")
_FACTORS = {"k": 10**3, "K": 10**3, "M": 10**6, "m": 10**6, "B": 10**9, "b": 10**9, "T": 10**12}
_TAKING_WORDS = """
thousand thousands million millions billion billions trillion trillions lakh lakhs lac crore crores cr bn mn mln mio
bln tn trn tausend mille milliard milliards percent per pct pour euro euros dollar dollars pounds livres rupees yuan
renminbi yen francs kronor kroner kr am pm uhr janvier mars avril mai juin juillet octobre novembre rue avenue
boulevard place quai chemin janv juil points point pts
"""
# Words that a number before them may belong to: scales, currencies, months, hours, streets.
_TAKING = frozenset(_TAKING_WORDS.split())
_NAMING = NAMING_WORDS | frozenset(
    ["kr", "rs", "usd", "eur", "nr", "v", "ver", "update", "nummer", "konto", "kennzeichen"]
)
_OTHER_NAMING = """
Mio Mrd Tsd Tausend Million Millionen Milliarde Milliarden Billionen Prozent Euro Euros Dollar Franken Kronen Swiss
Schweizer Pfund Uhr Yen Jan Feb Mar Apr May Jun Jul Aug Sep Sept Oct Nov Dec January February March April June July
August September October November December Januar Februar Juni Juli Oktober Dezember Mai Mrz Okt Dez Bio Std Mds
"""
_CAPITALS = frozenset(_OTHER_NAMING.split())
_STREET = re.compile(r"Street|St\.|Road|Rd|Ave|Lane|Drive")
_BEFORE = (
    LABEL_WORDS | _TAKING | _NAMING | frozenset(["im", "am", "à", "semaine", "semaines", "weeks", "vers", "avant"])
)
_FOLLOWED = re.compile(r"\.?\Z|,? ([a-z]{2,})(?=[ ,.;:]|\Z)(?! ?[^a-z]?[^a-z,.;:]?[\d$(]| [A-Z])")
_LISTED = re.compile(r"[-dlbcps][-rwxsStT]{9}[.+@]?\s")


def plain_line(line: str, mark: Mark | None) -> LineNumbers | None:
    """The numbers of a plain line, None where the line is not plain.

    >>> plain_line("7,2024-06-28,Fjord AS,1234567.89,17,0.5000,posted", None).values
    (('7', 0, 1, 'plain'), ('1234567.89', 22, 32, 'decimals'), ('17', 33, 35, 'plain'), ('0.5', 36, 42, 'decimals'))
    >>> plain_line("Section 4.2 applies", None) is None
    True
    """
    is_ascii = line.isascii()
    if is_ascii and not _DIGIT.search(line):
        return NOTHING
    if mark == "comma" or not (is_ascii or not _ODD.search(line)) or "\n" in line or ".." in line or ". . " in line:
        return None
    if ("," not in line and _PATH.fullmatch(line)) or (line[0] in "-dl" and _LISTED.match(line)):
        return NOTHING
    if line.isdecimal():
        return LineNumbers((_entry(line, 0, len(line)),)) if _is_short(line) else None
    if line[0] == " " and (counted := _COUNTED.fullmatch(line)):
        return _counted(counted)
    prefix = _PREFIX.match(line) if line[0] == " " or ":" in line else None
    base = prefix.end() if prefix else 0
    return _row(line, base) or _plain_from(line, base, mark)


_CELL = re.compile(r"[0-9]+(?:\.([0-9]+)|(-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])(?=,)))?")


def _row(line: str, base: int) -> LineNumbers | None:
    """A CSV row of bare numbers, days and words; one cell must be a word, or the row might be one grouped number."""
    found: list[Entry] = []
    next_cell, words, says, size = base, False, False, len(line)
    for m in _CELL.finditer(line, base):
        start, end = m.span()
        first = start - 1 if start > base and line[start - 1] == "-" else start
        if (
            (first == base and (first != start or m[2]))
            or (first != base and line[first - 1] != ",")
            or (end < size and line[end] != ",")
        ):
            return None
        words = words or first != next_cell
        next_cell = end + 1
        cell, decimals = line[first:end], m[1]
        if m[2]:
            if len(cell) != 10:
                return None
            words = True
            continue
        whole = end - start - (len(decimals) + 1 if decimals else 0)
        if whole > 10 or (line[start] == "0" and (whole > 1 or (first != start and not decimals))):
            return None
        if decimals:
            says = says or len(decimals) != 3 or whole > 3 or line[start] == "0"
            key = cell.rstrip("0").rstrip(".")
            found.append(("0" if key == "-0" else key, first, end, "decimals"))
        else:
            found.append((cell, first, end, "year" if end - first == 4 and "1900" <= cell <= "2100" else "plain"))
    words = words or (next_cell < size and bool(found))
    if not words or ", " in line or line[-1] == "," or not (says or _has_no_decimals(found)):
        return None
    return LineNumbers(tuple(found), "point" if says else None)


def _has_no_decimals(found: list[Entry]) -> bool:
    return all(kind != "decimals" for _, _, _, kind in found)


def _plain_from(line: str, base: int, mark: Mark | None) -> LineNumbers | None:
    found: list[Entry] = []
    says = is_open = False
    used = base
    for m in _NUMBER.finditer(line, base):
        start, end = m.span()
        digits = m[0]
        if start < used:
            if end > used:  # the last digits of a day and the next cell: 28,0
                return None
            continue
        before, after = line[start - 1 : start], line[end : end + 1]
        if (
            before == ","
            and after == ","
            and digits.isdecimal()
            and start > base
            and _is_short(digits)
            and line[end + 1 : end + 2] != " "
        ):
            found.append((digits, start, end, "year" if end - start == 4 and "1900" <= digits <= "2100" else "plain"))
            continue
        if after == "-" and before == "," and (date := _DATE.match(line, start)):
            used = date.end()
            continue
        entries = _cells(line, digits, start, end, base) or _alone(line, digits, start, end, base)
        if entries is None:
            return None
        found += entries
        if "." in digits or "," in digits:
            for part in [digits] if len(entries) == 1 else digits.split(","):
                may_be_open = _OPEN.fullmatch(part) is not None
                is_open = is_open or may_be_open
                says = says or ("." in part and not may_be_open)
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
    if (is_first and (percent or len(after) < 2)) or start - signed < base:
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
    if (
        outer[0] < base + 2
        or line[outer[0] - 1] != " "
        or not _is_free(line, *outer, dollar or opened or last != end or "," in digits)
    ):
        return None
    negative = opened and line[outer[0] - 2] == "|"
    if negative:
        first, last = outer
    sign = "-" if negative or line[first] == "-" else ""
    if (
        len(digits) == 4
        and digits.isdecimal()
        and "1900" <= digits <= "2100"
        and not dollar
        and line[end : end + 2].strip(" .,")
    ):
        return None
    return [_entry(digits.replace(",", ""), first, last, sign, "$" if dollar else "%" if percent else "", factor)]


def _is_free(line: str, start: int, end: int, marked: bool) -> bool:
    """Whether the number stands in prose, in a table cell or in a JSON member, and nothing takes it.

    A label holds for plain numbers only: "table 4", not "table 4,512" (`marked`).
    """
    last = line[start - 2]
    if last == "|":
        return line.startswith(" |", end)
    if last == ":":
        return line[start - 3 : start - 2] == '"' and (
            end == len(line) or line[end] == "}" or line.startswith(", ", end)
        )
    if not "a" <= last <= "z":
        return False
    followed = _FOLLOWED.match(line, end)
    if followed is None or followed[1] in _TAKING:
        return False
    word = line[line.rfind(" ", 0, start - 1) + 1 : start - 1]
    return _is_word(word) and word not in (_NAMING if marked else _BEFORE)


@lru_cache(1 << 14)
def _is_word(word: str) -> bool:
    return word.isascii() and word.isalpha() and word.islower() and (len(word) > 1 or word == "a")


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
