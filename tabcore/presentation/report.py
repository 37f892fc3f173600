"""A report that stands on its own: one HTML file without any request, which opens from disk, prints, and can be mailed.

It has the chosen parts on the chosen runs, each with its definitions, n and the paper's figures, and examples that lead from
a number to the turn of a run.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Literal, get_args

from tabcore import labelling, questions, rerun
from tabcore.analyses.agreement import Labelling
from tabcore.analyses.failure_taxonomy import FailedRubric, FailureTaxonomy
from tabcore.analyses.failure_types import DEFINITIONS, PAPER_SHARES, PAPER_SUCCESS, TYPES
from tabcore.analyses.lost_points import flow, lost_points, success_within
from tabcore.analyses.rubric_case import RubricCase
from tabcore.analyses.shown_but_missing import OUTCOMES, PAPER_HELD, PAPER_MISSING
from tabcore.errors import UsageError
from tabcore.presentation import report_html as html
from tabcore.presentation import report_tables, taxonomy_tables
from tabcore.presentation.report_html import Bar
from tabcore.rerun import Db
from tabcore.rows import RunRow

Part = Literal["missing", "scores", "taxonomy", "agreement", "recovery", "examples"]
PARTS: tuple[Part, ...] = get_args(Part)

_WARNING = (
    "This tool finds what was forgotten on the way from the screen to the deliverable. It does not verify that the sources are "
    "right, that the rubrics ask for the right things, or that the verdicts are just."
)
_EXAMPLES = 2
"""Examples of each type."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a report is about: runs by id (None: all), parts, whose labels ("" for the rules), its heading."""

    runs: Collection[str] | None = None
    parts: Sequence[Part] = PARTS
    annotator: str = ""
    title: str = "What was seen and left out"


def report(db: Db, chosen: Chosen) -> str:
    """The page. Raises UsageError where there is no such run or annotator, or no run at all."""
    every = rerun.runs(db)
    ids = None if chosen.runs is None else {rerun.run(db, run).run_id for run in chosen.runs}
    rows = [row for row in every if row.parent is None and (ids is None or row.run_id in ids)]
    if not rows:
        raise UsageError("report", "there is no run to report on", "Load a log first: runningtab load PATH")
    found = labelling.failure_taxonomy(db, [row.run_id for row in rows])
    labellings = labelling.labellings(found, labelling.labels(db))
    who = chosen.annotator or labelling.RULES
    if chosen.annotator and who not in labellings:
        fact = f"nobody of the name “{who}” labelled these runs"
        raise UsageError("report", fact, f"Known: {', '.join(labellings) or 'nobody'}")
    labels = labellings.get(who, {})
    sections = [_head(db, chosen, rows, who), _runs(rows, found)]
    if "missing" in chosen.parts:
        sections.append(_missing(db, rows))
    if "scores" in chosen.parts:
        sections.append(report_tables.scores(db, [row.run_id for row in rows]))
    if "taxonomy" in chosen.parts:
        sections.append(_taxonomy(found, labels, who))
    if "agreement" in chosen.parts:
        sections.append(_agreement(db, found))
    if "recovery" in chosen.parts:
        sections.append(report_tables.masked_recovery(db, [row.run_id for row in rows]))
    if "examples" in chosen.parts:
        sections.append(_examples(db, found, labels))
    return html.page(chosen.title, "".join(sections))


def _head(db: Db, chosen: Chosen, rows: Sequence[RunRow], who: str) -> str:
    path = Path(rerun.default_store() if db is None else db)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    settings = f"runs: {len(rows):,}; parts: {', '.join(chosen.parts)}; labels: {_named(who)}; values: the usual rule of what is distinctive"
    simulated = [row for row in rows if row.simulated]
    band = (
        f'<p class="simulated"><b>Simulated:</b> {len(simulated):,} of {len(rows):,} runs are scripted or re-enacted. Their figures '
        "show how the report works and are no finding.</p>"
        if simulated
        else ""
    )
    return (
        f"<h1>{html.text(chosen.title, 200)}</h1>"
        f'<p class="quiet">Made by runningtab on {now} · {html.text(settings, 400)}<br>store {html.text(path.name)}, sha256 {digest}</p>'
        f'<p class="warn">{_WARNING}</p>{band}'
    )


def _named(who: str) -> str:
    return "the rule-based proposer" if who == labelling.RULES else who


def _runs(rows: Sequence[RunRow], found: FailureTaxonomy) -> str:
    failed: dict[str, int] = defaultdict(int)
    judged: dict[str, int] = defaultdict(int)
    for rubric in found.rubrics:
        judged[rubric.run_id] += rubric.passed is not None and not rubric.judge_failed
        failed[rubric.run_id] += rubric.passed is False and not rubric.judge_failed
    columns: dict[str, list[object]] = {
        "run": [row.run_id for row in rows],
        "task": [row.task_name or row.task[:80] for row in rows],
        "method": [row.method or "" for row in rows],
        "model": [row.model or "" for row in rows],
        "attempt": [row.attempt for row in rows],
        "turns": [row.turns for row in rows],
        "files read": [row.files_read for row in rows],
        "rubrics judged": [judged[row.run_id] for row in rows],
        "failed": [failed[row.run_id] for row in rows],
    }
    return f"<h2>Runs</h2>{html.table(columns, f'Runs: {len(rows):,}')}"


def _missing(db: Db, rows: Sequence[RunRow]) -> str:
    found = questions.shown_but_missing(db, [row.run_id for row in rows])
    total = sum(found.outcomes.values())
    outcomes = [
        Bar(
            name,
            count / total if total else 0,
            _share(count, total),
            PAPER_MISSING if name == "absent, failed" else None,
            place,
        )
        for place, (name, count) in enumerate((name, found.outcomes[name]) for name in OUTCOMES)
    ]
    held = Bar("held", found.held.share or 0, _share(found.held.count, found.held.of), PAPER_HELD)
    left = [value for value in found.values if value.is_missing]
    columns: dict[str, list[object]] = {
        "value": [value.text for value in left],
        "rubric": [value.rubric.text for value in left],
        "first shown": [f"turn {value.shown[0].turn}" for value in left],
        "held in": [", ".join(value.held.entries[:4]) if value.held else "not held" for value in left],
        "run": [value.run.run_id for value in left],
    }
    notes = (
        f"<p class=quiet>{found.not_shown:,} further expected values were never shown. Left out: {len(found.without_deliverable):,} "
        f"judged runs of which no deliverable is known, {len(found.without_rubrics):,} runs without rubrics.</p>"
    )
    sentence = (
        f"Of {total:,} expected values that were shown, {found.missing.count:,} ({100 * (found.missing.share or 0):.1f} %) are missing with their rubric "
        f"failed; the read log holds {found.held.count:,} of these."
    )
    return (
        f"<h2>Shown but missing</h2><p><b>{sentence}</b></p>"
        "<p class=quiet>A value is a distinctive number that a rubric states: three digits or more, decimals, a percent mark or a "
        "currency, and no bare year. Shown: it occurs in an observation of the agent before the deliverable was last written. Held: "
        "it occurs in the read log. Delivered: an equal value occurs in the deliverable.</p>"
        f"{html.bars(outcomes, f'What became of {total:,} expected values that were shown')}"
        f"{html.bars([held], 'Missing values that the read log holds')}{html.table(columns, f'The {len(left):,} missing values')}{notes}"
    )


def _taxonomy(found: FailureTaxonomy, labels: Labelling, who: str) -> str:
    groups = lost_points(found.failed, labels, lambda one: one.run.method or "not recorded")
    drawn = "".join(
        html.bars(
            [
                Bar(name, one.share(name) or 0, _share(one.rubrics[name], one.labelled), PAPER_SHARES[name], place)
                for place, name in enumerate(TYPES)
            ],
            f"Lost points by type, {one.group}: {one.labelled:,} rubrics with a type, {one.open_rubrics:,} without",
        )
        for one in groups
    )
    means = "".join(f"<li><b>{name}</b>: {escape(words)}</li>" for name, words in DEFINITIONS.items())
    table = html.table(taxonomy_tables.lost_points_table(groups), "Lost points by method and type")
    return (
        f"<h2>Why rubrics failed</h2><p>Labels: {html.text(_named(who))}. The paper's shares are those of DCI with GPT-5.4 nano.</p>"
        f"<ul>{means}</ul>{drawn}{table}{_between_methods(found, labels)}"
    )


def _between_methods(found: FailureTaxonomy, labels: Labelling) -> str:
    parts = []
    if rates := success_within(found, labels):
        rows = [Bar(name, r.share or 0, _share(r.count, r.of), PAPER_SUCCESS.get(name)) for name, r in rates.items()]
        parts.append(html.bars(rows, "Rubrics that passed, of those Shown but Missing in any dci attempt"))
        parts.append(html.table(taxonomy_tables.success_table(rates), "Success within Shown but Missing"))
    methods = sorted({run.method for run in found.runs if run.method}, key=lambda name: name != "dci")
    for second in methods[1:]:
        if moves := flow(found, labels, methods[0], second):
            table = taxonomy_tables.flow_table(moves, methods[0], second)
            parts.append(html.table(table, f"How {sum(moves.values()):,} rubrics moved from {methods[0]} to {second}"))
    return "".join(parts)


def _agreement(db: Db, found: FailureTaxonomy) -> str:
    said = labelling.agreement(found, labelling.labels(db))
    if not said.pairs:
        return ""
    alpha = (
        f"Krippendorff's alpha of all, over {said.items:,} rubrics with two labels or more: {said.alpha:.3f}. "
        if said.alpha is not None and len(said.annotators) > 2
        else ""
    )
    columns = {name: [_three(cell) for cell in cells] for name, cells in taxonomy_tables.kappa_table(said).items()}
    return (
        f"<h2>Agreement</h2><p>{alpha}Cohen's kappa with a bootstrap interval over rubrics (2,000 draws); the paper has 0.83 "
        f"between its models and people.</p>{html.table(columns, 'Pairs of annotators')}"
    )


def _three(cell: object) -> object:
    return f"{cell:.3f}" if isinstance(cell, float) else cell


def _examples(db: Db, found: FailureTaxonomy, labels: Labelling) -> str:
    by_type = {
        name: [one for one in found.failed if labels.get((one.run.run_id, one.rubric.rubric_id)) == name][:_EXAMPLES]
        for name in TYPES
    }
    links = "".join(
        f"<li>{name}: "
        + ", ".join(f'<a href="#{_anchor(one)}">{html.text(one.rubric.text, 90)}</a>' for one in some)
        + "</li>"
        for name, some in by_type.items()
        if some
    )
    cases = "".join(_example(db, one, name) for name, some in by_type.items() for one in some)
    return f"<h2>Examples</h2><ul>{links}</ul>{cases}" if links else ""


def _anchor(one: FailedRubric) -> str:
    return (
        "case-"
        + hashlib.sha256(f"{one.run.run_id}\0{one.rubric.rubric_id}".encode("utf-8", "surrogatepass")).hexdigest()[:12]
    )


def _example(db: Db, one: FailedRubric, name: str) -> str:
    case = labelling.rubric_case(db, (one.run.run_id, one.rubric.rubric_id))
    evidence = "".join(f"<li>{html.text(fact.words)}</li>" for fact in one.proposal.evidence[:6])
    values = "".join(_story(case))
    passages = "".join(
        f"<p class=quiet>{html.text(p.path)}, line {p.line.number:,}</p>{html.marked(p.line, 'delivered')}"
        for p in case.passages[:1]
    )
    replay = html.turns(rerun.replay(db, one.run.run_id), dict(_key_turns(case)))
    return (
        f'<section class="case" id="{_anchor(one)}"><h3>{name}: {html.text(one.rubric.text, 300)}</h3>'
        f"<p class=quiet>{html.text(case.run.name)} · {html.text(case.run.method or '')} · {html.text(case.run.model or '')} · run "
        f"{html.text(case.run.run_id)} · rubric {html.text(one.rubric.rubric_id)}</p><p>Verdict: failed. {html.text(one.rubric.evidence)}</p>"
        f"<ul>{evidence}</ul>{values}{'<p>Nearest in the deliverable:</p>' + passages if passages else ''}"
        f"<details><summary>The run, turn by turn</summary>{replay}</details></section>"
    )


def _story(case: RubricCase) -> Iterator[str]:
    for story in case.stories[:4]:
        place = story.shown[0] if story.shown else story.held
        yield f"<p><b>{html.text(story.value.text, 60)}</b>: {html.text(story.sentence)}</p>"
        if place:
            yield html.marked(place.line)


def _key_turns(case: RubricCase) -> Iterator[tuple[int, str]]:
    """The turns at which something happened to the rubric's values, the last word of each turn counting."""
    if case.run.written is not None:
        yield case.run.written, "the deliverable was last written"
    for story in case.stories:
        if story.left is not None:
            yield story.left, f"{story.value.text} had left the context window (level {story.level})"
        for place in story.value.shown[:1]:
            yield place.turn, f"{story.value.text} was shown"


def _share(count: float, of: float) -> str:
    return f"{count:,} of {of:,} ({100 * count / of:.1f} %)" if of else "0"
