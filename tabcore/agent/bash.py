"""One bash command: run it, wait for it within its time, keep the end of what it printed."""

from __future__ import annotations

import os
import re
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

MOST_LINES = 2_000
MOST_BYTES = 50 * 1024

_LINE = re.compile(rb"[^\n]*\n|[^\n]+")

_PATIENCE = 0.05
"""Seconds between two looks at whether a silent command has ended."""


@dataclass(frozen=True, slots=True)
class Printed:
    """What a command printed, standard output and error as they came, and how it ended.

    `tail` is at most the last `MOST_BYTES`; `lines` and `size` count all of it. `exit_code` is None after a timeout.
    """

    tail: bytes
    size: int
    lines: int
    exit_code: int | None


def run_bash(
    command: str, cwd: Path, environment: Mapping[str, str], seconds: float, prefix: Sequence[str] = ()
) -> Printed:
    """Run `bash -c command` in `cwd`, with nothing on standard input; `prefix` is what stands before it.

    No sandbox, unless the prefix is one: the command can do what the user can. What it leaves running is ended with it, and so is
    the command itself after `seconds`. Memory stays bounded, however much is printed.
    """
    with subprocess.Popen(
        [*prefix, "bash", "-c", command],
        cwd=cwd,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        try:
            tail, size, lines, in_time = _drain(process, process.stdout, time.monotonic() + seconds)
        finally:
            _end_group(process.pid)
    return Printed(tail, size, lines, process.returncode if in_time else None)


def _drain(process: subprocess.Popen[bytes], output: IO[bytes], deadline: float) -> tuple[bytes, int, int, bool]:
    tail, size, lines = bytearray(), 0, 0
    with selectors.DefaultSelector() as selector:
        selector.register(output, selectors.EVENT_READ)
        while (left := deadline - time.monotonic()) > 0:
            if not selector.select(min(left, _PATIENCE)):
                if process.poll() is not None:  # ended; what still holds the pipe was left running
                    return bytes(tail), size, lines, True
                continue
            chunk = os.read(output.fileno(), 1 << 16)
            if not chunk:
                return bytes(tail), size, lines, _ends_by(process, deadline)
            size, lines = size + len(chunk), lines + chunk.count(b"\n")
            tail += chunk
            del tail[:-MOST_BYTES]
    return bytes(tail), size, lines, False


def _ends_by(process: subprocess.Popen[bytes], deadline: float) -> bool:
    """True when the command, which has closed its output, ends before the deadline."""
    try:
        process.wait(timeout=max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return False
    return True


def _end_group(leader: int) -> None:
    with suppress(ProcessLookupError, PermissionError):  # the second is macOS's word for a group that has ended
        os.killpg(leader, signal.SIGKILL)


def printed_text(printed: Printed, seconds: float) -> str:
    """What a model is shown of a command: the end of its output, what was cut, how it ended when not well.

    >>> printed_text(Printed(b"one\\ntwo\\n", 8, 2, 0), 120)
    'one\\ntwo\\n'
    >>> printed_text(Printed(b"", 0, 0, 1), 120)
    '(no output)\\n\\nCommand exited with code 1'
    """
    parts = [_shown(printed) or "(no output)"]
    if printed.exit_code is None:
        parts.append(f"Command timed out after {seconds:g} seconds")
    elif printed.exit_code:
        parts.append(f"Command exited with code {printed.exit_code}")
    return "\n\n".join(parts)


def _shown(printed: Printed) -> str:
    tail = printed.tail
    total = printed.lines + (not tail.endswith(b"\n") if tail else 0)
    if printed.size > len(tail):  # begin at a whole line, where there is one
        tail = tail[tail.find(b"\n") + 1 :] or tail
    kept = _LINE.findall(tail)[-MOST_LINES:]
    text = b"".join(kept).decode("utf-8", "replace")
    if len(kept) == total and printed.size <= len(printed.tail):
        return text
    return (
        f"{text.rstrip(chr(10))}\n\n[Showing lines {total - len(kept) + 1}-{total} of {total}; the rest was not kept]"
    )
