"""The controls of how masked recovery asks."""

from __future__ import annotations

import streamlit as st

from dashboard.selection import Asked
from tabcore.analyses.recovery_cases import KINDS, USUAL, Protocol
from tabcore.tab.ranking import VARIANTS

FORMS = {"whole": "the whole value", "number": "its digits only"}
OF = {"both": "requirements and rubric items", "requirement": "the agent's requirements", "rubric item": "rubric items"}


def draw(asked: Asked) -> Protocol:
    """The controls, folded away; the protocol that they state, under the rule of what counts as a value."""
    with st.popover("How it is asked"):
        of = st.selectbox("Asked for are the values of", list(OF), format_func=OF.__getitem__, key="recovery-of")
        form = st.radio("Masked is", list(FORMS), format_func=FORMS.__getitem__, horizontal=True, key="recovery-form")
        masks_task = st.checkbox("and so is each equal value in the task", True, key="recovery-task")
        guesses = st.number_input("Numbers that count for a masked value", 1, 20, 1, key="recovery-guesses")
        st.markdown("**The review arm**")
        shown = st.number_input("Entries in the review (k)", 0, 20, USUAL.shown, key="recovery-shown")
        variant = st.selectbox("Ranked by BM25, form", VARIANTS, key="recovery-variant")
        steps = st.number_input("Times that entries may be opened", 0, 20, USUAL.steps, key="recovery-steps")
        st.markdown("**The context**")
        level = st.selectbox("Results are cut as at context level", range(6), USUAL.level, key="recovery-level")
        context = st.number_input(
            "The model's context, tokens", 1000, 2_000_000, USUAL.context, step=1000, key="recovery-context"
        )
    return Protocol(
        rule=asked.rule,
        dates=asked.dates,
        kinds=KINDS if of == "both" else (of,),  # type: ignore[arg-type]
        form=form,  # type: ignore[arg-type]
        masks_task=masks_task,
        shown=int(shown),
        variant=variant,
        level=int(level),
        steps=int(steps),
        guesses=int(guesses),
        context=int(context),
    )
