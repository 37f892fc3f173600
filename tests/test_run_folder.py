"""The run folder: a log, and what lies beside it."""

import hashlib
import json
from pathlib import Path

import pytest
from small_logs import cc_log, pi_agent, pi_log, pi_user

from tabcore import readers
from tabcore.bundles import LAYOUTS, Bundle, layout_of, run_folder
from tabcore.errors import UnknownFormat
from tabcore.source import Folder, Source
from tabcore.trajectory import Rubric, RunHeader, Task, Verdict

LOG = pi_log(pi_user("Write the guide"), pi_agent("Done"))


def is_log(source: Source) -> bool:
    try:
        return readers.identify(source) is not None
    except UnknownFormat:
        return False


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "session.jsonl").write_text(LOG)
    return tmp_path


def bundle(folder: Path) -> Bundle:
    return run_folder.read(Folder.of_path(folder), is_log)


def kinds(found: Bundle) -> list[str]:
    return [problem.kind for problem in found.problems]


def test_only_the_log_is_needed(folder: Path) -> None:
    found = bundle(folder)
    assert found.log is not None
    assert (found.log.name, found.stated.over(RunHeader("pi")), found.problems) == (
        "session.jsonl",
        RunHeader("pi"),
        (),
    )
    assert (found.rubrics, found.verdicts, found.deliverables, found.beside) == ((), (), (), ())


def test_run_toml_says_more_than_the_log(folder: Path) -> None:
    (folder / "run.toml").write_text(
        'task = "The task"\nroot = "/w"\nfresh_cwd = false\nmethod = "dci"\nmodel = "m2"\nattempt = 2\nattempts = 3\n'
        'suite = "s"\ntask_name = "t"\nsimulated = "By a script."\n'
    )
    log = RunHeader("pi", cwd="/ws", fresh_cwd=True, model="m", session="s1")
    assert bundle(folder).stated.over(log) == RunHeader(
        "pi",
        cwd="/ws",
        session="s1",
        task=Task("The task", "run folder"),
        root="/w",
        fresh_cwd=False,
        method="dci",
        model="m2",
        attempt=2,
        attempts=3,
        suite="s",
        task_name="t",
        simulated="By a script.",
    )


def test_run_json_has_the_same_names(folder: Path) -> None:
    (folder / "run.json").write_text(json.dumps({"method": "dci", "attempt": 1}))
    assert (bundle(folder).stated.method, bundle(folder).stated.attempt) == ("dci", 1)


@pytest.mark.parametrize(
    ("description", "text"),
    [
        ("", "From task.md"),
        ('task = "task.md"', "From task.md"),
        ('task_file = "inner/ask.txt"', "From ask.txt"),
        ('task = "Words, not a file"', "Words, not a file"),
        ('task = "two\\nlines"', "two\nlines"),
    ],
)
def test_the_task_is_a_text_or_a_file(folder: Path, description: str, text: str) -> None:
    (folder / "run.toml").write_text(description)
    (folder / "task.md").write_text("From task.md\n")
    (folder / "inner").mkdir()
    (folder / "inner" / "ask.txt").write_text("From ask.txt\n")
    assert bundle(folder).stated.task == Task(text, "run folder")


def test_the_stated_log_is_taken_and_another_is_named(folder: Path) -> None:
    (folder / "another.jsonl").write_text(cc_log())
    assert (bundle(folder).log or folder).name == "another.jsonl"
    assert kinds(bundle(folder)) == ["several logs"]
    (folder / "run.toml").write_text('log = "session.jsonl"')
    assert ((bundle(folder).log or folder).name, kinds(bundle(folder))) == ("session.jsonl", [])


def test_a_folder_without_a_log_says_so(folder: Path) -> None:
    (folder / "session.jsonl").write_text("no log")
    assert (bundle(folder).log, kinds(bundle(folder))) == (None, ["no log"])
    (folder / "run.toml").write_text('log = "elsewhere.jsonl"')
    assert (bundle(folder).log, kinds(bundle(folder))) == (None, ["no log"])


def test_a_name_that_leads_out_of_the_folder_finds_nothing(folder: Path) -> None:
    (folder / "inner").mkdir()
    (folder / "inner" / "run.toml").write_text('log = "../session.jsonl"\ntask_file = "../../../../etc/hostname"')
    found = bundle(folder / "inner")
    assert (found.log, found.stated.task, kinds(found)) == (None, None, ["missing file", "no log"])


def test_rubrics_and_verdicts_are_read(folder: Path) -> None:
    (folder / "rubrics.json").write_text(
        json.dumps([{"id": "b1", "text": "names the rates", "points": 2}, {"id": 2, "text": "names the dates"}])
    )
    (folder / "verdicts.json").write_text(
        json.dumps(
            {
                "verdicts": [
                    {"rubric": "b1", "passed": True, "evidence": "row 3"},
                    {"rubric": 2, "passed": None, "judge_failed": True},
                ]
            }
        )
    )
    found = bundle(folder)
    assert found.rubrics == (Rubric("b1", "names the rates", 2.0), Rubric("2", "names the dates"))
    assert found.verdicts == (Verdict("b1", True, "row 3"), Verdict("2", None, judge_failed=True))
    assert ([source.name for source in found.beside], found.problems) == (["rubrics.json", "verdicts.json"], ())


def test_odd_rubrics_and_verdicts_are_named_and_the_others_kept(folder: Path) -> None:
    rubrics = [{"id": "b1", "text": "x"}, {"id": "b1", "text": "y"}, {"text": "no id"}, 5]
    (folder / "rubrics.json").write_text(json.dumps(rubrics))
    (folder / "verdicts.json").write_text(json.dumps([{"rubric": "b9", "passed": True}, {"passed": "yes"}]))
    found = bundle(folder)
    assert (found.rubrics, found.verdicts) == ((Rubric("b1", "x"),), (Verdict("b9", True),))
    assert sorted(kinds(found)) == [
        "repeated rubric",
        "unexpected type",
        "unexpected type",
        "unexpected type",
        "unknown rubric",
    ]


def test_deliverable_files_are_hashed_and_read_as_a_reader_of_the_document_sees_them(folder: Path) -> None:
    inner = folder / "deliverable" / "tables"
    inner.mkdir(parents=True)
    contents = {"report.md": "特許: 3\n".encode(), "tables/a.csv": b"1,2\n", "b.bin": b"\0\1", "c.doc": b"{\\rtf1 x}"}
    for name, data in contents.items():
        (folder / "deliverable" / name).write_bytes(data)
    found = {delivered.path: delivered for delivered in bundle(folder).deliverables}
    assert {path: delivered.text for path, delivered in found.items()} == {
        "report.md": "特許: 3\n",
        "tables/a.csv": "1,2\n",
        "b.bin": None,
        "c.doc": "x",
    }
    assert [found[name].kind for name in ("report.md", "b.bin", "c.doc")] == ["markdown", "unknown", "rtf"]
    for path, data in contents.items():
        assert (found[path].size, found[path].sha256) == (len(data), hashlib.sha256(data).hexdigest())


def test_a_log_among_the_deliverable_files_is_none(folder: Path) -> None:
    (folder / "deliverable").mkdir()
    (folder / "deliverable" / "copy.jsonl").write_text(LOG)
    found = bundle(folder)
    assert ((found.log or folder).name, [source.name for source in found.beside]) == ("session.jsonl", ["copy.jsonl"])


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("run.toml", "method = ", "no TOML"),
        ("run.toml", "method = 5", "unexpected type"),
        ("run.toml", "attempt = true", "unexpected type"),
        ("run.toml", 'methode = "dci"', "unknown field"),
        ("run.json", "[1", "no JSON"),
        ("run.json", "[" * 100_000, "no JSON"),
        ("rubrics.json", "{}", "no list"),
        ("rubrics.json", "", "no JSON"),
        ("verdicts.json", '{"verdicts": 5}', "no list"),
    ],
)
def test_a_faulty_file_beside_the_log_costs_only_itself(folder: Path, name: str, text: str, kind: str) -> None:
    (folder / name).write_text(text)
    (folder / "task.md").write_text("The task")
    found = bundle(folder)
    assert kind in kinds(found)
    assert found.problems[0].file.endswith(name)
    assert (found.log, found.stated.task) != (None, None)


def test_bytes_that_are_no_utf_8_in_a_task_are_shown_as_such(folder: Path) -> None:
    (folder / "task.md").write_bytes(b"The \xff task")
    assert (bundle(folder).stated.task, kinds(bundle(folder))) == (
        Task("The \ufffd task", "run folder"),
        ["bad encoding"],
    )


@pytest.mark.parametrize(
    ("names", "is_bundle"),
    [
        (["run.toml"], True),
        (["run.json", "a.jsonl"], True),
        (["a.jsonl", "task.md"], True),
        (["a.jsonl", "rubrics.json"], True),
        (["a.jsonl", "deliverable/x"], True),
        (["a.jsonl"], False),
        (["task.md"], False),
        ([], False),
    ],
)
def test_a_bundle_is_recognised_by_the_names_in_it(tmp_path: Path, names: list[str], is_bundle: bool) -> None:
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    assert (layout_of(Folder.of_path(tmp_path)) is not None) == is_bundle
    assert run_folder in LAYOUTS


SAMPLES = sorted((Path(__file__).parents[1] / "sample_runs" / "runs").glob("*"))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_a_sample_run_is_a_run_folder_without_a_fault(sample: Path) -> None:
    found = bundle(sample)
    assert found.problems == ()
    assert found.log is not None
    assert found.stated.task is not None
    assert found.stated.simulated is not None
    assert len(found.deliverables) > 0
