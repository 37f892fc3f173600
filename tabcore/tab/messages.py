"""All that the environment says to an agent: what each method tells it, the tab's tools, and what the tab answers.

The layouts follow the paper's Tables 5 to 7; the words between them are ours. Everything is a pure function of the tab
and of the parts that the agent has of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import assert_never

from tabcore.tab.events import FinishBody, RequirementAdded, Resolved
from tabcore.tab.review import ReviewItem
from tabcore.tab.switches import SWITCHES, WHOLE, Parts
from tabcore.tab.tab import Candidate, Entry, Requirement, Tab
from tabcore.text.terms import terms

PREFIX = "[tab] "
LINE_WIDTH = 160
"""Characters of an excerpt's line in a review."""
CANDIDATES_LISTED = 100
"""Paths in one list of candidates; how many more there are is said."""
UNOPENED_NAMED = 10
"""Paths in a finish check."""

WORKSPACE_BLOCK = """\
You work on a task with the files of a workspace folder, through a terminal. Every command starts in that folder; \
use paths relative to it.
Find what the task needs in the files, take figures and wording from them alone, and write the deliverable that is asked for.
When it is finished, answer without a tool call."""

TODO_BLOCK = """\
Before you open a file, write down a list of every fact, figure and element that the task asks for, one item each.
Keep to that list while you work, and finish when each item is in the deliverable or is known to be in no file."""

SELF_REFINE = """\
Before you finish: go through the deliverable once more. Check each fact, figure and element that the task asks for \
against the files that you have read, add what is missing and mend what differs. Then answer without a tool call."""
"""Said once, at the first stop of a self_refine run."""

CLEARED = "[cleared]"
"""What a request holds in the place of a result that has left the context window."""

SUMMARY_REQUEST = """\
Earlier tool results will leave your context now. Write down for yourself, without calling a tool, what is still needed of \
all that you have seen: figures and wording with the path of their file, what was decided and why, what is done, and \
what is left to do. Only what you write here stays."""


def summary_block(summary: str) -> str:
    """What a model wrote of results that have left the context window, as it is shown to it."""
    return f"What you wrote down of results that were cleared since:\n{summary}"


def truncated(text: str, cap: int) -> str:
    """A tool's result of which only the first `cap` characters may be shown, with the note that says so."""
    return f"{text[:cap]}\n[...truncated, {len(text) - cap} chars omitted]"


def system_block(parts: Parts = WHOLE) -> str:
    """What the agent is told of its tab before the task."""
    held = [
        "You work with a tab that the environment keeps for you, outside of your context.",
        "It has your requirements, a log of every file whose content you were shown, and the files that you have listed but not opened."
        if parts.capture
        else "It has your requirements.",
        "- Before you open a file, state with tab_add every fact, figure and element that the task asks for, one item each.",
    ]
    return "\n".join(
        [
            *held,
            *_looking(parts),
            f"- Before you finish, call tab_resolve for every requirement: {_how_to_resolve(parts)}.",
        ]
    )


def _looking(parts: Parts) -> list[str]:
    if not parts.capture:
        return ['- tab_list with kind "requirements" lists your requirements and how each stands.']
    review = (
        '- After exploring, and again before you resolve, call tab_list with kind "requirements": it shows each open requirement '
        "beside the best of what you have read and of what you never opened. "
        if parts.review
        else '- tab_list with kind "requirements" lists your requirements and how each stands. '
    )
    return [
        f'{review}kind "candidates" and "read_log" list those.',
        "- tab_show gives back one read-log entry, word for word.",
    ]


def _how_to_resolve(parts: Parts) -> str:
    return (
        '"done" cites the entry that holds it, "unavailable" says why not'
        if parts.capture
        else '"done" where the deliverable has it, "unavailable" says why not'
    )


SYSTEM_BLOCKS = tuple(dict.fromkeys(system_block(parts) for parts in (WHOLE, *SWITCHES.values())))
"""What `system_block` says of the whole tab, and of the tab with each switch."""


def tool_descriptions(parts: Parts = WHOLE) -> dict[str, str]:
    """What a model is told of each of the tab's tools that it is offered."""
    told = {
        "tab_add": "State requirements: one fact, figure or element of the deliverable each. Returns their ids.",
        "tab_resolve": "Resolve a requirement: done, citing a read-log entry, or unavailable, giving a reason."
        if parts.capture
        else "Resolve a requirement: done, or unavailable, giving a reason.",
        "tab_list": _described_lists(parts),
    }
    return told | ({"tab_show": "One read-log entry, word for word."} if parts.capture else {})


def _described_lists(parts: Parts) -> str:
    if not parts.capture:
        return "requirements: all of them and how each stands."
    first = "the review of open requirements" if parts.review else "all of them and how each stands"
    return f"requirements: {first}; candidates: files listed but not opened; read_log: what was read."


def status_line(tab: Tab, turn: int, parts: Parts = WHOLE) -> str:
    """The line appended to each observation.

    >>> status_line(Tab({}, "task"), 3)
    '[tab] 0 open | candidates: 0 unopened, 0 above threshold | read log: 0 entries | no tab operation yet'
    >>> status_line(Tab({}, "task"), 3, Parts(capture=False))
    '[tab] 0 open | no tab operation yet'
    """
    captured = (
        f"candidates: {len(tab.candidates)} unopened, {tab.starred} above threshold",
        f"read log: {_count(len(tab.read_log), 'entry', 'entries')}",
    )
    held = (f"{len(tab.open_requirements)} open", *(captured if parts.capture else ()))
    return PREFIX + " | ".join((*held, _since(tab.last_operation, turn)))


_STATUS_LINE = re.compile(
    r"\[tab\] \d+ open \| (?:candidates: \d+ unopened, \d+ above threshold \| read log: \d+ entr(?:y|ies) \| [^\n]*"
    r"|no tab operation yet|last tab operation (?:this turn|\d+ turns? ago))"
)


def is_status_line(text: str) -> bool:
    """True for a text that is a status line and nothing else."""
    return _STATUS_LINE.fullmatch(text.strip()) is not None


def review_text(tab: Tab, review: Sequence[ReviewItem], parts: Parts = WHOLE) -> str:
    """The review: each open requirement, from its reads and from what was never opened; alone without that part."""
    resolved = len(tab.requirements) - len(tab.open_requirements)
    head = f"Requirements: {len(tab.open_requirements)} open, {resolved} resolved"
    return "\n".join([head, *(_reviewed(tab, item, parts) for item in review), *_resolved(tab)])


def candidates_text(ranked: Sequence[Candidate]) -> str:
    """The candidates, numbered, in the order given; those above the threshold are marked `*`."""
    starred = sum(candidate.starred for candidate in ranked)
    head = (
        f"Unopened candidates: {len(ranked)} ({starred} above threshold, marked *), "
        "ranked by relevance to the task; opening a file removes it"
    )
    lines = [f"{i}. {_path(candidate)}" for i, candidate in enumerate(ranked[:CANDIDATES_LISTED], 1)]
    more = [f"… and {len(ranked) - CANDIDATES_LISTED} more"] if len(ranked) > CANDIDATES_LISTED else []
    return "\n".join([head, *lines, *more])


def read_log_text(entries: Sequence[Entry]) -> str:
    """The read log, oldest first, a line an entry, without excerpts."""
    return "\n".join([f"Read log: {_count(len(entries), 'entry', 'entries')}", *map(entry_line, entries)])


def entry_line(entry: Entry) -> str:
    """One read-log entry without its excerpt: id, path, turn, length, and what is special about it."""
    notes = [f"turn {entry.turn}", f"{entry.chars} chars"]
    notes += ["written by the agent"] if entry.authored else []
    notes += ["preview only"] if entry.partial else []
    return f"{entry.entry_id}: {entry.path} ({', '.join(notes)})"


def show_text(entry: Entry, excerpt: str) -> str:
    """One read-log entry whole: path, turn, length, command, excerpt."""
    return f"{entry_line(entry)}\ncommand: {entry.command}\n---\n{excerpt}"


def added_text(events: Sequence[RequirementAdded]) -> str:
    """The reply to add."""
    return "\n".join(f"added {event.requirement}: {event.text}" for event in events)


def resolved_text(tab: Tab, event: Resolved) -> str:
    """The reply to a resolve that was taken."""
    ground = f"cites {event.entry}" if event.entry else event.reason
    head = " ".join(filter(None, (event.requirement, f"[{event.status}]", ground)))
    return f"{head}. {len(tab.open_requirements)} open."


def refused_text(why: str) -> str:
    """The reply to an operation that was declined."""
    return f"Refused: {why}"


def is_refusal(reply: str) -> bool:
    """True for a recorded reply that declined an operation, whether the tab did or the harness before it.

    >>> is_refusal("Refused: no item was given."), is_refusal("<tool_use_error>Error: No such tool available")
    (True, True)
    """
    return reply.lstrip().lower().startswith(("refused", "[tab] refused", "error", "<tool_use_error>"))


def finish_body(tab: Tab) -> FinishBody:
    """Which of the three bodies the finish check has now."""
    if not tab.requirements:
        return "none recorded"
    return "some open" if tab.open_requirements else "all resolved"


FINISH_HEAD = f"{PREFIX}Finish check 1 of at most 1: you stopped."


def finish_check(tab: Tab, review: Sequence[ReviewItem], unopened: Sequence[Candidate], parts: Parts = WHOLE) -> str:
    """The one finish check, sent at the first stop. `unopened` is ranked; the starred ones are named first."""
    body = finish_body(tab)
    never = [_never_opened(unopened)] if parts.capture else []
    match body:
        case "none recorded":
            lines = [_NONE_RECORDED, *never]
        case "some open":
            head = f"{len(tab.open_requirements)} of {len(tab.requirements)} requirement items are open:"
            closing = _RESOLVE_EACH if parts.capture else _RESOLVE_WITHOUT_ENTRIES
            lines = [head, *(_reviewed(tab, item, parts) for item in review), *never, closing]
        case "all resolved":
            done = sum(r.status == "done" for r in tab.requirements.values())
            counts = f"{done} done, {len(tab.requirements) - done} unavailable"
            lines = [f"All {len(tab.requirements)} requirement items are resolved ({counts}).", *never, _CHECK_EACH]
        case _:
            assert_never(body)
    return "\n".join([FINISH_HEAD, *lines])


_NONE_RECORDED = (
    "No requirement items were recorded. State one with tab_add for each fact, figure or element of the deliverable "
    "that the task asks for, resolve each, and mend the deliverable where one is missing."
)
_RESOLVE_EACH = "Resolve each: done, citing the entry that holds it, or unavailable, with a reason. Then finish."
_RESOLVE_WITHOUT_ENTRIES = "Resolve each: done, or unavailable, with a reason. Then finish."
_CHECK_EACH = "Check that each of them is in the deliverable as you read it, then finish."


def tab_text(tab: Tab, ranked: Sequence[Candidate], turn: int) -> str:
    """The whole tab as text for a person: status line, requirements, read log, candidates."""
    requirements = [f"  {_requirement(r)}" for r in tab.requirements.values()] or ["  none stated"]
    entries = [f"  {entry_line(entry)}" for entry in tab.read_log.values()] or ["  nothing read"]
    candidates = [f"  {_path(candidate)}" for candidate in ranked] or ["  none"]
    return "\n".join(
        [
            f"turn {turn}",
            status_line(tab, turn),
            "requirements",
            *requirements,
            "read log",
            *entries,
            f"candidates, ranked against the task: {len(ranked)} unopened, {tab.starred} above threshold (*)",
            *candidates,
        ]
    )


def first_matching_line(excerpt: str, wanted: str) -> str:
    """The first line of an excerpt that shares a term with a text, trimmed; "" when none does.

    >>> first_matching_line("Preface\\n  Article 7 Hotel rates \\n", "hotel rate limits")
    'Article 7 Hotel rates'
    """
    words = frozenset(terms(wanted))
    for line in excerpt.splitlines():
        if not words.isdisjoint(terms(line)):
            text = line.strip()
            return text if len(text) <= LINE_WIDTH else text[: LINE_WIDTH - 1] + "…"
    return ""


def _requirement(requirement: Requirement) -> str:
    head = f"{requirement.requirement_id} [{requirement.status}] {requirement.text}"
    match requirement.status:
        case "open":
            return head
        case "done":
            cited = f"{requirement.entry}, " if requirement.entry else ""
            return f"{head} ({cited}turn {requirement.resolved_turn})"
        case "unavailable":
            return f"{head} ({requirement.reason}, turn {requirement.resolved_turn})"
        case _:
            assert_never(requirement.status)


def _reviewed(tab: Tab, item: ReviewItem, parts: Parts) -> str:
    wanted = item.requirement
    if not parts.review:
        return _requirement(wanted)
    lines = [_requirement(wanted), f" from your reads:{'' if item.entries else ' nothing that shares a word'}"]
    for entry in item.entries:
        excerpt = first_matching_line(tab.texts[entry.excerpt], wanted.text)
        lines.append(f"  {entry.entry_id} {entry.path}: {excerpt or '(matches by its path)'}")
    paths = " | ".join(map(_path, item.candidates))
    lines.append(f" never opened: {paths or 'nothing that shares a word'}")
    return "\n".join(lines)


def _resolved(tab: Tab) -> list[str]:
    return [_requirement(r) for r in tab.requirements.values() if r.status != "open"]


def _never_opened(ranked: Sequence[Candidate]) -> str:
    first = sorted(ranked, key=lambda candidate: not candidate.starred)[:UNOPENED_NAMED]
    head = f"Files listed but never opened: {len(ranked)}"
    if not first:
        return f"{head}."
    more = f" | … and {len(ranked) - len(first)} more" if len(ranked) > len(first) else ""
    return f"{head} (* above threshold first): {' | '.join(map(_path, first))}{more}"


def _path(candidate: Candidate) -> str:
    return f"* {candidate.path}" if candidate.starred else candidate.path


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _since(operation: int | None, turn: int) -> str:
    if operation is None:
        return "no tab operation yet"
    if operation >= turn:
        return "last tab operation this turn"
    return f"last tab operation {_count(turn - operation, 'turn', 'turns')} ago"
