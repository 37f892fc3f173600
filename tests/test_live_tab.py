"""A live tab, kept in its journal: whoever looks sees the same tab, and the journal loads as the run that it is."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_logs import kinds, run_of

from tabcore import rerun
from tabcore.cli import main
from tabcore.errors import JournalError, UsageError
from tabcore.journal import Journal, Shown, Step, line_of, text_line_of
from tabcore.readers import live_tab
from tabcore.serving import open_tab
from tabcore.serving.folders import TabFolder
from tabcore.serving.live import LiveTab
from tabcore.tab.events import TaskStated, text_digest
from tabcore.tab.history import derive
from tabcore.tab.keeper import excerpt_text
from tabcore.tab.operations import Add, List, Operation, Resolve, Show, operation_of
from tabcore.tab.tab import Tab
from tabcore.trajectory import Observation, Run, ToolCall


def step(turn: int, command: str, text: str, said: str = "") -> bytes:
    """One call as a journal has it."""
    shown = Shown("c", "bash", {"command": command}, text)
    return text_line_of(shown) + line_of(
        Step("call", turn, 0, 1790848800.0 + turn, "a", cwd="/ws", said=said, shown=text_digest(text))
    )


JOURNAL = b"".join(
    [
        line_of(Step("begun", 0, time=1790848800.0, about={"workspace": "/ws", "task": "t", "method": "running_tab"})),
        line_of(Step("task", 1, time=1790848800.5, events=(TaskStated(1, "Write the hotel guide"),))),
        step(
            1, "ls", "hotel.txt\n", "[tab] 0 open | candidates: 1 unopened, 0 above threshold | read log: 0 entries | x"
        ),
        step(2, "cat hotel.txt", "Hotel: 240 EUR\n"),
        line_of(Step("stop", 3, 0, 1790848804.0, "a")),
    ]
)
"""A journal as it lies on the disk."""


def opened(folder: Path, **about: str | bool) -> LiveTab:
    return LiveTab(Journal(folder / "guide.jsonl"), "/ws", agent=str(about.pop("agent", "a")), **about)  # type: ignore[arg-type]


def ran(tab: LiveTab, command: str, shown: str, **more: str) -> str:
    return tab.observe(ToolCall("c", "bash", {"command": command}), Observation("c", shown), **more)


def did(tab: LiveTab, operation: Operation) -> str:
    names = {Add: "tab_add", Resolve: "tab_resolve", List: "tab_list", Show: "tab_show"}
    given = {Resolve: {"requirement": "id"}}.get(type(operation), {})
    arguments = {given.get(name, name): getattr(operation, name) for name in operation.__dataclass_fields__}
    arguments = {name: list(value) if isinstance(value, tuple) else value for name, value in arguments.items()}
    return tab.operate(operation, ToolCall("o", names[type(operation)], arguments))


def worked(tab: LiveTab) -> str | None:
    """A small task from its start to its stop; the finish check."""
    tab.state_task("Write the hotel rates guide for the travel policy")
    ran(tab, "ls policy", "rates.txt\nhotel_travel_notes.md\n")
    did(tab, Add(("hotel rates", "breakfast")))
    ran(tab, "cd policy && cat rates.txt", "Hotel rates: 240 EUR\n")
    did(tab, Resolve("r1", "done", "L1"))
    did(tab, Resolve("r2", "done", "L9"))
    return tab.stop()


def seen(tab: Tab) -> tuple[object, ...]:
    """All that a tab holds."""
    return tab.requirements, tab.read_log, tab.candidates, tab.authored, tab.folders, tab.task, tab.last_operation


def run_of_journal(folder: Path) -> Run:
    return run_of((folder / "guide.jsonl").read_bytes())


def test_a_status_line_stands_beside_each_result(tmp_path: Path) -> None:
    tab = opened(tmp_path)
    tab.state_task("Write the hotel rates guide")
    assert ran(tab, "ls", "hotel_rates.txt\n").startswith("[tab] 0 open | candidates: 1 unopened, 1 above threshold")
    assert ran(tab, "cat hotel_rates.txt", "240 EUR\n") == (
        "[tab] 0 open | candidates: 0 unopened, 0 above threshold | read log: 1 entry | no tab operation yet"
    )


def test_who_opens_the_journal_later_sees_the_same_tab(tmp_path: Path) -> None:
    first = opened(tmp_path)
    worked(first)
    again = opened(tmp_path, agent="b")
    assert seen(again.tab()) == seen(first.tab())
    assert "240 EUR" in did(again, Show("L1"))
    assert first.tab().last_operation == 7


def test_two_who_work_on_one_task_in_turns_see_what_the_other_did(tmp_path: Path) -> None:
    hook, server = opened(tmp_path), opened(tmp_path, agent="server")
    ran(hook, "cat rates.txt", "Hotel rates: 240 EUR\n")
    assert did(server, Add(("hotel rates",))) == "added r1: hotel rates"
    ran(hook, "ls", "rates.txt\nmore.txt\n")
    assert did(server, Resolve("r1", "done", "L1")).startswith("r1 [done] cites L1")
    assert hook.status_line().startswith("[tab] 0 open | candidates: 1 unopened")


def test_each_agent_has_a_working_directory_of_its_own(tmp_path: Path) -> None:
    one, other = opened(tmp_path, agent="one"), opened(tmp_path, agent="other")
    ran(one, "cd policy", "")
    ran(other, "cat a.txt", "text\n")
    ran(one, "cat a.txt", "text\n")
    ran(opened(tmp_path, agent="one"), "cat b.txt", "text\n")
    assert [entry.path for entry in other.tab().read_log.values()] == ["a.txt", "policy/a.txt", "policy/b.txt"]


def test_what_capture_remembers_goes_from_one_process_to_the_next(tmp_path: Path) -> None:
    ran(opened(tmp_path), "F=rates.txt; cat > show.py <<'X'\nprint(open('notes.md').read())\nX", "")
    ran(opened(tmp_path), "cat $F", "240 EUR\n")
    ran(opened(tmp_path), "python show.py", "Breakfast\n")
    assert [entry.path for entry in opened(tmp_path).tab().read_log.values()] == ["rates.txt", "notes.md"]


def test_calls_of_one_response_share_its_turn(tmp_path: Path) -> None:
    tab = opened(tmp_path)
    for response, name in [("m1", "a.txt"), ("m1", "b.txt"), ("m2", "c.txt"), ("", "d.txt"), ("", "e.txt")]:
        ran(tab, f"cat {name}", "text\n", response=response)
    assert [(entry.turn, entry.call) for entry in tab.tab().read_log.values()] == [
        (1, 0),
        (1, 1),
        (2, 0),
        (3, 0),
        (4, 0),
    ]


def test_the_finish_check_is_sent_once_whoever_stops(tmp_path: Path) -> None:
    assert (worked(opened(tmp_path)) or "").startswith("[tab] Finish check 1 of at most 1: you stopped.\n1 of 2 ")
    assert opened(tmp_path, agent="b").stop() is None


def test_a_journal_loads_as_the_run_whose_derived_tab_is_the_recorded_one(tmp_path: Path) -> None:
    tab = opened(tmp_path, harness="claude-code")
    worked(tab)
    ran(tab, "cat policy/hotel_travel_notes.md", "breakfast\n", cwd="/ws")
    run = run_of_journal(tmp_path)
    header = run.header
    assert (header.harness, header.root, header.method, header.task_name) == (
        "claude-code",
        "/ws",
        "running_tab",
        "guide",
    )
    assert [turn.number for turn in run.turns] == [1, 2, 3, 4, 5, 6, 7]
    facts = list(derive(header, run.turns, run.after))
    assert [fact.differences for fact in facts if fact.differences] == []
    assert run.problems == ()
    with tab.journal.held():
        tab.journal.rewind()
    with tab.journal.held():
        recorded = [event for step in tab.journal.arrived() for event in step.events]
    derived = [str(event).replace("why='Refused: ", "why='") for fact in facts for event in fact.events]
    assert sorted(derived) == sorted(map(str, recorded))


def test_a_journal_that_was_tampered_with_disagrees_with_its_derivation(tmp_path: Path) -> None:
    worked(opened(tmp_path))
    path = tmp_path / "guide.jsonl"
    path.write_text(path.read_text().replace("candidates: 2 unopened", "candidates: 5 unopened"))
    run = run_of_journal(tmp_path)
    facts = list(derive(run.header, run.turns, run.after))
    assert [(fact.turn, one.what) for fact in facts for one in fact.differences] == [(1, "status line")]


WORK = [
    ("ls", "a.txt\nb.txt\nsub\n"),
    ("cd sub", ""),
    ("cat a.txt", "alpha\n"),
    ("cat b.txt b.txt", "beta\nbeta\n"),
    ("echo hi > c.txt", ""),
    ("cat c.txt", "hi\n"),
    ("mv a.txt d.txt", ""),
    ("F=b.txt", ""),
    ("grep -n a $F", "1:beta\n"),
    ("find . -type f", "./a.txt\n./sub/e.txt\n"),
]
"""Commands and what they show."""
COMMANDS = st.sampled_from(WORK)


@given(st.lists(st.tuples(st.sampled_from("ab"), COMMANDS, st.sampled_from(["", "m"])), max_size=8), st.integers(0, 8))
@settings(max_examples=12, deadline=None)
def test_a_tab_that_is_taken_up_by_another_process_goes_on_as_if_none_had_changed(
    tmp_path_factory: pytest.TempPathFactory, calls: list[tuple[str, tuple[str, str], str]], handed: int
) -> None:
    one, two = tmp_path_factory.mktemp("one"), tmp_path_factory.mktemp("two")
    tabs = {agent: opened(one, agent=agent) for agent in "ab"}
    for number, (agent, (command, shown), response) in enumerate(calls):
        taken_up = opened(two, agent=agent) if number >= handed else None
        expected = ran(tabs[agent], command, shown, response=response)
        other = taken_up or opened(two, agent=agent)
        assert ran(other, command, shown, response=response) == expected
    assert seen(opened(two).tab()) == seen(tabs["a"].tab())
    if calls:
        run = run_of_journal(one)
        assert kinds(run) == []


def test_threads_and_processes_that_call_at_once_each_get_a_turn_of_their_own(tmp_path: Path) -> None:
    def work(agent: str) -> None:
        tab = opened(tmp_path, agent=agent)
        for number in range(5):
            ran(tab, f"cat {agent}{number}.txt", "text\n")

    threads = [threading.Thread(target=work, args=(agent,)) for agent in "xyz"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    entries = opened(tmp_path).tab().read_log.values()
    assert [entry.turn for entry in entries] == list(range(1, 16))
    assert {entry.path for entry in entries} == {f"{agent}{number}.txt" for agent in "xyz" for number in range(5)}


def test_what_could_not_be_written_did_not_happen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tab = opened(tmp_path)
    ran(tab, "ls", "a.txt\nb.txt\n")

    def refused(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tabcore.journal.os.fsync", refused)
    with pytest.raises(JournalError, match="the disk is full"):
        ran(tab, "cat a.txt", "alpha\n")
    monkeypatch.undo()
    assert list(tab.tab().candidates) == ["a.txt", "b.txt"]
    assert tab.tab().read_log == {}
    ran(tab, "cat b.txt", "beta\n")
    assert [entry.turn for entry in tab.tab().read_log.values()] == [2]


def test_a_tab_that_was_forgotten_meanwhile_begins_anew(tmp_path: Path) -> None:
    folder = TabFolder(Path("/ws"), tmp_path)
    tab = opened(tmp_path)
    worked(tab)
    assert folder.forget("guide")
    assert not folder.forget("guide")
    assert did(tab, Add(("again",))) == "added r1: again"
    assert tab.tab().read_log == {}


@pytest.mark.long
def test_an_observation_of_50_megabytes_is_kept_and_stepped_over(tmp_path: Path) -> None:
    ran(opened(tmp_path), "cat big.txt", "Hotel rates 240 EUR\n" * 2_500_000)
    later = opened(tmp_path)
    assert ran(later, "ls", "a.txt\n").startswith("[tab] 0 open | candidates: 1 unopened")
    [entry] = later.tab().read_log.values()
    assert entry.chars == 50_000_000
    [turn, _] = run_of_journal(tmp_path).turns
    assert len(turn.observations[0].text) > entry.chars


def test_tabs_lie_beside_the_workspace_and_never_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = tmp_path / "project"
    workspace.mkdir()
    assert TabFolder.of(workspace).place == tmp_path / "project.runningtab"
    assert TabFolder.of(workspace, str(tmp_path / "else")).place == tmp_path / "else"
    for inside in (workspace, workspace / "deep" / "er"):
        with pytest.raises(UsageError, match="inside the workspace"):
            TabFolder.of(workspace, str(inside))
    monkeypatch.setenv("RUNNINGTAB_STATE", str(workspace / "tabs"))
    with pytest.raises(UsageError, match="inside the workspace"):
        TabFolder.of(workspace)


@pytest.mark.parametrize("name", ["", "../up", ".hidden", "a/b", "x" * 101, "new\nline"])
def test_a_name_that_is_no_name_of_a_task_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="it is no name of a task"):
        TabFolder(Path("/ws"), tmp_path).path(name)


def test_the_task_that_was_begun_last_is_the_current_one(tmp_path: Path) -> None:
    folder = TabFolder(Path("/ws"), tmp_path / "tabs")
    assert folder.current is None
    folder.make_current("one")
    folder.make_current("two")
    assert folder.current == "two"
    folder.journal("two").held().__enter__()
    folder.forget("two")
    assert folder.current is None


def test_a_tab_is_old_some_days_after_the_last_word_in_it(tmp_path: Path) -> None:
    folder = TabFolder(Path("/ws"), tmp_path)
    for name in ("old", "new"):
        LiveTab(folder.journal(name), "/ws").state_task("x")
    written = folder.path("old").stat().st_mtime
    assert folder.older_than(1, now=written + 3600) == ()
    os.utime(folder.path("new"), (written + 86_400, written + 86_400))
    assert folder.older_than(1, now=written + 90_000) == ("old",)


def test_a_step_whose_text_is_gone_is_a_problem_and_the_rest_is_read(tmp_path: Path) -> None:
    worked(opened(tmp_path))
    path = tmp_path / "guide.jsonl"
    lines = [line for line in path.read_text().splitlines(keepends=True) if "rates: 240" not in line or "step" in line]
    path.write_text("".join(lines))
    run = run_of_journal(tmp_path)
    assert kinds(run) == ["no text"]
    assert len(run.turns) == 5
    assert json.loads(lines[0])["about"]["task"] == "guide"
    assert run.header.format == live_tab.NAME


def test_a_watched_folder_of_journals_shows_a_tab_while_its_agent_works(tmp_path: Path) -> None:
    folder = TabFolder(Path("/ws"), tmp_path / "tabs")
    tab = LiveTab(folder.journal("guide"), "/ws", agent="a", harness="claude-code")
    tab.state_task("Write the hotel rates guide for the travel policy")
    said: list[str] = []
    db = tmp_path / "runs.duckdb"
    watcher = rerun.watcher([str(folder.place)], db, said.append)
    watcher.step()
    ran(tab, "ls policy", "rates.txt\nhotel_travel_notes.md\n")
    watcher.step()
    [run] = rerun.runs(db)
    assert (run.turns, run.candidates, run.reads) == (1, 2, 0)
    worked(tab)
    watcher.step()
    [run] = rerun.runs(db)
    assert (run.turns, run.candidates, run.reads, run.resolved, run.requirements) == (7, 1, 1, 1, 2)
    assert (run.recorded_tab, run.differences, run.problems) == (True, 0, 0)
    assert run.task_name == "guide"
    shown, turn = rerun.tab_at(db, run.run_id)
    assert turn == 7
    assert shown.read_log == tab.tab().read_log
    assert any("followed (live-tab)" in line for line in said)
    assert watcher.rereads == 0
    watcher.close()


def test_forgetting_a_task_deletes_its_journal_and_its_runs_in_the_store(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace, db = tmp_path / "ws", str(tmp_path / "runs.duckdb")
    workspace.mkdir()
    folder = TabFolder.of(workspace)
    for task in ("guide", "other"):
        worked(LiveTab(folder.journal(task), str(workspace)))
    rerun.load([str(folder.place)], db)
    assert len(rerun.runs(db)) == 2
    about = ["--workspace", str(workspace), "--db", db]
    assert main(["forget", "guide", *about]) == 0
    assert "Forgotten in" in (said := capsys.readouterr().out)
    assert "guide; taken from the store: 1 run." in said
    assert folder.tasks() == ("other",)
    assert [run.task_name for run in rerun.runs(db)] == ["other"]
    assert b"Hotel rates: 240 EUR" not in b"".join(path.read_bytes() for path in folder.place.glob("guide*"))
    assert main(["forget", "guide", *about]) == 1
    assert main(["forget", *about]) == 2
    assert "it names no task" in capsys.readouterr().err
    assert main(["forget", "--keep-days", "1", *about]) == 0
    assert folder.tasks() == ("other",)
    assert main(["forget", "--keep-days", "0", *about]) == 0
    assert (folder.tasks(), rerun.runs(db)) == ((), ())


def test_a_tab_that_is_forgotten_while_it_is_watched_does_not_come_back(tmp_path: Path) -> None:
    workspace, db = tmp_path / "ws", str(tmp_path / "runs.duckdb")
    workspace.mkdir()
    folder = TabFolder.of(workspace)
    worked(LiveTab(folder.journal("guide"), str(workspace)))
    said: list[str] = []
    watcher = rerun.watcher([str(folder.place)], db, said.append)
    watcher.step()
    assert len(rerun.runs(db)) == 1
    assert main(["forget", "guide", "--workspace", str(workspace), "--db", db]) == 0
    watcher.step()
    watcher.close()
    assert rerun.runs(db) == ()
    assert any("it is gone" in line for line in said)


def test_a_loop_of_ones_own_keeps_a_tab_in_three_lines(tmp_path: Path) -> None:
    workspace = tmp_path / "ws"
    workspace.mkdir()
    tab = open_tab(workspace, task="guide", about="Write the hotel rates guide")
    shown = tab.after("bash", {"command": "ls"}, "hotel_rates.txt\n")
    assert shown.startswith("hotel_rates.txt\n\n[tab] 0 open | candidates: 1 unopened, 1 above threshold")
    assert tab.reply("bash", {"command": "ls"}) is None
    assert tab.reply("tab_add", {"items": ["hotel rates"]}) == "added r1: hotel rates"
    assert (tab.before_end() or "").startswith("[tab] Finish check 1 of at most 1: you stopped.\n1 of 1 ")
    again = open_tab(workspace, task="guide", about="Something else")
    assert again.before_end() is None
    assert again.live.tab().task == "Write the hotel rates guide"
    assert [tool["function"]["name"] for tool in tab.tools] == ["tab_add", "tab_resolve", "tab_list", "tab_show"]
    assert "tab_add" in tab.system
    with pytest.raises(UsageError, match="there is no such folder"):
        open_tab(tmp_path / "none", task="guide")


SAMPLES = sorted((Path(__file__).parents[1] / "sample_runs" / "runs").glob("*/session.jsonl"))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.parent.name)
def test_a_recorded_run_that_is_lived_through_again_has_the_tab_that_is_derived_of_it(
    tmp_path: Path, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tabcore.journal.os.fsync", lambda _: None)
    run = run_of(sample.read_bytes())
    header = run.header
    root = header.root or header.cwd or "/"
    tab = LiveTab(Journal(tmp_path / "again.jsonl"), root, agent="a", fresh_cwd=header.fresh_cwd)
    for turn in run.turns:
        calls = {call.call_id: call for call in turn.calls}
        for message in turn.before:
            if message.origin == "person":
                tab.state_task(message.text)
        for shown in turn.observations:
            call, operation = calls[shown.call_id], operation_of(calls[shown.call_id])
            plain = Observation(shown.call_id, excerpt_text(shown), shown.is_error)
            here = header.cwd if header.fresh_cwd else None
            if operation is not None:
                tab.operate(operation, call, response=str(turn.number))
            else:
                tab.observe(call, plain, cwd=here, response=str(turn.number))
        if turn.is_stop:
            tab.stop(check=any(message.origin == "tab" for turn in run.turns for message in turn.before))
    expected, again = derived_tab(run), derived_tab(run_of((tmp_path / "again.jsonl").read_bytes()))
    for other in (tab.tab(), LiveTab(Journal(tmp_path / "again.jsonl"), "/elsewhere").tab(), again):
        assert list(other.requirements.values()) == list(expected.requirements.values())
        assert other.read_log == expected.read_log
        assert other.candidates == expected.candidates
        assert other.authored == expected.authored
        assert other.finish_checked == expected.finish_checked
    assert len(expected.read_log) > 0


def derived_tab(run: Run) -> Tab:
    """The tab at the end of a run, from its calls alone; the run's own words of it must not differ."""
    tab = Tab({})
    for facts in derive(run.header, run.turns, run.after):
        assert facts.differences == ()
        for event in facts.events:
            tab.apply(event)
    return tab
