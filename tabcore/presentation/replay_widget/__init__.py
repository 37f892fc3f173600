"""The replay as a widget that needs no build: html, css and js as text, and what they are fed.

replay.html replay.css palette.css    how it looks
model.js                              the tab at a turn, computed in the browser from what was fed once
strip.js columns.js turn_panel.js     the parts; motion.js, light.js: what moves and what lights up
replay.js                             keys, play, address; `export default` as streamlit's components.v2 wants it
turn_text.css turn_text.js            the texts of one turn, whose words each stretch is
turn_list.css turn_list.js            places in the run, each a way to its turn
feed.js                               later messages to the replay
payload.py orders.py turn_text.py turn_list.py     rows -> JSON
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Widget:
    """The sources of one widget."""

    html: str
    css: str
    js: str


@cache
def replay_widget() -> Widget:
    """The replay itself: fed `replay_payload` once; tells `turn` where it rests and `entry` whose excerpt is wanted."""
    scripts = ("model.js", "strip.js", "motion.js", "light.js", "columns.js", "turn_panel.js", "replay.js")
    return Widget(_text("replay.html"), _text("palette.css", "replay.css"), _text(*scripts))


@cache
def turn_text_widget() -> Widget:
    """The texts of one turn: fed `turn_text_payload`; tells `wanted`, how many characters of a text to show."""
    return Widget(
        '<div class="turn-text" data-scheme="light"></div>',
        _text("palette.css", "turn_text.css"),
        _text("turn_text.js"),
    )


@cache
def turn_list_widget() -> Widget:
    """Places in the run: fed `turn_list_payload`; takes the replay on the same page to the turn that is chosen."""
    return Widget(
        '<div class="turn-list" data-scheme="light"></div>',
        _text("palette.css", "turn_list.css"),
        _text("turn_list.js"),
    )


@cache
def feed_widget() -> Widget:
    """Shows nothing; hands what it is fed to the replay on the same page."""
    return Widget("<span hidden></span>", "", _text("feed.js"))


def _text(*names: str) -> str:
    folder = files(__name__)
    return "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)
