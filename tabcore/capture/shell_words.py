"""Words of a bash command: escapes, quotes and globs resolved to patterns, parts joined."""

from __future__ import annotations

import re

from tabcore.capture.patterns import from_glob
from tabcore.capture.shell_tree import Part, Substitution, Variable, Verbatim, Word


def append_word(words: list[tuple[int, int, list[Part]]], start: int, end: int, parts: list[Part]) -> None:
    """Adds a word, joined to the last one where nothing stands between: `$f/$g.txt` reaches us in two."""
    if words and words[-1][1] == start:
        words[-1] = (words[-1][0], end, words[-1][2] + parts)
    else:
        words.append((start, end, parts))


def word_of(parts: list[Part]) -> Word:
    if len(parts) == 1 and isinstance(parts[0], Verbatim):
        text = parts[0].text
        plain = parts[0].quoted or not ("{" in text or text.startswith("~"))
        return Word(tuple(parts), text if plain else None)
    if all(isinstance(part, Verbatim) and (part.quoted or "{" not in part.text) for part in parts):
        first = parts[0] if parts else None
        if not (isinstance(first, Verbatim) and not first.quoted and first.text.startswith("~")):
            return Word(tuple(parts), "".join(part.text for part in parts if isinstance(part, Verbatim)))
    return Word(tuple(parts))


def verbatim(text: str, quoted: bool = False) -> Word:
    return Word((Verbatim(text, quoted),), text)


def quoted_part(part: Part) -> Part:
    match part:
        case Variable(name, operation, operand, _):
            return Variable(name, operation, operand, quoted=True)
        case Substitution(script, _):
            return Substitution(script, quoted=True)
        case Verbatim(text, _):
            return Verbatim(text, quoted=True)
        case _:
            return part


_SPECIAL = re.compile(r"[\\*?\[]")


def bare_word(text: str) -> str:
    r"""The pattern of an unquoted word: escapes resolved, globs as wildcards.

    >>> bare_word(r"it\'s\ here.txt")
    "it's here.txt"
    """
    if _SPECIAL.search(text) is None:
        return text
    return from_glob(text.replace("\\\n", ""))


def double_quoted(raw: bytes) -> str:
    text = raw.decode("utf-8", "replace")
    return re.sub(r"\\([\"\\$`]|\n)", lambda m: m.group(1).strip("\n"), text) if "\\" in text else text


_ANSI = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}


def ansi_c(text: str) -> str:
    r"""The text of a `$'…'` string.

    >>> ansi_c(r"it\'s\x41\101")
    "it'sAA"
    """

    def character(match: re.Match[str]) -> str:
        if match.group(1):
            code = int(match.group(1), 16)
            return chr(code) if code < 0x110000 else ""
        if match.group(2):
            return chr(int(match.group(2), 8) & 0xFF)
        return _ANSI.get(match.group(3), match.group(3))

    return re.sub(r"\\(?:[xuU]([0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))", character, text, flags=re.DOTALL)
