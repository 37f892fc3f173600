"""Which requirements are asked for in masked recovery, and how they are masked.

A case is a requirement of a run that delivered something: all of its values are absent from what was delivered, and the
read log holds at least one of them (the paper: "left out entirely"; arXiv 2610.10444, section 5, Figure 4 right). Its
values are masked in it and, unless told otherwise, in the task, with whatever the loosest rule takes as equal, so that
nothing leaks. The agent's own requirements are mostly stated before it has read anything and name no value; where rubrics
say what is expected, each of them counts as a requirement too, and is told apart (ours).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from tabcore.analyses.equality import equal_keys
from tabcore.analyses.value_facts import RunFacts
from tabcore.tab.context_window import PAPER_LEVEL
from tabcore.tab.ranking import Variant
from tabcore.tab.review import SHOWN
from tabcore.tab.tab import Candidate, Entry
from tabcore.text.masking import Form, bare_digits, masked, stated_values
from tabcore.text.value_rules import DEFAULT, Rule, is_distinctive_key

ItemKind: TypeAlias = Literal["requirement", "rubric item"]
Arm: TypeAlias = Literal["no tab", "review", "read log"]

ARMS: tuple[Arm, ...] = ("no tab", "review", "read log")
"""What the model is given beside the task and the masked requirement: nothing, the review, the whole read log."""
KINDS: tuple[ItemKind, ...] = ("requirement", "rubric item")


@dataclass(frozen=True, slots=True)
class Item:
    """Something that a deliverable must hold, as the agent or a rubric states it."""

    item_id: str
    kind: ItemKind
    text: str


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A read-log entry with what it shows."""

    entry: Entry
    excerpt: str


@dataclass(frozen=True, slots=True)
class Material:
    """A run as it stood at its end: task, tab, what it was to hold. `held` names for each key of the value index
    that is asked for the entries that hold it (the agent's own files hold nothing); `delivered` are those delivered."""

    run: RunFacts
    task: str
    items: tuple[Item, ...]
    entries: tuple[LogEntry, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    held: Mapping[str, tuple[str, ...]] | None = None
    delivered: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Protocol:
    """How to ask. `shown` entries and candidates are in the review, ranked by `variant`; the model may open entries in
    `steps` steps; results are cut as at context `level`; `context` is the model's, in tokens, answer included.

    An answer may state `guesses` numbers for each masked value. `masks_task` masks the values in the task too.
    """

    rule: Rule = DEFAULT
    dates: bool = False
    kinds: tuple[ItemKind, ...] = KINDS
    form: Form = "whole"
    masks_task: bool = True
    shown: int = SHOWN
    variant: Variant = "the tab's"
    level: int = PAPER_LEVEL
    steps: int = 4
    guesses: int = 1
    context: int = 32_000


USUAL = Protocol()


@dataclass(frozen=True, slots=True)
class MaskedValue:
    """A value of a requirement, as it writes it; `entries` hold it, none where it is not held. A number whose key is in
    `accepted` recovers it."""

    key: str
    kind: str
    text: str
    entries: tuple[str, ...]
    accepted: frozenset[str]


@dataclass(frozen=True, slots=True)
class Case:
    """A requirement to be asked for: `text` and `task` are masked, `stated` are the keys that the text still states."""

    material: Material
    item: Item
    text: str
    task: str
    values: tuple[MaskedValue, ...]
    stated: frozenset[str]

    @property
    def held(self) -> tuple[MaskedValue, ...]:
        """The values that count."""
        return tuple(value for value in self.values if value.entries)

    @property
    def name(self) -> str:
        """The same for the same requirement of a run."""
        return f"{self.material.run.run_id}/{self.item.kind}/{self.item.item_id}"


Counts: TypeAlias = Callable[[str, str], bool]
"""Whether a value counts, by key and kind."""


def counts(protocol: Protocol) -> Counts:
    """What the protocol takes for a value."""

    def decide(key: str, kind: str) -> bool:
        if kind == "date" or protocol.dates:
            return kind == "date" and protocol.dates
        return is_distinctive_key(key, kind, protocol.rule)  # type: ignore[arg-type]

    return decide


def keys_of(item: Item, protocol: Protocol) -> frozenset[str]:
    """The keys of the value index that equal a value of the item."""
    decide = counts(protocol)
    keys = {key for key, _, _, kind in stated_values(item.text) if decide(key, kind)}
    return frozenset(equal for key in keys for equal in equal_keys(key, protocol.rule))


def is_left_out(item: Item, held: Container[str], delivered: Container[str], protocol: Protocol) -> bool:
    """Whether none of the item's values is delivered and one is held."""
    keys = keys_of(item, protocol)
    return any(key in held for key in keys) and not any(key in delivered for key in keys)


def cases(material: Material, protocol: Protocol) -> tuple[Case, ...]:
    """The requirements of a run that are asked for, in their order."""
    if not material.run.delivered:
        return ()
    held = material.held or {}
    return tuple(
        _case(material, item, protocol)
        for item in material.items
        if item.kind in protocol.kinds and is_left_out(item, held, material.delivered, protocol)
    )


def with_mask(case: Case, text: str) -> Case:
    """The case with its requirement masked otherwise, as a person edited it."""
    return replace(case, text=text, stated=frozenset(key for key, *_ in stated_values(text)))


_ANY_SIGN_MARK_OR_SHARE = Rule(either_sign=True, percent_marks_dropped=True, shares=True)


def _case(material: Material, item: Item, protocol: Protocol) -> Case:
    found: dict[str, MaskedValue] = {}
    for key, start, end, kind in stated_values(item.text):
        if counts(protocol)(key, kind):
            found.setdefault(key, _value(key, kind, item.text[start:end], material, protocol))
    leaks = frozenset(key for value in found for key in equal_keys(value, _ANY_SIGN_MARK_OR_SHARE))
    task = masked(material.task, leaks, protocol.form) if protocol.masks_task else material.task
    bare = Case(material, item, "", task, tuple(found.values()), frozenset())
    return with_mask(bare, masked(item.text, leaks, protocol.form))


def _value(key: str, kind: str, text: str, material: Material, protocol: Protocol) -> MaskedValue:
    equal = equal_keys(key, protocol.rule)
    accepted = set(equal)
    if protocol.form == "number":
        accepted.update(bare for bare, *_ in stated_values(bare_digits(text)))
    return MaskedValue(key, kind, text, _holding(equal, material.held or {}), frozenset(accepted))


def _holding(keys: Iterable[str], held: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    entries = {entry for key in keys for entry in held.get(key, ())}
    return tuple(sorted(entries, key=_order))


def _order(entry_id: str) -> tuple[int, str]:
    """L2 before L10."""
    return len(entry_id), entry_id
