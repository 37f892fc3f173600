"""A person's SQL: it reads the store's tables and nothing else, is stopped at its limits, and shows no secret."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pandas as pd
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made_scores import lay_run

from tabcore import rerun
from tabcore.cli import main
from tabcore.errors import StoreBusy, UsageError
from tabcore.querying import as_csv, as_parquet, export_parquet, query, save, saved, stored_tables
from tabcore.store.store import Store

KEY = "AKIA" + "IOSFODNN7EXAMPLA"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs; one wrote a key into its report."""
    folder = tmp_path_factory.mktemp("query")
    lay_run(folder / "logs" / "one", "+-", method="dci", task_name="one")
    lay_run(folder / "logs" / "two", "++", method="todo", task_name="two", deliverable=f"Use {KEY} for")
    rerun.load([str(folder / "logs")], folder / "runs.duckdb")
    return folder / "runs.duckdb"


def rows(store: Path, sql: str) -> list[dict[str, object]]:
    return query(store, sql).table.to_pylist()


def refusal(store: Path, sql: str, **limits: float) -> str:
    with pytest.raises(UsageError) as told:
        query(store, sql, **limits)  # type: ignore[arg-type]
    return str(told.value)


def test_a_query_reads_the_stores_tables(store: Path) -> None:
    assert rows(store, "SELECT method, turns FROM runs ORDER BY method") == [
        {"method": "dci", "turns": 3},
        {"method": "todo", "turns": 3},
    ]
    assert {"name": "read_log"} in rows(store, "SHOW TABLES")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM '/etc/hostname'",
        "SELECT * FROM read_parquet('http://127.0.0.1:9/x.parquet')",
        "SELECT * FROM read_json('s3://bucket/x')",
        "ATTACH '/tmp/other.duckdb'",
        "COPY runs TO '/tmp/runs.csv'",
        "EXPORT DATABASE '/tmp/all'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET memory_limit = '8GB'",
        "RESET enable_external_access",
        "PRAGMA database_list",
        "INSERT INTO meta VALUES (9, 'x')",
        "DELETE FROM runs",
        "DROP TABLE runs",
        "CREATE TABLE mine AS SELECT 1",
        "CHECKPOINT",
        "SELECT 1; SELECT 2",
        "",
        "SELEC",
        "SELECT * FROM nowhere",
    ],
)
def test_whatever_is_no_question_to_its_tables_is_refused(store: Path, sql: str) -> None:
    assert refusal(store, sql).startswith("the query: ")
    assert rows(store, "SELECT count(*) AS n FROM runs") == [{"n": 2}]


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are the system's")
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT repeat('x', 2000000000)",
        "SELECT list(range) FROM range(500000000)",
        "SELECT repeat('x', 100000) FROM range(100000)",
    ],
)
def test_a_query_that_fills_memory_is_stopped(store: Path, sql: str) -> None:
    assert "Ask for less" in (told := refusal(store, sql)) or "larger than 64 MB" in told


def test_a_query_that_runs_forever_is_stopped_in_time(store: Path) -> None:
    endless = "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT (i + 1) % 1000000007 FROM n) SELECT max(i) FROM n"
    started = time.monotonic()
    assert "stopped after 2 seconds" in refusal(store, endless, seconds=2)
    assert time.monotonic() - started < 8
    assert rows(store, "SELECT 1 AS one") == [{"one": 1}]


def test_a_long_result_is_cut_and_says_so(store: Path) -> None:
    answer = query(store, "SELECT * FROM range(1000000000000)", rows=50)
    assert (answer.table.num_rows, answer.cut) == (50, True)
    assert query(store, "SELECT * FROM range(50)", rows=50).cut is False


def test_a_key_that_the_load_found_is_masked(store: Path) -> None:
    found = rows(store, "SELECT text, [text] AS listed FROM texts WHERE text LIKE '%Use %'")
    assert found
    assert KEY not in json.dumps(found)
    assert "[secret: AWS Access Key]" in json.dumps(found)


def test_columns_of_one_name_are_told_apart_and_identifiers_are_text(store: Path) -> None:
    [row] = rows(store, "SELECT 1 AS a, 2 AS b, digest FROM texts LIMIT 1")
    assert isinstance(row["digest"], str)
    assert list(rows(store, "SELECT run, run FROM turns LIMIT 1")[0]) in (["run", "run_1"], ["run", "run_2"])


def test_a_result_becomes_csv_and_parquet(store: Path) -> None:
    table = query(store, "SELECT method, turns FROM runs ORDER BY ALL").table
    assert as_csv(table).decode().splitlines() == ['"method","turns"', '"dci",3', '"todo",3']
    assert pq.read_table(pa.BufferReader(as_parquet(table))).to_pylist() == table.to_pylist()


def test_a_store_that_is_being_written_is_waited_for_and_then_named(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = f"import duckdb, time; c = duckdb.connect({str(store)!r}); print('held', flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        monkeypatch.setattr("tabcore.store.store.WAIT", 0.1)
        monkeypatch.setattr("tabcore.querying.open_store", lambda db: Store(db, wait=0.1))
        with pytest.raises(StoreBusy):
            query(store, "SELECT 1")
        holder.kill()


def test_without_a_store_the_query_says_what_it_needs(tmp_path: Path) -> None:
    assert "no run is stored yet" in refusal(tmp_path / "none.duckdb", "SELECT 1")


def test_queries_are_saved_beside_the_store_and_forgotten(store: Path) -> None:
    save(store, "mine", "SELECT 1")
    save(store, "yours", "SELECT 2")
    save(store, "mine", None)
    assert saved(store) == {"yours": "SELECT 2"}
    assert store.with_name("runs.queries.json").stat().st_mode & 0o077 == 0


# The tables in words, and as files


def test_every_table_of_the_store_is_told_with_its_columns(store: Path) -> None:
    told = {table.name: [name for name, _ in table.columns] for table in stored_tables()}
    with Store(store).reading() as connection:
        names = connection.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()")
        for (name,) in names.fetchall():
            columns = connection.execute(f"SELECT column_name FROM (DESCRIBE {name})").fetchall()
            assert told.pop(name) == [column for (column,) in columns]
    assert told == {}


def test_the_whole_store_is_parquet_that_others_read(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "--parquet", str(tmp_path / "out"), "--db", str(store)]) == 0
    assert "told of in its README.md" in capsys.readouterr().out
    for table in stored_tables():
        file = tmp_path / "out" / f"{table.name}.parquet"
        with Store(store).reading() as connection:
            [(count,)] = connection.execute(f"SELECT count(*) FROM {table.name}").fetchall()
        assert pq.read_table(file).num_rows == len(pd.read_parquet(file)) == count
        assert duckdb.sql(f"SELECT count(*) FROM '{file}'").fetchall() == [(count,)]
        assert f"## {table.name}" in (tmp_path / "out" / "README.md").read_text()
    texts = pq.read_table(tmp_path / "out" / "texts.parquet").to_pylist()
    assert KEY not in json.dumps(texts)
    assert any("[secret: AWS Access Key]" in row["text"] for row in texts)


def test_polars_reads_it_too(store: Path, tmp_path: Path) -> None:
    export_parquet(store, tmp_path / "out")
    assert polars.read_parquet(tmp_path / "out" / "runs.parquet").height == 2


def test_a_folder_with_files_is_left_alone(store: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(UsageError, match="not empty"):
        export_parquet(store, tmp_path)


def test_an_export_needs_a_run_or_a_folder(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "--db", str(store)]) == 2
    assert main(["export", "abc", "--parquet", "out", "--db", str(store)]) == 2
    assert "names no run" in capsys.readouterr().err
