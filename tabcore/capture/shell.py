"""A bash command -> its tree. The only user of tree_sitter.

Grammar: tree-sitter-bash. What it cannot parse is split with `shlex`; what that cannot split is `Broken`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import tree_sitter
import tree_sitter_bash

from tabcore.capture.heredocs import Heredoc, lift_heredocs
from tabcore.capture.line_ends import with_line_ends
from tabcore.capture.patterns import HEREDOC, without_marks
from tabcore.capture.plain_commands import plain_command
from tabcore.capture.shell_fallback import fallback, pipeline, with_redirects, with_words
from tabcore.capture.shell_tree import (
    NOTHING,
    Assignment,
    Broken,
    Case,
    Chain,
    For,
    Function,
    Group,
    If,
    Node,
    Operator,
    Part,
    Redirect,
    Simple,
    Verbatim,
    While,
    Word,
)
from tabcore.capture.shell_words import append_word, verbatim, word_of
from tabcore.capture.word_nodes import MAX_DEPTH, WORDLIKE, SyntaxNode, WordReader

MAX_LENGTH = 16_384
"""Characters of a command that are parsed, heredocs apart: the parser is quadratic on garbage."""
MAX_OPERATORS = 2_000
MAX_KEPT = 4_096
"""Characters of a command up to which its tree is kept for when it comes again."""

_PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def parse(command: str) -> Node:
    """The tree of a command; `Broken` where it is no bash or too long.

    >>> parse("ls -la").words[1].literal
    '-la'
    >>> type(parse("cat 'a")).__name__, type(parse("(" * 10000)).__name__
    ('Simple', 'Broken')
    """
    return _kept_tree(command) if len(command) <= MAX_KEPT else _tree(command)


@lru_cache(maxsize=4096)
def _kept_tree(command: str) -> Node:
    return _tree(command)


def forget() -> None:
    """Parses anew what was parsed before: for measuring."""
    _kept_tree.cache_clear()


def _tree(command: str) -> Node:
    plain = plain_command(without_marks(command))
    if plain is not None:
        return plain
    if len(command) > 4_000_000:
        return Broken(command[:200], "the command is longer than 4 MB")
    text, bodies = lift_heredocs(without_marks(command.replace("\r\n", "\n")))
    if len(text) > MAX_LENGTH:
        return Broken(text[:200], f"the command is longer than {MAX_LENGTH} characters, heredocs apart")
    if len(text) > 1000 and sum(map(text.count, "|&;(){}`<>")) > MAX_OPERATORS:
        return Broken(text[:200], "the command has too many operators to be one that was meant")
    return grammar_tree(text, bodies)


def grammar_tree(text: str, bodies: list[Heredoc]) -> Node:
    """The tree by the grammar, of a command whose heredocs were lifted out."""
    return _Conversion(with_line_ends(text).encode("utf-8", "replace"), bodies).tree()


_OPERATORS: dict[str, Operator] = {"&": "&", "&&": "&&", "||": "||"}
_COUNTED = re.compile(
    r"for\s*\(\(\s*(?P<name>\w+)\s*=\s*(?P<first>\d{1,6})\s*;\s*(?P<again>\w+)\s*(?P<sign><=?)\s*(?P<last>\d{1,6})\s*;"
)


class _Conversion(WordReader):
    """One parse: statements; words are read by `WordReader`."""

    def tree(self) -> Node:
        root = _PARSER.parse(self.source).root_node
        if root.has_error and b"\n" not in self.source.strip() and any(c.type == "ERROR" for c in root.children):
            return fallback(self.text(root), self.bodies)
        return self.chain(root.children)

    def chain(self, children: Sequence[SyntaxNode]) -> Node:
        items: list[tuple[Operator, Node]] = []
        operator: Operator = ""
        for child in children:
            kind = child.type
            if kind in _OPERATORS:
                operator = _OPERATORS[kind]
            elif kind in (";", "\n", ";;", ";&", ";;&"):
                operator = ";"
            elif child.is_named and kind != "comment":
                items.append((operator, self.node(child)))
                operator = ";"
        return items[0][1] if len(items) == 1 else Chain(tuple(items))

    def node(self, node: SyntaxNode) -> Node:
        if self.depth > MAX_DEPTH:
            return Broken(self.text(node)[:200], "the command is nested too deeply")
        if node.type == "ERROR" or (node.has_error and node.type in ("command", "pipeline", "variable_assignment")):
            return fallback(self.text(node), self.bodies)
        self.depth += 1
        made = self.convert(node)
        self.depth -= 1
        return made

    def convert(self, node: SyntaxNode) -> Node:
        match node.type:
            case "command" | "declaration_command" | "unset_command":
                return self.command(node)
            case "list" | "program":
                return self.listed(node)
            case "pipeline":
                return self.piped(node)
            case "redirected_statement":
                return self.redirected(node)
            case "negated_command":
                return self.chain(node.children[1:])
            case "subshell":
                return Group(self.chain(node.children[1:-1]), own=True)
            case "compound_statement" | "do_group":
                return Group(
                    self.chain([c for c in node.children if c.is_named or c.type in ("&", ";", "\n")]), own=False
                )
            case "variable_assignment" | "variable_assignments":
                return Simple((), tuple(self.assignments(node)))
            case "test_command":
                return Simple((verbatim("["), *self.test_words(node)))
            case _:
                return self.compound(node)

    def piped(self, node: SyntaxNode) -> Node:
        first = node.children[0]
        inner = first.children[0].type if first.type == "redirected_statement" else first.type
        parts = [c for c in node.children if c.is_named and c.type != "comment"]
        stages = [self.node(c) for c in parts]
        listed = inner == "list" or (inner == "pipeline" and isinstance(stages[0], Chain))
        return pipeline(stages, listed, parts[-1].type == "list")

    def compound(self, node: SyntaxNode) -> Node:
        match node.type:
            case "for_statement":
                return self.loop(node)
            case "c_style_for_statement":
                return self.counted(node)
            case "while_statement":
                conditions = node.children_by_field_name("condition")
                return While(self.chain(conditions), self.chain(node.children_by_field_name("body")))
            case "if_statement":
                return self.branches(node)
            case "case_statement":
                return self.case(node)
            case "function_definition":
                name = node.child_by_field_name("name")
                return Function(self.text(name) if name else "", self.chain(node.children_by_field_name("body")))
            case "comment" | "heredoc_body":
                return NOTHING
            case _:
                return fallback(self.text(node), self.bodies)

    def listed(self, node: SyntaxNode) -> Node:
        """`a && b || c`, nested to the left by the grammar, as one chain."""
        items: list[tuple[Operator, Node]] = []
        pending = [node]
        rights: list[tuple[Operator, SyntaxNode]] = []
        while pending:
            current = pending.pop()
            if current.type != "list" or current.child_count != 3:
                items.append(("", self.node(current) if current is not node else self.chain(current.children)))
                break
            left, operator, right = current.children
            rights.append(("&&" if operator.type == "&&" else "||", right))
            pending.append(left)
        if (
            len(items) == 1
            and rights
            and isinstance(inner := items[0][1], Chain)
            and current.type in ("redirected_statement", "pipeline")
        ):
            items = list(inner.items)
        items += [(operator, self.node(right)) for operator, right in reversed(rights)]
        return Chain(tuple(items))

    def redirected(self, node: SyntaxNode) -> Node:
        redirects = tuple(self.redirect(c) for c in node.children if c.type.endswith("redirect"))
        bodies = [c for c in node.children if c.is_named and not c.type.endswith("redirect")]
        made = self.chain(bodies)
        skipped = self.skipped(node)
        if skipped:
            made = with_words(made, skipped)
        return with_redirects(made, redirects, bodies[0].type if bodies else "")

    def skipped(self, node: SyntaxNode) -> list[str]:
        """Words between the children that the grammar passes over in silence: the `-` of `a - 2>&1`."""
        found: list[str] = []
        position = node.start_byte
        for child in node.children:
            found += self.source[position : child.start_byte].decode("utf-8", "replace").split()
            position = child.end_byte
        return [word for word in found if word != "\\"]

    def redirect(self, node: SyntaxNode) -> Redirect:
        descriptor, operator, target = -1, "", Word((), "")
        for child in node.children:
            if child.type == "file_descriptor":
                text = self.text(child)
                descriptor = int(text) if text.isdecimal() and len(text) < 4 else 9
            elif child.type in WORDLIKE:
                target = self.word(child)
            else:
                operator = child.type
        if node.type == "herestring_redirect":
            operator = "<<<"
        if target.literal is not None and target.literal.startswith(HEREDOC):
            operator, target = "<<", self.heredoc(target.literal)
        if descriptor < 0:
            descriptor = 0 if operator.startswith("<") else 1
        return Redirect(descriptor, operator, target)

    def heredoc(self, placeholder: str) -> Word:
        number = placeholder[1:]
        body = self.bodies[int(number)] if number.isdecimal() and int(number) < len(self.bodies) else Heredoc("")
        if body.plain or len(body) > MAX_LENGTH or ("$" not in body and "`" not in body):
            return verbatim(body, quoted=True)
        quoted = '"' + re.sub(r'(?<!\\)"', lambda _: '\\"', body) + '"'
        root = _PARSER.parse(f"echo {quoted}".encode("utf-8", "replace")).root_node
        inner = _Conversion(f"echo {quoted}".encode("utf-8", "replace"), [], self.depth + 1)
        command = root.children[0] if root.children else root
        if root.has_error or command.type != "command" or command.child_count != 2:
            return verbatim(body, quoted=True)
        return inner.word(command.children[1])

    def command(self, node: SyntaxNode) -> Node:
        assignments: list[Assignment] = []
        redirects: list[Redirect] = []
        words: list[tuple[int, int, list[Part]]] = []
        for child in node.children:
            kind = child.type
            if kind == "command_name":
                child = child.children[0]
                kind = child.type
            if kind == "variable_assignment" and not words:
                assignments += self.assignments(child)
            elif kind == "variable_assignment":
                words.append((child.start_byte, child.end_byte, self.assignment_parts(child)))
            elif kind.endswith("redirect"):
                redirects.append(self.redirect(child))
            elif kind in WORDLIKE:
                append_word(words, child.start_byte, child.end_byte, self.parts(child))
            elif kind in ("subshell", "compound_statement"):
                return self.node(child)
            elif not child.is_named:
                append_word(words, child.start_byte, child.end_byte, [Verbatim(self.text(child))])
        return Simple(tuple(word_of(parts) for _, _, parts in words), tuple(assignments), tuple(redirects))

    def assignment_parts(self, node: SyntaxNode) -> list[Part]:
        value = node.child_by_field_name("value")
        if value is None or value.type == "array":
            return [Verbatim(self.text(node))]
        head = self.source[node.start_byte : value.start_byte].decode("utf-8", "replace")
        return [Verbatim(head), *self.parts(value)]

    def assignments(self, node: SyntaxNode) -> Iterator[Assignment]:
        if node.type == "variable_assignments":
            for child in node.children:
                if child.type == "variable_assignment":
                    yield from self.assignments(child)
            return
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        appends = any(child.type == "+=" for child in node.children)
        label = self.text(name).partition("[")[0] if name else ""
        if value is not None and value.type == "array":
            items = tuple(self.word(c) for c in value.children if c.type in WORDLIKE)
            yield Assignment(label, Word((), ""), items, appends)
        else:
            yield Assignment(label, self.word(value) if value else Word((), ""), (), appends)

    def test_words(self, node: SyntaxNode) -> list[Word]:
        found: list[Word] = []
        pending = list(reversed(node.children))
        while pending and len(found) < 100:
            child = pending.pop()
            if child.type in WORDLIKE:
                found.append(self.word(child))
            else:
                pending += reversed(child.children)
        return found

    def loop(self, node: SyntaxNode) -> Node:
        variable = node.child_by_field_name("variable")
        values = node.children_by_field_name("value")
        has_in = any(child.type == "in" for child in node.children)
        body = self.chain(node.children_by_field_name("body"))
        merged: list[tuple[int, int, list[Part]]] = []
        for value in values:
            append_word(merged, value.start_byte, value.end_byte, self.parts(value))
        words = tuple(word_of(parts) for _, _, parts in merged) if has_in else None
        return For(self.text(variable) if variable else "", words, body)

    def counted(self, node: SyntaxNode) -> Node:
        """`for ((i=1; i<=3; i++))` over its numbers, where they are written out; else a body that runs once."""
        body = self.chain(node.children[-1:])
        match = _COUNTED.match(self.text(node))
        if match is None or match["name"] != match["again"]:
            return While(NOTHING, body)
        last = int(match["last"]) + (match["sign"] == "<=")
        numbers = range(int(match["first"]), min(last, int(match["first"]) + 500))
        return For(match["name"], tuple(verbatim(str(number)) for number in numbers), body)

    def branches(self, node: SyntaxNode) -> Node:
        found: list[tuple[Node, Node]] = []
        otherwise: Node | None = None
        condition: list[SyntaxNode] = []
        body: list[SyntaxNode] = []
        in_body = False
        for child in node.children:
            if child.type in ("elif_clause", "else_clause"):
                if child.type == "elif_clause" and isinstance(inner := self.branches(child), If):
                    found += inner.branches
                else:
                    otherwise = self.chain(child.children[1:])
            elif child.type == "then":
                in_body = True
            elif child.type not in ("if", "elif", "fi"):
                (body if in_body else condition).append(child)
        return If(((self.chain(condition), self.chain(body)), *found), otherwise)

    def case(self, node: SyntaxNode) -> Node:
        value = node.child_by_field_name("value")
        arms: list[Node] = []
        for item in node.children:
            if item.type == "case_item":
                after = next((i for i, c in enumerate(item.children) if c.type == ")"), 0)
                arms.append(self.chain(item.children[after + 1 :]))
        return Case(self.word(value) if value else Word((), ""), tuple(arms))
