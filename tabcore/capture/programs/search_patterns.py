"""The pattern of a grep as one of Python's: what each line that it prints must hold. Only plain patterns are taken over."""

from __future__ import annotations

import re
from functools import lru_cache

from tabcore.capture.patterns import is_literal
from tabcore.capture.programs.call import Parsed

MAX_QUANTIFIERS = 2
"""More of them could make the search of a long line slow."""
_TOKEN = re.compile(
    r"\\(?P<escaped>.)|(?P<members>\[\^?\]?(?:\[:\w+:\]|[^\]\[])*\])|(?P<sign>[.*+?{}|()^$])|(?P<plain>[^\\\[.*+?{}|()^$])",
    re.DOTALL,
)
_CLASSES = {"digit": "0-9", "space": " \t\r\f\v", "blank": " \t"}
"""Those that are the same in every language."""
_CONTEXT = ("A", "B", "C", "after-context", "before-context", "context", "number")
_OTHER_LINES = (
    "v",
    "invert-match",
    "L",
    "files-without-match",
    "f",
    "file",
    "z",
    "null-data",
    "r",
    "replace",
    "passthru",
)
_COUNTED = ("c", "count", "U", "multiline", "x", "line-regexp")


def sought(parsed: Parsed, program: str) -> re.Pattern[str] | None:
    """What each printed line holds; None where lines around it are printed too, or the pattern is not a plain one."""
    if parsed.has(*_CONTEXT, *_OTHER_LINES, *_COUNTED):
        return None
    patterns = parsed.values("e", "regexp") or parsed.operands[:1]
    folded = parsed.has("i", "ignore-case", "y", "S", "smart-case")
    fixed = parsed.has("F", "fixed-strings") or program == "fgrep"
    extended = parsed.has("E", "P", "extended-regexp", "perl-regexp") or program not in ("grep", "ggrep", "zgrep")
    return _compiled(tuple(patterns), fixed, extended, folded, parsed.has("n", "line-number"))


@lru_cache(maxsize=1024)
def _compiled(
    patterns: tuple[str, ...], fixed: bool, extended: bool, folded: bool, numbered: bool
) -> re.Pattern[str] | None:
    if not patterns or not all(patterns) or not all(map(is_literal, patterns)):
        return None
    alternatives = [piece for pattern in patterns for piece in pattern.split("\n")]
    made = [re.escape(piece) if fixed else translated(piece, extended) for piece in alternatives]
    if any(not piece for piece in made):
        return None
    try:
        whole = "|".join(filter(None, made))
        return re.compile(rf"^\d+:[^\n]*?(?:{whole})" if numbered else whole, re.IGNORECASE if folded else 0)
    except re.error:
        return None


def translated(pattern: str, extended: bool) -> str | None:
    r"""The pattern in Python's way, anchors left out; None when it is not a plain one. It matches no less than grep does.

    >>> translated(r"def_\(run\|main\)", extended=False), translated(r"a+(b)", extended=False), translated("(a*)+", True)
    ('def_(?:run|main)', 'a\\+\\(b\\)', None)
    """
    made: list[str] = []
    quantifiers = depth = position = 0
    for match in _TOKEN.finditer(pattern):
        if match.start() != position:
            return None
        position = match.end()
        piece = _piece(match, extended)
        if piece is None or (piece in "*+?" and (not made or made[-1] in (*"*+?", ")", "(?:", "|"))):
            return None
        quantifiers += piece in ("*", "+", "?")
        depth += (piece == "(?:") - (piece == ")")
        if piece:
            made.append(piece)
    if position != len(pattern) or quantifiers > MAX_QUANTIFIERS or depth:
        return None
    return "".join(made) or None


def _piece(match: re.Match[str], extended: bool) -> str | None:
    """One token; "" for an anchor, None for what is not taken over."""
    escaped, members, sign, plain = match.group("escaped", "members", "sign", "plain")
    if plain is not None:
        return re.escape(plain)
    if members is not None:
        if "\\" in members or not set(re.findall(r"\[:(\w+):\]", members)) <= set(_CLASSES):
            return None
        inner = re.sub(r"\[:(\w+):\]", lambda name: _CLASSES[name.group(1)], members[1:-1])
        negated = "^" if inner.startswith("^") else ""
        inside = "".join(c if c == "-" or c.isalnum() else re.escape(c) for c in inner[len(negated) :])
        return f"[{negated}{inside}]" if inside and "--" not in inside else None
    if escaped is not None:
        if escaped in "bwWsSdD":
            return "\\" + escaped
        if escaped in "<>":
            return "\\b"
        if escaped.isalnum():
            return None
        return _operator(escaped) if not extended and escaped in "|()+?{}" else re.escape(escaped)
    assert sign is not None
    if sign in "^$":
        return ""
    return sign if sign in ".*" else _operator(sign) if extended else re.escape(sign)


def _operator(sign: str) -> str | None:
    return None if sign in "{}" else "(?:" if sign == "(" else sign
