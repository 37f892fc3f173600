"""Shares, with their count and the interval that so few cases allow."""

from __future__ import annotations

import math
from dataclasses import dataclass

_Z = 1.959963984540054
"""The standard normal's 97.5 % point."""


@dataclass(frozen=True, slots=True)
class Rate:
    """`count` of `of` cases, or of points to be had.

    >>> Rate(1, 4).share, Rate(0, 0).share
    (0.25, None)
    """

    count: float
    of: float

    @property
    def share(self) -> float | None:
        """From 0 to 1, but for bonus points; None without cases."""
        return self.count / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The Wilson score interval at 95 %; None without cases.

        >>> [round(end, 4) for end in Rate(8, 10).interval]
        [0.4902, 0.9433]
        """
        if not self.of:
            return None
        share, square = self.count / self.of, _Z * _Z / self.of
        middle = share + square / 2
        half = _Z * math.sqrt((share * (1 - share) + square / 4) / self.of)
        return max(0.0, (middle - half) / (1 + square)), min(1.0, (middle + half) / (1 + square))
