"""A stored run -> its tab derived again, with all that persons have said of it. Inside the caller's transaction."""

from __future__ import annotations

from tabcore.derivation import derive_again
from tabcore.store import corrections, writing
from tabcore.store.record_selects import stored_run
from tabcore.store.records import StoredRun


def derive_stored(connection: writing.Connection, number: int, run: StoredRun | None = None) -> None:
    """Replaces the tab of one stored run; `run` is its record where the caller has it already."""
    stored = run or stored_run(connection, number)
    record, tables = derive_again(stored, corrections.of_run(connection, stored))
    writing.replace_tab(connection, number, record, tables)
