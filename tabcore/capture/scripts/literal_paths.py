"""Scripts in languages other than Python: the literal paths in them, and what is done with each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tabcore.capture.patterns import STAR, UNKNOWN, from_glob, resolve
from tabcore.capture.scripts.python_values import looks_like_file
from tabcore.capture.shows import Content, Loop, Names, Stream, Text, mangled

if TYPE_CHECKING:
    from tabcore.capture.shell_state import Shell

_LITERAL = r"(?:'((?:[^'\\\n]|\\.)*)'|\"((?:[^\"\\\n]|\\.)*)\"|`([^`$\n]*)`)"
_WRITE = re.compile(
    rf"(?:writeFileSync|writeFile|appendFileSync|appendFile|createWriteStream|File\.write|IO\.write|file_put_contents|writeLines|write\.csv|write_csv|"
    rf"outputFileSync|CSV\.open|Set-Content|Out-File|cat\([^)]*file\s*=|File\.open\(\s*(?=[^)]*,\s*['\"][wa])|open\s*\(?[^;\n]*?['\"]\s*>>?\s*['\"]\s*,)\s*\(?\s*{_LITERAL}"
)
_PERL_WRITE = re.compile(
    r"open\s*\(?\s*(?:my\s+)?[\$\w]+\s*,\s*['\"](?:\+?>>?|[^'\"]*>[^'\"]*)[^'\"]*['\"]\s*,\s*['\"]([^'\"]+)['\"]"
)
_COPY = re.compile(rf"(?:copyFileSync|copyFile|cpSync|FileUtils\.cp|copy)\s*\(?\s*{_LITERAL}\s*,\s*{_LITERAL}")
_LIST = re.compile(
    rf"(?:readdirSync|readdir|opendir|Dir\.(?:entries|children|glob|each_child)|Dir\[|glob|scandir|list\.files|Get-ChildItem|walkSync)\s*\(?\s*(?:[\$\w]+\s*,\s*)?{_LITERAL}"
)
_ANY = re.compile(_LITERAL)
_PRINTS = re.compile(
    r"console\.|process\.stdout|\bprint|\bputs\b|\bsay\b|\becho\b|\bpp?\b|var_dump|\bcat\(|Write-Output|Get-Content|\bdisplay\b|\bdump\b|\bhead\(|\bstr\(|\bsummary\("
)
_COUNTS = re.compile(
    r"(?:console\.log|print|puts|echo)\s*\(?[^;]*?(?:\.length|\.size|\.count|\bcount\(|\bnrow\(|createHash|md5|sha256)[^;,+]*\)?\s*;?\s*$"
)


def script_shows(
    code: str, shell: Shell, stdin: Stream | None, language: str, arguments: list[str] | None = None
) -> Stream:
    """What the script shows: content of the literal paths that it takes, listings of the folders that it lists.

    Names in `require` count where they are files. Where the script prints nothing, nothing is shown.
    """
    code = code[:300_000]
    written = _first_groups(_WRITE, code) + _PERL_WRITE.findall(code)
    for path in written:
        shell.facts.author(shell.path(path), f"{language}: writes a file")
    for match in _COPY.finditer(code):
        groups = [group for group in match.groups() if group]
        if len(groups) == 2:
            shell.facts.author(
                shell.path(groups[1]), f"{language}: writes a copy", shell.content(groups[:1], "copies content")
            )
            written += groups
    folders = _first_groups(_LIST, code)
    prints = _PRINTS.search(code) is not None or language == "node"
    if not prints:
        return ()
    shown: list[Content | Loop | Names] = [_listing(folder, shell, language) for folder in folders]
    taken = [
        text
        for text in _first_groups(_ANY, code)
        if _is_taken(text, code) and text not in written and text not in folders
    ]
    taken += [word for word in arguments or [] if looks_like_file(word) and re.search(r"argv|ARGV|<>|\$1", code)]
    joined = [
        text
        for text in folders
        if re.search(
            rf"(?:readFile|File\.read|open)\w*\s*\(\s*(?:path\.join\()?['\"`]{re.escape(text.rstrip('/'))}/?['\"`]?\s*[+,$]",
            code,
        )
    ]
    taken = [text for text in taken if text.rstrip("/") not in folders]
    shown += [_each_of(folder, shell, language) for folder in joined]
    if taken:
        computed = _COUNTS.search(code.strip()) is not None
        shown += [
            show
            for show in shell.content(list(dict.fromkeys(taken)), f"{language}: takes content", computed=computed)
            if isinstance(show, Content)
        ]
    if not shown and stdin and re.search(r"stdin|STDIN|/dev/stdin|readline|<>|readFileSync\(0", code):
        return mangled(stdin)
    return tuple(shown) or (Text("\ufdd3\n", f"{language}: the agent's own text"),)


def _each_of(folder: str, shell: Shell, language: str) -> Loop:
    """A loop over a folder's entries that shows their content behind their names."""
    base = shell.path(folder)

    def body(name: str) -> Stream:
        return (Content((resolve(base, name),), f"{language}: takes content", base=base, lead=name + UNKNOWN),)

    return Loop((STAR,), base, body, f"{language}: a loop over a folder", base)


def _first_groups(expression: re.Pattern[str], code: str) -> list[str]:
    return [next((group for group in match.groups() if group), "") for match in expression.finditer(code)]


def _is_taken(text: str, code: str) -> bool:
    if re.search(r"\.(?:[cm]?[jt]sx?|rb|p[lm])$", text) and re.search(
        rf"(?:from|import|require|require_relative|use)\s*\(?\s*['\"`]{re.escape(text)}", code
    ):
        return False
    if looks_like_file(text):
        return True
    plain = 2 < len(text) < 200 and re.fullmatch(r"[\w./ -]+", text) is not None
    required = re.search(rf"require\s*\(?\s*['\"`]{re.escape(text)}['\"`]", code) is not None
    return (
        plain
        and not (required and not text.startswith(("./", "/", "../")))
        and re.search(
            rf"(?:readFileSync|readFile|File\.read|open|file_get_contents|require|IO\.read|readlines|foreach)[^\n;]{{0,40}}?['\"`]{re.escape(text)}",
            code,
        )
        is not None
        and not re.fullmatch(r"utf-?8|latin1|ascii|[rwab<>+]{1,3}", text)
    )


def _listing(folder: str, shell: Shell, language: str) -> Names:
    if "*" in folder or "?" in folder:
        return Names(shell.cwd, "literal", f"{language}: prints a listing", (from_glob(folder),))
    return Names(shell.path(folder), "literal", f"{language}: prints a listing", (STAR,))
