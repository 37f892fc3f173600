"""TheAgentCompany: trajectories and evaluations of many tasks, told apart by the task's name.

    traj_TASK.json              the log; in a submission under trajectories/, also .txt or compressed
    eval_TASK.json              {"checkpoints": [{"total": 2, "result": 1}, …],
                                "final_score": {"total": 5, "result": 2}}; in a submission under results/
    state_TASK.json screenshots/   not read: the agent's last state

Checked against the benchmark's published code (evaluation/run_eval.py) and evaluations of a published submission
(TheAgentCompany/experiments, evaluation/1.0.0). Checkpoints become rubrics "1", "2", … worth their total, met when
the result reaches it; the evaluation states no text for them. The final score becomes the rubric "final_score" (its
verdict's evidence is "RESULT of TOTAL points", which `points_of` reads). It is taken as given: it can exceed the sum
of the checkpoints.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import msgspec

from tabcore.bundles.base import Bundle, Stated
from tabcore.bundles.beside import find, items_of, object_of
from tabcore.errors import Problem
from tabcore.source import Folder, Source
from tabcore.trajectory import Rubric, Verdict

NAME = "the_agent_company"

SUITE = "TheAgentCompany"

FINAL_SCORE = "final_score"

_LOG = re.compile(r"(?:trajectories/)?traj_([^/]+?)(?:\.(?:json|jsonl|txt|traj|gz|zst))+\Z")
_POINTS = re.compile(r"(-?[\d.]+) of (-?[\d.]+) points\Z")


class _Points(msgspec.Struct):
    total: float
    result: float | None = None


class _Evaluation(msgspec.Struct):
    checkpoints: list[object] | None = None
    final_score: _Points | None = None


def points_of(evidence: str) -> tuple[float, float] | None:
    """The points given and the points to be had, as a verdict's evidence states them.

    >>> points_of("2 of 5 points"), points_of("seen")
    ((2.0, 5.0), None)
    """
    found = _POINTS.match(evidence)
    return (float(found.group(1)), float(found.group(2))) if found else None


def logs(folder: Folder) -> Mapping[str, tuple[str, ...]]:
    """Each trajectory with its evaluation; empty where there is no evaluation at all."""
    trajectories, results = folder.folder("trajectories"), folder.folder("results")
    names = {source.name for source in folder.files()}
    names |= {f"trajectories/{source.name}" for source in (trajectories.files() if trajectories else ())}
    names |= {f"results/{source.name}" for source in (results.files() if results else ())}
    if not any(re.fullmatch(r"(?:results/)?eval_[^/]+\.json", name) for name in names):
        return {}
    tasks = {name: found.group(1) for name in sorted(names) if (found := _LOG.match(name))}
    return {log: tuple(path for path in _evaluations(task) if path in names) for log, task in tasks.items()}


def read(folder: Folder, log: str) -> Bundle | None:
    """The run of one trajectory."""
    named, source = _LOG.match(log), find(folder, log)
    if named is None or source is None:
        return None
    task = named.group(1)
    evaluation = next((found for path in _evaluations(task) if (found := find(folder, path))), None)
    if evaluation is None and log not in logs(folder):
        return None
    problems: list[Problem] = []
    rubrics, verdicts = _evaluated(evaluation, source, problems)
    stated = Stated(suite=SUITE, task_name=task.removesuffix("-image"))
    beside = (evaluation,) if evaluation else ()
    return Bundle(source, stated, rubrics, verdicts, beside=beside, problems=tuple(problems))


def _evaluations(task: str) -> tuple[str, str]:
    return f"eval_{task}.json", f"results/eval_{task}.json"


def _evaluated(
    source: Source | None, log: Source, problems: list[Problem]
) -> tuple[tuple[Rubric, ...], tuple[Verdict, ...]]:
    """Checkpoints and final score as rubrics, and what each was given."""
    if source is None:
        what = f"there is no evaluation of {log.name} in this folder"
        problems.append(Problem(log.path, 0, "no verdicts", what, "not evaluated"))
        return (), ()
    evaluation = object_of(source, _Evaluation, problems)
    told = list(_checkpoints(evaluation, source, problems))
    if evaluation.final_score:
        told.append((FINAL_SCORE, "Final score", evaluation.final_score))
    else:
        problems.append(Problem(source.path, 0, "no final score", "it states no final score", "not evaluated"))
    rubrics = tuple(Rubric(ident, text, points.total) for ident, text, points in told)
    return rubrics, tuple(_verdict(ident, points) for ident, _, points in told)


def _checkpoints(
    evaluation: _Evaluation, source: Source, problems: list[Problem]
) -> Iterator[tuple[str, str, _Points]]:
    for place, points in items_of(evaluation.checkpoints, "checkpoints", _Points, source, problems):
        yield str(place), f"Checkpoint {place}", points


def _verdict(ident: str, points: _Points) -> Verdict:
    if points.result is None:
        return Verdict(ident, None)
    return Verdict(ident, points.result >= points.total, f"{points.result:g} of {points.total:g} points")
