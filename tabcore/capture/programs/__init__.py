"""The table: what each program does with its operands.

A row is a function from a call to what it shows. It is found by the program's name, so that one row covers the
program wherever it stands: in a pipe, a loop, behind xargs or timeout, in `find -exec`.
"""

from __future__ import annotations

from tabcore.capture.evaluation import evaluate
from tabcore.capture.patterns import is_literal, is_unknown, readable, words_of
from tabcore.capture.programs import (
    documents,
    file_changes,
    find,
    interpreters,
    listing,
    search,
    shell_builtins,
    tabular_data,
    text_tools,
    version_control,
    wrappers,
)
from tabcore.capture.programs.call import Call, Row
from tabcore.capture.shell_state import Shell
from tabcore.capture.shows import Names, Stream, Undecided, any_lines

PROGRAMS: dict[str, Row] = {
    **text_tools.ROWS,
    **search.ROWS,
    **listing.ROWS,
    **find.ROWS,
    **tabular_data.ROWS,
    **documents.ROWS,
    **version_control.ROWS,
    **file_changes.ROWS,
    **interpreters.ROWS,
    **wrappers.ROWS,
    **shell_builtins.ROWS,
}


def run(words: list[str], shell: Shell, stdin: Stream | None) -> Stream:
    """What a program shows: a function of the shell, a row of the table, or an unknown program."""
    name = words[0]
    facts = shell.facts
    if name in shell.functions:
        return _function(words, shell, stdin)
    short = name.rsplit("/", 1)[-1] if "/" in name else name
    facts.status = None
    if short in facts.errors.missing_programs or name in facts.errors.missing_programs:
        facts.status = False
        return ()
    row = PROGRAMS.get(short) or _versioned(short)
    if stdin and short not in KEEPING_LINES:
        stdin = any_lines(stdin)
    call = Call(short, words[1:], shell, stdin)
    if row is None:
        return unknown_program(call, name)
    shown = row(call)
    if facts.status is not None:
        return shown
    if call.name in facts.errors.programs:
        return _complained(call, shown)
    if call.name in COMPLAINING:
        facts.status = True if not shell.muted or _all_known(call) else None
    return shown


KEEPING_LINES = frozenset(words_of("head tail sort uniq tee cat tac grep egrep fgrep"))
COMPLAINING = frozenset(
    words_of(
        "cat bat head tail tac nl less more ls tree find sed awk gawk cut sort wc stat od xxd strings jq pdftotext cp mv"
    )
)
"""Programs that fail only with a complaint: when none is shown that would be, they succeeded."""


def _complained(call: Call, shown: Stream) -> Stream:
    """A program that complained of one of its operands has failed; one that complained of all shows nothing."""
    facts = call.shell.facts
    operands = [word for word in call.arguments if not word.startswith("-")]
    missing = [word for word in operands if is_literal(word) and facts.errors.mentions(call.path(word))]
    if missing:
        facts.status = False
    return () if missing and len(missing) == len(operands) else shown


def _all_known(call: Call) -> bool:
    """True when all operands were seen before, so that nothing was left to complain of."""
    facts = call.shell.facts
    operands = [call.path(word) for word in call.arguments if not word.startswith(("-", "+")) and not word.isdecimal()]
    return bool(operands or call.stdin) and all(map(facts.is_there, operands))


def _versioned(name: str) -> Row | None:
    """`python3.11`, `pip3`, `node18` are python, pip and node."""
    bare = name.rstrip("0123456789.-")
    return PROGRAMS.get(bare) if bare and bare != name else None


def _function(words: list[str], shell: Shell, stdin: Stream | None) -> Stream:
    arguments, shell.arguments = shell.arguments, words[1:]
    shown = evaluate(shell.functions[words[0]], shell, stdin)
    shell.arguments = arguments
    return shown


def unknown_program(call: Call, name: str) -> Stream:
    """A program that is in no row: a script of the agent's own is followed, anything else stays undecided."""
    path = call.path(name)
    text = call.shell.facts.script(path)
    if text is not None:
        return interpreters.script(call, path, text, call.arguments)
    if is_unknown(name):
        return _unknown_interpreter(call)
    files = [word for word in call.arguments if not word.startswith("-") and ("." in word or "/" in word)]
    reason = f"{readable(name)}: no row tells what this program does"
    paths = Names(call.shell.cwd, "paths", f"{readable(name)}: unknown program, its output is nothing but paths")
    return (paths, *(Undecided(call.path(word), reason) for word in files[:20]), Undecided("", reason))


def _unknown_interpreter(call: Call) -> Stream:
    """`$(…) -c "print(open('x'))"`: a program that takes code is recognised by it."""
    if call.arguments[:1] == ["-c"] and len(call.arguments) > 1 and is_literal(call.arguments[1]):
        code = call.arguments[1]
        return PROGRAMS["python" if "(" in code else "bash"](call)
    return (Undecided("", "the program's name is not known"),)
