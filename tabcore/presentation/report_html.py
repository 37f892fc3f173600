"""Pieces of a page that needs nothing else: tables, bars as SVG, a run as a list of turns. Everything of a log is escaped."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from tabcore.presentation.marked_text import STYLE, marked_html
from tabcore.presentation.plain import plain_line
from tabcore.rows import CallRow, Replay, TurnRow
from tabcore.text.marked_lines import MarkedLine

_CSS = """\
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK SC", sans-serif; color: #16191d;
  background: #fff; max-width: 68rem; margin: 2rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .4rem; } h2 { font-size: 1.25rem; margin: 2.2rem 0 .4rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 .3rem; }
a { color: #00527f; } .quiet { color: #4a525c; font-size: .9rem; } p, li { overflow-wrap: anywhere; } p { margin: .3rem 0 .6rem; max-width: 60rem; }
.warn { border-left: 4px solid #D55E00; background: #fdf3ec; padding: .5rem .8rem; }
.simulated { border: 1px solid #777; padding: .5rem .8rem; background: repeating-linear-gradient(135deg, #fbf6c4 0 9px, #fff 9px 18px); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .88rem; margin: .4rem 0 .8rem; }
caption { text-align: left; font-weight: 600; padding: .2rem 0; } th, td { padding: .22rem .7rem .22rem 0; text-align: left; vertical-align: top; }
th { border-bottom: 1.5px solid #16191d; font-weight: 600; } td { border-bottom: 1px solid #dde1e6; }
td.long { overflow-wrap: anywhere; min-width: 9rem; }
td.n, th.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
svg { max-width: 100%; height: auto; display: block; margin: .4rem 0; }
details { margin: .4rem 0; } summary { cursor: pointer; font-weight: 600; }
.case { border-top: 1px solid #b9c0c8; padding-top: .6rem; margin-top: 1rem; }
.turns { font-size: .84rem; } .turns td { overflow-wrap: anywhere; } .turns .key td { background: #fff8d6; }
@media print { :root { font-size: 10.5px; } body { margin: 0; max-width: none; font-size: 1rem; } .scroll { overflow: visible; } h2, h3 { break-after: avoid; } .case, svg, tr { break-inside: avoid; } }
"""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

PATTERNS = ("cross", "slash", "solid", "back", "dots", "lines")
"""Fills that are told apart without colour, in the order of the types."""
_COLOURS = ("#D55E00", "#B97800", "#0072B2", "#A8477F", "#2A8BC4", "#626B78")


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: a share from 0 to 1, its words, the paper's share, and which pattern it is filled with."""

    name: str
    share: float
    words: str
    paper: float | None = None
    pattern: int = 2


def page(title: str, body: str) -> str:
    """A whole page, which asks nobody for anything."""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_CSS}</style>{STYLE}</head><body><main>{body}</main></body></html>\n"
    )


def table(columns: Mapping[str, Sequence[object]], caption: str) -> str:
    """Columns as a table; columns of numbers stand to the right."""
    right = {name for name, cells in columns.items() if all(map(_is_number, cells))}
    long = {name for name, cells in columns.items() if any(map(_has_long_word, cells))}
    looks = {name: " class=n" if name in right else " class=long" if name in long else "" for name in columns}
    head = "".join(f'<th scope="col"{_right(name in right)}>{text(name, 80)}</th>' for name in columns)
    rows = "".join(
        "<tr>" + "".join(f"<td{looks[name]}>{_cell(c)}</td>" for name, c in zip(columns, row, strict=True)) + "</tr>"
        for row in zip(*columns.values(), strict=True)
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption, quote=True)}">'
        f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def bars(rows: Sequence[Bar], title: str) -> str:
    """Shares as bars over a common axis, the paper's as diamonds."""
    height = 34 + 30 * len(rows) + 26
    parts = [_grid(34, height - 26), f'<text x="0" y="14" font-weight="600">{escape(title)}</text>']
    for place, bar in enumerate(rows):
        top = 34 + 30 * place
        width = max(1.0, 430 * min(1.0, bar.share)) if bar.share else 0
        parts.append(f'<text x="170" y="{top + 15}" text-anchor="end">{text(bar.name, 26)}</text>')
        parts.append(
            f'<rect x="180" y="{top}" width="{width:.1f}" height="20" fill="url(#p{bar.pattern})" stroke="{_COLOURS[bar.pattern]}"/>'
        )
        if bar.paper is not None:
            at = 180 + 430 * bar.paper
            parts.append(
                f'<path d="M{at:.1f} {top + 3}l7 7l-7 7l-7 -7z" fill="#F0E442" stroke="#222"><title>paper: {bar.paper:.1%}</title></path>'
            )
        paper = "" if bar.paper is None else f" · paper {100 * bar.paper:.1f} %"
        parts.append(f'<text x="625" y="{top + 15}">{text(bar.words, 40)}{paper}</text>')
    label = escape("; ".join(f"{bar.name}: {bar.words}" for bar in rows), quote=True)
    return (
        f'<svg viewBox="0 0 900 {height}" width="900" role="img" aria-label="{escape(title, quote=True)}: {label}" '
        f'font-family="inherit" font-size="13" fill="#16191d">{_DEFS}{"".join(parts)}</svg>'
    )


def _grid(top: int, bottom: int) -> str:
    lines = (
        f'<line x1="{180 + 430 * share:.0f}" x2="{180 + 430 * share:.0f}" y1="{top}" y2="{bottom}" stroke="#d5dae0"/>'
        f'<text x="{180 + 430 * share:.0f}" y="{bottom + 16}" text-anchor="middle" fill="#4a525c">{share:.0%}</text>'
        for share in (0, 0.25, 0.5, 0.75, 1)
    )
    return "".join(lines)


_SHAPES = (
    '<path d="M0 0l8 8M8 0l-8 8" {s}/>',
    '<path d="M-2 2l4 -4M0 8l8 -8M6 10l4 -4" {s}/>',
    '<rect width="8" height="8" fill="{c}"/>',
    '<path d="M-2 6l4 4M0 0l8 8M6 -2l4 4" {s}/>',
    '<circle cx="4" cy="4" r="1.8" fill="{c}"/>',
    '<path d="M0 4h8" {s}/>',
)
_DEFS = (
    "<defs>"
    + "".join(
        f'<pattern id="p{place}" width="8" height="8" patternUnits="userSpaceOnUse"><rect width="8" height="8" fill="#fff"/>'
        + shape.format(c=_COLOURS[place], s=f'stroke="{_COLOURS[place]}" stroke-width="1.8" fill="none"')
        + "</pattern>"
        for place, shape in enumerate(_SHAPES)
    )
    + "</defs>"
)


def marked(line: MarkedLine, kind: str = "") -> str:
    """A line with its place marked."""
    return marked_html(line, kind)


def turns(replay: Replay, key_turns: Mapping[int, str]) -> str:
    """A run as a list of its turns: calls, files, characters, the tab's status line; turns that matter are marked."""
    rows = "".join(_turn(row, key_turns.get(row.number, "")) for row in replay.turns)
    head = "".join(
        f'<th scope="col">{name}</th>'
        for name in ("turn", "call", "read", "listed", "tab after the turn", "why it matters")
    )
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="The run, turn by turn">'
        f'<table class="turns"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _turn(row: TurnRow, why: str) -> str:
    calls = "<br>".join(text(_said(call), 110) for call in row.calls)
    read = [one.path for call in row.calls for one in call.decisions if one.kind == "read"]
    listed = sum(one.kind == "listed" for call in row.calls for one in call.decisions)
    return (
        f"<tr{' class=key' if why else ''}><td class=n>{row.number}</td><td>{calls or 'stop'}</td><td>{_few(read)}</td>"
        f"<td class=n>{listed or ''}</td><td>{text(row.status_line, 120)}</td><td>{text(why, 120)}</td></tr>"
    )


def _said(call: CallRow) -> str:
    return call.command if call.command.startswith(call.name) else f"{call.name} {call.command}"


def _few(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - 4} more" if len(paths) > 4 else ""
    return "<br>".join(text(path, 60) for path in paths[:4]) + more


def text(words: str, width: int = 400) -> str:
    """Words of a log on one line, escaped."""
    return escape(plain_line(words, width))


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else text("" if value is None else str(value), 300)


def _is_number(cell: object) -> bool:
    return isinstance(cell, int | float | None) or bool(_WRITTEN.fullmatch(str(cell)))


_WRITTEN = re.compile(r"–|-?\d+(\.\d+)?( \(\d+(\.\d+)?\))?")
"""A number as tables write it: "12", "44.12 (0.90)", a dash for none."""


def _has_long_word(cell: object) -> bool:
    """A path or an id that may be broken anywhere; the words of others are kept whole."""
    return any(len(word) > _LONG_WORD for word in str(cell).split())


_LONG_WORD = 20


def _right(is_right: bool) -> str:
    return " class=n" if is_right else ""
