from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_replay import made_replay

from dashboard.selection import Selection, found_by, from_address, nearest_turn, run_line, run_name, to_address

RUN = made_replay(40, 30, 6).run
RUN_IDS = st.from_regex(r"[0-9a-f]{16}(\.[a-z0-9-]{1,20})?", fullmatch=True)


@given(st.builds(Selection, RUN_IDS, st.none() | st.integers(1, 10**9 - 1)))
def test_an_address_chooses_what_it_was_made_of(chosen: Selection) -> None:
    assert from_address(to_address(chosen)) == chosen


@given(st.dictionaries(st.sampled_from(["run", "turn", "else"]), st.text()))
def test_any_query_is_understood_or_ignored(query: dict[str, str]) -> None:
    chosen = from_address(query)
    assert chosen.run is None or chosen.run == query["run"]
    assert chosen.turn is None or chosen.turn > 0


@pytest.mark.parametrize("run", ["", "0123", "g" * 16, "0123456789abcdef/..", "0123456789abcdef.\n", "0" * 17])
def test_what_is_no_run_id_chooses_no_run(run: str) -> None:
    assert from_address({"run": run}).run is None


@given(st.none() | st.integers(0, 60), st.sets(st.integers(1, 50), min_size=1))
def test_the_turn_to_open_at_is_one_of_the_runs(turn: int | None, turns: set[int]) -> None:
    opened = nearest_turn(turn, tuple(sorted(turns)))
    assert opened in turns
    assert turn not in turns or opened == turn


def test_the_line_leaves_out_what_the_record_does_not_say() -> None:
    assert run_line(RUN) == "travel guide · running_tab · scripted · attempt 1/1"
    bare = replace(RUN, method=None, model=None, attempt=None, attempts=None)
    assert run_line(bare) == "travel guide"


def test_a_run_without_a_name_is_called_by_its_tasks_first_line_then_by_its_file() -> None:
    assert run_name(replace(RUN, task_name=None, task="\n\nFirst line\nsecond")) == "First line"
    assert run_name(replace(RUN, task_name=None, task="## Task\n\nFind a circuit.\nMore")) == "Task: Find a circuit."
    assert run_name(replace(RUN, task_name=None, task="Answer this:\nWhat is 2 + 2?")) == "Answer this: What is 2 + 2?"
    assert run_name(replace(RUN, task_name=None, task="", path="C:\\logs\\x.jsonl")) == "x.jsonl"


def test_the_line_holds_no_character_that_could_reorder_or_break_it() -> None:
    line = run_line(replace(RUN, task_name="a\u202eb\nc\x1b[31md"))
    assert line.startswith("ab cd ·")


def test_a_search_wants_every_word_in_any_case_and_any_field() -> None:
    assert found_by(RUN, "GUIDE scripted")
    assert found_by(RUN, "")
    assert not found_by(RUN, "guide absent")
