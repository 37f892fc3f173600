"""What a load did: per file what became of it, and each problem with its line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import streamlit as st

from tabcore.errors import Problem
from tabcore.presentation.plain import plain_line
from tabcore.rows import Loaded

Load = Callable[[Callable[[int, int], object]], tuple[Loaded, ...]]
FILES_NAMED = 20


def draw(loaded: Sequence[Loaded]) -> None:
    """The report of the last load; nothing when there was none."""
    if not loaded:
        return
    with st.container(border=True, key="load-report"):
        runs = sum(len(item.runs) for item in loaded)
        st.text(f"{len(loaded):,} file{_s(len(loaded))} taken in, {runs:,} run{_s(runs)}")
        named = _named(loaded)
        for item in named:
            st.text(line_of(item))
        if len(loaded) > len(named):
            st.text(f"… and {len(loaded) - len(named):,} more files" if named else "None had a problem.")
        found = [problem for item in loaded for problem in item.problems]
        if found:
            problems(found)
        if st.button("Close the report"):
            st.session_state["loaded"] = ()
            st.rerun()


def _named(loaded: Sequence[Loaded]) -> Sequence[Loaded]:
    """The files that are named: all, but of many only those with a problem."""
    if len(loaded) <= FILES_NAMED:
        return loaded
    return [item for item in loaded if item.problems][:FILES_NAMED]


def loaded_with_progress(load: Load) -> None:
    """Load with a bar that says how far it has come, then draw the page anew, with the report of it."""
    bar = st.progress(0.0, text="reading …")
    loaded = load(
        lambda done, of: bar.progress(done / of if of else 1.0, text=f"{done:,} of {of:,} files are read and stored")
    )
    bar.empty()
    st.session_state["loaded"] = tuple(loaded)
    st.rerun()


def line_of(item: Loaded) -> str:
    """One file's fate in one line.

    >>> line_of(Loaded("a/b.jsonl", "loaded", ("0",), "8 lines: 7 read, 1 skipped (line 4)"))
    'b.jsonl: loaded · 8 lines: 7 read, 1 skipped (line 4)'
    """
    name = plain_line(item.path.replace("\\", "/").rsplit("/", 1)[-1], 80)
    notes = [item.state, plain_line(item.tally, 200)]
    if item.problems:
        notes.append(f"{len(item.problems)} problem{_s(len(item.problems))}")
    return f"{name}: {' · '.join(note for note in notes if note)}"


def problems(found: Sequence[Problem]) -> None:
    """Problems as a table: where, what, what was done about it, and whether content was lost."""
    st.dataframe(
        {
            "file": [plain_line(problem.file.replace("\\", "/").rsplit("/", 1)[-1], 120) for problem in found],
            "line": [problem.line or None for problem in found],
            "kind": [plain_line(problem.kind, 60) for problem in found],
            "what": [plain_line(problem.what, 300) for problem in found],
            "done": [plain_line(problem.done, 300) for problem in found],
            "lost": ["lost" if problem.lost else "kept" for problem in found],
        },
        hide_index=True,
        placeholder="",
        height=height_of(len(found), 10),
        alt="Problems of the log",
    )


def height_of(rows: int, most: int) -> int | Literal["content"]:
    """A table's height: as high as its rows, and no higher than `most` of them."""
    return "content" if rows <= most else 32 * most


def _s(number: int) -> str:
    return "" if number == 1 else "s"
