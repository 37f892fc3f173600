"""Runs as ATIF documents: to ATIF and back nothing is lost, the published models accept them, a judge sees no tab."""

from __future__ import annotations

import importlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from atif_rules import faults
from hypothesis import given, settings
from hypothesis import strategies as st
from log_reading import REAL

from tabcore.errors import UnknownFormat
from tabcore.exports.atif import as_text, to_atif
from tabcore.exports.judging import for_judge
from tabcore.memory import read_runs
from tabcore.readers import atif, identify
from tabcore.source import Source
from tabcore.tab.messages import system_block
from tabcore.tab.operations import operation_of
from tabcore.trajectory import (
    Message,
    Observation,
    Run,
    RunHeader,
    Span,
    Task,
    ToolCall,
    Turn,
    Usage,
    collect,
)

SAMPLES = Path(__file__).resolve().parents[1] / "sample_runs" / "runs"


def read_back(run: Run) -> Run:
    source = Source.of_bytes("exported.json", as_text(to_atif(run)).encode())
    assert identify(source) is atif
    [found] = collect(atif.read(source), digest=source.digest(), path=source.path)
    return found


def content(run: Run) -> tuple[object, ...]:
    """What a run says, apart from lines, parts of microseconds, given-up branches, and the format of its log."""
    header = replace(run.header, format="", started=_time(run.header.started))
    return header, tuple(_turn(turn) for turn in run.turns), tuple(_message(message) for message in run.after)


def _turn(turn: Turn) -> Turn:
    return replace(
        turn,
        line=0,
        time=_time(turn.time),
        calls=tuple(replace(call, line=0) for call in turn.calls),
        observations=tuple(replace(shown, line=0, time=_time(shown.time)) for shown in turn.observations),
        before=tuple(_message(message) for message in turn.before),
    )


def _message(message: Message) -> Message:
    return replace(message, line=0, time=_time(message.time))


def _time(time: float | None) -> float | None:
    return None if time is None else round(time, 6)


# Made runs

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
WORDS = st.text("abcdefgh", min_size=1, max_size=6)
TIMES = st.none() | st.integers(0, 4 * 10**9).map(float) | st.integers(0, 4 * 10**15).map(lambda n: n / 10**6)
ORIGINS = st.sampled_from(["person", "agent", "tool", "harness", "tab"])
COUNTS = st.integers(0, 10**6)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def spans_in(draw: st.DrawFn, text: str) -> tuple[Span, ...]:
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=4)))
    return tuple(Span(a, b, draw(ORIGINS), draw(WORDS)) for a, b in zip(places[::2], places[1::2], strict=False))


@st.composite
def messages(draw: st.DrawFn) -> Message:
    text = draw(TEXTS)
    kinds = ["prompt", "system", "reminder", "environment", "compaction", "copied", "notice", "shell"]
    return Message(text, draw(ORIGINS), draw(st.sampled_from(kinds)), 0, draw(TIMES), draw(spans_in(text)))


@st.composite
def turns(draw: st.DrawFn, number: int, earlier: list[str]) -> Turn:
    ids = [f"c{number}.{place}" for place in range(draw(st.integers(0, 3)))]
    calls = tuple(ToolCall(ident, draw(WORDS), draw(st.dictionaries(TEXTS, VALUES, max_size=3))) for ident in ids)
    if draw(st.booleans()) and not ids:
        calls = (ToolCall("", draw(WORDS), {}),)
    answered = draw(st.lists(st.sampled_from([*ids, *earlier, "", "unknown"]), max_size=4))
    shown = []
    for call_id in answered:
        text = draw(TEXTS)
        cwd, code = draw(st.none() | WORDS), draw(st.none() | st.integers(-255, 255))
        spans, images, time = draw(spans_in(text)), draw(st.integers(0, 2)), draw(TIMES)
        shown.append(Observation(call_id, text, draw(st.booleans()), spans, images, code, cwd, 0, time))
    cost = draw(st.none() | st.floats(0, 10))
    used = draw(st.none() | st.builds(Usage, COUNTS, COUNTS, COUNTS, COUNTS, st.just(cost)))
    return Turn(
        number,
        draw(TEXTS),
        draw(TEXTS),
        calls,
        tuple(shown),
        tuple(draw(st.lists(messages(), max_size=2))),
        draw(st.sampled_from(["complete", "aborted", "failed"])),
        draw(st.just("m1") | st.just("m2")),
        used,
        draw(st.none() | WORDS),
        0,
        draw(TIMES),
    )


@st.composite
def runs(draw: st.DrawFn) -> Run:
    made: list[Turn] = []
    for number in range(1, draw(st.integers(1, 4)) + 1):
        made.append(draw(turns(number, [call.call_id for turn in made for call in turn.calls if call.call_id])))
    header = RunHeader(
        "pi",
        harness=draw(st.sampled_from(["", "pi", "claude-code", "terminus-2", "openhands"])),
        session=draw(st.just("") | WORDS),
        task=draw(st.none() | st.builds(Task, TEXTS, WORDS)),
        root=draw(st.none() | WORDS),
        cwd=draw(st.none() | WORDS),
        fresh_cwd=draw(st.booleans()),
        method=draw(st.none() | WORDS),
        model=draw(st.just("m1") | st.just("m3")),
        attempt=draw(st.none() | st.integers(0, 3)),
        suite=draw(st.none() | WORDS),
        started=draw(TIMES),
        simulated=draw(st.none() | WORDS),
        parent_key=draw(st.none() | WORDS),
        parent_call=draw(st.none() | WORDS),
    )
    return Run("0" * 16, "log", header, tuple(made), after=tuple(draw(st.lists(messages(), max_size=2))))


@settings(max_examples=150, deadline=None)
@given(runs())
def test_to_atif_and_back_a_run_is_the_same(run: Run) -> None:
    assert content(read_back(run)) == content(run)


@settings(max_examples=100, deadline=None)
@given(runs(), st.booleans())
def test_every_document_keeps_the_rules_of_atif(run: Run, marks: bool) -> None:
    assert faults(json.loads(as_text(to_atif(run, marks=marks)))) == []


@settings(max_examples=100, deadline=None)
@given(runs())
def test_a_judge_sees_nothing_of_the_tab(run: Run) -> None:
    judged = for_judge(run).run
    assert not [call for turn in judged.turns for call in turn.calls if operation_of(call)]
    said = [message for turn in judged.turns for message in turn.before] + list(judged.after)
    assert not [message for message in said if message.origin == "tab"]
    shown = [seen for turn in judged.turns for seen in turn.observations]
    assert not [span for text in (*said, *shown) for span in text.spans if span.origin == "tab"]
    assert [turn.number for turn in judged.turns] == list(range(1, len(judged.turns) + 1))
    assert for_judge(judged).run == judged


# What is said natively, and what only the marks say


def one(turn: Turn, **header: Any) -> dict[str, Any]:
    return json.loads(as_text(to_atif(Run("r", "log", RunHeader("pi", **header), (turn,)))))  # type: ignore[no-any-return]


def test_a_result_names_its_call_within_the_step_of_the_call_alone() -> None:
    call = ToolCall("c1", "bash", {"command": "ls"})
    late = Turn(2, observations=(Observation("c1", "a.csv"),))
    run = Run("r", "log", RunHeader("pi"), (Turn(1, calls=(call,)), late))
    assert content(read_back(run)) == content(run)
    [_, step] = to_atif(run)["steps"]  # type: ignore[misc]
    assert step == {  # type: ignore[comparison-overlap]
        "step_id": 2,
        "source": "agent",
        "message": "",
        "observation": {"results": [{"content": "a.csv", "extra": {"runningtab": {"call_id": "c1"}}}]},
    }


def test_tokens_of_a_prompt_include_the_cached_ones() -> None:
    document = one(Turn(1, usage=Usage(5, 2, 7, 1, 0.5)))
    told = {"prompt_tokens": 13, "completion_tokens": 2, "cached_tokens": 7, "cost_usd": 0.5}
    assert document["steps"][0]["metrics"] == told | {"extra": {"cache_creation_input_tokens": 1}}
    assert document["final_metrics"]["total_prompt_tokens"] == 13


def test_words_of_a_person_and_of_the_harness_are_told_apart() -> None:
    before = (Message("You are", "harness", "system"), Message("Do it", "person", "prompt"))
    copied = Message("Earlier", "harness", "copied")
    steps = one(Turn(1, "Done", before=(*before, copied)))["steps"]
    assert [step["source"] for step in steps] == ["system", "user", "system", "agent"]
    assert [step.get("is_copied_context") for step in steps] == [None, None, True, None]


def test_a_run_that_was_simulated_says_so() -> None:
    assert one(Turn(1, "Done"), simulated="By a script.")["notes"] == "By a script."


def test_branches_that_were_given_up_are_counted() -> None:
    run = Run("r", "log", RunHeader("pi"), (Turn(1, "Done"),), abandoned=(Turn(1, "No"),))
    assert to_atif(run)["extra"] == {"runningtab": {"header": {"format": "pi"}, "abandoned": 1}}


def test_characters_that_utf8_has_not_are_replaced() -> None:
    assert '"message": "a?"' in as_text(to_atif(Run("r", "log", RunHeader("pi"), (Turn(1, "a\ud800"),))))


def test_bad_marks_cost_what_they_mark_alone() -> None:
    document = one(Turn(1, "Done", before=(Message("Do it", "harness", "notice"),)))
    document["steps"][0]["extra"]["runningtab"]["origin"] = "nobody"
    source = Source.of_bytes("log", json.dumps(document).encode())
    [run] = collect(atif.read(source), digest="0" * 64, path="log")
    assert [problem.kind for problem in run.problems] == ["unexpected type"]
    assert (run.turns[0].text, run.turns[0].before[0].text) == ("Done", "Do it")


# For a judge


def tab_run() -> Run:
    status = "[tab] 1 open | candidates: 0 unopened, 0 above threshold | read log: 1 entry | no tab operation yet"
    shown = f"54.2\n{status}"
    marked = (Span(4, 5, "tab", "separator"), Span(5, len(shown), "tab", "status line"))
    system = Message(f"Work well.\n\n{system_block()}", "harness", "system")
    return Run(
        "r",
        "log",
        RunHeader("pi", harness="pi", method="running_tab", simulated="A script kept the tab."),
        (
            Turn(
                1,
                "I state what is asked",
                calls=(ToolCall("c1", "tab_add", {"items": ["x"]}), ToolCall("c2", "bash", {"command": "cat a"})),
                observations=(Observation("c1", "r1"), Observation("c2", shown, spans=marked)),
                before=(system, Message("Write it", "person", "prompt")),
            ),
            Turn(
                2, calls=(ToolCall("c3", "tab_list", {"kind": "requirements"}),), observations=(Observation("c3", "…"),)
            ),
            Turn(3, "Done"),
            Turn(4, "Still done", before=(Message("[tab] Finish check: 1 open", "tab", "notice"),)),
        ),
    )


def test_tab_calls_their_results_and_the_tabs_words_are_left_out() -> None:
    judged = for_judge(tab_run())
    first, *others = judged.run.turns
    assert [call.name for call in first.calls] == ["bash"]
    assert first.observations == (Observation("c2", "54.2"),)
    assert [message.text for message in first.before] == ["Work well.\n\n", "Write it"]
    assert [(turn.number, turn.text, turn.before) for turn in others] == [(2, "Done", ()), (3, "Still done", ())]
    assert (judged.calls, judged.texts, judged.turns) == (2, 3, 1)


def test_a_judges_document_bears_no_word_of_the_tab() -> None:
    text = as_text(to_atif(for_judge(tab_run()).run, marks=False))
    assert "tab" not in text
    assert json.loads(text)["notes"] == "This run was simulated."
    assert faults(json.loads(text)) == []


def test_the_agents_own_words_stay_whatever_they_say() -> None:
    run = Run("r", "log", RunHeader("pi"), (Turn(1, f"I read: {system_block()}", "[tab] is gone"),))
    assert for_judge(run).run.turns == run.turns


def test_other_tools_of_the_same_name_stay() -> None:
    run = Run("r", "log", RunHeader("pi"), (Turn(1, calls=(ToolCall("c", "list", {"path": "."}),)),))
    assert for_judge(run).run.turns == run.turns


# Recorded runs


@pytest.mark.parametrize("sample", sorted(path.name for path in SAMPLES.iterdir() if path.is_dir()))
def test_a_sample_run_comes_back_the_same(sample: str) -> None:
    [loaded] = read_runs(str(SAMPLES / sample))
    assert content(read_back(loaded.run)) == content(loaded.run)
    text = as_text(to_atif(for_judge(loaded.run).run, marks=False))
    assert faults(json.loads(text)) == []
    assert "[tab]" not in text
    assert "tab_" not in text


def real_runs() -> list[Run]:
    found = []
    for path in sorted(REAL.rglob("*")):
        if path.is_file() and path.suffix in (".json", ".jsonl", ".traj", ".eval"):
            source = Source.of_path(path)
            try:
                found += collect(identify(source).read(source), digest=source.digest(), path=str(path))
            except UnknownFormat:
                continue
    return found


@pytest.fixture(scope="module")
def recorded() -> list[Run]:
    if not REAL.exists():
        pytest.skip("the folder of real logs is absent")
    return real_runs()


def test_recorded_runs_come_back_the_same(recorded: list[Run]) -> None:
    assert len(recorded) > 50
    for run in recorded:
        assert content(read_back(run)) == content(run), run.path


def test_the_documents_of_recorded_runs_keep_the_rules_of_atif(recorded: list[Run]) -> None:
    for run in recorded:
        for document in (to_atif(run), to_atif(for_judge(run).run, marks=False)):
            assert [fault for fault in faults(json.loads(as_text(document))) if fault != "no steps"] == [], run.path


def test_the_published_models_accept_the_documents_of_recorded_runs(recorded: list[Run]) -> None:
    """Runs where Harbor's models can be imported: `pip install --no-deps harbor pydantic`, with Python 3.12."""
    try:
        models: Any = importlib.import_module("harbor.models.trajectories")
    except ImportError:
        pytest.skip("Harbor's models are not installed")
    for run in (*recorded, tab_run()):
        for document in (to_atif(run), to_atif(for_judge(run).run, marks=False)):
            if document["steps"]:
                models.Trajectory.model_validate_json(as_text(document))
