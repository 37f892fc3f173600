"""Query: words in all runs, and a person's own SQL on the store, which it can read and nothing else."""

from __future__ import annotations

import streamlit as st

from dashboard import data, query_data
from dashboard.parts import figure, frame, load_report, search
from tabcore.errors import UsageError
from tabcore.presentation import score_charts
from tabcore.presentation.plain import plain, plain_line
from tabcore.querying import Answer, as_csv, as_parquet, stored_tables

EXAMPLES = {
    "Runs by method": "SELECT suite, model, method, count(*) AS runs, avg(turns) AS turns, avg(observed_chars) AS chars\nFROM runs\nGROUP BY ALL\nORDER BY ALL",
    "Files read most": "SELECT path, count(DISTINCT run) AS runs, count(*) AS entries\nFROM read_log\nGROUP BY path\nORDER BY entries DESC\nLIMIT 30",
    "Failed rubrics": "SELECT r.run_id, r.task_name, r.method, b.text, v.evidence\nFROM verdicts v\nJOIN rubrics b USING (run, rubric_id)\nJOIN runs r ON r.number = v.run\nWHERE NOT v.passed\nORDER BY ALL",
    "Longest results": "SELECT r.run_id, o.turn, o.chars, left(t.text, 200) AS begins\nFROM observations o\nJOIN runs r ON r.number = o.run\nJOIN texts t ON t.digest = o.text\nORDER BY o.chars DESC\nLIMIT 20",
    "Characters turn by turn": "SELECT turn, sum(received) AS received\nFROM turns\nWHERE abandoned = 0\nGROUP BY turn\nORDER BY turn",
}
SHOWN = 1000
"""Rows of a result that the page draws; the files have all of them."""
_CELL = 400


def render() -> None:
    """The page."""
    rows = data.runs()
    if not rows:
        with st.container(border=True, key="empty"):
            st.markdown("**No run is stored yet.** There is nothing to ask about.")
            st.page_link("views/runs.py", label="Go to the runs")
        return
    if any(row.simulated for row in rows):
        with st.container(horizontal=True, vertical_alignment="center", key="simulated-line"):
            frame.simulated_word()
            st.text(
                "Scripted runs are stored here, those whose column “simulated” says so: their numbers are no finding."
            )
    if st.segmented_control("Ask by", ["Words", "SQL"], default="Words", key="ask-by", required=True) == "Words":
        search.draw(rows)
    else:
        _sql()


def _sql() -> None:
    st.text(
        "One SELECT on the tables of the store. It runs in a process of its own that can read the store and nothing else:"
        " no file, no network, no setting; after 10 seconds or at its limit of memory it is stopped."
    )
    _tables()
    sql = _box()
    if sql:
        _asked(sql)


def _tables() -> None:
    with st.expander("The tables and their columns"):
        tables = stored_tables()
        st.dataframe(
            {
                "table": [table.name for table in tables],
                "what it holds": [table.words for table in tables],
                "columns": [", ".join(f"{name} {kind}" for name, kind in table.columns) for table in tables],
            },
            hide_index=True,
            column_config={"table": st.column_config.TextColumn(pinned=True, width=170)},
            row_height=35,
            height=load_report.height_of(len(tables), 14),
            alt="The tables of the store",
        )


def _box() -> str | None:
    """The SQL to run: what was asked last, until something else is."""
    kept = query_data.saved()
    offered = {**EXAMPLES, **kept}
    st.session_state.setdefault("sql", next(iter(EXAMPLES.values())))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            "Begin with", list(offered), index=None, format_func=lambda n: plain_line(n, 60), key="begin"
        )
        if st.button("Take it", disabled=name is None) and name:
            st.session_state["sql"] = offered[name]
        if name in kept and st.button("Forget it"):
            query_data.save(name, None)
            st.rerun()
    sql = st.text_area("SQL", key="sql", height=170)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if st.button("Run"):
            st.session_state["asked"] = sql
        title = st.text_input("Save it as", key="save-as", placeholder="a name", width=260)
        if st.button("Save", disabled=not title or not sql):
            query_data.save(title, sql)
            st.rerun()
    asked = st.session_state.get("asked")
    return asked if isinstance(asked, str) else None


def _asked(sql: str) -> None:
    try:
        answer = query_data.query(sql)
    except UsageError as fault:
        with st.container(border=True, key="refused"):
            st.markdown("**This query was not answered.**")
            st.text(plain(f"{fault.fact}.\n{fault.remedy}."))
        return
    _result(answer)


def _result(answer: Answer) -> None:
    table = answer.table
    cut = " and more that were cut: add a LIMIT of your own" if answer.cut else ""
    st.text(f"{table.num_rows:,} rows{cut}, {table.num_columns} columns, {answer.seconds:.1f} s")
    shown = table.slice(0, SHOWN)
    if table.num_rows > SHOWN:
        st.text(f"The first {SHOWN:,} are drawn; the files have all of them.")
    columns = {plain_line(name, 60): _cells(shown.column(name).to_pylist()) for name in shown.column_names}
    st.dataframe(
        columns, hide_index=True, height=load_report.height_of(shown.num_rows, 16), placeholder="", alt="The result"
    )
    with st.container(horizontal=True):
        st.download_button("CSV", lambda: as_csv(table), "query.csv", "text/csv")
        st.download_button("Parquet", lambda: as_parquet(table), "query.parquet", "application/octet-stream")
    _chart(columns)


def _cells(values: list[object]) -> list[object]:
    """Texts as they may be shown; numbers stay numbers."""
    return [plain_line(value, _CELL) if isinstance(value, str) else value for value in values]


def _chart(columns: dict[str, list[object]]) -> None:
    """A picture of one column of numbers over another column, where there is one."""
    numeric = [name for name, cells in columns.items() if cells and all(isinstance(c, int | float) for c in cells)]
    if not numeric or len(columns) < 2:
        return
    with st.expander("A quick chart"):
        with st.container(horizontal=True):
            y = st.selectbox("Up", numeric, index=len(numeric) - 1, key="chart-y") or numeric[-1]
            others = [name for name in columns if name != y]
            x = st.selectbox("Along", others, key="chart-x") or others[0]
        figure.plot(score_charts.quick_chart(columns[x], columns[y], x, y), "query")


if __name__ == "__main__":
    render()
