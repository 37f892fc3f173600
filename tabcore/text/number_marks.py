"""What stands around a number and belongs to it: currency marks, scale words, percent marks.

The tables hold marks and names of the languages that the gold asks for; a mark that several currencies share ($, ¥, kr)
stands for itself. babel's CLDR data would bring 30 MB for names that reports rarely use, and neither k€ nor 万元.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

NBSP = "\u00a0"
_GAP = rf"[ \n{NBSP}]"

_CODE_WORDS = """
USD EUR GBP CHF CNY RMB JPY INR AUD CAD HKD NZD SGD SEK NOK DKK PLN CZK HUF KRW BRL MXN ZAR RUB TRY THB IDR MYR PHP
VND AED SAR ILS EGP TWD
"""
CODES = _CODE_WORDS.split()
_BEFORE = {
    **{code: code for code in CODES}, "RMB": "CNY", "人民币": "CNY", "US$": "USD", "US $": "USD", "A$": "AUD", "AU$": "AUD", "C$": "CAD",
    "CA$": "CAD", "HK$": "HKD", "NZ$": "NZD", "S$": "SGD", "R$": "BRL", "NT$": "TWD", "$": "$", "€": "EUR", "£": "GBP",
    "¥": "¥", "₹": "INR", "Rs.": "INR", "Rs": "INR", "₩": "KRW", "₽": "RUB", "₺": "TRY", "kr": "kr", "kr.": "kr",
    "Fr.": "CHF", "SFr.": "CHF",
}  # fmt: skip
_AFTER = {
    **{code: code for code in CODES}, "RMB": "CNY", "US$": "USD", "$": "$", "€": "EUR", "£": "GBP", "¥": "¥", "₹": "INR",
    "kr": "kr", "zł": "PLN", "euros": "EUR", "euro": "EUR", "Euros": "EUR", "Euro": "EUR", "US dollars": "USD",
    "U.S. dollars": "USD", "US-Dollar": "USD", "dollars américains": "USD", "Dollar": "$", "dollars": "$", "dollar": "$",
    "pounds sterling": "GBP", "Pfund Sterling": "GBP", "livres sterling": "GBP", "rupees": "INR", "yuan": "CNY",
    "renminbi": "CNY", "yen": "JPY", "Yen": "JPY", "Swiss francs": "CHF", "francs suisses": "CHF",
    "Schweizer Franken": "CHF", "Franken": "CHF", "francs": "CHF", "kronor": "kr", "kroner": "kr",
    "Kronen": "kr", "元人民币": "CNY", "人民币": "CNY", "美元": "USD", "欧元": "EUR", "英镑": "GBP", "日元": "JPY", "港元": "HKD", "港币": "HKD",
    "瑞士法郎": "CHF", "卢比": "INR", "元": "CNY",
}  # fmt: skip

_WORDS = {
    "thousand": 10**3, "thousands": 10**3, "million": 10**6, "millions": 10**6, "billion": 10**9, "billions": 10**9,
    "trillion": 10**12, "trillions": 10**12, "lakh": 10**5, "lakhs": 10**5, "lac": 10**5, "crore": 10**7, "crores": 10**7,
    "cr": 10**7, "cr.": 10**7, "Cr": 10**7, "Cr.": 10**7, "mn": 10**6, "mln": 10**6, "mio": 10**6, "bn": 10**9, "bln": 10**9, "tn": 10**12, "trn": 10**12,
    "lakh crore": 10**12, "lakh crores": 10**12,
    "Mn": 10**6, "Bn": 10**9, "Tsd.": 10**3, "Tsd": 10**3, "Tausend": 10**3, "tausend": 10**3, "Mio.": 10**6, "Mio": 10**6,
    "Million": 10**6, "Millionen": 10**6, "Mrd.": 10**9, "Mrd": 10**9, "Milliarde": 10**9, "Milliarden": 10**9,
    "Bio.": 10**12, "Billionen": 10**12, "mille": 10**3, "milliard": 10**9, "milliards": 10**9, "Md": 10**9, "Mds": 10**9,
}  # fmt: skip
_GLUED = {"k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12, "m": 10**6, "b": 10**9, "MM": 10**6, "mm": 10**6}
_ONLY_WITH_CURRENCY = frozenset({"m", "b", "MM", "mm"})  # 12 m is a length, 5b a label; $12m is money
_WITH_EURO = {"k€": 10**3, "K€": 10**3, "T€": 10**3, "TEUR": 10**3, "kEUR": 10**3, "M€": 10**6, "MEUR": 10**6, "Md€": 10**9, "Mds€": 10**9,
              "Mrd€": 10**9, "kCHF": 10**3, "TCHF": 10**3}  # fmt: skip
_SCALE_LETTER = {"十": 10, "百": 100, "千": 10**3, "万": 10**4, "亿": 10**8}


def _alternatives(words: Iterable[str]) -> str:
    return "|".join(
        re.escape(word) + (r"(?![^\W\d_])" if word[-1].isalpha() and word.isascii() else "")
        for word in sorted(words, key=len, reverse=True)
    )


# A unit that begins with a scale sign is no scale: 5千克 is a weight, 20万千瓦 is twenty times ten thousand kilowatts.
_UNIT_OF_THOUSAND = "[克米瓦卡帕赫伏焦周字升安]"
CHINESE_SCALE = re.compile(
    rf"{_GAP}?(?:(?:(?:[十百]?万|[百千]万|[十百千]?亿|万亿|百|千(?!{_UNIT_OF_THOUSAND}))(?!分之))+)"
)
_SCALE = re.compile(
    rf"(?:{_GAP}|-)?(?P<word>{_alternatives(_WORDS)})|(?P<glued>MM|mm|[kKMBTmb])(?![\w²³])|{_GAP}(?P<apart>[KMBT])(?![\w€/])"
)
_EURO_SCALE = re.compile(rf"{_GAP}?({_alternatives(_WITH_EURO)})")
_CURRENCY_AFTER = re.compile(rf"(?:{_GAP}?(?:d'|de ))?{_GAP}?-?({_alternatives(_AFTER)})(?!\d|[.,]\d)")
PERCENT = re.compile(
    rf"{_GAP}{{0,2}}(?:%|(?:per{_GAP}?cent|pct|Prozent|pour{_GAP}cent)(?![^\W\d_]))"
    rf"(?!-?{_GAP}?(?:[Pp]oints?|pts|Punkte?n?)\b)"
)
_GAPS = f" \n{NBSP}"
_MARKS_BEFORE = frozenset({*_BEFORE, *_WITH_EURO})
AFTER_WORDS = frozenset({*_WORDS, *_AFTER, *_WITH_EURO})
BEFORE_WORDS = _MARKS_BEFORE
_MARK_ENDS = frozenset(mark[-1] for mark in _MARKS_BEFORE)
_LONGEST_MARK = max(map(len, _MARKS_BEFORE))


def currency_before(text: str, at: int) -> tuple[int, str, int] | None:
    """Where the currency mark that ends before `at` starts, the currency, and the factor that it holds (TEUR).

    >>> currency_before("cost US$ 12", 9), currency_before("Plus 12", 5), currency_before("TEUR 12", 5)
    ((5, 'USD', 1), None, (0, 'EUR', 1000))
    """
    end = at - 1 if at and text[at - 1] in _GAPS else at
    if end <= 0 or text[end - 1] not in _MARK_ENDS:
        return None
    for length in range(min(_LONGEST_MARK, end), 0, -1):
        mark = text[end - length : end]
        if mark in _MARKS_BEFORE and not (
            end > length and text[end - length - 1].isascii() and text[end - length - 1].isalpha()
        ):
            return end - length, _BEFORE.get(mark) or _of_scale(mark), _WITH_EURO.get(mark, 1)
    return None


def _of_scale(mark: str) -> str:
    return "CHF" if mark.endswith("CHF") else "EUR"


def currency_after(text: str, at: int) -> tuple[int, str] | None:
    """Where the currency that follows at `at` ends, and the currency.

    >>> currency_after("3 millions d'euros", 10), currency_after("3 eurostat", 1)
    ((18, 'EUR'), None)
    """
    found = _CURRENCY_AFTER.match(text, at)
    return (found.end(), _AFTER[found[1]]) if found else None


def scale_after(text: str, at: int, *, money: bool) -> tuple[int, int, str | None] | None:
    """Where the scale that follows at `at` ends, its factor, and its currency where it has one (k€).

    >>> scale_after("5 million", 1, money=False), scale_after("12m", 2, money=False), scale_after("450 T€", 3, money=False)
    ((9, 1000000, None), None, (6, 1000, 'EUR'))
    """
    both = _EURO_SCALE.match(text, at)
    if both:
        return both.end(), _WITH_EURO[both[1]], _of_scale(both[1])
    found = _SCALE.match(text, at)
    if found is None:
        return _chinese_scale(text, at)
    if found["word"]:
        return found.end(), _WORDS[found["word"]], None
    letter = found["glued"] or found["apart"]
    is_money = money or currency_after(text, found.end()) is not None
    if (letter in _ONLY_WITH_CURRENCY or found["apart"]) and not is_money:
        return None
    return found.end(), _GLUED[letter], None


def _chinese_scale(text: str, at: int) -> tuple[int, int, None] | None:
    found = CHINESE_SCALE.match(text, at)
    if found is None:
        return None
    factor = 1
    for sign in found.group().strip():
        factor *= _SCALE_LETTER[sign]
    return found.end(), factor, None


def percent_after(text: str, at: int) -> int | None:
    """Where the percent mark that follows at `at` ends; percentage points are a unit.

    >>> percent_after("12 %", 2), percent_after("3 percentage points", 1), percent_after("3 Prozentpunkte", 1)
    (4, None, None)
    """
    found = PERCENT.match(text, at)
    return found.end() if found else None


def may_be_marked(text: str, at: int) -> bool:
    """Whether a scale, a percent mark or a currency can follow at `at` at all: a letter or a sign after two blanks at most.

    >>> may_be_marked("12, 5", 2), may_be_marked("12 %", 2)
    (False, True)
    """
    after = text[at : at + 3].lstrip(_GAPS)[:1]
    return after.isalpha() or after in _FIRST_SIGNS


_FIRST_SIGNS = frozenset("%$€£¥₹-")
