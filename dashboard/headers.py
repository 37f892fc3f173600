"""What the server says to browsers with each answer: load nothing from elsewhere, be framed by nobody, tell nobody.

Streamlit needs inline styles, evaluates WebAssembly for its tables, and loads a component's script from a blob.
"""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import streamlit
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.guard import GUARD

_INLINE_SCRIPT = re.compile(r"<script(?![^>]*\ssrc)[^>]*>(.*?)</script>", re.DOTALL)


def inline_hashes(page: str) -> tuple[str, ...]:
    """A source expression for each inline script of an HTML page, so that these and no others may run.

    >>> inline_hashes("<script>1</script><script src='x.js'></script>")
    ("'sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s='",)
    """
    digests = (sha256(script.encode()).digest() for script in _INLINE_SCRIPT.findall(page))
    return tuple(f"'sha256-{b64encode(digest).decode()}'" for digest in digests)


_STREAMLIT_PAGE = Path(streamlit.__file__).parent / "static" / "index.html"
_OWN_SCRIPTS = " ".join(inline_hashes(_STREAMLIT_PAGE.read_text(encoding="utf-8")))

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        f"script-src 'self' blob: 'wasm-unsafe-eval' {_OWN_SCRIPTS}".rstrip(),
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "worker-src 'self' blob:",
        "manifest-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


class _Headers:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)


MIDDLEWARE = (Middleware(_Headers), GUARD)
