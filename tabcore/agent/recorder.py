"""The session log of a live run, in the format of the Pi coding agent, version 3.

Format: one JSON object a line; a `session` header, then a `model_change`, then `message` entries, each naming the one
before it (`parentId`). The system prompt has no place in it; it follows from the method.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from typing import IO

from tabcore.agent.models import Response, UserText
from tabcore.trajectory import Json, Outcome, Usage

OURS = "runningtab"
"""The type of the entries that Pi itself does not write."""

_STOP_REASON: Mapping[Outcome, str] = {"aborted": "aborted", "failed": "error"}


class PiRecorder:
    """Writes a session to an open text file, a line as soon as it is known; whoever opened the file closes it.

    Ids are made from `session` and a counter, so the same session has the same bytes. `cwd` is recorded as the
    working directory. Times are seconds since 1970.
    """

    def __init__(self, file: IO[str], *, session: str, cwd: str, provider: str, model: str, time: float) -> None:
        self._file = file
        self._session = session
        self._provider = provider
        self._model = model
        self._written = 0
        self._parent: str | None = None
        self._has_tab = False
        header: dict[str, Json] = {"type": "session", "version": 3, "id": session_id(session)}
        self._line({**header, "timestamp": iso_time(time), "cwd": cwd})
        self._entry("model_change", time, {"provider": provider, "modelId": model})

    def user(self, said: UserText, time: float) -> None:
        """The task, or what the environment says to a stop."""
        if said.origin == "person" or (said.origin == "tab" and self._has_tab):
            self._message(time, {"role": "user", "content": _blocks([said.text])})
        else:  # a reader takes a user's message for a person's, unless a tab was seen before it
            custom: dict[str, Json] = {"customType": OURS, "content": said.text, "display": True}
            self._entry("custom_message", time, custom)

    def assistant(self, response: Response, time: float) -> None:
        """A model response with its calls."""
        calls: list[Json] = [
            {"type": "toolCall", "id": call.call_id, "name": call.name, "arguments": dict(call.arguments)}
            for call in response.calls
        ]
        well_ended = "toolUse" if calls else "stop"
        self._message(
            time,
            {
                "role": "assistant",
                "content": _blocks([response.text] if response.text else []) + calls,
                "api": self._provider,
                "provider": self._provider,
                "model": self._model,
                "usage": _usage(response.usage),
                "stopReason": _STOP_REASON.get(response.outcome, well_ended),
                **({"errorMessage": response.fault} if response.fault else {}),
            },
        )

    def tool_result(self, call_id: str, tool: str, blocks: Sequence[str], is_error: bool, time: float) -> None:
        """What a call returned, block by block."""
        self._has_tab = self._has_tab or len(blocks) > 1
        self._message(
            time,
            {
                "role": "toolResult",
                "toolCallId": call_id,
                "toolName": tool,
                "content": _blocks(blocks),
                "isError": is_error,
            },
        )

    def summary(self, text: str, time: float) -> None:
        """What the model wrote of results that leave its context."""
        self._entry("compaction", time, {"summary": text, "firstKeptEntryId": self._parent, "tokensBefore": 0})

    def note(self, data: Mapping[str, Json], time: float) -> None:
        """Something about the run that is no part of its conversation."""
        self._entry("custom", time, {"customType": OURS, "data": dict(data)})

    def _message(self, time: float, message: dict[str, Json]) -> None:
        self._entry("message", time, {"message": {**message, "timestamp": round(time * 1000)}})

    def _entry(self, kind: str, time: float, body: Mapping[str, Json]) -> None:
        self._written += 1
        entry_id = blake2b(f"{self._session}/{self._written}".encode(), digest_size=4).hexdigest()
        self._line({"type": kind, "id": entry_id, "parentId": self._parent, "timestamp": iso_time(time), **body})
        self._parent = entry_id

    def _line(self, record: Mapping[str, Json]) -> None:
        self._file.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")
        self._file.flush()


def iso_time(seconds: float) -> str:
    """A time as Pi writes it.

    >>> iso_time(1_700_000_000.5)
    '2023-11-14T22:13:20.500Z'
    """
    moment = datetime.fromtimestamp(seconds, tz=UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def session_id(name: str) -> str:
    """An id in the form of a UUID, made from a session's name.

    >>> session_id("a")
    '27c35e6e-9373-877f-29e5-62464e46497e'
    """
    digits = blake2b(name.encode(), digest_size=16).hexdigest()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _blocks(texts: Iterable[str]) -> list[Json]:
    return [{"type": "text", "text": text} for text in texts]


def _usage(usage: Usage | None) -> dict[str, Json]:
    """Tokens and cost; zeros for a script, which uses none, and no total where the cost is not known."""
    spent = usage or Usage(cost=0)
    kinds = ("input", "output", "cacheRead", "cacheWrite")
    counts = dict(zip(kinds, (spent.input, spent.output, spent.cache_read, spent.cache_write), strict=True))
    total = {} if spent.cost is None else {"total": spent.cost}
    return {**counts, "totalTokens": sum(counts.values()), "cost": {**dict.fromkeys(kinds, 0), **total}}
