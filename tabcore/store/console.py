"""The child process in which a person's SQL runs: `python -I console.py < request`. Nothing else of the program is loaded.

The request is JSON on standard input: the store's file, or a dataset's folder and its views, the SQL, and limits. The answer, on standard output, is one line
of JSON, {"rows", "cut"} or {"fault", "kind"}, and then the result as an Arrow stream. The database is opened read-only,
DuckDB may touch no file, network or setting, and the system ends the process at the limits of memory and time.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import duckdb
import pyarrow as pa

_BATCH = 2048
_CONFIG: dict[str, Any] = {
    "enable_external_access": False,
    "python_enable_replacements": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "temp_directory": "",
    "threads": 2,
}


def main() -> None:
    """Answer the request on standard input."""
    request = json.load(sys.stdin)
    _limit(request)
    try:
        table, cut = _answer(request)
        head: dict[str, object] = {"rows": table.num_rows, "cut": cut}
    except (duckdb.Error, pa.ArrowException, MemoryError, _Refused, _TooLarge) as fault:
        table, head = pa.table({}), {"fault": str(fault) or "no memory was left", "kind": type(fault).__name__}
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\n")
    if "fault" not in head:
        with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as stream:
            stream.write_table(table)


class _Refused(Exception):
    """The SQL is no single question."""


class _TooLarge(Exception):
    """The result is."""


def _limit(request: dict[str, Any]) -> None:
    """Where the system has such limits: no memory, no time, no file beyond them."""
    try:
        import resource
    except ImportError:
        return
    seconds = int(request["seconds"]) + 1
    for kind, most in (
        (resource.RLIMIT_AS, request["memory"]),
        (resource.RLIMIT_CPU, 2 * seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))


def _answer(request: dict[str, Any]) -> tuple[pa.Table, bool]:
    with _opened(request) as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute("SET lock_configuration = true")
        statement = _question(connection, request["sql"])
        found = connection.sql(statement.query).limit(request["rows"] + 1)
        batches, size = [], 0
        reader = found.to_arrow_reader(_BATCH)
        for batch in reader:
            batches.append(batch)
            size += batch.nbytes
            if size > request["bytes"]:
                raise _TooLarge(f"the result is larger than {request['bytes'] >> 20} MB")
        table = pa.Table.from_batches(batches, reader.schema)
        return table.slice(0, request["rows"]), table.num_rows > request["rows"]


def _opened(request: dict[str, Any]) -> duckdb.DuckDBPyConnection:
    """The store; of a dataset its views, which read its folder and nothing else."""
    config = _CONFIG | {"memory_limit": f"{request['memory'] >> 22}MB"}
    if not request["views"]:
        return duckdb.connect(request["db"], read_only=True, config=config)
    del config["enable_external_access"]
    connection = duckdb.connect(":memory:", config=config)
    for statement in request["views"]:
        connection.execute(statement)
    connection.execute("SET allowed_directories = [?]", [request["db"]])
    connection.execute("SET enable_external_access = false")
    return connection


def _question(connection: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Statement:
    """The one statement that asks something."""
    statements = connection.extract_statements(sql)
    if not statements:
        raise _Refused("nothing is asked")
    if len(statements) > 1:
        raise _Refused(f"{len(statements)} statements stand here: write one, without a second after a semicolon")
    [statement] = statements
    if statement.type not in (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN):
        raise _Refused(f"{statement.type.name} is no question: only SELECT, WITH, SHOW, DESCRIBE and EXPLAIN run here")
    return statement


if __name__ == "__main__":
    main()
