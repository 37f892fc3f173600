"""What is given out of runs that attack the reader: files without formulas, links or half characters, and nothing outside."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made_hostile import BEACON, CANARY, EVERY, FORMULAS, OUTSIDE, SPOOFED, archives, hostile_store

from tabcore import labelling, rerun
from tabcore.cli import main
from tabcore.exports.label_rows import as_csv, as_jsonl, inert, label_rows, note_rows, read_rows
from tabcore.exports.provenance_workbook import workbook
from tabcore.exports.table_files import table_csv
from tabcore.querying import as_csv as query_csv
from tabcore.querying import export_parquet
from tabcore.questions import provenance
from tabcore.readers import identify
from tabcore.source import Source
from tabcore.trajectory import collect

BEGINNINGS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A store of hostile runs, and the id of one of them."""
    folder = tmp_path_factory.mktemp("hostile")
    store = folder / "runs.duckdb"
    return store, hostile_store(folder / "logs", store)[0]


def cells(text: str) -> list[str]:
    return [cell for row in csv.reader(io.StringIO(text)) for cell in row]


@pytest.mark.parametrize("formula", FORMULAS)
def test_no_cell_of_a_csv_is_a_formula_and_its_text_comes_back(formula: str) -> None:
    table = pa.table({formula: [formula, "a=b", None], "n": [1, -2, 3]})
    written = cells(table_csv({formula: [formula], "n": [-2]})) + cells(query_csv(table).decode())
    assert [cell for cell in written if cell.lstrip(" ").startswith(BEGINNINGS) and cell != "-2"] == []
    assert f"'{formula}" in written
    [row] = read_rows(as_csv([{"run": "r", "rubric": "b", "type": "", "annotator": "a", "note": formula}]))
    assert row.note == formula  # type: ignore[union-attr]


def test_a_number_and_a_plain_text_stay_as_they_are() -> None:
    assert [inert(value) for value in (-5, 1.5, "a=b", "12", "", None)] == [-5, 1.5, "a=b", "12", "", None]


def test_labels_and_notes_of_a_hostile_run_are_files_that_can_be_written_and_read_again(
    hostile: tuple[Path, str],
) -> None:
    store, _ = hostile
    said = labelling.labels(store)
    text = as_csv(label_rows(said))
    text.encode()
    assert [cell for cell in cells(text) if cell.startswith(BEGINNINGS)] == []
    back = list(read_rows(text))
    assert len(back) == len(said)
    assert {row.annotator for row in back} == {one.annotator for one in said}  # type: ignore[union-attr]
    assert all(json.loads(line) for line in as_jsonl(note_rows(labelling.notes(store))).splitlines())


def test_no_cell_of_the_workbook_is_a_formula_or_a_link(hostile: tuple[Path, str]) -> None:
    book = openpyxl.load_workbook(io.BytesIO(workbook(provenance(*hostile))))
    found = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    assert [cell.coordinate for cell in found if cell.data_type == "f" or cell.hyperlink] == []
    assert any(BEACON in str(cell.value) for cell in found)


def test_a_hostile_run_comes_back_from_atif_word_for_word(hostile: tuple[Path, str], tmp_path: Path) -> None:
    store, run = hostile
    file = tmp_path / "run.json"
    assert main(["export", run, "--db", str(store), "-o", str(file)]) == 0
    source = Source.of_path(file)
    [back] = collect(identify(source).read(source), digest=source.digest(), path=str(file))
    results = [seen.text for turn in back.turns for seen in turn.observations]
    assert any(SPOOFED in text for text in results)
    assert any(EVERY.replace("\ud800", "\ufffd") in text for text in results)


def test_the_parquet_of_a_hostile_store_is_read_by_others(hostile: tuple[Path, str], tmp_path: Path) -> None:
    tables = export_parquet(hostile[0], tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(
        ["README.md", *(f"{table.name}.parquet" for table in tables)]
    )
    notes = pq.read_table(tmp_path / "out" / "notes.parquet").to_pylist()
    assert all(CANARY in note["text"] for note in notes)


def test_words_that_pretend_to_be_the_tab_change_nothing_of_it(hostile: tuple[Path, str]) -> None:
    row = rerun.tab_row(*hostile)
    assert [requirement.requirement_id for requirement in row.requirements] == ["r1", "r2"]
    assert not any(CANARY + "-requirement" in requirement.text for requirement in row.requirements)
    assert "99 open" not in row.status_line
    body = rerun.turn_body(hostile[0], hostile[1], 3)
    assert [span for seen in body.observations for span in seen.spans if span.origin == "tab"] == []


def test_a_terminal_gets_no_escape_sequence_of_a_log(
    hostile: tuple[Path, str], capsys: pytest.CaptureFixture[str]
) -> None:
    store, run = hostile
    for command in (["runs"], ["problems"], ["show", run], ["provenance", run], ["search", CANARY]):
        assert main([*command, "--db", str(store)]) == 0
        said = capsys.readouterr().out
        assert not set(said) & {"\x1b", "\u202e", "\u2066", "\x07", "\r"}, command


def test_an_archive_writes_nothing_outside_and_reads_nothing_outside(tmp_path: Path) -> None:
    packed = archives(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    loaded = rerun.load(map(str, packed), tmp_path / "store" / "runs.duckdb")
    assert sorted(path for path in tmp_path.rglob("*") if "store" not in path.parts) == before
    assert not Path("/tmp/outside.jsonl").exists()
    runs = [one.path.rsplit("/", 1)[-1] for one in loaded if one.runs]
    assert runs == ["hostile.zip!inside.jsonl", "hostile.tar!inside.jsonl", "outside.jsonl"]
    told = " ".join(str(problem) for one in loaded for problem in one.problems)
    assert told.count("the name leads out of the archive; skipped") == 2 * len(OUTSIDE)
    assert "the member is a link; skipped" in told
    assert told.count("the member is no regular file; skipped") == 4
