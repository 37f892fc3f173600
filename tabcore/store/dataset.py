"""A dataset: the store's tables as Parquet files in parts that are written once each; opened like a store, to read.

    DATASET/dataset.json                  the version of the tables
    DATASET/part=00012-1f0c…/turns.parquet   one part: the runs of some logs, every table

A part is made beside the others and moved into its place whole, so that what stands there is complete. Its name is its
number, which makes its runs' numbers its own, and a digest of the logs that it holds, so that it is never there twice.
Names of texts are text, as every program reads it, and differ by part: a text stands once in each part that states it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from tabcore.errors import StoreError, StoreVersion
from tabcore.store.parquet import StoredTable, stored_tables

Connection = duckdb.DuckDBPyConnection

MOST_RUNS = 1 << 16
"""Runs that a part may hold: their numbers are the part's own."""
_MOST_TEXTS = 1 << 32
_ROW_GROUP = 16384
_ABOUT = "dataset.json"
_PART = re.compile(r"part=(\d{5,})-([0-9a-f]{16})")
_OF_TEXT = {("texts", "number"), ("text_values", "text")}


@dataclass(frozen=True, slots=True)
class Part:
    """A part by its number and the digest of the logs in it."""

    number: int
    digest: str

    @property
    def folder(self) -> str:
        """Its folder's name in the dataset."""
        return f"part={self.number:05}-{self.digest}"


def parts(dataset: Path) -> tuple[Part, ...]:
    """The parts that are whole, by number."""
    found = (_PART.fullmatch(entry.name) for entry in dataset.iterdir()) if dataset.is_dir() else ()
    return tuple(sorted((Part(int(one[1]), one[2]) for one in found if one), key=lambda part: part.number))


def prepare(dataset: Path, version: int) -> None:
    """Make the dataset where there is none; StoreError where the folder is something else or of another version."""
    dataset.mkdir(mode=0o700, parents=True, exist_ok=True)
    about = dataset / _ABOUT
    if not about.exists():
        if any(dataset.iterdir()):
            raise StoreError(str(dataset), "this folder is no dataset and not empty", "Name a new one")
        about.write_text(json.dumps({"version": version, "program": "runningtab"}), "utf-8")
    check(dataset, version)


def check(dataset: Path, version: int) -> None:
    """Raise StoreError where the folder holds no dataset of this version."""
    try:
        found = json.loads((dataset / _ABOUT).read_text("utf-8"))["version"]
    except (OSError, ValueError, KeyError, TypeError) as fault:
        remedy = "Name a folder that `runningtab load --dataset` wrote"
        raise StoreError(str(dataset), "this folder is no dataset", remedy) from fault
    if found != version:
        remedy = "Load the logs into a new dataset, or use the version of runningtab that wrote it"
        raise StoreVersion(str(dataset), f"a dataset of version {found}; this program knows {version}", remedy)


def exported(connection: Connection, number: int) -> Iterator[tuple[str, pa.Table]]:
    """Every table of a store in memory, as part `number` has it: with numbers and names that are the part's own."""
    for table in stored_tables():
        yield table.name, connection.sql(_select(table, number)).to_arrow_table()


def _select(table: StoredTable, number: int) -> str:
    columns = [_column(table.name, name, kind, number) for name, kind in table.columns]
    return f"SELECT {', '.join(columns)}, rowid + {number << 40} AS rowid FROM {table.name} ORDER BY rowid"


def _column(table: str, name: str, kind: str, number: int) -> str:
    if kind == "UUID":
        return f'md5("{name}" || \'{number}\')::UUID::VARCHAR AS "{name}"'
    if (table, name) in _OF_TEXT:
        return f'"{name}"::BIGINT + {number * _MOST_TEXTS} AS "{name}"'
    if name == "run" or (table, name) == ("runs", "number"):
        return f'"{name}" + {number * MOST_RUNS} AS "{name}"'
    return f'"{name}"'


def publish(dataset: Path, part: Part, tables: Mapping[str, pa.Table]) -> None:
    """Write a part and move it into its place; one that stands there already is left as it is."""
    before = os.umask(0o077)
    making = Path(tempfile.mkdtemp(prefix=".making-", dir=dataset))
    try:
        for name, table in tables.items():
            pq.write_table(table, making / f"{name}.parquet", compression="zstd", row_group_size=_ROW_GROUP)
        with suppress(OSError):  # another process was faster
            making.rename(dataset / part.folder)
    finally:
        shutil.rmtree(making, ignore_errors=True)
        os.umask(before)


def remove(dataset: Path, part: Part) -> None:
    """Take a part out, whole at once."""
    going = Path(tempfile.mkdtemp(prefix=".going-", dir=dataset))
    with suppress(FileNotFoundError):
        (dataset / part.folder).rename(going / part.folder)
    shutil.rmtree(going, ignore_errors=True)


def attach(connection: Connection, dataset: Path, name: str) -> None:
    """Make a catalog of the dataset's tables as views. Only files of its parts are looked at."""
    connection.execute(f"ATTACH ':memory:' AS {name}")
    for statement in views(dataset, name):
        connection.execute(statement)


def views(dataset: Path, catalog: str) -> tuple[str, ...]:
    """The statements that make the views in a catalog."""
    return tuple(f"CREATE VIEW {catalog}.{table} AS {body}" for table, body in _bodies(dataset.absolute()))


def _bodies(dataset: Path) -> Iterator[tuple[str, str]]:
    folder = str(dataset).translate({ord(one): f"[{one}]" for one in "[*?"}).replace("'", "''")
    for table in stored_tables():
        columns = ", ".join(f'"{name}"::{_kind(table.name, name, kind)} AS "{name}"' for name, kind in table.columns)
        files = f"read_parquet('{folder}/part=*/{table.name}.parquet', hive_partitioning = false)"
        yield table.name, f"SELECT {columns}, rowid FROM {files}"


def _kind(table: str, name: str, kind: str) -> str:
    return "BIGINT" if (table, name) in _OF_TEXT else kind
