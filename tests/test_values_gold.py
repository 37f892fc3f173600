"""The gold sentences of the number matcher agree with themselves and with the written rules. No matcher is needed."""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import pytest

Json: TypeAlias = dict[str, Any]

GOLD = Path(__file__).parent / "golden" / "values" / "sentences.jsonl"
ROWS = [json.loads(line) for line in GOLD.read_text(encoding="utf-8").splitlines()]
FEWEST = {"en": 150, "zh": 100, "de": 80, "fr": 70, "en-IN": 60}
READING = {"text", "start", "end", "number", "percent", "currency", "scaled", "distinctive"}
UNIT = re.compile(r"\s?(?:[kMG]?Wh|kg|t|km|m|mm|MW|h|°C)\b")
PERCENT_MARK = re.compile(r"%|per\s?cent|pct|Prozent|pour\scent|百分之")
FRACTION = re.compile(r"\d\s?/\s?\d|[½⅓¾]|分之[一二三四五六七八九]")
POWER_OF_TEN = re.compile(r"\de[+-]?\d|[×·]\s?10")


def readings(row: Json) -> Iterator[Json]:
    """Every value of a row and every other reading that is accepted for it."""
    for value in row["values"]:
        yield value
        yield from value.get("also", [])


EVERY = [(row, reading) for row in ROWS for reading in readings(row)]


def plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def exact(number: str) -> Fraction:
    return Fraction(number) if "/" in number else Fraction(Decimal(number))


def digits(text: str) -> str:
    return "".join(c for c in plain(text) if c in "0123456789")


def is_spelled_in_digits(reading: Json) -> bool:
    text = reading["text"]
    return bool(digits(text)) and not (FRACTION.search(text) or POWER_OF_TEN.search(text))


def is_bare_year(row: Json, reading: Json) -> bool:
    text = reading["text"]
    in_range = bool(re.fullmatch(r"\d{4}", text)) and 1900 <= int(text) <= 2100
    return in_range and not UNIT.match(row["text"], reading["end"])


def has_decimal_part(reading: Json) -> bool:
    number = exact(reading["number"])
    if number.denominator != 1:
        return True
    return is_spelled_in_digits(reading) and len(digits(reading["text"]).lstrip("0")) > len(str(abs(int(number))))


def should_be_distinctive(row: Json, reading: Json) -> bool:
    if reading["percent"] or reading["currency"] or has_decimal_part(reading):
        return True
    return abs(exact(reading["number"])) >= 100 and not is_bare_year(row, reading)


def is_other_side_of_a_year(row: Json, reading: Json) -> bool:
    """A count in the range of years is the one case where both flags are accepted, as another reading."""
    return is_bare_year(row, reading) and any(reading in value.get("also", []) for value in row["values"])


def name(row: Json, reading: Json) -> str:
    return f"{row['id']}: {reading['text']!r} in {row['text']!r}"


def test_the_gold_has_enough_rows_in_every_language() -> None:
    counted = Counter(row["lang"] for row in ROWS)
    assert len(ROWS) >= 450
    assert set(counted) == set(FEWEST)
    assert {lang: counted[lang] for lang in FEWEST if counted[lang] < FEWEST[lang]} == {}


def test_ids_and_sentences_occur_once() -> None:
    assert [i for i, n in Counter(row["id"] for row in ROWS).items() if n > 1] == []
    assert [t for t, n in Counter(row["text"] for row in ROWS).items() if n > 1] == []


def test_at_least_120_sentences_state_no_value() -> None:
    assert sum(all(value.get("optional") for value in row["values"]) for row in ROWS) >= 120


def test_rows_and_readings_have_the_stated_fields_only() -> None:
    for row in ROWS:
        assert set(row) - {"ambiguous"} == {"id", "lang", "text", "values", "dates", "note"}, row["id"]
        assert row["note"], row["id"]
        assert all(set(value) - {"optional", "also"} == READING for value in row["values"]), row["id"]
        assert all(set(other) == READING for value in row["values"] for other in value.get("also", [])), row["id"]
        assert all(set(day) - {"also"} == {"text", "start", "end", "iso"} for day in row["dates"]), row["id"]


def test_every_span_cuts_out_its_text() -> None:
    spans = [*EVERY, *((row, day) for row in ROWS for day in row["dates"])]
    assert [name(row, span) for row, span in spans if row["text"][span["start"] : span["end"]] != span["text"]] == []
    assert [name(row, span) for row, span in spans if span["text"] != span["text"].strip()] == []


def test_values_and_dates_are_in_order_and_never_overlap() -> None:
    for row in ROWS:
        assert row["values"] == sorted(row["values"], key=lambda value: value["start"]), row["id"]
        spans = sorted((span["start"], span["end"]) for span in [*row["values"], *row["dates"]])
        assert all(end <= start for (_, end), (start, _) in pairwise(spans)), row["id"]


def test_another_reading_overlaps_the_value_and_differs_from_it() -> None:
    for row in ROWS:
        for value in row["values"]:
            for other in value.get("also", []):
                assert max(other["start"], value["start"]) < min(other["end"], value["end"]), name(row, value)
                assert any(other[field] != value[field] for field in READING), name(row, value)


def test_numbers_are_canonical_decimals_or_fractions_without_a_finite_decimal() -> None:
    for row, reading in EVERY:
        number = reading["number"]
        if "/" in number:
            fraction = Fraction(number)
            assert f"{fraction.numerator}/{fraction.denominator}" == number, name(row, reading)
            assert pow(10, 64, fraction.denominator) != 0, name(row, reading)
        else:
            assert re.fullmatch(r"-?(0|[1-9]\d*)(\.\d*[1-9])?", number), name(row, reading)
            assert Decimal(number).is_finite(), name(row, reading)


def test_the_number_has_the_digits_of_its_text() -> None:
    wrong = [
        name(row, reading)
        for row, reading in EVERY
        if is_spelled_in_digits(reading) and digits(reading["text"]).strip("0") != digits(reading["number"]).strip("0")
    ]
    assert wrong == []


def test_fractions_and_powers_of_ten_come_out_as_computed() -> None:
    for row, reading in EVERY:
        text = plain(re.sub(r"(?<=\d)(?=[½⅓¾])", " ", reading["text"]))
        text = text.replace("⁄", "/").replace(",", ".").replace("−", "-")
        if mixed := re.fullmatch(r"(?:(\d+) )?(\d+)/(\d+)", text):
            whole, over, under = (int(part or 0) for part in mixed.groups())
            assert exact(reading["number"]) == whole + Fraction(over, under), name(row, reading)
        elif power := re.fullmatch(r"([\d.]+)(?:e| ?× ?10\^?)(-?\d+)", text):
            assert exact(reading["number"]) == Fraction(power[1]) * Fraction(10) ** int(power[2]), name(row, reading)


def test_a_value_is_negative_only_with_a_minus_or_parentheses_in_its_span() -> None:
    for row, reading in EVERY:
        signed = bool(re.search(r"^\W*[-−–]|^\W*\(.*\)", plain(reading["text"])))
        assert reading["number"].startswith("-") == signed, name(row, reading)


def test_a_percent_mark_stands_in_the_span_or_at_the_end_of_its_range() -> None:
    for row in ROWS:
        for at, value in enumerate(row["values"]):
            marked = bool(PERCENT_MARK.search(plain(value["text"])))
            follower = row["values"][at + 1] if at + 1 < len(row["values"]) else None
            shared = follower is not None and follower["percent"] and bool(PERCENT_MARK.search(plain(follower["text"])))
            assert value["percent"] or not marked, name(row, value)
            assert not value["percent"] or marked or shared, name(row, value)


def test_a_value_without_letters_or_marks_is_scaled_only_by_the_next_value() -> None:
    for row in ROWS:
        for at, value in enumerate(row["values"]):
            bare = re.fullmatch(r"[\d.,\s()+−–$€£₹-]+", value["text"])
            follower = row["values"][at + 1] if at + 1 < len(row["values"]) else {"scaled": False}
            assert not (bare and value["scaled"]) or follower["scaled"], name(row, value)


def test_the_distinctive_flag_follows_the_definition() -> None:
    wrong = [
        name(row, reading)
        for row, reading in EVERY
        if reading["distinctive"] != should_be_distinctive(row, reading) and not is_other_side_of_a_year(row, reading)
    ]
    assert wrong == []


def test_a_row_is_ambiguous_exactly_when_more_than_one_answer_is_accepted() -> None:
    for row in ROWS:
        choices = [value for value in row["values"] if value.get("optional") and not is_bare_year(row, value)]
        choices += [span for span in [*row["values"], *row["dates"]] if "also" in span]
        assert row.get("ambiguous", False) == bool(choices), row["id"]


def test_dates_are_real_days() -> None:
    for row in ROWS:
        for day in row["dates"]:
            assert all(date.fromisoformat(iso) for iso in [day["iso"], *day.get("also", [])]), row["id"]


@pytest.mark.parametrize(
    "kept",
    [
        "€1.234,50",
        "₹1,23,45,678",
        "¥55,000",
        "US$ 12.3m",
        "CHF 1'234.50",
        "5.5 万",
        "三百二十",
        "1½",
        "１２．５％",
        "12 Mio €",
    ],
)
def test_the_gold_has_every_form_that_the_rules_name(kept: str) -> None:
    assert any(reading["text"] == kept for _, reading in EVERY)
