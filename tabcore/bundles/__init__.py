"""Folders that hold a run -> its log, and what lies beside it: task, rubrics, verdicts, deliverable files.

    base.py        what a bundle is, and the two functions of a layout
    run_folder.py  the project's own layout

To add a benchmark's layout: one module with `NAME`, `recognises()` and `read()`, and its line in LAYOUTS.
"""

from __future__ import annotations

from tabcore.bundles import run_folder
from tabcore.bundles.base import Bundle, IsLog, Layout, Stated
from tabcore.source import Folder

__all__ = ["LAYOUTS", "Bundle", "IsLog", "Layout", "Stated", "layout_of"]

LAYOUTS: tuple[Layout, ...] = (run_folder,)


def layout_of(folder: Folder) -> Layout | None:
    """The first layout that recognises a folder by the names in it; None for a folder that is no bundle."""
    return next((layout for layout in LAYOUTS if layout.recognises(folder)), None)
