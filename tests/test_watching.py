"""Growing logs, followed: real files that a person's harness appends to, moves, cuts short and deletes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from made_log import made_log
from small_logs import REAL, cc_agent, cc_log, cc_user, lines, result, stamp, text, use

from tabcore import rerun
from tabcore.growth import GUARD
from tabcore.watching import Watcher

TURNS = 24


def claude_fork() -> str:
    """A session with a sub-agent in it, in which the person goes back twice and asks something else."""
    return cc_log() + lines(
        cc_user("u8", "u4", "Rather write it in French", 8),
        cc_agent("u9", "u8", "m9", use("t9", "Task", prompt="Count"), second=9),
        cc_user("s1", None, "Count", 10, isSidechain=True, agentId="g1"),
        cc_agent("s2", "s1", "n1", use("t10", command="wc -l notes.md"), second=11, isSidechain=True, agentId="g1"),
        cc_user("s3", "s2", [result("t10", "1 notes.md")], 12, isSidechain=True, agentId="g1"),
        cc_agent("s4", "s3", "n2", text("One."), second=13, isSidechain=True, agentId="g1"),
        cc_user("u10", "u9", [result("t9", "One.")], 14),
        cc_agent("u11", "u10", "m11", text("Fait."), second=15),
        cc_user("u12", "u2", "Or in Latin", 16),
        cc_agent("u13", "u12", "m13", text("Factum."), second=17),
    )


def _codex(second: int, kind: str, **payload: object) -> dict[str, object]:
    return {"timestamp": stamp(second), "type": kind, "payload": payload}


def codex_rollout() -> str:
    """A rollout with two commands, a prompt that is taken back, and another in its place."""

    def asked(second: int, words: str) -> dict[str, object]:
        content = [{"type": "input_text", "text": words}]
        return _codex(second, "response_item", type="message", role="user", content=content)

    def ran(second: int, call_id: str, command: str, shown: str) -> list[dict[str, object]]:
        given = json.dumps({"cmd": command})
        return [
            _codex(
                second, "response_item", type="function_call", name="exec_command", arguments=given, call_id=call_id
            ),
            _codex(second + 1, "response_item", type="function_call_output", call_id=call_id, output=shown),
        ]

    def said(second: int, words: str) -> dict[str, object]:
        content = [{"type": "output_text", "text": words}]
        return _codex(second, "response_item", type="message", role="assistant", content=content)

    return lines(
        _codex(0, "session_meta", id="c1", cwd="/ws", timestamp=stamp(0)),
        asked(1, "Count the notes"),
        *ran(2, "k1", "ls", "notes.md"),
        *ran(4, "k2", "cat notes.md", "patents: 3"),
        said(6, "Three."),
        asked(7, "And in words"),
        said(8, "Three in words."),
        _codex(9, "event_msg", type="thread_rolled_back", num_turns=1),
        asked(10, "And in Latin"),
        said(11, "Tres."),
    )


@dataclass
class Bench:
    """A folder that is followed, its store, and what the watcher said."""

    logs: Path
    db: Path
    quiet: float = 600.0
    said: list[str] = field(default_factory=list)
    watcher: Watcher = field(init=False)

    def __post_init__(self) -> None:
        self.logs.mkdir(exist_ok=True)
        self.watcher = rerun.watcher([str(self.logs)], self.db, self.said.append, quiet=self.quiet)

    def log(self, text: str = "", name: str = "a.jsonl") -> Path:
        """A log with these lines, after a look at it."""
        path = self.logs / name
        self.add(path, text)
        return path

    def add(self, path: Path, text: str) -> None:
        """More of a log, and a look."""
        with path.open("a", encoding="utf-8") as stream:
            stream.write(text)
        self.watcher.step()

    def turns(self) -> list[int]:
        """The turns of each stored run."""
        return [run.turns for run in rerun.runs(self.db)]

    def heard(self, words: str) -> bool:
        """True when a message has these words."""
        return any(words in line for line in self.said)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """An empty folder that is followed."""
    return Bench(tmp_path / "logs", tmp_path / "runs.duckdb")


def _lines(text: str | None = None) -> list[str]:
    return (text if text is not None else made_log(TURNS, 20, 4, 3)).splitlines(keepends=True)


def _grow(bench: Bench, lines: list[str], step: int, name: str = "a.jsonl") -> Path:
    path = bench.logs / name
    for start in range(0, len(lines), step):
        bench.log("".join(lines[start : start + step]), name)
    return path


def _same_as_loaded(bench: Bench, log: Path, tmp_path: Path) -> None:
    """The store of a followed log holds what a load of the finished log stores."""
    other = tmp_path / "loaded.duckdb"
    rerun.load([str(log)], other)
    grown, loaded = rerun.runs(bench.db), rerun.runs(other)
    assert grown == loaded
    for run in loaded:
        assert rerun.replay(bench.db, run.run_id) == rerun.replay(other, run.run_id)
        for turn in range(1, run.turns + 1, 1 + run.turns // 10):
            assert rerun.turn_body(bench.db, run.run_id, turn) == rerun.turn_body(other, run.run_id, turn)
            assert rerun.tab_text(bench.db, run.run_id, turn) == rerun.tab_text(other, run.run_id, turn)


@pytest.mark.parametrize("step", [2, 7])
@pytest.mark.parametrize(
    "make",
    [lambda: made_log(TURNS, 20, 4, 3), cc_log, codex_rollout, claude_fork],
    ids=["pi", "claude", "codex", "fork"],
)
def test_a_followed_log_is_stored_as_a_load_of_the_finished_one_stores_it(
    make: Callable[[], str], step: int, tmp_path: Path
) -> None:
    bench = Bench(tmp_path / "logs", tmp_path / "runs.duckdb", quiet=0.3)
    log = _grow(bench, _lines(make()), step)
    time.sleep(0.4)
    bench.watcher.step()
    assert bench.heard("counts as ended")
    _same_as_loaded(bench, log, tmp_path)


FOLLOWED = ("claude-code", "codex", "pi")


def _real_logs() -> list[Path]:
    return sorted(path for path in REAL.rglob("*.jsonl") if path.stat().st_size < 3 << 20) if REAL.is_dir() else []


@pytest.mark.skipif(not _real_logs(), reason="the folder of real logs is not beside this project")
@pytest.mark.long
@pytest.mark.parametrize("path", _real_logs(), ids=lambda path: path.name)
def test_a_real_log_that_grows_by_torn_pieces_is_stored_as_a_load_stores_it(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    bench = Bench(tmp_path / "logs", tmp_path / "runs.duckdb", quiet=0.5)
    log = bench.logs / path.name
    step = max(1, len(data) // 6)
    for start in range(0, len(data), step):
        with log.open("ab") as stream:
            stream.write(data[start : start + step])
        bench.watcher.step()
    time.sleep(0.6)
    bench.watcher.step()
    if not any(run.format in FOLLOWED for run in rerun.runs(bench.db)):
        pytest.skip("a format that is loaded as a whole")
    _same_as_loaded(bench, log, tmp_path)


def test_only_new_bytes_are_read(bench: Bench) -> None:
    lines = _lines()
    log = _grow(bench, lines[:30], 30)
    for line in lines[30:]:
        before = bench.watcher.bytes_read
        bench.add(log, line)
        assert bench.watcher.bytes_read - before <= len(line) + GUARD
    for _ in range(5):
        bench.watcher.step()
    assert bench.watcher.bytes_read <= log.stat().st_size + GUARD * (len(lines) - 30)
    assert bench.watcher.rereads == 0


def test_a_half_written_line_waits_for_its_rest(bench: Bench) -> None:
    lines = _lines()
    log = bench.log("".join(lines[:4]))
    assert bench.turns() == [1]
    bench.add(log, lines[4][:60])
    assert bench.turns() == [1]
    bench.add(log, lines[4][60:-1])
    assert bench.turns() == [1]
    bench.add(log, "\n" + "".join(lines[5:]))
    assert bench.turns() == [TURNS]
    assert rerun.problems(bench.db) == ()


def test_a_line_that_stays_half_written_is_a_problem_once_the_log_has_ended(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "logs", tmp_path / "runs.duckdb", quiet=0.3)
    lines = _lines()
    log = bench.log("".join(lines[:6]) + lines[6][:60])
    assert rerun.problems(bench.db) == ()
    time.sleep(0.4)
    bench.watcher.step()
    assert "torn line" in [problem.kind for problem in rerun.problems(bench.db)]
    bench.add(log, lines[6][60:] + "".join(lines[7:]))
    assert bench.turns() == [TURNS]
    assert rerun.problems(bench.db) == ()


def test_ids_that_a_run_had_go_on_naming_it(bench: Bench) -> None:
    lines = _lines()
    log = bench.logs / "a.jsonl"
    ids = []
    for start in range(0, len(lines), 20):
        bench.log("".join(lines[start : start + 20]))
        ids.append(rerun.runs(bench.db)[0].run_id)
    assert len(set(ids)) == len(ids) > 2
    assert {rerun.run(bench.db, run_id).turns for run_id in ids} == {TURNS}
    assert rerun.tab_text(bench.db, ids[0], 2) == rerun.tab_text(bench.db, ids[-1], 2)
    assert rerun.load([str(log)], bench.db)[0].state == "unchanged"


def test_a_log_that_was_loaded_before_goes_on_under_its_run(bench: Bench) -> None:
    lines = _lines()
    log = bench.logs / "a.jsonl"
    log.write_text("".join(lines[:20]))
    [loaded] = rerun.load([str(log)], bench.db)
    bench.watcher.step()
    bench.add(log, "".join(lines[20:]))
    assert bench.turns() == [TURNS]
    assert rerun.run(bench.db, loaded.runs[0]).turns == TURNS


def test_a_log_that_is_cut_short_is_read_from_its_start(bench: Bench) -> None:
    lines = _lines()
    log = _grow(bench, lines, 50)
    log.write_text("".join(lines[:10]))
    bench.watcher.step()
    assert bench.heard("it was cut short")
    assert bench.turns() == [4]
    bench.add(log, "".join(lines[10:30]))
    assert bench.turns() == [14]


def test_a_log_that_is_written_anew_and_longer_is_read_from_its_start(bench: Bench) -> None:
    log = bench.log("".join(_lines()[:10]))
    log.write_text(made_log(TURNS, 20, 4, 3, name="another"))
    bench.watcher.step()
    assert bench.heard("it was written anew")
    assert bench.turns() == [TURNS]
    assert rerun.runs(bench.db)[0].session == "another"


def test_a_log_that_another_file_replaces_is_read_from_its_start(bench: Bench) -> None:
    log = bench.log("".join(_lines()[:10]))
    other = bench.logs.parent / "other"
    other.write_text(made_log(TURNS, 20, 4, 3, name="another"))
    other.replace(log)
    bench.watcher.step()
    assert bench.heard("another file took its place")
    assert [run.session for run in rerun.runs(bench.db)] == ["another"]


def test_a_rotated_log_keeps_its_run_and_the_new_one_is_followed(bench: Bench) -> None:
    lines = _lines()
    log = bench.log("".join(lines[:10]))
    before = rerun.runs(bench.db)[0].run_id
    read = bench.watcher.bytes_read
    log.rename(bench.logs / "a.1.jsonl")
    bench.log("".join(_lines(made_log(TURNS, 20, 4, 3, name="another"))[:8]))
    assert bench.heard("it is now")
    assert bench.watcher.bytes_read - read <= log.stat().st_size + GUARD
    bench.add(bench.logs / "a.1.jsonl", "".join(lines[10:]))
    found = {Path(run.path).name: (run.session, run.turns) for run in rerun.runs(bench.db)}
    assert found == {"a.1.jsonl": ("made", TURNS), "a.jsonl": ("another", 3)}
    assert rerun.run(bench.db, before).turns == TURNS


def test_what_was_read_of_a_deleted_log_is_kept(bench: Bench) -> None:
    log = bench.log("".join(_lines()[:10]))
    log.unlink()
    bench.watcher.step()
    assert bench.heard("it is gone; what was read of it is kept")
    assert bench.turns() == [4]
    [followed] = rerun.followed(bench.db)
    assert (followed.ended, followed.is_live(time.time())) == ("deleted", False)
    bench.log("".join(_lines()))
    assert bench.turns() == [TURNS]


def test_new_files_are_picked_up_in_folders_that_are_new_too(bench: Bench) -> None:
    bench.log("".join(_lines()[:10]))
    inner = bench.logs / "2026" / "12"
    inner.mkdir(parents=True)
    (inner / "b.jsonl").write_text(codex_rollout())
    bench.watcher.step()
    assert {run.format for run in rerun.runs(bench.db)} == {"pi", "codex"}


def test_going_back_in_a_conversation_reads_the_log_anew_once(bench: Bench) -> None:
    lines = _lines(claude_fork())
    _grow(bench, lines, 1)
    assert 1 <= bench.watcher.rereads <= 2
    assert rerun.runs(bench.db)[0].abandoned > 0


def test_a_correction_made_while_a_log_grows_is_kept(bench: Bench) -> None:
    lines = _lines()
    log = bench.log("".join(lines[:20]))
    rerun.correct(bench.db, rerun.runs(bench.db)[0].run_id, task="Find the energy bill")
    bench.add(log, "".join(lines[20:]))
    [run] = rerun.runs(bench.db)
    assert (run.task_source, run.turns) == ("corrected", TURNS)


def test_a_load_by_another_process_does_not_disturb(bench: Bench, tmp_path: Path) -> None:
    lines = _lines()
    log = bench.log("".join(lines[:20]))
    with log.open("a") as stream:
        stream.write("".join(lines[20:40]))
    rerun.load([str(log)], bench.db)
    bench.watcher.step()
    bench.add(log, "".join(lines[40:]))
    assert bench.turns() == [TURNS]
    assert len(rerun.replay(bench.db, rerun.runs(bench.db)[0].run_id).turns) == TURNS


def test_what_cannot_be_followed_is_loaded_again_when_it_changes(bench: Bench) -> None:
    document = {"schema_version": "ATIF-v1.5", "session_id": "s", "agent": {"name": "x", "version": "1"}}
    step = {"source": "agent", "message": "done", "step_id": 1}
    log = bench.logs / "trajectory.json"
    log.write_text(json.dumps(document | {"steps": [step]}) + "\n")
    bench.watcher.step()
    assert bench.turns() == [1]
    log.write_text(json.dumps(document | {"steps": [step, step | {"step_id": 2}]}) + "\n")
    time.sleep(2.1)
    bench.watcher.step()
    assert bench.turns() == [2]


@contextmanager
def _watching(folder: Path, db: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tabcore", "watch", str(folder), "--db", str(db)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert process.stdout is not None
        assert "following" in process.stdout.readline()
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)


def test_the_command_stores_new_turns_within_seconds_while_a_writer_tears_its_lines(tmp_path: Path) -> None:
    logs, db = tmp_path / "logs", tmp_path / "runs.duckdb"
    logs.mkdir()
    text = made_log(TURNS, 20, 4, 3).encode()
    log = logs / "a.jsonl"

    def write() -> None:
        with log.open("ab", buffering=0) as stream:
            for start in range(0, len(text), 700):
                stream.write(text[start : start + 700])
                time.sleep(0.03)

    with _watching(logs, db) as process:
        writer = threading.Thread(target=write)
        writer.start()
        writer.join()
        written = time.monotonic()
        while not (db.exists() and (runs := rerun.runs(db)) and runs[0].turns == TURNS):
            assert time.monotonic() - written < 6
            time.sleep(0.05)
        print(f"the last turn was stored {time.monotonic() - written:.2f} s after it was written")
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 0
    assert rerun.problems(db) == ()
    assert [log.ended for log in rerun.followed(db)] == ["stopped"]


def test_a_folder_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tabcore", "watch", str(tmp_path / "nowhere"), "--db", str(tmp_path / "db")]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ}, timeout=60)
    assert done.returncode == 2
    assert "there is no such folder" in done.stderr
