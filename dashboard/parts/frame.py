"""The line that stays on every page: which run is shown, how to change it, and help."""

from __future__ import annotations

import streamlit as st

from dashboard import data, selection
from tabcore.rows import RunRow

_HELP = """\
**Keys of the replay** · `←` `→` one turn · `Home` `End` first, last · `space` play, pause · `r` next read · \
`t` next tab operation · `e` next error · `s` next stop · with `shift` the one before · `?` the keys

**Keys of the deliverable** · `n` `p` next, previous unsupported value · `←` `→` the value beside · `Esc` none

**Keys of the taxonomy's desk** · `1` to `6` the type · `s` skip · `u` undo · `n` note · `p` what the rules and others say

- **Turn**: one model response with its tool calls and what they showed.
- **Requirement**: one fact, figure or element that the task asks for; ○ open, ● done (cites a read-log entry), \
◌ unavailable (gives a reason).
- **Read log**: every file whose content was shown to the agent, in order, with the turn.
- **Candidate**: a file that was listed and not opened yet; `*` when its path shares at least two words with the task.
- **Unknown**: a call of which could not be told what it did with a file; never guessed.
- **Correction**: what a person says a call did with a file, with name and day, beside what capture said; the tab is \
derived with it.
- **The record's own word**: files that the log itself names as read, listed or changed, compared with capture.
- **Differs**: a text of the tab that the record has otherwise than this program derives it.
- **Where a delivered value came from**: *sourced*, an entry of the read log states an equal one; *given*, the task does; \
*derived*, a formula over numbers that stand together gives it; *only listed*, a listing or a program's output showed it; \
*self-cited*, only the agent said it before; *unsupported*, nobody did.
- **Striped band**: the run was scripted or re-enacted; no model decided.
"""

_STYLE = """\
<style>
[data-testid="stMainBlockContainer"] { padding: 4rem clamp(.8rem, 2.5vw, 3rem) 3rem; }
.st-key-run-line { border-bottom: 1px solid rgba(128, 128, 128, .3); padding-bottom: .3rem; }
.st-key-run-line [data-testid="stText"] { font-weight: 600; }
.st-key-run-line [data-testid="stPageLink"] p, .st-key-family [data-testid="stPageLink"] p, .st-key-story [data-testid="stPageLink"] p,
.st-key-left-out-line [data-testid="stPageLink"] p, .st-key-to-missing [data-testid="stPageLink"] p { text-decoration: underline; }
[data-testid="stElementToolbarButton"]:has(button[aria-label^="Download as CSV"]) { display: none; }
[class*="st-key-fault-"] { border-color: #D55E00; }
.simulated-word { padding: 1px 8px; border: 1px solid rgba(128, 128, 128, .5); font-size: .8rem;
  background: repeating-linear-gradient(135deg, rgba(240, 228, 66, .45) 0 7px, transparent 7px 14px); }
</style>
"""
"""Streamlit's own "Download as CSV" is taken away: it writes what a log states as a formula unescaped; ours do not."""

_DARK = "<style>[data-testid=stBaseButton-primary] p { color: #0B1016; }</style>"
"""White words have too little contrast on the bright blue of the dark theme's buttons."""


def chosen_run() -> str | None:
    """The run that the address names, else the one chosen last in this session."""
    chosen = selection.from_address(st.query_params.to_dict()).run or st.session_state.get("run")
    st.session_state["run"] = chosen
    return chosen


def draw(*, many: bool) -> None:
    """The line itself; on a page of `many` runs it says how many there are."""
    st.html(_STYLE)
    if st.context.theme.type == "dark":
        st.html(_DARK)
    chosen = chosen_run()
    row = data.run(chosen) if chosen and not many else None
    with st.container(horizontal=True, vertical_alignment="center", key="run-line"):
        if many:
            st.text(f"{len(data.runs()):,} runs are stored.")
        elif row is None:
            st.text("No run is chosen.")
        else:
            _name(row)
        st.space("stretch")
        with st.popover("? help"):
            st.markdown(_HELP)


def _name(row: RunRow) -> None:
    st.text(selection.run_line(row))
    if row.simulated:
        simulated_word()
    st.page_link("views/runs.py", label="change")


def simulated_word() -> None:
    """The striped band with the word, for runs that no model decided."""
    st.html('<span class="simulated-word">simulated</span>', width="content")
