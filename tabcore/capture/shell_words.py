"""Words of a bash command: escapes, quotes and globs resolved to patterns, parts joined."""

from __future__ import annotations

import re

from tabcore.capture.patterns import from_glob
from tabcore.capture.shell_tree import Part, Substitution, Variable, Verbatim, Word


def append_word(words: list[tuple[int, int, list[Part]]], start: int, end: int, parts: list[Part]) -> None:
    """Adds a word, joined to the last one where nothing stands between: `$f/$g.txt` reaches us in two."""
    if words and words[-1][1] == start:
        words[-1] = (words[-1][0], end, _met(words[-1][2], parts))
    else:
        words.append((start, end, parts))


def _met(before: list[Part], after: list[Part]) -> list[Part]:
    """Parts side by side; a `$` and a name that the grammar has put apart are a variable again."""
    last, first = before[-1] if before else None, after[0] if after else None
    if not isinstance(last, Verbatim) or not isinstance(first, Verbatim) or last.quoted or first.quoted:
        return before + after
    name = _NAME.match(first.text)
    if not last.text.endswith("$") or name is None:
        return before + after
    rest = first.text[name.end() :]
    left = [Verbatim(last.text[:-1])] if len(last.text) > 1 else []
    return [*before[:-1], *left, Variable(name.group()), *([Verbatim(rest)] if rest else []), *after[1:]]


_NAME = re.compile(r"[A-Za-z_]\w*")


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


_LEFT_VARIABLE = re.compile(r"(?<!\\)\$([A-Za-z_]\w*)")


def bare_parts(text: str) -> list[Part]:
    """An unquoted word's parts; the grammar leaves the second variable of `$a/$b.txt` inside a word.

    >>> bare_parts("/$b.txt")
    [Verbatim(text='/', quoted=False), Variable(name='b', operation='', operand=None, quoted=False), Verbatim(text='.txt', quoted=False)]
    """
    if "$" not in text:
        return [Verbatim(bare_word(text))]
    parts: list[Part] = []
    for position, piece in enumerate(_LEFT_VARIABLE.split(text)):
        if position % 2:
            parts.append(Variable(piece))
        elif piece:
            parts.append(Verbatim(bare_word(piece)))
    return parts


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
