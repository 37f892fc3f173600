"""Heredocs, taken out of a command before it is parsed: the grammar trips over two on a line or one before a pipe."""

from __future__ import annotations

import re

from tabcore.capture.patterns import HEREDOC

_TOKEN = re.compile(
    r"\\.|'|\"|\$\(|\(|\)|<<<|<<(?P<dash>-?)[ \t]*(?P<word>(?:\\.|'[^'\n]*'|\"[^\"\n]*\"|[^\s'\"\\;&|<>()])+)|\n|(?<![^\s;&|(])#[^\n]*|\$'(?:\\.|[^'\\])*'",
    re.DOTALL,
)


class Heredoc(str):
    """The body of a heredoc; `plain` when nothing in it is to be expanded (its end word was quoted)."""

    plain: bool = False


def lift_heredocs(command: str) -> tuple[str, list[Heredoc]]:
    """The command with each heredoc replaced by input from a numbered placeholder, and the bodies in order.

    >>> text, bodies = lift_heredocs("cat <<'E' | wc\\nhello\\nE\\nls")
    >>> text.replace(HEREDOC, "@"), bodies, bodies[0].plain
    ('cat < @0 | wc\\nls', ['hello\\n'], True)
    """
    if "<<" not in command:
        return command, []
    pieces: list[str] = []
    bodies: list[Heredoc] = []
    waiting: list[tuple[int, str, bool, bool]] = []
    context: list[str] = []
    done = position = 0
    while (match := _TOKEN.search(command, position)) is not None:
        token, position = match.group(), match.end()
        inside = context[-1] if context else ""
        if match["word"] is not None and inside != '"':
            end_word, plain = _end_word(match["word"])
            waiting.append((len(bodies) + len(waiting), end_word, plain, bool(match["dash"])))
            pieces += command[done : match.start()], f"< {HEREDOC}{waiting[-1][0]}"
            done = position
        elif token == "\n":
            if waiting:
                pieces.append(command[done:position])
                done = position = _take_bodies(command, position, waiting, bodies)
        elif token == "'" and inside != '"':
            closing = command.find("'", position)
            position = len(command) if closing < 0 else closing + 1
        else:
            step(token, context)
    bodies += [Heredoc("")] * len(waiting)
    return "".join([*pieces, command[done:]]), bodies


def step(token: str, context: list[str]) -> None:
    """Keeps track of open double quotes and parentheses."""
    inside = context[-1] if context else ""
    if token == '"':
        context.pop() if inside == '"' else context.append('"')
    elif token == "$(" or (token == "(" and inside != '"'):
        context.append("(")
    elif token == ")" and inside == "(":
        context.pop()


def _end_word(word: str) -> tuple[str, bool]:
    plain = any(c in word for c in "'\"\\")
    return re.sub(r"['\"\\]", "", word), plain


def _take_bodies(command: str, position: int, waiting: list[tuple[int, str, bool, bool]], bodies: list[Heredoc]) -> int:
    """Moves the bodies of the waiting heredocs, which begin at `position`, to `bodies`; the place after them."""
    for _, end_word, plain, dash in waiting:
        end = re.compile(rf"^{'	*' if dash else ''}{re.escape(end_word)}$", re.MULTILINE).search(command, position)
        stop, after = (end.start(), min(end.end() + 1, len(command))) if end else (len(command), len(command))
        body = command[position:stop]
        heredoc = Heredoc(re.sub(r"^\t+", "", body, flags=re.MULTILINE) if dash else body)
        heredoc.plain = plain
        bodies.append(heredoc)
        position = after
    waiting.clear()
    return position
