"""Configuration of a project: shown, written beside what was there, and taken out again to the byte."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tabcore.cli import main
from tabcore.serving.installing import CLAUDE_CODE_EVENTS

SETTINGS = """{
    "permissions": {"allow": ["Bash(ls:*)"]},
    "hooks": {
        "PostToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "mine.sh"}]}],
        "Stop": []
    }, "note": "é 酒店"
}"""
HOSTS = {
    "claude-code": [".claude/settings.local.json", ".mcp.json"],
    "codex": [".codex/hooks.json"],
    "pi": [".pi/extensions/runningtab.ts"],
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "README.md").write_text("mine\n")
    return folder


def run(what: str, host: str, project: Path, *options: str) -> int:
    return main([what, host, "--workspace", str(project), "--yes", *options])


def files(project: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(project)): path.read_bytes() if path.is_file() else b"folder"
        for path in project.rglob("*")
    }


def value_of(project: Path, name: str) -> Any:
    return json.loads((project / name).read_text())


@pytest.mark.parametrize("host", HOSTS)
def test_what_was_installed_into_an_empty_project_is_removed_without_a_trace(project: Path, host: str) -> None:
    before = files(project)
    assert run("install", host, project) == 0
    assert set(HOSTS[host]) <= files(project).keys()
    assert run("install", host, project) == 0
    assert run("uninstall", host, project) == 0
    assert files(project) == before


def test_settings_that_were_there_are_kept_and_come_back_to_the_byte(project: Path) -> None:
    settings = project / ".claude" / "settings.local.json"
    settings.parent.mkdir()
    settings.write_text(SETTINGS)
    before = files(project)
    run("install", "claude-code", project)
    written = value_of(project, ".claude/settings.local.json")
    assert written["permissions"] == {"allow": ["Bash(ls:*)"]}
    mine, ours = written["hooks"]["PostToolUse"]
    assert mine["hooks"][0]["command"] == "mine.sh"
    assert ours["matcher"] == "*"
    assert " hook claude-code --workspace " in ours["hooks"][0]["command"]
    assert set(written["hooks"]) == {*CLAUDE_CODE_EVENTS}
    run("uninstall", "claude-code", project)
    assert files(project) == before


def test_from_settings_that_were_changed_since_only_our_entries_are_taken(project: Path) -> None:
    settings = project / ".claude" / "settings.local.json"
    settings.parent.mkdir()
    settings.write_text(SETTINGS.replace('"Stop": []', '"Stop": [{"hooks": []}]'))
    before = value_of(project, ".claude/settings.local.json")
    run("install", "claude-code", project)
    changed = value_of(project, ".claude/settings.local.json") | {"model": "opus"}
    settings.write_text(json.dumps(changed, indent=4))
    (project / ".mcp.json").write_text(
        json.dumps({"mcpServers": {**value_of(project, ".mcp.json")["mcpServers"], "x": {}}})
    )
    run("uninstall", "claude-code", project)
    assert value_of(project, ".claude/settings.local.json") == before | {"model": "opus"}
    assert value_of(project, ".mcp.json") == {"mcpServers": {"x": {}}}


def test_installing_again_for_another_task_takes_the_place_of_the_first(project: Path) -> None:
    before = files(project)
    run("install", "claude-code", project)
    run("install", "claude-code", project, "--keep-days", "30", "--task", "guide")
    groups = value_of(project, ".claude/settings.local.json")["hooks"]["Stop"]
    assert len(groups) == 1
    assert groups[0]["hooks"][0]["command"].endswith("--task guide --keep-days 30")
    assert value_of(project, ".mcp.json")["mcpServers"]["runningtab"]["args"][-2:] == ["--task", "guide"]
    run("uninstall", "claude-code", project)
    assert files(project) == before


def test_without_a_yes_it_is_shown_and_nothing_is_written(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = files(project)
    assert main(["install", "claude-code", "--workspace", str(project)]) == 1
    shown = capsys.readouterr().out
    assert "+++ " + str(project / ".claude" / "settings.local.json") in shown
    assert '+    "runningtab": {' in shown
    assert "Nothing was written" in shown
    assert files(project) == before


@pytest.mark.parametrize("answer", ["n", ""])
def test_what_is_not_agreed_to_is_not_written(project: Path, answer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda _: answer)
    before = files(project)
    assert main(["install", "pi", "--workspace", str(project)]) == 1
    assert files(project) == before


@pytest.mark.parametrize("broken", ["{", "[]", '{"hooks": {"Stop": 5}}', '{"hooks": 5}'])
def test_settings_that_are_not_sound_are_left_as_they_are(
    project: Path, broken: str, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = project / ".claude" / "settings.local.json"
    settings.parent.mkdir()
    settings.write_text(broken)
    assert run("install", "claude-code", project) == 2
    assert "settings.local.json: it is no" in capsys.readouterr().err
    assert settings.read_text() == broken
    assert not (project / ".mcp.json").exists()


def test_a_server_or_an_extension_of_the_same_name_is_not_overwritten(project: Path) -> None:
    (project / ".mcp.json").write_text('{"mcpServers": {"runningtab": {"command": "other"}}}')
    assert run("install", "claude-code", project) == 2
    extension = project / ".pi" / "extensions" / "runningtab.ts"
    extension.parent.mkdir(parents=True)
    extension.write_text("mine")
    assert run("install", "pi", project) == 2
    assert run("uninstall", "pi", project) == 0
    assert extension.read_text() == "mine"


def test_the_command_that_is_installed_is_one_that_runs(project: Path) -> None:
    run("install", "claude-code", project, "--task", "guide")
    command = value_of(project, ".claude/settings.local.json")["hooks"]["PostToolUse"][0]["hooks"][0]["command"]
    payload = {"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "Bash", "tool_use_id": "1"}
    payload |= {"tool_input": {"command": "ls"}, "tool_response": {"stdout": "a.txt", "stderr": ""}}  # type: ignore[dict-item]
    ended = subprocess.run(["bash", "-c", command], input=json.dumps(payload), capture_output=True, text=True, cwd="/")
    assert "1 unopened" in json.loads(ended.stdout)["hookSpecificOutput"]["additionalContext"], (ended.stderr, sys.path)
