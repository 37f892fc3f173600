"""A Pi session made by hand, of any size, whose tab is known: what the browser tests upload and step through."""

from __future__ import annotations

import json
from collections.abc import Iterator

TASK = "Write the travel policy guide with the limits of each region"
_TOPICS = ("travel/policy", "energy/bill", "orders/supplier", "travel/region", "policy/limits")


def made_log(
    turns: int = 300, files: int = 340, reads: int = 40, requirements: int = 6, *, name: str = "made", hostile: str = ""
) -> str:
    """The log as text: requirements in turn 1, all files listed in turn 2, reads spread over the rest, then resolved.

    Needs `turns` of at least reads and requirements and 4. `hostile` stands in the task, in what is said and shown,.
    """
    steps = list(_steps(turns, files, reads, requirements, hostile))
    lines: list[dict[str, object]] = [
        {"type": "session", "version": 3, "id": name, "timestamp": _time(0), "cwd": "/ws"},
        _message("u0", None, {"role": "user", "content": [{"type": "text", "text": f"{hostile}{TASK}"}]}),
    ]
    parent = "u0"
    for number, (call, arguments, result) in enumerate(steps, 1):
        said = [{"type": "text", "text": f"{hostile}Step {number}."}]
        if call:
            said.append({"type": "toolCall", "id": f"c{number}", "name": call, "arguments": arguments})
        lines.append(_message(f"a{number}", parent, _response(said, "toolUse" if call else "stop")))
        parent = f"a{number}"
        if call:
            lines.append(_message(f"t{number}", parent, _result(number, call, result)))
            parent = f"t{number}"
    return "".join(json.dumps(line) + "\n" for line in lines)


def one_turn_log(calls: int) -> str:
    """A session of one turn that reads so many files, each with a call of its own."""
    numbers = range(1, calls + 1)
    asked: list[dict[str, object]] = [
        {"type": "toolCall", "id": f"c{n}", "name": "read", "arguments": {"path": path_of(n)}} for n in numbers
    ]
    lines: list[dict[str, object]] = [
        {"type": "session", "version": 3, "id": "one", "timestamp": _time(0), "cwd": "/ws"},
        _message("u0", None, {"role": "user", "content": [{"type": "text", "text": TASK}]}),
        _message("a1", "u0", _response(asked, "toolUse")),
        *(_message(f"t{n}", f"t{n - 1}" if n > 1 else "a1", _result(n, "read", f"Limit {n}.")) for n in numbers),
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


def path_of(number: int) -> str:
    """The path of one made file, numbered from 0."""
    return f"{_TOPICS[number % len(_TOPICS)]}/document_{number:04d}.txt"


def read_turn(number: int, turns: int = 300, reads: int = 40, requirements: int = 6) -> int:
    """The turn in which the made run reads its n-th file, n from 0."""
    return 3 + number * (turns - requirements - 4) // max(1, reads)


def _steps(
    turns: int, files: int, reads: int, requirements: int, hostile: str
) -> Iterator[tuple[str, dict[str, object], str]]:
    wanted = [f"{hostile}limits of travel region {i}" for i in range(1, requirements + 1)]
    read_at = {read_turn(i, turns, reads, requirements): i for i in range(reads)}
    yield "tab_add", {"items": wanted}, "\n".join(f"added r{i}: {text}" for i, text in enumerate(wanted, 1))
    yield "bash", {"command": "find . -type f"}, "\n".join(f"./{path_of(i)}" for i in range(files))
    for turn in range(3, turns - requirements):
        if turn in read_at:
            path = path_of(read_at[turn])
            yield (
                "read",
                {"path": path},
                f"{hostile}Limits of the travel region, file {path}\n" + "The limit is 120 a night.\n" * 30,
            )
        else:
            yield "bash", {"command": f"echo step {turn}"}, f"step {turn}"
    for i in range(1, requirements + 1):
        answer = f"r{i} [done] cites L{i}. {requirements - i} open."
        yield "tab_resolve", {"id": f"r{i}", "status": "done", "entry": f"L{i}"}, answer
    yield "", {}, ""


def _time(seconds: int) -> str:
    return f"2026-01-01T{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.000Z"


def _message(name: str, parent: str | None, message: dict[str, object]) -> dict[str, object]:
    number = int(name[1:])
    return {"type": "message", "id": name, "parentId": parent, "timestamp": _time(number * 2), "message": message}


def _response(said: list[dict[str, object]], reason: str) -> dict[str, object]:
    return {"role": "assistant", "content": said, "provider": "made", "model": "made-model", "stopReason": reason}


def _result(number: int, call: str, text: str) -> dict[str, object]:
    content = [{"type": "text", "text": text}]
    return {"role": "toolResult", "toolCallId": f"c{number}", "toolName": call, "content": content, "isError": False}
