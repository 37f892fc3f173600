"""A fresh copy of a workspace for each run, and what a run made of its copy."""

from __future__ import annotations

import filecmp
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from tabcore.errors import UsageError

_BY_THE_WAY = "__pycache__"
"""Folders that commands leave behind; nobody delivers them."""


def fresh_copy(workspace: Path, into: Path) -> None:
    """Copy a workspace, file times included. A link to a place in the workspace leads to the same place in the copy."""
    try:
        shutil.copytree(workspace, into, symlinks=True)
    except OSError as fault:
        first = fault.args[0][0][2] if isinstance(fault, shutil.Error) else fault.strerror or fault
        remedy = "Name a folder of plain files that you may read, and see that there is room for a copy"
        raise UsageError(f"workspace {workspace}", f"it cannot be copied ({first})", remedy) from fault
    root = workspace.resolve()
    for folder, folders, files in os.walk(into):
        for link in (Path(folder, name) for name in (*folders, *files) if Path(folder, name).is_symlink()):
            target = link.readlink()
            if target.is_absolute() and target.is_relative_to(root):
                link.unlink()
                link.symlink_to(into / target.relative_to(root))


def changed_files(workspace: Path, copy: Path) -> Iterator[Path]:
    """The files that were made or changed in a copy, as paths within it, in order. Links are none."""
    for folder, folders, files in os.walk(copy):
        folders[:] = sorted(name for name in folders if name != _BY_THE_WAY)
        for name in sorted(files):
            file = Path(folder, name)
            path = file.relative_to(copy)
            if file.is_file() and not file.is_symlink() and not _same(workspace / path, file):
                yield path


def _same(before: Path, after: Path) -> bool:
    """Files of one size and time count as the same; others are compared."""
    return before.is_file() and filecmp.cmp(before, after)
