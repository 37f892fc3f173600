"""Trees put right or made without the grammar: where redirections belong, and text that it refuses."""

from __future__ import annotations

import shlex

from tabcore.capture.heredocs import Heredoc
from tabcore.capture.patterns import HEREDOC, UNKNOWN, from_glob, without_marks
from tabcore.capture.shell_tree import (
    NOTHING,
    Broken,
    Chain,
    Node,
    Operator,
    Pipeline,
    Redirect,
    Redirected,
    Simple,
    Word,
)
from tabcore.capture.shell_words import verbatim


def pipeline(stages: list[Node], first_is_list: bool, last_is_list: bool = False) -> Node:
    """A pipeline; what the grammar takes for `(a && b) | c` or, of `a | b | c || d`, for `a | (b | c || d)`, put right."""
    head, tail = (stages[0], stages[-1]) if stages else (NOTHING, NOTHING)
    if last_is_list and len(stages) > 1 and isinstance(tail, Chain) and tail.items:
        first = pipeline([*stages[:-1], tail.items[0][1]], first_is_list)
        before = first.items if isinstance(first, Chain) else (("", first),)
        return Chain((*before, *tail.items[1:]))
    if isinstance(tail, Pipeline):
        stages = [*stages[:-1], *tail.stages]
    if isinstance(head, Chain) and first_is_list and head.items:
        operator, last = head.items[-1]
        begun = last.stages if isinstance(last, Pipeline) else (last,)
        return Chain((*head.items[:-1], (operator, Pipeline((*begun, *stages[1:])))))
    if isinstance(head, Pipeline):
        return Pipeline((*head.stages, *stages[1:]))
    return Pipeline(tuple(stages))


def with_words(body: Node, words: list[str]) -> Node:
    """The command, or the last of a list or pipeline, with more words."""
    match body:
        case Simple(own, assignments, redirects):
            return Simple((*own, *map(verbatim, words)), assignments, redirects)
        case Chain(items) if items:
            return Chain((*items[:-1], (items[-1][0], with_words(items[-1][1], words))))
        case Pipeline(stages) if stages:
            return Pipeline((*stages[:-1], with_words(stages[-1], words)))
        case _:
            return body


def with_redirects(body: Node, redirects: tuple[Redirect, ...], kind: str) -> Node:
    """Binds redirections as bash does: after `a && b > f` and `a | b > f` only the last writes to f."""
    if not redirects:
        return body
    match body:
        case Simple(words, assignments, own):
            return Simple(words, assignments, own + redirects)
        case Chain(items) if kind in ("list", "pipeline") and items:
            operator, last = items[-1]
            return Chain((*items[:-1], (operator, with_redirects(last, redirects, kind))))
        case Pipeline(stages) if stages:
            return Pipeline((*stages[:-1], with_redirects(stages[-1], redirects, kind)))
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
                redirects.append(Redirect(0, "<<", verbatim(bodies[int(target[1:])], quoted=True)))
            else:
                redirects.append(Redirect(descriptor, word, verbatim(target)))
        else:
            text = from_glob(word) if "*" in word or "?" in word else word
            kept.append(verbatim(text.replace("$", UNKNOWN)))
    return Simple(tuple(kept), (), tuple(redirects))
