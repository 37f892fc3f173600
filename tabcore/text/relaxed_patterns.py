r"""A pattern of the `re` module as one that RE2 (as Arrow runs it over many lines at once) can try: it matches more, never less.

RE2 knows no assertions about what stands before or after, so they are left out; what \s and \w mean beyond ASCII is
taken as every sign beyond ASCII. So a line in which the relaxed pattern finds nothing holds nothing for the pattern.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|\[\^?\]?|\]|\(\?<?[=!]|\(|\)|[*+?}]\+|[^\\\[\]()*+?}]+|.", re.DOTALL)
_ASSERTIONS = frozenset({"(?=", "(?!", "(?<=", "(?<!"})
_BEYOND = r"\x{80}-\x{10ffff}"
_BLANKS = r"\s\v\x1c-\x1f"
# Letters that `re` takes as small letters of ASCII when case is ignored, and RE2 does not.
ODD_LETTERS = re.compile("[\u0130\u0131]")


def relaxed(pattern: str) -> str:
    r"""
    >>> relaxed(r"(?<!\d)\d++(?=\s)[^\s]\Z")
    '(?m)[0-9]+[^\\s]\\z'
    """
    pieces: list[str] = []
    depth = dropped = 0  # of parentheses; the depth of an assertion that is being left out
    for token, in_class in _tokens(pattern):
        if not in_class and token.startswith("("):
            depth += 1
            dropped = dropped or (depth if token in _ASSERTIONS else 0)
        if not dropped:
            pieces.append(_relaxed(token, in_class))
        if not in_class and token == ")":
            dropped = 0 if dropped == depth else dropped
            depth -= 1
    return "(?m)" + "".join(pieces)


def _tokens(pattern: str) -> list[tuple[str, str]]:
    """The parts of a pattern, each with how the class of signs begins that it stands in."""
    found: list[tuple[str, str]] = []
    in_class = ""
    for token in _TOKEN.findall(pattern):
        if in_class:
            found.append((token, in_class))
            in_class = "" if token == "]" else in_class
        else:
            found.append((token, ""))
            in_class = token[:2] if token.startswith("[") else ""
    return found


def _relaxed(token: str, in_class: str) -> str:
    if token.startswith("\\u"):
        return f"\\x{{{token[2:]}}}"
    if token == r"\d":
        return "0-9" if in_class else "[0-9]"
    if token in (r"\s", r"\w"):
        # A class of all signs but these must not lose one.
        inner = token if in_class == "[^" else (_BLANKS if token == r"\s" else token) + _BEYOND
        return inner if in_class else f"[{inner}]"
    if in_class:
        return token
    if token in (r"\b", r"\B"):
        return ""
    if token == r"\Z":
        return r"\z"
    return token[0] if len(token) == 2 and token[1] == "+" and token[0] in "*+?}" else token
