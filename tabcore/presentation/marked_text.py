"""A marked line with the lines around it as HTML. Everything of a log is escaped; control characters are left out."""

from __future__ import annotations

from html import escape

from tabcore.presentation.plain import plain
from tabcore.text.marked_lines import MarkedLine

STYLE = """\
<style>
.marked-text { margin: .2rem 0 .8rem; padding: .4rem .2rem; border-left: 3px solid #0072B2; overflow-x: auto;
  background: rgba(128, 128, 128, .08); font: 12.5px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Noto Sans Mono CJK SC", monospace; }
.marked-text.delivered { border-left-color: #009E73; }
.marked-text ol { margin: 0; padding: 0; list-style: none; }
.marked-text li { display: flex; gap: .9em; white-space: pre-wrap; overflow-wrap: anywhere; }
.marked-text li > b { flex: 0 0 3.5em; text-align: right; font-weight: 400; opacity: .78; user-select: none; }
.marked-text mark { background: #F0E442; color: #111; padding: 0 .15em; border-radius: 2px; font-weight: 600; }
</style>
"""


def marked_html(line: MarkedLine, kind: str = "") -> str:
    """The lines with their numbers; `kind` is a class of the block ("delivered").

    >>> from tabcore.text.marked_lines import marked_line
    >>> "<mark>1&lt;2</mark>" in marked_html(marked_line("a 1<2 b", 2, 5))
    True
    """
    first = line.number - len(line.before)
    rows = [*(_row(first + n, _clean(text)) for n, text in enumerate(line.before))]
    rows.append(_row(line.number, f"{_clean(line.left)}<mark>{_clean(line.marked)}</mark>{_clean(line.right)}"))
    last = line.number + line.marked.count("\n")
    rows += (_row(last + 1 + n, _clean(text)) for n, text in enumerate(line.after))
    return f'<div class="marked-text {escape(kind, quote=True)}"><ol>{"".join(rows)}</ol></div>'


def _row(number: int, content: str) -> str:
    return f"<li><b>{number}</b><span>{content or '&nbsp;'}</span></li>"


def _clean(text: str) -> str:
    return escape(plain(text))
