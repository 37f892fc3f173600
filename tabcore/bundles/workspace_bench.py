"""Workspace-Bench: the folder of one case, as its runner and its judge leave it.

    metadata.json               {"id", "task", "rubrics": ["…", …], …}; a rubric's id is its index, from 0
    agent.json                  how the runner recorded the run: its log, where no other lies here or in raw/
    rubrics_judge--MODEL.json   {"rubrics": [{"index", "passed", "confidence", "evidence"}, …],
                                "judge": {"error"}, "status"?}
    output/                     the files that the run delivered
    agent.log raw/ dependency_graph--MODEL.json   not read

Checked against copies of the benchmark's published code (evaluation/src/agent_runner.py, agent_as_a_judge.py and its
tests in later forks); no published run was found. Where a judge gave nothing, older versions wrote every rubric as
failed, of confidence 0.0, with the error for evidence; newer ones mark the file with the status "error". Both are
told as failures of the judge. Of several judges the one that evaluated most rubrics is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from tabcore.bundles.base import Bundle, IsLog, Stated
from tabcore.bundles.beside import items_of, object_of, walk
from tabcore.bundles.delivered_files import deliverables
from tabcore.errors import Problem, UnreadableSource
from tabcore.source import Folder, Source
from tabcore.trajectory import Rubric, Task, Verdict

NAME = "workspace_bench"

SUITE = "Workspace-Bench"

AGENT_LIMIT = 64 << 20
"""Bytes of the longest agent.json that is read for what it states of the run."""

_METADATA, _AGENT, _OUTPUT = "metadata.json", "agent.json", "output"
_JUDGE, _GRAPH = "rubrics_judge--", "dependency_graph--"
_FAILURE = re.compile(
    r"\b(?:fail(?:ed|ure)?|errors?|exception|timed out|time-?out|crashed|HTTP \d{3})\b|失败|错误|超时", re.IGNORECASE
)


class _Metadata(msgspec.Struct):
    id: str | int | None = None
    task: str | None = None
    rubrics: list[object] | None = None


class _Model(msgspec.Struct):
    model: str | None = None


class _Trace(msgspec.Struct):
    llm: _Model | None = None


class _Agent(msgspec.Struct, rename="camel"):
    work_dir: str | None = None
    trace: _Trace | None = None


class _Row(msgspec.Struct):
    index: int
    passed: bool | None = None
    confidence: float | None = None
    evidence: str | None = None


class _JudgeState(msgspec.Struct):
    error: str | None = None
    status: str | None = None


class _Judgment(msgspec.Struct):
    rubrics: list[object] | None = None
    judge: _JudgeState | None = None
    status: str | None = None

    @property
    def failed(self) -> bool:
        """True when the judge gave no word that counts."""
        return self.status == "error" or (self.judge is not None and self.judge.status == "error")

    @property
    def error(self) -> str:
        return (self.judge.error if self.judge else None) or ""


def recognises(folder: Folder) -> bool:
    """True for a case with its metadata and what runner, judge or agent left beside; a task alone is none."""
    names = [source.name for source in folder.files()]
    if _METADATA not in names:
        return False
    if _AGENT in names or any(name.startswith(_JUDGE) for name in names):
        return True
    return folder.folder(_OUTPUT) is not None and any(name.endswith((".jsonl", ".traj")) for name in names)


def read(folder: Folder, is_log: IsLog) -> Bundle:
    """The case's run with what lies beside it."""
    problems: list[Problem] = []
    files = {source.name: source for source in folder.files()}
    metadata = object_of(files[_METADATA], _Metadata, problems)
    rubrics = tuple(_rubrics(metadata.rubrics, files[_METADATA], problems))
    judges = [source for name, source in files.items() if name.startswith(_JUDGE) and name.endswith(".json")]
    output = folder.folder(_OUTPUT)
    outputs = tuple(walk(output)) if output else ()
    return Bundle(
        _log(folder, files, is_log, problems),
        _stated(metadata, files.get(_AGENT), folder),
        rubrics,
        _verdicts(judges, rubrics, folder, problems),
        deliverables(folder.path, outputs, problems),
        (files[_METADATA], *judges, *dict(outputs).values()),
        tuple(problems),
    )


def _stated(metadata: _Metadata, agent: Source | None, folder: Folder) -> Stated:
    """What is known of the run; the faults of agent.json are told by whoever reads it as a log."""
    about = object_of(agent, _Agent, [], AGENT_LIMIT) if agent else _Agent()
    task = metadata.task.strip() if metadata.task else ""
    return Stated(
        task=Task(task, "metadata.json") if task else None,
        root=about.work_dir,
        model=about.trace.llm.model if about.trace and about.trace.llm else None,
        suite=SUITE,
        task_name=folder.name if metadata.id is None else str(metadata.id),
    )


def _rubrics(rubrics: list[object] | None, source: Source, problems: list[Problem]) -> Iterator[Rubric]:
    if rubrics is None:
        problems.append(Problem(source.path, 0, "no rubrics", "it holds no rubrics", "loaded without", lost=True))
    for index, rubric in enumerate(rubrics or ()):
        if isinstance(rubric, str):
            yield Rubric(str(index), rubric)
        else:
            what = f"the rubric {index} is no text"
            problems.append(Problem(source.path, 0, "unexpected type", what, "left out", lost=True))


def _log(folder: Folder, files: dict[str, Source], is_log: IsLog, problems: list[Problem]) -> Source | None:
    """A log that the agent wrote itself, here or in raw/, else the runner's record."""
    raw = folder.folder("raw")
    own = (source for source in (*files.values(), *(raw.files() if raw else ())) if not _is_known(source.name))
    candidates = (*own, *(files[name] for name in (_AGENT,) if name in files))
    log = next((source for source in candidates if _is_readable_log(source, is_log)), None)
    if log is None:
        problems.append(Problem(folder.path, 0, "no log", "no file here is a log", "no run was read", lost=True))
    return log


def _is_known(name: str) -> bool:
    return name in (_METADATA, _AGENT) or name.startswith((_JUDGE, _GRAPH))


def _is_readable_log(source: Source, is_log: IsLog) -> bool:
    try:
        return is_log(source)
    except UnreadableSource:
        return False


def _verdicts(
    judges: list[Source], rubrics: tuple[Rubric, ...], folder: Folder, problems: list[Problem]
) -> tuple[Verdict, ...]:
    """The verdicts of the judge that evaluated most."""
    if not judges:
        problems.append(Problem(folder.path, 0, "no verdicts", "no judge's file lies here", "not evaluated"))
        return ()
    told = [(source, tuple(_judged(source, rubrics, problems))) for source in judges]
    source, verdicts = max(told, key=lambda one: sum(verdict.passed is not None for verdict in one[1]))
    if len(judges) > 1:
        what = f"{len(judges)} judges evaluated this run"
        done = f"the verdicts of {source.name} were taken, which has most"
        problems.append(Problem(folder.path, 0, "several judges", what, done))
    return verdicts


def _judged(source: Source, rubrics: tuple[Rubric, ...], problems: list[Problem]) -> Iterator[Verdict]:
    """One judge's verdicts by index, each once. A judge that failed as a whole failed on every rubric."""
    judgment = object_of(source, _Judgment, problems)
    if judgment.failed:
        yield from (Verdict(rubric.rubric_id, None, judgment.error, judge_failed=True) for rubric in rubrics)
        return
    known = {rubric.rubric_id for rubric in rubrics}
    rows = items_of(judgment.rubrics, "rubrics", _Row, source, problems)
    found = [_verdict(row) for row in _each_once(rows, source, problems)]
    for verdict in found:
        if verdict.rubric_id not in known:
            what = f"a verdict names the rubric {verdict.rubric_id}, which is not among the rubrics"
            problems.append(Problem(source.path, 0, "unknown rubric", what, "kept"))
    if judgment.error and not all(verdict.judge_failed for verdict in found):
        what = f"the judge ended with an error ({judgment.error[:200]})"
        problems.append(Problem(source.path, 0, "judge error", what, "the verdicts that it gave were kept"))
    yield from found


def _each_once(rows: Iterable[tuple[int, _Row]], source: Source, problems: list[Problem]) -> Iterator[_Row]:
    seen: set[int] = set()
    for place, row in rows:
        if row.index in seen:
            what = f"the rubric {row.index} is judged again (item {place})"
            problems.append(Problem(source.path, 0, "repeated verdict", what, "the first was kept", lost=True))
            continue
        seen.add(row.index)
        yield row


def _verdict(row: _Row) -> Verdict:
    evidence = row.evidence or ""
    if row.confidence == 0 and not row.passed and _FAILURE.search(evidence):
        return Verdict(str(row.index), None, evidence, judge_failed=True)
    return Verdict(str(row.index), row.passed, evidence)
