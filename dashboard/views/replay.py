"""Replay: one run, turn by turn; the texts of the turn on which it rests; what persons correct; the log's problems."""

from __future__ import annotations

import time

import streamlit as st

from dashboard import data, selection
from dashboard.parts import decisions, following, frame, load_report, replay_widget, run_notes
from dashboard.parts.boundary import boundary
from tabcore.presentation.plain import CAP, plain, plain_line
from tabcore.presentation.replay_widget.turn_list import (
    Group,
    checked_groups,
    correction_groups,
    turn_list_payload,
    undecided_groups,
)
from tabcore.rows import Replay, RunRow

# Links to sub-agents that stand above the replay; the table of runs has them all.
SUBAGENTS_LINKED = 12
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
    _family(row)
    if replay.turns:
        following.switch(row.path)
        _stepping(chosen, _opening(chosen, replay))
    else:
        _say("**This run has no turns.** The log was read, but no response of a model is in it.")
    _about(replay)
    if replay.turns and data.has_all_orders(chosen):
        replay_widget.feed(data.order_message(chosen), key=f"orders-{chosen}")


def _family(row: RunRow) -> None:
    """Ways to the run that started this one, and to those that it started."""
    parent = data.run(row.parent) if row.parent else None
    started = data.subagents(row.run_id)
    if parent is None and not started:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="family"):
        if parent is not None:
            _relative("started by", parent)
        for number, child in enumerate(started[:SUBAGENTS_LINKED], 1):
            _relative(f"sub-agent {number}", child)
        if len(started) > SUBAGENTS_LINKED:
            st.text(f"… and {len(started) - SUBAGENTS_LINKED:,} more sub-agents in the table of runs")


def _relative(label: str, row: RunRow) -> None:
    """A link to another run. Its name stands beside: a link's label is Markdown, which no text of a log may be."""
    query = selection.to_address(selection.Selection(row.run_id))
    st.page_link("views/replay.py", label=label, query_params=query)
    st.text(plain_line(selection.run_name(row), 40))


def _say(words: str) -> None:
    with st.container(border=True, key="empty"):
        st.markdown(words)
        st.page_link("views/runs.py", label="Go to the runs")


def _opening(run_id: str, replay: Replay) -> int:
    """The turn that the address names, else the one that was left in this session, else the first."""
    wanted = selection.from_address(st.query_params.to_dict())
    turn = wanted.turn if wanted.run == run_id and wanted.turn else st.session_state.get(_left(run_id))
    return selection.nearest_turn(turn, tuple(row.number for row in replay.turns))


def _marked(turn: int, opening: int) -> tuple[int, int, int] | None:
    """The place that the address marks, while the replay rests at the turn with which it was opened."""
    mark = selection.from_address(st.query_params.to_dict()).mark
    return (mark.call, mark.start, mark.end) if mark and turn == opening else None


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
        replay_widget.turn_text(data.turn_data(run_id, rested.turn, cap, _marked(rested.turn, opening)), key=key)
        decisions.draw(data.replay(run_id), rested.turn)
        run_notes.draw(data.replay(run_id), rested.turn)
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
    _checked(replay)
    _corrections(replay)
    _correction(row)


def _undecided(replay: Replay) -> None:
    undecided = replay.timeline.undecided
    with st.expander(f"{_count(len(undecided), 'unknown')}: what capture could not decide", key="unknown"):
        if undecided:
            _places(replay, undecided_groups(undecided), "unknown")
        else:
            st.text("Capture decided every call of this run.")


def _checked(replay: Replay) -> None:
    """What the record itself says of files, where it says anything."""
    row = replay.run
    if not replay.checked:
        return
    label = f"The record's own word on files: {row.stated:,} stated, {row.agreed:,} agreed, {row.missed:,} missed by capture"
    with st.expander(label, key="checked"):
        _places(replay, checked_groups(replay.checked), "checked")


def _corrections(replay: Replay) -> None:
    if not replay.corrections:
        return
    label = f"{_count(len(replay.corrections), 'correction')} of capture's decisions, {replay.run.corrected:,} in force"
    with st.expander(label, key="corrections"):
        _places(replay, correction_groups(replay.corrections), "corrections")


def _places(replay: Replay, groups: list[Group], name: str) -> None:
    run_id = replay.run.run_id
    replay_widget.turn_list(turn_list_payload(run_id, groups), key=f"{name}-{run_id}")


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
            data.correct(row.run_id, root=_stated(root, row.root), task=_stated(task, row.task))
        elif undo:
            data.correct(row.run_id, root=None, task=None)
        if save or undo:
            st.rerun()


def _stated(entered: str, held: str) -> str | data.Kept:
    """What is to be corrected: nothing while it is what is shown."""
    return data.KEPT if entered == plain(held) else entered


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


if __name__ == "__main__":
    render()
