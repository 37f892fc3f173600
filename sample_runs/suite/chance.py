"""Chance that comes out the same on any machine and in any version of Python."""

from __future__ import annotations

from hashlib import blake2b


def chance(*names: object) -> float:
    """A number from 0 to 1 that belongs to these names.

    >>> chance("a", 1) == chance("a", 1), 0 <= chance("a", 2) < 1
    (True, True)
    """
    digest = blake2b("/".join(map(str, names)).encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64
