"""What a model is told in each arm of masked recovery, step by step, and what its answers say.

A conversation goes on until the model states values. In the review arm it may first open entries with `show`, as the
agent could; what it asks for is given by the tab's own words. Everything here is a function of a case, the protocol and
the answers given so far.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from tabcore.analyses.recovery_answers import Said, read_answer
from tabcore.analyses.recovery_cases import Arm, Case, LogEntry, Protocol
from tabcore.language_models import Answer, Message, Prompt
from tabcore.tab import messages
from tabcore.tab.context_window import LEVELS
from tabcore.tab.ranking import Ranked, Variant, ranker
from tabcore.tab.review import ReviewItem
from tabcore.tab.tab import Requirement, Tab
from tabcore.text.masking import MASK
from tabcore.text.terms import terms
from tabcore.text.token_estimate import estimated_tokens, within_tokens

Ask = Callable[[Prompt], Answer | None]
"""The answer to a prompt, None where it is not known yet."""

OPENED_AT_ONCE = 3
"""Entries that one step may open."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """All that was said about one case in one arm, the prompt that still waits for an answer, and the outcome.

    `given` are the characters of tab or log that the model was given, `cut` those that its context or the level cut off,
    `opened` the entries that it opened; `may_open` is false once it asked for nothing new. `said` is None until the
    conversation has ended.
    """

    arm: Arm
    messages: tuple[Message, ...]
    answers: tuple[Answer, ...] = ()
    pending: Prompt | None = None
    said: Said | None = None
    given: int = 0
    cut: int = 0
    opened: tuple[str, ...] = ()
    may_open: bool = True


def converse(case: Case, arm: Arm, protocol: Protocol, ask: Ask, answer_tokens: int = 0) -> Conversation:
    """The conversation as far as the known answers carry it. `answer_tokens` are kept free in the context."""
    room = protocol.context - answer_tokens
    so_far = _opening(case, arm, protocol, room)
    while True:
        left = protocol.steps - len(so_far.answers) if arm == "review" and so_far.may_open else 0
        prompt = Prompt(so_far.messages, _schema(case, protocol, may_show=left > 0))
        answer = ask(prompt)
        if answer is None:
            return replace(so_far, pending=prompt)
        said = read_answer(answer, case, _bound(case, protocol), may_show=left > 0)
        heard = (*so_far.messages, Message("assistant", answer.text))
        so_far = replace(so_far, messages=heard, answers=(*so_far.answers, answer))
        if not said.show:
            return replace(so_far, said=said)
        so_far = _shown(so_far, case, said.show[:OPENED_AT_ONCE], protocol, left - 1, room)


def blanks(case: Case) -> int:
    """How many places of the requirement are masked."""
    return max(1, case.text.count(MASK))


def _bound(case: Case, protocol: Protocol) -> int:
    return protocol.guesses * blanks(case)


def _opening(case: Case, arm: Arm, protocol: Protocol, room: int) -> Conversation:
    instruction = _instruction(case, arm, protocol)
    asked = f"Task:\n{case.task or '(not recorded)'}\n\nRequirement, to be completed:\n{case.text}"
    given, cut = "", 0
    if arm == "review":
        given = f"\n\n[tab] {review_of(case, protocol)}"
    elif arm == "read log":
        asked_tokens = -(-estimated_tokens(instruction + asked) // _STEP) * _STEP
        free = room - asked_tokens - _MARGIN
        given, cut = _read_log(case.material.entries, protocol, free)
        given = f"\n\n{given}"
    return Conversation(
        arm, (Message("system", instruction), Message("user", asked + given)), (), given=len(given), cut=cut
    )


_MARGIN = 200
"""Tokens kept free for what the protocol itself adds."""
_STEP = 512
"""What is asked counts in steps of so many tokens, so that the log is cut at the same place for all cases of a run."""


def _instruction(case: Case, arm: Arm, protocol: Protocol) -> str:
    count, most = blanks(case), _bound(case, protocol)
    are = "One number is" if count == 1 else f"{count} numbers are"
    parts = [_TOLD.format(are=are), _GIVEN[arm], f"State at most {most}: what is more does not count."]
    if arm == "review" and protocol.steps:
        parts += [_SHOW.format(steps=protocol.steps), _EITHER]
    else:
        parts.append(_VALUES)
    return "\n".join(parts)


_TOLD = (
    "A task asked for a deliverable. Below is the task and one requirement of the deliverable. {are} masked in the "
    f"requirement as {MASK}. Find out what stands there, each as a source writes it, with its currency or percent mark."
)
_GIVEN: dict[Arm, str] = {
    "no tab": "You are given nothing else.",
    "review": "You are given the review of the requirement: the best matching entries of the log of what was read, of each "
    "one line only, and files that were never opened.",
    "read log": "You are given the log of what was read, each entry with what it showed.",
}
_SHOW = (
    "The lines of the review are seldom enough: open the entries that may hold it first, by their ids; you are shown them "
    "whole and asked again, at most {steps} times."
)
_EITHER = (
    'Answer with JSON alone: {"show": [ids of entries to open], "values": []} to open entries, or {"show": [], "values": '
    "[what is masked, as strings]} to end. Where you cannot tell, end with no values."
)
_VALUES = 'Answer with JSON alone: {"values": [what is masked, as strings]}. Where you cannot tell, give no values.'


def review_of(case: Case, protocol: Protocol) -> str:
    """The review of the masked requirement as the tab would give it, the requirement open."""
    tab, item = _reviewed(case, protocol)
    return messages.review_text(tab, [item])


def _reviewed(case: Case, protocol: Protocol) -> tuple[Tab, ReviewItem]:
    """The masks have no terms, so that what is masked ranks nothing."""
    material = case.material
    tab = Tab({logged.entry.entry_id: logged.excerpt for logged in material.entries}, case.task)
    entries = {e.entry.entry_id: replace(e.entry, excerpt=e.entry.entry_id) for e in material.entries}
    candidates = {candidate.path: candidate for candidate in material.candidates}
    requirement = Requirement(case.item.item_id, " ".join(case.text.split()), 0)
    tab.requirements[requirement.requirement_id] = requirement
    tab.read_log |= entries
    query = terms(case.text)
    best = _ranked_entries(protocol.variant, material.entries)(query)
    never = _ranked_candidates(protocol.variant, tuple(candidates))(query)
    return tab, ReviewItem(
        requirement,
        tuple(entries[name] for name in best[: protocol.shown]),
        tuple(candidates[path] for path in never[: protocol.shown]),
    )


@lru_cache(maxsize=4)
def _ranked_entries(variant: Variant, entries: tuple[LogEntry, ...]) -> Ranked:
    """A run's entries, counted once for all of its cases."""
    documents = {e.entry.entry_id: terms(e.entry.path) + terms(e.excerpt) for e in entries}
    return ranker(variant, documents, tie=lambda name: -int(name.lstrip("L") or 0))


@lru_cache(maxsize=4)
def _ranked_candidates(variant: Variant, paths: tuple[str, ...]) -> Ranked:
    return ranker(variant, {path: terms(path) for path in paths})


def _shown(
    so_far: Conversation, case: Case, wanted: Sequence[str], protocol: Protocol, left: int, room: int
) -> Conversation:
    """The conversation with the wanted entries shown: cut at the level's cap and at what the context has left."""
    entries = {logged.entry.entry_id: logged for logged in case.material.entries}
    free = room - sum(estimated_tokens(message.text) for message in so_far.messages) - _MARGIN
    texts, opened, cut = [], list(so_far.opened), 0
    for name in wanted:
        if name not in entries:
            texts.append(f"show {name}: there is no such entry. Known: {', '.join(entries) or 'none'}.")
        elif name in opened:
            texts.append(f"{name} was shown above.")
        else:
            text, lost = _entry_text(entries[name], protocol, free)
            free -= estimated_tokens(text)
            texts.append(text)
            opened.append(name)
            cut += lost
    may_open = left > 0 and len(opened) > len(so_far.opened)
    told = f"You may open entries {left} more times." if may_open else f"No more entries can be opened. {_VALUES}"
    text = "\n\n".join((*texts, f"{told}\nThe requirement: {case.text}"))
    return replace(
        so_far,
        messages=(*so_far.messages, Message("user", text)),
        given=so_far.given + len(text),
        cut=so_far.cut + cut,
        opened=tuple(opened),
        may_open=may_open,
    )


def _read_log(entries: Sequence[LogEntry], protocol: Protocol, free: int) -> tuple[str, int]:
    """The whole log as far as it fits, in the order of the run, and how many characters were cut."""
    head = f"Read log: {len(entries)} entries"
    free -= estimated_tokens(head)
    texts, cut, left_out = [head], 0, 0
    for logged in entries:
        if free <= _MARGIN:
            left_out, cut = left_out + 1, cut + len(logged.excerpt)
            continue
        text, lost = _entry_text(logged, protocol, free)
        free -= estimated_tokens(text)
        texts.append(text)
        cut += lost
    if left_out:
        texts.append(f"[...{left_out} more entries do not fit and are left out]")
    return "\n\n".join(texts), cut


def _entry_text(logged: LogEntry, protocol: Protocol, free: int) -> tuple[str, int]:
    """An entry as `show` gives it, and how many characters of it were cut."""
    cap = LEVELS[protocol.level].cap
    excerpt = logged.excerpt
    head = messages.show_text(logged.entry, "")
    keep = min(len(excerpt) if cap is None else cap, within_tokens(excerpt, free - estimated_tokens(head)))
    lost = max(0, len(excerpt) - keep)
    note = f"\n[...truncated, {lost} chars omitted]" if lost else ""
    return f"{head}{excerpt[:keep]}{note}", lost


def _schema(case: Case, protocol: Protocol, *, may_show: bool) -> str:
    """The JSON schema of an answer. Nothing bounds the list: an endpoint may not know how, and what is too much is counted."""
    names = ["show", "values"] if may_show else ["values"]
    texts = {"type": "array", "items": {"type": "string"}}
    properties = dict.fromkeys(names, texts)
    schema = {"type": "object", "properties": properties, "required": names, "additionalProperties": False}
    return json.dumps(schema)
