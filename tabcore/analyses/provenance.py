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
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from tabcore.analyses.derived_values import Derivation, Search, Target, unit_of
from tabcore.analyses.layout import Block, layout
from tabcore.analyses.provenance_facts import DeliveredText, Occurrence, ProvenanceFacts, Values
from tabcore.analyses.provenance_rows import (
    DeliveredFile,
    DeliveredValue,
    Formula,
    Kind,
    Place,
    Provenance,
    SourceKind,
    SourceText,
    UsedFile,
    likeness,
)
from tabcore.analyses.source_grids import Grid, Lines, grid_of, grid_of_rows, is_operand, number_of
from tabcore.analyses.surroundings import LONGEST, Surroundings
from tabcore.text.terms import terms
from tabcore.text.value_rules import DEFAULT, Rule, is_distinctive_key, written_out

Equals = Callable[[str], Collection[str]]

PLACES = 12
"""Places of one value that are given, best first; how many more there are is counted."""
_SEARCHED = 2_000
"""Values for which a formula is searched; a deliverable with more that nobody states is no report."""
_RANKED = 200
"""Places of one value that are ranked by the words around them; later ones are counted only."""


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

    def _is_distinctive(self, key: str, kind: str) -> bool:
        if (key, kind) not in self._distinctive:
            counts = kind != "date" and is_distinctive_key(key, kind, self._rule)  # type: ignore[arg-type]
            self._distinctive[key, kind] = counts
        return self._distinctive[key, kind]

    def _of_file(self, file: int) -> Iterator[_Found]:
        """The values of a file with the words around each."""
        delivered = self._facts.files[file]
        if delivered.text is None:
            return
        around = Surroundings(delivered.text, self._files[file].blocks)
        lines = Lines(delivered.text)
        for value in delivered.values:
            text = delivered.text[value.start : value.end]
            line = lines.at(value.start) + 1
            yield _Found(file, value, text, self._is_distinctive(value.key, value.kind), line, *around.of(value.start))

    def _evidence(self, found: Sequence[_Found]) -> None:
        """Each value's places in the best kind of source that has any, and in the task."""
        wanted = {key for one in found for key in self._equals(one.value.key)}
        by_key: dict[str, list[tuple[int, Occurrence]]] = defaultdict(list)
        for position, (_, values) in enumerate(_with_values(self._facts)):
            found_keys = values.keys if isinstance(values, Values) else [value.key for value in values]
            for nth, key in enumerate(found_keys):
                if key in wanted:
                    by_key[key].append((position, values[nth]))
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
            self._words[name] = frozenset(terms(f"{self._lines_of(position).text(line)[:LONGEST]} {path}"))
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
        grids: list[Grid] = []
        seen: set[str] = set()
        for position, excerpt in enumerate(self._facts.excerpts):
            if (last is None or excerpt.turn <= last) and excerpt.text not in seen:
                seen.add(excerpt.text)
                grids += _grids(position, self._lines_of(position), excerpt.values)
        headings: dict[str, frozenset[str]] = {}

        def words(grid: Grid, row: int) -> frozenset[str]:
            heading = grid.heading(row)[:LONGEST]
            if heading not in headings:
                headings[heading] = frozenset(terms(heading))
            return headings[heading] | self._line_words(grid.text, int(grid.line[row]))

        return Search(grids, words, map(_target, wanted))

    def _derive_within(self, left: Sequence[_Found], found: Sequence[_Found]) -> None:
        """Formulas over the lines and tables of the deliverable, of values that are sourced, given or derived."""
        for file in {one.file for one in left if one.formula is None}:
            delivered = self._files[file]
            text = delivered.text or ""
            supported = [v.value for v in found if v.file == file and _is_supported(v) and is_operand(v.value)]
            position = self._own_source(file)
            tables = [rows for block in delivered.blocks if (rows := _own_rows(text, block, supported))]
            grid = grid_of_rows(position, self._lines_of(position), tables)

            wanted = [one for one in left if one.file == file and one.formula is None]
            search = Search([grid], _words_of_row, map(_target, wanted))
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
        of_text: dict[str, frozenset[str]] = {}
        for excerpt in self._facts.excerpts:
            if excerpt.text not in of_text:
                kinds = set(zip(excerpt.values.keys, excerpt.values.kinds, strict=True))
                told = (key for key, kind in kinds if key in delivered or self._is_distinctive(key, kind))
                of_text[excerpt.text] = frozenset(told)
            entries[excerpt.path].append(excerpt.entry_id)
            held[excerpt.path] |= of_text[excerpt.text]
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


def _with_values(facts: ProvenanceFacts) -> Iterator[tuple[SourceText, Sequence[Occurrence]]]:
    """Every text that is evidence, with its values: first the excerpts, so that an excerpt's position is its source's."""
    for e in facts.excerpts:
        yield SourceText("read", e.entry_id, e.path, e.turn, e.call, e.rule, e.text, e.injected), e.values
    for s in facts.stated:
        yield SourceText("task", "", "the task", s.turn, -1, "", s.text), s.values
    for o in facts.outputs:
        yield SourceText(o.kind, "", o.command, o.turn, o.call, "", o.text), o.values
    for w in facts.own:
        if not w.writes:
            yield SourceText("own", "", w.what, w.turn, w.call, "", w.text), w.values


def _file(one: DeliveredText) -> DeliveredFile:
    name = "code.txt" if one.source == "code" else one.path
    blocks = layout(one.text, name, one.pieces) if one.text is not None else ()
    return DeliveredFile(one.path, one.kind, one.source, one.written, one.size, one.text, blocks)


def _grids(position: int, lines: Lines, values: Values) -> list[Grid]:
    """The grid of an excerpt, none where it holds no number to compute with."""
    pairs = enumerate(zip(values.kinds, values.keys, strict=True))
    chosen = [nth for nth, (kind, key) in pairs if kind not in ("date", "year") and "/" not in key]
    if not chosen:
        return []
    kept = Values(
        [values.keys[n] for n in chosen], [values.kinds[n] for n in chosen], values.starts[chosen], values.ends[chosen]
    )
    return [grid_of(position, lines, kept, kept.keys, kept.starts, kept.ends)]


def _words_of_row(grid: Grid, row: int) -> frozenset[str]:
    return frozenset(terms(f"{grid.heading(row)} {grid.content(row)}"[:LONGEST]))


def _own_rows(text: str, block: Block, supported: Sequence[Occurrence]) -> list[tuple[str, dict[int, Occurrence]]]:
    """A block of the deliverable as rows to compute with: their fields, and their supported values by column."""
    if not block.cells:
        numbers = dict(enumerate(_within(block.start, block.end, supported)))
        return [(text[block.start : block.end], numbers)] if numbers else []
    rows: list[tuple[str, dict[int, Occurrence]]] = []
    for cells in block.rows():
        held = {cell.column: found for cell in cells if len(found := _within(cell.start, cell.end, supported)) == 1}
        if held:
            fields = {cell.column: " ".join(text[cell.start : cell.end].split()) for cell in cells}
            content = "\t".join(fields.get(column, "") for column in range(max(fields) + 1))
            rows.append((content, {column: values[0] for column, values in held.items()}))
    return rows


def _within(start: int, end: int, supported: Sequence[Occurrence]) -> Sequence[Occurrence]:
    """The supported values between two places."""
    first = bisect_left(supported, start, key=lambda value: value.start)
    return supported[first : bisect_left(supported, end, first, key=lambda value: value.start)]
