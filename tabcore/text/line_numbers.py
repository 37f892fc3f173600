"""The numbers of one line as entries of an index, by the full matcher, with a memory: many lines come again, for agents
read the same files more than once and runs of one task read the same files.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from tabcore.text.numerals import Mark
from tabcore.text.value_rules import Kind, canonical, kind_of
from tabcore.text.values import line_values

Entry: TypeAlias = tuple[str, int, int, Kind]  # key, start, end, kind


class LineNumbers(NamedTuple):
    """The numbers of one line as entries of an index; the decimal mark it gives away; whether it needs one."""

    values: tuple[Entry, ...] = ()
    says: Mark | None = None
    is_open: bool = False


_MOST_REMEMBERED = 1 << 16  # lines
_LONGEST_REMEMBERED = 400
_remembered: dict[str, LineNumbers] = {}


def remembered_line(line: str, mark: Mark | None = None, hidden: str | None = None) -> LineNumbers:
    """What `full_line` says, kept: a pure function's memory, dropped when it is full.

    An open line is read with a decimal point where there is no mark, so only a comma makes another reading.
    """
    if mark == "comma":
        return full_line(line, mark, hidden)
    known = _remembered.get(line)
    if known is not None:
        return known
    found = full_line(line, None, hidden)
    if len(line) <= _LONGEST_REMEMBERED:
        if len(_remembered) >= _MOST_REMEMBERED:
            _remembered.clear()
        _remembered[line] = found
    return found


def known_line(line: str) -> LineNumbers | None:
    """What is remembered of a line."""
    return _remembered.get(line)


def forget() -> None:
    """Nothing remembered any more: for a measurement, or a process that has done its loading.

    >>> forget()
    """
    _remembered.clear()


def full_line(line: str, mark: Mark | None = None, hidden: str | None = None) -> LineNumbers:
    """The entries of one line, its places counted from the line's start; `hidden` is the line after `hide`, where known.

    >>> full_line("Revenue rose to 1.2 million").values
    (('1200000', 16, 27, 'decimals'),)
    """
    found = line_values(line, mark, hidden)
    entries = tuple((canonical(value), value.start, value.end, kind_of(value)) for value in found.values)
    return LineNumbers(entries, found.says, found.is_open)
