"""Hooks as a host calls them: a new process each time, the documented JSON on standard input."""

from __future__ import annotations

import gc
import io
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from small_logs import REAL, runs_of
from test_live_tab import WORK

from tabcore.capture import Workspace, capture
from tabcore.serving import hooks
from tabcore.serving.claude_code import shown_text
from tabcore.serving.folders import TabFolder
from tabcore.serving.live import LiveTab
from tabcore.serving.quick_dataclasses import quick
from tabcore.tab.operations import Add, Resolve
from tabcore.trajectory import Observation, ToolCall

SESSION = "7c1d2e3f-aaaa-bbbb-cccc-0123456789ab"
TASK = "claude-code-7c1d2e3f"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@dataclass(frozen=True)
class Ended:
    """What a host sees of one call of its hook."""

    returncode: int
    stdout: str
    stderr: str


def called(host: str, payload: object, workspace: Path, *options: str) -> Ended:
    """A hook's call in this process."""
    streams = (io.TextIOWrapper(io.BytesIO(told(payload).encode())), io.StringIO(), io.StringIO())
    kept = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = streams
    try:
        code = hooks.main([host, "--workspace", str(workspace), *options])
    finally:
        sys.stdin, sys.stdout, sys.stderr = kept
        gc.enable()
    return Ended(code, streams[1].getvalue(), streams[2].getvalue())


def called_by_its_host(host: str, payload: object, workspace: Path, *options: str) -> Ended:
    """A hook's call in a process of its own."""
    command = [sys.executable, "-m", "tabcore", "hook", host, "--workspace", str(workspace), *options]
    ended = subprocess.run(command, input=told(payload), capture_output=True, text=True, timeout=60, check=False)
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def told(payload: object) -> str:
    return payload if isinstance(payload, str) else json.dumps(payload)


def answer_of(host: str, payload: object, workspace: Path, *options: str, by: Callable[..., Ended] = called) -> Any:
    """The JSON that a hook answers; None for nothing."""
    ended = by(host, payload, workspace, *options)
    assert (ended.returncode, ended.stderr) == (0, "")
    return json.loads(ended.stdout) if ended.stdout else None


answered = answer_of


def event(name: str, workspace: Path, **more: object) -> dict[str, object]:
    told = {"session_id": SESSION, "transcript_path": "/t.jsonl", "cwd": str(workspace), "permission_mode": "default"}
    return {**told, "hook_event_name": name, **more}


def used(workspace: Path, tool: str, given: dict[str, object], response: object) -> dict[str, object]:
    return event(
        "PostToolUse", workspace, tool_name=tool, tool_input=given, tool_response=response, tool_use_id="toolu_1"
    )


def ran(workspace: Path, command: str, out: str) -> dict[str, object]:
    response = {"stdout": out, "stderr": "", "interrupted": False, "isImage": False}
    return used(workspace, "Bash", {"command": command}, response)


def read(workspace: Path, name: str, text: str) -> dict[str, object]:
    file = {"filePath": str(workspace / name), "content": text, "numLines": 1, "startLine": 1, "totalLines": 1}
    return used(workspace, "Read", {"file_path": str(workspace / name)}, {"type": "text", "file": file})


def live(workspace: Path, task: str = TASK) -> LiveTab:
    """The tab as an MCP server beside the hooks has it."""
    return LiveTab(TabFolder.of(workspace).journal(task), str(workspace), agent="mcp")


def context(answer: Any) -> str:
    said: str = answer["hookSpecificOutput"]["additionalContext"]
    return said


@pytest.mark.parametrize("by", [called, pytest.param(called_by_its_host, marks=pytest.mark.long)])
def test_a_session_of_claude_code_from_its_start_to_its_second_stop(workspace: Path, by: Callable[..., Ended]) -> None:
    answered = partial(answer_of, by=by)
    started = answered("claude-code", event("SessionStart", workspace, source="startup"), workspace)
    assert started["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert "tab_add" in context(started)
    prompt = event("UserPromptSubmit", workspace, prompt="Write the hotel rates guide")
    assert answered("claude-code", prompt, workspace) is None
    line = context(answered("claude-code", ran(workspace, "ls", "hotel_rates.txt\nnotes.md"), workspace))
    assert line.startswith("[tab] 0 open | candidates: 2 unopened, 1 above threshold | read log: 0 entries")
    server = live(workspace)
    server.operate(Add(("hotel rates",)), ToolCall("1", "tab_add", {"items": ["hotel rates"]}))
    line = context(answered("claude-code", read(workspace, "hotel_rates.txt", "Hotel: 240 EUR\n"), workspace))
    assert line.startswith("[tab] 1 open | candidates: 1 unopened, 0 above threshold | read log: 1 entry")
    stopped = answered("claude-code", event("Stop", workspace, stop_hook_active=False), workspace)
    assert stopped["decision"] == "block"
    assert stopped["reason"].startswith("[tab] Finish check 1 of at most 1: you stopped.\n1 of 1 requirement items")
    reply = server.operate(
        Resolve("r1", "done", "L1"), ToolCall("2", "tab_resolve", {"id": "r1", "status": "done", "entry": "L1"})
    )
    assert reply.startswith("r1 [done] cites L1")
    assert answered("claude-code", event("Stop", workspace, stop_hook_active=True), workspace) is None
    assert answered("claude-code", event("Stop", workspace, stop_hook_active=False), workspace) is None
    assert TabFolder.of(workspace).current == TASK


def test_what_the_hooks_wrote_is_for_the_owner_alone_and_outside_the_workspace(workspace: Path) -> None:
    answered("claude-code", ran(workspace, "ls", "a.txt"), workspace)
    assert list(workspace.iterdir()) == []
    place = workspace.with_name("project.runningtab")
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in place.iterdir()} == {0o600}


def test_tools_of_the_tab_itself_are_left_to_their_server(workspace: Path) -> None:
    payload = used(workspace, "mcp__runningtab__add", {"items": ["x"]}, [{"type": "text", "text": "added r1: x"}])
    assert answered("claude-code", payload, workspace) is None
    assert live(workspace).tab().requirements == {}


def test_a_talk_without_any_work_is_not_sent_on(workspace: Path) -> None:
    answered("claude-code", event("UserPromptSubmit", workspace, prompt="Hello"), workspace)
    assert answered("claude-code", event("Stop", workspace, stop_hook_active=False), workspace) is None
    answered("claude-code", ran(workspace, "ls", "a.txt"), workspace)
    assert answered("claude-code", event("Stop", workspace, stop_hook_active=False), workspace)["decision"] == "block"


def test_a_named_task_is_shared_by_all_sessions(workspace: Path) -> None:
    answered("claude-code", ran(workspace, "ls", "a.txt"), workspace, "--task", "guide")
    other = ran(workspace, "ls", "b.txt") | {"session_id": "another"}
    line = context(answered("claude-code", other, workspace, "--task", "guide"))
    assert "candidates: 2 unopened" in line
    assert TabFolder.of(workspace).tasks() == ("guide",)


def test_a_shell_that_stays_in_a_folder_reads_files_there(workspace: Path) -> None:
    moved = ran(workspace, "cd policy", "") | {"cwd": str(workspace / "policy")}
    answered("claude-code", moved, workspace)
    answered("claude-code", ran(workspace, "cat rates.txt", "240") | {"cwd": str(workspace / "policy")}, workspace)
    assert [entry.path for entry in live(workspace).tab().read_log.values()] == ["policy/rates.txt"]


def test_a_command_that_fails_after_it_has_shown_content_is_a_read(workspace: Path) -> None:
    told = {"tool_name": "Bash", "tool_input": {"command": "cat rates.txt; false"}, "tool_use_id": "t"}
    failed = event("PostToolUseFailure", workspace, error="Exit code 1\nHotel: 240 EUR", is_interrupt=False, **told)
    answer = answered("claude-code", failed, workspace)
    assert answer["hookSpecificOutput"]["hookEventName"] == "PostToolUseFailure"
    assert "read log: 1 entry" in context(answer)
    missing = {
        **failed,
        "tool_input": {"command": "cat none.txt"},
        "error": "Exit code 1\ncat: none.txt: No such file or directory",
    }
    assert "read log: 1 entry" in context(answered("claude-code", missing, workspace))


FAULTS: dict[str, object] = {
    "no JSON": "garbage",
    "nothing": "",
    "a list": [1, 2],
    "no fields": {},
    "wrong types": {"hook_event_name": 7, "session_id": [], "cwd": None, "tool_input": "x"},
    "an unknown event": {"hook_event_name": "Thunder", "session_id": "s"},
    "half a surrogate": {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "\ud800"},
    "a tool without a response": {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": 5}},
}


@pytest.mark.parametrize("payload", FAULTS.values(), ids=FAULTS)
def test_whatever_a_host_says_its_hook_ends_well(workspace: Path, payload: object) -> None:
    ended = called("claude-code", payload, workspace)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert not ended.stdout or "additionalContext" in ended.stdout


def test_a_hook_of_its_own_process_answers_as_one_in_this_one(workspace: Path) -> None:
    line = context(answer_of("claude-code", ran(workspace, "ls", "a.txt"), workspace, by=called_by_its_host))
    assert line.startswith("[tab] 0 open | candidates: 1 unopened")
    ended = called_by_its_host("claude-code", "garbage", workspace)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_a_hook_that_is_interrupted_ends_well(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tabcore.serving.claude_code.answer", interrupted)
    ended = called("claude-code", ran(workspace, "ls", "a.txt"), workspace)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_a_fault_is_written_to_the_log_beside_the_journals(workspace: Path) -> None:
    assert called("claude-code", "garbage", workspace).stdout == ""
    log = workspace.with_name("project.runningtab") / ".hook.log"
    assert "JSONDecodeError" in log.read_text()
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


@pytest.mark.parametrize("host", ["claude-code", "codex", "pi", "nobody"])
def test_a_hook_that_can_write_nowhere_ends_well_and_says_nothing(workspace: Path, host: str) -> None:
    inside = str(workspace / "tabs")
    ended = called(host, event("Stop", workspace), workspace, "--state", inside)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert list(workspace.iterdir()) == []


_MODULES = """
import io, json, sys
sys.stdin = io.TextIOWrapper(io.BytesIO(json.dumps({payload}).encode()))
import tabcore.__main__
from tabcore.serving import hooks
hooks.main(["claude-code", "--workspace", sys.argv[1]])
print()
print(sorted({{"numpy", "duckdb", "pyarrow", "streamlit", "argparse", "msgspec", "mcp"}} & set(sys.modules)))
"""


def test_after_a_tool_use_hook_nothing_heavy_has_been_loaded(workspace: Path) -> None:
    code = _MODULES.format(
        payload=repr(ran(workspace, "cat a.txt | head -3; python3 -c 'print(open(\"b\").read())'", "text"))
    )
    ended = subprocess.run([sys.executable, "-c", code, str(workspace)], capture_output=True, text=True, check=True)
    answer, loaded = ended.stdout.splitlines()
    assert context(json.loads(answer)).startswith("[tab] ")
    assert loaded == "[]"


def test_a_quickly_made_dataclass_is_compared_hashed_and_replaced_as_any_other() -> None:
    @quick(frozen=True, slots=True)
    class Point:
        x: int
        y: list[int] = field(default_factory=list, compare=False)

    @quick
    class Plain:
        x: int

    one, same, other = Point(1, [2]), Point(1, [3]), Point(2)
    assert (one == same, one == other, one == 1, hash(one) == hash(same)) == (True, False, False, True)
    assert len({one, same, other}) == 2
    assert replace(one, x=2) == other
    assert asdict(one) == {"x": 1, "y": [2]}
    assert not hasattr(one, "__dict__")
    assert Plain(1) == Plain(1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(Plain(1))


_CAPTURED = """
import json, sys
if sys.argv[1] == "quick":
    from tabcore.serving import quick_dataclasses
    quick_dataclasses.use()
from tabcore.capture import Workspace
from tabcore.journal import encoded
from tabcore.tab.keeper import Keeper
from tabcore.tab.operations import Add, List, Resolve
from tabcore.trajectory import Observation, ToolCall
keeper = Keeper(Workspace("/ws", "/ws"), "Write the hotel rates guide")
for turn, (command, shown) in enumerate(json.load(sys.stdin), 1):
    for event in keeper.observe(turn, 0, ToolCall("c", "bash", {"command": command}), Observation("c", shown)):
        print(encoded(event))
    print(keeper.status_line(turn))
for operation in (Add(("alpha", "beta")), List("requirements"), Resolve("r1", "done", "L1"), Resolve("r9", "done")):
    print(keeper.operate(99, 0, operation).text)
print(keeper.finish_check(99).text, sorted(keeper.workspace.files))
"""


def test_a_tab_is_the_same_whichever_way_its_dataclasses_were_made() -> None:
    told_both = json.dumps(
        [*WORK, ["python3 -c 'print(open(\"b.txt\").read())'", "beta\n"], ["sed -n 1,2p d.txt", "alpha\n"]]
    )

    def said(way: str) -> str:
        command = [sys.executable, "-c", _CAPTURED, way]
        return subprocess.run(command, input=told_both, capture_output=True, text=True, check=True, timeout=60).stdout

    assert said("quick") == said("whole")
    assert "FileRenamed" in said("quick")


def test_journals_that_are_kept_for_some_days_are_deleted_afterwards(workspace: Path) -> None:
    folder = TabFolder.of(workspace)
    for task in ("old", "young"):
        live(workspace, task).state_task("x")
    written = folder.path("old").stat().st_mtime - 3 * 86_400
    os.utime(folder.path("old"), (written, written))
    answer_of("claude-code", ran(workspace, "ls", "a.txt"), workspace, "--keep-days", "4")
    assert folder.tasks() == (TASK, "old", "young")
    answer_of("claude-code", ran(workspace, "ls", "a.txt"), workspace, "--keep-days", "2")
    assert folder.tasks() == (TASK, "young")


def test_a_long_log_of_faults_begins_anew(workspace: Path) -> None:
    log = workspace.with_name("project.runningtab") / ".hook.log"
    log.parent.mkdir(mode=0o700)
    log.write_text("x" * (1 << 20) + "y")
    called("claude-code", "garbage", workspace)
    assert log.stat().st_size < 20_000


RESPONSES: list[tuple[object, str]] = [
    ("Error: File has not been read yet.", "File has not been read yet."),
    ({"type": "text", "file": {"filePath": "/a", "content": "x\n", "numLines": 1}}, "x\n"),
    ({"type": "image", "file": {"base64": "AAAA", "type": "image/png"}}, ""),
    ({"mode": "content", "numFiles": 0, "filenames": [], "content": "a.txt:1:x", "numLines": 1}, "a.txt:1:x"),
    ({"mode": "files_with_matches", "filenames": ["a", "b"], "numFiles": 2}, "a\nb"),
    ({"filenames": [], "durationMs": 5, "numFiles": 0, "truncated": False}, "No files found"),
    ({"type": "create", "filePath": "/a", "content": "secret", "structuredPatch": []}, "The file /a has been updated."),
    ([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}], "one\ntwo"),
    ({"content": [{"type": "text", "text": "done"}], "totalTokens": 1}, "done"),
    (None, ""),
]


@pytest.mark.parametrize(("response", "shown"), RESPONSES)
def test_a_structured_result_is_taken_as_what_the_model_was_shown(response: object, shown: str) -> None:
    assert shown_text(response) == shown


def test_hooks_capture_of_recorded_sessions_what_their_logs_tell() -> None:
    """The structured results of real sessions, as hooks get them, against the results that their models were shown."""
    checked = 0
    for path in sorted((REAL / "claude_code").glob("*.jsonl")) if REAL.exists() else ():
        results = structured_results(path)
        for turn in (turn for run in runs_of(path.read_bytes()) for turn in run.turns):
            texts = {shown.call_id: shown for shown in turn.observations}
            for call in turn.calls:
                if call.call_id not in results or call.call_id not in texts:
                    continue
                if "snippet of the edited file" not in texts[call.call_id].text:  # which hooks are not given
                    assert found(call, Observation(call.call_id, shown_text(results[call.call_id]))) == found(
                        call, texts[call.call_id]
                    ), (path.name, call)
                    checked += 1
    if not checked:
        pytest.skip("no recorded sessions on this machine")


def structured_results(path: Path) -> dict[str, object]:
    found: dict[str, object] = {}
    for line in path.read_text("utf-8", "replace").splitlines():
        record = json.loads(line) if line.startswith("{") else {}
        message = record.get("message")
        if (
            "toolUseResult" not in record
            or not isinstance(message, dict)
            or not isinstance(message.get("content"), list)
        ):
            continue
        for block in message["content"]:
            if block.get("type") == "tool_result":
                found[block["tool_use_id"]] = record["toolUseResult"]
    return found


def found(call: ToolCall, observation: Observation) -> set[tuple[str, str]]:
    workspace = Workspace("/path/to/Demo", "/path/to/Demo")
    return {(finding.kind, finding.path) for finding in capture(call, observation, workspace).findings}
