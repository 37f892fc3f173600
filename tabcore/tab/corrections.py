"""What a person says of a call's files where capture was wrong. Facts, kept apart from what capture derived.

A correction names one file at one call. The tab is derived with it, the finding's rule says who corrected it and what
capture had said, and a later correction takes an earlier one's place or gives the word back to capture.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from tabcore.capture.findings import Finding

CorrectedKind = Literal["read", "listed", "authored", "neither", "as captured"]
"""What the call did with the file; neither: it left it alone · as captured: what capture says counts again."""


@dataclass(frozen=True, slots=True)
class DecisionCorrection:
    """`who` said at `when` (seconds since 1970) what the call `call` of turn `turn` did with `path`.

    `command` is the call's short text: in a record that has another call at that place the correction does not count.
    It is "" where that was not noted.
    """

    turn: int
    call: int
    path: str
    kind: CorrectedKind
    who: str
    when: float
    command: str = ""


@dataclass(frozen=True, slots=True)
class Overruled:
    """A correction that counts, and what capture had found of the file at that call."""

    correction: DecisionCorrection
    derived: tuple[Finding, ...]

    @property
    def said(self) -> str:
        """What capture said, in words."""
        return ", ".join(f"{finding.kind} ({finding.rule})" for finding in self.derived) or "nothing"

    @property
    def rule(self) -> str:
        """Who overruled what, and when."""
        return f"corrected by {self.correction.who} on {day(self.correction.when)}; capture said {self.said}"


def day(when: float) -> str:
    """The day of a moment, UTC; "" for one that no calendar has.

    >>> day(0.0)
    '1970-01-01'
    """
    try:
        return datetime.fromtimestamp(when, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def overruled(findings: Iterable[Finding], corrections: Iterable[DecisionCorrection]) -> tuple[Overruled, ...]:
    """The corrections of one call that count, one a file, each with what capture found. The latest of a file counts."""
    derived = tuple(findings)
    latest = {c.path: c for c in sorted(corrections, key=lambda c: c.when)}
    return tuple(
        Overruled(correction, tuple(finding for finding in derived if finding.path == path))
        for path, correction in latest.items()
        if correction.kind != "as captured"
    )


def corrected(findings: Iterable[Finding], overruling: Iterable[Overruled]) -> tuple[Finding, ...]:
    """The findings of one call as corrected: each in the place of what it overrules, new ones last.

    >>> wrong = Finding("listed", "a.txt", "ls: names")
    >>> [found] = corrected([wrong], overruled([wrong], [DecisionCorrection(1, 0, "a.txt", "read", "Ann", 0.0)]))
    >>> found.kind, found.rule
    ('read', 'corrected by Ann on 1970-01-01; capture said listed (ls: names)')
    """
    waiting = {one.correction.path: one for one in overruling}
    return tuple(_merged(findings, waiting)) if waiting else tuple(findings)


def _merged(findings: Iterable[Finding], waiting: Mapping[str, Overruled]) -> Iterable[Finding]:
    placed: set[str] = set()
    for finding in findings:
        one = waiting.get(finding.path)
        if one is None:
            yield finding
        elif finding.path not in placed:
            placed.add(finding.path)
            yield from _finding(one)
    for path, one in waiting.items():
        if path not in placed:
            yield from _finding(one)


def _finding(one: Overruled) -> Iterable[Finding]:
    if one.correction.kind in ("read", "listed", "authored"):
        yield Finding(one.correction.kind, one.correction.path, one.rule)
