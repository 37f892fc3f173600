"""A mail (RFC 5322): its headers, its bodies, and the files attached to it."""

from __future__ import annotations

from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage, Message

from tabcore.documents.limits import Content, Enclosed, Item
from tabcore.documents.places import MailHeader, Member, Piece

_SHOWN = ("From", "To", "Cc", "Date", "Subject")


def read_mail(content: Content) -> Iterator[Item]:
    """Headers, then each body and attachment as a file inside; an attachment is named even if it can't be read.

    Of a plain and an HTML body with the same content, the plain one is read.
    """
    message = message_from_bytes(content.data, policy=policy.default)
    for header in _SHOWN:
        for value in message.get_all(header, []):
            yield Piece(f"{header}: {' '.join(str(value).split())}", MailHeader(header))
    for number, part in enumerate(_leaves(message), start=1):
        name = part.get_filename()
        if name:
            yield Piece(f"attachment: {name}", Member(number))
        yield Enclosed(name or f"body {number}", _bytes(part))


def _leaves(part: Message) -> Iterator[Message]:
    if part.get_content_type() == "multipart/alternative":
        bodies = list(part.iter_parts()) if isinstance(part, EmailMessage) else []
        plain = [body for body in bodies if body.get_content_type() == "text/plain"]
        for body in plain or bodies[-1:]:
            yield from _leaves(body)
    elif part.is_multipart() and part.get_content_type() != "message/rfc822":
        for inner in part.get_payload():
            if isinstance(inner, Message):
                yield from _leaves(inner)
    else:
        yield part


def _bytes(part: Message) -> bytes:
    """A part's bytes; a text's as UTF-8, whatever its charset says."""
    if part.get_content_type() == "message/rfc822":
        inner = part.get_payload(0)
        return inner.as_bytes() if isinstance(inner, Message) else b""
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    charset = part.get_content_charset()
    if part.get_content_maintype() != "text" or not charset:
        return data
    try:
        return data.decode(charset, "replace").encode("utf-8", "replace")
    except LookupError:
        return data
