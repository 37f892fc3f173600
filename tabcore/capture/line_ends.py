"""Ends of lines that the grammar overlooks: behind a pipeline of three it takes the next line, if that is redirected, for more words."""

from __future__ import annotations

import re

from tabcore.capture.heredocs import step

_TOKEN = re.compile(
    r"\\.|\$'(?:\\.|[^'\\])*'|'|\"|\$\(|\(|\)|(?<![^\s;&|(])#[^\n]*|[<>]&|&>|\|[|&]?|&&?|;|\n",
    re.DOTALL,
)
_OPEN = re.compile(r"(?:[|&;({\\]|(?:^|[\s;])(?:then|do|else|in|elif|if|while|until))\s*\Z")
_GOES_ON = re.compile(r"\s*(?:;;|\||&&|\)|\Z)")


def with_line_ends(text: str) -> str:
    r"""The command, heredocs lifted out, with `;` at the ends of lines that hold a pipeline of three or more.

    >>> with_line_ends("a | b | c $x\ncat y 2>&1"), with_line_ends("a | b | while read f; do\ncat $f\ndone")
    ('a | b | c $x;\ncat y 2>&1', 'a | b | while read f; do\ncat $f\ndone')
    """
    if "\n" not in text or text.count("|") < 2:
        return text
    pieces: list[str] = []
    context: list[str] = []
    pipes = done = position = begin = 0
    while (match := _TOKEN.search(text, position)) is not None:
        token, position = match.group(), match.end()
        if token == "'" and context[-1:] != ['"']:
            closing = text.find("'", position)
            position = len(text) if closing < 0 else closing + 1
        elif context or token[0] in '"($)':
            step(token, context)
        elif token in ("|", "|&"):
            pipes += 1
        elif token == "\n":
            ends = pipes > 1 and not _OPEN.search(text, begin, match.start()) and not _GOES_ON.match(text, position)
            if ends:
                pieces += [text[done : match.start()], ";"]
                done = match.start()
            begin = position
            pipes = pipes if text[begin - 2 : begin - 1] == "|" else 0
        elif token in (";", "&"):
            pipes = 0
    return "".join([*pieces, text[done:]])
