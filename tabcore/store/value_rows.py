"""The values of a load's texts, numbers and dates: rows of `text_values`, made once for each text as it comes in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa

from tabcore.text.date_columns import date_columns
from tabcore.text.dates import dates_of
from tabcore.text.number_columns import number_columns
from tabcore.text.number_stream import numbers_of
from tabcore.text.plain_numbers import KINDS

_SHAPE = pa.schema(
    {"text": pa.int32(), "key": pa.string(), "kind": pa.string(), "start": pa.int32(), "end": pa.int32()}
)
DATE = "date"
"""The kind of a full date; its key is the day in ISO form."""


TOGETHER = 1 << 20
"""Characters that are read together: more is a little faster and takes more memory."""


class StatedValue(NamedTuple):
    """A value in a text: its key in the index, its kind, and its characters `start:end`."""

    key: str
    kind: str
    start: int
    end: int


def values_in(text: str) -> Iterator[StatedValue]:
    """Every number and every full date that a text states, in order."""
    numbers = [StatedValue(key, kind, start, end) for key, start, end, kind in numbers_of(text)]
    days = [StatedValue(day, DATE, start, end) for day, start, end in dates_of(text)]
    return iter(sorted((*numbers, *days), key=lambda value: value.start))


class ValueFinder:
    """Gathers texts until the rows of their values are taken; many texts are read much faster together."""

    def __init__(self) -> None:
        self._numbers: list[int] = []
        self._texts: list[str] = []

    def look(self, number: int, text: str) -> None:
        """Note a text that bears this number among those that come in."""
        self._numbers.append(number)
        self._texts.append(text)

    def take(self) -> pa.Table | None:
        """The rows of the texts that wait, None where these state no value."""
        numbers = pa.array(self._numbers, pa.int32())
        batches = [_number_rows(batch, numbers) for batch in number_columns(self._texts, together=TOGETHER)]
        batches += (_date_rows(batch, numbers) for batch in date_columns(self._texts))
        self._numbers, self._texts = [], []
        table = pa.Table.from_batches(batches, _SHAPE)
        return table.sort_by([("text", "ascending"), ("start", "ascending")]) if table.num_rows else None


def _number_rows(batch: pa.RecordBatch, numbers: pa.Array) -> pa.RecordBatch:
    """Rows of the index, each with the number that its text bears."""
    columns = [
        numbers.take(batch["text"]),
        batch["key"],
        pa.array(KINDS, pa.string()).take(batch["kind"]),
        batch["start"],
        batch["end"],
    ]
    return pa.RecordBatch.from_arrays(columns, schema=_SHAPE)


def _date_rows(batch: pa.RecordBatch, numbers: pa.Array) -> pa.RecordBatch:
    kinds = pa.repeat(pa.scalar(DATE), batch.num_rows)
    columns = [numbers.take(batch["text"]), batch["day"], kinds, batch["start"], batch["end"]]
    return pa.RecordBatch.from_arrays(columns, schema=_SHAPE)
