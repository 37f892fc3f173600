"""What a person says of a call's files where capture was wrong. Facts, kept apart from what capture derived.

A correction names one file at one call. The tab is derived with it, and the finding's rule says who corrected it
and what capture had said.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from tabcore.capture.findings import Finding

CorrectedKind = Literal["read", "listed", "authored", "neither"]


@dataclass(frozen=True, slots=True)
class DecisionCorrection:
    """`who` said at `when` (seconds since 1970) what the call `call` of turn `turn` did with `path`."""

    turn: int
    call: int
    path: str
    kind: CorrectedKind
    who: str
    when: float


def corrected(findings: Iterable[Finding], corrections: Iterable[DecisionCorrection]) -> tuple[Finding, ...]:
    """The findings of one call as corrected. Of two corrections of one file the later counts.

    >>> wrong = Finding("listed", "a.txt", "ls: names")
    >>> [found] = corrected([wrong], [DecisionCorrection(1, 0, "a.txt", "read", "Ann", 0.0)])
    >>> found.kind, found.rule
    ('read', 'corrected by Ann; capture said listed (ls: names)')
    """
    latest = {c.path: c for c in sorted(corrections, key=lambda c: c.when)}
    if not latest:
        return tuple(findings)
    derived = tuple(findings)
    said = {finding.path: f"{finding.kind} ({finding.rule})" for finding in derived}
    kept = [finding for finding in derived if finding.path not in latest]
    return (*kept, *(found for c in latest.values() if (found := _finding(c, said.get(c.path, "nothing")))))


def _finding(correction: DecisionCorrection, said: str) -> Finding | None:
    if correction.kind == "neither":
        return None
    return Finding(correction.kind, correction.path, f"corrected by {correction.who}; capture said {said}")
