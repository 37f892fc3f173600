"""A zip archive of files: each by name, and each of a known kind as a document inside."""

from __future__ import annotations

from collections.abc import Iterator

from tabcore.documents.limits import Content, Enclosed, Item, NotRead
from tabcore.documents.packages import Package
from tabcore.documents.places import Member, Piece


def read_archive(content: Content) -> Iterator[Item]:
    """The members in the order of the archive's directory."""
    package = Package(content)
    for number, name in enumerate(package.names, start=1):
        if name.endswith("/"):
            continue
        yield Piece(name, Member(number))
        try:
            data = package.read(name)
        except NotRead as fault:
            yield fault.problem
            continue
        yield Enclosed(name, data)
