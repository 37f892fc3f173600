"""The dashboard: `streamlit run dashboard/app.py`.

The server imports this file and takes `app`, which adds the headers to each answer; for each visit it runs the
same file again as the page. RUNNINGTAB_DB names another store than the one in the user's data folder.
"""

from __future__ import annotations

import streamlit as st
from streamlit import runtime

from dashboard.headers import MIDDLEWARE
from dashboard.parts import frame
from dashboard.parts.boundary import boundary

_OF_MANY = ("Missing", "Recovery", "Taxonomy", "Scores", "Compare", "Query")
"""Pages of many runs at once."""


def main() -> None:
    """Frame, navigation, and the chosen page."""
    st.set_page_config(page_title="runningtab", page_icon="🗂️", layout="wide")
    page = st.navigation(
        [
            st.Page("views/runs.py", title="Runs", default=True),
            st.Page("views/replay.py", title="Replay"),
            st.Page("views/deliverable.py", title="Deliverable"),
            st.Page("views/missing.py", title="Missing"),
            st.Page("views/recovery.py", title="Recovery"),
            st.Page("views/taxonomy.py", title="Taxonomy"),
            st.Page("views/scores.py", title="Scores"),
            st.Page("views/compare.py", title="Compare"),
            st.Page("views/query.py", title="Query"),
        ],
        position="top",
    )
    with boundary():
        frame.draw(many=page.title in _OF_MANY)
        page.run()


if runtime.exists():
    main()
else:
    app = st.App(__file__, middleware=MIDDLEWARE)
