"""The controls of what counts as distinctive and as equal."""

from __future__ import annotations

import streamlit as st

from dashboard.selection import Asked
from tabcore.text.value_rules import Rule


def draw() -> Asked:
    """The controls, folded away; what they say."""
    with st.popover("What counts as a value, and as equal"):
        dates = st.radio("Ask for", ["numbers", "dates"], horizontal=True, key="rule-kind") == "dates"
        st.markdown("**Distinctive** is a number with")
        digits = int(st.number_input("at least so many digits before the point", 1, 12, 3, key="rule-digits"))
        rule = Rule(
            digits=digits,
            decimals=st.checkbox("or written decimals", True, key="rule-decimals"),
            percents=st.checkbox("or a percent mark", True, key="rule-percents"),
            currencies=st.checkbox("or a currency", True, key="rule-currencies"),
            years=st.checkbox("bare years too (1900 to 2100)", False, key="rule-years"),
            either_sign=_equal("-356 equals 356: accounts print costs in parentheses", "either-sign"),
            percent_marks_dropped=st.checkbox("12.3 % equals 12.3", False, key="rule-percent-marks"),
            shares=st.checkbox("12.3 % equals 0.123", False, key="rule-shares"),
        )
    return Asked(rule, dates)


def _equal(label: str, name: str) -> bool:
    """The first of the switches that say what else is equal."""
    st.markdown("**Equal** beside the same number")
    return st.checkbox(label, False, key=f"rule-{name}")
