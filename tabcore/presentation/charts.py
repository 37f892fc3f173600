"""Rows -> plotly figures, for pages and reports alike. The only user of plotly.

Colours are the palette's (Okabe and Ito), each with a pattern of its own, so that a chart says the same in grey. A
figure is whole: title, axes, counts and the paper's value are in it, so that it can be saved and shown as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from tabcore.analyses.masked_recovery import PAPER as PAPER_RECOVERED
from tabcore.analyses.masked_recovery import ArmResult
from tabcore.analyses.rates import Rate
from tabcore.analyses.recovery_cases import Arm
from tabcore.analyses.shown_but_missing import PAPER_HELD, PAPER_MISSING, Outcome

READ, LISTED, WRITTEN, MISSING, GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#8A929E"
REQUIRED = "#CC79A7"


class _Look(NamedTuple):
    words: str
    colour: str
    pattern: str


_OUTCOMES: Mapping[Outcome, _Look] = {
    "delivered, passed": _Look("delivered, rubric passed", WRITTEN, ""),
    "delivered, failed": _Look("delivered, rubric failed", WRITTEN, "/"),
    "absent, passed": _Look("absent, rubric passed", GREY, "."),
    "absent, failed": _Look("absent, rubric failed", MISSING, "x"),
    "not evaluated": _Look("rubric not evaluated", GREY, "/"),
}


def outcome_bars(outcomes: Mapping[Outcome, int]) -> go.Figure:
    """The outcomes of shown values as bars (Figure 2, bottom); a bar's `customdata` is its outcome."""
    shown = [name for name in _OUTCOMES if name != "not evaluated" or outcomes.get(name)]
    total = sum(outcomes.get(name, 0) for name in shown)
    counts = [outcomes.get(name, 0) for name in shown]
    words = [_counted(Rate(count, total)) for count in counts]
    judged = total - outcomes.get("not evaluated", 0)
    figure = go.Figure(
        go.Bar(
            x=[count / total if total else 0 for count in counts],
            y=[_OUTCOMES[name].words for name in shown],
            customdata=shown,
            orientation="h",
            marker=_marks([_OUTCOMES[name] for name in shown]),
            hovertext=words,
            hovertemplate="%{y}: %{hovertext}<extra></extra>",
            showlegend=False,
        )
    )
    _say_beside(figure, [_OUTCOMES[name].words for name in shown], words)
    figure.add_trace(_paper([PAPER_MISSING], [_OUTCOMES["absent, failed"].words], "paper: 19.8 % of 891"))
    title = f"What became of the {judged:,} expected values that were shown"
    return _laid_out(figure, title, len(shown))


def rate_bar(rate: Rate, words: str, title: str, paper: float, paper_words: str) -> go.Figure:
    """One share as a bar with its 95 % interval and the paper's value."""
    low, high = rate.interval or (0.0, 0.0)
    share = rate.share or 0.0
    figure = go.Figure(
        go.Bar(
            x=[share],
            y=[words],
            orientation="h",
            marker=_marks([_Look(words, READ, "")]),
            error_x={"type": "data", "symmetric": False, "array": [high - share], "arrayminus": [share - low]}
            | {"thickness": 2, "width": 5, "color": "#9AA3AE"},
            hovertemplate=f"{_counted(rate)}, 95 % interval {low:.1%} to {high:.1%}<extra></extra>",
            showlegend=False,
        )
    )
    _say_beside(figure, [words], [_counted(rate)])
    figure.add_trace(_paper([paper], [words], paper_words))
    return _laid_out(figure, title, 1)


def held_bar(held: Rate) -> go.Figure:
    """The share of missing values that the read log holds (Figure 4, left)."""
    return rate_bar(held, "held", "Missing values that the read log holds", PAPER_HELD, "paper: 94.8 %")


_ARMS: Mapping[Arm, _Look] = {
    "no tab": _Look("no tab", GREY, ""),
    "review": _Look("review", REQUIRED, ""),
    "read log": _Look("read log", READ, ""),
}


def recovery_bars(arms: Sequence[ArmResult], who: str) -> go.Figure:
    """What was recovered of the masked values in each arm, with intervals and the paper's values (Figure 4, right)."""
    looks = [_ARMS[result.arm] for result in arms]
    rates = [result.recovered for result in arms]
    shares = [rate.share or 0.0 for rate in rates]
    ends = [rate.interval or (0.0, 0.0) for rate in rates]
    figure = go.Figure(
        go.Bar(
            x=shares,
            y=[look.words for look in looks],
            orientation="h",
            marker=_marks(looks),
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [high - share for (_, high), share in zip(ends, shares, strict=True)],
                "arrayminus": [share - low for (low, _), share in zip(ends, shares, strict=True)],
                "thickness": 2,
                "width": 5,
                "color": "#9AA3AE",
            },
            customdata=[f"{rate.count} of {rate.of}" for rate in rates],
            hovertemplate="%{y}: %{customdata}<extra></extra>",
            showlegend=False,
        )
    )
    words = [f"{rate.count}/{rate.of}" if rate.of else "not asked" for rate in rates]
    _say_beside(figure, [look.words for look in looks], words)
    papers = [PAPER_RECOVERED[result.arm] for result in arms]
    figure.add_trace(_paper(papers, [look.words for look in looks], "paper: 8.4, 45.8, 78.1 %"))
    return _laid_out(figure, f"Recovered by {who}", len(arms))


def _say_beside(figure: go.Figure, rows: Sequence[str], words: Sequence[str]) -> None:
    """Words of each row right of the axis, where no bar, interval or paper's mark can stand."""
    for row, word in zip(rows, words, strict=True):
        figure.add_annotation(x=1, y=row, text=word, xanchor="left", showarrow=False, xshift=10)


def _counted(rate: Rate) -> str:
    """ "12 (19.7 %)"."""
    return f"{rate.count:,} ({100 * rate.share:.1f} %)" if rate.share is not None else f"{rate.count:,}"


def _marks(looks: Sequence[_Look]) -> dict[str, object]:
    return {
        "color": [look.colour for look in looks],
        "pattern": {"shape": [look.pattern for look in looks], "fgcolor": "white", "size": 6, "solidity": 0.25},
        "line": {"width": 0},
    }


def _paper(shares: Sequence[float], rows: Sequence[str], words: str) -> go.Scatter:
    """The paper's values as small diamonds, never as bars of ours."""
    return go.Scatter(
        x=list(shares),
        y=list(rows),
        mode="markers",
        marker={"symbol": "diamond", "size": 10, "color": "#F0E442", "line": {"color": "#333333", "width": 1}},
        name=words,
        hovertemplate=f"{words}<extra></extra>",
    )


def _laid_out(figure: go.Figure, title: str, rows: int) -> go.Figure:
    figure.update_layout(
        title={"text": title, "font": {"size": 15}, "x": 0, "xanchor": "left"},
        height=126 + 38 * rows,
        margin={"l": 8, "r": 116, "t": 40, "b": 58},
        bargap=0.35,
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        legend={"orientation": "h", "yref": "container", "y": 0, "x": 0, "xanchor": "left", "yanchor": "bottom"},
    )
    figure.update_xaxes(
        range=[0, 1], tickformat=".0%", zeroline=True, gridcolor="rgba(128,128,128,.25)", fixedrange=True
    )
    figure.update_yaxes(autorange="reversed", fixedrange=True, ticksuffix="  ")
    return figure
