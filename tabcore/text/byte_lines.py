"""The lines of blocks as bytes that arrays can be made of: Latin-1, one byte a character, so that places are the same.

A character that Latin-1 has not becomes one of two bytes: dashes, arrows, emoji and letters of most scripts change no
number that they do not touch; Chinese signs, full-width digits and fractions may be numbers themselves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tabcore.text.line_shapes import ARROW, LONGEST_NAME, PREFIX, UNREAD, prefixed
from tabcore.text.segments import Block

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]

_LINE_BREAK, _COLON = b"\n:"
_NUMBER_ENDS = np.isin(np.arange(256), [ord("\t"), ord(ARROW)])
_LIST_ENDS = np.isin(np.arange(256), list(b".)"))
_NUMERIC = "\u2150-\u218f\u3000-\u9fff\uf900-\ufaff\uff00-\uffef"
_ARROW = re.compile("[→⇥]")
_QUIET = re.compile(f"[^\x00-\xff{_NUMERIC}]")
_LOUD = re.compile(f"[{_NUMERIC}]")
_WRAP = "\x85"  # stands for a line break within a line: such a line is never plain


@dataclass(frozen=True, slots=True)
class ByteLines:
    """Lines, each with its line break: their bytes, prefixes overwritten; the place of each in its text; its block."""

    data: pa.Array
    offsets: Places
    places: Places
    blocks: Places
    _of: Sequence[Block]
    _firsts: Places

    def line(self, n: int) -> str:
        """A line as it is written, without its line break."""
        block = self._of[int(self.blocks[n])]
        if block.starts is not None:
            return block.line(n - int(self._firsts[self.blocks[n]]))
        start = int(self.places[n]) - block.at
        return block.text[start : start + int(self.offsets[n + 1] - self.offsets[n]) - 1]

    def text(self, chosen: Places) -> Bytes:
        """The bytes of some lines, one after the other, after one more line break."""
        taken = self.data.take(pa.array(chosen))
        _, _, data = taken.buffers()
        size = int(self.offsets_of(chosen)[-1])
        text = np.empty(size + 1, np.uint8)
        text[0] = _LINE_BREAK
        text[1:] = np.frombuffer(data, np.uint8, size) if size else ()
        return text

    def offsets_of(self, chosen: Places) -> Places:
        """Where some lines start when they stand one after the other, and where the last ends."""
        offsets = np.zeros(len(chosen) + 1, np.int64)
        np.cumsum(self.offsets[chosen + 1] - self.offsets[chosen], out=offsets[1:])
        return offsets


def byte_lines(blocks: Sequence[Block], *, with_prefixes: bool = False) -> ByteLines:
    """The lines of blocks, in order; prefixes are overwritten unless they are asked for."""
    encoded = [_encoded(block) for block in blocks]
    data = np.frombuffer(bytearray(b"\n".join([*encoded, b""])), np.uint8)
    ends = np.flatnonzero(data == _LINE_BREAK) + 1
    offsets = np.concatenate([[0], ends])
    begins = np.cumsum([0, *(len(one) + 1 for one in encoded)])
    firsts = np.searchsorted(offsets, begins)
    of = np.repeat(np.arange(len(blocks)), np.diff(firsts))
    shifts = np.array([block.at for block in blocks], np.int64) - begins[:-1]
    places = offsets[:-1] + shifts[of]
    for n, block in enumerate(blocks):
        if block.starts is not None:
            places[firsts[n] : firsts[n + 1]] = block.places
    lines = pa.Array.from_buffers(
        pa.binary(), len(ends), [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(data)]
    )
    if not with_prefixes:
        _overwrite_prefixes(lines, data, offsets)
    return ByteLines(lines, offsets, places, of, blocks, firsts)


def _encoded(block: Block) -> bytes:
    text = block.text
    if block.starts is not None:
        text = "\n".join(line.replace("\n", _WRAP) for line in block.lines)
    if ARROW in text:
        text = text.replace(ARROW, UNREAD)
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return _LOUD.sub(UNREAD, _QUIET.sub("\x7f", _ARROW.sub(ARROW, text))).encode("latin-1")


def _overwrite_prefixes(lines: pa.Array, data: Bytes, offsets: Places) -> None:
    found = prefixed(lines)
    colons = np.flatnonzero(data == _COLON)
    at = offsets[:-1][found.searched]
    first = np.searchsorted(colons, at)
    near = colons[first] - at <= LONGEST_NAME
    _overwrite(data, at[near], colons[first[near] + 1] + 1)
    for mask, ends in ((found.numbered, _NUMBER_ENDS), (found.listed, _LIST_ENDS)):
        at = offsets[:-1][mask]
        if len(at):
            marks = np.flatnonzero(ends[data])
            _overwrite(data, at, marks[np.searchsorted(marks, at)] + 1)


def _overwrite(data: Bytes, starts: Places, ends: Places) -> None:
    lengths = ends - starts
    before = np.cumsum(lengths) - lengths
    data[np.repeat(starts - before, lengths) + np.arange(lengths.sum())] = PREFIX
