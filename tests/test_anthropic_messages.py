"""Anthropic messages: every wrapping reads alike, split responses are one turn, insertions are told apart."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from log_reading import claimants, jsonl, runs_of, spoiled

from tabcore.readers import anthropic_messages
from tabcore.trajectory import Run, Usage, without


def at(second: int, role: str, content: object, **more: object) -> dict[str, object]:
    return {"timestamp": f"2026-10-01T10:00:{second:02}.000Z", "role": role, "content": content, **more}


def text(said: str) -> dict[str, object]:
    return {"type": "text", "text": said}


def use(ident: str, name: str, arguments: object) -> dict[str, object]:
    return {"type": "tool_use", "id": ident, "name": name, "input": arguments}


def result(ident: str, content: object, **more: object) -> dict[str, object]:
    return {"type": "tool_result", "tool_use_id": ident, "content": content, **more}


PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
REMINDER = "<system-reminder>Be brief.</system-reminder>"
MESSAGES = [
    at(0, "user", "Sum the bills"),
    at(1, "assistant", [], model="claude-x"),
    at(2, "assistant", [text("I look.")], model="claude-x"),
    at(3, "assistant", [use("t1", "Bash", {"command": "cat a"}), use("t2", "Read", {"file_path": "b"})], model="claude-x"),
    at(4, "user", [result("t2", [text("12"), PICTURE, {"type": "tool_reference", "tool_name": "X"}])]),
    at(5, "user", [result("t1", "Exit code 1\nno a", is_error=True)]),
    at(6, "assistant", [{"type": "thinking", "thinking": "Again."}, use("t3", "Bash", {"command": "cat c"})], model="claude-x"),
    at(7, "user", [result("t3", f"13\n{REMINDER}"), text(REMINDER)]),
    at(8, "assistant", [text("It is 25.")], model="claude-x"),
]  # fmt: skip
SAMPLE = jsonl(*MESSAGES)


def only(data: bytes) -> Run:
    [run] = runs_of(anthropic_messages, data)
    return run


@pytest.mark.parametrize(
    "data",
    [SAMPLE, json.dumps(MESSAGES, indent=1).encode(), json.dumps({"model": "claude-x", "messages": MESSAGES}).encode()],
    ids=["a message a line", "bare", "wrapped"],
)
def test_every_wrapping_reads_alike_and_has_one_claimant(data: bytes) -> None:
    assert claimants(data) == ["anthropic-messages"]
    run = only(data)
    assert run.problems == ()
    assert [(turn.text, len(turn.calls), turn.model) for turn in run.turns] == [
        ("I look.", 2, "claude-x"),
        ("", 1, "claude-x"),
        ("It is 25.", 0, "claude-x"),
    ]
    assert run.turns[1].reasoning == "Again."
    assert [(seen.call_id, seen.images) for seen in run.turns[0].observations] == [("t2", 1), ("t1", 0)]


def test_a_result_is_told_from_what_was_put_around_it() -> None:
    run = only(SAMPLE)
    seen = [one for turn in run.turns for one in turn.observations]
    assert [without(one.text, one.spans, {"harness"}) for one in seen] == ["12", "no a", "13\n"]
    assert [(one.is_error, one.exit_code) for one in seen] == [(False, None), (True, 1), (False, None)]
    assert [(said.origin, said.kind) for said in run.turns[2].before] == [("harness", "reminder")]


def test_the_text_of_a_skill_is_not_the_persons() -> None:
    skill = at(7, "user", [text("Base directory for this skill: ${ROOT}/skills/x\n\n# x")])
    run = only(jsonl(*MESSAGES[:7], skill, MESSAGES[8]))
    assert [(said.origin, said.kind) for said in run.turns[2].before] == [("harness", "reminder")]


def test_the_system_prompt_of_a_request_is_not_the_persons() -> None:
    run = only(json.dumps({"system": [text("You are an agent.")], "messages": MESSAGES}).encode())
    assert [(said.origin, said.text) for said in run.turns[0].before] == [
        ("harness", "You are an agent."),
        ("person", "Sum the bills"),
    ]


def test_responses_with_ids_of_their_own_are_turns_of_their_own_and_count_their_tokens() -> None:
    usage = {"input_tokens": 5, "output_tokens": 7, "cache_read_input_tokens": 3}
    answers = [
        {"type": "message", "id": ident, "role": "assistant", "content": [text(ident)], "usage": usage}
        for ident in "aab"
    ]
    run = only(jsonl(MESSAGES[0], *answers))
    assert [(turn.text, turn.usage) for turn in run.turns] == [("a\na", Usage(5, 7, 3)), ("b", Usage(5, 7, 3))]


def test_a_response_that_was_cut_short_is_no_stop() -> None:
    cut = {"type": "message", "role": "assistant", "content": [text("It")], "stop_reason": "max_tokens"}
    assert not only(jsonl(MESSAGES[0], cut)).turns[0].is_stop


def test_times_out_of_order_are_named_and_nothing_moves() -> None:
    run = only(jsonl(MESSAGES[0], *MESSAGES[6:8], at(3, "assistant", [text("b")])))
    assert [turn.text for turn in run.turns] == ["", "b"]
    assert [(problem.line, problem.kind, problem.lost) for problem in run.problems] == [(4, "time order", False)]


def test_results_of_the_providers_own_tools_stand_with_their_calls() -> None:
    found = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [text("12")]}
    search = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "bills"}}
    run = only(jsonl(MESSAGES[0], at(1, "assistant", [search, found, text("It is 12.")], model="claude-x")))
    assert (len(run.turns), run.turns[0].text) == (1, "It is 12.")
    assert [seen.text for seen in run.turns[0].observations] == ["12"]
    assert run.problems == ()


def test_orphans_unanswered_calls_and_unknown_blocks_are_named() -> None:
    odd = at(9, "assistant", [{"type": "hologram"}, use("t8", "Bash", "ls")], model="claude-x")
    run = only(jsonl(*MESSAGES, at(8, "user", [result("t9", "x")]), odd))
    assert [problem.kind for problem in run.problems] == [
        "orphan result",
        "unknown block",
        "odd arguments",
        "unanswered call",
    ]


def test_of_a_tool_result_without_content_nothing_is_made_up() -> None:
    run = only(jsonl(*MESSAGES[:4], at(4, "user", [result("t1", None), result("t2", [])])))
    assert [(seen.text, seen.images) for seen in run.turns[0].observations] == [("", 0), ("", 0)]


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_spoiled_log_never_raises(data: st.DataObject) -> None:
    spoilt = data.draw(spoiled(data.draw(st.sampled_from([SAMPLE, json.dumps(MESSAGES).encode()]))))
    runs_of(anthropic_messages, spoilt)
    claimants(spoilt)
