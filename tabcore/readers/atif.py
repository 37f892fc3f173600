"""Trajectories in ATIF, the Agent Trajectory Interchange Format, v1.2 to v1.7 (one JSON object, or one a line).

Format: RFC 0001 of the Harbor framework. An agent step is a turn, with these exceptions, each seen in real files:
Claude Code's converter splits one response into a step with its text and metrics and one step a call, which are put
together again; its words "Executed Bash toolu_…" are left out. A step with `is_copied_context` repeats an earlier one
and becomes a message of kind `copied`. Where an agent writes its calls as text (Terminus as JSON, OpenHands as tags),
they are read from there; its text stays whole. Call ids are unique within a turn only: local servers count anew from
`call_0` in each. A document that this program exported is read by its marks
(atif_marks). `line` is a step's place in `steps`, from 1.

Files over WHOLE bytes are streamed. A sub-agent's log stands in a file of its own; a problem names it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec

from tabcore.readers.assembly import Response, RunAssembler
from tabcore.readers.atif_marks import CallMark, ResultMark, RunMark, StepMark
from tabcore.readers.atif_texts import results_note, written_calls
from tabcore.readers.base import HEAD, Account, account_of, seconds
from tabcore.readers.contents import arguments
from tabcore.readers.heads import Head
from tabcore.readers.insertions import reminders_in_result, tab_block, user_message
from tabcore.readers.json_documents import is_jsonl, opening, shaped, values
from tabcore.readers.json_streams import items
from tabcore.source import Source
from tabcore.trajectory import Json, Message, Observation, Piece, RunHeader, ToolCall, Usage

NAME = "atif"

WHOLE = 32 << 20
"""Bytes of the largest document that is decoded in one go."""


class _Part(msgspec.Struct):
    type: str = ""
    text: str | None = None


class _CallExtra(msgspec.Struct):
    runningtab: CallMark | None = None


class _Call(msgspec.Struct):
    tool_call_id: str | None = None
    function_name: str | None = None
    arguments: Any = None
    extra: _CallExtra | None = None


class _Other(msgspec.Struct):
    session_id: str | None = None
    trajectory_path: str | None = None


class _ResultExtra(msgspec.Struct):
    runningtab: ResultMark | None = None


class _Result(msgspec.Struct):
    source_call_id: str | None = None
    content: str | list[_Part] | None = None
    subagent_trajectory_ref: list[_Other] | None = None
    extra: _ResultExtra | None = None


class _Observation(msgspec.Struct):
    results: list[_Result] | None = None


class _MetricsExtra(msgspec.Struct):
    cache_creation_input_tokens: int | None = None


class _Metrics(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    extra: _MetricsExtra | None = None


class _RawResult(msgspec.Struct):
    content: Any = None


class _ResultMetadata(msgspec.Struct):
    raw_tool_result: _RawResult | None = None


class _StepExtra(msgspec.Struct):
    cwd: str | None = None
    is_sidechain: bool | None = None
    tool_result_is_error: bool | None = None
    tool_result_metadata: _ResultMetadata | None = None
    runningtab: StepMark | None = None


class _Step(msgspec.Struct):
    source: str = ""
    message: str | list[_Part] | None = None
    timestamp: str | float | None = None
    reasoning_content: str | None = None
    model_name: str | None = None
    tool_calls: list[_Call] | None = None
    observation: _Observation | None = None
    metrics: _Metrics | None = None
    is_copied_context: bool | None = None
    extra: _StepExtra | None = None


class _AgentExtra(msgspec.Struct):
    cwds: list[str] | None = None
    parent_session_id: str | None = None


class _Agent(msgspec.Struct):
    name: str | None = None
    model_name: str | None = None
    extra: _AgentExtra | None = None


class _DocumentExtra(msgspec.Struct):
    runningtab: RunMark | None = None


class _Document(msgspec.Struct):
    session_id: str | None = None
    agent: _Agent | None = None
    extra: _DocumentExtra | None = None
    steps: list[_Step] | None = None
    continued_trajectory_ref: str | None = None


def recognises(head: Head) -> bool:
    """True for an object that states an ATIF version, or has an agent and numbered steps."""
    value = head.opening
    return isinstance(value, dict) and _is_trajectory(value)


def read(source: Source) -> Iterator[Piece]:
    """The runs of the file, turn by turn."""
    account = account_of(source, "step")
    for number, (document, steps) in enumerate(_documents(source, account)):
        run = _Run(document, number, account)
        for place, step in enumerate(steps, 1):
            run.take(place, step)
            if account.pieces:
                yield from account.drain()
        run.end()
    yield from account.close()


def _is_trajectory(value: dict[str, Json]) -> bool:
    version, steps = value.get("schema_version"), value.get("steps")
    if isinstance(version, str):
        return version.startswith("ATIF")
    first = steps[0] if isinstance(steps, list) and steps else None
    return isinstance(first, dict) and "agent" in value and "step_id" in first and "source" in first


def _is_step(value: dict[str, Json]) -> bool:
    return "step_id" in value and "source" in value


def _documents(source: Source, account: Account) -> Iterator[tuple[_Document, Iterator[_Step]]]:
    """Each trajectory with its steps: decoded in one go, streamed, or, where the file is faulty, piece by piece."""
    if not is_jsonl(source.head(HEAD)):
        if source.size > WHOLE:
            yield _frame(source), _streamed(source, account)
            return
        with source.open_text() as stream:
            data = stream.read(WHOLE + 1)
        try:
            document = msgspec.json.decode(data, type=_Document)
        except (msgspec.DecodeError, RecursionError, ValueError):
            pass
        else:
            account.total += len(document.steps or ())
            yield document, iter(document.steps or ())
            return
    for line, value in values(source, _is_step, account):
        if isinstance(value, dict) and isinstance(value.get("steps"), list):
            steps = value.pop("steps")
            document = shaped(value, _Document, line, account) or _Document()
            yield document, _with_care(steps, account)
        else:
            account.note(line, "not a record", "this is no trajectory with steps", "passed over", lost=True)


def _with_care(steps: Any, account: Account) -> Iterator[_Step]:
    """The steps of a decoded list, one by one; an odd one stands empty in its place."""
    for place, value in enumerate(steps, 1):
        account.total += 1
        step = shaped(value, _Step, place, account)
        if step is None:
            account.skip(place)
        yield step or _Step("unreadable")


def _frame(source: Source) -> _Document:
    """What stands before the steps of a large file, as far as the head of the file holds it."""
    value = opening(source.head(HEAD))
    members = {name: item for name, item in value.items() if name != "steps"} if isinstance(value, dict) else {}
    return shaped(members, _Document, 0, Account("")) or _Document()


def _streamed(source: Source, account: Account) -> Iterator[_Step]:
    """The steps of a large file, a few at a time in memory, up to the first fault."""
    yield from _with_care(items(source, "steps.item", account), account)


class _Run:
    """The run of one trajectory, filled step by step, and that of its inline sub-agent."""

    def __init__(self, document: _Document, number: int, account: Account) -> None:
        self._account = account
        self._agent = document.agent or _Agent()
        self._mark = document.extra.runningtab if document.extra else None
        self._name = self._agent.name or ""
        key = "" if number == 0 else document.session_id or f"run-{number + 1}"
        self._main = RunAssembler(key, self._header(document), account)
        self._side: RunAssembler | None = None
        self._continued = document.continued_trajectory_ref
        self._splits: bool | None = None
        self._has_tab = False

    def take(self, place: int, step: _Step) -> None:
        """One step."""
        if self._mark and step.source != "unreadable":
            self._retell(place, step, seconds(step.timestamp))
            return
        run, time = self._run_of(step), seconds(step.timestamp)
        if run.header.started is None and time is not None:
            run.header = replace(run.header, started=time)
        self._account.untimed += time is None
        text = _text(step.message)
        if step.is_copied_context:
            shown = [_text(result.content) for result in _results(step)]
            run.say(Message("\n".join([text, *filter(None, shown)]), "harness", "copied", place, time))
        elif step.source == "agent":
            self._respond(run, step, text, place, time)
        elif step.source == "user":
            self._say(run, text, place, time)
        elif step.source == "system":
            run.say(Message(text, "harness", "notice" if run.turns else "system", place, time))
            self._observe(run, step, place, time)
        elif step.source != "unreadable":
            self._account.not_understood(place, step.source)

    def end(self) -> None:
        """All that is still open."""
        if self._continued:
            what = f"the run goes on in {self._continued}"
            self._account.note(0, "other log", what, "only this file was read; load that one too")
        if self._main.turns == 0:
            self._account.note(0, "no turns", "the log holds no response of a model", "kept without turns")
        for run in (self._main, self._side):
            if run:
                run.end()

    def _retell(self, place: int, step: _Step, time: float | None) -> None:
        """A step of a document that this program exported."""
        self._account.untimed += time is None
        extra, text = step.extra or _StepExtra(), _text(step.message)
        mark = extra.runningtab or StepMark()
        if step.source != "agent":
            self._main.say(mark.message(text, place, time))
            return
        texts, reasonings = ([text] if text else []), ([step.reasoning_content] if step.reasoning_content else [])
        usage = _usage(step.metrics)
        self._main.respond(
            Response("", place, time, step.model_name, extra.cwd, mark.outcome, usage, texts, reasonings)
        )
        for call in step.tool_calls or ():
            had_none = call.extra and call.extra.runningtab and call.extra.runningtab.call_id == ""
            told = self._call(call, place)
            self._main.call(replace(told, call_id="") if had_none else told, ids_return=True)
        for result in _results(step):
            own = (result.extra and result.extra.runningtab) or ResultMark()
            self._main.observe(own.observation(result.source_call_id or "", _text(result.content), place, time))

    def _header(self, document: _Document) -> RunHeader:
        if self._mark:
            return self._mark.header.header(NAME)
        extra = self._agent.extra or _AgentExtra()
        return RunHeader(
            NAME,
            harness=self._name,
            session=document.session_id or "",
            cwd=extra.cwds[0] if extra.cwds else None,
            fresh_cwd=self._name == "pi",
            model=self._agent.model_name,
            parent_key=extra.parent_session_id,
        )

    def _run_of(self, step: _Step) -> RunAssembler:
        if not (step.extra and step.extra.is_sidechain):
            return self._main
        if self._side is None:
            header = RunHeader(NAME, harness=self._name, session=self._main.header.session, parent_key=self._main.key)
            self._side = RunAssembler(f"{self._main.key}sidechain", header, self._account)
        return self._side

    def _respond(self, run: RunAssembler, step: _Step, text: str, place: int, time: float | None) -> None:
        calls = [self._call(call, place) for call in step.tool_calls or ()]
        if len(calls) == 1 and text == f"Executed {calls[0].name} {calls[0].call_id}":
            text = ""
        response = run.response if self._goes_on(run, step) else None
        if response is None:
            cwd = step.extra.cwd if step.extra else None
            response = Response(
                "", place, time, step.model_name or self._agent.model_name, cwd, usage=_usage(step.metrics)
            )
            run.respond(response)
        response.texts.extend([text] if text else [])
        response.reasonings.extend([step.reasoning_content] if step.reasoning_content else [])
        for call in calls or written_calls(self._name, text, place):
            self._has_tab |= call.name in _TAB_TOOLS
            if not run.call(call, ids_return=True):
                self._account.note(place, "repeated record", f"the call {call.call_id} stands here again", "read once")
        if not response.calls and _results(step):
            response.outcome = "failed"
        self._observe(run, step, place, time)

    def _goes_on(self, run: RunAssembler, step: _Step) -> bool:
        """True for a further step of the open response, as Claude Code's converter splits it: it has no metrics."""
        if self._name != "claude-code":
            return False
        if self._splits is None:
            self._splits = step.metrics is not None
        return self._splits and step.metrics is None and not run.has_waiting

    def _call(self, call: _Call, place: int) -> ToolCall:
        name = call.function_name or ""
        return ToolCall(call.tool_call_id or "", name, arguments(call.arguments, name, place, self._account), place)

    def _observe(self, run: RunAssembler, step: _Step, place: int, time: float | None) -> None:
        for result in _results(step):
            for other in result.subagent_trajectory_ref or ():
                what = f"a sub-agent's run stands in {other.trajectory_path or other.session_id}"
                self._account.note(place, "other log", what, "only this file was read; load that one too")
            if result.content is not None or not result.subagent_trajectory_ref:
                run.observe(self._observation(result, step, place, time))

    def _observation(self, result: _Result, step: _Step, place: int, time: float | None) -> Observation:
        extra = step.extra or _StepExtra()
        text, parts = _text(result.content), result.content if isinstance(result.content, list) else []
        raw = extra.tool_result_metadata and extra.tool_result_metadata.raw_tool_result
        note = results_note(self._name, text, raw.content if raw else None)
        tab = tab_block([part.text or "" for part in parts if part.type == "text"])
        self._has_tab |= bool(tab)
        images = sum(part.type == "image" for part in parts)
        is_error = extra.tool_result_is_error is True
        spans = (*note.spans, *reminders_in_result(text), *tab)
        call_id = result.source_call_id or ""
        return Observation(call_id, text, is_error, spans, images, note.exit_code, note.cwd, place, time)

    def _say(self, run: RunAssembler, text: str, place: int, time: float | None) -> None:
        if self._has_tab and text.startswith("[tab] Finish check"):
            run.say(Message(text, "tab", "notice", place, time))
        else:
            run.say(user_message(text, place, time))


_TAB_TOOLS = frozenset(["tab_add", "tab_resolve", "tab_list", "tab_show", "add", "resolve", "list", "show"])


def _results(step: _Step) -> list[_Result]:
    return (step.observation.results or []) if step.observation else []


def _text(content: str | list[_Part] | None) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.text or "" for part in content or () if part.type == "text")


def _usage(metrics: _Metrics | None) -> Usage | None:
    """ATIF counts cached tokens among those of the prompt; here they stand apart."""
    if metrics is None:
        return None
    prompt, cached = metrics.prompt_tokens or 0, metrics.cached_tokens or 0
    written = (metrics.extra.cache_creation_input_tokens if metrics.extra else None) or 0
    return Usage(max(0, prompt - cached - written), metrics.completion_tokens or 0, cached, written, metrics.cost_usd)
