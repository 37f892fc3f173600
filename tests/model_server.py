"""A small server on the loopback that speaks OpenAI's protocol: it answers as it is told, with faults and delays."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]


@dataclass
class Reply:
    """What the server does with one request: waits, then answers, with `cut` only half of the body it announces."""

    text: str = ""
    status: int = 200
    finish: str = "stop"
    refusal: str | None = None
    wait: float = 0.0
    cut: bool = False
    headers: dict[str, str] = field(default_factory=dict)
    body: Body | str | None = None
    usage: Body | None = field(default_factory=lambda: {"prompt_tokens": 100, "completion_tokens": 10})

    def content(self) -> bytes:
        """The body of the answer."""
        if self.body is not None:
            return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode()
        if self.status != 200:
            return json.dumps({"error": {"message": self.text, "type": "fault"}}).encode()
        message = {"role": "assistant", "content": self.text, "refusal": self.refusal}
        choice = {"index": 0, "message": message, "finish_reason": self.finish}
        told = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
        return json.dumps(told | ({"usage": self.usage} if self.usage else {})).encode()


Answering = Callable[[Body], Reply]


@dataclass
class ModelServer:
    """The server; `requests` are the bodies that came, `headers` their headers, `most_at_once` how many overlapped."""

    url: str
    answer: Answering
    models: tuple[str, ...] = ("m", "other")
    requests: list[Body] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    most_at_once: int = 0
    _now: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def heard(self, headers: dict[str, str], body: Body) -> Reply:
        """What is answered to a request."""
        with self._lock:
            self.requests.append(body)
            self.headers.append(headers)
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        try:
            reply = self.answer(body)
            time.sleep(reply.wait)
            return reply
        finally:
            with self._lock:
                self._now -= 1


def said(body: Body) -> str:
    """All that a request says to the model."""
    return "\n".join(message["content"] for message in body["messages"])


@contextmanager
def answering(answer: Answering | list[Reply]) -> Iterator[ModelServer]:
    """A server that answers each request by a function, or with these replies one after the other, the last for ever."""
    replies = iter(answer) if isinstance(answer, list) else None
    last = [Reply()]

    def scripted(_: Body) -> Reply:
        assert replies is not None
        last[0] = next(replies, last[0])
        return last[0]

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            data = [{"id": name, "object": "model", "created": 1, "owned_by": "x"} for name in server.models]
            self._send(Reply(body={"object": "list", "data": data}))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            self._send(server.heard({name.lower(): value for name, value in self.headers.items()}, body))

        def _send(self, reply: Reply) -> None:
            content = reply.content()
            try:
                self.send_response(reply.status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content[: len(content) // 2] if reply.cut else content)
                self.wfile.flush()
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True
            if reply.cut:
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server = ModelServer(f"http://127.0.0.1:{http.server_port}/v1", scripted if replies is not None else answer)  # type: ignore[arg-type]
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        thread.join()
        http.server_close()
