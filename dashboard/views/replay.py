"""Replay: one run, turn by turn; the texts of the turn on which it rests; the log's problems; task and root."""

from __future__ import annotations

import time

import streamlit as st

from dashboard import data, selection
from dashboard.parts import following, frame, load_report, replay_widget
from dashboard.parts.boundary import boundary
from tabcore.presentation.plain import CAP, plain, plain_line
from tabcore.rows import Replay, RunRow

CORRECTED = "corrected"
# Seconds in which the server sends the texts before the review, which takes longer, is computed.
SENDING = 0.02


def render() -> None:
    """The page."""
    chosen = frame.chosen_run()
    if chosen is None:
        _say("**No run is chosen.** This page replays one run turn by turn. Choose one in the table of runs.")
        return
    row = data.run(chosen)
    if row is None:
        _say("**The run that the address names is not in this store.** Load its log, then open the same link again.")
        st.text(f"run {chosen}")
        return
    replay = data.replay(chosen)
    if replay.turns:
        following.switch(row.path)
        _stepping(chosen, _opening(chosen, replay))
    else:
        _say("**This run has no turns.** The log was read, but no response of a model is in it.")
    _about(replay)
    if replay.turns and data.has_all_orders(chosen):
        replay_widget.feed(data.order_message(chosen), key=f"orders-{chosen}")


def _say(words: str) -> None:
    with st.container(border=True, key="empty"):
        st.markdown(words)
        st.page_link("views/runs.py", label="Go to the runs")


def _opening(run_id: str, replay: Replay) -> int:
    """The turn that the address names, else the one that was left in this session, else the first."""
    wanted = selection.from_address(st.query_params.to_dict())
    turn = wanted.turn if wanted.run == run_id and wanted.turn else st.session_state.get(_left(run_id))
    return selection.nearest_turn(turn, tuple(row.number for row in replay.turns))


def _left(run_id: str) -> str:
    return f"left-{run_id}"


@st.fragment
def _stepping(run_id: str, opening: int) -> None:
    """What follows the replay's steps; it reruns by itself when the replay comes to rest."""
    with boundary():
        rested = replay_widget.replay(data.replay_data(run_id), opening, key=f"replay-{run_id}")
        st.session_state[_left(run_id)] = rested.turn
        key = f"texts-{run_id}"
        cap = replay_widget.wanted_cap(key, rested.turn, CAP)
        replay_widget.turn_text(data.turn_data(run_id, rested.turn, cap), key=key)
        if rested.entry:
            replay_widget.feed(data.excerpt_message(run_id, rested.entry), key=f"excerpt-{run_id}")
        time.sleep(SENDING)
        if rested.turn == opening or not data.has_all_orders(run_id):
            replay_widget.feed(data.turn_order_message(run_id, rested.turn), key=f"order-{run_id}")
        replay_widget.feed(data.review_message(run_id, rested.turn), key=f"review-{run_id}")


def _about(replay: Replay) -> None:
    row = replay.run
    with st.expander(f"The log, and {_count(len(replay.problems), 'problem')} with it", key="log"):
        st.text(plain_line(row.path, 600))
        st.text(
            f"{plain_line(row.format, 40)} · {plain_line(row.loaded, 300) or 'nothing was counted'} · run {row.run_id}"
        )
        if row.abandoned:
            st.text(f"{_count(row.abandoned, 'turn')} on branches that the record gave up; not part of the replay")
        if replay.problems:
            load_report.problems(replay.problems)
    _undecided(replay)
    _correction(row)


def _undecided(replay: Replay) -> None:
    undecided = replay.timeline.undecided
    with st.expander(f"{_count(len(undecided), 'unknown')}: what capture could not decide", key="unknown"):
        if not undecided:
            st.text("Capture decided every call of this run.")
            return
        st.dataframe(
            {
                "turn": [fact.turn for fact in undecided],
                "call": [fact.call + 1 for fact in undecided],
                "path": [plain_line(fact.path, 300) for fact in undecided],
                "why": [plain_line(fact.reason, 300) for fact in undecided],
            },
            hide_index=True,
            placeholder="",
            height=load_report.height_of(len(undecided), 10),
            alt="Calls that capture could not decide",
        )


def _correction(row: RunRow) -> None:
    with st.expander("Task and workspace root", key="task"):
        st.text(
            f"task: from {plain_line(row.task_source, 60) or 'nowhere'} · root: from {plain_line(row.root_source, 60) or 'nowhere'}"
        )
        with st.form(f"correct-{row.run_id}", border=False):
            task = st.text_area(
                "Task text; the threshold and the ranks come from its words", plain(row.task), height=180
            )
            root = st.text_input("Workspace root; paths are relative to it", plain(row.root))
            with st.container(horizontal=True):
                save = st.form_submit_button("Derive the tab again")
                undo = st.form_submit_button("Back to what the record says")
        if save:
            data.correct(row.run_id, _stated(root, row.root, row.root_source), _stated(task, row.task, row.task_source))
        elif undo:
            data.correct(row.run_id, None, None)
        if save or undo:
            st.rerun()


def _stated(entered: str, held: str, source: str) -> str | None:
    """What is to be corrected: None while it is what the record itself says."""
    if entered == plain(held):
        return held if source == CORRECTED else None
    return entered


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


if __name__ == "__main__":
    render()
