"""A language model as annotator of what is stored: what it would be asked, asking it, and keeping what it says as labels.

Every answer is kept, so that nothing is asked twice; secrets that the load found are masked before a prompt is made.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from tabcore import labelling
from tabcore.analyses.agreement import Item
from tabcore.analyses.labels import Label, counting
from tabcore.analyses.type_prompts import VERSION, Judged, Material, judged, type_prompt
from tabcore.errors import ModelError, ModelUnusable, UsageError
from tabcore.language_models import Answer, Endpoint, LanguageModel, Prompt, run_apart
from tabcore.redaction import Masks, redacted
from tabcore.rerun import Db, open_store
from tabcore.store import answers as kept
from tabcore.store import secret_selects, taxonomy_selects
from tabcore.store.answers import Kept, key_of
from tabcore.store.run_ids import numbers_of_runs


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be asked: failed rubrics with their prompts, those without a label of this model; `known` are answered."""

    prompts: tuple[tuple[Item, Prompt], ...]
    known: int

    @property
    def characters(self) -> int:
        """Of all prompts."""
        return sum(len(message.text) for _, prompt in self.prompts for message in prompt.messages)


@dataclass(frozen=True, slots=True)
class Annotated:
    """What came of it: labels kept, rubrics left open, answers refused with the reason, faults of the endpoint."""

    labelled: int = 0
    left_open: int = 0
    refused: tuple[tuple[Item, str], ...] = ()
    faults: tuple[str, ...] = ()


def plan(db: Db, runs: Collection[str] | None, model: str, most: int = 0) -> Plan:
    """The failed rubrics of runs (None: of all) that a model has not labelled, `most` at most, 0 for all. Nothing is sent."""
    found = labelling.failure_taxonomy(db, runs)
    mine = {item for item, label in counting(labelling.labels(db)).get(model, {}).items() if label.version == VERSION}
    items = [(one.run.run_id, one.rubric.rubric_id) for one in found.failed]
    waiting = [item for item in items if item not in mine]
    return Plan(tuple(_prompts(db, waiting[: most or None])), len(items) - len(waiting))


def annotate(
    db: Db, asked: Plan, where: Endpoint, at_once: int = 2, progress: Callable[[int, int], object] = lambda *_: None
) -> Annotated:
    """Ask, and keep what is answered; an endpoint that cannot be used ends it, and what was answered is kept."""
    return run_apart(_annotate(db, asked, where, at_once, progress))


async def _annotate(
    db: Db, asked: Plan, where: Endpoint, at_once: int, progress: Callable[[int, int], object]
) -> Annotated:
    with open_store(db).reading() as connection:
        known = kept.known(connection, where.model, where.parameters)
    results: list[tuple[Item, Judged]] = []
    faults: list[str] = []
    gate, stop = asyncio.Semaphore(max(1, at_once)), asyncio.Event()

    async def one(model: LanguageModel, item: Item, prompt: Prompt) -> None:
        async with gate:
            if stop.is_set():
                return
            try:
                answer = known.get(key_of(where.model, where.parameters, prompt)) or await model.answer(prompt)
            except ModelError as fault:
                faults.append(str(fault))
                if isinstance(fault, ModelUnusable):
                    stop.set()
                return
            results.append((item, _keep(db, item, prompt, answer, where)))
            progress(len(results), len(asked.prompts))

    async with LanguageModel(where) as model:
        await asyncio.gather(*(one(model, item, prompt) for item, prompt in asked.prompts))
    refused = tuple((item, said.refused) for item, said in results if said.refused)
    labelled = sum(said.type is not None for _, said in results)
    return Annotated(labelled, len(results) - labelled - len(refused), refused, tuple(dict.fromkeys(faults)))


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
