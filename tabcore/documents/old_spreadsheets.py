"""Excel's binary files (.xls, .xlsb), by calamine: stored values without their number formats."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

from tabcore.documents.limits import Content, Item, NotRead
from tabcore.documents.number_formats import general
from tabcore.documents.places import Cell, Piece, Sheet


def read_old_sheets(content: Content) -> Iterator[Item]:
    """The sheets in the order of their tabs. A share of 0.123 reads "0.123", whatever its format shows."""
    import python_calamine

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
        # Rows are counted from the first that holds something, columns from the first of the sheet.
        for row, values in enumerate(sheet.to_python(skip_empty_area=True), start=first_row + 1):
            for column, value in enumerate(values, start=first_column + 1):
                text = _shown(value)
                if text.strip():
                    yield Piece(text, Cell(entry.name, row, column, raw=str(value)))
    yield content.problem("format", "number formats of such files are not read", "stored values are shown", lost=False)


def _shown(value: float | str | bool | date | time | timedelta) -> str:
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case int() | float():
            return general(float(value))
        case datetime():
            return value.isoformat(" ") if value.time() != time() else value.date().isoformat()
        case _:
            return str(value)
