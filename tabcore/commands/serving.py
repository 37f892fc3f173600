"""`runningtab mcp`, `hook`, `install`, `uninstall`, `forget`: the tab for other people's agents."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from tabcore.commands.printing import counted, say
from tabcore.errors import UsageError
from tabcore.text.printable import printable

if TYPE_CHECKING:
    from tabcore.serving.folders import TabFolder
    from tabcore.serving.installing import Change

Command = Callable[[str, str, Callable[[argparse.Namespace], int]], argparse.ArgumentParser]

_EXTRA = "Install this package once more with its extra: pip install '.[mcp]'"
_HOSTS = ("claude-code", "codex", "pi")


def add_serving(command: Command) -> None:
    """The commands; `command` makes one of a name, a help and a function."""
    served = command("mcp", "serve a task's tab to an MCP client over standard input and output", _mcp)
    _about_tabs(served)
    served.add_argument("--about", default="", metavar="TEXT", help="what the task asks for, where no hook tells it")
    hooked = command("hook", "answer a host's hook: its JSON on standard input, never a failure", _hook)
    hooked.add_argument("host", choices=_HOSTS)
    hooked.add_argument("--keep-days", type=float, metavar="N", help="delete journals untouched for N days")
    hooked.add_argument("notice", nargs="*", help="the JSON, from a host that gives it as an argument")
    _about_tabs(hooked)
    for name, run, what in (
        ("install", _install, "show what a project's configuration for a host would be, and write it"),
        ("uninstall", _uninstall, "take exactly that configuration out again"),
    ):
        changed = command(name, what, run)
        changed.add_argument("host", choices=_HOSTS)
        _about_tabs(changed)
        if run is _install:
            changed.add_argument(
                "--keep-days", type=float, metavar="N", help="delete journals untouched for N days (default: keep all)"
            )
        changed.add_argument("--yes", action="store_true", help="write without asking")
    forgotten = command("forget", "delete tasks' tabs: their journals, and what the store has of them", _forget)
    forgotten.add_argument("tasks", nargs="*", metavar="TASK", help="the task's name, as the journal's file has it")
    forgotten.add_argument("--keep-days", type=float, metavar="N", help="delete those untouched for more than N days")
    _about_tabs(forgotten, task=False)


def _about_tabs(parser: argparse.ArgumentParser, *, task: bool = True) -> None:
    parser.add_argument(
        "--workspace", default=".", metavar="DIR", help="the folder that the task works on (default: .)"
    )
    parser.add_argument("--state", metavar="DIR", help="where its tabs lie (default: DIR.runningtab beside it)")
    if task:
        parser.add_argument("--task", metavar="NAME", help="one tab for all sessions (default: one for each)")


def _folder(options: argparse.Namespace) -> TabFolder:
    from tabcore.serving.folders import TabFolder

    folder = TabFolder.of(options.workspace, options.state)
    if not folder.workspace.is_dir():
        raise UsageError(str(folder.workspace), "there is no such folder", "Name the folder that the task works on")
    return folder


def _mcp(options: argparse.Namespace) -> int:
    folder = _folder(options)
    if options.task:
        folder.path(options.task)
    try:
        from tabcore.serving import mcp_server
    except ModuleNotFoundError as fault:
        raise UsageError("mcp", f"{fault.name} is not installed", _EXTRA) from fault
    mcp_server.serve(folder, options.task, options.about)
    return 0


def _hook(options: argparse.Namespace) -> int:
    from tabcore.serving import hooks

    given = [options.host, *options.notice, "--workspace", options.workspace]
    given += ["--state", options.state] if options.state else []
    given += ["--task", options.task] if options.task else []
    given += ["--keep-days", str(options.keep_days)] if options.keep_days is not None else []
    return hooks.main(given)


def _install(options: argparse.Namespace) -> int:
    from tabcore.serving.installing import Setting, installation, write

    setting = Setting(_folder(options), options.state, options.task, options.keep_days)
    changes = installation(options.host, setting)
    if not changes:
        say("All of it stands there already.")
        return 0
    if not _agreed(changes, options, "Write this?", "Nothing was written; --yes writes it."):
        return 1
    write(options.host, setting, changes)
    say(f"Written. Tabs are kept in {printable(str(setting.folder.place), ' ')}, for you only.")
    if options.host == "claude-code" and find_spec("mcp") is None:
        say(f"The tab's server needs the MCP SDK, which is not installed. {_EXTRA}")
    if options.host == "codex":
        say(
            "Codex asks you to trust the hook when it starts next. One that has no hooks yet: notify in its config.toml,"
        )
        say(f"notify = {setting.command('hook', 'codex')}".replace("'", '"'))
    return 0


def _uninstall(options: argparse.Namespace) -> int:
    from tabcore.serving.installing import Setting, removal, take_out

    setting = Setting(_folder(options), options.state)
    changes = removal(options.host, setting)
    if not changes:
        say("Nothing of it is there.")
        return 0
    if not _agreed(changes, options, "Take this out?", "Nothing was changed; --yes changes it."):
        return 1
    take_out(options.host, setting, changes)
    say(f"Taken out. The tabs in {printable(str(setting.folder.place), ' ')} are kept; runningtab forget deletes them.")
    return 0


def _agreed(changes: tuple[Change, ...], options: argparse.Namespace, question: str, otherwise: str) -> bool:
    for change in changes:
        say(printable(str(change)))
    if options.yes:
        return True
    if sys.stdin.isatty() and input(f"{question} [y/N] ").strip().lower() in ("y", "yes"):
        return True
    say(otherwise)
    return False


def _forget(options: argparse.Namespace) -> int:
    folder = _folder(options)
    if not options.tasks and options.keep_days is None:
        known = ", ".join(folder.tasks()) or "none"
        raise UsageError("forget", "it names no task", f"Name one, or --keep-days N; in {folder.place}: {known}")
    old = [] if options.keep_days is None else folder.older_than(options.keep_days)
    named = list(dict.fromkeys([*options.tasks, *old]))
    gone = [task for task in named if folder.forget(task)]
    runs = _forget_runs(options.db, {folder.path(task) for task in named})  # after the files: one may be followed
    places = printable(str(folder.place), " ")
    say(f"Forgotten in {places}: {', '.join(gone) or 'no journal'}; taken from the store: {counted(runs, 'run')}.")
    return 0 if gone or runs or not options.tasks else 1


def _forget_runs(db: str | None, paths: set[Path]) -> int:
    """Take the runs of these logs out of the store, with what persons and models said of them; how many."""
    from tabcore import rerun

    loaded = [run.run_id for run in rerun.runs(db) if Path(run.path).resolve() in paths]
    for run_id in loaded:
        rerun.delete(db, run_id, with_corrections=True)
    return len(loaded)
