"""OfficeQA: tables of questions, answers and final answers beside logs that bear a uid."""

import json
from pathlib import Path

import pytest
from small_logs import pi_agent, pi_log, pi_user

from tabcore import rerun
from tabcore.bundles import Bundle, officeqa, shared_bundle, shared_logs
from tabcore.source import Folder
from tabcore.store.store import Store
from tabcore.trajectory import Rubric, RunHeader, Task, Verdict

LOG = pi_log(pi_user("What was the total?"), pi_agent("<FINAL_ANSWER>2,602</FINAL_ANSWER>"))
QUESTIONS = (
    "uid,question,answer,source_docs,difficulty\n"
    'UID0001,"What was the total, in millions?","2,602",doc,hard\n'
    "UID0002,And then?,507,doc,easy\n"
)


def lay(folder: Path, tables: dict[str, str], log: str = "uid0001.jsonl") -> Bundle:
    (folder / log).parent.mkdir(exist_ok=True)
    (folder / log).write_text(LOG)
    for name, text in tables.items():
        (folder / name).write_text(text)
    bundle = shared_bundle(Folder.of_path(folder), log)
    assert bundle is not None
    return bundle


def kinds(bundle: Bundle) -> list[str]:
    return [problem.kind for problem in bundle.problems]


def test_the_expected_answer_is_the_rubric_and_the_question_the_task(tmp_path: Path) -> None:
    bundle = lay(tmp_path, {"officeqa_pro.csv": QUESTIONS})
    assert bundle.rubrics == (Rubric("UID0001", "The final answer is 2,602"),)
    assert bundle.stated.over(RunHeader("x")) == RunHeader(
        "x",
        task=Task("What was the total, in millions?", "table of questions"),
        suite="OfficeQA",
        task_name="UID0001",
    )
    assert (bundle.verdicts, bundle.deliverables, bundle.problems) == ((), (), ())


def test_a_table_of_final_answers_gives_the_deliverable_and_no_verdict(tmp_path: Path) -> None:
    bundle = lay(tmp_path, {"officeqa.csv": QUESTIONS, "answers.csv": "uid,final_answer\nUID0001,2602 million\n"})
    assert [(file.path, file.text) for file in bundle.deliverables] == [("final answer (answers.csv)", "2602 million")]
    assert bundle.verdicts == ()


def test_a_stated_score_is_the_verdict(tmp_path: Path) -> None:
    rows = [
        {"task_id": "officeqa-uid0001", "uid": "UID0001", "score": 1.0, "predicted": "2602", "expected": "2,602"},
        {"task_id": "officeqa-uid0002", "uid": "UID0002", "score": 0.0, "predicted": "", "expected": "507"},
    ]
    trial = tmp_path / "trial_3"
    trial.mkdir()
    scores = "".join(json.dumps(row) + "\n" for row in rows)
    for number, passed, evidence in (
        (1, True, "score 1: answered 2602, expected 2,602"),
        (2, False, "score 0: answered nothing, expected 507"),
    ):
        bundle = lay(trial, {"scores.jsonl": scores}, f"traces/officeqa-uid000{number}.jsonl")
        assert bundle.verdicts == (Verdict(f"UID000{number}", passed, evidence),)
        assert bundle.stated.attempt == 3


def test_a_question_that_no_table_has_is_a_problem(tmp_path: Path) -> None:
    bundle = lay(tmp_path, {"officeqa.csv": QUESTIONS}, "UID0009.jsonl")
    assert (bundle.rubrics, kinds(bundle)) == ((), ["no rubrics"])


def test_torn_tables_are_problems_and_what_stands_before_is_kept(tmp_path: Path) -> None:
    torn = QUESTIONS + 'UID0003,"no end'
    bundle = lay(tmp_path, {"officeqa.csv": torn, "scores.jsonl": '{"uid": "UID0001", "score": 1}\n{"uid": [\n'})
    assert [(problem.kind, problem.line) for problem in bundle.problems] == [("no table", 4), ("no JSON", 2)]
    assert bundle.verdicts == (Verdict("UID0001", True, "score 1: answered nothing, expected 2,602"),)


@pytest.mark.parametrize("name", ["UID0001/session.jsonl", "uid0001.jsonl", "run-uid1.json"])
def test_a_log_bears_its_uid_in_its_name_or_in_that_of_its_folder(tmp_path: Path, name: str) -> None:
    assert lay(tmp_path, {"officeqa.csv": QUESTIONS}, name).rubrics[0].rubric_id == "UID0001"
    assert shared_logs(Folder.of_path(tmp_path)) == {name: ("officeqa.csv",)}


def test_a_folder_without_its_tables_is_laid_out_otherwise(tmp_path: Path) -> None:
    (tmp_path / "uid0001.jsonl").write_text(LOG)
    (tmp_path / "notes.csv").write_text("uid,answer\nUID0001,1\n")
    folder = Folder.of_path(tmp_path)
    assert (officeqa.logs(folder), officeqa.read(folder, "uid0001.jsonl")) == ({}, None)


def test_a_folder_loads_with_its_rubrics_and_the_tables_are_no_logs(tmp_path: Path) -> None:
    lay(tmp_path, {"officeqa.csv": QUESTIONS, "answers.csv": "uid,prediction,score\nUID0001,2602,1\n"})
    store = Store(tmp_path / "store" / "runs.duckdb")
    [loaded] = rerun.load([str(tmp_path)], store.path)
    assert (loaded.state, loaded.problems) == ("loaded", ())
    with store.reading() as connection:
        rows = connection.execute("SELECT text, passed FROM rubrics JOIN verdicts USING (run, rubric_id)").fetchall()
    assert rows == [("The final answer is 2,602", True)]
