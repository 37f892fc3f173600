"""Programs that run another program: env, timeout, sudo, xargs, bash -c and their like."""

from __future__ import annotations

import re
from dataclasses import replace

from tabcore.capture.evaluation import evaluate, lines_of_content
from tabcore.capture.expansion import _inline
from tabcore.capture.patterns import UNKNOWN, is_literal, words_of
from tabcore.capture.programs.call import Call, Row
from tabcore.capture.programs.find import each
from tabcore.capture.shell import parse
from tabcore.capture.shell_state import Shell
from tabcore.capture.shows import Content, Loop, Names, Stream, Text, Undecided, literal_text, mangled, printed_names


def wrapper(values: str = "", operands: int = 0) -> Row:
    """A program whose own options (those of `values` take one) and operands come before the command that it runs."""
    taking = frozenset(values.split())

    def row(call: Call) -> Stream:
        words = call.arguments
        position = 0
        while position < len(words) and words[position].startswith("-") and len(words[position]) > 1:
            option = words[position]
            position += 2 if option in taking else 1
            if option == "--":
                break
        return call.run(words[position + operands :], call.stdin)

    return row


def env(call: Call) -> Stream:
    """env: assignments, -C, -S, then the command."""
    words = list(call.arguments)
    shell = call.shell.child()
    while words:
        word = words[0]
        if word in ("-u", "--unset", "-C", "--chdir") and len(words) > 1:
            if word in ("-C", "--chdir"):
                shell.cwd = shell.path(words[1])
            words = words[2:]
        elif word.startswith("--chdir="):
            shell.cwd = shell.path(word.partition("=")[2])
            words = words[1:]
        elif word in ("-S", "--split-string") and len(words) > 1:
            words = words[1].split() + words[2:]
        elif word.startswith("-") or re.match(r"\w+=", word):
            words = words[1:]
        else:
            return shell.run(words, shell, call.stdin)
    return ()


def bash(call: Call) -> Stream:
    """bash -c, bash FILE, and a script on standard input; in a shell of its own."""
    words = list(call.arguments)
    command = False
    while words and words[0][:1] in "-+" and words[0] not in ("-", "--"):
        option = words.pop(0)
        if option.startswith("--"):
            words = words[1:] if option in ("--rcfile", "--init-file") else words
            continue
        if "n" in option[1:]:
            return ()
        if option in ("-o", "+o", "-O") and words:
            words.pop(0)
        command = command or "c" in option[1:]
    words = words[1:] if words[:1] in (["--"], ["-"]) else words
    if command and words:
        return _run_text(call, words[0], words[2:])
    if not words or (call.arguments[:1] == ["-s"]):
        text = literal_text(call.input())
        return _run_text(call, text, []) if text is not None else _unseen(call, "the script comes from a pipe")
    return _run_file(call, words)


def _run_file(call: Call, words: list[str]) -> Stream:
    path = call.path(words[0])
    text = call.shell.facts.script(path)
    if text is not None:
        return _run_text(call, text, words[1:])
    return _unseen(call, f"{words[0]}: runs a script whose text was not seen")


def _unseen(call: Call, reason: str) -> Stream:
    return (
        Names(call.shell.cwd, "paths", "a script that was not seen; its output is nothing but paths"),
        Undecided("", reason),
    )


def _run_text(call: Call, text: str, arguments: list[str]) -> Stream:
    shell = call.shell.child()
    shell.arguments = arguments
    if not is_literal(text):
        text = _with_variables(text, shell)
    return evaluate(parse(text), shell, call.stdin if literal_text(call.input()) != text else None)


_PATTERN = re.compile("[^\\s'\";|&()<>]*[\ufdd0-\ufdef][^\\s'\";|&()<>]*")


def _with_variables(text: str, shell: Shell) -> str:
    """A script into which names were put that are not known: each becomes a variable that holds its pattern."""

    def variable(match: re.Match[str]) -> str:
        name = f"__name{len(shell.variables)}"
        shell.variables[name] = [match.group()]
        return f"${{{name}}}"

    return _PATTERN.sub(variable, text)


def source(call: Call) -> Stream:
    """source, .: a script in the same shell."""
    if not call.arguments:
        return ()
    text = call.shell.facts.script(call.path(call.arguments[0]))
    return evaluate(parse(text), call.shell, call.stdin) if text else ()


def eval_(call: Call) -> Stream:
    """eval: its words, as a command."""
    text = " ".join(call.arguments)
    return (
        evaluate(parse(text), call.shell, call.stdin)
        if is_literal(text)
        else (Undecided("", "eval: the command is not known"),)
    )


_XARGS_VALUES = frozenset(words_of("-n -P -L -l -s -d -E --max-args --max-procs --delimiter --max-lines --max-chars"))


def xargs(call: Call) -> Stream:
    """xargs, parallel: a command over the names that come in."""
    words = list(call.arguments)
    placeholder = ""
    stdin = call.input()
    while words and words[0].startswith("-") and len(words[0]) > 1:
        option = words.pop(0)
        if option in ("-I", "--replace", "-i") and option != "-i":
            placeholder = words.pop(0) if words else "{}"
        elif option.startswith("-I"):
            placeholder = option[2:]
        elif option in ("-a", "--arg-file") and words:
            stdin = call.content([words.pop(0)], "xargs -a: names in a file")
        elif option in _XARGS_VALUES and words:
            words.pop(0)
    if call.name == "parallel":
        words, stdin = _parallel(call, words, stdin)
        placeholder = placeholder or "{}"
    if words in ([], ["echo"]):
        echoed = tuple(_inline(show) for show in stdin)
        return mangled(echoed) if any(isinstance(show, Content) for show in stdin) else echoed
    return _over_names(call, words, placeholder, stdin)


def _parallel(call: Call, words: list[str], stdin: Stream) -> tuple[list[str], Stream]:
    """GNU parallel: names may follow `:::`."""
    if ":::" in words:
        position = words.index(":::")
        stdin = tuple(Text(word + "\n") for word in words[position + 1 :])
        words = words[:position]
    if len(words) == 1 and " " in words[0]:
        words = words[0].split()
    return (words if any("{}" in word for word in words) else [*words, "{}"]), stdin


def _over_names(call: Call, words: list[str], placeholder: str, stdin: Stream) -> Stream:
    names = [name for name in printed_names(stdin) if name]
    if any(isinstance(show, Text) for show in stdin):
        names = [
            field for name in names for field in (name.split() if is_literal(name) and not placeholder else [name])
        ]
    if not names:
        return ()
    if placeholder:

        def body(value: str) -> Stream:
            return call.shell.run([word.replace(placeholder, value) for word in words], call.shell.child(), None)

        if any(isinstance(show, Content) for show in stdin):
            return lines_of_content(stdin, body, call.shell)
        return each(names, call, body, call.name)
    shown = call.shell.run([*words, *names], call.shell.child(), None)
    if UNKNOWN in names:
        return tuple(_named_by_observation(show) for show in shown)
    return shown


def _named_by_observation(show: object) -> Content | Names | Loop | Text | Undecided:
    """Names that come from a file's content: only what the observation names can be told."""
    if isinstance(show, Names):
        return replace(show, printed=())
    return show  # type: ignore[return-value]


def exec_(call: Call) -> Stream:
    """exec: the command takes the shell's place; with redirections only it opens files."""
    return call.run(call.arguments, call.stdin) if call.arguments else ()


def command(call: Call) -> Stream:
    """command: `-v` tells where a program is, else it is run."""
    if call.arguments[:1] in (["-v"], ["-V"]):
        return call.run(["which", *call.arguments[1:]])
    return call.run([word for word in call.arguments if word != "-p"] if call.arguments else [], call.stdin)


def watch(call: Call) -> Stream:
    """watch, script -c: a command given as one text."""
    words = list(call.arguments)
    while words and words[0].startswith("-") and words[0] != "-c":
        option = words.pop(0)
        if option in ("-n", "--interval") and words:
            words.pop(0)
    words = words[1:] if words[:1] == ["-c"] else words
    return _run_text(call, " ".join(words[:1] if call.name == "script" else words), [])


def find_wrapped(call: Call) -> Stream:
    """busybox, toybox: the first operand is the program."""
    return call.run(call.arguments, call.stdin)


def in_shell(shell: Shell, text: str, stdin: Stream | None) -> Stream:
    """A command given as text, in a shell of its own: for os.system and its like."""
    return evaluate(parse(text), shell.child(), stdin)


ROWS: dict[str, Row] = {
    **dict.fromkeys(["bash", "sh", "zsh", "dash", "ksh", "ash", "fish", "rbash"], bash),
    "env": env,
    "xargs": xargs,
    "parallel": xargs,
    "exec": exec_,
    "command": command,
    "eval": eval_,
    "source": source,
    ".": source,
    "timeout": wrapper("-s -k --signal --kill-after", operands=1),
    "gtimeout": wrapper("-s -k --signal --kill-after", operands=1),
    "sudo": wrapper("-u -g -U -h -p -C -D -R -T --user --group --chdir"),
    "doas": wrapper("-u -C"),
    "nice": wrapper("-n --adjustment"),
    "ionice": wrapper("-c -n -p"),
    "stdbuf": wrapper("-i -o -e"),
    "chrt": wrapper("", operands=1),
    "taskset": wrapper("-c -p", operands=1),
    "time": wrapper("-f -o --format --output"),
    "gtime": wrapper("-f -o"),
    "chroot": wrapper("", operands=1),
    "flock": wrapper("-w -E", operands=1),
    "unshare": wrapper(),
    "setarch": wrapper("", operands=1),
    "runuser": wrapper("-u"),
    "su": wrapper("-c"),
    "proot": wrapper("-b -w"),
    **dict.fromkeys(
        [
            "nohup",
            "setsid",
            "builtin",
            "unbuffer",
            "catchsegv",
            "caffeinate",
            "coproc",
            "then",
            "do",
            "else",
            "!",
            "noglob",
            "fakeroot",
            "rlwrap",
            "winpty",
        ],
        wrapper(),
    ),
    "watch": watch,
    "script": watch,
    **dict.fromkeys(["busybox", "toybox"], find_wrapped),
}
