"""What Codex tells: that a turn is complete. Its own log has the rest, and is captured from there.

Codex is given no text by this program: its tab is kept and seen by people. Its `notify` program gets one JSON argument
with `thread-id`; its hooks get JSON on standard input with `transcript_path`. Either way the session's rollout file is
read, and what is not yet in the journal is captured, response by response.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tabcore.errors import UnreadableSource
from tabcore.readers import codex
from tabcore.serving.folders import task_name
from tabcore.serving.hooks import HookOptions
from tabcore.serving.live import LiveTab
from tabcore.source import Source
from tabcore.tab.operations import operation_of
from tabcore.trajectory import Run, Turn, collect, without

HOME_VARIABLE = "CODEX_HOME"


def answer(payload: Mapping[str, Any], options: HookOptions) -> None:
    """Capture what the session has done since the last call."""
    session = _text(payload, "thread-id") or _text(payload, "session_id")
    stated = _text(payload, "transcript_path")
    rollout = Path(stated) if stated else find_rollout(session)
    folder = options.folder(_text(payload, "cwd") or None)
    task = options.task or task_name("codex", session)
    tab = LiveTab(
        folder.journal(task),
        str(folder.workspace),
        agent=f"codex {session}",
        harness="codex",
        fresh_cwd=True,
        told=False,
    )
    for run in _runs(rollout):
        if run.header.parent_key is None:
            follow(run, tab)


def find_rollout(session: str) -> Path:
    """The newest rollout file of a session, in Codex's own folder; UnreadableSource where there is none."""
    home = Path(os.environ.get(HOME_VARIABLE) or "~/.codex").expanduser() / "sessions"
    found = [path for path in home.rglob("rollout-*.jsonl") if session and path.stem.endswith(session)]
    if not found:
        raise UnreadableSource(
            str(home), f"it has no rollout of the session {session!r}", "Set CODEX_HOME for the hook"
        )
    return max(found, key=lambda path: path.stat().st_mtime)


def follow(run: Run, tab: LiveTab) -> None:
    """Capture the turns of a recorded run that the tab has not seen; their numbers are those of the record."""
    for turn in run.turns:
        response = f"turn {turn.number}"
        if tab.has_seen(response):
            continue
        for text in _asked(turn):
            tab.state_task(text, response=f"before {response}")
        shown = {observation.call_id: observation for observation in turn.observations}
        for call in turn.calls:
            if operation_of(call) is None:
                cwd = turn.cwd or run.header.cwd
                tab.observe(call, shown.get(call.call_id), cwd=cwd, response=response)
        if turn.is_stop:
            tab.stop(response=response)


def _asked(turn: Turn) -> Iterator[str]:
    for message in turn.before:
        if message.origin == "person" and message.kind == "prompt":
            yield without(message.text, message.spans, {"harness"})


def _runs(rollout: Path) -> tuple[Run, ...]:
    source = Source.of_path(rollout)
    return collect(codex.read(source), digest="0" * 64, path=source.path)


def _text(payload: Mapping[str, Any], name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""
