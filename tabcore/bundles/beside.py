"""Files beside a log: their text and their JSON. What is wrong becomes a problem."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar, cast

import msgspec

from tabcore.errors import Problem, UnreadableSource
from tabcore.source import Folder, Source
from tabcore.trajectory import Json

TEXT_LIMIT = 4 << 20
"""Bytes of the longest text beside a log that is read."""

Shape = TypeVar("Shape", bound=msgspec.Struct)


def text_of(source: Source, problems: list[Problem], limit: int = TEXT_LIMIT) -> str | None:
    """A file's text, cut at `limit` bytes; None where it cannot be read."""
    try:
        data = source.head(limit + 1)
    except UnreadableSource as fault:
        problems.append(Problem(source.path, 0, "unreadable", fault.fact, "left out", lost=True))
        return None
    if len(data) > limit:
        what = f"it is longer than {limit:,} bytes"
        problems.append(Problem(source.path, 0, "oversized file", what, "cut there", lost=True))
    try:
        return data[:limit].decode("utf-8")
    except UnicodeDecodeError:
        problems.append(Problem(source.path, 0, "bad encoding", "some bytes are not UTF-8", "shown as �"))
        return data[:limit].decode("utf-8", "replace")


def json_of(source: Source, problems: list[Problem], limit: int = TEXT_LIMIT) -> Json:
    """What a file holds as JSON; None where it holds none."""
    text = text_of(source, problems, limit)
    try:
        return cast(Json, msgspec.json.decode(text)) if text is not None else None
    except (msgspec.DecodeError, RecursionError, ValueError) as fault:
        problems.append(Problem(source.path, 0, "no JSON", f"it is no JSON ({fault})", "left out", lost=True))
        return None


def object_of(source: Source, shape: type[Shape], problems: list[Problem], limit: int = TEXT_LIMIT) -> Shape:
    """A file's JSON object in a shape whose members all have defaults; a member of another type is left out."""
    value = json_of(source, problems, limit)
    if isinstance(value, dict):
        return shaped(value, shape, source, problems)
    if value is not None:
        problems.append(Problem(source.path, 0, "unexpected type", "it holds no JSON object", "left out", lost=True))
    return shape()


def shaped(value: dict[str, Json], shape: type[Shape], source: Source, problems: list[Problem]) -> Shape:
    """An object in a shape whose members all have defaults; a member of another type is left out."""
    kept: dict[str, Json] = {}
    for name in shape.__struct_encode_fields__:
        if name not in value:
            continue
        try:
            msgspec.convert({name: value[name]}, shape)
        except (msgspec.ValidationError, RecursionError) as fault:
            problems.append(Problem(source.path, 0, "unexpected type", str(fault), "left out", lost=True))
        else:
            kept[name] = value[name]
    return msgspec.convert(kept, shape)


def items_of(
    value: object, name: str, shape: type[Shape], source: Source, problems: list[Problem]
) -> Iterator[tuple[int, Shape]]:
    """The items of a list, or of the list `name` in an object, that have the shape, with their places from 1."""
    if isinstance(value, dict):
        value = value.get(name)
    if not isinstance(value, list):
        problems.append(Problem(source.path, 0, "no list", f"it holds no list of {name}", "left out", lost=True))
        return
    for place, item in enumerate(value, 1):
        try:
            yield place, msgspec.convert(item, shape)
        except (msgspec.ValidationError, RecursionError) as fault:
            what = f"item {place} of {name} is unlike the others ({fault})"
            problems.append(Problem(source.path, 0, "unexpected type", what, "left out", lost=True))


def find(folder: Folder, path: str) -> Source | None:
    """The file at a path inside the folder; a path that leads out of it finds nothing."""
    *folders, name = path.split("/")
    place: Folder | None = folder
    for part in folders:
        place = place.folder(part) if place and part not in ("", ".") else place
    return place.file(name) if place else None


def walk(folder: Folder, prefix: str = "") -> Iterator[tuple[str, Source]]:
    """Every file in the folder and the folders in it, with its path."""
    for source in folder.files():
        yield prefix + source.name, source
    for inner in folder.folders():
        yield from walk(inner, f"{prefix}{inner.name}/")
