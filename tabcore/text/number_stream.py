"""The numbers of long texts as entries of an index, fast: what `values` finds, as keys with places.

Most lines of observations are plain (`plain_lines`) and many come again, for agents read the same files more than once
and runs of one task read the same files; so lines are remembered.
"""

from __future__ import annotations

from collections.abc import Iterator

from tabcore.text.numerals import Mark
from tabcore.text.plain_lines import Entry, LineNumbers, plain_line
from tabcore.text.segments import segments
from tabcore.text.settling import settled
from tabcore.text.value_rules import canonical, kind_of
from tabcore.text.values import line_values

_MOST_REMEMBERED = 1 << 16  # lines
_LONGEST_REMEMBERED = 400
_remembered: dict[str, LineNumbers] = {}


def numbers_of(text: str, *, locale_hint: Mark | None = None) -> Iterator[Entry]:
    """(key, start, end, kind) of every value of the text, in order; memory does not grow with the text.

    >>> list(numbers_of("Aldgate,1234567.89,17\\nup 12.30%"))
    [('1234567.89', 8, 18, 'decimals'), ('17', 19, 21, 'plain'), ('12.3%', 25, 31, 'percent')]
    """
    for block in segments(text):
        found = _found(block.lines)
        found = settled(found, block.lines, text, _read_again, locale_hint)
        for at, line in zip(block.places, found, strict=True):
            for key, start, end, kind in line.values:
                yield key, start + at, end + at, kind


def _found(lines: list[str]) -> list[LineNumbers]:
    known = list(map(_remembered.get, lines))
    return [_remember(lines[n]) if one is None else one for n, one in enumerate(known)]


def _remember(line: str) -> LineNumbers:
    """A pure function's memory: what is kept depends on the line alone, and all is dropped when it is full."""
    known = _remembered.get(line)
    if known is not None:
        return known
    found = line_numbers(line)
    if len(line) <= _LONGEST_REMEMBERED:
        if len(_remembered) >= _MOST_REMEMBERED:
            _remembered.clear()
        _remembered[line] = found
    return found


def forget() -> None:
    """Nothing remembered any more: for a measurement, or a process that has done its loading.

    >>> forget()
    """
    _remembered.clear()


def _read_again(line: str, mark: Mark | None) -> LineNumbers:
    """An open line under a mark; without one it was read with a decimal point already."""
    return line_numbers(line, mark) if mark == "comma" else _remember(line)


def line_numbers(line: str, mark: Mark | None = None) -> LineNumbers:
    """The entries of one line, by the fast reading where it is plain, else by the full matcher.

    >>> line_numbers("Revenue rose to 1.2 million").values
    (('1200000', 16, 27, 'decimals'),)
    """
    found = plain_line(line, mark)
    return found if found is not None else full_line(line, mark)


def full_line(line: str, mark: Mark | None = None) -> LineNumbers:
    """The same by the full matcher alone.

    >>> full_line("5 kg").values
    (('5', 0, 1, 'plain'),)
    """
    found = line_values(line, mark)
    entries = tuple((canonical(value), value.start, value.end, kind_of(value)) for value in found.values)
    return LineNumbers(entries, found.says, found.is_open)
