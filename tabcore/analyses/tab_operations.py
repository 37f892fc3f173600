"""How the agent operates the tab (Table 3): the share of attempts in which it did so at least once.

Ours: "before the check" is before the finish check, at any time in an attempt without one. A done that cites a reviewed
entry cites one that an earlier review showed beside that requirement. A listed candidate is one that the tab had named
before it was opened: in a review, in the list of candidates, or among those unopened at the finish check.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from tabcore.analyses.score_facts import RunPart, method_order
from tabcore.analyses.tab_facts import Group, Opened, Place, TabRun, share_of

WORDS: Mapping[str, str] = {
    "add": "add: states requirements before the check",
    "list": "list: pulls the review before the check",
    "resolve": "resolve: cites a reviewed entry for done",
    "show": "show: re-reads a stored entry",
    "operates_after": "finish check: operates the tab after it",
    "edits_after": "finish check: edits the deliverable after it",
    "opens": "candidates: opens a listed candidate",
    "checked": "(attempts that had a finish check)",
}


def tab_operations(runs: Iterable[TabRun]) -> tuple[Group, ...]:
    """The shares for each model and method whose agent had the tab."""
    groups: dict[tuple[str, str], list[TabRun]] = defaultdict(list)
    for run in runs:
        if run.recorded:
            groups[run.model, run.method].append(run)
    ordered = sorted(groups, key=lambda group: (group[0], method_order(group[1])))
    return tuple(
        Group(
            *key,
            {name: share_of(RunPart(run.run_id, did(run)) for run in groups[key]) for name, did in _DID.items()},
            len(groups[key]),
            any(run.simulated for run in groups[key]),
        )
        for key in ordered
    )


def _before(place: Place, run: TabRun) -> bool:
    return run.check is None or place[0] <= run.check


def _after(turn: int | None, run: TabRun) -> bool:
    return run.check is not None and turn is not None and turn > run.check


def _cites_reviewed(run: TabRun) -> bool:
    return any(
        one.status == "done"
        and any(
            seen.requirement == one.requirement and one.entry in seen.entries and seen.place < one.place
            for seen in run.reviews
        )
        for one in run.resolutions
    )


def _opens_listed(run: TabRun) -> bool:
    return any(_was_named(one, run) for one in run.opened)


def _was_named(one: Opened, run: TabRun) -> bool:
    if any(one.path in seen.candidates and seen.place < one.opened for seen in run.reviews):
        return True
    if run.check is not None and one.listed[0] <= run.check < one.opened[0]:
        return True
    return any(kind == "candidates" and one.listed < place < one.opened for place, kind in run.consulted)


_DID: Mapping[str, Callable[[TabRun], bool]] = {
    "add": lambda run: any(_before(place, run) for place in run.requirements),
    "list": lambda run: any(_before(one.place, run) for one in run.reviews),
    "resolve": _cites_reviewed,
    "show": lambda run: any(kind == "show" for _, kind in run.consulted),
    "operates_after": lambda run: any(_after(turn, run) for turn, _ in run.operations),
    "edits_after": lambda run: _after(run.written, run),
    "opens": _opens_listed,
    "checked": lambda run: run.check is not None,
}
