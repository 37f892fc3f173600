"""One delivered file with its values and their evidence as JSON. Text of a log is plain text, ready for `textContent`."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Sequence

from tabcore.analyses.layout import Block
from tabcore.analyses.provenance_rows import KINDS, DeliveredFile, DeliveredValue, Formula, Place, Provenance
from tabcore.presentation.plain import plain, plain_line
from tabcore.presentation.provenance_words import (
    FALSE_FORMULAS,
    LETTERS,
    MEANINGS,
    equality,
    formula_words,
    source_name,
)
from tabcore.tab.events import text_digest
from tabcore.text.marked_lines import marked_line
from tabcore.trajectory import Json

CHARACTERS = 400_000
"""Characters of a document that are shown; what is cut is said."""
VALUES = 4_000
_AROUND = 3
"""Places of a value, or operands of a formula, that come with the lines around them; others with their line alone."""
_OPERANDS = 60
_USED = 300


def file_payload(found: Provenance, index: int) -> dict[str, Json]:
    """One file; `version` names the content."""
    file = found.files[index]
    end = min(len(file.text or ""), CHARACTERS)
    numbers = [n for n, value in enumerate(found.values) if value.file == index and value.end <= end][:VALUES]
    values = [found.values[number] for number in numbers]
    if len(values) == VALUES:
        end = min(end, values[-1].end)
    told: dict[str, Json] = {
        "run": found.run.run_id,
        "file": file.path,
        "title": plain_line(file.path, 300),
        "note": note_of(file),
        "empty": _empty(file),
        "cut": len(file.text or "") - end,
        "kinds": [[kind, LETTERS[kind], MEANINGS[kind]] for kind in KINDS],
        "falseFormulas": FALSE_FORMULAS,
        "bounded": found.bounded,
        "blocks": _blocks(file, values, end),
        "values": [_value(found, value) for value in values],
        "sources": [_source(found, number) for number in range(len(found.sources))],
        "uses": _uses(found, {number: place for place, number in enumerate(numbers)}),
    }
    return {"version": text_digest(json.dumps(told)), **told}


def note_of(file: DeliveredFile) -> str:
    """How the text is known, in a sentence."""
    turn = f" It was last written at turn {file.written}." if file.written is not None else ""
    match file.source:
        case "code":
            return f"Only the code that wrote this file is known; its values are those that stand in the code.{turn}"
        case "answer":
            return f"No file was written: this is the last answer, of turn {file.written}."
        case "written":
            return f"As the agent wrote it through its calls.{turn}"
        case "file":
            return f"The file that lies beside the log{f' ({file.kind})' if file.kind else ''}.{turn}"


def _empty(file: DeliveredFile) -> str:
    """Why there is nothing to show, "" where there is."""
    if file.text is None:
        what = {"picture": "It is a picture", "empty": "It is empty", "encrypted": "It is behind a password"}
        why = what.get(file.kind, "Its content is not kept, or no text could be read from it")
        return f"{why}: no text of this file is known, so its values cannot be traced. It has {file.size:,} bytes."
    return "" if file.text.strip() else "This file has no text."


def _blocks(file: DeliveredFile, values: Sequence[DeliveredValue], end: int) -> list[Json]:
    text = file.text or ""
    starts = [value.start for value in values]
    blocks: list[Json] = []
    for block in file.blocks:
        if block.start >= end and block.start:
            break
        if block.cells:
            blocks.append(_table(text, block, values, starts, end))
        else:
            blocks.append([block.kind, block.place, _parts(text, block.start, min(block.end, end), values, starts)])
    return blocks


def _table(text: str, block: Block, values: Sequence[DeliveredValue], starts: Sequence[int], end: int) -> Json:
    """Rows as lists of [column, place, what is stored, parts]."""
    rows: list[Json] = []
    for cells in block.rows():
        if cells[0].start >= end and cells[0].start:
            break
        rows.append(
            [
                [cell.column, cell.place, plain_line(cell.raw, 200), _parts(text, cell.start, cell.end, values, starts)]
                for cell in cells
            ]
        )
    return ["table", plain_line(block.place, 200), rows]


def _parts(text: str, start: int, end: int, values: Sequence[DeliveredValue], starts: Sequence[int]) -> list[Json]:
    """A stretch of the text as texts and positions of values, in order."""
    parts: list[Json] = []
    at = start
    for number in range(bisect_left(starts, start), bisect_left(starts, end)):
        value = values[number]
        if value.start >= at and value.end <= end:
            parts += [plain(text[at : value.start])] if value.start > at else []
            parts.append(number)
            at = value.end
    return [*parts, plain(text[at:end])] if at < end else parts


def _value(found: Provenance, value: DeliveredValue) -> Json:
    place = found.where(value)
    told: dict[str, Json] = {
        "text": plain_line(value.text, 120),
        "kind": KINDS.index(value.provenance),
        "counts": value.distinctive,
        "start": value.start,
        "place": plain_line(place, 200),
        "places": [_place(found, value, place, nth) for nth, place in enumerate(value.places)],
        "more": value.more,
    }
    if value.formula is not None and value.provenance == "derived":
        told["formula"] = _formula(found, value, value.formula)
    return told


def _formula(found: Provenance, value: DeliveredValue, formula: Formula) -> Json:
    shared = f" Shared words: {', '.join(formula.words[:8])}." if formula.words else ""
    return {
        "name": f"{formula.operation}, {plain_line(formula.what, 120)}",
        "words": plain_line(formula_words(formula, value), 400),
        "chance": f"About {max(formula.chance, 0.0001):.2g} such fits were to be expected by chance alone.{shared}",
        "operands": [_place(found, value, operand, nth) for nth, operand in enumerate(formula.operands[:_OPERANDS])],
        "more": max(0, len(formula.operands) - _OPERANDS),
    }


def _place(found: Provenance, value: DeliveredValue, place: Place, nth: int) -> Json:
    """[source, start and end in the call's result, how equal, first line, lines before, left, marked, right, lines after]"""
    source = found.sources[place.source]
    line = marked_line(source.text, place.start, place.end, around=2 if nth < _AROUND else 0)
    return [
        place.source,
        source.in_result(place.start),
        source.in_result(place.end - 1) + 1,
        plain_line(equality(value, place), 200),
        line.number - len(line.before),
        [plain(text) for text in line.before],
        plain(line.left),
        plain(line.marked),
        plain(line.right),
        [plain(text) for text in line.after],
    ]


def _source(found: Provenance, number: int) -> Json:
    """[kind, title, entry, turn, call, how it was read]"""
    source = found.sources[number]
    title = source.name if source.kind == "read" else source_name(source)
    return [source.kind, plain_line(title, 300), source.entry, source.turn, source.call, plain_line(source.note, 200)]


def _uses(found: Provenance, shown: dict[int, int]) -> list[Json]:
    """[path, entries, used, held, positions of the values in this file]"""
    told: list[Json] = []
    for use in found.uses:
        here: list[Json] = [shown[number] for number in use.values if number in shown]
        told.append([plain_line(use.path, 300), " ".join(use.entries), use.used, use.held, here[:_USED]])
    return told
