"""A shell word -> its text: braces, variables, command substitutions; globs stay patterns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import product
from typing import assert_never

from tabcore.capture.patterns import DEEP, END, NUMBER, SHOWN, STAR, UNKNOWN, expression, is_literal, resolve
from tabcore.capture.shell_state import Shell
from tabcore.capture.shell_tree import Node, Part, ProcessStream, Substitution, Variable, Verbatim, Word
from tabcore.capture.shows import Content, Names, Show, Stream, Text, literal_text, printed_names

Evaluate = Callable[[Node, Shell, "Stream | None"], Stream]

MAX_WORDS = 500


def expand_all(words: Iterable[Word], shell: Shell, evaluate: Evaluate) -> list[str]:
    """The fields that several words give."""
    found: list[str] = []
    for word in words:
        found += [word.literal] if word.literal is not None else expand(word, shell, evaluate)
        if len(found) > MAX_WORDS:
            break
    return found


def expand_one(word: Word, shell: Shell, evaluate: Evaluate, quoted: bool = False) -> str:
    """The word as one string, as in an assignment or a redirection."""
    if word.literal is not None:
        return word.literal
    return "".join("".join(_values(part, shell, evaluate, joined=True)) for part in _home(word.parts, shell))


def expand(word: Word, shell: Shell, evaluate: Evaluate) -> list[str]:
    """The fields of one word: several where braces or unquoted values with blanks make them, none for an empty value.

    Braces are expanded before variables, as bash does.
    """
    variants = _braces(_home(word.parts, shell))
    fields: list[str] = []
    for parts in variants[:MAX_WORDS]:
        fields += _fields(parts, shell, evaluate)
    return fields


def _home(parts: tuple[Part, ...], shell: Shell) -> tuple[Part, ...]:
    first = parts[0] if parts else None
    if isinstance(first, Verbatim) and not first.quoted and first.text.startswith("~"):
        user, slash, rest = first.text[1:].partition("/")
        homes = {"": shell.facts.workspace.home, "+": shell.cwd, "-": shell.previous}
        if user in homes:
            return (Verbatim(homes[user] + slash + rest), *parts[1:])
    return parts


_BRACES = re.compile(r"\{([^{},]*(?:,[^{},]*)+|-?\w+\.\.-?\w+(?:\.\.-?\d+)?)\}")


def _braces(parts: tuple[Part, ...]) -> list[tuple[Part, ...]]:
    if not any(isinstance(part, Verbatim) and not part.quoted and "{" in part.text for part in parts):
        return [parts]
    choices = [
        [Verbatim(text) for text in brace_expand(part.text)]
        if isinstance(part, Verbatim) and not part.quoted
        else [part]
        for part in parts
    ]
    return [combination for combination, _ in zip(product(*choices), range(MAX_WORDS), strict=False)]


def brace_expand(text: str) -> list[str]:
    """All words of a brace expression, in order.

    >>> brace_expand("a{1..3}{x,y}")
    ['a1x', 'a1y', 'a2x', 'a2y', 'a3x', 'a3y']
    """
    found = [text]
    for _ in range(6):
        grown = [piece for word in found for piece in _expand_first_brace(word)]
        if len(grown) == len(found) or len(grown) > MAX_WORDS:
            return grown[:MAX_WORDS]
        found = grown
    return found


def _expand_first_brace(word: str) -> list[str]:
    match = _BRACES.search(word)
    if match is None:
        return [word]
    head, tail = word[: match.start()], word[match.end() :]
    inner = match.group(1)
    choices = inner.split(",") if "," in inner else _range(inner)
    return [head + choice + tail for choice in choices]


def _range(text: str) -> list[str]:
    first, last, *step = text.split("..")
    if re.fullmatch(r"-?\d{1,9}", first) and re.fullmatch(r"-?\d{1,9}", last):
        low, high = int(first), int(last)
        by = max(1, abs(int(step[0]))) if step else 1
        width = max(len(first), len(last)) if first.startswith("0") or last.startswith("0") else 0
        numbers = range(low, high + 1, by) if low <= high else range(low, high - 1, -by)
        return [str(number).zfill(width) for number in numbers[:MAX_WORDS]]
    if len(first) == len(last) == 1:
        low, high = ord(first), ord(last)
        return [chr(code) for code in (range(low, high + 1) if low <= high else range(low, high - 1, -1))][:MAX_WORDS]
    return ["{" + text + "}"]


def _fields(parts: tuple[Part, ...], shell: Shell, evaluate: Evaluate) -> list[str]:
    """Word splitting: unquoted values are split at blanks, the rest joins its neighbours."""
    fields: list[str] = []
    current = ""
    seen = False
    embedded = sum(not isinstance(part, Verbatim) or bool(part.text) for part in parts) > 1
    for part in parts:
        values = _values(part, shell, evaluate, joined=False, embedded=embedded)
        seen = seen or isinstance(part, Verbatim) or getattr(part, "quoted", False)
        for position, value in enumerate(values):
            if position:
                fields.append(current)
                current = ""
            current += value
            seen = seen or bool(value)
    if seen or current:
        fields.append(current)
    return fields


def _inline(show: Show) -> Show:
    """Names that are put into a line of text."""
    if not isinstance(show, Names):
        return show
    folder = show.folders[0] if show.form == "ls" and len(show.folders) == 1 and is_literal(show.folders[0]) else ""
    return replace(show, form="inline", base=resolve(show.base, folder) if folder else show.base)


def _values(part: Part, shell: Shell, evaluate: Evaluate, joined: bool, embedded: bool = False) -> list[str]:
    match part:
        case Verbatim(text, _):
            return [text]
        case Variable():
            values = variable(part, shell, evaluate)
            return _split(values, part.quoted or joined, star=part.name == "*" and part.quoted)
        case Substitution(script, quoted):
            stream = evaluate(script, shell.child(), None)
            if embedded and quoted and any(isinstance(show, Names) for show in stream):
                return [marked(tuple(_inline(show) for show in stream), shell)]
            return _split([_substituted(stream, shell)], quoted or joined)
        case ProcessStream(script, into):
            return [marked(() if into else evaluate(script, shell.child(), None), shell)]
        case _ as never:
            assert_never(never)


def _split(values: list[str], whole: bool, star: bool = False) -> list[str]:
    if star:
        return [" ".join(values)]
    if whole:
        return values
    fields: list[str] = []
    for value in values:
        if not value:
            continue
        pieces = value.split() if is_literal(value) else value.split("\n")
        if value[:1].isspace() and fields:
            fields.append("")
        fields += pieces if pieces else [""]
    return [_globbed(field) for field in fields]


def _globbed(field: str) -> str:
    if is_literal(field) and ("*" in field or "?" in field):
        from tabcore.capture.patterns import from_glob

        return from_glob(field)
    return field


def names_base(show: Names) -> str:
    """The folder that resolves the names as they are printed."""
    bare = show.form == "ls" and len(show.folders) == 1 and is_literal(show.folders[0]) and show.printed == (STAR,)
    return resolve(show.base, show.folders[0]) if bare else show.base


def _substituted(stream: Stream, shell: Shell) -> str:
    """The text of `$( … )`: known text, patterns of the names it prints, or a mark for its stream."""
    text = literal_text(stream)
    if text is not None and SHOWN not in text:
        return text.rstrip("\n")
    only = stream[0] if len(stream) == 1 else None
    if isinstance(only, Names) and only.form == "count-after" and not any(map(is_literal, only.printed)):
        return UNKNOWN
    if stream and all(isinstance(show, Names | Text) for show in stream):
        names = [name for name in printed_names(stream) if name]
        for show in stream:
            if isinstance(show, Names):
                shell.facts.bases.update(dict.fromkeys(show.printed, names_base(show)))
        if names:
            return "\n".join(names)
    return marked(stream, shell)


def marked(stream: Stream, shell: Shell) -> str:
    """A mark that stands for the stream's text in a word."""
    streams = shell.facts.streams
    streams.append(stream)
    return f"{SHOWN}{len(streams) - 1}{END}"


_MARK = re.compile(f"{SHOWN}([0-9]+){END}")


def numbered_stream(word: str, shell: Shell) -> Stream | None:
    """The stream that a word stands for, when it is nothing but a mark."""
    match = _MARK.fullmatch(word) if word.startswith(SHOWN) else None
    return (
        shell.facts.streams[int(match.group(1))] if match and int(match.group(1)) < len(shell.facts.streams) else None
    )


def spoken_parts(text: str, shell: Shell, rule: str) -> Stream:
    """What printing the text shows: itself, and in the places of its marks their streams."""
    if SHOWN not in text:
        return (Text(text, rule),)
    shows: list[Stream] = []
    for number in _MARK.findall(text):
        if int(number) < len(shell.facts.streams):
            stream = shell.facts.streams[int(number)]
            shows.append(tuple(show for show in stream if not isinstance(show, Text)))
    own = (Text(_MARK.sub(UNKNOWN, text), rule),)
    inner = tuple(show for stream in shows for show in stream)
    if not inner or any(type(show).__name__ == "Noise" for show in inner):
        return own
    if _MARK.sub("", text).strip() == "":
        return inner
    if any(isinstance(show, Names) and show.form == "inline" for show in inner):
        return inner
    if all(isinstance(show, Content) for show in inner):
        return tuple(replace(show, lead=own[0].text, limit=None) for show in inner if isinstance(show, Content))
    return (*own, *inner)


def variable(part: Variable, shell: Shell, evaluate: Evaluate) -> list[str]:
    """The values of a variable, after the operation in its braces."""
    values = _looked_up(part.name, shell)
    operation = part.operation
    if operation.startswith("["):
        index, _, operation = operation[1:].partition("]")
        if values is not None and index not in ("@", "*"):
            values = [values[int(index)]] if index.isdecimal() and int(index) < len(values) else [UNKNOWN]
    if not operation:
        return values if values is not None else [UNKNOWN]
    if operation.startswith((":-", "-", ":=", "=")):
        if values and values != [""]:
            return values
        return [expand_one(part.operand, shell, evaluate)] if part.operand else [""]
    return [operated(value, operation) for value in values] if values is not None else [UNKNOWN]


def _looked_up(name: str, shell: Shell) -> list[str] | None:
    if name in shell.variables:
        return shell.variables[name]
    if name == "PWD":
        return [shell.cwd]
    if name == "OLDPWD":
        return [shell.previous or UNKNOWN]
    if name == "HOME":
        return [shell.facts.workspace.home]
    if name in ("@", "*"):
        return list(shell.arguments)
    if name.isdecimal():
        number = int(name) if len(name) < 4 else 999
        return [shell.arguments[number - 1]] if 0 < number <= len(shell.arguments) else [""] if number else ["bash"]
    if name in shell.facts.workspace.variables:
        return [shell.facts.workspace.variables[name]]
    if name == "PIPESTATUS":
        return [NUMBER] * 8
    return [NUMBER] if name in _NUMBERS or (name[:1] == "#" and len(name) > 1) else None


_NUMBERS = frozenset(["?", "#", "$", "!", "RANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID"])


def operated(value: str, operation: str) -> str:
    """The value after `%suffix`, `#prefix`, `/a/b` and their kin, as far as a pattern allows.

    >>> operated("a/b.pdf", "%.pdf"), operated("a/b.pdf", "##*/"), operated(STAR + ".pdf", "%.pdf") == STAR
    ('a/b', 'b.pdf', True)
    """
    from tabcore.capture.patterns import from_glob

    if operation.startswith(("%", "#")):
        greedy = operation[:2] in ("%%", "##")
        sought = from_glob(operation[2 if greedy else 1 :].strip("'\""))
        return _trimmed(value, sought, operation[0] == "%", greedy)
    if operation.startswith("/") and is_literal(value):
        everywhere = operation.startswith("//")
        old, _, new = operation[2 if everywhere else 1 :].partition("/")
        return expression(from_glob(old)).sub(lambda _: new, value, count=0 if everywhere else 1) if old else value
    if operation in ("^^", "^", ",,", ","):
        return value.upper() if operation == "^^" else value.lower() if operation == ",," else value
    slices = re.fullmatch(r":\s*(\d+)(?::(\d+))?", operation)
    if slices and is_literal(value):
        start = int(slices.group(1))
        return value[start : start + int(slices.group(2))] if slices.group(2) else value[start:]
    return UNKNOWN


def _trimmed(value: str, sought: str, at_end: bool, greedy: bool) -> str:
    if is_literal(sought):
        return value.removesuffix(sought) if at_end else value.removeprefix(sought)
    if sought == STAR + "/" and not at_end:
        return value.rpartition("/")[2] if greedy else value.partition("/")[2] or value
    if not is_literal(value):
        return _trimmed_pattern(value, sought, at_end)
    sought = sought.replace(STAR, UNKNOWN).replace(DEEP, UNKNOWN)
    fits = expression(sought).fullmatch
    cuts = range(len(value) + 1)
    if at_end:
        found = [cut for cut in cuts if fits(value[cut:])]
        return value[: min(found) if greedy else max(found)] if found else value
    found = [cut for cut in cuts if fits(value[:cut])]
    return value[max(found) if greedy else min(found) :] if found else value


def _trimmed_pattern(value: str, sought: str, at_end: bool) -> str:
    """`${f%.*}` and `${f%/*}` of a pattern."""
    mark = sought[0] if at_end else sought[-1]
    if at_end and mark in "./" and mark in value:
        return value.rpartition(mark)[0]
    return UNKNOWN
