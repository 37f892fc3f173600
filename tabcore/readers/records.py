"""Lines of a JSONL log -> typed records, whatever happened to the lines.

A sound line is decoded straight into the format's msgspec struct, which skips what the struct does not name.
Only a line that fails this takes the slow way: glued records are taken apart, a torn one is passed over up to the
next record on the line, a field of an unexpected type is dropped; each time a problem says so.
"""

from __future__ import annotations

import json
import re
import types
from collections.abc import Callable, Iterator
from typing import TypeAlias, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import msgspec

from tabcore.readers.base import Account
from tabcore.source import LINE_LIMIT, Line, Source
from tabcore.trajectory import Json

Shape = TypeVar("Shape", bound=msgspec.Struct)
Sign: TypeAlias = Callable[[dict[str, Json]], bool]
"""Tells a record of the format from any other JSON object, such as a content block inside a torn record."""

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


def looks_like(head: bytes, sign: Sign) -> bool:
    """True when one of the first lines holds a record of the format; glued, torn and cut lines are allowed.

    >>> looks_like(b'{"torn": tru\\n{"a": 1}{"type": "x"}', lambda record: "type" in record)
    True
    """
    quiet = Account("")
    for number, data in enumerate(head.split(b"\n")[:50], 1):
        text = data.decode("utf-8", "replace").strip()
        if any(sign(found) for found in _objects(text, number, sign, quiet) if isinstance(found, dict)):
            return True
    return False


def _with_care(line: Line, shape: type[Shape], sign: Sign, account: Account) -> Iterator[tuple[int, int, Shape, int]]:
    """The records of a line that is not one sound record."""
    if not line.data.strip(_BLANK) or account.skipped[-1:] == [line.number]:
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
    start = 0
    while start < len(text):
        try:
            found, start = _parse(text, start, line, account)
        except (ValueError, RecursionError) as fault:
            what = "is nested too deeply" if isinstance(fault, RecursionError) else "is no complete JSON"
            after = _resync(text, start, sign)
            account.note(
                line, "torn line", f"what follows character {start} {what}",
                "read on at the next record" if after else "the rest of the line was skipped", lost=True,
            )  # fmt: skip
            if after is None:
                return
            start = after
        else:
            yield found
            while start < len(text) and text[start] in " \t\r\n\0,":
                start += 1


def _resync(text: str, start: int, sign: Sign) -> int | None:
    """Where the next record opens after a tear at `start`, or None."""
    quiet = Account("")
    for _ in range(RESYNC_TRIES):
        start = text.find('{"', start + 1)
        if start < 0:
            return None
        try:
            found, _end = _parse(text, start, 0, quiet)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and sign(found):
            return start
    return None


_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def _parse(text: str, start: int, line: int, account: Account) -> tuple[Json, int]:
    """One JSON value from `start`, and where it ends. What no JSON text may hold is mended and noted.

    Numbers that are too big, infinite or not numbers are kept as text; a repeated name keeps its last value.
    """
    mended: list[str] = []

    def number(literal: str) -> float | int | str:
        value: float | int = int(literal) if literal.lstrip("-").isdigit() and len(literal) < 4000 else float(literal)
        if value in (float("inf"), float("-inf")):
            mended.append(literal[:30])
            return literal
        return value

    def constant(literal: str) -> str:
        mended.append(literal)
        return literal

    decoder = json.JSONDecoder(parse_float=number, parse_int=number, parse_constant=constant, strict=False)
    value, end = decoder.raw_decode(text, start)
    if mended:
        account.note(line, "not a number", f"{mended[0]} is no JSON number", "kept as text")
    if "\\u" in text or _LONE_SURROGATE.search(text):
        value, replaced = _without_surrogates(value)
        if replaced:
            account.note(line, "bad encoding", "half of a surrogate pair stands alone", "shown as �")
    return cast(Json, value), end


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
    hints = get_type_hints(shape)
    for field in msgspec.structs.fields(shape):
        if field.encode_name in value:
            kept, faults = _fit(value[field.encode_name], hints[field.name])
            dropped += [field.encode_name + (f".{fault}" if fault else "") for fault in faults]
            if kept is not _NOTHING:
                fitting[field.name] = kept
    return shape(**fitting), dropped


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
