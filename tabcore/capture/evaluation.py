"""A command tree, run without running it: what it would show, in order, and what it would write.

Only what depends on no file's content is carried through: working directory, variables, functions, pipes,
redirections, loops. What a program does with its operands is in `programs`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from typing import assert_never

from tabcore.capture.expansion import expand, expand_all, expand_one, names_base
from tabcore.capture.patterns import SHOWN, UNKNOWN, is_literal, is_unknown, readable
from tabcore.capture.shell_state import Shell
from tabcore.capture.shell_tree import (
    Assignment,
    Broken,
    Case,
    Chain,
    For,
    Function,
    Group,
    If,
    Node,
    Pipeline,
    Redirect,
    Redirected,
    Simple,
    While,
    Word,
)
from tabcore.capture.shows import (
    Content,
    Either,
    Loop,
    Names,
    Show,
    Stream,
    Text,
    Undecided,
    literal_text,
    printed_names,
    uncertain,
)

MAX_DEPTH = 24
MAX_UNROLLED = 200
MAX_VALUE = 100_000

Dispatch = Callable[[list[str], Shell, Stream | None], Stream]


def evaluate(node: Node, shell: Shell, stdin: Stream | None = None) -> Stream:
    """What the command shows on its standard output; `shell` is left as the command leaves it."""
    facts = shell.facts
    if facts.steps <= 0 or facts.depth >= MAX_DEPTH:
        return ()
    facts.steps -= 1
    facts.depth += 1
    try:
        return _evaluate(node, shell, stdin)
    finally:
        facts.depth -= 1


def _evaluate(node: Node, shell: Shell, stdin: Stream | None) -> Stream:
    match node:
        case Simple():
            return _simple(node, shell, stdin)
        case Pipeline(stages):
            return _pipeline(stages, shell, stdin)
        case Chain(items):
            return _chain(items, shell, stdin)
        case Group(body, own):
            return evaluate(body, shell.child() if own else shell, stdin)
        case For():
            return _for(node, shell, stdin)
        case While():
            return _while(node, shell, stdin)
        case If(branches, otherwise):
            return _if(branches, otherwise, shell, stdin)
        case Case(subject, arms):
            expand_one(subject, shell, evaluate)
            streams = tuple(evaluate(arm, shell, stdin) for arm in arms)
            return _either(streams)
        case Function(name, body):
            shell.functions[name] = body
            return ()
        case Redirected(body, redirects):
            return _redirected(lambda given: evaluate(body, shell, given), redirects, shell, stdin)
        case Broken(_, reason):
            return (Undecided("", reason),)
        case _ as never:
            assert_never(never)


def _either(streams: tuple[Stream, ...]) -> Stream:
    """One of the streams; alternatives within alternatives are alternatives of the whole."""
    branches = [
        branch
        for stream in streams
        for branch in (stream[0].branches if len(stream) == 1 and isinstance(stream[0], Either) else (stream,))
    ]
    shown = tuple(dict.fromkeys(branch for branch in branches if branch))
    return shown[0] if len(shown) == 1 else (Either(shown),) if shown else ()


def _pipeline(stages: tuple[Node, ...], shell: Shell, stdin: Stream | None) -> Stream:
    stream = stdin
    for stage in stages[:-1]:
        stream = evaluate(stage, shell.child(), stream)
    return evaluate(stages[-1], shell.child(), stream) if stages else ()


def _chain(items: tuple[tuple[str, Node], ...], shell: Shell, stdin: Stream | None) -> Stream:
    """`;` starts a new and-or list; within one, a status that the observation shows decides what ran."""
    shown: list[Show] = []
    current: Stream = ()
    status: bool | None = True
    for operator, node in items:
        if operator in ("", ";", "&"):
            shown += current
            current = evaluate(node, shell, stdin)
            status = shell.facts.status
        elif operator == "&&":
            if status is not False:
                right = evaluate(node, shell, stdin)
                current += right if status else uncertain(right)
                status = shell.facts.status if status else None if shell.facts.status else shell.facts.status
        elif status is not True:
            right = evaluate(node, shell, stdin)
            if status is None and all(isinstance(show, Text) for show in right):
                current += uncertain(right)
            else:
                current = current + right if status is False or not current else _either((current, right))
            status = shell.facts.status if status is False or shell.facts.status else None
    shell.facts.status = status
    return (*shown, *current)


def _if(branches: tuple[tuple[Node, Node], ...], otherwise: Node | None, shell: Shell, stdin: Stream | None) -> Stream:
    shown: Stream = ()
    bodies: list[Stream] = []
    for condition, body in branches:
        shown += evaluate(condition, shell, stdin)
        status = shell.facts.status
        if status is not False:
            bodies.append(evaluate(body, shell, stdin))
        if status is True:
            break
    else:
        if otherwise is not None:
            bodies.append(evaluate(otherwise, shell, stdin))
    shell.facts.status = None
    return shown + _either(tuple(bodies))


def _for(node: For, shell: Shell, stdin: Stream | None) -> Stream:
    shell.facts.bases.clear()
    values = expand_all(node.words, shell, evaluate) if node.words is not None else list(shell.arguments)
    bases = {shell.facts.bases[value] for value in values if value in shell.facts.bases}
    shell.facts.bases.clear()
    values = [UNKNOWN if SHOWN in value else value for value in values]
    before = shell if all(map(is_literal, values)) else shell.child()

    def body(value: str) -> Stream:
        inner = before.child()
        inner.variables[node.variable] = [value]
        return evaluate(node.body, inner, stdin)

    return loop(values, shell, body, "for", bases.pop() if len(bases) == 1 else "")


def loop(values: list[str], shell: Shell, body: Callable[[str], Stream], rule: str, base: str = "") -> Stream:
    """The body for each value where all are known; otherwise a `Loop` that the observation will unroll."""
    if all(map(is_literal, values)):
        shown: list[Show] = []
        for value in values[:MAX_UNROLLED]:
            if shell.facts.steps <= 0:
                break
            shown += body(value)
        return tuple(shown)
    shell.facts.status = None
    return (Loop(tuple(values), base or shell.cwd, body, rule, shell.cwd),)


def _while(node: While, shell: Shell, stdin: Stream | None) -> Stream:
    """`while read f` runs once for each line of its input; any other loop is taken to run once."""
    variables = _read_variables(node.condition)
    if variables is None or stdin is None:
        return evaluate(node.condition, shell, stdin) + evaluate(node.body, shell, stdin)
    names = printed_names(stdin)
    from_content = any(isinstance(show, Content) for show in stdin)
    shell.facts.streams.append(stdin)

    def body(value: str) -> Stream:
        inner = shell.child()
        for variable in variables:
            inner.variables[variable] = [UNKNOWN]
        inner.variables[variables[0]] = [value]
        return evaluate(node.body, inner, None)

    if from_content:
        return lines_of_content(stdin, body, shell)
    if not names:
        return body(UNKNOWN)
    bases = {names_base(show) for show in stdin if isinstance(show, Names)}
    return loop(list(names), shell, body, "while read", bases.pop() if len(bases) == 1 else "")


def lines_of_content(stdin: Stream, body: Callable[[str], Stream], shell: Shell) -> Stream:
    """A loop over a file's lines: what it echoes of them is content of that file."""
    shown: list[Stream] = []
    for show in body(UNKNOWN):
        if isinstance(show, Text) and not is_literal(show.text):
            shown.append(stdin)
        elif isinstance(show, Content) and any(map(is_unknown, show.paths)):
            shown.append((Loop((UNKNOWN,), shell.cwd, body, "while read"),))
        else:
            shown.append((show,))
    return tuple(dict.fromkeys(part for stream in shown for part in stream))


def _read_variables(node: Node) -> list[str] | None:
    """The variables of `read` in a while condition; None when it is something else."""
    if isinstance(node, Chain) and node.items:
        return _read_variables(node.items[-1][1])
    if not isinstance(node, Simple) or not node.words or node.words[0].literal != "read":
        return None
    words = [word.literal or "" for word in node.words[1:]]
    names: list[str] = []
    skip = False
    for word in words:
        if skip or word.startswith("-"):
            skip = not skip and word in ("-d", "-n", "-t", "-u", "-p", "-N", "-i")
        elif word.isidentifier():
            names.append(word)
    return names or ["REPLY"]


def _simple(node: Simple, shell: Shell, stdin: Stream | None) -> Stream:
    if not node.words and not node.redirects:
        for assignment in node.assignments:
            assign(assignment, shell)
        shell.facts.status = True
        return ()
    if not node.redirects:
        return _command(node, shell, stdin)
    return _redirected(lambda given: _command(node, shell, given), node.redirects, shell, stdin)


def assign(assignment: Assignment, shell: Shell) -> None:
    """Sets a variable of the shell."""
    if assignment.items:
        values = expand_all(assignment.items, shell, evaluate)
        before = shell.variables.get(assignment.name, []) if assignment.appends else []
        shell.variables[assignment.name] = before + values
        return
    value = expand_one(assignment.value, shell, evaluate)
    if assignment.appends:
        value = "".join(shell.variables.get(assignment.name, [])) + value
    shell.variables[assignment.name] = [value if len(value) < MAX_VALUE else UNKNOWN]


def _command(node: Simple, shell: Shell, stdin: Stream | None) -> Stream:
    words: list[str] = []
    for word in node.words:
        if word.literal is not None:
            words.append(word.literal)
        else:
            words += expand(word, shell, evaluate)
    if not words:
        return stdin or () if not node.words and stdin else ()
    if not node.assignments:
        return shell.run(words, shell, stdin)
    kept = dict(shell.variables)
    for assignment in node.assignments:
        assign(assignment, shell)
    stream = shell.run(words, shell, stdin)
    shell.variables = kept
    return stream


def _redirected(
    run: Callable[[Stream | None], Stream], redirects: tuple[Redirect, ...], shell: Shell, stdin: Stream | None
) -> Stream:
    outputs: list[tuple[str, bool]] = []
    hidden = False
    muted = shell.muted
    for redirect in redirects:
        if redirect.operator in ("<<", "<<<"):
            text = expand_one(redirect.target, shell, evaluate, quoted=True)
            given = spoken(text + ("\n" if redirect.operator == "<<<" else ""), shell, "here-document")
            stdin = _input(redirect.descriptor, given, shell, stdin)
        elif redirect.operator.startswith("<"):
            stdin = _input(redirect.descriptor, _opened(redirect, shell), shell, stdin)
        else:
            target = expand_one(redirect.target, shell, evaluate)
            if redirect.descriptor == 2 or redirect.operator == "&>":
                muted = hidden or bool(outputs) if target == "1" else not target.startswith(("/dev/std", "/dev/tty"))
            if target == "/dev/null" and redirect.descriptor == 1 and redirect.operator != ">&":
                hidden = True
            elif not _is_stream(target) and redirect.descriptor == 2 and redirect.operator != "&>":
                shell.facts.author(shell.path(target), "2> writes a file")
            elif not _is_stream(target) and redirect.descriptor == 1:
                outputs.append((shell.path(target), ">>" in redirect.operator))
    before, shell.muted = shell.muted, muted
    stream = run(stdin)
    shell.muted = before
    for path, appends in outputs:
        _write(path, stream, appends, shell)
    return () if hidden or outputs else stream


def _is_stream(target: str) -> bool:
    return target.isdecimal() or target == "-" or target.startswith("/dev/")


def _input(descriptor: int, given: Stream, shell: Shell, stdin: Stream | None) -> Stream | None:
    if descriptor == 0:
        return given
    shell.inputs[descriptor] = given
    return stdin


def _opened(redirect: Redirect, shell: Shell) -> Stream:
    target = expand_one(redirect.target, shell, evaluate)
    if redirect.operator == "<&":
        return shell.inputs.get(int(target), ()) if target.isdecimal() and len(target) < 4 else ()
    if target.startswith("/dev/null"):
        return ()
    return stream_of(target, shell) or shell.content([target], "<: the file is the command's input")


def stream_of(word: str, shell: Shell) -> Stream | None:
    """The stream behind the name that `<( … )` makes, or None when the word is an ordinary one."""
    from tabcore.capture.expansion import numbered_stream

    return numbered_stream(word, shell)


def spoken(text: str, shell: Shell, rule: str = "echo: the agent's own text") -> Stream:
    """What printing a word shows: its own text, and the streams whose output was put into it."""
    from tabcore.capture.expansion import spoken_parts

    return spoken_parts(text, shell, rule)


def _write(path: str, stream: Stream, appends: bool, shell: Shell) -> None:
    facts = shell.facts
    before = facts.saved.get(path, ()) if appends else ()
    facts.author(path, "> writes a file", before + stream)
    text = literal_text(stream)
    if text and is_literal(text) and is_literal(path):
        facts.scripts[path] = ((facts.script(path) or "") if appends else "") + text


def is_only_names(stream: Stream) -> bool:
    """True when the stream prints paths and nothing else."""
    return bool(stream) and all(isinstance(show, Names) for show in stream)


def base_name(path: str) -> str:
    """The last part of a path or pattern, for rules that a person reads."""
    return posixpath.basename(readable(path))


__all__ = [
    "Word",
    "assign",
    "base_name",
    "evaluate",
    "is_only_names",
    "lines_of_content",
    "loop",
    "spoken",
    "stream_of",
]
