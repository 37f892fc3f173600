"""The full dates of many texts as columns of an index, fast: what `dates_of` finds.

Most dates of observations are written 2024-06-28; those are found all at once by the bytes around their hyphens. Lines
that hold a date of another notation, told by one pattern, are read one by one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tabcore.text.byte_lines import ByteLines, byte_lines
from tabcore.text.dates import dates_of_lines
from tabcore.text.segments import Block, segments

COLUMNS = pa.schema([("text", pa.int32()), ("day", pa.string()), ("start", pa.int32()), ("end", pa.int32())])
_Places = npt.NDArray[np.int64]
_TOGETHER = 1 << 22  # characters
_MONTH = (
    r"(?:[Jj]an|J\xe4n|[Ff]eb|[Ff]\xe9v|M\xe4r|Mrz|[Mm]ar|[Aa]pr|[Aa]vr|[Mm]a[iy]|[Jj]u[nil]|[Aa]ug|[Aa]o\xfb|[Ss]ep"
    r"|[Oo][ck]t|[Nn]ov|[Dd]e[cz]|[Dd]\xe9c)"
)
_BLANK = r"[\s\xa0\x7f-]"
_OTHER = (
    r"[0-9][/.][0-9]{1,2}[/.][0-9]|[0-9]\x7f|\x7f[0-9]|(?:^|[^0-9])[0-9]{1,2}-[0-9]{1,2}-[0-9]"
    r"|[0-9]{4}-(?:[0-9]-[0-9]|[0-9]{2}-[0-9](?:[^0-9]|$))"
    rf"|[0-9](?:st|nd|rd|th|er|\.)?{_BLANK}(?:of{_BLANK}|de{_BLANK})?{_MONTH}|{_MONTH}[a-z\xdf-\xff]*\.?{_BLANK}[0-9]|\x80"
)
_SIGNS = np.arange(256)
_NO_START = np.isin(_SIGNS, list(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_./-"))
_DAYS = np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])


def date_columns(texts: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Every full date of the texts as rows of `COLUMNS`, in order: which text (from 0), day as YYYY-MM-DD, span.

    >>> [batch] = date_columns(["7,2024-06-28,Fjord AS", "Signed June 28, 2024"])
    >>> batch.to_pydict()
    {'text': [0, 1], 'day': ['2024-06-28', '2024-06-28'], 'start': [2, 7], 'end': [12, 20]}
    """
    of: list[int] = []
    blocks: list[Block] = []
    size = 0
    for n, text in enumerate(texts):
        for block in segments(text):
            of.append(n)
            blocks.append(block)
            size += len(block.text)
        if size >= _TOGETHER:
            yield _columns(texts, of, blocks)
            of, blocks, size = [], [], 0
    if blocks:
        yield _columns(texts, of, blocks)


def _columns(texts: Sequence[str], of: list[int], blocks: list[Block]) -> pa.RecordBatch:
    lines = byte_lines(blocks, with_prefixes=True)
    text_of_line = np.array(of, np.int64)[lines.blocks]
    other = pc.match_substring_regex(lines.data, _OTHER).to_numpy(zero_copy_only=False)
    at, days = _iso_days(lines, other)
    line = np.searchsorted(lines.offsets, at, "right") - 1
    starts = at - lines.offsets[line] + lines.places[line]
    found = list(_read(texts, lines, np.flatnonzero(other), text_of_line))
    isos = pa.chunked_array([days, pa.array([iso for _, iso, _, _ in found], pa.string())])
    columns = [
        np.concatenate([text_of_line[line], np.array([row[0] for row in found], np.int64)]),
        np.concatenate([starts, np.array([row[2] for row in found], np.int64)]),
        np.concatenate([starts + 10, np.array([row[3] for row in found], np.int64)]),
    ]
    order = np.lexsort((columns[1], columns[0]))
    text, start, end = (pa.array(column[order].astype(np.int32)) for column in columns)
    return pa.RecordBatch.from_arrays([text, isos.take(pa.array(order)).combine_chunks(), start, end], schema=COLUMNS)


def _read(
    texts: Sequence[str], lines: ByteLines, chosen: _Places, text_of_line: _Places
) -> Iterator[tuple[int, str, int, int]]:
    by_text: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for n in chosen.tolist():
        by_text[int(text_of_line[n])].append((int(lines.places[n]), lines.line(n)))
    for text, some in by_text.items():
        for iso, start, end in dates_of_lines(some, texts[text]):
            yield text, iso, start, end


def _iso_days(lines: ByteLines, without: npt.NDArray[np.bool_]) -> tuple[_Places, pa.Array]:
    """Where a day YYYY-MM-DD starts among the bytes, and the days, but for those in some lines."""
    data = np.frombuffer(lines.data.buffers()[2], np.uint8)
    dashes = np.flatnonzero(data == ord("-"))
    dashes = dashes[(dashes >= 4) & (dashes < len(data) - 6)]
    dashes = dashes[data[dashes + 3] == ord("-")]
    starts = dashes - 4
    digits = data[starts[:, None] + np.arange(10)]
    parts = (digits - ord("0")).astype(np.int64)
    year, month, day = (parts[:, at] @ 10 ** np.arange(len(at))[::-1] for at in ((0, 1, 2, 3), (5, 6), (8, 9)))
    fits = (parts[:, (0, 1, 2, 3, 5, 6, 8, 9)] < 10).all(axis=1) & (year >= 1500) & (year < 2200)
    fits &= (month >= 1) & (month <= 12) & (day >= 1)
    fits &= day <= _DAYS[np.clip(month, 1, 12) - 1] + ((month == 2) & _are_leap(year))
    fits &= ~((starts > 0) & _NO_START[data[np.maximum(starts - 1, 0)]])
    after, later = data[starts + 10], data[np.minimum(starts + 11, len(data) - 1)]
    fits &= ~(_is_digit(after) | (after == ord("/")) | (np.isin(after, (ord("-"), ord("."))) & _is_digit(later)))
    fits &= ~without[np.searchsorted(lines.offsets, starts, "right") - 1]
    chosen = np.ascontiguousarray(digits[fits])
    offsets = np.arange(0, 10 * len(chosen) + 1, 10, dtype=np.int32)
    return starts[fits], pa.Array.from_buffers(
        pa.string(), len(chosen), [None, pa.py_buffer(offsets), pa.py_buffer(chosen)]
    )


def _is_digit(signs: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    return np.asarray((signs - ord("0")) < 10, bool)


def _are_leap(years: _Places) -> npt.NDArray[np.bool_]:
    return np.asarray((years % 4 == 0) & ((years % 100 != 0) | (years % 400 == 0)), bool)
