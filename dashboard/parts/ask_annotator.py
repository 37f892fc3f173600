"""A model as annotator: which, what it would be asked, what it may cost; the asking while it goes on."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard import recovery_data, taxonomy_data
from dashboard.parts import ask_model
from dashboard.recovery_data import Limits
from tabcore.analyses.failure_taxonomy import FailureTaxonomy
from tabcore.analyses.type_prompts import VERSION
from tabcore.annotating import Annotated, Plan
from tabcore.errors import UsageError
from tabcore.language_models import Endpoint
from tabcore.presentation.plain import plain, plain_line

LISTED = 20
"""Refused answers that are listed."""


def draw(found: FailureTaxonomy, head: DeltaGenerator) -> None:
    """The form, and the asking that goes on. Nothing is sent before the button is pressed."""
    st.text(
        "A model says of which type each failed rubric is, with passages that it quotes: what it quotes must occur in the "
        f"record, else its answer is refused. Its labels stand under its name, with the prompt's version ({VERSION})."
    )
    ask_model.endpoint_fields(recovery_data.models())
    ask_model.connections()
    job = taxonomy_data.annotation_job()
    if job is None or not job.is_running:
        _ask(tuple(dict.fromkeys(one.run.run_id for one in found.failed)))
    ask_model.watch(taxonomy_data.annotation_job, told)


def _ask(runs: tuple[str, ...]) -> None:
    if not st.session_state.get("ask-url") or not st.session_state.get("ask-name"):
        st.text("Name an endpoint and a model; what would be sent is said here first.")
        return
    try:
        where, limits = ask_model.chosen_endpoint()
    except UsageError as fault:
        st.text(plain(f"{fault.place}: {fault.fact}. {fault.remedy}"))
        return
    plan = taxonomy_data.annotation_plan(runs, where.model, limits.calls)
    for line in would_be_sent(plan, where, limits):
        st.text(line)
    if plan.prompts:
        with st.expander("The first prompt, word for word", key="first-prompt"):
            for message in plan.prompts[0][1].messages:
                st.text(plain(f"[{message.role}]\n{message.text}"))
    dear = plan.tokens(where.parameters.answer_tokens) > limits.tokens
    if st.button("Ask the model", disabled=not plan.prompts or dear, key="annotate-go"):
        taxonomy_data.annotate(plan, where, limits.at_once)
        st.rerun()


def would_be_sent(plan: Plan, where: Endpoint, limits: Limits) -> list[str]:
    """What would be sent where, and what it may come to."""
    if not plan.prompts:
        return [f"{plain_line(where.model, 80)} labelled all {plan.known:,} of these already; nothing is sent."]
    place = (
        "That text stays on this machine."
        if where.is_local
        else f"That text LEAVES THIS MACHINE for {plain_line(where.host, 120)}. Keys and tokens that were found in it are masked; all else is as it stands."
    )
    tokens = plan.tokens(where.parameters.answer_tokens)
    lines = [
        f"{len(plan.prompts):,} failed rubrics, {plan.known:,} more are labelled by it already. Sent are {plan.characters:,} characters: "
        "tasks, rubrics with their verdicts, lines around their values, names of files, and deliverables.",
        place,
        f"It takes at most {len(plan.prompts):,} calls and about {tokens:,} tokens.",
    ]
    if tokens > limits.tokens:
        lines.append("That is more than is allowed above: allow more tokens, fewer calls, or choose fewer runs.")
    return lines


def told(found: Annotated) -> Sequence[str]:
    """What came of it."""
    lines = [f"{found.labelled:,} labels kept, {found.left_open:,} left open, {len(found.refused):,} answers refused."]
    lines += [f"{run} {rubric} refused: {why}" for (run, rubric), why in found.refused[:LISTED]]
    lines += [f"and {len(found.refused) - LISTED:,} more"] if len(found.refused) > LISTED else []
    return [*lines, *ask_model.ended(found.faults, found.stopped)]
