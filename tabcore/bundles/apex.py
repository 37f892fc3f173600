"""APEX-Agents: `X.trajectory.json` and a folder `X` beside it, or `trajectory.json` among its parts.

    verifiers.json         [{"verifier_id", "verifier_index", "task_id",
                           "verifier_values": {"criteria": "States …"}}, …]
    grades.json            {"verifier_results": [{"verifier_id", "score", "status",
                           "verifier_result_values": {"judge_grade", "grade_rationale"}}, …]}; none for a failed run
    initial_messages.json agent_config.json grading_settings.json filesystem.tar.gz   not read: what the run began with

Checked against published runs of APEX-Agents and against the grader that wrote them (Mercor-Intelligence/archipelago,
grading/runner/models.py and evals/dependent_output_llm). As there, a criterion is met when its score is above 0 and
the judge's grade is not "fail"; the status "error", the grade "error" and `verifier_crashed` are a judge that failed,
`skipped` and `ungradeable` no evaluation. All criteria count one point: the grader states no weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from tabcore.bundles.base import Bundle, Stated
from tabcore.bundles.beside import find, items_of, json_of
from tabcore.errors import Problem
from tabcore.source import Folder, Source
from tabcore.trajectory import Rubric, Verdict

NAME = "apex"

SUITE = "APEX-Agents"

_LOG = ".trajectory.json"
_LOG_AMONG_PARTS = "trajectory.json"
_PARTS = (
    "verifiers.json",
    "grades.json",
    "initial_messages.json",
    "agent_config.json",
    "grading_settings.json",
    "filesystem.tar.gz",
)
_MARKS = frozenset(_PARTS[:2])


class _Criteria(msgspec.Struct):
    criteria: str


class _Verifier(msgspec.Struct):
    verifier_id: str
    verifier_values: _Criteria
    verifier_index: int = 0
    task_id: str | None = None


class _Grade(msgspec.Struct):
    judge_grade: str | None = None
    grade_rationale: str | None = None
    reason: str | None = None
    verifier_crashed: Any = None
    skipped: Any = None
    ungradeable: Any = None


class _Result(msgspec.Struct):
    verifier_id: str
    score: float | None = None
    status: str = "ok"
    message: str | None = None
    verifier_result_values: _Grade = msgspec.field(default_factory=_Grade)


def logs(folder: Folder) -> Mapping[str, tuple[str, ...]]:
    """Each log with the folder of its name, or with the parts beside it."""
    names = {source.name for source in folder.files()}
    found: dict[str, tuple[str, ...]] = {
        f"{inner.name}{_LOG}": (inner.name,)
        for inner in folder.folders()
        if f"{inner.name}{_LOG}" in names and not _MARKS.isdisjoint(source.name for source in inner.files())
    }
    if _LOG_AMONG_PARTS in names and names & _MARKS:
        found[_LOG_AMONG_PARTS] = tuple(name for name in _PARTS if name in names)
    return found


def read(folder: Folder, log: str) -> Bundle | None:
    """The run of one log."""
    parts = folder if log == _LOG_AMONG_PARTS else folder.folder(log.removesuffix(_LOG))
    source = find(folder, log)
    if source is None or parts is None or not log.endswith(_LOG_AMONG_PARTS):
        return None
    beside = {part.name: part for part in parts.files() if part.name in _MARKS}
    if not beside:
        return None
    problems: list[Problem] = []
    verifiers = _verifiers(beside.get("verifiers.json"), parts, problems)
    rubrics = tuple(Rubric(verifier.verifier_id, verifier.verifier_values.criteria) for verifier in verifiers)
    verdicts = tuple(_verdicts(beside.get("grades.json"), parts, rubrics, problems))
    task = next((verifier.task_id for verifier in verifiers if verifier.task_id), None)
    return Bundle(
        source,
        Stated(suite=SUITE, task_name=task),
        rubrics,
        verdicts,
        beside=tuple(beside.values()),
        problems=tuple(problems),
    )


def _verifiers(source: Source | None, parts: Folder, problems: list[Problem]) -> list[_Verifier]:
    """The criteria in the order of their index, each id once."""
    if source is None:
        problems.append(Problem(parts.path, 0, "no rubrics", "verifiers.json is missing", "loaded without", lost=True))
        return []
    found: dict[str, _Verifier] = {}
    for place, verifier in items_of(json_of(source, problems), "verifiers", _Verifier, source, problems):
        if verifier.verifier_id in found:
            what = f"the criterion {verifier.verifier_id} stands here again (item {place})"
            problems.append(Problem(source.path, 0, "repeated rubric", what, "the first was kept", lost=True))
        found.setdefault(verifier.verifier_id, verifier)
    return sorted(found.values(), key=lambda verifier: verifier.verifier_index)


def _verdicts(
    source: Source | None, parts: Folder, rubrics: tuple[Rubric, ...], problems: list[Problem]
) -> Iterator[Verdict]:
    if source is None:
        problems.append(Problem(parts.path, 0, "no verdicts", "grades.json is missing", "not evaluated"))
        return
    known = {rubric.rubric_id for rubric in rubrics}
    for _, result in items_of(json_of(source, problems), "verifier_results", _Result, source, problems):
        if result.verifier_id not in known:
            what = f"a grade names the criterion {result.verifier_id}, which is not among the criteria"
            problems.append(Problem(source.path, 0, "unknown rubric", what, "kept"))
        yield _verdict(result)


def _verdict(result: _Result) -> Verdict:
    grade = result.verifier_result_values
    evidence = grade.grade_rationale or grade.reason or result.message or ""
    if result.status != "ok" or grade.judge_grade == "error" or grade.verifier_crashed:
        return Verdict(result.verifier_id, None, evidence, judge_failed=True)
    if grade.skipped or grade.ungradeable or result.score is None:
        return Verdict(result.verifier_id, None, evidence)
    return Verdict(result.verifier_id, result.score > 0 and grade.judge_grade != "fail", evidence)
