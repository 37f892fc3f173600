"""A number format of a sheet, taken apart: sections, and the tokens of each.

The language is that of ECMA-376 part 1, 18.8.30 and 18.8.31. Colours and fill are dropped, padding is a blank.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

CODE_LIMIT = 255
"""The longest format that Excel accepts; a longer one is read as General."""

BUILT_IN: dict[int, str] = {
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?",
    13: "# ??/??", 14: "m/d/yyyy", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM",
    20: "h:mm", 21: "h:mm:ss", 22: "m/d/yyyy h:mm", 27: 'yyyy"年"m"月"', 28: 'm"月"d"日"', 29: 'm"月"d"日"',
    30: "m-d-yy", 31: 'yyyy"年"m"月"d"日"', 32: 'h"时"mm"分"', 33: 'h"时"mm"分"ss"秒"', 34: 'AM/PMh"时"mm"分"',
    35: 'AM/PMh"时"mm"分"ss"秒"', 36: 'yyyy"年"m"月"', 37: "#,##0 ;(#,##0)", 38: "#,##0 ;[Red](#,##0)",
    39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;[Red](#,##0.00)", 41: '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)',
    42: '_($* #,##0_);_($* (#,##0);_($* "-"_);_(@_)', 43: '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)',
    44: '_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)', 45: "mm:ss", 46: "[h]:mm:ss", 47: "mmss.0",
    48: "##0.0E+0", 49: "@", 50: 'yyyy"年"m"月"', 51: 'm"月"d"日"', 52: 'yyyy"年"m"月"', 53: 'm"月"d"日"',
    54: 'm"月"d"日"', 55: 'AM/PMh"时"mm"分"', 56: 'AM/PMh"时"mm"分"ss"秒"', 57: 'yyyy"年"m"月"', 58: 'm"月"d"日"',
}  # fmt: skip
"""The formats that a file names by number alone; 27 to 36 and 50 to 58 as in a Chinese Excel, the only ones to differ."""

TokenKind = Literal["literal", "digit", "mark", "date", "elapsed", "half", "exponent", "general", "condition", "end"]


class Token(NamedTuple):
    """A part of a format: what kind it is, and its text without quotes and escapes."""

    kind: TokenKind
    text: str


_SYNTAX = re.compile(
    r'"(?P<quoted>[^"]*)"?'
    r"|\\(?P<escaped>.)"
    r"|_(?P<padding>.)"
    r"|\*(?P<fill>.)"
    r"|\[\$(?P<currency>[^\]\-]*)(?:-[^\]]*)?\]"
    r"|\[(?P<elapsed>h+|m+|s+)\]"
    r"|\[(?P<condition>(?:[<>]=?|=|<>)-?\d+(?:\.\d+)?)\]"
    r"|\[(?P<colour>[^\]]*)\]"
    r"|(?P<general>General)"
    r"|(?P<half>AM/PM|A/P|上午/下午)"
    r"|(?P<exponent>E[+-])"
    r"|(?P<date>y+|m+|d+|h+|s+|e+|g+)"
    r"|(?P<digit>[0#?])"
    r"|(?P<mark>[.,%/@])"
    r"|(?P<end>;)"
    r"|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
SectionSort = Literal["moment", "general", "literal", "fraction", "scientific", "decimal"]


class Common(NamedTuple):
    """A section of the usual make: `before`, digits with at least one before the point, `after`."""

    before: str
    grouped: bool
    places: int
    percents: int
    after: str


@dataclass(frozen=True, slots=True)
class Section:
    """One of the up to four parts of a format. `common` is set where a shorter way to lay out the digits will do."""

    tokens: tuple[Token, ...]
    condition: str
    sort: SectionSort
    common: Common | None

    def has(self, kind: TokenKind, text: str = "") -> bool:
        """Whether there is such a token."""
        return any(token.kind == kind and (not text or token.text == text) for token in self.tokens)


@lru_cache(maxsize=1024)
def sections_of(code: str) -> tuple[Section, ...]:
    """The sections of a format: of positive numbers, negative ones, zero and text, unless conditions say otherwise."""
    found: list[Section] = []
    tokens: list[Token] = []
    code = code if code and len(code) <= CODE_LIMIT else "General"
    for token in (*_tokens(code), Token("end", ";")):
        if token.kind != "end":
            tokens.append(token)
            continue
        condition = next((token.text for token in tokens if token.kind == "condition"), "")
        plain = tuple(token for token in tokens if token.kind != "condition")
        found.append(Section(plain, condition, _sort(plain), _common(plain)))
        tokens = []
    return tuple(found)


def _sort(tokens: tuple[Token, ...]) -> SectionSort:
    kinds = {token.kind for token in tokens}
    marks = {token.text for token in tokens if token.kind == "mark"}
    if kinds & {"date", "elapsed", "half"}:
        return "moment"
    if "general" in kinds or "@" in marks:
        return "general"
    if "digit" not in kinds:
        return "literal"
    return "fraction" if "/" in marks else "scientific" if "exponent" in kinds else "decimal"


_COMMON_DIGITS = re.compile(r"(#,##)?0(?:\.(0+))?(%?)")


def _common(tokens: tuple[Token, ...]) -> Common | None:
    inner = [i for i, token in enumerate(tokens) if token.kind != "literal"]
    if not inner:
        return None
    first, last = inner[0], inner[-1] + 1
    before, body, after = ("".join(token.text for token in part) for part in _cut(tokens, first, last))
    match = _COMMON_DIGITS.fullmatch(body)
    if match is None or any(token.kind == "literal" for token in tokens[first:last]):
        return None
    return Common(before, bool(match[1]), len(match[2] or ""), len(match[3]), match[3] + after)


def _cut(tokens: tuple[Token, ...], first: int, last: int) -> tuple[tuple[Token, ...], ...]:
    return tokens[:first], tokens[first:last], tokens[last:]


def _tokens(code: str) -> list[Token]:
    found: list[Token] = []
    for match in _SYNTAX.finditer(code):
        kind, text = match.lastgroup or "other", match.group(match.lastgroup or 0)
        match kind:
            case "fill" | "colour":
                continue
            case "padding":
                found.append(Token("literal", " "))
            case "digit" | "mark" | "exponent" | "general" | "condition" | "end":
                found.append(Token(kind, text))
            case "date" | "elapsed" | "half":
                found.append(Token(kind, text.lower()))
            case _:
                found.append(Token("literal", text))
    return found
