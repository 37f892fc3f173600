"""Trajectories of SWE-agent, 0.x and 1.x (JSON), its demonstrations, and the rows that Nebius published (JSONL).

`trajectory` has a step a turn: response, action and observation. `history` says the same once more and is read only
for what stood before the first response, or where there is no trajectory (demonstrations). What each step repeats of
the prompt (`messages`, `query`) is passed over. An action is one line for SWE-agent's shell, a command or one of its
tools, whatever way the model called it: the call is named `swe_agent` and has the line as `command`. Commands share
one shell; the directory after each is told in `state`, a JSON string or an object. Nebius's rows have roles
(system, user, ai) and the action in the last fenced block.

The head "OBSERVATION:", the tail "(Open file: …)(Current directory: …)bash-$" and the file viewer's own lines are
marked as spans; line ends stay as they are. `line` is a step's number, or a message's. Format: observed logs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec

from tabcore.readers.assembly import Response, RunAssembler
from tabcore.readers.base import HEAD, Account, account_of
from tabcore.readers.contents import content, unpacked
from tabcore.readers.heads import Head
from tabcore.readers.json_documents import is_jsonl, shaped, values
from tabcore.source import Source
from tabcore.trajectory import Json, Message, Observation, Piece, RunHeader, Span, ToolCall

NAME = "swe-agent"

WHOLE = 128 << 20
"""Bytes of the largest document that is decoded in one go, without what its steps repeat."""


class _Call(msgspec.Struct):
    id: str | None = None


class _Said(msgspec.Struct):
    """An item of `history`."""

    role: str = ""
    content: Any = None
    action: str | None = None
    is_demo: bool | None = None
    tool_calls: list[_Call] | None = None
    tool_call_ids: list[str] | None = None


class _Step(msgspec.Struct):
    action: str | None = None
    observation: str | None = None
    response: str | None = None
    thought: str | None = None
    state: Any = None
    messages: msgspec.Raw = msgspec.Raw()
    query: msgspec.Raw = msgspec.Raw()
    role: str | None = None
    text: str | None = None
    system_prompt: str | None = None


class _Info(msgspec.Struct):
    exit_status: str | None = None


class _Document(msgspec.Struct):
    trajectory: list[_Step] | None = None
    history: list[_Said] | None = None
    info: _Info | None = None
    replay_config: Any = None
    instance_id: str | None = None
    model_name: str | None = None
    exit_status: str | None = None


def recognises(head: Head) -> bool:
    """True for an object with SWE-agent's steps, its history, or Nebius's messages."""
    found = head.opening
    if not isinstance(found, dict):
        return False
    steps, history = found.get("trajectory"), found.get("history")
    first = steps[0] if isinstance(steps, list) and steps else None
    if isinstance(first, dict):
        return _is_step(first)
    said = [item for item in history if isinstance(item, dict)] if isinstance(history, list) else []
    return any("role" in item and not {"message_type", "is_demo", "thought"}.isdisjoint(item) for item in said[:5])


def read(source: Source) -> Iterator[Piece]:
    """The run of the file; several where it holds one a line."""
    account = account_of(source, "step")
    for number, document in enumerate(_documents(source, account)):
        run = _Run(document, f"run-{number + 1}" if number else "", account)
        for _ in run.read():
            if account.pieces:
                yield from account.drain()
        run.end()
    yield from account.close()


def _is_step(value: dict[str, Json]) -> bool:
    return {"action", "observation"} <= value.keys() or ({"role", "text"} <= value.keys() and "mask" in value)


def _documents(source: Source, account: Account) -> Iterator[_Document]:
    """Each document: decoded straight where it is sound, since its steps repeat far more than is read of them."""
    if not is_jsonl(source.head(HEAD)):
        with source.open_text() as stream:
            data = stream.read(WHOLE + 1)
        try:
            yield msgspec.json.decode(data, type=_Document)
        except (msgspec.DecodeError, RecursionError, ValueError):
            pass
        else:
            return
    for line, value in values(source, _is_step, account):
        document = shaped(value, _Document, line, account)
        if document is not None:
            yield document


class _Run:
    """The run of one document."""

    def __init__(self, document: _Document, key: str, account: Account) -> None:
        self._account = account
        self._document = document
        self._run = RunAssembler(key, _header(document), account)
        self._cwd: str | None = None

    def read(self) -> Iterator[None]:
        """Reads the document, step by step."""
        steps, history = self._document.trajectory or [], self._document.history or []
        if not steps:
            self._account.unit = "message"
        else:
            self._open(history or _repeated(steps[0]))
        for place, step in enumerate(steps, 1):
            self._account.total += 1
            self._account.untimed += 1
            if step.role is None:
                self._step(step, place)
            else:
                self._said(_Said(step.role, step.text or step.system_prompt), place)
            yield
        for place, said in enumerate(() if steps else history, 1):
            self._account.total += 1
            self._account.untimed += 1
            self._said(said, place)
            yield

    def end(self) -> None:
        """All that is still open."""
        if self._run.turns == 0:
            self._account.note(0, "no turns", "the log holds no response of a model", "kept without turns")
        info = self._document.info
        status = (info.exit_status if info else None) or self._document.exit_status
        if status not in (None, "submitted"):
            self._account.note(0, "failed run", f"the run ended early ({status[:60]})", "kept as far as it went")
        self._run.end()

    def _open(self, history: list[_Said]) -> None:
        """What stood before the first response."""
        for said in history:
            if said.role in ("assistant", "ai") and not said.is_demo:
                return
            self._before(said, content(said.content).text, 0)

    def _before(self, said: _Said, text: str, place: int) -> None:
        if said.role == "system" or said.is_demo:
            self._run.say(Message(text, "harness", "system", place))
            return
        spans, cwd = _marks(text)
        self._cwd = cwd or self._cwd
        if self._run.header.cwd is None:
            self._run.header = replace(self._run.header, cwd=self._cwd)
        self._run.say(Message(text, "person", "prompt", place, None, spans))

    def _step(self, step: _Step, place: int) -> None:
        text = step.response or step.thought or ""
        if not step.action and text.startswith("Exit due to "):
            self._run.say(Message(text, "harness", "notice", place))
            return
        self._respond(text, "", (step.action or "").strip("\r\n"), place)
        state = unpacked(step.state)
        after = state.get("working_dir") if isinstance(state, dict) else None
        self._show(step.observation, "", place, after if isinstance(after, str) and after != "n/a" else None)

    def _said(self, said: _Said, place: int) -> None:
        """A message where there are no steps: of `history`, or of Nebius's rows."""
        text = content(said.content).text
        match said.role:
            case _ if said.is_demo or said.role == "system":
                self._before(said, text, place)
            case "assistant":
                ident = (said.tool_calls[0].id or "") if said.tool_calls else ""
                self._respond(text, ident, (said.action or "").strip("\r\n"), place)
            case "ai":
                blocks = _FENCED.findall(text)
                self._respond(text, "", blocks[-1] if blocks else "", place)
            case "user" if self._run.response is None:
                self._before(said, text, place)
            case "user" | "tool":
                self._show(text, said.tool_call_ids[0] if said.tool_call_ids else "", place, None)
            case other:
                self._account.not_understood(place, other)

    def _respond(self, text: str, ident: str, action: str, place: int) -> None:
        calls = [ToolCall(ident, "swe_agent", {"command": action}, place)] if action.strip() else []
        model, texts = self._run.header.model, [text] if text else []
        self._run.respond(Response("", place, None, model, self._cwd, texts=texts, calls=calls))

    def _show(self, text: str | None, call_id: str, place: int, cwd: str | None) -> None:
        """What the shell answered; where nothing was called, the harness complains."""
        response = self._run.response
        if response is not None and not response.calls:
            if text:
                response.outcome = "failed"
                self._run.say(Message(text, "harness", "notice", place))
            return
        spans, told = _marks(text or "")
        self._cwd = cwd or told or self._cwd
        is_error = (text or "").startswith(("ERROR:", "Error:"))
        self._run.observe(Observation(call_id, text or "", is_error, spans, 0, None, self._cwd, place))


_FENCED = re.compile(r"```(?:bash|sh)?[ \t]*\r?\n(.*?)\r?\n```", re.DOTALL)
_TAIL = re.compile(
    r"(?:\r?\n|\A)\(Open file: [^\n]*\)\s*\n\(Current directory: ([^\n]*?)\)\s*\n(?:\([^\n]*\)\s*\n)*bash-\$\s*\Z"
)
_QUIET = re.compile(r"Your (?:last )?command ran successfully and did not produce any output\.")
_VIEWER = re.compile(
    r"^(?:\[File: [^\n]* \(\d+ lines total\)\]|\(\d+ more lines (?:above|below)\))\s*(?:\n|\Z)", re.MULTILINE
)


def _marks(text: str) -> tuple[tuple[Span, ...], str | None]:
    """What in a text is the harness's, and the working directory that its tail tells.

    >>> _marks("8.2\\n(Open file: n/a)\\n(Current directory: /ws)\\nbash-$")
    ((Span(start=3, end=52, origin='harness', what='shell state'),), '/ws')
    """
    tail = _TAIL.search(text)
    end = tail.start() if tail else len(text)
    spans = []
    if text.startswith("OBSERVATION:\n"):
        spans.append(Span(0, len("OBSERVATION:\n"), "harness", "header"))
    start = spans[0].end if spans else 0
    if (quiet := _QUIET.match(text, start)) and quiet.end() >= end:
        spans.append(Span(start, quiet.end(), "harness", "no output"))
    if "[File: " in text:
        spans += [Span(line.start(), line.end(), "harness", "viewer") for line in _VIEWER.finditer(text, start, end)]
    if tail:
        spans.append(Span(tail.start(), len(text), "harness", "shell state"))
    return tuple(spans), tail.group(1) if tail else None


def _repeated(step: _Step) -> list[_Said]:
    """The prompt as the first step repeats it, where there is no history."""
    for told in (step.query, step.messages):
        if bytes(told):
            try:
                return msgspec.json.decode(told, type=list[_Said])
            except (msgspec.DecodeError, RecursionError, ValueError):
                continue
    return []


def _header(document: _Document) -> RunHeader:
    model: Json = unpacked(document.replay_config)
    for name in ("agent", "model", "name"):
        model = model.get(name) if isinstance(model, dict) else None
    simulated = _REPLAYED if model == "replay" else None
    told = model if isinstance(model, str) and not simulated else None
    return RunHeader(
        NAME, harness=NAME, model=document.model_name or told, task_name=document.instance_id, simulated=simulated
    )


_REPLAYED = "Replayed: the responses were given beforehand, and their actions were executed again."
