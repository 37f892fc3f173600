"""Which failed rubrics wait for an annotator, and in which order. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Literal, get_args

from tabcore.analyses.agreement import Item
from tabcore.analyses.failure_taxonomy import FailedRubric
from tabcore.analyses.labels import Label

Waiting = Literal[
    "not labelled by me",
    "labelled by me",
    "labelled by others alone",
    "others disagree on",
    "the rules cannot tell",
    "all failed rubrics",
]
QUEUES: tuple[Waiting, ...] = get_args(Waiting)


def item_of(one: FailedRubric) -> Item:
    """The run and rubric, by their ids."""
    return one.run.run_id, one.rubric.rubric_id


def queue(
    failed: Sequence[FailedRubric],
    counting: Mapping[str, Mapping[Item, Label]],
    annotator: str,
    which: Waiting,
    share: int = 100,
) -> list[FailedRubric]:
    """The rubrics of a queue, in the order of the runs. `share` is the percentage that is sampled, the same for everybody."""
    return [one for one in failed if _is_sampled(item_of(one), share) and _waits(one, counting, annotator, which)]


def next_of(waiting: Sequence[FailedRubric], skipped: Sequence[Item]) -> FailedRubric | None:
    """The first that was not skipped; when all were, the one skipped longest ago."""
    left = [one for one in waiting if item_of(one) not in skipped]
    if left or not waiting:
        return left[0] if left else None
    return min(waiting, key=lambda one: skipped.index(item_of(one)))


def _waits(one: FailedRubric, counting: Mapping[str, Mapping[Item, Label]], annotator: str, which: Waiting) -> bool:
    item = item_of(one)
    mine = item in counting.get(annotator, {})
    others = {of_one[item].type for who, of_one in counting.items() if who != annotator and item in of_one}
    return {
        "not labelled by me": not mine,
        "labelled by me": mine,
        "labelled by others alone": bool(others) and not mine,
        "others disagree on": len(others) > 1,
        "the rules cannot tell": one.proposal.type is None,
        "all failed rubrics": True,
    }[which]


def _is_sampled(item: Item, share: int) -> bool:
    digest = blake2b("\0".join(item).encode("utf-8", "surrogatepass"), digest_size=4).digest()
    return int.from_bytes(digest, "big") % 100 < share
