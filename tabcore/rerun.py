"""What the pages and the commands call: wires the store, the tab engine and the load together.

Each function opens the store, looks, and closes it again. `db` is the store's file, None the default one;
`run_id` may be any beginning of an id that names one run only.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from tabcore import ingest
from tabcore.derivation import derive_again
from tabcore.errors import Problem, UsageError
from tabcore.exports.atif import to_atif
from tabcore.exports.judging import Judged
from tabcore.exports.judging import for_judge as without_tab
from tabcore.ingest import Progress
from tabcore.rows import Loaded, Replay, RunRow, TurnBody
from tabcore.store import selects, writing
from tabcore.store.record_selects import stored_run
from tabcore.store.records import Correction
from tabcore.store.store import WAIT, Store
from tabcore.tab import messages
from tabcore.tab.review import SHOWN, Reviewer
from tabcore.tab.tab import Candidate, Entry, Requirement, Tab
from tabcore.trajectory import Json, Run

Db = str | Path | None


@dataclass(frozen=True, slots=True)
class Evidence:
    """One read-log entry in a review: `line` is its first that shares a term with the requirement, "" if none does."""

    entry: Entry
    line: str


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """One open requirement beside its best entries and candidates, best first."""

    requirement: Requirement
    entries: tuple[Evidence, ...]
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class TabRow:
    """A whole tab after a turn; the candidates are ranked against the task."""

    turn: int
    status_line: str
    requirements: tuple[Requirement, ...]
    read_log: tuple[Entry, ...]
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class Export:
    """A run as a document for other programs. `judged` says what was left out for a judge, None for the whole run."""

    document: dict[str, Json]
    judged: Judged | None = None


def default_store() -> Path:
    """The store's file: `RUNNINGTAB_DB` where set, else in the user's data folder."""
    stated = os.environ.get("RUNNINGTAB_DB")
    return Path(stated) if stated else Path(platformdirs.user_data_dir("runningtab"), "runs.duckdb")


def open_store(db: Db = None, wait: float = WAIT) -> Store:
    """The store, not yet opened; `wait` is how many seconds to wait while another process holds it."""
    return Store(default_store() if db is None else db, wait)


def load(
    paths: Iterable[str], db: Db = None, progress: Callable[[Progress], object] = lambda _: None
) -> tuple[Loaded, ...]:
    """Load files and folders; what became of each file. Loading again what has not changed adds nothing."""
    return ingest.load(paths, open_store(db), progress)


def runs(db: Db = None) -> tuple[RunRow, ...]:
    """Every run, in the order in which they came in."""
    with open_store(db).reading() as connection:
        return selects.run_rows(connection)


def replay(db: Db, run_id: str) -> Replay:
    """All that a replay of one run steps through."""
    with open_store(db).reading() as connection:
        return selects.replay(connection, _number(connection, run_id))


def turn_body(db: Db, run_id: str, turn: int) -> TurnBody:
    """One turn whole."""
    with open_store(db).reading() as connection:
        number = _number(connection, run_id)
        body = selects.turn_body(connection, number, turn)
        if body is None:
            [run] = selects.run_rows(connection, number)
            raise _no_turn(run_id, turn, run.turns)
    return body


def excerpt(db: Db, run_id: str, entry_id: str) -> str:
    """What the read log's entry shows, word for word."""
    with open_store(db).reading() as connection:
        number = _number(connection, run_id)
        found = selects.excerpt(connection, number, entry_id)
        if found is None:
            [run] = selects.run_rows(connection, number)
            known = f"L1 to L{run.reads}" if run.reads else "none, nothing was read"
            raise UsageError(f"entry {entry_id}", "there is no such entry", f"Known: {known}")
    return found


def tab_at(db: Db, run_id: str, turn: int | None = None, *, with_excerpts: bool = False) -> tuple[Tab, int]:
    """The tab after a turn (None: the last) and that turn. Excerpts cost a look at the texts."""
    with open_store(db).reading() as connection:
        number = _number(connection, run_id)
        [run] = selects.run_rows(connection, number)
        timeline = selects.timeline(connection, number)
        at = run.turns if turn is None else turn
        if not 0 <= at <= run.turns:
            raise _no_turn(run_id, at, run.turns)
        entries = [entry for entry in timeline.entries if entry.turn <= at] if with_excerpts else []
        return timeline.at(at, selects.excerpts(connection, entries)), at


def candidate_order(db: Db, run_id: str, turn: int) -> tuple[tuple[str, float], ...]:
    """The candidates after a turn as (path, score against the task), best first."""
    tab, _ = tab_at(db, run_id, turn)
    return tuple((candidate.path, score) for candidate, score in Reviewer(tab).candidates_by_relevance())


def review_at(db: Db, run_id: str, turn: int, shown: int = SHOWN) -> tuple[ReviewRow, ...]:
    """The review as it would have been after a turn."""
    tab, _ = tab_at(db, run_id, turn, with_excerpts=True)

    def evidence(entry: Entry, requirement: Requirement) -> Evidence:
        return Evidence(entry, messages.first_matching_line(tab.texts[entry.excerpt], requirement.text))

    return tuple(
        ReviewRow(item.requirement, tuple(evidence(entry, item.requirement) for entry in item.entries), item.candidates)
        for item in Reviewer(tab).review(shown)
    )


def tab_row(db: Db, run_id: str, turn: int | None = None) -> TabRow:
    """The whole tab after a turn as rows; the last turn's without one."""
    tab, at = tab_at(db, run_id, turn)
    ranked = tuple(candidate for candidate, _ in Reviewer(tab).candidates_by_relevance())
    return TabRow(
        at, messages.status_line(tab, at), tuple(tab.requirements.values()), tuple(tab.read_log.values()), ranked
    )


def tab_text(db: Db, run_id: str, turn: int | None = None) -> str:
    """The whole tab after a turn as text; the last turn's without one."""
    tab, at = tab_at(db, run_id, turn)
    ranked = [candidate for candidate, _ in Reviewer(tab).candidates_by_relevance()]
    return messages.tab_text(tab, ranked, at)


def problems(db: Db = None, run_id: str | None = None) -> tuple[Problem, ...]:
    """The problems of the log that holds a run, or of everything that was ever loaded."""
    with open_store(db).reading() as connection:
        if run_id is None:
            return selects.problems(connection)
        [run] = selects.run_rows(connection, _number(connection, run_id))
        return selects.problems(connection, run.path)


def export_atif(db: Db, run_id: str, *, for_judge: bool = False) -> Export:
    """A run's record as an ATIF document; for a judge without its tab, and without marks of this program's own."""
    with open_store(db).reading() as connection:
        stored = stored_run(connection, _number(connection, run_id))
    run = Run(run_id, stored.path, stored.header, stored.turns, after=stored.after)
    judged = without_tab(run) if for_judge else None
    document = to_atif(judged.run if judged else run, marks=not for_judge)
    if not document["steps"]:
        raise UsageError(f"run {run_id}", "it has no step to export", "ATIF documents have at least one")
    return Export(document, judged)


def correct(db: Db, run_id: str, *, root: str | None = None, task: str | None = None) -> RunRow:
    """Say what a run's workspace root or task is, and derive its tab again from the stored record.

    What is None is derived as if nobody had corrected it. Corrections stay when the log is loaded again.
    """
    correction = Correction(root, task)
    with open_store(db).writing() as connection:
        number = _number(connection, run_id)
        stored = stored_run(connection, number)
        record, tables = derive_again(stored.key, stored.digest, stored.header, stored.turns, stored.after, correction)
        writing.replace_tab(connection, number, record, tables)
        writing.correct(connection, stored.path, stored.key, correction)
        [run] = selects.run_rows(connection, number)
    return run


def delete(db: Db, run_id: str) -> None:
    """Take one run out of the store, with what was corrected of it. Its log stays where it is."""
    with open_store(db).writing() as connection:
        number = _number(connection, run_id)
        stored = selects.run_rows(connection, number)[0]
        key = stored.run_id.partition(".")[2]
        writing.correct(connection, stored.path, key, Correction())
        writing.delete(connection, [number])


def _number(connection: selects.Connection, run_id: str) -> int:
    """The number of the one run whose id begins so. Sub-agents of a run do not make its own id ambiguous."""
    numbers = selects.run_numbers(connection)
    if run_id in numbers:
        return numbers[run_id]
    begun = [known for known in numbers if run_id and known.startswith(run_id)]
    main = [known for known in begun if "." not in known]
    chosen = main if len(main) == 1 and all(known.startswith(main[0]) for known in begun) else begun
    if len(chosen) == 1:
        return numbers[chosen[0]]
    if begun:
        raise UsageError(f"run {run_id}", f"{len(begun)} runs begin so", f"Say which: {_some(begun)}")
    near = difflib.get_close_matches(run_id, numbers, n=3, cutoff=0.3)
    known = f"Near: {_some(near)}" if near else f"Known: {_some(list(numbers))}"
    remedy = known if numbers else "The store is empty: load a log first"
    raise UsageError(f"run {run_id}", "there is no such run", remedy)


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")


def _no_turn(run_id: str, turn: int, turns: int) -> UsageError:
    return UsageError(
        f"run {run_id}", f"there is no turn {turn}", f"It has turns 1 to {turns}" if turns else "It has no turns"
    )
