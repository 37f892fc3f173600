"""Asking a model: which, where, what would be sent, what it may cost; the asking while it goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from dashboard import recovery_data
from dashboard.asking import Job, Outcome
from dashboard.parts.boundary import boundary
from dashboard.recovery_data import AskedModel, Choice, Limits, Plan
from tabcore.analyses.recovery_cases import ARMS, Arm, Protocol
from tabcore.errors import UsageError
from tabcore.language_models import KEY_VARIABLE, Endpoint, Parameters
from tabcore.presentation.plain import plain, plain_line
from tabcore.rows import RunRow

CONNECTIONS = """\
| what you have | address | model |
|---|---|---|
| Ollama | `http://127.0.0.1:11434/v1` | as `ollama list` names it |
| llama.cpp, `llama-server -m x.gguf -c 32000` | `http://127.0.0.1:8080/v1` | any word |
| vLLM, `vllm serve NAME` | `http://127.0.0.1:8000/v1` | the NAME |
| a vendor | its OpenAI-compatible address | as its list names it; its key in an environment variable |

A model reads at most its own context: state it under *How it is asked*. Ollama cuts prompts without a word beyond its \
`num_ctx`, llama.cpp refuses them.
"""


def draw(rows: Sequence[RunRow], protocol: Protocol, asked: Sequence[AskedModel]) -> None:
    """The form, and the asking that goes on. Nothing is sent before the button is pressed."""
    job = recovery_data.job()
    with st.expander("Ask a model", expanded=job is not None and job.is_running, key="ask-model"):
        _form(tuple(row.run_id for row in rows), protocol, asked)
    if job is not None:
        watch(recovery_data.job, lambda asked: ended(asked.faults, asked.stopped))


def chosen_endpoint() -> tuple[Endpoint, Limits]:
    """What the form says; UsageError where it names no endpoint."""
    state = st.session_state
    parameters = Parameters(float(state.get("ask-temperature", 0.0)), int(state.get("ask-answer", 1000)))
    where = recovery_data.endpoint(
        state.get("ask-url", ""),
        state.get("ask-name", ""),
        state.get("ask-variable", ""),
        parameters,
        float(state.get("ask-timeout", 600)),
    )
    limits = Limits(
        int(state.get("ask-calls", 500)), int(state.get("ask-tokens", 1_000_000)), int(state.get("ask-at-once", 2))
    )
    return where, limits


def endpoint_fields(asked: Sequence[AskedModel]) -> None:
    """Which model at which endpoint: the one that was asked last, unless another is named."""
    last = asked[0] if asked else None
    address, name, variable = st.columns([3, 2, 2])
    with address:
        st.text_input(
            "Address of an OpenAI-compatible endpoint",
            last.base_url if last else "",
            key="ask-url",
            placeholder="http://127.0.0.1:11434/v1",
        )
    with name:
        st.text_input("Model", last.model if last else "", key="ask-name", placeholder="qwen2.5:7b")
    with variable:
        told = st.text_input("Environment variable with its key", key="ask-variable", placeholder=KEY_VARIABLE)
        if told and not recovery_data.has_key(told):
            st.caption("It is not set where this dashboard was started.")
    limits_fields()


def _form(runs: tuple[str, ...], protocol: Protocol, asked: Sequence[AskedModel]) -> None:
    endpoint_fields(asked)
    arms = st.pills("Arms", ARMS, selection_mode="multi", default=list(ARMS), key="ask-arms")
    connections()
    _button(runs, tuple(arm for arm in ARMS if arm in arms), protocol)


def connections() -> None:
    """How to connect what people have."""
    with st.popover("How to connect what you have"):
        st.markdown(CONNECTIONS)


def limits_fields() -> None:
    """What may be asked at most, and how."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="ask-limits"):
        st.number_input("Calls at most", 1, 1_000_000, 500, key="ask-calls", width=150)
        st.number_input("Tokens at most", 1000, 10**9, 1_000_000, step=100_000, key="ask-tokens", width=170)
        st.number_input("At a time", 1, 64, 2, key="ask-at-once", width=120)
        st.number_input("Seconds for an answer", 5, 36_000, 600, key="ask-timeout", width=170)
        st.number_input("Tokens of an answer", 20, 100_000, 1000, key="ask-answer", width=160)
        st.number_input("Temperature", 0.0, 2.0, 0.0, 0.1, key="ask-temperature", width=130)


def _button(runs: tuple[str, ...], arms: tuple[Arm, ...], protocol: Protocol) -> None:
    if not st.session_state.get("ask-url") or not st.session_state.get("ask-name"):
        st.text("Name an endpoint and a model; what would be sent is said here first.")
        return
    try:
        where, limits = chosen_endpoint()
    except UsageError as fault:
        st.text(plain(f"{fault.place}: {fault.fact}. {fault.remedy}"))
        return
    plan = recovery_data.plan(runs, arms, protocol, where)
    for line in _told(plan, where, limits):
        st.text(line)
    running = recovery_data.job()
    busy = running is not None and running.is_running
    if st.button("Ask the model", disabled=busy or not plan.conversations or plan.exceeds(limits), key="ask-go"):
        recovery_data.ask(Choice(runs, arms), protocol, where, limits)
        st.rerun()


def _told(plan: Plan, where: Endpoint, limits: Limits) -> list[str]:
    """What would be sent where, and what it may come to."""
    if not plan.conversations:
        return [
            f"All {plan.answered:,} questions are answered by {plain_line(where.model, 80)} already; nothing is sent."
        ]
    place = (
        "That text stays on this machine."
        if where.is_local
        else f"That text LEAVES THIS MACHINE for {plain_line(where.host, 120)}. Keys and tokens that were found in it are masked; all else is as it stands."
    )
    lines = [
        f"{plan.conversations:,} questions, {plan.answered:,} more are answered already. Sent are {plan.characters:,} characters at "
        "first: tasks, masked requirements, the review, and whole excerpts of files that the runs read.",
        place,
        f"It takes at most {plan.calls:,} calls and {plan.tokens:,} tokens.",
    ]
    if plan.exceeds(limits):
        lines.append("That is more than is allowed above: allow more, or choose fewer runs or arms.")
    return lines


def watch(job_now: Callable[[], Job[Outcome] | None], told: Callable[[Outcome], Sequence[str]]) -> None:
    """The asking as it goes on, then what `told` says of its outcome; the page is drawn anew when it has ended."""
    first = job_now()
    running = first is not None and first.is_running

    @st.fragment(run_every=1.0 if running else None)
    def shown() -> None:
        with boundary():
            job = job_now()
            if job is None:
                return
            with st.container(border=True, key="asking"):
                _progress(job, told)
            if running and not job.is_running:
                st.rerun()

    shown()


def _progress(job: Job[Outcome], told: Callable[[Outcome], Sequence[str]]) -> None:
    now = job.progress
    if job.is_running:
        done = 0.0 if now is None or not now.of else (now.done + now.failed) / now.of
        st.progress(min(1.0, done))
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text(plain(f"{job.what}: {_counted(job)}"))
            if st.button("Cancel", key="ask-cancel", disabled=job.is_cancelled):
                job.cancel()
        return
    st.text(plain(f"{job.what}: {_counted(job)}"))
    for line in [job.fault] if job.fault else told(job.asked) if job.asked is not None else ():
        st.text(plain(line))


def ended(faults: Sequence[str], stopped: str) -> list[str]:
    """What went wrong with an asking."""
    lines = [fault for fault in faults if fault != stopped]
    lines += [f"It ended early: {stopped}"] if stopped else []
    return [*lines, "What was answered is kept: asking again goes on from there."] if lines else []


def _counted(job: Job[Outcome]) -> str:
    now = job.progress
    if now is None:
        return "asking …" if job.is_running else "nothing was asked"
    failed = f", {now.failed:,} failed" if now.failed else ""
    return f"{now.done:,} of {now.of:,} questions answered, {now.calls:,} calls, {now.tokens:,} tokens{failed}"
