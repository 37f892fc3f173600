"""Text of which parts are not known: a shell word, a printed line, a path with wildcards.

A pattern is a plain string in which some characters stand for unknown text. They are Unicode noncharacters, which
no command or observation may contain (`without_marks` takes them out), so an ordinary string is its own pattern
and costs nothing.

    STAR    any characters but "/"          (the shell's *)
    ONE     one character but "/"           (the shell's ?)
    DEEP    nothing, or folders and a "/"   (what find and ** descend through)
    UNKNOWN any characters                  (a variable whose value was not seen)
    NUMBER  a whole number                  ($?, ${#x}, $(( … )))
    OPEN…CLOSE  one of the characters between (the shell's [...])
"""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache

STAR, DEEP, ONE, UNKNOWN, OPEN, CLOSE, HEREDOC, SHOWN, END, NUMBER = (chr(0xFDD0 + i) for i in range(10))
"""SHOWN…END wraps the number of a stream whose text was put into a word: `$(head -1 f)` inside echo."""

_MARKS = re.compile("[\ufdd0-\ufdef]")
_FIRST_BYTES = b"\xef\xb7"
"""What the marks begin with in UTF-8: to look for it is ten times as fast as an expression."""
_PIECES = re.compile(f"{OPEN}[^{CLOSE}]*{CLOSE}|{SHOWN}[^{END}]*{END}|[\ufdd0-\ufdef]|[^\ufdd0-\ufdef]+")
_REGEX = {STAR: r"[^/\n]*", DEEP: r"(?:[^\n]*/)?", ONE: r"[^/\n]", UNKNOWN: r"[^\n]*", NUMBER: r"-?\d+"}


def without_marks(text: str) -> str:
    """The text with the characters that patterns use taken out.

    >>> without_marks("a\\ufdd0b")
    'ab'
    """
    if text.isascii() or _FIRST_BYTES not in text.encode("utf-8", "surrogatepass"):
        return text
    return _MARKS.sub("", text)


def is_literal(pattern: str) -> bool:
    """True when every character is known.

    >>> is_literal("a.txt"), is_literal(STAR + ".txt")
    (True, False)
    """
    return pattern.isascii() or _MARKS.search(pattern) is None


def is_unknown(pattern: str) -> bool:
    """True when a part is wholly unknown, as a variable that was never set.

    >>> is_unknown(STAR + ".txt"), is_unknown(UNKNOWN + "/a.txt")
    (False, True)
    """
    return not pattern.isascii() and (UNKNOWN in pattern or SHOWN in pattern or NUMBER in pattern)


def _piece_regex(piece: str) -> str:
    if piece in _REGEX:
        return _REGEX[piece]
    if piece[0] == OPEN:
        inner = piece[1:-1]
        negated = inner[:1] in "!^" and len(inner) > 1
        members = "".join(c if c == "-" or c.isalnum() else re.escape(c) for c in (inner[1:] if negated else inner))
        return f"[{'^/' if negated else ''}{members.replace('--', '-' + re.escape('-')) or '[]'}]"
    if piece[0] == SHOWN:
        return r"[\s\S]*"
    return re.escape(piece)


@lru_cache(maxsize=4096)
def expression(pattern: str) -> re.Pattern[str]:
    """A regular expression for the pattern, without anchors; each wildcard is taken as far as needed.

    >>> bool(expression("po/PO-" + STAR + ".txt").fullmatch("po/PO-1.txt"))
    True
    """
    try:
        return re.compile("".join(map(_piece_regex, _PIECES.findall(pattern))))
    except re.error:
        return re.compile(re.escape(readable(pattern)))


def matches(pattern: str, text: str) -> bool:
    """True when the whole text fits the pattern.

    >>> matches("a/" + DEEP + STAR + ".md", "a/b/c.md"), matches("a/" + STAR, "a/b/c.md")
    (True, False)
    """
    return pattern == text or (not is_literal(pattern) and expression(pattern).fullmatch(text) is not None)


def readable(pattern: str) -> str:
    """The pattern as a person would write it.

    >>> readable("a/" + DEEP + STAR + ".md")
    'a/**/*.md'
    """
    if is_literal(pattern):
        return pattern
    named = {STAR: "*", DEEP: "**/", ONE: "?", UNKNOWN: "…", NUMBER: "…", OPEN: "[", CLOSE: "]"}
    return "".join(
        named.get(c, c)
        for c in re.sub(f"{SHOWN}[^{END}]*{END}", "…", pattern)
        if c < HEREDOC or c > "\ufdef" or c in named
    )


_GLOB = re.compile(r"\\(.)|(\*\*/?)|(\*)|(\?)|\[([!^]?\]?(?:\[:\w+:\]|[^\]/])*)\]", re.DOTALL)


def from_glob(text: str) -> str:
    """The pattern of a shell glob; a backslash takes the meaning from the next character.

    >>> readable(from_glob("a/*.t?t")), from_glob(r"\\*")
    ('a/*.t?t', '*')
    """

    def piece(match: re.Match[str]) -> str:
        escaped, deep, star, one, members = match.groups()
        if escaped is not None:
            return str(escaped)
        if deep:
            return DEEP if deep.endswith("/") else DEEP + STAR
        return STAR if star else ONE if one else f"{OPEN}{_class_members(members)}{CLOSE}"

    return _GLOB.sub(piece, text)


def _class_members(members: str) -> str:
    for name, characters in (
        ("digit", "0-9"),
        ("alpha", "a-zA-Z"),
        ("alnum", "0-9a-zA-Z"),
        ("upper", "A-Z"),
        ("lower", "a-z"),
    ):
        members = members.replace(f"[:{name}:]", characters)
    return members


@lru_cache(maxsize=8192)
def resolve(folder: str, path: str) -> str:
    """The path, made absolute against `folder` and normalised; wildcards are kept.

    >>> resolve("/w/a", "../b/./c.txt"), resolve("/w", "/x//y")
    ('/w/b/c.txt', '/x/y')
    """
    if path.startswith("/"):
        return normalise(path)
    return normalise(f"{folder}/{path}")


def placed(folder: str, path: str) -> str:
    """`resolve` for the many paths of a listing, which seldom repeat.

    >>> placed("/w", "./a/b.txt"), placed("/w", "../x"), placed("/w", "/v/c/"), placed("/", "a")
    ('/w/a/b.txt', '/x', '/v/c', '/a')
    """
    if path.startswith("./"):
        path = path[2:]
    if path[-1:] == "/" and len(path) > 1:
        path = path[:-1]
    if path[:1] == "/":
        return normalise(path)
    if path[:1] == "." or "/." in path or "//" in path or folder == "/" or not path:
        return resolve(folder, path)
    return f"{folder}/{path}"


_UNEVEN = re.compile(r"/\.{0,2}(?:/|$)")


def normalise(path: str) -> str:
    """`posixpath.normpath` with one leading slash, at a tenth of the cost for a path that is normal already.

    >>> normalise("//a/../b/"), normalise("/a/b.txt")
    ('/b', '/a/b.txt')
    """
    if _UNEVEN.search(path) is None:
        return path
    normal = posixpath.normpath(path)
    return normal[1:] if normal.startswith("//") else normal


def relative(root: str, path: str) -> str:
    """The absolute path relative to `root` where it lies under it, else as it is.

    >>> relative("/w", "/w/a.txt"), relative("/w", "/wide/a.txt"), relative("/", "/a")
    ('a.txt', '/wide/a.txt', 'a')
    """
    prefix = root.rstrip("/") + "/"
    return path[len(prefix) :] if path.startswith(prefix) and len(path) > len(prefix) else path


def literal_folder(pattern: str) -> str:
    """The folder part of a pattern before its first wildcard; "" when there is none.

    >>> literal_folder("a/b/" + STAR + ".md"), literal_folder("a.md")
    ('a/b', '')
    """
    if is_literal(pattern):
        return posixpath.dirname(pattern)
    mark = _MARKS.search(pattern)
    return posixpath.dirname(pattern[: mark.start()]) if mark else ""


def words_of(text: str) -> tuple[str, ...]:
    """The words of a table's line, split at blanks.

    >>> words_of("cat head tail")
    ('cat', 'head', 'tail')
    """
    return tuple(text.split())
