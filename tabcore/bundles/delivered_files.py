"""The files that a run delivered, each with its text and where the pieces of it sit. What is wrong becomes a problem."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tabcore.documents import Block, Cell, Document, Inside, Kind, Place, Shape, TableCell, read_bytes
from tabcore.documents.limits import DEFAULT
from tabcore.errors import Problem, UnreadableSource
from tabcore.source import Source
from tabcore.trajectory import Deliverable, DeliverablePiece

FILE_LIMIT = 2000
"""Files of a deliverable beyond these are left out."""


def deliverables(place: str, outputs: Iterable[tuple[str, Source]], problems: list[Problem]) -> tuple[Deliverable, ...]:
    """The files of a deliverable, FILE_LIMIT at most; `place` is where a problem says that they are too many."""
    files = tuple(outputs)
    if len(files) > FILE_LIMIT:
        what = f"the deliverable has {len(files):,} files, more than {FILE_LIMIT:,}"
        problems.append(Problem(place, 0, "many files", what, "the last were left out", lost=True))
    return tuple(_deliverables(files[:FILE_LIMIT], problems))


def _deliverables(files: Iterable[tuple[str, Source]], problems: list[Problem]) -> Iterator[Deliverable]:
    for path, source in files:
        try:
            yield _deliverable(path, source, problems)
        except UnreadableSource as fault:
            problems.append(Problem(source.path, 0, "unreadable", fault.fact, "left out", lost=True))


_AS_IT_STANDS: tuple[Kind, ...] = ("text", "markdown", "csv", "tsv", "json", "jsonl", "empty")


def _deliverable(path: str, source: Source, problems: list[Problem]) -> Deliverable:
    """One file; of what is no plain text the text as a reader of the document sees it, with its places."""
    data = source.head(DEFAULT.file_bytes + 1)
    document = read_bytes(data, source.path)
    problems += document.problems
    if document.kind in _AS_IT_STANDS and (plain := _decoded(data)) is not None:
        return Deliverable(path, source.size, source.digest(), plain, kind=document.kind)
    text = document.text if document.pieces else None
    return Deliverable(path, source.size, source.digest(), text, kind=document.kind, pieces=_pieces(document))


def _decoded(data: bytes) -> str | None:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _pieces(document: Document) -> tuple[DeliverablePiece, ...]:
    return tuple(
        DeliverablePiece(start, start + len(piece.text), str(piece.place), *_cell_of(piece.place))
        for start, piece in zip(document.starts, document.pieces, strict=True)
    )


def _cell_of(place: Place) -> tuple[str, int, int, str]:
    """The table, row and column of a place, and what it stores."""
    match place:
        case Cell(comment=False):
            return place.sheet, place.row, place.column, place.formula or place.raw
        case TableCell():
            inner = f", in {place.within}" if place.within else ""
            return f"{place.part}, table {place.table}{inner}", place.row, place.column, ""
        case Shape() if place.row:
            return f"{place.on}, {place.shape}", place.row, place.column, ""
        case Block() if place.row:
            return f"table {place.table}", place.row, place.column, ""
        case Inside():
            table, row, column, raw = _cell_of(place.place)
            return (f"{place.name}: {table}" if table else ""), row, column, raw
        case _:
            return "", 0, 0, ""
