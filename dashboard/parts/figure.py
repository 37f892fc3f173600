"""A figure: saved as PNG or SVG by the buttons below it, its data table as CSV and Parquet."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from dashboard.parts import load_report
from tabcore.exports.table_files import table_csv, table_parquet
from tabcore.presentation.picture_buttons import BESIDE, SCALE, picture_buttons
from tabcore.presentation.plain import plain_line
from tabcore.presentation.taxonomy_tables import DECIMALS


def plot(figure: object, name: str, **more: Any) -> Any:
    """The figure with the buttons that save it as `name`; what a chart's selection says, where `more` asks for one."""
    file = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "figure"
    config = {
        "displaylogo": False,
        "modeBarButtonsToRemove": ["select2d", "lasso2d", "zoom2d", "pan2d", "autoScale2d", "resetScale2d"],
        "toImageButtonOptions": {"format": "png", "filename": file, "scale": SCALE},
    }
    with st.container(key=f"{BESIDE}-{name}", gap=None):
        said = st.plotly_chart(figure, key=f"figure-{name}", config=config, **more)
        widget = picture_buttons()
        st.components.v2.component("runningtab_pictures", html=widget.html, css=widget.css, js=widget.js)(
            data={"name": file, "scale": SCALE, "beside": BESIDE}, key=f"save-{name}"
        )
    return said


def draw(figure: object, table: Mapping[str, Sequence[object]], name: str, alt: str) -> None:
    """The figure, and below it, folded away, what it is drawn from."""
    plot(figure, name)
    with st.expander(f"Data of this figure, {len(next(iter(table.values()), ())):,} rows", key=f"data-{name}"):
        draw_table(table, name, alt)


def draw_table(table: Mapping[str, Sequence[object]], name: str, alt: str) -> None:
    """A table with its files."""
    shown = {
        column: [plain_line(c, 200) if isinstance(c, str) else c for c in cells] for column, cells in table.items()
    }
    rows = len(next(iter(table.values()), ()))
    decimals = {
        column: 1 if column.endswith("%") else DECIMALS[column]
        for column in table
        if column in DECIMALS or column.endswith("%")
    }
    formats = {column: st.column_config.NumberColumn(format=f"%.{count}f") for column, count in decimals.items()}
    st.dataframe(
        shown,
        hide_index=True,
        column_config=formats,
        height=load_report.height_of(rows, 14),
        placeholder="",
        alt=alt,
        key=f"table-{name}",
    )
    with st.container(horizontal=True, key=f"files-{name}"):
        st.download_button(
            "CSV", lambda: table_csv(table), f"{name}.csv", "text/csv", on_click="ignore", key=f"csv-{name}"
        )
        st.download_button(
            "Parquet", lambda: table_parquet(table), f"{name}.parquet", on_click="ignore", key=f"parquet-{name}"
        )
