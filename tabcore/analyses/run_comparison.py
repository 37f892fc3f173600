"""Two runs of one task side by side: what each read, wrote, required, delivered and was judged by.

Requirements are the agents' own words, so that two of them count as the same where they share the most terms and at
least a third of all that the two have (ours). Values are equal by their key in the value index.
"""

from __future__ import annotations

import difflib
import posixpath
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tabcore.text.terms import terms

ALIKE = 1 / 3
"""The share of terms from which two requirements count as the same."""
CONTEXT = 3
"""Lines of a text that are kept around a change."""


@dataclass(frozen=True, slots=True)
class FileUse:
    """What a run did with a file, and at which turn first; `times` counts the reads."""

    path: str
    read: int | None
    written: int | None
    times: int = 0


@dataclass(frozen=True, slots=True)
class Required:
    """A requirement as it stood at the end; `turn` is when it was stated."""

    requirement: str
    text: str
    status: str
    turn: int


@dataclass(frozen=True, slots=True)
class DeliveredText:
    """A delivered file; None where its text is not known."""

    path: str
    text: str | None
    turn: int | None


@dataclass(frozen=True, slots=True)
class DeliveredNumber:
    """A value that a run delivered, at its first place, whose first character is `start` of the file's text."""

    key: str
    text: str
    path: str
    start: int = 0
    distinctive: bool = True


@dataclass(frozen=True, slots=True)
class SeenNumber:
    """A value that a run was shown, at its first place: characters `start:end` of the result of a call of a turn."""

    key: str
    turn: int
    call: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Judged:
    """A rubric and its verdict."""

    rubric_id: str
    text: str
    passed: bool | None


@dataclass(frozen=True, slots=True)
class OneRun:
    """All that is compared of a run. `counts` are its effort, by what they count; `seen` are those of the values that
    either run delivered."""

    run_id: str
    files: tuple[FileUse, ...] = ()
    requirements: tuple[Required, ...] = ()
    delivered: tuple[DeliveredText, ...] = ()
    numbers: tuple[DeliveredNumber, ...] = ()
    rubrics: tuple[Judged, ...] = ()
    counts: tuple[tuple[str, float | None], ...] = ()
    seen: tuple[SeenNumber, ...] = ()


@dataclass(frozen=True, slots=True)
class FilePair:
    """A file and what either run did with it, None for nothing."""

    path: str
    left: FileUse | None
    right: FileUse | None


@dataclass(frozen=True, slots=True)
class RequiredPair:
    """A requirement of either run, and its like in the other, None where it has none."""

    left: Required | None
    right: Required | None


@dataclass(frozen=True, slots=True)
class NumberPair:
    """A value, where either run delivered it, and where it was shown it first."""

    key: str
    left: DeliveredNumber | None
    right: DeliveredNumber | None
    left_seen: SeenNumber | None = None
    right_seen: SeenNumber | None = None


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A rubric and the verdict on either run; None where it was not evaluated or the run has no such rubric."""

    rubric_id: str
    text: str
    left: bool | None
    right: bool | None


@dataclass(frozen=True, slots=True)
class TextDifference:
    """Two delivered files as a unified diff; empty where they are the same."""

    left: str
    right: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunComparison:
    """The two runs. Pairs stand in the order of the left run, then of the right."""

    left: OneRun
    right: OneRun
    files: tuple[FilePair, ...]
    requirements: tuple[RequiredPair, ...]
    numbers: tuple[NumberPair, ...]
    rubrics: tuple[JudgedPair, ...]
    texts: tuple[TextDifference, ...]


def run_comparison(left: OneRun, right: OneRun) -> RunComparison:
    """Both runs, aligned."""
    return RunComparison(
        left,
        right,
        _files(left.files, right.files),
        _requirements(left.requirements, right.requirements),
        _numbers(left, right),
        _rubrics(left.rubrics, right.rubrics),
        tuple(_texts(left.delivered, right.delivered)),
    )


def _files(left: Sequence[FileUse], right: Sequence[FileUse]) -> tuple[FilePair, ...]:
    ours, theirs = {one.path: one for one in left}, {one.path: one for one in right}
    return tuple(FilePair(path, ours.get(path), theirs.get(path)) for path in ours | theirs)


def _numbers(left: OneRun, right: OneRun) -> tuple[NumberPair, ...]:
    ours, theirs = ({one.key: one for one in run.numbers} for run in (left, right))
    seen, other = ({one.key: one for one in run.seen} for run in (left, right))
    return tuple(
        NumberPair(key, ours.get(key), theirs.get(key), seen.get(key), other.get(key)) for key in ours | theirs
    )


def _rubrics(left: Sequence[Judged], right: Sequence[Judged]) -> tuple[JudgedPair, ...]:
    """The same rubric has the same id and text."""
    ours = {(one.rubric_id, one.text): one.passed for one in left}
    theirs = {(one.rubric_id, one.text): one.passed for one in right}
    return tuple(JudgedPair(*rubric, ours.get(rubric), theirs.get(rubric)) for rubric in ours | theirs)


def _requirements(left: Sequence[Required], right: Sequence[Required]) -> tuple[RequiredPair, ...]:
    """The most alike first, each at most once."""
    scored = [(_alike(one.text, other.text), at, to) for at, one in enumerate(left) for to, other in enumerate(right)]
    partner: dict[int, int] = {}
    for score, at, to in sorted(scored, key=lambda pair: (-pair[0], pair[1], pair[2])):
        if score >= ALIKE and at not in partner and to not in partner.values():
            partner[at] = to
    taken = set(partner.values())
    pairs = [RequiredPair(one, right[partner[at]] if at in partner else None) for at, one in enumerate(left)]
    return tuple(pairs + [RequiredPair(None, one) for to, one in enumerate(right) if to not in taken])


def _alike(left: str, right: str) -> float:
    """Shared terms of all terms.

    >>> _alike("hotel rates", "rates of the hotel"), _alike("hotel rates", "meals")
    (1.0, 0.0)
    """
    ours, theirs = set(terms(left)), set(terms(right))
    return len(ours & theirs) / len(ours | theirs) if ours | theirs else 0.0


def _texts(left: Sequence[DeliveredText], right: Sequence[DeliveredText]) -> Iterable[TextDifference]:
    """Files of one name, else of one kind, against each other; a file without a partner against nothing."""
    free = list(right)
    for one in left:
        other = next((f for f in free if _name(f) == _name(one)), None)
        other = other or next(
            (f for f in free if posixpath.splitext(f.path)[1] == posixpath.splitext(one.path)[1]), None
        )
        if other is not None:
            free.remove(other)
        yield _difference(one, other)
    for rest in free:
        yield _difference(None, rest)


def _name(file: DeliveredText) -> str:
    return posixpath.basename(file.path)


def _difference(left: DeliveredText | None, right: DeliveredText | None) -> TextDifference:
    ours, theirs = ((file.text or "").splitlines() if file else [] for file in (left, right))
    lines = list(difflib.unified_diff(ours, theirs, n=CONTEXT, lineterm=""))
    return TextDifference(left.path if left else "", right.path if right else "", tuple(lines[2:]))


def counted(runs: Iterable[OneRun]) -> Mapping[str, tuple[float | None, ...]]:
    """The effort of each run, by what is counted."""
    told = [dict(run.counts) for run in runs]
    return {name: tuple(one.get(name) for one in told) for name in dict.fromkeys(name for one in told for name in one)}
