"""What pages and commands call."""

from pathlib import Path

import pytest
from made_logs import POLICY, pi_log, write_log

from tabcore import rerun
from tabcore.errors import UsageError
from tabcore.ingest import load
from tabcore.store.store import Store


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "runs.duckdb"
    logs = [write_log(tmp_path, f"{number}.jsonl", pi_log(session=f"s{number}")) for number in range(2)]
    load(map(str, logs), Store(path))
    return path


def ids(db: Path) -> list[str]:
    return [run.run_id for run in rerun.runs(db)]


def test_a_run_is_found_by_the_beginning_of_its_id(db: Path) -> None:
    first, second = ids(db)
    assert rerun.replay(db, first[:6]).run.run_id == first
    assert rerun.replay(db, second).run.run_id == second


def test_a_beginning_that_names_no_run_or_several_is_refused_with_the_near_ones(db: Path) -> None:
    first, _ = ids(db)
    with pytest.raises(UsageError, match=f"Near: {first}"):
        rerun.replay(db, first[:-1] + "z")
    with pytest.raises(UsageError, match="no such run"):
        rerun.replay(db, "")
    with pytest.raises(UsageError, match="store is empty"):
        rerun.replay(db.with_name("none"), "abc")


def test_a_replay_has_a_row_for_every_turn_and_call(db: Path) -> None:
    replay = rerun.replay(db, ids(db)[0])
    assert [turn.number for turn in replay.turns] == [1, 2, 3, 4]
    assert [turn.is_stop for turn in replay.turns] == [False, False, False, True]
    call = replay.turns[1].calls[0]
    assert (call.command, call.shown, call.answered, call.index) == ("cat travel/policy.txt", len(POLICY), True, 0)
    assert replay.turns[1].received == len(POLICY)
    assert replay.turns[0].status_line.startswith("[tab] 0 open")


def test_a_turn_is_given_whole(db: Path) -> None:
    body = rerun.turn_body(db, ids(db)[0], 2)
    assert (body.text, body.calls[0].arguments) == ("Turn 2.", '{"command":"cat travel/policy.txt"}')
    assert (body.observations[0].text, body.observations[0].call) == (POLICY, 0)
    first = rerun.turn_body(db, ids(db)[0], 1)
    assert first.before[-1].text == "Write the travel policy guide"
    with pytest.raises(UsageError, match="turns 1 to 4"):
        rerun.turn_body(db, ids(db)[0], 5)


def test_what_was_read_and_listed_is_there_with_excerpt_order_and_reason(db: Path) -> None:
    run = ids(db)[0]
    replay = rerun.replay(db, run)
    assert [d.kind for d in replay.turns[0].calls[0].decisions] == ["listed", "listed"]
    assert [d.kind for d in replay.turns[1].calls[0].decisions] == ["read"]
    assert all(d.rule for turn in replay.turns for call in turn.calls for d in call.decisions)
    assert rerun.excerpt(db, run, "L1") == POLICY
    assert [path for path, _ in rerun.candidate_order(db, run, 1)] == ["travel/policy.txt", "travel/notes.txt"]
    assert [path for path, _ in rerun.candidate_order(db, run, 2)] == ["travel/notes.txt"]
    with pytest.raises(UsageError, match="Known: L1 to L1"):
        rerun.excerpt(db, run, "L2")


def test_the_tab_as_text_is_that_of_the_turn(db: Path) -> None:
    run = ids(db)[0]
    assert rerun.tab_text(db, run, 2).startswith("turn 2\n[tab] 0 open | candidates: 1 unopened")
    assert rerun.tab_text(db, run).startswith("turn 4\n")
    assert rerun.tab_row(db, run, 2).status_line in rerun.tab_text(db, run, 2)
    for turn in (-1, 5):
        with pytest.raises(UsageError, match=f"no turn {turn}"):
            rerun.tab_text(db, run, turn)


def test_a_correction_derives_the_tab_again_and_survives_a_reload(db: Path, tmp_path: Path) -> None:
    run = ids(db)[0]
    before = rerun.replay(db, run)
    corrected = rerun.correct(db, run, root="/w/travel", task="List the notes")
    assert (corrected.root, corrected.root_source) == ("/w/travel", "corrected")
    assert (corrected.task, corrected.task_source) == ("List the notes", "corrected")
    assert [path for path, _ in rerun.candidate_order(db, run, 1)] == ["notes.txt", "policy.txt"]
    assert rerun.replay(db, run).turns[1].calls[0].command == before.turns[1].calls[0].command
    write_log(tmp_path, "0.jsonl", pi_log(6, session="s0"))
    load([str(tmp_path / "0.jsonl")], Store(db))
    [row] = [row for row in rerun.runs(db) if row.turns == 6]
    assert (row.root, row.task, row.task_source) == ("/w/travel", "List the notes", "corrected")
    rerun.correct(db, row.run_id, root=None, task=None)
    [row] = [row for row in rerun.runs(db) if row.turns == 6]
    assert (row.root, row.root_source, row.task_source) == ("/w", "first working directory", "first message")


def test_taking_a_correction_back_gives_the_derived_tab_again(db: Path) -> None:
    run = ids(db)[0]
    before = rerun.replay(db, run)
    rerun.correct(db, run, root="/elsewhere", task="Other")
    rerun.correct(db, run, root=None, task=None)
    assert rerun.replay(db, run) == before


def test_a_deleted_run_is_gone_and_the_other_stays_whole(db: Path, tmp_path: Path) -> None:
    first, second = ids(db)
    other = rerun.replay(db, second)
    rerun.delete(db, first)
    assert ids(db) == [second]
    assert rerun.replay(db, second) == other
    assert rerun.excerpt(db, second, "L1") == POLICY
    rerun.delete(db, second)
    with Store(db).reading() as connection:
        assert connection.execute("SELECT count(*) FROM texts").fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM files").fetchone() == (0,)
    load([str(tmp_path / "0.jsonl")], Store(db))
    assert ids(db) == [first]
