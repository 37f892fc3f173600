"""The project's own layout: one folder, one run. Only the log is required.

    run.toml        what is known of the run (or run.json, with the same names)
    session.jsonl   the log, in any format that a reader recognises; `log` names it where several files qualify
    task.md         the task's text (or task.txt)
    deliverable/    the files that the run delivered, in any folders
    rubrics.json    [{"id": "b1", "text": "names the hotel rates", "points": 2}, …]; points default to 1
    verdicts.json   [{"rubric": "b1", "passed": true, "evidence": "…"}, …]; passed is null where the rubric was not
                    evaluated; "judge_failed": true where the judge gave no verdict

Fields of run.toml, all optional: `log`, `task_file` (a file's name), `task` (the text, or the name of a file in the
folder), `root` (the workspace), `fresh_cwd` (each command starts in the same directory), `method`, `model`, `attempt`,
`attempts`, `suite`, `task_name`, `simulated` (a sentence that says how the run was made, if no live model made it).

Both lists may also stand in an object under "rubrics" or "verdicts". Deliverable files that are no plain text are kept
by size and hash.
"""

from __future__ import annotations

import tomllib
from typing import cast

import msgspec

from tabcore.bundles.base import Bundle, IsLog, Stated
from tabcore.bundles.beside import find, items_of, json_of, text_of, walk
from tabcore.bundles.delivered_files import deliverables
from tabcore.errors import Problem, UnreadableSource
from tabcore.source import Folder, Source
from tabcore.trajectory import Json, Rubric, Task, Verdict

NAME = "run_folder"

_DESCRIPTIONS = ("run.toml", "run.json")
_TASKS = ("task.md", "task.txt")
_LISTS = ("rubrics.json", "verdicts.json")
_DELIVERABLE = "deliverable"


class _Description(msgspec.Struct, forbid_unknown_fields=False):
    log: str | None = None
    task_file: str | None = None
    task: str | None = None
    root: str | None = None
    fresh_cwd: bool | None = None
    method: str | None = None
    model: str | None = None
    attempt: int | None = None
    attempts: int | None = None
    suite: str | None = None
    task_name: str | None = None
    simulated: str | None = None


class _Rubric(msgspec.Struct):
    id: str | int
    text: str
    points: float = 1.0


class _Verdict(msgspec.Struct):
    rubric: str | int
    passed: bool | None = None
    evidence: str = ""
    judge_failed: bool = False


def recognises(folder: Folder) -> bool:
    """True for a folder with a description, or with a task, rubrics or a deliverable beside some other file."""
    names = {source.name for source in folder.files()}
    if names.intersection(_DESCRIPTIONS):
        return True
    beside = names.intersection((*_TASKS, *_LISTS)) or folder.folder(_DELIVERABLE)
    return bool(beside and names.difference(_TASKS, _LISTS))


def read(folder: Folder, is_log: IsLog) -> Bundle:
    """The folder's run with what lies beside it."""
    problems: list[Problem] = []
    files = {source.name: source for source in folder.files()}
    description, about = _description(files, problems)
    task, task_source = _task(folder, files, description, problems)
    lists = [files[name] for name in _LISTS if name in files]
    log = _log(folder, files, description, is_log, problems)
    rubrics = _rubrics(files, problems)
    delivered = folder.folder(_DELIVERABLE)
    outputs = tuple(walk(delivered)) if delivered else ()
    return Bundle(
        log,
        _stated(description, task),
        rubrics,
        _verdicts(files, rubrics, problems),
        deliverables(folder.path, outputs, problems),
        tuple(source for source in (about, task_source, *lists, *dict(outputs).values()) if source is not None),
        tuple(problems),
    )


def _stated(description: _Description, task: Task | None) -> Stated:
    return Stated(
        task=task,
        root=description.root,
        fresh_cwd=description.fresh_cwd,
        method=description.method,
        model=description.model,
        attempt=description.attempt,
        attempts=description.attempts,
        suite=description.suite,
        task_name=description.task_name,
        simulated=description.simulated,
    )


def _description(files: dict[str, Source], problems: list[Problem]) -> tuple[_Description, Source | None]:
    """run.toml, else run.json, field by field; a field of the wrong type is left out."""
    source = next((files[name] for name in _DESCRIPTIONS if name in files), None)
    if source is None:
        return _Description(), None
    value = _toml(source, problems) if source.name.endswith(".toml") else json_of(source, problems)
    if not isinstance(value, dict):
        return _Description(), source
    kept: dict[str, Json] = {}
    for name, item in value.items():
        if name not in _Description.__struct_fields__:
            problems.append(Problem(source.path, 0, "unknown field", f'"{name}" is no field', "left out"))
            continue
        try:
            msgspec.convert({name: item}, _Description)
        except msgspec.ValidationError as fault:
            problems.append(Problem(source.path, 0, "unexpected type", str(fault), "left out", lost=True))
        else:
            kept[name] = item
    return msgspec.convert(kept, _Description), source


def _toml(source: Source, problems: list[Problem]) -> Json:
    text = text_of(source, problems)
    try:
        return cast(Json, tomllib.loads(text)) if text is not None else None
    except (tomllib.TOMLDecodeError, RecursionError) as fault:
        problems.append(Problem(source.path, 0, "no TOML", f"it is no TOML ({fault})", "left out", lost=True))
        return None


def _task(
    folder: Folder, files: dict[str, Source], description: _Description, problems: list[Problem]
) -> tuple[Task | None, Source | None]:
    """The stated text, or that of the stated file, or of the task file beside; and the file it came from."""
    named = description.task_file or description.task
    source = find(folder, named) if named and "\n" not in named else None
    if description.task_file and source is None:
        what = f"the task file {description.task_file} is not in the folder"
        problems.append(Problem(folder.path, 0, "missing file", what, "left out", lost=True))
    if source is None and description.task:
        return Task(description.task, "run folder"), None
    source = source or next((files[name] for name in _TASKS if name in files), None)
    text = text_of(source, problems) if source else None
    return (Task(text.strip(), "run folder") if text and text.strip() else None), source


def _log(
    folder: Folder, files: dict[str, Source], description: _Description, is_log: IsLog, problems: list[Problem]
) -> Source | None:
    """The stated log, else the one file that is a log."""
    if description.log is not None:
        log = find(folder, description.log)
        if log is None:
            what = f"the log {description.log} is not in the folder"
            problems.append(Problem(folder.path, 0, "no log", what, "no run was read", lost=True))
        return log
    known = (*_DESCRIPTIONS, *_TASKS, *_LISTS)
    logs = [source for name, source in files.items() if name not in known and _is_readable_log(source, is_log)]
    if not logs:
        problems.append(Problem(folder.path, 0, "no log", "no file here is a log", "no run was read", lost=True))
    elif len(logs) > 1:
        what = f"{len(logs)} files here are logs"
        done = f"{logs[0].name} was taken; name another as `log` in run.toml"
        problems.append(Problem(folder.path, 0, "several logs", what, done))
    return logs[0] if logs else None


def _is_readable_log(source: Source, is_log: IsLog) -> bool:
    try:
        return is_log(source)
    except UnreadableSource:
        return False


def _rubrics(files: dict[str, Source], problems: list[Problem]) -> tuple[Rubric, ...]:
    source = files.get("rubrics.json")
    rubrics: dict[str, Rubric] = {}
    for _, item in items_of(json_of(source, problems), "rubrics", _Rubric, source, problems) if source else ():
        if str(item.id) in rubrics:
            what = f"the rubric {item.id} stands here twice"
            problems.append(Problem(files["rubrics.json"].path, 0, "repeated rubric", what, "the first was kept", True))
            continue
        rubrics[str(item.id)] = Rubric(str(item.id), item.text, item.points)
    return tuple(rubrics.values())


def _verdicts(files: dict[str, Source], rubrics: tuple[Rubric, ...], problems: list[Problem]) -> tuple[Verdict, ...]:
    source = files.get("verdicts.json")
    if source is None:
        return ()
    known = {rubric.rubric_id for rubric in rubrics}
    verdicts = []
    for _, item in items_of(json_of(source, problems), "verdicts", _Verdict, source, problems):
        if str(item.rubric) not in known:
            what = f"a verdict names the rubric {item.rubric}, which is not among the rubrics"
            problems.append(Problem(source.path, 0, "unknown rubric", what, "kept"))
        verdicts.append(Verdict(str(item.rubric), item.passed, item.evidence, item.judge_failed))
    return tuple(verdicts)
