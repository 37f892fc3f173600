"""A person corrects what capture decided in the turn on which the replay rests."""

from __future__ import annotations

import streamlit as st

from dashboard import data
from dashboard.parts.boundary import boundary
from tabcore.presentation.plain import plain, plain_line
from tabcore.rows import CallRow, CorrectionRow, Replay

NAME = "corrector"
PATHS_OFFERED = 200


def draw(replay: Replay, turn: int) -> None:
    """The form for one turn, and what was corrected in it."""
    with st.expander("Correct what capture decided in this turn", key="decisions"):
        row = next(row for row in replay.turns if row.number == turn)
        calls = [call for call in row.calls if call.answered and not call.operation]
        if not calls:
            st.text("No call of this turn is one of which capture decides.")
            return
        name = _form(replay.run.run_id, turn, calls)
        latest = {(one.call, one.path): one for one in replay.corrections if one.turn == turn}
        for one in latest.values():
            _corrected(replay.run.run_id, one, name)


def _form(run_id: str, turn: int, calls: list[CallRow]) -> str:
    """The form in one row; the name of who corrects."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="decision-form"):
        call = st.selectbox("Call", calls, format_func=_call_line, key=f"call-{run_id}-{turn}", width=250)
        place = f"{run_id}-{turn}-{call.index}"
        paths = list(dict.fromkeys(one.path for one in call.decisions if one.path))
        path = st.selectbox(
            "File: choose, or type a path",
            paths[:PATHS_OFFERED],
            index=None,
            format_func=lambda path: plain_line(path, 300),
            accept_new_options=True,
            key=f"path-{place}",
        )
        kind = st.segmented_control("What the call did with it", data.KINDS, default=data.KINDS[0], key=f"kind-{place}")
        name = _name()
        save = st.button("Save and derive again", key="save-decision")
    if save and kind:
        _say(run_id, turn, call.index, path or "", kind, name)
    return name


def _name() -> str:
    """The name of who corrects, kept for the session whatever page is shown in between."""
    given: str = st.text_input("Your name", st.session_state.get(NAME, ""), max_chars=80, width=160)
    st.session_state[NAME] = given
    return given


def _corrected(run_id: str, one: CorrectionRow, name: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text(plain(f"call {one.call + 1}, {one.path or 'no path'}: {one.verdict}"))
        if one.kind != "as captured" and st.button("as capture said", key=f"undo-{one.turn}-{one.call}-{one.path}"):
            _say(run_id, one.turn, one.call, one.path, "as captured", name)


def _say(run_id: str, turn: int, call: int, path: str, kind: data.CorrectedKind, name: str) -> None:
    with boundary():
        data.correct_decision(run_id, turn, call, path, kind, name)
        st.rerun()


def _call_line(call: CallRow) -> str:
    command = "" if call.command == call.name else call.command
    return plain_line(f"{call.index + 1}: {call.name} {command}", 120)
