"""Provenance as JSON for other programs: every value with its places, every file read with what was used of it."""

from __future__ import annotations

from tabcore.analyses.provenance_rows import DeliveredValue, Place, Provenance
from tabcore.presentation.provenance_words import FALSE_FORMULAS, formula_words
from tabcore.trajectory import Json


def provenance_json(found: Provenance) -> dict[str, Json]:
    """The answer as JSON; `start` and `end` are places in the text of the deliverable, or of the source."""
    return {
        "run": found.run.run_id,
        "task": found.run.name,
        "counts": {str(kind): count for kind, count in found.counts().items()},
        "counts_with_trivial": {str(kind): count for kind, count in found.counts(distinctive=False).items()},
        "false_formulas": FALSE_FORMULAS,
        "formulas_bounded": found.bounded,
        "files": [_file(found, index) for index in range(len(found.files))],
        "files_read": [
            {
                "path": use.path,
                "entries": list(use.entries),
                "values_held": use.held,
                "values_used": use.used,
                "delivered": list(dict.fromkeys(found.values[index].text for index in use.values)),
            }
            for use in found.uses
        ],
    }


def _file(found: Provenance, index: int) -> Json:
    file = found.files[index]
    return {
        "path": file.path,
        "kind": file.kind,
        "text_from": file.source,
        "text_known": file.text is not None,
        "written_turn": file.written,
        "counts": {str(kind): count for kind, count in found.counts(file=index).items()},
        "values": [_value(found, value) for value in found.values if value.file == index],
    }


def _value(found: Provenance, value: DeliveredValue) -> Json:
    told: dict[str, Json] = {
        "value": value.text,
        "key": value.key,
        "kind": value.kind,
        "distinctive": value.distinctive,
        "provenance": value.provenance,
        "start": value.start,
        "end": value.end,
        "line": value.line,
        "place": value.place,
        "places": [_place(found, place) for place in value.places],
        "more_places": value.more,
    }
    if value.formula is not None:
        told["formula"] = {
            "operation": value.formula.operation,
            "over": value.formula.what,
            "words": formula_words(value.formula, value),
            "result": value.formula.exact,
            "fits_by_chance": value.formula.chance,
            "operands": [_place(found, place) for place in value.formula.operands],
        }
    return told


def _place(found: Provenance, place: Place) -> Json:
    source = found.sources[place.source]
    return {
        "source": source.kind,
        "entry": source.entry,
        "name": source.name,
        "turn": source.turn,
        "call": source.call,
        "line": place.line,
        "start": place.start,
        "end": place.end,
        "value": place.text,
        "equal": place.likeness,
    }
