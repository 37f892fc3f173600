"""Scores, paired differences and gains as figures; whole, so that each can be saved and shown as it is.

Ours is a filled mark with its spread as a thin line, the paper's value a small diamond, never a bar of ours. A method has
one colour and one mark, wherever it is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from tabcore.analyses.paired_comparison import Comparison
from tabcore.analyses.paper import SCORES, model_named
from tabcore.analyses.reading_volume import Volume
from tabcore.analyses.run_comparison import RunComparison
from tabcore.analyses.score_facts import TITLES, Metric
from tabcore.analyses.scores import Row
from tabcore.presentation.plain import picture_line

BASELINE, METHOD, PAPER, GREY = "#E69F00", "#0072B2", "#F0E442", "#8A929E"
_BELOW = 0.34
"""How far below ours the paper's mark stands, as a share of the row: near each other they would hide one another."""

_MOST = 60
"""Tasks of a forest plot; beyond, those in the middle are left out."""


def score_dots(rows: Sequence[Row], metric: Metric) -> go.Figure:
    """The means of a metric, one row a model and method, with the deviation over attempts and the paper's mean."""
    scored = [row for row in rows if metric in row.cells]
    names = [picture_line(" · ".join(filter(None, (row.model, row.method))) or "not recorded", 48) for row in scored]
    cells = [row.cells[metric] for row in scored]
    spread = [cell.deviation or 0 for cell in cells]
    figure = go.Figure(
        go.Scatter(
            x=[cell.mean for cell in cells],
            y=list(range(len(names))),
            mode="markers",
            marker={"size": 10, "color": METHOD},
            text=names,
            error_x={"type": "data", "array": spread, "thickness": 1.5, "width": 4, "color": GREY},
            customdata=[[len(cell.attempts), len(cell.runs)] for cell in cells],
            hovertemplate="%{text}: %{x:.2%}, %{customdata[0]} attempts, %{customdata[1]} runs<extra></extra>",
            name="mean and deviation over attempts",
        )
    )
    papers = [SCORES.get((model_named(row.model), row.method, metric)) for row in scored]
    figure.add_trace(
        go.Scatter(
            x=[figures[0] / 100 for figures in papers if figures],
            y=[place + _BELOW for place, figures in enumerate(papers) if figures],
            mode="markers",
            marker=_DIAMOND,
            hovertemplate="paper: %{x:.2%}<extra></extra>",
            name="paper",
        )
    )
    figure.update_yaxes(
        tickvals=list(range(len(names))), ticktext=names, range=[len(names) - 0.3, -0.6], zeroline=False
    )
    figure.update_xaxes(rangemode="tozero", tickformat=".0%")
    return _laid_out(figure, TITLES[metric], 130 + 32 * len(scored))


def forest(one: Comparison) -> go.Figure:
    """What the method has over the baseline on each task, and over all with its interval; `customdata` names the task."""
    pairs = sorted(one.pairs, key=lambda pair: (-pair.difference, pair.task))
    if len(pairs) > _MOST:
        pairs = pairs[: _MOST // 2] + pairs[-_MOST // 2 :]
    names = _distinct([picture_line(pair.task, 44) for pair in pairs])
    figure = go.Figure(
        go.Scatter(
            x=[pair.difference for pair in pairs],
            y=names,
            mode="markers",
            marker={"size": 9, "color": METHOD, "symbol": [_symbol(pair.difference) for pair in pairs]},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [pair.range[1] - pair.difference for pair in pairs],
                "arrayminus": [pair.difference - pair.range[0] for pair in pairs],
                "thickness": 1.5,
                "width": 3,
                "color": GREY,
            },
            customdata=[pair.task for pair in pairs],
            hovertemplate="%{y}: %{x:+.1%}<extra></extra>",
            name="a task, and the range over attempts",
        )
    )
    low, high = one.interval or (one.difference, one.difference)
    figure.add_trace(
        go.Scatter(
            x=[one.difference],
            y=["all tasks"],
            mode="markers",
            marker={"size": 14, "color": BASELINE, "symbol": "diamond-wide"},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [high - one.difference],
                "arrayminus": [one.difference - low],
                "thickness": 3,
                "width": 6,
                "color": BASELINE,
            },
            hovertemplate=f"all tasks: {one.difference:+.2%}, 95 % interval {low:+.2%} to {high:+.2%}<extra></extra>",
            name="the mean, and its 95 % interval",
        )
    )
    figure.update_yaxes(autorange="reversed", type="category")
    figure.update_xaxes(tickformat="+.0%", zeroline=True, zerolinewidth=2, zerolinecolor=GREY)
    title = f"{TITLES[one.metric]}: {one.method} over {one.baseline}, task by task"
    return _laid_out(figure, title, 150 + 22 * (len(pairs) + 1))


def volume_lines(one: Volume, baseline: str, method: str) -> go.Figure:
    """Both methods over the thirds of reading volume, with the gain at each."""
    names = [f"{third.name}<br>{len(third.tasks)} task{'s' if len(third.tasks) > 1 else ''}" for third in one.thirds]
    sides = [
        (picture_line(baseline, 40), [third.baseline for third in one.thirds], BASELINE, "square", "dot"),
        (picture_line(method, 40), [third.method for third in one.thirds], METHOD, "circle", "solid"),
    ]
    figure = go.Figure(
        [
            go.Scatter(
                x=names,
                y=[part.count / part.of for part in parts],
                mode="lines+markers",
                marker={"size": 10, "color": colour, "symbol": symbol},
                line={"color": colour, "dash": dash, "width": 2},
                hovertemplate=f"{name}, %{{x}}: %{{y:.1%}}<extra></extra>",
                name=name,
            )
            for name, parts, colour, symbol, dash in sides
        ]
    )
    for name, third in zip(names, one.thirds, strict=True):
        top = max(third.baseline.count / third.baseline.of, third.method.count / third.method.of)
        words = f"{100 * third.gain:+.1f}"
        figure.add_annotation(x=name, y=top, text=words, showarrow=False, yshift=16)
    figure.update_yaxes(rangemode="tozero", tickformat=".0%")
    figure.update_xaxes(type="category")
    return _laid_out(figure, f"{TITLES[one.metric]} by reading volume, {picture_line(one.model, 30)}", 340)


_DIAMOND = {"symbol": "diamond", "size": 9, "color": PAPER, "line": {"color": "#333333", "width": 1}}


def _symbol(difference: float) -> str:
    return "triangle-right" if difference > 0 else "triangle-left" if difference < 0 else "circle"


def _distinct(names: Sequence[str]) -> list[str]:
    """Names of rows: two tasks that are cut to the same words stay two rows."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def _laid_out(figure: go.Figure, title: str, height: int) -> go.Figure:
    figure.update_layout(
        title={"text": picture_line(title), "font": {"size": 15}, "x": 0, "xanchor": "left"},
        height=height,
        margin={"l": 8, "r": 24, "t": 40, "b": 64},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        legend={"orientation": "h", "yref": "container", "y": 0, "x": 0, "xanchor": "left", "yanchor": "bottom"},
    )
    figure.update_xaxes(gridcolor="rgba(128,128,128,.25)", fixedrange=True)
    figure.update_yaxes(gridcolor="rgba(128,128,128,.15)", fixedrange=True, ticksuffix="  ")
    return figure


_FEW_TURNS = 15
"""Below so many turns each has its tick; more ticks than turns would name halves."""


def two_lanes(one: RunComparison, names: tuple[str, str]) -> go.Figure:
    """What either run read and wrote over its turns; a thin line joins the reads of one file in both."""
    figure = go.Figure()
    joined = [(pair.left.read, pair.right.read) for pair in one.files if pair.left and pair.right]
    ends = [(left, right) for left, right in joined if left and right]
    figure.add_trace(
        go.Scatter(
            x=[x for left, right in ends for x in (left, right, None)],
            y=[y for _ in ends for y in (1, 0, None)],
            mode="lines",
            line={"color": GREY, "width": 1},
            hoverinfo="skip",
            name="the same file",
        )
    )
    for words, colour, symbol, kind in (
        ("read", METHOD, "square", "read"),
        ("written", "#009E73", "diamond-tall", "written"),
    ):
        places = [
            (turn, lane, picture_line(use.path, 80))
            for lane, run in ((1, one.left), (0, one.right))
            for use in run.files
            if (turn := getattr(use, kind)) is not None
        ]
        figure.add_trace(
            go.Scatter(
                x=[turn for turn, _, _ in places],
                y=[lane for _, lane, _ in places],
                mode="markers",
                marker={"size": 11, "color": colour, "symbol": symbol, "opacity": 0.85},
                text=[path for _, _, path in places],
                hovertemplate=f"turn %{{x}}: {words} %{{text}}<extra></extra>",
                name=f"first {words}",
            )
        )
    figure.update_yaxes(tickvals=[1, 0], ticktext=[picture_line(name, 34) for name in names], range=[-0.5, 1.5])
    last = max(
        (turn for run in (one.left, one.right) for use in run.files if (turn := use.written or use.read)), default=0
    )
    figure.update_xaxes(title="turn", rangemode="tozero", dtick=1 if last < _FEW_TURNS else None)
    return _laid_out(figure, "What each read and wrote", 240)


def quick_chart(along: Sequence[object], up: Sequence[object], x: str, y: str) -> go.Figure:
    """Any two columns: bars over words, points over numbers."""
    numbers = all(isinstance(one, int | float) for one in along)
    trace = (
        go.Scatter(x=list(along), y=list(up), mode="markers", marker={"size": 8, "color": METHOD})
        if numbers
        else go.Bar(x=[picture_line(str(one), 40) for one in along], y=list(up), marker={"color": METHOD})
    )
    figure = go.Figure(trace)
    figure.update_xaxes(title=x, type=None if numbers else "category")
    figure.update_yaxes(title=y)
    return _laid_out(figure, f"{y} over {x}", 380)
