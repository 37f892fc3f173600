"""Each method and each switch, run for real with a scripted model and loaded: the derived tab is the recorded one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tabcore import rerun
from tabcore.agent import (
    METHODS,
    MethodName,
    PiRecorder,
    Response,
    ScriptedModel,
    SteppingClock,
    Terminal,
    companion_for,
    run_agent,
)
from tabcore.memory import read_runs
from tabcore.rows import Replay
from tabcore.tab.history import Difference
from tabcore.tab.messages import FINISH_HEAD, SELF_REFINE, TODO_BLOCK
from tabcore.trajectory import Json, ToolCall

TASK = "Write the hotel rate sheet: rate per night and meal allowance"
FILES = {
    "policies/hotel_rates.txt": "Article 7\nHotel rate: 240 EUR per night\n",
    "policies/meals.txt": "Meal allowance: 38 EUR\n",
    "notes/weather.txt": "Mostly dry.\n",
    "sheets/hotel_rate_2019.txt": "Hotel rate: 190 EUR\n",
}


def turn(*calls: tuple[str, dict[str, Json]], text: str = "") -> Response:
    return Response(text, tuple(ToolCall(f"c{next(_NUMBERS)}", name, given) for name, given in calls))


_NUMBERS = count(1)

WORK = (
    turn(("bash", {"command": "find . -type f | sort"})),
    turn(("read", {"path": "policies/hotel_rates.txt"}), ("bash", {"command": "cat policies/meals.txt"})),
    turn(("write", {"path": "sheet.md", "content": "Rate: 240 EUR, meals: 38 EUR\n"})),
)
TRACKED = (
    turn(("tab_add", {"items": ["hotel rate per night", "meal allowance", "laundry"]})),
    *WORK,
    turn(("tab_list", {"kind": "requirements"})),
    turn(("tab_list", {"kind": "candidates"}), ("tab_list", {"kind": "read_log"}), ("tab_show", {"entry": "L2"})),
    turn(
        ("tab_resolve", {"id": "r1", "status": "done", "entry": "L1"}),
        ("tab_resolve", {"id": "r2", "status": "done", "entry": "L1"}),
        ("tab_resolve", {"id": "r9", "status": "done", "entry": "L1"}),
        ("tab_resolve", {"id": "r3", "status": "unavailable", "reason": "no file has it"}),
    ),
)
STOP = Response("Done.")


def recorded(folder: Path, method: MethodName, responses: Sequence[Response]) -> Path:
    """A run folder of these responses, executed on the files above."""
    workspace = folder / "work"
    for name, text in FILES.items():
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text(text)
    run = folder / "run"
    run.mkdir()
    (run / "task.md").write_text(TASK)
    (run / "run.toml").write_text(f'root = "/w"\nmethod = "{method}"\n')
    chosen, clock = METHODS[method], SteppingClock(1_700_000_000.0, 1.0)
    with (run / "session.jsonl").open("w") as file:
        recorder = PiRecorder(file, session=method, cwd="/w", provider="scripted", model="scripted", time=clock.now)
        model, terminal = ScriptedModel(responses), Terminal(workspace, folder)
        run_agent(TASK, model, chosen, companion_for(chosen, TASK, "/w"), terminal, recorder, clock)
    return run


def script_of(method: MethodName) -> tuple[Response, ...]:
    work = WORK if METHODS[method].tab is None else TRACKED
    return (*work, STOP, STOP) if method not in ("dci", "todo", "no_finish_check") else (*work, STOP)


@dataclass(frozen=True, slots=True)
class Recorded:
    """All nine runs, and the store that they were loaded into together."""

    folders: dict[MethodName, Path]
    db: Path

    def replay(self, method: MethodName) -> Replay:
        [run] = [row for row in rerun.runs(self.db) if row.method == method]
        return rerun.replay(self.db, run.run_id)

    def returned(self, method: MethodName, tool: str) -> list[str]:
        """What each call of a tool returned, the status line aside."""
        return [blocks[0] for name, blocks in results(self.folders[method]) if name == tool]

    def said_at_the_stop(self, method: MethodName) -> list[str]:
        """The messages after the first stop."""
        messages = entries(self.folders[method])
        texts = [str(entry["content"]) for entry in messages if entry["type"] == "custom_message"]
        asked = [entry["message"] for entry in messages if entry["type"] == "message"]
        return texts + [str(one["content"][0]["text"]) for one in asked if one["role"] == "user"][1:]


def entries(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "session.jsonl").read_text().splitlines()]


def results(run: Path) -> list[tuple[str, list[str]]]:
    found = [entry["message"] for entry in entries(run) if entry.get("message", {}).get("role") == "toolResult"]
    return [(one["toolName"], [block["text"] for block in one["content"]]) for one in found]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    folder = tmp_path_factory.mktemp("methods")
    folders = {method: recorded(folder / method, method, script_of(method)) for method in METHODS}
    loaded = rerun.load([str(run) for run in folders.values()], folder / "runs.duckdb")
    assert [problem for item in loaded for problem in item.problems] == []
    return Recorded(folders, folder / "runs.duckdb")


@pytest.mark.parametrize("method", METHODS)
def test_a_run_is_loaded_as_its_method_and_its_tab_is_derived_as_it_was_recorded(
    runs: Recorded, method: MethodName
) -> None:
    replay = runs.replay(method)
    assert replay.differences == ()
    assert replay.run.recorded_tab == (METHODS[method].tab is not None)
    assert (replay.run.files_read, replay.run.candidates) == (2, 2)
    tab = replay.timeline.at(replay.run.turns)
    states = [one.status for one in tab.requirements.values()]
    assert states == ([] if METHODS[method].tab is None else EXPECTED_STATES[method])


EXPECTED_STATES = {
    "running_tab": ["done", "open", "unavailable"],
    "no_capture": ["done", "done", "unavailable"],
    "no_review": ["done", "open", "unavailable"],
    "no_evidence_check": ["done", "done", "unavailable"],
    "no_finish_check": ["done", "open", "unavailable"],
}


WITH_TAB = [name for name, method in METHODS.items() if method.tab]


def as_another_method(run: Path, method: MethodName) -> None:
    """Make the folder of a run say that it is of another method."""
    other = "no_capture" if method == "running_tab" else "running_tab"
    (run / "run.toml").write_text(f'root = "/w"\nmethod = "{other}"\n')


def with_another_status_line(run: Path, method: MethodName) -> None:
    """Tamper with the first status line that a run shows."""
    log = run / "session.jsonl"
    text = log.read_text()
    assert text.count("[tab] 3 open") > 1
    log.write_text(text.replace("[tab] 3 open", "[tab] 4 open", 1))


def differences(
    runs: Recorded, folder: Path, tamper: Callable[[Path, MethodName], None]
) -> dict[MethodName, tuple[Difference, ...]]:
    """What is found to differ in each run with a tab, once its folder was tampered with."""
    for method in WITH_TAB:
        tamper(shutil.copytree(runs.folders[method], folder / method), method)
    loaded = rerun.load([str(folder / method) for method in WITH_TAB], folder / "runs.duckdb")
    ids = {Path(item.path).parent.name: item.runs[0] for item in loaded}
    return {method: rerun.replay(folder / "runs.duckdb", ids[method]).differences for method in WITH_TAB}


def test_a_run_that_is_loaded_as_another_method_does_not_agree(runs: Recorded, tmp_path: Path) -> None:
    found = differences(runs, tmp_path, as_another_method)
    agreeing = [method for method, differing in found.items() if not differing]
    assert agreeing == ["no_finish_check"]  # a check that was not sent may be a run cut short


def test_a_tampered_record_no_longer_agrees(runs: Recorded, tmp_path: Path) -> None:
    for differing in differences(runs, tmp_path, with_another_status_line).values():
        assert [(one.turn, one.what) for one in differing] == [(1, "status line")]


def test_the_methods_of_the_paper_say_what_makes_them(runs: Recorded) -> None:
    assert {name for name, method in METHODS.items() if TODO_BLOCK in method.instruction} == {"todo", "self_tracking"}
    said = {name: runs.said_at_the_stop(name) for name in METHODS}
    assert said["dci"] == said["todo"] == said["no_finish_check"] == []
    assert said["self_refine"] == said["self_tracking"] == [SELF_REFINE]
    for method in ("running_tab", "no_capture", "no_review", "no_evidence_check"):
        assert [text.splitlines()[0] for text in said[method]] == [FINISH_HEAD]


def test_the_words_of_self_refine_are_no_persons(runs: Recorded) -> None:
    [loaded] = read_runs(str(runs.folders["self_refine"]))
    [message] = loaded.run.turns[-1].before
    assert (message.origin, message.kind) == ("harness", "notice")


def test_without_capture_the_agent_has_requirements_alone(runs: Recorded) -> None:
    assert runs.returned("no_capture", "tab_list")[0] == (
        "Requirements: 3 open, 0 resolved\nr1 [open] hotel rate per night\nr2 [open] meal allowance\nr3 [open] laundry"
    )
    refused = "Refused: this tab has requirements alone. The one list is that of kind requirements."
    assert runs.returned("no_capture", "tab_list")[1:] == [refused, refused]
    assert runs.returned("no_capture", "tab_show") == [refused]
    assert runs.returned("no_capture", "tab_resolve")[0] == "r1 [done]. 2 open."
    lines = {blocks[-1] for _, blocks in results(runs.folders["no_capture"])}
    assert "[tab] 3 open | last tab operation 2 turns ago" in lines
    assert not any("candidates" in line or "read log" in line for line in lines)
    [check] = runs.said_at_the_stop("no_capture")
    assert "All 3 requirement items are resolved (2 done, 1 unavailable)." in check
    assert "never opened" not in check
    tools = {tool.name: tool for tool in METHODS["no_capture"].tools}
    assert "tab_show" not in tools
    assert "entry" not in str(tools["tab_resolve"])


def test_without_review_a_requirement_stands_alone_in_list_and_finish_check(runs: Recorded) -> None:
    reviews = {method: runs.returned(method, "tab_list")[0] for method in ("running_tab", "no_review")}
    assert " from your reads:\n  L1 policies/hotel_rates.txt: Hotel rate: 240 EUR per night" in reviews["running_tab"]
    assert reviews["no_review"].splitlines()[1:] == [
        "r1 [open] hotel rate per night",
        "r2 [open] meal allowance",
        "r3 [open] laundry",
    ]
    [check] = runs.said_at_the_stop("no_review")
    assert "r2 [open] meal allowance\nFiles listed but never opened: 2" in check
    assert "review" not in METHODS["no_review"].instruction


def test_only_without_evidence_check_an_entry_may_be_cited_that_shares_no_word(runs: Recorded) -> None:
    def answers(method: MethodName) -> list[str]:
        return [text.split(" ")[0] for text in runs.returned(method, "tab_resolve")]

    assert answers("running_tab") == ["r1", "Refused:", "Refused:", "r3"]
    assert answers("no_evidence_check") == ["r1", "r2", "Refused:", "r3"]
    assert "cites L1" in runs.returned("no_evidence_check", "tab_resolve")[1]


def test_a_finish_check_at_the_first_turn_is_the_tabs(tmp_path: Path) -> None:
    [loaded] = read_runs(str(recorded(tmp_path, "running_tab", (STOP, STOP))))
    [check] = loaded.run.turns[1].before
    assert (check.origin, check.text.splitlines()[0]) == ("tab", FINISH_HEAD)
    assert [one.body for one in loaded.timeline.finish_checks] == ["none recorded"]
