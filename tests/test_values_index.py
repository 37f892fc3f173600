"""The fast reading of many texts (rows of an index) against the full matcher, on what it is made for and on what breaks it."""

import json
import random
import re
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tabcore.text import no_values
from tabcore.text.byte_lines import byte_lines
from tabcore.text.hidden_lines import hidden_lines
from tabcore.text.line_numbers import Entry
from tabcore.text.line_shapes import shapes
from tabcore.text.number_columns import number_columns
from tabcore.text.number_marks import CODES
from tabcore.text.number_stream import line_by_line, numbers_of
from tabcore.text.number_tokens import hide
from tabcore.text.numerals import one_width
from tabcore.text.plain_numbers import KINDS
from tabcore.text.segments import segments
from tabcore.text.value_rules import canonical, kind_of
from tabcore.text.values import values

SENTENCES = [
    json.loads(line)["text"]
    for line in (Path(__file__).parent / "golden" / "values" / "sentences.jsonl").read_text("utf-8").splitlines()
]
REAL = Path(__file__).resolve().parents[2] / "shared" / "real"


def rows(texts: list[str], short: int = 0) -> list[list[Entry]]:
    """What the columns hold of each text, read at once from `short` characters on."""
    found: list[list[Entry]] = [[] for _ in texts]
    for batch in number_columns(texts, short=short):
        for text, key, start, end, kind in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            found[text].append((key, start, end, KINDS[kind]))
    return found


def stated(text: str) -> list[Entry]:
    return [(canonical(value), value.start, value.end, kind_of(value)) for value in values(text)]


def differing(texts: list[str]) -> list[tuple[str, list[Entry], list[Entry]]]:
    return [
        (text, found, expected)
        for text, found in zip(texts, rows(texts), strict=True)
        if found != (expected := list(line_by_line(text)))
    ]


def is_plain(line: str) -> bool:
    lines = byte_lines(list(segments(line)))
    shaped = shapes(lines.data)
    return bool((shaped.rows | shaped.free).all())


# Lines of the kinds that observations hold, with everything that a rule of the matcher reacts to ------------------------

WORDS = """
total was at the to and between note section page of million percent in kg Mr Table May a x no invoice EUR call or de
up grew shipped growth rent table tables step phase version update build order id file week weeks mars juin septembre
kundennummer konto room page pages line from through und bis et le du im am zur die points thousand cr bn per dollars
euros yen March June Sept Q3 FY rue platform unit level price Street Fjord AS GmbH posted UK&I Dorne é à vers années
""".split()  # noqa: SIM905
FORMS = """
12 1,204 $3.4M $5 12.3% (531,178) -5 0.5 12.345 2019 (12%) 1e6 3-6 007 $1,200.00 5k 1/2 9,99 6.2024 1,234,567 -0 -0.5
0.13912345678 13912345678 2024-06-28 14:30 14:30:05,123 28.06.2024 1.2.3 v2 Q4.csv data/q3_2024.csv ./a/797.txt utf8
x86_64 abcd-12 item_7 A1 n5 USD5 http://x.org/a/2024 http://x.org/a?b=915, n=45 a|5|b www.x.org|5| 10-K #12 [12] [1,2] 5. 5) 5: 12% 100. 1,234. $5.5B. 12ms 5kg "5"
"1,204" "(1,204)" (5) 3rd 50er 1234567890 12345678901 0 0.0 2050 -$5 (-5) 12,5 1.234,50 ½ 5½ 2² $12m, 24/7 10:5 5h 5%,
""".split()  # noqa: SIM905
GAPS = [
    " ",
    " ",
    " ",
    " ",
    ",",
    ", ",
    "  ",
    "\t",
    "|",
    " | ",
    ": ",
    '": ',
    '", "',
    "(",
    ")",
    "-",
    "/",
    ".",
    ". ",
    "=",
    "\\n",
]
STARTS = [
    "  12→",
    "3) ",
    "10. ",
    "",
    "",
    "",
    "    12\t",
    "     7 ",
    "data/q3.csv:12:",
    "a b/Q 4.md:7:",
    "  ",
    "1. ",
    "# ",
    '  {"id": ',
    "| ",
    "- ",
    "-rw-r--r-- 1 ",
]


def line_of(pick: random.Random) -> str:
    kind, size = pick.random(), pick.randrange(1, 9)
    if kind < 0.3:
        body = ",".join(pick.choice(FORMS if pick.random() < 0.6 else WORDS) for _ in range(size))
    elif kind < 0.7:
        body = " ".join(pick.choice(FORMS if pick.random() < 0.25 else WORDS) for _ in range(size + 3))
    elif kind < 0.8:
        body = " | ".join(pick.choice(FORMS if pick.random() < 0.5 else WORDS) for _ in range(size)) + " |"
    elif kind < 0.9:
        body = ", ".join(f'"{pick.choice(WORDS)}": {pick.choice(FORMS)}' for _ in range(size)) + "}"
    else:
        body = "".join(pick.choice(FORMS if pick.random() < 0.5 else WORDS) + pick.choice(GAPS) for _ in range(size))
    return pick.choice(STARTS) + body + pick.choice(["", "", "", ".", ",", ";", "\r"])


LABELS = sorted(
    {*no_values.LABEL_WORDS, *no_values.NAMING_WORDS, *CODES, *re.findall(r"\w+", str(no_values.NO_VALUES))}
)
SHELLS = [
    "it {} 12 was",
    "it {} 1,204 was",
    "it {} 12.5% was",
    "it {} $5 was",
    "it {} (531) was",
    "of 12 {} was",
    "of 12.5% {} was",
    "of $5M {} 7 was",
    "of 12, {} was",
    "in 2019 {} was",
    "{}: 12",
    '"{}": 12,',
    "| {} | 12 |",
    "a,{},12,b",
    "5,{} 12,b",
]


def test_words_that_a_rule_knows_are_read_alike_beside_every_form_of_number() -> None:
    lines = [shell.format(word) for word in (*LABELS, *WORDS) for shell in SHELLS]
    assert differing(lines) == []


@given(st.integers(0, 2**40))
@example(48552)  # a line break written out before a currency's code: le)Q3\\nUSD5
@settings(max_examples=60, deadline=None)
def test_lines_put_together_from_what_rules_react_to_are_read_alike(seed: int) -> None:
    pick = random.Random(seed)
    assert differing([line_of(pick) for _ in range(400)]) == []


@given(st.integers(0, 2**40))
@example(1233)  # a currency before the name of a file: $5.5B.-Q4.csv
@settings(max_examples=30, deadline=None)
def test_texts_of_such_lines_and_of_gold_sentences_are_read_alike(seed: int) -> None:
    pick = random.Random(seed)
    texts = [
        "\n".join(
            line_of(pick) if pick.random() < 0.7 else pick.choice(SENTENCES) for _ in range(pick.randrange(1, 12))
        )
        for _ in range(40)
    ]
    assert differing(texts) == []


@given(
    st.lists(
        st.one_of(st.text(max_size=60), st.text('0123456789.,%$()-: |"/abtoM\n\x01\x02\x85', max_size=40)), max_size=30
    )
)
@settings(max_examples=300, deadline=None)
def test_any_texts_are_read_alike(texts: list[str]) -> None:
    assert differing(texts) == []


@given(st.lists(st.sampled_from(SENTENCES), max_size=6).map("\n".join))
@settings(max_examples=150, deadline=None)
def test_the_stream_of_a_text_holds_its_values(text: str) -> None:
    assert list(numbers_of(text)) == stated(text)


@given(st.lists(st.sampled_from(SENTENCES), max_size=6))
@settings(max_examples=60, deadline=None)
def test_short_texts_are_read_as_long_ones_are(texts: list[str]) -> None:
    assert rows(texts, short=1 << 14) == rows(texts)


@given(st.integers(0, 2**40))
@settings(max_examples=40, deadline=None)
def test_of_many_lines_the_same_is_hidden_as_of_each(seed: int) -> None:
    pick = random.Random(seed)
    lines = [line_of(pick) if pick.random() < 0.5 else pick.choice(SENTENCES) for _ in range(200)]
    assert hidden_lines(lines) == [hide(one_width(line)) for line in lines]


def test_examples_of_what_is_no_value_are_hidden_in_many_lines_too() -> None:
    lines = [form.format(kind.example) for kind in no_values.NO_VALUES for form in ("{}", "see {} of 5", "İı {}")]
    assert hidden_lines(lines) == [hide(one_width(line)) for line in lines]


def test_the_stream_of_a_long_text_holds_its_values() -> None:
    text = "\n".join([*SENTENCES, *(f"{n},2024-06-30,Fjord AS,{n * 7.25:.2f},17" for n in range(900))])
    assert list(numbers_of(text)) == stated(text)


@pytest.mark.parametrize(
    "line",
    [
        "7,2024-06-28,Fjord AS,1234567.89,17,0.5000,posted",
        "    12\t7,2024-06-28,Fjord AS,-1234567.89,17,0.5000,posted",
        "data/q3.csv:12:7,2024-06-28,Fjord AS,12.00,17",
        "The total net was 1,204,500.75 in the year.",
        "| Fjord AS | 12.3% | $5.5M | (531,178) |",
        '  {"id": 12, "entity": "Fjord AS", "amount": 1234.50, "flag": true},',
        "    566 Aldgate GmbH,posted",
        "see data/q3_2024.csv and utf8, a total of 12 rows",
    ],
)
def test_what_observations_consist_of_is_read_at_once(line: str) -> None:
    assert is_plain(line)


# Real logs ----------------------------------------------------------------------------------------------------------


def strings(record: object) -> Iterator[str]:
    if isinstance(record, str):
        yield record
    elif isinstance(record, dict | list):
        for item in record.values() if isinstance(record, dict) else record:
            yield from strings(item)


def records(path: Path) -> Iterator[Any]:
    text = path.read_text("utf-8", "replace")
    for piece in text.splitlines() if path.suffix == ".jsonl" else [text]:
        try:
            yield json.loads(piece)
        except ValueError:
            yield piece


@pytest.mark.long
def test_every_text_of_real_logs_is_read_alike() -> None:
    if not REAL.exists():
        pytest.skip("the real logs are not beside this checkout")
    texts = {text for path in REAL.rglob("*.json*") for record in records(path) for text in strings(record)}
    assert len(texts) > 1000
    assert [text[:200] for text, *_ in differing(sorted(texts))] == []


# Hard texts ---------------------------------------------------------------------------------------------------------


def test_the_decimal_mark_of_a_text_is_told_by_its_other_lines() -> None:
    english, german = "a total of 1.234 units\nand a total of 5.75 kg", "insgesamt 1.234 Stück\nzu 5,75 Euro"
    assert [[key for key, *_ in found] for found in rows([english, german, "a,1.234,b", "x,1.5,y\nz,1.234,b"])] == [
        ["1.234", "5.75"],
        ["1234", "5.75"],
        ["1.234"],
        ["1.5", "1.234"],
    ]
    assert differing([english, german, f"{german}\n{english}\nof 1.234 units"]) == []
    for short in (0, 1 << 14):
        [batch] = number_columns(["a total of 1.234 units"], locale_hint="comma", short=short)
        assert batch["key"].to_pylist() == ["1234"]


def test_places_count_characters_also_after_letters_of_any_script() -> None:
    texts = ["Günther,12.5,x\n三百二十 units\nGünther 😀,17,x\nof 9 units", "é,7,é"]
    assert [
        [text[start:end] for _, start, end, _ in found] for text, found in zip(texts, rows(texts), strict=True)
    ] == [
        ["12.5", "三百二十", "17", "9"],
        ["7"],
    ]


@pytest.mark.parametrize("piece", ["1,", "1 ", "a,1.5,", '{"a":12.5,"b":"x"},', "QUJD", "x.csv:12:", "| 5 ", "é1 "])
def test_a_line_of_fifty_times_the_length_takes_about_fifty_times_as_long(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        began = time.process_time()
        rows([text])
        return time.process_time() - began

    small, large = min(seconds(20_000) for _ in range(2)), seconds(1_000_000)
    assert large < 100 * small + 0.3


def peak_of(rows_of_json: int) -> int:
    text = "[" + ",".join(f'{{"sku":"A-{n}","total":{n}.25,"share":"12.5%"}}' for n in range(rows_of_json)) + "]"
    tracemalloc.start()
    counted = sum(1 for key, *_ in numbers_of(text) if key.endswith(".25"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert counted == rows_of_json
    return peak


def test_a_single_line_of_megabytes_is_streamed_in_memory_that_does_not_grow_with_it_but_for_a_copy() -> None:
    small, large = peak_of(30_000), peak_of(120_000)
    assert large - small < 2 * 90_000 * len('{"sku":"A-100000","total":100000.25,"share":"12.5%"},')
