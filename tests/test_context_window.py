"""What has left the model's window at a turn, by level."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabcore.tab.context_window import LEVELS, Level, displaced_at

LENGTHS = st.lists(st.lists(st.integers(0, 60_000), max_size=3), max_size=40)


@pytest.mark.parametrize("level", LEVELS[:3])
def test_levels_without_a_budget_clear_nothing(level: Level) -> None:
    assert displaced_at([[60_000]] * 50, level) == (None,) * 50


def test_level_3_keeps_the_last_twelve_responses_once_the_budget_is_exceeded() -> None:
    left = displaced_at([[20_000]] * 20, LEVELS[3])
    assert left[0] == 14  # 13 turns of 20,000 exceed 240,000
    assert left[1] == 15
    assert left[7] == 21
    assert left[8] is None


def test_a_long_result_counts_only_up_to_the_cap() -> None:
    assert displaced_at([[10_000_000]] * 5, LEVELS[3]) == (None,) * 5


@given(LENGTHS)
def test_results_leave_in_the_order_in_which_they_came(results: list[list[int]]) -> None:
    left = [turn if turn is not None else 10**9 for turn in displaced_at(results, LEVELS[5])]
    assert left == sorted(left)
    assert all(turn >= i + 1 + LEVELS[5].kept_responses for i, turn in enumerate(left, 1))


@given(LENGTHS)
def test_nothing_leaves_while_all_text_is_within_the_budget(results: list[list[int]]) -> None:
    level = LEVELS[3]
    total = sum(min(length, 20_000) for lengths in results for length in lengths)
    if total <= 240_000:
        assert set(displaced_at(results, level)) <= {None}
