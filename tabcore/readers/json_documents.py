"""JSON documents, and files that hold several -> values, whatever happened to the bytes.

A sound document is decoded by msgspec in one go. One that is not is read by `mended()`: all that stands before a
fault is kept, reading goes on at the next object that the format knows for one of its own, and what is open at the
end of the file is closed there. Each fault becomes a problem. Documents over DOCUMENT_LIMIT are not read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple, TypeVar, cast

import msgspec

from tabcore.readers.base import HEAD, Account
from tabcore.readers.records import Sign, salvage
from tabcore.source import Source
from tabcore.trajectory import Json

Shape = TypeVar("Shape", bound=msgspec.Struct)

DOCUMENT_LIMIT = 128 << 20
"""Bytes of the largest document that is read: it must fit in memory decoded."""

DEPTH_LIMIT = 200
"""Deeper nesting in a faulty document is taken for a fault."""

FAULT_LIMIT = 50
"""After so many faults the rest of a document is given up."""

RESYNC_TRIES = 2000
"""How many openings after faults are tried, in all of a document, before the rest is given up."""


def values(source: Source, sign: Sign, account: Account) -> Iterator[tuple[int, Json]]:
    """The JSON values of a file, each with its line: one document, or (JSONL, whatever its name) one a line.

    `sign` tells an object of the format, such as a step, from any other: reading goes on at one after a fault.
    """
    if has_lines(source):
        for line in source.lines():
            if line.data.strip(b" \t\r\n\0"):
                yield from ((line.number, value) for value in decoded(line.data, sign, account, line.number))
            else:
                account.note_padding(line.number, line.data)
        return
    with source.open_text() as stream:
        data = stream.read(DOCUMENT_LIMIT + 1)
    if len(data) > DOCUMENT_LIMIT:
        what = f"the document is longer than {DOCUMENT_LIMIT:,} bytes"
        account.note(0, "oversized document", what, "not read", lost=True)
        return
    yield from ((1, value) for value in decoded(data, sign, account))


def decoded(data: bytes, sign: Sign, account: Account, line: int = 0) -> list[Json]:
    """The values that stand one after another in `data`; `line` is its line, or 0 for a whole file."""
    try:
        return [msgspec.json.decode(data)]
    except (msgspec.DecodeError, RecursionError, ValueError):
        pass
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        account.note(line, "bad encoding", "some bytes are not UTF-8", "shown as �")
        text = data.decode("utf-8", "replace")
    found, faults = mended(text, sign)
    for fault in faults:
        place = line or text.count("\n", 0, fault.start) + 1
        account.note(place, "torn document", fault.what, fault.done, lost=fault.lost)
    if len(found) > 1:
        account.note(line or 1, "glued records", f"{len(found)} values stand one after another", "read all")
    return found


def shaped(value: Json, shape: type[Shape], line: int, account: Account) -> Shape | None:
    """A decoded value as `shape`, with a problem for what did not fit; None for a value that is no object."""
    try:
        return msgspec.convert(value, shape)
    except (msgspec.ValidationError, RecursionError):
        pass
    if not isinstance(value, dict):
        account.note(line, "not a record", "an object is expected here", "passed over", lost=True)
        return None
    kept, dropped = salvage(value, shape)
    names = ", ".join(dropped[:5])
    account.note(line, "unexpected type", f"{names} is of an unexpected type", "left out", lost=True)
    return kept


def is_jsonl(head: bytes) -> bool:
    """True when the file's first lines are objects of their own rather than parts of one document.

    >>> is_jsonl(b'{"a": 1}\\n{"a": 2}\\n'), is_jsonl(b'{\\n "a": 1\\n}\\n'), is_jsonl(b'{"a": 1}')
    (True, False, False)
    >>> is_jsonl(b'{"torn\\n{"a": 1}\\n')
    True
    """
    lines = [line.strip() for line in head.lstrip(b" \t\r\n\0").split(b"\n")[:50]]
    following = next((line for line in lines[1:] if line), b"")
    if not lines[0].startswith(b"{") or not following:
        return False
    return following.startswith(b"{") or (following != b"}" and lines[0].endswith(b"}"))


def has_lines(source: Source) -> bool:
    """True for a JSONL, however long its first line is."""
    head = source.head(HEAD)
    if b"\n" in head.strip() or len(head) < HEAD:
        return is_jsonl(head)
    lines = (line for line in source.lines() if line.data.strip(b" \t\r\n\0"))
    first = next(lines, None)
    return first is not None and first.data.rstrip().endswith(b"}") and next(lines, None) is not None


def opening(head: bytes) -> Json:
    """The first value of a file as far as its first bytes hold it: what a reader recognises a document by.

    >>> opening(b'{"steps": [{"index": 0}, {"ind')
    {'steps': [{'index': 0}, {}]}
    """
    first = head.lstrip(b" \t\r\n\0")
    first = first.split(b"\n", 1)[0] if is_jsonl(head) else first
    try:
        return cast(Json, msgspec.json.decode(first))
    except (msgspec.DecodeError, RecursionError, ValueError):
        pass
    found, _ = mended(first.decode("utf-8", "replace"), lambda _: False)
    return found[0] if found else None


def openings(line: bytes) -> list[Json]:
    """The values that stand on a line as far as it holds them; nothing for a blank line.

    >>> openings(b'{"a": 1}{"b": [2'), openings(b" ")
    ([{'a': 1}, {'b': [2]}], [])
    """
    return decoded(line, lambda _: False, Account("")) if line.strip(b" \t\r\n\0") else []


class Fault(NamedTuple):
    """A place where a text is no JSON, and what was done about it."""

    start: int
    what: str
    done: str
    lost: bool = True


def mended(text: str, sign: Sign) -> tuple[list[Json], list[Fault]]:
    """As much of a faulty text as can be read, and its faults. Commas count as space; at least one fault is told.

    >>> mended('{"steps": [{"n": 1}, {"n": 2, "t": "cut', lambda item: "n" in item)[0]
    [{'steps': [{'n': 1}, {'n': 2}]}]
    >>> mended('{"steps": [{"n": 1}, {"n": @@, {"n": 3}], "z": 0}', lambda item: "n" in item)[0]
    [{'steps': [{'n': 1}, {}, {'n': 3}], 'z': 0}]
    """
    mender = _Mender(text, sign)
    while len(mender.faults) < FAULT_LIMIT and mender.step():
        pass
    whole = Fault(0, "the text is not strict JSON", "read all the same", lost=False)
    return mender.values, mender.faults or [whole]


_SPACE = re.compile(r"[\s\0,]*")
_OBJECT = re.compile(r'\{\s*"')
_COLON = re.compile(r"\s*:\s*")
_ATOM = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|NaN|-?Infinity")
_STRINGS = json.JSONDecoder(strict=False)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_WORDS: dict[str, Json] = {"true": True, "false": False, "null": None}


class _Mender:
    """Reads a text value by value; containers are attached when they open, so that a tear loses only what follows."""

    def __init__(self, text: str, sign: Sign) -> None:
        self.text = text
        self.values: list[Json] = []
        self.faults: list[Fault] = []
        self._sign = sign
        self._position = 0
        self._tries = RESYNC_TRIES
        self._open: list[list[Json] | dict[str, Json]] = []

    def step(self) -> bool:
        """Reads on by one value, one member or one closing bracket; False when nothing is left."""
        self._position = start = _SPACE.match(self.text, self._position).end()  # type: ignore[union-attr]
        if start >= len(self.text):
            if self._open:
                what = f"the text ends inside {len(self._open)} open brackets"
                self.faults.append(Fault(start, what, "what came before was kept"))
            return False
        try:
            self._read(start)
        except (ValueError, RecursionError):
            return self._resync(start)
        return True

    def _read(self, start: int) -> None:
        innermost = self._open[-1] if self._open else self.values
        if self.text[start] in "]}":
            if not self._open or isinstance(innermost, dict) != (self.text[start] == "}"):
                raise ValueError
            self._open.pop()
            self._position = start + 1
        elif isinstance(innermost, dict):
            name, after = self._string(start)
            colon = _COLON.match(self.text, after)
            if colon is None:
                raise ValueError
            innermost[name] = self._value(colon.end())
        else:
            innermost.append(self._value(start))

    def _value(self, start: int) -> Json:
        first = self.text[start : start + 1]
        if first == '"':
            value, self._position = self._string(start)
            return value
        if first and first in "{[":
            if len(self._open) >= DEPTH_LIMIT:
                raise ValueError
            container: list[Json] | dict[str, Json] = {} if first == "{" else []
            self._open.append(container)
            self._position = start + 1
            return container
        atom = _ATOM.match(self.text, start)
        if atom is None:
            raise ValueError
        self._position = atom.end()
        return _number_or_word(atom.group())

    def _string(self, start: int) -> tuple[str, int]:
        if self.text[start : start + 1] != '"':
            raise ValueError
        value, end = _STRINGS.raw_decode(self.text, start)
        return _LONE_SURROGATE.sub("\ufffd", value), end

    def _resync(self, start: int) -> bool:
        """Goes on at the next object of the format, as an item of the list that holds such objects."""
        self._position = max(self._position, start)
        found, end = self._next_object()
        done = "the rest was skipped" if found is None else "read on at the next record"
        self.faults.append(Fault(start, f"what follows character {start} is no JSON", done))
        if found is None:
            return False
        home = self._home()
        del self._open[home:]
        innermost = self._open[-1] if self._open else self.values
        if isinstance(innermost, list):
            innermost.append(found)
        self._position = end
        return True

    def _next_object(self) -> tuple[dict[str, Json] | None, int]:
        start = self._position
        while self._tries and (opened := _OBJECT.search(self.text, start + 1)):
            start = opened.start()
            self._tries -= 1
            try:
                found, end = _LENIENT.raw_decode(self.text, start)
                if isinstance(found, dict) and self._sign(found):
                    return json.loads(_LONE_SURROGATE.sub("\ufffd", json.dumps(found, ensure_ascii=False))), end
            except (ValueError, RecursionError):
                continue
        return None, 0

    def _home(self) -> int:
        """How many containers stay open: up to the list that has objects of the format, else the innermost list."""
        innermost = 0
        for depth, container in enumerate(self._open, 1):
            if isinstance(container, list):
                innermost = depth
                if any(isinstance(item, dict) and self._sign(item) for item in container[:3]):
                    return depth
        return innermost


def _number_or_word(literal: str) -> Json:
    """A number, a word, or (infinite, endless, not a number) the literal as text."""
    if literal in _WORDS:
        return _WORDS[literal]
    if literal.lstrip("-").isdigit() and len(literal) < 4000:
        return int(literal)
    value = float(literal)
    return value if value - value == 0 else literal


_LENIENT = json.JSONDecoder(parse_float=_number_or_word, parse_constant=str, strict=False)
