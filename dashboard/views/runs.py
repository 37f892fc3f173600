"""Runs: every run of the store in one table, filters, and how to bring more."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard import data, selection
from dashboard.parts import following, load_report, suite_offer
from dashboard.uploads import Dropped
from tabcore.presentation.plain import plain_line
from tabcore.rows import RunRow


def render() -> None:
    """The page."""
    rows = data.runs()
    if data.is_dataset():
        st.markdown(_ONLY_READ)
    else:
        _bring(rows)
    load_report.draw(st.session_state.get("loaded", ()))
    rows = data.runs()
    with st.container(horizontal=True, vertical_alignment="center"):
        if not data.is_dataset():
            following.folders()
        if rows or data.watched():
            following.switch()
    if rows:
        with st.container(key="to-missing"):
            st.page_link(
                "views/missing.py", label="Which numbers were on the screen and are missing from the deliverable?"
            )
        _table(_filtered(rows))


_ONLY_READ = "These runs are a dataset, which is only read here; `runningtab load LOGS --dataset FOLDER` adds runs to its folder."


def _bring(rows: Sequence[RunRow]) -> None:
    if rows:
        with st.expander("Add runs", key="bring"):
            _drop()
            suite_offer.draw(rows)
        return
    with st.container(border=True, key="empty"):
        st.markdown(
            "**No run is stored yet.** This page lists recorded agent runs: which files each one listed, read and "
            "never opened, turn by turn. It needs logs: load the sample runs that come with the program, or drop logs "
            "of ATIF, Pi or Claude Code below. Files that belong to a log (`run.toml`, `task.md`) may be dropped with it."
        )
        if st.button("Load the sample runs", type="primary"):
            load_report.loaded_with_progress(data.load_samples)
        _drop()


def _drop() -> None:
    files = st.file_uploader("Drop logs here", accept_multiple_files=True, key="dropped")
    seen = st.session_state.setdefault("seen", set())
    new = [file for file in files or () if file.file_id not in seen]
    if not new:
        return
    seen.update(file.file_id for file in new)
    dropped = [Dropped(file.name, file.getvalue()) for file in new]
    load_report.loaded_with_progress(lambda progress: data.load_dropped(dropped, progress))


def _filtered(rows: Sequence[RunRow]) -> list[RunRow]:
    with st.container(horizontal=True, vertical_alignment="bottom", key="filters"):
        words = st.text_input("Search", key="words", placeholder="task, method, model, path …")
        methods = _choice("Method", sorted({row.method or "" for row in rows}))
        models = _choice("Model", sorted({row.model or "" for row in rows}))
        formats = _choice("Format", sorted({row.format for row in rows}))
    kept = [
        row
        for row in rows
        if selection.found_by(row, words or "")
        and (not methods or (row.method or "") in methods)
        and (not models or (row.model or "") in models)
        and (not formats or row.format in formats)
    ]
    st.text(f"{len(kept):,} of {len(rows):,} runs. Choose a row to replay the run.")
    return kept


def _choice(label: str, values: list[str]) -> list[str]:
    if len(values) < 2:
        return []
    return st.multiselect(label, values, format_func=lambda value: plain_line(value, 60) or "not recorded", key=label)


def _table(rows: Sequence[RunRow]) -> None:
    chosen = st.dataframe(
        table_of(rows),
        on_select="rerun",
        selection_mode="single-row",
        hide_index=True,
        key="table",
        column_config=_COLUMNS,
        height=load_report.height_of(len(rows), 18),
        placeholder="",
        alt="All runs, one a row",
    )
    picked = chosen["selection"]["rows"]
    if picked:
        run = rows[picked[0]]
        st.session_state["run"] = run.run_id
        st.switch_page("views/replay.py", query_params=selection.to_address(selection.Selection(run.run_id)))


def table_of(rows: Sequence[RunRow]) -> dict[str, list[object]]:
    """The table's columns. Texts of the record are plain lines; counts are numbers, so that they sort as such."""
    return {
        "task": [f"↳ {selection.run_name(row)}" if row.parent else selection.run_name(row) for row in rows],
        "method": [plain_line(row.method or "", 60) for row in rows],
        "model": [plain_line(row.model or "", 60) for row in rows],
        "attempt": [row.attempt for row in rows],
        "simulated": ["▨ simulated" if row.simulated else "" for row in rows],
        "turns": [row.turns for row in rows],
        "files read": [row.files_read for row in rows],
        "candidates left": [row.candidates for row in rows],
        "requirements": [f"{row.resolved} / {row.requirements}" if row.requirements else "" for row in rows],
        "problems": [row.problems for row in rows],
        "unknown": [row.unknowns for row in rows],
        "differs": [row.differences for row in rows],
        "format": [row.format for row in rows],
        "loaded": [plain_line(row.loaded, 160) for row in rows],
        "run": [row.run_id for row in rows],
    }


_COLUMNS = {
    "task": st.column_config.TextColumn(width=330),
    "method": st.column_config.TextColumn(width=140),
    "simulated": st.column_config.TextColumn(width=105),
    "attempt": st.column_config.NumberColumn(),
    "candidates left": st.column_config.NumberColumn(help="listed and never opened"),
    "requirements": st.column_config.TextColumn(help="resolved / stated", alignment="right"),
    "unknown": st.column_config.NumberColumn(help="calls of which could not be told what they did with files"),
    "differs": st.column_config.NumberColumn(help="tab texts that the record has otherwise than derived"),
    "problems": st.column_config.NumberColumn(help="faults of the log; the replay lists them"),
}


if __name__ == "__main__":
    render()
