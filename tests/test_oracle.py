"""What a record itself says of files, beside what capture makes of the same calls."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_logs import PI_HEADER, REAL, lines, pi_agent, pi_entry, pi_result, pi_user, stamp
from test_codex import START, call, jsonl, line, output

from tabcore import rerun
from tabcore.cli import main
from tabcore.memory import read_runs
from tabcore.tab.corrections import CorrectedKind, DecisionCorrection
from tabcore.tab.oracle import Checked


def loaded(tmp_path: Path, text: str | bytes) -> tuple[Path, str]:
    """The store and the id of the run of one log."""
    db, log = tmp_path / "runs.duckdb", tmp_path / "log.jsonl"
    log.write_bytes(text if isinstance(text, bytes) else text.encode())
    [item] = rerun.load([str(log)], db)
    return db, item.runs[0]


def short(found: tuple[Checked, ...]) -> list[tuple[int, str, str, bool]]:
    return [(one.turn, one.kind, one.path, one.agreed) for one in found]


def compaction(number: int, details: object) -> dict[str, object]:
    place = {"id": f"e{number}", "parentId": f"e{number - 1}", "timestamp": stamp(number)}
    return {"type": "compaction", **place, "summary": "So far", "details": details}


def pi_session(*details: object) -> str:
    """Lists a.txt and b.txt in turn 1, reads a.txt and writes out.md in turn 2; then compactions with these details."""
    before = [
        pi_user("Sum up"),
        pi_agent("", ("c1", "bash", {"command": "ls"})),
        pi_result("c1", "a.txt\nb.txt"),
        pi_agent("", ("c2", "read", {"path": "a.txt"}), ("c3", "write", {"path": "out.md", "content": "7"})),
        pi_result("c2", "seven", tool="read"),
        pi_result("c3", "Successfully wrote 1 bytes to out.md", tool="write"),
    ]
    entries = [pi_entry(number, message) for number, message in enumerate(before, 1)]
    entries += [compaction(len(entries) + 1 + number, told) for number, told in enumerate(details)]
    return lines(PI_HEADER, *entries, pi_entry(len(entries) + 1, pi_agent("Done")))


FILES = {"readFiles": ["a.txt", "/ws/b.txt", "gone.txt"], "modifiedFiles": ["out.md"]}


def test_a_compaction_that_names_files_is_compared_with_all_before_it(tmp_path: Path) -> None:
    db, run = loaded(tmp_path, pi_session(FILES))
    found = rerun.checked(db, run)
    assert short(found) == [
        (2, "read", "/ws/a.txt", True),
        (2, "read", "/ws/b.txt", False),
        (2, "read", "/ws/gone.txt", False),
        (2, "changed", "/ws/out.md", True),
    ]
    assert found[2].captured == "nothing"
    assert {one.source for one in found} == {"compaction.details.readFiles", "compaction.details.modifiedFiles"}
    [row] = rerun.runs(db)
    assert (row.stated, row.agreed, row.missed) == (4, 2, 2)


def test_what_a_later_compaction_says_again_counts_once(tmp_path: Path) -> None:
    db, run = loaded(tmp_path, pi_session(FILES, FILES))
    assert len(rerun.checked(db, run)) == 4


@pytest.mark.parametrize("details", [None, [], {"readFiles": "a.txt"}, {"readFiles": [7, None, ""]}, {"note": {}}])
def test_details_of_another_shape_state_nothing(tmp_path: Path, details: object) -> None:
    db, run = loaded(tmp_path, pi_session(details))
    assert rerun.checked(db, run) == ()
    assert rerun.problems(db, run) == ()


def parsed(call_id: str, *commands: object) -> dict[str, object]:
    return line("event_msg", type="exec_command_end", call_id=call_id, cwd="/ws/b", exit_code=0, parsed_cmd=commands)


CODEX = jsonl(
    *START,
    call("c1", "cat a"),
    call("c2", "ls sub"),
    parsed("c1", {"type": "read", "name": "a", "path": "a"}, {"type": "unknown", "cmd": "x"}, "odd", {"type": "read"}),
    output("c1", "twelve"),
    parsed("c2", {"type": "list_files", "path": "sub"}),
    output("c2", "x.txt\ny.txt"),
    call("c3", "cat a | wc -l"),
    parsed("c3", {"type": "read", "name": "a"}),
    output("c3", "1"),
    call("c4", "rg -n twelve"),
    parsed("c4", {"type": "search", "query": "twelve"}),
    output("c4", "a:1:twelve"),
)


def test_what_codex_made_of_a_command_is_compared_with_that_call_alone(tmp_path: Path) -> None:
    db, run = loaded(tmp_path, CODEX)
    found = rerun.checked(db, run)
    assert short(found) == [
        (1, "read", "/ws/b/a", True),
        (1, "listed", "/ws/b/sub", True),
        (2, "read", "a", False),
        (3, "searched", "/ws/b", True),
    ]
    assert [one.call for one in found] == [0, 1, 0, 0]
    assert found[2].captured


def test_a_correction_is_no_part_of_the_agreement(tmp_path: Path) -> None:
    db, run = loaded(tmp_path, CODEX)
    before = rerun.checked(db, run)
    kinds: tuple[CorrectedKind, ...] = ("neither", "read")
    for turn, kind in enumerate(kinds, 1):
        rerun.correct_decision(db, run, DecisionCorrection(turn, 0, "/ws/b/a", kind, "Ann", 0.0))
    assert rerun.checked(db, run) == before


def test_the_commands_give_the_counts_and_the_paths_behind_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db, run = loaded(tmp_path, CODEX)
    main(["runs", "--json", "--db", str(db)])
    [row] = json.loads(capsys.readouterr().out)
    assert (row["stated"], row["agreed"], row["missed"]) == (4, 3, 1)
    main(["show", run, "--turn", "2", "--json", "--db", str(db)])
    checked = json.loads(capsys.readouterr().out)["checked"]
    assert [one["path"] for one in checked if not one["agreed"]] == ["a"]
    assert len(checked) == 3


def test_a_stored_record_states_what_the_log_states(tmp_path: Path) -> None:
    db, run = loaded(tmp_path, CODEX)
    before = rerun.checked(db, run)
    rerun.correct(db, run, task="Other")
    assert rerun.checked(db, run) == before
    [in_memory] = read_runs(str(tmp_path / "log.jsonl"))
    assert sum(len(turn.stated) for turn in in_memory.run.turns) == 4


@pytest.mark.skipif(not REAL.exists(), reason="real logs of others are not on this machine")
def test_a_real_log_states_files_exactly_where_its_text_has_the_words() -> None:
    for log in sorted([*(REAL / "pi").glob("*.jsonl"), *(REAL / "codex").glob("*.jsonl")]):
        says = any(word in log.read_text(errors="replace") for word in ('"readFiles"', '"parsed_cmd"'))
        stated = sum(len(turn.stated) for run in read_runs(str(log)) for turn in run.run.turns)
        assert bool(stated) == says
