"""Numbers that are not equal, and still look like one another: how a value is distorted on its way into a deliverable."""

from __future__ import annotations

from decimal import Decimal

_NEAR = Decimal("0.01")
"""The largest relative difference that counts as inexact."""


def distortion(expected: str, found: str) -> str:
    """How the value `found` may be a distorted `expected`, by their keys; "" where it is none.

    >>> distortion("65", "56"), distortion("4312.5", "4321.5"), distortion("1234", "1284")
    ('digits swapped', 'digits swapped', 'one digit differs')
    >>> distortion("12.3%", "12.3"), distortion("5", "-5"), distortion("1200", "1.2"), distortion("221.3", "221")
    ('percent mark differs', 'sign differs', 'off by a power of ten', 'inexact')
    >>> distortion("65", "72"), distortion("65", "65"), distortion("2024-06-28", "2024-06-29"), distortion("1/3", "2/3")
    ('', '', '', '')
    """
    if expected == found or not (_is_number(expected) and _is_number(found)):
        return ""
    if expected.strip("%") == found.strip("%"):
        return "percent mark differs"
    if expected.strip("-%") == found.strip("-%"):
        return "sign differs"
    a, b = expected.strip("-%"), found.strip("-%")
    if _digits(a) == _digits(b) and expected[-1] != "%" != found[-1]:
        return "off by a power of ten"
    if expected.endswith("%") != found.endswith("%"):
        return ""
    if _same_places(a, b) and sorted(a) == sorted(b) and sum(x != y for x, y in zip(a, b, strict=True)) == 2:
        return "digits swapped"
    if _same_places(a, b) and len(_digits(a)) > 2 and sum(x != y for x, y in zip(a, b, strict=True)) == 1:
        return "one digit differs"
    one, other = Decimal(a), Decimal(b)
    return "inexact" if abs(one - other) <= _NEAR * max(one, other) else ""


def _is_number(key: str) -> bool:
    return key.strip("-%").replace(".", "", 1).isdecimal()


def _digits(number: str) -> str:
    return number.replace(".", "").strip("0")


def _same_places(a: str, b: str) -> bool:
    """True for numbers with as many digits before and behind the point."""
    return len(a) == len(b) and a.find(".") == b.find(".")
