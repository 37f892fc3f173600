"""The door to failed rubrics, their labels and notes. Kept answers are shared by all visits: treat them as read-only."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.asking import Job
from dashboard.data import Stamp, stamp, store_file
from tabcore import labelling
from tabcore.analyses.agreement import Agreement, Item, Labelling
from tabcore.analyses.failure_taxonomy import FailureTaxonomy
from tabcore.analyses.failure_types import FailureType
from tabcore.analyses.labels import Label, Note
from tabcore.analyses.rubric_case import RubricCase
from tabcore.exports.label_rows import read_rows
from tabcore.labelling import RULES as RULES
from tabcore.language_models import Endpoint

if TYPE_CHECKING:
    from tabcore import annotating
    from tabcore.presentation.report import Part


def taxonomy() -> FailureTaxonomy:
    """Every failed rubric of every run, with what the rules propose."""
    db = store_file()
    return _taxonomy(str(db), labelling.record_stamp(db))


def rubric_case(item: Item) -> RubricCase:
    """One failed rubric with what is needed to say why it failed."""
    db = store_file()
    return _rubric_case(str(db), labelling.record_stamp(db), item)


def labels() -> tuple[Label, ...]:
    """Every label, in order."""
    return _labels(str(store_file()), stamp())


def notes() -> tuple[Note, ...]:
    """Every note, in order."""
    return _notes(str(store_file()), stamp())


def add_label(item: Item, type: FailureType | None, annotator: str, *, saw_proposals: bool = False) -> None:
    """Keep what a person says now of a failed rubric; None takes back what was said."""
    labelling.label(store_file(), item, type, annotator, saw_proposals=saw_proposals)


def add_note(note: Note) -> None:
    """Keep a note on a run."""
    labelling.add_note(store_file(), note)


def take_labels_in(text: str, annotator: str) -> labelling.Imported:
    """Keep the labels of a CSV or JSON lines text."""
    return labelling.take_in(store_file(), read_rows(text), annotator)


def agreement(taxonomy: FailureTaxonomy, said: Sequence[Label]) -> Agreement:
    """How those who labelled these rubrics agree, the rules among them."""
    return labelling.agreement(taxonomy, said)


def labellings(taxonomy: FailureTaxonomy, said: Sequence[Label]) -> Mapping[str, Labelling]:
    """What each annotator says of these rubrics, the rules among them."""
    return labelling.labellings(taxonomy, said)


def annotation_plan(runs: tuple[str, ...], model: str, most: int) -> annotating.Plan:
    """The failed rubrics of runs that a model would be asked about, `most` at most. Nothing is sent."""
    return _annotation_plan(str(store_file()), stamp(), runs, model, most)


def annotation_job() -> Job[annotating.Annotated] | None:
    """The asking that goes on or was the last to end, None where there was none."""
    return _annotation_jobs().get(str(store_file()))


def annotate(plan: annotating.Plan, where: Endpoint, at_once: int) -> None:
    """Begin to ask a model, unless another asking goes on."""
    db, running = store_file(), annotation_job()
    if running is not None and running.is_running:
        return
    from tabcore import annotating

    started: Job[annotating.Annotated] = Job(f"{where.model} at {where.base_url}")
    started.start(lambda note, cancel: annotating.annotate(db, plan, where, at_once, note, cancel))
    _annotation_jobs()[str(db)] = started


def report(runs: Collection[str], annotator: str, parts: Collection[Part], title: str) -> str:
    """The report on these runs as one HTML page; the rules' types where the annotator is RULES."""
    from tabcore.presentation.report import PARTS, Chosen
    from tabcore.presentation.report import report as report_of

    who = "" if annotator == RULES else annotator
    return report_of(store_file(), Chosen(tuple(runs), [one for one in PARTS if one in parts], who, title))


@st.cache_resource(show_spinner=False)
def _annotation_jobs() -> dict[str, Job[annotating.Annotated]]:
    return {}


@st.cache_resource(max_entries=4, show_spinner="Counting what would be asked …")
def _annotation_plan(db: str, stamp: Stamp, runs: tuple[str, ...], model: str, most: int) -> annotating.Plan:
    from tabcore import annotating

    return annotating.plan(db, runs, model, most)


@st.cache_resource(max_entries=4, show_spinner="Looking at failed rubrics …")
def _taxonomy(db: str, stamp: tuple[int, ...]) -> FailureTaxonomy:
    return labelling.failure_taxonomy(db)


@st.cache_resource(max_entries=64, show_spinner=False)
def _rubric_case(db: str, stamp: tuple[int, ...], item: Item) -> RubricCase:
    return labelling.rubric_case(db, item)


@st.cache_resource(max_entries=4, show_spinner=False)
def _labels(db: str, stamp: Stamp) -> tuple[Label, ...]:
    return labelling.labels(db)


@st.cache_resource(max_entries=4, show_spinner=False)
def _notes(db: str, stamp: Stamp) -> tuple[Note, ...]:
    return labelling.notes(db)
