"""Page address <-> what is chosen. Pure, so that a link means the same everywhere."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tabcore.presentation.plain import plain_line
from tabcore.rows import RunRow
from tabcore.text.value_rules import DEFAULT, Rule

_RUN = re.compile(r"[0-9a-f]{16}(\.[^\x00-\x1f]{1,200})?")
_TURN = re.compile(r"[0-9]{1,9}")
_MARK = re.compile(r"(-1|[0-9]{1,6}):([0-9]{1,9}):([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Mark:
    """Characters `start:end` of the result of a call (-1: of none) of the turn, to be marked."""

    call: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Selection:
    """What an address chooses. `run` is a run id, the hash of the log's content; None where none is named.

    `file` is the path of a delivered file. Which of its values is chosen (`value`) the page's own script reads.
    """

    run: str | None = None
    turn: int | None = None
    mark: Mark | None = None
    file: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of values: the rule, and whether for dates instead of numbers."""

    rule: Rule = DEFAULT
    dates: bool = False

    @property
    def is_default(self) -> bool:
        """True for numbers under the specification's rule."""
        return self == DEFAULT_ASKED


DEFAULT_ASKED = Asked()


def from_address(query: Mapping[str, str]) -> Selection:
    """What the address's query chooses; what is no run id or no turn is as if it were absent.

    >>> from_address({"run": "0123456789abcdef", "turn": "8"}) == Selection("0123456789abcdef", 8)
    True
    >>> from_address({"run": "../etc", "turn": "-1"}) == Selection()
    True
    """
    run, turn, mark = query.get("run", ""), query.get("turn", ""), _MARK.fullmatch(query.get("mark", ""))
    return Selection(
        run if _RUN.fullmatch(run) else None,
        int(turn) if _TURN.fullmatch(turn) and int(turn) > 0 else None,
        Mark(*map(int, mark.groups())) if mark else None,
        query.get("file") or None,
    )


def to_address(selection: Selection) -> dict[str, str]:
    """The query of an address that chooses the same.

    >>> to_address(Selection("0123456789abcdef", 8))
    {'run': '0123456789abcdef', 'turn': '8'}
    >>> to_address(Selection("0123456789abcdef", 8, Mark(0, 26, 33)))
    {'run': '0123456789abcdef', 'turn': '8', 'mark': '0:26:33'}
    """
    query = {"run": selection.run} if selection.run else {}
    query |= {"turn": str(selection.turn)} if selection.turn else {}
    mark = selection.mark
    query |= {"mark": f"{mark.call}:{mark.start}:{mark.end}"} if mark else {}
    return query | ({"file": selection.file} if selection.file else {})


def value_of_address(query: Mapping[str, str]) -> tuple[str, str, str]:
    """The run, rubric and key of an expected value that an address names, each "" where it names none.

    >>> value_of_address({"run": "0123456789abcdef", "rubric": "b1", "value": "12.3%"})
    ('0123456789abcdef', 'b1', '12.3%')
    """
    return from_address(query).run or "", query.get("rubric", ""), query.get("value", "")


def nearest_turn(turn: int | None, turns: tuple[int, ...]) -> int:
    """The turn to open at: the one wanted, else the last before it, else the first. `turns` is not empty.

    >>> nearest_turn(9, (1, 2, 3)), nearest_turn(None, (1, 2, 3)), nearest_turn(2, (1, 2, 3))
    (3, 1, 2)
    """
    return max((known for known in turns if turn is not None and known <= turn), default=turns[0])


def run_name(run: RunRow) -> str:
    """What the run was to do: the task's name, else the first line of its text, else the log's file name.

    A heading ("## Task"), and a line that ends in a colon, say it only with the line that follows.
    """
    lines = [line.strip() for line in run.task.splitlines() if line.strip()][:2]
    if lines and not lines[0].startswith("#") and not lines[0].endswith(":"):
        del lines[1:]
    first = ": ".join(line.strip("#: ") for line in lines)
    return plain_line(run.task_name or first or run.path.replace("\\", "/").rsplit("/", 1)[-1], 80)


def run_line(run: RunRow) -> str:
    """The chosen run in one line: task, method, model, attempt; what the record does not say is left out."""
    attempt = f"{run.attempt}/{run.attempts}" if run.attempt and run.attempts else str(run.attempt or "")
    parts = (run_name(run), run.method, run.model, f"attempt {attempt}" if attempt else "")
    return " · ".join(plain_line(part, 80) for part in parts if part)


def found_by(run: RunRow, words: str) -> bool:
    """True when every word of a search is in what the list of runs shows of a run."""
    fields = (run_name(run), run.task, run.method, run.model, run.format, run.harness, run.path, run.suite, run.run_id)
    text = "\n".join(field for field in fields if field).casefold()
    return all(word in text for word in words.casefold().split())
