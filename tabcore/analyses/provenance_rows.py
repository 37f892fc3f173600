"""What an answer on the provenance of a deliverable is made of: its values with their places and formulas, the files read."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from tabcore.analyses.layout import Block
from tabcore.analyses.value_facts import RunFacts
from tabcore.trajectory import DeliverableSource, Span

_AROUND = 500
"""Characters of a long line on each side of a place."""

Kind = Literal["sourced", "given", "derived", "only listed", "self-cited", "unsupported"]
KINDS: tuple[Kind, ...] = ("sourced", "given", "derived", "only listed", "self-cited", "unsupported")
SourceKind = Literal["read", "task", "listing", "program", "other", "own", "deliverable"]
Likeness = Literal["written alike", "same number", "sign differs", "percent mark differs", "percent as share"]


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text that values come from. `name` is a read-log entry's path, a call's command, or what it is; `note` says how
    it was read. `injected` are the tab's words in the result that an entry is an excerpt of."""

    kind: SourceKind
    entry: str
    name: str
    turn: int
    call: int
    note: str
    text: str
    injected: tuple[Span, ...] = ()

    def in_result(self, at: int) -> int:
        """Where in the call's result a character of the text stands.

        >>> SourceText("read", "L1", "a", 1, 0, "", "one 42", (Span(0, 9, "tab"),)).in_result(4)
        13
        """
        for span in sorted(self.injected, key=lambda span: span.start):
            at += span.end - span.start if span.start <= at else 0
        return at


@dataclass(frozen=True, slots=True)
class Place:
    """Characters `start:end` of a source (its position in `Provenance.sources`); `line` counts from 1."""

    source: int
    line: int
    start: int
    end: int
    text: str
    likeness: Likeness = "written alike"
    is_percent: bool = False


@dataclass(frozen=True, slots=True)
class Formula:
    """How a value is computed. `exact` is the result before rounding; `chance` is how many such fits chance alone lets
    expect; `words` are those that the value's line shares with the operands'."""

    operation: str
    what: str
    operands: tuple[Place, ...]
    exact: str
    chance: float
    words: tuple[str, ...] = ()
    is_exact: bool = True


@dataclass(frozen=True, slots=True)
class DeliveredValue:
    """A delivered value: characters `start:end` of its file's text, on its `line` from 1; `place` is where that is in the
    file, "" for plain lines. `more` counts places beyond those given."""

    file: int
    key: str
    kind: str
    start: int
    end: int
    text: str
    distinctive: bool
    provenance: Kind
    line: int = 0
    place: str = ""
    places: tuple[Place, ...] = ()
    more: int = 0
    formula: Formula | None = None


@dataclass(frozen=True, slots=True)
class DeliveredFile:
    """A delivered file as it is laid out; `text` is None where none is known."""

    path: str
    kind: str
    source: DeliverableSource
    written: int | None
    size: int
    text: str | None
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class UsedFile:
    """A file that was read: how many different distinctive values its excerpts hold, and which of them are delivered
    (as positions in `Provenance.values`). The 1 that is delivered as 1.0 counts too."""

    path: str
    entries: tuple[str, ...]
    held: int
    used: int
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Provenance:
    """The answer for one run. `bounded` is true where more numbers or values are there than the search for formulas
    takes."""

    run: RunFacts
    files: tuple[DeliveredFile, ...]
    values: tuple[DeliveredValue, ...]
    sources: tuple[SourceText, ...]
    uses: tuple[UsedFile, ...]
    bounded: bool = False

    def counts(self, *, distinctive: bool = True, file: int | None = None) -> dict[Kind, int]:
        """How many values of each kind; without `distinctive` trivial counts, years and dates too."""
        chosen = (v for v in self.values if (v.distinctive or not distinctive) and file in (None, v.file))
        found = Counter(value.provenance for value in chosen)
        return {kind: found[kind] for kind in KINDS}

    def where(self, value: DeliveredValue) -> str:
        """Where a value stands in its file, in words."""
        return value.place or f"line {value.line}"

    def line_text(self, place: Place) -> str:
        """The line that a place stands on, of a very long one what is around the place."""
        text = self.sources[place.source].text
        start = text.rfind("\n", 0, place.start) + 1
        end = text.find("\n", place.end)
        end = len(text) if end < 0 else end
        return text[max(start, place.start - _AROUND) : min(end, place.end + _AROUND)]


def likeness(text: str, key: str, other: str, other_key: str) -> Likeness:
    """How two equal values agree.

    >>> likeness("1,234.50", "1234.5", "1234.5", "1234.5"), likeness("12.3%", "12.3%", "0.123", "0.123")
    ('same number', 'percent as share')
    """
    if key == other_key:
        return "written alike" if text == other else "same number"
    if key.lstrip("-") == other_key.lstrip("-"):
        return "sign differs"
    bare, other_bare = key.strip("-%"), other_key.strip("-%")
    return "percent mark differs" if bare == other_bare else "percent as share"
