"""`runningtab analyze paired`: two methods on the tasks that they share."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING

from tabcore.commands.printing import NO_CELL, counted, named, print_json, print_table, say, say_simulated

if TYPE_CHECKING:
    from tabcore.analyses.paired_comparison import Comparison
    from tabcore.trajectory import Json


def print_paired(options: argparse.Namespace, runs: list[str] | None) -> int:
    """The comparisons as a table, or as JSON; the exit code."""
    from tabcore.tables import paired_comparison

    found = paired_comparison(options.db, runs, options.baseline, [options.method] if options.method else None)
    if options.json:
        print_json([_comparison_json(one) for one in found])
        return 0
    if not found:
        say(f"No method shares a scored task with {options.baseline}.")
    else:
        head = ("benchmark", "model", "method", "metric", "tasks", "left out", "points", "95 % interval")
        tests = ("p", "corrected", "tasks needed for 3 points")
        print_table([(*head, *tests), *map(_comparison_line, found)])
    say_simulated(one.simulated for one in found)
    return 0


def _comparison_line(one: Comparison) -> tuple[str, ...]:
    from tabcore.analyses.score_facts import TITLES

    tasks = (TITLES[one.metric], str(len(one.pairs)), str(one.left_out))
    p = (f"{'' if one.p.exact else '~'}{one.p.value:.3g}", f"{one.corrected:.3g}")
    names = (one.suite, one.model, f"{one.method} over {one.baseline}")
    return (
        *names,
        *tasks,
        f"{100 * one.difference:+.2f}",
        interval_words(one),
        *p,
        f"{one.needed:,}" if one.needed else NO_CELL,
    )


def interval_words(one: Comparison) -> str:
    """The interval in points; a dash for none."""
    return f"{100 * one.interval[0]:+.2f} to {100 * one.interval[1]:+.2f}" if one.interval else NO_CELL


def comparison_sentence(one: Comparison) -> str:
    """The difference, how sure it is, and what would be needed."""
    from tabcore.analyses.score_facts import TITLES

    span = f", 95 % interval {interval_words(one)}" if one.interval else ""
    p = f"p {'' if one.p.exact else 'about '}{one.p.value:.3g}, corrected {one.corrected:.3g}"
    left = f" ({counted(one.left_out, 'task')} of one of them only left out)" if one.left_out else ""
    needed = f"; a gain of 3 points would show on {one.needed:,} such tasks" if one.needed else ""
    return (
        f"{named(one.suite, one.model)}: {one.method} over {one.baseline}: {TITLES[one.metric]} "
        f"{100 * one.difference:+.2f} points on {counted(len(one.pairs), 'shared task')}{left}{span}; {p}{needed}."
    )


def _comparison_json(one: Comparison) -> dict[str, Json]:
    pairs: list[Json] = [
        asdict(pair) | {"difference": pair.difference, "range": list(pair.range)} for pair in one.pairs
    ]
    return {**asdict(one), "pairs": pairs}
