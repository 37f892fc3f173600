"""OfficeQA: logs named by the question's uid, beside tables of questions, answers and final answers.

    officeqa*.csv   uid, question, answer, …
    *.csv           uid and a final answer, each under one of the names below; perhaps a score
    scores.jsonl    {"uid", "predicted", "expected", "score"} a line
    …uid0001….jsonl, uid0001/….jsonl, traces/officeqa-uid0001.jsonl   logs

The table of questions is checked against the published one (databricks/officeqa, README.md and officeqa.csv),
scores.jsonl and traces/ against a published runner (benediktstroebl/officeqa, parity/run_officeqa_claude_code.py,
whose score is that of a 1 % error). A csv of final answers is unverified: no published one was found. The expected
answer becomes the one rubric; a verdict is told only where a table states a score, since accuracy depends on the error
allowed; the final answer, where a table states it, becomes the deliverable.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256

import msgspec

from tabcore.bundles.base import Bundle, Stated
from tabcore.bundles.beside import find, text_of
from tabcore.errors import Problem
from tabcore.source import Folder, Source
from tabcore.trajectory import Deliverable, Rubric, Task, Verdict

NAME = "officeqa"

SUITE = "OfficeQA"

TABLE_LIMIT = 32 << 20
"""Bytes of the longest table that is read."""

_SCORES = "scores.jsonl"
_QUESTIONS = re.compile(r"officeqa[\w.-]*\.csv\Z", re.IGNORECASE)
_UID = re.compile(r"uid_?(\d+)", re.IGNORECASE)
_NO_LOG = (".csv", ".md", ".txt", ".log", ".py", ".pdf", ".png")
_TRIAL = re.compile(r"trial[_-]?(\d+)\Z", re.IGNORECASE)
_EXPECTED = ("answer", "expected", "ground_truth", "expected_answer")
_FINAL = ("final_answer", "predicted", "prediction", "predicted_answer", "model_answer", "response")
_SCORE = ("score", "correct", "is_correct")

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Told:
    """What the tables of a folder tell of one question, and the table that each came from."""

    question: str = ""
    expected: str = ""
    final: str | None = None
    final_table: str = ""
    score: str = ""


def logs(folder: Folder) -> Mapping[str, tuple[str, ...]]:
    """Each file that bears a uid in its name, or in that of its folder, with the tables."""
    tables = tuple(source.name for source in folder.files() if _is_table(source.name))
    if not any(name == _SCORES or _QUESTIONS.match(name) for name in tables):
        return {}
    inner = (f"{place.name}/{source.name}" for place in folder.folders() for source in place.files())
    paths = (*(source.name for source in folder.files() if source.name not in tables), *inner)
    return {path: tables for path in paths if _UID.search(path) and not path.endswith(_NO_LOG)}


def read(folder: Folder, log: str) -> Bundle | None:
    """The run of one question."""
    named, source = _UID.search(log), find(folder, log)
    tables = [table for table in folder.files() if _is_table(table.name)]
    if named is None or source is None or not any(t.name == _SCORES or _QUESTIONS.match(t.name) for t in tables):
        return None
    problems: list[Problem] = []
    uid = int(named.group(1))
    told = _told(uid, tables, problems)
    if told.expected == "":
        what = f"no table here has the answer to question {named.group()}"
        problems.append(Problem(source.path, 0, "no rubrics", what, "loaded without", lost=True))
    trial = _TRIAL.search(folder.name)
    rubric_id = f"UID{uid:04d}"
    return Bundle(
        source,
        Stated(
            task=Task(told.question, "table of questions") if told.question else None,
            suite=SUITE,
            task_name=rubric_id,
            attempt=int(trial.group(1)) if trial else None,
        ),
        (Rubric(rubric_id, f"The final answer is {told.expected}"),) if told.expected else (),
        tuple(_verdicts(rubric_id, told)),
        tuple(_final_answer(told)),
        tuple(tables),
        tuple(problems),
    )


def _is_table(name: str) -> bool:
    return name == _SCORES or name.lower().endswith(".csv")


def _told(uid: int, tables: list[Source], problems: list[Problem]) -> _Told:
    """What the tables tell of a question; of several words on one thing the first counts."""
    question = expected = final_table = score = ""
    final: str | None = None
    for table in tables:
        for row in _rows(table, problems):
            named = _UID.search(row.get("uid") or row.get("task_id") or "")
            if named is None or int(named.group(1)) != uid:
                continue
            question = question or row.get("question", "").strip()
            expected = expected or _first(row, _EXPECTED)
            score = score or _first(row, _SCORE)
            if final is None and any(name in row for name in _FINAL):
                final, final_table = _first(row, _FINAL), table.name
    return _Told(question, expected, final, final_table, score)


def _first(row: Row, names: tuple[str, ...]) -> str:
    return next((row[name].strip() for name in names if row.get(name, "").strip()), "")


def _rows(table: Source, problems: list[Problem]) -> Iterator[Row]:
    text = text_of(table, problems, TABLE_LIMIT) or ""
    yield from _json_rows(table, text, problems) if table.name == _SCORES else _csv_rows(table, text, problems)


def _csv_rows(table: Source, text: str, problems: list[Problem]) -> Iterator[Row]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        for row in reader:
            yield {name.strip().lower(): value or "" for name, value in row.items() if isinstance(name, str)}
    except csv.Error as fault:
        what = f"it is no table from here on ({fault})"
        problems.append(
            Problem(table.path, reader.reader.line_num, "no table", what, "what came before was kept", lost=True)
        )


def _json_rows(table: Source, text: str, problems: list[Problem]) -> Iterator[Row]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = msgspec.json.decode(line, type=dict[str, str | float | bool | None])
        except (msgspec.DecodeError, RecursionError, ValueError) as fault:
            problems.append(Problem(table.path, number, "no JSON", f"it is no score ({fault})", "left out", lost=True))
        else:
            yield {name: _cell(value) for name, value in row.items()}


def _verdicts(rubric_id: str, told: _Told) -> Iterator[Verdict]:
    """The verdict of a stated score; none where there is none."""
    if not told.expected or not told.score:
        return
    try:
        passed = float(told.score) > 0
    except ValueError:
        passed = told.score.lower() in ("true", "yes", "correct")
    answered = told.final or "nothing"
    yield Verdict(rubric_id, passed, f"score {told.score}: answered {answered}, expected {told.expected}")


def _final_answer(told: _Told) -> Iterator[Deliverable]:
    if told.final:
        data = told.final.encode("utf-8", "replace")
        yield Deliverable(f"final answer ({told.final_table})", len(data), sha256(data).hexdigest(), told.final)


def _cell(value: str | float | bool | None) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return "" if value is None else str(value)
