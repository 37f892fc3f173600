"""The sample runs: recorded again byte for byte, and Table 5 of the paper in what was recorded and in what is derived."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest
from sample_tabs import (
    GUIDE,
    Derived,
    bundle_of,
    counts,
    derived,
    files_of,
    folder_of,
    recorded,
    recorded_status_line,
    recorded_text,
)

import sample_runs
from sample_runs.office_files import office_files, same_bytes
from sample_runs.record import HERE, ROOT, SAMPLES, Sample, record
from sample_runs.workspace_files import lay_workspace, spelled_files
from tabcore.cli import main
from tabcore.tab import messages
from tabcore.tab.events import FileAuthored, FileListed, FileRead, FinishChecked, RequirementAdded, Resolved
from tabcore.tab.review import Reviewer

GOLDEN = Path(__file__).parent / "golden" / "sample_runs"
POLICY = "policies/business_travel/business_travel_management_policy_{}.txt"


@pytest.fixture(scope="module")
def guide() -> Derived:
    return recorded(GUIDE.name)


@pytest.fixture(scope="module")
def energy() -> Derived:
    return recorded("energy_report")


# recorded again


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_a_sample_recorded_again_has_the_same_bytes(sample: Sample, tmp_path: Path) -> None:
    assert record(sample, tmp_path).how == "delivered"
    assert files_of(tmp_path / sample.name) == files_of(folder_of(sample.name))


def test_one_command_records_all_of_them_from_any_folder(tmp_path: Path) -> None:
    command = [sys.executable, str(HERE / "record.py"), "--into", str(tmp_path / "out")]
    elsewhere = {**os.environ, "PATH": os.defpath, "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, env=elsewhere)
    assert done.stdout.splitlines() == [
        "business_travel: delivered after 23 turns",
        "energy_report: delivered after 12 turns",
        "water_and_electricity_dci: delivered after 15 turns",
        "water_and_electricity_running_tab: delivered after 36 turns",
        "purchase_orders_dci: delivered after 21 turns",
        "purchase_orders_running_tab: delivered after 40 turns",
        "village_hall: delivered after 15 turns",
    ]
    assert files_of(tmp_path / "out") == files_of(sample_runs.runs_folder())


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_no_record_names_the_folder_in_which_it_was_made(sample: Sample) -> None:
    text = (folder_of(sample.name) / "session.jsonl").read_text(encoding="utf-8")
    assert tempfile.gettempdir() not in text
    assert str(Path.home()) not in text


def test_the_office_files_are_those_that_their_texts_make() -> None:
    for path, content in office_files().items():
        assert (HERE / "workspaces" / path).read_bytes() == content, path


def test_a_saved_office_file_has_the_same_bytes_whenever_it_was_saved_and_however_packed(tmp_path: Path) -> None:
    saved = []
    for day, packing in ((1, zipfile.ZIP_STORED), (2, zipfile.ZIP_DEFLATED)):
        with zipfile.ZipFile(tmp_path / "book.xlsx", "w", packing) as book:
            core = f'<dcterms:modified xsi:type="dcterms:W3CDTF">2025-03-0{day}T10:00:00Z</dcterms:modified>'
            book.writestr(zipfile.ZipInfo("docProps/core.xml", (2025, 3, day, 10, 0, 0)), core)
            book.writestr("xl/sheet.xml", "<v>12</v>")
        saved.append(same_bytes((tmp_path / "book.xlsx").read_bytes()))
    assert saved[0] == saved[1]
    (tmp_path / "same.xlsx").write_bytes(saved[0])
    with zipfile.ZipFile(tmp_path / "same.xlsx") as book:
        assert book.read("xl/sheet.xml") == b"<v>12</v>"
        assert b">2024-01-01T00:00:00Z<" in book.read("docProps/core.xml")
    assert same_bytes(b"{\\rtf1 text}") == b"{\\rtf1 text}"


def test_a_workspace_that_spells_a_path_twice_is_refused(tmp_path: Path) -> None:
    spelled = tmp_path / "twice.toml"
    spelled.write_text('[files]\n"a1.txt" = "x"\n[[series]]\npath = "a{n}.txt"\ntext = "y"\n[series.over]\nn = "1 2"\n')
    with pytest.raises(ValueError, match=r"a1\.txt stands there twice"):
        spelled_files(spelled)


def test_the_samples_are_small_and_the_readme_names_each_run() -> None:
    kept = {
        path: content
        for path, content in files_of(HERE).items()
        if "__pycache__" not in path and path != "suite.tar.gz"
    }
    assert sum(map(len, kept.values())) < 1_000_000
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    assert all(f"runs/{folder.name}" in readme for folder in sample_runs.runs_folder().iterdir())


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_a_run_folder_states_its_task_its_method_its_deliverable_and_that_it_was_scripted(sample: Sample) -> None:
    bundle = bundle_of(folder_of(sample.name))
    assert bundle.problems == ()
    stated = bundle.stated
    assert stated.task is not None
    assert stated.task.text == (HERE / "tasks" / f"{sample.task}.md").read_text(encoding="utf-8").strip()
    assert (stated.root, stated.fresh_cwd, stated.method, stated.model) == (ROOT, True, sample.method, "scripted")
    assert (stated.attempt, stated.attempts, stated.task_name) == (1, 1, sample.task_name)
    assert stated.simulated == sample.simulated
    assert sample.simulated.startswith("Scripted")
    [delivered] = bundle.deliverables
    assert delivered.path in stated.task.text


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_the_record_reads_without_a_problem_and_the_tab_derives_as_it_was_shown(sample: Sample) -> None:
    run = recorded(sample.name)
    assert run.run.problems == ()
    assert run.differences == ()


# the business travel guide: Table 5


def test_the_guide_has_the_calls_of_the_table_turn_for_turn(guide: Derived) -> None:
    expected = ["tab_add", "bash", "bash", "bash", "read", "read", "read", "read", "bash", "tab_list", "tab_show"]
    expected += ["write", "bash", "tab_list", *["tab_resolve"] * 6, "bash", "", ""]
    assert guide.calls() == expected


def test_six_requirements_are_added_at_turn_1_before_any_file_is_seen(guide: Derived) -> None:
    added = [event for event in guide.events if isinstance(event, RequirementAdded)]
    assert [(event.turn, event.requirement) for event in added] == [(1, f"r{n}") for n in range(1, 7)]
    seen = [event.turn for event in guide.events if isinstance(event, FileRead | FileListed)]
    assert min(seen) == 3


@pytest.mark.parametrize(
    ("turn", "numbers"),
    [(1, (0, 0, 0)), (2, (0, 0, 0)), (3, (98, 59, 0)), (4, (98, 59, 0)), (5, (97, 58, 1)), (8, (94, 55, 4))]
    + [(turn, (94, 55, 4)) for turn in range(9, 22)],
)
def test_the_counts_are_the_tables_as_recorded_and_as_derived(
    guide: Derived, turn: int, numbers: tuple[int, int, int]
) -> None:
    assert counts(recorded_status_line(guide, turn)) == numbers
    tab = guide.at(turn)
    assert (len(tab.candidates), tab.starred, len(tab.read_log)) == numbers


def test_turns_5_to_8_read_the_four_policies_one_a_turn(guide: Derived) -> None:
    entries = guide.at(23).read_log.values()
    assert [(entry.entry_id, entry.turn, entry.path) for entry in entries] == [
        (f"L{n}", n + 4, POLICY.format(n)) for n in range(1, 5)
    ]


def test_the_second_entry_has_2286_characters_and_begins_with_article_7(guide: Derived) -> None:
    head, command, rule, first = recorded_text(guide, 11).splitlines()[:4]
    assert head == f"L2: {POLICY.format(2)} (turn 6, 2286 chars)"
    assert (command, rule) == (f"command: read {POLICY.format(2)}", "---")
    assert first.startswith("Article 7")
    entry, excerpt = guide.at(23).show("L2")
    assert entry.chars == len(excerpt) == 2286
    assert excerpt == (HERE / "workspaces" / GUIDE.name / POLICY.format(2)).read_text(encoding="utf-8")


def test_the_review_at_turn_10_sets_r3_beside_l2_and_an_unopened_file_of_the_same_subject(guide: Derived) -> None:
    text = recorded_text(guide, 10)
    assert text.startswith("Requirements: 6 open, 0 resolved\n")
    r3 = text[text.index("r3 [open]") : text.index("r4 [open]")].splitlines()
    assert r3[2].startswith(f"  L2 {POLICY.format(2)}: Article 7  Reimbursement standards")
    never_opened = r3[-1].removeprefix(" never opened: ").split(" | ")
    folder = "finance/expense_claims/"
    assert never_opened[:2] == [
        f"* {folder}employee_travel_reimbursement_standards.docx",
        f"* {folder}printed/employee_travel_reimbursement_standards.pdf",
    ]


def test_turns_15_to_20_resolve_the_six_as_in_the_table(guide: Derived) -> None:
    resolved = [event for event in guide.events if isinstance(event, Resolved)]
    assert [(event.turn, event.requirement, event.status, event.entry) for event in resolved] == [
        (15, "r1", "done", "L1"),
        (16, "r2", "done", "L3"),
        (17, "r3", "done", "L2"),
        (18, "r4", "done", "L4"),
        (19, "r5", "done", "L4"),
        (20, "r6", "unavailable", ""),
    ]
    assert resolved[-1].reason.startswith("authored")


def test_the_guide_is_written_at_turn_12_and_is_no_candidate(guide: Derived) -> None:
    written = [event for event in guide.events if isinstance(event, FileAuthored)]
    assert [(event.turn, event.path) for event in written] == [(12, "employee_business_travel_guide.doc")]
    assert "employee_business_travel_guide.doc" not in guide.at(23).candidates


def test_turn_22_stops_and_the_finish_check_counts_five_one_and_94(guide: Derived) -> None:
    assert [turn.number for turn in guide.run.turns if turn.is_stop] == [22, 23]
    [check] = guide.turn(23).before
    assert check.origin == "tab"
    assert check.text.startswith("[tab] Finish check 1 of at most 1: you stopped.")
    assert "All 6 requirement items are resolved (5 done, 1 unavailable)." in check.text
    assert "never opened: 94" in check.text
    [fact] = [event for event in guide.events if isinstance(event, FinishChecked)]
    assert (fact.turn, fact.body, fact.open_requirements, fact.unopened) == (22, "all resolved", (), 94)


def assert_golden(run: Derived, name: str, turn: int) -> None:
    tab = run.at(turn)
    ranked = [candidate for candidate, _ in Reviewer(tab).candidates_by_relevance()]
    text = messages.tab_text(tab, ranked, turn) + "\n"
    assert text == (GOLDEN / f"{name}_turn_{turn}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("turn", [3, 8, 10, 22])
def test_the_tab_of_the_guide_as_text(guide: Derived, turn: int) -> None:
    assert_golden(guide, "business_travel", turn)


def test_the_command_line_shows_the_tab_of_the_guide_as_the_golden_texts_have_it(
    guide: Derived, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = ["--db", str(tmp_path / "runs.duckdb")]
    assert main(["load", str(sample_runs.runs_folder()), *store]) == 0
    for turn in (3, 8, 10, 22):
        capsys.readouterr()
        assert main(["show", guide.run.run_id, "--turn", str(turn), *store]) == 0
        golden = (GOLDEN / f"business_travel_turn_{turn}.txt").read_text(encoding="utf-8")
        assert capsys.readouterr().out == golden


# the script states no count


def rerecorded(tmp_path: Path, workspace: Path) -> Derived:
    record(GUIDE, tmp_path / "runs", workspace)
    return derived(tmp_path / "runs" / GUIDE.name)


@pytest.fixture
def own_workspace(tmp_path: Path) -> Path:
    return lay_workspace(GUIDE.task, tmp_path / "own")


def test_a_file_renamed_to_a_neutral_name_falls_below_the_threshold(tmp_path: Path, own_workspace: Path) -> None:
    (own_workspace / "hr" / "leave_approval_workflow.md").rename(own_workspace / "hr" / "absence.md")
    changed = rerecorded(tmp_path, own_workspace)
    assert counts(recorded_status_line(changed, 3)) == (98, 58, 0)
    assert counts(recorded_status_line(changed, 8)) == (94, 54, 4)
    assert changed.at(3).starred == 58
    assert "hr/leave_approval_workflow.md" not in recorded_text(changed, 10)
    assert changed.differences == ()


def test_a_file_more_is_a_candidate_more(tmp_path: Path, own_workspace: Path) -> None:
    (own_workspace / "notes.txt").write_text("nothing of note\n")
    changed = rerecorded(tmp_path, own_workspace)
    assert counts(recorded_status_line(changed, 3)) == (99, 59, 0)
    assert "never opened: 95" in changed.turn(23).before[0].text


def test_a_policy_without_its_subject_is_refused_as_evidence(tmp_path: Path, own_workspace: Path) -> None:
    neutral = own_workspace / POLICY.format(3)
    neutral.write_text("This page was left empty on purpose.\n")
    changed = rerecorded(tmp_path, own_workspace)
    assert recorded_text(changed, 16).startswith("Refused: L3")
    assert "1 of 6 requirement items are open" in changed.turn(23).before[0].text
    assert changed.differences == ()


# the energy report: no tab operation, one figure forgotten


def test_the_energy_run_has_no_tab_and_gets_the_one_that_would_have_been_kept(energy: Derived) -> None:
    assert {call.name for turn in energy.run.turns for call in turn.calls} == {"bash", "read", "write"}
    assert "[tab]" not in (folder_of("energy_report") / "session.jsonl").read_text(encoding="utf-8")
    tab = energy.at(12)
    assert tab.requirements == {}
    assert {entry.path for entry in tab.read_log.values() if not entry.authored} == {
        "README.md",
        "contracts/electricity_2024.md",
        "memos/2024-04-18_compressor.md",
        "memos/2024-05-22_power_cut.md",
        "memos/2024-07-02_solar_roof.md",
        "meters/cold_store_2024.csv",
        "meters/creamery_2024.csv",
        "meters/office_2024.csv",
        "reports/2024_q1_energy_report.md",
        "targets/2024.md",
    }
    assert set(tab.candidates) == {"memos/2024-02-09_lighting.md", "meters/meter_register.csv"}


def test_the_tab_of_the_energy_run_as_text(energy: Derived) -> None:
    assert_golden(energy, "energy_report", 12)


def test_the_energy_report_leaves_out_one_figure_that_was_on_the_screen(energy: Derived) -> None:
    shown = "\n".join(observation.text for turn in energy.run.turns for observation in turn.observations)
    report = (folder_of("energy_report") / "deliverable" / "q2_energy_report.md").read_text()
    asked = ["250740", "150215", "20235", "421190", "4.6 %", "221.3", "184.2", "33.4", "97623.64", "18,450", "2,130"]
    asked += ["3 hours 40 minutes", "310 litres", "1,640,000"]
    assert all(figure in shown for figure in asked)
    plain = report.replace(",", "")
    assert [figure for figure in asked if figure.replace(",", "") not in plain] == ["310 litres"]


def test_the_deliverable_is_the_file_that_was_written(energy: Derived) -> None:
    [write] = [call for turn in energy.run.turns for call in turn.calls if call.name == "write"]
    delivered = files_of(folder_of("energy_report") / "deliverable")
    assert delivered == {str(write.arguments["path"]): str(write.arguments["content"]).encode()}


def test_the_log_is_pi_version_3_with_the_status_line_as_a_block_of_its_own() -> None:
    lines = (folder_of(GUIDE.name) / "session.jsonl").read_text(encoding="utf-8").splitlines()
    header, *entries = map(json.loads, lines)
    assert (header["type"], header["version"], header["cwd"]) == ("session", 3, ROOT)
    results = [entry["message"] for entry in entries if entry.get("message", {}).get("role") == "toolResult"]
    assert len(results) == 21
    for result in results:
        content, line = (block["text"] for block in result["content"])
        assert messages.is_status_line(line)
        assert not messages.is_status_line(content)
