"""A bash command -> its tree. The only user of tree_sitter.

Grammar: tree-sitter-bash. What it cannot parse is split with `shlex`; what that cannot split is `Broken`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import lru_cache

import tree_sitter
import tree_sitter_bash

from tabcore.capture.heredocs import Heredoc, lift_heredocs
from tabcore.capture.patterns import HEREDOC, UNKNOWN, from_glob, without_marks
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
    Pipeline,
    ProcessStream,
    Redirect,
    Redirected,
    Simple,
    Substitution,
    Variable,
    Verbatim,
    While,
    Word,
)

MAX_LENGTH = 16_384
"""Characters of a command that are parsed, heredocs apart: the parser is quadratic on garbage."""
MAX_DEPTH = 40
MAX_OPERATORS = 2_000

_PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


@lru_cache(maxsize=512)
def parse(command: str) -> Node:
    """The tree of a command; `Broken` where it is no bash or too long.

    >>> parse("ls -la").words[1].literal
    '-la'
    >>> type(parse("cat 'a")).__name__, type(parse("(" * 10000)).__name__
    ('Simple', 'Broken')
    """
    if len(command) > 4_000_000:
        return Broken(command[:200], "the command is longer than 4 MB")
    text, bodies = lift_heredocs(without_marks(command.replace("\r\n", "\n")))
    if len(text) > MAX_LENGTH:
        return Broken(text[:200], f"the command is longer than {MAX_LENGTH} characters, heredocs apart")
    if len(text) > 1000 and sum(map(text.count, "|&;(){}`<>")) > MAX_OPERATORS:
        return Broken(text[:200], "the command has too many operators to be one that was meant")
    return _Conversion(text.encode("utf-8", "replace"), bodies).tree()


_COUNTED = re.compile(
    r"for\s*\(\(\s*(?P<name>\w+)\s*=\s*(?P<first>\d{1,6})\s*;\s*(?P<again>\w+)\s*(?P<sign><=?)\s*(?P<last>\d{1,6})\s*;"
)
_WORDLIKE = frozenset(
    "word string raw_string ansi_c_string translated_string concatenation simple_expansion expansion number "
    "command_substitution process_substitution arithmetic_expansion brace_expression extglob_pattern regex "
    "special_variable_name variable_name test_operator subscript".split()
)
_TOKENS = frozenset(
    ["word", "number", "brace_expression", "extglob_pattern", "regex", "variable_name", "test_operator"]
)


class _Conversion:
    """One parse: the source bytes and the heredocs that were lifted out of it."""

    def __init__(self, source: bytes, bodies: list[Heredoc], depth: int = 0) -> None:
        self.source = source
        self.bodies = bodies
        self.depth = depth

    def tree(self) -> Node:
        root = _PARSER.parse(self.source).root_node
        if root.has_error and b"\n" not in self.source.strip() and any(c.type == "ERROR" for c in root.children):
            return fallback(self.text(root), self.bodies)
        return self.chain(root.children)

    def text(self, node: tree_sitter.Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def chain(self, children: list[tree_sitter.Node]) -> Node:
        items: list[tuple[Operator, Node]] = []
        operator: Operator = ""
        for child in children:
            kind = child.type
            if kind in ("&", "&&", "||"):
                operator = kind
            elif kind in (";", "\n", ";;", ";&", ";;&"):
                operator = ";"
            elif child.is_named and kind != "comment":
                items.append((operator, self.node(child)))
                operator = ";"
        return items[0][1] if len(items) == 1 else Chain(tuple(items))

    def node(self, node: tree_sitter.Node) -> Node:
        if self.depth > MAX_DEPTH:
            return Broken(self.text(node)[:200], "the command is nested too deeply")
        if node.type == "ERROR" or (node.has_error and node.type in ("command", "pipeline", "variable_assignment")):
            return fallback(self.text(node), self.bodies)
        self.depth += 1
        made = self.convert(node)
        self.depth -= 1
        return made

    def convert(self, node: tree_sitter.Node) -> Node:
        match node.type:
            case "command" | "declaration_command" | "unset_command":
                return self.command(node)
            case "list" | "program":
                return self.list(node)
            case "pipeline":
                return _piped(
                    [self.node(c) for c in node.children if c.is_named and c.type != "comment"], node.children[0]
                )
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
                return Simple((_verbatim("["), *self.test_words(node)))
            case _:
                return self.compound(node)

    def compound(self, node: tree_sitter.Node) -> Node:
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

    def list(self, node: tree_sitter.Node) -> Node:
        """`a && b || c`, nested to the left by the grammar, as one chain."""
        items: list[tuple[Operator, Node]] = []
        pending = [node]
        rights: list[tuple[Operator, tree_sitter.Node]] = []
        while pending:
            current = pending.pop()
            if current.type != "list" or current.child_count != 3:
                items.append(("", self.node(current) if current is not node else self.chain(current.children)))
                break
            left, operator, right = current.children
            rights.append(("&&" if operator.type == "&&" else "||", right))
            pending.append(left)
        items += [(operator, self.node(right)) for operator, right in reversed(rights)]
        return Chain(tuple(items))

    def redirected(self, node: tree_sitter.Node) -> Node:
        redirects = tuple(self.redirect(c) for c in node.children if c.type.endswith("redirect"))
        bodies = [c for c in node.children if c.is_named and not c.type.endswith("redirect")]
        made = self.chain(bodies)
        skipped = self.skipped(node)
        if skipped:
            made = _with_words(made, skipped)
        return _with_redirects(made, redirects, bodies[0].type if bodies else "")

    def skipped(self, node: tree_sitter.Node) -> list[str]:
        """Words between the children that the grammar passes over in silence: the `-` of `a - 2>&1`."""
        found: list[str] = []
        position = node.start_byte
        for child in node.children:
            found += self.source[position : child.start_byte].decode("utf-8", "replace").split()
            position = child.end_byte
        return [word for word in found if word != "\\"]

    def redirect(self, node: tree_sitter.Node) -> Redirect:
        descriptor, operator, target = -1, "", Word((), "")
        for child in node.children:
            if child.type == "file_descriptor":
                text = self.text(child)
                descriptor = int(text) if text.isdecimal() and len(text) < 4 else 9
            elif child.type in _WORDLIKE:
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
            return _verbatim(body, quoted=True)
        quoted = '"' + re.sub(r'(?<!\\)"', lambda _: '\\"', body) + '"'
        root = _PARSER.parse(f"echo {quoted}".encode("utf-8", "replace")).root_node
        inner = _Conversion(f"echo {quoted}".encode("utf-8", "replace"), [], self.depth + 1)
        command = root.children[0] if root.children else root
        if root.has_error or command.type != "command" or command.child_count != 2:
            return _verbatim(body, quoted=True)
        return inner.word(command.children[1])

    def command(self, node: tree_sitter.Node) -> Node:
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
            elif kind in _WORDLIKE:
                _append(words, child.start_byte, child.end_byte, self.parts(child))
            elif kind in ("subshell", "compound_statement"):
                return self.node(child)
            elif not child.is_named:
                _append(words, child.start_byte, child.end_byte, [Verbatim(self.text(child))])
        return Simple(tuple(_word(parts) for _, _, parts in words), tuple(assignments), tuple(redirects))

    def assignment_parts(self, node: tree_sitter.Node) -> list[Part]:
        value = node.child_by_field_name("value")
        if value is None or value.type == "array":
            return [Verbatim(self.text(node))]
        head = self.source[node.start_byte : value.start_byte].decode("utf-8", "replace")
        return [Verbatim(head), *self.parts(value)]

    def assignments(self, node: tree_sitter.Node) -> Iterator[Assignment]:
        if node.type == "variable_assignments":
            for child in node.children:
                if child.type == "variable_assignment":
                    yield from self.assignments(child)
            return
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        appends = any(child.type == "+=" for child in node.children)
        label = self.text(name).partition("[")[0] if name else ""
        if value is not None and value.type == "array":
            items = tuple(self.word(c) for c in value.children if c.type in _WORDLIKE)
            yield Assignment(label, Word((), ""), items, appends)
        else:
            yield Assignment(label, self.word(value) if value else Word((), ""), (), appends)

    def test_words(self, node: tree_sitter.Node) -> list[Word]:
        found: list[Word] = []
        pending = list(reversed(node.children))
        while pending and len(found) < 100:
            child = pending.pop()
            if child.type in _WORDLIKE:
                found.append(self.word(child))
            else:
                pending += reversed(child.children)
        return found

    def loop(self, node: tree_sitter.Node) -> Node:
        variable = node.child_by_field_name("variable")
        values = node.children_by_field_name("value")
        has_in = any(child.type == "in" for child in node.children)
        body = self.chain(node.children_by_field_name("body"))
        merged: list[tuple[int, int, list[Part]]] = []
        for value in values:
            _append(merged, value.start_byte, value.end_byte, self.parts(value))
        words = tuple(_word(parts) for _, _, parts in merged) if has_in else None
        return For(self.text(variable) if variable else "", words, body)

    def counted(self, node: tree_sitter.Node) -> Node:
        """`for ((i=1; i<=3; i++))` over its numbers, where they are written out; else a body that runs once."""
        body = self.chain(node.children[-1:])
        match = _COUNTED.match(self.text(node))
        if match is None or match["name"] != match["again"]:
            return While(NOTHING, body)
        last = int(match["last"]) + (match["sign"] == "<=")
        numbers = range(int(match["first"]), min(last, int(match["first"]) + 500))
        return For(match["name"], tuple(_verbatim(str(number)) for number in numbers), body)

    def branches(self, node: tree_sitter.Node) -> Node:
        found: list[tuple[Node, Node]] = []
        otherwise: Node | None = None
        condition: list[tree_sitter.Node] = []
        body: list[tree_sitter.Node] = []
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

    def case(self, node: tree_sitter.Node) -> Node:
        value = node.child_by_field_name("value")
        arms: list[Node] = []
        for item in node.children:
            if item.type == "case_item":
                after = next((i for i, c in enumerate(item.children) if c.type == ")"), 0)
                arms.append(self.chain(item.children[after + 1 :]))
        return Case(self.word(value) if value else Word((), ""), tuple(arms))

    def word(self, node: tree_sitter.Node) -> Word:
        return _word(self.parts(node))

    def parts(self, node: tree_sitter.Node) -> list[Part]:
        match node.type:
            case kind if kind in _TOKENS:
                return [Verbatim(bare_word(self.text(node)))]
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
            case _:
                return [Verbatim(UNKNOWN)]

    def nested(self, node: tree_sitter.Node) -> Node:
        if self.depth > MAX_DEPTH:
            return Broken(self.text(node)[:200], "the command is nested too deeply")
        self.depth += 1
        inner = self.chain(node.children[1:-1])
        self.depth -= 1
        return inner

    def substitution(self, node: tree_sitter.Node) -> list[Part]:
        inner = [child for child in node.children if child.is_named]
        if len(inner) == 1 and inner[0].type == "file_redirect":
            redirect = self.redirect(inner[0])
            return [Substitution(Simple((_verbatim("cat"),), (), (redirect,)))]
        return [Substitution(self.nested(node))]

    def concatenation(self, node: tree_sitter.Node) -> list[Part]:
        """Runs of bare tokens become one, so that `{a,b}` and `[1-3]` are seen whole."""
        parts: list[Part] = []
        bare = ""
        for child in node.children:
            if child.type in _TOKENS or not child.is_named:
                bare += self.text(child)
                continue
            if bare:
                parts.append(Verbatim(bare_word(bare)))
                bare = ""
            parts += self.parts(child)
        return [*parts, Verbatim(bare_word(bare))] if bare else parts

    def string(self, node: tree_sitter.Node) -> list[Part]:
        """Double quotes; what lies between the expansions is taken from the source, blanks and all."""
        parts: list[Part] = []
        position = node.start_byte + 1
        for child in node.children[1:]:
            if not child.is_named or child.type == "string_content":
                continue
            text = self.source[position : child.end_byte]
            before = text[: len(text) - len(self.text(child).lstrip().encode("utf-8", "replace"))]
            parts.append(Verbatim(_double_quoted(before), quoted=True))
            parts += map(_quoted, self.parts(child))
            position = child.end_byte
        parts.append(Verbatim(_double_quoted(self.source[position : node.end_byte - 1]), quoted=True))
        return parts

    def expansion(self, node: tree_sitter.Node) -> Part:
        text = self.text(node).lstrip()[2:-1]
        match = re.match(r"[!#]?(\w+|[@*?#$!-])(\[[^\]]*\])?", text)
        if match is None:
            return Verbatim(UNKNOWN)
        operand = next(
            (c for c in reversed(node.children) if c.type in _WORDLIKE and c.start_byte > node.start_byte + 2), None
        )
        rest = text[match.end() :]
        name = match.group(1) if text[0] not in "!#" or len(text) == 1 else text[: match.end()]
        return Variable(name, (match.group(2) or "") + rest, self.word(operand) if operand and rest else None)


def _piped(stages: list[Node], first: tree_sitter.Node) -> Node:
    """A pipeline; `a && b 2>&1 | c`, which the grammar takes for `(a && b) | c`, put right."""
    head = stages[0] if stages else NOTHING
    inner = first.children[0].type if first.type == "redirected_statement" else first.type
    if isinstance(head, Chain) and inner == "list" and head.items:
        operator, last = head.items[-1]
        return Chain((*head.items[:-1], (operator, Pipeline((last, *stages[1:])))))
    return Pipeline(tuple(stages))


def _piped(stages: list[Node], first: tree_sitter.Node) -> Node:
    """A pipeline; `a && b 2>&1 | c`, which the grammar takes for `(a && b) | c`, put right."""
    head = stages[0] if stages else NOTHING
    inner = first.children[0].type if first.type == "redirected_statement" else first.type
    if isinstance(head, Chain) and inner == "list" and head.items:
        operator, last = head.items[-1]
        return Chain((*head.items[:-1], (operator, Pipeline((last, *stages[1:])))))
    return Pipeline(tuple(stages))


def _with_words(body: Node, words: list[str]) -> Node:
    """The command, or the last of a list or pipeline, with more words."""
    match body:
        case Simple(own, assignments, redirects):
            return Simple((*own, *map(_verbatim, words)), assignments, redirects)
        case Chain(items) if items:
            return Chain((*items[:-1], (items[-1][0], _with_words(items[-1][1], words))))
        case Pipeline(stages) if stages:
            return Pipeline((*stages[:-1], _with_words(stages[-1], words)))
        case _:
            return body


def _append(words: list[tuple[int, int, list[Part]]], start: int, end: int, parts: list[Part]) -> None:
    """Adds a word, joined to the last one where nothing stands between: `$f/$g.txt` reaches us in two."""
    if words and words[-1][1] == start:
        words[-1] = (words[-1][0], end, words[-1][2] + parts)
    else:
        words.append((start, end, parts))


def _word(parts: list[Part]) -> Word:
    if len(parts) == 1 and isinstance(parts[0], Verbatim):
        text = parts[0].text
        plain = parts[0].quoted or not ("{" in text or text.startswith("~"))
        return Word(tuple(parts), text if plain else None)
    if all(isinstance(part, Verbatim) and (part.quoted or "{" not in part.text) for part in parts):
        first = parts[0] if parts else None
        if not (isinstance(first, Verbatim) and not first.quoted and first.text.startswith("~")):
            return Word(tuple(parts), "".join(part.text for part in parts if isinstance(part, Verbatim)))
    return Word(tuple(parts))


def _verbatim(text: str, quoted: bool = False) -> Word:
    return Word((Verbatim(text, quoted),), text)


def _quoted(part: Part) -> Part:
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


def _double_quoted(raw: bytes) -> str:
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


def _with_redirects(body: Node, redirects: tuple[Redirect, ...], kind: str) -> Node:
    """Binds redirections as bash does: after `a && b > f` and `a | b > f` only the last writes to f."""
    if not redirects:
        return body
    match body:
        case Simple(words, assignments, own):
            return Simple(words, assignments, own + redirects)
        case Chain(items) if kind in ("list", "pipeline") and items:
            operator, last = items[-1]
            return Chain((*items[:-1], (operator, _with_redirects(last, redirects, kind))))
        case Pipeline(stages) if stages:
            return Pipeline((*stages[:-1], _with_redirects(stages[-1], redirects, kind)))
        case Chain(()):
            return Simple((), (), redirects)
        case _:
            return Redirected(body, redirects)


def fallback(text: str, bodies: list[Heredoc]) -> Node:
    """A flat tree of what the grammar refuses: split with shlex at blanks and operators.

    >>> fallback("cat 'a b", []).words[1].literal
    'a b'
    """
    tokens = _tokens(text)
    if tokens is None:
        return Broken(text[:200], "the shell syntax is broken")
    chain: list[tuple[Operator, Node]] = []
    stages: list[Node] = []
    words: list[str] = []
    operator: Operator = ""

    def close(following: Operator) -> None:
        nonlocal operator
        if words:
            stages.append(_flat_command(words, bodies))
        if stages:
            chain.append((operator, stages[0] if len(stages) == 1 else Pipeline(tuple(stages))))
        operator = following
        words.clear()
        stages.clear()

    for token in tokens:
        if token in ("|", "|&"):
            stages.append(_flat_command(words, bodies))
            words.clear()
        elif token in ("&&", "||"):
            close("&&" if token == "&&" else "||")
        elif token.strip(";&()\n") == "" and token:
            close(";")
        else:
            words.append(token)
    close(";")
    return chain[0][1] if len(chain) == 1 else Chain(tuple(chain))


def _tokens(text: str) -> list[str] | None:
    for closing in ("", "'", '"'):
        lexer = shlex.shlex(text + closing, posix=True, punctuation_chars="();<>|&\n")
        lexer.whitespace_split = True
        lexer.whitespace = " \t\r"
        lexer.commenters = ""
        try:
            return [without_marks(token) if HEREDOC not in token else token for token in lexer]
        except ValueError:
            continue
    return None


def _flat_command(words: list[str], bodies: list[Heredoc]) -> Node:
    kept: list[Word] = []
    redirects: list[Redirect] = []
    rest = iter(words)
    for word in rest:
        if word.strip("<>&") == "" and word:
            target = next(rest, "")
            descriptor = 0 if word.startswith("<") else 1
            if kept and kept[-1].literal in ("1", "2") and not word.startswith("<"):
                descriptor = int(kept.pop().literal or 1)
            if target.startswith(HEREDOC) and target[1:].isdecimal() and int(target[1:]) < len(bodies):
                redirects.append(Redirect(0, "<<", _verbatim(bodies[int(target[1:])], quoted=True)))
            else:
                redirects.append(Redirect(descriptor, word, _verbatim(target)))
        else:
            text = from_glob(word) if "*" in word or "?" in word else word
            kept.append(_verbatim(text.replace("$", UNKNOWN)))
    return Simple(tuple(kept), (), tuple(redirects))
