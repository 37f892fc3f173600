"""The log of a live tab: what it holds is never lost, whoever writes beside whom and wherever a write ends."""

import errno
import multiprocessing
import os
import stat
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabcore.errors import JournalError
from tabcore.journal import Journal, Shown, Step, decoded, encoded, line_of, step_of
from tabcore.tab.events import Event, FileListed, FinishChecked, Match, RequirementAdded, text_digest

TEXT = st.text(st.characters(), max_size=30)
MATCH = st.builds(Match, TEXT, st.lists(TEXT).map(tuple), st.lists(TEXT).map(tuple))
OF_FIELD = {
    "matches": st.lists(MATCH, max_size=3).map(tuple),
    "open_requirements": st.lists(TEXT, max_size=3).map(tuple),
    "status": st.sampled_from(["done", "unavailable"]),
    "body": st.sampled_from(["none recorded", "some open", "all resolved"]),
}
OF_TYPE = {"int": st.integers(-1, 10**9), "bool": st.booleans()}


def facts_of(kind: type[Event]) -> st.SearchStrategy[Event]:
    values = {one.name: OF_FIELD.get(one.name, OF_TYPE.get(str(one.type), TEXT)) for one in fields(kind)}
    return st.builds(kind, **values)


def added(turn: int, text: str = "hotel rates") -> Step:
    return Step("operation", turn, 0, agent="a", events=(RequirementAdded(turn, 0, f"r{turn}", text),))


def write(journal: Journal, *steps: Step) -> None:
    with journal.held():
        journal.arrived()
        for step in steps:
            journal.append(step)


def turns(path: Path) -> list[int]:
    journal = Journal(path)
    with journal.held():
        return [step.turn for step in journal.arrived()]


@pytest.mark.parametrize("kind", get_args(Event), ids=lambda kind: kind.__name__)
def test_a_fact_of_every_kind_comes_back_as_it_was(kind: type[Event]) -> None:
    @settings(max_examples=25, deadline=None)
    @given(facts_of(kind))
    def law(fact: Event) -> None:
        assert decoded(encoded(fact)) == fact
        [line] = line_of(Step("call", 3, 0, events=(fact,))).splitlines()
        assert step_of(line) == Step("call", 3, 0, events=(fact,))

    law()


def test_steps_come_back_in_order_and_each_is_given_once(tmp_path: Path) -> None:
    writer, reader = Journal(tmp_path / "t.jsonl"), Journal(tmp_path / "t.jsonl")
    write(writer, added(1), added(2))
    with reader.held():
        assert [step.turn for step in reader.arrived()] == [1, 2]
        assert reader.arrived() == ()
    write(writer, added(3))
    with reader.held():
        assert [step.events for step in reader.arrived()] == [added(3).events]


def test_a_text_stands_beside_its_step_and_is_read_when_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    text = "Hotel: 240 €\n酒店 \ud800"
    with (journal := Journal(path)).held():
        journal.append(Step("call", 1, 0), Shown("c1", "bash", {"command": "cat a"}, text))
    with (again := Journal(path)).held():
        [step] = again.arrived()
    assert step.shown == text_digest(text)
    assert again.text(step.shown) == text == journal.text(step.shown)


def test_folder_and_file_are_for_the_owner_alone(tmp_path: Path) -> None:
    write(Journal(tmp_path / "new" / "t.jsonl"), added(1))
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "new" / "t.jsonl").stat().st_mode) == 0o600
    assert (tmp_path / "new" / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("torn", [b'{"step":"operation","turn":3', b'{"text":"', b"\xff"])
def test_a_half_written_last_line_is_cut_off_and_the_log_goes_on(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "t.jsonl"
    write(Journal(path), added(1), added(2))
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    write(Journal(path), added(3))
    assert path.read_bytes().startswith(whole)
    assert turns(path) == [1, 2, 3]


def test_a_log_cut_anywhere_keeps_every_step_before_the_cut(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    ends: list[int] = []
    with (journal := Journal(path)).held():
        for turn in (1, 2, 3):
            journal.append(added(turn), Shown("c", "bash", {"command": "cat a"}, f"line {turn}\n"))
            ends.append(path.stat().st_size)
    whole = path.read_bytes()
    for cut in [*range(0, len(whole), 17), *ends, *(end - 1 for end in ends)]:
        path.write_bytes(whole[:cut])
        assert turns(path) == [turn for turn, end in zip((1, 2, 3), ends, strict=True) if end <= cut]


def test_a_line_that_is_no_step_is_counted_and_costs_that_line_alone(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    write(Journal(path), added(1))
    path.write_bytes(path.read_bytes() + b'garbage\n{"step":"call"}\n{"text":"x","bytes":"99"}\n')
    write(Journal(path), added(2))
    with (journal := Journal(path)).held():
        assert [step.turn for step in journal.arrived()] == [1, 2]
    assert journal.damaged == 2


def test_a_clock_that_goes_back_does_not_take_the_times_of_steps_back(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    for moment in (100.0, 50.0, 120.0):
        write(Journal(path, clock=lambda moment=moment: moment), added(1))
    with (journal := Journal(path)).held():
        assert [step.time for step in journal.arrived()] == [100.0, 100.0, 120.0]


def _append_many(path: Path, agent: int) -> None:
    for turn in range(25):
        write(Journal(path), Step("call", turn, 0, agent=str(agent), events=(FileListed(turn, 0, f"{agent}/{turn}"),)))


def test_agents_that_write_at_once_lose_nothing_and_mix_no_line(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_append_many, args=(path, agent)) for agent in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    with (journal := Journal(path)).held():
        steps = journal.arrived()
    assert journal.damaged == 0
    for agent in "0123":
        assert [step.turn for step in steps if step.agent == agent] == list(range(25))


_KILLED = """
import os, sys
from pathlib import Path
from tabcore.journal import Journal, Step
journal = Journal(Path(sys.argv[1]))
for turn in range(1, 6):
    with journal.held():
        journal.arrived()
        journal.append(Step("call", turn, 0))
    print(turn, flush=True)
with journal.held():
    journal.arrived()
    os.write(journal._file, b'{"step":"call","turn":6')
    os.kill(os.getpid(), 9)
"""


def test_a_process_that_is_killed_in_the_middle_of_a_write_loses_nothing_it_has_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    ended = subprocess.run([sys.executable, "-c", _KILLED, str(path)], capture_output=True, text=True, timeout=60)
    acknowledged = [int(line) for line in ended.stdout.split()]
    assert ended.returncode == -9
    assert acknowledged == [1, 2, 3, 4, 5]
    assert turns(path) == acknowledged


_FULL = """
import resource, signal, sys
from pathlib import Path
from tabcore.journal import Journal, Shown, Step
from tabcore.errors import JournalError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
journal = Journal(Path(sys.argv[1]))
with journal.held():
    journal.append(Step("call", 1, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, resource.RLIM_INFINITY))
    try:
        journal.append(Step("call", 2, 0), Shown("c", "bash", {}, "x" * 9000))
    except JournalError as fault:
        print(fault)
    journal.append(Step("call", 3, 0))
"""


def test_a_full_disk_is_said_clearly_and_breaks_no_log(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    ended = subprocess.run([sys.executable, "-c", _FULL, str(path)], capture_output=True, text=True, timeout=60)
    assert "t.jsonl: the disk is full" in ended.stdout, ended.stderr
    assert ended.stdout.strip().endswith("Make room, then go on")
    assert turns(path) == [1, 3]


def test_what_is_not_yet_on_the_disk_is_not_acknowledged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.jsonl"
    write(Journal(path), added(1))

    def refused(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("tabcore.journal.os.fsync", refused)
    with pytest.raises(JournalError, match="the disk is full"):
        write(Journal(path), added(2))
    monkeypatch.undo()
    assert turns(path) == [1]


def test_a_journal_that_hangs_in_another_process_is_an_error_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.jsonl"
    monkeypatch.setattr("tabcore.journal.PATIENCE", 0.05)
    with Journal(path).held(), pytest.raises(JournalError, match="another process has held it"), Journal(path).held():
        pass


def test_a_journal_that_was_deleted_and_made_anew_is_read_from_its_first_step(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    journal = Journal(path)
    write(journal, added(1), added(2))
    path.rename(tmp_path / "old.jsonl")
    write(Journal(path), added(7))
    with journal.held():
        assert journal.made_anew
        assert [step.turn for step in journal.arrived()] == [7]


def test_a_finish_check_is_told_with_what_was_open() -> None:
    fact = FinishChecked(9, "some open", ("r1", "r3"), 4)
    assert encoded(fact)["open_requirements"] == ["r1", "r3"]
