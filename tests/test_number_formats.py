"""What Excel shows for a value and a format: the cases of ECMA-376 and of the formats that agents and people use."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabcore.documents.number_formats import displayed

ACCOUNTING = '_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)'


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (0.123, "0.0%", "12.3%"),
        (0.07, "0.##%", "7.%"),
        (1234.5, "#,##0.00", "1,234.50"),
        (-1234.5, "#,##0.00;[Red](#,##0.00)", "(1,234.50)"),
        (-1234.5, "#,##0.00", "-1,234.50"),
        (-0.004, "0.00", "0.00"),
        (2.5, "0", "3"),
        (1.005, "0.00", "1.01"),
        (5, "000", "005"),
        (0.5, ".00", ".50"),
        (0, "#", ""),
        (1234567, "#,##0,", "1,235"),
        (12345678, '0.00,,"M"', "12.35M"),
        (12345, '#,##0.0,"K"', "12.3K"),
        (1234567.891, "#,##0.0##", "1,234,567.891"),
        (1234.5, '#,##0.00\\ "€"', "1,234.50 €"),
        (1234567, "[$€-407] #,##0.00", "€ 1,234,567.00"),
        (1234.5, ACCOUNTING, "$1,234.50"),
        (-1234.5, ACCOUNTING, "$(1,234.50)"),
        (0, ACCOUNTING, "$-"),
        (5551234567, "(000) 000-0000", "(555) 123-4567"),
        (44, '[>=100]0.0;[<50]"low "0;0', "low 44"),
        (-5, "0;;", ""),
        (12345.678, "0.00E+00", "1.23E+04"),
        (999.999, "0.00E+0", "1.00E+3"),
        (123456, "##0.0E+0", "123.5E+3"),
        (0.25, "# ?/?", "1/4"),
        (1.5, "# ??/100", "1 50/100"),
        (45352.75, "yyyy-mm-dd hh:mm", "2024-03-01 18:00"),
        (45352, "[$-409]d-mmm-yy;@", "1-Mar-24"),
        (45352, 'yyyy"年"m"月"d"日"', "2024年3月1日"),
        (45352.5, "dddd, mmmm d, yyyy h:mm AM/PM", "Friday, March 1, 2024 12:00 PM"),
        (1.5, "[h]:mm:ss", "36:00:00"),
        (0.0000115741, "mm:ss.0", "00:01.0"),
        (1, "yyyy-mm-dd", "1900-01-01"),
        (-5, "yyyy-mm-dd", "-5"),
        (1 / 3, "General", "0.333333333"),
        (123456789012, "General", "1.23457E+11"),
        (1234.5678, '"about "General', "about 1234.5678"),
        (True, "0.00", "TRUE"),
        ("n/a", "0.00", "n/a"),
        ("n/a", '0;0;0;"<"@">"', "<n/a>"),
        (1234.5, "", "1234.5"),
    ],
)
def test_a_value_is_shown_as_excel_shows_it(value: float | str | bool, code: str, shown: str) -> None:
    assert displayed(value, code) == shown


def test_a_workbook_that_counts_from_1904_shows_its_dates_four_years_later() -> None:
    assert displayed(43890, "yyyy-mm-dd", from_1904=True) == displayed(45352, "yyyy-mm-dd") == "2024-03-01"


@given(st.floats(min_value=-1e12, max_value=1e12), st.integers(0, 6), st.booleans())
def test_digits_are_those_of_rounding_halves_away_from_zero(value: float, places: int, grouped: bool) -> None:
    code = ("#,##0" if grouped else "0") + ("." + "0" * places if places else "")
    exact = Decimal(f"{value:.15g}").quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    assert Decimal(displayed(value, code).replace(",", "")) == exact
    # The same digits, laid out one by one instead of by the short way.
    assert displayed(value, code.replace("0", '#""0', 1)) == displayed(value, code)


@given(
    st.floats() | st.text() | st.booleans(), st.text(alphabet='0#?.,%/@;ymdhs[]$"\\_*E+-<=>AMPGeneral 9年', max_size=30)
)
def test_no_format_makes_the_renderer_raise(value: float | str | bool, code: str) -> None:
    assert isinstance(displayed(value, code), str)
