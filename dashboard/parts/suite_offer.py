"""The offer of the suite of simulated runs, where nothing but samples is stored."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard import data
from dashboard.parts import load_report
from sample_runs import SUITE_RUNS, SUITE_SIMULATED
from tabcore.rows import RunRow


def draw(rows: Sequence[RunRow]) -> None:
    """One button that loads the suite; nothing where it is stored already, or where somebody's own runs are."""
    if not rows or not all(row.simulated for row in rows) or any(row.simulated == SUITE_SIMULATED for row in rows):
        return
    with st.container(horizontal=True, vertical_alignment="center", key="suite-offer"):
        wanted = st.button(f"Load {SUITE_RUNS} simulated runs")
        st.text("They fill every table of scores: twelve tasks, nine methods, three attempts, rates made up.")
    if wanted:
        load_report.loaded_with_progress(data.load_suite)
