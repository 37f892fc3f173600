"""The scores of an Inspect sample -> rubrics and verdicts.

A scorer is a rubric: that the answer is the sample's target, where it has one. Values are read as Inspect's own metrics
read them: "C" and "yes" and 1 are met, "I", "N", "no" and 0 are not; neither is a part ("P", 0.5), which the evidence
states. What lies beyond 0 to 1 is a measure, on which no verdict can be given. A score of several values is a rubric for
each.
"""

from __future__ import annotations

from collections.abc import Iterator

from tabcore.readers.contents import amount, text_of
from tabcore.trajectory import Json, Rubric, Verdict

EVIDENCE_LIMIT = 4000
"""Characters of a score's answer and explanation that are kept as evidence."""

_WORDS = {"c": True, "correct": True, "yes": True, "true": True}
_WORDS |= dict.fromkeys(["i", "incorrect", "p", "n", "no", "false"], False)


def judged(scores: Json, target: Json) -> Iterator[tuple[Rubric, Verdict]]:
    """Each thing scored with its verdict.

    >>> [(rubric, verdict)] = judged({"match": {"value": "C", "answer": "42"}}, "42")
    >>> rubric.text, verdict.passed, verdict.evidence
    ('match: the answer is 42', True, 'score: C\\nanswer: 42')
    """
    wanted = " or ".join(map(text_of, target)) if isinstance(target, list) else text_of(target)
    for name, score in scores.items() if isinstance(scores, dict) else ():
        told: dict[str, Json] = score if isinstance(score, dict) else {"value": score}
        value = told.get("value")
        several = value if isinstance(value, dict) else {"": value}
        for part, one in several.items():
            ident = f"{name}/{part}" if part else name
            yield (
                Rubric(ident, f"{ident}: the answer is {wanted}" if wanted else ident),
                Verdict(ident, _passed(one), _evidence(one, told)),
            )


def _passed(value: Json) -> bool | None:
    """Whether a value says that the rubric is met; None for a measure, and for what is no single value.

    >>> [_passed(value) for value in ("C", "P", True, 1, 0.5, 0, 73, "fine", None, [1])]
    [True, False, True, True, False, False, None, None, None, None]
    """
    if isinstance(value, str):
        return _WORDS.get(value.strip().lower())
    number = amount(value)
    return number == 1 if number is not None and 0 <= number <= 1 else None


def _evidence(value: Json, told: dict[str, Json]) -> str:
    lines = [f"score: {text_of(value)}"]
    lines += [f"{name}: {text}" for name in ("answer", "explanation") if (text := text_of(told.get(name)))]
    return "\n".join(lines)[:EVIDENCE_LIMIT]
