"""Which of many runs count on a page: choices by what their records say."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from tabcore.presentation.plain import plain_line
from tabcore.rows import RunRow


def draw(rows: Sequence[RunRow], page: str) -> list[RunRow]:
    """The runs that the filters leave, sub-agents left out; `page` keeps the choices of pages apart."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="filters"):
        kept = [row for row in rows if row.parent is None]
        for name, label in (("suite", "Benchmark"), ("method", "Method"), ("model", "Model"), ("task_name", "Task")):
            values = sorted({getattr(row, name) or "" for row in kept})
            if len(values) > 1:
                wanted = st.multiselect(label, values, format_func=_named, key=f"{page}-{name}", placeholder="all")
                kept = [row for row in kept if not wanted or (getattr(row, name) or "") in wanted]
    return kept


def _named(value: str) -> str:
    return plain_line(value, 60) or "not recorded"
