"""Evidence of a delivered value in words, the same on the page, in the workbook and on the command line."""

from __future__ import annotations

from tabcore.analyses.provenance_rows import DeliveredValue, Formula, Kind, Likeness, Place, Provenance, SourceText

MEANINGS: dict[Kind, str] = {
    "sourced": "a file that the agent read states an equal value",
    "given": "the task states it",
    "derived": "computed from numbers that stand together",
    "only listed": "shown by a listing or printed by a program, held by no entry of the read log",
    "self-cited": "stated by nobody but the agent itself, before it wrote the deliverable",
    "unsupported": "stated nowhere before it was delivered",
}

LETTERS: dict[Kind, str] = {
    "sourced": "S",
    "given": "G",
    "derived": "D",
    "only listed": "L",
    "self-cited": "C",
    "unsupported": "U",
}
"""What says the same as the colour: C for cited by itself."""

COLOURS: dict[Kind, str] = {
    "sourced": "#00609A",
    "given": "#000000",
    "derived": "#6344B3",
    "only listed": "#8A5B00",
    "self-cited": "#00704F",
    "unsupported": "#AC4700",
}
"""On white; the page's own palette has the same hues for both themes."""

FALSE_FORMULAS = (
    "0.2 % of values with other digits, which nothing computed, were taken for derived (95 % interval 0.1 to 0.4 %)"
)
"""What `tests/benchmarks/provenance.py` measured over the sample runs and ten runs of others: 6 of 3,062."""

_LIKE: dict[Likeness, str] = {
    "written alike": "",
    "same number": "the same number",
    "sign differs": "the same but for the sign",
    "percent mark differs": "the same but for the percent mark",
    "percent as share": "the same, as a share",
}


def equality(value: DeliveredValue, place: Place) -> str:
    """How a place's value equals the delivered one: "1,234.50 = 1234.5"."""
    return (
        "written alike"
        if place.likeness == "written alike"
        else f"{value.text} = {place.text}, {_LIKE[place.likeness]}"
    )


def source_name(source: SourceText) -> str:
    """A source in a few words: "L3 notes/a.txt", "printed by python3 sum.py"."""
    match source.kind:
        case "read":
            return f"{source.entry} {source.name}"
        case "program":
            return f"printed by {source.name}"
        case "listing":
            return f"listed by {source.name}"
        case "other":
            return f"shown by {source.name or 'a call'}"
        case "task" | "own" | "deliverable":
            return source.name


def where(found: Provenance, place: Place) -> str:
    """A place in words: source, line, turn."""
    source = found.sources[place.source]
    turn = f", turn {source.turn}" if source.turn else ""
    return f"{source_name(source)}, line {place.line}{turn}"


def formula_words(formula: Formula, value: DeliveredValue, most: int = 5) -> str:
    """A formula with its numbers: "12 + 30 = 42"; of many operands the first and the last."""
    texts = [operand.text for operand in formula.operands]
    match formula.operation:
        case "difference":
            left = f"{texts[0]} − {texts[1]}"
        case "product":
            left = f"{texts[0]} × {texts[1]}"
        case "ratio":
            left = f"{texts[0]} ÷ {texts[1]}"
        case "percent change":
            left = f"{texts[0]} ÷ {texts[1]} − 1"
        case "less a percent" | "plus a percent":
            sign = "−" if formula.operation == "less a percent" else "+"
            share = next(text for text, operand in zip(texts, formula.operands, strict=True) if operand.is_percent)
            whole = next(text for text, operand in zip(texts, formula.operands, strict=True) if not operand.is_percent)
            left = f"{whole} × (1 {sign} {share})"
        case "share of the total":
            left = f"{texts[0]} ÷ ({_joined(texts[1:], most)})"
        case "mean":
            left = f"({_joined(texts, most)}) ÷ {len(texts)}"
        case "count":
            left = f"count of {_joined(texts, most, ', ')}"
        case _:
            left = _joined(texts, most)
    percent = " %" if value.key.endswith("%") else ""
    rounded = "" if formula.is_exact else f" ≈ {value.text}"
    return f"{left} = {formula.exact}{percent}{rounded}"


def _joined(texts: list[str], most: int, sign: str = " + ") -> str:
    if len(texts) <= most:
        return sign.join(texts)
    return f"{sign.join(texts[: most - 1])}{sign}… {len(texts) - most} more …{sign}{texts[-1]}"


def evidence(found: Provenance, value: DeliveredValue) -> str:
    """The best evidence of a value in one line; "" where there is none."""
    if value.provenance == "derived" and value.formula is not None:
        formula = value.formula
        return (
            f"{formula.operation}, {formula.what}: {formula_words(formula, value)}, {where(found, formula.operands[0])}"
        )
    if not value.places:
        return ""
    [best, *_] = value.places
    more = len(value.places) - 1 + value.more
    others = f"; {more} more" if more else ""
    return f"{where(found, best)}, {equality(value, best)}{others}"
