r"""Which lines are loose: every digit that is left after `hide` is of a number that nothing around it changes.

What can change a bare number is near: a letter that touches it, a separator between digits, a currency, a scale or a
percent mark within a few signs, parentheses that fill a cell. Where none of these is, the number is its digits with the
sign before it, and all lines can be read at once (`plain_numbers.loose_numbers`).

Lines are bytes in Latin-1, as in `line_shapes`; a property test holds this and the full matcher together.
"""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa

from tabcore.text.line_shapes import Mask, among
from tabcore.text.number_marks import AFTER_WORDS, BEFORE_WORDS

_FILL = r"[^0-9\x80\x85\xbc-\xbe\n]"
# With a leading zero or more than fifteen digits a row of digits is no number, but nothing else either.
_POINTED = r"(?:(?:0|[1-9][0-9]{0,8})\.[0-9]{1,18}|[1-9][0-9]{9,14}\.[0-9]{1,10})"
_NUMBER = rf"(?:[0-9]+|{_POINTED})"
_LEFT = r"[^0-9A-Za-z_.$\x7f-\x83\x85-\xff\n]"
_BEFORE_DOLLAR = r"[^0-9A-Za-z_.$(+\x7f-\xff\n-]"
_RIGHT = r"[^0-9A-Za-z_$\x01\x7f-\xff\n]"
_BOTH = r"[-:;()\[\]{}|\"=<>~!@&+?^\\\t`# ]"  # alone between two numbers
_UNITS = "ms|s|kg|px|[KMG]B|h|min|[kMG]Wh?|d|em|F|A|x|V|l|L"
_NO_UNITS = "it|[fQacnyv]"  # what they touch is no value
_MARK = rf"(?:%|[kKMBT]|{_UNITS}|{_NO_UNITS})?"
# Numbers that commas join are read apart where each has a point, and between cells.
_ITEM = rf"(?:{_NUMBER}|{_POINTED}(?:,{_POINTED})+)"
_CELLS = rf"{_NUMBER}(?:,{_NUMBER})+"
# Elsewhere they may be groups of threes.
_GROUPED = r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]{1,10})?"
_AMOUNT = rf"\$(?:{_NUMBER}|{_GROUPED})"
_BEFORE_GROUPED = r"(?:[^0-9A-Za-z_.$(+,\[\x7f-\xff\n-]|[ |\t:=>*\"'][-+(]|[A-Za-z]\()"
_FIRST = rf"(?:{_LEFT}{_ITEM}|[,\[]{_CELLS}|{_BEFORE_GROUPED}{_GROUPED}|{_BEFORE_DOLLAR}{_AMOUNT})"
_NEXT = rf"(?:{_BOTH}{_ITEM}|\[{_CELLS}|[ |\t:;=](?:{_AMOUNT}|{_GROUPED})|{_RIGHT}{_FILL}*{_FIRST})"
_LOOSE = rf"^(?:{_FILL}*\n?|(?:{_FILL}*{_FIRST}|{_ITEM}|{_GROUPED}|{_AMOUNT})(?:{_MARK}{_NEXT})*{_MARK}(?:{_RIGHT}{_FILL}*)?\n?)$"
_NEUTRAL = re.compile(
    "[\u2014\u2022\u2026\u201c\u201d\u2190\u2191\u2193-\u21e4\u21e6-\u21ff\u2500-\u25ff\u2713-\u27bf]"
)
NEUTRAL = "\x03"


def _any(words: frozenset[str], end: str = "(?:[^A-Za-z]|$)") -> str:
    """The words as they are in Latin-1, each to its end; Chinese ones stand in no loose line."""
    no_amount = r"(?:[^0-9.,]|[.,](?:[^0-9]|$)|$)" if end else ""
    found = {word: "".join(map(_sign, word)) for word in sorted(words)}
    ends = {word: end if word[-1].isalpha() else no_amount if word[-1] == "$" else "" for word in found}
    return "|".join(sign + ends[word] for word, sign in found.items())


def _sign(sign: str) -> str:
    return re.escape(sign) if sign.isascii() else rf"\x{ord(sign):x}" if sign < "\u0100" else r"\x7f"


_END = r"[0-9][%kKMBT]?\)?"
_BLANK = r"[\s\v\x1c-\x1f]"
_RANGE = rf"{_BLANK}?(?:[-~{NEUTRAL}\x7f]|--){_BLANK}?|{_BLANK}(?:to|bis|\xe0|through|up to|hasta|and|und|et){_BLANK}"
_NO_LOOSE = "|".join(
    [
        rf"{_END}[ -]{{0,2}}(?:d'|de )? ?-?(?:{_any(AFTER_WORDS)}|[KMBT](?:[^A-Za-z0-9_/]|$)|per ?cent|pct|Prozent|pour cent)",
        rf"{_END} {{0,2}}-?[\x7f-\xbf\xd7\xf7]|[\x7f-\xbf\xd7\xf7] [-+(]{{0,2}}[0-9]|[\x7f-\x83\x85-\xff][-+(]{{1,2}}[0-9]",
        r"[0-9]\)? {1,2}%|%-? ?(?:[Pp]oint|pts|Punkt)",
        rf"(?:{_any(BEFORE_WORDS - {'$'}, '')}) ?[-+(]{{0,2}}[0-9]|\$ ?[-+(]{{1,2}}[0-9]|\$ [0-9]",
        # the two ends of a range share their marks
        rf"[0-9][%kKMBT]?(?:{_RANGE})[-+($]{{0,3}}[0-9.,]+[%kKMBT]|[0-9]%(?:{_RANGE})[-+($]{{0,3}}[0-9]",
        rf"\$[0-9.,]+(?:%|[kKMBT]?(?:{_RANGE})[-+($]{{0,3}}[0-9])|[0-9][kKMBT]?(?:{_RANGE})[-+(]{{0,2}}\$",
        # fractions and powers of ten; blanks that group by threes, or a card's number
        r"[0-9] ?/ ?[0-9]|[*x] ?10[\x01^]|[0-9] ?[*x] ?\x01",
        r"[0-9] [0-9]{3}(?:[^0-9]|$)|[0-9]{4} [0-9]{4} [0-9]{4}",
        # parentheses that may fill a cell
        r"(?:^|[|\t\n\x02>\",;*_\x84]|(?:^|[^A-Za-z0-9.:=)]) )\([0-9.,]+[%kKMBT]?\)",
        # groups of threes that may be cells; cells that blanks join
        r"(?:^|[^0-9.,\[])[-+(]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?[,\]][^ \t\r\n]",
        r"[,\[][-+(]?[0-9]+(?:[.,][0-9]+)* [0-9]|[0-9] [0-9]+(?:[.,][0-9]+)*[,\]][^ \t\r\n]",
    ]
)


def neutral(hidden: str) -> str:
    """The text with borders, arrows, bullets and curly quotes as a sign that nothing asks for, length kept."""
    return hidden if hidden.isascii() else _NEUTRAL.sub(NEUTRAL, hidden)


def loose(lines: pa.Array) -> Mask:
    r"""Of lines after `hide`, those that are loose.

    >>> loose(pa.array([b"f([1, 12], -5)\n", b"1/2 inch\n", b"12 million\n"], pa.binary())).tolist()
    [True, False, False]
    """
    return among(lines, np.ones(len(lines), bool), _LOOSE, _NO_LOOSE)
