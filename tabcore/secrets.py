"""Keys and tokens that were pasted into a run: found in its texts while it is loaded.

A column of texts is sifted by one expression (RE2, 300 MB a second and more); what it leaves is looked at by the rules
of a detector library, near the places that it found only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

SIEVE = (
    r"A(?:KIA|SIA|BIA|CCA|3T[A-Z0-9])[0-9A-Z]{16}|(?i:aws.{0,20}(?:key|pwd|pw|pass|token))|AccountKey="
    r"|gh[pousr]_[A-Za-z0-9_]{20}|github_pat_|gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas)-|GR1348941"
    r"|eyJ[A-Za-z0-9_=-]+\.[A-Za-z0-9_=-]|/:_authToken=|T3BlbkFJ|PRIVATE KEY|PuTTY-User-Key-File|pypi-A"
    r"|SG\.[a-zA-Z0-9_-]{22}\.|(?i:xox[abposr]-|hooks\.slack\.com/)|sq0csp-|[rs]k_live_|sk-ant-|AIza[0-9A-Za-z_-]{35}"
    r"|hf_[A-Za-z0-9]{34}|://[^\s:/@]+:[^\s@/]+@|(?:AC|SK)[a-z0-9]{32}|[0-9a-z]{32}-us[0-9]"
    r"|[MNO][a-zA-Z0-9_-]{23,25}\.[a-zA-Z0-9_-]{6}\."
)
"""What every text with a secret has. A wider net than the rules, and cheap."""

BLOCK = 4096
"""Characters of a long text that are sifted together, once the text is suspect."""

BEYOND = 512
"""Characters after a block that are sifted with it, so that nothing is torn in two."""

REACH = 4096
"""Characters after a block up to which a secret that begins in it is looked for."""

BLOCKS = 400
"""Blocks of a text that are looked at closely; no text that people or programs write has secrets in more."""


@dataclass(frozen=True, slots=True)
class Secret:
    """Characters `start:end` of a text that are a secret; `kind` is the rule's name for it ("AWS Access Key")."""

    start: int
    end: int
    kind: str


def suspects(texts: pa.Array) -> list[int]:
    """Which texts of a column must be looked at."""
    import pyarrow.compute as pc

    return [place for place, hit in enumerate(pc.match_substring_regex(texts, SIEVE).to_pylist()) if hit]


def find(text: str) -> tuple[Secret, ...]:
    r"""The secrets of a text, in its order, none within another. Quotes that JSON has escaped count as quotes.

    >>> find("export KEY=AKIAIOSFODNN7EXAMPLA and go on")
    (Secret(start=11, end=31, kind='AWS Access Key'),)
    >>> find("AKIAIOSFODNN7EXAMPLA" * 3), find("the AKIA prefix")
    ((), ())
    """
    plain = text.replace('\\"', ' "')
    blocks = _suspect_blocks(plain)
    if not blocks:
        return ()
    from tabcore.secret_rules import places

    found = (place for start in blocks for place in places(plain, start, start + BLOCK, REACH))
    return tuple(_apart(sorted(found, key=_order)))


def _order(place: tuple[int, int, str]) -> tuple[int, int]:
    return place[0], -place[1]


def _suspect_blocks(text: str) -> list[int]:
    """Where the blocks begin that the sieve holds back. RE2 takes its time by length only, whatever a text is made of."""
    import pyarrow as pa

    starts = range(0, len(text), BLOCK)
    blocks = [text[start : start + BLOCK + BEYOND].encode("utf-8", "replace") for start in starts]
    return [starts[place] for place in suspects(pa.array(blocks, pa.binary()).view(pa.string()))][:BLOCKS]


def _apart(places: list[tuple[int, int, str]]) -> Iterator[Secret]:
    last = 0
    for start, end, kind in places:
        if start >= last:
            yield Secret(start, end, kind)
            last = end
