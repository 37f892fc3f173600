"""Small Pi logs of our own, for tests of the load, the store and the command line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

POLICY = "Travel policy\nHotel limit: 120 a night\n"


def pi_log(
    turns: int = 4, *, session: str = "s1", task: str = "Write the travel policy guide", prefix: str = ""
) -> str:
    """A Pi session: the first turn lists two files, the second reads one, others say hello; the last one stops."""
    calls: list[tuple[str, str]] = [
        ("ls travel", "notes.txt\npolicy.txt\n"),
        ("cat travel/policy.txt", POLICY),
        *((f"echo {prefix}{number}", f"{prefix}{number}\n") for number in range(3, turns)),
    ]
    records: list[Mapping[str, object]] = [
        {"type": "session", "version": 3, "id": session, "timestamp": "2026-03-01T00:00:00Z", "cwd": "/w"},
        _message(0, {"role": "user", "content": [{"type": "text", "text": task}]}),
    ]
    for number, (command, shown) in enumerate(calls[: turns - 1], 1):
        call = {"type": "toolCall", "id": f"c{number}", "name": "bash", "arguments": {"command": command}}
        records.append(_message(2 * number - 1, _says(f"Turn {number}.", call, reason="toolUse")))
        result = {"toolCallId": f"c{number}", "toolName": "bash", "content": [{"type": "text", "text": shown}]}
        records.append(_message(2 * number, {"role": "toolResult", "isError": False, **result}))
    records.append(_message(2 * turns - 1, _says("Done.", reason="stop")))
    return _lines(records)


def write_log(folder: Path, name: str = "run.jsonl", text: str | None = None) -> Path:
    """A log on disk."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(pi_log() if text is None else text, "utf-8")
    return path


def _says(text: str, *calls: Mapping[str, object], reason: str) -> dict[str, object]:
    content = [{"type": "text", "text": text}, *calls]
    return {"role": "assistant", "content": content, "model": "scripted", "provider": "none", "stopReason": reason}


def _message(number: int, message: Mapping[str, object]) -> dict[str, object]:
    parent = f"{number - 1:08x}" if number else None
    time = f"2026-03-01T00:{number // 60:02}:{number % 60:02}Z"
    return {"type": "message", "id": f"{number:08x}", "parentId": parent, "timestamp": time, "message": message}


def _lines(records: Iterable[Mapping[str, object]]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
