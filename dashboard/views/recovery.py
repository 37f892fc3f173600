"""Recovery: does a model find values that a deliverable left out, given nothing, the review, or the whole read log?"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard import data, recovery_data
from dashboard.parts import ask_model, figure, load_report, recovery_case, recovery_protocol, run_filters, value_rule
from dashboard.parts.heading import heading
from dashboard.recovery_data import AskedModel
from tabcore.analyses.masked_recovery import ArmResult, AskedCase, MaskedRecovery
from tabcore.analyses.recovery_cases import Arm, MaskedValue, Protocol
from tabcore.commands.recovery_words import how_words, model_name, percent, sentence
from tabcore.presentation import charts
from tabcore.presentation.plain import plain, plain_line
from tabcore.rows import RunRow

MOST = 300
"""Requirements that are put together at first."""


def render() -> None:
    """The page."""
    rows = data.runs()
    if not rows:
        _say(
            "**No run is stored yet.** This page masks values that a deliverable left out and asks for them: given nothing, "
            "the review of the tab, or the whole read log."
        )
        return
    chosen = run_filters.draw(rows, "recovery")
    with st.container(horizontal=True, key="recovery-rules"):
        asked = value_rule.draw()
        protocol = recovery_protocol.draw(asked)
    models = recovery_data.models()
    who = _who(models)
    runs = tuple(row.run_id for row in chosen)
    most = 0 if st.session_state.get("recovery-all") else MOST
    found = recovery_data.recovered(runs, protocol, who, most)
    if not found.cases:
        _nothing()
        return
    _answer(found, who, protocol)
    if len(found.cases) >= MOST:
        st.checkbox(f"All requirements, not the first {MOST:,} only: it takes a while", key="recovery-all")
    _figures(found, who, recovery_data.recovered(runs, protocol, recovery_data.BASELINE, most))
    ask_model.draw(chosen, protocol, models)
    _by_run(found, chosen)
    case = _table(found)
    if case is not None:
        recovery_case.draw(case.case, protocol, who)


def _say(words: str) -> None:
    with st.container(border=True, key="empty"):
        st.markdown(words)
        st.page_link("views/runs.py", label="Go to the runs")


def _nothing() -> None:
    _say(
        "**No requirement of these runs was left out entirely with one of its values in the read log.** Asked for are "
        "requirements that the agent stated and rubrics that lie beside the log, with distinctive values, of runs that "
        "delivered something."
    )


def _who(models: Sequence[AskedModel]) -> AskedModel:
    """Whose answers are shown: the model that was asked last, unless another or the baseline is chosen."""
    known = [*models, recovery_data.BASELINE]
    if len(known) == 1:
        return recovery_data.BASELINE
    names = [_named(model, models) for model in known]
    name = st.segmented_control("Answers of", names, default=names[0], key="recovery-who", required=True)
    return known[names.index(name)] if name in names else known[0]


def _named(model: AskedModel, models: Sequence[AskedModel]) -> str:
    name = plain_line(model_name(model.model), 60).replace("[", "(").replace("]", ")")
    if sum(other.model == model.model for other in models) < 2:
        return name
    told = model.parameters
    return f"{name}, temperature {told.temperature:g}, {told.answer_tokens} tokens"


def _answer(found: MaskedRecovery, who: AskedModel, protocol: Protocol) -> None:
    heading(sentence(found, who.model), 400)
    count = "the first number counts" if protocol.guesses == 1 else f"the first {protocol.guesses} numbers count"
    st.text(
        f"Of an answer, {count} for each masked value; whatever more it lists counts as not answered. "
        "The paper asked each attempt's own model."
    )
    if any(asked.case.material.run.simulated for asked in found.cases):
        st.html(
            '<span class="simulated-word">simulated</span> <small>Among these runs are scripted ones: their numbers show how '
            "the page works and are no finding.</small>"
        )


def _figures(found: MaskedRecovery, who: AskedModel, baseline: MaskedRecovery) -> None:
    """A model's bars beside those of the baseline, or the baseline's alone, and what each arm was given."""
    left, right = st.columns([3, 3])
    with left:
        _bars(found.arms, model_name(who.model), "recovered")
    with right:
        if who.model == recovery_data.LEXICAL:
            _given(found.arms)
        else:
            _bars(baseline.arms, model_name(recovery_data.LEXICAL), "recovered-lexical")
    if who.model != recovery_data.LEXICAL:
        _given(found.arms)


def _bars(arms: Sequence[ArmResult], who: str, key: str) -> None:
    figure.plot(charts.recovery_bars(arms, plain_line(who, 60)), key)


def _given(arms: Sequence[ArmResult]) -> None:
    """What each arm was given, and what became of its answers."""
    columns: dict[str, list[object]] = {
        "arm": [result.arm for result in arms],
        "characters given": [result.given for result in arms],
        "cut": [result.cut for result in arms],
        "tokens in": [result.tokens_in for result in arms],
        "tokens out": [result.tokens_out for result in arms],
        "seconds": [result.seconds for result in arms],
        "cost": [result.cost for result in arms],
        "answers": [how_words(result) for result in arms],
    }
    told = {
        name: values for name, values in columns.items() if any(values) or name in ("arm", "characters given", "cut")
    }
    st.dataframe(told, hide_index=True, key="given", column_config=_GIVEN, alt="What each arm was given and answered")


_GIVEN = {
    "characters given": st.column_config.NumberColumn(format="localized"),
    "cut": st.column_config.NumberColumn(format="localized", help="Characters that the context or the level cut off"),
    "tokens in": st.column_config.NumberColumn(format="localized"),
    "tokens out": st.column_config.NumberColumn(format="localized"),
    "seconds": st.column_config.NumberColumn(format="%.1f"),
}


def _by_run(found: MaskedRecovery, rows: Sequence[RunRow]) -> None:
    runs = dict.fromkeys(asked.case.material.run.run_id for asked in found.cases)
    known = {row.run_id: row for row in rows}
    with st.expander(f"By run ({len(runs):,})"):
        columns: dict[str, list[object]] = {
            "task": [plain_line(known[run].task_name or known[run].task, 60) for run in runs],
            "method": [plain_line(known[run].method or "", 40) for run in runs],
            "model": [plain_line(known[run].model or "", 40) for run in runs],
        }
        results = [found.of_run(run) for run in runs]
        for n, arm in enumerate(found.arms):
            columns[arm.arm] = [_share(result[n]) for result in results]
        st.dataframe(columns, hide_index=True, key="recovered-by-run", alt="Recovered values by run")


def _share(result: ArmResult) -> str:
    rate = result.recovered
    return f"{rate.count} of {rate.of}, {percent(rate.share)}" if rate.of else "not asked"


def _table(found: MaskedRecovery) -> AskedCase | None:
    """The values, one a row; the case of the chosen one, else the first."""
    pairs = [(asked, value) for asked in found.cases for value in asked.case.values]
    chosen = st.dataframe(
        table_of(pairs, [result.arm for result in found.arms]),
        on_select="rerun",
        selection_mode="single-row",
        hide_index=True,
        key=f"recovery-values-{len(pairs)}",
        column_config={"masked requirement": st.column_config.TextColumn(width="large")},
        height=load_report.height_of(len(pairs), 12),
        placeholder="",
        alt="Masked values, one a row, with what each arm answered",
    )
    picked: list[int] = chosen["selection"]["rows"]
    return pairs[picked[0] if picked else 0][0] if pairs else None


def table_of(pairs: Sequence[tuple[AskedCase, MaskedValue]], arms: Sequence[Arm]) -> dict[str, list[object]]:
    """The table's columns."""
    columns: dict[str, list[object]] = {
        "value": [plain_line(value.text, 40) for _, value in pairs],
        "masked requirement": [plain_line(asked.case.text, 160) for asked, _ in pairs],
        "held in": [", ".join(value.entries[:4]) or "not held" for _, value in pairs],
    }
    for arm in arms:
        columns[arm] = [_answered(asked, value, arm) for asked, value in pairs]
    runs = [asked.case.material.run for asked, _ in pairs]
    columns["of"] = [asked.case.item.kind for asked, _ in pairs]
    columns["task"] = [plain_line(run.name, 60) for run in runs]
    columns["method"] = [plain_line(run.method or "", 40) for run in runs]
    return columns


def _answered(asked: AskedCase, value: MaskedValue, arm: Arm) -> str:
    """ "✓ EUR 80", "✗ EUR 20", "✗ refused", "not asked"."""
    said = asked.conversations[arm].said
    if said is None:
        return "not asked"
    stated = ", ".join(plain(number.text) for number in said.numbers) or said.how
    return plain_line(f"{'✓' if asked.recovered(value, arm) else '✗'} {stated}", 60)


if __name__ == "__main__":
    render()
