"""A value over the turns of its run, as a small picture: where it was shown, when it left the window, when the
deliverable was last written. An SVG in a data address, for a cell of a table."""

from __future__ import annotations

import base64
from collections.abc import Sequence

_WIDTH, _HEIGHT, _MARGIN = 160, 24, 6
"""A cell of a table draws it as high as its row and cuts what is wider than the column: lower would lose both ends."""

_READ, _GREY, _WRITTEN = "#2C8FCB", "#8A929E", "#009E73"


def turn_line(turns: int, shown: Sequence[int], left: int | None, written: int | None) -> str:
    """Squares where the value is shown, a hatched bar from the turn at which it left the window, a tick at the write.

    >>> turn_line(10, [2], None, 8).startswith("data:image/svg+xml;base64,")
    True
    """
    parts = [_line(_MARGIN, _WIDTH - _MARGIN)]
    if left is not None and left <= turns:
        start = _at(left, turns)
        parts.append(
            f'<rect x="{start:.1f}" y="5" width="{_WIDTH - _MARGIN - start:.1f}" height="6" fill="url(#d)" stroke="{_GREY}"'
            ' stroke-width=".5" stroke-dasharray="2 1"/>'
        )
    parts += (f'<rect x="{_at(turn, turns) - 3:.1f}" y="5" width="6" height="6" fill="{_READ}"/>' for turn in shown)
    if written is not None:
        x = _at(written, turns)
        parts.append(f'<path d="M{x:.1f} 1v14m-3 -3l3 3l3 -3" fill="none" stroke="{_WRITTEN}" stroke-width="1.6"/>')
    hatch = (
        f'<defs><pattern id="d" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        f'<rect width="1.4" height="4" fill="{_GREY}"/></pattern></defs>'
    )
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 -4 {_WIDTH} {_HEIGHT}">'
        f"{hatch}{''.join(parts)}</svg>"
    )
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def _at(turn: int, turns: int) -> float:
    """Where a turn stands on the axis from turn 1 to the last."""
    return _MARGIN + (turn - 1) / max(1, turns - 1) * (_WIDTH - 2 * _MARGIN)


def _line(start: float, end: float) -> str:
    return f'<path d="M{start} 8H{end}" stroke="{_GREY}" stroke-width="1"/>'
