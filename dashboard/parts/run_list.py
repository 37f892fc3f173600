"""The runs that make up a number, one a row; a chosen row opens its replay."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard import data, selection
from dashboard.parts import load_report
from tabcore.analyses.score_facts import RunPart
from tabcore.presentation.plain import plain_line


def draw(words: str, parts: Sequence[RunPart], key: str, *, shares: bool) -> None:
    """The runs behind the number that `words` names. `shares`: each run adds so many of so many, else a number."""
    with st.container(border=True, key=f"runs-{key}"):
        st.text(f"{words}: made of {len(parts):,} run{'' if len(parts) == 1 else 's'}. Choose a row to replay it.")
        rows = {row.run_id: row for row in data.runs()}
        found = [rows.get(part.run_id) for part in parts]
        counted: dict[str, list[object]] = (
            {"count": [_number(part.count) for part in parts], "of": [_number(part.of) for part in parts]}
            if shares
            else {"number": [_number(part.count) for part in parts]}
        )
        table: dict[str, list[object]] = {
            "task": [selection.run_name(row) if row else "" for row in found],
            "method": [plain_line(row.method or "", 40) if row else "" for row in found],
            "model": [plain_line(row.model or "", 40) if row else "" for row in found],
            "attempt": [row.attempt if row else None for row in found],
            **counted,
            "simulated": ["▨ simulated" if row and row.simulated else "" for row in found],
        }
        chosen = st.dataframe(
            table,
            on_select="rerun",
            selection_mode="single-row",
            hide_index=True,
            key=f"made-of-{key}",
            height=load_report.height_of(len(parts), 10),
            placeholder="",
            alt=f"The runs behind {words}",
        )
        if picked := chosen["selection"]["rows"]:
            run = parts[picked[0]].run_id
            st.session_state["run"] = run
            st.switch_page("views/replay.py", query_params=selection.to_address(selection.Selection(run)))


def _number(number: float) -> float | int:
    return int(number) if number == int(number) else round(number, 3)
