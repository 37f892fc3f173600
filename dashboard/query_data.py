"""The door to a person's own queries. An answer is kept until the store's file changes."""

from __future__ import annotations

import streamlit as st

from dashboard import data
from dashboard.data import Stamp
from tabcore import querying, searching
from tabcore.querying import Answer
from tabcore.searching import Found


def query(sql: str) -> Answer:
    """The result of a SELECT; a UsageError says why there is none."""
    return _query(str(data.store_file()), data.stamp(), sql)


def search(words: str) -> Found:
    """Where words stand in all runs."""
    return _search(str(data.store_file()), data.stamp(), words)


def saved() -> dict[str, str]:
    """The queries that were saved, by name."""
    return querying.saved(data.store_file())


def save(name: str, sql: str | None) -> None:
    """Keep a query under a name; None forgets it."""
    querying.save(data.store_file(), name, sql)


@st.cache_resource(max_entries=4, show_spinner="Asking …")
def _query(db: str, stamp: Stamp, sql: str) -> Answer:
    return querying.query(db, sql)


@st.cache_resource(max_entries=8, show_spinner="Searching …")
def _search(db: str, stamp: Stamp, words: str) -> Found:
    return searching.search(db, words)
