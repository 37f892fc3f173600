"""`runningtab analyze scores` and its sisters: the paper's tables on the command line, each number beside the paper's."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from tabcore.commands.paired import print_paired
from tabcore.commands.printing import NO_CELL, NOT_RECORDED, counted, named, print_json, print_table, say, say_simulated

if TYPE_CHECKING:
    from tabcore.analyses.ablation import Switched
    from tabcore.analyses.reading_volume import Third, Volume
    from tabcore.analyses.score_facts import Metric
    from tabcore.analyses.scores import Cell, Row, Scores
    from tabcore.analyses.tab_facts import Figure, Group
    from tabcore.trajectory import Json

Command = Callable[[str, str, Callable[[argparse.Namespace], int]], argparse.ArgumentParser]
Chosen = Callable[[argparse.Namespace], list[str] | None]


def add_tables(command: Command, chosen: Chosen) -> None:
    """The tables as commands; `command` makes one of a name, a help and a function, `chosen` tells the runs asked for."""
    scores = command("scores", "what each method scored, over attempts (Table 1)", lambda o: _scores(o, chosen(o)))
    _add_choice(scores)
    held = command("tab-holdings", "what the tab holds (Table 2)", lambda o: _figures(o, chosen(o), "holdings"))
    _add_choice(held)
    used = command(
        "tab-operations", "how the agent operates the tab (Table 3)", lambda o: _figures(o, chosen(o), "operations")
    )
    _add_choice(used)
    took = command("effort", "what runs take, and what the tab adds to it", lambda o: _figures(o, chosen(o), "effort"))
    _add_choice(took)
    switched = command(
        "ablation", "what each switch of running_tab takes away (Table 4)", lambda o: _ablation(o, chosen(o))
    )
    _add_choice(switched)
    volume = command(
        "reading-volume",
        "what a method gains where there is little, more and most to read (Figure 5)",
        lambda o: _volume(o, _with_both(o, chosen)),
    )
    paired = command(
        "paired",
        "methods against a baseline on the tasks that they share",
        lambda o: print_paired(o, _with_both(o, chosen)),
    )
    for asked in (volume, paired):
        _add_choice(asked)
        asked.add_argument("--baseline", default="dci", metavar="METHOD", help="the method to compare with (dci)")


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
        names = (part or NOT_RECORDED for part in (row.suite, row.model, row.method))
        lines.append((*names, *figures, *map(str, counts)))
    return lines


def cell_words(cell: Cell | None) -> str:
    """A mean with its deviation in per cent, its place by * (best) and + (second); a dash for none."""
    if cell is None:
        return NO_CELL
    spread = "" if cell.deviation is None else f" ({100 * cell.deviation:.2f})"
    return f"{100 * cell.mean:.2f}{spread}{ {'best': ' *', 'second': ' +', '': ''}[cell.place] }"


def paper_words(row: Row, metric: Metric) -> str:
    """The paper's mean for the same method, with its deviation where it states one (a switch's it does not)."""
    from tabcore.analyses.paper import ABLATION, MODELS, SCORES, model_named
    from tabcore.analyses.score_facts import METRICS

    model = model_named(row.model)
    if figures := SCORES.get((model, row.method, metric)):
        return f"{figures[0]:.2f} ({figures[1]:.2f})"
    if model == MODELS[0] and row.method in ABLATION and metric in METRICS["rubrics"]:
        return f"{ABLATION[row.method][METRICS['rubrics'].index(metric)]:.2f}"
    return NO_CELL


def score_notes(found: Scores) -> list[str]:
    """What the table lacks, a line each."""
    from tabcore.analyses.paper import MODELS, model_named

    notes = [line for row in found.rows for line in _row_notes(row)]
    for suite, model, method in found.missing:
        notes.append(f"{named(suite, model, method)}: no run")
    for suite, model in found.unequal:
        notes.append(f"{named(suite, model)}: the methods worked on different tasks, so their rows do not compare")
    simulated = sum(row.simulated for row in found.rows)
    if simulated:
        notes.append(f"{counted(simulated, 'row')} with simulated runs: their scores are no finding")
    if any(model_named(row.model, "") == "" for row in found.rows):
        notes.append(f"The paper's figures beside a model that it did not test are those of {MODELS[0]}.")
    return notes


def _row_notes(row: Row) -> Iterable[str]:
    cover, name = row.coverage, named(row.suite, row.model, row.method)
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


def _figures(options: argparse.Namespace, runs: list[str] | None, table: str) -> int:
    from tabcore import tables
    from tabcore.analyses import effort, tab_holdings, tab_operations

    asked, words = {
        "holdings": (tables.tab_holdings, tab_holdings.WORDS),
        "operations": (tables.tab_operations, tab_operations.WORDS),
        "effort": (tables.effort, effort.WORDS),
    }[table]
    groups = asked(options.db, runs)
    if options.json:
        print_json([group_json(group, table) for group in groups])
        return 0
    if not groups:
        say("No run here was recorded with a tab." if runs is None else "None of these runs was recorded with a tab.")
        return 0
    lines = [("", "model", "method", "ours", "of", "paper")]
    for group in groups:
        for name, figure in group.figures.items():
            told = (figure_words(figure), f"{figure.cases:g}", paper_figure(group.model, table, name))
            lines.append((words[name], group.model or NOT_RECORDED, group.method or NOT_RECORDED, *told))
    print_table(lines)
    say_simulated(group.simulated for group in groups)
    return 0


def figure_words(figure: Figure) -> str:
    """A median as a number, a share in per cent; a dash for none."""
    if figure.value is None:
        return NO_CELL
    if figure.is_share:
        return f"{100 * figure.value:.1f} %"
    return f"{figure.value:,.0f}" if figure.value >= 1000 else f"{figure.value:.4g}"


def paper_figure(model: str, table: str, name: str) -> str:
    """The paper's number for the model meant, as it prints it; a dash for none."""
    from tabcore.analyses.paper import HOLDINGS, MODELS, OPERATIONS, model_named

    row = {"holdings": HOLDINGS, "operations": OPERATIONS}.get(table, {}).get(name)
    return NO_CELL if row is None else f"{row[MODELS.index(model_named(model))]:g}"


def group_json(group: Group, table: str) -> dict[str, Json]:
    """The figures of a method and model, each with its runs."""
    from tabcore.analyses.paper import model_named

    figures: dict[str, Json] = {
        name: {
            "value": figure.value,
            "of": figure.cases,
            "paper": paper_figure(group.model, table, name),
            "runs": [asdict(part) for part in figure.parts],
        }
        for name, figure in group.figures.items()
    }
    return {
        "model": group.model,
        "method": group.method,
        "runs": group.runs,
        "simulated": group.simulated,
        "paper_model": model_named(group.model),
        "figures": figures,
    }


def _ablation(options: argparse.Namespace, runs: list[str] | None) -> int:
    from tabcore.analyses.score_facts import TITLES
    from tabcore.tables import ablation

    found = ablation(options.db, runs)
    if options.json:
        print_json([asdict(one) | {"paper": paper_delta(one)} for one in found])
        return 0
    if not found:
        say("No scored run of running_tab is here to compare its switches with.")
        return 0
    lines = [("benchmark", "model", "method", "metric", "ours", "difference", "paper's difference")]
    for one in found:
        delta = paper_delta(one)
        told = (f"{100 * one.mean:.2f}", f"{100 * one.delta:+.2f}", NO_CELL if delta is None else f"{delta:+.2f}")
        lines.append((one.suite, one.model, one.method, TITLES[one.metric], *told))
    print_table(lines)
    say_simulated(one.simulated for one in found)
    return 0


def paper_delta(one: Switched) -> float | None:
    """The paper's difference in points, None where its Table 4 has none."""
    from tabcore.analyses.paper import ABLATION
    from tabcore.analyses.score_facts import METRICS

    if one.metric not in METRICS["rubrics"]:
        return None
    place = METRICS["rubrics"].index(one.metric)
    return round(ABLATION[one.method][place] - ABLATION["running_tab"][place], 2)


def _with_both(options: argparse.Namespace, chosen: Chosen) -> list[str] | None:
    """The runs asked for; --method names the one to look at and leaves the baseline's in."""
    return chosen(argparse.Namespace(**vars(options) | {"method": None}))


def _volume(options: argparse.Namespace, runs: list[str] | None) -> int:
    from tabcore.tables import reading_volume

    method = options.method or "running_tab"
    found = reading_volume(options.db, runs, options.baseline, method)
    if options.json:
        print_json([asdict(one) | {"ratio": one.ratio, "drop": one.drop} for one in found])
        return 0
    if not found:
        say(f"No benchmark and model has scored runs of both {options.baseline} and {method}.")
    for one in found:
        say(volume_sentence(one))
        if one.thirds:
            print_table(
                [("third", "tasks", "characters", options.baseline, method, "gain"), *map(_third_line, one.thirds)]
            )
    say_simulated(one.simulated for one in found)
    return 0


def _third_line(third: Third) -> tuple[str, ...]:
    shares = [f"{100 * part.count / part.of:.1f}" for part in (third.baseline, third.method)]
    return (
        third.name,
        str(len(third.tasks)),
        volume_words(third),
        *shares,
        f"{100 * third.gain:+.1f}",
    )


def volume_words(third: Third) -> str:
    """How many characters were received on a third's tasks: "1,035 to 2,400", or the one number."""
    low, high = f"{third.low:,.0f}", f"{third.high:,.0f}"
    return low if low == high else f"{low} to {high}"


def _change(points: float) -> str:
    """ "falls by 4.8 points"."""
    size = f"{abs(points):.1f}"
    return "stays as it is" if size == "0.0" else f"{'rises' if points > 0 else 'falls'} by {size} points"


def volume_sentence(one: Volume) -> str:
    """What the thirds say, beside the paper."""
    head = named(one.suite, one.model)
    if not one.thirds:
        return f"{head}: {counted(one.shared, 'task')} in common; thirds need three."
    left = f" ({one.left_out} of one method only left out)" if one.left_out else ""
    gains = f"{100 * one.thirds[0].gain:+.1f} points on the lightest third, {100 * one.thirds[-1].gain:+.1f} on the heaviest"
    drop = f"the baseline {_change(-100 * (one.drop or 0))} (paper: falls by 16 to 27)"
    return f"{head}: of {counted(one.shared, 'task')}{left}, {gains} (paper: twice the lightest on average); {drop}."


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
            {
                "attempt": a.attempt,
                "value": a.value,
                "count": a.part.count,
                "of": a.part.of,
                "runs": [asdict(part) for part in a.parts],
            }
            for a in cell.attempts
        ],
    }
