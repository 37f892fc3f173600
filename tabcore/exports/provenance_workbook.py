"""Provenance as a workbook (xlsx): the counts, every value with its best evidence, every file read with what was used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from tabcore.analyses.provenance_rows import KINDS, DeliveredValue, Kind, Provenance
from tabcore.presentation.plain import plain_line
from tabcore.presentation.provenance_words import (
    COLOURS,
    FALSE_FORMULAS,
    LETTERS,
    MEANINGS,
    equality,
    formula_words,
    source_name,
)

_LONGEST = 1_000
"""Characters of one cell."""

_VALUE_COLUMNS = (
    ("value", 16), ("provenance", 13), ("file", 28), ("place", 24), ("line", 7), ("counts as distinctive", 12),
    ("source", 36), ("read log", 9), ("line there", 9), ("turn", 7), ("how equal", 28), ("line of the source", 70),
    ("formula", 50), ("formula over", 24), ("fits by chance", 12), ("other places", 11),
)  # fmt: skip
_FILE_COLUMNS = (("file read", 50), ("read log", 20), ("values held", 12), ("values used", 12), ("delivered", 70))


def workbook(found: Provenance) -> bytes:
    """The file's bytes. Nothing in it is a formula or a link, whatever the texts hold."""
    target = BytesIO()
    book = xlsxwriter.Workbook(target, {"in_memory": True})
    head = book.add_format({"bold": True, "text_wrap": True, "valign": "top", "bottom": 1})
    colours = {kind: book.add_format({"font_color": COLOURS[kind], "bold": True}) for kind in KINDS}
    _about(book.add_worksheet("Summary"), found, head, colours)
    values = book.add_worksheet("Values")
    _table(values, head, _VALUE_COLUMNS, (_value(found, value) for value in found.values))
    for row, value in enumerate(found.values, 1):
        values.write_string(row, 1, f"{LETTERS[value.provenance]} {value.provenance}", colours[value.provenance])
    _table(book.add_worksheet("Files read"), head, _FILE_COLUMNS, _uses(found))
    book.close()
    return target.getvalue()


def _about(sheet: Worksheet, found: Provenance, head: Format, colours: dict[Kind, Format]) -> None:
    sheet.set_column(0, 0, 18)
    sheet.set_column(1, 2, 14)
    sheet.set_column(3, 3, 80)
    sheet.write_string(0, 0, plain_line(found.run.name or found.run.run_id, _LONGEST), head)
    simulated = f", simulated: {plain_line(found.run.simulated, _LONGEST)}" if found.run.simulated else ""
    sheet.write_string(1, 0, f"run {found.run.run_id}{simulated}")
    for column, title in enumerate(("provenance", "distinctive", "all values", "meaning")):
        sheet.write_string(3, column, title, head)
    counts, every = found.counts(), found.counts(distinctive=False)
    for row, kind in enumerate(KINDS, 4):
        sheet.write_string(row, 0, f"{LETTERS[kind]} {kind}", colours[kind])
        sheet.write_number(row, 1, counts[kind])
        sheet.write_number(row, 2, every[kind])
        sheet.write_string(row, 3, MEANINGS[kind])
    sheet.write_string(len(KINDS) + 5, 0, f"Formulas: {FALSE_FORMULAS}.")


def _table(
    sheet: Worksheet,
    head: Format,
    columns: Sequence[tuple[str, int]],
    rows: Iterable[Sequence[str | int | float | None]],
) -> None:
    last = 0
    for column, (title, width) in enumerate(columns):
        sheet.set_column(column, column, width)
        sheet.write_string(0, column, title, head)
    for last, row in enumerate(rows, 1):
        for column, cell in enumerate(row):
            if isinstance(cell, str):
                sheet.write_string(last, column, plain_line(cell, _LONGEST))
            elif cell is not None:
                sheet.write_number(last, column, cell)
    sheet.freeze_panes(1, 1)
    sheet.autofilter(0, 0, max(1, last), len(columns) - 1)


def _value(found: Provenance, value: DeliveredValue) -> list[str | int | float | None]:
    file = found.files[value.file]
    row: list[str | int | float | None] = [
        value.text, value.provenance, file.path, value.place, value.line, "yes" if value.distinctive else "no"
    ]  # fmt: skip
    formula = value.formula if value.provenance == "derived" else None
    best = formula.operands[0] if formula else next(iter(value.places), None)
    if best is None:
        return row
    source = found.sources[best.source]
    equal = "" if formula else equality(value, best)
    row += [source_name(source), source.entry, best.line, source.turn, equal, found.line_text(best)]
    row += [formula_words(formula, value), formula.what, formula.chance] if formula else ["", "", None]
    return [*row, len(value.places) + value.more - (0 if formula else 1)]


def _uses(found: Provenance) -> Iterator[list[str | int | float | None]]:
    for use in found.uses:
        delivered = "; ".join(dict.fromkeys(found.values[index].text for index in use.values))
        yield [use.path, " ".join(use.entries), use.held, use.used, delivered]
