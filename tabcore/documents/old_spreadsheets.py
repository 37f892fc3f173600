"""Excel's binary files: .xls by xlrd, which knows the number formats; .xlsb, and what xlrd fails on, by calamine."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import Any

import python_calamine
import xlrd
from xlrd.biffh import XLRDError
from xlrd.compdoc import CompDocError

from tabcore.documents.limits import Content, Item, NotRead
from tabcore.documents.number_formats import displayed, general, written
from tabcore.documents.places import Cell, Piece, Sheet

_FAULTS = (
    *(LookupError, ValueError, TypeError, AttributeError, AssertionError, ArithmeticError),
    *(struct.error, XLRDError, CompDocError),
)
"""How xlrd fails on damaged files."""


def read_xls(content: Content) -> Iterator[Item]:
    """The sheets in the order of their tabs, cells with what they show and what they store. Formulas are not read."""
    try:
        book = xlrd.open_workbook(
            file_contents=content.data, formatting_info=True, ragged_rows=True, logfile=io.StringIO()
        )
    except _FAULTS as fault:
        if "encrypted" in str(fault):
            raise NotRead(content.problem("encrypted", "it needs a password to open", "not read")) from fault
        yield from read_without_formats(content)
        return
    for sheet in book.sheets():
        yield Piece(sheet.name, Sheet(sheet.name, sheet.visibility != 0))
        for row in range(sheet.nrows):
            for column, cell in enumerate(sheet.row(row)):
                text, raw = _shown(book, cell)
                if text.strip():
                    yield Piece(text, Cell(sheet.name, row + 1, column + 1, raw))
        for (row, column), note in sorted(sheet.cell_note_map.items()):
            yield Piece(note.text, Cell(sheet.name, row + 1, column + 1, comment=True))


def _shown(book: Any, cell: Any) -> tuple[str, str]:
    """What an .xls cell shows, and what it stores."""
    code = book.format_map[book.xf_list[cell.xf_index].format_key].format_str
    match cell.ctype:
        case xlrd.XL_CELL_NUMBER | xlrd.XL_CELL_DATE:
            return displayed(cell.value, code, from_1904=book.datemode == 1), written(cell.value)
        case xlrd.XL_CELL_TEXT:
            return displayed(str(cell.value), code), str(cell.value)
        case xlrd.XL_CELL_BOOLEAN:
            return displayed(bool(cell.value), code), str(cell.value)
        case xlrd.XL_CELL_ERROR:
            shown = xlrd.error_text_from_code.get(cell.value, "#VALUE!")
            return shown, shown
        case _:
            return "", ""


def read_without_formats(content: Content) -> Iterator[Item]:
    """The sheets with stored values only: a share of 0.123 reads "0.123", whatever its format shows."""
    try:
        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(content.data))
    except python_calamine.PasswordError as fault:
        raise NotRead(content.problem("encrypted", "it needs a password to open", "not read")) from fault
    except python_calamine.CalamineError as fault:
        raise NotRead(content.problem("damaged", f"it cannot be opened ({fault})", "not read")) from fault
    for entry in book.sheets_metadata:
        yield Piece(entry.name, Sheet(entry.name, entry.visible != python_calamine.SheetVisibleEnum.Visible))
        try:
            sheet = book.get_sheet_by_name(entry.name)
        except python_calamine.CalamineError as fault:
            yield content.problem("damaged", f"the sheet {entry.name} cannot be read ({fault})", "skipped")
            continue
        first_row, first_column = sheet.start or (0, 0)
        for row, values in enumerate(sheet.to_python(skip_empty_area=True), start=first_row + 1):
            for column, value in enumerate(values, start=first_column + 1):
                text = _stored(value)
                if text.strip():
                    yield Piece(text, Cell(entry.name, row, column, raw=str(value)))
    yield content.problem("format", "its number formats were not read", "stored values are shown", lost=False)


def _stored(value: float | str | bool | date | time | timedelta) -> str:
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case int() | float():
            return general(float(value))
        case datetime():
            return value.isoformat(" ") if value.time() != time() else value.date().isoformat()
        case _:
            return str(value)
