"""The store gives back what was put in, is the owner's only, and refuses what it cannot use."""

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_logs import pi_log, write_log
from test_timeline import histories

from tabcore import rerun
from tabcore.derivation import Job, read_chunks
from tabcore.discovery import discover
from tabcore.errors import StoreBusy, StoreError, StoreVersion
from tabcore.ingest import load
from tabcore.memory import read_runs
from tabcore.store import selects, writing
from tabcore.store.columns import Columns, spans_text
from tabcore.store.record_selects import stored_run
from tabcore.store.records import Chunk, Counts, Derivation, FileRecord, FileState, RunRecord
from tabcore.store.store import VERSION, Store
from tabcore.store.texts import restored, storable
from tabcore.store.turnstile import asked_to_write
from tabcore.tab.events import Event
from tabcore.tab.history import TurnFacts
from tabcore.tab.timeline import Timeline, timeline_of
from tabcore.trajectory import Message, Observation, RunHeader, Span, ToolCall, Turn, Usage

ANY_TEXT = st.text(st.characters(codec=None), max_size=30)
"""Text with halves of surrogate pairs, NUL and noncharacters."""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "data" / "runs.duckdb", wait=0.3)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def put(store: Store, columns: Columns, digest: str = "ab" * 32, header: RunHeader | None = None) -> None:
    """Store the rows as run number 0 of one file."""
    record = RunRecord(
        0, digest[:16], "", header or RunHeader("pi"), Derivation("", "none", "/", "none"), Counts(recorded_tab=True)
    )
    file = FileRecord("/x", FileState("/x", 1, 1), digest, "pi", runs=(record,))
    with store.writing() as connection:
        writing.add(connection, [Chunk(columns.take(), (file,))])


@given(ANY_TEXT)
def test_any_text_comes_back_as_it_was(text: str) -> None:
    stored = storable(text)
    stored.encode("utf-8")
    assert restored(stored) == text


@given(st.lists(ANY_TEXT.filter(bool), min_size=1, max_size=5, unique=True))
@settings(max_examples=20, deadline=None)
def test_texts_of_any_kind_come_back_from_the_file(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    store = Store(tmp_path_factory.mktemp("store") / "x.duckdb")
    columns = Columns()
    turn = Turn(
        1,
        text=texts[0],
        reasoning=texts[-1],
        calls=tuple(
            ToolCall(text, text, {"command": text, text: [1.5, None, True, 10**30, float("inf")]}) for text in texts
        ),
        observations=tuple(Observation(text, text, spans=(Span(0, 1, "harness", "note"),)) for text in texts),
        before=tuple(Message(text, "person", "prompt", 3, 1.5) for text in texts),
        usage=Usage(1, 2, 3, 4, 0.5),
    )
    columns.turn(0, turn, 1)
    columns.after(0, (Message(texts[0], "harness", "notice"),), 1)
    put(store, columns)
    with store.reading() as connection:
        stored = stored_run(connection, 1)
    assert stored.turns == (turn,)
    assert stored.after == (Message(texts[0], "harness", "notice"),)


@given(histories(), st.integers(0, 12))
@settings(max_examples=25, deadline=None)
def test_a_stored_timeline_gives_the_same_tab_at_any_turn(
    tmp_path_factory: pytest.TempPathFactory, events: list[Event], turn: int
) -> None:
    store = Store(tmp_path_factory.mktemp("store") / "x.duckdb")
    derived = timeline_of(events)
    columns = Columns()
    columns.facts(0, TurnFacts(1, tuple(events), ""), {"0" * 32: "text"})
    columns.timeline(0, derived)
    put(store, columns)
    with store.reading() as connection:
        stored = selects.timeline(connection, 1)
    assert stored == derived
    assert vars(stored.at(turn)) == vars(derived.at(turn))


def test_the_record_and_the_tab_of_a_log_are_those_that_memory_has(store: Store, tmp_path: Path) -> None:
    log = write_log(tmp_path)
    load([str(log)], store)
    [in_memory] = read_runs(str(log))
    with store.reading() as connection:
        stored = stored_run(connection, 1)
        timeline: Timeline = selects.timeline(connection, 1)
        excerpts = selects.excerpts(connection, timeline.entries)
    assert (stored.header, stored.turns, stored.after) == (
        in_memory.run.header,
        in_memory.run.turns,
        in_memory.run.after,
    )
    assert timeline == in_memory.timeline
    assert timeline.at(4, excerpts).texts == in_memory.tab_at(4).tab.texts


def test_a_text_stands_once_however_many_runs_show_it(store: Store, tmp_path: Path) -> None:
    for number in range(3):
        write_log(tmp_path, f"logs/{number}.jsonl", pi_log(session=f"s{number}"))
    load([str(tmp_path / "logs")], store)
    with store.reading() as connection:
        counts = connection.execute("SELECT count(*), count(DISTINCT digest), count(DISTINCT text) FROM texts")
        [(rows, digests, texts)] = counts.fetchall()
        assert rows == digests == texts
        assert connection.execute("SELECT count(DISTINCT run), count(*) FROM observations").fetchall() == [(3, 9)]


def test_store_and_folder_are_the_owners_only(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        store = Store(tmp_path / "mine" / "runs.duckdb")
        with store.writing() as connection:
            connection.execute("INSERT INTO stops VALUES (1, 1, 1)")
        assert (mode(store.path.parent), mode(store.path)) == (0o700, 0o600)
        with store.writing() as connection:
            connection.execute("INSERT INTO stops SELECT range, 1, 1 FROM range(10)")
            connection.execute("COMMIT")
            beside = [path for path in store.path.parent.iterdir() if path != store.path]
            assert beside
            assert {mode(path) for path in beside} == {0o600}
            connection.execute("BEGIN")
        other = tmp_path / "made after"
        other.touch()
        assert mode(other) == 0o644
    finally:
        os.umask(before)


def test_an_exception_takes_the_whole_transaction_back(store: Store) -> None:
    with store.writing():
        pass

    def fail() -> None:
        with store.writing() as connection:
            connection.execute("INSERT INTO stops VALUES (1, 1, 1)")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with store.reading() as connection:
        assert connection.execute("SELECT * FROM stops").fetchall() == []


def test_a_store_from_the_future_is_refused_and_left_as_it_is(store: Store) -> None:
    with store.writing() as connection:
        connection.execute("UPDATE meta SET version = ?, program = 'runningtab 9'", [VERSION + 1])
    content = store.path.read_bytes()
    with pytest.raises(StoreVersion, match=r"written by runningtab 9.*Update runningtab"), store.reading():
        pass
    with pytest.raises(StoreVersion), store.writing():
        pass
    assert store.path.read_bytes() == content


def test_an_older_store_is_refused_with_what_to_do(store: Store) -> None:
    with store.writing() as connection:
        connection.execute("UPDATE meta SET version = 0")
    with pytest.raises(StoreVersion, match="runningtab rebuild"), store.reading():
        pass


def test_a_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("hello" * 5000)
    with pytest.raises(StoreError, match="no DuckDB file"), Store(text).reading():
        pass
    other = tmp_path / "other.duckdb"
    with duckdb.connect(str(other)) as connection:
        connection.execute("CREATE TABLE t (i INTEGER)")
    with pytest.raises(StoreError, match="no store of runningtab"), Store(other).reading():
        pass
    with pytest.raises(StoreError, match="no store of runningtab"), Store(other).writing():
        pass


def test_another_process_that_holds_the_store_is_named(store: Store) -> None:
    with store.writing():
        pass
    script = (
        "import duckdb, sys, time\n"
        f"c = duckdb.connect({str(store.path)!r})\n"
        "print('ready', flush=True)\n"
        "sys.stdin.readline()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "ready\n"
        for look in (store.reading, store.writing):
            with pytest.raises(StoreBusy, match=rf"process {holder.pid} .*--db"), look():
                pass
        patient = Store(store.path, wait=20)
        release = threading.Timer(0.3, lambda: holder.communicate("\n"))
        release.start()
        with patient.writing() as connection:
            connection.execute("INSERT INTO stops VALUES (1, 1, 1)")
        release.join()


def test_threads_of_one_process_read_together_and_a_writer_waits_for_them(store: Store) -> None:
    with store.writing():
        pass
    with store.reading() as one, store.reading() as two:
        assert (
            one.execute("SELECT count(*) FROM runs").fetchone() == two.execute("SELECT count(*) FROM runs").fetchone()
        )
        with pytest.raises(StoreBusy, match="another part of this program"), store.writing():
            pass
    with store.writing() as connection:
        connection.execute("INSERT INTO stops VALUES (1, 1, 1)")


@pytest.mark.parametrize("of_another_process", [False, True])
def test_readers_who_come_one_upon_another_do_not_keep_a_writer_out(store: Store, of_another_process: bool) -> None:
    with store.writing():
        pass
    patient, enough = Store(store.path, wait=20), threading.Event()

    def read_on(reading: threading.Event) -> None:
        while not enough.is_set():
            with patient.reading():
                reading.set()
                time.sleep(0.2)

    are_reading = [threading.Event() for _ in range(4)]
    readers = [threading.Thread(target=read_on, args=(reading,)) for reading in are_reading]
    for reader, reading in zip(readers, are_reading, strict=True):
        reader.start()
        assert reading.wait(20)
        time.sleep(0.05)
    try:
        if of_another_process:
            script = f"from tabcore.store.store import Store\nwith Store({str(store.path)!r}, 5).writing(): pass"
            subprocess.run([sys.executable, "-c", script], check=True)
        else:
            with Store(store.path, wait=5).writing():
                pass
    finally:
        enough.set()
        for reader in readers:
            reader.join()
    assert [place.name for place in store.path.parent.iterdir()] == [store.path.name]


def test_a_look_within_a_look_does_not_wait_for_the_writer_who_waits_for_both(store: Store) -> None:
    with store.writing():
        pass
    with store.reading(), asked_to_write(store.path):
        started = time.monotonic()
        with Store(store.path, wait=20).reading():
            pass
        assert time.monotonic() - started < 5


def test_a_store_that_does_not_exist_reads_as_empty_and_is_not_made(store: Store) -> None:
    assert rerun.runs(store.path) == ()
    assert not store.path.exists()


def test_a_path_with_a_quote_and_spaces_is_a_store_like_any_other(tmp_path: Path) -> None:
    store = Store(tmp_path / "it's here" / "my runs.duckdb")
    load([str(write_log(tmp_path))], store)
    assert len(rerun.runs(store.path)) == 1


def test_a_load_that_is_killed_leaves_whole_runs_only(tmp_path: Path) -> None:
    """The process dies inside the transaction of the second log, after rows of it were written."""
    first, second = write_log(tmp_path, "1.jsonl", pi_log(session="a")), write_log(tmp_path, "2.jsonl", pi_log(60))
    db = tmp_path / "runs.duckdb"
    load([str(first)], Store(db))
    script = f"""
import os, signal
from tabcore.derivation import Job, read_chunks
from tabcore.discovery import discover
from tabcore.store import writing
from tabcore.store.store import Store

def chunks():
    jobs = [Job(state) for state in discover([{str(second)!r}]).places.values()]
    for chunk in read_chunks(jobs, size=100):
        if chunk.files:
            os.kill(os.getpid(), signal.SIGKILL)
        yield chunk

with Store({str(db)!r}).writing() as connection:
    writing.add(connection, chunks())
"""
    ended = subprocess.run([sys.executable, "-c", script], check=False, timeout=60)
    assert ended.returncode == -signal.SIGKILL
    [run] = rerun.runs(db)
    assert run.path == str(first)
    with Store(db).reading() as connection:
        assert connection.execute("SELECT DISTINCT run FROM calls").fetchall() == [(1,)]
    assert [item.state for item in load([str(first), str(second)], Store(db))] == ["unchanged", "loaded"]
    assert rerun.replay(db, rerun.runs(db)[1].run_id).run.turns == 60


def test_rows_that_come_in_many_chunks_are_the_same_rows(tmp_path: Path) -> None:
    log = write_log(tmp_path, text=pi_log(40))
    jobs = [Job(state) for state in discover([str(log)]).places.values()]
    replays = []
    for name, size in (("one", 1 << 20), ("many", 50)):
        store = Store(tmp_path / name)
        chunks = list(read_chunks(jobs, size=size))
        with store.writing() as connection:
            writing.add(connection, chunks)
        replays.append(rerun.replay(store.path, rerun.runs(store.path)[0].run_id))
    assert len(chunks) > 5
    assert replays[0] == replays[1]


def test_no_spans_are_no_json() -> None:
    assert spans_text(()) is None


def test_waiting_for_a_store_ends_after_the_stated_time(store: Store) -> None:
    with store.writing():
        started = time.monotonic()
        with pytest.raises(StoreBusy), Store(store.path, wait=0.2).reading():
            pass
        assert 0.2 <= time.monotonic() - started < 5


REAL = Path(__file__).resolve().parents[2] / "shared" / "real"
SMALL = 200_000


@pytest.mark.skipif(not REAL.exists(), reason="no recorded runs on this machine")
def test_recorded_runs_of_every_format_come_back_as_they_were_read(store: Store) -> None:
    logs = [path for path in REAL.glob("*/*.json*") if path.stat().st_size < SMALL]
    load(map(str, logs), store)
    rows = rerun.runs(store.path)
    assert len({row.format for row in rows}) > 5
    in_memory = {run.run.run_id: run for path in {row.path for row in rows} for run in read_runs(path)}
    with store.reading() as connection:
        for run_id, number in selects.run_numbers(connection).items():
            stored, run = stored_run(connection, number), in_memory[run_id].run
            assert (stored.header, stored.turns, stored.after) == (run.header, run.turns, run.after)
            assert selects.timeline(connection, number) == in_memory[run_id].timeline
