"""The texts of one turn as JSON: what came before, what the agent said, each call and its result, whose words each is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from tabcore.presentation.plain import CAP, Shown, plain_line, shown
from tabcore.rows import CallBody, Decision, ObservationBody, TurnBody, TurnRow
from tabcore.tab.events import text_digest
from tabcore.tab.history import Difference
from tabcore.trajectory import Json, Message, Span

DECISIONS_NAMED = 2_000


Marked = tuple[int, int, int]
"""Characters to be marked in a result: the call's place in the turn (-1: of none), start, end."""


def turn_text_payload(
    run_id: str, row: TurnRow, body: TurnBody, cap: int = CAP, marked: Marked | None = None
) -> dict[str, Json]:
    """One turn whole, each text up to `cap` characters; what is cut is said. `version` names what can change."""
    decided = [[call.index, *_decision(one)] for call in row.calls for one in call.decisions]
    return {
        "version": text_digest(json.dumps([run_id, body.number, cap, decided, marked])),
        "run": run_id,
        "turn": body.number,
        "cap": cap,
        "about": _about(body),
        "differences": [_difference(difference, cap) for difference in body.differences],
        "parts": list(_parts(row, body, cap, marked)),
    }


def _about(body: TurnBody) -> str:
    notes = [f"turn {body.number}"]
    notes += [f"line {body.line:,} of the log"] if body.line else []
    notes += [plain_line(body.model, 80)] if body.model else []
    return " · ".join(notes)


def _parts(row: TurnRow, body: TurnBody, cap: int, marked: Marked | None) -> Iterator[Json]:
    for message in body.before:
        yield _message(message, cap)
    if body.reasoning:
        yield _part("agent, reasoning", "agent", shown(body.reasoning, cap=cap))
    if body.text:
        yield _part("agent", "agent", shown(body.text, cap=cap))
    for call in body.calls:
        yield _call(call, row, cap)
        yield from (_observation(seen, call.name, cap, marked) for seen in body.observations if seen.call == call.index)
    known = {call.index for call in body.calls}
    yield from (_observation(seen, "", cap, marked) for seen in body.observations if seen.call not in known)


def _message(message: Message, cap: int) -> Json:
    kind = "" if message.kind == "prompt" else f", {message.kind}"
    return _part(f"{message.origin}{kind}", message.origin, shown(message.text, message.spans, cap))


def _call(call: CallBody, row: TurnRow, cap: int) -> Json:
    decisions = next((short.decisions for short in row.calls if short.index == call.index), ())
    part = _part(
        f"call {call.index + 1}: {plain_line(call.name, 80)}", "call", shown(_readable(call.arguments), cap=cap)
    )
    return {**part, "decisions": [_decision(decision) for decision in decisions[:DECISIONS_NAMED]]}


def _observation(seen: ObservationBody, name: str, cap: int, marked: Marked | None) -> Json:
    notes = [f"result of {plain_line(name, 80)}" if name else "result of a call of another turn, or of none"]
    notes += ["marked as an error"] if seen.is_error else []
    notes += [f"{seen.images} pictures, not kept"] if seen.images else []
    spans = seen.spans
    if marked and marked[0] == seen.call and marked[2] <= len(seen.text):
        spans, cap = (*spans, Span(marked[1], marked[2], "tool", "the value that was asked for")), max(cap, marked[2])
    return _part(" · ".join(notes), "tool", shown(seen.text, spans, cap))


def _part(title: str, origin: str, text: Shown) -> dict[str, Json]:
    return {
        "title": title,
        "origin": origin,
        "pieces": [[piece.text, piece.origin, plain_line(piece.what, 80)] for piece in text.pieces],
        "length": text.length,
        "shown": text.shown,
    }


def _decision(decision: Decision) -> list[Json]:
    words = f"{decision.kind} (preview)" if decision.partial else decision.kind
    return [words, plain_line(decision.path, 600), plain_line(decision.rule, 300)]


def _difference(difference: Difference, cap: int) -> Json:
    call = difference.call + 1 if difference.call >= 0 else 0
    sides = (shown(text, cap=min(cap, 20_000)) for text in (difference.recorded, difference.derived))
    recorded, derived = ("".join(piece.text for piece in side.pieces) for side in sides)
    return {"what": difference.what, "call": call, "recorded": recorded, "derived": derived}


def _readable(arguments: str) -> str:
    """Arguments one a line, strings with their own line ends; the JSON text itself where it is no object.

    >>> print(_readable('{"path": "a.txt", "lines": [1, 2], "text": "x\\\\ny"}'))
    path: a.txt
    lines: [1, 2]
    text:
    x
    y
    """
    try:
        decoded = json.loads(arguments)
    except ValueError:
        return arguments
    if not isinstance(decoded, dict):
        return arguments
    return "\n".join(_argument_lines(decoded.items()))


def _argument_lines(items: Iterable[tuple[str, object]]) -> Iterator[str]:
    for name, value in items:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield f"{name}:\n{text}" if "\n" in text else f"{name}: {text}"
