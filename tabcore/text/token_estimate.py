"""How many tokens a text is for a language model, before one has counted."""

from __future__ import annotations

CHARACTERS = 3.2
"""Characters of a token in texts with many figures, of the Latin script; others count a token a character."""


def estimated_tokens(text: str) -> int:
    """An estimate on the high side, for any tokenizer.

    >>> estimated_tokens("sixteen letters!"), estimated_tokens("五万元")
    (5, 3)
    """
    wide = 0 if text.isascii() else len(text) - len(text.encode("ascii", "ignore"))
    return -int(-(len(text) - wide) // CHARACTERS) + wide


def within_tokens(text: str, tokens: int) -> int:
    """How many of the first characters of a text fit into so many tokens.

    >>> within_tokens("a" * 100, 10), within_tokens("万" * 100, 10), within_tokens("ab", 10), within_tokens("ab", -1)
    (32, 10, 2, 0)
    """
    if estimated_tokens(text) <= tokens:
        return len(text)
    low, high = 0, len(text)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if estimated_tokens(text[:middle]) <= tokens else (low, middle)
    return low
