"""Codex rollouts: turns, parallel calls, exit codes from events, insertions told apart, nothing counted twice."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from log_reading import assert_golden, claimants, golden, jsonl, runs_of, spoiled

from tabcore.readers import codex
from tabcore.trajectory import Run, Usage, without

HEAD = "Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 0\nOriginal token count: 3\nOutput:\n"


def line(kind: str, **payload: object) -> dict[str, object]:
    return {"timestamp": "2026-10-01T10:00:00.000Z", "type": kind, "payload": payload}


def said(role: str, *texts: str) -> dict[str, object]:
    block = "output_text" if role == "assistant" else "input_text"
    return line("response_item", type="message", role=role, content=[{"type": block, "text": text} for text in texts])


def call(call_id: str, command: str, name: str = "exec_command") -> dict[str, object]:
    arguments = json.dumps({"cmd": command, "workdir": "/ws/b"})
    return line("response_item", type="function_call", name=name, arguments=arguments, call_id=call_id)


def output(call_id: str, text: object) -> dict[str, object]:
    return line("response_item", type="function_call_output", call_id=call_id, output=text)


def ended(call_id: str, code: int) -> dict[str, object]:
    parsed = [{"type": "read", "cmd": "cat a", "name": "a", "path": "a"}]
    return line("event_msg", type="exec_command_end", call_id=call_id, cwd="/ws/b", exit_code=code, parsed_cmd=parsed)


def tokens(total: int, last: int) -> dict[str, object]:
    def usage(count: int) -> dict[str, int]:
        return {"input_tokens": count, "cached_input_tokens": 10, "output_tokens": 5, "total_tokens": count + 5}

    return line(
        "event_msg", type="token_count", info={"total_token_usage": usage(total), "last_token_usage": usage(last)}
    )


START = [
    line("session_meta", id="s1", cwd="/ws", base_instructions={"text": "You are an agent."}),
    line("turn_context", cwd="/ws/a", model="m1"),
    said("developer", "<permissions instructions>ask</permissions instructions>"),
    said("user", "# AGENTS.md instructions for /ws\n\n<INSTRUCTIONS>be kind", "<environment_context>x"),
    said("user", "Sum the bills"),
    line("event_msg", type="user_message", message="Sum the bills"),
    line("event_msg", type="token_count", info=None),
]
SAMPLE = jsonl(
    *START,
    line("response_item", type="reasoning", summary=[{"type": "summary_text", "text": "Look."}], encrypted_content="x"),
    said("assistant", "I look."),
    line("event_msg", type="agent_message", message="I look."),
    call("c1", "cat a"),
    call("c2", "cat b"),
    tokens(110, 110),
    tokens(110, 110),
    output("c2", "Chunk ID: a1\nWall time: 0.1 seconds\nProcess running with session ID 29680\nOutput:\nwait"),
    ended("c1", 0),
    output("c1", HEAD + "12\n…34 tokens truncated…\n13"),
    ended("c2", 3),
    line("turn_context", cwd="/ws/c", model="m2"),
    line("response_item", type="custom_tool_call", name="apply_patch", input="*** Begin Patch", call_id="c3"),
    line("response_item", type="custom_tool_call_output", call_id="c3",
         output='{"output":"Done\\n!","metadata":{"exit_code":0,"duration_seconds":0.1}}'),
    line("compacted", message="", replacement_history=[said("user", "Sum the bills")["payload"]]),
    call("c4", "sleep 99"),
    output("c4", "aborted by user after 12.3s"),
    said("user", "<turn_aborted>\nstopped"),
    line("event_msg", type="turn_aborted", reason="interrupted"),
    said("assistant", "It is 25."),
    line("event_msg", type="agent_message", message="It is 25."),
)  # fmt: skip


@pytest.fixture(scope="module")
def run() -> Run:
    [found] = runs_of(codex, SAMPLE)
    return found


def test_the_sample_has_one_claimant() -> None:
    assert claimants(SAMPLE) == ["codex"]


def test_the_sample_gives_no_problem(run: Run) -> None:
    assert [str(problem) for problem in run.problems] == []


def test_calls_of_one_response_are_one_turn_and_keep_their_own_results(run: Run) -> None:
    first = run.turns[0]
    assert [call.call_id for call in first.calls] == ["c1", "c2"]
    assert [(seen.call_id, seen.text[-4:]) for seen in first.observations] == [("c2", "wait"), ("c1", "…\n13")]
    assert [len(turn.calls) for turn in run.turns] == [2, 1, 1, 0]


def test_an_event_gives_exit_code_and_directory_even_after_the_result(run: Run) -> None:
    late, early = run.turns[0].observations
    assert (late.exit_code, late.cwd, late.is_error) == (3, "/ws/b", True)
    assert (early.exit_code, early.cwd, early.is_error) == (0, "/ws/b", False)


def test_a_result_without_its_spans_is_what_the_command_printed(run: Run) -> None:
    results = [seen for turn in run.turns for seen in turn.observations]
    assert [without(seen.text, seen.spans, {"harness"}) for seen in results] == ["wait", "12\n\n13", "Done\\n!", ""]
    assert results[1].text.startswith("Chunk ID")


def test_texts_told_again_by_events_and_by_compaction_count_once(run: Run) -> None:
    assert [turn.text for turn in run.turns] == ["I look.", "", "", "It is 25."]
    prompts = [said.text for turn in run.turns for said in turn.before if said.origin == "person"]
    assert prompts == ["Sum the bills"]


def test_what_the_harness_put_in_the_user_role_is_not_the_persons(run: Run) -> None:
    assert [(said.origin, said.kind) for said in run.turns[0].before] == [
        ("harness", "system"),
        ("harness", "system"),
        ("harness", "environment"),
        ("harness", "environment"),
        ("person", "prompt"),
    ]
    assert [said.kind for said in run.turns[2].before] == ["compaction"]
    assert [said.kind for said in run.turns[3].before] == ["notice"]


def test_model_and_directory_follow_the_turn_context(run: Run) -> None:
    assert [(turn.model, turn.cwd) for turn in run.turns[:2]] == [("m1", "/ws/a"), ("m2", "/ws/c")]
    assert (run.header.cwd, run.header.model, run.header.session) == ("/ws", "m1", "s1")


def test_tokens_told_twice_count_once_and_cached_ones_apart(run: Run) -> None:
    assert run.turns[0].usage == Usage(100, 5, 10)


@pytest.mark.parametrize(
    ("text", "left", "code"),
    [
        ("Exit code: 2\nWall time: 1.2 seconds\nTotal output lines: 9\nOutput:\nno", "no", 2),
        ("Wall time: 0.1 seconds\nOutput:\nfrom a server", "from a server", None),
        (HEAD + "Total output lines: 9\n\n1\n[... omitted 7 of 9 lines ...]\n\n9", "19", 0),
        ('{"output": "a\\nb", "metadata": {"exit_code": 1, "duration_seconds": 0.5}}', "a\\nb", 1),
        ('{"output": "a", "status": "done"}', '{"output": "a", "status": "done"}', None),
        ("Output:\n is what the file says", "Output:\n is what the file says", None),
    ],
)
def test_every_head_that_codex_wrote_is_told_from_the_output(text: str, left: str, code: int | None) -> None:
    [run] = runs_of(codex, jsonl(*START, call("c1", "cat a"), output("c1", text)))
    [seen] = run.turns[0].observations
    assert (without(seen.text, seen.spans, {"harness"}), seen.exit_code) == (left, code)


def test_pictures_and_failures_of_results_in_blocks_are_told() -> None:
    blocks = [{"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}]
    failed = {"content": "no such tool", "success": False}
    [run] = runs_of(codex, jsonl(*START, call("c1", "x"), call("c2", "y"), output("c1", blocks), output("c2", failed)))
    assert [(seen.text, seen.images, seen.is_error) for seen in run.turns[0].observations] == [
        ("a", 1, False),
        ("no such tool", 0, True),
    ]


def test_a_last_call_without_a_result_is_kept_and_named() -> None:
    [run] = runs_of(codex, jsonl(*START, call("c9", "cat a")))
    assert run.turns[-1].calls[0].call_id == "c9"
    assert [problem.kind for problem in run.problems] == ["unanswered call"]


def test_a_text_that_only_an_event_holds_is_named_as_lost() -> None:
    [run] = runs_of(
        codex, jsonl(*START, line("event_msg", type="agent_message", message="Gone"), said("assistant", "Hi"))
    )
    assert [(problem.line, problem.kind, problem.lost) for problem in run.problems] == [
        (8, "message only in an event", True)
    ]


def test_the_old_form_without_an_envelope_reads_alike() -> None:
    items = [record["payload"] for record in (said("user", "Go"), call("c1", "ls", "shell"), output("c1", "a"))]
    data = jsonl({"id": "s0", "timestamp": "2025-06-01T09:00:00Z", "instructions": "be kind", "cwd": "/old"}, *items)
    assert claimants(data) == ["codex"]
    [run] = runs_of(codex, data)
    assert (run.header.session, run.header.cwd, run.turns[0].calls[0].name) == ("s0", "/old", "shell")
    assert [said.kind for said in run.turns[0].before] == ["environment", "prompt"]
    assert run.problems == ()


def test_a_sub_agents_rollout_names_its_parent() -> None:
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "p1", "depth": 1}}}
    [run] = runs_of(codex, jsonl(line("session_meta", id="s2", cwd="/ws", source=source), said("assistant", "Hi")))
    assert run.header.parent_key == "p1"


def test_of_an_editors_prompt_only_the_request_is_the_persons() -> None:
    text = "# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nFix it"
    [run] = runs_of(codex, jsonl(said("user", text), said("assistant", "Hi")))
    [prompt] = run.turns[0].before
    assert (prompt.text, without(prompt.text, prompt.spans, {"harness"})) == (text, "Fix it")


def test_what_the_person_took_back_is_abandoned_and_no_part_of_the_run() -> None:
    back = line("event_msg", type="thread_rolled_back", num_turns=1)
    wrong = [said("user", "Wrong way"), call("c8", "cat x"), output("c8", "99"), said("assistant", "Given up.")]
    [run] = runs_of(
        codex,
        jsonl(*START, said("assistant", "Yes?"), *wrong, back, said("user", "Right way"), said("assistant", "Kept.")),
    )
    assert [turn.text for turn in run.turns] == ["Yes?", "Kept."]
    assert [(turn.number, turn.text, len(turn.calls)) for turn in run.abandoned] == [(2, "", 1), (3, "Given up.", 0)]
    assert [said.text for said in run.turns[1].before] == ["Right way"]
    assert run.problems == ()


def test_going_back_twice_drops_the_prompts_that_were_still_there() -> None:
    def back(count: int) -> dict[str, object]:
        return line("event_msg", type="thread_rolled_back", num_turns=count)

    talk = [item for name in "abc" for item in (said("user", name), said("assistant", name.upper()))]
    [run] = runs_of(codex, jsonl(*talk, back(1), said("user", "d"), said("assistant", "D"), back(2), *talk[2:4]))
    assert [turn.text for turn in run.turns] == ["A", "B"]
    assert sorted(turn.text for turn in run.abandoned) == ["B", "C", "D"]


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_spoiled_rollout_never_raises(data: st.DataObject) -> None:
    spoilt = data.draw(spoiled(SAMPLE))
    runs_of(codex, spoilt)
    claimants(spoilt)


@pytest.mark.parametrize("file", golden("codex"))
def test_a_real_rollout_gives_its_golden_counts(file: str) -> None:
    assert_golden("codex", file)
