"""Masked recovery on what is stored: what it would ask, asking it, and what the answers come to.

Every answer is kept in the store, so that a rerun asks only what changed and an interrupted one goes on. Secrets that the
load found are masked before a prompt is made. `db` is the store's file, None the default one; `runs` are ids, None for all.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tabcore.analyses.lexical_baseline import lexical_answer
from tabcore.analyses.masked_recovery import MaskedRecovery
from tabcore.analyses.masked_recovery import masked_recovery as results
from tabcore.analyses.recovery_cases import (
    ARMS,
    USUAL,
    Arm,
    Case,
    Item,
    Protocol,
    cases,
    is_left_out,
    keys_of,
    with_mask,
)
from tabcore.analyses.recovery_prompts import converse
from tabcore.errors import ModelError, ModelUnusable, UsageError
from tabcore.language_models import Answer, Endpoint, LanguageModel, Parameters, Prompt, run_apart
from tabcore.redaction import Masks, redacted
from tabcore.rerun import Db, open_store
from tabcore.store import answers as kept
from tabcore.store import secret_selects
from tabcore.store.answers import AskedModel, Kept, key_of
from tabcore.store.recovery_selects import materials
from tabcore.store.run_ids import numbers_of_runs
from tabcore.text.token_estimate import estimated_tokens

AS_USUAL = Parameters()

LEXICAL = "lexical"
"""The model's name that stands for the baseline without any model."""

PAUSE = 2.0
"""Seconds between two writes of answers: what an abrupt end can lose."""

FAILURES = 5
"""Failed prompts in a row after which the rest is not asked."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What is asked about: runs, arms, and one requirement by its case's name ("" for all), masked as in `text` where
    that is given. `most` is how many requirements are asked for at most, 0 for all."""

    runs: tuple[str, ...] | None = None
    arms: tuple[Arm, ...] = ARMS
    case: str = ""
    text: str | None = None
    most: int = 0


@dataclass(frozen=True, slots=True)
class Limits:
    """What may be asked at most before it stops: calls, and tokens in both directions; and how many at a time."""

    calls: int = 500
    tokens: int = 1_000_000
    at_once: int = 2


@dataclass(frozen=True, slots=True)
class Plan:
    """What is still to be asked. `calls` and `tokens` are the most that it can come to; `characters` would be sent at
    first, before any entry is opened."""

    conversations: int
    answered: int
    calls: int
    tokens: int
    characters: int

    def exceeds(self, limits: Limits) -> bool:
        """Whether it may come to more than is allowed."""
        return self.calls > limits.calls or self.tokens > limits.tokens


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the asking has come: conversations that have ended among all, and what was asked so far."""

    done: int
    of: int
    calls: int = 0
    tokens: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """What became of asking. `stopped` says why it ended early, "" where it did not; `faults` are what failed, each once."""

    progress: Progress
    stopped: str = ""
    faults: tuple[str, ...] = ()


def found_cases(db: Db = None, choice: Choice = Choice(), protocol: Protocol = USUAL) -> tuple[Case, ...]:
    """The requirements that are asked for, secrets masked."""

    def keys(item: Item) -> frozenset[str]:
        return keys_of(item, protocol) if item.kind in protocol.kinds else frozenset()

    def wanted(item: Item, held: Mapping[str, tuple[str, ...]], delivered: frozenset[str]) -> bool:
        return item.kind in protocol.kinds and is_left_out(item, held, delivered, protocol)

    found: list[Case] = []
    with open_store(db).reading() as connection:
        numbers = None if choice.runs is None else numbers_of_runs(connection, choice.runs)
        for number, material in materials(connection, numbers, keys, wanted):
            known = redacted(replace(material, held=None), Masks(secret_selects.of_run(connection, number)))
            found += cases(replace(known, held=material.held), protocol)
            if choice.most and len(found) >= choice.most:
                break
    chosen = [case for case in found if choice.case in ("", case.name)][: choice.most or None]
    return tuple(chosen if choice.text is None else (with_mask(case, choice.text) for case in chosen))


def masked_recovery(
    db: Db = None,
    choice: Choice = Choice(),
    protocol: Protocol = USUAL,
    model: str = LEXICAL,
    parameters: Parameters = AS_USUAL,
    *,
    with_messages: bool = True,
) -> MaskedRecovery:
    """What a model's answers in the store, or the baseline, come to. Nothing is asked."""
    asked = found_cases(db, choice, protocol)
    tokens = 0 if model == LEXICAL else parameters.answer_tokens
    look = _looked_up({} if model == LEXICAL else _known(db, model, parameters), model, parameters)

    def answered(prompt: Prompt, case: Case) -> Answer | None:
        return lexical_answer(prompt, case) if model == LEXICAL else look(prompt)

    return results(asked, protocol, answered, choice.arms, tokens, with_messages=with_messages)


def models(db: Db = None) -> tuple[AskedModel, ...]:
    """The models that have answers in the store, the latest first; the baseline is none of them."""
    with open_store(db).reading() as connection:
        return kept.asked_models(connection)


def plan(db: Db, choice: Choice, protocol: Protocol, where: Endpoint) -> Plan:
    """What asking this model would still come to. Nothing is asked."""
    asked = found_cases(db, choice, protocol)
    return _plan(
        _waiting(asked, choice.arms, protocol, where, _known(db, where.model, where.parameters)), protocol, where
    )


def ask(
    db: Db,
    choice: Choice,
    protocol: Protocol,
    where: Endpoint,
    limits: Limits = Limits(),
    progress: Callable[[Progress], object] = lambda _: None,
    cancel: threading.Event | None = None,
) -> Asked:
    """Ask a model what is still to be asked, keep every answer, and say what became of it.

    Refused before anything is sent where it may come to more than the limits allow; stopped where it does. Whatever ends
    it, the answers that came are kept.
    """
    asked = found_cases(db, choice, protocol)
    known = dict(_known(db, where.model, where.parameters))
    waiting = _waiting(asked, choice.arms, protocol, where, known)
    _refuse_beyond(_plan(waiting, protocol, where), limits)
    cancel = cancel or threading.Event()
    asking = _Asking(db, protocol, where, limits, known, progress, cancel)
    return run_apart(asking.all(waiting), cancel.set)


@dataclass(frozen=True, slots=True)
class _Talk:
    """A conversation that is to be had; `pending` is None where it has ended."""

    case: Case
    arm: Arm
    pending: Prompt | None


def _known(db: Db, model: str, parameters: Parameters) -> Mapping[str, Answer]:
    with open_store(db).reading() as connection:
        return kept.known(connection, model, parameters)


def _looked_up(known: Mapping[str, Answer], model: str, parameters: Parameters) -> Callable[[Prompt], Answer | None]:
    return lambda prompt: known.get(key_of(model, parameters, prompt))


def _waiting(
    asked: Iterable[Case], arms: Sequence[Arm], protocol: Protocol, where: Endpoint, known: Mapping[str, Answer]
) -> list[_Talk]:
    look = _looked_up(known, where.model, where.parameters)
    tokens = where.parameters.answer_tokens
    return [_Talk(c, arm, converse(c, arm, protocol, look, tokens).pending) for arm in arms for c in asked]


def _plan(talks: Sequence[_Talk], protocol: Protocol, where: Endpoint) -> Plan:
    """The most that it can come to: in the review arm each step sends all that was said before, up to the context."""
    calls = tokens = characters = conversations = 0
    for talk in talks:
        if talk.pending is None:
            continue
        conversations += 1
        texts = [message.text for message in talk.pending.messages]
        size = sum(map(estimated_tokens, texts)) + where.parameters.answer_tokens
        characters += sum(map(len, texts))
        steps = 1 + (protocol.steps if talk.arm == "review" else 0)
        calls += steps
        longest = size + sum(estimated_tokens(logged.excerpt) for logged in talk.case.material.entries)
        tokens += size + (steps - 1) * min(longest, protocol.context)
    return Plan(conversations, len(talks) - conversations, calls, tokens, characters)


def _refuse_beyond(planned: Plan, limits: Limits) -> None:
    if planned.exceeds(limits):
        fact = (
            f"it may take {planned.calls:,} calls and {planned.tokens:,} tokens, and {limits.calls:,} calls and "
            f"{limits.tokens:,} tokens are allowed"
        )
        raise UsageError("masked recovery", fact, "Allow more, or choose fewer runs or arms; nothing was sent")


@dataclass
class _Asking:
    """One asking while it goes on."""

    db: Db
    protocol: Protocol
    where: Endpoint
    limits: Limits
    known: dict[str, Answer]
    report: Callable[[Progress], object]
    cancel: threading.Event
    calls: int = 0
    tokens: int = 0
    done: int = 0
    failed: int = 0
    in_a_row: int = 0
    stopped: str = ""
    faults: dict[str, None] = field(default_factory=dict)
    unwritten: list[Kept] = field(default_factory=list)
    written: float = field(default_factory=time.monotonic)

    async def all(self, talks: Sequence[_Talk]) -> Asked:
        """Every conversation to its end, some at a time; the answers are kept whatever happens."""
        waiting = [talk for talk in talks if talk.pending is not None]
        self.done, of = len(talks) - len(waiting), len(talks)
        room = asyncio.Semaphore(self.limits.at_once)
        try:
            async with LanguageModel(self.where) as model:
                tasks = [asyncio.create_task(self._talk(model, talk, room, of)) for talk in waiting]
                await self._until_done(tasks)
        finally:
            self._write()
        return Asked(self._progress(of), self.stopped, tuple(self.faults))

    async def _until_done(self, tasks: list[asyncio.Task[None]]) -> None:
        pending = set(tasks)
        try:
            while pending:
                ended, pending = await asyncio.wait(pending, timeout=0.1)
                for task in ended:
                    task.result()
                if self.cancel.is_set():
                    self.stopped = self.stopped or "cancelled"
                if self.stopped:
                    break
        finally:
            for task in pending:
                task.cancel()
            await asyncio.gather(*pending, return_exceptions=True)

    async def _talk(self, model: LanguageModel, talk: _Talk, room: asyncio.Semaphore, of: int) -> None:
        async with room:
            try:
                while not self.stopped and (prompt := self._next(talk)):
                    await self._one(model, talk.case, prompt)
            except ModelError as fault:
                self._note(fault)
            else:
                self.done += not self.stopped
            self.report(self._progress(of))

    def _next(self, talk: _Talk) -> Prompt | None:
        look = _looked_up(self.known, self.where.model, self.where.parameters)
        return converse(talk.case, talk.arm, self.protocol, look, self.where.parameters.answer_tokens).pending

    async def _one(self, model: LanguageModel, case: Case, prompt: Prompt) -> None:
        if self.calls >= self.limits.calls or self.tokens >= self.limits.tokens:
            self.stopped = f"the limit of {self.limits.calls:,} calls or {self.limits.tokens:,} tokens is reached"
            return
        self.calls += 1
        answer = await model.answer(prompt)
        self.in_a_row = 0
        estimate = sum(estimated_tokens(m.text) for m in prompt.messages), estimated_tokens(answer.text)
        told = answer.tokens_in, answer.tokens_out
        self.tokens += sum(guess if count is None else count for guess, count in zip(estimate, told, strict=True))
        where = self.where
        self.known[key_of(where.model, where.parameters, prompt)] = answer
        run_id = case.material.run.run_id
        self.unwritten.append(Kept(run_id, prompt, answer, where.model, where.base_url, where.parameters, time.time()))
        if time.monotonic() > self.written + PAUSE:
            self._write()

    def _note(self, fault: ModelError) -> None:
        self.failed += 1
        self.in_a_row += 1
        self.faults[str(fault)] = None
        if isinstance(fault, ModelUnusable):
            self.stopped = self.stopped or str(fault)
        elif self.in_a_row >= FAILURES:
            self.stopped = self.stopped or f"{FAILURES} prompts failed in a row"

    def _write(self) -> None:
        if self.unwritten:
            with open_store(self.db).writing() as connection:
                kept.keep(connection, self.unwritten)
            self.unwritten = []
        self.written = time.monotonic()

    def _progress(self, of: int) -> Progress:
        return Progress(self.done, of, self.calls, self.tokens, self.failed)
