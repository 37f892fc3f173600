"""Lines of a JSONL log -> typed records, whatever happened to the lines.

A sound line is decoded straight into the format's msgspec struct, which skips what the struct does not name.
Only a line that fails this takes the slow way: glued records are taken apart, a torn one is passed over up to the
next record on the line, a field of an unexpected type is dropped; each time a problem says so.
"""

from __future__ import annotations

import json
import math
import re
import types
from collections.abc import Callable, Iterator
from functools import cache
from typing import TypeAlias, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import msgspec

from tabcore.readers.base import Account
from tabcore.source import LINE_LIMIT, Line, Source
from tabcore.trajectory import Json

Shape = TypeVar("Shape", bound=msgspec.Struct)
Sign: TypeAlias = Callable[[dict[str, Json]], bool]
"""Tells a record of the format from any other JSON object, such as a content block inside a torn record."""

TEARS_OF_A_LINE = 200
"""After so many tears the rest of a line is given up."""

_BLANK = b" \t\r\n\0"

RESYNC_TRIES = 64
"""How many openings after a tear are tried before the rest of a line is given up."""


def records(source: Source, shape: type[Shape], sign: Sign, account: Account) -> Iterator[tuple[int, int, Shape, int]]:
    """The records of a JSONL log, in order: line, place on the line from 0, record, length of the line.

    Blank lines are passed over; a line without a record is skipped. (Plain tuples: there are millions.)
    """
    decode = msgspec.json.Decoder(shape).decode
    for line in source.lines():
        try:
            value = decode(line.data)
        except (msgspec.DecodeError, RecursionError, ValueError):
            yield from _with_care(line, shape, sign, account)
        else:
            account.total += 1
            yield line.number, 0, value, len(line.data)


def sound_value(line: bytes) -> tuple[Json, ...]:
    """The one JSON value that a line is; nothing where it is none, or several.

    >>> sound_value(b'{"a": 1}'), sound_value(b'{"a": 1}{"a": 2}')
    (({'a': 1},), ())
    """
    try:
        return (msgspec.json.decode(line),)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return ()


def objects_of_line(line: bytes) -> Iterator[dict[str, Json]]:
    """The objects on a line, glued ones too; of what follows a tear, each that is whole, inner ones among them.

    >>> list(objects_of_line(b'{"a": 1}{"b": tru, {"c": {}}'))
    [{'a': 1}, {'c': {}}]
    """
    parser = _Parser(line.decode("utf-8", "replace").strip())
    start = 0
    while start < len(parser.text):
        try:
            found, start = parser.value(start)
        except (ValueError, RecursionError):
            yield from (found for _, found in _openings(parser, start))
            return
        if isinstance(found, dict):
            yield found
        start = _NEXT.match(parser.text, start).end()  # type: ignore[union-attr]  # it matches nothing too


def _with_care(line: Line, shape: type[Shape], sign: Sign, account: Account) -> Iterator[tuple[int, int, Shape, int]]:
    """The records of a line that is not one sound record."""
    if not line.data.strip(_BLANK):
        account.note_padding(line.number, line.data)
        return
    if account.skipped[-1:] == [line.number]:
        return
    account.total += 1
    if len(line.data) >= LINE_LIMIT:
        what = f"the line is longer than {LINE_LIMIT:,} bytes"
        account.note(line.number, "oversized line", what, "skipped", lost=True)
        account.skip(line.number)
        return
    text = _text(line, account)
    place = 0
    for found in _objects(text, line.number, sign, account):
        if not isinstance(found, dict):
            account.note(line.number, "not a record", "the line holds no JSON object", "passed over", lost=True)
            continue
        value, dropped = salvage(found, shape)
        if dropped:
            names = ", ".join(dropped[:5])
            account.note(line.number, "unexpected type", f"{names} is of an unexpected type", "left out", lost=True)
        yield line.number, place, value, len(line.data)
        place += 1
    if place == 0:
        account.skip(line.number)
    elif place > 1:
        account.note(line.number, "glued records", f"{place} records stand on one line", f"read all {place}")


def _text(line: Line, account: Account) -> str:
    try:
        return line.data.decode("utf-8").strip(_BLANK.decode())
    except UnicodeDecodeError:
        account.note(line.number, "bad encoding", "some bytes are not UTF-8", "shown as �")
        return line.data.decode("utf-8", "replace").strip(_BLANK.decode())


def _objects(text: str, line: int, sign: Sign, account: Account) -> Iterator[Json]:
    """The JSON values that stand one after another in a text; after a tear, those that are records."""
    parser = _Parser(text)
    start, tears = 0, 0
    while start < len(text) and tears < TEARS_OF_A_LINE:
        try:
            found, start = parser.value(start)
        except (ValueError, RecursionError) as fault:
            what = "is nested too deeply" if isinstance(fault, RecursionError) else "is no complete JSON"
            after, tears = _resync(parser, start, sign), tears + 1
            done = "read on at the next record" if after else "the rest of the line was skipped"
            account.note(line, "torn line", f"what follows character {start} {what}", done, lost=True)
            start = after or len(text)
        else:
            for kind, what, done in parser.faults():
                account.note(line, kind, what, done)
            yield found
            start = _NEXT.match(text, start).end()  # type: ignore[union-attr]  # it matches nothing too


_NEXT = re.compile(r"[\s\0,]*")


def _resync(parser: _Parser, start: int, sign: Sign) -> int | None:
    """Where the next record opens after a tear at `start`, or None."""
    return next((opening for opening, found in _openings(parser, start) if sign(found)), None)


def _openings(parser: _Parser, start: int) -> Iterator[tuple[int, dict[str, Json]]]:
    """The whole objects that open after `start`, as far as RESYNC_TRIES openings tell."""
    for _ in range(RESYNC_TRIES):
        start = parser.text.find('{"', start + 1)
        if start < 0:
            return
        try:
            found, _end = parser.value(start)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield start, found


_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class _Parser:
    """Takes JSON values from a text. What no JSON text may hold is mended: `faults()` tells what, since the last value.

    Numbers that are too big, infinite or not numbers are kept as text; a repeated name keeps its last value.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._has_escapes = "\\u" in text
        self._odd_number: str | None = None
        self._has_halves = False
        self._decoder = json.JSONDecoder(
            parse_float=self._number, parse_int=self._number, parse_constant=self._constant, strict=False
        )

    def value(self, start: int) -> tuple[Json, int]:
        """The value that begins at `start`, and where it ends; ValueError or RecursionError when there is none."""
        self._odd_number, self._has_halves = None, False
        value, end = self._decoder.raw_decode(self.text, start)
        if self._has_escapes:
            value, self._has_halves = _without_surrogates(value)
        return cast(Json, value), end

    def faults(self) -> Iterator[tuple[str, str, str]]:
        """What was mended in the last value: the problem's kind, what it is, what was done."""
        if self._odd_number is not None:
            yield "not a number", f"{self._odd_number} is no JSON number", "kept as text"
        if self._has_halves:
            yield "bad encoding", "half of a surrogate pair stands alone", "shown as �"

    def _number(self, literal: str) -> float | int | str:
        if literal.lstrip("-").isdigit() and len(literal) < 4000:
            return int(literal)
        value = float(literal)
        return value if math.isfinite(value) else self._constant(literal)

    def _constant(self, literal: str) -> str:
        self._odd_number = literal[:30]
        return literal


def _without_surrogates(value: Json) -> tuple[Json, bool]:
    """The value with lone surrogates replaced by U+FFFD, since they can be neither stored nor shown."""
    match value:
        case str():
            clean = _LONE_SURROGATE.sub("\ufffd", value)
            return clean, clean != value
        case list():
            items = [_without_surrogates(item) for item in value]
            return [item for item, _ in items], any(replaced for _, replaced in items)
        case dict():
            pairs = [(_without_surrogates(name), _without_surrogates(item)) for name, item in value.items()]
            clean_pairs = {str(name[0]): item[0] for name, item in pairs}
            return clean_pairs, any(name[1] or item[1] for name, item in pairs)
        case _:
            return value, False


def salvage(value: dict[str, Json], shape: type[Shape]) -> tuple[Shape, list[str]]:
    """As much of a decoded object as fits `shape`, and the names of the fields that did not fit.

    >>> class Block(msgspec.Struct):
    ...     text: str = ""
    >>> salvage({"text": "a"}, Block), salvage({"text": 1}, Block)
    ((Block(text='a'), []), (Block(text=''), ['text']))
    """
    fitting: dict[str, object] = {}
    dropped: list[str] = []
    for name, attribute, hint in _fields(shape):
        if name in value:
            kept, faults = _fit(value[name], hint)
            dropped += [name + (f".{fault}" if fault else "") for fault in faults]
            if kept is not _NOTHING:
                fitting[attribute] = kept
    return shape(**fitting), dropped


@cache
def _fields(shape: type[msgspec.Struct]) -> list[tuple[str, str, object]]:
    """Each field's name in JSON, its name in Python, and its type."""
    hints = get_type_hints(shape)
    return [(field.encode_name, field.name, hints[field.name]) for field in msgspec.structs.fields(shape)]


_NOTHING = object()


def _fit(value: Json, hint: object) -> tuple[object, list[str]]:
    """`value` as `hint` wants it, or with what does not fit left out, or _NOTHING."""
    if isinstance(hint, type) and issubclass(hint, msgspec.Raw):
        return msgspec.Raw(msgspec.json.encode(value)), []
    try:
        return msgspec.convert(value, hint), []
    except (msgspec.ValidationError, RecursionError):
        pass
    options = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    for option in options:
        if isinstance(value, dict) and isinstance(option, type) and issubclass(option, msgspec.Struct):
            return salvage(value, option)
        if isinstance(value, list) and get_origin(option) is list:
            return _fit_items(value, get_args(option)[0])
    return _NOTHING, [""]


def _fit_items(value: list[Json], hint: object) -> tuple[object, list[str]]:
    kept: list[object] = []
    dropped: list[str] = []
    for position, item in enumerate(value):
        fitted, faults = _fit(item, hint)
        dropped += [f"{position}" + (f".{fault}" if fault else "") for fault in faults]
        if fitted is not _NOTHING:
            kept.append(fitted)
    return kept, dropped
