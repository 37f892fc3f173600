"""grep and its kin: matching lines are content, names of files that match are a listing."""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace

from tabcore.capture.evaluation import stream_of
from tabcore.capture.patterns import DEEP, STAR, is_literal
from tabcore.capture.programs.call import Call, Parsed, Row
from tabcore.capture.programs.search_patterns import sought
from tabcore.capture.shows import Content, Names, Noise, Stream, limited

_GREP_VALUES = (
    "e f m A B C D d regexp file max-count after-context before-context context label include exclude exclude-dir "
    "exclude-from binary-files devices directories group-separator"
)
_RG_VALUES = (
    "e f g t T m A B C j M r E d glob iglob type type-not type-add max-count after-context before-context context regexp file "
    "threads max-columns replace encoding max-depth sort sortr color colors engine path-separator ignore-file pre max-filesize "
    "field-match-separator field-context-separator context-separator"
)
_AG_VALUES = "A B C G m p after before context file-search-regex max-count ignore ignore-dir depth"


def grep(call: Call) -> Stream:
    """grep, egrep, fgrep, zgrep, pdfgrep, git grep's options."""
    parsed = call.parsed(_GREP_VALUES)
    recursive = (
        parsed.has("r", "R", "recursive", "dereference-recursive") or parsed.value("directories", "d") == "recurse"
    )
    return _search(call, parsed, recursive, always_named=parsed.has("H", "with-filename"))


def rg(call: Call) -> Stream:
    """ripgrep: recursive unless it has input; --files lists."""
    parsed = call.parsed(_RG_VALUES)
    if parsed.has("files", "type-list"):
        return (_listed(call, parsed.operands, "rg --files: paths of the listing"),)
    if parsed.has("json"):
        paths = _paths(call, parsed.operands[1:] or ["."])
        return (Content(paths, "rg --json: matching lines", "json", call.shell.cwd, deep=True),)
    named = parsed.has("H", "with-filename", "heading", "vimgrep")
    return _search(call, parsed, recursive=True, always_named=named)


def ag(call: Call) -> Stream:
    """ag, ack, ucg: as ripgrep; -g and -f list."""
    parsed = call.parsed(_AG_VALUES + (" G" if call.name != "ack" else " type"))
    if parsed.has("g", "f", "files"):
        return (_listed(call, parsed.operands[1:], f"{call.name} -g: paths of the listing"),)
    return _search(call, parsed, recursive=True, always_named=parsed.has("H", "with-filename"))


def _search(call: Call, parsed: Parsed, recursive: bool, always_named: bool) -> Stream:
    has_pattern = parsed.has("e", "f", "regexp", "file")
    operands = parsed.operands if has_pattern else parsed.operands[1:]
    name = call.name
    if parsed.has("q", "quiet", "silent"):
        return ()
    if not operands and (call.stdin is not None or not recursive):
        return _filtered(call, parsed)
    piped = [
        stream
        for word in operands
        if (stream := call.input() if word == "-" else stream_of(word, call.shell)) is not None
    ]
    if piped:
        return tuple(show for stream in piped for show in stream)
    if parsed.has("l", "L", "files-with-matches", "files-without-match", "files-without-matches"):
        return (_listed(call, operands, f"{name} -l: paths of files that match"),)
    hidden = parsed.has("h", "no-filename", "I") if name in ("rg", "ag", "ack") else parsed.has("h", "no-filename")
    single = not recursive and len(operands) == 1 and is_literal(operands[0]) and not always_named
    if parsed.has("c", "count", "count-matches"):
        if hidden or single:
            return (Noise(f"{name} -c: a bare count"),)
        return (Names(call.shell.cwd, "count-after", f"{name} -c: paths beside counts", _printed(operands, recursive)),)
    return _lines(call, parsed, operands, recursive, hidden, single)


def _lines(call: Call, parsed: Parsed, operands: list[str], recursive: bool, hidden: bool, single: bool) -> Stream:
    rule = f"{call.name}: matching lines"
    limit = parsed.number("m", "max-count") if single else None
    if single:
        return _searched(call.content(operands, rule, limit), sought(parsed, call.name))
    paths = call.shell.facts.with_sources(_paths(call, operands or ["."]))
    return (Content(paths, rule, "none" if hidden else "prefix", call.shell.cwd, deep=recursive),)


def _searched(stream: Stream, pattern: re.Pattern[str] | None) -> Stream:
    """Content that a search may leave empty; each line of it holds the pattern."""
    return tuple(
        replace(show, doubtful=show.paths, sought=pattern) if isinstance(show, Content) and not show.sought else show
        for show in stream
    )


def _filtered(call: Call, parsed: Parsed) -> Stream:
    """grep on its input: the lines that pass are what they were; a count is noise."""
    if parsed.has("c", "count", "count-matches"):
        return (Noise(f"{call.name} -c: a bare count", 1),)
    if parsed.has("l", "L"):
        return ()
    return limited(call.input(), parsed.number("m", "max-count"))


def _paths(call: Call, operands: list[str]) -> tuple[str, ...]:
    return tuple(call.path(word) for word in operands)


def _printed(operands: list[str], recursive: bool) -> tuple[str, ...]:
    """Patterns of the names that a search over the operands prints."""
    if not recursive:
        return tuple(operands)
    if not operands:
        return (DEEP + STAR,)
    return tuple(pattern for word in operands for pattern in (word, posixpath.join(word, "") + DEEP + STAR))


def _listed(call: Call, operands: list[str], rule: str) -> Names:
    recursive = call.name not in ("grep", "egrep", "fgrep") or call.parsed(_GREP_VALUES).has("r", "R", "recursive")
    return Names(call.shell.cwd, "plain", rule, _printed(operands, recursive))


ROWS: dict[str, Row] = {
    **dict.fromkeys(
        ["grep", "egrep", "fgrep", "ggrep", "zgrep", "bzgrep", "xzgrep", "pdfgrep", "ugrep", "rga-grep"], grep
    ),
    **dict.fromkeys(["rg", "rga", "ripgrep"], rg),
    **dict.fromkeys(["ag", "ack", "ack-grep", "ucg", "pt", "sift"], ag),
}
