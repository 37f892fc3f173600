"""What the types come to: lost points by group beside the paper's, success within a type, moves between two methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard import data, taxonomy_data
from dashboard.parts import figure
from tabcore.analyses.agreement import Labelling
from tabcore.analyses.failure_taxonomy import FailedRubric, FailureTaxonomy
from tabcore.analyses.failure_types import DEFINITIONS
from tabcore.analyses.lost_points import flow, lost_points, success_within
from tabcore.presentation import taxonomy_charts, taxonomy_tables
from tabcore.presentation.plain import plain_line
from tabcore.presentation.report import PARTS, Part

Group = Callable[[FailedRubric], str]
_MISSING = "not recorded"
_GROUPS: Mapping[str, Group] = {
    "method": lambda one: one.run.method or _MISSING,
    "model": lambda one: one.run.model or _MISSING,
    "method and model": lambda one: f"{one.run.method or _MISSING} · {one.run.model or _MISSING}",
    "task": lambda one: one.run.name or _MISSING,
    "file type": lambda one: _file_type(one),
    "all together": lambda one: "all",
}
_VOLUME = "reading volume"


def draw(found: FailureTaxonomy, head: DeltaGenerator) -> None:
    """The figures for one annotator's labels."""
    labellings = taxonomy_data.labellings(found, taxonomy_data.labels())
    with head:
        names = sorted(labellings, key=lambda name: (name == taxonomy_data.RULES, -len(labellings[name])))
        who = st.selectbox("Whose labels", names, format_func=_who, key="figures-who", width=260) or taxonomy_data.RULES
        by = st.selectbox("Lost points by", [*_GROUPS, _VOLUME], key="figures-by", width=200) or "method"
        _report(found, who)
    labels = labellings[who]
    if any(one.run.simulated for one in found.failed):
        st.html(
            '<span class="simulated-word">simulated</span> <small>Among these runs are scripted ones: their figures show how '
            "the page works and are no finding.</small>"
        )
    groups = lost_points(found.failed, labels, _GROUPS.get(by) or _volume(found))
    what = f"by {by}; labels: {_who(who)}"
    table = taxonomy_tables.lost_points_table(groups)
    figure.draw(taxonomy_charts.lost_points_chart(groups, what), table, "lost-points", "Lost points by type")
    _between_methods(found, labels)
    with st.expander("What each type means", key="definitions"):
        for name, words in DEFINITIONS.items():
            st.markdown(f"**{name}**: {words}")


_PARTS: Mapping[Part, str] = {
    "missing": "shown but missing",
    "scores": "scores",
    "taxonomy": "why rubrics failed",
    "agreement": "agreement",
    "recovery": "masked recovery",
    "examples": "examples with their replays",
}


def _report(found: FailureTaxonomy, who: str) -> None:
    """What is written into one HTML file, and the button that writes it."""
    runs = tuple(run.run_id for run in found.runs)
    with st.popover("Report"):
        st.text(
            "One HTML file that opens without a network, prints, and can be mailed. It has the texts of runs in it."
        )
        title = st.text_input("Heading", "What was seen and left out", max_chars=200, key="report-title")
        parts = st.pills(
            "Parts", PARTS, format_func=_PARTS.__getitem__, selection_mode="multi", default=PARTS, key="report-parts"
        )
        st.download_button(
            "Report (HTML)",
            lambda: taxonomy_data.report(runs, who, parts, title),
            "report.html",
            "text/html",
            on_click="ignore",
        )


def _who(name: str) -> str:
    return "the rules" if name == taxonomy_data.RULES else plain_line(name, 60)


def _file_type(one: FailedRubric) -> str:
    """That of the file in the proposal's evidence."""
    paths = [fact.path for fact in one.proposal.evidence if "." in fact.path.rsplit("/", 1)[-1]]
    return paths[0].rsplit(".", 1)[1].lower() if paths else "no file in evidence"


def _volume(found: FailureTaxonomy) -> Group:
    """Thirds of the runs by the characters that the agent received."""
    received = {row.run_id: row.observed_chars for row in data.runs()}
    order = sorted({run.run_id for run in found.runs}, key=lambda run_id: received.get(run_id, 0))
    names = ("lightest third", "middle third", "heaviest third")
    third = {run_id: names[3 * place // len(order)] for place, run_id in enumerate(order)}
    return lambda one: third[one.run.run_id]


def _between_methods(found: FailureTaxonomy, labels: Labelling) -> None:
    methods = sorted({run.method for run in found.runs if run.method})
    rates = success_within(found, labels)
    if rates:
        table = taxonomy_tables.success_table(rates)
        figure.draw(taxonomy_charts.success_chart(rates), table, "success-within", "Success within Shown but Missing")
    else:
        st.text("No rubric of a dci run is labelled Shown but Missing: success within it cannot be counted.")
    if len(methods) < 2:
        st.text("How types move needs runs of two methods on the same tasks.")
        return
    _flow(found, labels, methods)


def _flow(found: FailureTaxonomy, labels: Labelling, methods: Sequence[str]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="flow-methods"):
        usual = methods.index("dci") if "dci" in methods else 0
        first = st.selectbox("From", methods, usual, key="flow-from", width=200) or methods[0]
        others = [name for name in methods if name != first]
        tabbed = others.index("running_tab") if "running_tab" in others else 0
        second = st.selectbox("to", others, tabbed, key="flow-to", width=200) or others[0]
    moves = flow(found, labels, first, second)
    if not moves:
        st.text("These two methods have no task in common.")
        return
    ink = "#F2F2F2" if st.context.theme.type == "dark" else "#222222"
    chart = taxonomy_charts.flow_chart(moves, first, second, ink)
    figure.draw(chart, taxonomy_tables.flow_table(moves, first, second), "flow", "How rubrics moved")
