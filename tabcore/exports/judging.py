"""A run as a judge is to read it: without tab calls, and without what the tab put into texts.

As the paper's evaluators read trajectories, so that no judge can tell which method a run was made with: the agent's
own words stay; the header's method goes, and of how a run was simulated only that it was.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tabcore.tab.messages import SYSTEM_BLOCKS
from tabcore.tab.operations import operation_of
from tabcore.trajectory import Message, Observation, Run, Span, Turn, without

SIMULATED = "This run was simulated."


@dataclass(frozen=True, slots=True)
class Judged:
    """A run for a judge, and how much was left out of it: tab calls, texts of the tab, turns that held nothing else."""

    run: Run
    calls: int
    texts: int
    turns: int


def for_judge(run: Run) -> Judged:
    """The run without its tab; its turns are counted anew.

    >>> from tabcore.trajectory import RunHeader, ToolCall
    >>> show = Turn(1, "", calls=(ToolCall("c", "tab_show", {"entry": "L1"}),), observations=(Observation("c", "…"),))
    >>> judged = for_judge(Run("r", "x", RunHeader("pi", method="running_tab"), (show, Turn(2, "Done"))))
    >>> judged.run.turns, judged.run.header.method, judged.calls, judged.turns
    ((Turn(number=1, text='Done', reasoning='', calls=(), observations=(), before=(), outcome='complete', model=None, \
usage=None, cwd=None, line=0, time=None, stated=()),), None, 1, 1)
    """
    dropped = frozenset(call.call_id for turn in run.turns for call in turn.calls if operation_of(call))
    turns: list[Turn] = []
    carried: tuple[Message, ...] = ()
    for turn in run.turns:
        bare = _turn(turn, dropped, carried)
        if turn.calls and not (bare.text or bare.reasoning or bare.calls or bare.observations):
            carried = bare.before
        else:
            turns.append(replace(bare, number=len(turns) + 1))
            carried = ()
    after = (*carried, *_messages(run.after))
    abandoned = tuple(_turn(turn, dropped, ()) for turn in run.abandoned)
    header = replace(run.header, method=None, simulated=SIMULATED if run.header.simulated else None)
    bare_run = replace(run, header=header, turns=tuple(turns), after=after, abandoned=abandoned)
    calls = sum(operation_of(call) is not None for turn in run.turns for call in turn.calls)
    return Judged(bare_run, calls, _texts_of_the_tab(run), len(run.turns) - len(turns))


def _turn(turn: Turn, dropped: frozenset[str], carried: tuple[Message, ...]) -> Turn:
    """A turn less its tab calls, their results, and the tab's words. A result of all calls goes with all of them."""
    calls = tuple(call for call in turn.calls if not operation_of(call))
    gone = dropped | {""} if turn.calls and not calls else dropped - {""}
    shown = (_without_tab(seen) for seen in turn.observations if seen.call_id not in gone)
    return replace(turn, calls=calls, observations=tuple(shown), before=(*carried, *_messages(turn.before)))


def _messages(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Messages that are not the tab's, without its words; one that held nothing else goes."""
    found = []
    for message in messages:
        if message.origin == "tab":
            continue
        marked = message.spans if message.origin == "agent" else (*message.spans, *_instruction(message.text))
        text, spans = _cut(message.text, marked)
        if text.strip() or not message.text.strip():
            found.append(replace(message, text=text, spans=spans))
    return tuple(found)


def _without_tab(shown: Observation) -> Observation:
    text, spans = _cut(shown.text, shown.spans)
    return replace(shown, text=text, spans=spans)


def _instruction(text: str) -> tuple[Span, ...]:
    """The block in which a system prompt explains the tab."""
    found = ((text.find(block), len(block)) for block in SYSTEM_BLOCKS)
    return tuple(Span(start, start + length, "tab", "instruction") for start, length in found if start >= 0)


def _cut(text: str, spans: Iterable[Span]) -> tuple[str, tuple[Span, ...]]:
    """A text without what is the tab's in it, and the other spans where they now stand.

    >>> _cut("a[tab] 1\\nb", [Span(1, 8, "tab"), Span(8, 9, "harness")])
    ('a\\nb', (Span(start=1, end=2, origin='harness', what=''),))
    """
    tab = _merged((span.start, min(span.end, len(text))) for span in spans if span.origin == "tab")
    if not tab:
        return text, tuple(span for span in spans if span.origin != "tab")

    def moved(place: int) -> int:
        return place - sum(min(end, place) - start for start, end in tab if start < place)

    kept = (replace(s, start=moved(s.start), end=moved(s.end)) for s in spans if s.origin != "tab")
    bare = without(text, (Span(start, end, "tab") for start, end in tab), {"tab"})
    return bare, tuple(span for span in kept if span.start < span.end)


def _merged(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges that do not overlap, in order; empty ones are left out."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if start >= end:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _texts_of_the_tab(run: Run) -> int:
    """How many texts hold words of the tab, its calls' results aside."""
    messages = [*run.after, *(message for turn in run.turns for message in turn.before)]
    seen = (shown for turn in run.turns for shown in turn.observations)
    marked = sum(any(span.origin == "tab" for span in shown.spans) for shown in seen)
    told = sum(
        message.origin == "tab"
        or any(span.origin == "tab" for span in message.spans)
        or bool(_instruction(message.text))
        for message in messages
    )
    return marked + told
