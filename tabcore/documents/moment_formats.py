"""Dates, times and durations as a number format of a sheet shows them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import assert_never

from tabcore.documents.format_sections import Section, Token


def moment_text(section: Section, serial: float, from_1904: bool) -> str | None:
    """The date or time that a number of days stands for; None where it is none, and Excel fills the cell with `#`."""
    units = _units(section.tokens)
    places = max((len(unit) - 1 for unit in units if unit.startswith(".")), default=0)
    seconds = round(serial * 86400, places)
    try:
        epoch = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 30 if serial >= 60 else 31)
        moment = epoch + timedelta(seconds=seconds)
    except OverflowError:
        return None
    if serial < 0:
        return None
    twelve = section.has("half")
    return "".join(_unit(unit, moment, seconds, twelve) or unit.strip("\0") for unit in units)


def _units(tokens: tuple[Token, ...]) -> list[str]:
    """The parts of a date format; literals are closed in NUL, minutes are `n`, parts of a second `.0`."""
    units: list[str] = []
    clock = [i for i, token in enumerate(tokens) if token.kind in ("date", "elapsed")]
    for i, (kind, text) in enumerate(tokens):
        last = units[-1] if units else ""
        match kind:
            case "elapsed":
                units.append(f"[{text}]")
            case "half":
                units.append(text)
            case "date" if text[0] == "m" and _is_minute(tokens, clock, clock.index(i)):
                units.append("n" * len(text))
            case "date":
                units.append(text)
            case "mark" if text == "." and i + 1 < len(tokens) and tokens[i + 1] == ("digit", "0"):
                units.append(".")
            case "digit" if last.startswith("."):
                units[-1] += text
            case "literal" | "mark" | "digit" | "general" | "exponent" | "condition" | "end":
                units.append(f"\0{text}\0")
            case _:
                assert_never(kind)
    return units


def _is_minute(tokens: tuple[Token, ...], clock: list[int], at: int) -> bool:
    """`m` is a minute behind an hour or before a second, else a month."""
    before = tokens[clock[at - 1]].text[0] if at else ""
    after = tokens[clock[at + 1]].text[0] if at + 1 < len(clock) else ""
    return len(tokens[clock[at]].text) < 3 and (before == "h" or after == "s")


def _unit(unit: str, moment: datetime, seconds: float, twelve: bool) -> str:
    hour = (moment.hour % 12 or 12) if twelve else moment.hour
    width = min(2, len(unit))
    match unit[0]:
        case "y":
            return f"{moment.year % 100:02d}" if len(unit) < 3 else f"{moment.year:04d}"
        case "e":
            return str(moment.year)
        case "m":
            return _named(moment, unit, "%b", "%B") or f"{moment.month:0{width}d}"
        case "d":
            return _named(moment, unit, "%a", "%A") or f"{moment.day:0{width}d}"
        case "h":
            return f"{hour:0{width}d}"
        case "n":
            return f"{moment.minute:0{width}d}"
        case "s":
            return f"{moment.second:0{width}d}"
        case "a" | "上":
            early, _, late = ("AM/PM" if unit == "am/pm" else unit.upper()).partition("/")
            return early if moment.hour < 12 else late
        case "[":
            whole = int(seconds) // {"h": 3600, "m": 60, "s": 1}[unit[1]]
            return f"{whole:0{len(unit) - 2}d}"
        case ".":
            return "." + f"{moment.microsecond:06d}".ljust(len(unit) - 1, "0")[: len(unit) - 1]
        case _:
            return ""


_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def _named(moment: datetime, unit: str, short: str, long: str) -> str:
    if len(unit) < 3:
        return ""
    name = _MONTHS[moment.month - 1] if unit[0] == "m" else _DAYS[moment.weekday()]
    return name[:1] if len(unit) == 5 else name[:3] if len(unit) == 3 else name
