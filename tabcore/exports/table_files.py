"""A figure's data table as CSV and Parquet."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from tabcore.exports.label_rows import as_csv

Table = Mapping[str, Sequence[object]]
"""Columns of one length."""


def table_csv(table: Table) -> str:
    """The table as CSV with a heading.

    >>> table_csv({"type": ["Other"], "rubrics": [3]})
    'type,rubrics\\nOther,3\\n'
    """
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    return as_csv(rows, list(table))


def table_parquet(table: Table) -> bytes:
    """The table as a Parquet file."""
    file = io.BytesIO()
    pq.write_table(pa.table({name: list(column) for name, column in table.items()}), file)
    return file.getvalue()
