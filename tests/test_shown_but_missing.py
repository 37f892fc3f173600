"""Shown but missing: what a run's rubrics expect, what its screen showed, what its deliverable says."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from small_logs import cc_agent, cc_user, lines, pi_agent, pi_log, pi_result, pi_user, result, text, use

from tabcore import rerun
from tabcore.analyses.rates import Rate
from tabcore.analyses.shown_but_missing import ExpectedValue, ShownButMissing
from tabcore.cli import main
from tabcore.commands.analyze import missing_json, not_covered
from tabcore.questions import left_out, shown_but_missing
from tabcore.text.value_rules import DEFAULT, Rule

BILLS = "no,payee,amount\n1,Aldgate,1234.50\n2,Fjord,7890.25\n3,Bergen,(356.10)\n"
LISTING = "bills_4711.csv\nold_9999.csv\nbills.csv\n"
RATES = "Rates from 28 June 2024: water 12.3%, heat 0.228 EUR\n"


@dataclass
class Made:
    """A run folder in the making: its log, its rubrics with verdicts, its deliverable."""

    folder: Path
    store: Path

    def run(
        self,
        rubrics: dict[str, tuple[str, bool | None]],
        deliverable: str | None = "",
        *,
        after: tuple[dict[str, object], ...] = (),
    ) -> ShownButMissing:
        """A run that lists, reads the bills, computes, and writes `deliverable`; then the question about it."""
        wrote = (
            ()
            if deliverable is None
            else (
                pi_agent("", ("c4", "write", {"path": "/ws/report.md", "content": deliverable})),
                pi_result("c4", "ok"),
            )
        )
        log = pi_log(
            pi_user("Write report.md on the bills of /ws; budget 5000.00"),
            pi_agent("", ("c1", "bash", {"command": "ls /ws"})),
            pi_result("c1", LISTING),
            pi_agent("", ("c2", "bash", {"command": "cat /ws/bills.csv"})),
            pi_result("c2", BILLS),
            pi_agent("", ("c3", "bash", {"command": "python3 -c 'print(1234.50 + 7890.25)'"})),
            pi_result("c3", "9124.75\n"),
            *wrote,
            *after,
            pi_agent("Done."),
        )
        self.folder.mkdir(exist_ok=True)
        (self.folder / "session.jsonl").write_text(log)
        (self.folder / "task.md").write_text("Write report.md on the bills of /ws; budget 5000.00")
        told = [{"id": name, "text": text} for name, (text, _) in rubrics.items()]
        judged = [{"rubric": name, "passed": passed} for name, (_, passed) in rubrics.items()]
        (self.folder / "rubrics.json").write_text(json.dumps(told))
        (self.folder / "verdicts.json").write_text(json.dumps(judged))
        rerun.load([str(self.folder)], self.store)
        return self.ask()

    def ask(self, rule: Rule = DEFAULT, *, dates: bool = False) -> ShownButMissing:
        return shown_but_missing(self.store, None, rule, dates=dates)


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path / "run", tmp_path / "runs.duckdb")


def only(found: ShownButMissing) -> ExpectedValue:
    [value] = found.values
    return value


def test_a_value_on_the_screen_that_the_deliverable_lacks_is_missing_and_held_by_the_read_log(made: Made) -> None:
    value = only(made.run({"a": ("States Aldgate's 1,234.50", False)}, "Nothing to say"))
    assert (value.text, value.key, value.outcome, value.is_missing) == ("1,234.50", "1234.5", "absent, failed", True)
    assert [(place.turn, place.call) for place in value.shown] == [(2, 0)]
    assert BILLS[value.shown[0].start : value.shown[0].end] == "1234.50"
    assert value.held is not None
    assert (value.held.entries, value.held.path, value.held.turn) == (("L1",), "bills.csv", 2)
    assert made.ask().missing == Rate(1, 1)
    assert made.ask().held == Rate(1, 1)


def test_a_delivered_value_is_delivered_however_it_is_written(made: Made) -> None:
    found = made.run(
        {"a": ("States 1234.5", True), "b": ("States EUR 7890.25", False)}, "Aldgate: 1,234.50\nFjord 7890.25"
    )
    assert [value.outcome for value in found.values] == ["delivered, passed", "delivered, failed"]
    assert found.missing == Rate(0, 2)


def test_a_number_inside_a_longer_one_is_neither_shown_nor_delivered(made: Made) -> None:
    found = made.run({"a": ("States 234.50", False), "b": ("States 124.75", False)}, "91234.500")
    assert [bool(value.shown) for value in found.values] == [False, False]
    assert found.not_shown == 2
    assert found.missing == Rate(0, 0)


def test_what_was_seen_in_a_listing_or_computed_is_shown_and_not_held(made: Made) -> None:
    found = made.run({"a": ("The sum is 9,124.75", False)}, "")
    value = only(found)
    assert (value.is_missing, value.held) == (True, None)
    assert found.held == Rate(0, 1)


def test_the_task_and_the_rubric_show_nothing(made: Made) -> None:
    assert only(made.run({"a": ("Keeps to the budget of 5,000.00", False)}, "")).shown == ()


def test_what_was_shown_only_after_the_last_write_is_late_and_not_shown(made: Made) -> None:
    after = (
        pi_agent("", ("c5", "bash", {"command": "cat /ws/rates.txt"})),
        pi_result("c5", RATES),
    )
    value = only(made.run({"a": ("Heat costs 0.228", False)}, "Nothing", after=after))
    assert value.shown == ()
    assert [place.turn for place in value.late] == [5]
    assert value.run.written == 4


def test_a_rubric_without_a_verdict_is_not_evaluated_and_no_failure(made: Made) -> None:
    found = made.run({"a": ("States 1234.50", None)}, "")
    assert only(found).outcome == "not evaluated"
    assert found.missing == Rate(0, 0)


def test_a_value_counts_once_a_rubric_and_for_each_rubric_that_expects_it(made: Made) -> None:
    found = made.run({"a": ("1234.50, that is 1,234.50", False), "b": ("1234.5 again", True)}, "")
    assert [(value.rubric.rubric_id, value.text) for value in found.values] == [("a", "1234.50"), ("b", "1234.5")]


def test_a_run_without_any_written_file_delivers_its_last_answer(made: Made) -> None:
    value = only(made.run({"a": ("States 1234.50", False)}, None))
    assert (value.run.source, value.is_missing) == ("answer", True)


def test_what_counts_and_what_is_equal_follows_the_rule(made: Made) -> None:
    made.run({"a": ("Bergen pays 356.10", False), "b": ("17 bills", False)}, "")
    assert [value.text for value in made.ask().values] == ["356.10"]
    assert made.ask().values[0].shown == ()
    signed = made.ask(Rule(either_sign=True, digits=2))
    assert [(value.text, bool(value.shown)) for value in signed.values] == [("356.10", True), ("17", False)]


def test_dates_are_asked_for_in_the_same_way(made: Made) -> None:
    after = (pi_agent("", ("c5", "bash", {"command": "cat /ws/rates.txt"})), pi_result("c5", RATES))
    made.run({"a": ("Valid from 2024-06-28", False)}, None, after=after)
    value = only(made.ask(dates=True))
    assert (value.key, value.kind, value.is_missing) == ("2024-06-28", "date", True)
    assert made.ask().values == ()


def test_secrets_in_rubrics_are_masked(made: Made) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLA"
    value = only(made.run({"a": (f"Never says {key} but 1234.50", False)}, ""))
    assert key not in value.rubric.text
    assert "[secret: AWS Access Key]" in value.rubric.text


def test_the_json_names_places_and_counts(made: Made) -> None:
    made.run({"a": ("States 1234.50", False)}, "")
    told = missing_json(made.ask())
    assert told["missing"] == {
        "count": 1, "of": 1, "share": 1.0, "low": pytest.approx(0.2065, abs=1e-4), "high": 1.0, "paper": 0.198,
    }  # fmt: skip
    [value] = told["values"]  # type: ignore[misc]
    assert value["shown"] == [{"turn": 2, "call": 0, "start": 26, "end": 33}]  # type: ignore[index]


def test_what_was_read_and_not_delivered_is_ranked_by_its_line_and_the_task(made: Made) -> None:
    made.run({}, "Aldgate gets 1,234.50")
    (made.folder / "task.md").write_text("Write report.md: what does Bergen cost?")
    rerun.load([str(made.folder)], made.store)
    [run] = rerun.runs(made.store)
    found = left_out(made.store, run.run_id)
    assert [(value.text, value.entry_id, value.line.number) for value, _ in found.values] == [
        ("(356.10)", "L1", 4),
        ("7890.25", "L1", 3),
    ]
    assert (found.held, found.delivered) == (3, 1)
    assert found.values[0][1] > found.values[1][1] == 0


def test_the_agents_own_file_is_nothing_that_was_read(made: Made) -> None:
    after = (
        pi_agent("", ("c5", "bash", {"command": "cat /ws/report.md"})),
        pi_result("c5", "A total of 77,777.77"),
    )
    made.run({}, "A total of 77,777.77", after=after)
    [run] = rerun.runs(made.store)
    assert "77,777.77" not in [value.text for value, _ in left_out(made.store, run.run_id).values]


def test_a_run_whose_rubrics_expect_no_value_is_named_as_such(made: Made) -> None:
    found = made.run({"a": ("Is polite", True)}, "Good day.\n")
    assert (found.runs, len(found.without_values), found.without_rubrics) == (0, 1, ())
    assert not_covered(found) == ["1 run with rubrics that state no such value."]


def test_a_sub_agents_run_counts_only_where_it_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    side = {"isSidechain": True}
    log = tmp_path / "session.jsonl"
    log.write_text(
        lines(
            cc_user("u0", None, "Sum up"),
            cc_agent("u1", "u0", "m1", use("t1", "Task", prompt="look at a")),
            cc_user("a0", None, "look at a", **side),
            cc_agent("a1", "a0", "ma1", text("nothing in a"), **side),
            cc_user("u2", "u1", [result("t1", "nothing")]),
            cc_agent("u3", "u2", "m2", text("Done")),
        )
    )
    store = tmp_path / "runs.duckdb"
    parent, child = rerun.load([str(log)], store)[0].runs

    def without_rubrics(*runs: str) -> object:
        assert main(["analyze", "shown-but-missing", *runs, "--json", "--db", str(store)]) == 0
        return json.loads(capsys.readouterr().out)["runs_without_rubrics"]

    assert without_rubrics() == [parent]
    assert without_rubrics(child) == [child]
