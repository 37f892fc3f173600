"""`runningtab analyze QUESTION`: the analyses on the command line."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from tabcore.commands import recovery, scores, taxonomy
from tabcore.commands.printing import counted, print_json, print_table, say
from tabcore.text.printable import printable

if TYPE_CHECKING:
    from tabcore.analyses.rates import Rate
    from tabcore.analyses.shown_but_missing import ExpectedValue, ShownButMissing
    from tabcore.rows import RunRow
    from tabcore.text.value_rules import Rule
    from tabcore.trajectory import Json

Command = Callable[[str, str, Callable[[argparse.Namespace], int]], argparse.ArgumentParser]


def add_questions(command: Command) -> None:
    """The questions as commands; `command` makes one of a name, a help and a function."""
    asked = command(
        "shown-but-missing", "which values that rubrics expect were shown and are not in the deliverable", _missing
    )
    asked.add_argument("runs", nargs="*", metavar="RUN", help="ids of runs, or their beginnings (default: all)")
    for name in ("method", "model", "suite"):
        asked.add_argument(f"--{name}", help=f"only runs of this {name}")
    _add_rule(asked)
    read = command(
        "left-out", "which distinctive values of the files that a run read it did not deliver, ranked", _left
    )
    read.add_argument("run", metavar="RUN", help="the id of a run, or its beginning")
    read.add_argument("--top", type=int, default=40, metavar="N", help="print so many at most (40)")
    _add_rule(read)
    masked = command(
        "masked-recovery",
        "whether a model states left-out values when they are masked, without and with the tab",
        _masked,
    )
    recovery.add_arguments(masked)
    _add_rule(masked)
    taxonomy.add_taxonomy(command, _add_rule)
    scores.add_tables(command, chosen_runs)


def _add_rule(asked: argparse.ArgumentParser) -> None:
    asked.add_argument(
        "--digits", type=int, default=3, metavar="N", help="digits before the point that make a number distinctive (3)"
    )
    asked.add_argument("--years", action="store_true", help="bare years count as distinctive")
    asked.add_argument("--either-sign", action="store_true", help="-356 equals 356")
    asked.add_argument("--percent-marks-dropped", action="store_true", help="12.3%% equals 12.3")
    asked.add_argument("--shares", action="store_true", help="12.3%% equals 0.123")
    asked.add_argument("--dates", action="store_true", help="ask for dates instead of numbers")
    asked.add_argument("--json", action="store_true", help="print JSON for other programs")


def rule_of(options: argparse.Namespace) -> Rule:
    """The rule that the options state."""
    from tabcore.text.value_rules import Rule

    return Rule(
        digits=options.digits,
        years=options.years,
        either_sign=options.either_sign,
        percent_marks_dropped=options.percent_marks_dropped,
        shares=options.shares,
    )


def chosen_runs(options: argparse.Namespace) -> list[str] | None:
    """The ids of the runs that the options choose, None for all. A sub-agent's run counts only where it is named."""
    from tabcore import rerun

    wanted = {name: getattr(options, name) for name in ("method", "model", "suite") if getattr(options, name)}
    if options.runs and not wanted:
        return list(options.runs)
    stored = [] if options.runs else rerun.runs(options.db)
    rows = [rerun.run(options.db, run) for run in options.runs] or [row for row in stored if row.parent is None]
    if not wanted and len(rows) == len(stored):
        return None
    return [row.run_id for row in rows if _fits(row, wanted)]


def _fits(row: RunRow, wanted: dict[str, str]) -> bool:
    return all(getattr(row, name) == value for name, value in wanted.items())


def _missing(options: argparse.Namespace) -> int:
    from tabcore.questions import shown_but_missing

    found = shown_but_missing(options.db, chosen_runs(options), rule_of(options), dates=options.dates)
    if options.json:
        print_json(missing_json(found))
    else:
        _print_missing(found)
    return 0


def _masked(options: argparse.Namespace) -> int:
    of_runs = argparse.Namespace(**vars(options) | {"model": options.of_model})
    return recovery.run(options, chosen_runs(of_runs), rule_of(options))


def _left(options: argparse.Namespace) -> int:
    from tabcore.questions import left_out

    found = left_out(options.db, options.run, rule_of(options), dates=options.dates)
    if options.json:
        print_json(
            {
                "held": found.held,
                "delivered": found.delivered,
                "left_out": [asdict(value) | {"score": score} for value, score in found.values],
            }
        )
        return 0
    say(f"Of {found.held} distinctive values in the files that were read, {found.delivered} are delivered.")
    rows = [
        (v.text, v.entry_id, f"turn {v.turn}", f"{score:.1f}", v.path, v.line.left + v.text + v.line.right)
        for v, score in found.values
    ]
    if rows:
        print_table([("value", "entry", "read at", "score", "file", "line"), *rows[: options.top]])
    if len(rows) > options.top:
        say(f"… and {len(rows) - options.top} more; --top prints more of them")
    return 0


def missing_json(found: ShownButMissing) -> dict[str, Json]:
    """The answer as JSON, each value with its places."""
    from tabcore.analyses.shown_but_missing import PAPER_HELD, PAPER_MISSING

    return {
        "missing": _rate_json(found.missing) | {"paper": PAPER_MISSING},
        "held": _rate_json(found.held) | {"paper": PAPER_HELD},
        "outcomes": {str(name): count for name, count in found.outcomes.items()},
        "not_shown": found.not_shown,
        "runs": found.runs,
        "runs_without_deliverable": [run.run_id for run in found.without_deliverable],
        "runs_without_rubrics": [run.run_id for run in found.without_rubrics],
        "runs_without_values": [run.run_id for run in found.without_values],
        "runs_known_by_their_code": [run.run_id for run in found.from_code],
        "values": [_value_json(value) for value in found.values],
    }


def _rate_json(rate: Rate) -> dict[str, Json]:
    low, high = rate.interval or (None, None)
    return {"count": rate.count, "of": rate.of, "share": rate.share, "low": low, "high": high}


def _value_json(value: ExpectedValue) -> dict[str, Json]:
    return {
        "run": value.run.run_id,
        "rubric": value.rubric.rubric_id,
        "value": value.text,
        "key": value.key,
        "kind": value.kind,
        "outcome": value.outcome if value.shown else "not shown",
        "missing": value.is_missing,
        "written_turn": value.run.written,
        "shown": [_without_run(asdict(place)) for place in value.shown],
        "shown_too_late": [_without_run(asdict(place)) for place in value.late],
        "held": _without_run(asdict(value.held)) if value.held else None,
        "delivered": [_without_run(asdict(place)) for place in value.delivered],
    }


def _without_run(place: dict[str, Json]) -> dict[str, Json]:
    return {name: item for name, item in place.items() if name not in ("run_id", "expected")}


def _print_missing(found: ShownButMissing) -> None:
    say(printable(sentence(found), " "))
    for outcome, count in found.outcomes.items():
        say(f"  {count:>6}  {outcome}")
    say(f"  {found.not_shown:>6}  expected, never shown")
    if missing := [value for value in found.values if value.is_missing]:
        say("")
        print_table([("run", "rubric", "value", "first shown", "held in", "task"), *map(_line, missing)])
    for line in not_covered(found):
        say(line)


def sentence(found: ShownButMissing) -> str:
    """The answer in one sentence.

    >>> from tabcore.analyses.rates import Rate
    >>> from tabcore.analyses.shown_but_missing import OUTCOMES, ShownButMissing
    >>> counts = dict.fromkeys(OUTCOMES, 0) | {"delivered, passed": 3, "absent, failed": 1}
    >>> sentence(ShownButMissing((), counts, Rate(1, 4), Rate(1, 1), 0, 1))
    'Of 4 expected values that were shown, 1 (25.0 %) is missing with its rubric failed; the read log holds 1 of it.'
    """
    shown, missing = sum(found.outcomes.values()), found.missing
    if not shown:
        return "No value that a rubric expects was shown in these runs."
    share = f" ({missing.share:.1%})".replace("%", " %") if missing.share is not None else ""
    are, them = ("is", "it") if missing.count == 1 else ("are", "them")
    held = f"; the read log holds {found.held.count:,} of {them}" if missing.count else ""
    rubric = "its rubric" if missing.count == 1 else "their rubrics"
    return f"Of {shown:,} expected values that were shown, {missing.count:,}{share} {are} missing with {rubric} failed{held}."


def not_covered(found: ShownButMissing) -> Sequence[str]:
    """What the answer does not cover, one line each."""
    lines = []
    if found.without_deliverable:
        lines.append(f"{counted(len(found.without_deliverable), 'run')} with rubrics delivered nothing that is known.")
    if found.without_rubrics:
        lines.append(f"{counted(len(found.without_rubrics), 'run')} without rubrics: nothing is expected there.")
    if found.without_values:
        lines.append(f"{counted(len(found.without_values), 'run')} with rubrics that state no such value.")
    if found.from_code:
        lines.append(
            f"Of {counted(len(found.from_code), 'run')} only the code that wrote the deliverable is known: what it "
            "computed counts as absent."
        )
    return lines


def _line(value: ExpectedValue) -> tuple[str, ...]:
    entries = ", ".join(value.held.entries) if value.held else "not held"
    first = f"turn {value.shown[0].turn}"
    return (value.run.run_id, value.rubric.rubric_id, value.text, first, entries, value.run.name)
