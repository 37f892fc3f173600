"""The ablation switches of running_tab (RunningTab, Table 4): which parts of the tab an agent had.

A switched run is a method of its own, named by its switch (`no_review`). What was read and listed is known of every
run, as it is of one without any tab; a switch says what of it the agent was told and held to.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Switch = Literal["no_capture", "no_review", "no_evidence_check", "no_finish_check"]


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of the tab that an agent has. Without `capture` it has neither read log nor candidates, and so neither
    review nor evidence check."""

    capture: bool = True
    review: bool = True
    evidence_check: bool = True
    finish_check: bool = True


WHOLE = Parts()

SWITCHES: Mapping[Switch, Parts] = {
    "no_capture": Parts(capture=False, review=False, evidence_check=False),
    "no_review": Parts(review=False),
    "no_evidence_check": Parts(evidence_check=False),
    "no_finish_check": Parts(finish_check=False),
}


def switch_named(method: str) -> Switch | None:
    """The switch that a recorded name of a method means; None for the whole tab and for other methods.

    >>> switch_named("no_review"), switch_named("RunningTab w/o capture"), switch_named("running_tab")
    ('no_review', 'no_capture', None)
    """
    plain = _letters(re.sub(r"w/o|without", "no", method.lower()))
    return next((switch for switch in SWITCHES if _letters(switch) in plain), None)


def parts_of(method: str | None) -> Parts:
    """The parts of the tab that a run of this method had, if it had one."""
    switch = switch_named(method or "")
    return SWITCHES[switch] if switch else WHOLE


def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
