"""A language model as annotator of what is stored: what it would be asked, asking it, and keeping what it says as labels.

Every answer is kept, so that nothing is asked twice; secrets that the load found are masked before a prompt is made.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tabcore import labelling
from tabcore.analyses.agreement import Item
from tabcore.analyses.labels import Label, counting
from tabcore.analyses.type_prompts import VERSION, Judged, Material, judged, type_prompt
from tabcore.errors import ModelError, ModelUnusable, UsageError
from tabcore.language_models import Answer, Endpoint, LanguageModel, Prompt, run_apart
from tabcore.recovery import Progress
from tabcore.redaction import Masks, redacted
from tabcore.rerun import Db, open_store
from tabcore.store import answers as kept
from tabcore.store import secret_selects, taxonomy_selects
from tabcore.store.answers import Kept, key_of
from tabcore.store.run_ids import numbers_of_runs
from tabcore.text.token_estimate import estimated_tokens


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be asked: failed rubrics with their prompts, those without a label of this model; `known` are answered."""

    prompts: tuple[tuple[Item, Prompt], ...]
    known: int

    @property
    def characters(self) -> int:
        """Of all prompts."""
        return sum(len(text) for text in self._texts())

    def tokens(self, answer_tokens: int) -> int:
        """The most that it can come to, in both directions; by estimate, since each model counts in its own way."""
        return sum(map(estimated_tokens, self._texts())) + len(self.prompts) * answer_tokens

    def _texts(self) -> Iterator[str]:
        return (message.text for _, prompt in self.prompts for message in prompt.messages)


@dataclass(frozen=True, slots=True)
class Annotated:
    """What came of it: labels kept, rubrics left open, answers refused with the reason, faults of the endpoint; `stopped`
    says why it ended early, "" where it did not."""

    labelled: int = 0
    left_open: int = 0
    refused: tuple[tuple[Item, str], ...] = ()
    faults: tuple[str, ...] = ()
    stopped: str = ""


def plan(db: Db, runs: Collection[str] | None, model: str, most: int = 0) -> Plan:
    """The failed rubrics of runs (None: of all) that a model has not labelled, `most` at most, 0 for all. Nothing is sent."""
    found = labelling.failure_taxonomy(db, runs)
    mine = {item for item, label in counting(labelling.labels(db)).get(model, {}).items() if label.version == VERSION}
    items = [(one.run.run_id, one.rubric.rubric_id) for one in found.failed]
    waiting = [item for item in items if item not in mine]
    return Plan(tuple(_prompts(db, waiting[: most or None])), len(items) - len(waiting))


def annotate(
    db: Db,
    asked: Plan,
    where: Endpoint,
    at_once: int = 2,
    progress: Callable[[Progress], object] = lambda _: None,
    cancel: threading.Event | None = None,
) -> Annotated:
    """Ask, and keep what is answered, however it ends: cancelled, or by an endpoint that cannot be used."""
    with open_store(db).reading() as connection:
        known = kept.known(connection, where.model, where.parameters)
    asking = _Asking(db, where, known, len(asked.prompts), progress, cancel or threading.Event())
    return run_apart(asking.all(asked.prompts, at_once), asking.cancel.set)


@dataclass
class _Asking:
    """One asking while it goes on."""

    db: Db
    where: Endpoint
    known: Mapping[str, Answer]
    of: int
    report: Callable[[Progress], object]
    cancel: threading.Event
    results: list[tuple[Item, Judged]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    calls: int = 0
    tokens: int = 0
    stopped: str = ""

    async def all(self, prompts: Sequence[tuple[Item, Prompt]], at_once: int) -> Annotated:
        """Every prompt, some at a time."""
        room = asyncio.Semaphore(max(1, at_once))
        async with LanguageModel(self.where) as model:
            pending = {asyncio.create_task(self._one(model, room, *one)) for one in prompts}
            while pending and not self.stopped:
                ended, pending = await asyncio.wait(pending, timeout=0.1)
                for task in ended:
                    task.result()
                if self.cancel.is_set() and pending:
                    self.stopped = self.stopped or "cancelled"
            for task in pending:
                task.cancel()
            await asyncio.gather(*pending, return_exceptions=True)
        refused = tuple((item, said.refused) for item, said in self.results if said.refused)
        labelled = sum(said.type is not None for _, said in self.results)
        left_open = len(self.results) - labelled - len(refused)
        return Annotated(labelled, left_open, refused, tuple(dict.fromkeys(self.faults)), self.stopped)

    async def _one(self, model: LanguageModel, room: asyncio.Semaphore, item: Item, prompt: Prompt) -> None:
        async with room:
            if self.stopped:
                return
            try:
                answer = self.known.get(key_of(self.where.model, self.where.parameters, prompt))
                answer = answer or await self._answer(model, prompt)
            except ModelError as fault:
                self.faults.append(str(fault))
                if isinstance(fault, ModelUnusable):
                    self.stopped = self.stopped or str(fault)
            else:
                self.results.append((item, _keep(self.db, item, prompt, answer, self.where)))
            self.report(Progress(len(self.results), self.of, self.calls, self.tokens, len(self.faults)))

    async def _answer(self, model: LanguageModel, prompt: Prompt) -> Answer:
        self.calls += 1
        answer = await model.answer(prompt)
        guess = sum(estimated_tokens(message.text) for message in prompt.messages), estimated_tokens(answer.text)
        told = answer.tokens_in, answer.tokens_out
        self.tokens += sum(guess if count is None else count for guess, count in zip(guess, told, strict=True))
        return answer


def _keep(db: Db, item: Item, prompt: Prompt, answer: Answer, where: Endpoint) -> Judged:
    """Keep an answer, and its label where its quotes occur in the record."""
    now = round(time.time(), 6)
    with open_store(db).writing() as connection:
        [number] = numbers_of_runs(connection, [item[0]])
        kept.keep(connection, [Kept(item[0], prompt, answer, where.model, where.base_url, where.parameters, now)])
        masks = Masks(secret_selects.of_run(connection, number))
        record = map(masks.text, taxonomy_selects.record_texts(connection, number))
        said = (
            judged(answer.text, record)
            if answer.finish == "complete"
            else Judged(refused=f"its answer was {answer.finish}")
        )
        if said.type is not None:
            quoted = "\n".join(said.quotes)
            label = Label(*item, said.type, where.model, now, "model", said.why, quoted, VERSION)
            labelling.add_model_labels(connection, number, label)
    return said


def _prompts(db: Db, items: Sequence[Item]) -> Iterator[tuple[Item, Prompt]]:
    for item in items:
        case = labelling.rubric_case(db, item)
        with open_store(db).reading() as connection:
            [number] = numbers_of_runs(connection, [item[0]])
            task, opened, unopened = taxonomy_selects.task_and_files(connection, number)
            delivered = tuple(taxonomy_selects.delivered_texts(connection, number).items())
            masks = Masks(secret_selects.of_run(connection, number))
        yield item, type_prompt(case, redacted(Material(task, delivered, opened, unopened), masks))


def prompt_of(db: Db, item: Item) -> Prompt:
    """What a model would be asked about one rubric of a run."""
    for _, prompt in _prompts(db, [item]):
        return prompt
    raise UsageError("a prompt", "no rubric is named", "Name one")
