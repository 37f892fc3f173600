"""Claude's managed agents: rows and bare events, responses by model request, documents and search results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reader_checks import damaged, kinds, runs_in

import tabcore
from tabcore.ingest import load
from tabcore.readers import managed_agents
from tabcore.store.store import Store


def event(kind: str, **fields: object) -> dict[str, object]:
    return {"type": kind, "id": fields.pop("id", "sevt_0"), "processed_at": "2026-05-01T10:00:00Z", **fields}


def text(of: str) -> dict[str, object]:
    return {"type": "text", "text": of}


def request(tokens: int) -> list[dict[str, object]]:
    usage = {"input_tokens": tokens, "output_tokens": 2, "cache_read_input_tokens": 1}
    return [event("span.model_request_start"), event("span.model_request_end", model_usage=usage)]


FOUND = [
    {"type": "search_result", "title": "Report", "source": "q4.pdf", "content": [text("40.1")]},
    {"type": "document", "title": "Notes", "source": {"type": "text", "data": "plain"}},
    {"type": "image", "source": {"type": "base64", "data": "A" * 500}},
]
EVENTS = [
    event("session.status_running"),
    event("user.define_outcome", description="Sum the report", rubric={"type": "text", "content": "Is it 3?"}),
    *request(10),
    event("agent.thinking"),
    event("agent.message", content=[text("I look")]),
    event("agent.tool_use", id="t1", name="search", input={"query": "sum"}),
    event("agent.mcp_tool_use", id="t2", name="fetch", input={"url": "u"}),
    event("agent.tool_result", tool_use_id="t1", content=FOUND, is_error=False),
    event("agent.mcp_tool_result", mcp_tool_use_id="t2", content=[text("not found")], is_error=True),
    *request(20),
    event("agent.message", content=[text("It is 3")]),
    event("span.outcome_evaluation_end", result="needs_revision", explanation="Say where from"),
    event("session.error", error={"message": "out of time"}),
]
SAMPLE = json.dumps(EVENTS)
ROWS = "\n".join(
    json.dumps({"role": "x", "kind": "y", "content": None, "time": "2026-05-01T10:00:00Z", "raw": one})
    for one in EVENTS
)


@pytest.mark.parametrize("log", [SAMPLE, ROWS, json.dumps({"data": EVENTS})], ids=["list", "rows", "page"])
def test_responses_are_what_is_said_and_called_between_model_requests(log: str) -> None:
    [run] = runs_in(managed_agents, log)
    assert [turn.text for turn in run.turns] == ["I look", "It is 3"]
    assert [call.call_id for call in run.turns[0].calls] == ["t1", "t2"]
    assert [turn.usage and (turn.usage.input, turn.usage.cache_read) for turn in run.turns] == [(10, 1), (20, 1)]
    assert run.turns[0].time == 1777629600.0


def test_results_hold_the_text_of_documents_and_searches_and_count_pictures() -> None:
    [run] = runs_in(managed_agents, SAMPLE)
    found, fetched = run.turns[0].observations
    assert (found.text, found.images) == ("Report\nq4.pdf\n40.1\nNotes\nplain", 1)
    assert (fetched.call_id, fetched.text, fetched.is_error) == ("t2", "not found", True)


def test_the_outcome_is_the_task_and_the_judges_rubric_is_not_in_the_conversation() -> None:
    [run] = runs_in(managed_agents, SAMPLE)
    assert run.header.task is not None
    assert run.header.task.text == "Sum the report"
    assert [(message.origin, message.text) for message in run.turns[0].before] == [("person", "Sum the report")]
    assert [(message.origin, message.kind, message.text) for message in run.after] == [
        ("harness", "notice", "Say where from")
    ]


def verdicts(*events: dict[str, object]) -> list[tuple[str, str, bool | None, bool]]:
    """By what a session with these events is judged, and how."""
    [run] = runs_in(managed_agents, json.dumps([*EVENTS[:-2], *events]))
    found = {verdict.rubric_id: verdict for verdict in run.verdicts}
    return [
        (
            rubric.text,
            found[rubric.rubric_id].evidence,
            found[rubric.rubric_id].passed,
            found[rubric.rubric_id].judge_failed,
        )
        for rubric in run.rubrics
        if rubric.rubric_id in found
    ]


def evaluated(result: str | None, **more: object) -> dict[str, object]:
    return event("span.outcome_evaluation_end", result=result, **more)


@pytest.mark.parametrize(
    ("result", "passed", "judge_failed"),
    [
        ("satisfied", True, False),
        ("needs_revision", False, False),
        ("max_iterations_reached", False, False),
        ("failed", None, True),
        ("interrupted", None, False),
        ("unheard-of", None, False),
    ],
)
def test_the_judges_result_is_the_verdict_on_the_outcomes_rubric(
    result: str, passed: bool | None, judge_failed: bool
) -> None:
    assert verdicts(evaluated(result)) == [("Is it 3?", f"result: {result}", passed, judge_failed)]


def test_the_last_evaluation_counts() -> None:
    told = verdicts(evaluated("needs_revision", explanation="No source"), evaluated("satisfied", explanation="Named"))
    assert told == [("Is it 3?", "result: satisfied\nNamed", True, False)]


def test_an_outcome_that_was_not_evaluated_has_no_verdict() -> None:
    [run] = runs_in(managed_agents, json.dumps(EVENTS[:-2]))
    assert [rubric.text for rubric in run.rubrics] == ["Is it 3?"]
    assert run.verdicts == ()


def test_each_outcome_has_its_own_verdict() -> None:
    second = event(
        "user.define_outcome", outcome_id="o2", description="Name it", rubric={"type": "file", "file_id": "f"}
    )
    told = verdicts(second, evaluated("satisfied", outcome_id="o2"))
    assert told == [("Name it", "result: satisfied", True, False)]


@pytest.mark.parametrize("beside", [True, False])
def test_rubrics_in_the_runs_folder_count_more_than_the_logs_own(beside: bool, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "session.json").write_text(SAMPLE)
    (tmp_path / "run" / "run.toml").write_text('suite = "sums"')
    if beside:
        (tmp_path / "run" / "rubrics.json").write_text('[{"id": "b1", "text": "It is 3"}]')
    expected = [("b1", "It is 3")] if beside else [("outcome-1", "Is it 3?")]
    [loaded] = tabcore.load(str(tmp_path / "run"))
    assert [(rubric.rubric_id, rubric.text) for rubric in loaded.run.rubrics] == expected
    store = Store(tmp_path / "runs.duckdb")
    load([str(tmp_path / "run")], store)
    with store.reading() as connection:
        assert connection.execute("SELECT rubric_id, text FROM rubrics").fetchall() == expected


def test_a_sessions_error_is_a_problem_with_its_words() -> None:
    [run] = runs_in(managed_agents, SAMPLE)
    assert kinds(run) == {"failed run": 1}
    assert "out of time" in run.problems[0].what


@given(st.data())
@settings(deadline=None)
def test_damaged_bytes_never_raise(data: st.DataObject) -> None:
    runs_in(managed_agents, data.draw(damaged(data.draw(st.sampled_from([SAMPLE, ROWS])).encode())))
