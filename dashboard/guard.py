"""Who may ask this server anything: this machine alone, or whoever has the password or comes through the named proxy.

It stands before everything that the server answers, web sockets among it. Refused are another host name (a page
elsewhere whose name was made to lead here), another origin, and what another site loads or frames.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from secrets import token_bytes
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PASSWORD, PROXY = "RUNNINGTAB_PASSWORD", "RUNNINGTAB_BEHIND_PROXY"
"""Variables that `runningtab open` sets for its server: the password, and the header that a proxy sets."""

_OPEN = "/_stcore/health"
"""Tells "ok" and nothing else: how the starting command, or a proxy, knows that the server is up."""
_COOKIE = "runningtab"
_LOCAL = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class Rules:
    """What a caller must bring. Without password and proxy header only this machine is answered, by its own names."""

    password: str = ""
    proxy_header: str = ""
    key: bytes = field(default_factory=lambda: token_bytes(32))

    @property
    def token(self) -> str:
        """What the cookie of a browser holds that gave the password; another one after each start."""
        return hmac.new(self.key, self.password.encode(), hashlib.sha256).hexdigest()


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer in place of the page."""

    status: int
    words: str


def refusal(rules: Rules, headers: Mapping[str, str], client: str, path: str) -> Refusal | None:
    """Why a request is not answered, None where it is. Header names are in lower case.

    >>> local = Rules()
    >>> refusal(local, {"host": "localhost:8501"}, "127.0.0.1", "/")
    >>> refusal(local, {"host": "rebound.example"}, "127.0.0.1", "/").status
    403
    >>> refusal(local, {"host": "localhost", "origin": "http://localhost:3000"}, "127.0.0.1", "/").status
    403
    """
    host = headers.get("host", "")
    names = {host, headers.get("x-forwarded-host", "")} if rules.proxy_header else {host}
    if "origin" in headers and urlsplit(headers["origin"]).netloc not in names - {""}:
        return Refusal(403, "This page is asked from another site.")
    if headers.get("sec-fetch-site") in ("cross-site", "same-site") and headers.get("sec-fetch-mode") != "navigate":
        return Refusal(403, "This page is loaded by another site.")
    if path == _OPEN:
        return None
    if rules.proxy_header and not headers.get(rules.proxy_header.lower()):
        return Refusal(403, "Ask through the proxy: it says who you are.")
    if rules.password and not _knows(rules, headers):
        return Refusal(401, "The password is needed; any user name will do.")
    if not (rules.password or rules.proxy_header) and not (_is_here(client) and _name(host) in _LOCAL):
        return Refusal(403, "This dashboard answers its own machine only, as localhost or 127.0.0.1.")
    return None


def _name(host: str) -> str:
    """The name in a Host header, "" where it is none."""
    try:
        found = urlsplit(f"//{host}")
        return (found.hostname or "").rstrip(".") if not (found.username or found.path) else ""
    except ValueError:
        return ""


def _is_here(client: str) -> bool:
    try:
        return ip_address(client.removeprefix("::ffff:")).is_loopback
    except ValueError:
        return False


def _knows(rules: Rules, headers: Mapping[str, str]) -> bool:
    """True with the password, or with the cookie that it was exchanged for."""
    try:
        cookie = SimpleCookie(headers.get("cookie", "")).get(_COOKIE)
    except CookieError:
        cookie = None
    if cookie and hmac.compare_digest(cookie.value.encode(), rules.token.encode()):
        return True
    return hmac.compare_digest(_stated(headers.get("authorization", "")), rules.password.encode())


def _stated(authorization: str) -> bytes:
    """The password of a Basic authorization, b"" where there is none."""
    kind, _, said = authorization.partition(" ")
    try:
        return b64decode(said, validate=True).partition(b":")[2] if kind.lower() == "basic" else b""
    except ValueError:
        return b""


class _Guard:
    def __init__(self, app: ASGIApp, rules: Rules) -> None:
        self._app = app
        self._rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = dict(Headers(scope=scope).items())
        client, _ = scope.get("client") or ("", 0)
        refused = refusal(self._rules, headers, client, scope["path"])
        if refused is None:
            await self._app(scope, receive, self._with_cookie(send) if "authorization" in headers else send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": refused.words})
        else:
            await _say(send, refused)

    def _with_cookie(self, send: Send) -> Send:
        """Web sockets of some browsers carry no password, but every one carries the cookie."""
        cookie = f"{_COOKIE}={self._rules.token}; HttpOnly; SameSite=Strict; Path=/"

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start" and self._rules.password:
                message["headers"] = [*message["headers"], (b"set-cookie", cookie.encode())]
            await send(message)

        return send_with_cookie


async def _say(send: Send, refused: Refusal) -> None:
    ask = [(b"www-authenticate", b'Basic realm="runningtab", charset="UTF-8"')] if refused.status == 401 else []
    kind = (b"content-type", b"text/plain; charset=utf-8")
    await send({"type": "http.response.start", "status": refused.status, "headers": [kind, *ask]})
    await send({"type": "http.response.body", "body": f"{refused.words}\n".encode()})


GUARD = Middleware(_Guard, rules=Rules(os.environ.get(PASSWORD, ""), os.environ.get(PROXY, "")))
