"""Failure types -> plotly figures: each type has a colour and a pattern of its own, the paper's shares are diamonds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from tabcore.analyses.agreement import Pair
from tabcore.analyses.failure_types import PAPER_SHARES, PAPER_SUCCESS, TYPES, FailureType
from tabcore.analyses.lost_points import NOT_LABELLED, PASSED, Lost
from tabcore.analyses.rates import Rate
from tabcore.presentation.plain import picture_line

_LOOKS: Mapping[str, tuple[str, str]] = {
    "Shown but Missing": ("#D55E00", "x"),
    "Dropped or Distorted": ("#E69F00", "/"),
    "Discovery": ("#0072B2", ""),
    "Reasoning": ("#CC79A7", "\\"),
    "Formatting": ("#56B4E9", "."),
    "Other": ("#8A929E", "-"),
    NOT_LABELLED: ("#C9CED6", ""),
    PASSED: ("#009E73", ""),
}
SIDE_BY_SIDE = 3
"""Groups that are drawn side by side, each with the paper's shares; more are stacked."""

_WIDE = 1.3
"""Where the axis of shares ends: the words of each bar stand beyond 100 %."""

_TICKS = [0, 0.25, 0.5, 0.75, 1]
_GRID = "rgba(128,128,128,.25)"


def lost_points_chart(groups: Sequence[Lost], what: str) -> go.Figure:
    """Shares of lost points by type, beside the paper's (Figure 2, top). `what` says whose labels these are."""
    return _side_by_side(groups, what) if len(groups) <= SIDE_BY_SIDE else _stacked(groups, what)


def _side_by_side(groups: Sequence[Lost], what: str) -> go.Figure:
    titles = [f"{_cut(one.group)} (n = {one.labelled:,})" for one in groups]
    figure = make_subplots(
        rows=1, cols=max(1, len(groups)), shared_yaxes=True, subplot_titles=titles, horizontal_spacing=0.03
    )
    for column, one in enumerate(groups, 1):
        figure.add_trace(
            go.Bar(
                x=[one.share(name) or 0.0 for name in TYPES],
                y=list(TYPES),
                orientation="h",
                marker=_marker(TYPES),
                customdata=[one.rubrics[name] for name in TYPES],
                hovertemplate="%{y}: %{x:.1%}, %{customdata} rubrics<extra></extra>",
                showlegend=False,
            ),
            row=1,
            col=column,
        )
        for name in TYPES:
            words = f"{one.share(name) or 0:.1%} ({one.rubrics[name]})"
            figure.add_annotation(x=_WIDE, y=name, text=words, xanchor="right", showarrow=False, row=1, col=column)
        figure.add_trace(
            go.Scatter(
                x=[PAPER_SHARES[name] for name in TYPES],
                y=list(TYPES),
                mode="markers",
                marker=_DIAMOND,
                name="paper: DCI, GPT-5.4 nano",
                hovertemplate="paper, %{y}: %{x:.1%}<extra></extra>",
                showlegend=column == 1,
            ),
            row=1,
            col=column,
        )
    figure.update_xaxes(range=[0, _WIDE], tickvals=_TICKS, tickformat=".0%", gridcolor=_GRID, fixedrange=True)
    figure.update_yaxes(autorange="reversed", fixedrange=True, ticksuffix="  ")
    return _laid_out(figure, f"Lost points by type, {what}", 390, 74)


def _stacked(groups: Sequence[Lost], what: str) -> go.Figure:
    figure = go.Figure()
    rows = [f"{_cut(one.group)} (n = {one.labelled:,})" for one in groups]
    for name in TYPES:
        shares = [one.share(name) or 0.0 for one in groups]
        figure.add_trace(
            go.Bar(
                x=shares,
                y=rows,
                orientation="h",
                name=f"{name} (paper {PAPER_SHARES[name]:.1%})",
                marker=_marker([name] * len(groups)),
                hovertemplate=f"{name}, %{{y}}: %{{x:.1%}}<extra></extra>",
            )
        )
    figure.update_layout(barmode="stack", legend_traceorder="normal")
    figure.update_xaxes(range=[0, 1], tickformat=".0%", gridcolor=_GRID, fixedrange=True)
    figure.update_yaxes(autorange="reversed", fixedrange=True, ticksuffix="  ", automargin=True)
    return _laid_out(figure, f"Lost points by type, {what}", 210 + 32 * len(groups))


def success_chart(rates: Mapping[str, Rate]) -> go.Figure:
    """Rubric success within Shown but Missing, by method, beside the paper's 27.0 and 20.7 %."""
    methods = list(rates)
    shares = [rates[name].share or 0.0 for name in methods]
    ends = [rates[name].interval or (0.0, 0.0) for name in methods]
    figure = go.Figure(
        go.Bar(
            x=shares,
            y=methods,
            orientation="h",
            marker={"color": "#0072B2"},
            error_x={
                "type": "data",
                "symmetric": False,
                "thickness": 2,
                "width": 5,
                "color": "#9AA3AE",
                "array": [high - share for share, (_, high) in zip(shares, ends, strict=True)],
                "arrayminus": [share - low for share, (low, _) in zip(shares, ends, strict=True)],
            },
            customdata=[f"{rates[name].count} of {rates[name].of}" for name in methods],
            hovertemplate="%{y}: %{x:.1%}, %{customdata}<extra></extra>",
            showlegend=False,
        )
    )
    for name, share in zip(methods, shares, strict=True):
        words = f"{share:.1%} ({rates[name].count} of {rates[name].of})"
        figure.add_annotation(x=_WIDE, y=name, text=words, xanchor="right", showarrow=False)
    known = [name for name in methods if name in PAPER_SUCCESS]
    figure.add_trace(
        go.Scatter(
            x=[PAPER_SUCCESS[name] for name in known],
            y=known,
            mode="markers",
            marker=_DIAMOND,
            name="paper: running_tab 27.0 %, dci 20.7 %",
            hovertemplate="paper, %{y}: %{x:.1%}<extra></extra>",
            showlegend=True,
        )
    )
    figure.update_xaxes(range=[0, _WIDE], tickvals=_TICKS, tickformat=".0%", gridcolor=_GRID, fixedrange=True)
    figure.update_yaxes(autorange="reversed", fixedrange=True, ticksuffix="  ")
    return _laid_out(figure, "Rubrics that passed, of those Shown but Missing under dci", 150 + 44 * len(methods))


def flow_chart(moves: Mapping[tuple[str, str], int], first: str, second: str, ink: str = "#222222") -> go.Figure:
    """How rubrics moved from what they were under one method to what they are under another; words in `ink`."""
    left = [name for name in _LOOKS if any(a == name for a, _ in moves)]
    right = [name for name in _LOOKS if any(b == name for _, b in moves)]
    before, after = _sums(moves, 0), _sums(moves, 1)
    names = [f"{name}: {before[name]}" for name in left] + [f"{name}: {after[name]}" for name in right]
    figure = go.Figure(
        go.Sankey(
            arrangement="snap",
            textfont={"color": ink, "size": 13},
            node={
                "label": names,
                "pad": 14,
                "thickness": 16,
                "line": {"color": "#333333", "width": 0.6},
                "color": [_LOOKS[name][0] for name in (*left, *right)],
                "hovertemplate": "%{label}<extra></extra>",
            },
            link={
                "source": [left.index(a) for a, _ in moves],
                "target": [len(left) + right.index(b) for _, b in moves],
                "value": list(moves.values()),
                "color": ["rgba(128,128,128,.28)"] * len(moves),
                "hovertemplate": "%{source.label} → %{target.label}<br>%{value} rubrics<extra></extra>",
            },
        )
    )
    title = f"{sum(moves.values()):,} rubrics: under {first} (left), under {second} (right)"
    return _laid_out(figure, title, 400)


def confusion_chart(pair: Pair) -> go.Figure:
    """What one annotator says against the other, with counts; darker is more."""
    names = [name.replace(" or ", "<br>or ").replace(" but ", "<br>but ") for name in TYPES]
    most = max((count for row in pair.matrix for count in row), default=0) or 1
    figure = go.Figure(
        go.Heatmap(
            z=[list(row) for row in pair.matrix],
            x=names,
            y=names,
            colorscale=[[0, "#F4F6F8"], [1, "#0072B2"]],
            showscale=False,
            xgap=2,
            ygap=2,
            hovertemplate=f"{pair.first}: %{{y}}<br>{pair.second}: %{{x}}<br>%{{z}} rubrics<extra></extra>",
        )
    )
    for i, row in enumerate(pair.matrix):
        for j, count in enumerate(row):
            colour = "white" if count > most * 0.55 else "#111111"
            weight = {"color": colour, "size": 13}
            figure.add_annotation(
                x=names[j], y=names[i], text=f"{'<b>' if i == j else ''}{count}", showarrow=False, font=weight
            )
    figure.update_yaxes(autorange="reversed", fixedrange=True, title=_cut(pair.first))
    figure.update_xaxes(fixedrange=True, title=_cut(pair.second), tickangle=0)
    return _laid_out(figure, f"{_cut(pair.first)} against {_cut(pair.second)}, {pair.agreed.of:,} rubrics", 430)


_DIAMOND = {"symbol": "diamond", "size": 10, "color": "#F0E442", "line": {"color": "#333333", "width": 1}}


def _marker(names: Sequence[FailureType]) -> dict[str, object]:
    return {
        "color": [_LOOKS[name][0] for name in names],
        "pattern": {
            "shape": [_LOOKS[name][1] for name in names],
            "fillmode": "overlay",
            "fgcolor": "white",
            "size": 7,
            "solidity": 0.3,
        },
        "line": {"width": 0},
    }


def _sums(moves: Mapping[tuple[str, str], int], side: int) -> dict[str, int]:
    found: dict[str, int] = {}
    for names, count in moves.items():
        found[names[side]] = found.get(names[side], 0) + count
    return found


def _cut(name: str) -> str:
    """A name of a log as plotly may draw it: short, and without tags."""
    return picture_line(name, 40)


def _laid_out(figure: go.Figure, title: str, height: int, top: int = 44) -> go.Figure:
    figure.update_layout(
        title={
            "text": picture_line(title),
            "font": {"size": 15},
            "x": 0,
            "xanchor": "left",
            "yref": "container",
            "y": 0.98,
            "yanchor": "top",
        },
        height=height,
        margin={"l": 8, "r": 24, "t": top, "b": 60},
        bargap=0.35,
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        legend={"orientation": "h", "yref": "container", "y": 0, "x": 0, "xanchor": "left", "yanchor": "bottom"},
    )
    return figure
