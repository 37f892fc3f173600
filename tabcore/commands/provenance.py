"""`runningtab provenance RUN` and `runningtab check RUN…`: where delivered values came from, and limits to hold in CI."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tabcore.commands.printing import counted, print_json, print_table, say
from tabcore.errors import UsageError
from tabcore.text.printable import printable

if TYPE_CHECKING:
    from tabcore.analyses.provenance_rows import DeliveredValue, Provenance
    from tabcore.analyses.shown_but_missing import ExpectedValue

Command = Callable[[str, str, Callable[[argparse.Namespace], int]], argparse.ArgumentParser]


def add_provenance(command: Command) -> None:
    """The two commands; `command` makes one of a name, a help and a function."""
    traced = command("provenance", "say where each value of a deliverable came from", _provenance)
    traced.add_argument("run", metavar="RUN", help="the id of a run, or its beginning")
    traced.add_argument("--all", action="store_true", help="small counts, years and dates too")
    traced.add_argument("--json", action="store_true", help="print JSON for other programs")
    traced.add_argument("--xlsx", metavar="FILE", help="write it as a workbook")
    traced.add_argument("--html", metavar="FILE", help="write it as one page that needs nothing else")
    checked = command("check", "end with exit code 1 where runs left out or made up more values than allowed", _check)
    checked.add_argument("runs", nargs="+", metavar="RUN", help="ids of runs, or their beginnings")
    limits = {
        "missing": "expected by a failed rubric, shown, and not delivered",
        "unsupported": "delivered, and neither a source, the task nor a formula states it",
    }
    for name, what in limits.items():
        checked.add_argument(
            f"--max-{name}", type=_count, metavar="N", help=f"the most values of a run that are {what}"
        )
    checked.add_argument("--json", action="store_true", help="print JSON for other programs")


def _count(text: str) -> int:
    """A limit: a whole number from 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0")
    return int(text)


def _provenance(options: argparse.Namespace) -> int:
    from tabcore.questions import provenance

    found = provenance(options.db, options.run)
    if options.xlsx:
        from tabcore.exports.provenance_workbook import workbook

        _write(options.xlsx, workbook(found))
    if options.html:
        from tabcore.presentation.deliverable_page import standalone_page

        _write(options.html, standalone_page(found).encode())
    if options.json:
        from tabcore.exports.provenance_json import provenance_json

        print_json(provenance_json(found))
    elif not (options.xlsx or options.html):
        _print(found, distinctive=not options.all)
    return 0


def _write(name: str, content: bytes) -> None:
    try:
        Path(name).write_bytes(content)
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise UsageError(name, f"it cannot be written ({reason})", "Name a file in a folder of yours") from fault
    say(f"written: {printable(name, ' ')}")


def _print(found: Provenance, *, distinctive: bool) -> None:
    say(printable(sentence(found, distinctive=distinctive), " "))
    for line in about_files(found):
        say(printable(line, " "))
    told = [v for v in found.values if v.provenance != "sourced" and (v.distinctive or not distinctive)]
    if told:
        say("")
        print_table([("value", "provenance", "where", "evidence"), *(_line(found, value) for value in told)])
    if found.uses:
        say("")
        rows = [(use.path, f"{use.used} of {use.held}", " ".join(use.entries)) for use in found.uses]
        print_table([("file read", "values used", "read log"), *rows])
    if found.bounded:
        say("There is more than is searched for formulas: a value may be derived and not known to be.")


def sentence(found: Provenance, *, distinctive: bool = True) -> str:
    """The counts in one sentence."""
    counts = found.counts(distinctive=distinctive)
    total = sum(counts.values())
    what = "distinctive value" if distinctive else "value"
    if not total:
        return f"Run {found.run.run_id} delivered no {what} that is known."
    told = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    return f"Of {counted(total, what)} that run {found.run.run_id} delivered: {told}."


_WORDS = {
    "written": "as the agent wrote it",
    "code": "of which only the code that wrote it is known",
    "answer": "the last answer, since no file was written",
    "file": "beside the log",
}


def about_files(found: Provenance) -> Iterator[str]:
    """Each delivered file in one line: how it is known, or why not."""
    for file in found.files:
        turn = "" if file.written is None else f", last written at turn {file.written}"
        unread = (
            ""
            if file.text is not None
            else f"; no text of it is known ({file.kind or 'not kept'}, {file.size:,} bytes)"
        )
        yield f"  {file.path}: {_WORDS[file.source]}{turn}{unread}"
    if not found.files:
        yield "  No deliverable is known: no file beside the log, nothing written, no answer."


def _line(found: Provenance, value: DeliveredValue) -> tuple[str, ...]:
    from tabcore.presentation.provenance_words import evidence

    where = found.where(value)
    return value.text, value.provenance, where, evidence(found, value)


def _check(options: argparse.Namespace) -> int:
    if options.max_missing is None and options.max_unsupported is None:
        raise UsageError("check", "no limit is stated", "State --max-missing N, --max-unsupported M, or both")
    results = [_checked(options, run) for run in options.runs]
    if options.json:
        print_json([result for result, _ in results])
    else:
        for _, lines in results:
            for line in lines:
                say(printable(line, " "))
    return 0 if all(result["passed"] for result, _ in results) else 1


def _checked(options: argparse.Namespace, run: str) -> tuple[dict[str, object], list[str]]:
    """What one run is found to be, for programs and in lines."""
    result: dict[str, object] = {"run": run, "passed": True}
    lines: list[str] = []
    if options.max_missing is not None:
        _check_missing(options, run, result, lines)
    if options.max_unsupported is not None:
        _check_unsupported(options, run, result, lines)
    return result, lines


def _check_missing(options: argparse.Namespace, run: str, result: dict[str, object], lines: list[str]) -> None:
    from tabcore.questions import shown_but_missing

    found = shown_but_missing(options.db, [run])
    missing = [value for value in found.values if value.is_missing]
    exceeded = len(missing) > options.max_missing
    result |= {"missing": [_missing_json(value) for value in missing], "max_missing": options.max_missing}
    result["passed"] = bool(result["passed"]) and not exceeded
    if found.without_rubrics:
        result["without_rubrics"] = True
        lines.append(f"{run}: it has no rubrics, so nothing is expected and nothing can be missing")
        return
    if found.without_deliverable:
        result |= {"without_deliverable": True, "passed": False}
        lines.append(f"{run}: FAILED, no deliverable is known, so every expected value is missing")
        return
    lines.append(_verdict(run, exceeded, len(missing), options.max_missing, "shown and missing"))
    lines += (f"  missing: {v.text}, shown at turn {v.shown[0].turn} (rubric {v.rubric.rubric_id})" for v in missing)


def _check_unsupported(options: argparse.Namespace, run: str, result: dict[str, object], lines: list[str]) -> None:
    from tabcore.questions import provenance

    found = provenance(options.db, run)
    values = [v for v in found.values if v.distinctive and v.provenance == "unsupported"]
    exceeded = len(values) > options.max_unsupported
    told = [{"value": v.text, "file": found.files[v.file].path, "provenance": v.provenance} for v in values]
    result |= {"unsupported": told, "max_unsupported": options.max_unsupported}
    result["passed"] = bool(result["passed"]) and not exceeded
    lines.append(_verdict(run, exceeded, len(values), options.max_unsupported, "unsupported"))
    for value in values:
        where = found.where(value)
        lines.append(f"  {value.provenance}: {value.text} in {found.files[value.file].path}, {where}")


def _verdict(run: str, exceeded: bool, count: int, most: int, what: str) -> str:
    return f"{run}: {'FAILED' if exceeded else 'passed'}, {counted(count, 'value')} {what}, {most} allowed"


def _missing_json(value: ExpectedValue) -> dict[str, object]:
    turns = [place.turn for place in value.shown]
    return {"value": value.text, "rubric": value.rubric.rubric_id, "shown_turns": turns}
