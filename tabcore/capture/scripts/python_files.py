"""What Python functions that touch files give: open, os.path, listdir, walk, glob, shutil, subprocess."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from tabcore.capture.patterns import DEEP, STAR, UNKNOWN, from_glob, is_literal, words_of
from tabcore.capture.scripts.python_values import (
    NOTHING,
    Data,
    Known,
    Listing,
    Many,
    Value,
    Writer,
    flat,
    joined,
    looks_like_file,
    merged,
)
from tabcore.capture.shows import contents, printed_names

if TYPE_CHECKING:
    from tabcore.capture.scripts.python_expressions import Expressions

SILENT_PATHS = frozenset(
    words_of(
        "exists isfile isdir islink getsize getmtime stat lstat makedirs mkdir remove unlink rmdir rmtree chmod access utime is_file is_dir "
        "append insert add_argument getenv get compile match search findall sub split fullmatch finditer info debug warning error critical "
        "strftime strptime startswith endswith import_module sleep exit which join_thread setdefault basicConfig getLogger relpath touch "
        "is_absolute check_call disk_usage"
    )
)
WRITING_METHODS = frozenset(
    words_of(
        "to_csv to_excel to_json to_parquet to_html to_markdown to_pickle to_feather to_latex to_xml to_hdf to_string save savefig write_text "
        "write_bytes write_html write_image tofile savetxt save_as export imwrite imsave output write_csv write_parquet write_json write_excel "
        "extract_to saveAs close_and_save dump_to"
    )
)


def opened(script: Expressions, arguments: list[Value], named: dict[str, Value]) -> Value:
    """open(path, mode): content to read, or a file to write."""
    target = named.get("file", arguments[0] if arguments else NOTHING)
    mode = named.get("mode", arguments[1] if len(arguments) > 1 else Known("r"))
    if not isinstance(target, Known):
        return target if isinstance(target, Data) else NOTHING
    path = script.shell.path(target.text)
    letters = mode.text if isinstance(mode, Known) else "r"
    if any(letter in letters for letter in "wax") and len(letters) < 5:
        script.shell.facts.author(path, "python: open(…, 'w') writes a file")
        return Writer(path)
    return Data((path,))


def path_value(arguments: list[Value]) -> Value:
    texts = [value.text for value in arguments if isinstance(value, Known)]
    if not texts or len(texts) < len(arguments):
        return (
            Known(UNKNOWN, is_path=True)
            if arguments and not isinstance(arguments[0], Data)
            else merged(arguments)
            if arguments
            else Known(".", True)
        )
    path = texts[0]
    for text in texts[1:]:
        path = joined(path, text)
    return Known(path, is_path=True)


def os_path_value(script: Expressions, last: str, arguments: list[Value]) -> Value:
    if last in ("exists", "isfile", "isdir", "getsize", "getmtime", "islink", "samefile"):
        return NOTHING
    path = path_value(arguments[:1] if last not in ("join",) else arguments)
    if not isinstance(path, Known):
        return path
    match last:
        case "basename":
            return Known(posixpath.basename(path.text), is_path=True)
        case "dirname":
            return Known(posixpath.dirname(path.text), is_path=True)
        case "abspath" | "realpath":
            return Known(script.shell.path(path.text), is_path=True)
        case "expanduser":
            return Known(
                script.shell.facts.workspace.home + path.text[1:] if path.text.startswith("~") else path.text, True
            )
        case "splitext":
            stem, ending = posixpath.splitext(path.text)
            return Many((Known(stem), Known(ending)))
        case "split":
            head, tail = posixpath.split(path.text)
            return Many((Known(head), Known(tail)))
        case _:
            return path


def listing(script: Expressions, folder: Value, full: str = "") -> Value:
    """os.listdir, Path.iterdir: entries of a folder, bare or with the folder before them."""
    if not isinstance(folder, Known):
        return NOTHING
    base = script.shell.path(folder.text)
    if full == "iterdir":
        return Listing(script.shell.cwd, (joined(folder.text, STAR) if folder.text not in (".", "") else STAR,))
    return Listing(base, (STAR,), "")


def walk_value(script: Expressions, folder: Value) -> Value:
    if not isinstance(folder, Known):
        return NOTHING
    top = joined(folder.text, "") + DEEP
    return Listing(script.shell.path(folder.text), (STAR,), walk=top)


def glob_value(script: Expressions, pattern: Value, named: dict[str, Value]) -> Value:
    if not isinstance(pattern, Known):
        return NOTHING
    text = from_glob(pattern.text) if is_literal(pattern.text) else pattern.text.replace("**/", DEEP).replace("*", STAR)
    root = named.get("root_dir")
    base = script.shell.path(root.text) if isinstance(root, Known) else script.shell.cwd
    return Listing(base, (text,))


def moved_value(script: Expressions, last: str, arguments: list[Value]) -> Value:
    texts = [value.text for value in arguments[:2] if isinstance(value, Known)]
    if len(texts) < 2 or last in ("rmtree", "which", "disk_usage"):
        return NOTHING
    facts, shell = script.shell.facts, script.shell
    source, target = shell.path(texts[0]), shell.path(texts[1])
    if texts[1].endswith("/") or facts.is_folder(target):
        target = posixpath.join(target, posixpath.basename(source))
    if last in ("move", "rename", "replace"):
        facts.move(source, target, f"python: {last} gives the file a new path")
    elif last in ("copy", "copy2", "copyfile", "copyfileobj", "link", "symlink"):
        facts.author(
            target, f"python: shutil.{last} writes a copy", shell.content([texts[0]], "python: copies content")
        )
    elif last == "make_archive":
        facts.author(target + ".zip", "python: writes an archive")
    return Known(target, is_path=True)


def shell_value(script: Expressions, last: str, arguments: list[Value], named: dict[str, Value]) -> Value:
    """A command that the script runs: its output is shown, or caught."""
    from tabcore.capture.programs.wrappers import in_shell

    command = arguments[0] if arguments else named.get("args", NOTHING)
    cwd = named.get("cwd")
    shell = script.shell.child()
    if isinstance(cwd, Known):
        shell.cwd = shell.path(cwd.text)
    if isinstance(command, Known) and is_literal(command.text):
        stream = in_shell(shell, command.text, None)
    elif isinstance(command, Many) and command.items and all(isinstance(item, Known) for item in command.items):
        stream = shell.run([item.text for item in command.items if isinstance(item, Known)], shell, None)
    else:
        return NOTHING
    if last in ("system", "call", "check_call") or (
        last in ("run", "Popen") and not {"capture_output", "stdout"} & set(named)
    ):
        script.shows += stream
        return NOTHING
    paths = tuple(path for content in contents(stream) for path in content.paths)
    if paths:
        return Data(paths)
    names = printed_names(stream)
    return Listing(shell.cwd, names) if names else NOTHING


def general(script: Expressions, last: str, arguments: list[Value], named: dict[str, Value]) -> Value:
    """A function that no row knows: content stays content; a literal path that it is given is taken to be opened."""
    values = [*arguments, *named.values()]
    data = merged([value for value in flat(values) if isinstance(value, Data | Listing)])
    if isinstance(data, Data | Listing):
        return data
    if last in SILENT_PATHS or last in WRITING_METHODS:
        return NOTHING
    mode = next(
        (
            value.text
            for value in arguments[1:]
            if isinstance(value, Known) and value.text in ("w", "a", "x", "wb", "w:gz", "ab")
        ),
        "",
    )
    if isinstance(named.get("mode"), Known) and not mode:
        mode = named["mode"].text if isinstance(named["mode"], Known) else ""
    for value in values:
        if isinstance(value, Known) and (
            looks_like_file(value.text) or (value.is_path and not value.text.startswith(UNKNOWN))
        ):
            path = script.shell.path(value.text)
            if mode[:1] in ("w", "a", "x") and mode:
                script.shell.facts.author(path, f"python: {last}(…, '{mode}') writes a file")
                return Writer(path)
            if (
                last.endswith(("Writer", "Workbook", "FileHandler"))
                and last != "load_workbook"
                and "Reader" not in last
            ):
                script.shell.facts.author(path, f"python: {last} writes a file")
                return Writer(path)
            return Data((path,))
    return NOTHING
