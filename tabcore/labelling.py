"""Failure types of what is stored: proposed, labelled, compared, taken in and given out.

`db` is the store's file, None the default one. Labels and notes are facts that are only ever added, each in a transaction of
its own: two who label at once wait for each other, and neither's words are lost. Secrets that the load found are masked.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from tabcore.analyses.agreement import Agreement, Item, Labelling
from tabcore.analyses.agreement import agreement as agreed
from tabcore.analyses.failure_taxonomy import FailureTaxonomy
from tabcore.analyses.failure_taxonomy import failure_taxonomy as proposed
from tabcore.analyses.failure_types import FailureType
from tabcore.analyses.labels import Label, Note, counting
from tabcore.analyses.rubric_case import RubricCase, nearest_passages, tab_then
from tabcore.analyses.shown_but_missing import shown_but_missing
from tabcore.errors import UsageError
from tabcore.exports.label_rows import ReadRow, Refusal
from tabcore.questions import accepted, told
from tabcore.redaction import Masks, redacted
from tabcore.rerun import Db, open_store
from tabcore.store import labels as kept
from tabcore.store import secret_selects, selects
from tabcore.store.run_ids import numbers_of_runs
from tabcore.store.taxonomy_selects import delivered_texts, taxonomy_facts
from tabcore.store.value_selects import Connection, run_facts, value_facts
from tabcore.tab.context_window import PAPER_LEVEL
from tabcore.text.value_rules import DEFAULT, Rule

RULES = "rules"
"""The rule-based proposer among the annotators."""

SAW_PROPOSALS = "saw proposals"
"""The evidence of a person's label that was given with the proposals in view."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of the rows of an import: `added`, `known` before (the same words at the same moment), `refused`."""

    added: int
    known: int
    refused: tuple[Refusal, ...]


def failure_taxonomy(db: Db = None, runs: Collection[str] | None = None, rule: Rule = DEFAULT) -> FailureTaxonomy:
    """Every failed rubric of runs with the type that the rules propose, None for all runs."""
    with open_store(db).reading() as connection:
        chosen = (
            None
            if runs is None
            else {run.run_id for run in run_facts(connection, numbers_of_runs(connection, runs)).values()}
        )
        found = proposed(taxonomy_facts(connection, accepted(rule, dates=False)))
        found = found if chosen is None else found.of(chosen)
        return redacted(found, _masks(connection))


def rubric_case(db: Db, item: Item, rule: Rule = DEFAULT) -> RubricCase:
    """One rubric of a run with all that is needed to say why it failed."""
    run_id, rubric_id = item
    with open_store(db).reading() as connection:
        [number] = numbers_of_runs(connection, [run_id])
        facts = value_facts(connection, [number], accepted(rule, dates=False))
        rubric = next((one for one in facts.rubrics if one.rubric_id == rubric_id), None)
        if rubric is None:
            raise UsageError(
                f"run {run_id}", f"it has no rubric “{rubric_id}”", "See: runningtab analyze failure-taxonomy"
            )
        [run] = facts.runs
        values = [value for value in shown_but_missing(facts).values if value.rubric.rubric_id == rubric_id]
        stories = tuple(told(connection, number, value, PAPER_LEVEL) for value in values)
        delivered = delivered_texts(connection, number)
        turn = run.turns if run.written is None else run.written
        then = tab_then(rubric.text, selects.timeline(connection, number).at(turn, {}), turn)
        passages = nearest_passages(rubric.text, delivered)
        lengths = tuple((path, len(text)) for path, text in delivered.items())
        case = RubricCase(run, rubric, stories, passages, then, lengths)
        return redacted(case, Masks(secret_selects.of_run(connection, number)))


def record_stamp(db: Db = None) -> tuple[int, ...]:
    """What changes when the answer of `failure_taxonomy` may."""
    with open_store(db).reading() as connection:
        return kept.record_stamp(connection)


def labels(db: Db = None) -> tuple[Label, ...]:
    """Every label that was ever said, in order."""
    with open_store(db).reading() as connection:
        return redacted(kept.labels(connection), _masks(connection))


def notes(db: Db = None) -> tuple[Note, ...]:
    """Every note, in order."""
    with open_store(db).reading() as connection:
        return redacted(kept.notes(connection), _masks(connection))


def label(
    db: Db, item: Item, type: FailureType | None, annotator: str, note: str = "", *, saw_proposals: bool = False
) -> None:
    """Keep what a person says now of a failed rubric; None takes back what was said. `saw_proposals` is kept beside it.

    Raises UsageError where nobody is named, or the rubric did not fail.
    """
    who = " ".join(annotator.split())
    if not who:
        raise UsageError("a label", "nobody is named who labels", "State a name")
    with open_store(db).writing() as connection:
        [number] = numbers_of_runs(connection, [item[0]])
        if why := _no_failure(kept.rubric_states(connection, number), item[1]):
            raise UsageError(f"run {item[0]}, rubric {item[1]}", why, "Only failed rubrics have a type")
        seen = SAW_PROPOSALS if saw_proposals else ""
        said = Label(*item, type, who, _now(), note=note.strip(), evidence=seen)
        kept.add_labels(connection, [(number, said)])


def add_model_labels(connection: Connection, number: int, said: Label) -> None:
    """Keep what a model answered on a rubric of the run with that number, inside the caller's transaction."""
    kept.add_labels(connection, [(number, said)])


def add_note(db: Db, note: Note) -> None:
    """Keep a note on a run. Raises UsageError where it says nothing, or nobody is named."""
    if not note.text.strip() or not note.who.strip():
        raise UsageError("a note", "it has no words or nobody who says them", "State both")
    with open_store(db).writing() as connection:
        [number] = numbers_of_runs(connection, [note.run_id])
        kept.add_notes(connection, [(number, replace(note, who=" ".join(note.who.split()), time=note.time or _now()))])


def take_in(db: Db, rows: Iterable[ReadRow | Refusal], annotator: str = "") -> Imported:
    """Keep the labels of an import; a row that cannot be taken is refused with its reason, and the others are kept.

    `annotator` is who said what in rows that name nobody.
    """
    with open_store(db).writing() as connection:
        before = kept.labels(connection)
        said_before = set(map(_word, before))
        counted = {_word(label)[:4] for of_one in counting(before).values() for label in of_one.values()}
        added, known, refused = [], 0, []
        for row, number, said, is_timed in _resolved(connection, rows, annotator):
            if isinstance(said, str):
                refused.append(Refusal(row, said))
            elif _word(said) in said_before or (not is_timed and _word(said)[:4] in counted):
                known += 1
            else:
                said_before.add(_word(said))
                added.append((number, said))
        kept.add_labels(connection, added)
    return Imported(len(added), known, tuple(refused))


def read_labellings(
    db: Db, rows: Iterable[ReadRow | Refusal], annotator: str
) -> tuple[dict[str, dict[Item, FailureType | None]], tuple[Refusal, ...]]:
    """The labels of a file by annotator and item, without keeping them; and the rows that cannot be taken."""
    found: dict[str, dict[Item, FailureType | None]] = {}
    refused = []
    with open_store(db).reading() as connection:
        for row, _, said, _ in _resolved(connection, rows, annotator):
            if isinstance(said, str):
                refused.append(Refusal(row, said))
            else:
                found.setdefault(said.annotator, {})[said.run_id, said.rubric_id] = said.type
    return found, tuple(refused)


def labellings(taxonomy: FailureTaxonomy, said: Iterable[Label]) -> dict[str, dict[Item, FailureType | None]]:
    """What each annotator says of the failed rubrics: persons and models by what counts, the rules by their proposals."""
    items = {(one.run.run_id, one.rubric.rubric_id) for one in taxonomy.failed}
    found: dict[str, dict[Item, FailureType | None]] = {
        who: {item: label.type for item, label in of_one.items() if item in items}
        for who, of_one in counting(said).items()
    }
    found[RULES] = {(one.run.run_id, one.rubric.rubric_id): one.proposal.type for one in taxonomy.failed}
    return {who: of_one for who, of_one in found.items() if of_one}


def agreement(
    taxonomy: FailureTaxonomy,
    said: Iterable[Label],
    others: Mapping[str, Labelling] | None = None,
    only: Collection[str] = (),
) -> Agreement:
    """How annotators agree: those of the store, the rules, and `others`; `only` these, by name, where some are named."""
    all_of_them: dict[str, Labelling] = {**(others or {}), **labellings(taxonomy, said)}
    if unknown := [name for name in only if name not in all_of_them]:
        fact = f"nobody of that name labelled: {', '.join(unknown)}"
        raise UsageError("agreement", fact, f"Known: {', '.join(all_of_them) or 'nobody'}")
    return agreed({name: of_one for name, of_one in all_of_them.items() if not only or name in only})


def _resolved(
    connection: Connection, rows: Iterable[ReadRow | Refusal], annotator: str
) -> Iterable[tuple[int, int, Label | str, bool]]:
    """Each row of an import with the number of its run, its label or why it is refused, and whether it states a time."""
    now = _now()
    states: dict[int, dict[str, str]] = {}
    for row in rows:
        if isinstance(row, Refusal):
            yield row.row, 0, row.why, False
            continue
        number, run_id = _run_named(connection, row.run)
        who = " ".join((row.annotator or annotator).split())
        if number is None:
            yield row.row, 0, run_id, False
        elif not who:
            yield row.row, 0, "nobody is named who labelled", False
        else:
            of_run = states.setdefault(number, kept.rubric_states(connection, number))
            why = _no_failure(of_run, row.rubric)
            said = Label(
                run_id, row.rubric, row.type, who, row.time or now, row.kind, row.note, row.evidence, row.version
            )
            yield row.row, number, why or said, bool(row.time)


def _run_named(connection: Connection, name: str) -> tuple[int | None, str]:
    """The number and id of the run that a row names by id, beginning of it, path or folder; else None and why not."""
    numbers = kept.runs_named(connection, name)
    if len(numbers) > 1:
        return None, f"{len(numbers)} runs lie at “{name}”"
    if not numbers:
        try:
            numbers = numbers_of_runs(connection, [name])
        except UsageError as fault:
            return None, fault.fact if name else "no run is named"
    [(run_id,)] = connection.execute("SELECT run_id FROM runs WHERE number = ?", numbers).fetchall()
    return numbers[0], run_id


def _no_failure(states: Mapping[str, str], rubric_id: str) -> str:
    """Why a rubric has no type; "" for a failed one."""
    state = states.get(rubric_id)
    if state == "failed":
        return ""
    return f"rubric {rubric_id}: {state}" if state else f"the run has no rubric “{rubric_id}”"


def _word(label: Label) -> tuple[str, str, str, FailureType | None, float]:
    return label.run_id, label.rubric_id, label.annotator, label.type, label.time


def _now() -> float:
    """As exact as a label's time is written out."""
    return round(time.time(), 6)


def _masks(connection: Connection) -> Masks:
    return Masks(secret_selects.of_all(connection))
