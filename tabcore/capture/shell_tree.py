"""A bash command as data: what shell.py parses to and evaluation.py runs.

Simple       a program with its words and redirections
Pipeline     a | b
Chain        a; b && c || d &
Group        { … } or ( … ), the latter with an environment of its own
For, While, If, Case, Function
Redirected   any of these with redirections
Broken       text that is not bash
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Known characters of a word; a wildcard (patterns.py) stands where an unquoted glob does."""

    text: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Variable:
    """`$name` or `${name…}`; `operation` is all that follows the name inside the braces."""

    name: str
    operation: str = ""
    operand: Word | None = None
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Substitution:
    """`$( … )`: the text that a script prints."""

    script: Node
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class ProcessStream:
    """`<( … )`: the output of a script, named like a file. `>( … )` when `into`."""

    script: Node
    into: bool = False


Part = Verbatim | Variable | Substitution | ProcessStream


@dataclass(frozen=True, slots=True)
class Word:
    """One word. `literal` is its text when nothing has to be expanded, else None."""

    parts: tuple[Part, ...]
    literal: str | None = None


@dataclass(frozen=True, slots=True)
class Redirect:
    """`fd operator target`; a heredoc or here-string has operator "<<" or "<<<" and its text as target."""

    descriptor: int
    operator: str
    target: Word


@dataclass(frozen=True, slots=True)
class Assignment:
    """`name=value`; `items` for an array."""

    name: str
    value: Word
    items: tuple[Word, ...] = ()
    appends: bool = False


@dataclass(frozen=True, slots=True)
class Simple:
    """One program, its words (the first is its name) and redirections."""

    words: tuple[Word, ...]
    assignments: tuple[Assignment, ...] = ()
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Stages, each with the output of the one before as its input."""

    stages: tuple[Node, ...]


Operator = Literal["", ";", "&", "&&", "||"]


@dataclass(frozen=True, slots=True)
class Chain:
    """Commands in a row; each with the operator before it."""

    items: tuple[tuple[Operator, Node], ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A body; `own` when it runs in a shell of its own, so that its cd does not last."""

    body: Node
    own: bool


@dataclass(frozen=True, slots=True)
class For:
    """`for variable in words`; without words over the positional parameters."""

    variable: str
    words: tuple[Word, ...] | None
    body: Node


@dataclass(frozen=True, slots=True)
class While:
    """`while condition; do body`, and until."""

    condition: Node
    body: Node


@dataclass(frozen=True, slots=True)
class If:
    """Conditions with their bodies, in order, and the body of else."""

    branches: tuple[tuple[Node, Node], ...]
    otherwise: Node | None


@dataclass(frozen=True, slots=True)
class Case:
    """A subject and the bodies of its arms."""

    subject: Word
    arms: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """A function's definition."""

    name: str
    body: Node


@dataclass(frozen=True, slots=True)
class Redirected:
    """A compound command with redirections."""

    body: Node
    redirects: tuple[Redirect, ...]


@dataclass(frozen=True, slots=True)
class Broken:
    """Text that cannot be parsed, and why."""

    text: str
    reason: str


Node = Simple | Pipeline | Chain | Group | For | While | If | Case | Function | Redirected | Broken

NOTHING = Chain(())
