"""Provenance of a deliverable: where each value that a run delivered came from, and what of each file read was used.

A value is *sourced* where an excerpt of the read log states an equal one, *given* where the task does, *derived* where it
is computed from numbers that stand together in one source or in a table of the deliverable (`derived_values`), *only
listed* where an observation shows it that is no read of a file (a listing, what a program of the agent's printed),
*self-cited* where nobody states it but the agent itself, before and beside the writing of the deliverable, else
*unsupported*. The first that holds counts. Only what came up to the turn of the last write is evidence, and what the
agent wrote itself and read again is none.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from tabcore.analyses.derived_values import Derivation, Search, Target, unit_of
from tabcore.analyses.layout import Block, LaidCell, layout
from tabcore.analyses.provenance_facts import DeliveredText, Occurrence, ProvenanceFacts
from tabcore.analyses.source_tables import Lines, SourceRow, SourceTable, header_line, is_operand, number_of, tables_of
from tabcore.analyses.value_facts import RunFacts
from tabcore.text.terms import terms
from tabcore.text.value_rules import DEFAULT, Rule, is_distinctive_key, written_out
from tabcore.trajectory import DeliverableSource

Kind = Literal["sourced", "given", "derived", "only listed", "self-cited", "unsupported"]
KINDS: tuple[Kind, ...] = ("sourced", "given", "derived", "only listed", "self-cited", "unsupported")
SourceKind = Literal["read", "task", "listing", "program", "other", "own", "deliverable"]
Likeness = Literal["written alike", "same number", "sign differs", "percent mark differs", "percent as share"]
Equals = Callable[[str], Collection[str]]

PLACES = 12
"""Places of one value that are given, best first; how many more there are is counted."""
_SEARCHED = 2_000
"""Values for which a formula is searched; a deliverable with more that nobody states is no report."""
_RANKED = 200
"""Places of one value that are ranked by the words around them; later ones are counted only."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text that values come from. `name` is a read-log entry's path, a call's command, or what it is; `note` says how
    it was read."""

    kind: SourceKind
    entry: str
    name: str
    turn: int
    call: int
    note: str
    text: str


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
    (as positions in `Provenance.values`)."""

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
        return text[max(start, place.start - _LONGEST // 4) : min(end, place.end + _LONGEST // 4)]


def provenance(facts: ProvenanceFacts, equals: Equals, rule: Rule = DEFAULT) -> Provenance:
    """Where the delivered values came from; `equals` gives the keys that count as equal to one."""
    return _Answer(facts, equals, rule).give()


@dataclass(slots=True)
class _Found:
    """A delivered value while its evidence is gathered."""

    file: int
    value: Occurrence
    text: str
    distinctive: bool
    line: int
    place: str
    words: frozenset[str]
    places: list[Place] = field(default_factory=list)
    kind: Kind = "unsupported"
    more: int = 0
    formula: Formula | None = None


class _Answer:
    def __init__(self, facts: ProvenanceFacts, equals: Equals, rule: Rule) -> None:
        self._facts, self._equals, self._rule = facts, equals, rule
        self._sources = list(_sources(facts))
        self._lines: dict[int, Lines] = {}
        self._words: dict[tuple[int, int], frozenset[str]] = {}
        self._distinctive: dict[tuple[str, str], bool] = {}
        self._own: dict[int, int] = {}
        self._files = tuple(_file(one) for one in facts.files)

    def give(self) -> Provenance:
        found = [value for file in range(len(self._files)) for value in self._of_file(file)]
        self._evidence(found)
        bounded = self._derive(found)
        for one in found:
            if one.formula is not None and one.kind not in ("sourced", "given"):
                one.kind = "derived"
        values = tuple(
            DeliveredValue(
                one.file, one.value.key, one.value.kind, one.value.start, one.value.end, one.text, one.distinctive,
                one.kind, one.line, one.place, tuple(one.places), one.more, one.formula,
            )
            for one in found
        )  # fmt: skip
        return Provenance(self._facts.run, self._files, values, tuple(self._sources), tuple(self._uses(found)), bounded)

    def _is_distinctive(self, value: Occurrence) -> bool:
        name = (value.key, value.kind)
        if name not in self._distinctive:
            counts = value.kind != "date" and is_distinctive_key(value.key, value.kind, self._rule)  # type: ignore[arg-type]
            self._distinctive[name] = counts
        return self._distinctive[name]

    def _of_file(self, file: int) -> Iterator[_Found]:
        """The values of a file with the words around each."""
        delivered = self._facts.files[file]
        if delivered.text is None:
            return
        around = _Surroundings(delivered.text, self._files[file].blocks)
        lines = Lines(delivered.text)
        for value in delivered.values:
            text = delivered.text[value.start : value.end]
            line = lines.at(value.start) + 1
            yield _Found(file, value, text, self._is_distinctive(value), line, *around.of(value.start))

    def _evidence(self, found: Sequence[_Found]) -> None:
        """Each value's places in the best kind of source that has any, and in the task."""
        wanted = {key for one in found for key in self._equals(one.value.key)}
        by_key: dict[str, list[tuple[int, Occurrence]]] = defaultdict(list)
        for position, (_, values) in enumerate(_with_values(self._facts)):
            for value in values:
                if value.key in wanted:
                    by_key[value.key].append((position, value))
        echoed = {(own.turn, own.call, v.key) for own in self._facts.own if own.call >= 0 for v in own.values}
        frequency = self._frequencies(by_key)
        for one in found:
            last = self._files[one.file].written
            keys = self._equals(one.value.key)
            at = [
                hit for key in keys for hit in by_key.get(key, ()) if last is None or self._sources[hit[0]].turn <= last
            ]
            one.kind, hits = self._best(at, echoed)
            ranked = self._ranked(one, hits[:_RANKED], frequency)
            one.places = [self._place(position, value, one) for position, value in ranked[:PLACES]]
            one.more = len(hits) - len(one.places)

    def _best(
        self, at: Sequence[tuple[int, Occurrence]], echoed: Collection[tuple[int, int, str]]
    ) -> tuple[Kind, list[tuple[int, Occurrence]]]:
        """The kind that the places make a value, and those that do, those of the next kind of source behind them."""
        hits: list[tuple[int, Occurrence]] = []
        kind: Kind = "unsupported"
        for name, kinds in _EVIDENCE:
            of_kind = [hit for hit in at if self._sources[hit[0]].kind in kinds]
            if name == "only listed":
                of_kind = [
                    (position, value)
                    for position, value in of_kind
                    if (self._sources[position].turn, self._sources[position].call, value.key) not in echoed
                ]
            if of_kind and kind == "unsupported":
                kind = name
            hits += of_kind
        return kind, hits

    def _frequencies(self, by_key: Mapping[str, Sequence[tuple[int, Occurrence]]]) -> Counter[str]:
        """In how many of the lines with a delivered value each term stands."""
        lines = {(p, self._line(p, value)) for hits in by_key.values() for p, value in hits[:_RANKED]}
        return Counter(term for line in lines for term in self._line_words(*line))

    def _ranked(
        self, one: _Found, hits: Sequence[tuple[int, Occurrence]], frequency: Counter[str]
    ) -> list[tuple[int, Occurrence]]:
        """Places of one kind of source in the order of how much the words around them agree, rare words counting more."""
        if len(hits) < 2:
            return list(hits)
        total = max(frequency.values(), default=0) + len(frequency)

        def key(hit: tuple[int, Occurrence]) -> tuple[int, float, bool, int]:
            position, value = hit
            source = self._sources[position]
            shared = self._line_words(position, self._line(position, value)) & one.words
            score = sum(math.log(1 + total / (1 + frequency[term])) for term in shared)
            alike = source.text[value.start : value.end] == one.text
            return _ORDER[source.kind], -score, not alike, position

        return sorted(hits, key=key)

    def _place(self, position: int, value: Occurrence, one: _Found) -> Place:
        text = self._sources[position].text[value.start : value.end]
        line = self._line(position, value) + 1
        return Place(position, line, value.start, value.end, text, likeness(one.text, one.value.key, text, value.key))

    def _lines_of(self, position: int) -> Lines:
        if position not in self._lines:
            self._lines[position] = Lines(self._sources[position].text)
        return self._lines[position]

    def _line(self, position: int, value: Occurrence) -> int:
        return self._lines_of(position).at(value.start)

    def _line_words(self, position: int, line: int) -> frozenset[str]:
        """The terms of a line and of its file's name; of a very long line only its first."""
        name = (position, line)
        if name not in self._words:
            source = self._sources[position]
            path = source.name if source.kind == "read" else ""
            self._words[name] = frozenset(terms(f"{self._lines_of(position).text(line)[:_LONGEST]} {path}"))
        return self._words[name]

    def _derive(self, found: Sequence[_Found]) -> bool:
        """Formulas for what nobody states; True where not everything was searched.

        First over the deliverable itself, then over the sources, then once more over the deliverable, where what is
        derived now may be an operand.
        """
        searched = [one for one in found if one.kind not in ("sourced", "given") and _may_be_derived(one)]
        left = searched[:_SEARCHED]
        bounded = len(searched) > len(left)
        self._derive_within(left, found)
        for last in {self._files[one.file].written for one in left if one.formula is None}:
            wanted = [one for one in left if one.formula is None and self._files[one.file].written == last]
            search = self._search_of_sources(last, wanted)
            bounded |= search.is_bounded
            for one in wanted:
                self._explain(one, search)
        self._derive_within(left, found)
        return bounded

    def _search_of_sources(self, last: int | None, wanted: Sequence[_Found]) -> Search:
        tables: list[SourceTable] = []
        seen: set[str] = set()
        for position, excerpt in enumerate(self._facts.excerpts):
            if (last is None or excerpt.turn <= last) and excerpt.text not in seen:
                seen.add(excerpt.text)
                tables += tables_of(position, excerpt.text, self._lines_of(position), excerpt.values)
        headings: dict[int, frozenset[str]] = {}

        def words(table: int, row: int) -> frozenset[str]:
            one = tables[table]
            if table not in headings:
                headings[table] = frozenset(terms(header_line(self._lines_of(one.text), one)[:_LONGEST]))
            return headings[table] | self._line_words(one.text, one.rows[row].line)

        return Search(tables, words, map(_target, wanted))

    def _derive_within(self, left: Sequence[_Found], found: Sequence[_Found]) -> None:
        """Formulas over the lines and tables of the deliverable, of values that are sourced, given or derived."""
        for file in {one.file for one in left if one.formula is None}:
            delivered = self._files[file]
            text = delivered.text or ""
            supported = [v.value for v in found if v.file == file and _is_supported(v) and is_operand(v.value)]
            position = self._own_source(file)
            tables = [table for block in delivered.blocks if (table := _own_table(position, text, block, supported))]

            def words(table: int, row: int, tables: Sequence[SourceTable] = tables) -> frozenset[str]:
                return frozenset(terms(f"{tables[table].contents[0]} {tables[table].contents[row]}"[:_LONGEST]))

            wanted = [one for one in left if one.file == file and one.formula is None]
            search = Search(tables, words, map(_target, wanted))
            for one in wanted:
                self._explain(one, search)

    def _own_source(self, file: int) -> int:
        """The position of a delivered file among the sources."""
        if file not in self._own:
            one = self._files[file]
            turn = one.written or self._facts.run.turns
            self._own[file] = len(self._sources)
            self._sources.append(SourceText("deliverable", "", one.path, turn, -1, "", one.text or ""))
        return self._own[file]

    def _explain(self, one: _Found, search: Search) -> None:
        if derivation := search.explain(_target(one)):
            one.formula = self._formula(derivation)

    def _formula(self, derivation: Derivation) -> Formula:
        operands = tuple(self._operand(text, value) for text, value in derivation.operands)
        exact, is_exact = _rounded(derivation.exact)
        words = tuple(sorted(derivation.words))
        return Formula(derivation.operation, derivation.what, operands, exact, derivation.chance, words, is_exact)

    def _operand(self, source: int, value: Occurrence) -> Place:
        text = self._sources[source].text[value.start : value.end]
        line = self._line(source, value) + 1
        return Place(source, line, value.start, value.end, text, is_percent=value.key.endswith("%"))

    def _uses(self, found: Sequence[_Found]) -> Iterator[UsedFile]:
        """What of each file that was read is delivered, in the order of the first read."""
        delivered: dict[str, list[int]] = defaultdict(list)
        for index, one in enumerate(found):
            if one.distinctive:
                for key in self._equals(one.value.key):
                    delivered[key].append(index)
        entries: dict[str, list[str]] = defaultdict(list)
        held: dict[str, set[str]] = defaultdict(set)
        for excerpt in self._facts.excerpts:
            entries[excerpt.path].append(excerpt.entry_id)
            held[excerpt.path] |= {value.key for value in excerpt.values if self._is_distinctive(value)}
        for path, names in entries.items():
            used = [key for key in held[path] if key in delivered]
            values = sorted({index for key in used for index in delivered[key]})
            yield UsedFile(path, tuple(names), len(held[path]), len(used), tuple(values))


_EVIDENCE: tuple[tuple[Kind, tuple[SourceKind, ...]], ...] = (
    ("sourced", ("read",)),
    ("given", ("task",)),
    ("only listed", ("listing", "program", "other")),
    ("self-cited", ("own",)),
)
_ORDER: dict[SourceKind, int] = {
    "read": 0,
    "task": 1,
    "program": 2,
    "listing": 2,
    "other": 2,
    "own": 3,
    "deliverable": 4,
}
_LONGEST = 2_000
"""Characters of a line whose words count."""


def _rounded(exact: Fraction) -> tuple[str, bool]:
    """A number with six decimals at most, and whether that is all of it.

    >>> _rounded(Fraction(8079, 10)), _rounded(Fraction(1, 3))
    (('807.9', True), ('0.333333', False))
    """
    rounded = round(exact, 6)
    number = written_out(Decimal(rounded.numerator) / Decimal(rounded.denominator))
    return f"{number:,f}", rounded == exact


def _target(one: _Found) -> Target:
    key = one.value.key
    return Target(number_of(key), key.endswith("%"), unit_of(key, one.text), one.words)


def _is_supported(one: _Found) -> bool:
    return one.kind in ("sourced", "given") or one.formula is not None


def _may_be_derived(one: _Found) -> bool:
    return one.distinctive and is_operand(one.value)


def _sources(facts: ProvenanceFacts) -> Iterator[SourceText]:
    return (source for source, _ in _with_values(facts))


def _with_values(facts: ProvenanceFacts) -> Iterator[tuple[SourceText, tuple[Occurrence, ...]]]:
    """Every text that is evidence, with its values: first the excerpts, so that an excerpt's position is its source's."""
    for e in facts.excerpts:
        yield SourceText("read", e.entry_id, e.path, e.turn, e.call, e.rule, e.text), e.values
    for s in facts.stated:
        yield SourceText("task", "", "the task", s.turn, -1, "", s.text), s.values
    for o in facts.outputs:
        yield SourceText(o.kind, "", o.command, o.turn, o.call, "", o.text), o.values
    for w in facts.own:
        if not w.writes:
            yield SourceText("own", "", w.what, w.turn, w.call, "", w.text), w.values


def _file(one: DeliveredText) -> DeliveredFile:
    blocks = layout(one.text, one.path, one.pieces) if one.text is not None else ()
    return DeliveredFile(one.path, one.kind, one.source, one.written, one.size, one.text, blocks)


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


class _Surroundings:
    """Where each value of a delivered text stands, and the words around it: of its line; in a table of its row and its
    column's head."""

    def __init__(self, text: str, blocks: Sequence[Block]) -> None:
        self._text = text
        self._blocks = iter(blocks)
        self._block: Block | None = None
        self._before = ""
        self._rows: dict[int, frozenset[str]] = {}
        self._cells: list[LaidCell] = []
        self._of_row: dict[int, list[LaidCell]] = {}

    def of(self, place: int) -> tuple[str, frozenset[str]]:
        """Of a place in the text; asked for in ascending order."""
        while self._block is None or self._block.end <= place:
            if self._block is not None and self._text[self._block.start : self._block.end].strip():
                self._before = self._text[self._block.start : self._block.end][:_LONGEST]
            following = next(self._blocks, None)
            if following is None:
                return "", frozenset()
            self._block, self._rows = following, {}
            self._cells = sorted(following.cells, key=lambda cell: cell.start)
            self._of_row = {row[0].row: row for row in following.rows()}
        if not self._block.cells:
            own = frozenset(terms(self._text[self._block.start : self._block.end][:_LONGEST]))
            return self._block.place, own if len(own) > 3 else own | frozenset(terms(self._before))
        return self._in_table(self._block, place)

    def _in_table(self, table: Block, place: int) -> tuple[str, frozenset[str]]:
        before = bisect_right(self._cells, place, key=lambda cell: cell.start) - 1
        if before < 0 or place >= self._cells[before].end:
            return table.place, frozenset()
        cell = self._cells[before]
        if cell.row not in self._rows:
            texts = " ".join(self._text[c.start : c.end][:_LONGEST] for c in self._of_row[cell.row])
            self._rows[cell.row] = frozenset(terms(texts))
        first = self._of_row[table.cells[0].row]
        heads = (self._text[c.start : c.end][:_LONGEST] for c in first if c.column == cell.column)
        name = cell.place or f"{table.place}, row {cell.row}, column {cell.column}"
        return name, self._rows[cell.row] | frozenset(terms(" ".join(heads)))


def _own_table(position: int, text: str, block: Block, supported: Sequence[Occurrence]) -> SourceTable | None:
    """A block of the deliverable as a table to compute with, of its supported values only."""
    if not block.cells:
        numbers = dict(enumerate(_within(block.start, block.end, supported)))
        row = SourceRow(0, block.start, block.end, numbers)
        return SourceTable(position, "", (row,), (text[block.start : block.end],)) if numbers else None
    rows: list[SourceRow] = []
    contents: list[str] = []
    for number, cells in enumerate(block.rows()):
        held = {cell.column: found for cell in cells if len(found := _within(cell.start, cell.end, supported)) == 1}
        if held:
            numbers = {column: values[0] for column, values in held.items()}
            rows.append(SourceRow(number, cells[0].start, cells[-1].end, numbers))
            fields = {cell.column: " ".join(text[cell.start : cell.end].split()) for cell in cells}
            contents.append("\t".join(fields.get(column, "") for column in range(max(fields) + 1)))
    return SourceTable(position, "\t", tuple(rows), tuple(contents)) if rows else None


def _within(start: int, end: int, supported: Sequence[Occurrence]) -> Sequence[Occurrence]:
    """The supported values between two places."""
    first = bisect_left(supported, start, key=lambda value: value.start)
    return supported[first : bisect_left(supported, end, first, key=lambda value: value.start)]
