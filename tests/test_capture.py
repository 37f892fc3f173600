"""Capture on the gold cases: tool calls with their observations and the right answer, and the same under other names."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from capture_renaming import renaming
from score_capture import Case, Scored, load_cases, precision, recall, report, run_cases

from tabcore.capture import Captured, Workspace, capture
from tabcore.trajectory import Observation, Span, ToolCall

GOLD = Path(__file__).parent / "golden" / "capture_cases.jsonl"


@cache
def gold() -> tuple[Case, ...]:
    return tuple(load_cases(GOLD))


@cache
def scored() -> tuple[Scored, ...]:
    return tuple(run_cases(gold()))


def test_every_gold_case_is_exactly_right_with_the_state_after_it() -> None:
    assert [result.case["id"] for result in scored() if not result.exact] == []


def test_the_working_directory_after_every_gold_case_is_right() -> None:
    assert [result.case["id"] for result in scored() if not result.cwd_right] == []


def test_the_report_ends_with_how_many_cases_are_exact() -> None:
    assert report(list(scored()), verbose=True).splitlines()[-1] == f"exact {len(gold())}/{len(gold())}"


def test_a_wrong_answer_lowers_the_score_and_is_named() -> None:
    case = {**gold()[0], "reads": ["policies/another.md"]}
    [result] = run_cases([case])
    text = report([result], verbose=True)
    assert "missing ['policies/another.md']" in text
    assert text.splitlines()[-1] == "exact 0/1"


def test_precision_and_recall_count_what_was_invented_and_what_was_missed() -> None:
    assert precision(Counter(tp=3, fp=1)) == 0.75
    assert recall(Counter(tp=3, fn=1)) == 0.75


# Renaming: every folder, file and the root get other names.


@cache
def together() -> dict[str, list[Case]]:
    """The gold cases by what shares a workspace: a sequence, or a case alone."""
    groups: dict[str, list[Case]] = {}
    for case in gold():
        groups.setdefault(case.get("sequence", case["id"]), []).append(case)
    return groups


@pytest.mark.parametrize("name", together())
def test_renaming_files_folders_and_root_renames_the_answer_and_changes_nothing_else(name: str) -> None:
    cases = together()[name]
    other = renaming(cases)
    for before, after in zip(run_cases(cases), run_cases(map(other.case, cases)), strict=True):
        expected = {(finding.kind, other.text(finding.path)) for finding in before.captured.findings}
        assert {(finding.kind, finding.path) for finding in after.captured.findings} == expected
        assert after.exact
        assert after.captured.cwd == other.text(before.captured.cwd)


def test_nine_in_ten_gold_cases_are_renamed_in_each_path_of_their_answer() -> None:
    renamed = [
        case for cases in together().values() for other in [renaming(cases)] for case in cases if other.whole(case)
    ]
    assert len(renamed) / len(gold()) > 0.95


# What the engine's callers rely on.


def captured(command: str, text: str, **fields: object) -> Captured:
    workspace = Workspace("/w", "/w")
    return capture(ToolCall("1", "bash", {"command": command}), Observation("1", text, **fields), workspace)  # type: ignore[arg-type]


def test_text_that_the_tab_put_into_an_observation_is_no_content() -> None:
    text = "[tab] 2 open\n"
    spans = (Span(0, len(text), "tab"),)
    assert captured("cat a.txt", text).paths("read") == ("a.txt",)
    assert captured("cat a.txt", text, spans=spans).findings == ()


def test_a_call_without_a_recorded_result_read_nothing() -> None:
    workspace = Workspace("/w", "/w")
    result = capture(ToolCall("1", "bash", {"command": "cat a.txt"}), None, workspace)
    assert result.findings == ()


def test_a_picture_that_was_shown_is_a_read() -> None:
    workspace = Workspace("/w", "/w")
    call = ToolCall("1", "Read", {"file_path": "/w/logo.png"})
    assert capture(call, Observation("1", "", images=1), workspace).paths("read") == ("logo.png",)


def test_the_rule_of_a_finding_names_the_row_that_made_it() -> None:
    [finding] = captured("head -3 a.txt", "x\n").findings
    assert finding.rule == "head: takes content"


def test_a_preview_is_a_partial_read() -> None:
    text = "<persisted-output>\nOutput too large (90KB).\n\nPreview (first 2KB):\nhello\n...\n</persisted-output>"
    [finding] = captured("cat a.txt", text).findings
    assert (finding.kind, finding.partial) == ("read", True)


def test_what_cannot_be_decided_is_unknown_with_its_reason() -> None:
    [finding] = captured("grep -rh total reports", "total 5\ntotal 6\n").findings
    assert finding.kind == "unknown"
    assert "cannot be told" in finding.rule


def test_a_file_that_the_agent_wrote_is_not_listed() -> None:
    workspace = Workspace("/w", "/w")
    write = ToolCall("1", "Write", {"file_path": "/w/out.md", "content": "x"})
    capture(write, Observation("1", "File created successfully at: /w/out.md"), workspace)
    listing = capture(ToolCall("2", "bash", {"command": "ls"}), Observation("2", "a.txt\nout.md\n"), workspace)
    assert listing.paths("listed") == ("a.txt",)


def test_a_script_that_the_agent_wrote_is_followed_when_it_runs_later() -> None:
    workspace = Workspace("/w", "/w")
    script = "print(open('data.csv').read())\n"
    write = ToolCall("1", "write", {"path": "show.py", "content": script})
    capture(write, Observation("1", "Successfully wrote 31 bytes to show.py"), workspace)
    run = capture(ToolCall("2", "bash", {"command": "python3 show.py"}), Observation("2", "a,b\n"), workspace)
    assert run.paths("read") == ("data.csv",)


def test_a_moved_folder_takes_its_known_files_with_it() -> None:
    workspace = Workspace("/w", "/w")
    capture(ToolCall("1", "bash", {"command": "find a -type f"}), Observation("1", "a/x.md\na/y.md\n"), workspace)
    moved = capture(ToolCall("2", "bash", {"command": "mv a b"}), Observation("2", ""), workspace)
    assert {(f.previous, f.path) for f in moved.findings} == {("a/x.md", "b/x.md"), ("a/y.md", "b/y.md")}
