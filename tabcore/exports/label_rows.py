"""Labels as CSV and JSON lines, for other labelling tools and back.

One row a label, in the order in which they were said. Columns of what is given out:

    run         the run's id, "" where its log is not stored now
    path        the log
    rubric      the rubric's id in its run
    text        the rubric's text when it was labelled
    type        one of the six, "" where a label is taken back
    annotator   who
    kind        person or model
    time        when, ISO 8601, UTC
    note        free text
    evidence    what a model quoted; "saw proposals" where a person had them in view
    version     of the model's prompt
    counts      whether it counts now: the last of its annotator, and the rubric still has that text

Needed to take rows in: `run` (an id, a beginning of one, the end of a log's path, or the name of its folder), `rubric`, `type`
(a name in any case, or 1 to 6), and who, in `annotator` or for the whole file. Other columns may be missing; unknown ones are
left out. JSON lines have the same names.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tabcore.analyses.failure_types import TYPES, FailureType, named_type
from tabcore.analyses.labels import AnnotatorKind, Label, Note, counting

COLUMNS = (
    *("run", "path", "rubric", "text", "type", "annotator", "kind", "time", "note", "evidence", "version", "counts"),
)


@dataclass(frozen=True, slots=True)
class ReadRow:
    """A row of an import, not yet held against the store; `row` counts from 1, without the heading."""

    row: int
    run: str
    rubric: str
    type: FailureType | None
    annotator: str = ""
    time: float = 0.0
    kind: AnnotatorKind = "person"
    note: str = ""
    evidence: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A row that was not taken, and why."""

    row: int
    why: str


def label_rows(labels: Sequence[Label]) -> list[dict[str, Any]]:
    """Each label as a row of these columns."""
    count = {id(label) for said in counting(labels).values() for label in said.values()}
    return [
        {
            "run": one.run_id,
            "path": one.path,
            "rubric": one.rubric_id,
            "text": one.text,
            "type": one.type or "",
            "annotator": one.annotator,
            "kind": one.kind,
            "time": iso(one.time),
            "note": one.note,
            "evidence": one.evidence,
            "version": one.version,
            "counts": id(one) in count,
        }
        for one in labels
    ]


def note_rows(notes: Iterable[Note]) -> list[dict[str, Any]]:
    """Each note as a row, with the address of its place on the pages."""
    return [
        {
            "run": one.run_id,
            "path": one.path,
            "turn": one.turn or None,
            "rubric": one.rubric_id,
            "requirement": one.requirement,
            "value": one.value,
            "note": one.text,
            "annotator": one.who,
            "time": iso(one.time),
            "link": note_link(one),
        }
        for one in notes
    ]


def note_link(note: Note) -> str:
    """The address on the pages that a note is about."""
    if note.rubric_id:
        return f"/taxonomy?run={note.run_id}&rubric={note.rubric_id}"
    return f"/replay?run={note.run_id}" + (f"&turn={note.turn}" if note.turn else "")


def as_csv(rows: Sequence[dict[str, Any]], columns: Sequence[str] = COLUMNS) -> str:
    """Rows as CSV with a heading. A text that a spreadsheet would take for a formula gets an apostrophe before it.

    Half of a surrogate pair, which no file can hold, is U+FFFD.
    """
    file = io.StringIO()
    writer = csv.DictWriter(file, columns, lineterminator="\n", extrasaction="ignore")
    writer.writerow({name: inert(name) for name in columns})
    writer.writerows({name: inert(value) for name, value in row.items()} for row in rows)
    return _HALF.sub("\ufffd", file.getvalue())


def as_jsonl(rows: Sequence[dict[str, Any]]) -> str:
    """Rows as JSON lines, ASCII only."""
    return "".join(json.dumps(row) + "\n" for row in rows)


def read_rows(text: str) -> Iterator[ReadRow | Refusal]:
    """The rows of a CSV or JSON lines text, in order; what cannot be one is refused with its reason."""
    content = text.removeprefix("\ufeff")
    for number, fields in enumerate(_json_rows(content) if content.lstrip().startswith("{") else _csv_rows(content), 1):
        yield Refusal(number, fields) if isinstance(fields, str) else _read(number, fields)


def _json_rows(text: str) -> Iterator[dict[str, str] | str]:
    for line in filter(str.strip, text.split("\n")):
        try:
            row = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as fault:
            yield f"this is no JSON ({fault})"
            continue
        yield {str(k): "" if v is None else str(v) for k, v in row.items()} if isinstance(row, dict) else "no object"


def _csv_rows(text: str) -> Iterator[dict[str, str] | str]:
    try:
        for row in csv.DictReader(io.StringIO(text)):
            yield {name.strip().lower(): _live(value or "") for name, value in row.items() if name}
    except csv.Error as fault:
        yield f"from here on this is no CSV ({fault})"


def _read(number: int, fields: dict[str, str]) -> ReadRow | Refusal:
    stated = fields.get("type", "").strip()
    type_ = named_type(stated)
    kind = fields.get("kind", "").strip() or "person"
    missing = [name for name in ("run", "rubric") if not fields.get(name, "").strip()]
    if missing:
        return Refusal(number, f"it states no {' and no '.join(missing)}")
    if "type" not in fields or (stated and type_ is None):
        return Refusal(number, f"“{stated}” is no type; types are {', '.join(TYPES)}")
    if kind not in ("person", "model"):
        return Refusal(number, f"“{kind}” is no kind of annotator: person or model")
    when = _seconds(fields.get("time", "").strip())
    if when is None:
        return Refusal(number, f"“{fields['time']}” is no time; write it as 2026-12-01T10:30:00Z")
    texts = {name: fields.get(name, "") for name in ("annotator", "note", "evidence", "version")}
    return ReadRow(number, fields["run"].strip(), fields["rubric"].strip(), type_, time=when, kind=kind, **texts)  # type: ignore[arg-type]


def iso(seconds: float) -> str:
    """A time as ISO 8601 in UTC, to the microsecond.

    >>> iso(1796083200.5)
    '2026-12-01T00:00:00.500000Z'
    """
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _seconds(text: str) -> float | None:
    """A time in seconds since 1970; 0 for none, None for what is no time."""
    if not text:
        return 0.0
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def inert(value: object) -> object:
    """A cell that no spreadsheet computes: a text that one would take for a formula gets an apostrophe before it.

    >>> inert("=1+1"), inert(" \uff1d1"), inert("a=b"), inert(-5)
    ("'=1+1", "' \uff1d1", 'a=b', -5)
    """
    return f"'{value}" if isinstance(value, str) and FORMULA.match(value) else value


_HALF = re.compile(r"[\ud800-\udfff]")
FORMULA = re.compile(r"[ \t\r\n]*[=+\-@＝＋－＠]|[\t\r\n]")
"""How a text begins that Excel, LibreOffice or Google's sheets would compute; the wide signs where East Asian input is on."""


def _live(value: str) -> str:
    return value[1:] if value.startswith("'") and FORMULA.match(value[1:]) else value
