"""Packed files (zip): their parts, read with a limit; and the relations between parts of an office file (OPC).

A package's directory may lie about sizes, so parts are unpacked to the limit and no further. XML is parsed with
document types forbidden: no office file has one, and without it neither entities nor outside files exist.
"""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from functools import lru_cache
from io import BytesIO
from typing import NamedTuple
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring, iterparse

from tabcore.documents.limits import Content, NotRead
from tabcore.errors import Problem

_FAULTS = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError)
_BOMB = "more bytes than a document of this size has"


class Relation(NamedTuple):
    """What one part says of another: `sort` is the last word of the relation's type ("slide", "comments")."""

    sort: str
    target: str
    external: bool


class Package:
    """The parts of a packed file. Raises NotRead for a part, or a whole package, that can't be read."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._left = content.limits.unpacked_bytes
        try:
            self._archive = zipfile.ZipFile(BytesIO(content.data))
        except _FAULTS as fault:
            raise NotRead(content.problem("damaged", f"the package cannot be opened ({fault})", "not read")) from fault
        self.names = tuple(entry.filename for entry in self._archive.infolist())
        if len(self.names) > content.limits.members:
            raise NotRead(content.hit("members", f"it has {len(self.names)} parts", "not read"))

    def __contains__(self, name: str) -> bool:
        return name in self._archive.NameToInfo

    def read(self, name: str) -> bytes:
        """A part's bytes."""
        try:
            entry = self._archive.getinfo(name)
        except KeyError as fault:
            raise self._not_read(name, "missing part", "is named and not there") from fault
        if entry.flag_bits & 1:
            raise self._not_read(name, "encrypted", "is encrypted")
        try:
            with self._archive.open(entry) as stream:
                data = stream.read(self._left + 1)
        except _FAULTS as fault:
            raise self._not_read(name, "damaged", f"cannot be unpacked ({fault})") from fault
        if len(data) > self._left:
            raise NotRead(self._content.hit("unpacked_bytes", f"{name} unpacks to {_BOMB}", "skipped"))
        self._left -= len(data)
        return data

    def xml(self, name: str) -> Element:
        """A part's XML."""
        try:
            root: Element = fromstring(self.read(name), forbid_dtd=True)
        except (ParseError, DefusedXmlException, ValueError, LookupError) as fault:
            raise self._not_read(name, "damaged", f"is no XML that is safe to read ({fault or type(fault)})") from fault
        return root

    def elements(self, name: str) -> Iterator[Element]:
        """Each element of a part's XML when it is complete, for parts that are too large to hold as a tree."""
        try:
            for _, element in iterparse(BytesIO(self.read(name)), forbid_dtd=True):
                yield element
        except (ParseError, DefusedXmlException, ValueError, LookupError) as fault:
            raise self._not_read(name, "damaged", f"is no XML that is safe to read ({fault or type(fault)})") from fault

    def relations(self, name: str) -> dict[str, Relation]:
        """A part's relations by their id, targets as names of parts; "" is the package itself."""
        folder, _, base = name.rpartition("/")
        part = posixpath.join(folder, "_rels", f"{base}.rels")
        if part not in self:
            return {}
        return {
            entry.get("Id", ""): Relation(
                entry.get("Type", "").rpartition("/")[2],
                posixpath.normpath(posixpath.join("/", folder, entry.get("Target", ""))).lstrip("/"),
                entry.get("TargetMode") == "External",
            )
            for entry in self.xml(part)
        }

    def related(self, name: str, sort: str) -> list[str]:
        """The parts to which `name` has relations of this sort, in the order in which they are stated."""
        return [
            relation.target
            for relation in self.relations(name).values()
            if relation.sort == sort and not relation.external
        ]

    def main_part(self) -> str:
        """The part that the office file begins with."""
        parts = self.related("", "officeDocument")
        if not parts:
            raise self._not_read("_rels/.rels", "damaged", "names no main part")
        return parts[0]

    def _not_read(self, name: str, kind: str, what: str) -> NotRead:
        return NotRead(self._content.problem(kind, f"its part {name} {what}", "that part was not read"))

    def notices(self) -> Iterator[Problem]:
        """What an office file holds beside its text: macros, pictures, embedded objects."""
        if any(name.endswith("vbaProject.bin") for name in self.names):
            yield self._content.problem("macro", "it holds macros", "named, neither read nor run", lost=False)
        pictures = sum("/media/" in f"/{name}" or name.startswith("Pictures/") for name in self.names)
        if pictures:
            what = f"it holds {pictures} pictures or recordings"
            yield self._content.problem("picture", what, "text in them was not read", lost=False)
        objects = sum("/embeddings/oleObject" in name for name in self.names)
        if objects:
            yield self._content.problem("embedded", f"it holds {objects} embedded objects", "these were not read")


def local(element: Element) -> str:
    """An element's name without its namespace: transitional and strict OOXML differ only there.

    >>> local(Element("{urn:x}p"))
    'p'
    """
    return _local_part(element.tag)


@lru_cache(maxsize=1024)
def _local_part(tag: object) -> str:
    # The tag of a comment is no text.
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element, name: str) -> str:
    """An attribute by its name without namespace, "" where there is none.

    >>> attribute(Element("a", {"{urn:r}id": "rId3"}), "id")
    'rId3'
    """
    return next((value for key, value in element.items() if key.rpartition("}")[2] == name), "")


def child(element: Element | None, *path: str) -> Element | None:
    """The first descendant along a path of local names."""
    for name in path:
        if element is None:
            return None
        element = next((inner for inner in element if local(inner) == name), None)
    return element


def alternative(element: Element) -> Element | None:
    """The branch of a markup alternative (mc:AlternateContent) to read: the first choice, the only one shown."""
    return next(iter(element), None)
