"""What one run read and did not deliver, rubrics or not: the values ranked, and the line of the chosen one."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard import data, selection
from dashboard.parts import load_report
from tabcore.analyses.left_out import HeldValue, LeftOut
from tabcore.presentation.marked_text import STYLE, marked_html
from tabcore.presentation.plain import plain_line
from tabcore.rows import RunRow


def draw(rows: Sequence[RunRow], asked: selection.Asked) -> None:
    """A choice among the runs, and the answer for the chosen one."""
    st.subheader("Read and not delivered, in one run", anchor=False)
    ids = [row.run_id for row in rows]
    names = {row.run_id: selection.run_line(row) for row in rows}
    chosen = st.session_state.get("run")
    run_id = st.selectbox(
        "Run", ids, index=ids.index(chosen) if chosen in ids else 0, format_func=lambda run: plain_line(names[run], 120)
    )
    if run_id is None:
        return
    found = data.left_out(run_id, asked.rule, asked.dates)
    if not found.held:
        st.text("No file that this run read holds a distinctive value.")
        return
    what = "dates" if asked.dates else "distinctive values"
    st.text(
        f"Of {found.held:,} {what} in the files that were read, {found.delivered:,} are delivered. The others, those first "
        "whose lines share most words with the task and the requirements:"
    )
    if found.values:
        _table(run_id, found)


def _table(run_id: str, found: LeftOut) -> None:
    chosen = st.dataframe(
        table_of(found),
        on_select="rerun",
        selection_mode="single-row",
        hide_index=True,
        key=f"left-out-{run_id}-{len(found.values)}",
        column_config={
            "line": st.column_config.TextColumn(width="large"),
            "score": st.column_config.NumberColumn(format="%.1f"),
        },
        height=load_report.height_of(len(found.values), 10),
        placeholder="",
        alt="Values that were read and not delivered, one a row",
    )
    picked: list[int] = chosen["selection"]["rows"]
    if picked:
        _line(run_id, found.values[picked[0]][0])


def table_of(found: LeftOut) -> dict[str, list[object]]:
    """The table's columns."""
    values = [value for value, _ in found.values]
    return {
        "value": [plain_line(value.text, 40) for value in values],
        "line": [plain_line(value.line.left + value.line.marked + value.line.right, 200) for value in values],
        "entry": [value.entry_id for value in values],
        "file": [plain_line(value.path, 120) for value in values],
        "read at": [value.turn for value in values],
        "score": [score for _, score in found.values],
    }


def _line(run_id: str, value: HeldValue) -> None:
    st.html(STYLE)
    with st.container(horizontal=True, vertical_alignment="center", key="left-out-line"):
        st.text(f"{value.entry_id} · {plain_line(value.path, 200)} · turn {value.turn}, line {value.line.number:,}")
        query = selection.to_address(selection.Selection(run_id, value.turn))
        st.page_link("views/replay.py", label="see the turn in the replay", query_params=query)
    st.html(marked_html(value.line))
