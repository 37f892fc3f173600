"""A model as annotator: what it is asked about a failed rubric, and what its answer is taken for.

The prompt has a version, kept with each label. What a model quotes must occur in the record, else its answer is refused. It
sees the same evidence as a person on the desk, and nothing that the rules or other annotators said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tabcore.analyses.failure_types import DEFINITIONS, TYPES, FailureType, named_type
from tabcore.analyses.rubric_case import RubricCase
from tabcore.analyses.value_story import ValueStory
from tabcore.language_models import Message, Prompt

VERSION = "1"
"""Of the prompt: another wording gets another number."""

_FILES = 60
_TASK, _DELIVERABLE = 4_000, 12_000
"""Characters of the task and of the deliverable that are given."""

_SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {
            "quotes": {"type": "array", "items": {"type": "string"}},
            "why": {"type": "string"},
            "type": {"type": "string", "enum": [*TYPES, "cannot tell"]},
        },
        "required": ["quotes", "why", "type"],
        "additionalProperties": False,
    }
)

_ASK = """\
You classify why an agent's deliverable failed one rubric. Choose exactly one type:
{definitions}
If the evidence does not decide, answer "cannot tell".

First quote one to three short passages, word for word, from the evidence below (what was shown, the names of files, the \
deliverable, or the task): those that decide. Then say in one sentence why, then the type.
Answer with JSON: {{"quotes": ["…"], "why": "…", "type": "…"}}"""


@dataclass(frozen=True, slots=True)
class Material:
    """What a model is told beside the case: the task, the deliverable's texts, files opened with their turns, and files
    that were listed and never opened."""

    task: str
    delivered: tuple[tuple[str, str], ...]
    opened: tuple[tuple[str, int], ...]
    unopened: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """What an answer comes to: a type (None for "cannot tell"), why, and the quotes; or why it is `refused`."""

    type: FailureType | None = None
    why: str = ""
    quotes: tuple[str, ...] = ()
    refused: str = ""


def type_prompt(case: RubricCase, material: Material) -> Prompt:
    """What is asked about one failed rubric."""
    definitions = "\n".join(f"- {name}: {words}" for name, words in DEFINITIONS.items())
    files = [f"- {path} (turn {turn})" for path, turn in material.opened[:_FILES]]
    parts = [
        ("TASK", _cut(material.task, _TASK)),
        ("RUBRIC", case.rubric.text),
        ("VERDICT: failed", case.rubric.evidence or "(no evidence is recorded)"),
        ("VALUES OF THE RUBRIC", "\n".join(map(_value, case.stories)) or "(it states no distinctive value)"),
        ("FILES OPENED", _listed(files, len(material.opened))),
        (
            "FILES LISTED AND NEVER OPENED",
            _listed([f"- {p}" for p in material.unopened[:_FILES]], len(material.unopened)),
        ),
        *(
            (f"DELIVERABLE {path}", _cut(text, _DELIVERABLE // len(material.delivered)))
            for path, text in material.delivered
        ),
    ]
    evidence = "\n\n".join(f"## {name}\n{text}" for name, text in parts)
    return Prompt((Message("system", _ASK.format(definitions=definitions)), Message("user", evidence)), _SCHEMA)


def judged(answer: str, record: Iterable[str]) -> Judged:
    """What an answer says, its quotes held against the texts of the `record`, white space aside."""
    found = re.search(r"\{.*\}", answer, re.DOTALL)
    try:
        told = json.loads(found[0]) if found else None
    except (json.JSONDecodeError, RecursionError):
        told = None
    if not isinstance(told, dict):
        return Judged(refused="its answer is no JSON object")
    quotes = told.get("quotes")
    quoted = (
        tuple(quote for quote in quotes if isinstance(quote, str) and quote.strip()) if isinstance(quotes, list) else ()
    )
    type_, why = str(told.get("type", "")), str(told.get("why", ""))[:600]
    if named_type(type_) is None and type_ != "cannot tell":
        return Judged(why=why, quotes=quoted, refused=f"“{type_[:60]}” is no type")
    if type_ == "cannot tell":
        return Judged(None, why, quoted)
    if not quoted:
        return Judged(why=why, refused="it quotes nothing")
    if missing := _not_in(quoted, record):
        return Judged(why=why, quotes=quoted, refused=f"its quote “{missing[0][:80]}” does not occur in the record")
    return Judged(named_type(type_), why, quoted)


def _not_in(quotes: Sequence[str], record: Iterable[str]) -> list[str]:
    left = {quote: _even(quote) for quote in quotes}
    for text in record:
        even = _even(text)
        left = {quote: words for quote, words in left.items() if words not in even}
        if not left:
            break
    return list(left)


def _even(text: str) -> str:
    """White space as one space, typographic quotes as plain ones."""
    return " ".join(text.translate(_PLAIN).split())


_PLAIN = str.maketrans("“”‘’", "\"\"''")


def _value(story: ValueStory) -> str:
    place = story.shown[0] if story.shown else story.held
    lines = [f"- {story.value.text}: {story.sentence}"]
    if place:
        line = place.line
        lines += [
            "  shown as:",
            *(f"  | {text}" for text in (*line.before, line.left + line.marked + line.right, *line.after)),
        ]
    return "\n".join(lines)


def _listed(lines: Sequence[str], of: int) -> str:
    more = [f"… and {of - len(lines)} more"] if of > len(lines) else []
    return "\n".join([*lines, *more]) or "(none)"


def _cut(text: str, most: int) -> str:
    """The beginning and the end of a text that is too long."""
    half = most // 2
    return text if len(text) <= most else f"{text[:half]}\n[… {len(text) - most} characters …]\n{text[-half:]}"
