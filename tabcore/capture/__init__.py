"""From a tool call and its observation to what was read, listed and written.

    tools.py     which part of the call names files: a bash command, a path argument, a pattern
    shell.py     a bash command -> simple commands, each with cwd, redirections, pipe position
    programs.py  the table: what each program does with its operands
    scripts.py   inline python, node, perl: literal paths opened, printed, listed, written
    listings.py  an observation -> the paths that it shows

To add a program that agents use: one row in programs.py. To add a harness's tool: one row in tools.py.
"""

from __future__ import annotations

from tabcore.capture.findings import Captured, Finding, FindingKind, Workspace
from tabcore.trajectory import Observation, ToolCall

__all__ = ["Captured", "Finding", "FindingKind", "Workspace", "capture"]


def capture(call: ToolCall, observation: Observation | None, workspace: Workspace) -> Captured:
    """What one call read, listed and wrote, judged by its observation; None when no result was recorded.

    `workspace` is brought up to date (working directory, known files, what was written), so calls must
    come in the order in which they were shown. Never raises: what cannot be decided is a finding of
    kind `unknown` with its reason. Cost is linear in the length of command and observation.
    """
    raise NotImplementedError
