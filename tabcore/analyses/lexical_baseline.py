"""The lexical baseline of masked recovery: no model, only words. It shows what a search alone would find.

It is given the same prompts as a model. Of the material in them it takes the line that fits the masked requirement best by
BM25 and states for each masked value the first number of the same kind; where that line has too few, the next best line
gives more. In the review arm it first opens what the review names.
It knows of a masked value whether it was an amount of money, a percentage, a decimal or a whole number, which a model is
not told.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from tabcore.analyses.recovery_cases import Case
from tabcore.language_models import Answer, Prompt
from tabcore.tab.ranking import Ranking
from tabcore.text.masking import stated_values
from tabcore.text.terms import terms

NAME = "lexical baseline"
"""What its results are called wherever they are shown; it is no model."""

LINES = 100
"""Lines, best first, in which it looks for numbers."""

_REVIEWED = re.compile(r"^  (L[0-9]+) ", re.MULTILINE)
_GIVEN = re.compile(r"\n\n(?:\[tab\] Requirements:|Read log:)")

_HEAD = re.compile(
    r"L[0-9]+: .*\(turn [0-9]|command: |  L[0-9]+ | never opened: |\[\.\.\.|You may open |Read log: |\S+ \[open\] "
)
"""Lines that the tab adds to what was read, the id of a requirement among them, and the lines of a review, which the
opened entries have in full."""


def lexical_answer(prompt: Prompt, case: Case) -> Answer:
    """What the baseline answers to a prompt."""
    heard = [message.text for message in prompt.messages if message.role == "user"]
    wanted = _REVIEWED.findall(heard[0]) if '"show"' in prompt.schema else []
    if wanted and len(heard) == 1:
        return Answer(json.dumps({"show": wanted, "values": []}))
    given = _GIVEN.search(heard[0])
    material = "\n".join((heard[0][given.end() :] if given else "", *heard[1:]))
    return Answer(json.dumps({"values": _values(material, case)}, ensure_ascii=False))


def _values(material: str, case: Case) -> list[str]:
    """For each masked value, in order, the first number of its kind, each number used once; none where there is none."""
    found: dict[int, str] = {}
    for kind, text in _of_best_lines(material, case):
        wanted = [n for n, value in enumerate(case.values) if n not in found and value.kind == kind]
        if wanted:
            found[wanted[0]] = text
        if len(found) == len(case.values):
            break
    return [text for _, text in sorted(found.items())]


def _of_best_lines(material: str, case: Case) -> Iterator[tuple[str, str]]:
    """The numbers of the best lines as (kind, text), line by line, best first."""
    lines, ranking = _ranked_lines(material)
    for name, _ in ranking.best(terms(case.text), limit=LINES, tie=int):
        line = lines[int(name)]
        for key, start, end, kind in stated_values(line):
            if key not in case.stated:
                yield kind, line[start:end]


@lru_cache(maxsize=4)
def _ranked_lines(material: str) -> tuple[Sequence[str], Ranking]:
    """The lines of what was given; a run's read log is the same for all of its cases."""
    lines = [line for line in material.splitlines() if not _HEAD.match(line)]
    ranking = Ranking()
    for number, line in enumerate(lines):
        ranking.add(str(number), terms(line))
    return lines, ranking
