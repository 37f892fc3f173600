"""What a value in a Python script is to capture."""

from __future__ import annotations

import ast
import posixpath
from dataclasses import dataclass, field
from typing import Literal

from tabcore.capture.patterns import DEEP, UNKNOWN, is_literal

Kind = Literal["content", "number", "count"]
"""content: text of the files can be seen in it · number: one figure of them · count: a result that was computed."""


@dataclass(frozen=True, slots=True)
class Known:
    """A string or path, as a pattern."""

    text: str
    is_path: bool = False


@dataclass(frozen=True, slots=True)
class Data:
    """Something that was made from files. `column`: one column or row, so that its sum is a single figure."""

    paths: tuple[str, ...]
    kind: Kind = "content"
    column: bool = False
    grouped: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """Names of files: patterns as they would be printed, relative to `base`. `walk`: what os.walk gives."""

    base: str
    printed: tuple[str, ...]
    walk: str = ""


@dataclass(frozen=True, slots=True)
class Many:
    """A list or tuple of known length."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Writer:
    """A file that was opened for writing."""

    path: str


@dataclass(frozen=True, slots=True)
class Defined:
    """A function of the script."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True)
class Opaque:
    """Anything else."""

    number: bool = field(default=False)


Value = Known | Data | Listing | Many | Writer | Defined | Opaque

NOTHING = Opaque()


def merged(values: list[Value]) -> Value:
    """One value for all: content where any is content; a listing, a known list, or nothing of interest."""
    opened = flat(values)
    data = [value for value in opened if isinstance(value, Data)]
    if data:
        paths = tuple(dict.fromkeys(path for value in data for path in value.paths))
        kinds = {value.kind for value in data}
        kind: Kind = "content" if "content" in kinds else "number" if "number" in kinds else "count"
        return Data(paths, kind, all(value.column for value in data), any(value.grouped for value in data))
    listings = [value for value in opened if isinstance(value, Listing)]
    if listings:
        printed = tuple(dict.fromkeys(name for value in listings for name in value.printed))
        return Listing(listings[0].base, printed, listings[0].walk)
    known = [value for value in values if isinstance(value, Known | Many)]
    if len(known) == 1:
        return known[0]
    return Many(tuple(known)) if known else NOTHING


def flat(values: list[Value]) -> list[Value]:
    """The values, with lists opened."""
    found: list[Value] = []
    for value in values:
        if isinstance(value, Many):
            found += flat(list(value.items))
        else:
            found.append(value)
    return found


def items_of(value: Value) -> list[Value]:
    """What iterating over a value gives: each known item, or one that stands for all."""
    match value:
        case Many(items):
            return list(items)
        case Data(paths, kind, _, grouped):
            return [Data(paths, kind, column=True, grouped=grouped)]
        case Listing(_, printed):
            return [Known(name, is_path=True) for name in printed]
        case _:
            return [NOTHING]


def joined(left: str, right: str) -> str:
    """os.path.join on patterns.

    >>> joined("a", "b.txt"), joined("a/" + DEEP, "b") == "a/" + DEEP + "b"
    ('a/b.txt', True)
    """
    return left + right if left.endswith(DEEP) and not right.startswith("/") else posixpath.join(left, right)


def text_of(value: Value) -> str:
    """The value as printed text, a pattern."""
    match value:
        case Known(text):
            return text.replace(DEEP + "/", DEEP)
        case _:
            return UNKNOWN


_LONG_ENDINGS = frozenset(
    [".sqlite", ".sqlite3", ".parquet", ".geojson", ".feather", ".jsonlines", ".markdown", ".duckdb"]
)


def looks_like_file(text: str) -> bool:
    """True for a literal that may well name a file: an ending, no line break, no pattern of another kind.

    >>> looks_like_file("a b/c.xlsx"), looks_like_file("%d.%m"), looks_like_file("Total: 3.5")
    (True, False, False)
    """
    if not is_literal(text) or not 2 < len(text) < 300 or any(c in text for c in "\n<>|%{}()=;"):
        return False
    name = posixpath.basename(text)
    stem, ending = posixpath.splitext(name)
    return (
        bool(stem)
        and (1 < len(ending) <= 6 or ending.lower() in _LONG_ENDINGS)
        and ending[1:].isalnum()
        and not ending[1:].isdecimal()
        and not name.endswith(" ")
    )
