"""The agent with a real model: tool calls over OpenAI's protocol, against a server on the loopback that also answers badly."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from model_server import Answering, Body, ModelServer, Reply, answering

from tabcore import rerun
from tabcore.agent import (
    METHODS,
    Ended,
    Limits,
    MethodName,
    PiRecorder,
    SteppingClock,
    Terminal,
    companion_for,
    run_agent,
)
from tabcore.agent.endpoint import Allowance, EndpointModel, Sampling
from tabcore.errors import ModelUnusable
from tabcore.language_models import endpoint
from tabcore.memory import read_runs

FAST = {"retry-after-ms": "1"}


def calling(*calls: object, text: str | None = None, finish: str = "tool_calls") -> Reply:
    """A reply with these tool calls, exactly as given."""
    message = {"role": "assistant", "content": text, "tool_calls": list(calls)}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    usage = {"prompt_tokens": 50, "completion_tokens": 5}
    return Reply(
        body={"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
    )


def asked(name: object, arguments: object, call_id: object = "c1") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def bash(command: str, call_id: str = "c1") -> dict[str, Any]:
    return asked("bash", json.dumps({"command": command}), call_id)


def run(
    folder: Path,
    server: ModelServer,
    method: MethodName = "dci",
    allowance: Allowance | None = None,
    sampling: Sampling | None = None,
    seconds: float = 3600,
) -> Ended:
    """How an agent's run with the server's model ended; its run folder is `folder / "run"`."""
    (folder / "work").mkdir()
    (folder / "run").mkdir()
    (folder / "run" / "run.toml").write_text(f'root = "/w"\nmethod = "{method}"\n')
    (folder / "run" / "task.md").write_text("count the sheep")
    where = endpoint(server.url, "m", timeout=20, environment={})
    model = EndpointModel(where, allowance or Allowance(), sampling or Sampling())
    chosen, clock = METHODS[method], SteppingClock(1_700_000_000.0, 1.0)
    with (folder / "run" / "session.jsonl").open("w", encoding="utf-8") as file:
        recorder = PiRecorder(file, session="s", cwd="/w", provider="openai", model="m", time=clock.now)
        companion = companion_for(chosen, "count the sheep", "/w")
        terminal = Terminal(folder / "work", folder)
        return run_agent("count the sheep", model, chosen, companion, terminal, recorder, clock, Limits(12, seconds))


def results(server: ModelServer) -> list[str]:
    """The tool results of the last request."""
    return [message["content"] for message in server.requests[-1]["messages"] if message["role"] == "tool"]


def test_a_model_calls_tools_and_is_sent_what_they_returned(tmp_path: Path) -> None:
    with answering([calling(bash("echo 12"), text="I count."), Reply("Twelve sheep.")]) as server:
        assert run(tmp_path, server) == Ended("delivered", 2, "Twelve sheep.")
    first, second = server.requests
    assert [tool["function"]["name"] for tool in first["tools"]] == ["read", "bash", "write", "edit"]
    assert [message["role"] for message in first["messages"]] == ["system", "user"]
    assert second["messages"][2:] == [
        {"role": "assistant", "content": "I count.", "tool_calls": [bash("echo 12")]},
        {"role": "tool", "tool_call_id": "c1", "content": "12\n"},
    ]
    [loaded] = read_runs(str(tmp_path / "run"))
    assert [(turn.usage.input, turn.usage.output, turn.usage.cost) for turn in loaded.run.turns if turn.usage] == [
        (50, 5, None),
        (100, 10, None),
    ]


MALFORMED: list[tuple[str, object, str]] = [
    ("arguments that break off", asked("bash", '{"command": "ech'), "the arguments are no JSON object"),
    ("arguments that are a list", asked("bash", '["ls"]'), "the arguments are no JSON object"),
    ("arguments with a number that is none", asked("bash", '{"command": NaN}'), "the arguments are no JSON object"),
    ("no arguments", asked("bash", None), "The argument 'command' is needed"),
    ("a wrong type", asked("bash", '{"command": 5}'), "The argument 'command' is needed, as text"),
    ("arguments as an object", asked("bash", {"command": "echo 12"}), "12"),
    ("arguments encoded twice", asked("bash", json.dumps('{"command": "echo 12"}')), "12"),
    ("spaces around the name", asked(" bash\n", '{"command": "echo 12"}'), "12"),
    ("an unknown tool", asked("fly", "{}"), "There is no tool 'fly'"),
    ("an odd name", asked("functions.bash!", "{}"), "There is no tool 'functions.bash!'"),
    ("no name", asked(None, "{}"), "There is no tool ''"),
    ("no function", {"id": "c1", "type": "function"}, "There is no tool ''"),
    ("no id", asked("bash", '{"command": "echo 12"}', None), "12"),
    ("no type", {"id": "c1", "function": {"name": "bash", "arguments": '{"command": "echo 12"}'}}, "12"),
    ("half a character", asked("bash", '{"command": "echo \\ud800 12"}'), "12"),
]


def test_malformed_calls_are_answered_one_by_one_and_the_run_goes_on(tmp_path: Path) -> None:
    with answering([calling(*(call for _, call, _ in MALFORMED)), Reply("Done.")]) as server:
        assert run(tmp_path, server).how == "delivered"
    answers = zip(MALFORMED, results(server), strict=True)
    assert [(name, result) for (name, _, shown), result in answers if shown not in result] == []
    called = server.requests[1]["messages"][2]["tool_calls"]
    assert len({call["id"] for call in called}) == len(MALFORMED)
    assert all(call["function"]["name"].replace("_", "").isalnum() for call in called)
    assert all(isinstance(json.loads(call["function"]["arguments"]), dict) for call in called)
    [loaded] = read_runs(str(tmp_path / "run"))
    assert [len(turn.observations) for turn in loaded.run.turns] == [len(MALFORMED), 0]
    assert not loaded.run.problems


def test_calls_that_share_an_id_are_told_apart(tmp_path: Path) -> None:
    turns = [calling(bash("echo 1", "c"), bash("echo 2", "c")), calling(bash("echo 3", "c")), Reply("Done.")]
    with answering(turns) as server:
        run(tmp_path, server)
    ids = [message["tool_call_id"] for message in server.requests[-1]["messages"] if message["role"] == "tool"]
    assert (len(set(ids)), results(server)) == (3, ["1\n", "2\n", "3\n"])


def test_a_call_that_the_server_left_in_the_text_is_a_call(tmp_path: Path) -> None:
    tagged = '<tool_call>\n{"name": "bash", "arguments": {"command": "echo 12"}}\n</tool_call>'
    fenced = '```json\n{\n  "name": "bash",\n  "arguments": {"command": "echo 13"}\n}\n```'
    bare = '{"name": "bash", "arguments": {"command": "echo 14"}}\n'
    with answering([Reply(f"I count.\n{tagged}\n{fenced}\nThen I write."), Reply(bare), Reply("Done.")]) as server:
        assert run(tmp_path, server) == Ended("delivered", 3, "Done.")
    assert results(server) == ["12\n", "13\n", "14\n"]


@pytest.mark.parametrize(
    "block", ['{"name": "Ann", "arguments": {}}', '{"name": "bash", "arguments": {}, "rate": 5}', '{"name": "bash"}']
)
def test_json_that_an_answer_shows_is_no_call(tmp_path: Path, block: str) -> None:
    said = f"The record is:\n```json\n{block}\n```"
    with answering([Reply(said)]) as server:
        assert run(tmp_path, server) == Ended("delivered", 1, said)


def test_an_answer_that_was_cut_is_no_stop_and_says_why(tmp_path: Path) -> None:
    with answering([Reply("I will", finish="length"), Reply("Done.")]) as server:
        assert run(tmp_path, server) == Ended("delivered", 2, "Done.")
    [loaded] = read_runs(str(tmp_path / "run"))
    assert [turn.outcome for turn in loaded.run.turns] == ["failed", "complete"]
    assert "limit of tokens" in loaded.run.problems[0].what


def test_a_prompt_that_fails_three_times_ends_the_run_and_a_wrong_key_ends_it_at_once(tmp_path: Path) -> None:
    with answering([Reply("overfull context", status=400)]) as server:
        assert run(_folder(tmp_path, "long"), server).how == "model failed"
        assert len(server.requests) == 3
    with answering([Reply("no", status=401)]) as server, pytest.raises(ModelUnusable, match="does not accept the key"):
        run(_folder(tmp_path, "key"), server)


def _folder(parent: Path, name: str) -> Path:
    (parent / name).mkdir()
    return parent / name


def test_a_busy_endpoint_is_asked_again(tmp_path: Path) -> None:
    with answering([Reply("busy", status=503, headers=FAST), Reply("Done.")]) as server:
        assert run(tmp_path, server) == Ended("delivered", 1, "Done.")


def test_an_answer_may_not_outlast_the_run(tmp_path: Path) -> None:
    with answering([Reply("late", wait=2)]) as server:
        began = time.monotonic()
        assert run(tmp_path, server, seconds=1.0).how == "time limit"
        assert time.monotonic() - began < 1.8


def test_what_was_allowed_is_not_exceeded(tmp_path: Path) -> None:
    endless: Answering = lambda _: calling(bash("true"))  # noqa: E731
    for name, allowance in (("calls", Allowance(calls=4)), ("tokens", Allowance(tokens=200))):
        with answering(endless) as server, pytest.raises(ModelUnusable, match=f"the {name} that were allowed"):
            run(_folder(tmp_path, name), server, allowance=allowance)
        assert len(server.requests) == 4


def test_the_endpoint_chooses_what_nobody_stated(tmp_path: Path) -> None:
    with answering([Reply("Done.")]) as server:
        run(_folder(tmp_path, "a"), server)
        run(_folder(tmp_path, "b"), server, sampling=Sampling(0.7, 4096))
    plain, stated = server.requests
    assert not {"temperature", "max_tokens", "max_completion_tokens", "response_format"} & plain.keys()
    assert (stated["temperature"], stated["max_tokens"]) == (0.7, 4096)


def test_an_endpoint_that_declines_a_parameter_is_asked_without_it_from_then_on(tmp_path: Path) -> None:
    def picky(body: Body) -> Reply:
        if "temperature" in body:
            return Reply("temperature does not apply to this model", status=400)
        return calling(bash("true")) if len(body["messages"]) < 4 else Reply("Done.")

    with answering(picky) as server:
        assert run(tmp_path, server, sampling=Sampling(temperature=0.0)).how == "delivered"
    assert ["temperature" in request for request in server.requests] == [True, False, False]


def tracking() -> Callable[[Body], Reply]:
    """A model that works with the tab, and misuses it."""
    turns = iter(
        [
            calling(asked("tab_add", '{"items": ["number of sheep", "number of lambs"]}')),
            calling(bash("echo 'sheep 12' > sheep.txt; cat sheep.txt", "c2"), asked("tab_add", '{"items": [', "c3")),
            calling(asked("tab_list", "{}"), asked("tab_show", '{"entry": "L99"}'), asked("tab_show", "[]")),
            calling(
                asked("tab_resolve", '{"id": "r77", "status": "done", "entry": "L1"}', "d1"),
                asked("tab_resolve", '{"id": "r1", "status": "done", "entry": "L99"}', "d2"),
                asked("tab_resolve", '{"id": "r1", "status": "finished"}', "d3"),
                asked("tab_resolve", '{"id": ["r1"], "status": null}', "d4"),
                asked("tab_resolve", '{"id": "r2", "status": "unavailable"}', "d5"),
                asked("tab_resolve", '{"id": "r1", "status": "done", "entry": "L1"}', "d6"),
            ),
            Reply("Done."),
            Reply("Done indeed."),
        ]
    )
    return lambda _: next(turns)


@pytest.mark.parametrize("method", ["running_tab", "no_capture"])
def test_a_tab_that_its_model_misuses_is_derived_as_it_was_recorded(tmp_path: Path, method: MethodName) -> None:
    with answering(tracking()) as server:
        assert run(tmp_path, server, method) == Ended("delivered", 6, "Done indeed.")
    assert sum("Refused:" in result for result in results(server)) >= 5
    [item] = rerun.load([str(tmp_path / "run")], tmp_path / "runs.duckdb")
    replay = rerun.replay(tmp_path / "runs.duckdb", item.runs[0])
    assert replay.differences == ()
    assert [one.status for one in replay.timeline.at(6).requirements.values()] == ["done", "open"]


def test_an_observation_of_fifty_megabytes_is_cut_and_costs_no_more_memory_than_that(tmp_path: Path) -> None:
    big = asked("bash", json.dumps({"command": "head -c 50000000 /dev/zero | tr '\\0' x"}))
    lines = bash("yes 'a line' | head -c 50000000", "c2")
    with answering([calling(big, lines), Reply("Done."), Reply("Done.")]) as server:
        run(tmp_path, server, "running_tab")
    for result in results(server):
        shown, line = result.rsplit("\n", 1)
        assert 10_000 < len(shown) <= 20_000 + len("\n[...truncated, 99999999 chars omitted]")
        assert line.startswith("[tab] 0 open | candidates: 0 unopened")
    assert (tmp_path / "run" / "session.jsonl").stat().st_size < 100_000
