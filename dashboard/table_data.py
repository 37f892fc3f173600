"""The door to the paper's tables: answers are kept until the store's file changes, and are shared: read-only."""

from __future__ import annotations

import streamlit as st

from dashboard import data
from dashboard.data import Stamp
from tabcore import tables
from tabcore.analyses.ablation import Switched
from tabcore.analyses.ablation import ablation as ablation_of
from tabcore.analyses.effort import Price
from tabcore.analyses.paired_comparison import Comparison
from tabcore.analyses.reading_volume import Volume
from tabcore.analyses.run_comparison import RunComparison
from tabcore.analyses.scores import Scores
from tabcore.analyses.tab_facts import Group

Runs = tuple[str, ...] | None
"""Ids of runs, None for all."""


def scores(runs: Runs) -> Scores:
    """What each method scored."""
    return _scores(*_place(), runs)


def ablation(runs: Runs) -> tuple[Switched, ...]:
    """What each switch takes away."""
    return ablation_of(scores(runs).rows)


def tab_holdings(runs: Runs) -> tuple[Group, ...]:
    """What the tab holds."""
    return _holdings(*_place(), runs)


def tab_operations(runs: Runs) -> tuple[Group, ...]:
    """How the agent operates the tab."""
    return _operations(*_place(), runs)


def reading_volume(runs: Runs, baseline: str, method: str) -> tuple[Volume, ...]:
    """What a method gains by thirds of reading volume."""
    return _volume(*_place(), runs, baseline, method)


def paired(runs: Runs, baseline: str) -> tuple[Comparison, ...]:
    """Each method against the baseline, task by task."""
    return _paired(*_place(), runs, baseline)


def effort(runs: Runs) -> tuple[Group, ...]:
    """What runs take."""
    return _effort(*_place(), runs)


def priced(runs: Runs, baseline: str) -> tuple[tuple[Comparison, tuple[Price, ...]], ...]:
    """What each method takes more than the baseline, and for each point gained."""
    return _priced(*_place(), runs, baseline)


def two_runs(left: str, right: str) -> RunComparison:
    """Two runs side by side."""
    return _two_runs(*_place(), left, right)


def _place() -> tuple[str, Stamp]:
    return str(data.store_file()), data.stamp()


@st.cache_resource(max_entries=8, show_spinner="Adding up the scores …")
def _scores(db: str, stamp: Stamp, runs: Runs) -> Scores:
    return tables.scores(db, runs)


@st.cache_resource(max_entries=8, show_spinner=False)
def _holdings(db: str, stamp: Stamp, runs: Runs) -> tuple[Group, ...]:
    return tables.tab_holdings(db, runs)


@st.cache_resource(max_entries=8, show_spinner=False)
def _operations(db: str, stamp: Stamp, runs: Runs) -> tuple[Group, ...]:
    return tables.tab_operations(db, runs)


@st.cache_resource(max_entries=8, show_spinner=False)
def _volume(db: str, stamp: Stamp, runs: Runs, baseline: str, method: str) -> tuple[Volume, ...]:
    return tables.reading_volume(db, runs, baseline, method)


@st.cache_resource(max_entries=8, show_spinner=False)
def _paired(db: str, stamp: Stamp, runs: Runs, baseline: str) -> tuple[Comparison, ...]:
    return tables.paired_comparison(db, runs, baseline)


@st.cache_resource(max_entries=8, show_spinner=False)
def _effort(db: str, stamp: Stamp, runs: Runs) -> tuple[Group, ...]:
    return tables.effort(db, runs)


@st.cache_resource(max_entries=8, show_spinner=False)
def _priced(db: str, stamp: Stamp, runs: Runs, baseline: str) -> tuple[tuple[Comparison, tuple[Price, ...]], ...]:
    return tables.priced(db, runs, baseline)


@st.cache_resource(max_entries=8, show_spinner=False)
def _two_runs(db: str, stamp: Stamp, left: str, right: str) -> RunComparison:
    return tables.two_runs(db, left, right)
