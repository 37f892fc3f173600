"""Full dates as entries of an index: which notations, which days, and that the fast reading says what the slow one says."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabcore.text.date_columns import date_columns
from tabcore.text.dates import dates_of

SENTENCES = [
    json.loads(line)["text"]
    for line in (Path(__file__).parent / "golden" / "values" / "sentences.jsonl").read_text("utf-8").splitlines()
]


def days(text: str) -> list[tuple[str, str]]:
    return [(iso, text[start:end]) for iso, start, end in dates_of(text)]


def columns(texts: list[str]) -> list[list[tuple[str, int, int]]]:
    found: list[list[tuple[str, int, int]]] = [[] for _ in texts]
    for batch in date_columns(texts):
        for text, iso, start, end in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            found[text].append((iso, start, end))
    return found


@pytest.mark.parametrize(
    "written",
    [
        "2024-06-28",
        "2024-6-28",
        "2024/06/28",
        "28.06.2024",
        "28/06/2024",
        "06/28/2024",
        "June 28, 2024",
        "Jun 28, 2024",
        "28 June 2024",
        "28th of June 2024",
        "28-Jun-2024",
        "28. Juni 2024",
        "28 juin 2024",
        "2024年6月28日",
        "２０２４年６月２８日",
        "二〇二四年六月二十八日",
    ],
)
def test_a_day_is_read_in_each_notation(written: str) -> None:
    for text in (written, f"due {written}.", f"a,{written},b\nnext"):
        assert days(text) == [("2024-06-28", written)]
        assert columns([text]) == [list(dates_of(text))]


@pytest.mark.parametrize(
    "text", ["2024-02-30", "31/02/2024", "1.2.3", "2024-06", "June 2024", "x2024-06-28", "3-6-9", "2024-06-281"]
)
def test_what_is_no_day_is_none(text: str) -> None:
    assert days(text) == []
    assert columns([text]) == [[]]


def test_day_and_month_are_told_apart_by_another_date_or_the_language_and_else_left_out() -> None:
    assert days("paid 03/04/2024") == []
    assert days("paid 04/04/2024") == [("2024-04-04", "04/04/2024")]
    assert days("paid 03/04/2024\nand 28/06/2024") == [("2024-04-03", "03/04/2024"), ("2024-06-28", "28/06/2024")]
    assert days("paid 03/04/2024\nand 06/28/2024") == [("2024-03-04", "03/04/2024"), ("2024-06-28", "06/28/2024")]
    assert days("Die Rechnung wurde am 03/04/2024 bezahlt und ist im Archiv") == [("2024-04-03", "03/04/2024")]
    assert days("am 03.04.2024") == [("2024-04-03", "03.04.2024")]


def test_a_leap_day_is_a_day_of_leap_years_only() -> None:
    assert columns(["2024-02-29 2023-02-29 1900-02-29 2000-02-29"]) == [[("2024-02-29", 0, 10), ("2000-02-29", 33, 43)]]


PIECES = """
2024-06-28 2024-02-30 1999-12-31 2300-01-01 28.06.2024 03/04/2024 15/04/2024 June 28, 28 2024 Mar 1 5 -12 /7 .5 T10:00:00Z
2024-06-28T10:00 2024-06-28.csv x2024-06-28 2024-06-28-5 2024-6-2 2024年6月28日 — – é ,a, and der 10-11-12 2024-06 − 28th of
""".split()  # noqa: SIM905


@given(st.integers(0, 2**40))
@settings(max_examples=60, deadline=None)
def test_texts_put_together_from_dates_and_what_is_near_them_are_read_alike(seed: int) -> None:
    pick = random.Random(seed)
    texts = [
        "\n".join(
            "".join(
                pick.choice(PIECES) + pick.choice([" ", " ", ",", "", ": ", "|"]) for _ in range(pick.randrange(1, 7))
            )
            if pick.random() < 0.8
            else pick.choice(SENTENCES)
            for _ in range(pick.randrange(1, 6))
        )
        for _ in range(60)
    ]
    assert columns(texts) == [list(dates_of(text)) for text in texts]
