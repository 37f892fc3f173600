"""Commands without expansions, groups, heredocs and reserved words, read without the grammar: most of what agents type.

`plain_command` gives the tree that shell.py would give, at a tenth of the cost, or None where it leaves the command to
the grammar. That both agree is a law of the tests.
"""

from __future__ import annotations

import re
from functools import lru_cache

from tabcore.capture.patterns import words_of
from tabcore.capture.shell_tree import Chain, Node, Operator, Part, Pipeline, Redirect, Simple, Verbatim, Word
from tabcore.capture.shell_words import bare_word, word_of

MAX_LENGTH = 50_000
_RESERVED = frozenset(
    words_of(
        "if then elif else fi for select while until do done case esac function time coproc in declare typeset export readonly local "
        "unset unsetenv let"
    )
)
_BARE = r"[\w./,:@%+*?~=-]"
_QUOTED = r"'[^']*'|\"[^\"$`\\]*\""
_TOKEN = re.compile(
    rf"(?P<blank>[ \t]+)|(?P<operator>&&|\|\||[|;\n])|(?P<merge>2>&1(?=[\s|;]|\Z))|(?P<redirect>(?<=[ \t])(?:[12]?>>?|<)(?=[ \t'\"\w./]))[ \t]*|"
    rf"(?P<word>(?:{_BARE}+|{_QUOTED})+)"
)
_PIECE = re.compile(rf"{_BARE}+|{_QUOTED}")
_PROGRAM = re.compile(r"[A-Za-z./][A-Za-z0-9_./+-]*")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")


def plain_command(text: str) -> Node | None:
    """The command's tree, None where the grammar is needed.

    >>> plain_command("cat 'a b' | head -2").stages[0].words[1].literal
    'a b'
    >>> plain_command("cat $f") is None
    True
    """
    if len(text) > MAX_LENGTH or _GRAMMAR.search(text) is not None:
        return None
    return _Reading().read(text)


_GRAMMAR = re.compile(r"[`\\(){}#!\[\]^]|\$|<<|<&|>&(?!1)|&>")


class _Reading:
    """The statements so far, and the command that is being read."""

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.redirects: list[Redirect] = []
        self.stages: list[Node] = []
        self.listed: list[tuple[Operator, Node]] = []
        self.chain: list[tuple[Operator, Node]] = []

    def read(self, text: str) -> Node | None:
        """The tree of a whole text."""
        position = 0
        target = ""
        glued = False
        for match in _TOKEN.finditer(text):
            if match.start() != position:
                return None
            position = match.end()
            kind = match.lastgroup
            if kind == "blank":
                glued = False
                continue
            if target and kind != "word":
                return None
            if kind == "operator":
                if not self.operator(match.group()):
                    return None
                glued = False
            elif glued or (kind != "word" and not self.words) or not self.token(kind or "", match.group(), target):
                return None
            else:
                target = match.group().strip() if kind == "redirect" else ""
                glued = kind != "redirect"
        return self.whole() if position == len(text) and not target else None

    def token(self, kind: str, text: str, target: str) -> bool:
        """A word or redirection; False where the grammar is needed."""
        if kind == "redirect":
            return True
        if kind == "merge":
            self.redirects.append(_MERGE)
            return True
        word = _word(text)
        if word is None:
            return False
        if target:
            descriptor = 0 if target == "<" else int(target[0]) if target[0].isdecimal() else 1
            self.redirects.append(Redirect(descriptor, target.lstrip("12"), word))
            return True
        if self.redirects or (not self.words and (text in _RESERVED or not _PROGRAM.fullmatch(text))):
            return False
        self.words.append(word)
        return True

    def operator(self, sign: str) -> bool:
        """What ends a command; False where none stands before it."""
        if not self.words:
            return sign == "\n" and not self.stages and not self.listed
        self.stages.append(Simple(tuple(self.words), (), tuple(self.redirects)))
        self.words, self.redirects = [], []
        if sign != "|":
            self.statement()
            if sign in ("&&", "||"):
                self.listed[-1:] = [self.listed[-1], (sign, _GAP)]  # type: ignore[list-item]
            else:
                self.row()
        return True

    def statement(self) -> None:
        """The pipeline is complete."""
        made = self.stages[0] if len(self.stages) == 1 else Pipeline(tuple(self.stages))
        self.stages = []
        if self.listed:
            self.listed[-1] = (self.listed[-1][0], made)
        else:
            self.listed.append(("", made))

    def row(self) -> None:
        """The and-or list is complete."""
        made = self.listed[0][1] if len(self.listed) == 1 else Chain(tuple(self.listed))
        self.listed = []
        self.chain.append((";" if self.chain else "", made))

    def whole(self) -> Node | None:
        if self.words:
            self.operator("\n")
        elif self.stages or self.listed or not self.chain:
            return None
        return self.chain[0][1] if len(self.chain) == 1 else Chain(tuple(self.chain))


_GAP: Node = Chain(())
_MERGE = Redirect(2, ">&", Word((Verbatim("1"),), "1"))


@lru_cache(maxsize=4096)
def _word(text: str) -> Word | None:
    if _ASSIGNMENT.match(text) is not None:
        return None
    parts: list[Part] = []
    for piece in _PIECE.findall(text):
        parts.append(Verbatim(piece[1:-1], True) if piece[0] in "'\"" else Verbatim(bare_word(piece)))
    return word_of(parts)
