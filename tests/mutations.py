"""Ways in which logs are broken: each takes a log's bytes and gives other ones. Chance comes from outside."""

from __future__ import annotations

import gzip
import io
import json
import re
import tarfile
import warnings
import zipfile
from collections.abc import Callable, Mapping
from random import Random

import pyarrow

Mutation = Callable[[bytes, Random], bytes]

DEEP = 100_000
ODD = [None, True, 7, -1.5, 10**30, "", "text", "\ud800", [], {}, [[]], {"a": {"b": None}}, [None, 1, "x", {}]]
BAD_LINES = [
    *(b'{"torn": "li', b"null", b"[]", b"12", b'"text"', b"{}", b"\0\0\0", b'"\xff\xfe"', b"\xed\xa0\x80"),
    *(b"[" * DEEP, b'{"a":' * DEEP, b'{"a": NaN, "b": 1e999}', b'{"type": "unheard-of"}', b"<html>", b"\r"),
]
_IDS = re.compile(rb'"(?:id|uuid|call_id|tool_call_id|toolCallId|parentId|span_id)": ?"([^"\\]{1,80})"')


def cut(data: bytes, chance: Random) -> bytes:
    """Cut at a structural place."""
    places = [match.end() for match in re.finditer(rb'[{}\[\],:"\n]', data)]
    return data[: chance.choice(places)] if places else b""


def glued(data: bytes, chance: Random) -> bytes:
    """Two lines on one."""
    places = [match.start() for match in re.finditer(b"\n", data)]
    place = chance.choice(places) if places else len(data)
    return data[:place] + data[place + 1 :]


def said_twice(data: bytes, chance: Random) -> bytes:
    """Some lines again, later."""
    lines = data.splitlines(keepends=True)
    start = chance.randrange(len(lines) or 1)
    place = chance.randrange(start, len(lines) or 1)
    return b"".join([*lines[:place], *lines[start : start + 3], *lines[place:]])


def one_id(data: bytes, chance: Random) -> bytes:
    """Several things with the same id."""
    ids = sorted(set(_IDS.findall(data)))
    if len(ids) < 2:
        return data
    one, *others = chance.sample(ids, min(len(ids), chance.randint(2, 4)))
    for other in others:
        data = data.replace(b'"' + other + b'"', b'"' + one + b'"')
    return data


def other_types(data: bytes, chance: Random) -> bytes:
    """Values of other types; the log stays JSON."""
    try:
        return _text(_twisted(json.loads(data), chance))
    except (ValueError, RecursionError):
        return b"".join(_twisted_line(line, chance) for line in data.splitlines(keepends=True))


def bad_line(data: bytes, chance: Random) -> bytes:
    """A line that is no record, between two others."""
    lines = data.splitlines(keepends=True)
    place = chance.randrange(len(lines) + 1)
    return b"".join([*lines[:place], chance.choice(BAD_LINES), b"\n", *lines[place:]])


def deep_value(data: bytes, chance: Random) -> bytes:
    """A value nested too deeply, in the place of a text."""
    places = [match.span() for match in re.finditer(rb'(?<=: )"[^"\\\n]*"', data)]
    if not places:
        return data
    start, end = chance.choice(places)
    return data[:start] + b"[" * DEEP + b"]" * DEEP + data[end:]


def long_line(data: bytes, chance: Random) -> bytes:
    """A line of 2 MB."""
    place = chance.randrange(len(data) + 1)
    return data[:place] + b"x" * (2 << 20) + data[place:]


def bytes_in(data: bytes, chance: Random) -> bytes:
    """NUL, U+2028, half a character, a control character, or a mark, anywhere."""
    inserted = chance.choice(
        [b"\0", b"\0" * 500, b"\xe2\x80\xa8", b"\xe2\x80", b"\xff", b"\x1b[2J", b"\xef\xbb\xbf", b"\\u0000"]
    )
    place = chance.randrange(len(data) + 1)
    return data[:place] + inserted + data[place:]


def other_encoding(data: bytes, chance: Random) -> bytes:
    """With a byte order mark, or in UTF-16 with or without one, or torn in the middle of a character."""
    text = data.decode("utf-8", "replace")
    ways = ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1")
    written = text.encode(chance.choice(ways), "replace")
    return written[: len(written) - chance.randrange(2)]


def shuffled(data: bytes, chance: Random) -> bytes:
    """Lines in another order."""
    lines = data.splitlines(keepends=True)
    chance.shuffle(lines)
    return b"".join(lines)


MUTATIONS: Mapping[str, Mutation] = {
    mutation.__name__: mutation
    for mutation in (
        *(cut, glued, said_twice, one_id, other_types, bad_line),
        *(deep_value, long_line, bytes_in, other_encoding, shuffled),
    )
}


def in_zip(data: bytes, chance: Random) -> bytes:
    """In a zip, beside names that lead out of it."""
    packed = io.BytesIO()
    with (
        warnings.catch_warnings(),
        zipfile.ZipFile(packed, "w", chance.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as archive,
    ):
        warnings.simplefilter("ignore")
        for name in _names(chance):
            archive.writestr(name, data)
    return _damaged(packed.getvalue(), chance)


def in_tar(data: bytes, chance: Random) -> bytes:
    """In a tar, beside names that lead out of it."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name in _names(chance):
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return _damaged(packed.getvalue(), chance)


def in_packed_tar(data: bytes, chance: Random) -> bytes:
    """In a tar that is packed."""
    return _damaged(gzip.compress(in_tar(data, chance), 1), chance)


def in_gzip(data: bytes, chance: Random) -> bytes:
    """Packed."""
    return _damaged(gzip.compress(data, 1), chance)


def in_zstd(data: bytes, chance: Random) -> bytes:
    """Packed."""
    return _damaged(bytes(pyarrow.Codec("zstd").compress(data, asbytes=True)), chance)


PACKINGS: Mapping[str, Mutation] = {
    ".zip": in_zip,
    ".tar": in_tar,
    ".tar.gz": in_packed_tar,
    ".jsonl.gz": in_gzip,
    ".jsonl.zst": in_zstd,
}


def _names(chance: Random) -> list[str]:
    odd = ["../up.jsonl", "/abs.jsonl", "a\\..\\b.jsonl", "C:/x.jsonl", "a/./b.jsonl", "x" * 300, "a", "a/b.jsonl", " "]
    return ["log.jsonl", *chance.sample(odd, chance.randrange(4))]


def _damaged(data: bytes, chance: Random) -> bytes:
    """As it is, cut, or with some bytes changed."""
    match chance.randrange(4):
        case 0:
            return data[: chance.randrange(len(data) + 1)]
        case 1:
            changed = bytearray(data)
            for _ in range(chance.randint(1, 8)):
                changed[chance.randrange(len(changed))] = chance.randrange(256)
            return bytes(changed)
        case _:
            return data


def _twisted(value: object, chance: Random) -> object:
    if chance.random() < 0.03:
        return chance.choice(ODD)
    if isinstance(value, dict):
        return {name: _twisted(item, chance) for name, item in value.items()}
    if isinstance(value, list):
        return [_twisted(item, chance) for item in value]
    return value


def _twisted_line(line: bytes, chance: Random) -> bytes:
    try:
        return _text(_twisted(json.loads(line), chance)) + b"\n"
    except (ValueError, RecursionError):
        return line


def _text(value: object) -> bytes:
    return json.dumps(value).encode()
