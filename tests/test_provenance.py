"""Provenance: where each value of a deliverable came from, on small runs whose answer is known by hand."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import openpyxl
import pytest
from small_logs import pi_agent, pi_log, pi_result, pi_user

from tabcore import rerun
from tabcore.analyses.provenance_rows import DeliveredValue, Provenance
from tabcore.cli import main
from tabcore.exports.provenance_json import provenance_json
from tabcore.exports.provenance_workbook import workbook
from tabcore.presentation.deliverable_page import standalone_page
from tabcore.presentation.deliverable_page.payload import file_payload
from tabcore.presentation.provenance_words import formula_words
from tabcore.questions import provenance
from tabcore.text.value_rules import Rule

BILLS = "no,payee,amount\n1,Aldgate,1234.50\n2,Fjord,7890.25\n3,Bergen,431.75\n"
NOTES = "Heating of the old hall cost 1234.50 in May.\nRent of the shop rose from 8,120 to 9,338.\n"
LISTING = "4711 bills.csv\n notes.txt\n"
TASK = "Write report.md on the bills of /ws; the budget is EUR 50,000.00."


@dataclass
class Made:
    """A run in the making."""

    folder: Path
    store: Path
    run_id: str = ""

    def run(self, report: str, *, thinks: str = "", after: tuple[dict[str, object], ...] = ()) -> Provenance:
        """A run that lists, reads the bills and the notes, computes, and writes the report as report.md."""
        log = pi_log(
            pi_user(TASK),
            pi_agent("", ("c1", "bash", {"command": "ls -s /ws"})),
            pi_result("c1", LISTING),
            pi_agent("", ("c2", "read", {"path": "/ws/bills.csv"})),
            pi_result("c2", BILLS, tool="read"),
            pi_agent("", ("c3", "read", {"path": "/ws/notes.txt"})),
            pi_result("c3", NOTES, tool="read"),
            pi_agent(thinks, ("c4", "bash", {"command": "python3 -c 'print(2**17 + 0.5)'"})),
            pi_result("c4", "131072.5\n"),
            pi_agent("", ("c5", "write", {"path": "/ws/report.md", "content": report})),
            pi_result("c5", "ok", tool="write"),
            *after,
            pi_agent("Done."),
        )
        return self.load(log)

    def load(self, log: str, **files: bytes) -> Provenance:
        """The provenance of a log with files delivered beside it."""
        (self.folder / "deliverable").mkdir(parents=True)
        (self.folder / "run.toml").write_text('log = "session.jsonl"\nroot = "/ws"\n')
        (self.folder / "session.jsonl").write_text(log)
        for name, content in files.items():
            (self.folder / "deliverable" / name.replace("__", ".")).write_bytes(content)
        if not files:
            (self.folder / "deliverable").rmdir()
        [loaded] = rerun.load([str(self.folder)], self.store)
        [self.run_id] = loaded.runs
        return provenance(self.store, self.run_id)


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path / "run", tmp_path / "runs.duckdb")


def the_value(found: Provenance, text: str) -> DeliveredValue:
    [value] = [value for value in found.values if value.text == text]
    return value


def kinds(found: Provenance) -> dict[str, str]:
    return {value.text: value.provenance for value in found.values}


def entries(found: Provenance, value: DeliveredValue) -> list[str]:
    return [found.sources[place.source].entry for place in value.places]


def test_a_value_that_a_read_file_states_is_sourced_with_its_entry_turn_and_line(made: Made) -> None:
    found = made.run("Fjord is owed 7,890.25.\n")
    value = the_value(found, "7,890.25")
    [place] = value.places
    source = found.sources[place.source]
    assert value.provenance == "sourced"
    assert (source.entry, source.name, source.turn, place.line, place.text) == ("L1", "bills.csv", 2, 3, "7890.25")
    assert place.likeness == "same number"
    assert source.text[place.start : place.end] == "7890.25"


@pytest.mark.parametrize(
    ("report", "first"),
    [("Heating of the hall in May: 1,234.50\n", "L2"), ("Bill of Aldgate: 1,234.50\n", "L1")],
)
def test_of_two_sources_the_one_whose_line_shares_words_comes_first(made: Made, report: str, first: str) -> None:
    found = made.run(report)
    assert entries(found, the_value(found, "1,234.50"))[0] == first
    assert len(the_value(found, "1,234.50").places) == 2


def test_a_value_of_the_task_is_given(made: Made) -> None:
    assert kinds(made.run("The budget is EUR 50,000.\n")) == {"EUR 50,000": "given"}


def test_the_sum_of_a_column_is_derived_and_names_its_numbers(made: Made) -> None:
    found = made.run("All bills together: 9,556.50\n")
    value = the_value(found, "9,556.50")
    assert value.provenance == "derived"
    assert value.formula is not None
    assert [operand.text for operand in value.formula.operands] == ["1234.50", "7890.25", "431.75"]
    assert formula_words(value.formula, value) == "1234.50 + 7890.25 + 431.75 = 9,556.5"


def test_a_percent_change_between_two_numbers_of_a_line_is_derived_with_the_written_decimals(made: Made) -> None:
    found = made.run("The rent of the shop rose by 15.00 %.\n")
    value = the_value(found, "15.00 %")
    assert value.formula is not None
    assert formula_words(value.formula, value) == "9,338 ÷ 8,120 − 1 = 15 %"
    assert [operand.line for operand in value.formula.operands] == [2, 2]


ORDERS = (
    "supplier,month,amount\nAldgate,1,1234.50\nFjord,2,7890.25\nAldgate,3,431.75\nBergen,4,18250.00\nFjord,5,96.40\n"
)


@pytest.mark.parametrize(
    ("report", "operands", "what"),
    [
        ("Aldgate got 1,666.25 in all.\n", ["1234.50", "431.75"], "the rows with “Aldgate”"),
        ("The second quarter began with 26,572.00.\n", ["7890.25", "431.75", "18250.00"], "rows below each other"),
        (
            "The mean of an order is 5,580.58.\n",
            ["1234.50", "7890.25", "431.75", "18250.00", "96.40"],
            "the whole column",
        ),
    ],
)
def test_sums_and_means_of_rows_with_one_label_of_neighbours_and_of_a_column_are_derived(
    made: Made, report: str, operands: list[str], what: str
) -> None:
    log = pi_log(
        pi_user("Write report.md"),
        pi_agent("", ("c1", "read", {"path": "/ws/orders.csv"})),
        pi_result("c1", ORDERS, tool="read"),
        pi_agent("", ("c2", "write", {"path": "/ws/report.md", "content": report})),
        pi_result("c2", "ok", tool="write"),
        pi_agent("Done."),
    )
    [value] = [value for value in made.load(log).values if value.distinctive]
    assert value.formula is not None
    assert ([operand.text for operand in value.formula.operands], value.formula.what) == (operands, what)


def test_a_total_in_the_deliverables_own_table_is_derived_from_its_sourced_rows(made: Made) -> None:
    found = made.run("| item | EUR |\n|---|---|\n| Aldgate | 1,234.50 |\n| rent | 9,338 |\n| total | 10,572.50 |\n")
    value = the_value(found, "10,572.50")
    assert value.provenance == "derived"
    assert value.formula is not None
    assert {found.sources[operand.source].kind for operand in value.formula.operands} == {"deliverable"}
    assert [operand.text for operand in value.formula.operands] == ["1,234.50", "9,338"]


def test_a_total_that_is_off_by_one_digit_is_unsupported(made: Made) -> None:
    assert kinds(made.run("All bills together: 9,556.60\n")) == {"9,556.60": "unsupported"}


def test_a_coarse_number_that_some_formula_gives_by_chance_is_not_derived(made: Made) -> None:
    """1234.50 / 7890.25 is 15.6 %, but a hundred such percents lie near."""
    assert kinds(made.run("The mood rose by 16 %.\n")) == {"16 %": "unsupported"}


def test_what_a_listing_shows_is_only_listed(made: Made) -> None:
    found = made.run("The folder has 4,711 blocks.\n")
    value = the_value(found, "4,711")
    assert value.provenance == "only listed"
    assert found.sources[value.places[0].source].kind == "listing"


def test_what_the_agents_own_program_printed_is_only_listed_and_says_so(made: Made) -> None:
    found = made.run("The estimate is 131,072.5.\n")
    value = the_value(found, "131,072.5")
    assert value.provenance == "only listed"
    assert found.sources[value.places[0].source].kind == "program"


def test_what_only_the_agent_said_before_is_self_cited(made: Made) -> None:
    found = made.run("The roof costs 61,250.\n", thinks="I guess 61,250 for the roof.")
    value = the_value(found, "61,250")
    assert value.provenance == "self-cited"
    assert found.sources[value.places[0].source].turn == 4


def test_the_call_that_writes_the_deliverable_is_no_evidence_of_it(made: Made) -> None:
    found = made.run("The roof costs 61,250.\n")
    assert kinds(found) == {"61,250": "unsupported"}
    assert the_value(found, "61,250").places == ()


def test_what_was_read_after_the_last_write_is_no_source(made: Made) -> None:
    late = (
        pi_agent("", ("c6", "read", {"path": "/ws/late.txt"})),
        pi_result("c6", "The roof costs 61,250.\n", tool="read"),
    )
    assert kinds(made.run("The roof costs 61,250.\n", after=late)) == {"61,250": "unsupported"}


def test_a_file_that_the_agent_wrote_and_read_again_is_no_source(made: Made) -> None:
    found = made.load(
        pi_log(
            pi_user("Write report.md"),
            pi_agent("", ("c1", "write", {"path": "/ws/draft.txt", "content": "roof 61,250\n"})),
            pi_result("c1", "ok", tool="write"),
            pi_agent("", ("c2", "read", {"path": "/ws/draft.txt"})),
            pi_result("c2", "roof 61,250\n", tool="read"),
            pi_agent("", ("c3", "write", {"path": "/ws/report.md", "content": "The roof costs 61,250.\n"})),
            pi_result("c3", "ok", tool="write"),
            pi_agent("Done."),
        )
    )
    value = the_value(found, "61,250")
    assert value.provenance == "self-cited"
    assert found.sources[value.places[0].source].name == "a file of its own, draft.txt"


def test_small_counts_are_values_that_do_not_count_as_distinctive(made: Made) -> None:
    found = made.run("The 3 payees get 7,890.25.\n")
    assert {value.text: value.distinctive for value in found.values} == {"3": False, "7,890.25": True}
    assert found.counts()["sourced"] == 1
    assert found.counts(distinctive=False)["sourced"] == 2


def test_a_looser_rule_finds_a_share_written_as_percent(made: Made) -> None:
    made.run("Fjord is owed 789,025 %.\n")
    found = provenance(made.store, made.run_id, Rule(shares=True))
    assert the_value(found, "789,025 %").provenance == "sourced"
    assert the_value(found, "789,025 %").places[0].likeness == "percent as share"


def test_of_each_read_file_it_is_told_how_many_values_were_used(made: Made) -> None:
    found = made.run("Aldgate 1,234.50, Fjord 7,890.25, again 7,890.25\n")
    told = {use.path: (use.used, use.held, use.entries) for use in found.uses}
    assert told == {"bills.csv": (2, 3, ("L1",)), "notes.txt": (1, 3, ("L2",))}


def test_a_file_that_states_a_small_count_is_used_where_the_deliverable_states_it_with_decimals(made: Made) -> None:
    found = made.load(
        pi_log(
            pi_user("Write"),
            pi_agent("", ("c1", "read", {"path": "/ws/rates.csv"})),
            pi_result("c1", "low,1\nhigh,7,890.25\n", tool="read"),
            pi_agent("", ("c2", "write", {"path": "/ws/report.md", "content": "The low rate is 1.0.\n"})),
            pi_result("c2", "ok", tool="write"),
            pi_agent("Done."),
        )
    )
    assert the_value(found, "1.0").provenance == "sourced"
    assert [(use.path, use.used, use.held) for use in found.uses] == [("rates.csv", 1, 2)]


def test_a_number_that_a_line_break_cuts_in_two_is_no_equal_value(made: Made) -> None:
    found = made.run("Fjord is owed 7,8\n90.25.\n")
    assert "sourced" not in {value.provenance for value in found.values if value.distinctive}


def test_a_file_beside_the_log_a_picture_and_an_empty_one_are_told_apart(made: Made) -> None:
    log = pi_log(pi_user("Write"), pi_agent("Done."))
    picture = b"\x89PNG\r\n\x1a\n" + b"\0" * 40
    found = made.load(log, a__md=b"Nothing is 7,890.25\n", b__png=picture, c__txt=b"")
    assert [(file.path, file.text is not None) for file in found.files] == [
        ("a.md", True), ("b.png", False), ("c.txt", True),
    ]  # fmt: skip
    assert str(file_payload(found, 1)["empty"]).startswith("It is a picture")
    assert file_payload(found, 2)["empty"] == "This file has no text."
    assert kinds(found) == {"7,890.25": "unsupported"}


def test_a_deliverable_known_by_its_code_alone_is_shown_as_code_and_says_so(made: Made) -> None:
    script = "from openpyxl import Workbook\nbook = Workbook()\nbook.active.append(['roof', 61250])\nbook.save('/ws/report.xlsx')\n"
    call = ("c1", "bash", {"command": f"python3 - <<'EOF'\n{script}EOF"})
    found = made.load(pi_log(pi_user("Write report.xlsx"), pi_agent("", call), pi_result("c1", ""), pi_agent("Done.")))
    assert [file.source for file in found.files] == ["code"]
    assert kinds(found)["61250"] == "unsupported"
    assert {block.kind for block in found.files[0].blocks} == {"line"}
    assert str(file_payload(found, 0)["note"]).startswith("Only the code that wrote this file is known")


def test_values_in_minified_json_are_traced_and_base64_has_none(made: Made) -> None:
    rows = json.dumps([{"id": n, "cost": 1000.5 + n} for n in range(500)], separators=(",", ":"))
    log = pi_log(
        pi_user("Write"),
        pi_agent("", ("c1", "read", {"path": "/ws/d.json"})),
        pi_result("c1", rows, tool="read"),
        pi_agent("Done."),
    )
    found = made.load(log, a__md=b"Cost of id 17: 1,017.50\n", b__txt=b"QUJD" * 4000)
    value = the_value(found, "1,017.50")
    assert value.provenance == "sourced"
    assert len(str(file_payload(found, 0)["values"])) < 5_000
    assert [value for value in found.values if value.file == 1] == []


def test_without_anything_delivered_the_answer_is_empty_and_said(
    made: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    found = made.load(pi_log(pi_user("Say nothing")))
    assert (found.files, found.values) == ((), ())
    assert main(["provenance", made.run_id, "--db", str(made.store)]) == 0
    assert "No deliverable is known" in capsys.readouterr().out


def test_a_secret_is_in_nothing_that_is_given_out_and_places_stay_right(made: Made) -> None:
    key = "AKIAIOSFODNN7EXAMPLA"
    found = made.run(f"aws_access_key_id = {key}\nFjord is owed 7,890.25.\n")
    value = the_value(found, "7,890.25")
    assert key not in json.dumps(provenance_json(found)) + standalone_page(found)
    assert (found.files[0].text or "")[value.start : value.end] == "7,890.25"


HOSTILE = '# <img src=x onerror=alert(1)></script> =HYPERLINK("http://x") \x1b[31m\u202e\nFjord 7,890.25\n'


def test_the_page_on_its_own_loads_nothing_and_runs_only_its_own_script(made: Made) -> None:
    page = standalone_page(made.run(HOSTILE))
    assert "<img" not in page
    assert not re.findall(r"(?:src|href)\s*=\s*[\"']", page)
    assert page.count("</script>") == 2
    assert "default-src 'none'" in page


def test_the_workbook_has_each_value_with_its_evidence_and_no_formula(made: Made) -> None:
    found = made.run(HOSTILE + "All bills together: 9,556.50\n")
    book = openpyxl.load_workbook(BytesIO(workbook(found)))
    head, *rows = book["Values"].values
    told = {row[0]: dict(zip(head, row, strict=True)) for row in rows}
    assert told["7,890.25"]["provenance"] == "S sourced"
    assert (told["7,890.25"]["read log"], told["7,890.25"]["line there"]) == ("L1", 3)
    assert told["9,556.50"]["formula"] == "1234.50 + 7890.25 + 431.75 = 9,556.5"
    assert all(cell.data_type != "f" for sheet in book for row in sheet.iter_rows() for cell in row)
    assert ("bills.csv", "L1", 3, 1) in {row[:4] for row in book["Files read"].values}


def test_the_command_tells_each_value_and_prints_json(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    made.run("Fjord 7,890.25, roof 61,250\n")
    assert main(["provenance", made.run_id, "--db", str(made.store)]) == 0
    assert "1 sourced, 1 unsupported" in capsys.readouterr().out
    assert main(["provenance", made.run_id, "--db", str(made.store), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["counts"] == {
        "sourced": 1, "given": 0, "derived": 0, "only listed": 0, "self-cited": 0, "unsupported": 1,
    }  # fmt: skip
    assert [value["place"] or value["line"] for value in told["files"][0]["values"]] == [1, 1]


@pytest.mark.parametrize(("most", "code"), [("0", 1), ("1", 0)])
def test_check_fails_beyond_the_allowed_number_of_unsupported_values(
    made: Made, capsys: pytest.CaptureFixture[str], most: str, code: int
) -> None:
    made.run("Fjord 7,890.25, roof 61,250\n")
    assert main(["check", made.run_id, "--db", str(made.store), "--max-unsupported", most]) == code
    assert "unsupported: 61,250 in report.md, line 1" in capsys.readouterr().out


def test_check_names_the_missing_values_of_failed_rubrics(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    made.folder.mkdir()
    (made.folder / "rubrics.json").write_text(json.dumps([{"id": "a", "text": "States 7,890.25 for Fjord"}]))
    (made.folder / "verdicts.json").write_text(json.dumps([{"rubric": "a", "passed": False}]))
    made.run("Aldgate 1,234.50\n")
    command = ["check", made.run_id, "--db", str(made.store), "--max-missing"]
    assert main([*command, "0"]) == 1
    assert "missing: 7,890.25, shown at turn 2 (rubric a)" in capsys.readouterr().out
    assert main([*command, "1"]) == 0


def test_check_says_that_a_run_without_rubrics_can_miss_nothing(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    made.run("Fjord 7,890.25\n")
    assert main(["check", made.run_id, "--db", str(made.store), "--max-missing", "0"]) == 0
    assert "it has no rubrics" in capsys.readouterr().out


def test_check_without_a_limit_is_wrong_usage(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    made.run("Fjord 7,890.25\n")
    assert main(["check", made.run_id, "--db", str(made.store)]) == 2
    assert "--max-missing" in capsys.readouterr().err


def test_an_unknown_run_is_said_in_one_sentence(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    made.run("Fjord 7,890.25\n")
    assert main(["provenance", "zzzz", "--db", str(made.store)]) == 2
    assert "there is no such run" in capsys.readouterr().err
