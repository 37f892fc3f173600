"""Deliverable: what a run delivered as it is laid out, each value marked by where it came from, with its evidence."""

from __future__ import annotations

import streamlit as st

from dashboard import data, selection
from dashboard.parts import deliverable_widget, frame
from tabcore.analyses.provenance_rows import Provenance
from tabcore.exports.provenance_workbook import workbook
from tabcore.presentation.deliverable_page import standalone_page
from tabcore.presentation.plain import plain_line


def render() -> None:
    """The page."""
    chosen = frame.chosen_run()
    if chosen is None:
        _say("**No run is chosen.** This page shows where each value of a run's deliverable came from.")
        return
    if data.run(chosen) is None:
        _say("**The run that the address names is not in this store.** Load its log, then open the same link again.")
        st.text(f"run {chosen}")
        return
    found = data.provenance(chosen)
    if not found.files:
        _say(
            "**No deliverable of this run is known.** It needs a file beside the log (in `deliverable/` or a benchmark's own "
            "folder), a file that the agent wrote through its calls, or a last answer; the log has none of them."
        )
        return
    deliverable_widget.draw(data.deliverable_data(chosen, _file(found)), key=f"deliverable-{chosen}")
    _exports(found)


def _say(words: str) -> None:
    with st.container(border=True, key="empty"):
        st.markdown(words)
        st.page_link("views/runs.py", label="Go to the runs")


def _file(found: Provenance) -> int:
    """Which file is shown: the one that the address names, else the first with a text; chosen where there are several."""
    wanted = selection.from_address(st.query_params.to_dict()).file
    paths = [file.path for file in found.files]
    known = [index for index, file in enumerate(found.files) if file.text is not None]
    first = paths.index(wanted) if wanted in paths else next(iter(known), 0)
    if len(paths) == 1:
        return 0
    labels = [_label(found, index) for index in range(len(paths))]
    index = st.selectbox(
        f"File, of {len(paths):,} delivered", range(len(paths)), first, format_func=labels.__getitem__,
        key=f"file-{found.run.run_id}",
    )  # fmt: skip
    return index if index is not None else first


def _label(found: Provenance, index: int) -> str:
    """A file and its counts."""
    file = found.files[index]
    counts = [f"{count:,} {kind}" for kind, count in found.counts(file=index).items() if count]
    about = "no text is known" if file.text is None else ", ".join(counts) or "no distinctive value"
    return f"{plain_line(file.path, 100)}: {about}"


def _exports(found: Provenance) -> None:
    name = f"provenance-{found.run.run_id[:8]}"
    with st.container(horizontal=True, key="exports"):
        st.download_button("Workbook (xlsx)", lambda: workbook(found), f"{name}.xlsx", on_click="ignore")
        st.download_button(
            "Page on its own (HTML)", lambda: standalone_page(found), f"{name}.html", "text/html", on_click="ignore"
        )


if __name__ == "__main__":
    render()
