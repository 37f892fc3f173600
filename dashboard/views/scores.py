"""Scores: the paper's tables and figures on the stored runs, each number beside the paper's, and open to its runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from dashboard import data, table_data
from dashboard.parts import figure, figure_table, frame, suite_offer
from dashboard.parts.figure_table import Told
from dashboard.parts.heading import heading
from dashboard.table_data import Runs
from tabcore.analyses import effort, tab_holdings, tab_operations
from tabcore.analyses.ablation import Switched
from tabcore.analyses.paired_comparison import Comparison
from tabcore.analyses.paper import MODELS, model_named
from tabcore.analyses.reading_volume import Volume
from tabcore.analyses.score_facts import METRICS, TITLES, Metric, RunPart, is_switch, measure_of
from tabcore.analyses.scores import Cell, Row
from tabcore.analyses.tab_facts import Group
from tabcore.commands import scores as words
from tabcore.commands.paired import comparison_sentence, interval_words
from tabcore.commands.printing import NO_CELL
from tabcore.presentation import score_charts
from tabcore.presentation.plain import plain_line
from tabcore.rows import RunRow


def render() -> None:
    """The page."""
    rows = data.runs()
    if not rows:
        _say("**No run is stored yet.** This page adds up what rubrics, checkpoints and answers say of many runs.")
        return
    chosen, kept = _chosen(rows)
    if any(row.simulated for row in kept):
        with st.container(horizontal=True, vertical_alignment="center", key="simulated-line"):
            frame.simulated_word()
            st.text("Scripted runs are among these: their numbers show how the page works and are no finding.")
    suite_offer.draw(rows)
    parts: Mapping[str, Callable[[Runs], None]] = {
        "Scores": _scores,
        "Paired": _paired,
        "What the tab holds": _holdings,
        "How it is operated": _operations,
        "Ablation": _ablation,
        "Reading volume": _volume,
        "Effort": _effort,
    }
    name = st.segmented_control("Table", list(parts), default="Scores", key="table", required=True)
    parts[name or "Scores"](chosen)


def _say(line: str) -> None:
    with st.container(border=True, key="empty"):
        st.markdown(line)
        st.page_link("views/runs.py", label="Go to the runs")


def _chosen(rows: Sequence[RunRow]) -> tuple[Runs, list[RunRow]]:
    """The runs that the filters leave; None for all."""
    kept = every = [row for row in rows if row.parent is None]
    with st.container(horizontal=True, vertical_alignment="bottom", key="filters"):
        for name, label in (("suite", "Benchmark"), ("method", "Method"), ("model", "Model"), ("task_name", "Task")):
            values = sorted({getattr(row, name) or "" for row in kept})
            if len(values) > 1:
                wanted = st.multiselect(label, values, format_func=_named, key=f"scores-{name}", placeholder="all")
                kept = [row for row in kept if not wanted or (getattr(row, name) or "") in wanted]
    return (None if len(kept) == len(every) else tuple(row.run_id for row in kept)), kept


def _named(value: str) -> str:
    return plain_line(value, 60) or "not recorded"


def _notes(lines: Sequence[str]) -> None:
    """What a table lacks; many lines are folded away."""
    if not lines:
        return
    count = "1 note" if len(lines) == 1 else f"{len(lines)} notes"
    with st.expander(f"{count}: what is missing, and how to read it", expanded=len(lines) < 4):
        st.text("\n".join(lines))


def _scores(runs: Runs) -> None:
    found = table_data.scores(runs)
    if not found.rows:
        _say(
            "**Nothing is scored.** Scores need rubrics with verdicts, checkpoints, or expected answers beside the logs."
        )
        return
    st.text(
        "Per cent, mean and population deviation over attempts. ▲ best and △ second within a model. Choose a number to see its runs."
    )
    for measure in dict.fromkeys(row.measure for row in found.rows):
        rows = [row for row in found.rows if row.measure == measure]
        metrics = METRICS[measure]
        columns, behind = scores_table(rows, metrics)
        figure_table.draw(columns, behind, f"scores-{measure}", f"Scores by {TITLES[metrics[0]]}")
        suites = list(dict.fromkeys(row.suite for row in rows))
        for suite in suites:
            if len(suites) > 1:
                heading(_named(suite))
            for metric, column in zip(metrics, st.columns(len(metrics)), strict=True):
                with column:
                    figure.plot(
                        score_charts.score_dots([row for row in rows if row.suite == suite], metric),
                        f"{suite}-{metric}",
                    )
    _notes(words.score_notes(found))


def scores_table(
    rows: Sequence[Row], metrics: Sequence[Metric]
) -> tuple[dict[str, list[str]], dict[tuple[int, str], Told]]:
    """The columns of Table 1, and what stands behind each score."""
    columns: dict[str, list[str]] = {
        "benchmark": [_named(row.suite) for row in rows],
        "model": [_named(row.model) for row in rows],
        "method": [_named(row.method) for row in rows],
    }
    behind: dict[tuple[int, str], Told] = {}
    for metric in metrics:
        columns[TITLES[metric]] = [_cell(row.cells.get(metric)) for row in rows]
        columns[f"paper: {TITLES[metric]}"] = [words.paper_words(row, metric) for row in rows]
        for place, row in enumerate(rows):
            if cell := row.cells.get(metric):
                named = f"{TITLES[metric]} {_cell(cell)} of {_named(row.method)}, {_named(row.model)}"
                behind[place, TITLES[metric]] = Told(named, _parts(cell), shares=True)
    columns["attempts"] = [str(row.coverage.attempts) for row in rows]
    columns["tasks"] = [str(row.coverage.tasks) for row in rows]
    columns["runs"] = [str(row.coverage.runs) for row in rows]
    return columns, behind


def _parts(cell: Cell) -> tuple[RunPart, ...]:
    return tuple(part for attempt in cell.attempts for part in attempt.parts)


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return NO_CELL
    mark = {"best": "▲ ", "second": "△ ", "": ""}[cell.place]
    spread = "" if cell.deviation is None else f" ({100 * cell.deviation:.2f})"
    return f"{mark}{100 * cell.mean:.2f}{spread}"


def _paired(runs: Runs) -> None:
    baseline = _baseline(runs)
    found = table_data.paired(runs, baseline) if baseline else ()
    if not found:
        _say(
            f"**No two methods share a scored task{f' with {_named(baseline)}' if baseline else ''}.** A comparison needs both on one task."
        )
        return
    st.text(
        "Each method against the baseline on the tasks that both worked on; a task is the mean of its attempts. p: exact"
        " sign-flip test (~ sampled), corrected after Holm for all rows."
    )
    columns, behind = paired_table(found)
    figure_table.draw(columns, behind, "paired", "Paired comparisons")
    names = [f"{one.suite} · {one.model} · {one.method}: {TITLES[one.metric]}" for one in found]
    first = next((at for at, one in enumerate(found) if one.method == "running_tab"), 0)
    place = st.selectbox(
        "Task by task", range(len(found)), index=first, format_func=lambda at: plain_line(names[at], 120), key="forest"
    )
    one = found[first if place is None else place]
    st.text(comparison_sentence(one))
    figure.plot(score_charts.forest(one), "forest")


def _baseline(runs: Runs) -> str | None:
    methods = list(dict.fromkeys(row.method for row in table_data.scores(runs).rows))
    if len(methods) < 2:
        return None
    first = methods.index("dci") if "dci" in methods else 0
    return st.selectbox("Baseline", methods, index=first, format_func=_named, key="baseline", width=240)


def paired_table(found: Sequence[Comparison]) -> tuple[dict[str, list[str]], dict[tuple[int, str], Told]]:
    """The columns of the paired comparisons, and the runs behind each difference."""
    behind: dict[tuple[int, str], Told] = {}
    for place, one in enumerate(found):
        sides = [side for pair in one.pairs for side in (pair.baseline, pair.method)]
        parts = tuple(
            RunPart(run, round(score, 4)) for side in sides for run, score in zip(side.runs, side.scores, strict=True)
        )
        behind[place, "points"] = Told(f"{one.method} over {one.baseline}, {TITLES[one.metric]}", parts, shares=False)
    return {
        "benchmark": [_named(one.suite) for one in found],
        "model": [_named(one.model) for one in found],
        "method": [_named(one.method) for one in found],
        "metric": [TITLES[one.metric] for one in found],
        "points": [f"{100 * one.difference:+.2f}" for one in found],
        "95 % interval": [interval_words(one) for one in found],
        "p": [f"{'' if one.p.exact else '~'}{one.p.value:.3g}" for one in found],
        "p, corrected": [f"{one.corrected:.3g}" for one in found],
        "tasks": [str(len(one.pairs)) for one in found],
        "left out": [str(one.left_out) for one in found],
        "needed for 3 points": [f"{one.needed:,}" if one.needed else NO_CELL for one in found],
    }, behind


def _holdings(runs: Runs) -> None:
    _groups(table_data.tab_holdings(runs), "holdings", tab_holdings.WORDS)


def _operations(runs: Runs) -> None:
    groups = table_data.tab_operations(runs)
    if not groups:
        _say("**None of these runs was recorded with a tab.** How an agent operates it shows in runs of running_tab.")
        return
    _groups(groups, "operations", tab_operations.WORDS)


_GROUPED = {
    "holdings": "Medians per attempt, or shares",
    "operations": "The share of attempts that do so at least once",
    "effort": "Medians per run, over the runs whose record has the number",
}


def _groups(groups: Sequence[Group], table: str, named: Mapping[str, str]) -> None:
    st.text(f"{_GROUPED[table]}; n is how many runs, or cases of a share. Choose a number to see its runs.")
    columns, behind = groups_table(groups, table, named)
    figure_table.draw(columns, behind, table, f"Figures: {table}", first=" ")
    if table != "effort" and any(model_named(group.model, "") == "" for group in groups):
        st.text(f"The paper's figures beside a model that it did not test are those of {MODELS[0]}.")


def groups_table(
    groups: Sequence[Group], table: str, named: Mapping[str, str]
) -> tuple[dict[str, list[str]], dict[tuple[int, str], Told]]:
    """A row a figure; for each model and method its number, n, and the paper's number for the model."""
    columns: dict[str, list[str]] = {" ": list(named.values())}
    for model in dict.fromkeys(model_named(group.model) for group in groups if table != "effort"):
        columns[f"paper · {model}"] = [words.paper_figure(model, table, name) for name in named]
    behind: dict[tuple[int, str], Told] = {}
    for group in sorted(
        groups, key=lambda group: (not group.figures[next(iter(named))].parts, is_switch(group.method))
    ):
        head = f"{_named(group.method)} · {_named(group.model)}"
        columns[head] = [
            f"{words.figure_words(group.figures[name])}  n {group.figures[name].cases:g}" for name in named
        ]
        for place, name in enumerate(named):
            one = group.figures[name]
            if one.parts:
                told = f"{named[name]}, {words.figure_words(one)}, {head}"
                behind[place, head] = Told(told, one.parts, shares=one.is_share)
    return columns, behind


def _effort(runs: Runs) -> None:
    _groups(table_data.effort(runs), "effort", effort.WORDS)
    baseline = _baseline(runs)
    found = table_data.priced(runs, baseline) if baseline else ()
    rows = [(one, price) for one, told in found for price in told if one.metric == METRICS[measure_of(one.suite)][0]]
    rows = [(one, price) for one, price in rows if price.more is not None]
    if not rows:
        return
    st.text(
        "What a method takes more than the baseline, a task, and for each point that it gains there (none without a gain)."
    )
    figure_table.draw(
        {
            "benchmark": [_named(one.suite) for one, _ in rows],
            "model": [_named(one.model) for one, _ in rows],
            "method": [_named(one.method) for one, _ in rows],
            "of": [effort.WORDS[price.name] for _, price in rows],
            "more a task": [_amount(price.more) for _, price in rows],
            "points gained": [f"{100 * one.difference:+.2f}" for one, _ in rows],
            "for a point": [_amount(price.a_point) for _, price in rows],
        },
        {},
        "prices",
        "The price of a point",
        numbers=("more a task", "points gained", "for a point"),
    )


def _amount(number: float | None) -> str:
    if number is None:
        return NO_CELL
    return f"{number:+,.0f}" if abs(number) >= 1000 else f"{number:+.4g}" if number else "0"


def _ablation(runs: Runs) -> None:
    found = table_data.ablation(runs)
    if not found:
        _say("**No scored run of running_tab is here** to compare its switches with.")
        return
    st.text("Points that each switch of running_tab takes away; the paper's are of GPT-5.4 nano on Workspace-Bench.")
    columns, behind = ablation_table(found)
    figure_table.draw(columns, behind, "ablation", "Ablation")
    _notes([line for line in words.score_notes(table_data.scores(runs)) if "different tasks" in line])


def ablation_table(found: Sequence[Switched]) -> tuple[dict[str, list[str]], dict[tuple[int, str], Told]]:
    """The columns of Table 4."""
    deltas = [words.paper_delta(one) for one in found]
    behind = {
        (place, "ours"): Told(f"{one.method}, {TITLES[one.metric]}", one.parts, shares=True)
        for place, one in enumerate(found)
    }
    return {
        "benchmark": [_named(one.suite) for one in found],
        "model": [_named(one.model) for one in found],
        "method": [_named(one.method) for one in found],
        "metric": [TITLES[one.metric] for one in found],
        "ours": [f"{100 * one.mean:.2f}" for one in found],
        "difference": ["" if one.method == "running_tab" else f"{100 * one.delta:+.2f}" for one in found],
        "paper's difference": [
            "" if one.method == "running_tab" else NO_CELL if delta is None else f"{delta:+.2f}"
            for one, delta in zip(found, deltas, strict=True)
        ],
    }, behind


def _volume(runs: Runs) -> None:
    with st.container(horizontal=True):
        baseline = _baseline(runs)
        rows = table_data.scores(runs).rows
        names = list(dict.fromkeys(row.method for row in rows if row.method != baseline))
        if not baseline or not names:
            _say("**One method alone gains nothing.** The thirds compare two methods on the tasks that both worked on.")
            return
        first = names.index("running_tab") if "running_tab" in names else 0
        chosen = st.selectbox("Method", names, index=first, format_func=_named, key="volume-method", width=240)
    method = chosen or names[0]
    found = table_data.reading_volume(runs, baseline, method)
    if not found:
        _say(f"**No model has scored runs of both {_named(baseline)} and {_named(method)}** on one benchmark.")
    for one in found:
        _one_volume(one, baseline, method)


def _one_volume(one: Volume, baseline: str, method: str) -> None:
    st.text(words.volume_sentence(one))
    if not one.thirds:
        return
    left, right = st.columns([2, 3])
    key = f"volume-{one.suite}-{one.model}"
    with left:
        figure.plot(score_charts.volume_lines(one, baseline, method), key)
    with right:
        columns, behind = volume_table(one, baseline, method)
        numbers = {_named(baseline), _named(method)}
        figure_table.draw(columns, behind, key, "Thirds of reading volume", numbers=numbers)


def volume_table(one: Volume, baseline: str, method: str) -> tuple[dict[str, list[str]], dict[tuple[int, str], Told]]:
    """The thirds, and the runs behind each."""
    behind = {
        (place, "gain"): Told(f"The {third.name} third", third.parts, shares=True)
        for place, third in enumerate(one.thirds)
    }
    return {
        "third": [third.name for third in one.thirds],
        "tasks": [str(len(third.tasks)) for third in one.thirds],
        "of characters": [words.volume_words(third) for third in one.thirds],
        _named(baseline): [f"{100 * third.baseline.count / third.baseline.of:.1f}" for third in one.thirds],
        _named(method): [f"{100 * third.method.count / third.method.of:.1f}" for third in one.thirds],
        "gain": [f"{100 * third.gain:+.1f}" for third in one.thirds],
    }, behind


if __name__ == "__main__":
    render()
