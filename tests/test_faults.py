"""What a fault costs: an older store, a damaged one, one from the future, a full disk, a folder without rights, kill -9.

Nothing that was acknowledged is lost, the store opens afterwards or its message says what to do, and that helps.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from made_logs import pi_log, write_log
from made_rubrics import made_run
from small_logs import pi_agent, pi_result, pi_user
from small_logs import pi_log as small_log

from tabcore import labelling, rerun
from tabcore.analyses.labels import Note
from tabcore.cli import main
from tabcore.errors import StoreBusy, StoreError, StoreVersion
from tabcore.rebuilding import rebuild
from tabcore.store.store import VERSION
from tabcore.tab.corrections import DecisionCorrection

LONG = pytest.mark.long
STORES = Path(__file__).parent / "golden" / "stores"
OLD_LOG = small_log(
    pi_user("Sum the bills of /ws"),
    pi_agent("", ("c1", "bash", {"command": "ls /ws"})),
    pi_result("c1", "a.txt\nb.txt\n"),
    pi_agent("", ("c2", "bash", {"command": "cat /ws/b.txt"})),
    pi_result("c2", "Rent 1234.50\n"),
    pi_agent("Total 1234.50"),
)
"""The log that the stores of earlier versions hold, with one rubric that failed."""


def old_store(folder: Path, version: int) -> Path:
    """A store that a program of this version wrote, as if its log lay in this folder."""
    store = folder / "runs.duckdb"
    packed = (STORES / f"version_{version}.duckdb.zst").read_bytes()
    store.write_bytes(pa.input_stream(pa.BufferReader(packed), compression="zstd").read())
    run = folder / "run"
    run.mkdir()
    log = run / "session.jsonl"
    log.write_text(OLD_LOG)
    (run / "rubrics.json").write_text(json.dumps([{"id": "b1", "text": "States 1234.50"}]))
    (run / "verdicts.json").write_text(json.dumps([{"rubric": "b1", "passed": False}]))
    with duckdb.connect(str(store)) as connection:
        for table in ("files", "runs", "corrections") + (("decision_corrections",) if version > 1 else ()):
            connection.execute(f"UPDATE {table} SET path = ?", [str(log)])
    return store


def told(store: Path) -> Path:
    """A store with one run, of which a person corrected a decision, labelled a rubric and noted something."""
    run = made_run(store.parent / "run", store, {"b1": ("States 7890.25", False)}, "Total 9124.75")
    rerun.correct_decision(store, run, DecisionCorrection(1, 0, "/ws/rates.txt", "read", "Ann", 1.0))
    labelling.label(store, (run, "b1"), "Other", "Ann")
    labelling.add_note(store, Note(run, "look again", "Ann", 2.0))
    return store


def is_told(store: Path) -> None:
    """All that `told` said is there and counts."""
    [run] = [run for run in rerun.runs(store) if run.task_name == "bills"]
    assert run.files_read == 2
    [label] = labelling.labels(store)
    assert (label.run_id, label.type, label.annotator, label.fits) == (run.run_id, "Other", "Ann", True)
    assert [(note.run_id, note.text) for note in labelling.notes(store)] == [(run.run_id, "look again")]
    [correction] = rerun.decision_corrections(store, run.run_id)
    assert (correction.path, correction.state) == ("rates.txt", "counts")


@pytest.fixture(scope="module")
def rounds(request: pytest.FixtureRequest) -> int:
    """How often a store is damaged."""
    return 10 if request.config.getoption("--long") else 1


class TestVersions:
    @pytest.mark.parametrize(
        "version", [pytest.param(1, marks=LONG), pytest.param(2, marks=LONG), 3, pytest.param(4, marks=LONG)]
    )
    def test_an_older_store_is_refused_with_the_way_out_and_rebuilt_by_it(self, version: int, tmp_path: Path) -> None:
        store = old_store(tmp_path, version)
        content = store.read_bytes()
        with pytest.raises(StoreVersion, match=f"version {version}.*runningtab rebuild --db"):
            rerun.runs(store)
        with pytest.raises(StoreVersion):
            rerun.load([str(tmp_path / "run")], store)
        assert store.read_bytes() == content
        found = rebuild(store)
        assert (found.gone, found.unreadable) == ((), ())
        assert Path(found.backup).read_bytes() == content
        assert found.kept["corrections"] == 1
        [run] = rerun.runs(store)
        assert (run.root, run.files_read) == ("/ws/corrected", 1 if version == 1 else 2)
        assert len(rerun.decision_corrections(store, run.run_id)) == (version > 1)
        assert len(labelling.failure_taxonomy(store).failed) == 1

    @LONG
    def test_a_store_from_the_future_is_left_alone_by_all_but_a_rebuild(self, tmp_path: Path) -> None:
        store = told(tmp_path / "runs.duckdb")
        with duckdb.connect(str(store)) as connection:
            connection.execute("UPDATE meta SET version = ?, program = 'runningtab 9'", [VERSION + 1])
        with pytest.raises(StoreVersion, match=r"written by runningtab 9.*Update runningtab"):
            rerun.runs(store)
        rebuild(store)
        is_told(store)


class TestDamage:
    def test_facts_of_a_store_with_a_damaged_place_are_kept_as_far_as_they_can_be_read(
        self, tmp_path: Path, rounds: int, record_property: Callable[[str, object], None]
    ) -> None:
        record_property("cases", rounds)
        store = told(tmp_path / "runs.duckdb")
        whole = store.read_bytes()
        chance = random.Random(7)
        for _ in range(rounds):
            damaged = bytearray(whole)
            at = chance.randrange(3 * 4096, len(whole) - 4096)
            damaged[at : at + 4096] = chance.randbytes(4096)
            store.write_bytes(bytes(damaged))
            found = rebuild(store, [str(tmp_path / "run")])
            [run] = rerun.runs(store)
            assert run.task_name == "bills"
            assert len(labelling.labels(store)) == ("labels" not in found.unreadable)
            assert len(labelling.notes(store)) == ("notes" not in found.unreadable)
            assert Path(found.backup).read_bytes() == bytes(damaged)
            Path(found.backup).unlink()

    @pytest.mark.parametrize("keep", [pytest.param(size, marks=LONG) for size in (0, 10, 5000, 700_000)])
    def test_a_store_that_was_cut_short_says_how_to_rebuild_it(self, keep: int, tmp_path: Path) -> None:
        store = told(tmp_path / "runs.duckdb")
        store.write_bytes(store.read_bytes()[:keep])
        if keep:
            with pytest.raises(StoreError, match=r"damaged|no DuckDB file") as refused:
                rerun.runs(store)
            assert "runningtab rebuild" in str(refused.value)
        found = rebuild(store, [str(tmp_path / "run")])
        assert Path(found.backup).stat().st_size == keep
        assert [run.task_name for run in rerun.runs(store)] == ["bills"]

    def test_rubbish_in_the_place_of_the_write_ahead_log_costs_nothing(self, tmp_path: Path) -> None:
        store = told(tmp_path / "runs.duckdb")
        store.with_name("runs.duckdb.wal").write_bytes(b"\x62" * 9000)
        is_told(store)

    @LONG
    def test_without_a_readable_list_of_logs_they_must_be_named_and_nothing_is_changed(self, tmp_path: Path) -> None:
        store = tmp_path / "runs.duckdb"
        store.write_text("a letter" * 3000)
        with pytest.raises(StoreError, match="Name them: runningtab rebuild"):
            rebuild(store)
        assert [path.name for path in tmp_path.iterdir()] == ["runs.duckdb"]
        assert store.read_text().startswith("a letter")

    def test_a_log_that_is_gone_is_named_and_the_old_store_kept(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        store = told(tmp_path / "runs.duckdb")
        (tmp_path / "run" / "session.jsonl").unlink()
        assert main(["rebuild", "--db", str(store)]) == 1
        said = capsys.readouterr().out
        assert f"gone: {tmp_path}/run/session.jsonl" in said
        assert "1 log no longer there: what was read of them is in the old store only" in said
        assert "1 labels, 1 notes" in said
        [backup] = tmp_path.glob("*.backup")
        is_told(backup)

    @LONG
    def test_a_store_in_use_is_not_rebuilt(self, tmp_path: Path) -> None:
        store = told(tmp_path / "runs.duckdb")
        content = store.read_bytes()
        with duckdb.connect(str(store)), pytest.raises(StoreBusy, match="another program holds"):
            rebuild(store)
        assert store.read_bytes() == content


def run_as(*command: str, before: str = "", wrapped: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """A command of the program in a process of its own, after a line of Python; `wrapped` is a program that starts it."""
    code = f"import sys; {before}\nfrom tabcore.cli import main\nsys.exit(main(sys.argv[1:]))"
    return subprocess.run([*wrapped, sys.executable, "-c", code, *command], capture_output=True, text=True)


class TestDisk:
    @LONG
    def test_a_full_disk_is_said_and_what_was_stored_before_is_kept(self, tmp_path: Path) -> None:
        store = told(tmp_path / "runs.duckdb")
        write_log(tmp_path / "run", "big.jsonl", "".join(pi_log(2000, session=f"s{n}") for n in range(1)))
        limit = f"import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, ({store.stat().st_size + 20_000},) * 2);"
        refused = run_as("load", str(tmp_path / "run" / "big.jsonl"), "--db", str(store), before=limit)
        assert refused.returncode == 1, refused
        assert "there is no room left on the disk. Make room and give the command again" in refused.stderr
        assert "Traceback" not in refused.stderr
        is_told(store)

    @LONG
    def test_a_folder_without_rights_is_said_and_what_is_there_can_be_read(self, tmp_path: Path) -> None:
        store = told(tmp_path / "runs.duckdb")
        other = write_log(tmp_path, "other.jsonl", pi_log(3))
        store.chmod(0o400)
        tmp_path.chmod(0o500)
        try:
            read = run_as("runs", "--db", str(store), wrapped=RIGHTLESS)
            assert (read.returncode, "bills" in read.stdout) == (0, True), read.stderr
            for command in (["load", str(other)], ["rebuild"]):
                refused = run_as(*command, "--db", str(store), wrapped=RIGHTLESS)
                assert (refused.returncode, "Traceback" in refused.stderr) == (1, False), refused.stderr
                assert "rights there" in refused.stderr or "you may write there" in refused.stderr, refused.stderr
        finally:
            tmp_path.chmod(0o700)
        is_told(store)

    def test_a_process_that_met_a_full_disk_goes_on_when_there_is_room(self, tmp_path: Path) -> None:
        store = told(tmp_path / "runs.duckdb")
        big = write_log(tmp_path, "big.jsonl", pi_log(2000, session="big"))
        before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        most, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (store.stat().st_size + 20_000, hard))
        try:
            with pytest.raises(StoreError, match="no room left"):
                rerun.load([str(big)], store)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
            signal.signal(signal.SIGXFSZ, before)
        rerun.load([str(big)], store)
        assert len(rerun.runs(store)) == 2
        is_told(store)


RIGHTLESS = (
    () if os.getuid() else ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override")
)
"""Root writes wherever it likes, unless that is taken away."""

LOADING = """
import sys
from tabcore import rerun
for number in range(1000):
    print(*rerun.load([f"{sys.argv[1]}/logs/{number:04}.jsonl"], sys.argv[2])[0].runs, flush=True)
"""
LABELLING = """
import sys
from tabcore import labelling, rerun
[run] = rerun.runs(sys.argv[2])
for number in range(1000):
    labelling.label(sys.argv[2], (run.run_id, "b1"), "Other", f"a{number}")
    print(f"a{number}", flush=True)
"""
ANALYSIS = """
import sys
from tabcore import labelling, questions
while True:
    labelling.failure_taxonomy(sys.argv[2])
    questions.shown_but_missing(sys.argv[2])
    print("answered", flush=True)
"""
WATCHING = """
import sys
from tabcore import rerun
watcher = rerun.watcher([f"{sys.argv[1]}/growing"], sys.argv[2], lambda line: None)
while True:
    watcher.step()
    print(*(one.run_id for one in rerun.runs(sys.argv[2])), flush=True)
"""


def killed(script: str, folder: Path, store: Path, after: float) -> list[str]:
    """What a process acknowledged line by line before it was killed so many seconds after its first line."""
    command = [sys.executable, "-c", script, str(folder), str(store)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        first = process.stdout.readline()
        time.sleep(after)
        process.send_signal(signal.SIGKILL)
        rest = process.stdout.read()
    return [line for line in (first + rest).split("\n")[:-1] if line]


@pytest.fixture(scope="module")
def moments(request: pytest.FixtureRequest) -> int:
    """How often a process is killed, in each of four kinds of work."""
    return 25 if request.config.getoption("--long") else 1


def delays(count: int) -> Iterator[float]:
    chance = random.Random(20261201)
    return (chance.uniform(0, 0.6) for _ in range(count))


class TestKilled:
    def test_while_loading(self, tmp_path: Path, moments: int, record_property: Callable[[str, object], None]) -> None:
        record_property("cases", moments)
        (tmp_path / "logs").mkdir()
        for number in range(60 * moments):
            write_log(tmp_path / "logs", f"{number:04}.jsonl", pi_log(3, session=f"s{number}"))
        store = tmp_path / "runs.duckdb"
        said: set[str] = set()
        for after in delays(moments):
            said |= {*killed(LOADING, tmp_path, store, after)}
            assert said <= {run.run_id for run in rerun.runs(store)}
        for run in rerun.runs(store):
            assert rerun.replay(store, run.run_id).run.turns == run.turns

    def test_while_labelling(
        self, tmp_path: Path, moments: int, record_property: Callable[[str, object], None]
    ) -> None:
        record_property("cases", moments)
        store = told(tmp_path / "runs.duckdb")
        said: set[str] = {"Ann"}
        for after in delays(moments):
            said |= {*killed(LABELLING, tmp_path, store, after)}
            assert said <= {label.annotator for label in labelling.labels(store)}

    def test_while_an_analysis_runs(
        self, tmp_path: Path, moments: int, record_property: Callable[[str, object], None]
    ) -> None:
        record_property("cases", moments)
        store = told(tmp_path / "runs.duckdb")
        for after in delays(moments):
            assert killed(ANALYSIS, tmp_path, store, after)
            is_told(store)

    def test_while_a_folder_is_followed(
        self, tmp_path: Path, moments: int, record_property: Callable[[str, object], None]
    ) -> None:
        record_property("cases", moments)
        (tmp_path / "growing").mkdir()
        store = tmp_path / "runs.duckdb"
        rerun.load([str(write_log(tmp_path, "other.jsonl", pi_log(3, session="other")))], store)
        lines = pi_log(400, session="growing").splitlines(keepends=True)
        log, at = tmp_path / "growing" / "log.jsonl", 0
        for after in delays(moments):
            at = min(len(lines), at + max(2, len(lines) // (moments + 1)))
            log.write_text("".join(lines[:at]))
            said = killed(WATCHING, tmp_path, store, after)
            for run in said[-1].split():
                assert rerun.run(store, run).turns
        rerun.load([str(log)], store)
        assert max(run.turns for run in rerun.runs(store)) >= at // 2 - 2
