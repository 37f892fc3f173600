"""A difference of two texts as HTML: what one has alone is marked by sign and ground, and nothing of a text is markup."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from tabcore.presentation.plain import plain

STYLE = """\
<style>
.difference { font: .8rem/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4; margin: 0; }
.difference span { display: block; padding: 0 .5em; border-left: 3px solid transparent; }
.difference .left { background: rgba(213, 94, 0, .16); border-left-color: #D55E00; }
.difference .right { background: rgba(0, 158, 115, .16); border-left-color: #009E73; }
.difference .place { font-weight: 600; border-top: 1px solid rgba(128, 128, 128, .4); }
</style>
"""
_KINDS = {"-": "left", "+": "right", "@": "place"}


def difference_html(lines: Iterable[str]) -> str:
    """The lines of a unified diff.

    >>> difference_html(["-<b>", " x"])
    '<pre class="difference"><span class="left">-&lt;b&gt;</span><span class=""> x</span></pre>'
    """
    spans = "".join(f'<span class="{_KINDS.get(line[:1], "")}">{escape(plain(line))}</span>' for line in lines)
    return f'<pre class="difference">{spans}</pre>'
