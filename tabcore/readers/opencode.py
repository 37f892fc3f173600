"""Sessions that `opencode export` writes (a JSON document `{info, messages: [{info, parts[]}]}`, or several).

Format: sst/opencode, `session/message-v2.ts`. Verified by eye on the beginning of one published export (version 1.17),
and against the public fixtures of meridianlabs-ai/inspect_scout, which hold the same parts.

Each step of an assistant's message (`step-start` to `step-finish`) is a turn; a message without steps is one. A tool's
part holds the call and its result. What the program put into a prompt is marked `synthetic`. An assistant's message
that is a `summary` replaces earlier turns and is none itself. A sub-agent (`task`) is a session of its own, in another
export: a problem names it. `line` is a message's number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec

from tabcore.readers.assembly import Response, RunAssembler
from tabcore.readers.base import Account, seconds
from tabcore.readers.contents import arguments, text_of
from tabcore.readers.heads import Head
from tabcore.readers.json_documents import shaped, values
from tabcore.source import Source
from tabcore.trajectory import Json, Message, Observation, Piece, RunHeader, Span, ToolCall, Usage

NAME = "opencode"


class _Time(msgspec.Struct):
    created: float | None = None
    start: float | None = None
    end: float | None = None


class _Path(msgspec.Struct):
    cwd: str | None = None
    root: str | None = None


class _Cache(msgspec.Struct):
    read: float | None = None
    write: float | None = None


class _Tokens(msgspec.Struct):
    input: float | None = None
    output: float | None = None
    reasoning: float | None = None
    cache: _Cache | None = None


class _Session(msgspec.Struct):
    id: str | None = None
    parent: str | None = msgspec.field(default=None, name="parentID")
    directory: str | None = None
    title: str | None = None
    time: _Time | None = None


class _About(msgspec.Struct):
    role: str = ""
    time: _Time | None = None
    model: str | None = msgspec.field(default=None, name="modelID")
    path: _Path | None = None
    tokens: _Tokens | None = None
    cost: float | None = None
    summary: Any = None
    error: Any = None


class _Metadata(msgspec.Struct):
    exit: int | None = None
    session: str | None = msgspec.field(default=None, name="sessionId")


class _Attachment(msgspec.Struct):
    mime: str | None = None


class _State(msgspec.Struct):
    status: str = ""
    input: Any = None
    output: Any = None
    error: Any = None
    metadata: _Metadata | None = None
    time: _Time | None = None
    attachments: list[_Attachment] | None = None


class _Part(msgspec.Struct):
    type: str = ""
    text: str | None = None
    synthetic: bool | None = None
    ignored: bool | None = None
    tool: str | None = None
    call: str | None = msgspec.field(default=None, name="callID")
    state: _State | None = None
    tokens: _Tokens | None = None
    cost: float | None = None
    mime: str | None = None
    prompt: str | None = None


class _Message(msgspec.Struct):
    info: _About | None = None
    parts: list[_Part] | None = None


_SILENT = frozenset(["snapshot", "patch", "agent", "retry", "compaction", "subtask"])


def recognises(head: Head) -> bool:
    """True for an export, or a list of them."""
    found = head.value
    items = found if isinstance(found, list) else [found]
    return any(isinstance(item, dict) and _is_export(item) for item in items[:3])


def read(source: Source) -> Iterator[Piece]:
    """One run per session."""
    account = Account(source.path, "message")
    count = 0
    for _, value in values(source, _is_message, account):
        for item in value if isinstance(value, list) else [value]:
            _session(item, count, account)
            count += 1
            yield from account.drain()
    yield from account.close()


def _is_export(value: dict[str, Json]) -> bool:
    messages = value.get("messages")
    if not isinstance(value.get("info"), dict) or not isinstance(messages, list):
        return False
    return any(isinstance(message, dict) and _is_message(message) for message in messages[:3])


def _is_message(value: dict[str, Json]) -> bool:
    return isinstance(value.get("info"), dict) and isinstance(value.get("parts"), list)


def _session(value: Json, number: int, account: Account) -> None:
    """One export's run."""
    messages = value.get("messages") if isinstance(value, dict) else None
    about = shaped(value.get("info"), _Session, 0, account) if isinstance(value, dict) else None
    about = about or _Session()
    key = re.sub(r"[^\w.-]+", "-", about.id or f"session-{number + 1}") if number else ""
    started = seconds(about.time.created) if about.time else None
    header = RunHeader(
        NAME, NAME, session=about.id or "", cwd=about.directory, task_name=about.title, started=started,
        parent_key=about.parent,
    )  # fmt: skip
    reader = _Reader(RunAssembler(key, header, account), account)
    for line, item in enumerate(messages if isinstance(messages, list) else [], 1):
        reader.take(line, item)
    reader.end()


class _Reader:
    """One session into its run."""

    def __init__(self, run: RunAssembler, account: Account) -> None:
        self._run = run
        self._account = account

    def take(self, line: int, value: Json) -> None:
        """One message with its parts."""
        self._account.total += 1
        message = shaped(value, _Message, line, self._account)
        if message is None:
            self._account.skip(line)
            return
        about = message.info or _About()
        time = seconds(about.time.created) if about.time else None
        self._account.untimed += time is None
        match about.role:
            case "user":
                self._user(message.parts or [], line, time)
            case "assistant" if about.summary is True:
                text = "\n".join(part.text for part in message.parts or [] if part.type == "text" and part.text)
                self._run.say(Message(text, "harness", "compaction", line, time))
            case "assistant":
                self._assistant(about, message.parts or [], line, time)
            case other:
                self._account.not_understood(line, other)

    def end(self) -> None:
        """The session has no more messages."""
        if self._run.turns == 0:
            self._account.note(0, "no turns", "the session holds no answer of the model", "kept without turns")
        self._run.end()

    def _user(self, parts: list[_Part], line: int, time: float | None) -> None:
        for part in parts:
            if part.type == "text" and part.text and not part.ignored:
                if part.synthetic:
                    self._run.say(Message(part.text, "harness", "reminder", line, time))
                else:
                    self._run.say(Message(part.text, "person", "prompt", line, time))
            elif part.type == "file" and (part.mime or "").startswith("image/"):
                self._account.note(line, "picture", "a picture stands in a person's message", "not kept", lost=True)
            elif part.type not in _SILENT | {"text", "file"}:
                self._account.not_understood(line, part.type)

    def _assistant(self, about: _About, parts: list[_Part], line: int, time: float | None) -> None:
        """The steps of a message: results are told when their step is over."""
        cwd = about.path.cwd if about.path else None
        if about.path and about.path.cwd and not self._run.header.cwd:
            self._run.header = replace(self._run.header, cwd=cwd, root=self._run.header.root)
        has_steps = any(part.type == "step-start" for part in parts)
        response, results = self._open(about, line, time, cwd), list[Observation]()
        for number, part in enumerate(parts):
            if part.type == "step-start" and (
                response.texts or response.reasonings or response.calls or response.usage
            ):
                self._observe(results)
                response, results = self._open(about, line, time, cwd), []
            elif part.type == "step-finish":
                response.usage = _usage(part.tokens, part.cost)
            else:
                self._part(response, results, part, number, line)
        if not has_steps and response.usage is None:
            response.usage = _usage(about.tokens, about.cost)
        if about.error is not None:
            response.outcome = "aborted" if "Abort" in text_of(about.error) else "failed"
            what = f"the response ended with an error ({text_of(about.error)[:200]})"
            self._account.note(line, "failed response", what, f"kept as a turn that is {response.outcome}")
        self._observe(results)

    def _open(self, about: _About, line: int, time: float | None, cwd: str | None) -> Response:
        response = Response("", line, time, about.model, cwd)
        self._run.respond(response)
        return response

    def _part(self, response: Response, results: list[Observation], part: _Part, number: int, line: int) -> None:
        match part.type:
            case "text":
                response.texts += [part.text] if part.text and not part.synthetic else []
            case "reasoning":
                response.reasonings += [part.text] if part.text else []
            case "tool":
                state, name = part.state or _State(), part.tool or ""
                call_id = part.call or f"message-{line}.{number}"
                call = ToolCall(call_id, name, arguments(state.input, name, line, self._account), line)
                if not self._run.call(call):
                    self._account.note(line, "repeated record", f"the call {call_id} stands here again", "read once")
                results += self._results(state, call_id, line)
            case "file":
                self._account.note(line, "file part", "the answer holds a file", "not kept", lost=True)
            case kind if kind not in _SILENT | {"step-start"}:
                self._account.not_understood(line, kind)

    def _results(self, state: _State, call_id: str, line: int) -> list[Observation]:
        if state.status not in ("completed", "error"):
            return []
        failed = state.status == "error"
        text = text_of(state.error if failed else state.output)
        images = sum((attached.mime or "").startswith("image/") for attached in state.attachments or [])
        metadata = state.metadata or _Metadata()
        if metadata.session:
            what = f"the call {call_id} started the session {metadata.session}, which is not in this file"
            self._account.note(line, "other log", what, "its answer is kept; load that one too")
        time = seconds(state.time.end) if state.time else None
        return [Observation(call_id, text, failed, framed(text), images, metadata.exit, None, line, time)]

    def _observe(self, results: list[Observation]) -> None:
        for result in results:
            self._run.observe(result)


_HEADS = (
    re.compile(r"<path>[^\n]*</path>\n<type>\w+</type>\n<(?:content|entries)>\n"),
    re.compile(r"<file>\n"),
    re.compile(r"<task [^>\n]*>\n?<task_result>\n?|<task_result>\n?"),
)
_TAILS = (
    re.compile(
        r"\n(?:\n?\((?:End of file|File has more lines|Showing lines|Output capped)[^\n]*\)\n)?</(?:content|entries|file)>\s*\Z"
    ),
    re.compile(r"\n?</task_result>(?:\n?</task>)?\s*\Z"),
    re.compile(r"\n*<(bash_metadata|task_metadata|metadata)>\n.*?</\1>\s*\Z", re.DOTALL),
)


def framed(text: str) -> tuple[Span, ...]:
    """The tags and notes that OpenCode puts around a tool's result.

    >>> [(s.start, s.end) for s in framed("<path>/a</path>\\n<type>file</type>\\n<content>\\n1: x\\n</content>")]
    [(0, 44), (48, 59)]
    """
    spans: list[Span] = []
    if head := next((found for pattern in _HEADS if (found := pattern.match(text))), None):
        spans.append(Span(0, head.end(), "harness", "header"))
    start = max(spans[-1].end if spans else 0, len(text) - 4000)
    if tail := next((found for pattern in _TAILS if (found := pattern.search(text, start))), None):
        spans.append(Span(tail.start(), len(text), "harness", "closing note"))
    return tuple(spans)


def _usage(tokens: _Tokens | None, cost: float | None) -> Usage | None:
    if tokens is None:
        return None
    cache = tokens.cache or _Cache()
    return Usage(
        int(tokens.input or 0),
        int((tokens.output or 0) + (tokens.reasoning or 0)),
        int(cache.read or 0),
        int(cache.write or 0),
        cost,
    )
