"""The story of one value: one line that tells it, and each place with its line, linked into the replay."""

from __future__ import annotations

import streamlit as st

from dashboard import data, selection
from dashboard.parts import run_notes
from dashboard.parts.heading import heading
from dashboard.selection import Asked
from tabcore.analyses.shown_but_missing import ExpectedValue
from tabcore.analyses.value_story import Evidence, ValueStory
from tabcore.analyses.value_story import left_at as left_at
from tabcore.presentation.marked_text import STYLE, marked_html
from tabcore.presentation.plain import plain, plain_line

PLACES = 3
"""Places of a kind that are shown at first."""


def draw(value: ExpectedValue, asked: Asked) -> None:
    """One value of one rubric of one run."""
    told = data.value_story(value.run.run_id, value.rubric.rubric_id, value.key, asked.rule)
    st.html(STYLE)
    with st.container(border=True, key="story"):
        with st.container(horizontal=True, vertical_alignment="center"):
            heading(value.text, 60, size="content")
            st.text(told.sentence)
        st.text(f"Rubric {plain_line(value.rubric.rubric_id, 60)}: {plain(value.rubric.text)}")
        if value.rubric.evidence:
            st.text(f"Verdict: {plain(value.rubric.evidence)}")
        first = value.shown[0].turn if value.shown else 0
        run_notes.draw_on_value(value.run.run_id, value.rubric.rubric_id, value.key, first)
        shown, kept = st.columns(2)
        with shown:
            st.markdown(
                "**On the screen**" if told.shown else "**Never on the screen** before the deliverable was written"
            )
            for place in told.shown[:PLACES]:
                _on_screen(value, place)
            if len(value.shown) > PLACES:
                turns = ", ".join(str(place.turn) for place in value.shown[PLACES:23])
                st.text(f"and {len(value.shown) - PLACES} more places, at turns {turns}")
        with kept:
            _kept(value, told)


def _on_screen(value: ExpectedValue, place: Evidence) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text(f"turn {place.turn}, line {place.line.number:,} of the result")
        mark = selection.Mark(place.call, place.start, place.end)
        query = selection.to_address(selection.Selection(value.run.run_id, place.turn, mark))
        st.page_link("views/replay.py", label="see it in the replay", query_params=query)
    st.html(marked_html(place.line))


def _kept(value: ExpectedValue, told: ValueStory) -> None:
    held, delivered = told.held, told.delivered
    st.markdown("**In the read log**" if held else "**Not in the read log**")
    if held and value.held:
        others = len(value.held.entries) - 1
        more = f" and {others} more" if others else ""
        st.text(
            f"{held.entry_id}{more} · {plain_line(held.path, 200)} · read at turn {held.turn}, line {held.line.number:,}"
        )
        if not any(place.turn == held.turn and place.line.marked == held.line.marked for place in told.shown[:PLACES]):
            st.html(marked_html(held.line))
    st.markdown("**In the deliverable**" if delivered else "**Not in the deliverable**")
    for place in delivered[:PLACES]:
        st.text(f"{plain_line(place.path, 200)}, line {place.line.number:,} of its text")
        st.html(marked_html(place.line, "delivered"))
