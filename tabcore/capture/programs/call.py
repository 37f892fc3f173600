"""One program's call, its options told from its operands, and the kinds of row that most programs share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tabcore.capture.evaluation import stream_of
from tabcore.capture.shell_state import Shell
from tabcore.capture.shows import Content, Names, Noise, Stream, limited, mangled


@dataclass(slots=True)
class Call:
    """A program's name and arguments, the shell that it runs in, and its input (None: the terminal)."""

    name: str
    arguments: list[str]
    shell: Shell
    stdin: Stream | None = None

    def parsed(self, values: str = "", style: str = "gnu") -> Parsed:
        """Options and operands; `values` names the options that take a value, letters and words, by blanks."""
        return parse_options(self.arguments, values, style)

    def path(self, word: str) -> str:
        """The word as an absolute path."""
        return self.shell.path(word)

    def input(self) -> Stream:
        """What comes in from the pipe or the redirection, nothing from a terminal."""
        return self.stdin or ()

    def content(self, words: list[str], rule: str, limit: int | None = None, computed: bool = False) -> Stream:
        """Content of the files that the words name; streams behind process substitutions are passed on."""
        shown: list[Stream] = []
        files: list[str] = []
        for word in words:
            stream = self.input() if word in ("-", "/dev/stdin") else stream_of(word, self.shell)
            if stream is None:
                files.append(word)
            else:
                shown.append(stream)
        if files:
            shown.insert(0, self.shell.content(files, rule, limit, computed))
        return tuple(show for stream in shown for show in stream)

    def run(self, words: list[str], stdin: Stream | None = None) -> Stream:
        """Another program, run by this one."""
        return self.shell.run(words, self.shell, stdin) if words else ()


Row = Callable[[Call], Stream]


@dataclass(slots=True)
class Parsed:
    """Options (by name without dashes; the last value wins) and operands."""

    operands: list[str] = field(default_factory=list)
    options: dict[str, str] = field(default_factory=dict)
    repeated: list[tuple[str, str]] = field(default_factory=list)

    def has(self, *names: str) -> bool:
        """True when one of the options is given."""
        return any(name in self.options for name in names)

    def value(self, *names: str) -> str | None:
        """The value of the first of these options that is given."""
        return next((self.options[name] for name in names if name in self.options), None)

    def values(self, *names: str) -> list[str]:
        """All values of an option that may be repeated."""
        return [value for name, value in self.repeated if name in names]

    def number(self, *names: str) -> int | None:
        """The option's value as a whole number of lines, None when it is not one."""
        value = self.value(*names)
        return int(value) if value is not None and value.isdecimal() and len(value) < 10 else None


def parse_options(arguments: list[str], values: str, style: str = "gnu") -> Parsed:
    """Options and operands, by the GNU way, or ("single") with long names behind one dash.

    >>> parsed = parse_options(["-n3", "-i", "a", "--max=2", "--", "-b"], "n")
    >>> parsed.operands, parsed.options
    (['a', '-b'], {'n': '3', 'i': '', 'max': '2'})
    """
    taking = frozenset(values.split())
    parsed = Parsed()
    rest = iter(arguments)
    for word in rest:
        if word == "--":
            parsed.operands += rest
        elif not word.startswith("-") or word == "-":
            parsed.operands.append(word)
        elif word.startswith("--") or style == "single":
            name, equals, value = word.lstrip("-").partition("=")
            if not equals and name in taking:
                value = next(rest, "")
            parsed.options[name] = value
            parsed.repeated.append((name, value))
        else:
            _short(word, taking, rest, parsed)
    return parsed


def _short(word: str, taking: frozenset[str], rest: object, parsed: Parsed) -> None:
    """A cluster of one-letter options; the first that takes a value has the rest of it."""
    for position, letter in enumerate(word[1:], 2):
        if letter in taking:
            value = word[position:] or next(rest, "")  # type: ignore[call-overload]
            parsed.options[letter] = value
            parsed.repeated.append((letter, value))
            return
        if letter.isdecimal():
            parsed.options["number"] = word[position - 1 :]
            return
        parsed.options[letter] = ""
        parsed.repeated.append((letter, ""))


def content(values: str = "", skip: int = 0, style: str = "gnu", verb: str = "takes content") -> Row:
    """A program that shows content of its operands, or of its input when it has none; `skip` operands come first."""

    def row(call: Call) -> Stream:
        operands = call.parsed(values, style).operands[skip:]
        if operands:
            return call.content(operands, f"{call.name}: {verb}")
        return call.input()

    return row


def filtering(values: str = "", skip: int = 0, style: str = "gnu", verb: str = "takes content") -> Row:
    """As `content`, for a program that changes the lines that pass through it."""

    def row(call: Call) -> Stream:
        operands = call.parsed(values, style).operands[skip:]
        if operands:
            return call.content(operands, f"{call.name}: {verb}")
        return mangled(call.input())

    return row


def about(form: str, values: str = "", style: str = "gnu", verb: str = "names its operands") -> Row:
    """A program that prints something about each operand beside its path; about its input it prints no path."""

    def row(call: Call) -> Stream:
        operands = call.parsed(values, style).operands
        if not operands or operands == ["-"]:
            return (Noise(f"{call.name}: counts its input", 1),) if call.input() else ()
        return names_of(call, operands, form, f"{call.name}: {verb}")

    return row


def names_of(call: Call, operands: list[str], form: str, rule: str) -> Stream:
    """A listing that prints the operands as they were given."""
    return (Names(call.shell.cwd, form, rule, printed=tuple(operands)),)


def silent(call: Call) -> Stream:
    """A program that shows neither content nor paths."""
    return ()


def noise(call: Call) -> Stream:
    """A program whose output tells nothing of files."""
    return (Noise(f"{call.name}: its output tells nothing of files"),)


def writes_to(option: str, values: str = "", style: str = "gnu", otherwise: Row | None = None) -> Row:
    """A program whose output goes to the file that an option names; without it, as `otherwise`."""
    names = option.split()

    def row(call: Call) -> Stream:
        parsed = call.parsed(values + " " + option, style)
        target = parsed.value(*names)
        if target and target not in ("-", "/dev/stdout"):
            source = call.content(parsed.operands, f"{call.name}: takes content") if parsed.operands else call.input()
            call.shell.facts.author(call.path(target), f"{call.name}: writes a file", source)
            return ()
        return (otherwise or content(values + " " + option, style=style))(call)

    return row


def only(stream: Stream, limit: int | None) -> Stream:
    """The stream, cut to a number of lines."""
    return limited(stream, limit)


def has_content(stream: Stream) -> bool:
    """True when content of a file is among what the stream shows."""
    return any(isinstance(show, Content) for show in stream)
