"""What Codex and Pi tell their hooks: a rollout that is captured afterwards, and an extension's events."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from log_reading import jsonl
from small_logs import run_of
from test_codex import call, line, output, said
from test_hooks import answer_of, called

from tabcore.cli import main
from tabcore.serving.folders import TabFolder
from tabcore.serving.live import LiveTab
from tabcore.tab.history import derive
from tabcore.tab.tab import Tab

SESSION = "0199aaaa-1111-7222-8333-444455556666"


def tab_of(workspace: Path, task: str) -> Tab:
    return LiveTab(TabFolder.of(workspace).journal(task), str(workspace)).tab()


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def rollout(workspace: Path, turns: int) -> bytes:
    """A session that lists, reads, and then ends."""
    here = {"cwd": str(workspace)}
    steps = [
        [call("k1", "ls", "exec_command"), output("k1", "bills.csv\nnotes.md\n")],
        [call("k2", "cat bills.csv"), output("k2", "march,120.50\n")],
        [said("assistant", "The sum is 120.50.")],
    ]
    start = [line("session_meta", id=SESSION, **here), line("turn_context", **here), said("user", "Sum the bills")]
    return jsonl(*start, *(record for step in steps[:turns] for record in step)).replace(
        b"/ws/b", str(workspace).encode()
    )


def test_codex_is_captured_from_its_rollout_each_call_once(workspace: Path, tmp_path: Path) -> None:
    log = tmp_path / "rollout.jsonl"
    for turns in (1, 3, 3):
        log.write_bytes(rollout(workspace, turns))
        payload = {"hook_event_name": "Stop", "session_id": SESSION, "transcript_path": str(log), "cwd": str(workspace)}
        assert answer_of("codex", payload, workspace) is None
    tab = tab_of(workspace, "codex-0199aaaa")
    assert tab.task == "Sum the bills"
    assert [(entry.path, entry.turn) for entry in tab.read_log.values()] == [("bills.csv", 2)]
    assert list(tab.candidates) == ["notes.md"]
    assert tab.stopped_turn == 3
    assert not tab.finish_checked


def test_codex_notifies_with_one_argument_and_its_rollout_is_found(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions = tmp_path / "home" / "sessions" / "2026" / "10" / "01"
    sessions.mkdir(parents=True)
    (sessions / f"rollout-2026-10-01T10-00-00-{SESSION}.jsonl").write_bytes(rollout(workspace, 3))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "home"))
    notice = f'{{"type": "agent-turn-complete", "thread-id": "{SESSION}", "cwd": "{workspace}", "input-messages": []}}'
    ended = called("codex", "not read", workspace, notice)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert len(tab_of(workspace, "codex-0199aaaa").read_log) == 1


def test_a_session_of_codex_without_a_rollout_is_a_line_in_the_log(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path))
    assert called("codex", {"thread-id": "nobody"}, workspace).stdout == ""
    assert "no rollout of the session 'nobody'" in (tmp_path / "project.runningtab" / ".hook.log").read_text()


def pi(event: str, workspace: Path, **more: object) -> dict[str, object]:
    return {"event": event, "session": "5e55-1", "cwd": str(workspace), **more}


def test_an_extension_of_pi_keeps_a_tab_from_the_prompt_to_the_second_stop(workspace: Path) -> None:
    assert answer_of("pi", pi("prompt", workspace, text="Write the hotel rates guide"), workspace) is None
    added = pi("operation", workspace, name="tab_add", arguments={"items": ["hotel rates"]}, response="1")
    assert answer_of("pi", added, workspace) == {"text": "added r1: hotel rates"}
    listed = pi(
        "result", workspace, name="bash", arguments={"command": "cd x; ls"}, text="hotel_rates.txt\n", response="2"
    )
    line = answer_of("pi", listed, workspace)["text"]
    assert line.startswith("[tab] 1 open | candidates: 1 unopened, 1 above threshold")
    read = pi("result", workspace, name="read", arguments={"path": "x/hotel_rates.txt"}, text="240 EUR\n", response="2")
    line = answer_of("pi", read, workspace)["text"]
    assert line.endswith("read log: 1 entry | last tab operation 1 turn ago")
    assert answer_of("pi", pi("stop", workspace), workspace)["text"].startswith("[tab] Finish check 1 of at most 1")
    assert answer_of("pi", pi("stop", workspace), workspace) is None
    assert TabFolder.of(workspace).current == "pi-5e551"


def test_an_event_that_the_extension_does_not_have_is_a_line_in_the_log(workspace: Path) -> None:
    assert called("pi", pi("thunder", workspace), workspace).stdout == ""
    assert "unknown event 'thunder'" in (workspace.with_name("project.runningtab") / ".hook.log").read_text()


def pi_program() -> str:
    """The real program, where somebody has installed it; the test skips without."""
    beside = Path(__file__).parents[1] / ".ci" / "node" / "node_modules" / ".bin"
    found = os.environ.get("RUNNINGTAB_TEST_PI") or shutil.which("pi", path=str(beside))
    if not found:
        pytest.skip(
            "no Pi: npm install --prefix .ci/node @mariozechner/pi-coding-agent, or name it in RUNNINGTAB_TEST_PI"
        )
    return found


@pytest.mark.long
def test_the_real_pi_runs_the_real_extension_and_is_sent_on_once(workspace: Path, tmp_path: Path) -> None:
    (workspace / "hotel_rates.txt").write_text("Hotel rates: 240 EUR\n")
    (workspace / "notes.md").write_text("x\n")
    assert main(["install", "pi", "--workspace", str(workspace), "--yes"]) == 0
    scripted = Path(__file__).with_name("pi_scripted_provider.ts")
    command = [pi_program(), "-p", "--offline", "--session-dir", str(tmp_path / "sessions"), "-e", str(scripted)]
    command += ["--provider", "scripted", "--model", "scripted-1", "Write the hotel rates guide"]
    told = {**os.environ, "HOME": str(tmp_path / "home"), "PI_OFFLINE": "1"}
    ended = subprocess.run(
        command, cwd=workspace, env=told, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.strip() == "Delivered: 240 EUR."
    [task] = TabFolder.of(workspace).tasks()
    tab = tab_of(workspace, task)
    assert [(one.status, one.entry) for one in tab.requirements.values()] == [("done", "L1")]
    assert list(tab.candidates) == ["notes.md"]
    assert tab.finish_checked
    [session] = (tmp_path / "sessions").rglob("*.jsonl")
    for log in (session, TabFolder.of(workspace).path(task)):
        run = run_of(log.read_bytes())
        facts = list(derive(run.header, run.turns, run.after))
        assert len(run.turns) == 5
        assert any(type(event).__name__ == "FinishChecked" for fact in facts for event in fact.events)
        assert [one for fact in facts for one in fact.differences if one.what != "status line"] == []
