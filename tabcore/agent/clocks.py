"""Where a loop takes its time from."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

Clock = Callable[[], float]
"""Seconds since 1970, UTC; called once per message."""


def steady_clock(wall: Clock = time.time, running: Clock = time.monotonic) -> Clock:
    """A clock that shows the time of day as it was at the start plus what has passed: setting the machine's clock does
    not reach it.

    >>> clock = steady_clock(lambda: 100.0, iter([5.0, 5.0, 7.5]).__next__)
    >>> clock(), clock()
    (100.0, 102.5)
    """
    offset = wall() - running()
    return lambda: running() + offset


@dataclass(slots=True)
class SteppingClock:
    """A clock that moves by the same step each time it is asked, so that a recording has the same times anywhere.

    >>> clock = SteppingClock(now=100.0, step=2.0)
    >>> clock(), clock()
    (100.0, 102.0)
    """

    now: float
    step: float

    def __call__(self) -> float:
        shown, self.now = self.now, self.now + self.step
        return shown
