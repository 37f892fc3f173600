"""The number matcher against the gold sentences, its own laws, and texts that are hard to survive."""

import json
import re
import time
from collections import Counter
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tabcore.text.dates import dates
from tabcore.text.no_values import NO_VALUES
from tabcore.text.number_stream import numbers_of
from tabcore.text.value_rules import (
    Rule,
    Value,
    canonical,
    equal,
    is_distinctive,
    is_distinctive_key,
    kind_of,
    relation,
)
from tabcore.text.values import values

Json: TypeAlias = dict[str, Any]

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "golden" / "values" / "sentences.jsonl").read_text("utf-8").splitlines()
]
HOSTILE = Path(__file__).resolve().parents[2] / "shared" / "hostile_logs" / "29_number_forms.jsonl"
LANGUAGES = {"en", "zh", "de", "fr", "en-IN"}


def stated(value: Value) -> str:
    return f"{value.ratio[0]}/{value.ratio[1]}" if value.ratio else format(value.number, "f")


def readings(gold: Json) -> list[Json]:
    return [gold, *gold.get("also", [])]


def meets(value: Value, reading: Json) -> bool:
    return (value.start, value.end, stated(value), value.percent) == (
        reading["start"],
        reading["end"],
        reading["number"],
        reading["percent"],
    )


def has_flags(value: Value, reading: Json) -> bool:
    return (value.currency, value.scaled, value.distinctive) == (
        reading["currency"],
        reading["scaled"],
        reading["distinctive"],
    )


def judged(row: Json) -> Counter[str]:
    """How many values of a row are met, met with their flags, wrong, missed."""
    score: Counter[str] = Counter()
    open_golds = list(row["values"])
    for value in values(row["text"]):
        gold = next((item for item in open_golds if any(meets(value, reading) for reading in readings(item))), None)
        if gold is None:
            score["wrong"] += 1
            continue
        open_golds.remove(gold)
        if not gold.get("optional"):
            score["met"] += 1
            score["flagged"] += any(meets(value, reading) and has_flags(value, reading) for reading in readings(gold))
    score["missed"] = sum(not gold.get("optional") for gold in open_golds)
    return score


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_precision_and_recall_on_the_gold_are_at_least_99_percent_in_every_language(language: str) -> None:
    score = sum((judged(row) for row in ROWS if row["lang"] == language), Counter())
    assert score["met"] / (score["met"] + score["wrong"]) >= 0.99
    assert score["met"] / (score["met"] + score["missed"]) >= 0.99


def test_currency_scale_and_distinctiveness_agree_with_the_gold_on_99_percent_of_the_values_met() -> None:
    score = sum((judged(row) for row in ROWS), Counter())
    assert score["flagged"] / score["met"] >= 0.99


def test_full_dates_of_the_gold_are_found_with_their_days() -> None:
    wrong = []
    for row in ROWS:
        expected = [(day["start"], day["end"], {day["iso"], *day.get("also", [])}) for day in row["dates"]]
        found = [(day.start, day.end, day.iso) for day in dates(row["text"])]
        if len(found) != len(expected) or any(
            f[:2] != e[:2] or f[2] not in e[2] for f, e in zip(found, expected, strict=True)
        ):
            wrong.append((row["id"], found))
    assert wrong == []


@pytest.mark.parametrize("kind", NO_VALUES, ids=lambda kind: kind.name)
def test_what_is_no_value_is_none_in_its_own_example(kind: Any) -> None:
    found = re.search(kind.pattern, kind.example, re.MULTILINE)
    assert found is not None
    assert [
        value.text for value in values(kind.example) if value.start < found.end() and value.end > found.start()
    ] == []


# Laws ---------------------------------------------------------------------------------------------------------------

TEXTS = st.one_of(
    st.text(alphabet="0123456789.,'% -–/():$€¥万亿元年月日kmMx×^e\n\t|\"#[]abcEUR百分之一二十", max_size=60),
    st.lists(st.sampled_from(ROWS).map(lambda row: str(row["text"])), max_size=3).map("\n".join),
    st.text(max_size=80),
)


@given(TEXTS)
@settings(max_examples=600, deadline=None)
def test_spans_are_exact_sorted_and_never_overlap(text: str) -> None:
    found = values(text)
    assert [value for value in found if text[value.start : value.end] != value.text or not value.text] == []
    assert all(first.end <= second.start for first, second in pairwise(found))
    days = dates(text)
    assert all(text[day.start : day.end] == day.text for day in days)
    assert all(first.end <= second.start for first, second in pairwise(days))


PROSE = st.sampled_from(
    ["the board met again", "Nothing else was said.", "(no further remarks)", "all staff were told"]
)


@given(st.sampled_from(ROWS), PROSE, PROSE)
@settings(max_examples=400, deadline=None)
def test_unrelated_prose_on_other_lines_changes_nothing_but_places(row: Json, before: str, after: str) -> None:
    assume(row["lang"] == "en")
    alone = values(row["text"])
    among = values(f"{before}\n{row['text']}\n{after}")
    shift = len(before) + 1
    assert [(v.text, v.start, stated(v), v.percent, v.currency) for v in alone] == [
        (v.text, v.start - shift, stated(v), v.percent, v.currency) for v in among
    ]


def grouped(digits: str, mark: str) -> str:
    return re.sub(r"(?<=\d)(?=(?:\d{3})+$)", mark, digits)


def indian(digits: str) -> str:
    head, tail = digits[:-3], digits[-3:]
    return re.sub(r"(?<=\d)(?=(?:\d{2})+$)", ",", head) + "," + tail if head else tail


NOTATIONS = {
    "English": lambda whole, part: f"{grouped(whole, ',')}.{part}",
    "German": lambda whole, part: f"{grouped(whole, '.')},{part}",
    "French": lambda whole, part: f"{grouped(whole, chr(0x202F))},{part}",
    "Swiss": lambda whole, part: f"{grouped(whole, chr(0x2019))}.{part}",
    "Indian": lambda whole, part: f"{indian(whole)}.{part}",
    "Chinese, full width": lambda whole, part: f"{grouped(whole, ',')}.{part}".translate(
        {n: n + 0xFEE0 for n in range(33, 127)}
    ),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@given(st.integers(1, 10**11), st.integers(0, 99), st.sampled_from(["", "-"]))
@example(1000, 0, "")
@example(999, 5, "-")
@settings(deadline=None)
def test_a_number_written_in_a_notation_is_read_back(notation: str, whole: int, hundredths: int, sign: str) -> None:
    text = sign + NOTATIONS[notation](str(whole), f"{hundredths:02d}")
    found = values(f"x: {text} .")
    assert [(value.text, value.number) for value in found] == [(text, Decimal(f"{sign}{whole}.{hundredths:02d}"))]


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.sampled_from(["{}{}", "1{}2", "{}.{}", "{},{},7", "-{}{}"]))
@settings(deadline=None)
def test_a_number_inside_a_longer_one_never_matches(number: int, other: int, form: str) -> None:
    text = form.format(number, other)
    spans = [(value.start, value.end) for value in values(text)]
    assert all(
        not text[max(0, start - 1) : start].isdecimal() and not text[end : end + 1].isdecimal() for start, end in spans
    )


@given(st.integers(1000, 9999), st.integers(1000, 9999))
@settings(deadline=None)
def test_numbers_that_touch_stay_apart(first: int, second: int) -> None:
    assert [value.number for value in values(f"{first},{second}")] == [first, second]


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_reading_twice_and_reading_the_value_alone_agree(text: str) -> None:
    assert values(text) == values(text)
    assert all(isinstance(value.number, Decimal) and value.number.is_finite() for value in values(text))


# Keys ----------------------------------------------------------------------------------------------------------------


@given(TEXTS, st.sampled_from([Rule(), Rule(digits=1), Rule(years=True), Rule(percents=False, decimals=False)]))
@settings(deadline=None)
def test_an_entry_of_the_index_is_distinctive_when_its_value_is(text: str, rule: Rule) -> None:
    assert all(is_distinctive_key(canonical(v), kind_of(v), rule) == is_distinctive(v, rule) for v in values(text))
    assert all(v.distinctive == is_distinctive(v) for v in values(text))


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_values_share_a_key_exactly_when_the_default_rule_takes_them_as_equal(text: str) -> None:
    found = values(text)
    assert all((canonical(a) == canonical(b)) == (equal(a, b) is not None) for a in found for b in found)


def one(text: str) -> Value:
    (value,) = values(text)
    return value


@pytest.mark.parametrize(
    ("first", "second", "how"),
    [
        ("$1,200.00", "1200", "exact"),
        ("55k", "55,000", "scaled"),
        ("5.5 万", "55000", "scaled"),
        ("(€3.1m)", "€3.1m", "sign differs"),
        ("12.3%", "12.30", "percent mark differs"),
        ("12.3%", "0.123", "percent as share"),
        ("16.181", "16,181", "other reading"),
        ("1000", "21000", None),
    ],
)
def test_two_values_agree_in_the_way_that_is_named(first: str, second: str, how: str | None) -> None:
    assert relation(one(first), one(second)) == how


@pytest.mark.parametrize(
    ("first", "second", "rule"),
    [
        ("(€3.1m)", "€3.1m", Rule(either_sign=True)),
        ("12.3%", "12.3", Rule(percent_marks_dropped=True)),
        ("12.3%", "0.123", Rule(shares=True)),
        ("16.181", "16,181", Rule(other_readings=True)),
    ],
)
def test_what_the_default_rule_refuses_a_rule_may_take(first: str, second: str, rule: Rule) -> None:
    assert equal(one(first), one(second)) is None
    assert equal(one(first), one(second), rule) is not None


def test_another_currency_is_refused_only_where_a_rule_asks() -> None:
    assert equal(one("€5"), one("£5")) == "exact"
    assert equal(one("€5"), one("£5"), Rule(same_currency=True)) is None


# Hard texts ---------------------------------------------------------------------------------------------------------


def test_the_hostile_log_of_number_forms_is_read_as_written() -> None:
    if not HOSTILE.exists():
        pytest.skip("the hostile logs are not beside this checkout")
    found = [
        value.text
        for value in values("revenue $1,200.00; share 85.19%; users 16.181; period 3-6; id 1400,1777; 3 patents")
    ]
    assert "1400,1777" in HOSTILE.read_text("utf-8")
    assert found == ["$1,200.00", "85.19%", "16.181", "3", "6", "1400", "1777", "3"]


@pytest.mark.parametrize(
    "piece",
    [
        "1,",
        "1 ",
        "(",
        "1.",
        "a1",
        "12:",
        "1/",
        "百",
        "一二",
        "$",
        "-1",
        '{"a":12.5,"b":"x"},',
        "A1b2",
        "x.csv:",
        "1 000 ",
        "Table 1, ",
        "#",
        ". ",
    ],
)
def test_a_long_line_of_one_thing_is_read_in_linear_time(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        began = time.process_time()
        sum(1 for _ in numbers_of(text))
        return time.process_time() - began

    small, large = min(seconds(40_000) for _ in range(2)), seconds(320_000)
    assert large < 24 * small + 0.2


def test_base64_and_data_addresses_hold_no_values() -> None:
    blob = "iVBORw0KGgoAAAANSUhEUgAAAAUA88AFCAYAAACNbyblAAAAHElEQVQI12P4" * 3000
    assert list(numbers_of(f"data:image/png;base64,{blob}\nTotal 1,234")) == [
        ("1234", len(blob) + 29, len(blob) + 34, "plain")
    ]


def test_a_colour_code_and_a_wrapped_scale_word_do_not_hide_a_value() -> None:
    assert one("total \x1b[1;31m1,234.56\x1b[0m due").text == "1,234.56"
    assert one("assets of $1.2\nbillion at the end").number == 1_200_000_000
