"""What a verifier printed -> what was asked, and its verdicts.

Seen in published runs, and checked against them: pytest's short summary (SkillsBench), the test cases of
SpreadsheetBench, and a reward, behind an expected answer (AA-LCR, BixBench, DeepSynth). A test that could not run, and
the verifier's own traceback, are a judge that failed. A reward is met when it is 1: what a part of it means is the
benchmark's own, and stands in the evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tabcore.trajectory import Rubric, Verdict

Judged = tuple[Rubric, Verdict]

EVIDENCE_LIMIT = 4000
"""Characters of a failure that are kept as evidence."""

_TEST = re.compile(r"^(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\s+(\S+?::\S+)(?:\s+-\s+(.*))?$", re.MULTILINE)
_FAILURE_HEAD = re.compile(r"^_{3,} (?:ERROR at \w+ of )?(\S+) _{3,}$", re.MULTILINE)
_FAILURE_LINE = re.compile(r"^E   .*$", re.MULTILINE)
_CASE = re.compile(r"^\s*Test case (\d+): (PASS|FAIL)\b(?:\s*[—-]+\s*(.*))?$", re.MULTILINE)
_REWARD = re.compile(r"^(?:Final reward|Hard reward|Reward): (-?[\d.]+)\s*$", re.MULTILINE)
_EXPECTED = re.compile(
    r"^(?:Correct answer|Gold answer|Parsed ideal(?: range)?): (\{.*?^\}|.*?)$", re.MULTILINE | re.DOTALL
)
_JUDGE = re.compile(r"^(?:Judge response|LLM judge): .*$", re.MULTILINE)
_ANSWER = re.compile(
    r"^(?:Predicted answer|Model answer|Parsed submitted answer): (\{.*?^\}|.*?)$", re.MULTILINE | re.DOTALL
)


def judged(text: str) -> tuple[Judged, ...]:
    """Each thing asked with its verdict; () for a verifier that told none.

    >>> [(rubric, verdict)] = judged("Correct answer: 4 cities\\nPredicted answer: 5\\nReward: 0.0\\n")
    >>> rubric.text, verdict.passed
    ('The answer is 4 cities', False)
    >>> [(rubric.text, verdict.passed) for rubric, verdict in judged("PASSED t.py::test_a\\nERROR t.py::test_b - boom")]
    [('test_a', True), ('test_b', None)]
    """
    return tuple(_tests(text)) or tuple(_cases(text)) or tuple(_reward(text))


def _tests(text: str) -> Iterator[Judged]:
    """Tests as pytest sums them up; their ids are their names, behind the file where two share one."""
    failures = _failures(text)
    seen: set[str] = set()
    for found in _TEST.finditer(text):
        word, place, message = found.groups()
        name = place.split("::", 1)[1]
        ident = place if name in seen else name
        if ident in seen:
            continue
        seen.add(ident)
        evidence = "\n".join(filter(None, (message, failures.get(name.split("[")[0], ""))))[:EVIDENCE_LIMIT]
        passed = {"PASSED": True, "XPASS": True, "FAILED": False, "XFAIL": False}.get(word)
        yield Rubric(ident, name), Verdict(ident, passed, evidence, judge_failed=word == "ERROR")


def _failures(text: str) -> dict[str, str]:
    """The lines in which pytest says why each test failed."""
    heads = list(_FAILURE_HEAD.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return {
        head.group(1): "\n".join(line.group() for line in _FAILURE_LINE.finditer(text, head.end(), end))
        for head, end in zip(heads, ends, strict=False)
    }


def _cases(text: str) -> Iterator[Judged]:
    for found in _CASE.finditer(text):
        ident, word, message = found.groups()
        yield Rubric(ident, f"Test case {ident}"), Verdict(ident, word == "PASS", (message or "")[:EVIDENCE_LIMIT])


def _reward(text: str) -> Iterator[Judged]:
    """The last reward, and what was expected for it."""
    *_, reward = (None, *_REWARD.finditer(text))
    if reward is None:
        return
    expected, answer = _EXPECTED.search(text), _ANSWER.search(text)
    asked = f"The answer is {expected.group(1)}" if expected else "The verifier gives its full reward"
    said = [line.group() for line in _JUDGE.finditer(text)]
    answered = [f"Answer: {answer.group(1)}"] if answer else []
    evidence = "\n".join([*answered, *said, reward.group().strip()])[:EVIDENCE_LIMIT]
    yield Rubric("reward", asked), Verdict("reward", _number(reward.group(1)) >= 1, evidence)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
