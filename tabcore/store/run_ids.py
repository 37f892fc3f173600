"""Runs by the ids that people type: whole, or a beginning that names one run only."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from tabcore.errors import UsageError
from tabcore.store import selects


def numbers_of_runs(connection: selects.Connection, run_ids: Iterable[str]) -> list[int]:
    """The numbers of runs, each named by its id or by a beginning that names one run only."""
    numbers = selects.run_numbers(connection)
    return [numbers[run_id] if run_id in numbers else number_of(connection, run_id) for run_id in run_ids]


def number_of(connection: selects.Connection, run_id: str) -> int:
    """The number of the one run whose id begins so. Sub-agents of a run do not make its own id ambiguous."""
    numbers = selects.run_numbers(connection)
    if run_id in numbers:
        return numbers[run_id]
    if (grown := selects.newest(connection, run_id)) is not None:
        return grown
    begun = [known for known in numbers if run_id and known.startswith(run_id)]
    main = [known for known in begun if "." not in known]
    chosen = main if len(main) == 1 and all(known.startswith(main[0]) for known in begun) else begun
    if len(chosen) == 1:
        return numbers[chosen[0]]
    if begun:
        raise UsageError(f"run {run_id}", f"{len(begun)} runs begin so", f"Say which: {_some(begun)}")
    near = difflib.get_close_matches(run_id, numbers, n=3, cutoff=0.3)
    known = f"Near: {_some(near)}" if near else f"Known: {_some(list(numbers))}"
    remedy = known if numbers else "The store is empty: load a log first"
    raise UsageError(f"run {run_id}", "there is no such run", remedy)


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
