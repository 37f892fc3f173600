"""Verdicts of the sample runs; the hand count of what each rubric expects, held against the records by plain search."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import NotRequired, TypedDict, cast

import pytest
from sample_tabs import BY_NAME, bundle_of, deliverable_of, folder_of, recorded

from sample_runs.record import SAMPLES
from sample_runs.verdicts import Check, Expectation, checks_of, verdict
from tabcore.documents import Document, read_bytes, read_document
from tabcore.tab.events import FileAuthored
from tabcore.text.value_rules import is_distinctive
from tabcore.text.values import values

NAMES = [sample.name for sample in SAMPLES]


class Counted(TypedDict):
    """One hand-counted value; golden/sample_outcomes.toml says what each field is."""

    rubric: str
    value: str
    shown: int
    late: NotRequired[int]
    seen: NotRequired[str]
    held: list[str]
    delivered: bool
    written: NotRequired[str]
    passed: bool
    outcome: str


class Fates(TypedDict):
    last_written: int
    values: list[Counted]


COUNTED = cast(
    dict[str, Fates],
    tomllib.loads((Path(__file__).parent / "golden" / "sample_outcomes.toml").read_text(encoding="utf-8")),
)
EACH = [(name, item) for name, fates in COUNTED.items() for item in fates["values"]]


each_value = pytest.mark.parametrize(
    ("name", "item"), EACH, ids=[f"{name}-{item['rubric']}-{item['value']}" for name, item in EACH]
)


NUMBER = re.compile(r"(?:(?<!\d)\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?")
PERCENT = re.compile(r"\s?(?:%|percent)")


def stands(written: str, text: str) -> bool:
    """Whether the text has a number as it is written, whole, and as a percentage only where it is written as one."""
    digits = NUMBER.search(written)
    assert digits is not None
    is_percent = bool(PERCENT.match(written, digits.end()))
    whole = {found.span() for found in NUMBER.finditer(text)}
    for found in re.finditer(re.escape(written), text):
        start, end = found.start() + digits.start(), found.start() + digits.end()
        if (start, end) in whole and bool(PERCENT.match(text, end)) is is_percent:
            return True
    return False


def test_the_search_finds_whole_numbers_alone() -> None:
    assert stands("221.3", "2024-06,88215,221.3\n")
    assert not stands("296", "1,296 hours")
    assert not stands("EUR 80", "EUR 80 percent")
    assert not stands("4 percent", "1.4 percent")


def spellings(value: str) -> tuple[str, str]:
    """The digits of a value, with its percent mark, with and without commas."""
    plain = re.sub(r"^\D+", "", value)
    return plain, plain.replace(",", "")


# the check behind the verdicts

ROWS = b"supplier,amount\nAshgrove,12600\nGreyfell,5500\n"


def judged(expected: str, *, beside: str = "", is_value: bool = True, data: bytes = ROWS) -> tuple[bool, str]:
    check = Check("x", "", (Expectation(expected, is_value, beside),))
    found = verdict(check, document(data), "t.csv")
    return bool(found["passed"]), str(found["evidence"])


def document(data: bytes) -> Document:
    return read_bytes(data, "t.csv")


def test_an_equal_value_meets_an_expectation_and_the_evidence_says_where() -> None:
    assert judged("¥12,600") == (True, "¥12,600 stands in t.csv, row 2, column 2, written 12600")
    assert judged("1,260") == (False, "1,260: no equal value in t.csv")
    assert judged("55,000") == (False, "55,000: no equal value in t.csv")


def test_a_value_must_stand_on_the_line_of_the_words_that_it_is_expected_beside() -> None:
    assert judged("5500", beside="greyfell") == (True, '5500 stands in t.csv, row 3, column 2, beside "greyfell"')
    assert judged("5500", beside="Ashgrove") == (
        False,
        '5500 stands in t.csv, row 3, column 2, but nowhere beside "Ashgrove"',
    )


def test_a_value_that_stands_twice_is_met_by_the_place_beside_its_words() -> None:
    twice = b"a,7.5\nb,7.5\n"
    assert judged("7.5", beside="b", data=twice) == (True, '7.5 stands in t.csv, row 2, column 2, beside "b"')


def test_a_phrase_is_met_in_any_case_and_spacing() -> None:
    assert judged("Greyfell 5500", is_value=False)[0]
    assert judged("oak", is_value=False) == (False, "oak: no such words in t.csv")


def test_a_rubric_needs_all_that_it_expects_unless_one_is_enough() -> None:
    both = (Expectation("12,600", True), Expectation("9,999", True))
    assert verdict(Check("x", "", both), document(ROWS), "t.csv")["passed"] is False
    assert verdict(Check("x", "", both, any_one=True), document(ROWS), "t.csv")["passed"] is True


@pytest.mark.parametrize("task", sorted({sample.task for sample in SAMPLES}))
def test_a_rubric_states_the_values_that_its_check_expects_and_no_other(task: str) -> None:
    for check in checks_of(task):
        stated = {value.text for value in values(check.text) if is_distinctive(value)}
        assert stated == {expected.text for expected in check.expected if expected.is_value}, check.rubric


@pytest.mark.parametrize("name", NAMES)
def test_each_run_has_a_verdict_with_evidence_on_each_rubric(name: str) -> None:
    bundle = bundle_of(folder_of(name))
    assert bundle.rubrics
    assert [verdict.rubric_id for verdict in bundle.verdicts] == [rubric.rubric_id for rubric in bundle.rubrics]
    for found in bundle.verdicts:
        assert found.passed is not None
        assert deliverable_of(name).name in found.evidence


@pytest.mark.parametrize("name", NAMES)
def test_a_changed_deliverable_changes_the_verdicts(name: str) -> None:
    """What was drawn and not looked for would stay."""
    checks = checks_of(BY_NAME[name].task)
    recorded_verdicts = json.loads((folder_of(name) / "verdicts.json").read_text(encoding="utf-8"))
    whole = read_document(deliverable_of(name))
    assert [verdict(check, whole, deliverable_of(name).name) for check in checks] == recorded_verdicts
    assert not any(verdict(check, document(b"nothing\n"), "t.csv")["passed"] for check in checks)


# the hand count, held against the records by plain search


def test_every_distinctive_value_of_every_rubric_is_counted_once() -> None:
    assert list(COUNTED) == NAMES
    for name, fates in COUNTED.items():
        expected = [
            (rubric.rubric_id, value.text)
            for rubric in bundle_of(folder_of(name)).rubrics
            for value in values(rubric.text)
            if is_distinctive(value)
        ]
        assert [(item["rubric"], item["value"]) for item in fates["values"]] == expected


def test_every_outcome_occurs() -> None:
    assert {item["outcome"] for _, item in EACH} == {
        "delivered",
        "delivered in part",
        "misplaced",
        "worked out unseen",
        "missing, held",
        "missing, only listed",
        "missing, computed",
        "missing, not needed",
        "missing, too late",
        "missing, task alone",
        "distorted",
        "never met",
    }


@each_value
def test_the_verdict_is_the_recorded_one(name: str, item: Counted) -> None:
    [found] = [v for v in bundle_of(folder_of(name)).verdicts if v.rubric_id == item["rubric"]]
    assert found.passed is item["passed"]


@each_value
def test_a_value_is_delivered_when_its_digits_stand_in_the_deliverable(name: str, item: Counted) -> None:
    text = read_document(deliverable_of(name)).text
    written = (item["written"],) if "written" in item else spellings(item["value"])
    assert any(stands(digits, text) for digits in written) is item["delivered"]


@each_value
def test_a_value_is_first_shown_in_the_counted_turn(name: str, item: Counted) -> None:
    turn = item["shown"] or item.get("late", 0)
    shown = list(recorded(name).observations())
    if not turn:
        assert not any(stands(digits, text) for _, text in shown for digits in spellings(item["value"]))
        return
    first = min(number for number, text in shown if stands(item["seen"], text))
    assert first == turn
    assert (turn <= COUNTED[name]["last_written"]) is bool(item["shown"])


@each_value
def test_a_value_is_held_in_the_counted_entries(name: str, item: Counted) -> None:
    run = recorded(name)
    tab = run.at(len(run.run.turns))
    own = [entry_id for entry_id, entry in tab.read_log.items() if not entry.authored]
    seen = item.get("seen")
    assert [entry for entry in own if seen and stands(seen, tab.show(entry)[1])] == item["held"]


@pytest.mark.parametrize("name", NAMES)
def test_the_deliverable_is_written_last_in_the_counted_turn(name: str) -> None:
    written = [event.turn for event in recorded(name).events if isinstance(event, FileAuthored)]
    assert max(written) == COUNTED[name]["last_written"]
