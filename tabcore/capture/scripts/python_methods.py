"""Methods and attributes in a Python script: of paths, of content, of lists."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from tabcore.capture.patterns import DEEP, UNKNOWN, from_glob, is_literal, words_of
from tabcore.capture.scripts.python_files import (
    WRITING_METHODS,
    general,
    listing,
    moved_value,
    opened,
)
from tabcore.capture.scripts.python_values import (
    NOTHING,
    Data,
    Defined,
    Known,
    Listing,
    Many,
    Value,
    Writer,
    flat,
    joined,
    merged,
)

if TYPE_CHECKING:
    from tabcore.capture.scripts.python_expressions import Expressions

REDUCING = frozenset(
    words_of("sum mean median std var min max nunique prod quantile sem mad skew kurt idxmax idxmin corr item")
)
COUNT_METHODS = frozenset(
    words_of(
        "count index find rfind hexdigest digest fileno tell seek is_dir isdigit isalpha exists is_file startswith endswith any all empty"
    )
)
ELEMENT_PARTS = frozenset(
    words_of(
        "text tail attrib tag get findall findtext iter iterfind itertext find_all find_next get_text string strings stripped_strings select "
        "select_one contents children attrs parent getparent"
    )
)
"""What an element has and a number has not: `find` of a text gives a place in it, `find` of a document an element."""
COUNT_ATTRIBUTES = frozenset(
    words_of(
        "shape size ndim mode st_size st_mtime closed max_row max_column nrows ncols page_count n_pages empty dtype nbytes num_rows num_columns"
    )
)


def method_or_attribute(
    script: Expressions, holder: Value, name: str, call: tuple[list[Value], dict[str, Value]] | None
) -> Value:
    """`holder.name` or `holder.name(…)`."""
    arguments, named = call if call is not None else ([], {})
    if name in WRITING_METHODS and call is not None:
        target = (
            arguments[0]
            if arguments
            else next(
                (named[key] for key in ("path_or_buf", "excel_writer", "path", "fname", "filename") if key in named),
                NOTHING,
            )
        )
        if isinstance(target, Known) and not (
            name in ("write_text", "write_bytes", "to_string", "to_markdown") and isinstance(holder, Known)
        ):
            script.shell.facts.author(script.shell.path(target.text), f"python: {name} writes a file")
            return NOTHING
    match holder:
        case Known():
            return _of_path(script, holder, name, call)
        case Data():
            if holder.kind == "count" and name in ELEMENT_PARTS:
                holder = Data(holder.paths)
            if call is None and name not in COUNT_ATTRIBUTES:
                return Data(holder.paths, holder.kind, column=True, grouped=holder.grouped)
            return _of_data(holder, name, arguments)
        case Listing():
            return holder
        case Many(items):
            return _of_many(script, items, name, arguments)
        case Defined() | Writer():
            return holder if isinstance(holder, Writer) and name in ("__enter__", "writer") else NOTHING
        case _:
            return general(script, name, arguments, named) if call is not None else NOTHING


def _of_many(script: Expressions, items: tuple[Value, ...], name: str, arguments: list[Value]) -> Value:
    data = merged(list(items))
    if name in COUNT_METHODS:
        return NOTHING
    if name in ("items", "values", "keys", "copy", "get", "pop"):
        return data if isinstance(data, Data) else Many(items)
    if name in ("read", "readlines", "readline", "splitlines", "split"):
        return Many(items)
    return merged([data, *arguments]) if isinstance(data, Data | Listing) else NOTHING


def _of_data(holder: Data, name: str, arguments: list[Value]) -> Value:
    if name in COUNT_ATTRIBUTES or name in COUNT_METHODS:
        return Data(holder.paths, "count")
    if name in ("groupby", "pivot_table", "pivot", "value_counts", "agg", "resample", "crosstab"):
        return Data(holder.paths, "content", grouped=True)
    if name in REDUCING and not holder.grouped:
        return Data(holder.paths, "count") if holder.column else holder
    extra = merged([value for value in arguments if isinstance(value, Data)])
    return merged([holder, extra]) if isinstance(extra, Data) else holder


def _of_path(script: Expressions, holder: Known, name: str, call: tuple[list[Value], dict[str, Value]] | None) -> Value:
    arguments, named = call if call is not None else ([], {})
    path = script.shell.path(holder.text)
    match name:
        case "read_text" | "read_bytes":
            return Data((path,))
        case "open":
            return opened(script, [holder, *arguments], named)
        case "write_text" | "write_bytes" | "touch":
            script.shell.facts.author(path, f"python: {name} writes a file")
            return NOTHING
        case "iterdir":
            return listing(script, holder, "iterdir")
        case "glob" | "rglob":
            return _path_glob(script, holder, name, arguments)
        case "rename" | "replace" if len(arguments) == 1:
            return moved_value(script, "rename", [holder, *arguments])
        case "join":
            return _joined_text(holder, arguments)
        case "exists" | "is_file" | "is_dir" | "stat" | "mkdir" | "unlink" | "startswith" | "endswith" | "isdigit":
            return NOTHING
        case _:
            return _part_of_path(script, holder, name, arguments)


def _part_of_path(script: Expressions, holder: Known, name: str, arguments: list[Value]) -> Value:
    text = holder.text
    match name:
        case "name" | "path":
            return Known(posixpath.basename(text) if name == "name" and "/" in text else text, is_path=True)
        case "stem":
            return Known(posixpath.splitext(posixpath.basename(text))[0], is_path=True)
        case "suffix":
            return Known(posixpath.splitext(text)[1])
        case "parent":
            return Known(posixpath.dirname(text) or ".", is_path=True)
        case "with_suffix" if arguments and isinstance(arguments[0], Known):
            return Known(posixpath.splitext(text)[0] + arguments[0].text, is_path=True)
        case "with_name" | "joinpath" if arguments and isinstance(arguments[0], Known):
            return Known(
                joined(posixpath.dirname(text) if name == "with_name" else text, arguments[0].text), is_path=True
            )
        case "resolve" | "absolute":
            return Known(script.shell.path(text), is_path=True)
        case "replace" if len(arguments) == 2 and all(isinstance(a, Known) for a in arguments):
            old, new = (a.text for a in arguments if isinstance(a, Known))
            return Known(text.replace(old, new), holder.is_path)
        case "format":
            return merged(arguments) if any(isinstance(a, Data | Listing) for a in arguments) else Known(UNKNOWN)
        case "split" | "splitlines" if is_literal(text):
            separator = arguments[0].text if arguments and isinstance(arguments[0], Known) else None
            return Many(
                tuple(
                    Known(part)
                    for part in (text.split(separator or None) if name == "split" else text.splitlines())[:60]
                )
            )
        case (
            "strip"
            | "rstrip"
            | "lstrip"
            | "encode"
            | "decode"
            | "as_posix"
            | "__str__"
            | "lower"
            | "upper"
            | "expanduser"
            | "removeprefix"
            | "relative_to"
            | "title"
        ):
            return holder
        case _:
            return Known(UNKNOWN)


def _path_glob(script: Expressions, holder: Known, name: str, arguments: list[Value]) -> Value:
    pattern = arguments[0].text if arguments and isinstance(arguments[0], Known) else "*"
    if is_literal(pattern):
        pattern = from_glob(pattern)
    inner = DEEP + pattern if name == "rglob" else pattern
    folder = "" if holder.text in (".", "") else joined(holder.text, "")
    return Listing(script.shell.cwd, (folder + inner,))


def _joined_text(holder: Known, arguments: list[Value]) -> Value:
    """`"\\n".join(values)`."""
    made = merged(arguments)
    if isinstance(made, Data | Listing):
        return made
    texts = [value.text for value in flat(arguments) if isinstance(value, Known)]
    return Known(holder.text.join(texts))
