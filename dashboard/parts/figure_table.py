"""A table of figures in which each cell can be chosen: then the runs that make up its number stand below."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from dashboard.parts import load_report, run_list
from tabcore.analyses.score_facts import RunPart


@dataclass(frozen=True, slots=True)
class Told:
    """A number's words and the runs behind it."""

    words: str
    parts: tuple[RunPart, ...]
    shares: bool


def draw(
    columns: Mapping[str, Sequence[str]],
    behind: Mapping[tuple[int, str], Told],
    key: str,
    alt: str,
    *,
    numbers: Collection[str] = (),
    first: str = "",
) -> None:
    """Columns of words; `behind` says by row and column which runs a cell is made of.

    Columns with such cells, those of `numbers` and those named like numbers stand to the right; `first` stays in sight.
    """
    right = {column for _, column in behind} | set(numbers) | {name for name in columns if name.startswith(_NUMBERS)}
    rows = len(next(iter(columns.values()), ()))
    chosen = st.dataframe(
        {name: list(cells) for name, cells in columns.items()},
        on_select="rerun",
        selection_mode="single-cell",
        hide_index=True,
        key=f"figures-{key}",
        column_config={
            name: st.column_config.TextColumn(
                alignment="right" if name in right else "left",
                pinned=name == first,
                width=_width(cells) if name == first else None,
            )
            for name, cells in columns.items()
        },
        height=load_report.height_of(rows, 24),
        placeholder="",
        alt=alt,
    )
    cells = chosen["selection"]["cells"]
    if cells and (told := behind.get((cells[0][0], cells[0][1]))):
        run_list.draw(told.words, told.parts, key, shares=told.shares)


def _width(words: Sequence[str]) -> int:
    """Pixels that a column's longest words take.

    >>> _width(["turns", "open requirements reviewed beside an excerpt with words of theirs"])
    414
    """
    return 24 + 6 * max(map(len, words), default=0)


_NUMBERS = ("paper", "attempts", "tasks", "runs", "of ", "left out", "95 %", "p", "needed", "difference")
"""What the names of columns of numbers begin with that no runs stand behind."""
