"""Loading is safe to repeat, replaces what changed, and says what became of every file."""

import os
from pathlib import Path

import pytest
from made_logs import pi_log, write_log

from tabcore import ingest, rerun
from tabcore.ingest import Progress, load
from tabcore.rows import Loaded
from tabcore.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store" / "runs.duckdb")


def states(loaded: tuple[Loaded, ...]) -> list[str]:
    return [item.state for item in loaded]


def kinds(loaded: tuple[Loaded, ...]) -> list[str]:
    return [problem.kind for item in loaded for problem in item.problems]


def tables(store: Store) -> dict[str, int]:
    """How many rows each table has."""
    with store.reading() as connection:
        names = connection.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()")
        return {
            name: connection.execute(f"SELECT count(*) FROM {name}").fetchall()[0][0] for (name,) in names.fetchall()
        }


def test_loading_the_same_file_twice_adds_nothing(store: Store, tmp_path: Path) -> None:
    log = str(write_log(tmp_path))
    assert states(load([log], store)) == ["loaded"]
    before = tables(store)
    content = store.path.read_bytes()
    [again] = load([log, log], store)
    assert (again.state, len(again.runs), again.tally) == ("unchanged", 1, "9 lines: 9 read")
    assert tables(store) == before
    assert store.path.read_bytes() == content


def test_a_file_that_was_only_touched_is_not_read_again(store: Store, tmp_path: Path) -> None:
    log = write_log(tmp_path)
    load([str(log)], store)
    before = tables(store)
    os.utime(log, (1, 1))
    assert states(load([str(log)], store)) == ["unchanged"]
    assert tables(store) == before
    with store.reading() as connection:
        assert connection.execute("SELECT changed FROM files").fetchall() == [(10**9,)]


def test_a_changed_file_takes_the_place_of_its_runs(store: Store, tmp_path: Path) -> None:
    log = write_log(tmp_path)
    load([str(log)], store)
    write_log(tmp_path, text=pi_log(6, prefix="new"))
    assert states(load([str(log)], store)) == ["replaced"]
    [run] = rerun.runs(store.path)
    assert run.turns == 6
    fresh = Store(tmp_path / "fresh")
    load([str(log)], fresh)
    assert tables(store) == tables(fresh)


def test_the_same_content_at_another_path_is_one_run(store: Store, tmp_path: Path) -> None:
    first, second = write_log(tmp_path, "a.jsonl"), write_log(tmp_path, "b.jsonl")
    assert states(load([str(first), str(second)], store)) == ["loaded", "same content"]
    third = write_log(tmp_path, "c.jsonl")
    assert states(load([str(third)], store)) == ["same content"]
    [run] = rerun.runs(store.path)
    assert (run.path, run.other_paths) == (str(first), (str(second), str(third)))
    assert states(load([str(first), str(second), str(third)], store)) == ["unchanged"] * 3


def test_a_run_stays_while_another_file_still_has_its_content(store: Store, tmp_path: Path) -> None:
    first, second = write_log(tmp_path, "a.jsonl"), write_log(tmp_path, "b.jsonl")
    load([str(first), str(second)], store)
    write_log(tmp_path, "a.jsonl", pi_log(7))
    load([str(first)], store)
    assert {run.path: run.turns for run in rerun.runs(store.path)} == {str(second): 4, str(first): 7}


def test_a_file_that_became_a_copy_of_another_gives_up_its_own_run(store: Store, tmp_path: Path) -> None:
    first, second = write_log(tmp_path, "a.jsonl"), write_log(tmp_path, "b.jsonl", pi_log(session="s2"))
    load([str(first), str(second)], store)
    write_log(tmp_path, "b.jsonl")
    assert states(load([str(second)], store)) == ["same content"]
    [run] = rerun.runs(store.path)
    assert (run.path, run.other_paths) == (str(first), (str(second),))


def test_other_files_load_though_one_is_bad(store: Store, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    write_log(logs, "good.jsonl")
    write_log(logs, "empty.jsonl", "")
    write_log(logs, "notes.txt", "these are my notes\n")
    write_log(logs, "torn.jsonl", pi_log(session="t")[:-40])
    loaded = {Path(item.path).name: item for item in load([str(logs)], store)}
    assert {name: item.state for name, item in loaded.items()} == {
        "good.jsonl": "loaded",
        "empty.jsonl": "skipped",
        "notes.txt": "skipped",
        "torn.jsonl": "loaded",
    }
    [problem] = loaded["notes.txt"].problems
    assert problem.kind == "unknown format"
    assert "notes.txt" in problem.file
    assert "runningtab load --formats" in problem.done
    [empty] = loaded["empty.jsonl"].problems
    assert "empty" in empty.what
    assert loaded["torn.jsonl"].problems[0].line == 9


def test_a_skipped_file_says_why_again_and_loads_once_it_is_mended(store: Store, tmp_path: Path) -> None:
    log = write_log(tmp_path, text="nothing")
    for _ in range(2):
        assert kinds(load([str(log)], store)) == ["unknown format"]
    assert len(rerun.problems(store.path)) == 1
    write_log(tmp_path)
    [item] = load([str(log)], store)
    assert (item.state, item.problems) == ("loaded", ())
    assert rerun.problems(store.path) == ()


def test_what_cannot_be_searched_is_said(store: Store, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    (tmp_path / "secret").mkdir()
    write_log(tmp_path / "secret", ".hidden.jsonl")
    os.mkfifo(tmp_path / "pipe")
    loaded = load([str(tmp_path / name) for name in ("none", "secret", "pipe", "absent")], store)
    assert states(loaded) == ["skipped"] * 5
    assert kinds(loaded) == ["no run", "hidden file", "no run", "no file", "unreadable"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_a_problem_and_others_load(store: Store, tmp_path: Path) -> None:
    bad, good = write_log(tmp_path, "a.jsonl"), write_log(tmp_path, "b.jsonl", pi_log(session="b"))
    bad.chmod(0)
    loaded = load([str(bad), str(good)], store)
    assert states(loaded) == ["skipped", "loaded"]
    assert kinds(loaded) == ["unreadable"]


def test_links_that_run_in_a_circle_end(store: Store, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    write_log(logs, "a.jsonl")
    (logs / "again").symlink_to(logs)
    (logs / "self").symlink_to(logs / "self")
    loaded = load([str(logs)], store)
    assert states(loaded) == ["loaded", "skipped"]
    assert kinds(loaded) == ["unreadable"]


def test_a_run_folder_is_one_run_with_what_lies_beside(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "one"
    write_log(folder, "session.jsonl")
    (folder / "run.toml").write_text('method = "dci"\nattempt = 2\nroot = "/w/travel"\n')
    (folder / "task.md").write_text("Compare the hotels")
    (folder / "deliverable").mkdir()
    (folder / "deliverable" / "guide.md").write_text("120 a night")
    assert states(load([str(tmp_path / "runs")], store)) == ["loaded"]
    [run] = rerun.runs(store.path)
    assert (run.method, run.attempt, run.root, run.task, run.task_source) == (
        *("dci", 2, "/w/travel"),
        *("Compare the hotels", "run folder"),
    )
    assert states(load([str(folder)], store)) == ["unchanged"]
    assert states(load([str(folder / "session.jsonl")], store)) == ["unchanged"]
    (folder / "task.md").write_text("Compare the trains")
    assert states(load([str(folder)], store)) == ["replaced"]
    [run] = rerun.runs(store.path)
    assert run.task == "Compare the trains"
    fresh = Store(tmp_path / "fresh")
    load([str(folder)], fresh)
    assert tables(store) == tables(fresh)


def test_other_processes_read_the_same_rows(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = tmp_path / "logs"
    for number in range(6):
        write_log(logs, f"{number}.jsonl", pi_log(5, session=str(number), prefix=str(number)))
    monkeypatch.setattr(ingest, "BATCH", 3000)
    monkeypatch.setattr(ingest, "WORTH_WORKERS", 0)
    alone = Store(tmp_path / "alone")
    seen: list[Progress] = []
    assert states(load([str(logs)], store, seen.append, workers=2)) == ["loaded"] * 6
    assert states(load([str(logs)], alone, workers=1)) == ["loaded"] * 6
    assert tables(store) == tables(alone)
    assert seen[-1].files_done == seen[-1].files == 6
    assert seen[-1].bytes_done == seen[-1].bytes == sum(path.stat().st_size for path in logs.iterdir())
    assert len(seen) > 2


def test_a_log_too_long_for_memory_is_streamed(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest, "LONG", 1000)
    log = write_log(tmp_path, text=pi_log(30))
    assert states(load([str(log)], store)) == ["loaded"]
    copy = write_log(tmp_path, "copy.jsonl", pi_log(30))
    monkeypatch.setattr(ingest, "_same_content", lambda *_: None)
    before = tables(store)
    assert states(load([str(copy)], store)) == ["same content"]
    assert tables(store) == {**before, "files": 2}


def test_naming_many_logs_of_a_folder_looks_at_the_folder_once(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tabcore import discovery

    logs = [write_log(tmp_path, f"{number}.jsonl", pi_log(session=str(number))) for number in range(5)]
    looks: list[str] = []
    read_bundle = discovery.read_bundle
    monkeypatch.setattr(discovery, "read_bundle", lambda place: looks.append(place) or read_bundle(place))
    assert len(discovery.discover(map(str, logs)).places) == 5
    assert looks == [str(tmp_path)]
