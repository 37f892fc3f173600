"""`runningtab export`: what a person and another program get."""

import json
from pathlib import Path

import pytest
from atif_rules import faults
from made_logs import write_log
from small_logs import lines

from tabcore import rerun
from tabcore.cli import main
from tabcore.memory import read_runs
from tabcore.tab.operations import operation_of

SAMPLES = Path(__file__).resolve().parents[1] / "sample_runs" / "runs"


@pytest.fixture
def db(tmp_path: Path) -> str:
    return str(tmp_path / "store" / "runs.duckdb")


def loaded(db: str, path: Path) -> str:
    [item] = rerun.load([str(path)], db)
    return item.runs[0]


def test_a_run_is_printed_as_ascii_or_written_to_a_file(
    tmp_path: Path, db: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run = loaded(db, write_log(tmp_path))
    assert main(["export", run[:6], "--db", db]) == 0
    printed = capsys.readouterr().out
    assert printed.isascii()
    file = tmp_path / "run.json"
    assert main(["export", run, "--format", "atif", "-o", str(file), "--db", db]) == 0
    assert capsys.readouterr() == ("", "")
    document = json.loads(file.read_text("utf-8"))
    assert document == json.loads(printed)
    assert (document["schema_version"], faults(document)) == ("ATIF-v1.7", [])


@pytest.mark.parametrize("sample", ["business_travel", "energy_report"])
def test_an_exported_run_loads_as_the_run_that_it_was(tmp_path: Path, db: str, sample: str) -> None:
    run = loaded(db, SAMPLES / sample)
    file = tmp_path / "run.json"
    main(["export", run, "-o", str(file), "--db", db])
    again = loaded(db, file)
    before, after = rerun.tab_row(db, run), rerun.tab_row(db, again)
    assert after == before
    rows = {row.run_id: row for row in rerun.runs(db)}
    for name in ("turns", "calls", "reads", "candidates", "requirements", "task", "method", "simulated", "suite"):
        assert getattr(rows[again], name) == getattr(rows[run], name), name


def test_a_judge_gets_the_run_without_its_tab(tmp_path: Path, db: str, capsys: pytest.CaptureFixture[str]) -> None:
    run = loaded(db, SAMPLES / "business_travel")
    file = tmp_path / "judge.json"
    assert main(["export", run, "--for-judge", "-o", str(file), "--db", db]) == 0
    said = capsys.readouterr().err
    [judged] = read_runs(str(file))
    [whole] = read_runs(str(SAMPLES / "business_travel"))
    calls = [call for turn in whole.run.turns for call in turn.calls]
    others = [call.call_id for call in calls if operation_of(call) is None]
    assert [call.call_id for turn in judged.run.turns for call in turn.calls] == others
    assert f"left out: {len(calls) - len(others)} tab calls" in said
    assert len(others) < len(calls)
    text = file.read_text("utf-8")
    assert "[tab]" not in text
    assert "running_tab" not in text


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path, db: str, capsys: pytest.CaptureFixture[str]) -> None:
    run = loaded(db, write_log(tmp_path))
    assert main(["export", run, "-o", str(tmp_path / "absent" / "run.json"), "--db", db]) == 2
    assert "it cannot be written (No such file or directory)" in capsys.readouterr().err


def test_a_run_without_a_step_is_no_document(tmp_path: Path, db: str, capsys: pytest.CaptureFixture[str]) -> None:
    header = {"type": "session", "version": 3, "id": "s1", "timestamp": "2026-10-01T10:00:00Z", "cwd": "/ws"}
    log = write_log(tmp_path, "empty.jsonl", lines(header))
    run = loaded(db, log)
    assert main(["export", run, "--db", db]) == 2
    assert "it has no step to export" in capsys.readouterr().err
