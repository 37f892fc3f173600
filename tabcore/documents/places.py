"""What a document says, and where each piece of it sits.

A `Place` names a position in the words of the format that has it: a page, a cell of a sheet, a shape of a slide, a
paragraph. `str(place)` is how people are shown it. Numbers count from 1.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Literal, assert_never

from tabcore.errors import Problem

Kind = Literal[
    "text", "markdown", "csv", "tsv", "json", "jsonl", "html", "mail", "rtf",
    "docx", "xlsx", "pptx", "odt", "ods", "odp", "pdf",
    "doc", "xls", "xlsb", "ppt", "zip", "encrypted", "picture", "empty", "unknown",
]  # fmt: skip
"""What a file is by its content. `encrypted` is an office file behind a password, `unknown` bytes of no known format."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a text file."""

    number: int

    def __str__(self) -> str:
        return f"line {self.number}"


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a csv or tsv file. `line` is where its record ends, since a quoted field may span several lines."""

    row: int
    column: int
    line: int

    def __str__(self) -> str:
        return f"row {self.row}, column {self.column}"


@dataclass(frozen=True, slots=True)
class JsonValue:
    """A value by its JSON pointer (RFC 6901); `line` is 0 unless each line of the file is a document of its own."""

    pointer: str
    line: int = 0

    def __str__(self) -> str:
        return f"line {self.line}, {self.pointer}" if self.line else self.pointer or "the whole document"


@dataclass(frozen=True, slots=True)
class Block:
    """A block of an HTML page: the text of its `tag`; `line` is where the text starts. Cells know table, row and column."""

    number: int
    tag: str
    line: int
    table: int = 0
    row: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"block {self.number} <{self.tag}>, line {self.line}"


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a PDF file."""

    number: int

    def __str__(self) -> str:
        return f"page {self.number}"


@dataclass(frozen=True, slots=True)
class Sheet:
    """The name of a sheet, as its tab shows it."""

    name: str
    hidden: bool = False

    def __str__(self) -> str:
        return f"sheet {self.name}{' (hidden)' if self.hidden else ''}"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a sheet. The piece's text is what the cell shows, `raw` what is stored: "12.3%" and "0.123".

    `formula` starts with "=" and is empty where the cell holds none. A cell's comment has the same place with
    `comment` set.
    """

    sheet: str
    row: int
    column: int
    raw: str = ""
    formula: str = ""
    comment: bool = False

    @property
    def name(self) -> str:
        """The cell's name in its sheet.

        >>> Cell("Costs", 4, 28).name
        'AB4'
        """
        return f"{column_letters(self.column)}{self.row}"

    def __str__(self) -> str:
        return f"{self.sheet}!{self.name}{' (comment)' if self.comment else ''}"


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape of a slide, or of a sheet's drawing layer; row and column where the shape is a table.

    `on` is "slide 3", "slide 3, notes" or "sheet Costs".
    """

    on: str
    shape: str
    row: int = 0
    column: int = 0

    def __str__(self) -> str:
        cell = f", row {self.row}, column {self.column}" if self.row else ""
        return f"{self.on}{', ' if self.shape else ''}{self.shape}{cell}"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph outside of tables. `part` is "body", "header 1", "footnote 2", "text box 1", "comment 3" …"""

    part: str
    number: int

    def __str__(self) -> str:
        return f"paragraph {self.number}" if self.part == "body" else f"{self.part}, paragraph {self.number}"


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell of a table; `within` is the cell that a nested table stands in. `table` counts within the part or cell."""

    part: str
    table: int
    row: int
    column: int
    within: TableCell | None = None

    def __str__(self) -> str:
        outer = f"{self.within}, " if self.within else "" if self.part == "body" else f"{self.part}, "
        return f"{outer}table {self.table}, row {self.row}, column {self.column}"


@dataclass(frozen=True, slots=True)
class ChartValue:
    """What a chart shows: a value of a series, or (both empty) its title. `on` is where the chart stands."""

    on: str
    series: str = ""
    category: str = ""
    raw: str = ""

    def __str__(self) -> str:
        return ", ".join(filter(None, (self.on, self.series, self.category)))


@dataclass(frozen=True, slots=True)
class MailHeader:
    """A header of a mail: Subject, From, To, Date …"""

    name: str

    def __str__(self) -> str:
        return f"header {self.name}"


@dataclass(frozen=True, slots=True)
class Member:
    """The name of a file inside: a member of an archive, or an attachment."""

    number: int

    def __str__(self) -> str:
        return f"file {self.number} inside"


@dataclass(frozen=True, slots=True)
class Inside:
    """A place in a file inside the file: an attachment, a body of a mail, a member of an archive."""

    name: str
    place: Place

    def __str__(self) -> str:
        return f"{self.name}: {self.place}"


Place = (
    Line | Field | JsonValue | Block | Page | Sheet | Cell | Shape | Paragraph | TableCell
    | ChartValue | MailHeader | Member | Inside
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Piece:
    """Text as a reader of the document sees it, and where it sits."""

    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class Document:
    """A file as text. `problems` says what of it was not read.

    `text` is the pieces in order: cells of one row are parted by a tab, all else by a newline.

    >>> document = Document("xlsx", (Piece("Rent", Cell("Costs", 1, 1)), Piece("12.3%", Cell("Costs", 1, 2, "0.123"))))
    >>> document.text, str(document.place_at(5))
    ('Rent\\t12.3%', 'Costs!B1')
    """

    kind: Kind
    pieces: tuple[Piece, ...] = ()
    problems: tuple[Problem, ...] = ()
    text: str = field(init=False, repr=False, compare=False)
    starts: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """Where each piece starts in `text`."""

    def __post_init__(self) -> None:
        parted = [piece.text + end for piece, end in zip(self.pieces, _ends(self.pieces), strict=True)]
        object.__setattr__(self, "text", "".join(parted))
        object.__setattr__(self, "starts", tuple(accumulate(map(len, parted[:-1]), initial=0)) if parted else ())

    def piece_at(self, offset: int) -> Piece:
        """The piece that holds the character at `offset` of `text`; what parts two pieces counts to the first.

        Raises IndexError where the text has no such character.
        """
        if not 0 <= offset < len(self.text):
            raise IndexError(f"offset {offset} is outside of a text of {len(self.text)} characters")
        return self.pieces[bisect_right(self.starts, offset) - 1]

    def place_at(self, offset: int) -> Place:
        """Where the character at `offset` of `text` sits; raises IndexError like `piece_at`."""
        return self.piece_at(offset).place


def _ends(pieces: tuple[Piece, ...]) -> Iterable[str]:
    """What follows each piece: a tab before the next cell of the same row, else a newline; nothing at the end."""
    rows = [_row(piece.place) for piece in pieces]
    for before, after in pairwise(rows):
        yield "\t" if before and after and before[0] == after[0] and before[1] != after[1] else "\n"
    if rows:
        yield ""


def _row(place: Place) -> tuple[tuple[object, ...], int] | None:
    """The table row that a place stands in, and its column; None outside of tables."""
    match place:
        case Cell(comment=False):
            return (place.sheet, place.row), place.column
        case Field():
            return (place.row,), place.column
        case TableCell():
            return (place.part, place.table, place.row, place.within), place.column
        case Shape() | Block():
            return (_table(place), place.column) if place.row else None
        case Inside(name, inner):
            found = _row(inner)
            return found and ((name, *found[0]), found[1])
        case Cell() | Line() | JsonValue() | Page() | Sheet() | Paragraph() | ChartValue() | MailHeader() | Member():
            return None
        case _:
            assert_never(place)


def _table(place: Shape | Block) -> tuple[object, ...]:
    return (place.on, place.shape, place.row) if isinstance(place, Shape) else (place.table, place.row)


def column_letters(column: int) -> str:
    """A column's letters in a sheet, counted from 1.

    >>> column_letters(1), column_letters(26), column_letters(27), column_letters(16384)
    ('A', 'Z', 'AA', 'XFD')
    """
    letters = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters
