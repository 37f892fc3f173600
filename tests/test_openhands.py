"""OpenHands: both versions' events, rows of whole runs, directories of event files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reader_checks import ABSENT, REAL, counted, damaged, golden, kinds, runs_in, runs_of

from tabcore.readers import openhands
from tabcore.source import Source
from tabcore.trajectory import without


def response(ident: str, *ids: str, text: str | None = None) -> dict[str, object]:
    calls = [{"id": name, "function": {"name": "execute_bash", "arguments": '{"command": "ls -l"}'}} for name in ids]
    said = {"content": text, "role": "assistant", "tool_calls": calls, "reasoning_content": "Hm"}
    usage = {"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 3}}
    return {"id": ident, "model": "m-1", "choices": [{"message": said}], "usage": usage}


def action(ident: int, name: str, source: str = "agent", **fields: object) -> dict[str, object]:
    args = fields.pop("args", {})
    return {"id": ident, "timestamp": "2025-10-10T06:10:15.158090", "source": source, "message": "gloss",
            "action": name, "args": args, **fields}  # fmt: skip


def result(ident: int, cause: int | None, text: str, name: str = "run", **fields: object) -> dict[str, object]:
    return {"id": ident, "timestamp": "2025-10-10T06:10:16", "source": "agent", "message": "gloss", "cause": cause,
            "observation": name, "content": text, "extras": fields.pop("extras", {}), **fields}  # fmt: skip


def asked(ident: int, call: str, answer: str = "r1", total: tuple[str, ...] = ("c1", "c2")) -> dict[str, object]:
    data = {
        "function_name": "execute_bash",
        "tool_call_id": call,
        "model_response": response(answer, *total, text="Go"),
    }
    return action(ident, "run", args={"command": "ls", "thought": "Go"}, tool_call_metadata=data)


DONE = {"exit_code": 0, "working_dir": "/app", "prefix": "", "suffix": "\n[The command completed with exit code 0.]"}
HISTORY = [
    action(0, "system", args={"content": "You are OpenHands"}),
    action(1, "message", "user", args={"content": "Sum the files"}),
    action(2, "recall", "user", args={"query": "Sum"}),
    result(4, 2, "Added workspace context", "recall", extras={"repo_instructions": "Be kind"}),
    asked(5, "c1"),
    asked(6, "c2"),
    result(8, 6, "second", extras={"metadata": DONE}, success=True),
    result(7, 5, "", extras={"metadata": {**DONE, "exit_code": 1, "suffix": "[exit 1]"}}, success=False),
    action(9, "run", "user", args={"command": "pwd"}),
    result(10, 9, "/app"),
    action(11, "finish", args={"final_thought": "It is 42", "thought": ""}),
]
SAMPLE = json.dumps(HISTORY)
ROWS = "\n".join(
    json.dumps({"instance_id": name, "instruction": "Sum", "metadata": {"llm_config": {"model": "m"}}, "history": events,
                "metrics": {}, "error": fault, "test_result": {}})
    for name, events, fault in [("a/1", HISTORY, None), ("b", HISTORY[:5], "stuck"), ("c", None, None)]
)  # fmt: skip


def event(kind: str, source: str = "agent", **fields: object) -> dict[str, object]:
    return {
        "id": fields.pop("id", kind),
        "timestamp": "2026-06-16T05:39:48.7",
        "source": source,
        "kind": kind,
        **fields,
    }


def stats(prompt: int, completion: int) -> dict[str, object]:
    totals = {"prompt_tokens": prompt, "completion_tokens": completion}
    value = {"usage_to_metrics": {"default": {"model_name": "m-2", "accumulated_token_usage": totals}}}
    return event("ConversationStateUpdateEvent", "environment", key="stats", value=value)


def act(ident: str, call: str, answer: str) -> dict[str, object]:
    made = {"arguments": '{"command": "ls", "security_risk": "LOW"}'}
    return event("ActionEvent", id=ident, thought=[{"type": "text", "text": "<think>Hm</think>\n\nLook"}],
                 reasoning_content="Hm\n", action={"kind": "TerminalAction", "command": "ls"}, tool_name="terminal",
                 tool_call_id=call, tool_call=made, llm_response_id=answer)  # fmt: skip


def seen(call: str, text: str, of: str, **fields: object) -> dict[str, object]:
    observed = {"content": [{"type": "text", "text": text}], "is_error": False, "exit_code": 0, "metadata": DONE,
                "kind": "TerminalObservation", **fields}  # fmt: skip
    return event("ObservationEvent", "environment", tool_call_id=call, action_id=of, observation=observed)


V1 = [
    event("SystemPromptEvent", system_prompt={"type": "text", "text": "You are"}, tools=[]),
    event("MessageEvent", "user", llm_message={"role": "user", "content": [{"type": "text", "text": "Sum"}]},
          extended_content=[{"type": "text", "text": "A skill"}]),
    stats(10, 2),
    act("a1", "k1", "r1"),
    act("a2", "k2", "r1"),
    seen("k2", "two", "a2"),
    seen("k1", "", "a1", metadata={}),
    stats(30, 7),
    event("AgentErrorEvent", "environment", error="No such tool", tool_call_id="k9"),
    event("Condensation", "environment", summary="So far"),
    event("MessageEvent", llm_message={"role": "assistant", "content": [{"type": "text", "text": "42"}]}),
]  # fmt: skip
V1_LINES = "\n".join(map(json.dumps, V1))


def test_actions_of_one_response_are_one_turn_and_results_go_by_cause() -> None:
    [run] = runs_in(openhands, SAMPLE)
    first, last = run.turns
    assert (first.text, first.reasoning, first.model) == ("Go", "Hm", "m-1")
    assert [(call.call_id, call.name, call.arguments) for call in first.calls] == [
        ("c1", "execute_bash", {"command": "ls -l"}),
        ("c2", "execute_bash", {"command": "ls -l"}),
    ]
    assert [shown.call_id for shown in first.observations] == ["c2", "c1"]
    assert first.usage is not None
    assert (first.usage.input, first.usage.output, first.usage.cache_read) == (9, 4, 3)
    assert (last.text, last.calls, last.is_stop) == ("It is 42", (), True)
    assert run.problems == ()


def test_an_empty_result_still_says_what_its_suffix_said_and_the_suffix_is_the_harnesss() -> None:
    [run] = runs_in(openhands, SAMPLE)
    second, first = run.turns[0].observations
    assert (first.text, first.exit_code, first.is_error) == ("[exit 1]", 1, True)
    assert (without(second.text, second.spans, {"harness"}), second.cwd, second.exit_code) == ("second", "/app", 0)


def test_recalled_text_is_environment_and_a_users_command_is_a_persons() -> None:
    [run] = runs_in(openhands, SAMPLE)
    said = [(message.origin, message.kind, message.text) for turn in run.turns for message in turn.before]
    assert said == [
        ("harness", "system", "You are OpenHands"),
        ("person", "prompt", "Sum the files"),
        ("harness", "environment", "Added workspace context\nBe kind"),
        ("person", "shell", "!pwd"),
        ("person", "shell", "/app"),
    ]


def test_each_row_of_an_output_file_is_a_run_and_faults_name_row_and_event() -> None:
    runs = runs_in(openhands, ROWS, "output.jsonl")
    assert [run.run_id.partition(".")[2] for run in runs] == ["a-1", "b", "c"]
    assert [len(run.turns) for run in runs] == [2, 1, 0]
    assert runs[0].header.task is not None
    assert (runs[0].header.task.text, runs[0].header.model) == ("Sum", "m")
    assert kinds(runs[0]) == {"failed run": 1, "no history": 1, "no turns": 1, "unanswered call": 1}
    assert [str(problem).split(": ")[0] for problem in runs[0].problems] == [
        "output.jsonl:2", "output.jsonl:2:5", "output.jsonl:3", "output.jsonl:3",
    ]  # fmt: skip


def test_an_older_history_of_pairs_reads_like_a_list() -> None:
    pairs = {"instance_id": "p", "history": [[HISTORY[1], HISTORY[3]], [HISTORY[4], result(8, 5, "out")]]}
    [run] = runs_in(openhands, json.dumps(pairs))
    assert [shown.text for shown in run.turns[0].observations] == ["out"]


def test_events_of_the_sdk_make_turns_by_response_with_their_own_tokens() -> None:
    [run] = runs_in(openhands, V1_LINES)
    first, last = run.turns
    assert (first.text, first.reasoning) == ("Look", "Hm\n")
    assert [call.call_id for call in first.calls] == ["k1", "k2"]
    assert first.calls[0].arguments == {"command": "ls", "security_risk": "LOW"}
    assert [(shown.call_id, without(shown.text, shown.spans, {"harness"})) for shown in first.observations] == [
        ("k2", "two"), ("k1", ""), ("k9", "No such tool"),
    ]  # fmt: skip
    assert [turn.usage and (turn.usage.input, turn.usage.output) for turn in run.turns] == [(10, 2), (20, 5)]
    assert [(message.origin, message.kind) for message in first.before] == [
        ("harness", "system"), ("person", "prompt"), ("harness", "reminder"),
    ]  # fmt: skip
    assert [(message.kind, message.text) for message in last.before] == [("compaction", "So far")]
    assert kinds(run) == {"orphan result": 1}


def write_directory(folder: Path) -> Path:
    folder.mkdir()
    for number, one in enumerate(V1):
        (folder / f"event-{number:05}-{number:08x}.json").write_text(json.dumps(one, indent=2))
    (folder / ".lock").write_text("")
    return folder


def test_the_first_event_file_brings_its_siblings_and_the_others_say_where_they_are_read(tmp_path: Path) -> None:
    files = sorted(write_directory(tmp_path / "events").glob("event-*"))
    [run] = runs_of(openhands, Source.of_path(files[0]))
    assert [turn.text for turn in run.turns] == ["Look", "42"]
    assert runs_of(openhands, Source.of_path(files[1])) == ()
    [problem, _] = openhands.read(Source.of_path(files[1]))
    assert "event-00000" in str(problem)


@given(st.data())
@settings(deadline=None)
def test_damaged_bytes_never_raise(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([SAMPLE, ROWS, V1_LINES]))
    runs_in(openhands, data.draw(damaged(text.encode())))


@pytest.mark.skipif(not REAL.exists(), reason=ABSENT)
@pytest.mark.parametrize("name", sorted(golden("openhands")))
def test_real_logs_hold_what_was_counted_in_them(name: str) -> None:
    assert counted(runs_of(openhands, Source.of_path(REAL / name))) == golden("openhands")[name]
