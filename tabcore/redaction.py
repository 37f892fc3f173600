"""Secrets taken out of whatever is shown: each place where one stands says of what kind it was.

A run's secrets are known by value, so that they are masked in whatever was made of its texts: commands, lines of a
review, paths. The pieces of a secret of several lines are masked one by one, and so is the beginning of one that
stands at the end of a text that was cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import accumulate
from typing import TypeVar, cast

from tabcore.trajectory import Span

SHORTEST = 12
"""Characters of the shortest piece of a secret of several lines, since a shorter one may be a word."""

SHORTEST_CUT = 8
"""Characters of the shortest beginning of a secret that is masked at the end of a text."""

BLOT = "\N{FULL BLOCK}"
"""What a secret is blotted out with where its place must not change."""

_BREAKS = re.compile(r"(?:\s|\\[nrt])+")
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Known:
    """A secret as it stands in a run, and its kind."""

    kind: str
    value: str


class Masks:
    """What takes a run's secrets out of texts. Without secrets it costs nothing.

    >>> masks = Masks([Known("AWS Access Key", "AKIAIOSFODNN7EXAMPLA")])
    >>> masks.text("id AKIAIOSFODNN7EXAMPLA, cut: AKIAIOSFODN…")
    'id [secret: AWS Access Key], cut: [secret: AWS Access Key]…'
    """

    def __init__(self, secrets: Iterable[Known]) -> None:
        self._kinds: dict[str, str] = {}
        for secret in secrets:
            pieces = _BREAKS.split(secret.value)
            self._kinds |= {p: secret.kind for p in pieces if len(p) >= SHORTEST or len(pieces) == 1}
        longest_first = sorted(self._kinds, key=len, reverse=True)
        self._regex = re.compile("|".join(map(re.escape, longest_first)))

    def __bool__(self) -> bool:
        return bool(self._kinds)

    def text(self, text: str) -> str:
        """A text without the secrets."""
        return self._cut(self._regex.sub(lambda match: self._word(match[0]), text)) if self._kinds else text

    def in_place(self, text: str) -> str:
        """A text of the same length, each secret blotted out, so that places in it stay what they are.

        >>> Masks([Known("AWS Access Key", "AKIAIOSFODNN7EXAMPLA")]).in_place("id AKIAIOSFODNN7EXAMPLA.")
        'id ████████████████████.'
        """
        return self._regex.sub(lambda match: BLOT * len(match[0]), text) if self._kinds else text

    def spans(self, text: str, spans: Sequence[Span]) -> tuple[Span, ...]:
        """Spans of a text as they are in the text without the secrets."""
        masked = [(match.span(), len(self._word(match[0]))) for match in self._regex.finditer(text)]
        changes = list(accumulate(size - (end - start) for (start, end), size in masked))

        def moved(place: int) -> int:
            before = sum(end <= place for (_, end), _ in masked)
            shift = changes[before - 1] if before else 0
            if before < len(masked) and masked[before][0][0] < place:
                return masked[before][0][0] + shift
            return place + shift

        return tuple(replace(span, start=moved(span.start), end=moved(span.end)) for span in spans)

    def _word(self, piece: str) -> str:
        return f"[secret: {self._kinds[piece]}]"

    def _cut(self, text: str) -> str:
        """The beginning of a secret at the text's end is masked."""
        body = text.rstrip("…")
        for piece in self._kinds:
            for size in range(len(piece) - 1, SHORTEST_CUT - 1, -1):
                if body.endswith(piece[:size]):
                    return body[:-size] + self._word(piece) + text[len(body) :]
        return text


def redacted(value: _Value, masks: Masks) -> _Value:
    """The same rows or document with the secrets of all texts in it masked; spans move with their text."""
    return cast(_Value, _redacted(value, masks)) if masks else value


def _redacted(value: object, masks: Masks) -> object:
    if isinstance(value, str):
        return masks.text(value)
    if isinstance(value, list):
        return [_redacted(item, masks) for item in value]
    if isinstance(value, tuple):
        return tuple(_redacted(item, masks) for item in value)
    if isinstance(value, dict):
        return {_redacted(name, masks): _redacted(item, masks) for name, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        new = {name: _redacted(part, masks) for name, part in parts.items()}
        if isinstance(parts.get("text"), str) and parts.get("spans"):
            new["spans"] = masks.spans(parts["text"], parts["spans"])
        return type(value)(**new)
    return value
