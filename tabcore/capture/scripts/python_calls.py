"""The table of Python functions and methods: what each gives when it is handed a path, content or a listing."""

from __future__ import annotations

import ast
import posixpath
from typing import TYPE_CHECKING

from tabcore.capture.patterns import DEEP, STAR, UNKNOWN, from_glob, is_literal
from tabcore.capture.scripts.python_values import (
    NOTHING,
    Data,
    Defined,
    Known,
    Listing,
    Many,
    Opaque,
    Value,
    Writer,
    flat,
    joined,
    looks_like_file,
    merged,
)
from tabcore.capture.shows import contents, printed_names

if TYPE_CHECKING:
    from tabcore.capture.scripts.python_script import Script

COUNTING = frozenset("len sum any all bool hash isinstance type id callable hasattr issubclass".split())
FIGURES = frozenset("int float round abs complex Decimal ord".split())
SAME = frozenset(
    "sorted list set tuple dict str repr enumerate zip map filter reversed iter next max min frozenset bytes bytearray chain "
    "islice deepcopy copy Counter OrderedDict defaultdict deque chr ascii format vars".split()
)
OPENERS = frozenset(
    "open io.open codecs.open gzip.open bz2.open lzma.open aiofiles.open os.open builtins.open tokenize.open smart_open.open".split()
)
SILENT_PATHS = frozenset(
    "exists isfile isdir islink getsize getmtime stat lstat makedirs mkdir remove unlink rmdir rmtree chmod access utime is_file is_dir "
    "append insert add_argument getenv get compile match search findall sub split fullmatch finditer info debug warning error critical "
    "strftime strptime startswith endswith import_module sleep exit which join_thread setdefault basicConfig getLogger relpath touch "
    "is_absolute check_call disk_usage".split()
)
FILE_NAMED = frozenset("Path PurePath PosixPath PurePosixPath".split())
WRITING_METHODS = frozenset(
    "to_csv to_excel to_json to_parquet to_html to_markdown to_pickle to_feather to_latex to_xml to_hdf to_string save savefig write_text "
    "write_bytes write_html write_image tofile savetxt save_as export imwrite imsave output write_csv write_parquet write_json write_excel "
    "extract_to saveAs close_and_save dump_to".split()
)
REDUCING = frozenset(
    "sum mean median std var min max nunique prod quantile sem mad skew kurt idxmax idxmin corr item".split()
)
COUNT_METHODS = frozenset(
    "count index find rfind hexdigest digest fileno tell seek is_dir isdigit isalpha exists is_file startswith endswith any all empty".split()
)
COUNT_ATTRIBUTES = frozenset(
    "shape size ndim st_size st_mtime closed max_row max_column nrows ncols page_count n_pages empty dtype nbytes num_rows num_columns".split()
)


def called(script: Script, node: ast.Call) -> Value:
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
    return _general(script, last, arguments, named)


def opened(script: Script, arguments: list[Value], named: dict[str, Value]) -> Value:
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


def _by_name(script: Script, name: str, last: str, arguments: list[Value], named: dict[str, Value]) -> Value | None:
    if last in FILE_NAMED:
        return _path(arguments)
    if name.startswith("os.path."):
        return _os_path(script, last, arguments)
    if name in ("os.listdir", "os.scandir", "listdir", "scandir"):
        return listing(script, arguments[0] if arguments else Known("."), "os.scandir" if "scandir" in name else "")
    if name in ("os.walk", "walk"):
        return _walk(script, arguments[0] if arguments else Known("."))
    if last in ("glob", "iglob") and name.startswith(("glob.", "pathlib.")):
        return _glob(script, arguments[0] if arguments else NOTHING, named)
    if name == "os.chdir":
        if arguments and isinstance(arguments[0], Known):
            script.shell.cwd = script.shell.path(arguments[0].text)
        return NOTHING
    if name == "os.getcwd" or name == "pathlib.Path.cwd":
        return Known(script.shell.cwd, is_path=True)
    if name.startswith(("shutil.", "os.rename", "os.replace", "os.link", "os.symlink")):
        return _moved(script, last, arguments)
    if name.startswith("subprocess.") or name in ("os.system", "os.popen"):
        return _shell(script, last, arguments, named)
    return _builtin(script, name, last, arguments, named)


def _builtin(script: Script, name: str, last: str, arguments: list[Value], named: dict[str, Value]) -> Value | None:
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
        values = [value for value in arguments if not isinstance(value, Defined)]
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


def _path(arguments: list[Value]) -> Value:
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


def _os_path(script: Script, last: str, arguments: list[Value]) -> Value:
    if last in ("exists", "isfile", "isdir", "getsize", "getmtime", "islink", "samefile"):
        return NOTHING
    path = _path(arguments[:1] if last not in ("join",) else arguments)
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


def listing(script: Script, folder: Value, full: str = "") -> Value:
    """os.listdir, Path.iterdir: entries of a folder, bare or with the folder before them."""
    if not isinstance(folder, Known):
        return NOTHING
    base = script.shell.path(folder.text)
    if full == "iterdir":
        return Listing(script.shell.cwd, (joined(folder.text, STAR) if folder.text not in (".", "") else STAR,))
    return Listing(base, (STAR,), "")


def _walk(script: Script, folder: Value) -> Value:
    if not isinstance(folder, Known):
        return NOTHING
    top = joined(folder.text, "") + DEEP
    return Listing(script.shell.path(folder.text), (STAR,), walk=top)


def _glob(script: Script, pattern: Value, named: dict[str, Value]) -> Value:
    if not isinstance(pattern, Known):
        return NOTHING
    text = from_glob(pattern.text) if is_literal(pattern.text) else pattern.text.replace("**/", DEEP).replace("*", STAR)
    root = named.get("root_dir")
    base = script.shell.path(root.text) if isinstance(root, Known) else script.shell.cwd
    return Listing(base, (text,))


def _moved(script: Script, last: str, arguments: list[Value]) -> Value:
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


def _shell(script: Script, last: str, arguments: list[Value], named: dict[str, Value]) -> Value:
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


def method_or_attribute(
    script: Script, holder: Value, name: str, call: tuple[list[Value], dict[str, Value]] | None
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
            return _of_data(holder, name, arguments)
        case Listing():
            return holder
        case Many(items):
            return _of_many(script, items, name, arguments)
        case Defined() | Writer():
            return holder if isinstance(holder, Writer) and name in ("__enter__", "writer") else NOTHING
        case _:
            return _general(script, name, arguments, named) if call is not None else NOTHING


def _of_many(script: Script, items: tuple[Value, ...], name: str, arguments: list[Value]) -> Value:
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


def _of_path(script: Script, holder: Known, name: str, call: tuple[list[Value], dict[str, Value]] | None) -> Value:
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
            return _moved(script, "rename", [holder, *arguments])
        case "join":
            return _joined_text(holder, arguments)
        case "exists" | "is_file" | "is_dir" | "stat" | "mkdir" | "unlink" | "startswith" | "endswith" | "isdigit":
            return NOTHING
        case _:
            return _part_of_path(script, holder, name, arguments)


def _part_of_path(script: Script, holder: Known, name: str, arguments: list[Value]) -> Value:
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


def _path_glob(script: Script, holder: Known, name: str, arguments: list[Value]) -> Value:
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


def _general(script: Script, last: str, arguments: list[Value], named: dict[str, Value]) -> Value:
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
