"""An observation's lines -> the paths that they show: ls, find, tree, grep -l, du, git and their like."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from tabcore.capture.filtered_lines import LEAD, filtered_entries, fits_any, fitting, keeps_layout, plausible
from tabcore.capture.ls_lines import ls_entries, unquoted
from tabcore.capture.patterns import STAR, is_literal, matches, placed, resolve
from tabcore.capture.shell_state import Facts
from tabcore.capture.shows import Names
from tabcore.capture.tree_lines import tree_entries

FORMS: dict[str, str] = {
    "counts": r"^\s*(?:\d+\s+)+(?P<path>\S.*)$",
    "count-after": r"^(?P<path>.+):\d+$",
    "hashes": r"^\\?(?:(?:[0-9a-f]{8,}|[0-9a-f]{4,}\s+\d+)\s[ *]|[\w-]+ \((?=.*\) = [0-9a-f]+$))(?P<path>.+?)(?:\) = [0-9a-f]+)?$",
    "cksums": r"^(?:\d+\s+){2,3}(?P<path>\S.*)$",
    "sizes": r"^[\d.,]+[KMGTPEB]*i?B?\s+(?:\d{4}-\d\d-\d\d \d\d:\d\d\s+)?(?P<path>\S.*)$",
    "kinds": r"^(?P<path>.+?):\s+(?P<kind>\S.*)$",
    "stat": r"^\s*File: ['\"‘]?(?P<path>.+?)['\"’]?(?: -> .*)?$",
    "stat-lines": r"^ (?P<path>\S.*?)\s+\|\s+(?:\d+|Bin\b.*|Unmerged)[^|]*$|^(?:\d+|-)\t(?:\d+|-)\t(?P<path2>.+)$",
    "status": r"^(?:[ MADRCUT?!]{2} |[MADTUX]\t|[RC]\d*\t(?:[^\t]*\t)|\t(?:modified|new file|deleted|renamed|both modified|typechange):\s+|\t(?=[^\s(]))(?P<path>\S.*?)$",
    "compared": r"^Files (?P<path>.+) and (?P<path2>.+) (?:differ|are identical)$|^(?P<path3>\S.*?) (?P<path4>\S.*?) differ: .*$|^Only in (?P<folder>.+): (?P<name>.+)$|^Binary files (?P<path5>.+) and (?P<path6>.+) differ$",
    "archive": r"^Archive:\s+(?P<path>.+)$",
}
_FOLDER_KIND = re.compile(r"(?:directory|cannot open\b.*|inode/directory.*|d|D|4)", re.IGNORECASE)
_ENDING = re.compile(r"[^/.\s]\.(?=\w*[A-Za-z])[A-Za-z0-9]{1,8}$")


Entry = tuple[str, bool]
"""One path of a listing, absolute, and whether it is a folder, which is no candidate."""


@lru_cache(maxsize=256)
def _line_form(form: str) -> re.Pattern[str]:
    return re.compile(form if form.startswith("^") else FORMS[form])


def entries(names: Names, lines: list[str], facts: Facts) -> Iterable[Entry]:
    """The paths that the lines show, in order; folders marked where the listing marks them."""
    found: Iterable[Entry]
    if names.form == "none":
        return []
    if names.mangled:
        whole = list(entries(replace(names, mangled=False), lines, facts)) if keeps_layout(names) else []
        return whole or list(filtered_entries(names, lines, facts))
    match names.form:
        case "ls":
            found = ls_entries(names, lines, facts)
        case "tree":
            found = list(tree_entries(names, lines))
        case "plain":
            found = _plain(names, lines)
        case "words":
            found = list(_words(names, lines, facts))
        case "inline":
            found = list(_inline(names, lines, facts))
        case "literal":
            found = list(_literal(names, lines, facts))
        case "paths":
            found = _only_paths(names, lines, facts)
        case "mentioned" | "any":
            found = list(_mentioned(names, lines))
        case _:
            found = list(_by_form(names, lines))
    return [(path, True) for path, _ in found] if names.only_folders else found


def _by_form(names: Names, lines: list[str]) -> Iterator[Entry]:
    form = _line_form(names.form)
    is_status = names.form == "status"
    for line in lines:
        match = form.match(line)
        if match is None:
            continue
        groups = match.groupdict()
        kind = groups.pop("kind", None)
        folder, name = groups.pop("folder", None), groups.pop("name", None)
        if folder is not None and name is not None:
            yield resolve(names.base, posixpath.join(folder, name)), False
        for text in filter(None, groups.values()):
            if names.form in ("counts", "cksums") and text in ("total", "-"):
                continue
            path = text.rpartition(" -> ")[2] if is_status and " -> " in text else text
            if names.form == "stat-lines" and " => " in path:
                path = re.sub(r"\{[^{}]*? => ([^{}]*)\}", r"\1", path).replace("//", "/").rpartition(" => ")[2]
            if names.printed and not fits_any(names.printed, path):
                continue
            yield _entry(names, git_unquoted(path), kind is not None and _FOLDER_KIND.fullmatch(kind) is not None)


def _entry(names: Names, text: str, is_folder: bool = False) -> Entry:
    marked = text.endswith("/") and len(text) > 1
    return placed(names.base, text), is_folder or marked or text in (".", "..")


def git_unquoted(text: str) -> str:
    r"""A path without the quotes and octal escapes that git puts around non-ASCII names.

    >>> git_unquoted(r'"docs/\346\212\245.md"')
    'docs/报.md'
    """
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return text
    return unquoted(text)


_HASH = re.compile(r"[0-9a-f]{7,40}")


def _plain(names: Names, lines: list[str]) -> Iterator[Entry]:
    """A path a line; where patterns are known, only what fits them."""
    fits = fitting(names.printed)
    git = "git" in names.folders
    roots = {resolve(names.base, folder) for folder in names.folders if folder != "git" and not _ENDING.search(folder)}
    base = names.base
    for line in lines:
        text = line.rstrip("\r")
        if not text or text.isspace():
            continue
        if git:
            text = git_unquoted(text)
            if fits is None and (_HASH.fullmatch(text) or not plausible(text)):
                continue
        if fits is not None and not fits(text):
            continue
        path = placed(base, text)
        yield path, text[-1] == "/" or path in roots


def _words(names: Names, lines: list[str], facts: Facts) -> Iterator[Entry]:
    """Names that echo prints side by side: split where a pattern begins anew."""
    for line in lines:
        for text in _split_words(line, names.printed, names, facts):
            yield _entry(names, text)


def _inline(names: Names, lines: list[str], facts: Facts) -> Iterator[Entry]:
    """Names within a line of text: words that end as files do, are known, or fit a pattern that says something."""
    telling = tuple(pattern for pattern in names.printed if len(pattern.replace(STAR, "")) > 2)
    for line in lines:
        for word in line.split():
            text = word.strip("'\"`,;()[]")
            path = resolve(names.base, text)
            known = path in facts.workspace.files or path in facts.listed
            if text and (known or (fits_any(telling, text) if telling else _ENDING.search(text) is not None)):
                yield _entry(names, text)


def _split_words(line: str, printed: tuple[str, ...], names: Names, facts: Facts) -> list[str]:
    """The line's words, joined again where a name holds blanks: a name ends as its pattern does, or is known."""
    words: list[str] = []
    pending = ""
    for word in line.split(" "):
        pending = f"{pending} {word}" if pending else word
        if fits_any(printed, pending) and (
            _complete(pending, printed) or resolve(names.base, pending) in facts.workspace.files
        ):
            words.append(pending)
            pending = ""
    return words


def _complete(text: str, printed: tuple[str, ...]) -> bool:
    endings = [pattern.rpartition(STAR)[2] for pattern in printed if STAR in pattern]
    return any(ending and text.endswith(ending) for ending in endings) or not any(endings) or text in printed


_QUOTED_ITEM = re.compile(r"'((?:[^'\\\n]|\\.)*)'|\"((?:[^\"\\\n]|\\.)*)\"")


def _literal(names: Names, lines: list[str], facts: Facts) -> Iterator[Entry]:
    """A list as Python or node prints it, or its items one a line."""
    text = "\n".join(lines).strip()
    if text.startswith(("[", "{", "(", "dict_", "<generator")) or re.search(r"(?:^|[\s(=:])\[ *['\"]", text):
        for match in _QUOTED_ITEM.finditer(text):
            raw = match.group(1) if match.group(1) is not None else match.group(2)
            item = re.sub(r"\\(.)", r"\1", raw)
            if not names.printed or fits_any(names.printed, item):
                yield _entry(names, item)
        return
    for line in lines:
        item = line.strip().strip("'\",")
        if (item and (fits_any(names.printed, item) if names.printed else plausible(item))) or (
            item and names.printed == (STAR,) and plausible(item)
        ):
            yield _entry(names, item)


def _only_paths(names: Names, lines: list[str], facts: Facts) -> list[Entry]:
    """Paths, where every line is one; nothing otherwise."""
    texts = [line.strip() for line in lines if line.strip()]
    if not texts or not all(
        looks_like_path(text) or resolve(names.base, text) in facts.workspace.files for text in texts
    ):
        return []
    return [_entry(names, text) for text in texts]


def looks_like_path(text: str) -> bool:
    """True for one word with a slash or an ending.

    >>> looks_like_path("./a/b"), looks_like_path("a.txt"), looks_like_path("done in 3.5s")
    (True, True, False)
    """
    return re.fullmatch(r"[^\s:;,()<>|]*(?:/[^\s:;,()<>|]+|[^\s:;,()<>|/.]\.[A-Za-z]\w{0,7})", text) is not None


def _mentioned(names: Names, lines: list[str]) -> Iterator[Entry]:
    """Operands that the lines name, wherever in them."""
    text = "\n".join(lines)
    for printed in names.printed:
        if is_literal(printed) and printed in text:
            yield _entry(names, printed)


def likeness(names: Names, line: str, facts: Facts) -> float:
    """How well a line fits a listing, for telling it from its neighbours: above 0 it does, below it does not."""
    if not line.strip():
        return 0.05 if names.form in ("ls", "tree") else -0.5
    if names.mangled:
        return 1.0 if plausible(LEAD.sub("", line).strip()) else -2.0
    match names.form:
        case "ls":
            return _ls_likeness(names, line, facts)
        case "tree":
            return 4.0 if _TREE_LINE.match(line) or line.rstrip("/") in {f.rstrip("/") for f in names.folders} else -6.0
        case "plain" | "words":
            if names.printed and any(is_literal(p) or p != STAR for p in names.printed):
                return 3.0 if fits_any(names.printed, line.strip()) else -6.0
            return 1.5 if plausible(line.strip()) else -3.0
        case "literal":
            return 2.0 if line.lstrip().startswith(("[", "'", '"')) else 1.0 if plausible(line.strip()) else -3.0
        case "paths" | "mentioned" | "any" | "inline":
            return 0.5 if plausible(line.strip()) else -1.0
        case "none":
            return -1.0
        case _:
            return 3.0 if any(True for _ in _by_form(names, [line])) else -6.0


_TREE_LINE = re.compile(r"^[\s│|]*(?:├──|└──|\|--|`--|├─|└─)|^\d+ director(?:y|ies)|^[│ ]+$|^ .* used in \d+ director")
_LONG_LINE = re.compile(r"^\s*(?:\d+\s+){0,2}[-bcdlps][-rwxsStT]{9}|^total \d")


def _ls_likeness(names: Names, line: str, facts: Facts) -> float:
    if "l" in names.options:
        return (
            4.0
            if _LONG_LINE.match(line)
            else 2.0
            if line.endswith(":") and "/" not in line.rstrip(":")[-1:] and _heads(names, line)
            else -6.0
        )
    text = line.strip()
    if text.endswith(":") and _heads(names, text):
        return 3.0
    if names.options and set(names.options) & set("CxmsiQ"):
        return 1.0
    if names.printed == (STAR,):
        if "/" in text.rstrip("/"):
            return -6.0
        folder = resolve(names.base, names.folders[0]) if names.folders else names.base
        if f"{folder}/{text.rstrip('/')}" in facts.workspace.files:
            return 4.0
        return (
            (2.0 if _ENDING.search(text) else 0.6 if " " not in text else -1.0)
            if plausible(text) or "\t" in text
            else -3.0
        )
    if fits_any(names.printed, text):
        return 3.0
    return (1.0 if _ENDING.search(text) else 0.4) if plausible(text) else -3.0


def _heads(names: Names, line: str) -> bool:
    """True when the line is the heading of a folder's section."""
    bare = line[:-1]
    return any(
        bare == folder or matches(folder, bare) or bare.startswith(folder.rstrip("/") + "/") or folder in (".", "")
        for folder in names.folders
    )
