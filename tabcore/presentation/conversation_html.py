"""A conversation with a model as HTML: who said what, values marked, long stretches folded. All text is escaped."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from tabcore.language_models import Message
from tabcore.presentation.plain import plain
from tabcore.text.masking import MASK, stated_values

STYLE = """\
<style>
.talk { max-height: 34rem; overflow-y: auto; font: 12.5px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Noto Sans Mono CJK SC", monospace; }
.talk section { margin: 0 0 .6rem; padding: .4rem .6rem; border-left: 3px solid #8A929E; background: rgba(128, 128, 128, .08); }
.talk section.assistant { border-left-color: #009E73; }
.talk .who { margin: 0 0 .25rem; padding: 0; font-weight: 600; opacity: .85; }
.talk p { margin: 0; font-size: inherit; white-space: pre-wrap; overflow-wrap: anywhere; }
.talk mark { background: #F0E442; color: #111; padding: 0 .15em; border-radius: 2px; font-weight: 600; }
.talk b.mask { padding: 0 .15em; border: 1px dashed currentColor; border-radius: 2px; font-weight: 600; }
.talk summary { cursor: pointer; padding: .15rem 0; opacity: .85; text-decoration: underline; text-underline-offset: 2px; }
</style>
"""

AROUND = 2
"""Lines that stay unfolded on each side of a mark."""
FEWEST = 200
"""Characters of a stretch that is worth folding."""
LONG_ANSWER = 2000
"""The same of an answer, which is what one came for."""
CAP = 200_000
"""Characters of one message that are shown."""

_WHO = {"system": "told", "user": "asked", "assistant": "answered"}


@dataclass(frozen=True, slots=True)
class _Place:
    start: int
    end: int
    opening: str
    closing: str


def conversation_html(messages: Iterable[Message], keys: Container[str], name: str) -> str:
    """The messages one under the other, in a part of the page of that name that scrolls; each value whose key in the
    index is among these is marked.

    >>> from tabcore.language_models import Message
    >>> "costs <mark>1,234</mark>" in conversation_html([Message("user", "costs 1,234")], {"1234"}, "asked")
    True
    """
    sections = "".join(_section(message, keys) for message in messages)
    return f'<div class="talk" tabindex="0" role="region" aria-label="{escape(name, quote=True)}">{sections}</div>'


def _section(message: Message, keys: Container[str]) -> str:
    text = plain(message.text[:CAP])
    more = len(message.text) - CAP
    rest = f"<p>… {more:,} more characters</p>" if more > 0 else ""
    fewest = LONG_ANSWER if message.role == "assistant" else FEWEST
    body = "".join(_stretches(text, _places(text, keys), fewest))
    title = f"{_WHO[message.role]} · {len(message.text):,} characters"
    if message.role == "system":
        return f'<section class="system"><details><summary>{title}</summary>{body}{rest}</details></section>'
    return f'<section class="{message.role}"><div class="who">{title}</div>{body or "<p>(nothing)</p>"}{rest}</section>'


def _places(text: str, keys: Container[str]) -> list[_Place]:
    found = [_Place(s, e, "<mark>", "</mark>") for key, s, e, _ in stated_values(text) if key in keys]
    at = text.find(MASK)
    while at >= 0:
        found.append(_Place(at, at + len(MASK), '<b class="mask">', "</b>"))
        at = text.find(MASK, at + 1)
    return sorted(found, key=lambda place: place.start)


def _stretches(text: str, places: Sequence[_Place], fewest: int) -> Iterator[str]:
    """The text in stretches of lines, those far from any mark folded; the first and last lines stay."""
    if not text:
        return
    starts = [0, *(n + 1 for n, character in enumerate(text) if character == "\n")]
    shown = _kept(starts, places)
    first = 0
    while first < len(starts):
        last = first
        while last + 1 < len(starts) and shown[last + 1] == shown[first]:
            last += 1
        end = starts[last + 1] - 1 if last + 1 < len(starts) else len(text)
        body = f"<p>{_marked(text, starts[first], end, places)}</p>"
        size = end - starts[first]
        is_folded = not shown[first] and size >= fewest
        yield f"<details><summary>{size:,} more characters</summary>{body}</details>" if is_folded else body
        first = last + 1


def _kept(starts: Sequence[int], places: Sequence[_Place]) -> list[bool]:
    kept = [False] * len(starts)
    kept[0] = kept[-1] = True
    line = 0
    for place in places:
        while line + 1 < len(starts) and starts[line + 1] <= place.start:
            line += 1
        near = range(max(0, line - AROUND), min(len(starts), line + AROUND + 1))
        for number in near if place.opening == "<mark>" else [line]:
            kept[number] = True
    return kept


def _marked(text: str, start: int, end: int, places: Sequence[_Place]) -> str:
    parts, at = [], start
    for place in places:
        if start <= place.start and place.end <= end:
            parts += [
                escape(text[at : place.start]),
                place.opening,
                escape(text[place.start : place.end]),
                place.closing,
            ]
            at = place.end
    return "".join(parts) + escape(text[at:end])
