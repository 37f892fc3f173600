"""The charts of shares: what a bar counts stands where no bar and no mark of the paper's can cover it."""

import plotly.graph_objects as go
import pytest

from tabcore.analyses.rates import Rate
from tabcore.analyses.shown_but_missing import Outcome
from tabcore.presentation.charts import held_bar, outcome_bars


def words(figure: go.Figure) -> dict[str, str]:
    """What stands beside each row; all of it begins where the axis ends."""
    assert figure.layout.xaxis.range == (0, 1)
    beside = figure.layout.annotations
    assert {(one.x, one.xanchor) for one in beside} == {(1, "left")}
    assert all(one.xshift > figure.data[-1].marker.size / 2 for one in beside)
    assert figure.data[0].text is None
    return {one.y: one.text for one in beside}


def test_the_count_of_an_outcome_stands_clear_of_the_papers_mark() -> None:
    outcomes: dict[Outcome, int] = {"delivered, passed": 664, "absent, failed": 137}
    assert words(outcome_bars(outcomes)) == {
        "delivered, rubric passed": "664 (82.9 %)",
        "delivered, rubric failed": "0 (0.0 %)",
        "absent, rubric passed": "0 (0.0 %)",
        "absent, rubric failed": "137 (17.1 %)",
    }


@pytest.mark.parametrize(("rate", "said"), [(Rate(1, 50), "1 (2.0 %)"), (Rate(50, 50), "50 (100.0 %)")])
def test_the_held_values_are_counted_beside_a_short_and_a_long_bar(rate: Rate, said: str) -> None:
    assert words(held_bar(rate)) == {"held": said}
