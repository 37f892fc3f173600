"""Formulas whose value is not stored, as in files that openpyxl wrote: calculated by formualizer.

Deterministic: random numbers have a fixed seed, and today is the day on which the workbook was last changed.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from time import process_time
from typing import TYPE_CHECKING

from tabcore.documents.limits import Content, NotRead
from tabcore.documents.packages import Package, child
from tabcore.errors import Problem

if TYPE_CHECKING:
    import formualizer

_EPOCHS = {False: datetime(1899, 12, 30), True: datetime(1904, 1, 1)}
_ERRORS = {"Div": "#DIV/0!", "Na": "#N/A", "Null": "#NULL!", "Num": "#NUM!", "Ref": "#REF!", "Value": "#VALUE!"}
"""Errors that Excel would show too. An unknown name is none: it may be a function that only Excel knows."""

SECONDS_ONE_BY_ONE = 5.0
"""Processor time for formulas that can't be calculated all at once; one by one takes the square of their number."""


class Calculation:
    """The values of a workbook's formulas; the workbook is loaded when the first is asked for."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._workbook: formualizer.Workbook | None = None
        self._loaded = False
        self._whole = False
        self._seconds = 0.0
        self._calculated: list[str] = []
        self._failed: list[str] = []

    def value(self, sheet: str, row: int, column: int, *, from_1904: bool) -> float | str | bool | None:
        """A cell's value, None where it can't be calculated. Dates are days as a sheet counts them."""
        found = self._evaluated(sheet, row, column)
        value = _stored_form(found, _EPOCHS[from_1904])
        (self._failed if value is None else self._calculated).append(f"{sheet}, row {row}, column {column}")
        return value

    def problems(self) -> list[Problem]:
        """What is to be said of the values that were asked for."""
        found = []
        if self._calculated:
            what = f"{len(self._calculated)} formulas have no stored value (first: {self._calculated[0]})"
            found.append(self._content.problem("formula", what, "calculated here", lost=False))
        if self._failed:
            what = f"{len(self._failed)} formulas have no value that can be calculated (first: {self._failed[0]})"
            found.append(self._content.problem("formula", what, "the formula is shown instead"))
        return found

    def _evaluated(self, sheet: str, row: int, column: int) -> object:
        # Imported here: it takes 50 ms, and most workbooks have all their values.
        import formualizer

        if self._workbook is None and not self._loaded:
            self._loaded = True
            self._workbook = _loaded(self._content)
            self._whole = self._workbook is not None and _evaluated_whole(self._workbook)
        if self._workbook is None:
            return None
        if self._whole:
            return self._workbook.get_value(sheet, row, column)
        if self._seconds > SECONDS_ONE_BY_ONE:
            return None
        begun = process_time()
        try:
            found: object = self._workbook.evaluate_cell(sheet, row, column)
        except (formualizer.ExcelEvaluationError, formualizer.FormualizerHostError, ValueError, RuntimeError, OSError):
            return None
        finally:
            self._seconds += process_time() - begun
        return found


def _loaded(content: Content) -> formualizer.Workbook | None:
    import formualizer

    limits = {"max_input_bytes": content.limits.file_bytes, "max_expanded_bytes": content.limits.unpacked_bytes}
    try:
        workbook = formualizer.load_workbook_bytes(content.data, load_limits=limits)
    except (OSError, ValueError, RuntimeError):
        return None
    workbook.set_deterministic_clock(_last_change(content))
    return workbook


def _evaluated_whole(workbook: formualizer.Workbook) -> bool:
    """Calculates all formulas at once; False where one of them, say a link to another file, forbids that."""
    import formualizer

    try:
        workbook.evaluate_all()
    except (formualizer.ExcelEvaluationError, formualizer.FormualizerHostError, ValueError, RuntimeError, OSError):
        return False
    return True


def _last_change(content: Content) -> datetime:
    try:
        changed = child(Package(content).xml("docProps/core.xml"), "modified")
        return datetime.fromisoformat((changed.text or "") if changed is not None else "").astimezone(UTC)
    except (NotRead, ValueError, OverflowError):
        return datetime(1980, 1, 1, tzinfo=UTC)


def _stored_form(value: object, epoch: datetime) -> float | str | bool | None:
    """A calculated value as a sheet would store it.

    >>> _stored_form(date(2024, 3, 1), _EPOCHS[False]), _stored_form({"type": "Error", "kind": "Div"}, _EPOCHS[False])
    (45352.0, '#DIV/0!')
    """
    match value:
        case bool() | float() | str():
            return value
        case int():
            return float(value)
        case datetime():
            return (value.replace(tzinfo=None) - epoch) / timedelta(days=1)
        case date():
            return (datetime.combine(value, time()) - epoch) / timedelta(days=1)
        case time():
            return (datetime.combine(epoch, value) - epoch) / timedelta(days=1)
        case timedelta():
            return value / timedelta(days=1)
        case {"type": "Error", "kind": str(kind)}:
            return _ERRORS.get(kind)
        case [[first, *_], *_] | [first, *_]:
            return _stored_form(first, epoch)
        case _:
            return None
