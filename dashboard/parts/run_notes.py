"""Notes of persons on a run: on a turn, a requirement, or a value; each with who, when, and a link to its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import streamlit as st

from dashboard import selection, taxonomy_data
from dashboard.parts.boundary import boundary
from tabcore.analyses.labels import Note
from tabcore.presentation.plain import plain, plain_line
from tabcore.rows import Replay

NAME = "annotator"
LISTED = 50
"""Notes that are listed at once, the latest first."""


def draw(replay: Replay, turn: int) -> None:
    """The notes on a run, and a form for the turn on which the replay rests and for the run's requirements."""
    run_id = replay.run.run_id
    notes = [note for note in taxonomy_data.notes() if note.run_id == run_id]
    with st.expander(f"{len(notes):,} note{'' if len(notes) == 1 else 's'} on this run", key="notes"):
        stated = [(fact.requirement, fact.text) for fact in replay.timeline.requirements]
        places = [(f"turn {turn}", Note(run_id, "", "", 0, turn=turn))]
        places += [
            (f"{name}: {plain_line(text, 80)}", Note(run_id, "", "", 0, turn=turn, requirement=name))
            for name, text in stated
        ]
        _form(places, f"{run_id}-{turn}")
        for note in reversed(notes[-LISTED:]):
            _line(note)


def draw_on_value(run_id: str, rubric_id: str, key: str, turn: int) -> None:
    """The notes on one value that a rubric expects, and a form for it."""
    notes = [n for n in taxonomy_data.notes() if (n.run_id, n.rubric_id, n.value) == (run_id, rubric_id, key)]
    with st.popover(f"Notes on this value: {len(notes):,}"):
        _form([("", Note(run_id, "", "", 0, turn=turn, rubric_id=rubric_id, value=key))], f"{run_id}-{rubric_id}-{key}")
        for note in reversed(notes[-LISTED:]):
            _line(note)


def _form(places: Sequence[tuple[str, Note]], key: str) -> None:
    with st.form(f"note-{key}", border=False, clear_on_submit=True):
        chosen = 0
        if len(places) > 1:
            labels = [label for label, _ in places]
            chosen = st.selectbox("On", range(len(places)), format_func=labels.__getitem__, key=f"note-on-{key}") or 0
        words = st.text_area("Note", max_chars=2_000, height=80, key=f"note-words-{key}")
        name = st.text_input(
            "Who notes it", st.session_state.get(NAME, ""), max_chars=80, width=200, key=f"note-name-{key}"
        )
        kept = st.form_submit_button("Keep the note")
    if kept:
        st.session_state[NAME] = name
        with boundary():
            taxonomy_data.add_note(replace(places[chosen][1], text=words, who=name))
            st.rerun()


def _line(note: Note) -> None:
    on = [
        f"turn {note.turn}" if note.turn else "",
        note.requirement,
        note.value and f"value {note.value}",
        note.rubric_id and f"rubric {note.rubric_id}",
    ]
    day = datetime.fromtimestamp(note.time, UTC).strftime("%Y-%m-%d %H:%M")
    with st.container(horizontal=True, vertical_alignment="center"):
        if note.turn:
            query = selection.to_address(selection.Selection(note.run_id, note.turn))
            st.page_link("views/replay.py", label=f"turn {note.turn}", query_params=query)
        st.text(plain(f"{note.who}, {day}, on {', '.join(filter(None, on)) or 'the run'}: {note.text}"))
