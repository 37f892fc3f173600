"""What the store tells about where a run's delivered values may come from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeVar, overload

import numpy as np
import numpy.typing as npt

from tabcore.analyses.value_facts import RunFacts
from tabcore.redaction import BLOT, Masks
from tabcore.trajectory import DeliverablePiece, DeliverableSource, Span

OutputKind = Literal["listing", "program", "other"]
"""What an observation that no entry of the read log holds is: a listing of paths, what a program that the agent ran
printed, or neither."""


class Occurrence(NamedTuple):
    """A value of a text: characters `start:end`; key and kind as in the value index."""

    key: str
    kind: str
    start: int
    end: int


class Values(Sequence[Occurrence]):
    """The values of a text as columns, which a run's tens of thousands need."""

    __slots__ = ("ends", "keys", "kinds", "starts")

    def __init__(
        self, keys: Sequence[str], kinds: Sequence[str], starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]
    ) -> None:
        self.keys, self.kinds, self.starts, self.ends = keys, kinds, starts, ends

    @classmethod
    def of(cls, values: Sequence[Occurrence]) -> Values:
        """The same from single ones."""
        starts, ends = (np.array([value[at] for value in values], np.int64) for at in (2, 3))
        return cls([value.key for value in values], [value.kind for value in values], starts, ends)

    def __len__(self) -> int:
        return len(self.keys)

    @overload
    def __getitem__(self, index: int) -> Occurrence: ...
    @overload
    def __getitem__(self, index: slice) -> Values: ...
    def __getitem__(self, index: int | slice) -> Occurrence | Values:
        if isinstance(index, slice):
            return Values(self.keys[index], self.kinds[index], self.starts[index], self.ends[index])
        return Occurrence(self.keys[index], self.kinds[index], int(self.starts[index]), int(self.ends[index]))


NO_VALUES = Values((), (), np.zeros(0, np.int64), np.zeros(0, np.int64))


@dataclass(frozen=True, slots=True)
class DeliveredText:
    """A file that was delivered; `text` is None where none is known."""

    path: str
    kind: str
    source: DeliverableSource
    written: int | None
    size: int
    text: str | None
    pieces: tuple[DeliverablePiece, ...] = ()
    values: tuple[Occurrence, ...] = ()


@dataclass(frozen=True, slots=True)
class Excerpt:
    """An entry of the read log that shows what the agent did not write itself. `rule` says how it was read; `injected`
    are the tab's own words in the result that it is an excerpt of."""

    entry_id: str
    path: str
    turn: int
    call: int
    rule: str
    text: str
    values: Values = NO_VALUES
    injected: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Stated:
    """What the person asked for, said before `turn` (0: before the first)."""

    turn: int
    text: str
    values: tuple[Occurrence, ...] = ()


@dataclass(frozen=True, slots=True)
class Output:
    """An observation, with those of its values that were asked for."""

    turn: int
    call: int
    command: str
    kind: OutputKind
    text: str
    values: tuple[Occurrence, ...] = ()


@dataclass(frozen=True, slots=True)
class OwnWords:
    """What the agent said, passed to a call, or read in a file of its own, with the values that were asked for.

    `writes` is true for a call that wrote a file: how a text came to be written, and no evidence of it.
    """

    turn: int
    call: int
    what: str
    text: str
    values: tuple[Occurrence, ...] = ()
    writes: bool = False


@dataclass(frozen=True, slots=True)
class ProvenanceFacts:
    """All of this for one run, each in the order of the record.

    Of outputs and the agent's own words only values are known that neither the excerpts nor the task holds.
    """

    run: RunFacts
    files: tuple[DeliveredText, ...] = ()
    excerpts: tuple[Excerpt, ...] = ()
    stated: tuple[Stated, ...] = ()
    outputs: tuple[Output, ...] = ()
    own: tuple[OwnWords, ...] = ()


_Text = TypeVar("_Text", DeliveredText, Excerpt, Stated, Output, OwnWords)


def blotted(facts: ProvenanceFacts, masks: Masks) -> ProvenanceFacts:
    """The same without the secrets of the texts, all places kept; a number in a secret is no value."""
    if not masks:
        return facts
    return replace(
        facts,
        files=_blotted(facts.files, masks),
        excerpts=_blotted(facts.excerpts, masks),
        stated=_blotted(facts.stated, masks),
        outputs=_blotted(facts.outputs, masks),
        own=_blotted(facts.own, masks),
    )


def _blotted(items: Iterable[_Text], masks: Masks) -> tuple[_Text, ...]:
    return tuple(_without_secrets(item, masks) for item in items)


def _without_secrets(item: _Text, masks: Masks) -> _Text:
    if item.text is None:
        return item
    text = masks.in_place(item.text)
    kept = tuple(value for value in item.values if BLOT not in text[value.start : value.end])
    return replace(item, text=text, values=Values.of(kept) if isinstance(item, Excerpt) else kept)
