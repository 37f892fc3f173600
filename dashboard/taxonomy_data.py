"""The door to failed rubrics, their labels and notes. Kept answers are shared by all visits: treat them as read-only."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import streamlit as st

from dashboard.data import Stamp, stamp, store_file
from tabcore import labelling
from tabcore.analyses.agreement import Agreement, Item, Labelling
from tabcore.analyses.failure_taxonomy import FailureTaxonomy
from tabcore.analyses.failure_types import FailureType
from tabcore.analyses.labels import Label, Note
from tabcore.analyses.rubric_case import RubricCase
from tabcore.exports.label_rows import read_rows
from tabcore.labelling import RULES as RULES
from tabcore.presentation.report import Chosen
from tabcore.presentation.report import report as report_of


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


def report(runs: Collection[str], annotator: str) -> str:
    """The report on these runs as one HTML page; the rules' types where the annotator is RULES."""
    who = "" if annotator == RULES else annotator
    return report_of(store_file(), Chosen(tuple(runs), annotator=who))


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
