"""What a run delivered, where no file lies beside its log."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from small_logs import pi_agent, pi_log, pi_result, pi_user

from tabcore import rerun
from tabcore.store.store import Store

Row = tuple[str, str, int, str | None]
Delivered = Callable[..., list[Row]]


@pytest.fixture
def delivered(tmp_path: Path) -> Delivered:
    """What the store says that a run with these calls, one a turn, delivered: path, source, turn, text."""

    def ask(*calls: tuple[str, dict[str, object]], task: str = "Write it up", answer: str = "Done.") -> list[Row]:
        entries = [
            entry
            for number, (name, arguments) in enumerate(calls)
            for entry in (pi_agent("", (f"c{number}", name, arguments)), pi_result(f"c{number}", "ok"))
        ]
        log = tmp_path / "log.jsonl"
        log.write_text(pi_log(pi_user(task), *entries, pi_agent(answer)))
        store = tmp_path / "runs.duckdb"
        rerun.load([str(log)], store)
        with Store(store).reading() as connection:
            query = "SELECT path, source, written_turn, t.text FROM deliverables LEFT JOIN texts t ON t.digest = deliverables.text"
            return connection.execute(f"{query} ORDER BY path").fetchall()

    return ask


def test_a_written_file_is_delivered_as_it_was_written_last(delivered: Delivered) -> None:
    rows = delivered(
        ("write", {"path": "/ws/a.md", "content": "one"}),
        ("bash", {"command": "cat > /ws/a.md <<'EOF'\ntwo 2\nEOF"}),
    )
    assert rows == [("a.md", "written", 2, "two 2\n")]


def test_edits_change_what_was_written(delivered: Delivered) -> None:
    rows = delivered(
        ("write", {"path": "/ws/a.md", "content": "total 5"}),
        ("edit", {"path": "/ws/a.md", "oldText": "5", "newText": "7"}),
        ("bash", {"command": "echo more >> /ws/a.md"}),
    )
    assert rows == [("a.md", "written", 3, "total 7more\n")]


def test_an_edit_that_does_not_fit_makes_the_text_unknown_and_never_a_guess(delivered: Delivered) -> None:
    rows = delivered(
        ("write", {"path": "/ws/a.md", "content": "total 5"}),
        ("edit", {"path": "/ws/a.md", "oldText": "none of it", "newText": "7"}),
    )
    assert [(path, source) for path, source, _, _ in rows] == [("a.md", "code")]


def test_a_patch_adds_and_updates(delivered: Delivered) -> None:
    add = "*** Begin Patch\n*** Add File: a.md\n+rent 5\n+heat 6\n*** End Patch"
    update = "*** Begin Patch\n*** Update File: a.md\n@@\n rent 5\n-heat 6\n+heat 8\n*** End Patch"
    rows = delivered(("apply_patch", {"input": add}), ("apply_patch", {"input": update}))
    assert rows == [("a.md", "written", 2, "rent 5\nheat 8\n")]


def test_a_moved_file_keeps_its_text(delivered: Delivered) -> None:
    rows = delivered(
        ("write", {"path": "/ws/draft.md", "content": "total 5"}), ("bash", {"command": "mv draft.md final.md"})
    )
    assert ("final.md", "written", 2, "total 5") in rows


def test_a_document_that_code_made_is_known_by_its_code(delivered: Delivered) -> None:
    code = "python3 - <<'EOF'\nimport docx\nd = docx.Document()\nd.add_paragraph('1,234.50')\nd.save('/ws/r.docx')\nEOF"
    [(path, source, turn, text)] = delivered(("bash", {"command": code}))
    assert (path, source, turn) == ("r.docx", "code", 1)
    assert text is not None
    assert "1,234.50" in text


def test_files_that_the_task_names_count_and_others_do_not(delivered: Delivered) -> None:
    rows = delivered(
        ("write", {"path": "/ws/notes.md", "content": "1"}),
        ("write", {"path": "/ws/report.md", "content": "2"}),
        task="Write report.md",
    )
    assert [row[0] for row in rows] == ["report.md"]


def test_scripts_and_scratch_files_are_not_delivered(delivered: Delivered) -> None:
    rows = delivered(
        ("write", {"path": "/ws/sum.py", "content": "print(1)"}),
        ("write", {"path": "/tmp/x.csv", "content": "1"}),
        answer="It is 42.",
    )
    assert rows == [("last answer", "answer", 3, "It is 42.")]


def test_an_answer_is_what_a_tool_for_it_was_given_or_what_stands_between_tags(delivered: Delivered) -> None:
    assert delivered(("final_answer", {"answer": "19.25", "status": "completed"}), answer="")[0][2:] == (1, "19.25")
    tagged = "Thus <FINAL_ANSWER>2,602</FINAL_ANSWER>"
    assert delivered(answer=tagged) == [("last answer", "answer", 1, "2,602")]
