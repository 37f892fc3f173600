"""A trial of the Harbor framework, as it leaves it: the folder of one run.

    agent/            the agent's logs: trajectory.json (ATIF) where there is one, else any that is a log
    verifier/         ctrf.json (tests), test-stdout.txt, reward.json or reward.txt
    artifacts/        what was collected from the environment: the files that the run delivered
    result.json       {"task_name", "source", "agent_info": {"model_info": {"name"}}, …}
    config.json       marks the folder; not read, nor are lock.json and trial.log

Checked against the package harbor 0.26.0 (models/trial/paths.py and result.py, verifier/verifier.py). Rubrics are the
tests of ctrf.json, else what the verifier printed (see verifier_log), else the rewards, each met when it is 1. A test
whose status is neither passed nor failed was not evaluated. Multi-step trials (steps/) are not read.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tabcore.bundles.base import Bundle, IsLog, Stated
from tabcore.bundles.beside import items_of, object_of, text_of, walk
from tabcore.bundles.delivered_files import deliverables
from tabcore.bundles.verifier_log import Judged, judged
from tabcore.errors import Problem, UnreadableSource
from tabcore.source import Folder, Source
from tabcore.trajectory import Rubric, Verdict

NAME = "harbor_trial"

STDOUT_LIMIT = 16 << 20
"""Bytes of the longest output of a verifier that is read."""

_AGENT, _VERIFIER, _ARTIFACTS = "agent", "verifier", "artifacts"
_MARKS = ("result.json", "config.json")
_TRAJECTORY = "trajectory.json"
_CTRF, _STDOUT, _REWARDS, _REWARD = "ctrf.json", "test-stdout.txt", "reward.json", "reward.txt"


class _ModelInfo(msgspec.Struct):
    name: str | None = None


class _AgentInfo(msgspec.Struct):
    model_info: _ModelInfo | None = None


class _Result(msgspec.Struct):
    task_name: str | None = None
    source: str | None = None
    agent_info: _AgentInfo | None = None


class _Tests(msgspec.Struct):
    tests: list[object] | None = None


class _Ctrf(msgspec.Struct):
    results: _Tests | None = None


class _Test(msgspec.Struct):
    name: str
    status: str = ""
    message: str | None = None
    trace: str | None = None


def recognises(folder: Folder) -> bool:
    """True for a folder with the folders of agent and verifier, and the trial's configuration or result."""
    inner = {place.name for place in folder.folders()}
    return {_AGENT, _VERIFIER} <= inner and any(source.name in _MARKS for source in folder.files())


def read(folder: Folder, is_log: IsLog) -> Bundle:
    """The trial's run with what the verifier said of it."""
    problems: list[Problem] = []
    result = folder.file("result.json")
    verifier, artifacts = folder.folder(_VERIFIER), folder.folder(_ARTIFACTS)
    parts = {source.name: source for source in (verifier.files() if verifier else ())}
    found = tuple(_judged(parts, problems))
    if not found:
        problems.append(Problem(folder.path, 0, "no verdicts", "the verifier left no verdict", "not evaluated"))
    outputs = tuple((path, s) for path, s in (walk(artifacts) if artifacts else ()) if path != "manifest.json")
    return Bundle(
        _log(folder, is_log, problems),
        _stated(object_of(result, _Result, problems)) if result else Stated(),
        tuple(rubric for rubric, _ in found),
        tuple(verdict for _, verdict in found),
        deliverables(folder.path, outputs, problems),
        (*((result,) if result else ()), *parts.values(), *dict(outputs).values()),
        tuple(problems),
    )


def _stated(result: _Result) -> Stated:
    model = result.agent_info.model_info if result.agent_info else None
    return Stated(model=model.name if model else None, suite=result.source, task_name=result.task_name)


def _log(folder: Folder, is_log: IsLog, problems: list[Problem]) -> Source | None:
    """trajectory.json, else the first log of the agent's."""
    agent = folder.folder(_AGENT)
    files = [source for _, source in walk(agent)] if agent else []
    files.sort(key=lambda source: source.name != _TRAJECTORY)
    log = next((source for source in files if _is_readable_log(source, is_log)), None)
    if log is None:
        problems.append(Problem(folder.path, 0, "no log", "no file in agent/ is a log", "no run was read", lost=True))
    return log


def _is_readable_log(source: Source, is_log: IsLog) -> bool:
    try:
        return is_log(source)
    except UnreadableSource:
        return False


def _judged(parts: dict[str, Source], problems: list[Problem]) -> Iterator[Judged]:
    """What the first of the verifier's files that tells anything tells."""
    told: list[Judged] = []
    if _CTRF in parts:
        told = list(_tests(parts[_CTRF], problems))
    if not told and _STDOUT in parts:
        told = list(judged(text_of(parts[_STDOUT], problems, STDOUT_LIMIT) or ""))
    if not told and _REWARDS in parts:
        told = list(_rewards(parts[_REWARDS], problems))
    elif not told and _REWARD in parts:
        told = list(judged(f"Reward: {(text_of(parts[_REWARD], problems) or '').strip()}"))
    yield from told


def _tests(source: Source, problems: list[Problem]) -> Iterator[Judged]:
    ctrf = object_of(source, _Ctrf, problems, STDOUT_LIMIT)
    seen: set[str] = set()
    tests = ctrf.results.tests if ctrf.results else None
    for place, test in items_of(tests, "tests", _Test, source, problems):
        ident = test.name if test.name not in seen else f"{test.name} ({place})"
        seen.add(ident)
        evidence = "\n".join(filter(None, (test.message, test.trace)))
        passed = {"passed": True, "failed": False}.get(test.status)
        yield Rubric(ident, test.name.rpartition("::")[2]), Verdict(ident, passed, evidence)


def _rewards(source: Source, problems: list[Problem]) -> Iterator[Judged]:
    try:
        found = msgspec.json.decode(text_of(source, problems) or "", type=dict[str, float] | float)
    except (msgspec.DecodeError, RecursionError, ValueError) as fault:
        problems.append(Problem(source.path, 0, "no JSON", f"it holds no rewards ({fault})", "left out", lost=True))
        return
    for name, value in (found if isinstance(found, dict) else {"reward": found}).items():
        yield (
            Rubric(name, f'The verifier gives its full reward "{name}"'),
            Verdict(name, value >= 1, f"reward {value:g}"),
        )
