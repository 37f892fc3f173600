"""What a value is, when it is distinctive and when two are equal: the specification's rule, and what a user may change."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["percent", "currency", "decimals", "year", "plain"]
Equality: TypeAlias = Literal[
    "exact", "scaled", "sign differs", "percent mark differs", "percent as share", "other reading"
]


@dataclass(frozen=True, slots=True)
class Value:
    """A number that a text states.

    `number` is written out (5.5 万 is 55000) and without trailing zeros; a percent's is the one before the mark.
    `ratio` is set for a fraction without a finite decimal: 1/3 is (1, 3), and `number` is rounded. `decimals` says that
    decimals are written, `year` that it may be a bare year. `alternatives` are other readings of the same text.
    """

    start: int
    end: int
    text: str
    number: Decimal
    percent: bool = False
    currency: str | None = None
    scaled: bool = False
    distinctive: bool = False
    alternatives: tuple[Decimal, ...] = ()
    ratio: tuple[int, int] | None = None
    decimals: bool = False
    year: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """What counts as distinctive and as equal; the defaults are the specification's.

    Distinctive: `digits` before the point, or (each a switch) written decimals, a percent mark, a currency; and years.
    Equal beside the same number: `either_sign` for accounts that print costs in parentheses, `percent_marks_dropped`
    for 12.3% and 12.3, `shares` for 12.3% and 0.123, `other_readings` for 1.234 and 1234, `same_currency` to ask more.
    """

    digits: int = 3
    decimals: bool = True
    percents: bool = True
    currencies: bool = True
    years: bool = False
    either_sign: bool = False
    percent_marks_dropped: bool = False
    shares: bool = False
    other_readings: bool = False
    same_currency: bool = False


DEFAULT = Rule()


def written_out(number: Decimal) -> Decimal:
    """The same number without trailing zeros and without an exponent.

    >>> written_out(Decimal("1200.00")), written_out(Decimal("-0"))
    (Decimal('1200'), Decimal('0'))
    """
    if not number:
        return Decimal(0)
    exponent = number.as_tuple().exponent
    if exponent == 0:
        return number
    text = format(number, "f")
    return Decimal(text.rstrip("0").rstrip(".") if "." in text else text)


def kind_of(value: Value) -> Kind:
    """The first of percent, currency, decimals (written, or not whole), year that holds, else plain.

    >>> kind_of(Value(0, 3, "5.0", Decimal(5), decimals=True))
    'decimals'
    """
    if value.percent:
        return "percent"
    if value.currency is not None:
        return "currency"
    if value.decimals or value.number != int(value.number):
        return "decimals"
    return "year" if value.year else "plain"


def is_distinctive(value: Value, rule: Rule = DEFAULT) -> bool:
    """Whether a rule takes the value for one that is not there by chance.

    >>> is_distinctive(Value(0, 2, "45", Decimal(45))), is_distinctive(Value(0, 2, "45", Decimal(45)), Rule(digits=2))
    (False, True)
    """
    return is_distinctive_key(canonical(value), kind_of(value), rule)


def is_distinctive_key(key: str, kind: Kind, rule: Rule = DEFAULT) -> bool:
    """The same for an entry of the value index.

    >>> is_distinctive_key("2024", "year"), is_distinctive_key("5", "decimals")
    (False, True)
    """
    if kind == "year":
        return rule.years
    whole = key.rstrip("%").lstrip("-").partition(".")[0].partition("/")[0]
    if (len(whole) >= rule.digits and whole != "0") or (kind == "currency" and rule.currencies):
        return True
    return (kind == "percent" and rule.percents) or (kind == "decimals" and rule.decimals)


def canonical(value: Value) -> str:
    """A key that two values share exactly when the default rule takes them as equal.

    >>> canonical(Value(0, 9, "$1,200.00", Decimal(1200), currency="$")), canonical(Value(0, 5, "12.30%", Decimal("12.3"), percent=True))
    ('1200', '12.3%')
    """
    if value.ratio is not None:
        return f"{value.ratio[0]}/{value.ratio[1]}" + ("%" if value.percent else "")
    return format(value.number, "f") + ("%" if value.percent else "")


def magnitude(key: str) -> str:
    """The key without its sign, for an index that is also asked under `either_sign`.

    >>> magnitude("-356")
    '356'
    """
    return key.removeprefix("-")


def relation(a: Value, b: Value) -> Equality | None:
    """How two values agree, whatever a rule makes of it; None where they don't.

    >>> relation(Value(0, 5, "(356)", Decimal(-356)), Value(0, 3, "356", Decimal(356)))
    'sign differs'
    """
    if a.percent == b.percent:
        return _of_alike(a, b)
    share, other = (a, b) if a.percent else (b, a)
    if share.number == other.number:
        return "percent mark differs"
    return "percent as share" if share.number == other.number * 100 else None


def _of_alike(a: Value, b: Value) -> Equality | None:
    if canonical(a) == canonical(b):
        return "exact" if a.scaled == b.scaled else "scaled"
    if magnitude(canonical(a)) == magnitude(canonical(b)):
        return "sign differs"
    return "other reading" if {a.number, *a.alternatives} & {b.number, *b.alternatives} else None


def equal(a: Value, b: Value, rule: Rule = DEFAULT) -> Equality | None:
    """How two values are equal under a rule; None where it does not take them as equal.

    >>> loss, cost = Value(0, 5, "(356)", Decimal(-356)), Value(0, 3, "356", Decimal(356))
    >>> equal(loss, cost), equal(loss, cost, Rule(either_sign=True))
    (None, 'sign differs')
    """
    if rule.same_currency and a.currency and b.currency and a.currency != b.currency:
        return None
    found = relation(a, b)
    taken = {
        "exact": True,
        "scaled": True,
        "sign differs": rule.either_sign,
        "percent mark differs": rule.percent_marks_dropped,
        "percent as share": rule.shares,
        "other reading": rule.other_readings,
    }
    return found if found is not None and taken[found] else None
