"""The table of Python functions: what each gives when it is handed a path, content or a listing."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tabcore.capture.patterns import words_of
from tabcore.capture.scripts.python_files import (
    WRITING_METHODS,
    general,
    glob_value,
    listing,
    moved_value,
    opened,
    os_path_value,
    path_value,
    shell_value,
    walk_value,
)
from tabcore.capture.scripts.python_methods import method_or_attribute
from tabcore.capture.scripts.python_values import (
    NOTHING,
    Data,
    Defined,
    Known,
    Opaque,
    Value,
    Writer,
    flat,
    merged,
)

if TYPE_CHECKING:
    from tabcore.capture.scripts.python_expressions import Expressions

COUNTING = frozenset(words_of("len sum any all bool hash isinstance type id callable hasattr issubclass"))
FIGURES = frozenset(words_of("int float round abs complex Decimal ord"))
SAME = frozenset(
    words_of(
        "sorted list set tuple dict str repr enumerate zip map filter reversed iter next max min frozenset bytes bytearray chain "
        "islice deepcopy copy Counter OrderedDict defaultdict deque chr ascii format vars"
    )
)
OPENERS = frozenset(
    words_of(
        "open io.open codecs.open gzip.open bz2.open lzma.open aiofiles.open os.open builtins.open tokenize.open smart_open.open"
    )
)
FILE_NAMED = frozenset(words_of("Path PurePath PosixPath PurePosixPath"))


def called(script: Expressions, node: ast.Call) -> Value:
    """What a call gives; what it prints and writes is noted in the script."""
    name = script.dotted(node.func)
    last = name.rpartition(".")[2]
    arguments = [script.value(argument) for argument in node.args]
    named = {keyword.arg or "": script.value(keyword.value) for keyword in node.keywords}
    if name in script.names and isinstance(function := script.names[name], Defined):
        return script.call_defined(function, arguments, named)
    if name in ("print", "pprint", "pprint.pprint", "display", "pp", "rich.print", "logging.info", "logging.warning"):
        if isinstance(named.get("file"), Writer):
            return NOTHING
        script.printed(arguments or [Known("")])
        return NOTHING
    if name in ("sys.stdout.write", "sys.stderr.write", "sys.stdout.writelines", "sys.stdout.buffer.write"):
        script.printed(arguments)
        return NOTHING
    if name in OPENERS or name == "open":
        return opened(script, arguments, named)
    special = _by_name(script, name, last, arguments, named)
    if special is not None:
        return special
    if isinstance(node.func, ast.Attribute):
        if last in ("append", "extend", "add", "update", "insert", "appendleft", "writerow", "writerows"):
            script.absorb(node.func.value, arguments)
        holder = script.value(node.func.value)
        if not isinstance(holder, Opaque) or not name or last in WRITING_METHODS:
            return method_or_attribute(script, holder, node.func.attr, (arguments, named))
    return general(script, last, arguments, named)


def _by_name(
    script: Expressions, name: str, last: str, arguments: list[Value], named: dict[str, Value]
) -> Value | None:
    if last in FILE_NAMED:
        return path_value(arguments)
    if name.startswith("os.path."):
        return os_path_value(script, last, arguments)
    if name in ("os.listdir", "os.scandir", "listdir", "scandir"):
        return listing(script, arguments[0] if arguments else Known("."), "os.scandir" if "scandir" in name else "")
    if name in ("os.walk", "walk"):
        return walk_value(script, arguments[0] if arguments else Known("."))
    if last in ("glob", "iglob") and name.startswith(("glob.", "pathlib.")):
        return glob_value(script, arguments[0] if arguments else NOTHING, named)
    if name.startswith("linecache.get"):
        return opened(script, arguments[:1], {})
    if name == "os.chdir":
        if arguments and isinstance(arguments[0], Known):
            script.shell.cwd = script.shell.path(arguments[0].text)
        return NOTHING
    if name in ("os.stat", "os.lstat", "os.access"):
        return NOTHING
    if name == "os.getcwd" or name == "pathlib.Path.cwd":
        return Known(script.shell.cwd, is_path=True)
    if name.startswith(("shutil.", "os.rename", "os.replace", "os.link", "os.symlink")):
        return moved_value(script, last, arguments)
    if name.startswith("subprocess.") or name in ("os.system", "os.popen"):
        return shell_value(script, last, arguments, named)
    return _builtin(script, name, last, arguments, named)


def _builtin(
    script: Expressions, name: str, last: str, arguments: list[Value], named: dict[str, Value]
) -> Value | None:
    if name in COUNTING:
        made = merged(arguments)
        if name == "sum" and isinstance(made, Data) and made.kind == "content" and not made.column:
            return Data(made.paths, "count")
        return Data(made.paths, "count") if isinstance(made, Data) else NOTHING
    if name.startswith(("hashlib.", "zlib.crc32")):
        made = merged(arguments)
        return Data(made.paths, "count") if isinstance(made, Data) else NOTHING
    if last in FIGURES and "." not in name:
        made = merged(arguments)
        return Data(made.paths, "count" if made.kind == "count" else "number") if isinstance(made, Data) else NOTHING
    if last in SAME and name.rpartition(".")[0] in ("", "collections", "itertools", "copy"):
        values: list[Value] = [value for value in arguments if not isinstance(value, Defined)]
        if last == "map" and arguments and isinstance(arguments[0], Defined):
            return script.call_defined(arguments[0], [merged(values)], {})
        return values[0] if len(values) == 1 else merged(values)
    if name == "fileinput.input":
        paths = [value.text for value in flat(arguments) if isinstance(value, Known)]
        return Data(tuple(map(script.shell.path, paths))) if paths else script.stdin
    if name == "input":
        return script.stdin
    if name in ("json.dump", "pickle.dump", "yaml.dump", "csv.writer", "csv.DictWriter"):
        target = (
            arguments[0 if name.startswith("csv") else 1]
            if len(arguments) > (0 if name.startswith("csv") else 1)
            else NOTHING
        )
        if not isinstance(target, Writer) and len(arguments) > 1 and name.startswith("json"):
            script.printed(arguments[:1])
        return target if isinstance(target, Writer) else merged(arguments)
    return None
