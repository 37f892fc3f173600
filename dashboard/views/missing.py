"""Missing: the values that rubrics expect, that the agent was shown, and that its deliverable lacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from dashboard import data, selection
from dashboard.parts import figure, left_out, load_report, run_filters, story, value_rule
from tabcore.analyses.shown_but_missing import OUTCOMES, ExpectedValue, ShownButMissing
from tabcore.commands.analyze import not_covered, sentence
from tabcore.presentation import charts
from tabcore.presentation.plain import plain_line
from tabcore.presentation.turn_lines import turn_line
from tabcore.rows import RunRow

NEVER = "never shown"
LINES_DRAWN = 500
"""Values of a table over which a picture of the turns is drawn; beyond, the numbers stand alone."""


def render() -> None:
    """The page."""
    rows = data.runs()
    if not rows:
        _say("**No run is stored yet.** This page compares what rubrics expect with what was shown and delivered.")
        return
    chosen = run_filters.draw(rows, "missing")
    asked = value_rule.draw()
    found = data.missing(tuple(row.run_id for row in chosen), asked.rule, asked.dates)
    if found.values:
        _answer(found, chosen, asked)
        value = _table(_of_outcome(found, _figures(found)))
        if value is not None:
            story.draw(value, asked)
    else:
        _nothing(found)
    if chosen:
        left_out.draw(chosen, asked)


def _say(words: str) -> None:
    with st.container(border=True, key="empty"):
        st.markdown(words)
        st.page_link("views/runs.py", label="Go to the runs")


def _nothing(found: ShownButMissing) -> None:
    _say(
        "**No rubric of these runs expects a distinctive value, or none of them delivered anything.** Rubrics and verdicts "
        "lie beside a log: `rubrics.json` and `verdicts.json` in its folder, or a benchmark's own files."
    )
    for line in not_covered(found):
        st.text(line)


def _answer(found: ShownButMissing, chosen: Sequence[RunRow], asked: selection.Asked) -> None:
    st.subheader(sentence(found), anchor=False)
    told = [
        f"{found.runs:,} of {len(chosen):,} runs have a deliverable and rubrics that expect values; {found.not_shown:,} of "
        "these were never shown."
    ]
    if not asked.is_default:
        usual = selection.DEFAULT_ASKED
        before = data.missing(tuple(row.run_id for row in chosen), usual.rule, usual.dates)
        told.append(f"Under the usual rule: {sentence(before)}")
    for line in (*told, *not_covered(found)):
        st.text(line)
    if any(value.run.simulated for value in found.values):
        st.html(
            '<span class="simulated-word">simulated</span> <small>Among these runs are scripted ones: their numbers show how '
            "the page works and are no finding.</small>"
        )


def _figures(found: ShownButMissing) -> str | None:
    """The charts; the outcome whose bar was clicked, None where none is."""
    left, right = st.columns([3, 2])
    with left:
        bars = charts.outcome_bars(found.outcomes)
        event = figure.plot(bars, "shown-but-missing", on_select="rerun", selection_mode="points")
    with right:
        figure.plot(charts.held_bar(found.held), "held-in-the-read-log")
    points: Sequence[Mapping[str, object]] = event["selection"]["points"]
    clicked = next((str(point["customdata"]) for point in points if "customdata" in point), None)
    return clicked if clicked in OUTCOMES else None


def _of_outcome(found: ShownButMissing, clicked: str | None) -> list[ExpectedValue]:
    """The values of the outcome that was clicked or chosen; at first the missing ones, where there are any."""
    groups: dict[str, list[ExpectedValue]] = {
        name: [v for v in found.values if v.shown and v.outcome == name] for name in OUTCOMES
    }
    groups[NEVER] = [value for value in found.values if not value.shown]
    there = [name for name, values in groups.items() if values]
    if clicked and st.session_state.get("clicked") != clicked:
        st.session_state["outcome"] = clicked
    st.session_state["clicked"] = clicked
    if st.session_state.get("outcome") not in there:
        st.session_state["outcome"] = "absent, failed" if "absent, failed" in there else there[0]
    name = st.segmented_control(
        "Values",
        there,
        format_func=lambda name: f"{_words(name)} · {len(groups[name]):,}",
        key="outcome",
        required=True,
    )
    return groups[name or there[0]]


def _words(outcome: str) -> str:
    return {"absent, failed": "missing: absent, failed"}.get(outcome, outcome)


def _table(values: Sequence[ExpectedValue]) -> ExpectedValue | None:
    """The values, one a row; the chosen one, else the one that the address names, else the first."""
    leaves = data.leaves(tuple(dict.fromkeys(value.run.run_id for value in values[:LINES_DRAWN])))
    chosen = st.dataframe(
        table_of(values, leaves),
        on_select="rerun",
        selection_mode="single-row",
        hide_index=True,
        key=f"values-{st.session_state['outcome']}-{len(values)}",
        column_config=_COLUMNS,
        height=load_report.height_of(len(values), 12),
        placeholder="",
        alt="Expected values, one a row",
    )
    picked: list[int] = chosen["selection"]["rows"]
    if picked:
        return values[picked[0]]
    wanted = selection.value_of_address(st.query_params.to_dict())
    named = (v for v in values if wanted == (v.run.run_id, v.rubric.rubric_id, v.key))
    return next(named, values[0] if values else None)


def table_of(values: Sequence[ExpectedValue], leaves: Mapping[str, Sequence[int | None]]) -> dict[str, list[object]]:
    """The table's columns. `leaves` says for each run when what a turn showed has left the window."""
    return {
        "value": [plain_line(value.text, 40) for value in values],
        "expected by": [plain_line(value.rubric.text, 160) for value in values],
        "over the turns": [_drawn(value, leaves) for value in values],
        "first shown": [value.shown[0].turn if value.shown else None for value in values],
        "held in": [_held(value) for value in values],
        "written": [value.run.written for value in values],
        "task": [plain_line(value.run.name, 60) for value in values],
        "method": [plain_line(value.run.method or "", 40) for value in values],
        "model": [plain_line(value.run.model or "", 40) for value in values],
        "attempt": [value.run.attempt for value in values],
    }


def _held(value: ExpectedValue) -> str:
    if value.held is None:
        return "not held" if value.shown else ""
    entries = value.held.entries
    return ", ".join(entries[:4]) + (f" and {len(entries) - 4} more" if len(entries) > 4 else "")


def _drawn(value: ExpectedValue, leaves: Mapping[str, Sequence[int | None]]) -> str | None:
    of_run = leaves.get(value.run.run_id)
    if of_run is None:
        return None
    return turn_line(value.run.turns, [p.turn for p in value.shown], story.left_at(value, of_run), value.run.written)


_COLUMNS = {
    "expected by": st.column_config.TextColumn(width="large"),
    "over the turns": st.column_config.ImageColumn(
        width=190, help="■ shown · hatched: left the context window (level 3) · ↓ deliverable last written"
    ),
    "first shown": st.column_config.NumberColumn(format="turn %d"),
    "written": st.column_config.NumberColumn(format="turn %d"),
}


if __name__ == "__main__":
    render()
