"""Built-in commands of the shell: where it is, what it holds, what it says."""

from __future__ import annotations

import posixpath
import re

from tabcore.capture.evaluation import spoken
from tabcore.capture.patterns import UNKNOWN, from_glob, is_literal, is_unknown
from tabcore.capture.programs.call import Call, Row
from tabcore.capture.shell_state import Shell
from tabcore.capture.shell_words import ansi_c
from tabcore.capture.shows import Content, Names, Noise, Stream, Text, literal_text


def cd(call: Call) -> Stream:
    """cd: changes the folder unless the observation shows that it failed; `cd -` prints it."""
    shell = call.shell
    operands = [word for word in call.arguments if word == "-" or not word.startswith("-")]
    target = operands[0] if operands else shell.facts.workspace.home
    if target == "-":
        shell.cwd, shell.previous = shell.previous or shell.cwd, shell.cwd
        shell.facts.status = True
        return (Text(shell.cwd + "\n", "cd -: prints the folder"),)
    return _enter(shell, target)


def _enter(shell: Shell, target: str) -> Stream:
    if target in shell.facts.errors.failed_folders:
        shell.facts.status = False
        return ()
    shell.facts.status = True
    folder = shell.path(target)
    if not is_literal(target):
        matching = [path for path in shell.facts.workspace.directories if is_literal(path) and _fits(folder, path)]
        if len(matching) != 1:
            return ()
        folder = matching[0]
    shell.previous, shell.cwd = shell.cwd, folder
    shell.facts.folders.add(folder)
    return ()


def _fits(pattern: str, path: str) -> bool:
    from tabcore.capture.patterns import matches

    return matches(pattern, path)


def pushd(call: Call) -> Stream:
    """pushd: cd that remembers; it prints the stack."""
    operands = [word for word in call.arguments if not word.startswith(("-", "+"))]
    if not operands:
        return (Noise("pushd: the stack of folders", 1),)
    before = call.shell.cwd
    _enter(call.shell, operands[0])
    if call.shell.facts.status:
        call.shell.stack.append(before)
    return (Noise("pushd: the stack of folders", 1),)


def popd(call: Call) -> Stream:
    """popd: back to the folder before."""
    if call.shell.stack:
        call.shell.previous, call.shell.cwd = call.shell.cwd, call.shell.stack.pop()
    return (Noise("popd: the stack of folders", 1),)


def pwd(call: Call) -> Stream:
    """pwd: one line, a folder."""
    call.shell.facts.status = True
    return (Text(call.shell.cwd + "\n", "pwd: the folder"),)


def echo(call: Call) -> Stream:
    """echo: its words; globs among them are a listing; what substitutions put in is shown."""
    words = list(call.arguments)
    escapes = False
    ends = "\n"
    while words and re.fullmatch(r"-[neE]+", words[0]):
        option = words.pop(0)
        escapes = escapes or "e" in option
        ends = "" if "n" in option else ends
    call.shell.facts.status = True
    if any(not is_literal(word) and not is_unknown(word) for word in words) and len(words) <= 40:
        return _globs(call, words, ends)
    text = " ".join(words)
    return spoken((ansi_c(text) if escapes and "\\" in text else text) + ends, call.shell)


def _globs(call: Call, words: list[str], ends: str) -> Stream:
    """Globs that echo expands; with text around them they are a pattern of one line."""
    bare = [word for word in words if not is_literal(word)]
    if len(bare) == len(words) and not any(re.search(r"\s", word) for word in words):
        folders = all(word.endswith("/") for word in words)
        return (Names(call.shell.cwd, "words", "echo: names that a glob gives", tuple(words), only_folders=folders),)
    return spoken(" ".join(words) + ends, call.shell)


def printf(call: Call) -> Stream:
    """printf: its format, filled; `printf '%s\\n' *` is a listing."""
    words = call.arguments
    if words[:1] == ["-v"]:
        return ()
    if words[:1] == ["--"]:
        words = words[1:]
    if not words:
        return ()
    layout, values = ansi_c(words[0]) if "\\" in words[0] else words[0], words[1:]
    call.shell.facts.status = True
    if (
        values
        and all(not is_literal(value) and not is_unknown(value) for value in values)
        and layout in ("%s\n", "%s ", "%s")
    ):
        form = "plain" if layout == "%s\n" else "words"
        return (Names(call.shell.cwd, form, "printf: names that a glob gives", tuple(values)),)
    return spoken(_filled(layout, values), call.shell)


def _filled(layout: str, values: list[str]) -> str:
    """The format with its values in place, repeated while values last."""
    holes = len(re.findall(r"%[-+ 0-9.*]*[a-zA-Z]", layout.replace("%%", "")))
    rest = list(values)
    pieces: list[str] = []
    for _ in range(max(1, -(-len(rest) // holes) if holes else 1)):
        pieces.append(re.sub(r"%%|%[-+ 0-9.*]*([a-zA-Z])", lambda m: _value(m, rest), layout))
    return "".join(pieces[:200])


def _value(match: re.Match[str], rest: list[str]) -> str:
    if match.group() == "%%":
        return "%"
    value = rest.pop(0) if rest else ""
    return value if match.group(1) in "sb" and match.group() in ("%s", "%b") else (UNKNOWN if value else "")


def export(call: Call) -> Stream:
    """export, declare, local, readonly: assignments."""
    for word in call.arguments:
        name, equals, value = word.partition("=")
        if equals and name.isidentifier():
            call.shell.variables[name] = [value]
    call.shell.facts.status = True
    return ()


def set_(call: Call) -> Stream:
    """set: options, and with `--` the positional parameters."""
    if "--" in call.arguments:
        call.shell.arguments = call.arguments[call.arguments.index("--") + 1 :]
    call.shell.facts.status = True
    return ()


def shift(call: Call) -> Stream:
    """shift: drops positional parameters."""
    count = (
        int(call.arguments[0]) if call.arguments and call.arguments[0].isdecimal() and len(call.arguments[0]) < 4 else 1
    )
    del call.shell.arguments[:count]
    return ()


def read(call: Call) -> Stream:
    """read, mapfile: the input goes into variables; echoing them shows it."""
    from tabcore.capture.expansion import marked

    array = call.name in ("mapfile", "readarray")
    parsed = call.parsed("d n O s u C c" if array else "d n t u p N i a")
    names = [word for word in [*parsed.operands, *parsed.values("a")] if word.isidentifier()]
    stdin = call.stdin
    descriptor = parsed.value("u")
    if descriptor is not None and descriptor.isdecimal() and len(descriptor) < 4:
        stdin = call.shell.inputs.get(int(descriptor))
    value = UNKNOWN
    if stdin is not None:
        text = literal_text(stdin)
        value = text.strip("\n") if text is not None and is_literal(text) else marked(stdin, call.shell)
    targets = names or (["MAPFILE"] if array else ["REPLY"])
    for name in targets:
        call.shell.variables[name] = (
            value.split("\n") if array and is_literal(value) else [value] * (50 if array else 1)
        )
    return ()


def test(call: Call) -> Stream:
    """test, [, [[: shows nothing; whether a file is there may be known."""
    words = [word for word in call.arguments if word not in ("]", "]]", "[", "[[")]
    facts = call.shell.facts
    facts.status = None
    if len(words) == 2 and words[0] in ("-f", "-e", "-r", "-s", "-d") and is_literal(words[1]):
        path = call.path(words[1])
        if facts.is_there(path) and words[0] != "-s" and facts.is_folder(path) == (words[0] == "-d"):
            facts.status = True
    return ()


def true(call: Call) -> Stream:
    """true, and `:`."""
    call.shell.facts.status = True
    return ()


def false(call: Call) -> Stream:
    """false."""
    call.shell.facts.status = False
    return ()


def compgen(call: Call) -> Stream:
    """compgen -G: names that a glob gives; -f, -d by prefix."""
    parsed = call.parsed("G W P S X A")
    glob = parsed.value("G")
    if glob is not None:
        return (Names(call.shell.cwd, "plain", "compgen -G: names that a glob gives", (from_glob(glob),)),)
    return (Names(call.shell.cwd, "plain", "compgen: names"),) if parsed.has("f", "d") else (Noise("compgen: words"),)


def basename(call: Call) -> Stream:
    """basename, dirname: a part of the path's text."""
    parsed = call.parsed("s suffix")
    operands, suffix = parsed.operands, parsed.value("s", "suffix") or ""
    if len(operands) == 2 and not parsed.has("a", "multiple"):
        operands, suffix = operands[:1], operands[1]
    if call.name == "dirname":
        return tuple(Text((posixpath.dirname(word) or ".") + "\n", "dirname: a part of the path") for word in operands)
    names = [posixpath.basename(word.rstrip("/")).removesuffix(suffix) for word in operands]
    return tuple(Text(name + "\n", "basename: a part of the path") for name in names)


def seq(call: Call) -> Stream:
    """seq: whole numbers, one a line."""
    numbers = [int(word) for word in call.arguments if re.fullmatch(r"-?\d{1,9}", word)]
    if not numbers or len(numbers) != len(call.arguments) or len(numbers) > 3:
        return (Noise("seq: numbers"),)
    first = numbers[0] if len(numbers) > 1 else 1
    step = numbers[1] if len(numbers) == 3 else 1
    values = range(first, numbers[-1] + (1 if step > 0 else -1), step or 1)
    return (Text("".join(f"{value}\n" for value in values[:500]), "seq: numbers"),)


def job(call: Call) -> Stream:
    """wait, jobs: nothing of files."""
    return ()


def history_of_content(stream: Stream) -> bool:
    """True when the stream holds a file's content."""
    return any(isinstance(show, Content) for show in stream)


ROWS: dict[str, Row] = {
    "cd": cd,
    "chdir": cd,
    "pushd": pushd,
    "popd": popd,
    "pwd": pwd,
    "echo": echo,
    "print": echo,
    "printf": printf,
    **dict.fromkeys(["export", "declare", "typeset", "local", "readonly"], export),
    "set": set_,
    "shift": shift,
    **dict.fromkeys(["read", "mapfile", "readarray"], read),
    **dict.fromkeys(["test", "[", "[["], test),
    "true": true,
    ":": true,
    "false": false,
    "compgen": compgen,
    "basename": basename,
    "dirname": basename,
    "wait": job,
    "seq": seq,
    "dirs": lambda call: (Noise("dirs: the stack of folders", 1),),
}
