"""Rollouts of the Codex CLI (JSONL), with the envelope `{timestamp, type, payload}` and, before 0.2x, without it.

`response_item` is what the model wrote and was shown; `event_msg` says most of it a second time and is read only for
exit codes, working directories, what Codex made of a command (`parsed_cmd`), tokens and interruptions; its other types
are for the screen. A turn is what the agent wrote between two results or prompts. Codex starts each command in the
turn's directory or in the call's `workdir`. A call of `write_stdin` is answered by what an earlier command printed
meanwhile. Format: observed logs, and openai/codex, codex-rs/protocol (models.rs, protocol.rs).

The head that Codex puts over a result ("Chunk ID: …" to "Output:"), its JSON wrapping and its notes on truncation
are marked as spans.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tabcore.readers.assembly import Response, RunAssembler
from tabcore.readers.base import Account, account_of, seconds
from tabcore.readers.codex_records import (
    CALLS,
    OUTPUTS,
    SILENT_ITEMS,
    Block,
    Info,
    Item,
    Line,
    has_envelope,
    is_bare,
    is_record,
    stated_of,
    taken_back,
    tells_rollback,
)
from tabcore.readers.codex_texts import result_of, user_block
from tabcore.readers.contents import arguments
from tabcore.readers.growing import read_whole
from tabcore.readers.heads import Head
from tabcore.readers.records import objects_of_line, records, sound_value
from tabcore.source import Source
from tabcore.trajectory import Json, Message, Observation, Outcome, Piece, RunHeader, ToolCall, Usage

NAME = "codex"


def recognises(head: Head) -> bool:
    """True for a log with an enveloped record, or one whose first line is a record of the old form."""
    if head.has_record(has_envelope):
        return True
    line, newline, _rest = head.data.lstrip().partition(b"\n")
    if line[:1] != b"{" or (head.is_cut and not newline):
        return False
    return any(is_bare(value) for value in sound_value(line) or objects_of_line(line) if isinstance(value, dict))


def read(source: Source) -> Iterator[Piece]:
    """The one run of a rollout; turns that the person took back are abandoned ones.

    A sub-agent's rollout is a log of its own that names its parent.
    """
    yield from read_whole(Growing(account_of(source)), source)


class Growing:
    """A rollout while it grows. A rollback takes earlier lines back, so that the log must be read anew."""

    def __init__(self, account: Account) -> None:
        self._account = account
        self._taken_back: list[range] = []
        self._has_lines = False
        self._session = _Session(account, self._taken_back)

    def look(self, arrived: Source) -> bool:
        """Whether no earlier line is taken back."""
        if self._has_lines:
            return not tells_rollback(arrived)
        self._has_lines = True
        self._taken_back += taken_back(arrived)
        return True

    def take(self, arrived: Source) -> Iterator[Piece]:
        """The pieces of these records."""
        for number, _place, line, _length in records(arrived, Line, is_record, self._account):
            self._session.take(line, number)
            if self._account.pieces:
                yield from self._account.drain()

    def end(self) -> Iterator[Piece]:
        """All that is still open, and the tally."""
        self._session.end()
        yield from self._account.close()

    def shared(self) -> tuple[object, ...]:
        """Which lines were taken back."""
        return (self._taken_back,)


@dataclass(frozen=True, slots=True)
class _Ending:
    """What an event tells of how a command ended."""

    exit_code: int | None
    cwd: str | None


class _Session:
    """The run of one rollout, filled record by record.

    Results wait until the next response begins, since the event with their exit code may follow them.
    """

    def __init__(self, account: Account, taken_back: list[range]) -> None:
        self._account = account
        self._taken_back = taken_back
        self._main = RunAssembler("", RunHeader(NAME, harness=NAME, fresh_cwd=True), account)
        self._run = self._main
        self._cwd: str | None = None
        self._model: str | None = None
        self._instructions = ""
        self._counted = 0
        self._turn_is_open = False
        self._results: list[Observation] = []
        self._endings: dict[str, _Ending] = {}
        self._told: set[int] = set()
        self._repeats: list[tuple[int, int]] = []

    def take(self, line: Line, number: int) -> None:
        """One record of the log."""
        time = seconds(line.timestamp)
        self._account.untimed += time is None
        if self._taken_back:
            self._turn_off(any(number in lines for lines in self._taken_back))
        item = line.payload or line
        match line.type:
            case "session_meta":
                self._open(item, number, time)
            case "turn_context":
                self._cwd, self._model = item.cwd or self._cwd, item.model or self._model
            case "response_item":
                self._item(item, number, time)
            case "event_msg":
                self._event(item, number)
            case "compacted":
                self._say(Message(item.message or "", "harness", "compaction", number, time))
            case "":
                self._old_header(line, number, time)
            case _ if line.payload is None:
                self._item(line, number, time)
            case _:
                self._account.not_understood(number, line.type)

    def end(self) -> None:
        """All that is still open, and texts of events that no response item holds."""
        self._turn_off(False)
        self._release()
        if self._run.turns == 0:
            self._account.note(0, "no turns", "the log holds no response of a model", "kept without turns")
        for number, text in self._repeats:
            if text not in self._told:
                what = "a message stands only in an event, not among the response items"
                self._account.note(number, "message only in an event", what, "left out", lost=True)
        self._run.end()

    def _turn_off(self, abandoned: bool) -> None:
        """Goes over to a branch that the record gave up, or back to the run."""
        if abandoned == self._run.abandoned:
            return
        self._release()
        self._turn_is_open = False
        if abandoned:
            self._main.start()
            self._run = RunAssembler(
                "", self._main.header, self._account, first=self._main.turns + 1, upstream=self._main
            )
        else:
            self._run.end()
            self._run = self._main

    def _open(self, meta: Item, number: int, time: float | None) -> None:
        header = self._run.header
        if header.session:
            self._account.note(number, "second session", f"the session {meta.id} starts here", "read on as one run")
            return
        self._cwd = meta.cwd
        self._run.header = replace(
            header, session=meta.id or "", cwd=meta.cwd, started=time, parent_key=_parent_thread(meta.source)
        )
        if meta.base_instructions and meta.base_instructions.text:
            self._run.say(Message(meta.base_instructions.text, "harness", "system", number, time))

    def _old_header(self, line: Line, number: int, time: float | None) -> None:
        if line.record_type == "state":
            return
        if line.id is None:
            self._account.not_understood(number, "")
            return
        self._open(line, number, time)
        if line.instructions and not self._instructions:
            self._instructions = line.instructions
            self._say(Message(line.instructions, "harness", "environment", number, time))

    def _item(self, item: Item, number: int, time: float | None) -> None:
        """What the model wrote, or was shown."""
        if item.type == "message" and item.role != "assistant":
            self._heard(item, number, time)
        elif item.type == "message":
            texts = _texts(item.content)
            self._remember(texts)
            self._response(number, time).texts.extend(filter(None, texts))
        elif item.type == "reasoning":
            thoughts = _texts(item.summary) + _texts(item.content)
            self._response(number, time).reasonings.extend(filter(None, thoughts))
        elif item.type in CALLS:
            self._call(item, number, time)
        elif item.type in OUTPUTS:
            self._result(item, number, time)
        elif item.type not in SILENT_ITEMS:
            self._account.not_understood(number, item.type)

    def _response(self, number: int, time: float | None) -> Response:
        """The response that the agent is writing; a new one after results or a message."""
        response = self._run.response
        if response is None or not self._turn_is_open:
            self._release()
            response = Response("", number, time, self._model, self._cwd)
            self._run.respond(response)
            self._turn_is_open = True
        return response

    def _heard(self, item: Item, number: int, time: float | None) -> None:
        """A message that is not the agent's, block by block: a person's words and insertions share messages."""
        blocks = [Block("input_text", item.content)] if isinstance(item.content, str) else item.content or []
        for block in blocks:
            text = block.text or ""
            if block.type == "input_image":
                self._account.note(number, "picture", "a picture stands in a message", "not kept", lost=True)
            elif item.role != "user":
                self._say(Message(text, "harness", "system", number, time))
            elif not (self._instructions and self._instructions in text):
                self._say(user_block(text, number, time))
        self._remember([block.text or "" for block in blocks])

    def _say(self, message: Message) -> None:
        self._turn_is_open = False
        self._run.say(message)

    def _call(self, item: Item, number: int, time: float | None) -> None:
        self._response(number, time)
        call = ToolCall(item.call_id or "", *self._named(item, number), number)
        if not self._run.call(call):
            self._account.note(number, "repeated record", f"the call {call.call_id} stands here again", "read once")

    def _named(self, item: Item, number: int) -> tuple[str, dict[str, Json]]:
        """A call's tool and arguments. Free text for a tool, such as a patch, is its argument `input`."""
        tool = item.name or item.type.removesuffix("_call")
        if item.type == "custom_tool_call" and isinstance(item.input, str):
            return tool, {"input": item.input}
        told = item.action if item.arguments is None else item.arguments
        return tool, arguments(told, tool, number, self._account)

    def _result(self, item: Item, number: int, time: float | None) -> None:
        self._turn_is_open = False
        result = result_of(item.output)
        self._results.append(
            Observation(
                item.call_id or "", result.text, result.is_error, result.spans, result.images,
                result.exit_code, None, number, time,
            )
        )  # fmt: skip

    def _release(self) -> None:
        """Hands over the results of the turn, with what events told of them."""
        for observation in self._results:
            ending = self._endings.pop(observation.call_id, None)
            if ending is not None:
                code = observation.exit_code if ending.exit_code is None else ending.exit_code
                is_error = observation.is_error or code not in (None, 0)
                observation = replace(observation, exit_code=code, cwd=ending.cwd, is_error=is_error)
            self._run.observe(observation)
        self._results.clear()

    def _event(self, event: Item, number: int) -> None:
        match event.type:
            case "exec_command_end":
                if event.call_id:
                    self._endings[event.call_id] = _Ending(event.exit_code, event.cwd)
                    self._run.state(stated_of(event))
            case "token_count":
                self._count(event.info)
            case "user_message" | "agent_message":
                self._repeats.append((number, _fingerprint(event.message or "")))
            case "turn_aborted":
                self._cut("aborted")
            case "error" | "stream_error":
                self._cut("failed")
                self._account.note(number, "failed response", (event.message or event.type)[:300], "noted")
            case _:
                pass

    def _cut(self, outcome: Outcome) -> None:
        """A response ended early, unless its calls had been made."""
        response = self._run.response
        if response is not None and self._turn_is_open and not response.calls:
            response.outcome = outcome

    def _count(self, info: Info | None) -> None:
        """Tokens of the response that has just ended; the same count is often told again."""
        response = self._run.response
        if info is None or info.last is None or response is None:
            return
        if info.total is not None:
            if info.total.total == self._counted:
                return
            self._counted = info.total.total
        known, told = response.usage or Usage(), info.last
        response.usage = Usage(
            known.input + max(0, told.input - told.cached),
            known.output + told.output,
            known.cache_read + told.cached,
            known.cache_write + told.cache_write,
        )

    def _remember(self, texts: list[str]) -> None:
        self._told.update(map(_fingerprint, [*texts, "".join(texts)]))


def _texts(content: str | list[Block] | None) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [block.text or "" for block in content or []]


def _fingerprint(text: str) -> int:
    """Equal for texts that differ in white space alone."""
    return hash("".join(text.split()))


def _parent_thread(source: object) -> str | None:
    """The session that spawned this one: `source.subagent.thread_spawn.parent_thread_id`."""
    for name in ("subagent", "thread_spawn", "parent_thread_id"):
        source = source.get(name) if isinstance(source, dict) else None
    return source if isinstance(source, str) else None
