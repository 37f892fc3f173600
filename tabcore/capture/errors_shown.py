"""Error lines in an observation: whom they come from, which path they name, and the text without them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from tabcore.capture.text_spans import lines_with, without

REASONS = (
    r"No such file or directory|Permission denied|Is a directory|Not a directory|command not found|not found|"
    r"cannot execute[^\n]*|File name too long|Too many open files|Operation not permitted|Input/output error|"
    r"Invalid argument|File exists|Directory not empty|ambiguous redirect|No such file|unbound variable|"
    r"Binary file matches|binary file matches|Too many levels of symbolic links|Text file busy|Argument list too long|"
    r"(?:invalid|unrecognized|illegal|unknown) [^\n]*|option used in [^\n]*|missing [^\n]*|extra operand[^\n]*|syntax error[^\n]*|"
    r"unterminated [^\n]*|parse error[^\n]*|error[: (][^\n]*|\[Errno \d+\][^\n]*|No such device or address|cannot open[^\n]*|file not recognized[^\n]*|not a regular file"
)
MAX_ERROR_LENGTH = 2_000
_SIGNS = (
    "irectory",
    "ermission denied",
    "o such ",
    "not found",
    "rror",
    "rrno ",
    "inary file",
    "annot ",
    "an't ",
    "File exists",
    "not permitted",
    "too long",
    "Too many",
    "unbound variable",
    "ambiguous redirect",
    "nvalid ",
    "Text file busy",
    "not a regular",
    "ecognized",
    "option used",
    "issing ",
    "operand",
    "nterminated ",
    "unknown ",
    "illegal ",
)
_SCRIPT_SIGNS = (
    "Traceback (most",
    '  File "',
    "Node.js v",
    "Error",
    "Exception",
    "Syntax Warning",
    "rror:",
    "signature not found",
)
_LINE = re.compile(
    rf"^(?:(?P<shell>(?:/\S*/)?(?:bash|sh|zsh|dash|ksh)|/\S+?\.sh)(?:: line \d+|: \d+|:\d+)?: )?(?P<program>[\w./+-]+): "
    rf"(?:line \d+: )?(?P<message>[^\n]*?(?:{REASONS})[^\n]*)$",
    re.MULTILINE,
)
_ZSH = re.compile(
    r"^(?:zsh|\(eval\)):\d+: (?P<message>no matches found: .*|command not found: .*|no such file or directory: .*)$",
    re.MULTILINE,
)
_RG = re.compile(
    r"^(?:rg: |\[?fd error\]?: |fd: )?(?P<path>[^\n]*?): (?:No such file or directory|Permission denied|Is a directory|[^\n:]*) \(os error \d+\)$",
    re.MULTILINE,
)
_BINARY = re.compile(r"^Binary file (?P<path>[^\n]*) matches\.?$", re.MULTILINE)
_PROGRAM_WORDS = re.compile(
    r"^(?:Syntax (?:Error|Warning)|I/O Error|Command Line Error|Internal Error|Permission Error)\b[^\n]*$", re.MULTILINE
)
_UNZIP = re.compile(
    r"^(?:\[[^\n]*\]\n)? *End-of-central-directory signature not found\.[\s\S]*?(?:, period|this archive)\.$",
    re.MULTILINE,
)
_JQ = re.compile(r"^parse error: [^\n]*$", re.MULTILINE)
_SQL = re.compile(
    r"^(?:(?:Parse |Runtime |Catalog |Binder |Parser |IO |Invalid Input |Conversion )?[Ee]rror:?(?: near line \d+)?:? [^\n]*|LINE \d+: [^\n]*|\s+\^(?:---)?[^\n]*)$",
    re.MULTILINE,
)
_TRACEBACK = re.compile(
    r"^Traceback \(most recent call last\):\n(?:[ \t]+[^\n]*\n|\n)*(?P<last>[\w.]+(?:: [^\n]*)?|\S[^\n]*)?$",
    re.MULTILINE,
)
_PYTHON = re.compile(r"\bpython[\d.]*(?=[\s;|&]|$)")
_MODULE_FRAME = re.compile(r"Traceback [^\n]*\n  File \"[^\"\n]*\", line (?P<line>\d{1,6}), in <module>$", re.MULTILINE)
_SYNTAX_ERROR = re.compile(
    r"^  File \"[^\n]*\", line \d+\n(?:[ \t]+[^\n]*\n)*(?P<last>\w*Error: [^\n]*)$", re.MULTILINE
)
_NODE = re.compile(
    r"^(?:node:[\w/:]+\n(?:[^\n]*\n)*?|\[eval\]:\d+\n(?:[^\n]*\n)*?|Error: Cannot find module[^\n]*\n(?:[^\n]*\n)*?)(?:[^\n]*\n)*?Node\.js v[\d.]+$",
    re.MULTILINE,
)
_EXCEPTION_LINE = re.compile(
    r"^(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt)\b(?:: [^\n]*)?$", re.MULTILINE
)
_NAMED = re.compile(r"'([^'\n]+)'|\"([^\"\n]+)\"|‘([^’\n]+)’|`([^`'\n]+)['`]")
_REASON = re.compile(rf"(?P<path>[^:\n]+(?::[^:\n]+)*?): (?:{REASONS})")


@dataclass(slots=True)
class ShownErrors:
    """The errors that an observation shows. `text` is the observation without them.

    `paths`: the paths they name, as printed. `missing_programs`: commands that were not found.
    `failed_folders`: targets of cd that failed. `stopped_at`: the line at which the command's one Python script ended.
    """

    text: str = ""
    paths: set[str] = field(default_factory=set)
    missing_programs: set[str] = field(default_factory=set)
    failed_folders: set[str] = field(default_factory=set)
    programs: set[str] = field(default_factory=set)
    traceback: bool = False
    stopped_at: int = 0

    def mentions(self, path: str) -> bool:
        """True when an error names this path, absolute or as its relative end.

        >>> ShownErrors(paths={"b/c.txt"}).mentions("/a/b/c.txt"), ShownErrors(paths={"c.txt"}).mentions("/a/bc.txt")
        (True, False)
        """
        return any(path == named or path.endswith("/" + named.removeprefix("./").strip("/")) for named in self.paths)


def shown_errors(text: str, command: str) -> ShownErrors:
    """The errors in a text that programs of `command` may have printed.

    A line that merely looks like an error, in a log that is being read, is left alone unless the program that it
    names stands in the command.

    >>> found = shown_errors("a\\ncat: x.txt: No such file or directory\\n", "cat a.txt x.txt")
    >>> found.text, found.paths
    ('a\\n', {'x.txt'})
    """
    found = ShownErrors(text)
    cuts: list[tuple[int, int]] = []
    complainers = _complainers(command[:4000])
    lines = lines_with(text, _SIGNS, MAX_ERROR_LENGTH) if ": " in text or "inary file" in text else []
    if (
        not lines
        and not any(f"{name}: " in text for name in complainers)
        and not any(sign in text for sign in _SCRIPT_SIGNS)
    ):
        return found
    for name in complainers:
        if f"{name}: " not in text:
            continue
        for match in re.finditer(rf"^{name}: (?P<message>[^\n]*)$", text, re.MULTILINE):
            cuts.append(match.span())
            _note(found, name, match["message"], False)
    for match in filter(None, (_LINE.match(text, *span) for span in lines)):
        program = match["program"].rsplit("/", 1)[-1]
        if match["shell"] is None and program not in command and program not in ("bash", "sh", "zsh"):
            continue
        cuts.append(match.span())
        _note(found, program, match["message"], match["shell"] is not None)
    for match in filter(None, (_ZSH.match(text, *span) for span in lines)):
        cuts.append(match.span())
        _note(found, "zsh", match["message"], True)
    if "rg" in command or "fd" in command:
        cuts += _paths_of(_RG, text, lines, found)
    if "grep" in command or "rg" in command:
        cuts += _paths_of(_BINARY, text, lines, found)
    cuts += _own_words(text, command, found)
    cuts += _script_errors(text, command, found)
    found.text = without(text, cuts)
    return found


_COMPLAINERS = re.compile(
    r"(?<![\w./-])(awk|gawk|sed|grep|egrep|find|xargs|sort|cut|unzip|tar|jq|yq|curl|tree|paste|join|split|tr|stat|du|file|od)(?![\w.-])"
)


@lru_cache(maxsize=1024)
def _complainers(command: str) -> tuple[str, ...]:
    """Programs of a command's beginning that put their name before each complaint of theirs."""
    return tuple(sorted({match.group(1) for match in _COMPLAINERS.finditer(command)}))


def _own_words(text: str, command: str, found: ShownErrors) -> list[tuple[int, int]]:
    """Complaints without the program's name, in words that only it uses."""
    cuts: list[tuple[int, int]] = []
    if "pdf" in command:
        cuts += [match.span() for match in _PROGRAM_WORDS.finditer(text)]
    if "unzip" in command and "signature not found" in text:
        cuts += [match.span() for match in _UNZIP.finditer(text)]
    if "jq" in command and "parse error: " in text:
        cuts += [match.span() for match in _JQ.finditer(text)]
    if "sqlite" in command or "duckdb" in command:
        cuts += [match.span() for match in _SQL.finditer(text)]
    return cuts


def _paths_of(
    expression: re.Pattern[str], text: str, lines: list[tuple[int, int]], found: ShownErrors
) -> list[tuple[int, int]]:
    cuts: list[tuple[int, int]] = []
    for match in filter(None, (expression.match(text, *span) for span in lines)):
        found.paths.add(match["path"])
        cuts.append(match.span())
    return cuts


def _script_errors(text: str, command: str, found: ShownErrors) -> list[tuple[int, int]]:
    cuts: list[tuple[int, int]] = []
    if "Traceback (most" in text:
        for match in _TRACEBACK.finditer(text):
            found.traceback = True
            cuts.append(match.span())
            _note_quoted(found, match["last"] or "")
        if len(cuts) == 1 and len(_PYTHON.findall(command)) == 1:
            ended = _MODULE_FRAME.match(text, cuts[0][0])
            found.stopped_at = int(ended["line"]) if ended else 0
    if '  File "' in text and not cuts:
        cuts += [match.span() for match in _SYNTAX_ERROR.finditer(text)]
    if "Node.js v" in text and "node" in command:
        cuts += [match.span() for match in _NODE.finditer(text)]
    ends = any(ending in text for ending in ("Error", "Exception", "Warning", "Exit", "Interrupt"))
    if not cuts and ends and any(name in command for name in ("python", "import", "csv", "markitdown")):
        for match in _EXCEPTION_LINE.finditer(text):
            cuts.append(match.span())
            _note_quoted(found, match.group())
    return cuts


def _note(found: ShownErrors, program: str, message: str, from_shell: bool) -> None:
    found.programs.add(program)
    if "not found" in message and (from_shell or program in ("zsh", "bash", "sh")):
        found.missing_programs.add(message.rpartition("not found: ")[2] if "not found: " in message else program)
    if program == "cd" or (program in ("bash", "sh", "zsh") and message.startswith("cd: ")):
        message = message.removeprefix("cd: ")
        found.failed_folders.add(
            message.rpartition(": ")[0] if not message.startswith("no such") else message.rpartition(": ")[2]
        )
        return
    _note_quoted(found, message)
    if from_shell:
        found.paths.add(program)
    if message.startswith("no such file or directory: "):
        found.paths.add(message.partition(": ")[2])
    reason = _REASON.search(message)
    if reason is not None:
        path = reason["path"].strip()
        for lead in (
            "cannot read: ",
            "cannot open ",
            "can't read ",
            "cannot access ",
            "error reading ",
            "read error: ",
            "couldn't open file ",
        ):
            path = path.removeprefix(lead)
        found.paths.add(path.strip("'\"‘’`"))
    elif (
        opened := re.search(r"(?:open|read|access|stat) (?:file )?['\"‘`]?(\S+?)['\"’`]?(?: for| \(|:|$)", message)
    ) is not None:
        found.paths.add(opened.group(1))


def _note_quoted(found: ShownErrors, message: str) -> None:
    for groups in _NAMED.findall(message):
        found.paths.add(next(filter(None, groups)))
