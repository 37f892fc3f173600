"""One masked requirement: its three prompts side by side, and the same asked otherwise."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from dashboard import recovery_data, selection
from dashboard.parts import ask_model
from dashboard.parts.heading import heading
from dashboard.recovery_data import AskedModel, Choice
from tabcore.analyses.masked_recovery import AskedCase
from tabcore.analyses.recovery_cases import Arm, Case, Protocol
from tabcore.analyses.recovery_prompts import Conversation
from tabcore.errors import UsageError
from tabcore.presentation.conversation_html import STYLE, conversation_html
from tabcore.presentation.plain import plain, plain_line
from tabcore.tab.ranking import VARIANTS


def draw(case: Case, protocol: Protocol, who: AskedModel) -> None:
    """The requirement with its controls, and what was said in each arm under them."""
    st.html(STYLE)
    with st.container(border=True, key="recovery-case"):
        heading(case.item.text)
        run = case.material.run
        with st.container(horizontal=True, vertical_alignment="center", key="recovery-run"):
            st.text(
                f"{case.item.kind} {plain_line(case.item.item_id, 60)} of {plain_line(run.name, 60)}, {plain_line(run.method or '', 40)}"
            )
            query = selection.to_address(selection.Selection(run.run_id))
            st.page_link("views/replay.py", label="see the run in the replay", query_params=query)
        text, edited = _controls(case, protocol)
        found = recovery_data.recovered_of(run.run_id, case.name, text, edited, who)
        for asked in found.cases:
            _anew(asked, text, edited, who)
            for arm, column in zip(asked.conversations, st.columns(len(asked.conversations)), strict=True):
                with column:
                    _arm(asked, arm, asked.conversations[arm], who)


def _controls(case: Case, protocol: Protocol) -> tuple[str, Protocol]:
    """The requirement as it is masked, and the protocol, as a person changes them for this one."""
    place = f"{case.name}-{case.text}-{protocol.shown}-{protocol.variant}-{protocol.level}"
    text = st.text_area("The requirement as it is asked", case.text, key=f"mask-{place}", height=68)
    with st.container(horizontal=True, vertical_alignment="bottom", key="recovery-controls"):
        shown = st.number_input("Entries (k)", 0, 20, protocol.shown, key=f"k-{place}", width=120)
        variant = st.selectbox("BM25", VARIANTS, VARIANTS.index(protocol.variant), key=f"variant-{place}", width=140)
        level = st.selectbox("Level", range(6), protocol.level, key=f"level-{place}", width=100)
    return text, replace(protocol, shown=int(shown), variant=variant, level=int(level))


def _anew(asked: AskedCase, text: str, protocol: Protocol, who: AskedModel) -> None:
    """Ask a model for this requirement alone; the baseline has answered already."""
    if who.model == recovery_data.LEXICAL:
        st.caption("The baseline answers at once, as you change it.")
        return
    waiting = [arm for arm, talk in asked.conversations.items() if talk.said is None]
    if not waiting:
        return
    try:
        where, limits = ask_model.chosen_endpoint()
    except UsageError as fault:
        st.text(plain(f"Not asked yet: {', '.join(waiting)}. {fault.remedy}"))
        return
    is_same = where.model == who.model and where.parameters == who.parameters
    named = plain_line(where.model, 60) + ("" if is_same else ", whose answers are shown when you choose it above")
    running = recovery_data.job()
    busy = running is not None and running.is_running
    if st.button(f"Ask {named} for this requirement", key="ask-one", disabled=busy):
        run = asked.case.material.run.run_id
        choice = Choice((run,), case=asked.case.name, text=text)
        recovery_data.ask(choice, protocol, where, limits)
        st.rerun()


def _arm(asked: AskedCase, arm: Arm, talk: Conversation, who: AskedModel) -> None:
    st.markdown(f"**{arm}**")
    st.text(_outcome(asked, arm, talk))
    cut = f", {talk.cut:,} more were cut" if talk.cut else ""
    tokens = [answer.tokens_in for answer in talk.answers if answer.tokens_in is not None]
    told = f" · {sum(tokens):,} tokens sent" if tokens else ""
    seconds = sum(answer.seconds for answer in talk.answers)
    took = f" · {seconds:.1f} s" if seconds else ""
    st.caption(f"given {talk.given:,} characters{cut}{told}{took}")
    keys = {key for value in asked.case.held for key in value.accepted}
    st.html(conversation_html(talk.messages, keys, f"what was said, {arm}"))


def _outcome(asked: AskedCase, arm: Arm, talk: Conversation) -> str:
    said = talk.said
    if said is None:
        return "not asked yet; this would be sent"
    stated = ", ".join(plain_line(number.text, 40) for number in said.numbers)
    found = [value for value in asked.case.held if asked.recovered(value, arm)]
    held = len(asked.case.held)
    opened = f", after opening {', '.join(talk.opened)}" if talk.opened else ""
    beyond = f"; {said.beyond:,} numbers beyond what counts" if said.beyond else ""
    if said.how != "stated":
        return f"✗ {said.how}{opened}"
    mark = "✓" if found else "✗"
    share = f" ({len(found)} of {held} held)" if held > 1 else ""
    return f"{mark} states {stated}{share}{opened}{beyond}"
