"""No number that a broken log states goes on to the store when no run can have it; all else goes on untouched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabcore.plausible import plausible
from tabcore.trajectory import Observation, RunEnded, RunHeader, RunStarted, Turn, TurnRead, Usage

COUNTS = st.integers() | st.sampled_from([0, 2**31, -(2**31), 2**53, 10**30, -(10**400)])
COSTS = st.none() | st.floats() | st.sampled_from([1e300, float("inf"), float("nan")])
TURNS = st.builds(
    Turn,
    number=st.just(1),
    text=st.just("said"),
    usage=st.none() | st.builds(Usage, COUNTS, COUNTS, COUNTS, COUNTS, COSTS),
    observations=st.lists(
        st.builds(Observation, st.just("c"), st.text(max_size=3), exit_code=st.none() | COUNTS, images=COUNTS),
        max_size=3,
    ).map(tuple),
)


def numbers(turn: Turn) -> list[float]:
    """All numbers of a turn that are checked."""
    used = turn.usage
    told = (used.input, used.output, used.cache_read, used.cache_write, used.cost or 0) if used else ()
    return [*told, *(number for seen in turn.observations for number in (seen.exit_code or 0, seen.images))]


@given(TURNS)
def test_what_is_left_fits_into_64_bits_and_goes_through_once_more_untouched(turn: Turn) -> None:
    piece, problems = plausible(TurnRead("", turn), "log")
    assert isinstance(piece, TurnRead)
    assert all(-(2**63) < number < 2**63 for number in numbers(piece.turn))
    assert bool(problems) == (piece.turn != turn)
    assert plausible(piece, "log") == (piece, ())


@given(TURNS)
def test_words_and_the_number_of_results_stay(turn: Turn) -> None:
    piece, _ = plausible(TurnRead("", turn), "log")
    assert isinstance(piece, TurnRead)
    assert piece.turn.text == "said"
    assert [seen.text for seen in piece.turn.observations] == [seen.text for seen in turn.observations]


@pytest.mark.parametrize(
    ("usage", "stays"),
    [
        (Usage(2**53 - 1, 1), True),
        (Usage(2**53, 1), False),
        (Usage(1, 1, cost=0.5), True),
        (Usage(1, 1, cost=float("nan")), False),
        (Usage(1, 1, cost=float("-inf")), False),
    ],
)
def test_a_usage_is_left_out_as_a_whole(usage: Usage, stays: bool) -> None:
    piece, problems = plausible(TurnRead("", Turn(3, usage=usage, line=9)), "log")
    assert piece == TurnRead("", Turn(3, usage=usage if stays else None, line=9))
    assert [(problem.line, problem.kind, problem.lost) for problem in problems] == [(9, "impossible number", True)][
        stays:
    ]


def test_only_the_result_with_the_impossible_exit_code_loses_it() -> None:
    good, bad = Observation("a", "x", exit_code=-1, line=4), Observation("b", "y", exit_code=10**12, line=5)
    piece, problems = plausible(TurnRead("", Turn(1, observations=(good, bad))), "log")
    assert isinstance(piece, TurnRead)
    assert piece.turn.observations == (good, Observation("b", "y", exit_code=None, line=5))
    assert [str(problem) for problem in problems] == ["log:5: a result has an impossible number; left out"]


def test_the_attempt_that_a_run_ends_with_is_checked_once() -> None:
    odd = RunHeader("pi", attempt=2, attempts=10**20)
    assert plausible(RunStarted("", odd), "log") == (RunStarted("", odd), ())
    piece, problems = plausible(RunEnded("", odd), "log")
    assert piece == RunEnded("", RunHeader("pi"))
    assert [str(problem) for problem in problems] == ["log: the count of attempts has an impossible number; left out"]
