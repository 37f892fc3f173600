"""What stands beside a failed rubric while it is labelled: its values, the deliverable's nearest lines, the tab."""

from __future__ import annotations

from html import escape

import streamlit as st

from dashboard import selection
from tabcore.analyses.rubric_case import RubricCase, TabThen
from tabcore.analyses.value_story import Evidence, ValueStory
from tabcore.presentation.marked_text import STYLE, marked_html
from tabcore.presentation.plain import plain, plain_line

VALUES = 4
"""Values whose places are shown at once."""

_STYLE = """\
<style>
.case h2 { font-size: 1.15rem; line-height: 1.35; margin: 0 0 .2rem; padding: 0; font-weight: 600; overflow-wrap: anywhere; }
.case h3 { font-size: .82rem; margin: .5rem 0 .1rem; padding: 0; font-weight: 600; letter-spacing: .02em; }
.case p { margin: 0 0 .25rem; font-size: .9rem; line-height: 1.4; overflow-wrap: anywhere; }
.case .quiet { opacity: .82; }
.case ul { margin: 0 0 .3rem; padding: 0; list-style: none; font-size: .88rem; }
.case li { overflow-wrap: anywhere; margin: 0; }
.case .verdict { border-left: 3px solid #D55E00; padding: .1rem .6rem; background: rgba(128, 128, 128, .08); }
.st-key-case-values [data-testid="stPageLink"] p, .st-key-case-links [data-testid="stPageLink"] p { text-decoration: underline; }
.st-key-case-values, .st-key-label-progress { gap: .4rem; }
.case .marked-text { margin: .1rem 0 .35rem; padding: .2rem .2rem; }
</style>
"""


def draw_rubric(case: RubricCase) -> None:
    """The rubric and its verdict."""
    run = case.run
    about = " · ".join(plain_line(part, 80) for part in (run.name, run.method, run.model) if part)
    if run.attempt:
        about += f" · attempt {run.attempt}"
    mark = '<span class="simulated-word">simulated</span> ' if run.simulated else ""
    verdict = plain(case.rubric.evidence).strip() or "The record gives no evidence for the verdict."
    st.html(
        f'{STYLE}{_STYLE}<div class="case"><p class="quiet">{mark}{escape(about)} · rubric {_line(case.rubric.rubric_id, 60)}</p>'
        f'<h2 data-testid="rubric">{escape(plain(case.rubric.text)[:2_000])}</h2>'
        f'<p class="verdict"><b>Failed.</b> {escape(verdict[:1_200])}</p></div>'
    )


def draw(case: RubricCase) -> None:
    """All of it, in two columns."""
    left, right = st.columns([1, 1], gap="medium")
    with left, st.container(key="case-values"):
        _values(case)
    with right:
        _passages(case)
        st.html(f'<div class="case">{_tab(case.tab)}</div>')


def _values(case: RubricCase) -> None:
    if not case.stories:
        st.html(
            '<div class="case"><h3>Its values</h3><p>The rubric states no distinctive value: what counts as one can be '
            "seen on the page Missing.</p></div>"
        )
    for story in case.stories[:VALUES]:
        _value(case, story)
    if more := case.stories[VALUES:]:
        told = "".join(f"<li><b>{_line(one.value.text, 40)}</b>: {_line(one.sentence, 300)}</li>" for one in more)
        st.html(f'<div class="case"><h3>And {len(more)} more values</h3><ul>{told}</ul></div>')
    with st.container(horizontal=True, key="case-links"):
        st.page_link("views/replay.py", label="Replay of the run", query_params={"run": case.run.run_id})
        st.page_link("views/deliverable.py", label="Its deliverable", query_params={"run": case.run.run_id})


def _value(case: RubricCase, story: ValueStory) -> None:
    place = story.shown[0] if story.shown else story.held
    lines = marked_html(place.line) if place else ""
    if story.delivered:
        lines += f"<p>In the deliverable:</p>{marked_html(story.delivered[0].line, 'delivered')}"
    st.html(f'<div class="case"><h3>{_line(story.value.text, 60)}</h3><p>{_line(story.sentence, 400)}</p>{lines}</div>')
    if story.shown:
        _link(case, story.shown[0])


def _link(case: RubricCase, place: Evidence) -> None:
    mark = selection.Mark(place.call, place.start, place.end)
    query = selection.to_address(selection.Selection(case.run.run_id, place.turn, mark))
    st.page_link("views/replay.py", label=f"turn {place.turn} in the replay", query_params=query)


def _passages(case: RubricCase) -> None:
    if not case.lengths:
        words = "<p>No text of what the run delivered is known.</p>"
    elif not case.passages:
        words = "<p>No line of the deliverable shares a word with the rubric.</p>"
    else:
        words = "".join(
            f'<p class="quiet">{_line(one.path, 120)}, line {one.line.number:,} · shares {_line(", ".join(one.shared), 120)}</p>'
            f"{marked_html(one.line, 'delivered')}"
            for one in case.passages
        )
    st.html(f'<div class="case"><h3>Nearest in the deliverable</h3>{words}</div>')


_STATES = {"open": "○", "done": "●", "unavailable": "◌"}


def _tab(then: TabThen) -> str:
    counts = f"{then.stated} requirements · {then.read} read-log entries · {then.unopened:,} candidates never opened"
    rows = [
        f"<li>{_STATES[state]} {_line(name, 20)} {state}: {_line(text, 240)}</li>"
        for name, state, text in then.requirements
    ]
    rows += [f"<li>■ {_line(name, 20)} {_line(path, 200)}</li>" for name, path in then.entries]
    rows += [f"<li>□ {_line(path, 200)}</li>" for path in then.candidates]
    alike = (
        f"<p>These share words with the rubric:</p><ul>{''.join(rows)}</ul>"
        if rows
        else "<p>None shares a word with the rubric.</p>"
    )
    return f'<h3>The tab after turn {then.turn}, the last writing</h3><p class="quiet">{counts}</p>{alike}'


def _line(text: str, width: int) -> str:
    return escape(plain_line(text, width))
