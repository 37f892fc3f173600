"""The analyses on what is stored: what the pages and the commands ask. Each opens the store, looks, and closes it again.

`db` is the store's file, None the default one; `runs` are ids, or beginnings that name one run only, None for all.
Secrets that the load found are masked in what is given out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from tabcore.analyses.equality import equal_keys
from tabcore.analyses.shown_but_missing import ShownButMissing
from tabcore.analyses.shown_but_missing import shown_but_missing as answer
from tabcore.analyses.value_facts import Expected
from tabcore.redaction import Masks, redacted
from tabcore.rerun import Db, numbers_of, open_store
from tabcore.store import secret_selects
from tabcore.store.value_selects import Accepted, value_facts
from tabcore.text.value_rules import DEFAULT, Rule, is_distinctive_key


def shown_but_missing(
    db: Db = None, runs: Collection[str] | None = None, rule: Rule = DEFAULT, *, dates: bool = False
) -> ShownButMissing:
    """Which values that rubrics expect were shown and left out; with `dates` the dates that they state instead."""
    with open_store(db).reading() as connection:
        numbers = None if runs is None else numbers_of(connection, runs)
        found = answer(value_facts(connection, numbers, _accepted(rule, dates=dates)))
        known = secret_selects.of_all(connection) if numbers is None else secret_selects.of_numbers(connection, numbers)
        return redacted(found, Masks(known))


def _accepted(rule: Rule, *, dates: bool) -> Accepted:
    def keys(one: Expected) -> Iterable[str]:
        if one.kind == "date":
            return (one.key,) if dates else ()
        counts = not dates and is_distinctive_key(one.key, one.kind, rule)  # type: ignore[arg-type]
        return equal_keys(one.key, rule) if counts else ()

    return keys
