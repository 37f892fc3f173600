"""The store's tables in words, and as Parquet that pyarrow, pandas, polars and DuckDB read."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from tabcore.redaction import Masks

Connection = duckdb.DuckDBPyConnection

_BATCH = 2048
_ABOUT = """\
# The store of runningtab, a table a file

Written with the columns of the store. Identifiers of texts are text; lists are JSON. A text that is no valid Unicode has
half of a surrogate pair as U+10FFFE and four hex digits. {secrets}

"""


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table of the store: its columns with their types, and what schema.sql says of it."""

    name: str
    columns: tuple[tuple[str, str], ...]
    words: str


def stored_tables() -> tuple[StoredTable, ...]:
    """Every table, in the order of schema.sql."""
    found: list[StoredTable] = []
    words: list[str] = []
    text = files("tabcore.store").joinpath("schema.sql").read_text("utf-8")
    for part in text.split("\n\n", 1)[1].split("\n"):
        if part.startswith("--"):
            words.append(part.removeprefix("--").strip())
        elif part.startswith("CREATE TABLE"):
            body = text[text.index(part) :].split(";", 1)[0]
            found.append(StoredTable(part.split()[2], _columns(body), " ".join(words)))
            words = []
    return tuple(found)


def _columns(body: str) -> tuple[tuple[str, str], ...]:
    inner = body[body.index("(") + 1 : body.rindex(")")]
    pairs = (" ".join(column.split()).split(" ", 1) for column in inner.split(","))
    return tuple((name.strip('"'), kind.split(" USING ")[0]) for name, kind in pairs)


def write_parquet(connection: Connection, folder: Path, masks: Masks | None) -> tuple[StoredTable, ...]:
    """Write each table to `folder`/NAME.parquet, and README.md, for the owner only; `masks` None masks nothing."""
    before = os.umask(0o077)
    try:
        tables = stored_tables()
        for table in tables:
            _write(connection, table, folder, masks or Masks(()))
        secrets = "No key or token is masked." if masks is None else "Keys and tokens that the load found are masked."
        lines = [_ABOUT.format(secrets=secrets), *map(_told, tables)]
        (folder / "README.md").write_text("".join(lines), "utf-8")
    finally:
        os.umask(before)
    return tables


def _write(connection: Connection, table: StoredTable, folder: Path, masks: Masks) -> None:
    """Batch by batch: a store may be larger than memory."""
    reader = connection.sql(f"SELECT * FROM {table.name} ORDER BY rowid").to_arrow_reader(_BATCH)
    empty = readable(reader.schema.empty_table(), masks)
    schema = empty.schema.with_metadata({"description": table.words})
    with pq.ParquetWriter(folder / f"{table.name}.parquet", schema, compression="zstd") as writer:
        for batch in reader:
            found = readable(pa.Table.from_batches([batch]), masks)
            writer.write_table(found.replace_schema_metadata(schema.metadata).cast(schema))


def _told(table: StoredTable) -> str:
    columns = "".join(f"- `{name}` {kind}\n" for name, kind in table.columns)
    return f"## {table.name}\n\n{table.words}\n\n{columns}\n"


def readable(table: pa.Table, masks: Masks) -> pa.Table:
    """The same table without the secrets of its texts; identifiers become text, so that all programs read them."""
    columns = [_readable(column, masks) for column in table.columns]
    return pa.table(columns, names=_distinct(table.column_names))


def _readable(column: pa.ChunkedArray, masks: Masks) -> pa.ChunkedArray | pa.Array:
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return (
            pa.array([value if value is None else masks.text(value) for value in column.to_pylist()], pa.string())
            if masks
            else column
        )
    if (
        pa.types.is_nested(column.type)
        or isinstance(column.type, pa.BaseExtensionType)
        or pa.types.is_binary(column.type)
    ):
        return pa.array(
            [value if value is None else masks.text(_words(value)) for value in column.to_pylist()], pa.string()
        )
    return column


def _words(value: object) -> str:
    if isinstance(value, bytes):
        return value.hex()
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, list | dict) else str(value)


def _distinct(names: Sequence[str]) -> list[str]:
    """Names of columns, each once: a table with two of one name cannot be written."""
    found: list[str] = []
    for name in names:
        number = 1
        while (told := name if number == 1 else f"{name}_{number}") in found:
            number += 1
        found.append(told)
    return found
