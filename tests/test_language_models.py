"""The door to a model, against a real server on the loopback that answers, refuses, breaks off and keeps one waiting."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from model_server import Body, ModelServer, Reply, answering

from tabcore.errors import ModelError, ModelUnusable, UsageError
from tabcore.language_models import (
    Answer,
    LanguageModel,
    Message,
    Parameters,
    Prompt,
    endpoint,
    run_apart,
)

SCHEMA = '{"type": "object", "properties": {"values": {"type": "array"}}}'
PROMPT = Prompt((Message("system", "Answer."), Message("user", "What stands there?")), SCHEMA)
FAST = {"retry-after-ms": "1"}


def ask(server: ModelServer, *, timeout: float = 20, key: str = "", prompt: Prompt = PROMPT) -> Answer:
    where = endpoint(server.url, "m", "KEY" if key else "", timeout=timeout, environment={"KEY": key})
    return run_apart(_ask(where, prompt))


async def _ask(where, prompt):  # type: ignore[no-untyped-def]
    async with LanguageModel(where) as model:
        return await model.answer(prompt)


def test_a_caller_may_run_an_event_loop_of_its_own() -> None:
    async def in_a_notebook(server: ModelServer) -> Answer:
        return ask(server)

    with answering([Reply("5")]) as server:
        assert run_apart(in_a_notebook(server)).text == "5"


def test_an_answer_comes_with_its_tokens_and_the_form_that_was_taken() -> None:
    with answering(
        [Reply('{"values": ["5"]}', usage={"prompt_tokens": 7, "completion_tokens": 3, "cost": 0.25})]
    ) as server:
        found = ask(server)
    assert (found.text, found.finish, found.form) == ('{"values": ["5"]}', "complete", "json_schema")
    assert (found.tokens_in, found.tokens_out, found.cost) == (7, 3, 0.25)
    [sent] = server.requests
    assert sent["messages"] == [
        {"role": "system", "content": "Answer."},
        {"role": "user", "content": "What stands there?"},
    ]
    assert (sent["model"], sent["temperature"], sent["max_tokens"]) == ("m", 0.0, 1000)


def test_what_an_endpoint_does_not_tell_is_unknown_and_not_zero() -> None:
    with answering([Reply("5", usage=None)]) as server:
        found = ask(server)
    assert (found.tokens_in, found.tokens_out, found.cost) == (None, None, None)


def test_without_structured_output_a_looser_form_is_asked_for_step_by_step() -> None:
    def picky(body: Body) -> Reply:
        if "response_format" in body:
            return Reply(f"response_format {body['response_format']['type']} is not supported", 400)
        return Reply("It is 5.")

    with answering(picky) as server:
        found = ask(server)
    assert (found.text, found.form) == ("It is 5.", "text")
    assert [body.get("response_format", {}).get("type") for body in server.requests] == [
        "json_schema",
        "json_object",
        None,
    ]


def test_a_model_that_takes_neither_temperature_nor_max_tokens_is_asked_without() -> None:
    def picky(body: Body) -> Reply:
        if "max_tokens" in body:
            return Reply("max_tokens is not supported, use max_completion_tokens instead", 400)
        if "temperature" in body:
            return Reply("temperature does not support 0 with this model", 400)
        return Reply("5")

    with answering(picky) as server:
        assert ask(server).text == "5"
    assert server.requests[-1]["max_completion_tokens"] == 1000


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_endpoint_is_asked_again(status: int) -> None:
    with answering([Reply("busy", status, headers=FAST), Reply("busy", status, headers=FAST), Reply("5")]) as server:
        assert ask(server).text == "5"
    assert len(server.requests) == 3


def test_the_pause_that_an_endpoint_asks_for_is_kept() -> None:
    began = time.monotonic()
    with answering([Reply("busy", 429, headers={"retry-after-ms": "700"}), Reply("5")]) as server:
        ask(server)
    assert time.monotonic() - began >= 0.7


def test_an_endpoint_that_stays_busy_need_not_be_asked_further() -> None:
    with (
        answering([Reply("quota used up", 429, headers=FAST)]) as server,
        pytest.raises(ModelUnusable, match="quota used up"),
    ):
        ask(server)
    assert len(server.requests) == 6


def test_one_that_keeps_failing_fails_this_prompt_only() -> None:
    with answering([Reply("out of memory", 500, headers=FAST)]) as server, pytest.raises(ModelError) as failed:
        ask(server)
    assert not isinstance(failed.value, ModelUnusable)
    assert "out of memory" in str(failed.value)


def test_a_wrong_key_is_said_and_not_tried_again() -> None:
    refused = pytest.raises(ModelUnusable, match="does not accept the key")
    with answering([Reply("Incorrect API key provided", 401)]) as server, refused as failed:
        ask(server, key="sk-wrong")
    assert len(server.requests) == 1
    assert server.headers[0]["authorization"] == "Bearer sk-wrong"
    assert "sk-wrong" not in str(failed.value)


def test_an_unknown_model_names_those_that_there_are() -> None:
    with answering([Reply("model not found", 404)]) as server, pytest.raises(ModelUnusable, match="It knows: m, other"):
        ask(server)


def test_nobody_there_is_said_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabcore.language_models.RETRIES", 0)
    with answering([Reply()]) as server:
        gone = server.url
    with pytest.raises(ModelUnusable, match="nobody answers there"):
        run_apart(_ask(endpoint(gone, "m", environment={}), PROMPT))


def test_half_an_answer_is_asked_for_again() -> None:
    with answering([Reply("5" * 200, cut=True), Reply("5")]) as server:
        assert ask(server).text == "5"


def test_one_that_only_ever_sends_half_fails_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabcore.language_models.RETRIES", 1)
    with answering([Reply("5" * 200, cut=True)]) as server, pytest.raises(ModelError, match="breaks off"):
        ask(server)


def test_an_answer_that_met_its_limit_is_marked_as_cut() -> None:
    with answering([Reply('{"values": ["5', finish="length")]) as server:
        assert ask(server).finish == "cut"


@pytest.mark.parametrize("reply", [Reply("", refusal="I cannot help"), Reply("", finish="content_filter")])
def test_a_refusal_is_an_answer(reply: Reply) -> None:
    with answering([reply]) as server:
        assert ask(server).finish == "refused"


@pytest.mark.parametrize("body", ["<html>hello</html>", "", {"choices": []}, {"choices": None}, {"error": "no"}, "[1]"])
def test_what_is_no_answer_of_the_protocol_is_a_fault_and_no_crash(body: Body | str) -> None:
    with answering([Reply(body=body)]) as server, pytest.raises(ModelError):
        ask(server, timeout=5)


def test_a_slow_answer_is_given_up_in_time() -> None:
    began = time.monotonic()
    with answering([Reply("5", wait=3)]) as server, pytest.raises(ModelError, match=r"within 0\.5 s"):
        ask(server, timeout=0.5)
    assert time.monotonic() - began < 5


def test_a_prompt_that_is_too_long_says_what_to_do() -> None:
    too_long = pytest.raises(ModelError, match="longer than the model's context")
    with answering([Reply("maximum context length is 4096 tokens", 400)]) as server, too_long:
        ask(server)


def test_text_goes_nowhere_but_to_the_chosen_address() -> None:
    with answering([Reply("stolen")]) as other:
        elsewhere = Reply("", 307, headers={"location": f"{other.url}/chat/completions"})
        with answering([elsewhere]) as server, pytest.raises(ModelUnusable, match="which nobody chose"):
            ask(server, key="sk-1")
    assert other.requests == []


def test_neither_a_vendors_key_nor_an_organisation_goes_to_somebody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "secret-of-mine")
    with answering([Reply("5")]) as server:
        run_apart(_ask(endpoint(server.url, "m"), PROMPT))
    assert "secret-of-mine" not in str(server.headers)


def test_keys_come_from_the_named_variable_then_the_programs_then_the_vendors() -> None:
    own = {"RUNNINGTAB_API_KEY": "a", "OPENAI_API_KEY": "b", "MINE": "c"}
    assert endpoint("https://api.openai.com/v1", "m", "MINE", environment=own).key == "c"
    assert endpoint("https://api.openai.com/v1", "m", environment=own).key == "a"
    assert endpoint("https://api.openai.com/v1", "m", environment={"OPENAI_API_KEY": "b"}).key == "b"
    assert endpoint("https://example.com/v1", "m", environment={"OPENAI_API_KEY": "b"}).key == ""
    assert "sk-mine" not in repr(endpoint("https://example.com/v1", "m", "MINE", environment={"MINE": "sk-mine"}))


@pytest.mark.parametrize(
    ("address", "model", "variable"),
    [
        ("", "m", ""),
        ("ftp://x/v1", "m", ""),
        ("127.0.0.1:80", "m", ""),
        ("http://", "m", ""),
        ("http://[::1", "m", ""),
        ("http://user:pass@x/v1", "m", ""),
        ("http://x/v1", " ", ""),
        ("http://x/v1", "m", "UNSET"),
    ],
)
def test_what_is_no_endpoint_is_refused_with_a_remedy(address: str, model: str, variable: str) -> None:
    with pytest.raises(UsageError) as refused:
        endpoint(address, model, variable, environment={})
    assert refused.value.remedy
    assert "pass" not in refused.value.place


def test_answers_are_kept_apart_by_their_parameters() -> None:
    assert Parameters(0.5).as_json != Parameters(0.0).as_json
    assert Parameters(0.0, 1000).as_json == Parameters().as_json


def test_the_client_library_is_not_loaded_before_somebody_is_asked() -> None:
    code = "import sys, tabcore.recovery, tabcore.language_models; sys.exit('openai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
