"""The numbers of many texts as columns of an index, fast: what `values` finds, as keys with places.

Texts are read together, some megabytes at a time. Most lines of observations are plain (`line_shapes`) and are read all
at once (`plain_numbers`). In the others what is no value is hidden (`hidden_lines`); that makes most of them *loose*
(`loose_lines`), to be read at once too. The rest goes one by one to the full matcher (`line_numbers`). An open reading,
1.234, is settled for each block of a text, as `settling` does.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tabcore.text.byte_lines import ByteLines, byte_lines
from tabcore.text.hidden_lines import hidden_lines
from tabcore.text.languages import LOOKED_AT
from tabcore.text.line_numbers import LineNumbers, known_line, remembered_line
from tabcore.text.line_shapes import shapes
from tabcore.text.loose_lines import loose, neutral
from tabcore.text.number_stream import SHORT, of_block
from tabcore.text.numerals import Mark
from tabcore.text.plain_numbers import KINDS, Numbers, free_numbers, loose_numbers, row_numbers
from tabcore.text.segments import Block, segments
from tabcore.text.settling import mark_of

COLUMNS = pa.schema(
    [("text", pa.int32()), ("key", pa.string()), ("start", pa.int32()), ("end", pa.int32()), ("kind", pa.int8())]
)
_TOGETHER = 1 << 22  # characters
_Places = npt.NDArray[np.int64]
_CODES = {kind: code for code, kind in enumerate(KINDS)}


class _Batch(NamedTuple):
    """Blocks that are read together, the number of the text that each is of, and how that text begins."""

    blocks: list[Block]
    texts: list[int]
    openings: list[str]


class _Found(NamedTuple):
    """Numbers with the line that each is of, spans counted from the start of the line."""

    lines: _Places
    starts: _Places
    ends: _Places
    keys: pa.Array
    kinds: npt.NDArray[np.int8]


def number_columns(
    texts: Iterable[str], *, locale_hint: Mark | None = None, together: int = _TOGETHER, short: int = SHORT
) -> Iterator[pa.RecordBatch]:
    """Every value of the texts as rows of `COLUMNS`, in order: which text (from 0), key, span, kind (a place in `KINDS`).

    A batch of rows for each `together` characters of text, so that memory stays bounded; a long text may go on in the
    next batch. What has fewer than `short` characters is read line by line: to read many lines at once costs some hundredths
    of a second before anything is read.

    >>> [batch] = number_columns(["Aldgate,1234567.89,17", "none", "up 12.30%"])
    >>> batch["text"].to_pylist(), batch["key"].to_pylist(), [KINDS[kind] for kind in batch["kind"].to_pylist()]
    ([0, 0, 2], ['1234567.89', '17', '12.3%'], ['decimals', 'plain', 'percent'])
    """
    for batch in _batches(texts, together):
        is_short = sum(len(block.text) for block in batch.blocks) < short
        yield _of_short(batch, locale_hint) if is_short else _columns(batch, locale_hint, short)


def _of_short(batch: _Batch, hint: Mark | None) -> pa.RecordBatch:
    of_blocks = zip(batch.texts, batch.blocks, batch.openings, strict=True)
    rows = [(text, *entry) for text, block, opening in of_blocks for entry in of_block(block, opening, hint)]
    texts, keys, starts, ends, kinds = zip(*rows, strict=True) if rows else ((),) * 5
    columns = [texts, keys, starts, ends, [_CODES[kind] for kind in kinds]]
    return pa.RecordBatch.from_arrays(
        [pa.array(column, field.type) for column, field in zip(columns, COLUMNS, strict=True)], schema=COLUMNS
    )


def _batches(texts: Iterable[str], together: int) -> Iterator[_Batch]:
    batch, size = _Batch([], [], []), 0
    for n, text in enumerate(texts):
        for block in segments(text):
            batch.blocks.append(block)
            batch.texts.append(n)
            batch.openings.append(text[:LOOKED_AT])
            size += len(block.text)
            if size >= together:
                yield batch
                batch, size = _Batch([], [], []), 0
    if batch.blocks:
        yield batch


def _columns(batch: _Batch, hint: Mark | None, short: int) -> pa.RecordBatch:
    lines = byte_lines(batch.blocks)
    shaped = shapes(lines.data)
    rows, free = np.flatnonzero(shaped.rows), np.flatnonzero(shaped.free)
    row_found, free_found = row_numbers(lines.text(rows)), free_numbers(lines.text(free))
    plain = [(_placed(found, at, lines), found) for at, found in ((rows, row_found), (free, free_found))]
    hard = np.flatnonzero(~(shaped.empty | shaped.rows | shaped.free))
    read, loose_found = _read(hard, lines, short)
    plain += loose_found
    again = _to_read_again(batch, lines, plain, read, hint)
    read |= {n: remembered_line(lines.line(n), "comma") for n in again}
    dropped = np.fromiter(again, np.int64, len(again))
    parts = [_without(found, dropped) for found, _ in plain] if len(dropped) else [found for found, _ in plain]
    return _batch_of_rows(batch, lines, [*parts, _as_found(read)])


def _read(hard: _Places, lines: ByteLines, short: int) -> tuple[dict[int, LineNumbers], list[tuple[_Found, Numbers]]]:
    """What stands in lines that are not plain: of those read one by one, and of those read at once."""
    read: dict[int, LineNumbers] = {}
    new: dict[str, list[int]] = defaultdict(list)
    for n in hard.tolist():
        line = lines.line(n)
        known = known_line(line)
        if known is None:
            new[line].append(n)
        else:
            read[n] = known
    if sum(map(len, new)) < short or not new:
        read |= {n: remembered_line(line) for line, places in new.items() for n in places}
        return read, []
    hidden = hidden_lines(list(new))
    hidden_bytes = byte_lines([_block_of(hidden)], with_prefixes=True)
    is_loose = loose(hidden_bytes.data)
    for line, one, is_read in zip(new, hidden, is_loose.tolist(), strict=True):
        if not is_read:
            found = remembered_line(line, None, one)
            read |= dict.fromkeys(new[line], found)
    chosen = np.flatnonzero(is_loose)
    numbers = loose_numbers(hidden_bytes.text(chosen))
    return read, [_repeated(_placed(numbers, chosen, hidden_bytes), numbers, list(new.values()))]


def _block_of(lines: list[str]) -> Block:
    starts = np.cumsum([0, *(len(line) + 1 for line in lines)])
    return Block(neutral("\n".join(lines)), 0, tuple(starts[:-1].tolist()))


def _repeated(found: _Found, numbers: Numbers, places: list[list[int]]) -> tuple[_Found, Numbers]:
    """What was found in lines that each stand in several places, at each of them."""
    counts = np.array([len(one) for one in places], np.int64)
    each = np.array([n for one in places for n in one], np.int64)
    firsts = np.cumsum(counts) - counts
    repeats = counts[found.lines]
    at = np.repeat(np.arange(len(found.lines)), repeats)
    nth = np.arange(len(at)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    lines = each[firsts[found.lines[at]] + nth]
    keys = found.keys.take(pa.array(at))
    repeated = _Found(lines, found.starts[at], found.ends[at], keys, found.kinds[at])
    return repeated, numbers._replace(says=numbers.says[at], is_open=numbers.is_open[at])


def _placed(found: Numbers, chosen: _Places, lines: ByteLines) -> _Found:
    """The numbers of chosen lines with the line of each; their text began with one more line break."""
    offsets = lines.offsets_of(chosen) + 1
    at = np.searchsorted(offsets, found.starts, "right") - 1
    return _Found(chosen[at], found.starts - offsets[at], found.ends - offsets[at], found.keys, found.kinds)


def _as_found(read: dict[int, LineNumbers]) -> _Found:
    numbers = [(n, *entry) for n, found in read.items() for entry in found.values]
    lines, keys, starts, ends, kinds = zip(*numbers, strict=True) if numbers else ((), (), (), (), ())
    codes = np.array([_CODES[kind] for kind in kinds], np.int8)
    return _Found(
        np.array(lines, np.int64),
        np.array(starts, np.int64),
        np.array(ends, np.int64),
        pa.array(keys, pa.string()),
        codes,
    )


def _to_read_again(
    batch: _Batch,
    lines: ByteLines,
    plain: list[tuple[_Found, Numbers]],
    read: dict[int, LineNumbers],
    hint: Mark | None,
) -> list[int]:
    """The open lines of blocks in which the comma is the decimal mark; elsewhere an open line is read already."""
    says, is_open = np.zeros(len(lines.blocks), bool), np.zeros(len(lines.blocks), bool)
    for found, numbers in plain:
        says[found.lines[numbers.says]] = True
        is_open[found.lines[numbers.is_open]] = True
    is_open &= ~says
    is_open[[n for n, one in read.items() if one.is_open]] = True
    opened = np.flatnonzero(is_open)
    if not len(opened) or hint == "point":
        return []
    said: dict[int, Counter[Mark | None]] = {block: Counter() for block in lines.blocks[opened].tolist()}
    points = np.bincount(lines.blocks[says], minlength=len(batch.blocks))
    for block, marks in said.items():
        marks["point"] = int(points[block])
    for n, one in read.items():
        if (block := int(lines.blocks[n])) in said:
            said[block][one.says] += 1
    commas = {block for block, marks in said.items() if (hint or mark_of(marks, batch.openings[block])) == "comma"}
    return [n for n in opened.tolist() if int(lines.blocks[n]) in commas]


def _without(found: _Found, dropped: _Places) -> _Found:
    kept = ~np.isin(found.lines, dropped)
    return _Found(
        found.lines[kept],
        found.starts[kept],
        found.ends[kept],
        found.keys.filter(pa.array(kept)),
        found.kinds[kept],
    )


def _batch_of_rows(batch: _Batch, lines: ByteLines, parts: list[_Found]) -> pa.RecordBatch:
    at = np.concatenate([part.lines for part in parts])
    starts = np.concatenate([part.starts for part in parts])
    ends = np.concatenate([part.ends for part in parts])
    kinds = np.concatenate([part.kinds for part in parts])
    order = np.argsort((at << 32) | starts, kind="stable")
    at = at[order]
    places = lines.places[at]
    keys = pa.chunked_array([part.keys for part in parts], pa.string()).take(pa.array(order)).combine_chunks()
    texts = np.array(batch.texts, np.int32)[lines.blocks[at]]
    columns = [texts, keys, (starts[order] + places).astype(np.int32), (ends[order] + places).astype(np.int32)]
    return pa.RecordBatch.from_arrays([pa.array(column) for column in (*columns, kinds[order])], schema=COLUMNS)
