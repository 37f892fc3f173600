"""Whatever is wrong with a file, a load ends, keeps what is readable, and says of each fault where it is.

Some 200 broken logs by default, the same each time, so that a run can be trusted; ten thousand with --long, other ones
each time (pytest says by which --hypothesis-seed they come again). Each goes through the whole load into a store, and
what is stored is looked at through every door.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mutations import BAD_LINES, MUTATIONS, PACKINGS
from reader_checks import ABSENT, REAL
from small_logs import atif_log, cc_log, pi_agent, pi_log, pi_result, pi_user
from test_reader_laws import LOGS
from test_recognition import OURS

from tabcore import rerun
from tabcore.errors import UnknownFormat, UnreadableSource, UsageError
from tabcore.ingest import load
from tabcore.readers import READERS, identify
from tabcore.rows import Loaded
from tabcore.source import Source
from tabcore.store.store import Store
from tabcore.trajectory import RunEnded, RunStarted, TurnRead

PI = pi_log(
    pi_user("Sum the bills in /ws and write total.md"),
    pi_agent("I look.", ("c1", "bash", {"command": "ls bills; cat bills/march.csv"})),
    pi_result("c1", "april.csv\nmarch.csv\nno,amount\n1,120.50\n2,79.50\n"),
    pi_agent("Written.", ("c2", "write", {"path": "total.md", "content": "200"})),
    pi_result("c2", "ok"),
    pi_agent("Done."),
)
SAMPLES: dict[str, bytes] = {
    "pi": PI.encode(),
    "claude-code": cc_log().encode(),
    "atif": atif_log().encode(),
    **{name: data for name, (_, data) in LOGS.items()},
    **{
        f"{name} {number}": sample if isinstance(sample, bytes) else sample.encode()
        for name, samples in OURS.items()
        for number, sample in enumerate(samples)
    },
}
REAL_LIMIT = 1_500_000
"""Bytes of the longest real file that is broken again and again."""
REAL_FILES = [path for path in sorted(REAL.rglob("*")) if path.is_file() and path.stat().st_size < REAL_LIMIT]
STATES = {"loaded", "unchanged", "same content", "skipped", "unpacked"}

Case = tuple[str, int]
"""A log's name and what chance makes of it."""


def sound(name: str) -> bytes:
    return SAMPLES[name] if name in SAMPLES else (REAL / name).read_bytes()


def write_broken(case: Case, folder: Path, number: int) -> Path:
    """One broken log, packed or not, in a file of the folder."""
    name, seed = case
    chance = Random(seed)
    data = sound(name)
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        data = MUTATIONS[chance.choice(sorted(MUTATIONS))](data, chance)
    suffix = chance.choice(sorted(PACKINGS)) if chance.random() < 0.3 else ""
    path = folder / f"{number}{suffix or '.jsonl'}"
    path.write_bytes(PACKINGS[suffix](data, chance) if suffix else data)
    return path


def check(cases: list[Case]) -> None:
    """Loads broken logs together; they are told apart, and all doors open."""
    with tempfile.TemporaryDirectory() as room:
        folder = Path(room, "logs")
        folder.mkdir()
        paths = [write_broken(case, folder, number) for number, case in enumerate(cases)]
        store = Store(Path(room, "runs.duckdb"))
        loaded = load(map(str, paths), store)
        assert set(map(str, paths)) <= {item.path for item in loaded}
        for item in loaded:
            check_fate(item, paths)
        again = load(map(str, paths), store)
        fates = {item.path: (item.runs, item.problems) for item in again}
        assert {item.path: fates[item.path] for item in loaded} == {
            item.path: (item.runs, item.problems) for item in loaded
        }
        look_at(store)


def check_fate(item: Loaded, paths: list[Path]) -> None:
    """A file is loaded, or it is said why not; each problem names the file, and a line that it can have."""
    assert item.state in STATES
    assert item.runs or item.problems or item.state in ("unpacked", "same content")
    for problem in item.problems:
        [of] = [
            path for path in paths if problem.file == str(path) or problem.file.startswith((f"{path}!", f"{path}:"))
        ]
        assert problem.kind
        assert problem.what
        assert problem.done
        assert problem.line >= 0
        if of.suffix == ".jsonl":
            assert problem.line <= of.read_bytes().count(b"\n") + of.stat().st_size // 2


def look_at(store: Store) -> None:
    """Every door opens on every run."""
    rerun.problems(store.path)
    for row in rerun.runs(store.path):
        replay = rerun.replay(store.path, row.run_id)
        for turn in replay.turns[:2]:
            rerun.turn_body(store.path, row.run_id, turn.number)
        rerun.tab_text(store.path, row.run_id)
        try:
            rerun.export_atif(store.path, row.run_id)
        except UsageError:
            assert row.turns == 0


CASES = st.lists(st.tuples(st.sampled_from(sorted(SAMPLES)), st.integers(0, 2**32)), min_size=15, max_size=20)
UNHURRIED = list(HealthCheck)


@given(CASES)
@settings(max_examples=12, derandomize=True, deadline=None, suppress_health_check=UNHURRIED)
def test_broken_logs_load_or_say_why_not(cases: list[Case]) -> None:
    check(cases)


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
@given(cases=CASES)
@settings(max_examples=70, deadline=None, suppress_health_check=UNHURRIED)
def test_thousands_of_broken_logs_load_or_say_why_not(part: int, cases: list[Case]) -> None:
    check([(name, seed + part) for name, seed in cases])


@pytest.mark.skipif(not REAL.exists(), reason=ABSENT)
@pytest.mark.parametrize("seed", range(2))
def test_broken_real_logs_load_or_say_why_not(seed: int) -> None:
    chance = Random(seed)
    files = chance.sample(REAL_FILES, 10)
    check([(str(path.relative_to(REAL)), chance.randrange(2**32)) for path in files])


@pytest.mark.long
@pytest.mark.skipif(not REAL.exists(), reason=ABSENT)
@pytest.mark.parametrize("path", REAL_FILES, ids=lambda path: path.name)
def test_every_real_log_broken_in_many_ways_loads_or_says_why_not(path: Path) -> None:
    name = str(path.relative_to(REAL))
    for first in range(0, 40, 10):
        check([(name, seed) for seed in range(first, first + 10)])


@pytest.mark.parametrize("name", SAMPLES)
def test_runs_of_a_log_differ_in_their_keys_when_its_records_stand_there_three_times(name: str) -> None:
    data = b"\n".join([sound(name)] * 3)
    try:
        pieces = list(identify(Source.of_bytes("log", data)).read(Source.of_bytes("log", data)))
    except (UnknownFormat, UnreadableSource):
        return
    begun = [piece.key for piece in pieces if isinstance(piece, RunStarted)]
    assert len(set(begun)) == len(begun)
    assert sorted(begun) == sorted(piece.key for piece in pieces if isinstance(piece, RunEnded))
    assert {piece.key for piece in pieces if isinstance(piece, TurnRead)} <= set(begun)


def test_sessions_with_one_id_are_runs_of_their_own_and_the_next_log_keeps_its_numbers(tmp_path: Path) -> None:
    def session(words: str) -> list[dict[str, str]]:
        at = {"timestamp": "2025-10-10T06:59:40Z"}
        told = [{"role": "user", "content": "Sum"}, {"role": "assistant", "content": words}]
        return [{"type": "init", "session_id": "s1"} | at, *({"type": "message"} | at | one for one in told)]

    records = [record for words in ("One", "Two", "Three") for record in session(words)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    (tmp_path / "b.jsonl").write_text(PI)
    store = Store(tmp_path / "runs.duckdb")
    load([str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")], store)
    rows = {(Path(row.path).name, row.run_id.partition(".")[2]): row for row in rerun.runs(store.path)}
    turns = {key: len(rerun.replay(store.path, row.run_id).turns) for key, row in rows.items()}
    assert turns == {("a.jsonl", ""): 1, ("a.jsonl", "s1"): 1, ("a.jsonl", "s1.2"): 1, ("b.jsonl", ""): 3}
    repeated = [problem for problem in rerun.problems(store.path) if problem.kind == "repeated run"]
    assert [(Path(problem.file).name, problem.line) for problem in repeated] == [("a.jsonl", 9)]


def written_by_line(name: str) -> bool:
    lines = sound(name).splitlines()
    return len(lines) > 3 and all(line.startswith(b"{") for line in lines)


BY_LINE = sorted(name for name in SAMPLES if written_by_line(name))


@pytest.mark.parametrize("name", BY_LINE)
@pytest.mark.parametrize(
    "bad", [b'{"torn": "li', b"\0\0\0", b"[" * 100_000, b"<html>"], ids=["torn", "nul", "deep", "html"]
)
def test_a_bad_line_is_named_by_file_and_line_and_costs_nothing_else(name: str, bad: bytes, tmp_path: Path) -> None:
    assert bad in BAD_LINES
    lines = sound(name).splitlines()
    whole, broken = tmp_path / "whole.jsonl", tmp_path / "broken.jsonl"
    whole.write_bytes(b"\n".join(lines) + b"\n")
    broken.write_bytes(b"\n".join([*lines[:3], bad, *lines[3:]]) + b"\n")
    store = Store(tmp_path / "runs.duckdb")
    sane, hurt = load([str(whole), str(broken)], store)
    assert (str(broken), 4) in [(problem.file, problem.line) for problem in hurt.problems]
    assert len(hurt.runs) == len(sane.runs)
    turns = {row.path: row.turns for row in rerun.runs(store.path) if not row.parent}
    assert turns[str(broken)] == turns[str(whole)]


def test_every_format_is_among_the_samples() -> None:
    def format_of(data: bytes) -> str:
        try:
            return identify(Source.of_bytes("log", data)).NAME
        except UnknownFormat:
            return ""

    assert set(map(format_of, SAMPLES.values())) == {reader.NAME for reader in READERS}


_HUGE = """
import sys
from pathlib import Path
from tabcore.ingest import load
from tabcore.lean import keep_small
from tabcore.store.store import Store

keep_small()
folder = Path(sys.argv[1])
loaded = load([str(path) for path in sorted(folder.iterdir())], Store(folder.parent / "runs.duckdb"))
for item in loaded:
    print(Path(item.path).name, len(item.runs), sorted({problem.kind for problem in item.problems}))
[peak] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
print(int(peak.split()[1]) >> 10)
"""
# Not ru_maxrss, which begins with what the parent held when it forked: hundreds of megabytes late in a session of tests.


@pytest.mark.parametrize("megabytes", [40, pytest.param(200, marks=pytest.mark.long)])
def test_a_huge_line_and_bombs_stay_within_bounded_memory(megabytes: int, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    first, _, others = PI.encode().partition(b"\n")
    with (logs / "line.jsonl").open("wb") as file:
        file.write(first + b'\n{"text": "')
        for _ in range(megabytes):
            file.write(b"x" * (1 << 20))
        file.write(b'"}\n' + others)
    (logs / "deep.jsonl").write_bytes(first + b"\n" + b"[" * (megabytes << 18) + b"\n" + others)
    with zipfile.ZipFile(logs / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.jsonl", b"\0" * (megabytes << 21))
    (logs / "bomb.jsonl.gz").write_bytes(gzip.compress(b"\0" * (megabytes << 21)))
    done = subprocess.run(
        [sys.executable, "-c", _HUGE, str(logs)], capture_output=True, text=True, timeout=600, check=True
    )
    *fates, peak = done.stdout.splitlines()
    assert [fate.split()[1] for fate in fates if fate.startswith(("line", "deep"))] == ["1", "1"]
    assert [fate for fate in fates if "[]" in fate] == []
    assert [fate.split()[0] for fate in fates if "oversized member" in fate] == ["bomb.jsonl.gz", "bomb.zip"]
    assert int(peak) < 600
