"""How often the simulated agent fails at what. Every rate here is made up; none was measured on any model.

A lapse is drawn for each required value of each run. The draw belongs to model, task, value and attempt, and not to the
method: what one method loses another loses too unless its rate is lower or something in its run mends it. A lapse is
mended only where the agent was really told of it: where a text of the tab names the value's file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from sample_runs.suite.chance import chance
from tabcore.agent import MethodName

Lapse = Literal["unopened", "forgotten", "swapped"]
"""Its file is never opened; it was read and is left out; the value beside it is delivered in its place."""

Occasion = Literal["second look", "review", "refusal", "finish check"]
"""When a lapse may be mended: at the words said to self_refine and self_tracking, and at three texts of the tab."""

RATES: Mapping[MethodName, Mapping[Lapse, float]] = {
    "dci": {"unopened": 0.08, "forgotten": 0.11, "swapped": 0.05},
    "todo": {"unopened": 0.07, "forgotten": 0.08, "swapped": 0.05},
    "self_refine": {"unopened": 0.08, "forgotten": 0.11, "swapped": 0.05},
    "self_tracking": {"unopened": 0.07, "forgotten": 0.08, "swapped": 0.05},
    "running_tab": {"unopened": 0.07, "forgotten": 0.10, "swapped": 0.05},
    "no_capture": {"unopened": 0.07, "forgotten": 0.10, "swapped": 0.05},
    "no_review": {"unopened": 0.07, "forgotten": 0.10, "swapped": 0.05},
    "no_evidence_check": {"unopened": 0.07, "forgotten": 0.10, "swapped": 0.05},
    "no_finish_check": {"unopened": 0.07, "forgotten": 0.10, "swapped": 0.05},
}
"""How often each lapse befalls a required value."""

MENDED: Mapping[Occasion, Mapping[Lapse, float]] = {
    "second look": {"unopened": 0.0, "forgotten": 0.12, "swapped": 0.06},
    "review": {"unopened": 0.25, "forgotten": 0.15, "swapped": 0.05},
    "refusal": {"unopened": 0.60, "forgotten": 0.0, "swapped": 0.0},
    "finish check": {"unopened": 0.20, "forgotten": 0.15, "swapped": 0.05},
}
"""How often an occasion mends a lapse that it names."""

Habit = Literal["states no requirement", "pulls no review", "shows an entry", "leaves open", "claims unseen"]

HABITS: Mapping[Habit, float] = {
    "states no requirement": 0.10,
    "pulls no review": 0.20,
    "shows an entry": 0.35,
    "leaves open": 0.20,
    "claims unseen": 0.60,
}
"""How often, in a run with a tab, none is stated before the finish check, no review is pulled, an entry is re-read;
and how often a requirement is left open at the first stop, or an unopened one is called done."""

MODELS: Mapping[str, float] = {"simulated, steady": 1.0, "simulated, hasty": 1.5}
"""The models, by the factor on all rates of lapses."""


@dataclass(frozen=True, slots=True)
class Fate:
    """The draws of one run."""

    model: str
    task: str
    method: MethodName
    attempt: int

    def lapse(self, item: str) -> Lapse | None:
        """The lapse that befalls a required value, None for none."""
        drawn = self._chance("lapse", item) / MODELS[self.model]
        for lapse, rate in RATES[self.method].items():
            if drawn < rate:
                return lapse
            drawn -= rate
        return None

    def mends(self, occasion: Occasion, lapse: Lapse, item: str) -> bool:
        """Whether an occasion that names a value's file mends its lapse."""
        return self._chance(occasion, item) < MENDED[occasion][lapse]

    def has(self, habit: Habit, item: str = "") -> bool:
        """Whether the habit shows in this run, or with this value."""
        return self._chance(habit, item) < HABITS[habit]

    def _chance(self, *names: str) -> float:
        return chance(self.model, self.task, self.attempt, *names)
