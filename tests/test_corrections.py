"""What a person says of a call's files: kept with who and when, apart from what capture says, through every reload."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from made_logs import pi_log, write_log

from tabcore import rerun
from tabcore.cli import main
from tabcore.errors import UsageError
from tabcore.rows import CorrectionRow, Replay
from tabcore.tab.corrections import CorrectedKind, DecisionCorrection

DAY = 1796083200.0  # 2026-12-01
NOTES = "travel/notes.txt"
POLICY = "travel/policy.txt"


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "runs.duckdb"
    rerun.load([str(write_log(tmp_path))], path)
    return path


def run_of(db: Path) -> str:
    return rerun.runs(db)[0].run_id


def say(
    db: Path,
    kind: CorrectedKind,
    path: str = NOTES,
    *,
    turn: int = 1,
    call: int = 0,
    who: str = "Ann",
    when: float = DAY,
) -> None:
    rerun.correct_decision(db, run_of(db), DecisionCorrection(turn, call, path, kind, who, when))


def read(db: Path) -> list[str]:
    return [entry.path for entry in rerun.replay(db, run_of(db)).timeline.entries]


def decided(replay: Replay, turn: int) -> list[tuple[str, str]]:
    return [(one.kind, one.path) for one in replay.turns[turn - 1].calls[0].decisions]


def the_one(db: Path) -> CorrectionRow:
    [row] = rerun.decision_corrections(db, run_of(db))
    return row


def test_a_correction_changes_the_tab_and_says_who_when_and_what_capture_said(db: Path) -> None:
    say(db, "read")
    replay = rerun.replay(db, run_of(db))
    assert read(db) == [NOTES, POLICY]
    assert rerun.runs(db)[0].candidates == 0
    [decision] = [one for one in replay.turns[0].calls[0].decisions if one.path == NOTES]
    assert decision.rule.startswith("corrected by Ann on 2026-12-01; capture said listed (ls")
    assert replay.corrections == (the_one(db),)
    assert the_one(db).words.startswith(
        f"turn 1, call 1, {NOTES}: corrected by Ann on 2026-12-01: read; capture said listed"
    )
    assert (the_one(db).command, rerun.runs(db)[0].corrected) == ("ls travel", 1)


def test_a_file_that_the_call_left_alone_is_shown_as_such_and_is_no_candidate(db: Path) -> None:
    say(db, "neither")
    replay = rerun.replay(db, run_of(db))
    assert decided(replay, 1) == [("listed", POLICY), ("neither", NOTES)]
    assert rerun.candidate_order(db, run_of(db), 4) == ()


def test_every_kind_can_be_said_of_a_file_that_capture_did_not_see(db: Path) -> None:
    kinds: tuple[CorrectedKind, ...] = ("read", "listed", "authored")
    for kind, path in zip(kinds, ("a", "b", "/elsewhere/c"), strict=True):
        say(db, kind, path, turn=3)
    assert decided(rerun.replay(db, run_of(db)), 3) == [("read", "a"), ("listed", "b"), ("authored", "/elsewhere/c")]
    assert [row.said for row in rerun.decision_corrections(db, run_of(db))] == ["nothing"] * 3


def test_the_later_word_counts_and_both_are_kept(db: Path) -> None:
    say(db, "read")
    say(db, "neither", who="Bo", when=DAY + 86400)
    assert read(db) == [POLICY]
    rows = rerun.decision_corrections(db, run_of(db))
    assert [(row.who, row.state) for row in rows] == [("Ann", "replaced"), ("Bo", "counts")]


def test_as_captured_gives_the_derived_tab_again_and_keeps_what_was_said(db: Path) -> None:
    before = rerun.replay(db, run_of(db))
    say(db, "read")
    say(db, "as captured", when=DAY + 1)
    after = rerun.replay(db, run_of(db))
    assert replace(after, corrections=()) == before
    assert [(row.kind, row.state) for row in after.corrections] == [("read", "replaced"), ("as captured", "counts")]


def test_corrections_survive_another_root_and_name_the_file_from_there(db: Path) -> None:
    say(db, "read")
    rerun.correct(db, run_of(db), root="/w/travel")
    assert read(db) == ["notes.txt", "policy.txt"]
    assert (the_one(db).path, the_one(db).state) == ("notes.txt", "counts")
    rerun.correct(db, run_of(db), task="Something else")
    assert (rerun.runs(db)[0].root, rerun.runs(db)[0].task, read(db)[0]) == ("/w/travel", "Something else", "notes.txt")
    rerun.correct(db, run_of(db), root=None)
    assert (rerun.runs(db)[0].task, read(db)) == ("Something else", [NOTES, POLICY])


def test_corrections_survive_loading_a_log_again_that_has_grown(db: Path, tmp_path: Path) -> None:
    say(db, "read")
    old = run_of(db)
    log = write_log(tmp_path, text=pi_log(6))
    rerun.load([str(log)], db)
    assert run_of(db) != old
    assert (read(db), the_one(db).state) == ([NOTES, POLICY], "counts")


def test_a_correction_follows_the_content_of_a_log_to_another_path(db: Path, tmp_path: Path) -> None:
    say(db, "read")
    write_log(tmp_path, text=pi_log(session="other", task="Other").replace("ls travel", "ls -1 travel"))
    rerun.load([str(tmp_path / "run.jsonl")], db)
    assert (read(db), the_one(db).state) == ([POLICY], "does not fit")
    rerun.load([str(write_log(tmp_path, "moved.jsonl"))], db)
    [moved] = [row for row in rerun.runs(db) if row.path.endswith("moved.jsonl")]
    assert (moved.reads, moved.corrected) == (2, 1)
    assert [row.state for row in rerun.decision_corrections(db, moved.run_id)] == ["counts"]


def test_deleting_a_corrected_run_asks_first(db: Path, tmp_path: Path) -> None:
    say(db, "read")
    with pytest.raises(UsageError, match="1 correction of its decisions, by Ann"):
        rerun.delete(db, run_of(db))
    assert read(db) == [NOTES, POLICY]
    rerun.delete(db, run_of(db), with_corrections=True)
    rerun.load([str(tmp_path / "run.jsonl")], db)
    assert (read(db), rerun.decision_corrections(db, run_of(db))) == ([POLICY], ())


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (DecisionCorrection(9, 0, NOTES, "read", "Ann", DAY), "no turn 9"),
        (DecisionCorrection(1, 1, NOTES, "read", "Ann", DAY), "no such call"),
        (DecisionCorrection(4, 0, NOTES, "read", "Ann", DAY), "has no calls"),
        (DecisionCorrection(1, 0, NOTES, "read", "  ", DAY), "State a name"),
        (DecisionCorrection(1, 0, " ", "read", "Ann", DAY), "no file is named"),
        (DecisionCorrection(1, 0, NOTES, "as captured", "Ann", DAY), "nobody corrected"),
    ],
)
def test_a_correction_that_can_mean_nothing_is_refused_and_leaves_no_trace(
    db: Path, said: DecisionCorrection, why: str
) -> None:
    before = rerun.replay(db, run_of(db))
    with pytest.raises(UsageError, match=why):
        rerun.correct_decision(db, run_of(db), said)
    assert rerun.replay(db, run_of(db)) == before


def test_a_call_without_a_result_cannot_be_corrected(tmp_path: Path) -> None:
    db, text = tmp_path / "runs.duckdb", pi_log().splitlines(keepends=True)
    unanswered = "".join(line for line in text if '"toolCallId": "c1"' not in line)
    rerun.load([str(write_log(tmp_path, text=unanswered))], db)
    with pytest.raises(UsageError, match="no result"):
        say(db, "read")
    assert rerun.decision_corrections(db, run_of(db)) == ()


def test_the_command_line_corrects_takes_back_and_shows_it(db: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = ["correct", run_of(db)[:6], "--db", str(db), "--turn", "1", "--call", "1", f"./{NOTES}"]
    assert main([*place, "read", "--by", "Ann"]) == 0
    assert ": read; capture said listed (ls" in capsys.readouterr().out
    main(["show", run_of(db), "--json", "--db", str(db)])
    shown = json.loads(capsys.readouterr().out)
    [row] = shown["corrections"]
    assert (row["path"], row["kind"], row["who"], row["state"]) == (NOTES, "read", "Ann", "counts")
    assert [entry["path"] for entry in shown["read_log"]] == [NOTES, POLICY]
    assert main([*place, "as-captured", "--by", "Bo"]) == 0
    assert "taken back by Bo" in capsys.readouterr().out
    assert read(db) == [POLICY]
    assert main(["correct", run_of(db), "--db", str(db), "--turn", "7", NOTES, "read", "--by", "Ann"]) == 2
    assert "no turn 7" in capsys.readouterr().err
