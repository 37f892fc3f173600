"""The live agent: what the tools return, what the loop records, where it ends."""

from __future__ import annotations

import io
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tabcore.agent import (
    METHODS,
    Ended,
    Limits,
    MethodName,
    PiRecorder,
    Response,
    ScriptedModel,
    SteppingClock,
    Terminal,
    companion_for,
    read_script,
    run_agent,
)
from tabcore.agent.bash import MOST_BYTES
from tabcore.agent.methods import NoTab
from tabcore.agent.models import Entry, Instruction, ToolSpec, UserText
from tabcore.agent.terminal import use_tool
from tabcore.errors import UsageError
from tabcore.trajectory import Json, Observation, ToolCall


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    for name in ("workspace", "home"):
        (tmp_path / name).mkdir()
    return Terminal(tmp_path / "workspace", tmp_path / "home")


def use(terminal: Terminal, tool: str, seconds: float = 20.0, **arguments: Json) -> Observation:
    return use_tool(terminal, ToolCall("c", tool, arguments), seconds)


def call(tool: str, **arguments: Json) -> Response:
    return Response("", (ToolCall("c", tool, arguments),))


def run(
    terminal: Terminal,
    responses: Sequence[Response],
    method: MethodName = "dci",
    limits: Limits | None = None,
    step: float = 1.0,
) -> tuple[Ended, list[dict[str, Json]]]:
    """How a scripted run ended, and its recorded messages."""
    file = io.StringIO()
    clock = SteppingClock(1_700_000_000.0, step)
    recorder = PiRecorder(file, session="test", cwd="/workspace", provider="scripted", model="scripted", time=clock.now)
    chosen = METHODS[method]
    companion = companion_for(chosen, "count the sheep", "/workspace")
    ended = run_agent(
        "count the sheep", ScriptedModel(responses), chosen, companion, terminal, recorder, clock, limits or Limits()
    )
    records = [json.loads(line) for line in file.getvalue().splitlines()]
    custom = {"role": "custom"}
    return ended, [record.get("message") or custom | record for record in records if "content" in str(record)]


def texts(message: dict[str, Json]) -> list[Json]:
    content = message["content"]
    assert isinstance(content, list)
    return [block["text"] for block in content if isinstance(block, dict) and block["type"] == "text"]


# read


def test_read_shows_a_file_exactly(terminal: Terminal) -> None:
    text = "eins\r\n\ttwei \n\nno newline at the end: 数字"
    (terminal.folder / "a.txt").write_text(text, encoding="utf-8", newline="")
    assert use(terminal, "read", path="a.txt").text == text


def test_read_of_a_part_says_how_many_lines_follow(terminal: Terminal) -> None:
    (terminal.folder / "a.txt").write_text("".join(f"{n}\n" for n in range(1, 11)))
    shown = use(terminal, "read", path="a.txt", offset=3, limit=2).text
    assert shown == "3\n4\n\n[6 more lines in file. Use offset=5 to continue]"


def test_read_shows_no_more_than_two_thousand_lines(terminal: Terminal) -> None:
    (terminal.folder / "a.txt").write_text("x\n" * 2005)
    shown = use(terminal, "read", path="a.txt").text
    assert shown.count("x") == 2000
    assert shown.endswith("[5 more lines in file. Use offset=2001 to continue]")


def test_read_shows_no_more_than_fifty_kilobytes(terminal: Terminal) -> None:
    (terminal.folder / "lines.txt").write_text(("y" * 1023 + "\n") * 60)
    (terminal.folder / "one_line.txt").write_text("z" * 60_000)
    assert use(terminal, "read", path="lines.txt").text.count("y") == 50 * 1023
    assert use(terminal, "read", path="one_line.txt").text.count("z") == MOST_BYTES


def test_read_past_the_end_is_an_error_and_shows_nothing(terminal: Terminal) -> None:
    (terminal.folder / "a.txt").write_text("secret\n")
    shown = use(terminal, "read", path="a.txt", offset=9)
    assert shown.is_error
    assert "secret" not in shown.text


def test_an_empty_file_is_read_as_empty_text(terminal: Terminal) -> None:
    (terminal.folder / "a.txt").write_text("")
    assert use(terminal, "read", path="a.txt") == Observation("c", "")


@pytest.mark.parametrize(
    ("path", "reason"),
    [("none.txt", "No such file or directory"), (".", "Is a directory"), ("a.bin", "binary"), ("a\0b", "null byte")],
)
def test_what_cannot_be_read_is_told_without_the_real_folder(terminal: Terminal, path: str, reason: str) -> None:
    (terminal.folder / "a.bin").write_bytes(b"PK\0\1")
    shown = use(terminal, "read", path=path)
    assert shown.is_error
    assert reason in shown.text
    assert str(terminal.folder) not in shown.text


def test_a_pipe_or_device_is_neither_read_nor_written(terminal: Terminal) -> None:
    os.mkfifo(terminal.folder / "pipe")
    for path in ("pipe", "/dev/zero"):
        assert "not a regular file" in use(terminal, "read", path=path).text
        assert "not a regular file" in use(terminal, "write", path=path, content="x").text


# bash


def test_each_command_starts_in_the_workspace_afresh(terminal: Terminal) -> None:
    (terminal.folder / "inner").mkdir()
    (terminal.folder / "inner" / "deep.txt").write_text("")
    assert use(terminal, "bash", command="cd inner && ls").text == "deep.txt\n"
    assert use(terminal, "bash", command="ls").text == "inner\n"


def test_a_command_finds_nothing_on_standard_input(terminal: Terminal) -> None:
    started = time.monotonic()
    assert use(terminal, "bash", command="cat; echo end").text == "end\n"
    assert time.monotonic() - started < 10


def test_a_command_sees_few_variables_of_its_surroundings(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "hidden")
    names = {line.split("=")[0] for line in use(terminal, "bash", command="env").text.splitlines()}
    assert names <= {"HOME", "LANG", "LC_ALL", "PATH", "TZ", "PWD", "OLDPWD", "SHLVL", "_"}


def test_a_failing_command_shows_its_output_and_its_exit_code(terminal: Terminal) -> None:
    shown = use(terminal, "bash", command="echo before; exit 3")
    assert shown == Observation("c", "before\n\n\nCommand exited with code 3", is_error=True, exit_code=3)


def test_a_command_ends_after_its_time_and_what_it_printed_is_kept(terminal: Terminal) -> None:
    started = time.monotonic()
    shown = use(terminal, "bash", seconds=0.5, command="echo first; sleep 60")
    assert time.monotonic() - started < 10
    assert shown.text == "first\n\n\nCommand timed out after 0.5 seconds"
    assert shown.is_error


def test_the_call_can_ask_for_less_time_but_not_for_more(terminal: Terminal) -> None:
    assert "after 1 seconds" in use(terminal, "bash", command="sleep 60", timeout=1).text
    assert "after 0.2 seconds" in use(terminal, "bash", seconds=0.2, command="sleep 60", timeout=30).text


def test_a_silent_command_that_closed_its_output_still_ends_after_its_time(terminal: Terminal) -> None:
    shown = use(terminal, "bash", seconds=0.5, command="exec >&- 2>&-; sleep 60")
    assert "timed out" in shown.text


def test_what_a_command_leaves_running_neither_delays_the_answer_nor_survives(terminal: Terminal) -> None:
    ticking = "while true; do echo tick >> ticks; sleep 0.05; done & sleep 0.3; echo now"
    assert use(terminal, "bash", command=ticking).text == "now\n"
    ticks = (terminal.folder / "ticks").read_text()
    assert ticks
    time.sleep(0.5)
    assert (terminal.folder / "ticks").read_text() == ticks


def test_of_a_long_output_the_end_is_shown_and_the_cut_is_told(terminal: Terminal) -> None:
    shown = use(terminal, "bash", command="seq 1 5000").text
    lines = shown.splitlines()
    assert lines[0] == "3001"
    assert lines[1999] == "5000"
    assert lines[-1] == "[Showing lines 3001-5000 of 5000; the rest was not kept]"


def test_of_a_wide_output_fifty_kilobytes_of_whole_lines_are_shown(terminal: Terminal) -> None:
    shown = use(terminal, "bash", command="for i in $(seq 100 299); do printf '%01000d\\n' $i; done").text
    body, note = shown.rsplit("\n\n", 1)
    assert all(len(line) == 1000 for line in body.splitlines())
    assert MOST_BYTES - 1001 <= len(body) <= MOST_BYTES
    assert note == f"[Showing lines {200 - len(body.splitlines()) + 1}-200 of 200; the rest was not kept]"


def test_bytes_that_are_no_text_are_shown_as_replacement_characters(terminal: Terminal) -> None:
    assert use(terminal, "bash", command="printf 'a\\377b'").text == "a\ufffdb"


# write, and calls that cannot be


def test_write_makes_folders_and_replaces_what_was_there(terminal: Terminal) -> None:
    use(terminal, "write", path="a/b.txt", content="old text")
    told = use(terminal, "write", path="a/b.txt", content="né\n")
    assert (terminal.folder / "a" / "b.txt").read_bytes() == "né\n".encode()
    assert told == Observation("c", "Wrote 4 bytes to a/b.txt")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read", {}),
        ("read", {"path": 3}),
        ("read", {"path": "a", "offset": 0}),
        ("read", {"path": "a", "limit": True}),
        ("bash", {"command": ["ls"]}),
        ("bash", {"command": "echo \0"}),
        ("write", {"path": "a"}),
        ("write", {"path": "a", "content": "\ud800"}),
        ("edit", {"path": "a", "oldText": "x"}),
        ("read", {"": "no JSON"}),
        ("fly", {}),
    ],
)
def test_a_call_that_cannot_be_is_told_to_the_model_and_does_not_raise(
    terminal: Terminal, tool: str, arguments: dict[str, Json]
) -> None:
    told = use_tool(terminal, ToolCall("c", tool, arguments), 20.0)
    assert told.is_error
    assert told.text


# edit


def edited(terminal: Terminal, old: str, new: str, path: str = "a.txt") -> str:
    return use(terminal, "edit", path=path, oldText=old, newText=new).text


def test_edit_replaces_the_one_place_and_nothing_else(terminal: Terminal) -> None:
    (terminal.folder / "a.txt").write_bytes("Rate: 240\r\nMeals: é 38\n".encode() + b"\xff")
    assert edited(terminal, "é 38", "é 40") == "Replaced one place in a.txt"
    assert (terminal.folder / "a.txt").read_bytes() == "Rate: 240\r\nMeals: é 40\n".encode() + b"\xff"


@pytest.mark.parametrize(
    ("old", "new", "path", "reason"),
    [
        ("none", "x", "a.txt", "oldText is not in the file"),
        ("aa", "x", "a.txt", "oldText is there 2 times"),
        ("", "x", "a.txt", "oldText is empty; use write"),
        ("b", "b", "a.txt", "newText is the same"),
        ("b", "x", "missing.txt", "No such file or directory"),
        ("b", "x", ".", "Is a directory"),
    ],
)
def test_an_edit_that_cannot_be_says_why_and_changes_nothing(
    terminal: Terminal, old: str, new: str, path: str, reason: str
) -> None:
    (terminal.folder / "a.txt").write_text("aa b aa")
    shown = use(terminal, "edit", path=path, oldText=old, newText=new)
    assert shown.is_error
    assert reason in shown.text
    assert (terminal.folder / "a.txt").read_text() == "aa b aa"


# the loop


def test_a_stop_ends_a_plain_run(terminal: Terminal) -> None:
    ended, messages = run(terminal, [call("bash", command="echo 12"), Response("Twelve sheep.")])
    assert ended == Ended("delivered", 2, "Twelve sheep.")
    assert [message["role"] for message in messages] == ["user", "assistant", "toolResult", "assistant"]
    assert texts(messages[2]) == ["12\n"]


def test_a_run_ends_with_its_turn_budget_of_three_hundred(terminal: Terminal) -> None:
    ended, messages = run(terminal, [call("read", path="none")] * 400)
    assert ended == Ended("turn budget", 300, "")
    assert sum(message["role"] == "assistant" for message in messages) == 300


def test_a_run_ends_with_its_hour(terminal: Terminal) -> None:
    ended, messages = run(terminal, [call("read", path="none")] * 400, step=100.0)
    assert ended.how == "time limit"
    first, last = (message["timestamp"] for message in (messages[0], messages[-1]))
    assert isinstance(first, int)
    assert isinstance(last, int)
    assert 3600_000 <= last - first < 3600_000 + 2 * 100_000


def test_a_command_may_not_outlast_its_run(terminal: Terminal) -> None:
    started = time.monotonic()
    _, messages = run(terminal, [call("bash", command="sleep 60")] * 3, limits=Limits(seconds=1.5))
    assert time.monotonic() - started < 20
    assert "timed out after 0.5 seconds" in str(texts(messages[2]))


def test_times_of_a_record_never_go_back_whatever_the_clock_does(terminal: Terminal) -> None:
    file, times = io.StringIO(), iter([100.0, 110.0, 20.0, 115.0])
    recorder = PiRecorder(file, session="s", cwd="/w", provider="p", model="m", time=100.0)
    model = ScriptedModel([call("bash", command="true"), Response("Done.")])
    run_agent("t", model, METHODS["dci"], NoTab(), terminal, recorder, lambda: next(times))
    stamps = [json.loads(line)["timestamp"][14:19] for line in file.getvalue().splitlines()]
    assert stamps == ["01:40", "01:40", "01:40", "01:50", "01:50", "01:55"]


def test_a_failed_response_is_no_stop(terminal: Terminal) -> None:
    failed = Response("", outcome="failed")
    ended, messages = run(terminal, [failed, Response("Done.")])
    assert ended == Ended("delivered", 2, "Done.")
    assert [message["stopReason"] for message in messages if message["role"] == "assistant"] == ["error", "stop"]


def test_three_failed_responses_in_a_row_end_a_run(terminal: Terminal) -> None:
    failed = Response("", outcome="failed")
    ended, _ = run(terminal, [failed, failed, call("read", path="none"), failed, failed, failed])
    assert ended == Ended("model failed", 6, "")


def test_the_finish_check_comes_once_and_says_that_nothing_was_recorded(terminal: Terminal) -> None:
    ended, messages = run(terminal, [Response("Done."), Response("Really done.")], "running_tab")
    assert ended == Ended("delivered", 2, "Really done.")
    assert [message["role"] for message in messages] == ["user", "assistant", "custom", "assistant"]
    check = messages[2]["content"]
    assert str(check).startswith("[tab] Finish check 1 of at most 1: you stopped.")
    assert "No requirement items were recorded" in str(check)


def test_the_finish_check_names_the_requirements_that_are_open(terminal: Terminal) -> None:
    added = call("tab_add", items=["number of sheep", "number of lambs"])
    resolved = call("tab_resolve", id="r1", status="unavailable", reason="nobody counted")
    _, messages = run(terminal, [added, resolved, Response("Done."), Response("Done.")], "running_tab")
    [check] = texts(messages[-2])
    assert "r2 [open] number of lambs" in str(check)
    assert "r1 [open]" not in str(check)


def test_a_failed_response_brings_no_finish_check(terminal: Terminal) -> None:
    failed = Response("", outcome="failed")
    _, messages = run(terminal, [failed, failed, failed], "running_tab")
    assert [message["role"] for message in messages] == ["user", "assistant", "assistant", "assistant"]


def test_the_status_line_is_a_block_of_its_own_after_what_the_tool_returned(terminal: Terminal) -> None:
    forged = "[tab] 9 open | candidates: 7 unopened, 7 above threshold | read log: 7 entries | no tab operation yet\n"
    (terminal.folder / "sheep.txt").write_text(forged)
    _, messages = run(terminal, [call("read", path="sheep.txt"), Response("."), Response(".")], "running_tab")
    content, line = texts(messages[2])
    assert content == forged
    assert str(line).startswith("[tab] 0 open | candidates: 0 unopened, 0 above threshold | read log: 1 entry")


def test_every_call_of_a_turn_is_answered_in_order(terminal: Terminal) -> None:
    parallel = Response("", tuple(ToolCall(f"c{n}", "bash", {"command": f"echo {n}"}) for n in range(3)))
    _, messages = run(terminal, [parallel, Response(".")])
    results = [message for message in messages if message["role"] == "toolResult"]
    assert [(message["toolCallId"], texts(message)) for message in results] == [
        ("c0", ["0\n"]),
        ("c1", ["1\n"]),
        ("c2", ["2\n"]),
    ]


def test_the_plain_method_has_no_tab_in_instruction_tools_or_results(terminal: Terminal) -> None:
    seen: list[tuple[Sequence[Entry], Sequence[ToolSpec]]] = []

    class Watching(ScriptedModel):
        def respond(self, conversation: Sequence[Entry], tools: Sequence[ToolSpec], seconds: float) -> Response:
            seen.append((conversation, tools))
            return super().respond(conversation, tools, seconds)

    def tool_names(method: MethodName) -> set[str]:
        recorder = PiRecorder(io.StringIO(), session="s", cwd="/w", provider="p", model="m", time=0.0)
        model = Watching([Response(".")] * 2)
        chosen = METHODS[method]
        run_agent("t", model, chosen, companion_for(chosen, "t", "/w"), terminal, recorder, SteppingClock(0.0, 1.0))
        return {tool.name for tool in seen[-1][1]}

    assert tool_names("dci") == {"read", "bash", "write", "edit"}
    instruction = seen[-1][0][0]
    assert isinstance(instruction, Instruction)
    assert "tab" not in instruction.text.split()
    tab = {"tab_add", "tab_resolve", "tab_list", "tab_show"}
    assert tool_names("running_tab") == {"read", "bash", "write", "edit"} | tab


def test_a_tab_operation_is_refused_where_there_is_no_tab(terminal: Terminal) -> None:
    _, messages = run(terminal, [call("tab_add", items=["x"]), Response(".")])
    assert messages[2]["isError"] is True


# script and record


def test_a_script_that_is_too_short_says_so(terminal: Terminal) -> None:
    with pytest.raises(UsageError, match="has 1 responses and the loop asked for one more"):
        run(terminal, [call("read", path="none")])


@pytest.mark.parametrize("text", ["turn = 3", "[[turn]]\n[[turn.call]]\n", "no toml", "[[turn]]\ncall = 'x'"])
def test_a_file_that_is_no_script_is_refused_by_name(tmp_path: Path, text: str) -> None:
    script = tmp_path / "script.toml"
    script.write_text(text)
    with pytest.raises(UsageError, match=r"script\.toml"):
        read_script(script)


def test_a_session_names_for_each_entry_the_one_before_and_has_the_same_bytes_again(terminal: Terminal) -> None:
    def recorded() -> str:
        file = io.StringIO()
        recorder = PiRecorder(file, session="s", cwd="/workspace", provider="p", model="m", time=10.0)
        recorder.user(UserText("count"), 11.0)
        recorder.assistant(Response("", (ToolCall("c", "bash", {"command": "ls"}),)), 12.0)
        recorder.tool_result("c", "bash", ["é\n", "[tab] …"], False, 13.5)
        return file.getvalue()

    header, *entries = map(json.loads, recorded().splitlines())
    assert (header["type"], header["version"], header["cwd"]) == ("session", 3, "/workspace")
    assert [entry["parentId"] for entry in entries] == [None, *(entry["id"] for entry in entries[:-1])]
    assert len({entry["id"] for entry in entries}) == len(entries)
    assert entries[-1]["timestamp"] == "1970-01-01T00:00:13.500Z"
    assert entries[-1]["message"]["timestamp"] == 13_500
    assert recorded() == recorded()
