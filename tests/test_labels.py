"""Labels and notes: facts with who and when that are only ever added, through reloads, imports and two people at once."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from made_rubrics import Rubrics, made_run, read_after

from tabcore import rerun
from tabcore.analyses.agreement import Item
from tabcore.analyses.failure_types import TYPES, FailureType
from tabcore.analyses.labels import Note, before, counting
from tabcore.cli import main
from tabcore.errors import UsageError
from tabcore.exports.label_rows import as_csv, as_jsonl, label_rows, read_rows
from tabcore.labelling import add_note, label, labels, notes, take_in

RUBRICS: Rubrics = {
    "a": ("States 1,234.50", False),
    "b": ("States 7,890.25", False),
    "c": ("States 356.10", True),
    "d": ("States nothing", None),
}


@pytest.fixture
def db(tmp_path: Path) -> Path:
    made_run(tmp_path / "run", tmp_path / "runs.duckdb", RUBRICS, "356.10")
    return tmp_path / "runs.duckdb"


def item(db: Path, rubric: str = "a") -> Item:
    return rerun.runs(db)[0].run_id, rubric


def counted(db: Path) -> dict[str, dict[str, FailureType | None]]:
    return {who: {i[1]: one.type for i, one in said.items()} for who, said in counting(labels(db)).items()}


def test_the_last_label_counts_and_every_one_is_kept(db: Path) -> None:
    label(db, item(db), "Discovery", "Ann")
    label(db, item(db), "Reasoning", "Ann", "on second thought")
    label(db, item(db), "Other", "Bo")
    assert counted(db) == {"Ann": {"a": "Reasoning"}, "Bo": {"a": "Other"}}
    assert [(one.type, one.annotator, one.note) for one in labels(db)] == [
        ("Discovery", "Ann", ""),
        ("Reasoning", "Ann", "on second thought"),
        ("Other", "Bo", ""),
    ]


def test_a_label_that_is_taken_back_counts_no_more_and_is_kept(db: Path) -> None:
    label(db, item(db), "Discovery", "Ann")
    label(db, item(db), None, "Ann")
    assert counted(db) == {"Ann": {}}
    assert len(labels(db)) == 2


def test_what_counted_before_the_last_label_is_known(db: Path) -> None:
    label(db, item(db), "Discovery", "Ann")
    assert before(labels(db), "Ann", item(db)) is None
    label(db, item(db), "Other", "Ann")
    found = before(labels(db), "Ann", item(db))
    assert found is not None
    assert found.type == "Discovery"


@pytest.mark.parametrize(
    ("rubric", "who", "why"),
    [
        ("c", "Ann", "passed"),
        ("d", "Ann", "not evaluated"),
        ("z", "Ann", "has no rubric"),
        ("a", "  ", "nobody is named"),
    ],
)
def test_only_failed_rubrics_are_labelled_and_by_somebody(db: Path, rubric: str, who: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        label(db, item(db, rubric), "Other", who)
    assert labels(db) == ()


def test_labels_survive_loading_a_log_again_that_has_grown(db: Path, tmp_path: Path) -> None:
    label(db, item(db), "Discovery", "Ann")
    old = item(db)
    made_run(tmp_path / "run", db, RUBRICS, "356.10", after=read_after("rates.txt", "0.2"))
    assert item(db) != old
    assert counted(db) == {"Ann": {"a": "Discovery"}}


def test_labels_follow_a_log_to_another_place_and_wait_for_one_that_was_deleted(db: Path, tmp_path: Path) -> None:
    label(db, item(db), "Discovery", "Ann")
    rerun.delete(db, item(db)[0])
    [one] = labels(db)
    assert (one.run_id, one.fits, counted(db)) == ("", False, {})
    made_run(tmp_path / "elsewhere", db, RUBRICS, "356.10")
    assert counted(db) == {"Ann": {"a": "Discovery"}}


def test_a_label_does_not_count_for_a_rubric_that_now_asks_something_else(db: Path, tmp_path: Path) -> None:
    label(db, item(db), "Discovery", "Ann")
    made_run(tmp_path / "run", db, {**RUBRICS, "a": ("States 1,234.50 twice", False)}, "356.10")
    assert counted(db) == {}
    assert [one.text for one in labels(db)] == ["States 1,234.50"]


def test_nothing_is_lost_when_many_label_at_once(db: Path) -> None:
    def work(who: str) -> None:
        for number in range(6):
            label(db, item(db, "ab"[number % 2]), TYPES[number], who)

    people = [threading.Thread(target=work, args=(f"annotator {number}",)) for number in range(4)]
    for one in people:
        one.start()
    for one in people:
        one.join(60)
    assert len(labels(db)) == 24
    assert counted(db) == {f"annotator {number}": {"a": TYPES[4], "b": TYPES[5]} for number in range(4)}


def test_notes_are_kept_with_their_place(db: Path) -> None:
    run = item(db)[0]
    add_note(db, Note(run, "reads the wrong year", "Ann", 0, turn=2))
    add_note(db, Note(run, "unclear", "Bo", 0, rubric_id="a"))
    assert [(one.text, one.who, one.turn, one.rubric_id) for one in notes(db)] == [
        ("reads the wrong year", "Ann", 2, ""),
        ("unclear", "Bo", 0, "a"),
    ]
    with pytest.raises(UsageError):
        add_note(db, Note(run, "  ", "Ann", 0))


# files


def test_what_is_given_out_comes_back_the_same_and_only_once(db: Path) -> None:
    label(db, item(db), "Discovery", "Ann", '=cmd|"x", and a\nnew line')
    label(db, item(db, "b"), "Other", "Bo")
    label(db, item(db, "b"), None, "Bo")
    for text in (as_csv(label_rows(labels(db))), as_jsonl(label_rows(labels(db)))):
        found = take_in(db, read_rows(text))
        assert (found.added, found.known, found.refused) == (0, 3, ())
    assert "'=cmd" in as_csv(label_rows(labels(db)))
    before_all = labels(db)
    text = as_jsonl(label_rows(before_all))
    fresh = db.with_name("fresh.duckdb")
    made_run(db.parent / "run", fresh, RUBRICS, "356.10")
    assert take_in(fresh, read_rows(text)).added == 3
    assert labels(fresh) == before_all


def test_rows_that_cannot_be_taken_are_refused_one_by_one_and_the_others_are_kept(db: Path) -> None:
    run = item(db)[0]
    rows = [
        "run,rubric,type,annotator,time",
        f"{run},a,shown but missing,Ann,",
        f"{run},a,4,Bo,2026-12-01T10:00:00Z",
        f"{run},b,Typo,Ann,",
        "ffff,a,Other,Ann,",
        f"{run},zz,Other,Ann,",
        f"{run},c,Other,Ann,",
        f"{run},d,Other,Ann,",
        f"{run},a,Other,,",
        f"{run},a,Other,Ann,yesterday",
        ",a,Other,Ann,",
    ]
    found = take_in(db, read_rows("\n".join(rows)))
    assert found.added == 2
    assert counted(db) == {"Bo": {"a": "Reasoning"}, "Ann": {"a": "Shown but Missing"}}
    assert [(one.row, one.why.split(";")[0]) for one in found.refused] == [
        (3, "“Typo” is no type"),
        (4, "there is no such run"),
        (5, "the run has no rubric “zz”"),
        (6, "rubric c: passed"),
        (7, "rubric d: not evaluated"),
        (8, "nobody is named who labelled"),
        (9, "“yesterday” is no time"),
        (10, "it states no run"),
    ]


@pytest.mark.parametrize("text", ["", "{", "{}\n[1]\nnull", "run\n\x00", "a,b\n1,2", '{"run": {"a": 1}, "rubric": []}'])
def test_what_is_no_table_of_labels_adds_nothing(db: Path, text: str) -> None:
    assert take_in(db, read_rows(text), "Ann").added == 0
    assert labels(db) == ()


def test_a_run_is_named_by_its_folder_or_the_beginning_of_its_id_too(db: Path) -> None:
    text = f"run,rubric,type\nrun,a,1\n{item(db)[0][:6]},b,2\nrun/session.jsonl,a,3"
    assert take_in(db, read_rows(text), "Ann").added == 3
    assert counted(db) == {"Ann": {"a": "Discovery", "b": "Dropped or Distorted"}}


def test_an_import_without_times_adds_nothing_the_second_time(db: Path) -> None:
    text = f"run,rubric,type,annotator\n{item(db)[0]},a,1,Ann"
    assert take_in(db, read_rows(text)).added == 1
    assert take_in(db, read_rows(text)).known == 1


def test_the_command_line_takes_labels_in_and_gives_them_out(
    db: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("run,rubric,type\nrun,a,Discovery\nrun,c,Other\n")
    assert main(["labels", "import", str(file), "--by", "Ann", "--db", str(db)]) == 1
    told = capsys.readouterr().out
    assert "1 label added, 0 known before, 1 refused" in told
    assert "row 2 refused: rubric c: passed" in told
    out = tmp_path / "out.jsonl"
    assert main(["labels", "export", str(out), "--db", str(db)]) == 0
    [row] = map(json.loads, out.read_text().splitlines())
    assert (row["type"], row["annotator"], row["counts"]) == ("Discovery", "Ann", True)
    assert main(["labels", "import", str(tmp_path / "none.csv"), "--db", str(db)]) == 2


def test_notes_are_given_out_with_their_links(db: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = item(db)[0]
    add_note(db, Note(run, "wrong year", "Ann", 1796083200, turn=2))
    capsys.readouterr()
    main(["labels", "export", "--notes", "--db", str(db)])
    assert f"wrong year,Ann,2026-12-01T00:00:00.000000Z,/replay?run={run}&turn=2" in capsys.readouterr().out
