"""A dataset: the same logs as in a store give the same answers, whoever made its parts, and nothing stands there twice."""

from __future__ import annotations

import os
import re
import shutil
import signal
import time
from pathlib import Path
from threading import Thread

import pyarrow.parquet as pq
import pytest
from made_logs import pi_log, write_log

from sample_runs import runs_folder
from tabcore import partitions, querying, questions, rerun, searching, tables
from tabcore.errors import StoreError, UsageError
from tabcore.store import dataset
from tabcore.store.parquet import stored_tables

RUNS = [str(runs_folder() / name) for name in ("energy_report", "village_hall", "purchase_orders_dci")]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three sample runs in parts of one run each."""
    folder = tmp_path_factory.mktemp("made") / "dataset"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partitions, "PART", 1)
        partitions.load(RUNS, folder, workers=1)
    return folder


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "runs.duckdb"
    rerun.load(RUNS, path)
    return path


def ids(db: Path) -> list[str]:
    return sorted(row.run_id for row in rerun.runs(db))


def rows_of(folder: Path) -> dict[str, int]:
    """How many rows each table has."""
    return {
        table.name: pq.read_table(sorted(folder.glob(f"part=*/{table.name}.parquet"))).num_rows
        for table in stored_tables()
    }


def answers(db: Path) -> list[str]:
    """What pages and commands are told of the runs, in the order of the runs' ids; names of texts differ and are left out."""
    told: list[object] = [sorted(map(repr, questions.shown_but_missing(db).values))]
    told += [tables.tab_operations(db), tables.effort(db)]
    for run in ids(db):
        told += [rerun.run(db, run), rerun.replay(db, run), rerun.tab_row(db, run, 10), questions.provenance(db, run)]
        told += [rerun.turn_body(db, run, turn) for turn in (1, 5, 9)]
    return [re.sub(r"excerpt='[0-9a-f]{32}'", "", repr(one)) for one in told]


def test_a_dataset_answers_as_a_store_of_the_same_logs_does(made: Path, store: Path) -> None:
    assert len(dataset.parts(made)) == 3
    assert ids(made) == ids(store)
    assert answers(made) == answers(store)


def test_words_and_sql_find_the_same_in_both(made: Path, store: Path) -> None:
    sql = "SELECT method, count(*), sum(turns) FROM runs GROUP BY method ORDER BY method"
    assert querying.query(made, sql).table.to_pylist() == querying.query(store, sql).table.to_pylist()
    found, expected = (searching.search(db, "purchase order") for db in (made, store))
    assert sorted(map(repr, found.hits)) == sorted(map(repr, expected.hits))


def test_a_question_about_a_dataset_reads_no_file_beside_it(made: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("a\n1\n")
    with pytest.raises(UsageError):
        querying.query(made, f"SELECT * FROM read_csv('{other}')")


def test_each_part_has_every_table_and_numbers_of_its_own(made: Path) -> None:
    numbers: list[int] = []
    for part in dataset.parts(made):
        files = {path.stem for path in (made / part.folder).iterdir()}
        assert files == {table.name for table in stored_tables()}
        numbers += pq.read_table(made / part.folder / "runs.parquet")["number"].to_pylist()
    assert len(numbers) == len(set(numbers)) == 3


def test_nothing_is_added_by_loading_again(made: Path) -> None:
    before = dataset.parts(made)
    assert {one.state for one in partitions.load(RUNS, made)} == {"unchanged"}
    assert dataset.parts(made) == before


def test_a_log_that_has_changed_takes_its_own_place(tmp_path: Path) -> None:
    log, copy = write_log(tmp_path, "a.jsonl"), tmp_path / "copy.jsonl"
    shutil.copy(log, copy)
    folder = tmp_path / "dataset"
    assert sorted(one.state for one in partitions.load([str(log), str(copy)], folder)) == ["loaded", "same content"]
    [before] = rerun.runs(folder)
    copy.unlink()
    log.write_text(pi_log(session="another"))
    assert [one.state for one in partitions.load([str(log)], folder)] == ["loaded"]
    [after] = rerun.runs(folder)
    assert after.run_id != before.run_id


def test_a_dataset_is_only_read_and_says_so(made: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="only read"):
        rerun.load([str(write_log(tmp_path))], made)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x.txt").touch()
    with pytest.raises(StoreError, match="not empty"):
        partitions.load(RUNS, tmp_path / "other")
    with pytest.raises(StoreError, match="no dataset"):
        rerun.runs(tmp_path / "other")


def test_a_log_that_cannot_be_read_is_told_and_the_rest_is_there(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    write_log(logs, "good.jsonl")
    (logs / "bad.jsonl").write_text('{"type": "nothing that anybody knows"}\n')
    told = {Path(one.path).name: one for one in partitions.load([str(logs)], tmp_path / "dataset")}
    assert told["good.jsonl"].state == "loaded"
    assert told["bad.jsonl"].state == "skipped"
    assert told["bad.jsonl"].problems


@pytest.mark.long  # Dask cannot start its workers from a process of pytest-xdist
def test_two_dask_workers_make_the_same_dataset_though_one_is_killed_on_the_way(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed", reason="the dask extra is not installed")
    monkeypatch.setattr(partitions, "PART", 1)
    folder = tmp_path / "dataset"
    with (
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        first = next(iter(client.run(os.getpid).values()))
        killed: list[int] = []

        def kill() -> None:
            while not dataset.parts(folder):
                time.sleep(0.01)
            os.kill(first, signal.SIGKILL)
            killed.append(len(dataset.parts(folder)))

        Thread(target=kill, daemon=True).start()
        loaded = partitions.load(RUNS, folder, engine="dask", scheduler=cluster.scheduler_address)
    assert killed
    assert killed[0] < 3
    assert {one.state for one in loaded} == {"loaded"}
    assert ids(folder) == ids(made)
    assert len(dataset.parts(folder)) == 3
    assert rows_of(folder) == rows_of(made)
