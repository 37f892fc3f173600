"""Chat messages: every wrapping reads alike, user messages that are no person's are told apart, episodes count once."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from log_reading import assert_golden, claimants, golden, jsonl, runs_of, spoiled

from tabcore.readers import chat_messages
from tabcore.readers.conversations import WHOLE
from tabcore.trajectory import Run, without

SYSTEM = {"role": "system", "content": "You are an agent."}
TASK = {"role": "user", "content": "Sum the bills"}


def asks(*calls: tuple[str, str, object], text: str | None = None) -> dict[str, object]:
    told = [
        {"id": ident, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for ident, name, arguments in calls
    ]
    return {"role": "assistant", "content": text, "tool_calls": told}


def shown(call_id: str, content: object) -> dict[str, object]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


PICTURE = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]}
NAG = {"role": "user", "content": "No tools called. Use final_answer to submit your answer."}
MESSAGES = [
    SYSTEM,
    TASK,
    asks(("c1", "pdf", {"path": "a"}), ("c2", "sheets", {"request": {"action": "read_tab"}})),
    shown("c2", [{"type": "text", "text": '{"action":"read_tab","error":null,"read_tab":{"raw_output":"1\\n2"}}'}]),
    shown("c1", "Image(s) returned by pdf tool"),
    PICTURE,
    asks(("c3", "code_exec", {"code": "x"}), text="Next."),
    shown("c3", '{"success":false,"output":"sh: python: not found\\n\\nCommand failed with exit code 127"}'),
    {"role": "assistant", "content": "It is 3.", "reasoning_content": "Add."},
    NAG,
    asks(("c4", "final_answer", {"answer": "3", "status": "completed"}), text=""),
    shown("c4", "3"),
]
SAMPLE = json.dumps(MESSAGES, indent=1).encode()


def only(data: bytes) -> Run:
    [run] = runs_of(chat_messages, data)
    return run


@pytest.mark.parametrize(
    "data",
    [
        SAMPLE,
        json.dumps({"messages": MESSAGES, "output": None, "status": "completed"}).encode(),
        json.dumps({"task_id": 4, "reward": 0, "traj": MESSAGES}).encode(),
        jsonl(*MESSAGES),
        jsonl({"messages": MESSAGES}),
    ],
    ids=["bare", "wrapped", "traj", "a message a line", "a run a line"],
)
def test_every_wrapping_reads_alike_and_has_one_claimant(data: bytes) -> None:
    assert claimants(data) == ["chat-messages"]
    run = only(data)
    assert run.problems == ()
    assert [len(turn.calls) for turn in run.turns] == [2, 1, 0, 1]
    assert [seen.call_id for turn in run.turns for seen in turn.observations] == ["c2", "c1", "c3", "c4"]
    assert [turn.text for turn in run.turns] == ["", "Next.", "It is 3.", ""]
    assert run.turns[2].reasoning == "Add."


def test_several_runs_in_a_file_are_several_runs() -> None:
    runs = runs_of(chat_messages, jsonl(*({"task_id": name, "messages": [TASK, asks(text=name)]} for name in "aab")))
    assert [run.run_id.partition(".")[2] for run in runs] == ["", "a", "b"]
    assert [run.turns[0].text for run in runs] == ["a", "a", "b"]


def test_a_tasks_name_is_told_but_its_number_is_none() -> None:
    for told, name in (("sum-bills", "sum-bills"), ("34", None), (34, None)):
        run = only(json.dumps({"task_id": told, "messages": MESSAGES}).encode())
        assert run.header.task_name == name


def test_a_picture_in_the_user_role_belongs_to_the_result_that_announces_it() -> None:
    run = only(SAMPLE)
    assert [(seen.call_id, seen.images) for seen in run.turns[0].observations] == [("c2", 0), ("c1", 1)]
    assert run.turns[1].before == ()


def test_a_nag_is_not_the_persons_and_a_cheatsheet_was_given() -> None:
    sheet = "## Strategy cheatsheet from prior cases in this area\n<citations>[]</citations>\n---\n"
    run = only(json.dumps([{"role": "user", "content": sheet + "Sum it"}, *MESSAGES[2:]]).encode())
    [prompt] = run.turns[0].before
    assert without(prompt.text, prompt.spans, {"harness"}) == "Sum it"
    assert [(said.origin, said.kind) for said in run.turns[3].before] == [("harness", "notice")]


def test_an_answer_echoed_as_a_result_is_the_agents() -> None:
    [echo] = only(SAMPLE).turns[3].observations
    assert [span.origin for span in echo.spans] == ["agent"]


def test_a_failure_told_in_a_results_text_is_one() -> None:
    [failed] = only(SAMPLE).turns[1].observations
    assert (failed.is_error, failed.exit_code) == (True, 127)
    assert not any(seen.is_error for seen in only(SAMPLE).turns[0].observations)


def test_results_without_an_id_go_to_the_calls_in_their_order() -> None:
    old = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    two = asks(("c1", "f", {}), ("c2", "g", {}))
    run = only(
        json.dumps([TASK, two, shown("", "1"), shown("", "2"), old, {"role": "function", "content": "3"}]).encode()
    )
    assert [seen.call_id for turn in run.turns for seen in turn.observations] == ["c1", "c2", ""]
    assert run.problems == ()


def test_a_call_id_used_again_in_a_later_turn_is_another_call() -> None:
    run = only(
        json.dumps([TASK, asks(("c", "f", {})), shown("c", "1"), asks(("c", "f", {})), shown("c", "2")]).encode()
    )
    assert [len(turn.calls) for turn in run.turns] == [1, 1]
    assert run.problems == ()


def test_orphans_and_unanswered_calls_are_named() -> None:
    run = only(json.dumps([TASK, asks(("c1", "f", {})), shown("zz", "1")]).encode())
    assert [problem.kind for problem in run.problems] == ["orphan result", "unanswered call"]


@pytest.mark.parametrize("content", [None, "", [], [{"type": "text", "text": ""}]])
def test_contents_without_words_are_empty(content: object) -> None:
    run = only(json.dumps([TASK, {"role": "assistant", "content": content}]).encode())
    assert run.turns[0].text == ""
    assert run.problems == ()


def terminus(commands: list[object], done: bool = False) -> dict[str, object]:
    told = json.dumps({"analysis": "a", "plan": "p", "commands": commands, "task_complete": done})
    return {"role": "assistant", "content": f"<think>Look.</think>\n{told}"}


def test_episodes_that_repeat_the_conversation_count_once() -> None:
    screen = {"role": "user", "content": "New Terminal Output:\n\nroot@a:/app# cat b\n12\nroot@a:/app#\n\n"}
    wrong = {"role": "user", "content": "Previous response had parsing errors:\nERROR: no plan"}
    whole = [
        TASK,
        terminus([{"keystrokes": "x\n"}]),
        wrong,
        terminus([{"keystrokes": "cat b\n"}]),
        screen,
        terminus([], True),
    ]
    episodes = [
        {"agent": "terminus-2", "model": "m", "trial_name": "t", "episode": f"episode-{n}", "conversations": whole[: 2 * n + 2]}
        for n in range(3)
    ]  # fmt: skip
    data = json.dumps(episodes).encode()
    assert claimants(data) == ["chat-messages"]
    run = only(data)
    assert [[call.name for call in turn.calls] for turn in run.turns] == [[], ["bash_command"], ["mark_task_complete"]]
    assert [turn.outcome for turn in run.turns] == ["failed", "complete", "complete"]
    assert run.turns[1].reasoning == "Look."
    [seen] = run.turns[1].observations
    assert without(seen.text, seen.spans, {"harness"}) == "\n12\n\n"
    assert run.header.harness == "terminus-2"
    assert run.problems == ()


def test_an_episode_that_does_not_repeat_the_one_before_is_named() -> None:
    episodes = [
        {"trial_name": "t", "episode": n, "conversations": [{"role": "user", "content": n}, asks(text=n)]} for n in "ab"
    ]
    run = only(json.dumps(episodes).encode())
    assert [turn.text for turn in run.turns] == ["b"]
    assert [problem.kind for problem in run.problems] == ["broken episodes"]


def test_calls_written_as_tags_are_calls_but_not_those_of_a_worked_example() -> None:
    example = "<function=run><parameter=command>ls</parameter></function>"
    run = only(
        json.dumps([
            {"role": "user", "content": f"Write calls like {example}"},
            {"role": "assistant", "content": "I look.\n<function=run>\n<parameter=command>cat a</parameter>\n</function>"},
            {"role": "user", "content": "EXECUTION RESULT of [run]:\n12\n[Command finished with exit code 0]"},
            {"role": "assistant", "content": "12"},
        ]).encode()
    )  # fmt: skip
    assert [call.arguments for turn in run.turns for call in turn.calls] == [{"command": "cat a"}]
    [seen] = run.turns[0].observations
    assert without(seen.text, seen.spans, {"harness"}) == "12"
    assert seen.exit_code == 0


def test_a_magentic_one_log_has_a_turn_for_every_speaker_and_no_calls() -> None:
    roles = [
        "human",
        "Orchestrator (thought)",
        "Orchestrator (-> WebSurfer)",
        "WebSurfer",
        "Orchestrator (termination condition)",
    ]
    data = json.dumps([{"role": role, "content": role} for role in roles]).encode()
    assert claimants(data) == ["chat-messages"]
    run = only(data)
    assert [(turn.text, turn.reasoning) for turn in run.turns] == [("", roles[1]), (roles[2], ""), (roles[3], "")]
    assert [said.origin for said in run.after] == ["harness"]
    assert run.problems == ()


def test_an_unknown_role_is_named_and_the_rest_is_read() -> None:
    run = only(json.dumps([TASK, {"role": "critic", "content": "no"}, asks(text="b")]).encode())
    assert [(problem.line, problem.kind) for problem in run.problems] == [(2, "unknown record")]
    assert run.turns[0].text == "b"
    assert str(run.tally).startswith("3 messages: 2 read, 1 skipped (message 2)")


def test_a_torn_file_keeps_what_stands_before_the_tear() -> None:
    run = only(SAMPLE[: SAMPLE.index(b"It is 3.")])
    assert [len(turn.calls) for turn in run.turns[:2]] == [2, 1]
    assert "torn document" in {problem.kind for problem in run.problems}


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_large_document_is_streamed_and_kept_up_to_a_fault(wrapped: bool) -> None:
    long = [TASK, *(asks((f"c{n}", "f", {"path": "x"}), text="y" * 400_000) for n in range(90))]
    sound = json.dumps({"status": "completed", "messages": long} if wrapped else long).encode()
    assert len(sound) > WHOLE
    assert claimants(sound) == ["chat-messages"]
    [run] = runs_of(chat_messages, sound)
    assert [turn.calls[0].call_id for turn in run.turns] == [f"c{n}" for n in range(90)]
    assert {problem.kind for problem in run.problems} == {"unanswered call"}
    [run] = runs_of(chat_messages, sound[: WHOLE + 10])
    assert [turn.calls[0].call_id for turn in run.turns] == [f"c{n}" for n in range(len(run.turns))]
    assert len(run.turns) > 80
    assert "torn document" in {problem.kind for problem in run.problems}


def test_messages_without_a_response_are_no_log() -> None:
    assert claimants(json.dumps([SYSTEM, TASK]).encode()) == []


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_spoiled_log_never_raises(data: st.DataObject) -> None:
    spoilt = data.draw(spoiled(data.draw(st.sampled_from([SAMPLE, jsonl(*MESSAGES)]))))
    runs_of(chat_messages, spoilt)
    claimants(spoilt)


@pytest.mark.parametrize("file", golden("chat_messages"))
def test_a_real_log_gives_its_golden_counts(file: str) -> None:
    assert_golden("chat_messages", file)
