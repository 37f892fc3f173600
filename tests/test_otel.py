"""OpenTelemetry traces: dialects, ids, repeated prompts, the same response twice, sub-agents, retrieved documents."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reader_checks import ABSENT, REAL, counted, damaged, golden, kinds, runs_in, runs_of

from tabcore.readers import otel
from tabcore.source import Source
from tabcore.trajectory import without

TRACE = "3c72f582dd45872020700dfae35aef9d"


def value(of: object) -> dict[str, object]:
    match of:
        case bool():
            return {"boolValue": of}
        case int():
            return {"intValue": str(of)}
        case _:
            return {"stringValue": of if isinstance(of, str) else json.dumps(of)}


def span(ident: int, start: int, parent: int = 0, *, packed: bool = False, **attributes: object) -> dict[str, object]:
    """A span that lasts ten seconds; dots in attribute names are written as two underscores."""

    def name(number: int, size: int) -> str:
        data = number.to_bytes(size, "big")
        return base64.b64encode(data).decode() if packed else data.hex()

    trace = bytes.fromhex(TRACE)
    pairs = [{"key": key.replace("__", "."), "value": value(of)} for key, of in attributes.items() if key != "status"]
    return {
        "traceId": base64.b64encode(trace).decode() if packed else TRACE,
        "spanId": name(ident, 8),
        "parentSpanId": name(parent, 8) if parent else "",
        "name": f"span {ident}",
        "startTimeUnixNano": str((1_751_474_840 + start) * 10**9),
        "endTimeUnixNano": str((1_751_474_850 + start) * 10**9),
        "attributes": pairs,
        "status": attributes.get("status", {}),
    }


def export(*spans: dict[str, object]) -> dict[str, object]:
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "sums"}}]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "x"}, "spans": list(spans)}]}]}


def llm(
    ident: int, start: int, parent: int, heard: list[dict[str, str]], said: dict[str, object], **more: object
) -> dict[str, object]:
    fields: dict[str, object] = {
        "openinference__span__kind": "LLM",
        "llm__model_name": "m",
        "llm__token_count__prompt": 5,
    }
    for number, message in enumerate(heard):
        fields |= {f"llm__input_messages__{number}__message__{name}": of for name, of in message.items()}
    fields |= {f"llm__output_messages__0__message__{name}": of for name, of in {"role": "assistant", **said}.items()}
    return span(ident, start, parent, **fields, **more)


ASK = {"role": "user", "content": "Sum the files"}
CALLS = {"tool_calls__0__tool_call__id": "c1", "tool_calls__0__tool_call__function__name": "read",
         "tool_calls__0__tool_call__function__arguments": '{"path": "a.txt"}'}  # fmt: skip
SHOWN = {"role": "tool", "content": "1, 2", "tool_call_id": "c1"}
TOOL = {"openinference__span__kind": "TOOL", "tool__name": "read", "input__value": "{'path': 'a.txt'}",
        "output__value": "content='1, 2' name='read'"}  # fmt: skip
CALLED = {"role": "assistant", "tool_calls__0__tool_call__id": "c1", "tool_calls__0__tool_call__function__name": "read"}
SPANS = [
    llm(3, 10, 1, [ASK, CALLED, SHOWN], {"content": "3"}),
    span(4, 5, 1, **TOOL),
    llm(2, 0, 1, [ASK], {"content": "I look", **CALLS}),
    span(1, 0, openinference__span__kind="CHAIN"),
]
SAMPLE = json.dumps(export(*SPANS))


def test_spans_are_read_in_their_order_of_start_and_prompts_count_once() -> None:
    [run] = runs_in(otel, SAMPLE)
    first, last = run.turns
    assert run.run_id.endswith(TRACE)
    assert (first.text, last.text, run.header.harness, first.model) == ("I look", "3", "sums", "m")
    assert (first.calls[0].call_id, first.calls[0].arguments) == ("c1", {"path": "a.txt"})
    assert [message.text for turn in run.turns for message in turn.before] == ["Sum the files"]
    assert run.problems == ()


def test_a_result_is_what_the_next_prompt_shows_not_the_tools_own_print() -> None:
    [run] = runs_in(otel, SAMPLE)
    assert [(shown.call_id, shown.text) for shown in run.turns[0].observations] == [("c1", "1, 2")]


def test_ids_in_base64_and_in_hex_name_the_same_run() -> None:
    def packed(parts: list[dict[str, object]]) -> list[dict[str, object]]:
        return [
            {**part, **{name: base64.b64encode(bytes.fromhex(str(part[name]))).decode()
                        for name in ("traceId", "spanId", "parentSpanId") if part[name]}}
            for part in parts
        ]  # fmt: skip

    [run] = runs_in(otel, json.dumps([export(*packed(SPANS))]))
    assert (run.run_id, run.turns) == (runs_in(otel, SAMPLE)[0].run_id, runs_in(otel, SAMPLE)[0].turns)


def test_exports_one_a_line_read_like_one_export() -> None:
    lines = "\n".join(json.dumps(export(part)) for part in SPANS)
    assert counted(runs_in(otel, lines, "traces.json")) == counted(runs_in(otel, SAMPLE))


def test_a_response_told_by_framework_and_client_library_counts_once() -> None:
    inside = llm(9, 1, 2, [ASK], {"content": "I look", **CALLS})
    beside = llm(8, 1, 1, [ASK], {"content": "I look", **CALLS})
    for again in (inside, beside):
        [run] = runs_in(otel, json.dumps(export(*SPANS, again)))
        assert [turn.text for turn in run.turns] == ["I look", "3"]


def test_documents_that_the_program_retrieved_are_marked_in_the_prompt() -> None:
    found = {"openinference__span__kind": "RETRIEVER", "retrieval__documents__0__document__content": "Revenue 40.1",
             "retrieval__documents__0__document__metadata": '{"source": "data/q4.txt"}',
             "retrieval__documents__1__document__content": "Not used"}  # fmt: skip
    asked = {"role": "user", "content": "Context: Revenue 40.1\nRevenue?"}
    [run] = runs_in(otel, json.dumps(export(span(5, 0, **found), llm(6, 11, 0, [asked], {"content": "40.1"}))))
    prompt, left = run.turns[0].before
    assert [mark.what for mark in prompt.spans] == ["retrieved document data/q4.txt"]
    assert without(prompt.text, prompt.spans, {"harness"}) == "Context: \nRevenue?"
    assert (left.origin, left.kind, left.text) == ("harness", "environment", "Not used")


def test_a_model_below_a_tools_span_is_a_sub_agent() -> None:
    inner = llm(7, 6, 4, [{"role": "user", "content": "Read a.txt"}], {"content": "1, 2"})
    main, below = runs_in(otel, json.dumps(export(*SPANS, inner)))
    assert [len(main.turns), len(below.turns)] == [2, 1]
    assert (below.header.parent_key, below.header.parent_call) == (TRACE, "c1")


def test_a_model_below_an_agents_span_below_a_tools_span_is_a_sub_agent_too() -> None:
    agent = span(7, 5, 4, openinference__span__kind="AGENT")
    inner = llm(8, 6, 7, [{"role": "user", "content": "Read a.txt"}], {"content": "1, 2"})
    main, below = runs_in(otel, json.dumps(export(*SPANS, agent, inner)))
    assert [len(main.turns), len(below.turns)] == [2, 1]
    assert (below.header.parent_key, below.header.parent_call) == (TRACE, "c1")


GEN_AI = [
    span(2, 0, 1, gen_ai__operation__name="chat", gen_ai__response__model="m2", gen_ai__usage__input_tokens=7,
         gen_ai__system_instructions=[{"type": "text", "content": "Be brief"}],
         gen_ai__input__messages=[{"role": "user", "parts": [{"type": "text", "content": "Sum"}]}],
         gen_ai__output__messages=[{"role": "assistant", "parts": [
             {"type": "reasoning", "content": "Hm"},
             {"type": "tool_call", "id": "c1", "name": "read", "arguments": {"path": "a"}}]}]),
    span(3, 3, 1, gen_ai__operation__name="execute_tool", gen_ai__tool__name="read", gen_ai__tool__call__id="c1",
         gen_ai__tool__call__result="1, 2"),
    span(4, 9, 1, gen_ai__operation__name="chat",
         gen_ai__prompt__0__role="user", gen_ai__prompt__0__content="Sum",
         gen_ai__completion__0__role="assistant", gen_ai__completion__0__content="3"),
    span(1, 0, gen_ai__operation__name="invoke_agent"),
]  # fmt: skip


def test_gen_ai_messages_in_parts_and_in_numbered_attributes() -> None:
    [run] = runs_in(otel, json.dumps(export(*GEN_AI)))
    first, last = run.turns
    assert [(message.kind, message.text) for message in first.before] == [("system", "Be brief"), ("prompt", "Sum")]
    assert (first.reasoning, first.calls[0].arguments, last.text) == ("Hm", {"path": "a"}, "3")
    assert [(shown.call_id, shown.text) for shown in first.observations] == [("c1", "1, 2")]
    assert first.usage is not None
    assert (first.usage.input, last.before) == (7, ())


def test_gen_ai_messages_in_span_events() -> None:
    said = {"message": json.dumps({"content": "3"})}
    events = [
        {"name": "gen_ai.user.message", "attributes": [{"key": "content", "value": value("Sum")}]},
        {"name": "gen_ai.choice", "attributes": [{"key": name, "value": value(of)} for name, of in said.items()]},
    ]
    [run] = runs_in(otel, json.dumps(export({**span(2, 0, gen_ai__operation__name="chat"), "events": events})))
    assert [(turn.text, turn.before[0].text) for turn in run.turns] == [("3", "Sum")]


def test_vercels_spans() -> None:
    talk = [{"role": "user", "content": [{"type": "text", "text": "Sum"}]}]
    answer = [{"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c1", "output": {"sum": 3}}]}]
    calls = [{"toolCallId": "c1", "toolName": "read", "args": '{"path": "a"}'}]
    spans = [
        span(1, 0, ai__operationId="ai.generateText", ai__prompt="Sum", ai__response__text="3"),
        span(2, 0, 1, ai__operationId="ai.generateText.doGenerate", ai__prompt__messages=talk, ai__response__toolCalls=calls),
        span(3, 3, 1, ai__operationId="ai.toolCall", ai__toolCall__name="read", ai__toolCall__id="c1",
             ai__toolCall__args='{"path": "a"}', ai__toolCall__result='{"sum": 3}'),
        span(4, 9, 1, ai__operationId="ai.generateText.doGenerate", ai__prompt__messages=talk + answer, ai__response__text="3"),
    ]  # fmt: skip
    [run] = runs_in(otel, json.dumps(export(*spans)))
    assert [turn.text for turn in run.turns] == ["", "3"]
    assert (run.turns[0].calls[0].name, run.turns[0].calls[0].arguments) == ("read", {"path": "a"})
    assert [shown.text for shown in run.turns[0].observations] == ['{"sum":3}']


def test_spans_of_the_console_exporter() -> None:
    context = {"trace_id": f"0x{TRACE}", "span_id": "0x00000000000000aa"}
    attributes = {
        "openinference.span.kind": "LLM",
        "llm.output_messages": [{"message": {"role": "assistant", "content": "3"}}],
    }
    one = {
        "name": "llm",
        "context": context,
        "parent_id": None,
        "start_time": "2025-06-29T00:23:24Z",
        "attributes": attributes,
    }
    [run] = runs_in(otel, json.dumps(one))
    assert (run.run_id.partition(".")[2], run.turns[0].text) == (TRACE, "3")


def test_a_failed_tool_says_why_and_a_tool_without_a_response_is_kept() -> None:
    broken = span(2, 0, openinference__span__kind="TOOL", tool__name="read", status={"code": 2, "message": "no file"})
    [run] = runs_in(otel, json.dumps(export(broken)))
    assert (run.turns[0].calls[0].name, run.turns[0].observations[0].text) == ("read", "no file")
    assert run.turns[0].observations[0].is_error
    assert kinds(run) == {"no response": 1}


def test_traces_without_a_model_are_one_run_that_says_so() -> None:
    [run] = runs_in(otel, json.dumps(export(span(1, 0, http__method="GET"))))
    assert (run.turns, kinds(run)) == ((), {"no turns": 1})


@given(st.data())
@settings(deadline=None)
def test_damaged_bytes_never_raise(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([SAMPLE, json.dumps(export(*GEN_AI))]))
    runs_in(otel, data.draw(damaged(text.encode())))


@pytest.mark.skipif(not REAL.exists(), reason=ABSENT)
@pytest.mark.parametrize("name", sorted(golden("otel")))
def test_real_traces_hold_what_was_counted_in_them(name: str) -> None:
    assert counted(runs_of(otel, Source.of_path(REAL / name))) == golden("otel")[name]
