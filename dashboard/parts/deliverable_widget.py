"""The deliverable with its evidence as a streamlit component: source from `tabcore.presentation`, no state in Python."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from tabcore.presentation.deliverable_page import deliverable_widget
from tabcore.trajectory import Json


def draw(data: Mapping[str, Json], key: str) -> None:
    """One file; which value is chosen the address says."""
    widget = deliverable_widget()
    st.components.v2.component("runningtab_deliverable", html=widget.html, css=widget.css, js=widget.js)(
        data=data, key=key
    )
