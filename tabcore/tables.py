"""The paper's tables on what is stored: what the pages and the commands ask. Each opens the store, looks, and closes it.

`db` is the store's file, None the default one; `runs` are ids, or beginnings that name one run only, None for all.
Secrets that the load found are masked in what is given out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from tabcore.analyses.ablation import Switched
from tabcore.analyses.ablation import ablation as ablation_of
from tabcore.analyses.effort import Price, prices
from tabcore.analyses.effort import effort as effort_of
from tabcore.analyses.paired_comparison import Comparison
from tabcore.analyses.paired_comparison import paired_comparison as compared
from tabcore.analyses.reading_volume import Volume
from tabcore.analyses.reading_volume import reading_volume as volume_of
from tabcore.analyses.run_comparison import RunComparison, run_comparison
from tabcore.analyses.scores import Scores
from tabcore.analyses.scores import scores as scores_of
from tabcore.analyses.tab_facts import Group
from tabcore.analyses.tab_holdings import tab_holdings as holdings_of
from tabcore.analyses.tab_operations import tab_operations as operations_of
from tabcore.redaction import Masks, redacted
from tabcore.rerun import Db, open_store
from tabcore.store import secret_selects
from tabcore.store.compare_selects import one_run, seen_numbers
from tabcore.store.effort_selects import effort_runs
from tabcore.store.run_ids import numbers_of_runs
from tabcore.store.score_selects import Connection, scored_runs
from tabcore.store.tab_selects import tab_runs

Runs = Collection[str] | None
_Answer = TypeVar("_Answer")


def scores(db: Db = None, runs: Runs = None) -> Scores:
    """Table 1: what each method scored on each benchmark."""
    with _asked(db, runs) as (connection, numbers):
        return _masked(connection, numbers, scores_of(scored_runs(connection, numbers)))


def tab_holdings(db: Db = None, runs: Runs = None) -> tuple[Group, ...]:
    """Table 2: what the tab holds."""
    with _asked(db, runs) as (connection, numbers):
        return _masked(connection, numbers, holdings_of(tab_runs(connection, numbers)))


def tab_operations(db: Db = None, runs: Runs = None) -> tuple[Group, ...]:
    """Table 3: how the agent operates the tab."""
    with _asked(db, runs) as (connection, numbers):
        return _masked(connection, numbers, operations_of(tab_runs(connection, numbers)))


def ablation(db: Db = None, runs: Runs = None) -> tuple[Switched, ...]:
    """Table 4: what each switch of running_tab takes away."""
    return ablation_of(scores(db, runs).rows)


def reading_volume(
    db: Db = None, runs: Runs = None, baseline: str = "dci", method: str = "running_tab"
) -> tuple[Volume, ...]:
    """Figure 5: the gain where there was little, more and most to read."""
    with _asked(db, runs) as (connection, numbers):
        return _masked(connection, numbers, volume_of(scored_runs(connection, numbers), baseline, method))


def paired_comparison(
    db: Db = None, runs: Runs = None, baseline: str = "dci", methods: Collection[str] | None = None
) -> tuple[Comparison, ...]:
    """Each method against a baseline on the tasks that they share."""
    with _asked(db, runs) as (connection, numbers):
        return _masked(connection, numbers, compared(scored_runs(connection, numbers), baseline, methods))


def effort(db: Db = None, runs: Runs = None) -> tuple[Group, ...]:
    """What runs take, and what of it is the tab's."""
    with _asked(db, runs) as (connection, numbers):
        return _masked(connection, numbers, effort_of(effort_runs(connection, numbers)))


def priced(db: Db = None, runs: Runs = None, baseline: str = "dci") -> tuple[tuple[Comparison, tuple[Price, ...]], ...]:
    """What each method takes more than the baseline, and for each point that it gains."""
    found = paired_comparison(db, runs, baseline)
    with _asked(db, runs) as (connection, numbers):
        took = effort_runs(connection, numbers)
    return tuple((one, prices(one, took)) for one in found)


def two_runs(db: Db, left: str, right: str) -> RunComparison:
    """Two runs side by side, of one task or of two."""
    with _asked(db, (left, right)) as (connection, numbers):
        ours, theirs = numbers or []
        runs = one_run(connection, ours, left), one_run(connection, theirs, right)
        keys = {value.key for run in runs for value in run.numbers}
        seen = (seen_numbers(connection, number, keys) for number in (ours, theirs))
        found = run_comparison(*(replace(run, seen=places) for run, places in zip(runs, seen, strict=True)))
        return _masked(connection, [ours, theirs], found)


@contextmanager
def _asked(db: Db, runs: Runs) -> Iterator[tuple[Connection, list[int] | None]]:
    with open_store(db).reading() as connection:
        yield connection, None if runs is None else numbers_of_runs(connection, runs)


def _masked(connection: Connection, numbers: list[int] | None, answer: _Answer) -> _Answer:
    known = secret_selects.of_all(connection) if numbers is None else secret_selects.of_numbers(connection, numbers)
    return redacted(answer, Masks(known))
