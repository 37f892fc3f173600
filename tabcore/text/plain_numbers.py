"""The numbers of plain lines, all at once: from bytes to spans and keys by arrays, without a Python object a number.

What `line_shapes` calls a row or a free line holds numbers only where they can be read by the bytes beside them. A text
here is such lines one after the other, each with its line break, and one more line break at the start.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tabcore.text.values import UNIT_AFTER_YEAR

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

KINDS = ("plain", "decimals", "year", "currency", "percent")
_PLAIN, _DECIMALS, _YEAR, _CURRENCY, _PERCENT = range(5)
_ZERO, _NINE, _POINT, _COMMA, _MINUS, _PLUS, _DOLLAR, _OPEN, _PERCENT_SIGN = b"09.,-+$(%"
_FACTORS = {ord(sign): factor for sign, factor in zip("kKMmBbT", (3, 3, 6, 6, 9, 9, 12), strict=True)}
_QUOTE, _COLON, _STOP, _BORDER, _BRACKET = b'":.|['
_IS_BEFORE = np.isin(np.arange(256), list(b' "$(=|\n\x01'))
_IS_AFTER = np.isin(np.arange(256), list(b' ,;%)}]"|\r\n'))
_IS_BLANK = np.isin(np.arange(256), list(b" \r\n"))
_IS_JOINT = {False: np.arange(256) == _POINT, True: np.isin(np.arange(256), [_POINT, _COMMA])}
_PRECEDES_SIGN = np.isin(np.arange(256), list(b" \t\n\r\v\f\x1c\x1d\x1e\x1f\x02\x84|([{:=,;\"'*_~<>/`"))
_IS_NO_UNIT = np.isin(np.arange(256), list(b"ifQacnyv"))
_IS_SCALE = np.isin(np.arange(256), list(b"kKMBT"))
_IS_WORD = np.isin(np.arange(256), list(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"))
_LONGEST_NUMBER = 15  # digits
_IS_FACTOR = np.isin(np.arange(256), list(_FACTORS))


class Numbers(NamedTuple):
    """The numbers of some lines: spans, keys, kinds (places in `KINDS`), and what each says of the decimal mark."""

    starts: Places
    ends: Places
    keys: pa.Array
    kinds: npt.NDArray[np.int8]
    says: Mask
    is_open: Mask


class _Runs(NamedTuple):
    """Runs of digits with the points and commas inside; where the point stands (-1 for none), how many commas."""

    starts: Places
    ends: Places
    points: Places
    commas: Places


def row_numbers(text: Bytes) -> Numbers:
    """The numbers of rows: cells of digits; the parts of days are none."""
    runs = _runs(text, with_commas=False)
    before = text[runs.starts - 1]
    is_negative = (before == _MINUS) & ~_is_digit(text[runs.starts - 2])
    is_cell = (text[runs.ends] != _MINUS) & ((before != _MINUS) | is_negative)
    runs, is_negative = _kept(runs, is_cell), is_negative[is_cell]
    none = np.zeros(len(runs.starts), bool)
    return _numbers(text, runs, runs.starts - is_negative, runs.ends, is_negative, none, none)


def free_numbers(text: Bytes) -> Numbers:
    """The numbers of free lines with their marks: $1.2M, (1,204) in a cell, 12.3%, -5."""
    runs = _runs(text, with_commas=True)
    runs = _kept(runs, _are_free(text, runs))
    before, after = text[runs.starts - 1], text[runs.ends]
    is_percent, has_dollar = after == _PERCENT_SIGN, before == _DOLLAR
    is_scaled = has_dollar & _IS_FACTOR[after]
    earlier = text[np.maximum(runs.starts - 2, 0)]
    in_cell = (before == _OPEN) & ((earlier == _QUOTE) | (text[np.maximum(runs.starts - 3, 0)] == _BORDER))
    is_negative = in_cell | (before == _MINUS)
    starts = runs.starts - (is_negative | has_dollar)
    ends = runs.ends + is_percent + is_scaled + in_cell
    found = _numbers(text, runs, starts, ends, is_negative, is_percent, has_dollar)
    if is_scaled.any():
        found = found._replace(keys=_written_out(text, runs, np.flatnonzero(is_scaled), found.keys))
    return found._replace(kinds=_without_counts(text, found))


def loose_numbers(text: Bytes) -> Numbers:
    """The numbers of loose lines (`loose_lines`): every run of digits, with its sign and percent mark."""
    runs = _with_groups(text, _runs(text, with_commas=False))
    length = runs.ends - runs.starts
    is_id = (
        (runs.points < 0)
        & (runs.commas == 0)
        & (((text[runs.starts] == _ZERO) & (length > 1)) | (length > _LONGEST_NUMBER))
    )
    runs = _kept(runs, ~(is_id | _IS_NO_UNIT[text[runs.ends]]))
    before, after = text[runs.starts - 1], text[runs.ends]
    is_signed = _PRECEDES_SIGN[text[np.maximum(runs.starts - 2, 0)]] & ((before == _MINUS) | (before == _PLUS))
    is_percent, has_dollar = after == _PERCENT_SIGN, before == _DOLLAR
    is_scaled = _IS_SCALE[after] & ~_IS_WORD[text[np.minimum(runs.ends + 1, len(text) - 1)]]
    starts, ends = runs.starts - (is_signed | has_dollar), runs.ends + (is_percent | is_scaled)
    found = _numbers(text, runs, starts, ends, is_signed & (before == _MINUS), is_percent, has_dollar)
    if is_scaled.any():
        found = found._replace(keys=_written_out(text, runs, np.flatnonzero(is_scaled), found.keys))
    return found._replace(kinds=_without_counts(text, found))


def _are_free(text: Bytes, runs: _Runs) -> Mask:
    """Runs that are numbers: not those of files, paths, words, days and hours, which have other neighbours."""
    before, earlier = text[runs.starts - 1], text[np.maximum(runs.starts - 2, 0)]
    before, earlier = (
        np.where(before == _MINUS, earlier, before),
        np.where(before == _MINUS, text[np.maximum(runs.starts - 3, 0)], earlier),
    )
    after, later = text[runs.ends], text[np.minimum(runs.ends + 1, len(text) - 1)]
    begins: Mask = _IS_BEFORE[before] | ((before == _COLON) & (earlier == _QUOTE))
    ends: Mask = _IS_AFTER[after] | ((after == _STOP) & _IS_BLANK[later]) | ((before == _DOLLAR) & _IS_FACTOR[after])
    return begins & ends


def _is_digit(text: Bytes) -> Mask:
    return (text - _ZERO) <= _NINE - _ZERO


def _runs(text: Bytes, *, with_commas: bool) -> _Runs:
    digits = _is_digit(text)
    edges = np.flatnonzero(digits[1:] != digits[:-1]) + 1
    starts, ends = edges[::2], edges[1::2]
    joins = (ends[:-1] + 1 == starts[1:]) & _IS_JOINT[with_commas][text[ends[:-1]]]
    joints = ends[:-1][joins]
    is_first = np.concatenate([[True], ~joins]) if len(starts) else np.zeros(0, bool)
    is_last = np.concatenate([~joins, [True]]) if len(starts) else np.zeros(0, bool)
    run_of_joint = np.cumsum(is_first)[:-1][joins] - 1 if len(starts) else joints
    count = int(is_first.sum())
    points = np.full(count, -1, np.int64)
    is_point = text[joints] == _POINT
    points[run_of_joint[is_point]] = joints[is_point]
    commas = np.bincount(run_of_joint[~is_point], minlength=count)
    return _Runs(starts[is_first], ends[is_last], points, commas)


def _with_groups(text: Bytes, runs: _Runs) -> _Runs:
    """The runs with those as one that commas join, but cells, and numbers that each have a point."""
    if len(runs.starts) < 2:
        return runs
    is_joined = np.concatenate([[False], (runs.ends[:-1] + 1 == runs.starts[1:]) & (text[runs.ends[:-1]] == _COMMA)])
    firsts = np.flatnonzero(~is_joined)
    before = text[runs.starts[firsts] - 1]
    is_group = (runs.points[firsts] < 0) & (before != _COMMA) & (before != _BRACKET)
    keeps = ~(is_joined & is_group[np.cumsum(~is_joined) - 1])
    begins = np.flatnonzero(keeps)
    lasts = np.concatenate([begins[1:], [len(keeps)]]) - 1
    return _Runs(runs.starts[begins], runs.ends[lasts], runs.points[lasts], lasts - begins)


def _kept(runs: _Runs, mask: Mask) -> _Runs:
    return _Runs(*(field[mask] for field in runs))


def _numbers(
    text: Bytes, runs: _Runs, starts: Places, ends: Places, is_negative: Mask, is_percent: Mask, has_dollar: Mask
) -> Numbers:
    has_point = runs.points >= 0
    kinds = np.where(has_point, _DECIMALS, _PLAIN).astype(np.int8)
    kinds[_are_years(text, runs) & (ends - starts == 4)] = _YEAR
    kinds[is_percent] = _PERCENT
    kinds[has_dollar] = _CURRENCY
    is_open = _are_open(text, runs)
    says = (has_point | (runs.commas > 0)) & ~is_open
    return Numbers(starts, ends, _keys(text, runs, is_negative, is_percent), kinds, says, is_open)


def _are_open(text: Bytes, runs: _Runs) -> Mask:
    """1,234 or 1.234: one mark before exactly three digits, a head of one to three."""
    length = runs.ends - runs.starts
    one_mark = (runs.commas + (runs.points >= 0)) == 1
    fits: Mask = one_mark & (length >= 5) & (length <= 7) & ~_is_digit(text[runs.ends - 4])
    fits &= text[runs.starts] != _ZERO
    return fits


def _are_years(text: Bytes, runs: _Runs) -> Mask:
    """Four bare digits from 1900 to 2100."""
    years: Mask = (runs.ends - runs.starts == 4) & (runs.points < 0) & (runs.commas == 0)
    at = runs.starts[years]
    number = sum((text[at + n].astype(np.int64) - _ZERO) * 10 ** (3 - n) for n in range(4))
    years[years] = (number >= 1900) & (number <= 2100)
    return years


def _keys(text: Bytes, runs: _Runs, is_negative: Mask, is_percent: Mask) -> pa.Array:
    """Each number's digits without commas and without trailing zeros of a fraction, with its minus and percent sign."""
    stops = _stops(text, runs)
    is_zero = (text[runs.starts] == _ZERO) & (stops - runs.starts == 1)
    signed = is_negative & ~is_zero
    begins = runs.starts - signed
    steps = np.zeros(len(text), np.int8)
    steps[begins] = 1
    steps[stops] = -1
    kept = np.cumsum(steps, dtype=np.int8).view(bool)
    kept[runs.ends[is_percent]] = True
    if runs.commas.any():
        kept &= text != _COMMA
    text = text.copy()
    text[begins[signed]] = _MINUS
    offsets = np.zeros(len(begins) + 1, np.int32)
    np.cumsum(stops - begins - runs.commas + is_percent, out=offsets[1:])
    data = text[kept]
    return pa.Array.from_buffers(pa.string(), len(begins), [None, pa.py_buffer(offsets), pa.py_buffer(data)])


def _stops(text: Bytes, runs: _Runs) -> Places:
    """Where each number ends without the trailing zeros of its fraction, and without a point that is left over."""
    stops: Places = runs.ends.copy()
    left = np.flatnonzero(runs.points >= 0)
    while len(left := left[text[stops[left] - 1] == _ZERO]):
        stops[left] -= 1
    stops -= (runs.points >= 0) & (text[stops - 1] == _POINT)
    return stops


def _written_out(text: Bytes, runs: _Runs, scaled: Places, keys: pa.Array) -> pa.Array:
    """The keys with those of scaled numbers written out: $1.2M is 1200000."""
    mask = np.zeros(len(keys), bool)
    mask[scaled] = True
    powers = [_FACTORS[sign] for sign in text[runs.ends[scaled]].tolist()]
    digits = keys.filter(pa.array(mask)).to_pylist()
    written = [_shifted(number, power) for number, power in zip(digits, powers, strict=True)]
    result: Any = pa.compute.replace_with_mask(keys, pa.array(mask), pa.array(written, pa.string()))
    return result


def _shifted(number: str, power: int) -> str:
    """
    >>> _shifted("1.25", 6), _shifted("0", 3), _shifted("0.0005", 3), _shifted("-0.5", 3)
    ('1250000', '0', '0.5', '-500')
    """
    if number.startswith("-"):
        return "-" + _shifted(number[1:], power)
    whole, _, part = number.partition(".")
    if len(part) > power:
        return format(Decimal(number).scaleb(power), "f")
    return (whole + part.ljust(power, "0")).lstrip("0") or "0"


def _without_counts(text: Bytes, found: Numbers) -> npt.NDArray[np.int8]:
    """The kinds without years of which something is counted: 2050 MWh."""
    kinds = found.kinds
    for n in np.flatnonzero(kinds == _YEAR).tolist():
        after = text[found.ends[n] : found.ends[n] + 24].tobytes().decode("latin-1")
        if UNIT_AFTER_YEAR.match(after.partition("\n")[0]):
            kinds[n] = _PLAIN
    return kinds
