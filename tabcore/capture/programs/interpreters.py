"""Programs that run code: python, node, perl, ruby, awk, php, R."""

from __future__ import annotations

import re
from dataclasses import replace

from tabcore.capture.evaluation import evaluate
from tabcore.capture.patterns import is_literal
from tabcore.capture.programs.call import Call, Row
from tabcore.capture.programs.tabular_data import reduced
from tabcore.capture.scripts.literal_paths import script_shows
from tabcore.capture.scripts.python_script import python_shows
from tabcore.capture.shell import parse
from tabcore.capture.shows import Content, Names, Noise, Stream, Text, Undecided, literal_text, mangled

_UNSEEN = "runs a script whose text was not seen"
_ONLY_PATHS = "a script that was not seen; its output is nothing but paths"


def python(call: Call) -> Stream:
    """python: -c code, -m module, a script file, code on standard input."""
    words = list(call.arguments)
    while words and words[0].startswith("-") and words[0] not in ("-", "-c", "-m"):
        option = words.pop(0)
        if option in ("-W", "-X") and words:
            words.pop(0)
        elif option in ("-V", "--version", "-VV", "-h", "--help"):
            return (Noise("python: about itself", 1),)
        elif re.fullmatch(r"-[a-zA-Z]*[cm]", option):
            words.insert(0, "-" + option[-1])
            break
    if words[:1] == ["-c"]:
        return _code(call, words[1] if len(words) > 1 else "", ["-c", *words[2:]])
    if words[:1] == ["-m"]:
        return _module(call, words[1:])
    if not words or words[0] == "-":
        text = literal_text(call.input())
        if text is None:
            return (Undecided("", "python: the code comes from a pipe"),) if call.input() else ()
        return _code(Call(call.name, call.arguments, call.shell), text, ["-", *words[1:]])
    text = call.shell.facts.script(call.path(words[0]))
    if text is not None:
        return _code(call, text, words)
    return unseen(call, f"{words[0]}: {_UNSEEN}")


def _code(call: Call, code: str, arguments: list[str]) -> Stream:
    if not is_literal(code):
        return (Undecided("", "python: the code is not known"),)
    shown = python_shows(code, call.shell, call.stdin, arguments)
    if shown is None:
        return script_shows(code, call.shell, call.stdin, "python")
    return shown


def _module(call: Call, words: list[str]) -> Stream:
    """python -m: json.tool shows, others are tools."""
    module, rest = (words[0], words[1:]) if words else ("", [])
    if module == "json.tool":
        operands = [word for word in rest if not word.startswith("-") and not word.isdecimal()]
        if len(operands) > 1:
            call.shell.facts.author(call.path(operands[1]), "json.tool: writes its second operand")
            return ()
        return call.content(operands, "json.tool: takes content") if operands else call.input()
    if module in ("markitdown", "docx2txt", "pdfplumber", "html2text", "xlsx2csv", "calendar", "pdfminer", "csvkit"):
        return call.run([module, *rest], call.stdin)
    if module in ("zipfile", "tarfile") and rest[:1] in (["-l"], ["--list"]):
        return (Noise(f"{module} -l: members are no files of the workspace"),)
    return (Noise(f"python -m {module}: a tool's report"),)


def unseen(call: Call, reason: str) -> Stream:
    """A script whose text was not seen: where its output is nothing but paths they are a listing, else undecided."""
    return (Names(call.shell.cwd, "paths", _ONLY_PATHS), Undecided("", reason))


def script(call: Call, path: str, text: str, arguments: list[str]) -> Stream:
    """A script file that the agent wrote, run by its first line or its ending."""
    first = text.split("\n", 1)[0]
    if path.endswith(".py") or "python" in first:
        return _code(call, text, [path, *arguments])
    if path.endswith((".js", ".mjs", ".ts", ".rb", ".pl")) or any(name in first for name in ("node", "perl", "ruby")):
        return script_shows(text, call.shell, call.stdin, "script")
    shell = call.shell.child()
    shell.arguments = arguments
    return evaluate(parse(text), shell, call.stdin)


def other_language(name: str, code_options: str, values: str = "") -> Row:
    """node, ruby, php and their like: code given by an option, a file or the input."""
    wanted = tuple(code_options.split())

    def row(call: Call) -> Stream:
        words = call.arguments
        for position, word in enumerate(words[:-1]):
            if word in wanted:
                return script_shows(words[position + 1], call.shell, call.stdin, name, words[position + 2 :])
        if call.parsed(values).has("version", "v", "help"):
            return (Noise(f"{name}: about itself", 1),)
        operands = call.parsed(values).operands
        if not operands or operands[0] == "-":
            text = literal_text(call.input())
            return script_shows(text, call.shell, None, name, operands[1:]) if text else ()
        text = call.shell.facts.script(call.path(operands[0]))
        if text is not None:
            return script_shows(text, call.shell, call.stdin, name, operands[1:])
        return unseen(call, f"{operands[0]}: {_UNSEEN}")

    return row


def perl(call: Call) -> Stream:
    """perl, ruby -ne: a program over the lines of its operands; -i changes them in place."""
    words = list(call.arguments)
    code: list[str] = []
    loops = in_place = False
    while words and words[0].startswith("-") and len(words[0]) > 1:
        option = words.pop(0)
        if option == "--":
            break
        letters = option[1:]
        in_place = in_place or bool(re.match(r"[^eE]*i", letters))
        loops = loops or "n" in letters or "p" in letters
        if letters[-1:] in ("e", "E") and words:
            code.append(words.pop(0))
    if not code:
        if not words:
            text = literal_text(call.input())
            return script_shows(text, call.shell, None, call.name) if text else ()
        text = call.shell.facts.script(call.path(words[0]))
        return (
            script_shows(text, call.shell, call.stdin, call.name, words[1:])
            if text
            else unseen(call, f"{words[0]}: {_UNSEEN}")
        )
    program = "\n".join(code)
    if in_place:
        return ()
    if loops or "<>" in program or "ARGF" in program or "$<" in program:
        return _over_lines(call, program, words)
    return script_shows(program, call.shell, call.stdin, call.name, words)


def _over_lines(call: Call, program: str, files: list[str]) -> Stream:
    computed = "END" in program or "$." in program
    if files:
        return call.content(files, f"{call.name}: takes content", computed=computed)
    return reduced(call.input()) if computed else mangled(call.input())


_AWK_VALUES = "F f v W i assign file field-separator include source"
_GETLINE = re.compile(r"getline(?:\s+\w+)?\s*<\s*\(?\"([^\"]+)\"")
_AWK_OUTPUT = re.compile(r"print[^;}\n]*>>?\s*\"([^\"]+)\"\s*(?=[;}\n]|$)")


def awk(call: Call) -> Stream:
    """awk: a program over the lines of its operands; sums and counts of an END block are no content."""
    parsed = call.parsed(_AWK_VALUES)
    operands = list(parsed.operands)
    source = parsed.value("f", "file")
    if source is not None:
        program = call.shell.facts.script(call.path(source)) or ""
    else:
        program = operands.pop(0) if operands else ""
    files = [word for word in operands if not re.match(r"[A-Za-z_]\w*=", word)]
    for target in _AWK_OUTPUT.findall(program):
        if not target.startswith("/dev/"):
            call.shell.facts.author(call.path(target), "awk: print > writes a file")
    taken = _GETLINE.findall(program)
    shown = call.content(taken, "awk: getline takes content") if taken else ()
    if _begins_only(program):
        return shown or (Noise("awk: BEGIN only"),)
    return shown + _awk_lines(call, program, files)


def _begins_only(program: str) -> bool:
    """True for a program that is one BEGIN block."""
    match = re.match(r"\s*BEGIN\s*\{", program)
    if match is None:
        return False
    depth = 1
    for position in range(match.end(), len(program)):
        depth += {"{": 1, "}": -1}.get(program[position], 0)
        if depth == 0:
            return not program[position + 1 :].strip()
    return True


_NAMED_LINE = re.compile(r"\s*\(?\s*(?:FILENAME\s*\"\s?:|\"%s:[^\"]*\"\s*,\s*FILENAME)")


def _awk_lines(call: Call, program: str, files: list[str]) -> Stream:
    kind = awk_output(program)
    printed = re.findall(r"\bprintf?\b([^;}\n]*)", program)
    if files and printed and all("FILENAME" in text and "$" not in text for text in printed):
        return (Names(call.shell.cwd, "plain", "awk: prints FILENAME", tuple(files), mangled=True),)
    if files:
        if kind == "count":
            return (Noise("awk: counts and sums only"),)
        shown = call.content(files, "awk: takes content", computed=kind == "maybe")
        named = bool(printed) and all(_NAMED_LINE.match(text) for text in printed)
        if "FILENAME" in program and (named or kind != "lines"):
            return tuple(replace(show, naming="prefix") if isinstance(show, Content) else show for show in shown)
        return shown
    if kind == "count":
        return (Noise("awk: counts and sums only"),) if call.input() else ()
    return reduced(call.input()) if kind == "maybe" else mangled(call.input())


def awk_output(program: str) -> str:
    """What an awk program prints: "lines" of its input, a "count" only, or "maybe" either.

    >>> awk_output("{print $2}"), awk_output("NR>1{s+=$4} END{print s}"), awk_output("{a[$1]++} END{for(k in a) print k}")
    ('lines', 'count', 'lines')
    """
    before, found, end = program.partition("END")
    prints_before = re.search(r"\bprintf?\b", before) or not found
    if not found:
        bare = re.sub(r"\"[^\"]*\"", "", before)
        if re.search(r"\bprintf?\s*\(?\s*(?:NR|NF|FNR|length(?:\(\$0\)|\(\))?)\s*[;})]", bare) and not re.search(
            r"\$[0-9(N]", bare.split("print", 1)[-1]
        ):
            return "maybe"
        return "lines"
    if prints_before:
        return "lines"
    if re.search(r"\bfor\s*\(|\$\d|\$NF|\bjoin\b", end) or re.search(r"(?<![+\-*/=<>!])=\s*(?:substr\()?\$", before):
        return "lines"
    return "count"


def uv(call: Call) -> Stream:
    """uv run, poetry run, npx, pipx run: the program after their own words."""
    words = list(call.arguments)
    while words and (words[0].startswith("-") or words[0] in ("run", "exec", "tool", "dlx")):
        option = words.pop(0)
        if option in (
            "--with",
            "--python",
            "-p",
            "--extra",
            "--directory",
            "--project",
            "--group",
            "--from",
            "-m",
            "-n",
            "--with-requirements",
        ):
            if option == "-m":
                return call.run(["python", "-m", *words], call.stdin)
            words = words[1:]
    if not words or words[0] in (
        "pip",
        "sync",
        "add",
        "lock",
        "venv",
        "create",
        "list",
        "info",
        "update",
        "build",
        "config",
        "activate",
        "install",
        "init",
        "remove",
        "cache",
        "show",
    ):
        return (Noise(f"{call.name}: a tool's report"),)
    if call.name in ("npx", "bunx") and words[0] not in ("tsx", "ts-node", "csvjson", "prettier", "jq", "node"):
        return (Noise(f"{call.name} {words[0]}: a tool's report"),)
    if words[0].endswith(".py"):
        return call.run(["python", *words], call.stdin)
    return call.run(words, call.stdin)


def speaks(call: Call) -> Stream:
    """A program that only repeats its arguments."""
    return (Text(" ".join(call.arguments) + "\n"),)


ROWS: dict[str, Row] = {
    **dict.fromkeys(["python", "python2", "python3", "pypy", "pypy3", "ipython", "py"], python),
    **dict.fromkeys(
        ["node", "nodejs", "deno", "bun", "tsx", "ts-node"], other_language("node", "-e -p --eval --print -pe -ep eval")
    ),
    "perl": perl,
    "ruby": perl,
    "php": other_language("php", "-r"),
    "Rscript": other_language("R", "-e"),
    "R": other_language("R", "-e"),
    "julia": other_language("julia", "-e -E"),
    "lua": other_language("lua", "-e"),
    "osascript": other_language("osascript", "-e"),
    "pwsh": other_language("pwsh", "-Command -c -File"),
    **dict.fromkeys(["awk", "gawk", "mawk", "nawk", "goawk", "frawk"], awk),
    **dict.fromkeys(
        [
            "uv",
            "uvx",
            "npx",
            "bunx",
            "poetry",
            "pipenv",
            "pdm",
            "hatch",
            "rye",
            "pixi",
            "pipx",
            "conda",
            "mamba",
            "micromamba",
        ],
        uv,
    ),
}
