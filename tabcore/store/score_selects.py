"""Scored runs out of the store. Each function takes an open connection."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import duckdb

from tabcore.analyses.paper import method_named
from tabcore.analyses.score_facts import ScoredRun, measure_of
from tabcore.analyses.value_facts import RubricFacts
from tabcore.bundles.the_agent_company import FINAL_SCORE, points_of
from tabcore.store.selects import texts
from tabcore.store.texts import restored_rows

Connection = duckdb.DuckDBPyConnection

RECEIVED = (
    "SELECT o.run, coalesce(sum(o.chars - s.tab) FILTER (coalesce(c.operation, '') = ''), 0)::BIGINT AS own,"
    " sum(o.chars)::BIGINT AS whole FROM observations o CROSS JOIN LATERAL (SELECT coalesce(list_sum([x.end - x.start"
    ' for x in from_json(o.spans, \'[{"start":"INTEGER","end":"INTEGER","origin":"VARCHAR"}]\')'
    " if x.origin = 'tab']), 0) AS tab) s LEFT JOIN calls c ON c.run = o.run AND c.turn = o.turn"
    " AND c.call_id = o.call_id AND c.abandoned = 0 AND o.call_id <> '' WHERE o.abandoned = 0 GROUP BY o.run"
)
"""By run, the characters of all results: `own` without the tab's replies and what it injected, and `whole`."""
_EXPECTED = "The final answer is "
"""What the rubric of a question begins with (bundles.officeqa)."""


def chosen(runs: Collection[int] | None) -> str:
    """The condition that chooses these runs (None: all) without the runs of sub-agents."""
    own = "parent_key IS NULL"
    return own if runs is None else f"{own} AND number IN ({', '.join(map(str, runs)) or 'NULL'})"


def scored_runs(connection: Connection, runs: Collection[int] | None = None) -> tuple[ScoredRun, ...]:
    """These runs (None: all), and what was judged of each, in the order in which they came in."""
    query = (
        "SELECT number, run_id, coalesce(task_name, regexp_extract(trim(task), '^[^\\n]*'), ''), coalesce(suite, ''),"
        " coalesce(model, ''), coalesce(method, ''), attempt, attempts, simulated, coalesce(own, 0)"
        f" FROM runs LEFT JOIN ({RECEIVED}) o ON o.run = number WHERE {chosen(runs)} ORDER BY number"
    )
    rows = restored_rows(connection.execute(query).fetchall())
    asked = [row[0] for row in rows if measure_of(row[3]) == "answers"]
    rubrics, answers = _rubrics(connection, runs), _answers(connection, asked)
    return tuple(_scored(row, rubrics[row[0]], answers.get(row[0])) for row in rows)


def _scored(row: tuple[Any, ...], rubrics: Iterable[RubricFacts], answer: str | None) -> ScoredRun:
    _, run_id, task, suite, model, method, attempt, attempts, simulated, chars = row
    told = {rubric.rubric_id: rubric for rubric in rubrics}
    final = told.pop(FINAL_SCORE, None) if measure_of(suite) == "points" else None
    asked = measure_of(suite) == "answers"
    expected = next((r.text for r in told.values() if r.text.startswith(_EXPECTED)), None) if asked else None
    return ScoredRun(
        run_id,
        task,
        suite,
        model,
        method_named(method),
        attempt,
        attempts,
        simulated,
        tuple(told.values()),
        points_of(final.evidence) if final else None,
        answer,
        expected and expected.removeprefix(_EXPECTED),
        chars,
    )


def _rubrics(connection: Connection, runs: Collection[int] | None) -> Mapping[int, list[RubricFacts]]:
    query = (
        "SELECT b.run, r.run_id, b.rubric_id, b.text, v.passed, coalesce(v.judge_failed, false),"
        " coalesce(v.evidence, '') FROM rubrics b JOIN runs r ON r.number = b.run"
        f" LEFT JOIN verdicts v USING (run, rubric_id) WHERE {chosen(runs)} ORDER BY b.run, b.rowid"
    )
    found: dict[int, list[RubricFacts]] = defaultdict(list)
    for run, *rest in restored_rows(connection.execute(query).fetchall()):
        found[run].append(RubricFacts(*rest))
    return found


def _answers(connection: Connection, runs: Collection[int]) -> dict[int, str]:
    """What runs delivered as their answer: a recorded final answer, else the last one given."""
    query = f"SELECT run, text FROM deliverables WHERE run IN ({', '.join(map(str, runs)) or 'NULL'}) ORDER BY rowid"
    rows = connection.execute(query).fetchall()
    known = texts(connection, (text for _, text in rows))
    return {run: known[text] for run, text in reversed(rows) if text is not None}
