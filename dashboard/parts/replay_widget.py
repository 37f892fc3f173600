"""The widgets of the replay as streamlit components: sources from `tabcore.presentation`, no state kept in Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from tabcore.presentation.replay_widget import (
    Widget,
    feed_widget,
    replay_widget,
    turn_list_widget,
    turn_text_widget,
)
from tabcore.trajectory import Json


@dataclass(frozen=True, slots=True)
class Rested:
    """Where the replay rests: the turn, and the read-log entry whose excerpt is wanted ("" for none)."""

    turn: int
    entry: str


def replay(data: Mapping[str, Json], opening: int, key: str) -> Rested:
    """The replay; it starts anew only when the data's version changes. `opening` counts where the address names no turn."""
    mount = _component("runningtab_replay", replay_widget())
    default = {"turn": opening, "entry": ""}
    state = mount(
        data={**data, "opening": opening}, key=key, default=default, on_turn_change=_nothing, on_entry_change=_nothing
    )
    return Rested(int(state.get("turn") or opening), str(state.get("entry") or ""))


def turn_text(data: Mapping[str, Json], key: str) -> None:
    """The texts of one turn. A text's "show more" is kept in the component's state: read it with `wanted_cap`."""
    _component("runningtab_turn_text", turn_text_widget())(data=data, key=key, on_wanted_change=_nothing)


def turn_list(data: Mapping[str, Json], key: str) -> None:
    """Places in the run, each of which takes the replay of this page to its turn."""
    _component("runningtab_turn_list", turn_list_widget())(data=data, key=key)


def wanted_cap(key: str, turn: int, otherwise: int) -> int:
    """How many characters of each text the person asked to see of `turn`."""
    state = st.session_state.get(key)
    wanted = state.get("wanted") if isinstance(state, Mapping) else None
    if isinstance(wanted, Mapping) and wanted.get("turn") == turn:
        return max(otherwise, int(wanted.get("cap") or 0))
    return otherwise


def feed(data: Mapping[str, Json], key: str) -> None:
    """A message to the replay of this page, apart from what it was fed at first."""
    _component("runningtab_feed", feed_widget())(data=data, key=key, height=0)


def _component(name: str, widget: Widget) -> st.components.v2.types.ComponentRenderer:
    return st.components.v2.component(name, html=widget.html, css=widget.css or None, js=widget.js)


def _nothing() -> None:
    """A state value needs a callback to exist."""
