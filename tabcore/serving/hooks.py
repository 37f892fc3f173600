"""One call of a hook: `runningtab hook claude-code`, its JSON on standard input, its answer on standard output.

A hook never breaks its host: on any fault it prints nothing, ends with 0 and writes the fault to `.hook.log` beside the
journals. Only the host that calls is imported: after a tool use that is capture and the tab.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from tabcore.serving.folders import TabFolder

LOG = ".hook.log"
LOG_LIMIT = 1 << 20
"""Bytes of a log after which it begins anew."""

HOSTS = ("claude-code", "codex", "pi")


class Host(Protocol):
    """What a module of a host has."""

    def answer(self, payload: Mapping[str, Any], options: HookOptions) -> Mapping[str, Any] | None:
        """The answer to what the host tells; None where there is nothing to say."""


@dataclass(frozen=True, slots=True)
class HookOptions:
    """What a hook was told on its command line; `rest` is what stands there without a name.

    Journals in which nobody has written for `keep_days` days are deleted.
    """

    workspace: str | None = None
    state: str | None = None
    task: str | None = None
    keep_days: str | None = None
    rest: tuple[str, ...] = ()

    def folder(self, workspace: str | None) -> TabFolder:
        """The tabs of the workspace: the one told, else the host's, else the working directory."""
        from tabcore.serving.folders import TabFolder

        return TabFolder.of(self.workspace or workspace or os.fspath(Path.cwd()), self.state)


def main(arguments: Sequence[str]) -> int:
    """Answer one call of a hook; always 0."""
    gc.disable()  # so short a process frees nothing
    options = HookOptions()
    try:
        host, options = _parsed(arguments)
        answer = _answer(host, options)
        if options.keep_days is not None:
            _forget_old(options, float(options.keep_days))
        if answer is not None:
            sys.stdout.write(json.dumps(answer))
            sys.stdout.flush()
    except BaseException:  # noqa: BLE001  the outermost boundary: a host must not fail for its hook, nor when it is ended
        from traceback import format_exc

        _log(options, format_exc())
    return 0


def _answer(host: str, options: HookOptions) -> Mapping[str, Any] | None:
    told = options.rest[-1] if options.rest else sys.stdin.buffer.read().decode("utf-8", "replace")
    payload = json.loads(told)
    if not isinstance(payload, dict):
        raise ValueError(f"the host's word is no JSON object but {type(payload).__name__}")
    if host not in HOSTS:
        raise ValueError(f"{host!r} is no host of hooks; there are {', '.join(HOSTS)}")
    module = cast(Host, import_module(f"tabcore.serving.{host.replace('-', '_')}"))
    return module.answer(payload, options)


def _parsed(arguments: Sequence[str]) -> tuple[str, HookOptions]:
    """Host and options; argparse alone would take a tenth of a hook's time."""
    values: dict[str, str] = {}
    rest: list[str] = []
    given = iter(arguments)
    for word in given:
        if word in ("--workspace", "--state", "--task", "--keep-days"):
            values[word[2:].replace("-", "_")] = next(given, "")
        else:
            rest.append(word)
    return (rest[0] if rest else ""), HookOptions(**values, rest=tuple(rest[1:]))


def _forget_old(options: HookOptions, days: float) -> None:
    folder = options.folder(None)
    for task in folder.older_than(days):
        folder.forget(task)


def _log(options: HookOptions, fault: str) -> None:
    try:
        from tabcore.journal import make_folder

        place = options.folder(os.environ.get("CLAUDE_PROJECT_DIR")).place
        make_folder(place)
        log = place / LOG
        fresh = os.O_TRUNC if log.exists() and log.stat().st_size > LOG_LIMIT else 0
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | fresh
        with os.fdopen(os.open(log, flags, 0o600), "a", encoding="utf-8", errors="replace") as stream:
            stream.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {fault}\n")
    except Exception:  # noqa: BLE001  nowhere left to say it
        return
