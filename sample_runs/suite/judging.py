"""Rubrics and verdicts of a simulated run, from what it delivered and by stated checks alone.

A value counts where the deliverable states an equal one on the line of its subject (`sample_runs.verdicts`). A
workspace task has a rubric for each value and for what is worked out of them. A company task has checkpoints of several
values, a point each, and the sum of all points as its final score. A question is answered where the final answer
states the expected number (OfficeQA's rules, error 0).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sample_runs.suite.tasks import SuiteTask
from sample_runs.verdicts import Check, Expectation, verdict
from tabcore.analyses.final_answers import final_answer, matches
from tabcore.bundles.the_agent_company import FINAL_SCORE
from tabcore.documents import read_document
from tabcore.trajectory import Json

Judged = tuple[list[dict[str, Json]], list[dict[str, Json]]]
"""What `rubrics.json` and `verdicts.json` hold."""


def judged(task: SuiteTask, delivered: Path | None, answer: str) -> Judged:
    """What becomes of a delivered file, or of an answer where the task asks for no file."""
    if not task.deliverable:
        return _question(task, answer)
    assert delivered is not None
    document = read_document(delivered)
    checks = _checks(task)
    verdicts = [verdict(check, document, delivered.name) for check in checks]
    return _checkpoints(task, checks, verdicts) if task.points else _rubrics(checks, verdicts)


def _checks(task: SuiteTask) -> list[Check]:
    """One for each value, and one for what is worked out of them."""
    wanted = [(item.asked, item.value, item.subject) for item in task.items]
    wanted.append((task.total.lower(), task.expected, task.total))
    return [
        Check(str(place), f"Gives {asked}: {value}", (Expectation(value, True, beside),))
        for place, (asked, value, beside) in enumerate(wanted, 1)
    ]


def _rubrics(checks: Sequence[Check], verdicts: Sequence[dict[str, str | bool]]) -> Judged:
    return [{"id": check.rubric, "text": check.text} for check in checks], [dict(one) for one in verdicts]


def _checkpoints(task: SuiteTask, checks: Sequence[Check], verdicts: Sequence[dict[str, str | bool]]) -> Judged:
    rubrics: list[dict[str, Json]] = []
    told: list[dict[str, Json]] = []
    start = 0
    for place, points in enumerate((*task.points, 1), 1):
        covered = slice(start, start + points)
        start += points
        result = sum(bool(one["passed"]) for one in verdicts[covered])
        why = "; ".join(str(one["evidence"]) for one in verdicts[covered])
        rubrics.append({"id": str(place), "text": "; ".join(check.text for check in checks[covered]), "points": points})
        told.append(
            {"rubric": str(place), "passed": result == points, "evidence": f"{result} of {points} points: {why}"}
        )
    met, total = sum(bool(one["passed"]) for one in verdicts), len(verdicts)
    rubrics.append({"id": FINAL_SCORE, "text": "Final score", "points": total})
    told.append({"rubric": FINAL_SCORE, "passed": met == total, "evidence": f"{met} of {total} points"})
    return rubrics, told


def _question(task: SuiteTask, answer: str) -> Judged:
    said = f"answered {final_answer(answer)}, expected {task.expected}"
    rubric: dict[str, Json] = {"id": task.task_name, "text": f"The final answer is {task.expected}"}
    passed = matches(answer, task.expected)
    return [rubric], [{"rubric": task.task_name, "passed": passed, "evidence": said}]
