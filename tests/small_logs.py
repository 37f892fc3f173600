"""Small logs of each format, built for tests, and the way from bytes to runs."""

import json
from pathlib import Path
from typing import Any

from tabcore.readers import identify
from tabcore.source import Source
from tabcore.trajectory import Run, collect

REAL = Path(__file__).resolve().parents[2] / "shared" / "real"
HOSTILE = Path(__file__).resolve().parents[2] / "shared" / "hostile_logs"


def runs_of(data: bytes | str, name: str = "log") -> tuple[Run, ...]:
    """The runs of a log that is recognised by its content."""
    source = Source.of_bytes(name, data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)
    return collect(identify(source).read(source), digest=source.digest(), path=name)


def run_of(data: bytes | str) -> Run:
    """The one run of a log."""
    [run] = runs_of(data)
    return run


def kinds(run: Run) -> list[str]:
    """The kinds of a run's problems, in order."""
    return [problem.kind for problem in run.problems]


def lines(*records: dict[str, Any]) -> str:
    """A JSONL log."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def stamp(second: int) -> str:
    return f"2026-10-01T10:00:{second:02d}.000Z"


# Pi, version 3: each entry names the one before it, unless it says otherwise.

PI_HEADER = {"type": "session", "version": 3, "id": "s1", "timestamp": stamp(0), "cwd": "/ws"}


def pi_entry(number: int, message: dict[str, Any], parent: str | None = "") -> dict[str, Any]:
    above = (f"e{number - 1}" if number > 1 else None) if parent == "" else parent
    return {"type": "message", "id": f"e{number}", "parentId": above, "timestamp": stamp(number), "message": message}


def pi_user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def pi_agent(text: str = "", *calls: tuple[str, str, dict[str, Any]], **more: Any) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    blocks += [{"type": "toolCall", "id": i, "name": name, "arguments": given} for i, name, given in calls]
    return {"role": "assistant", "content": blocks, "model": "m", "stopReason": "toolUse" if calls else "stop"} | more


def pi_result(call_id: str, *texts: str, tool: str = "bash", **more: Any) -> dict[str, Any]:
    blocks = [{"type": "text", "text": text} for text in texts]
    return {"role": "toolResult", "toolCallId": call_id, "toolName": tool, "content": blocks, "isError": False} | more


def pi_log(*messages: dict[str, Any]) -> str:
    return lines(PI_HEADER, *(pi_entry(number, message) for number, message in enumerate(messages, 1)))


# Claude Code


def cc_line(uuid: str, parent: str | None, kind: str, second: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "parentUuid": parent,
        "isSidechain": False,
        "cwd": "/ws",
        "sessionId": "s1",
        "version": "2.1.0",
        "type": kind,
        "uuid": uuid,
        "timestamp": stamp(second),
    } | more


def cc_user(uuid: str, parent: str | None, content: Any, second: int = 1, **more: Any) -> dict[str, Any]:
    return cc_line(uuid, parent, "user", second, message={"role": "user", "content": content}, **more)


def cc_agent(
    uuid: str, parent: str | None, message_id: str, *blocks: Any, second: int = 1, **more: Any
) -> dict[str, Any]:
    usage = {"input_tokens": 3, "output_tokens": 10, "cache_read_input_tokens": 50, "cache_creation_input_tokens": 2}
    message = {"id": message_id, "role": "assistant", "model": "m", "content": list(blocks), "usage": usage}
    return cc_line(uuid, parent, "assistant", second, message=message, **more)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def use(call_id: str, name: str = "Bash", **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def result(call_id: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content} | more


def cc_log() -> str:
    """Eight lines: two calls and their results, a report, the end."""
    return lines(
        cc_user("u0", None, "Write report.md", 0),
        cc_agent("u1", "u0", "m1", use("t1", command="ls"), second=1),
        cc_user("u2", "u1", [result("t1", "notes.md")], 2),
        cc_agent("u3", "u2", "m2", use("t2", "Read", file_path="/ws/notes.md"), second=3),
        cc_user("u4", "u3", [result("t2", "patents: 3")], 4),
        cc_agent("u5", "u4", "m3", use("t3", "Write", file_path="/ws/report.md", content="3"), second=5),
        cc_user("u6", "u5", [result("t3", "ok")], 6),
        cc_agent("u7", "u6", "m4", text("Done."), second=7),
    )


# ATIF


def atif_step(number: int, source: str, message: Any, **more: Any) -> dict[str, Any]:
    return {"step_id": number, "timestamp": stamp(number), "source": source, "message": message} | more


def atif_call(call_id: str, name: str, **given: Any) -> dict[str, Any]:
    return {"tool_call_id": call_id, "function_name": name, "arguments": given}


def atif(*steps: dict[str, Any], agent: str = "some-agent", **more: Any) -> str:
    document = {"schema_version": "ATIF-v1.5", "session_id": "s1", "agent": {"name": agent, "model_name": "m"}}
    return json.dumps(document | {"steps": list(steps)} | more)


def atif_log() -> str:
    return atif(
        atif_step(1, "user", "Count the files"),
        atif_step(
            2,
            "agent",
            "Listing",
            tool_calls=[atif_call("c1", "bash", command="ls")],
            observation={"results": [{"source_call_id": "c1", "content": "a\nb"}]},
            metrics={"prompt_tokens": 100, "completion_tokens": 7, "cached_tokens": 60, "cost_usd": 0.5},
        ),
        atif_step(3, "agent", "Two."),
    )
