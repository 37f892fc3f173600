"""The parts of a report that other analyses than the taxonomy's fill: scores, and what models recover of masked values."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from tabcore import recovery, tables
from tabcore.analyses.masked_recovery import PAPER, ArmResult, MaskedRecovery
from tabcore.analyses.paper import MODELS, SCORES, model_named
from tabcore.analyses.recovery_cases import Arm
from tabcore.analyses.score_facts import METRICS, TITLES, Metric
from tabcore.analyses.scores import Row, Scores
from tabcore.language_models import Parameters
from tabcore.presentation import report_html as html
from tabcore.presentation.report_html import Bar
from tabcore.recovery import LEXICAL, Choice
from tabcore.rerun import Db

MOST = 300
"""Requirements of which the recovery is reported."""


def scores(db: Db, runs: Collection[str]) -> str:
    """What each method scored, beside the paper; "" where nothing is scored."""
    found = tables.scores(db, runs)
    measures = dict.fromkeys(row.measure for row in found.rows)
    drawn = "".join(_measure([row for row in found.rows if row.measure == one]) for one in measures)
    return (
        "<h2>Scores</h2><p>Means over attempts with the population standard deviation (ddof 0); what was not evaluated counts "
        "nowhere. Rubric Pass Rate: satisfied rubrics of all rubrics; TCR@70: tasks with at least 70 % of their rubrics "
        f"satisfied.</p>{drawn}{_notes(found)}"
        if drawn
        else ""
    )


def _measure(rows: Sequence[Row]) -> str:
    metrics = METRICS[rows[0].measure]
    columns: dict[str, list[object]] = {
        "benchmark": [row.suite or "not recorded" for row in rows],
        "model": [row.model or "not recorded" for row in rows],
        "method": [row.method or "not recorded" for row in rows],
    }
    for metric in metrics:
        columns[f"{TITLES[metric]}, %"] = [_scored(row, metric) for row in rows]
        columns[f"paper: {TITLES[metric]}, %"] = [_papers(row, metric) for row in rows]
    columns["attempts"] = [row.coverage.attempts for row in rows]
    columns["tasks"] = [row.coverage.tasks for row in rows]
    columns["runs"] = [row.coverage.runs for row in rows]
    bars = "".join(_bars(rows, metric, group) for group in _groups(rows) for metric in metrics)
    return bars + html.table(columns, f"Scores: {', '.join(TITLES[metric] for metric in metrics)}")


def _groups(rows: Sequence[Row]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((row.suite, row.model) for row in rows))


def _bars(rows: Sequence[Row], metric: Metric, group: tuple[str, str]) -> str:
    bars = [
        Bar(
            row.method or "not recorded",
            cell.mean,
            f"{_scored(row, metric)} %, {len(cell.runs)} runs",
            _paper(row, metric),
        )
        for row in rows
        if (row.suite, row.model) == group and (cell := row.cells.get(metric))
    ]
    return html.bars(bars, " · ".join((TITLES[metric], *filter(None, group)))) if bars else ""


def _scored(row: Row, metric: Metric) -> str:
    cell = row.cells.get(metric)
    if cell is None:
        return "–"
    return f"{100 * cell.mean:.2f}" + ("" if cell.deviation is None else f" ({100 * cell.deviation:.2f})")


def _papers(row: Row, metric: Metric) -> str:
    figures = SCORES.get((model_named(row.model), row.method, metric))
    return f"{figures[0]:.2f} ({figures[1]:.2f})" if figures else "–"


def _paper(row: Row, metric: Metric) -> float | None:
    figures = SCORES.get((model_named(row.model), row.method, metric))
    return figures[0] / 100 if figures else None


def _notes(found: Scores) -> str:
    lines = [f"{' · '.join(filter(None, group))}: no run" for group in found.missing]
    lines += [f"{' · '.join(filter(None, group))}: the methods worked on different tasks" for group in found.unequal]
    if any(row.coverage.attempts == 1 for row in found.rows):
        lines.append("One attempt alone has no standard deviation.")
    if any(model_named(row.model, "") == "" for row in found.rows):
        lines.append(f"The paper's figures beside a model that it did not test are those of {MODELS[0]}.")
    return f"<ul class=quiet>{''.join(f'<li>{html.text(line)}</li>' for line in lines)}</ul>" if lines else ""


def masked_recovery(db: Db, runs: Collection[str]) -> str:
    """What the lexical baseline and each model that was asked recover of masked values; "" where none is masked."""
    asked = [(LEXICAL, Parameters()), *((one.model, one.parameters) for one in recovery.models(db))]
    choice = Choice(tuple(runs), most=MOST)
    answers = [
        (name, recovery.masked_recovery(db, choice, model=name, parameters=told, with_messages=False))
        for name, told in asked
    ]
    drawn = "".join(_recovered(name, found) for name, found in answers)
    if not drawn:
        return ""
    [first, *_] = (found for _, found in answers)
    cut = f" The first {MOST:,} requirements are reported." if len(first.cases) >= MOST else ""
    return (
        f"<h2>Masked recovery</h2><p><b>{first.held:,} values that the read log holds were left out with their whole "
        f"requirement, in {len(first.cases):,} requirements.</b></p><p class=quiet>Each is masked in its requirement and asked "
        "for three times: given no tab, the review of that requirement, or the whole read log. Recovered: the answer states an "
        f"equal value. The lexical baseline is no model.{cut}</p>{drawn}"
    )


def _recovered(name: str, found: MaskedRecovery) -> str:
    arms = [arm for arm in found.arms if arm.answered]
    if not arms:
        return ""
    who = "lexical baseline (no model)" if name == LEXICAL else name
    bars = [Bar(arm.arm, arm.recovered.share or 0, _counted(arm), PAPER[arm.arm], _PATTERNS[arm.arm]) for arm in arms]
    columns: dict[str, list[object]] = {
        "arm": [arm.arm for arm in arms],
        "recovered": [arm.recovered.count for arm in arms],
        "n": [arm.recovered.of for arm in arms],
        "95 % from, %": list(_ends(arms, 0)),
        "to, %": list(_ends(arms, 1)),
        "paper, %": [100 * PAPER[arm.arm] for arm in arms],
        "characters given": [arm.given for arm in arms],
        "not asked": [arm.waiting for arm in arms],
    }
    return html.bars(bars, f"Recovered by {who}") + html.table(columns, f"Recovered by {who}")


_PATTERNS: dict[Arm, int] = {"no tab": 5, "review": 3, "read log": 2}


def _counted(arm: ArmResult) -> str:
    rate = arm.recovered
    return f"{rate.count:,} of {rate.of:,} ({100 * (rate.share or 0):.1f} %)"


def _ends(arms: Sequence[ArmResult], end: int) -> Iterator[float | None]:
    return (None if arm.recovered.interval is None else 100 * arm.recovered.interval[end] for arm in arms)
