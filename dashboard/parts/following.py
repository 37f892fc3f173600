"""The switch that follows growing logs: new turns come onto the page, and the reader stays where they are."""

from __future__ import annotations

import time

import streamlit as st

from dashboard import data
from tabcore.presentation.plain import plain_line
from tabcore.rows import Followed

LOOK = 0.7
"""Seconds between two looks at the store's file; each costs one stat."""


def switch(path: str | None = None) -> None:
    """The switch, and how the log at `path` (None: any) stands. Once nothing can grow any more, nobody looks any more."""
    logs = [log for log in data.followed() if path in (None, log.path)]
    is_on = st.session_state.get("follow", False)
    live = any(log.is_live(time.time()) for log in logs)
    with st.container(horizontal=True, vertical_alignment="center", key="follow-line"):
        is_on = st.toggle("Follow growing logs", is_on, key="follow-switch", help=_HELP)
        st.session_state["follow"] = is_on
        if is_on and (live or path is None):
            st.fragment(_look, run_every=LOOK)(path, data.stamp())
        elif logs or is_on:
            st.text(_standing(logs, time.time()))


def folders() -> None:
    """Which folders this server follows, and a way to name another."""
    with st.popover("Follow a folder"):
        with st.form("follow-folder", border=False):
            folder = st.text_input("Folder whose logs grow", placeholder="~/.claude/projects")
            if st.form_submit_button("Follow it") and folder.strip():
                fault = data.follow(folder.strip())
                st.session_state["follow"] = not fault or st.session_state.get("follow", False)
                if not fault:
                    st.rerun()
                st.text(plain_line(fault, 300))
        for number, followed in enumerate(data.watched()):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.text(plain_line(followed, 200))
                if st.button("stop", key=f"stop-following-{number}"):
                    data.stop_following(followed)
                    st.rerun()


_HELP = "Shows new turns as they are stored, of folders that are followed here or by `runningtab watch DIR`."


def _look(path: str | None, seen: data.Stamp) -> None:
    """One look: the page is drawn anew when the store has changed, or when the log has ended meanwhile."""
    now = time.time()
    logs = [log for log in data.followed() if path in (None, log.path)]
    if data.stamp() != seen or (path is not None and not any(log.is_live(now) for log in logs)):
        st.rerun()
    st.text(_standing(logs, now))


def _standing(logs: list[Followed], now: float) -> str:
    """How followed logs stand, in one line.

    >>> _standing([Followed("/a/b.jsonl", 90.0, 600.0)], 100.0)
    'b.jsonl grew less than a minute ago'
    >>> _standing([Followed("/a/b.jsonl", 90.0, 600.0, "deleted")], 900.0)
    'b.jsonl has ended: its file is gone'
    >>> _standing([], 900.0)
    'no log is followed yet'
    """
    if not logs:
        return "no log is followed yet"
    live = [log for log in logs if log.is_live(now)]
    if len(logs) > 1:
        return f"{len(live):,} of {len(logs):,} followed logs may still grow"
    [log] = logs
    name = plain_line(log.path.replace("\\", "/").rsplit("/", 1)[-1], 80)
    if live:
        minutes = int(now - log.grown) // 60
        return f"{name} grew {f'{minutes} min' if minutes else 'less than a minute'} ago"
    return f"{name} has ended: {_ENDED.get(log.ended) or f'no growth for {log.quiet:g} s'}"


_ENDED = {"deleted": "its file is gone", "stopped": "nobody follows it any more"}
