"""Which keys of the value index count as equal to one, under a rule: so that the index can be asked by key."""

from __future__ import annotations

from decimal import Decimal

from tabcore.text.value_rules import Rule, written_out


def equal_keys(key: str, rule: Rule) -> frozenset[str]:
    """The keys that a rule takes as equal to this one, itself among them. Other readings of a text are not among them:
    the index holds the settled one.

    >>> sorted(equal_keys("12.3%", Rule(shares=True))), sorted(equal_keys("5", Rule(either_sign=True)))
    (['0.123', '12.3%'], ['-5', '5'])
    >>> sorted(equal_keys("5", Rule(percent_marks_dropped=True))), sorted(equal_keys("2024-06-28", Rule(either_sign=True)))
    (['5', '5%'], ['2024-06-28'])
    """
    if _is_date(key):
        return frozenset((key,))
    keys = {key}
    if rule.percent_marks_dropped:
        keys |= {k[:-1] if k.endswith("%") else f"{k}%" for k in keys}
    if rule.shares and "/" not in key:
        keys.add(_share(key))
    if rule.either_sign:
        keys |= {k[1:] if k.startswith("-") else f"-{k}" for k in keys if k.rstrip("%") != "0"}
    return frozenset(keys)


def _is_date(key: str) -> bool:
    return key.count("-") - key.startswith("-") == 2


def _share(key: str) -> str:
    """12.3% for 0.123, and the other way round."""
    if key.endswith("%"):
        return format(written_out(Decimal(key[:-1]) / 100), "f")
    return format(written_out(Decimal(key) * 100), "f") + "%"
