"""The values of a load's texts: rows of `text_values`, made once for each text as it comes in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa

from tabcore.text.number_stream import numbers_of

_SHAPE = pa.schema(
    {"text": pa.int32(), "key": pa.string(), "kind": pa.string(), "start": pa.int32(), "end": pa.int32()}
)


class StatedValue(NamedTuple):
    """A value in a text: its key in the index, its kind, and its characters `start:end`."""

    key: str
    kind: str
    start: int
    end: int


def values_in(text: str) -> Iterator[StatedValue]:
    """Every value that a text states, in order."""
    return (StatedValue(key, kind, start, end) for key, start, end, kind in numbers_of(text))


class ValueFinder:
    """Gathers the values of texts until their rows are taken."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, str, str, int, int]] = []

    def look(self, number: int, text: str) -> None:
        """Note every value of the text that bears this number among those that come in."""
        self._rows += ((number, *value) for value in values_in(text))

    def take(self) -> pa.Table | None:
        """The rows that wait, None where there are none."""
        if not self._rows:
            return None
        columns = map(list, zip(*self._rows, strict=True))
        self._rows = []
        return pa.Table.from_arrays(
            [pa.array(column, field.type) for column, field in zip(columns, _SHAPE, strict=True)], schema=_SHAPE
        )
