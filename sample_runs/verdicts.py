"""Rubrics and verdicts of a sample run: what `checks/TASK.toml` expects, looked for in the recorded deliverable.

The check, whole: an *expectation* is a value or a phrase, some with words that it must stand beside. A value is met where
the deliverable, read by `tabcore.documents`, states a value that is equal under the default rule of `tabcore.text`; a
phrase, where the text has the same words, whatever their case. "Beside" is on the same line of the document's text: a
row of a table, a paragraph, a line of a plain file. A rubric passes when all its expectations are met, or with
`any = true` when one is. No judgement enters; the evidence says for each expectation where it was met or that it was not.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tabcore.documents import Document, read_document
from tabcore.text.value_rules import equal
from tabcore.text.values import values

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Expectation:
    """A value as it would be written, or a phrase; `beside` are words of the same line, empty for any line."""

    text: str
    is_value: bool
    beside: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One rubric with what its verdict depends on; `any_one` is enough where several are expected."""

    rubric: str
    text: str
    expected: tuple[Expectation, ...]
    any_one: bool = False


def checks_of(task: str) -> tuple[Check, ...]:
    """The checks of a task, in the order of its rubrics."""
    rubrics = tomllib.loads((HERE / "checks" / f"{task}.toml").read_text(encoding="utf-8"))["rubric"]
    return tuple(
        Check(rubric["id"], rubric["text"], tuple(map(_expectation, rubric["expect"])), rubric.get("any", False))
        for rubric in rubrics
    )


def _expectation(item: Mapping[str, str]) -> Expectation:
    text = item.get("value") or item["phrase"]
    return Expectation(text, "value" in item, item.get("beside", ""))


def rubrics_json(checks: Sequence[Check]) -> list[dict[str, str]]:
    """What `rubrics.json` holds."""
    return [{"id": check.rubric, "text": check.text} for check in checks]


def verdicts_json(checks: Sequence[Check], deliverable: Path) -> list[dict[str, str | bool]]:
    """What `verdicts.json` holds for a delivered file."""
    document = read_document(deliverable)
    return [verdict(check, document, deliverable.name) for check in checks]


def verdict(check: Check, document: Document, name: str) -> dict[str, str | bool]:
    """Whether the document passes, and for each expectation what was found where."""
    findings = [_finding(expected, document, name) for expected in check.expected]
    met = [is_met for is_met, _ in findings]
    return {
        "rubric": check.rubric,
        "passed": any(met) if check.any_one else all(met),
        "evidence": "; ".join(said for _, said in findings),
    }


def _finding(expected: Expectation, document: Document, name: str) -> tuple[bool, str]:
    found = list(_of_value(expected.text, document) if expected.is_value else _of_phrase(expected.text, document))
    if not found:
        return False, f"{expected.text}: {'no equal value' if expected.is_value else 'no such words'} in {name}"
    met = [(text, at) for text, at in found if _folded(expected.beside) in _folded(_line(document, at))]
    text, at = (met or found)[0]
    written = "" if text == expected.text else f", written {text}"
    where = f"{expected.text} stands in {name}, {document.place_at(at)}{written}"
    if not expected.beside:
        return True, where
    return bool(met), f'{where}, {"beside" if met else "but nowhere beside"} "{expected.beside}"'


def _of_value(text: str, document: Document) -> Iterator[tuple[str, int]]:
    """Every equal value of the document, as it is written there, and its offset."""
    [wanted] = values(text)
    yield from ((value.text, value.start) for value in values(document.text) if equal(wanted, value))


def _of_phrase(text: str, document: Document) -> Iterator[tuple[str, int]]:
    at = 0
    for line in document.text.splitlines(keepends=True):
        if _folded(text) in _folded(line):
            yield text, at
        at += len(line)


def _line(document: Document, at: int) -> str:
    start = document.text.rfind("\n", 0, at) + 1
    return document.text[start:].split("\n", 1)[0]


def _folded(text: str) -> str:
    """Words parted by one space, in one case.

    >>> _folded("New\\tconnection ")
    'new connection'
    """
    return " ".join(text.casefold().split())
