"""JSON documents: what is sound reads as it is, what is torn keeps all that stands before and after the tear."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabcore.errors import Problem
from tabcore.readers.base import Account
from tabcore.readers.json_documents import DEPTH_LIMIT, DOCUMENT_LIMIT, decoded, mended, opening, values
from tabcore.source import Source
from tabcore.trajectory import Json

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
STEPS = [{"step": number, "text": f"text {number}", "parts": [{"n": number}]} for number in range(6)]
DOCUMENT = json.dumps({"steps": STEPS, "after": 1})


def is_step(value: dict[str, Json]) -> bool:
    return "step" in value


def problems(read: Callable[[Account], object]) -> list[Problem]:
    account = Account("log")
    read(account)
    return [piece for piece in account.pieces if isinstance(piece, Problem)]


@given(VALUES)
@settings(deadline=None)
def test_sound_text_is_read_by_the_careful_way_as_by_the_fast_one(value: Json) -> None:
    assert mended(json.dumps(value), is_step)[0] == [value]


@given(st.integers(0, len(DOCUMENT) - 1))
@settings(deadline=None)
def test_a_cut_anywhere_keeps_every_step_that_was_whole(place: int) -> None:
    whole = sum(DOCUMENT.index(json.dumps(step)) + len(json.dumps(step)) <= place for step in STEPS)
    found, faults = mended(DOCUMENT[:place], is_step)
    document = found[0] if found else {}
    steps = document.get("steps", []) if isinstance(document, dict) else []
    assert isinstance(steps, list)
    assert steps[:whole] == STEPS[:whole]
    assert len(faults) == (place > 0 or 1)


@pytest.mark.parametrize("damage", ["@@@", '"', "}", "]", "{", "\x00x"])
def test_after_damage_inside_a_step_the_next_steps_are_read(damage: str) -> None:
    place = DOCUMENT.index("text 2")
    found, _ = mended(DOCUMENT[:place] + damage + DOCUMENT[place + 1 :], is_step)
    document = found[0]
    assert isinstance(document, dict)
    steps = document["steps"]
    assert isinstance(steps, list)
    assert [step for step in STEPS if step["step"] != 2] == [
        step for step in steps if step in STEPS and step != STEPS[2]
    ]


def test_a_fault_names_its_line_and_says_what_was_done() -> None:
    text = json.dumps({"steps": STEPS}, indent=1).replace('"text 3"', "text 3")
    [fault] = problems(lambda account: decoded(text.encode(), is_step, account))
    line = text[: text.index("text 3")].count("\n") + 1
    assert (fault.line, fault.kind, fault.done, fault.lost) == (
        line,
        "torn document",
        "read on at the next record",
        True,
    )


def test_what_json_cannot_hold_is_read_as_text_or_mended() -> None:
    found = decoded(b'{"a": NaN, "b": 1e999, "c": "\\ud800", "d": "\xff"}', is_step, Account("log"))
    assert found == [{"a": "NaN", "b": "1e999", "c": "\ufffd", "d": "\ufffd"}]


def test_the_record_after_a_tear_may_hold_what_json_cannot() -> None:
    found, _ = mended('[{"step": 1}, @@ {"step": 2, "a": 1e999, "b": "\\ud800", "c": NaN}]', is_step)
    assert found == [[{"step": 1}, {"step": 2, "a": "1e999", "b": "\ufffd", "c": "NaN"}]]


def test_deep_nesting_ends_in_a_fault_and_not_in_an_error() -> None:
    found, faults = mended("[" * 100_000, is_step)
    assert len(faults) == 1
    depth, inner = 0, found
    while inner:
        depth, inner = depth + 1, inner[0]  # type: ignore[assignment]
    assert depth == DEPTH_LIMIT


def test_a_document_over_the_limit_is_not_read_and_a_problem_says_so() -> None:
    source = Source("big", Source.of_bytes("x", b" " * (DOCUMENT_LIMIT + 1)).open, lambda: DOCUMENT_LIMIT + 1)
    [problem] = problems(lambda account: list(values(source, is_step, account)))
    assert (problem.kind, problem.lost) == ("oversized document", True)


def test_lines_with_two_values_give_both_and_name_the_line() -> None:
    source = Source.of_bytes("log", b'{"step": 1}\n{"step": 2}{"step": 3}\n\n{"step": 4}\n')
    account = Account("log")
    assert [value for _, value in values(source, is_step, account)] == [{"step": n} for n in (1, 2, 3, 4)]
    assert [(piece.line, piece.kind) for piece in account.pieces if isinstance(piece, Problem)] == [
        (2, "torn document"), (2, "glued records"),
    ]  # fmt: skip


def test_the_opening_of_a_long_document_shows_its_first_steps() -> None:
    found = opening(DOCUMENT.encode()[:60])
    assert isinstance(found, dict)
    assert found["steps"] == [STEPS[0]] or list(found) == ["steps"]
