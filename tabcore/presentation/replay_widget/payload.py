"""What the replay widget is fed: a replay as JSON, once; and the small messages that follow it.

Keys are short because a run of thousands of turns is sent whole; the bodies of turns are not in it. Every text of
the record passes `plain`. Candidates are named by their position in the order by path, entries and requirements
by their ids.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from tabcore.presentation.plain import plain_line, shown
from tabcore.presentation.replay_widget.orders import Moves, by_path
from tabcore.rows import CallRow, Decision, Replay, TurnRow
from tabcore.tab.context_window import LEVELS, Level, cleared_from
from tabcore.tab.events import Match, RequirementAdded, Resolved, Reviewed, text_digest
from tabcore.tab.tab import Entry
from tabcore.tab.timeline import CandidateInterval, Timeline
from tabcore.trajectory import Json

PATHS_NAMED = 30
"""Paths of one decision that the widget names; how many more there are is said."""
EXCERPT_CAP = 20_000
PATH_WIDTH = 600


def replay_payload(replay: Replay) -> dict[str, Json]:
    """The whole replay without bodies. `version` names its content; each later message says which it belongs to."""
    timeline = replay.timeline
    intervals = by_path(timeline)
    content: dict[str, Json] = {
        "run": replay.run.run_id,
        "simulated": plain_line(replay.run.simulated or "", 400),
        "windows": [_window(replay.turns, level) for level in LEVELS],
        "turns": [_turn(turn, marks) for turn, marks in _with_marks(replay)],
        "requirements": [_requirement(added, timeline.resolutions) for added in timeline.requirements],
        "entries": [_entry(entry) for entry in timeline.entries],
        "candidates": [_candidate(interval) for interval in intervals],
        "reviews": [_review(review, intervals) for review in timeline.reviews],
    }
    return {"version": text_digest(json.dumps(content)), **content}


def order_message(version: str, moves: Iterable[Moves]) -> dict[str, Json]:
    """The orders of all turns, to be sent after the widget has opened."""
    return {"version": version, "orders": [[m.turn, [n for pair in m.moved for n in pair]] for m in moves]}


@dataclass(frozen=True, slots=True)
class ReviewLine:
    """One requirement in a review: ids of its entries, paths of its candidates, and the best entry's matching line."""

    requirement: str
    entries: tuple[str, ...]
    candidates: tuple[str, ...]
    line: str


def turn_order_message(version: str, timeline: Timeline, turn: int, ranked: Sequence[str]) -> dict[str, Json]:
    """The order of one turn, for the replay to open or to rest with: the candidates that match the task, best first."""
    positions = _positions(by_path(timeline), turn)
    return {"version": version, "turn": turn, "order": [positions[path] for path in ranked if path in positions]}


def review_message(version: str, timeline: Timeline, turn: int, review: Iterable[ReviewLine]) -> dict[str, Json]:
    """The review as it stood after one turn."""
    positions = _positions(by_path(timeline), turn)
    return {"version": version, "turn": turn, "review": [_review_line(line, positions) for line in review]}


def excerpt_message(version: str, entry_id: str, text: str) -> dict[str, Json]:
    """One read-log entry's excerpt, clipped."""
    clipped = shown(text, cap=EXCERPT_CAP)
    return {
        "version": version,
        "entry": entry_id,
        "excerpt": "".join(piece.text for piece in clipped.pieces),
        "length": clipped.length,
        "shown": clipped.shown,
    }


def _review_line(line: ReviewLine, positions: dict[str, int]) -> Json:
    candidates: list[Json] = [positions[path] for path in line.candidates if path in positions]
    return [line.requirement, list(line.entries), candidates, plain_line(line.line, 160)]


def _positions(intervals: Sequence[CandidateInterval], turn: int) -> dict[str, int]:
    return {interval.path: position for position, interval in enumerate(intervals) if interval.holds(turn)}


def _with_marks(replay: Replay) -> Iterable[tuple[TurnRow, dict[str, int]]]:
    acts = _acts(replay.timeline)
    for turn in replay.turns:
        marks = {**acts.get(turn.number, {}), **_seen(turn)}
        different = sum(difference.turn == turn.number for difference in replay.differences)
        if different:
            marks["different"] = different
        yield turn, marks


def _acts(timeline: Timeline) -> dict[int, dict[str, int]]:
    """By turn, how often the tab was acted on, by kind of act."""
    acts: dict[int, dict[str, int]] = {}
    kinds = [("added", fact.turn) for fact in timeline.requirements]
    kinds += [(fact.status, fact.turn) for fact in timeline.resolutions]
    kinds += [("review", fact.turn) for fact in timeline.reviews if fact.call >= 0]
    kinds += [("consulted", fact.turn) for fact in timeline.consultations]
    kinds += [("refused", fact.turn) for fact in timeline.refusals]
    kinds += [("finish", fact.turn) for fact in timeline.finish_checks]
    for kind, turn in kinds:
        marks = acts.setdefault(turn, {})
        marks[kind] = marks.get(kind, 0) + 1
    return acts


def _seen(turn: TurnRow) -> dict[str, int]:
    found = [decision.kind for call in turn.calls for decision in call.decisions]
    marks: dict[str, int] = {
        kind: found.count(kind) for kind in ("listed", "read", "authored", "unknown") if kind in found
    }
    errors = sum(call.is_error for call in turn.calls) + (turn.outcome != "complete")
    if errors:
        marks["error"] = errors
    if turn.is_stop:
        marks["stop"] = 1
    return marks


def _turn(turn: TurnRow, marks: dict[str, int]) -> Json:
    return {
        "n": turn.number,
        "received": turn.received,
        "outcome": turn.outcome,
        "status": plain_line(turn.status_line, 400),
        "calls": [_call(call) for call in turn.calls],
        "marks": dict(marks),
    }


def _call(call: CallRow) -> Json:
    found = sorted(call.decisions, key=lambda d: (d.kind, d.rule, d.partial))
    groups = groupby(found, key=lambda d: (d.kind, d.rule, d.partial))
    return {
        "name": plain_line(call.name, 80),
        "command": plain_line(call.command, 400),
        "shown": call.shown,
        "error": call.is_error,
        "answered": call.answered,
        "operation": call.operation,
        "found": [_decided(list(decisions)) for _, decisions in groups],
    }


def _decided(decisions: Sequence[Decision]) -> Json:
    first = decisions[0]
    return {
        "kind": first.kind,
        "rule": plain_line(first.rule, 300),
        "partial": first.partial,
        "count": len(decisions),
        "paths": [plain_line(decision.path, PATH_WIDTH) for decision in decisions[:PATHS_NAMED]],
    }


def _window(turns: Sequence[TurnRow], level: Level) -> Json:
    """[first turn whose request lacks earlier results, how many turns before it still keep theirs], or null for none."""
    since = cleared_from([[call.shown for call in turn.calls] for turn in turns], level)
    return None if since is None else [since, level.kept_responses]


def _requirement(added: RequirementAdded, resolutions: Iterable[Resolved]) -> Json:
    steps: list[Json] = [
        [fact.turn, fact.status, fact.entry, plain_line(fact.reason, 400)]
        for fact in resolutions
        if fact.requirement == added.requirement
    ]
    return {"id": added.requirement, "text": plain_line(added.text, 1_000), "turn": added.turn, "steps": steps}


def _entry(entry: Entry) -> Json:
    notes: list[Json] = ["written by the agent"] if entry.authored else []
    notes += ["preview only"] if entry.partial else []
    return {
        "id": entry.entry_id,
        "path": plain_line(entry.path, PATH_WIDTH),
        "turn": entry.turn,
        "chars": entry.chars,
        "command": plain_line(entry.command, 300),
        "notes": notes,
    }


def _candidate(interval: CandidateInterval) -> Json:
    """[path, first turn, turn from which it is starred or -1, turn at which it left or -1, why it left]."""
    return [
        plain_line(interval.path, PATH_WIDTH),
        interval.listed_turn,
        interval.starred_turn if interval.starred_turn is not None else -1,
        interval.left_turn if interval.left_turn is not None else -1,
        interval.left_by,
    ]


def _review(review: Reviewed, intervals: Sequence[CandidateInterval]) -> Json:
    positions = _positions(intervals, review.turn)
    return [review.turn, [_match(match, positions) for match in review.matches]]


def _match(match: Match, positions: dict[str, int]) -> Json:
    return [match.requirement, list(match.entries), [positions[p] for p in match.candidates if p in positions], ""]
