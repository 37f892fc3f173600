"""Cline's messages: turns by request, results out of what the model was sent next, what is only shown."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from reader_checks import damaged, kinds, runs_in, runs_of

from tabcore.readers import cline
from tabcore.source import Source


def say(kind: str, text: object = "", **fields: object) -> dict[str, object]:
    return {
        "ts": 1772831320931,
        "type": "say",
        "say": kind,
        "text": text if isinstance(text, str) else json.dumps(text),
        **fields,
    }


def ask(kind: str, text: object = "") -> dict[str, object]:
    return {
        "ts": 1772831320932,
        "type": "ask",
        "ask": kind,
        "text": text if isinstance(text, str) else json.dumps(text),
    }


def request(text: str, **fields: object) -> dict[str, object]:
    return say("api_req_started", {"request": text, "tokensIn": 10, "tokensOut": 2, "cacheReads": 4, "cost": 0.5},
               modelInfo={"modelId": "m-1"}, **fields)  # fmt: skip


RESULT = (
    "[read_file for 'a.txt'] Result:\n\none\n\n<environment_details>\n# Current Time\n10:00\n</environment_details>"
)
MESSAGES = [
    say("task", "Sum the files"),
    request("<task>\nSum the files\n</task>\n\n<environment_details>\nLoading...\n</environment_details>"),
    say("reasoning", "Hm"),
    say("text", "I look"),
    say("tool", {"tool": "readFile", "path": "a.txt", "content": "/w/a.txt"}),
    request(RESULT),
    say("tool", {"tool": "listFilesTopLevel", "path": ".", "content": "a.txt\nb.txt"}),
    ask("command", "wc -l a.txt"),
    ask("command_output", ""),
    say("command_output", "1 a.txt"),
    say("checkpoint_created"),
    request(""),
    ask("followup", {"question": "Which sum?", "options": ["all"]}),
    say("user_feedback", "All of them"),
    request(""),
    say("completion_result", "It is 3"),
    ask("completion_result", ""),
]
SAMPLE = json.dumps(MESSAGES)


def test_each_request_opens_a_turn_with_its_words_model_and_tokens() -> None:
    [run] = runs_in(cline, SAMPLE)
    assert [turn.text for turn in run.turns] == ["I look", "", "Which sum?", "It is 3"]
    assert (run.turns[0].reasoning, run.turns[0].model) == ("Hm", "m-1")
    assert [turn.usage and (turn.usage.input, turn.usage.cache_read, turn.usage.cost) for turn in run.turns][:1] == [
        (10, 4, 0.5)
    ]
    assert run.problems == ()


def test_a_read_files_text_is_in_the_next_request_and_its_content_is_a_path() -> None:
    [run] = runs_in(cline, SAMPLE)
    first = run.turns[0]
    assert first.calls[0].arguments == {"path": "a.txt", "absolute_path": "/w/a.txt"}
    assert [(shown.call_id, shown.text) for shown in first.observations] == [("message-5", "one")]


def test_listings_and_command_output_count_as_they_were_shown() -> None:
    [run] = runs_in(cline, SAMPLE)
    second = run.turns[1]
    assert [(call.name, call.arguments) for call in second.calls] == [
        ("listFilesTopLevel", {"path": "."}),
        ("command", {"command": "wc -l a.txt"}),
    ]
    assert [shown.text for shown in second.observations] == ["a.txt\nb.txt", "1 a.txt"]


def test_a_task_may_be_a_text_and_an_answer_to_a_finished_task_is_no_tools_result() -> None:
    talk = "[attempt_completion] Result: Done\n\n<feedback>\nMore\n</feedback>\n\n# task_progress RECOMMENDED\n\nMake a list."
    messages = [say("text", "Sum the files"), request("<task>Sum the files</task>"), say("completion_result", "3"),
                say("user_feedback", "More"), request(talk), say("text", "4")]  # fmt: skip
    [run] = runs_in(cline, json.dumps(messages))
    assert [turn.text for turn in run.turns] == ["3", "4"]
    assert [(message.origin, message.kind) for turn in run.turns for message in turn.before] == [
        ("person", "prompt"), ("person", "prompt"), ("harness", "reminder"),
    ]  # fmt: skip
    assert [turn.observations for turn in run.turns] == [(), ()]


def test_the_environment_is_the_harnesss_and_feedback_a_persons() -> None:
    [run] = runs_in(cline, SAMPLE)
    said = [(message.origin, message.kind, message.text) for turn in run.turns for message in turn.before]
    assert said == [
        ("person", "prompt", "Sum the files"),
        ("harness", "environment", "# Current Time\n10:00"),
        ("person", "prompt", "All of them"),
    ]


def test_results_are_taken_from_the_history_beside_the_messages() -> None:
    messages = [*MESSAGES[:5], request("", conversationHistoryIndex=1), say("completion_result", "3")]
    history = [
        {"role": "user", "content": [{"type": "text", "text": "<task>Sum</task>"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "<read_file><path>a.txt</path></read_file>"}]},
        {
            "role": "user",
            "content": [{"type": "text", "text": "[read_file for 'a.txt'] Result:"}, {"type": "text", "text": "one"}],
        },
    ]
    beside = Source.of_bytes("api_conversation_history.json", json.dumps(history).encode())
    log = Source.of_bytes("ui_messages.json", json.dumps(messages).encode(), lambda: (beside,))
    [run] = runs_of(cline, log)
    assert [shown.text for shown in run.turns[0].observations] == ["one"]


def test_a_result_that_was_never_shown_leaves_its_call_unanswered() -> None:
    [run] = runs_in(cline, json.dumps([*MESSAGES[:5], request(""), say("completion_result", "3")]))
    assert run.turns[0].observations == ()
    assert kinds(run) == {"unanswered call": 1}


@given(st.data())
@settings(deadline=None)
def test_damaged_bytes_never_raise(data: st.DataObject) -> None:
    runs_in(cline, data.draw(damaged(SAMPLE.encode())))
