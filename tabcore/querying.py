"""A person's own SQL on the store, and the whole store as Parquet.

SQL runs in a child process (`store.console`) that may read the store and nothing else, and is ended at its limits. What
is given out has the secrets that the load found masked in texts as they stand; SQL that takes texts apart can undo that.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet

from tabcore.errors import StoreBusy, UsageError
from tabcore.exports.label_rows import FORMULA, inert
from tabcore.redaction import Masks
from tabcore.rerun import Db, open_store
from tabcore.store import console, dataset, secret_selects
from tabcore.store.parquet import StoredTable, readable, write_parquet
from tabcore.store.parquet import stored_tables as stored_tables

ROWS = 10_000
SECONDS = 10.0
MEMORY = 3072 << 20
"""Bytes of address space of the child; a quarter of it is DuckDB's to use."""
BYTES = 64 << 20
"""Bytes of the largest result."""
_PAUSE = 0.3
_WAIT = 5.0


@dataclass(frozen=True, slots=True)
class Answer:
    """A result, cut after so many rows where `cut` is true, and how long it took."""

    table: pa.Table
    cut: bool
    seconds: float


def query(db: Db, sql: str, *, rows: int = ROWS, seconds: float = SECONDS, memory: int = MEMORY) -> Answer:
    """The result of one SELECT. Raises UsageError where it is refused, faulty or stopped, StoreBusy where it must wait."""
    store = open_store(db)
    with store.reading() as connection:
        masks = Masks(secret_selects.of_all(connection))
    if not store.path.exists():
        raise UsageError("the query", "no run is stored yet", "Load some runs first: runningtab load PATH")
    views = dataset.views(store.path, "memory") if store.path.is_dir() else ()
    limits = {"rows": rows, "seconds": seconds, "memory": memory, "bytes": BYTES}
    request = {"db": str(store.path.absolute()), "views": views, "sql": sql, **limits}
    started = time.monotonic()
    head, body = _asked(json.dumps(request), seconds)
    table = pa.ipc.open_stream(body).read_all()
    return Answer(readable(table, masks), bool(head["cut"]), time.monotonic() - started)


def _asked(request: str, seconds: float) -> tuple[dict[str, object], bytes]:
    """The child's answer; a store that another process writes is waited for a while."""
    end = time.monotonic() + _WAIT
    while True:
        head, body = _told(request, seconds)
        fault = str(head.get("fault", ""))
        if not fault:
            return head, body
        if "lock" not in fault.lower() or head["kind"] != "IOException":
            raise _refused(fault, str(head["kind"]))
        if time.monotonic() > end:
            raise StoreBusy("the query", "another process is writing the store", "Ask again when its load has ended")
        time.sleep(_PAUSE)


def _told(request: str, seconds: float) -> tuple[dict[str, object], bytes]:
    command = [sys.executable, "-I", str(console.__file__)]
    try:
        done = subprocess.run(
            command, input=request.encode(), capture_output=True, timeout=seconds, env={"LC_ALL": "C.UTF-8"}, cwd="/"
        )
    except subprocess.TimeoutExpired as fault:
        told = f"it was stopped after {seconds:g} seconds"
        raise UsageError("the query", told, "Ask for less: a filter on run, or a LIMIT") from fault
    head, _, body = done.stdout.partition(b"\n")
    if not head:
        told = "it was stopped by the system, at its limit of memory or of time"
        raise UsageError("the query", told, "Ask for less: fewer rows, shorter texts")
    return json.loads(head), body


def _refused(fault: str, kind: str) -> UsageError:
    if kind in {"OutOfMemoryException", "MemoryError", "ArrowMemoryError"}:
        return UsageError(
            "the query", "it needs more memory than it may have", "Ask for less: fewer rows, shorter texts"
        )
    if kind == "_TooLarge":
        return UsageError("the query", fault, "Select fewer rows or shorter texts")
    closed = kind in {"PermissionException", "InvalidInputException", "_Refused"}
    remedy = "A query reads the store's tables and nothing else" if closed else "Its tables are told by SHOW TABLES"
    return UsageError("the query", fault.strip().rstrip("."), remedy)


def as_csv(table: pa.Table) -> bytes:
    """A result as CSV with a line of names; no text is one that a spreadsheet computes."""
    sink = io.BytesIO()
    columns = [_inert(column) if pa.types.is_string(column.type) else column for column in table.columns]
    pa.csv.write_csv(pa.table(columns, names=[str(inert(name)) for name in table.column_names]), sink)
    return sink.getvalue()


def _inert(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    return pa.compute.replace_substring_regex(texts, rf"\A({FORMULA.pattern})", r"'\1")


def as_parquet(table: pa.Table) -> bytes:
    """A result as a Parquet file."""
    sink = io.BytesIO()
    pa.parquet.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def saved(db: Db = None) -> dict[str, str]:
    """The queries that a person saved, by name; they lie in a file beside the store."""
    try:
        found = json.loads(_saved_file(db).read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return {str(name): str(sql) for name, sql in found.items()} if isinstance(found, dict) else {}


def save(db: Db, name: str, sql: str | None) -> None:
    """Keep a query under a name, in the place of an earlier one; None forgets it."""
    queries = saved(db) | {name: sql}
    file = _saved_file(db)
    beside = file.with_suffix(".new")
    beside.touch(mode=0o600)
    beside.write_text(json.dumps({key: text for key, text in queries.items() if text is not None}, indent=1), "utf-8")
    beside.replace(file)


def _saved_file(db: Db) -> Path:
    path = open_store(db).path
    return path.with_name(f"{path.stem}.queries.json")


def export_parquet(db: Db, folder: str | Path, *, redact: bool = True) -> tuple[StoredTable, ...]:
    """Write every table of the store as a Parquet file of an empty or new folder, with a README that tells of them."""
    store, place = open_store(db), Path(folder).expanduser()
    if not store.path.exists():
        raise UsageError(str(store.path), "there is no store here", "Load some runs first: runningtab load PATH")
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        if any(place.iterdir()):
            raise UsageError(str(place), "this folder is not empty", "Name a new one")
        with store.reading() as connection:
            masks = Masks(secret_selects.of_all(connection)) if redact else None
            return write_parquet(connection, place, masks)
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise UsageError(str(place), f"it cannot be written ({reason})", "Name a folder of yours") from fault
