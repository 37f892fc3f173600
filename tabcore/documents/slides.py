"""PowerPoint files (PresentationML): the shapes of each slide, its notes and comments, in the order of the show."""

from __future__ import annotations

from collections.abc import Iterator

from tabcore.documents.drawings import paragraph_text, shapes
from tabcore.documents.limits import Content, Item, NotRead
from tabcore.documents.packages import Package, attribute, child, local
from tabcore.documents.places import Piece, Shape

_NOT_NOTES = frozenset(("sldNum", "sldImg", "hdr", "ftr", "dt"))


def read_slides(content: Content) -> Iterator[Item]:
    """The texts of the slides; a hidden slide says so in its places."""
    package = Package(content)
    main = package.main_part()
    relations = package.relations(main)
    yield from package.notices()
    listed = child(package.xml(main), "sldIdLst")
    for number, entry in enumerate(listed if listed is not None else (), start=1):
        # A slide's entry has an `id` of its own beside that of the relation.
        relation = next((value for key, value in entry.items() if key.endswith("}id")), "")
        if relation not in relations:
            yield content.problem("missing part", f"slide {number} is listed and not there", "skipped")
            continue
        try:
            yield from _slide(package, relations[relation].target, number)
        except NotRead as fault:
            yield fault.problem


def _slide(package: Package, part: str, number: int) -> Iterator[Item]:
    root = package.xml(part)
    on = f"slide {number}{' (hidden)' if root.get('show') in ('0', 'false') else ''}"
    tree = child(root, "cSld", "spTree")
    if tree is not None:
        yield from shapes(package, part, tree, on)
    for notes in package.related(part, "notesSlide"):
        yield from _notes(package, notes, f"{on}, notes")
    for comments in package.related(part, "comments"):
        for comment in package.xml(comments).iter():
            if local(comment) in ("text", "p"):
                shown = comment.text if local(comment) == "text" else paragraph_text(comment)
                if shown and shown.strip():
                    yield Piece(shown, Shape(f"{on}, comment", ""))


def _notes(package: Package, part: str, on: str) -> Iterator[Item]:
    tree = child(package.xml(part), "cSld", "spTree")
    for shape in tree if tree is not None else ():
        placeholder = child(shape, "nvSpPr", "nvPr", "ph")
        if placeholder is None or attribute(placeholder, "type") not in _NOT_NOTES:
            yield from (
                Piece(item.text, Shape(on, "")) if isinstance(item, Piece) else item
                for item in shapes(package, part, (shape,), on)
            )
