"""Two buttons that save the figure above them as a picture: plotly's own camera in the browser, so that nothing is sent
and no program beside the browser is needed."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from tabcore.presentation.replay_widget import Widget

BESIDE = "pictured"
"""What the class of the element that holds figure and buttons begins with, after "st-key-"."""

SCALE = 3
"""Pixels of a PNG for each pixel on the page."""


@cache
def picture_buttons() -> Widget:
    """The buttons; fed `name`, that of the saved file, `scale` and `beside`."""
    folder = files(__name__)
    html, css, js = (folder.joinpath(f"picture_buttons.{kind}").read_text("utf-8") for kind in ("html", "css", "js"))
    return Widget(html, css, js)
