"""Words in all runs: a chosen hit opens the replay at its turn, at the very place where a result shows it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard import query_data, selection
from dashboard.parts import load_report
from tabcore.presentation.plain import plain_line
from tabcore.rows import RunRow, SearchHit

_BEFORE = 32
"""Characters before what was found that a row shows, so that the words themselves are in sight."""

_WORDS = {
    "task": "in the task",
    "told": "told to the agent",
    "said": "said by the agent",
    "thought": "thought by the agent",
    "called": "in a call",
    "shown": "shown by a call",
    "required": "in a requirement",
    "resolved": "in a reason",
    "delivered": "delivered",
    "rubric": "in a rubric",
}


def draw(rows: Sequence[RunRow]) -> None:
    """The box and what it finds."""
    words = st.text_input("Words", key="search-words", placeholder='lodging "a night" 差旅')
    st.text(
        "All words must stand in one text: task, result, call, requirement, deliverable, rubric. “Several words” in quotation marks are one."
    )
    if not words or not words.strip():
        return
    found = query_data.search(words.strip())
    first = f"; the first {len(found.hits):,} are listed, by run and turn" if found.total > len(found.hits) else ""
    st.text(
        f"{found.total:,} places{first}. Choose a row to see it in the replay."
        if found.total
        else "Nothing has these words."
    )
    if found.hits:
        _table(found.hits, {row.run_id: row for row in rows})


def _table(hits: Sequence[SearchHit], runs: dict[str, RunRow]) -> None:
    of = [runs.get(hit.run_id) for hit in hits]
    columns: dict[str, list[object]] = {
        "task": [selection.run_name(run) if run else hit.run_id for run, hit in zip(of, hits, strict=True)],
        "method": [plain_line(run.method or "", 40) if run else "" for run in of],
        "attempt": [run.attempt if run else None for run in of],
        "turn": [hit.turn for hit in hits],
        "where": [_where(hit) for hit in hits],
        "what": [plain_line(f"{hit.before[-_BEFORE:]}▸{hit.found}◂{hit.after}", 220) for hit in hits],
        "simulated": ["▨ simulated" if run and run.simulated else "" for run in of],
    }
    chosen = st.dataframe(
        {name: cells for name, cells in columns.items() if any(cells)},
        on_select="rerun",
        selection_mode="single-row",
        hide_index=True,
        key="hits",
        column_config={
            "task": st.column_config.TextColumn(width="medium"),
            "what": st.column_config.TextColumn(width="large"),
        },
        height=load_report.height_of(len(hits), 22),
        placeholder="",
        alt="Places with these words",
    )
    if picked := chosen["selection"]["rows"]:
        hit = hits[picked[0]]
        mark = selection.Mark(hit.call, hit.start, hit.end) if hit.kind == "shown" else None
        st.session_state["run"] = hit.run_id
        query = selection.to_address(selection.Selection(hit.run_id, hit.turn, mark))
        st.switch_page("views/replay.py", query_params=query)


def _where(hit: SearchHit) -> str:
    return f"{_WORDS[hit.kind]} {plain_line(hit.path, 60)}".strip()
