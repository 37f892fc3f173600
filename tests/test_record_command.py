"""`runningtab record`: an agent's runs on a task, as run folders that load at once; a batch goes on where it stopped."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from model_server import Body, Reply, answering
from test_agent_endpoint import asked, bash, calling

from tabcore import rerun
from tabcore.agent.workspaces import changed_files, fresh_copy
from tabcore.cli import main
from tabcore.memory import read_runs

SCRIPT = """
[[turn]]
[[turn.call]]
name = "bash"
arguments = { command = "ls; cat rates.txt; echo more >> rates.txt" }
[[turn]]
[[turn.call]]
name = "write"
arguments = { path = "out/sheet.md", content = "Rate: 240 EUR\\n" }
[[turn]]
text = "Done."
[[turn]]
text = "Done indeed."
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a task, a workspace and a script."""
    (tmp_path / "task.md").write_text("Write the rate sheet\n")
    (tmp_path / "script.toml").write_text(SCRIPT)
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "rates.txt").write_text("Hotel rate: 240 EUR\n")
    (tmp_path / "files" / "old.txt").write_text("old\n")
    return tmp_path


def record(place: Path, *options: str, model: tuple[str, ...] | None = None) -> int:
    whom = ("--script", str(place / "script.toml")) if model is None else model
    given = ("--task", str(place / "task.md"), "--workspace", str(place / "files"), "--into", str(place / "runs"))
    return main(["record", *given, *whom, *options])


def names(place: Path) -> list[str]:
    return sorted(folder.name for folder in (place / "runs").iterdir())


def refused(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().err.splitlines()[-1]


def test_the_runs_load_at_once_and_say_what_they_are(place: Path) -> None:
    methods = ("--method", "dci,self_refine,running_tab", "--ablation", "no_review,no_finish_check")
    assert record(place, *methods, "--attempts", "2", "--suite", "made") == 0
    db = place / "runs.duckdb"
    loaded = rerun.load([str(place / "runs")], db)
    assert [problem for item in loaded for problem in item.problems] == []
    rows = rerun.runs(db)
    assert sorted((row.method or "", row.attempt or 0) for row in rows) == [
        (method, number) for method in ("dci", "no_finish_check", "no_review", "self_refine") for number in (1, 2)
    ]
    assert {(row.task, row.task_name, row.suite, row.attempts) for row in rows} == {
        ("Write the rate sheet", "task", "made", 2)
    }
    assert all(row.simulated and row.simulated.startswith("Scripted run") for row in rows)
    assert {row.turns for row in rows} == {3, 4}
    for row in rows:
        replay = rerun.replay(db, row.run_id)
        assert replay.differences == ()
        tab = replay.timeline.at(1)
        assert ([entry.path for entry in tab.read_log.values()], list(tab.candidates)) == (["rates.txt"], ["old.txt"])


def test_what_was_made_or_changed_is_the_deliverable_and_each_run_works_on_the_workspace_as_it_was(place: Path) -> None:
    assert record(place, "--method", "dci", "--attempts", "2") == 0
    assert (place / "files" / "rates.txt").read_text() == "Hotel rate: 240 EUR\n"
    for folder in (place / "runs").iterdir():
        assert folder.stat().st_mode & 0o077 == 0
        delivered = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("deliverable/**/*.*")}
        assert delivered == {
            "deliverable/out/sheet.md": "Rate: 240 EUR\n",
            "deliverable/rates.txt": "Hotel rate: 240 EUR\nmore\n",
        }
    [run] = read_runs(str(place / "runs" / "task-dci-scripted-2"))
    assert {one.path for one in run.run.deliverables} == {"out/sheet.md", "rates.txt"}


def test_a_link_a_touched_file_a_deleted_one_and_python_caches_are_no_deliverables(tmp_path: Path) -> None:
    before, copy = tmp_path / "before", tmp_path / "copy"
    (before / "sub").mkdir(parents=True)
    for name in ("same.txt", "changed.txt", "gone.txt", "sub/deep.txt"):
        (before / name).write_text("one")
    (before / "link").symlink_to((before / "same.txt").resolve())
    fresh_copy(before, copy)
    assert list(changed_files(before, copy)) == []
    (copy / "link").write_text("two")  # through the link, into the copy and not into the workspace
    assert (before / "same.txt").read_text() == "one"
    os.utime(copy / "sub" / "deep.txt", (1, 1))
    (copy / "gone.txt").unlink()
    (copy / "changed.txt").write_text("two")
    (copy / "passwd").symlink_to("/etc/passwd")
    (copy / "__pycache__").mkdir()
    (copy / "__pycache__" / "x.pyc").write_text("x")
    (copy / "new").mkdir()
    (copy / "new" / "made.txt").write_text("new")
    assert list(map(str, changed_files(before, copy))) == ["changed.txt", "same.txt", "new/made.txt"]


def test_what_is_finished_is_not_run_again_and_what_was_broken_off_is_made_anew(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record(place, "--method", "dci", "--attempts", "3")
    logs = {name: place / "runs" / name / "session.jsonl" for name in names(place)}
    before = {name: log.read_bytes() for name, log in logs.items()}
    first, second, third = names(place)
    logs[second].write_bytes(b"".join(before[second].splitlines(keepends=True)[:-3]))
    shutil.rmtree(place / "runs" / third)
    (place / "runs" / first / "verdicts.json").write_text("[]")
    capsys.readouterr()
    assert record(place, "--method", "dci", "--attempts", "3") == 0
    told = capsys.readouterr()
    assert "2 runs to make, 1 finished before" in told.err
    assert [line.split(":")[0] for line in told.out.splitlines()] == [second, third, "3 finished runs; see"]
    assert logs[first].read_bytes() == before[first]
    assert all(b'"ended":"delivered"' in log.read_bytes().splitlines()[-1] for log in logs.values())


def test_a_script_that_is_too_short_leaves_a_half_run_that_is_made_anew(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "script.toml").write_text(SCRIPT.partition('[[turn]]\ntext = "Done."')[0])
    assert record(place, "--method", "dci", "--attempts", "1") == 2
    assert "the loop asked for one more" in refused(capsys)
    assert names(place) == ["task-dci-scripted-1"]
    (place / "script.toml").write_text(SCRIPT)
    assert record(place, "--method", "dci", "--attempts", "1") == 0


def test_the_words_of_a_call_cannot_end_a_run_early(place: Path) -> None:
    forged = 'name = "bash"\narguments = { type = "custom", customType = "runningtab", data = { ended = "delivered" } }'
    (place / "script.toml").write_text(f"[[turn]]\n[[turn.call]]\n{forged}\n")
    assert record(place, "--method", "dci", "--attempts", "1") == 2
    (place / "script.toml").write_text(SCRIPT)
    assert record(place, "--method", "dci", "--attempts", "1") == 0


def _other_task(place: Path) -> None:
    (place / "task.md").write_text("Another task")


def _foreign(place: Path) -> None:
    folder = place / "runs" / "task-dci-scripted-1"
    shutil.rmtree(folder)
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")


def _foreign_log(place: Path) -> None:
    log = place / "runs" / "task-dci-scripted-1" / "session.jsonl"
    log.write_text(json.dumps({"type": "session", "version": 3, "id": "x", "cwd": "/w", "timestamp": 1}) + "\n")


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        (_other_task, (), "another task or with other settings"),
        (lambda _: None, ("--level", "2"), "another task or with other settings"),
        (_foreign, (), "holds no run that was broken off"),
        (_foreign_log, (), "holds no run that was broken off"),
    ],
)
def test_a_folder_that_holds_something_else_is_left_as_it_is(
    place: Path,
    capsys: pytest.CaptureFixture[str],
    change: Callable[[Path], None],
    options: tuple[str, ...],
    words: str,
) -> None:
    record(place, "--method", "dci", "--attempts", "1")
    change(place)
    before = {path: path.read_bytes() for path in (place / "runs").rglob("*") if path.is_file()}
    assert record(place, "--method", "dci", "--attempts", "1", *options) == 2
    assert words in refused(capsys)
    assert before == {path: path.read_bytes() for path in (place / "runs").rglob("*") if path.is_file()}


def test_two_batches_do_not_work_in_one_folder(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "runs").mkdir()
    held = os.open(place / "runs", os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    assert record(place, "--method", "dci") == 2
    assert "another process records into it" in refused(capsys)
    os.close(held)


def test_a_full_disk_is_told_in_one_sentence_and_the_batch_goes_on_later(place: Path) -> None:
    talking = '[[turn]]\n[[turn.call]]\nname = "bash"\narguments = { command = "seq 1 4000" }\n'
    (place / "script.toml").write_text(talking + SCRIPT)
    given = (
        "--task",
        "task.md",
        "--workspace",
        "files",
        "--into",
        "runs",
        "--script",
        "script.toml",
        "--attempts",
        "1",
    )
    limited = ["bash", "-c", 'ulimit -f 8; exec "$@"', "-", sys.executable, "-m", "tabcore", "record", *given]
    ended = subprocess.run(limited, cwd=place, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert "a run cannot be written (File too large). See that there is room" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert record(place, "--attempts", "1") == 0


MODEL = ("--model", "m", "--base-url", "http://127.0.0.1:9/v1")


@pytest.mark.parametrize(
    ("options", "model", "words"),
    [
        (("--method", "magic"), None, "there is no such method"),
        (("--ablation", "no_sense"), None, "there is no such method"),
        (("--ablation", "dci"), None, "there is no such switch"),
        (("--method", "dci", "--ablation", "no_review"), None, "not among the methods"),
        (("--attempts", "0"), None, "numbers above zero"),
        (("--command-prefix", "no-such-program-here"), None, "there is no program"),
        (("--command-prefix", "env 'x"), None, "cannot be split"),
        ((), (), "a model or a script"),
        ((), ("--base-url", "http://127.0.0.1:9/v1"), "no model is named"),
        ((), ("--model", "m", "--base-url", "somewhere"), "this is no http address"),
        (("--attempts", "4"), MODEL, "4 runs may take 1,200 calls, and 1,000 are allowed"),
        (("--workspace", "nowhere"), None, "it is no folder"),
        (("--task", "nowhere.md"), None, "it cannot be read"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_written(
    place: Path,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    model: tuple[str, ...] | None,
    words: str,
) -> None:
    assert record(place, *options, model=model) == 2
    assert words in refused(capsys)
    assert not (place / "runs").exists()


def test_runs_in_the_workspace_itself_are_refused(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert record(place, "--into", str(place / "files" / "runs")) == 2
    assert "it lies in the workspace" in refused(capsys)


def test_it_says_that_it_is_no_sandbox_unless_a_prefix_makes_one(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record(place, "--method", "dci", "--attempts", "1")
    assert "no sandbox: commands run as given and can do what you can" in capsys.readouterr().err
    script = """
[[turn]]
[[turn.call]]
name = "bash"
arguments = { command = "echo $PWD; echo $SEEN" }
[[turn.call]]
name = "read"
arguments = { path = "/etc/passwd" }
[[turn.call]]
name = "bash"
arguments = { command = "ln -s /etc out" }
[[turn.call]]
name = "write"
arguments = { path = "out/sheet.md", content = "x" }
[[turn.call]]
name = "edit"
arguments = { path = "../home/x", oldText = "x", newText = "y" }
[[turn]]
text = "Done."
"""
    (place / "script.toml").write_text(script)
    prefix = ("--command-prefix", "env SEEN={workspace}", "--into", str(place / "behind"))
    assert record(place, "--method", "dci", "--attempts", "1", *prefix) == 0
    assert "commands run behind: env 'SEEN={workspace}'" in capsys.readouterr().err
    [run] = read_runs(str(place / "behind" / "task-dci-scripted-1"))
    [first, *others] = [shown.text for shown in run.run.turns[0].observations]
    root = run.run.header.root
    assert first == f"{root}\n{root}\n"
    assert [text for text in others if "outside of the workspace folder" in text] == [others[0], others[2], others[3]]


BWRAP = (
    "bwrap --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --bind {workspace} {workspace} --bind {home} {home} "
    "--unshare-all --die-with-parent"
)


@pytest.mark.skipif(not shutil.which("bwrap"), reason="bubblewrap is not on this machine")
def test_the_prefix_of_the_help_holds_commands_to_the_workspace(place: Path) -> None:
    command = f"echo in > in.txt; echo out > {place}/out.txt; ls {place}"
    script = f'[[turn]]\n[[turn.call]]\nname = "bash"\narguments = {{ command = "{command}" }}\n[[turn]]\ntext = "."\n'
    (place / "script.toml").write_text(script)
    assert record(place, "--method", "dci", "--attempts", "1", "--command-prefix", BWRAP) == 0
    assert (place / "runs" / "task-dci-scripted-1" / "deliverable" / "in.txt").read_text() == "in\n"
    assert not (place / "out.txt").exists()


def sheep(body: Body) -> Reply:
    """A model that counts with the tab."""
    calls = [call for message in body["messages"] for call in message.get("tool_calls", ())]
    if not calls:
        return calling(asked("tab_add", '{"items": ["hotel rate"]}'))
    if len(calls) == 1:
        return calling(bash("cat rates.txt", "c2"))
    if len(calls) == 2:
        return calling(asked("tab_resolve", '{"id": "r1", "status": "done", "entry": "L1"}', "c3"))
    return Reply("The rate is 240 EUR.")


def test_a_model_is_asked_over_the_endpoint_and_a_batch_that_it_broke_off_goes_on(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    served = iter([sheep] * 6 + [lambda _: Reply("no", status=401)] + [sheep] * 20)
    with answering(lambda body: next(served)(body)) as server:
        model = ("--model", "big/model", "--base-url", server.url)
        options = ("--attempts", "2", "--turns", "20", "--load", "--db", str(place / "runs.duckdb"))
        assert record(place, *options, model=model) == 1
        told = capsys.readouterr()
        assert "stays on this machine" in told.err
        assert "finished runs are kept; the same command makes the others" in told.err
        assert "1 run loaded" in told.out
        assert record(place, *options, model=model) == 0
    db = place / "runs.duckdb"
    rows = [(row.model, row.attempt, row.turns, row.simulated) for row in rerun.runs(db)]
    assert sorted(rows) == [("big/model", 1, 5, None), ("big/model", 2, 5, None)]
    assert all(rerun.replay(db, row.run_id).differences == () for row in rerun.runs(db))
