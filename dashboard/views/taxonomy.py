"""Taxonomy: why rubrics failed, labelled by persons, models and rules; how they agree; what it comes to."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard import data, taxonomy_data
from dashboard.parts import ask_annotator, label_agreement, label_desk, label_figures, run_filters
from tabcore.analyses.failure_taxonomy import FailureTaxonomy

_PARTS: Mapping[str, Callable[[FailureTaxonomy, DeltaGenerator], None]] = {
    "Label": label_desk.draw,
    "Agreement": label_agreement.draw,
    "Figures": label_figures.draw,
    "Ask a model": ask_annotator.draw,
}

_STYLE = "<style>.st-key-part button[data-selected] p { color: #005A8C; }</style>"
"""The chosen part's name has too little contrast in the light theme while the pointer is on it."""

_ONLY_READ = (
    "These runs are a dataset, which is only read: no label can be kept in it. To label, load the logs into a store "
    "(`runningtab open LOGS`)."
)


def render() -> None:
    """The page."""
    rows = data.runs()
    if not rows:
        _say("**No run is stored yet.** This page finds out why rubrics failed, and shows it.")
        return
    if st.context.theme.type != "dark":
        st.html(_STYLE)
    head = st.container(horizontal=True, vertical_alignment="bottom", key="taxonomy-head")
    with head:
        part = st.segmented_control(
            "Part", list(_PARTS), default="Label", required=True, key="part", label_visibility="collapsed"
        )
        with st.popover("Which runs"):
            chosen = run_filters.draw(rows, "taxonomy")
    found = taxonomy_data.taxonomy().of({row.run_id for row in chosen})
    if not found.failed:
        _nothing(found)
        return
    part = part or "Label"
    if data.is_dataset() and part in ("Label", "Ask a model"):
        st.markdown(_ONLY_READ)
    _PARTS[part](found, head)


def _nothing(found: FailureTaxonomy) -> None:
    _say(
        "**No rubric of these runs failed, or none has a verdict.** Rubrics and verdicts lie beside a log: `rubrics.json` and "
        "`verdicts.json` in its folder, or a benchmark's own files."
    )
    st.text(
        f"{found.passed:,} rubrics passed, {found.not_evaluated:,} have no verdict, of {found.judge_failed:,} the judge failed."
    )


def _say(words: str) -> None:
    with st.container(border=True, key="empty"):
        st.markdown(words)
        st.page_link("views/runs.py", label="Go to the runs")


if __name__ == "__main__":
    render()
