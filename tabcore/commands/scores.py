"""`runningtab analyze scores` and its sisters: the paper's tables on the command line, each number beside the paper's."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from tabcore.commands.printing import counted, print_json, print_table, say

if TYPE_CHECKING:
    from tabcore.analyses.scores import Cell, Row, Scores
    from tabcore.trajectory import Json

Command = Callable[[str, str, Callable[[argparse.Namespace], int]], argparse.ArgumentParser]
Chosen = Callable[[argparse.Namespace], list[str] | None]

NO_CELL = "–"


def add_tables(command: Command, chosen: Chosen) -> None:
    """The tables as commands; `command` makes one of a name, a help and a function, `chosen` tells the runs asked for."""
    scores = command("scores", "what each method scored, over attempts (Table 1)", lambda o: _scores(o, chosen(o)))
    _add_choice(scores)


def _add_choice(asked: argparse.ArgumentParser) -> None:
    asked.add_argument("runs", nargs="*", metavar="RUN", help="ids of runs, or their beginnings (default: all)")
    for name in ("method", "model", "suite"):
        asked.add_argument(f"--{name}", help=f"only runs of this {name}")
    asked.add_argument("--json", action="store_true", help="print JSON for other programs")


def _scores(options: argparse.Namespace, runs: list[str] | None) -> int:
    from tabcore.tables import scores

    found = scores(options.db, runs)
    if options.json:
        print_json(scores_json(found))
        return 0
    if not found.rows:
        say("No run has rubrics, checkpoints or an expected answer: nothing is scored.")
    for measure in dict.fromkeys(row.measure for row in found.rows):
        print_table(_score_lines([row for row in found.rows if row.measure == measure]))
        say("")
    for line in score_notes(found):
        say(line)
    return 0


def _score_lines(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    from tabcore.analyses.score_facts import METRICS, TITLES

    metrics = METRICS[rows[0].measure]
    head = [column for metric in metrics for column in (TITLES[metric], "paper")]
    lines = [("benchmark", "model", "method", *head, "attempts", "tasks", "runs")]
    for row in rows:
        figures = [
            words for metric in metrics for words in (cell_words(row.cells.get(metric)), paper_words(row, metric))
        ]
        counts = (row.coverage.attempts, row.coverage.tasks, row.coverage.runs)
        lines.append((row.suite, row.model, row.method, *figures, *map(str, counts)))
    return lines


def cell_words(cell: Cell | None) -> str:
    """A mean with its deviation in per cent, its place by * (best) and + (second); a dash for none."""
    if cell is None:
        return NO_CELL
    spread = "" if cell.deviation is None else f" ({100 * cell.deviation:.2f})"
    return f"{100 * cell.mean:.2f}{spread}{ {'best': ' *', 'second': ' +', '': ''}[cell.place] }"


def paper_words(row: Row, metric: str) -> str:
    """The paper's mean and deviation for the same method, of the model that the row's means; a dash for none."""
    from tabcore.analyses.paper import SCORES, model_named

    figures = SCORES.get((model_named(row.model), row.method, metric))  # type: ignore[arg-type]
    return f"{figures[0]:.2f} ({figures[1]:.2f})" if figures else NO_CELL


def score_notes(found: Scores) -> list[str]:
    """What the table lacks, a line each."""
    from tabcore.analyses.paper import MODELS, model_named

    notes = [line for row in found.rows for line in _row_notes(row)]
    for suite, model, method in found.missing:
        notes.append(f"{_named(suite, model, method)}: no run")
    for suite, model in found.unequal:
        notes.append(f"{_named(suite, model)}: the methods worked on different tasks, so their rows do not compare")
    simulated = sum(row.simulated for row in found.rows)
    if simulated:
        notes.append(f"{counted(simulated, 'row')} with simulated runs: their scores are no finding")
    if any(model_named(row.model, "") == "" for row in found.rows):
        notes.append(f"The paper's figures beside a model that it did not test are those of {MODELS[0]}.")
    return notes


def _row_notes(row: Row) -> Iterable[str]:
    cover, name = row.coverage, _named(row.suite, row.model, row.method)
    if cover.unscored:
        yield f"{name}: {counted(len(cover.unscored), 'run')} not evaluated, and counted nowhere"
    if cover.rubrics > cover.evaluated and row.measure == "rubrics":
        failed = f", {cover.judge_failed} of them because the judge failed" if cover.judge_failed else ""
        yield f"{name}: {cover.rubrics - cover.evaluated} of {counted(cover.rubrics, 'rubric')} not evaluated{failed}"
    if cover.attempts == 1:
        yield f"{name}: one attempt, so no standard deviation"
    if cover.expected and cover.attempts < cover.expected:
        yield f"{name}: {cover.attempts} of {cover.expected} attempts are here"
    if cover.uneven:
        yield f"{name}: its attempts have different tasks"


def _named(*parts: str) -> str:
    return " · ".join(part or "not recorded" for part in parts)


def scores_json(found: Scores) -> dict[str, Json]:
    """The table as JSON: scores from 0 to 1, the paper's in per cent."""
    return {
        "rows": [_row_json(row) for row in found.rows],
        "unequal": [list(pair) for pair in found.unequal],
        "missing": [dict(zip(("suite", "model", "method"), one, strict=True)) for one in found.missing],
    }


def _row_json(row: Row) -> dict[str, Json]:
    from tabcore.analyses.paper import SCORES, model_named

    model = model_named(row.model)
    paper = {metric: SCORES.get((model, row.method, metric)) for metric in row.cells}
    return {
        "suite": row.suite,
        "model": row.model,
        "method": row.method,
        "simulated": row.simulated,
        "scores": {
            metric: _cell_json(cell)
            | {"paper": list(figures) if (figures := paper[metric]) else None, "paper_model": model}
            for metric, cell in row.cells.items()
        },
        **asdict(row.coverage),
    }


def _cell_json(cell: Cell) -> dict[str, Json]:
    return {
        "mean": cell.mean,
        "deviation": cell.deviation,
        "place": cell.place,
        "attempts": [
            {"attempt": a.attempt, "value": a.value, "count": a.part.count, "of": a.part.of, "runs": list(a.runs)}
            for a in cell.attempts
        ],
    }
