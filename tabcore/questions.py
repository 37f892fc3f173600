"""The analyses on what is stored: what the pages and the commands ask. Each opens the store, looks, and closes it again.

`db` is the store's file, None the default one; `runs` are ids, or beginnings that name one run only, None for all.
Secrets that the load found are masked in what is given out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache, partial

from tabcore.analyses.equality import equal_keys
from tabcore.analyses.left_out import LeftOut
from tabcore.analyses.left_out import left_out as ranked
from tabcore.analyses.provenance import provenance as provenance_of
from tabcore.analyses.provenance_facts import blotted
from tabcore.analyses.provenance_rows import Provenance
from tabcore.analyses.shown_but_missing import ExpectedValue, ShownButMissing
from tabcore.analyses.shown_but_missing import shown_but_missing as answer
from tabcore.analyses.value_facts import Held, Shown
from tabcore.analyses.value_story import Evidence, ValueStory, left_at
from tabcore.errors import UsageError
from tabcore.redaction import Masks, redacted
from tabcore.rerun import Db, open_store
from tabcore.store import secret_selects, selects
from tabcore.store.provenance_selects import provenance_facts
from tabcore.store.run_ids import numbers_of_runs
from tabcore.store.value_selects import (
    Accepted,
    Connection,
    asked_texts,
    delivered_keys,
    delivered_text,
    held_values,
    observation_text,
    result_lengths,
    value_facts,
)
from tabcore.tab.context_window import LEVELS, PAPER_LEVEL, displaced_at
from tabcore.text.marked_lines import marked_line
from tabcore.text.value_rules import DEFAULT, Rule, is_distinctive_key


def shown_but_missing(
    db: Db = None, runs: Collection[str] | None = None, rule: Rule = DEFAULT, *, dates: bool = False
) -> ShownButMissing:
    """Which values that rubrics expect were shown and left out; with `dates` the dates that they state instead."""
    with open_store(db).reading() as connection:
        numbers = None if runs is None else numbers_of_runs(connection, runs)
        found = answer(value_facts(connection, numbers, accepted(rule, dates=dates)))
        known = secret_selects.of_all(connection) if numbers is None else secret_selects.of_numbers(connection, numbers)
        return redacted(found, Masks(known))


def provenance(db: Db, run_id: str, rule: Rule = DEFAULT) -> Provenance:
    """Where each value that a run delivered came from, and what was used of each file that it read."""
    with open_store(db).reading() as connection:
        [number] = numbers_of_runs(connection, [run_id])
        equals = cache(partial(equal_keys, rule=rule))
        masks = Masks(secret_selects.of_run(connection, number))
        return redacted(
            provenance_of(blotted(provenance_facts(connection, number, equals), masks), equals, rule), masks
        )


def value_story(
    db: Db, run_id: str, rubric_id: str, key: str, rule: Rule = DEFAULT, *, level: int = PAPER_LEVEL
) -> ValueStory:
    """The story of one value that a rubric of a run expects, by its key in the index; dates among them.

    Raises UsageError where the rubric expects no such value under the rule.
    """
    with open_store(db).reading() as connection:
        [number] = numbers_of_runs(connection, [run_id])
        found = answer(value_facts(connection, [number], accepted(rule, dates=_is_date(key))))
        value = next((v for v in found.values if (v.rubric.rubric_id, v.key) == (rubric_id, key)), None)
        if value is None:
            fact = f"its rubric {rubric_id} expects no value {key} under this rule"
            raise UsageError(f"run {run_id}", fact, "See which it expects: runningtab analyze shown-but-missing")
        story = told(connection, number, value, level)
        return redacted(story, Masks(secret_selects.of_run(connection, number)))


def left_out(db: Db, run_id: str, rule: Rule = DEFAULT, *, dates: bool = False) -> LeftOut:
    """The distinctive values in the files that a run read which it did not deliver, ranked; no rubrics are needed."""

    def counts(key: str, kind: str) -> bool:
        return dates if kind == "date" else not dates and is_distinctive_key(key, kind, rule)  # type: ignore[arg-type]

    with open_store(db).reading() as connection:
        [number] = numbers_of_runs(connection, [run_id])
        held = held_values(connection, number, counts)
        found = ranked(held, delivered_keys(connection, number), asked_texts(connection, number), rule)
        return redacted(found, Masks(secret_selects.of_run(connection, number)))


def window_leaves(db: Db, runs: Iterable[str], level: int = PAPER_LEVEL) -> dict[str, tuple[int | None, ...]]:
    """For each run and turn, the first turn whose request no longer held what that turn had shown; None if it stayed."""
    with open_store(db).reading() as connection:
        found: dict[str, tuple[int | None, ...]] = {}
        for run_id in runs:
            [number] = numbers_of_runs(connection, [run_id])
            found[run_id] = displaced_at(result_lengths(connection, number), LEVELS[level])
        return found


PLACES_TOLD = 20
"""Places of each kind that a story tells at most."""


def told(connection: Connection, number: int, value: ExpectedValue, level: int) -> ValueStory:
    """The story of one value, its secrets as they stand."""
    shown = tuple(_seen(connection, number, place) for place in value.shown[:PLACES_TOLD])
    delivered = tuple(
        Evidence(
            0, -1, marked_line(delivered_text(connection, number, d.path), d.start, d.end), d.start, d.end, "", d.path
        )
        for d in value.delivered[:PLACES_TOLD]
    )
    held = value.held and _held(connection, number, value.held)
    leaves = displaced_at(result_lengths(connection, number), LEVELS[level])
    return ValueStory(value, level, left_at(value, leaves), shown, held or None, delivered)


def _seen(connection: Connection, number: int, place: Shown) -> Evidence:
    text = observation_text(connection, number, place)
    return Evidence(place.turn, place.call, marked_line(text, place.start, place.end), place.start, place.end)


def _held(connection: Connection, number: int, held: Held) -> Evidence:
    text = selects.excerpt(connection, number, held.entry_id) or ""
    line = marked_line(text, held.start, held.end)
    return Evidence(held.turn, -1, line, held.start, held.end, held.entry_id, held.path)


def _is_date(key: str) -> bool:
    return key.count("-") == 2 and not key.startswith("-")


def accepted(rule: Rule, *, dates: bool) -> Accepted:
    @cache
    def keys(key: str, kind: str) -> frozenset[str]:
        if kind == "date":
            return frozenset((key,)) if dates else frozenset()
        counts = not dates and is_distinctive_key(key, kind, rule)  # type: ignore[arg-type]
        return equal_keys(key, rule) if counts else frozenset()

    return keys
