"""Texts into the store, each once, with the values that they state. Works inside the caller's transaction."""

from __future__ import annotations

import duckdb
import pyarrow as pa

from tabcore.store.columns import Tables

Connection = duckdb.DuckDBPyConnection

WITH_TEXTS = ("texts", "text_values")
"""The tables that `insert_texts` fills."""


def insert_texts(connection: Connection, tables: Tables) -> None:
    """The texts of a chunk that are not stored yet, under numbers of their own, and their values."""
    if "texts" not in tables:
        return
    arriving: pa.Table = tables["texts"]
    [(base,)] = connection.execute("SELECT coalesce(max(number), -1) + 1 FROM texts").fetchall()
    new = f"SELECT a.digest, a.text, a.number + {base} FROM arriving a ANTI JOIN texts t ON a.digest = t.digest"
    [(inserted,)] = connection.execute(f"INSERT INTO texts (digest, text, number) {new}").fetchall()
    arriving_values = tables.get("text_values")
    if arriving_values is None or not inserted:
        return
    among = (
        ""
        if inserted == arriving.num_rows
        else f"WHERE text + {base} IN (SELECT number FROM texts WHERE number >= {base})"
    )
    connection.execute(f"INSERT INTO text_values SELECT * REPLACE (text + {base} AS text) FROM arriving_values {among}")


def sweep_texts(connection: Connection, named: str) -> None:
    """Drop the texts that `named`, a query of digests, does not name, and their values."""
    gone = f"SELECT number FROM texts WHERE digest NOT IN (SELECT * FROM ({named}) n(d) WHERE d IS NOT NULL)"
    numbers = [number for (number,) in connection.execute(gone).fetchall()]
    if numbers:
        for table, column in (("text_values", "text"), ("texts", "number")):
            connection.execute(f"DELETE FROM {table} WHERE {column} IN (SELECT unnest(?::INTEGER[]))", [numbers])
