"""Programs that show paths: ls, find, fd, tree, du, stat, file."""

from __future__ import annotations

import posixpath
import re

from tabcore.capture.evaluation import loop
from tabcore.capture.patterns import DEEP, STAR, from_glob, is_literal
from tabcore.capture.programs.call import Call, Row, about, names_of
from tabcore.capture.shows import Loop, Names, Noise, Stream

_LS_VALUES = (
    "w I T ignore hide width tabsize block-size color sort time time-style quoting-style indicator-style format"
)


def ls(call: Call) -> Stream:
    """ls, dir, vdir, exa, eza: paths of the listing."""
    parsed = call.parsed(_LS_VALUES + (" L level s sort" if call.name in ("exa", "eza", "lsd") else ""))
    if parsed.has("version", "help"):
        return (Noise("ls: about itself"),)
    options = "".join(name for name in parsed.options if len(name) == 1)
    if call.name == "vdir" or parsed.value("format") in ("long", "verbose"):
        options += "l"
    if call.name in ("exa", "eza", "lsd") and parsed.has("T", "tree"):
        return (
            Names(call.shell.cwd, "tree", f"{call.name}: paths of the tree", folders=tuple(parsed.operands or ["."])),
        )
    if parsed.has("recursive"):
        options += "R"
    if parsed.value("format") in ("commas",):
        options += "m"
    operands = parsed.operands or ["."]
    as_such = "d" in options or parsed.has("directory")
    folders_only = as_such and all(word.endswith("/") for word in operands)
    rule = "ls -l: paths of the listing" if "l" in options else "ls: paths of the listing"
    printed = tuple(operands) if as_such else _ls_printed(operands)
    return (
        Names(
            call.shell.cwd, "ls", rule, printed, tuple(operands), options + ("d" if as_such else ""), None, folders_only
        ),
    )


def _ls_printed(operands: list[str]) -> tuple[str, ...]:
    """Names as ls prints them: of one folder bare, of a glob as they are found."""
    found: list[str] = []
    for word in operands:
        if is_literal(word) and len(operands) == 1 and not _like_a_file(word):
            found.append(STAR)
        else:
            found.append(word)
    return tuple(found)


def _like_a_file(word: str) -> bool:
    return re.search(r"[^/.]\.\w{1,5}$", word) is not None


def find(call: Call) -> Stream:
    """find: its starting points, tests, and what it does with what it finds."""
    arguments = call.arguments
    start = next(
        (i for i, word in enumerate(arguments) if word[:1] in ("-", "(", "!") and word not in ("-L", "-H", "-P")),
        len(arguments),
    )
    roots = [word for word in arguments[:start] if word not in ("-L", "-H", "-P")] or ["."]
    tests = arguments[start:]
    printed = _found_names(roots, tests)
    types = [tests[i + 1] for i, word in enumerate(tests[:-1]) if word == "-type"]
    only_folders = bool(types) and all(kind == "d" for kind in types)
    shown = _find_actions(call, tests, printed, only_folders)
    if shown is not None:
        return shown
    return (
        Names(call.shell.cwd, "plain", "find: paths of the listing", printed, tuple(roots), "", None, only_folders),
    )


def _found_names(roots: list[str], tests: list[str]) -> tuple[str, ...]:
    """Patterns of what find prints: below each root, names by -name and -path, if no -o or ! makes them uncertain."""
    names = [STAR]
    given = [
        tests[i + 1]
        for i, word in enumerate(tests[:-1])
        if word in ("-name", "-iname") and tests[i - 1 if i else 0] not in ("!", "-not")
    ]
    plain = not any(word in ("-path", "-ipath", "-wholename", "-regex", "-iregex", "-prune") for word in tests)
    if given and (plain or "-prune" in tests) and not any(word == "-iname" for word in tests):
        names = [from_glob(name) if is_literal(name) else name for name in given]
    depth = STAR if "-maxdepth" in tests and tests[tests.index("-maxdepth") + 1 :][:1] == ["1"] else DEEP
    joined = [posixpath.join(root, "") + (name if depth == STAR else DEEP + name) for root in roots for name in names]
    return tuple(joined) if given else tuple([*roots, *joined])


def _find_actions(call: Call, tests: list[str], printed: tuple[str, ...], only_folders: bool) -> Stream | None:
    """-exec, -printf, -ls, -delete; None when the paths are simply printed."""
    shown: list[Stream] = []
    prints = any(word in ("-print", "-print0") for word in tests)
    position = 0
    while position < len(tests):
        word = tests[position]
        if word in ("-exec", "-execdir", "-ok", "-okdir"):
            end = next((i for i in range(position, len(tests)) if tests[i] in (";", "+", "\\;")), len(tests))
            shown.append(_executed(call, tests[position + 1 : end], tests[end : end + 1] == ["+"], printed, prints))
            position = end
        elif word in ("-printf", "-fprintf"):
            form = print_format(tests[position + 1] if position + 1 < len(tests) else "%p", "find")
            roots = tuple(call.arguments[:1])
            layout = tests[position + 1] if position + 1 < len(tests) else ""
            if "%p" not in layout and is_literal(roots[0]):
                names = Names(call.path(roots[0]), form, "find -printf: names of the listing", (), (), "", None, only_folders)
                shown.append((names,))
                position += 1
                continue
            shown.append(
                (
                    Names(
                        call.shell.cwd,
                        form,
                        "find -printf: paths of the listing",
                        printed,
                        roots,
                        "",
                        None,
                        only_folders,
                    ),
                )
            )
        elif word == "-ls":
            shown.append(
                (Names(call.shell.cwd, "ls", "find -ls: paths of the listing", printed, (), "ldb", None, only_folders),)
            )
        elif word == "-delete":
            shown.append(())
        position += 1
    if not shown:
        return None
    return tuple(show for stream in shown for show in stream)


def _executed(call: Call, command: list[str], at_once: bool, printed: tuple[str, ...], prints: bool) -> Stream:
    """The command for each file found; with -print the path is shown before."""

    def body(value: str) -> Stream:
        words = [word.replace("{}", value) for word in command]
        shown = call.shell.run(words, call.shell.child(), None) if words else ()
        return (
            (Names(call.shell.cwd, "plain", "find -print: paths of the listing", (value,)), *shown) if prints else shown
        )

    if at_once:
        words = [piece for word in command for piece in (printed if word == "{}" else (word,))]
        return call.shell.run(words, call.shell.child(), None) if words else ()
    return each(list(printed), call, body, "find -exec")


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
    '^\\\\d+ (?P<path>.+?)$'
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


def stat(call: Call) -> Stream:
    """stat: paths of its operands, by -c in any place."""
    parsed = call.parsed("c f format printf t")
    layout = parsed.value("c", "format", "printf") or (
        parsed.value("f") if parsed.value("f") and "%" in str(parsed.value("f")) else None
    )
    form = "stat" if layout is None else print_format(layout, "stat")
    if form == "none":
        return (Noise("stat: a format without the path"),)
    if parsed.has("t", "terse"):
        form = r"^(?P<path>.+?)(?: [0-9a-f]+){10,}.*$"
    operands = (
        parsed.operands
        if not (parsed.has("f") and parsed.value("f") and layout is None)
        else [str(parsed.value("f")), *parsed.operands]
    )
    return names_of(call, operands, form, "stat: paths of its operands")


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
        return _fd_executed(call, words[cut + 1 :], printed, words[cut] in ("-X", "--exec-batch"))
    if parsed.has("l", "list-details"):
        return (
            Names(call.shell.cwd, "ls", f"{call.name} -l: paths of the listing", printed, (), "ld", None, only_folders),
        )
    return (
        Names(
            call.shell.cwd, "plain", f"{call.name}: paths of the listing", printed, tuple(roots), "", None, only_folders
        ),
    )


def _fd_executed(call: Call, command: list[str], printed: tuple[str, ...], at_once: bool) -> Stream:
    if not any("{}" in word for word in command):
        command = [*command, "{}"]
    return _executed(call, command, at_once, printed, prints=False)


def tree(call: Call) -> Stream:
    """tree: paths of the tree; -d shows folders only, -o writes."""
    parsed = call.parsed("L P I o H T charset filelimit sort timefmt gitfile infofile")
    target = parsed.value("o")
    options = "".join(name for name in parsed.options if len(name) == 1)
    folders = tuple(parsed.operands or ["."])
    shown = Names(call.shell.cwd, "tree", "tree: paths of the tree", (), folders, options, None, parsed.has("d"))
    if target:
        call.shell.facts.author(call.path(target), "tree -o: writes a file")
        return ()
    return (shown,)


def du(call: Call) -> Stream:
    """du: files with -a or as operands, else folders."""
    parsed = call.parsed("d B t X max-depth block-size threshold exclude exclude-from time-style")
    every = parsed.has("a", "all")
    operands = parsed.operands or ["."]
    listed = every or any(not is_literal(word) or _like_a_file(word) for word in operands)
    return (
        Names(
            call.shell.cwd,
            "sizes",
            "du: paths beside sizes",
            (),
            tuple(operands),
            "a" if every else "",
            None,
            not listed,
        ),
    )


def which(call: Call) -> Stream:
    """which, type, whereis: paths of programs."""
    return (Noise(f"{call.name}: where programs are", len(call.parsed().operands) or None),)


def resolved(call: Call) -> Stream:
    """realpath, readlink: the path of an operand."""
    parsed = call.parsed("relative-to relative-base")
    return (Names(call.shell.cwd, "plain", f"{call.name}: the path of its operand"),) if parsed.operands else ()


def locate(call: Call) -> Stream:
    """locate: paths anywhere."""
    return (Names("/", "plain", f"{call.name}: paths of the listing"),)


ROWS: dict[str, Row] = {
    **dict.fromkeys(["ls", "dir", "vdir", "exa", "eza", "lsd", "ll", "gls"], ls),
    "find": find,
    "gfind": find,
    "fd": fd,
    "fdfind": fd,
    "tree": tree,
    "stat": stat,
    "gstat": stat,
    "file": about("kinds", "m F f magic-file separator files-from", verb="paths of its operands"),
    "du": du,
    "which": which,
    "whereis": which,
    "type": which,
    "realpath": resolved,
    "readlink": resolved,
    "locate": locate,
    "mlocate": locate,
    "plocate": locate,
    "namei": about("any"),
    "lsattr": about("^\\S+ (?P<path>.+)$"),
    "getfacl": about("^# file: (?P<path>.+)$"),
    "cloc": lambda call: (Noise("cloc: counts"),),
    "tokei": lambda call: (Noise("tokei: counts"),),
    "ncdu": lambda call: (),
}
