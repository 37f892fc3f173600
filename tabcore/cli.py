"""The command line: parse arguments, call, print. Nothing here decides anything about runs."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias

from tabcore.commands.analyze import add_questions
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
    from tabcore.ingest import Progress
    from tabcore.rows import Loaded, RunRow

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


_LOADABLE = (
    "a log, a folder of logs, a packed log (.gz .zst), an archive (.zip .tar .tar.gz .tar.zst), a quoted pattern, or -"
    " for standard input"
)

_NOT_LOOKED_FOR = "do not look for keys and tokens: whatever is shown or exported of these logs has them as they stand"
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


class _Formats(argparse.Action):
    """Lists the log formats; the readers are imported only now."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from tabcore.readers import formats

        for name, what in formats().items():
            say(f"{name:<20}{what}")
        parser.exit()


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

    _add_loading(command)
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


def _add_loading(command: _Command) -> None:
    opened = command("open", "load what is named (else the sample runs, once) and show all runs in the browser", _open)
    opened.add_argument("paths", nargs="*", metavar="PATH", help=_LOADABLE)
    opened.add_argument(
        "--port", type=int, default=0, help="port of the page (default: 8501, or the next that is free)"
    )
    opened.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="where to listen (default: 127.0.0.1, this machine alone); another needs a password in RUNNINGTAB_PASSWORD,"
        " or --behind-proxy",
    )
    opened.add_argument(
        "--behind-proxy",
        default="",
        metavar="HEADER",
        help="answer only what has this header, which your reverse proxy sets after it has checked who asks, and takes"
        " out of what comes in; nothing else may reach the port",
    )
    opened.add_argument("--no-browser", action="store_true", help="only print the address")
    loaded = command("load", "load logs and folders of logs; loading again what has not changed adds nothing", _load)
    loaded.add_argument("paths", nargs="+", metavar="PATH", help=_LOADABLE)
    loaded.add_argument("--formats", action=_Formats, nargs=0, help="list the log formats that are read, and exit")
    loaded.add_argument("--no-redact", action="store_true", help=_NOT_LOOKED_FOR)
    loaded.add_argument("--strict", action="store_true", help="end with exit code 1 when there is any problem")
    loaded.add_argument(
        "--dataset",
        metavar="DIR",
        help="write a folder of Parquet files instead of the store, for more logs than one machine loads; --db DIR opens it",
    )
    loaded.add_argument(
        "--engine",
        choices=["local", "dask"],
        default="local",
        help="who makes the parts of a dataset: processes of this machine, or a Dask cluster (the dask extra)",
    )
    loaded.add_argument(
        "--scheduler", default="", metavar="ADDRESS", help="the Dask scheduler (default: a cluster on this machine)"
    )
    _add_json(loaded)
    watched = command(
        "watch", "follow folders of growing logs until it is interrupted: new turns are stored as they come", _watch
    )
    watched.add_argument("folders", nargs="+", metavar="DIR", help="a folder of logs")
    watched.add_argument(
        "--quiet", type=float, default=600, metavar="SECONDS", help="a log without growth for so long has ended (600)"
    )


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


def _keep_small() -> None:
    from tabcore.lean import keep_small

    keep_small()


def _open(options: argparse.Namespace) -> int:
    _keep_small()
    from tabcore import opening, rerun

    door = opening.door(options.host, os.environ.get(opening.PASSWORD, ""), options.behind_proxy)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the server ends with this process
    if options.paths:
        _print_loaded(rerun.load(options.paths, options.db, _ProgressLine(sys.stderr)))
    elif not rerun.runs(options.db):
        rerun.load([opening.sample_folder()], options.db, _ProgressLine(sys.stderr))
    store = str(rerun.open_store(options.db).path)
    return opening.serve(store, options.port, browser=not options.no_browser, say=say, door=door)


def _load(options: argparse.Namespace) -> int:
    _keep_small()
    from tabcore import rerun

    progress, redact = _ProgressLine(sys.stderr), not options.no_redact
    if options.dataset:
        from tabcore import partitions

        engine, scheduler = options.engine, options.scheduler
        loaded = partitions.load(
            options.paths, options.dataset, progress, engine=engine, scheduler=scheduler, look_for_secrets=redact
        )
    elif options.engine != "local":
        raise UsageError("--engine", "a store is written by this machine alone", "Add --dataset DIR")
    else:
        loaded = rerun.load(options.paths, options.db, progress, redact=redact)
    if options.json:
        print_json([asdict(item) for item in loaded])
    else:
        _print_loaded(loaded)
    failed = options.strict and any(item.problems for item in loaded)
    return 0 if any(item.runs for item in loaded) and not failed else 1


def _watch(options: argparse.Namespace) -> int:
    _keep_small()
    from tabcore import rerun

    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    watcher = rerun.watcher(options.folders, options.db, lambda line: say(printable(line, " ")), quiet=options.quiet)
    say(f"following {', '.join(map(printable, watcher.folders))}; Ctrl-C ends it")
    watcher.run(stop)
    return 0


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


def _print_loaded(loaded: Sequence[Loaded]) -> None:
    """One table of what was given, of many files only the noteworthy; then the problems, then the sums."""
    states = Counter(item.state for item in loaded)
    named = loaded if len(loaded) < _MANY else _noteworthy(loaded, states.most_common(1)[0][0])
    if named:
        rows = [("file", "state", "runs", "problems", "what was read, or why not")]
        rows += [(item.path, item.state, str(len(item.runs)), str(len(item.problems)), _fate(item)) for item in named]
        print_table(rows)
    for item in loaded:
        for problem in item.problems[:_PROBLEMS_SHOWN]:
            say(printable(f"  {problem}", " "))
        if len(item.problems) > _PROBLEMS_SHOWN:
            say(printable(f"  … and {len(item.problems) - _PROBLEMS_SHOWN} more problems of {item.path}", " "))
    runs = sum(len(item.runs) for item in loaded)
    problems = sum(len(item.problems) for item in loaded)
    files = ", ".join(f"{number} {state}" for state, number in states.items())
    say(f"{counted(runs, 'run')}; files: {files}; {counted(problems, 'problem')}")
    if secrets := sum(item.secrets for item in loaded):
        say(f"{counted(secrets, 'place')} with a key or token: masked in what is shown and exported; see --no-redact")


def _noteworthy(loaded: Sequence[Loaded], usual: str) -> list[Loaded]:
    """The files with a problem, and those of another state than most."""
    return [item for item in loaded if item.problems or item.state != usual]


def _fate(item: Loaded) -> str:
    why = next((problem.what for problem in item.problems if problem.lost), "")
    return item.tally or why


_PROBLEMS_SHOWN = 5
_MANY = 40
"""Files from which on a load names only the noteworthy ones."""


class _ProgressLine:
    """Says how far a load has come: at once on a terminal, every few seconds in a log file."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._terminal = stream.isatty()
        self._next = time.monotonic() + (0.5 if self._terminal else 5.0)

    def __call__(self, now: Progress) -> None:
        if time.monotonic() < self._next and now.files_done < now.files:
            return
        if now.files_done == now.files and not self._terminal:
            return
        self._next = time.monotonic() + (0.2 if self._terminal else 5.0)
        share = f"{now.files_done} of {now.files} files, {now.bytes_done >> 20} of {now.bytes >> 20} MB"
        if self._terminal:
            end = "\n" if now.files_done == now.files else ""
            self._stream.write(f"\r\x1b[Kloading: {share}{end}")
        else:
            self._stream.write(f"loading: {share}\n")
        self._stream.flush()
