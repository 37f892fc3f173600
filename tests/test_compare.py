"""Two runs of one task side by side: hand-counted on the re-enactments of Tables 6 and 7."""

from __future__ import annotations

from pathlib import Path

import pytest

from sample_runs import runs_folder
from tabcore import rerun, tables
from tabcore.analyses.run_comparison import DeliveredText, FileUse, OneRun, Required, RunComparison, run_comparison
from tabcore.errors import UsageError


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("samples") / "runs.duckdb"
    rerun.load([str(runs_folder())], store)
    return store


def side_by_side(store: Path, task: str) -> RunComparison:
    runs = {str(run.method): run.run_id for run in rerun.runs(store) if run.task_name == task}
    return tables.two_runs(store, runs["dci"], runs["running_tab"])


def required(*texts: str) -> OneRun:
    return OneRun("x", requirements=tuple(Required(f"r{n}", text, "open", n) for n, text in enumerate(texts, 1)))


def delivered(**files: str | None) -> OneRun:
    return OneRun("x", delivered=tuple(DeliveredText(name.replace("_", "."), text, 1) for name, text in files.items()))


def test_files_stand_in_the_order_of_either_run() -> None:
    left = OneRun("l", (FileUse("a", 1, None, 1), FileUse("b", 2, None, 1)))
    right = OneRun("r", (FileUse("b", 1, 3, 2), FileUse("c", None, 4)))
    pairs = run_comparison(left, right).files
    assert [(pair.path, bool(pair.left), bool(pair.right)) for pair in pairs] == [
        ("a", True, False), ("b", True, True), ("c", False, True),
    ]  # fmt: skip


def test_requirements_are_paired_by_the_terms_that_they_share() -> None:
    found = run_comparison(
        required("hotel rates", "meals per day"), required("rates of hotels", "the hotel rates", "visa")
    )
    pairs = [
        (pair.left.text if pair.left else "", pair.right.text if pair.right else "") for pair in found.requirements
    ]
    assert pairs == [
        ("hotel rates", "the hotel rates"), ("meals per day", ""), ("", "rates of hotels"), ("", "visa"),
    ]  # fmt: skip


def test_texts_are_compared_with_the_file_of_the_same_name_or_kind() -> None:
    found = run_comparison(delivered(report_md="a\nb", notes_txt="x"), delivered(other_md="c", notes_txt="x"))
    assert [(one.left, one.right, one.lines) for one in found.texts] == [
        ("report.md", "other.md", ("@@ -1,2 +1 @@", "-a", "-b", "+c")),
        ("notes.txt", "notes.txt", ()),
    ]


def test_a_file_that_one_run_alone_delivered_stands_against_nothing() -> None:
    [one] = run_comparison(delivered(), delivered(a_md="new")).texts
    assert (one.left, one.right, one.lines) == ("", "a.md", ("@@ -0,0 +1 @@", "+new"))


def test_table_seven_one_row_beside_ten(store: Path) -> None:
    found = side_by_side(store, "purchase orders by supplier")
    [text] = found.texts
    orders = [line for line in text.lines if line.startswith("+") and "June" in line]
    assert len(orders) == 9
    assert [line for line in text.lines if line.startswith("-")] == ["-sum\t¥9,900"]
    eighth = next(pair for pair in found.files if pair.path == "orders/purchase_order_8.txt")
    assert (eighth.left and eighth.left.read, eighth.right and eighth.right.read) == (13, 7)
    lost = [pair.right.text for pair in found.numbers if pair.left is None and pair.right]
    assert "¥55,000" in lost
    forgotten = next(pair for pair in found.numbers if pair.key == "55000")
    assert (forgotten.left_seen and forgotten.left_seen.turn, forgotten.right_seen and forgotten.right_seen.turn) == (
        13,
        7,
    )
    assert [pair.left for pair in found.requirements] == [None] * 11
    assert (sum(bool(pair.left) for pair in found.rubrics), sum(bool(pair.right) for pair in found.rubrics)) == (1, 11)


def test_table_six_one_more_file_and_its_figures(store: Path) -> None:
    found = side_by_side(store, "water and electricity manual")
    assert [pair.path for pair in found.files if pair.left is None] == ["manuals/water_and_electricity_rota.md"]
    counts = dict(found.right.counts)
    assert (counts["turns"], counts["finish check at turn"], counts["last written at turn"]) == (36, 32, 34)
    assert dict(found.left.counts)["calls to the tab"] == 0


def test_an_unknown_run_is_named(store: Path) -> None:
    with pytest.raises(UsageError, match="ffff"):
        tables.two_runs(store, "ffff", "ffff")
