"""`runningtab open`, `load` and `watch`: what brings runs in, and what is said of it."""

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
from typing import TYPE_CHECKING, TextIO

from tabcore.commands.printing import counted, print_json, print_table, say
from tabcore.errors import UsageError
from tabcore.text.printable import printable

if TYPE_CHECKING:
    from tabcore.ingest import Progress
    from tabcore.rows import Loaded

Command = Callable[[str, str, Callable[[argparse.Namespace], int]], argparse.ArgumentParser]

_LOADABLE = (
    "a log, a folder of logs, a packed log (.gz .zst), an archive (.zip .tar .tar.gz .tar.zst), a quoted pattern, or -"
    " for standard input"
)

_NOT_LOOKED_FOR = "do not look for keys and tokens: whatever is shown or exported of these logs has them as they stand"


def add_loading(command: Command) -> None:
    """The commands; `command` makes one of a name, a help and a function."""
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
    loaded.add_argument("--json", action="store_true", help="print JSON for other programs")
    watched = command(
        "watch", "follow folders of growing logs until it is interrupted: new turns are stored as they come", _watch
    )
    watched.add_argument("folders", nargs="+", metavar="DIR", help="a folder of logs")
    watched.add_argument(
        "--quiet", type=float, default=600, metavar="SECONDS", help="a log without growth for so long has ended (600)"
    )


class _Formats(argparse.Action):
    """Lists the log formats; the readers are imported only now."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from tabcore.readers import formats

        for name, what in formats().items():
            say(f"{name:<20}{what}")
        parser.exit()


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
