"""Where a loop takes its time from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Clock = Callable[[], float]
"""Seconds since 1970, UTC; called once per message. `time.time` is one."""


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
