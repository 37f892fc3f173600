"""What a cell shows: a stored value and a number format of a sheet -> text.

The format language is that of ECMA-376 part 1, 18.8.30 and 18.8.31, as an English Excel reads it. No library was fit:
`ssf` (2020) fails with today's Babel, `xlfmt` (0.1) drops the percent sign of `0.##%` and takes ten times as long.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import assert_never

from tabcore.documents.format_sections import Common, Section, Token, sections_of
from tabcore.documents.moment_formats import moment_text

_EXACT = Context(prec=400, rounding=ROUND_HALF_UP)
"""Enough digits for any number of a cell; Excel rounds halves away from zero."""


def displayed(value: float | str | bool, code: str, *, from_1904: bool = False) -> str:
    """What a cell with the format `code` shows; dates count days from 1900, or from 1904 where the workbook says so.

    >>> displayed(0.123, "0.0%"), displayed(1234.5, "#,##0.00"), displayed(-1234.5, "#,##0.00;[Red](#,##0.00)")
    ('12.3%', '1,234.50', '(1,234.50)')
    >>> displayed(45352.75, "yyyy-mm-dd hh:mm"), displayed(12345678, '0.00,,"M"'), displayed(0.0, '0;-0;"none"')
    ('2024-03-01 18:00', '12.35M', 'none')
    """
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    sections = sections_of(code)
    if isinstance(value, str):
        return _text(value, sections)
    if value != value or value in (float("inf"), float("-inf")):
        return str(value)
    section, shown = _chosen(sections, value)
    return _rendered(section, shown, from_1904).strip()


def _chosen(sections: tuple[Section, ...], value: float) -> tuple[Section, float]:
    """The section for a number, and the number without the sign that the section states itself."""
    numeric = sections[:3]
    if any(section.condition for section in numeric):
        chosen = next((each for each in numeric if each.condition and _holds(each.condition, value)), None)
        if chosen is None:
            chosen = next((section for section in reversed(numeric) if not section.condition), numeric[-1])
        return chosen, value
    if len(numeric) > 2 and value == 0:
        return numeric[2], value
    if len(numeric) > 1 and value < 0:
        return numeric[1], -value
    return numeric[0], value


def _holds(condition: str, value: float) -> bool:
    operator, bound = condition.rstrip("-.0123456789"), float(condition.lstrip("<>="))
    return {
        "<": value < bound,
        ">": value > bound,
        "=": value == bound,
        "<=": value <= bound,
        ">=": value >= bound,
        "<>": value != bound,
    }[operator]


def _text(value: str, sections: tuple[Section, ...]) -> str:
    section = sections[3] if len(sections) > 3 else sections[-1]
    if not section.has("mark", "@"):
        return "" if len(sections) > 3 else value
    return "".join(value if token == ("mark", "@") else token.text for token in section.tokens)


def _rendered(section: Section, value: float, from_1904: bool) -> str:
    match section.sort:
        case "moment":
            return moment_text(section, value, from_1904) or general(value)
        case "general":
            shown = general(value)
            return "".join(shown if token.kind in ("general", "mark") else token.text for token in section.tokens)
        case "literal":
            return "".join(token.text for token in section.tokens)
        case "fraction":
            body = _fraction(section, abs(_stored(value)))
        case "scientific":
            body = _scientific(section, abs(_stored(value)))
        case "decimal" if section.common:
            body = _usual(section.common, abs(_stored(value)))
        case "decimal":
            percents = sum(token == ("mark", "%") for token in section.tokens)
            body = _decimal(section.tokens, abs(_stored(value)).scaleb(2 * percents, _EXACT))
        case _:
            assert_never(section.sort)
    return f"-{body}" if value < 0 and any(character in "123456789" for character in body) else body


def _stored(value: float) -> Decimal:
    """A number as Excel keeps it: fifteen digits, so that 1.005 is no less than it says."""
    return Decimal(f"{value:.15g}")


def _usual(common: Common, number: Decimal) -> str:
    rounded = _EXACT.quantize(number.scaleb(2 * common.percents), Decimal(1).scaleb(-common.places))
    return (
        f"{common.before}{rounded:,f}{common.after}" if common.grouped else f"{common.before}{rounded:f}{common.after}"
    )


def general(value: float) -> str:
    """A number as a cell without a format shows it: at most eleven characters and the sign.

    >>> general(1234.0), general(0.1 + 0.2), general(123456789012.0), general(0.0000123)
    ('1234', '0.3', '1.23457E+11', '1.23E-05')
    """
    if value == 0:
        return "0"
    order = int(f"{value:.14e}".partition("e")[2])
    if -5 < order < 0:
        return _trimmed(f"{value:.{9}f}")
    if 0 <= order < 11:
        return _trimmed(f"{value:.{max(0, 9 - order)}f}")
    mantissa, _, exponent = f"{value:.5E}".partition("E")
    return f"{_trimmed(mantissa)}E{exponent}"


def written(value: float | bool) -> str:
    """A number as a sheet would store it.

    >>> written(17.0), written(0.1 + 0.2), written(True)
    ('17', '0.30000000000000004', '1')
    """
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _trimmed(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number


def _decimal(tokens: tuple[Token, ...], number: Decimal) -> str:
    """A number laid into its digits: those before the point from the right, those after it from the left."""
    point = next((i for i, token in enumerate(tokens) if token == ("mark", ".")), len(tokens))
    whole_tokens, grouped, scale = _commas(tokens[:point], last=_last_digit(tokens))
    after = tokens[point + 1 :]
    after, _, trailing = _commas(after, last=_last_digit(after))
    places = sum(token.kind == "digit" for token in after)
    number = _EXACT.quantize(number.scaleb(-3 * (scale + trailing), _EXACT), Decimal(1).scaleb(-places))
    whole, _, decimals = f"{number:f}".partition(".")
    shown = _before_point(whole_tokens, whole.lstrip("0"), grouped)
    return shown if point == len(tokens) else f"{shown}.{_after_point(after, decimals)}"


def _last_digit(tokens: tuple[Token, ...]) -> int:
    return max((i for i, token in enumerate(tokens) if token.kind == "digit"), default=-1)


def _commas(tokens: tuple[Token, ...], last: int) -> tuple[tuple[Token, ...], bool, int]:
    """The tokens without their commas; whether these group thousands; how often those behind the digits divide."""
    digits = [i for i, token in enumerate(tokens) if token.kind == "digit"]
    first = digits[0] if digits else len(tokens)
    inner = [i for i, token in enumerate(tokens) if token == ("mark", ",") and i > first]
    end = min(last, digits[-1] if digits else -1)
    plain = tuple(token for i, token in enumerate(tokens) if i not in inner)
    return plain, any(i < end for i in inner), sum(i > end for i in inner)


def _before_point(tokens: tuple[Token, ...], whole: str, grouped: bool) -> str:
    left = sum(token.kind == "digit" for token in tokens)
    if not left:
        return "".join(token.text for token in tokens) + whole
    shown = ""
    for token in tokens:
        if token.kind != "digit":
            shown += token.text
            continue
        extra = len(whole) - left
        part = whole[: extra + 1] if extra >= 0 else {"0": "0", "?": " "}.get(token.text, "")
        whole = whole[extra + 1 :] if extra >= 0 else whole
        left -= 1
        shown += _grouped(part, left) if grouped else part
    return shown


def _grouped(digits: str, following: int) -> str:
    """Digits with a comma after each that has a multiple of three digits behind it."""
    shown = ""
    for i, digit in enumerate(digits):
        behind = following + len(digits) - 1 - i
        shown += digit + ("," if behind and behind % 3 == 0 and digit != " " else "")
    return shown


def _after_point(tokens: tuple[Token, ...], decimals: str) -> str:
    kept = len(decimals.rstrip("0"))
    needed = 0
    for i, token in enumerate(token for token in tokens if token.kind == "digit"):
        if token.text == "0":
            needed = i + 1
    shown, used = "", 0
    for token in tokens:
        if token.kind != "digit":
            shown += token.text
        else:
            used += 1
            shown += decimals[used - 1] if used <= max(kept, needed) else " " if token.text == "?" else ""
    return shown


def _scientific(section: Section, number: Decimal) -> str:
    at = next(i for i, token in enumerate(section.tokens) if token.kind == "exponent")
    mantissa, exponent = section.tokens[:at], section.tokens[at + 1 :]
    point = next((i for i, token in enumerate(mantissa) if token == ("mark", ".")), at)
    step = max(1, sum(token.kind == "digit" for token in mantissa[:point]))
    places = sum(token.kind == "digit" for token in mantissa[point:])
    power = 0
    if number:
        power = number.adjusted() // step * step
        rounded = _EXACT.quantize(number.scaleb(-power, _EXACT), Decimal(1).scaleb(-places))
        power += step if rounded.adjusted() >= step else 0
    width = sum(token.kind == "digit" for token in exponent)
    sign = "-" if power < 0 else section.tokens[at].text[1].replace("-", "")
    rest = "".join(token.text for token in exponent if token.kind != "digit")
    return f"{_decimal(mantissa, number.scaleb(-power, _EXACT))}E{sign}{abs(power):0{width}d}{rest}"


def _fraction(section: Section, number: Decimal) -> str:
    slash = section.tokens.index(Token("mark", "/"))
    head = "".join(token.text for token in section.tokens[:slash] if token.kind in ("digit", "literal"))
    below = "".join(token.text for token in section.tokens[slash + 1 :] if token.kind in ("digit", "literal")).strip()
    mixed = bool(re.search(r"[0#?]\s+[0#?]+\s*$", head))
    whole = int(number) if mixed else 0
    rest = Fraction(number - whole)
    if re.fullmatch(r"[1-9]\d*", below):
        part, bottom = round(rest * int(below)), int(below)
    else:
        nearest = rest.limit_denominator(10 ** min(4, max(1, len(below))) - 1)
        part, bottom = nearest.numerator, nearest.denominator
    if mixed and part == bottom:
        whole, part = whole + 1, 0
    if mixed and not part:
        return str(whole)
    return f"{whole} {part}/{bottom}" if mixed and whole else f"{part}/{bottom}"
