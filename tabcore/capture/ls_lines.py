"""What ls prints, in all its forms: long, columns, commas, with sizes, quoted, recursive."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import chain

from tabcore.capture.patterns import is_literal, matches, resolve
from tabcore.capture.shell_state import Facts
from tabcore.capture.shows import Names

_LONG = re.compile(
    r"^\s*(?:\d+\s+){0,2}(?:[\d.,]+[KMGTP]?\s+)?(?P<type>[-bcdlpsD?])[-rwxsStTl?]{9}[.+@]?\s.*?"
    r"(?:\s(?:\d{4}-\d\d-\d\d|\d\d-\d\d)(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:\s?[+-]\d{4})?)?"
    r"|\s\S{1,5}\.?\s+\d{1,2}\s+(?:\d{1,2}:\d{2}(?::\d{2}\s+\d{4})?|\d{4})"
    r"|\s\d{1,2}\s+\S{2,5}\.?\s+(?:\d{1,2}:\d{2}|\d{4}))\s(?P<name>.+)$"
)
_PERMISSIONS = re.compile(r"^\s*(?:\d+\s+){0,2}(?P<type>[-bcdlps])[-rwxsStT]{9}[.+@]?\s+(?:\S+\s+){0,7}?(?P<name>\S+)$")
_TOTAL = re.compile(r"^total \d[\d.,]*[KMGTP]?$")
_QUOTED = re.compile(r"^(?:'.*'|\"(?:[^\"\\]|\\.)*\"|\$'.*')(?P<mark>[/*@=|]?)$", re.DOTALL)
_COLUMN_GAP = re.compile(r"\t\s*|\s{2,}")
_QUOTED_CELLS = re.compile(r"^ ?(?:'[^']+'|\"[^\"]+\")\s{2,}\S|\S\s{2,}(?:'[^']+'|\"[^\"]+\")$")
_ESCAPE = re.compile(r"((?:\\[0-7]{3})+)|\\(.)")
_MARKS = {"/": True, "@": False, "*": False, "=": False, "|": False}


def ls_entries(names: Names, lines: list[str], facts: Facts) -> Iterator[tuple[str, bool]]:
    """Absolute paths with whether each is a folder."""
    long = "l" in names.options
    sections = _sections(names, lines)
    headless = "R" in names.options and len(sections[0][1]) > 0 and any(line.strip() for line in sections[0][1])
    for position, (folder, section) in enumerate(sections):
        if headless and position == 0:
            yield from _known_by_name(section, long, names, facts)
            continue
        names_in = _long(section, names.options) if long else _short(section, names.options, names)
        if folder in facts.authored or folder in facts.workspace.authored or folder in facts.workspace.read:
            folder = None
        first = next(names_in, None)
        if folder is not None and (position or first is not None or any(map(_TOTAL.match, section))):
            facts.folders.add(folder)
        if first is not None:
            yield from _placed(folder if folder is not None else names.base, chain([first], names_in))


def _known_by_name(lines: list[str], long: bool, names: Names, facts: Facts) -> Iterator[tuple[str, bool]]:
    """Entries of a recursive listing whose heading a filter took away: those that only one known file has."""
    for name, kind in _long(lines, names.options) if long else _short(lines, names.options, names):
        alike = [path for path in facts.workspace.files if path.endswith("/" + name)]
        if len(alike) == 1 and kind != "d":
            yield alike[0], False


def _placed(base: str, names_in: Iterator[tuple[str, str]]) -> Iterator[tuple[str, bool]]:
    """Names below a folder as absolute paths."""
    prefix = base.rstrip("/") + "/"
    for name, kind in names_in:
        if name in (".", "..", ""):
            continue
        if "/" in name:
            yield resolve(base, name), kind == "d" or name[-1] == "/"
        else:
            yield prefix + name, kind == "d"


def _sections(names: Names, lines: list[str]) -> list[tuple[str | None, list[str]]]:
    """Lines by the folder that they belong to; None where they are paths as they were given."""
    operands = names.folders
    several = len(operands) > 1 or "R" in names.options or any(not is_literal(word) for word in operands)
    first = _first_folder(names, lines, several)
    sections: list[tuple[str | None, list[str]]] = [(first, [])]
    for line in lines:
        if several and line.endswith(":") and _is_heading(line[:-1], names, sections):
            sections.append((resolve(names.base, unquoted(line[:-1])), []))
        else:
            sections[-1][1].append(line)
    return sections


def _first_folder(names: Names, lines: list[str], several: bool) -> str | None:
    """The folder of the lines before any heading; None where they are operands as they were given."""
    if "d" in names.options or len(names.folders) != 1 or not is_literal(names.folders[0]):
        return None
    operand = names.folders[0]
    shown = [line.strip() for line in lines if line.strip()]
    if len(shown) == 1 and not several:
        long = _LONG.match(shown[0])
        if long is not None:
            return None if long["name"] == operand and long["type"] == "-" else resolve(names.base, operand)
        if shown[0].rstrip("*@=|") == operand or unquoted(shown[0]) == operand:
            return None
    return resolve(names.base, operand)


def _is_heading(text: str, names: Names, sections: list[tuple[str | None, list[str]]]) -> bool:
    text = unquoted(text)
    for folder in names.folders:
        if text == folder or matches(folder, text) or text.rstrip("/") == folder.rstrip("/"):
            return True
        if "R" in names.options and (
            text.startswith(folder.rstrip("/") + "/") or (folder == "." and text.startswith("./"))
        ):
            return True
        if "R" in names.options and not is_literal(folder) and matches(folder.rstrip("/"), text.split("/", 1)[0]):
            return True
    return False


def _long(lines: list[str], options: str) -> Iterator[tuple[str, str]]:
    for line in lines:
        match = _LONG.match(line) or _PERMISSIONS.match(line)
        if match is None:
            continue
        name, kind = match["name"], match["type"]
        if kind == "l":
            name = _link_name(name)
        name, marked = _unmarked(name, options, kind)
        if "b" in options:
            name = octal_unescaped(name)
        yield unquoted(name), "d" if marked else kind


def _link_name(text: str) -> str:
    """The name of a link: what stands before its last arrow, or before the closing quote."""
    quoted = re.match(r"^('[^']*'|\"(?:[^\"\\]|\\.)*\") -> ", text)
    return quoted.group(1) if quoted else text.partition(" -> ")[0]


def _unmarked(name: str, options: str, kind: str = "") -> tuple[str, bool]:
    """The name without the mark of -F or -p, and whether the mark says that it is a folder."""
    if name.endswith("/") and len(name) > 1:
        return name[:-1], True
    if "F" in options and name[-1:] in _MARKS and len(name) > 1:
        return name[:-1], False
    return name, False


def _short(lines: list[str], options: str, names: Names) -> Iterator[tuple[str, str]]:
    texts = [line.rstrip("\r") for line in lines if line and not line.isspace()]
    if "m" in options:
        cells = [cell.strip() for line in texts for cell in re.split(r",\s+|,$", line)]
    elif _in_columns(texts, options):
        cells = [cell for line in texts for cell in _COLUMN_GAP.split(line.strip())]
    else:
        cells = texts
    if set(options) & _CHANGING:
        yield from _special(cells, options)
        return
    for cell in cells:
        last = cell[-1:]
        if last == "/":
            yield cell[:-1], "d"
        else:
            yield (unquoted(cell) if last in _QUOTES else cell), "-"


_CHANGING = frozenset("siFbpQ")
_QUOTES = frozenset("'\"")


def _special(cells: list[str], options: str) -> Iterator[tuple[str, str]]:
    """Names behind sizes and inode numbers, with marks, escapes or quotes."""
    prefix = len([letter for letter in options if letter in "si"])
    for cell in cells:
        if "s" in options and _TOTAL.match(cell):
            continue
        text = re.sub(rf"^(?:\s*[\d.,]+[KMGTP]?\s+){{{prefix}}}", "", cell).strip() if prefix else cell
        name, is_folder = _unmarked(text, options)
        name = unquoted(octal_unescaped(name) if "b" in options else name)
        if name.strip():
            yield name, "d" if is_folder else "-"


def _in_columns(texts: list[str], options: str) -> bool:
    """True where a line holds several names: asked for, or tabs, or quoted names side by side."""
    if "1" in options:
        return False
    if "C" in options or "x" in options:
        return True
    return (
        any("\t" in text or _QUOTED_CELLS.search(text) for text in texts)
        or sum("  " in text and _COLUMN_GAP.search(text.strip()) is not None for text in texts) * 2 > len(texts) > 0
    )


def unquoted(name: str) -> str:
    r"""A name without the quotes that ls puts around it.

    >>> unquoted("'a b'"), unquoted('"it\'s"'), unquoted(r'"a\"b"'), unquoted("it's")
    ('a b', "it's", 'a"b', "it's")
    """
    if len(name) < 3 or _QUOTED.match(name) is None:
        return name
    if name[-1] in _MARKS:
        name = name[:-1]
    if name[0] == "'":
        return name[1:-1].replace("'\\''", "'").replace("'$'\\n''", "\n")
    if name[0] == '"':
        return octal_unescaped(name[1:-1])
    return octal_unescaped(name[2:-1])


def octal_unescaped(text: str) -> str:
    r"""The text with its octal and backslash escapes resolved.

    >>> octal_unescaped(r"\346\227\245\ x")
    '日 x'
    """
    if "\\" not in text:
        return text

    def character(match: re.Match[str]) -> str:
        if match.group(1):
            codes = bytes(int(code, 8) & 0xFF for code in match.group(1).split("\\")[1:])
            return codes.decode("utf-8", "replace")
        return {"n": "\n", "t": "\t"}.get(match.group(2), match.group(2))

    return _ESCAPE.sub(character, text)


__all__ = ["ls_entries", "octal_unescaped", "posixpath", "unquoted"]
