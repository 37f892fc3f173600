"""Places of a run in groups, each a way to its turn: what capture could not decide, what the record says of files,
what persons corrected."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from tabcore.presentation.plain import plain_line
from tabcore.rows import CorrectionRow
from tabcore.tab.events import CaptureUndecided, text_digest
from tabcore.tab.oracle import Checked
from tabcore.trajectory import Json, StatedKind

PLACES_NAMED = 200
"""Places of one group that are listed; how many more there are is said."""
OPEN_UP_TO = 12
"""A group of so many places is open from the start."""


@dataclass(frozen=True, slots=True)
class Place:
    """One place: the call counts from 1, 0 for none; `words` is what is to be said of it there."""

    turn: int
    call: int
    path: str
    words: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Places of one kind ("unknown", "missed", "agreed", "said") under a title."""

    kind: str
    title: str
    places: tuple[Place, ...]


def turn_list_payload(run_id: str, groups: Iterable[Group]) -> dict[str, Json]:
    """The list as JSON; `version` names its content."""
    shown: list[Json] = [_group(group) for group in groups if group.places]
    return {"version": text_digest(json.dumps([run_id, shown])), "run": run_id, "groups": shown}


def undecided_groups(undecided: Iterable[CaptureUndecided]) -> list[Group]:
    """What capture could not decide, by reason, the most frequent first."""
    ordered = sorted(undecided, key=lambda fact: fact.reason)
    groups = [
        Group("unknown", reason, tuple(Place(fact.turn, fact.call + 1, fact.path) for fact in facts))
        for reason, facts in groupby(ordered, key=lambda fact: fact.reason)
    ]
    return sorted(groups, key=lambda group: -len(group.places))


def checked_groups(checked: Sequence[Checked]) -> list[Group]:
    """What the record says of files: what capture missed, with what it said instead, and where both agree."""
    missed = tuple(_checked(one, f"{_SAID[one.kind]}; capture: {one.captured}") for one in checked if not one.agreed)
    agreed = tuple(_checked(one, _SAID[one.kind]) for one in checked if one.agreed)
    return [Group("missed", "stated by the record, missed by capture", missed), Group("agreed", "agreed", agreed)]


def correction_groups(corrections: Iterable[CorrectionRow]) -> list[Group]:
    """What persons said of decisions, the latest first."""
    places = tuple(Place(row.turn, row.call + 1, row.path, row.verdict) for row in corrections)
    return [Group("said", "corrections, the latest first", places[::-1])]


_SAID: dict[StatedKind, str] = {
    "read": "stated as read",
    "listed": "stated as listed",
    "searched": "stated as searched",
    "changed": "stated as changed",
}


def _checked(one: Checked, words: str) -> Place:
    return Place(one.turn, one.call + 1, one.path, words)


def _group(group: Group) -> Json:
    places: list[Json] = [
        [place.turn, place.call, plain_line(place.path, 300), plain_line(place.words, 400)]
        for place in group.places[:PLACES_NAMED]
    ]
    return {
        "kind": group.kind,
        "title": plain_line(group.title, 200),
        "count": len(group.places),
        "open": len(group.places) <= OPEN_UP_TO,
        "places": places,
    }
