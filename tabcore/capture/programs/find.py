"""find and fd: starting points, tests, and what they do with what they find."""

from __future__ import annotations

import posixpath
import re

from tabcore.capture.evaluation import loop
from tabcore.capture.patterns import DEEP, STAR, from_glob, is_literal
from tabcore.capture.programs.call import Call, Row
from tabcore.capture.shows import Loop, Names, Stream


def find(call: Call) -> Stream:
    """find: its starting points, tests, and what it does with what it finds."""
    arguments = [word for word in call.arguments if word not in ("-L", "-H", "-P")]
    start = next((i for i, word in enumerate(arguments) if word[:1] in ("-", "(", "!")), len(arguments))
    roots, tests = arguments[:start] or ["."], arguments[start:]
    printed = _found_names(roots, tests)
    types = [tests[i + 1] for i, word in enumerate(tests[:-1]) if word == "-type"]
    only_folders = bool(types) and all(kind == "d" for kind in types)
    shown = _find_actions(call, roots, tests, printed, only_folders)
    if shown is not None:
        return shown
    return (_listing(call, "plain", printed, tuple(roots), only_folders),)


def _listing(call: Call, form: str, printed: tuple[str, ...], roots: tuple[str, ...], only_folders: bool) -> Names:
    return Names(call.shell.cwd, form, "find: paths of the listing", printed, roots, "", None, only_folders)


def _found_names(roots: list[str], tests: list[str]) -> tuple[str, ...]:
    """Patterns of what find prints: below each root, names by -name, if no other test makes them uncertain."""
    given = [
        tests[i + 1]
        for i, word in enumerate(tests[:-1])
        if word == "-name" and (i == 0 or tests[i - 1] not in ("!", "-not"))
    ]
    uncertain = {"-path", "-ipath", "-wholename", "-regex", "-iregex", "-iname"} & set(tests)
    if uncertain and "-prune" not in tests:
        given = []
    names = [from_glob(name) if is_literal(name) else name for name in given] or [STAR]
    flat = "-maxdepth" in tests and tests[tests.index("-maxdepth") + 1 :][:1] == ["1"]
    joined = [posixpath.join(root, "") + ("" if flat else DEEP) + name for root in roots for name in names]
    if given:
        return tuple(joined)
    only_files = "-type" in tests and tests[tests.index("-type") + 1 :][:1] == ["f"]
    return (*(root for root in roots if not only_files or not is_literal(root) or _is_a_name(root)), *joined)


def _is_a_name(root: str) -> bool:
    """True for a starting point that may be a file itself: one with an ending."""
    return bool(posixpath.splitext(posixpath.basename(root))[1])


def _find_actions(
    call: Call, roots: list[str], tests: list[str], printed: tuple[str, ...], only_folders: bool
) -> Stream | None:
    """-exec, -print, -printf, -ls, -delete; None when the paths are simply printed."""
    shown: list[Stream] = []
    per_file: list[list[str]] = []
    position = 0
    while position < len(tests):
        word = tests[position]
        if word in ("-exec", "-execdir", "-ok", "-okdir"):
            end = next((i for i in range(position, len(tests)) if tests[i] in (";", "+", "\\;")), len(tests))
            command = tests[position + 1 : end]
            if tests[end : end + 1] == ["+"]:
                shown.append(at_once(call, command, printed))
            else:
                per_file.append(command)
            position = end
        elif word in ("-print", "-print0"):
            per_file.append(["-print"])
        elif word in ("-printf", "-fprintf"):
            shown.append(_printf(call, "".join(tests[position + 1 : position + 2]), roots, printed, only_folders))
        elif word == "-ls":
            shown.append(
                (Names(call.shell.cwd, "ls", "find -ls: paths of the listing", printed, (), "ldb", None, only_folders),)
            )
        elif word == "-delete":
            shown.append(())
        position += 1
    if per_file == [["-print"]]:
        shown.append((_listing(call, "plain", printed, tuple(roots), only_folders),))
    elif per_file:
        shown.append(for_each(call, per_file, printed))
    return tuple(show for stream in shown for show in stream) if shown else None


def for_each(call: Call, commands: list[list[str]], printed: tuple[str, ...]) -> Stream:
    """Commands that run, in order, for each file found; `-print` among them prints its path."""

    def body(value: str) -> Stream:
        shown: Stream = ()
        for command in commands:
            if command == ["-print"]:
                shown += (Names(call.shell.cwd, "plain", "find -print: paths of the listing", (value,)),)
            elif command:
                shown += call.shell.run([word.replace("{}", value) for word in command], call.shell.child(), None)
        return shown

    return each(list(printed), call, body, "find -exec")


def at_once(call: Call, command: list[str], printed: tuple[str, ...]) -> Stream:
    """A command that runs once over all files found."""
    words = [piece for word in command for piece in (printed if word == "{}" else (word,))]
    return call.shell.run(words, call.shell.child(), None) if words else ()


def _printf(call: Call, layout: str, roots: list[str], printed: tuple[str, ...], only_folders: bool) -> Stream:
    form = print_format(layout or "%p", "find")
    rule = "find -printf: paths of the listing"
    if "%p" not in layout and is_literal(roots[0]):
        return (Names(call.path(roots[0]), form, rule, (), (), "", None, only_folders),)
    return (Names(call.shell.cwd, form, rule, printed, tuple(roots), "", None, only_folders),)


def each(values: list[str], call: Call, body: object, rule: str) -> Stream:
    """The body for each name that a listing gives; where it only lists or shows one file, once for all."""
    assert callable(body)
    symbolic = [body(value) for value in values]
    if all(len(stream) == 1 and isinstance(stream[0], Names) for stream in symbolic) or not any(symbolic):
        return tuple(dict.fromkeys(show for stream in symbolic for show in stream))
    if all(map(is_literal, values)):
        return loop(values, call.shell, body, rule)
    return (Loop(tuple(values), call.shell.cwd, body, rule),)


_DIRECTIVE = {
    "find": re.compile(r"%[-0-9.]*([ACTB][@a-zA-Z+]|[a-zA-Z%])|\\([nt0])|\\(\d{3})"),
    "stat": re.compile(r"%[-0-9.]*([a-zA-Z%])|\\([nt0])|\\(\d{3})"),
}


_MOMENT = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?(?: [+-]\d{4})?"
_MOMENT_C = r"\w{3} \w{3} +\d+ [\d:.]+ \d{4}"
_DIRECTIVES: dict[str, dict[str, str]] = {
    "find": {
        "s": r"\d+",
        "t": _MOMENT_C,
        "a": _MOMENT_C,
        "c": _MOMENT_C,
        "m": r"\d+",
        "M": r"\S+",
        "k": r"\d+",
        "d": r"\d+",
        "f": ".*?",
        "h": ".*?",
    },
    "stat": {
        "s": r"\d+",
        "y": f"(?:{_MOMENT}|-)",
        "w": f"(?:{_MOMENT}|-)",
        "x": f"(?:{_MOMENT}|-)",
        "z": f"(?:{_MOMENT}|-)",
        "a": r"\d+",
        "A": r"\S+",
        "n": ".*?",
    },
}
_STAT_KINDS = r"(?P<kind>regular empty file|regular file|directory|symbolic link|block special file|character special file|fifo|socket|weird file)"


def print_format(text: str, program: str) -> str:
    """A line expression for find -printf and stat -c formats.

    >>> print_format("%s %p\\\\n", "find")
    '^\\\\d+\\\\ (?P<path>.+?)$'
    """
    paths = {"find": "pP", "stat": "nN"}[program]
    kinds = {"find": "yY", "stat": "F"}[program]
    pieces: list[str] = ["^"]
    position = 0
    seen: set[str] = set()
    for match in _DIRECTIVE[program].finditer(text):
        pieces.append(re.escape(text[position : match.start()]))
        position = match.end()
        letter = match.group(1)
        if letter is None:
            pieces.append({"n": "", "0": "", "t": "\t"}.get(match.group(2) or "", ""))
        elif (letter in paths or (program == "find" and letter == "f" and "path" not in seen)) and "path" not in seen:
            seen.add("path")
            pieces.append("(?P<path>.+?)" if letter != "N" else "['\"]?(?P<path>.+?)['\"]?(?: -> .*)?")
        elif letter in kinds and "kind" not in seen:
            seen.add("kind")
            pieces.append(_STAT_KINDS if program == "stat" else r"(?P<kind>[a-zA-Z?])")
        else:
            pieces.append("%" if letter == "%" else _DIRECTIVES[program].get(letter, r"\S*?"))
    pieces.append(re.escape(text[position:]))
    return "".join(pieces) + "$" if "path" in seen else "none"


def fd(call: Call) -> Stream:
    """fd, fdfind: paths of the listing; -x and -X run a command on each."""
    values = "e E t d x X S j c g extension exclude type max-depth min-depth exec exec-batch size threads color changed-within changed-before search-path base-directory path-separator format owner and"
    words = call.arguments
    cut = next((i for i, word in enumerate(words) if word in ("-x", "-X", "--exec", "--exec-batch")), None)
    parsed = Call(call.name, words[:cut], call.shell).parsed(values)
    roots = [*parsed.operands[1:], *parsed.values("search-path")]
    extensions = parsed.values("e", "extension")
    ends = [f"{STAR}.{extension.lstrip('.')}" for extension in extensions] or [STAR]
    printed = tuple(posixpath.join(root, "") + DEEP + end for root in roots or [""] for end in ends)
    kinds = parsed.values("t", "type")
    only_folders = bool(kinds) and all(kind in ("d", "directory", "dir") for kind in kinds)
    if cut is not None:
        command = words[cut + 1 :] if any("{}" in word for word in words[cut + 1 :]) else [*words[cut + 1 :], "{}"]
        batch = words[cut] in ("-X", "--exec-batch")
        return at_once(call, command, printed) if batch else for_each(call, [command], printed)
    if parsed.has("l", "list-details"):
        return (
            Names(call.shell.cwd, "ls", f"{call.name} -l: paths of the listing", printed, (), "ld", None, only_folders),
        )
    return (
        Names(
            call.shell.cwd, "plain", f"{call.name}: paths of the listing", printed, tuple(roots), "", None, only_folders
        ),
    )


ROWS: dict[str, Row] = {
    "find": find,
    "gfind": find,
    "fd": fd,
    "fdfind": fd,
}
