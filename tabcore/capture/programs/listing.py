"""Programs that show paths: ls, tree, du, stat, file."""

from __future__ import annotations

import re

from tabcore.capture.patterns import STAR, is_literal
from tabcore.capture.programs.call import Call, Row, about, names_of
from tabcore.capture.programs.find import print_format
from tabcore.capture.shows import Names, Noise, Stream

_LS_VALUES = (
    "w I T ignore hide width tabsize block-size color sort time time-style quoting-style indicator-style format"
)


def ls(call: Call) -> Stream:
    """ls, dir, vdir, exa, eza: paths of the listing."""
    parsed = call.parsed(_LS_VALUES + (" L level s sort" if call.name in ("exa", "eza", "lsd") else ""))
    if parsed.has("version", "help"):
        return (Noise("ls: about itself"),)
    options = "".join(name for name in parsed.options if len(name) == 1) + parsed.options.get("number", "")
    if set(options) & set("nog") and call.name in ("ls", "gls"):
        options += "l"
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
