"""A heading that holds words of a log. Streamlit's own headings, and every label, are Markdown, which loads pictures."""

from __future__ import annotations

from html import escape
from typing import Literal

import streamlit as st

from tabcore.presentation.plain import plain_line


def heading(text: str, width: int = 200, *, size: Literal["stretch", "content"] = "stretch") -> None:
    """The text on one line of at most `width` characters."""
    st.html(f'<h3 style="padding:0 0 .5rem">{escape(plain_line(text, width))}</h3>', width=size)
