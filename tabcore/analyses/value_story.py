"""The story of one expected value in one run: where it was first shown, when it left the window, what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tabcore.analyses.shown_but_missing import ExpectedValue, Outcome
from tabcore.text.marked_lines import MarkedLine


@dataclass(frozen=True, slots=True)
class Evidence:
    """A place with its line: in the observation of a call of a turn (`entry_id` ""), in a read-log entry, or in a
    delivered file (`turn` 0)."""

    turn: int
    call: int
    line: MarkedLine
    start: int
    end: int
    entry_id: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class ValueStory:
    """One expected value with its evidence. `left` is the first turn whose request no longer held any observation that
    had shown it, at context level `level`; None if one stayed to the end."""

    value: ExpectedValue
    level: int
    left: int | None = None
    shown: tuple[Evidence, ...] = ()
    held: Evidence | None = None
    delivered: tuple[Evidence, ...] = ()

    @property
    def sentence(self) -> str:
        """In one line: "first shown at turn 5 in L3 line 12, left the window at turn 12 (level 3), …, absent"."""
        value = self.value
        if not value.shown:
            late = f"; shown at turn {value.late[0].turn}, after the deliverable was last written" if value.late else ""
            return f"never shown before the deliverable was written{late}; {_END[value.outcome]}"
        parts = [f"first shown at turn {value.shown[0].turn}{self._where()}"]
        parts.append(
            f"left the window at turn {self.left} (level {self.level})"
            if self.left
            else f"in the window to the end (level {self.level})"
        )
        if value.run.written is not None:
            parts.append(f"deliverable written at turn {value.run.written}")
        return ", ".join([*parts, _END[value.outcome]])

    def _where(self) -> str:
        held = self.held
        if held is None:
            return ", in no read-log entry"
        later = f" (held from turn {held.turn})" if held.turn != self.value.shown[0].turn else ""
        return f" in {held.entry_id} line {held.line.number}{later}"


_END: dict[Outcome, str] = {
    "delivered, passed": "delivered, rubric passed",
    "delivered, failed": "delivered, rubric failed",
    "absent, passed": "absent, rubric passed",
    "absent, failed": "absent, rubric failed",
    "not evaluated": "rubric not evaluated",
}


def left_at(value: ExpectedValue, leaves: Sequence[int | None]) -> int | None:
    """The first turn whose request held no observation any more that had shown the value before the last write.

    `leaves` says for each turn, from 1, when what it showed has left. None if one stayed, or none was shown.
    """
    turns = [leaves[place.turn - 1] for place in value.shown]
    return None if None in turns else max((turn for turn in turns if turn is not None), default=None)
