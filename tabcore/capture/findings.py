"""What capture says of one tool call: which files were read, which only listed, what was written.

The rules are those of the tab (RunningTab, section 3.2): a file is *read* when its content appears in the
observation, *listed* when only its path does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

FindingKind = Literal["read", "listed", "authored", "renamed", "unknown"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One decision, with the rule that made it, so that a person can check it.

    `path` is relative to the workspace root where it lies under it, else absolute; for `unknown` it may
    be a pattern or "". `rule` names the row or rule ("cat: takes content", "no content is visible").
    `partial` marks a read that the tool itself cut to a preview. `previous` is the old path of a `renamed` file.
    """

    kind: FindingKind
    path: str
    rule: str
    partial: bool = False
    previous: str = ""


@dataclass(frozen=True, slots=True)
class Captured:
    """All decisions on one call, in the order of the observation, and the working directory after it.

    A path occurs at most once as read or listed: in one observation a read beats a listing.
    """

    findings: tuple[Finding, ...] = ()
    cwd: str = ""

    def paths(self, kind: FindingKind) -> tuple[str, ...]:
        """The paths found as `kind`, in order."""
        return tuple(finding.path for finding in self.findings if finding.kind == kind)


@dataclass(slots=True)
class Workspace:
    """What earlier calls of a run have shown: capture decides some commands only with this memory.

    All paths are absolute (posix). `cwd` is the working directory in effect; a harness with
    `fresh_cwd` starts every command in the same one. `scripts` holds the text of scripts that the
    agent wrote, by path; `open_file` is the file that a pager-like tool has open; `pending_command` is a
    command still running in the terminal. `variables` are those that the shell keeps; `repositories` the roots of
    working trees of git.
    """

    root: str
    cwd: str
    fresh_cwd: bool = False
    home: str = "/root"
    files: set[str] = field(default_factory=set)
    directories: set[str] = field(default_factory=set)
    authored: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)
    scripts: dict[str, str] = field(default_factory=dict)
    open_file: str = ""
    pending_command: str = ""
    variables: dict[str, str] = field(default_factory=dict)
    repositories: set[str] = field(default_factory=set)
