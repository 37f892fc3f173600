"""The command line: parse arguments, call, print. Nothing here decides anything about runs."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tabcore.commands.analyze import add_questions
from tabcore.commands.loading import add_loading
from tabcore.commands.printing import counted, print_json, print_table, say
from tabcore.commands.provenance import add_provenance
from tabcore.commands.rebuild import add_rebuild
from tabcore.commands.record import add_record
from tabcore.commands.report import add_report
from tabcore.commands.search import add_search
from tabcore.commands.serving import add_serving
from tabcore.commands.taxonomy import add_labels
from tabcore.errors import RunningTabError, UsageError
from tabcore.text.printable import printable

if TYPE_CHECKING:
    from tabcore.rows import RunRow

_DESCRIPTION = """\
Replays recorded agent runs turn by turn, each with its tab: what the task requires, which files were read,
and which were listed and never opened."""

_EPILOG = """\
examples:
  runningtab open                        see the sample runs in the browser
  runningtab open my-logs/               load a folder of logs, then see them in the browser
  runningtab load session.jsonl          load one log and say what became of it
  runningtab load runs.zip 'logs/**/*.gz' load an archive, and what a pattern matches
  cat session.jsonl | runningtab load -  load what comes in
  runningtab watch ~/.claude/projects    follow growing logs; the pages show new turns as they come
  runningtab runs                        list what is loaded
  runningtab show 3fa2 --turn 8          the tab of the run whose id begins with 3fa2, after turn 8
  runningtab runs --json | jq .          the same list for other programs
  runningtab correct 3fa2 --turn 8 notes.txt read --by Ann
                                         capture was wrong: turn 8 read notes.txt
  runningtab export 3fa2 -o run.json     the run as an ATIF document
  runningtab export --parquet store/     every table of the store as Parquet
  runningtab analyze scores              what each method scored, beside the paper's Table 1
  runningtab analyze shown-but-missing   expected values that were on the screen and were left out
  runningtab search 'per night'          where these words stand in all runs
  runningtab provenance 3fa2             where each value of the run's deliverable came from
  runningtab analyze failure-taxonomy    of which type the failure of each failed rubric is
  runningtab report --out report.html    figures, tables and examples as one file to mail
  runningtab record --task t.md --workspace files/ --method dci,running_tab --model m --base-url URL --into runs/
                                         let an agent work on a task, and record its runs
  runningtab check 3fa2 --max-missing 0  for CI: fail where more values are missing than allowed
  runningtab install claude-code         a tab for the agent that works in this folder; also codex, pi
  runningtab mcp --task guide            the tab's operations for any MCP client

exit codes: 0 done; 1 something for you to act on (nothing could be loaded, the store is in use, with load --strict any
problem); 2 wrong usage; 130 interrupted.
Runs are kept in one file in your data folder; --db FILE or the variable RUNNINGTAB_DB names another."""


_NOT_MASKED = "show keys and tokens as they stand, where a mask such as [secret: GitHub Token] would be"


_Run: TypeAlias = Callable[[argparse.Namespace], int]
_Command: TypeAlias = Callable[[str, str, _Run], argparse.ArgumentParser]
_Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.command(options)
        sys.stdout.flush()
    except RunningTabError as fault:
        print(f"runningtab: {printable(str(fault), ' ')}", file=sys.stderr)
        return 2 if isinstance(fault, UsageError) else 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print("runningtab: interrupted; what was stored is kept", file=sys.stderr)
        return 130
    return code


def _parser() -> argparse.ArgumentParser:
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="runningtab", description=_DESCRIPTION, epilog=_EPILOG, formatter_class=style, allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"runningtab {version('runningtab')}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(name: str, help: str, run: _Run, among: _Commands = commands) -> argparse.ArgumentParser:
        sub = among.add_parser(name, help=help, description=help[0].upper() + help[1:] + ".", allow_abbrev=False)
        sub.add_argument("--db", metavar="FILE", help="the store's file (default: in your data folder)")
        sub.set_defaults(command=run)
        return sub

    add_loading(command)
    _add_looking(command)
    _add_correcting(command)
    asked = commands.add_parser("analyze", help="answer a question about the loaded runs", allow_abbrev=False)
    questions = asked.add_subparsers(title="questions", metavar="QUESTION", required=True)
    add_questions(lambda name, help, run: command(name, help, run, questions))
    add_provenance(command)
    add_search(command)
    add_report(command)
    add_record(command)
    labelled = commands.add_parser(
        "labels", help="types of failures that people and models stated, as files", allow_abbrev=False
    )
    ways = labelled.add_subparsers(title="what to do", metavar="WHAT", required=True)
    add_labels(lambda name, help, run: command(name, help, run, ways))
    _add_exporting(command)
    add_rebuild(command)
    add_serving(command)
    return parser


def _add_looking(command: _Command) -> None:
    _add_json(command("runs", "list the loaded runs", _runs))
    shown = command("show", "print the tab of one run", _show)
    shown.add_argument("run", metavar="RUN", help="the id of a run, or its beginning")
    shown.add_argument("--no-redact", action="store_true", help=_NOT_MASKED)
    shown.add_argument("--turn", type=int, metavar="N", help="the tab after this turn (default: the last)")
    _add_json(shown)
    found = command("problems", "list what was wrong with logs and what was done about it", _problems)
    found.add_argument("run", nargs="?", metavar="RUN", help="only of the log of this run")
    _add_json(found)


def _add_correcting(command: _Command) -> None:
    corrected = command("correct", "say what a call did with a file, where capture was wrong", _correct)
    corrected.add_argument("run", metavar="RUN", help="the id of a run, or its beginning")
    corrected.add_argument("--turn", type=int, required=True, metavar="N", help="the turn of the call, from 1")
    corrected.add_argument("--call", type=int, default=1, metavar="K", help="the call of the turn, from 1 (default: 1)")
    corrected.add_argument("path", metavar="PATH", help="the file, as the tab shows it or absolute")
    corrected.add_argument(
        "kind", choices=_KINDS, help="what the call did with it; as-captured takes a correction back"
    )
    corrected.add_argument("--by", required=True, metavar="NAME", help="who says so")


def _add_exporting(command: _Command) -> None:
    exported = command("export", "write a run as a document for other programs, or the whole store as Parquet", _export)
    exported.add_argument("run", nargs="?", metavar="RUN", help="the id of a run, or its beginning")
    exported.add_argument("--parquet", metavar="DIR", help="write every table of the store to this new folder instead")
    exported.add_argument("--format", choices=["atif"], default="atif", help="the document's format (default: atif)")
    exported.add_argument("--for-judge", action="store_true", help="leave out the tab: its calls and its words")
    exported.add_argument("--no-redact", action="store_true", help=_NOT_MASKED)
    exported.add_argument("-o", "--output", metavar="FILE", help="the file to write (default: print it)")


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON for other programs")


def _runs(options: argparse.Namespace) -> int:
    from tabcore import rerun

    rows = rerun.runs(options.db)
    if options.json:
        print_json([_run_json(row) for row in rows])
    elif rows:
        print_table([_RUN_HEAD, *map(_run_line, rows)])
    else:
        say("No runs are loaded yet. Load some: runningtab load PATH, or see the samples: runningtab open")
    return 0


def _show(options: argparse.Namespace) -> int:
    from tabcore import rerun

    if options.json:
        print_json(asdict(rerun.tab_row(options.db, options.run, options.turn, redact=not options.no_redact)))
    else:
        say(printable(rerun.tab_text(options.db, options.run, options.turn, redact=not options.no_redact)))
    return 0


def _problems(options: argparse.Namespace) -> int:
    from tabcore import rerun

    problems = rerun.problems(options.db, options.run)
    if options.json:
        print_json([asdict(problem) for problem in problems])
        return 0
    for problem in problems:
        say(printable(str(problem), " "))
    if not problems:
        say("No problems.")
    return 0


_KINDS = ("read", "listed", "authored", "neither", "as-captured")


def _correct(options: argparse.Namespace) -> int:
    from tabcore import rerun
    from tabcore.tab.corrections import DecisionCorrection

    kind = options.kind.replace("-", " ")
    said = DecisionCorrection(options.turn, options.call - 1, options.path, kind, options.by, time.time())
    rerun.correct_decision(options.db, options.run, said)
    say(printable(rerun.decision_corrections(options.db, options.run)[-1].words, " "))
    return 0


def _export(options: argparse.Namespace) -> int:
    from tabcore import rerun
    from tabcore.exports.atif import as_text

    if options.parquet:
        return _export_parquet(options)
    if options.run is None:
        raise UsageError("export", "it names no run", "Name one, or --parquet DIR for the whole store")
    export = rerun.export_atif(options.db, options.run, for_judge=options.for_judge, redact=not options.no_redact)
    if options.output is None:
        print_json(export.document)
    else:
        _write(Path(options.output), as_text(export.document))
    if out := export.judged:
        said = f"left out: {out.calls} tab calls, {out.texts} texts with words of the tab, {out.turns} turns of tab calls alone"
        print(said, file=sys.stderr)
    return 0


def _export_parquet(options: argparse.Namespace) -> int:
    from tabcore.querying import export_parquet

    if options.run is not None:
        raise UsageError("export", "--parquet writes the whole store, and a run is named too", "Name one of the two")
    tables = export_parquet(options.db, options.parquet, redact=not options.no_redact)
    say(f"{counted(len(tables), 'table')} in {printable(options.parquet, ' ')}, told of in its README.md")
    return 0


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, "utf-8")
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise UsageError(str(file), f"it cannot be written ({reason})", "Name a file in a folder of yours") from fault


_RUN_HEAD = (
    "run",
    "method",
    "model",
    "attempt",
    "turns",
    "files read",
    "candidates",
    "requirements",
    "problems",
    "task",
)


def _run_line(row: RunRow) -> tuple[str, ...]:
    attempt = "" if row.attempt is None else f"{row.attempt}" + (f"/{row.attempts}" if row.attempts else "")
    resolved = f"{row.resolved}/{row.requirements}"
    counts = (row.turns, row.files_read, row.candidates, resolved, row.problems)
    return (row.run_id, row.method or "", row.model or "", attempt, *map(str, counts), row.task_name or row.task)


def _run_json(row: RunRow) -> dict[str, Any]:
    return {"run": row.run_id, **{name: value for name, value in asdict(row).items() if name != "run_id"}}
