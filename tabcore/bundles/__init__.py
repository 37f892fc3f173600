"""Folders that hold runs -> their logs, and what lies beside: task, rubrics, verdicts, deliverable files.

    base.py             what a bundle is, and the two functions of a layout
    beside.py           files beside a log: text, JSON, deliverables
    run_folder.py       the project's own layout
    openhands_events.py a folder of event files, which are one log
    workspace_bench.py  one folder, one run, as every Layout
    apex.py             many runs in a folder, as every SharedLayout

To add a benchmark's layout: one module with `NAME` and two functions, and its line in LAYOUTS (a folder is a run) or
SHARED_LAYOUTS (a folder holds many). The first that recognises a folder takes it: the project's own stands last.
"""

from __future__ import annotations

from collections.abc import Mapping

from tabcore.bundles import (
    apex,
    harbor_trial,
    officeqa,
    openhands_events,
    run_folder,
    the_agent_company,
    viewer_run,
    workspace_bench,
)
from tabcore.bundles.base import Bundle, IsLog, Layout, SharedLayout, Stated
from tabcore.source import Folder, Source

__all__ = [
    "LAYOUTS",
    "SHARED_LAYOUTS",
    "Bundle",
    "IsLog",
    "Layout",
    "SharedLayout",
    "Stated",
    "bundle_inside",
    "layout_of",
    "shared_bundle",
    "shared_logs",
]

LAYOUTS: tuple[Layout, ...] = (
    openhands_events,
    workspace_bench,
    harbor_trial,
    run_folder,
)

SHARED_LAYOUTS: tuple[SharedLayout, ...] = (apex, the_agent_company, officeqa)


def layout_of(folder: Folder) -> Layout | None:
    """The first layout that recognises a folder by the names in it; None for a folder that is no bundle."""
    return next((layout for layout in LAYOUTS if layout.recognises(folder)), None)


def shared_logs(folder: Folder) -> Mapping[str, tuple[str, ...]]:
    """The logs that the first shared layout finds in a folder, each with what lies beside it; paths are inside it."""
    return next((logs for layout in SHARED_LAYOUTS if (logs := layout.logs(folder))), {})


def shared_bundle(folder: Folder, log: str) -> Bundle | None:
    """The run of a log in a folder that holds many, with what lies beside it; None where no layout knows the log."""
    return next((bundle for layout in SHARED_LAYOUTS if (bundle := layout.read(folder, log))), None)


def bundle_inside(format: str, log: Source) -> Bundle | None:
    """What a log of this format itself tells of verdicts; None where it tells none."""
    return viewer_run.read(log) if format == viewer_run.FORMAT else None
