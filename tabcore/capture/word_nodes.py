"""Words in the syntax tree of a bash command: quotes, variables, substitutions, concatenations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from tabcore.capture.heredocs import Heredoc
from tabcore.capture.patterns import NUMBER, UNKNOWN, words_of
from tabcore.capture.shell_tree import (
    Broken,
    Node,
    Part,
    ProcessStream,
    Redirect,
    Simple,
    Substitution,
    Variable,
    Verbatim,
    Word,
)
from tabcore.capture.shell_words import ansi_c, bare_parts, double_quoted, quoted_part, verbatim, word_of

MAX_DEPTH = 40
WORDLIKE = frozenset(
    words_of(
        "word string raw_string ansi_c_string translated_string concatenation simple_expansion expansion number "
        "command_substitution process_substitution arithmetic_expansion brace_expression extglob_pattern regex "
        "special_variable_name variable_name test_operator subscript"
    )
)
TOKENS = frozenset(["word", "number", "brace_expression", "extglob_pattern", "regex", "variable_name", "test_operator"])


class SyntaxNode(Protocol):
    """What is used of a node of the parser's tree."""

    @property
    def type(self) -> str: ...
    @property
    def is_named(self) -> bool: ...
    @property
    def start_byte(self) -> int: ...
    @property
    def end_byte(self) -> int: ...
    @property
    def has_error(self) -> bool: ...
    @property
    def child_count(self) -> int: ...
    @property
    def children(self) -> Sequence[SyntaxNode]: ...
    def child_by_field_name(self, name: str, /) -> SyntaxNode | None: ...
    def children_by_field_name(self, name: str, /) -> Sequence[SyntaxNode]: ...


class WordReader:
    """One parse: the source bytes and the heredocs that were lifted out of it; reads words, and statements in a subclass."""

    def __init__(self, source: bytes, bodies: list[Heredoc], depth: int = 0) -> None:
        self.source = source
        self.bodies = bodies
        self.depth = depth

    def chain(self, children: Sequence[SyntaxNode]) -> Node:
        """The statements among some nodes."""
        raise NotImplementedError

    def redirect(self, node: SyntaxNode) -> Redirect:
        """A redirection."""
        raise NotImplementedError

    def text(self, node: SyntaxNode) -> str:
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def word(self, node: SyntaxNode) -> Word:
        return word_of(self.parts(node))

    def parts(self, node: SyntaxNode) -> list[Part]:
        match node.type:
            case kind if kind in TOKENS:
                return bare_parts(self.text(node))
            case "raw_string":
                return [Verbatim(self.text(node)[1:-1], quoted=True)]
            case "string":
                return self.string(node)
            case "ansi_c_string":
                return [Verbatim(ansi_c(self.text(node)[2:-1]), quoted=True)]
            case "translated_string":
                return self.parts(node.children[-1])
            case "concatenation":
                return self.concatenation(node)
            case "simple_expansion":
                return [Variable(self.text(node).lstrip()[1:])]
            case "expansion":
                return [self.expansion(node)]
            case "command_substitution":
                return self.substitution(node)
            case "process_substitution":
                return [ProcessStream(self.nested(node), into=node.children[0].type == ">(")]
            case "arithmetic_expansion":
                return [Verbatim(NUMBER)]
            case _:
                return [Verbatim(UNKNOWN)]

    def nested(self, node: SyntaxNode) -> Node:
        if self.depth > MAX_DEPTH:
            return Broken(self.text(node)[:200], "the command is nested too deeply")
        self.depth += 1
        inner = self.chain(node.children[1:-1])
        self.depth -= 1
        return inner

    def substitution(self, node: SyntaxNode) -> list[Part]:
        inner = [child for child in node.children if child.is_named]
        if len(inner) == 1 and inner[0].type == "file_redirect":
            redirect = self.redirect(inner[0])
            return [Substitution(Simple((verbatim("cat"),), (), (redirect,)))]
        return [Substitution(self.nested(node))]

    def concatenation(self, node: SyntaxNode) -> list[Part]:
        """Runs of bare tokens become one, so that `{a,b}` and `[1-3]` are seen whole."""
        parts: list[Part] = []
        bare = ""
        for child in node.children:
            if child.type in TOKENS or not child.is_named:
                bare += self.text(child)
                continue
            if bare:
                parts += bare_parts(bare)
                bare = ""
            parts += self.parts(child)
        return [*parts, *bare_parts(bare)] if bare else parts

    def string(self, node: SyntaxNode) -> list[Part]:
        """Double quotes; what lies between the expansions is taken from the source, blanks and all."""
        parts: list[Part] = []
        position = node.start_byte + 1
        for child in node.children[1:]:
            if not child.is_named or child.type == "string_content":
                continue
            text = self.source[position : child.end_byte]
            before = text[: len(text) - len(self.text(child).lstrip().encode("utf-8", "replace"))]
            parts.append(Verbatim(double_quoted(before), quoted=True))
            parts += map(quoted_part, self.parts(child))
            position = child.end_byte
        parts.append(Verbatim(double_quoted(self.source[position : node.end_byte - 1]), quoted=True))
        return parts

    def expansion(self, node: SyntaxNode) -> Part:
        text = self.text(node).lstrip()[2:-1]
        match = re.match(r"[!#]?(\w+|[@*?#$!-])(\[[^\]]*\])?", text)
        if match is None:
            return Verbatim(UNKNOWN)
        operand = next(
            (c for c in reversed(node.children) if c.type in WORDLIKE and c.start_byte > node.start_byte + 2), None
        )
        rest = text[match.end() :]
        name = match.group(1) if text[0] not in "!#" or len(text) == 1 else text[: match.end()]
        return Variable(name, (match.group(2) or "") + rest, self.word(operand) if operand and rest else None)
