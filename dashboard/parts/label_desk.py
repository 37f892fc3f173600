"""The desk: one failed rubric at a time, keys 1 to 6, skip, undo, note; what others say is hidden until asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard import selection, taxonomy_data
from dashboard.parts import label_evidence
from dashboard.parts.boundary import boundary
from dashboard.parts.label_queue import QUEUES, item_of, next_of, queue
from tabcore.analyses.agreement import Item
from tabcore.analyses.failure_taxonomy import FailedRubric, FailureTaxonomy
from tabcore.analyses.failure_types import DEFINITIONS, TYPES, FailureType
from tabcore.analyses.labels import Label, Note, counting
from tabcore.errors import RunningTabError
from tabcore.presentation.plain import plain, plain_line

_NAME, _SKIPPED, _DONE, _SAW, _FAULT, _OPENED, _SAID = (
    *("annotator", "label-skipped", "label-done", "label-saw", "label-fault", "label-opened", "label-said"),
)


def draw(found: FailureTaxonomy, head: DeltaGenerator) -> None:
    """The desk for these failed rubrics; who labels and what waits is asked in `head`.

    The buttons are sent before the rubric above them: whoever sees a rubric presses keys that are its own.
    """
    labels = taxonomy_data.labels()
    counts = counting(labels)
    with head:
        who, waiting = _queue(found, counts)
    one = _current(found, waiting)
    case = taxonomy_data.rubric_case(item_of(one)) if one else None
    top = st.container()
    _buttons(one, who, counts)
    with top:
        _progress(found, counts, who)
        if fault := st.session_state.pop(_FAULT, None):
            with st.container(border=True, key="fault-label"):
                st.text(plain_line(fault, 400))
        if case is None:
            st.info("Nothing waits in this queue. Another queue, or another choice of runs, may have more.")
        else:
            label_evidence.draw_rubric(case)
    if one is None or case is None:
        return
    if st.session_state.get(_SAW) == item_of(one):
        _proposals(one, counts, who)
    label_evidence.draw(case)
    _notes(one, who)


def _queue(found: FailureTaxonomy, counts: Mapping[str, Mapping[Item, Label]]) -> tuple[str, list[FailedRubric]]:
    given = st.text_input(
        "Annotator", st.session_state.get(_NAME, ""), max_chars=80, width=180, placeholder="your name"
    )
    st.session_state[_NAME] = given
    who = " ".join(given.split())
    which = st.selectbox("Queue", QUEUES, width=230, key="label-queue")
    share = st.number_input("Sample for all, %", 1, 100, 100, 5, width=130, key="label-share")
    return who, queue(found.failed, counts, who, which or QUEUES[0], int(share))


def _progress(found: FailureTaxonomy, counts: Mapping[str, Mapping[Item, Label]], who: str) -> None:
    mine = counts.get(who, {})
    done = sum(item_of(one) in mine for one in found.failed)
    said = st.session_state.get(_SAID, "")
    words = f"{done:,} of {len(found.failed):,} failed rubrics labelled{f' by {plain_line(who, 60)}' if who else ''}"
    with st.container(key="label-progress"):
        st.progress(done / len(found.failed) if found.failed else 0.0)
        st.text(f"{words}{f' · {said}' if said else ''}")


def _current(found: FailureTaxonomy, waiting: Sequence[FailedRubric]) -> FailedRubric | None:
    """The one that the address names, the first time; else the one that undo gave back; else the next that waits."""
    query = st.query_params.to_dict()
    named = (selection.from_address(query).run or "", query.get("rubric", ""))
    if named[1] and st.session_state.get(_OPENED) != named:
        there = next((one for one in found.failed if item_of(one) == named), None)
        if there is not None:
            return there
    return next_of(waiting, st.session_state.setdefault(_SKIPPED, []))


def _left(item: Item) -> None:
    """An item was dealt with: the address does not bring it back."""
    st.session_state[_OPENED] = item
    st.session_state.pop(_SAW, None)
    if "rubric" in st.query_params:
        st.query_params.clear()


def _buttons(one: FailedRubric | None, who: str, counts: Mapping[str, Mapping[Item, Label]]) -> None:
    item = item_of(one) if one else None
    mine = counts.get(who, {}).get(item) if item else None
    with st.container(horizontal=True, key="types"):
        for number, name in enumerate(TYPES, 1):
            st.button(
                name,
                key=f"type-{number}-{item}",
                shortcut=str(number),
                help=DEFINITIONS[name],
                type="primary" if mine and mine.type == name else "secondary",
                disabled=item is None,
                on_click=_say,
                args=(item, name, who, mine),
            )
    with st.container(horizontal=True, key="label-ways"):
        st.button("Skip", shortcut="s", key="skip", disabled=item is None, on_click=_skip, args=(item,))
        st.button(
            "Undo", shortcut="u", key="undo", disabled=not st.session_state.get(_DONE), on_click=_undo, args=(who,)
        )
        st.button(
            "Show proposals", shortcut="p", key="show-proposals", disabled=item is None, on_click=_show, args=(item,)
        )
        if st.button("Note", shortcut="n", key="note", disabled=item is None) and item:
            _note_dialog(item, who)


def _say(item: Item, name: FailureType, who: str, before: Label | None) -> None:
    saw = st.session_state.get(_SAW) == item
    try:
        taxonomy_data.add_label(item, name, who, saw_proposals=saw)
    except RunningTabError as fault:
        st.session_state[_FAULT] = f"{fault.fact}. {fault.remedy}"
        return
    st.session_state.setdefault(_DONE, []).append((item, before.type if before else None))
    skipped: list[Item] = st.session_state.setdefault(_SKIPPED, [])
    st.session_state[_SKIPPED] = [one for one in skipped if one != item]
    st.session_state[_SAID] = f"last: {plain_line(item[1], 40)} is {name}"
    _left(item)


def _skip(item: Item) -> None:
    skipped: list[Item] = st.session_state.setdefault(_SKIPPED, [])
    st.session_state[_SKIPPED] = [*(one for one in skipped if one != item), item]
    st.session_state[_SAID] = f"last: {plain_line(item[1], 40)} was skipped"
    _left(item)


def _undo(who: str) -> None:
    """The last label of this session is taken back, and its rubric is on the desk again."""
    item, type_ = st.session_state[_DONE].pop()
    try:
        taxonomy_data.add_label(item, type_, who)
    except RunningTabError as fault:
        st.session_state[_FAULT] = f"{fault.fact}. {fault.remedy}"
        return
    st.session_state[_SAID] = f"last: {plain_line(item[1], 40)} was taken back"
    st.session_state.pop(_OPENED, None)
    st.query_params.from_dict({"run": item[0], "rubric": item[1]})


def _show(item: Item) -> None:
    st.session_state[_SAW] = item


def _proposals(one: FailedRubric, counts: Mapping[str, Mapping[Item, Label]], who: str) -> None:
    proposal = one.proposal
    with st.container(border=True, key="proposals"):
        sure = "decided by evidence" if proposal.certainty == "decides" else "suggested by names and words alone"
        st.markdown(f"**The rules: {proposal.type or 'cannot tell'}**" + (f" ({sure})" if proposal.type else ""))
        for fact in proposal.evidence[:6]:
            st.text(plain(fact.words))
        for name, said in counts.items():
            label = said.get(item_of(one))
            if label is not None and name != who:
                note = f": {label.note}" if label.note else ""
                st.text(plain(f"{name} ({label.kind}): {label.type}{note}"))


@st.dialog("Note on this rubric")
def _note_dialog(item: Item, who: str) -> None:
    text = st.text_area("Note", max_chars=2_000, key=f"note-text-{item}", label_visibility="collapsed")
    if st.button("Keep the note", key="keep-note", type="primary", shortcut="ctrl+enter"):
        with boundary():
            taxonomy_data.add_note(Note(item[0], text, who, 0, rubric_id=item[1]))
            st.rerun()


def _notes(one: FailedRubric, who: str) -> None:
    for note in taxonomy_data.notes():
        if (note.run_id, note.rubric_id) == item_of(one):
            st.text(plain(f"Note by {note.who}: {note.text}"))
