"""What the proposer of failure types looks at beside values, out of the store. Each function takes an open connection."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

import duckdb

from tabcore.analyses.score_facts import measure_of
from tabcore.analyses.taxonomy_facts import DeliveredNumber, FileMet, TaxonomyFacts
from tabcore.analyses.value_facts import Expected, RubricFacts, ValueFacts
from tabcore.bundles.the_agent_company import FINAL_SCORE
from tabcore.store.selects import texts
from tabcore.store.texts import restored_rows
from tabcore.store.value_selects import Accepted, value_facts
from tabcore.text.marked_lines import marked_line
from tabcore.text.number_stream import numbers_of

Connection = duckdb.DuckDBPyConnection

_LINE = 400
"""Characters of a line on each side of a number that are looked at."""


def taxonomy_facts(connection: Connection, accepted: Accepted) -> TaxonomyFacts:
    """What is known of all failed rubrics; a final score sums up checkpoints and is no rubric beside them."""
    values = _without_final_scores(value_facts(connection, None, accepted))
    failed = {rubric.run_id for rubric in values.rubrics if rubric.passed is False}
    ids = dict(connection.execute("SELECT number, run_id FROM runs").fetchall())
    chosen = [number for number, run_id in ids.items() if run_id in failed]
    return TaxonomyFacts(
        values,
        tuple(_files(connection, chosen, ids)),
        tuple(_numbers(connection, chosen, ids)),
        _stated(connection, chosen, ids),
        _points(connection, chosen, ids),
    )


def _without_final_scores(values: ValueFacts) -> ValueFacts:
    scored = {run.run_id for run in values.runs if measure_of(run.suite or "") == "points"}

    def stays(one: RubricFacts | Expected) -> bool:
        return one.rubric_id != FINAL_SCORE or one.run_id not in scored

    return replace(values, rubrics=tuple(filter(stays, values.rubrics)), expected=tuple(filter(stays, values.expected)))


def delivered_texts(connection: Connection, number: int) -> dict[str, str]:
    """The texts that a run delivered, as far as they are known, by path."""
    query = "SELECT path, text FROM deliverables WHERE run = ? AND text IS NOT NULL ORDER BY rowid"
    rows = restored_rows(connection.execute(query, [number]).fetchall())
    text = texts(connection, (name for _, name in rows))
    return {path: text[name] for path, name in rows}


def record_texts(connection: Connection, number: int) -> Iterator[str]:
    """The texts of a run that a quote may come from: results, deliverables, the task, paths that it met."""
    query = (
        "SELECT text FROM observations WHERE run = $1 AND abandoned = 0 AND text IS NOT NULL"
        " UNION SELECT text FROM deliverables WHERE run = $1 AND text IS NOT NULL"
    )
    names = [name for (name,) in connection.execute(query, [number]).fetchall()]
    task, opened, unopened = task_and_files(connection, number)
    yield task
    yield "\n".join([*(path for path, _ in opened), *unopened])
    yield from texts(connection, names).values()


def task_and_files(connection: Connection, number: int) -> tuple[str, tuple[tuple[str, int], ...], tuple[str, ...]]:
    """The task of a run, the files that it opened with the turn, and those that it listed and never opened."""
    [(task,)] = restored_rows(
        connection.execute("SELECT coalesce(task, '') FROM runs WHERE number = ?", [number]).fetchall()
    )
    met = list(_files(connection, [number], {number: ""}))
    opened = sorted(((one.path, one.opened) for one in met if one.opened is not None), key=lambda one: one[1])
    return task, tuple(opened), tuple(one.path for one in met if one.opened is None)


def _files(connection: Connection, runs: list[int], ids: Mapping[int, str]) -> Iterator[FileMet]:
    """What the agent wrote itself is no file that it met."""
    query = (
        "SELECT run, path, min(opened), min(listed) FROM ("
        " SELECT run, path, turn AS opened, NULL AS listed FROM read_log WHERE NOT authored"
        " UNION ALL SELECT run, path, NULL, listed_turn FROM candidates)"
        " WHERE list_contains(?, run) GROUP BY run, path ORDER BY run, path"
    )
    for run, path, opened, listed in restored_rows(connection.execute(query, [runs]).fetchall()):
        yield FileMet(ids[run], path, opened, listed)


def _numbers(connection: Connection, runs: list[int], ids: Mapping[int, str]) -> Iterator[DeliveredNumber]:
    query = (
        "SELECT d.run, d.path, d.text, v.key, v.start, v.end FROM deliverables d JOIN texts t ON t.digest = d.text"
        " JOIN text_values v ON v.text = t.number WHERE list_contains(?, d.run) ORDER BY d.run, d.rowid, v.start"
    )
    rows = restored_rows(connection.execute(query, [runs]).fetchall())
    text = texts(connection, (row[2] for row in rows))
    for run, path, digest, key, start, end in rows:
        line = marked_line(text[digest], start, end, around=0)
        whole = f"{line.left[-_LINE:]}{line.marked}{line.right[:_LINE]}"
        yield DeliveredNumber(ids[run], path, key, line.marked, line.number, whole)


def _stated(connection: Connection, runs: list[int], ids: Mapping[int, str]) -> dict[str, frozenset[str]]:
    query = "SELECT number, task FROM runs WHERE list_contains(?, number)"
    rows = restored_rows(connection.execute(query, [runs]).fetchall())
    return {ids[run]: frozenset(key for key, *_ in numbers_of(task)) for run, task in rows if task}


def _points(connection: Connection, runs: list[int], ids: Mapping[int, str]) -> dict[tuple[str, str], float]:
    query = "SELECT run, rubric_id, points FROM rubrics WHERE points IS NOT NULL AND list_contains(?, run)"
    found: dict[tuple[str, str], float] = defaultdict(float)
    for run, rubric_id, points in restored_rows(connection.execute(query, [runs]).fetchall()):
        found[ids[run], rubric_id] = points
    return dict(found)
