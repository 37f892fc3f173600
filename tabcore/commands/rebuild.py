"""`runningtab rebuild`: a damaged or older store, read again from its logs."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from tabcore.commands.printing import counted, say
from tabcore.text.printable import printable

Command = Callable[[str, str, Callable[[argparse.Namespace], int]], argparse.ArgumentParser]
_SHOWN = 20


def add_rebuild(command: Command) -> None:
    """The command; `command` makes one of a name, a help and a function."""
    what = "read a damaged or older store's logs again into a new one; labels, notes, corrections and answers are kept"
    rebuilt = command("rebuild", what, _rebuild)
    rebuilt.add_argument(
        "paths", nargs="*", metavar="PATH", help="further logs and folders, where the store forgot them"
    )


def _rebuild(options: argparse.Namespace) -> int:
    from tabcore.rebuilding import rebuild

    found = rebuild(options.db, options.paths)
    runs = sum(len(one.runs) for one in found.loaded)
    kept = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in found.kept.items() if count)
    say(f"{counted(runs, 'run')} read from {counted(len(found.loaded), 'file')}; kept: {kept or 'nothing was said'}")
    say(printable(f"The old store is {found.backup}; delete it when nothing is missed.", " "))
    if found.unreadable:
        say(f"Could not be read of it: {', '.join(name.replace('_', ' ') for name in found.unreadable)}")
    for path in found.gone[:_SHOWN]:
        say(printable(f"  gone: {path}", " "))
    if found.gone:
        say(f"{counted(len(found.gone), 'log')} no longer there: what was read of them is in the old store only")
    return 1 if found.gone or found.unreadable else 0
