"""The one door to the store. The store is opened, read and closed for each question; answers are kept until the file
changes. What is given out is shared by all visits: treat it as read-only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import streamlit as st

from dashboard import uploads, watches
from dashboard.uploads import Dropped
from sample_runs import runs_folder, suite_archive
from tabcore import questions, rerun
from tabcore.analyses.left_out import LeftOut
from tabcore.analyses.provenance_rows import Provenance
from tabcore.analyses.shown_but_missing import ShownButMissing
from tabcore.analyses.value_story import ValueStory
from tabcore.errors import UsageError
from tabcore.presentation.deliverable_page.payload import file_payload
from tabcore.presentation.plain import CAP
from tabcore.presentation.replay_widget import orders, payload
from tabcore.presentation.replay_widget.turn_text import Marked, turn_text_payload
from tabcore.rerun import KEPT as KEPT
from tabcore.rerun import Kept as Kept
from tabcore.rows import Followed, Loaded, Replay, RunRow
from tabcore.tab.corrections import CorrectedKind as CorrectedKind
from tabcore.tab.corrections import DecisionCorrection
from tabcore.text.value_rules import Rule
from tabcore.trajectory import Json

Stamp = tuple[int, int]
"""When the store's file last changed, in nanoseconds, and its size."""

KINDS: tuple[CorrectedKind, ...] = ("read", "listed", "authored", "neither")
"""What a person can say that a call did with a file."""


def store_file() -> Path:
    """The store's file."""
    return rerun.default_store()


def is_dataset() -> bool:
    """True where the pages are open on a dataset, which they only read."""
    return store_file().is_dir()


def runs() -> tuple[RunRow, ...]:
    """Every run, in the order in which they came in; none where there is no store yet."""
    db = store_file()
    return _runs(str(db), _stamp(db)) if db.exists() else ()


def run(run_id: str) -> RunRow | None:
    """One run, by its id or one that it had while its log was shorter; None where the store has none of that id."""
    found = next((row for row in runs() if row.run_id == run_id), None)
    db = store_file()
    return found or (_run(str(db), _stamp(db), run_id) if db.exists() else None)


def stamp() -> Stamp:
    """What changes when the store does: when it is the same, no question has another answer."""
    return _stamp(store_file())


def followed() -> tuple[Followed, ...]:
    """Every log that is or was followed while it grew, the one that grew last first."""
    db = store_file()
    return _followed(str(db), _stamp(db)) if db.exists() else ()


def follow(folder: str) -> str:
    """Follow a folder of growing logs from now on; what is wrong with it, "" where nothing is."""
    try:
        watches.start(folder, store_file())
    except UsageError as fault:
        return str(fault)
    return ""


def stop_following(folder: str) -> None:
    """Follow a folder no more."""
    watches.stop(folder)


def watched() -> tuple[str, ...]:
    """The folders that this server follows."""
    return watches.folders()


def replay(run_id: str) -> Replay:
    """All that a replay of one run steps through."""
    db = store_file()
    return _replay(str(db), _stamp(db), run_id)


def replay_data(run_id: str) -> Mapping[str, Json]:
    """What the replay is fed."""
    db = store_file()
    return _replay_data(str(db), _stamp(db), run_id)


def turn_data(run_id: str, turn: int, cap: int = CAP, marked: Marked | None = None) -> Mapping[str, Json]:
    """The texts of one turn, each up to `cap` characters, with a place in a result marked."""
    db = store_file()
    return _turn_data(str(db), _stamp(db), run_id, turn, cap, marked)


def turn_order_message(run_id: str, turn: int) -> Mapping[str, Json]:
    """One turn's order of candidates, for the replay to open or to rest with."""
    db = store_file()
    return _turn_order_message(str(db), _stamp(db), run_id, turn)


def review_message(run_id: str, turn: int) -> Mapping[str, Json]:
    """One turn's review, for the replay."""
    db = store_file()
    return _review_message(str(db), _stamp(db), run_id, turn)


def has_all_orders(run_id: str) -> bool:
    """True where the orders of all turns can be sent at once; else they are asked for turn by turn."""
    return orders.are_few(replay(run_id).timeline)


def order_message(run_id: str) -> Mapping[str, Json]:
    """The orders of all turns, for the replay."""
    db = store_file()
    return _order_message(str(db), _stamp(db), run_id)


def excerpt_message(run_id: str, entry: str) -> Mapping[str, Json]:
    """The excerpt of one read-log entry, for the replay."""
    version = str(replay_data(run_id)["version"])
    return payload.excerpt_message(version, entry, rerun.excerpt(store_file(), run_id, entry))


def provenance(run_id: str) -> Provenance:
    """Where each value that a run delivered came from."""
    db = store_file()
    return _provenance(str(db), _stamp(db), run_id)


def deliverable_data(run_id: str, file: int) -> Mapping[str, Json]:
    """One delivered file with its evidence, for the page."""
    db = store_file()
    return _deliverable_data(str(db), _stamp(db), run_id, file)


def missing(runs: tuple[str, ...], rule: Rule, dates: bool) -> ShownButMissing:
    """Which expected values of these runs were shown and left out."""
    db = store_file()
    return _missing(str(db), _stamp(db), runs, rule, dates)


def value_story(run_id: str, rubric_id: str, key: str, rule: Rule) -> ValueStory:
    """The story of one expected value of a run."""
    db = store_file()
    return _value_story(str(db), _stamp(db), run_id, rubric_id, key, rule)


def left_out(run_id: str, rule: Rule, dates: bool) -> LeftOut:
    """What a run read and did not deliver."""
    db = store_file()
    return _left_out(str(db), _stamp(db), run_id, rule, dates)


def leaves(runs: tuple[str, ...]) -> Mapping[str, tuple[int | None, ...]]:
    """For each of these runs and its turns, when what the turn showed has left the context window."""
    db = store_file()
    return _leaves(str(db), _stamp(db), runs)


def load_dropped(files: Sequence[Dropped], progress: Callable[[int, int], object]) -> tuple[Loaded, ...]:
    """Keep dropped files in a private folder beside the store and load them; what became of each."""
    return _load((str(uploads.keep(files, store_file().parent)),), progress)


def load_samples(progress: Callable[[int, int], object]) -> tuple[Loaded, ...]:
    """Load the sample runs that come with the program."""
    return _load((str(runs_folder()),), progress)


def load_suite(progress: Callable[[int, int], object]) -> tuple[Loaded, ...]:
    """Load the simulated runs that come with the program."""
    return _load((str(suite_archive()),), progress)


def correct(run_id: str, *, root: str | Kept | None = KEPT, task: str | Kept | None = KEPT) -> None:
    """State a run's workspace root or task, and derive its tab again; None for what the record itself says."""
    rerun.correct(store_file(), run_id, root=root, task=task)


def correct_decision(run_id: str, turn: int, call: int, path: str, kind: CorrectedKind, who: str) -> None:
    """State what a call did with a file, now, and derive the run's tab again."""
    rerun.correct_decision(store_file(), run_id, DecisionCorrection(turn, call, path, kind, who, time.time()))


def subagents(run_id: str) -> tuple[RunRow, ...]:
    """The runs that this run started, in the order in which they came in."""
    return tuple(row for row in runs() if row.parent == run_id)


def _load(paths: Sequence[str], progress: Callable[[int, int], object]) -> tuple[Loaded, ...]:
    return rerun.load(paths, store_file(), lambda state: progress(state.files_done, state.files))


def _stamp(db: Path) -> Stamp:
    try:
        status = db.stat()
    except FileNotFoundError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


@st.cache_resource(max_entries=4, show_spinner=False)
def _runs(db: str, stamp: Stamp) -> tuple[RunRow, ...]:
    return rerun.runs(db)


@st.cache_resource(max_entries=8, show_spinner=False)
def _run(db: str, stamp: Stamp, run_id: str) -> RunRow | None:
    try:
        return rerun.run(db, run_id)
    except UsageError:
        return None


@st.cache_resource(max_entries=4, show_spinner=False)
def _followed(db: str, stamp: Stamp) -> tuple[Followed, ...]:
    return rerun.followed(db)


@st.cache_resource(max_entries=8, show_spinner=False)
def _replay(db: str, stamp: Stamp, run_id: str) -> Replay:
    return rerun.replay(db, run_id)


@st.cache_resource(max_entries=8, show_spinner=False)
def _replay_data(db: str, stamp: Stamp, run_id: str) -> Mapping[str, Json]:
    """`run` is the id by which the run was asked for: a growing log's newest one would be another each time."""
    return {**payload.replay_payload(_replay(db, stamp, run_id)), "run": run_id}


@st.cache_resource(max_entries=8, show_spinner=False)
def _provenance(db: str, stamp: Stamp, run_id: str) -> Provenance:
    return questions.provenance(db, run_id)


@st.cache_resource(max_entries=16, show_spinner=False)
def _deliverable_data(db: str, stamp: Stamp, run_id: str, file: int) -> Mapping[str, Json]:
    """`run` is the id by which the run was asked for, as in the replay."""
    return {**file_payload(_provenance(db, stamp, run_id), file), "run": run_id}


@st.cache_resource(max_entries=16, show_spinner="Asking the values …")
def _missing(db: str, stamp: Stamp, runs: tuple[str, ...], rule: Rule, dates: bool) -> ShownButMissing:
    return questions.shown_but_missing(db, runs, rule, dates=dates)


@st.cache_resource(max_entries=64, show_spinner=False)
def _value_story(db: str, stamp: Stamp, run_id: str, rubric_id: str, key: str, rule: Rule) -> ValueStory:
    return questions.value_story(db, run_id, rubric_id, key, rule)


@st.cache_resource(max_entries=16, show_spinner=False)
def _left_out(db: str, stamp: Stamp, run_id: str, rule: Rule, dates: bool) -> LeftOut:
    return questions.left_out(db, run_id, rule, dates=dates)


@st.cache_resource(max_entries=16, show_spinner=False)
def _leaves(db: str, stamp: Stamp, runs: tuple[str, ...]) -> Mapping[str, tuple[int | None, ...]]:
    return questions.window_leaves(db, runs)


def _version(db: str, stamp: Stamp, run_id: str) -> str:
    return str(_replay_data(db, stamp, run_id)["version"])


@st.cache_resource(max_entries=32, show_spinner=False)
def _turn_data(db: str, stamp: Stamp, run_id: str, turn: int, cap: int, marked: Marked | None) -> Mapping[str, Json]:
    row = next(row for row in _replay(db, stamp, run_id).turns if row.number == turn)
    return turn_text_payload(run_id, row, rerun.turn_body(db, run_id, turn), cap, marked)


@st.cache_resource(max_entries=32, show_spinner=False)
def _turn_order_message(db: str, stamp: Stamp, run_id: str, turn: int) -> Mapping[str, Json]:
    timeline = _replay(db, stamp, run_id).timeline
    ranked = [path for path, score in rerun.candidate_order(db, run_id, turn) if score > 0]
    return payload.turn_order_message(_version(db, stamp, run_id), timeline, turn, ranked)


@st.cache_resource(max_entries=256, show_spinner=False)
def _review_message(db: str, stamp: Stamp, run_id: str, turn: int) -> Mapping[str, Json]:
    review = [
        payload.ReviewLine(
            row.requirement.requirement_id,
            tuple(evidence.entry.entry_id for evidence in row.entries),
            tuple(candidate.path for candidate in row.candidates),
            row.entries[0].line if row.entries else "",
        )
        for row in rerun.review_at(db, run_id, turn)
    ]
    return payload.review_message(_version(db, stamp, run_id), _replay(db, stamp, run_id).timeline, turn, review)


@st.cache_resource(max_entries=8, show_spinner=False)
def _order_message(db: str, stamp: Stamp, run_id: str) -> Mapping[str, Json]:
    ordered = orders.orders(_replay(db, stamp, run_id).timeline)
    return payload.order_message(_version(db, stamp, run_id), orders.moves(ordered))
